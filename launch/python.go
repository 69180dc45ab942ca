package launch

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"auspex/model"
	"auspex/probe"
	"auspex/symbols"
)

// A stand is where a frame of a stack has led to.
type stand struct {
	at *spot
	// python is where a function of Python that is called from here stands: what the
	// interpreter does between two of them is no region.
	python *spot
	inside bool // of a function of Python
	own    bool // of that function's own: no library was called
	lost   bool // what was called before is not known
}

// python enters a function of Python, or goes back to it where it is open already. The
// frames of the interpreter that lead to it are left out.
func (c *callTree) python(from stand, f probe.PythonFunction) stand {
	for up := from.python; up.parent != nil; up = up.parent {
		if up.python != "" && up.python == placed(f) {
			return stand{at: up, python: up, inside: true, own: true, lost: from.lost}
		}
	}
	r := regionOf(f)
	if twin, ok := from.python.children[r.Name]; ok && twin.python != placed(f) {
		r.Name = placed(f)
	}
	at := from.python.child(r)
	at.python = placed(f)
	return stand{at: at, python: at, inside: true, own: true, lost: from.lost}
}

// regionOf describes a function of Python. The place is part of names that say nothing:
// of modules, lambdas and the like.
func regionOf(f probe.PythonFunction) model.Region {
	switch {
	case f.Name == "":
		return model.Region{Name: "<Python>", Kind: model.Block}
	case strings.HasPrefix(f.File, "<"): // text that was never a file
		return model.Region{Name: f.Name, Kind: model.Function}
	case strings.HasSuffix(f.Name, ">"):
		return model.Region{Name: placed(f), Kind: model.Function, File: f.File, Line: f.Line}
	}
	return model.Region{Name: f.Name, Kind: model.Function, File: f.File, Line: f.Line}
}

// placed is a function's name with its place: what tells it from others. A package goes
// by its directory.
func placed(f probe.PythonFunction) string {
	return fmt.Sprintf("%s [%s:%d]", f.Name, path.Base(strings.TrimSuffix(f.File, "/__init__.py")), f.Line)
}

// frame goes into the functions at an address.
func (c *callTree) frame(p *probe.Process, place *spot, from stand, a address, measured string) stand {
	if c.forPython(p, from, a) {
		return from
	}
	at := c.through(place, from, a, measured)
	if c.names.interpreters.has(p, a.object) {
		return stand{at: at, python: from.python, lost: from.lost}
	}
	return stand{at: at, python: at, inside: from.inside, lost: from.lost}
}

// forPython tells whether a frame is what the interpreter does for a function of Python:
// that is the function's own, or that of the library which asked the interpreter for it.
func (c *callTree) forPython(p *probe.Process, from stand, a address) bool {
	return from.inside && (c.names.interpreters.has(p, a.object) || from.own && ofLanguages.MatchString(filepath.Base(a.object)))
}

// interpreters are the objects that interpret Python in processes whose functions of
// Python are named.
type interpreters map[*probe.Process]string

func findInterpreters(processes []*probe.Process) interpreters {
	found := interpreters{}
	for _, p := range processes {
		if p.Python.State == probe.PythonNamed {
			found[p] = addressOf(p, p.Python.At).object
		}
	}
	return found
}

// include tells whether an object is the interpreter of any process.
func (i interpreters) include(object string) bool {
	for _, its := range i {
		if its == object {
			return true
		}
	}
	return false
}

// has tells whether an object is a process's interpreter: its library, or the program
// that does nothing but start it.
func (i interpreters) has(p *probe.Process, object string) bool {
	its, ok := i[p]
	return ok && (object == its || object == p.Program && strings.HasPrefix(filepath.Base(object), "python"))
}

// tellPython notes where functions of Python are not named, and why.
func (c *collector) tellPython() {
	for _, p := range c.processes {
		var why string
		switch state := p.Python.State; {
		case state == probe.PythonUnknown:
			why = "that version is not known"
		case state == probe.PythonThreadsFreely:
			why = "it is a build without a global lock"
		case state == probe.PythonMisfit || state == probe.PythonKnown && c.interpreted(p):
			why = "its memory is not laid out as that version's"
		default:
			continue
		}
		note := fmt.Sprintf("functions of Python %s are not named: %s", p.Python.Version, why)
		if !slices.Contains(c.notes, note) {
			c.notes = append(c.notes, note)
		}
	}
}

// interpreted tells whether a process was seen to run functions of Python: in more than
// a few samples, as the first function may not have begun.
func (c *collector) interpreted(p *probe.Process) bool {
	const few = 4
	for _, t := range p.Threads {
		below := make([]uint64, len(t.Steps))
		for k := len(t.Steps) - 1; k >= 0; k-- {
			s := t.Steps[k]
			below[k] += s.Count
			if s.Parent >= 0 {
				below[s.Parent] += below[k]
			}
			frames := c.tree.names.at(addressOf(p, s.PC))
			if below[k] > few && slices.ContainsFunc(frames, func(f symbols.Frame) bool { return f.Name == "_PyEval_EvalFrameDefault" }) {
				return true
			}
		}
	}
	return false
}
