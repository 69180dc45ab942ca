package launch

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"auspex/internal/lazyregexp"
	"auspex/model"
	"auspex/probe"
	"auspex/symbols"
)

// resolver names what the runtime knows by address only.
type resolver struct {
	objects map[string]*symbols.Object
	frames  map[address][]symbols.Frame
	minor   map[string]bool // objects of which names will do
	interpreters
}

// address is one of an object's own.
type address struct {
	object string
	at     uint64
}

func newResolver() *resolver {
	return &resolver{objects: map[string]*symbols.Object{}, frames: map[address][]symbols.Frame{}}
}

var kinds = map[probe.Kind]model.Kind{
	probe.Function: model.Function,
	probe.Loop:     model.Loop,
	probe.User:     model.User,
	probe.MPICall:  model.MPI,
	probe.Barrier:  model.Barrier,
	probe.Parallel: model.Block,
	probe.Compute:  model.Block,
	probe.Program:  model.Block,
	probe.Frame:    model.Function,
	probe.FileCall: model.IO,
	probe.Pause:    model.Block,
}

// region describes a region, which stands in one named parent, as the model
// does. Its own parent is left open.
func (s *resolver) region(r probe.Region, parent string) model.Region {
	out := model.Region{Name: r.Name, Kind: kinds[r.Kind], File: r.File, Line: r.Line}
	if function, loop, ok := cutLast(r.Name, "/"); ok && r.Kind == probe.Loop {
		// Inside its function a loop is told by its line alone.
		if function == parent {
			out.Name = loop
		} else {
			out.Name = function + ":" + loop
		}
	}
	if r.Object == "" {
		return out
	}
	var function string
	function, out.File, out.Line = s.place(r)
	place := function
	switch {
	case out.File != "" && out.Line > 0:
		place = fmt.Sprintf("%s:%d", filepath.Base(out.File), out.Line)
	case place == "":
		place = fmt.Sprintf("%s+%#x", filepath.Base(r.Object), r.Offset)
	}
	out.Name = r.Name + "@" + place
	if r.Kind == probe.Compute {
		out.Name = "before " + out.Name
	}
	return out
}

// calledFrom is the call that a node stands for, where the runtime looked for it.
func calledFrom(p *probe.Process, t probe.Thread, n probe.Node) (caller probe.Region, ok bool) {
	if n.Parent < 0 || !slices.Contains([]probe.Kind{probe.MPICall, probe.FileCall, probe.Pause, probe.Barrier}, p.Regions[n.Region].Kind) {
		return caller, false
	}
	caller = p.Regions[t.Nodes[n.Parent].Region]
	return caller, caller.Kind == probe.Frame && caller.Object != ""
}

// calledAt gives a region the file and the line of its call. Those of OpenMP have it in
// their names, too: a function may have several critical sections. A mutex of C++ is taken
// in the library's headers: the functions around it say more.
func (s *resolver) calledAt(out *model.Region, r, caller probe.Region) {
	if r.Kind == probe.Barrier && !strings.HasPrefix(out.Name, "OpenMP ") {
		return
	}
	_, out.File, out.Line = s.place(caller)
	if r.Kind == probe.Barrier && r.Object == "" && out.Line > 0 {
		out.Name += fmt.Sprintf("@%s:%d", filepath.Base(out.File), out.Line)
	}
}

// returnsTo is the address of the call that returns to a region's address: the
// byte before is still the call's.
func (s *resolver) returnsTo(r probe.Region) address {
	if r.Object == "" {
		return address{noFile, r.Offset}
	}
	at := s.object(r.Object).Base + r.Offset
	if r.Offset > 0 {
		at--
	}
	return address{r.Object, at}
}

// place is the innermost function and the line of a call.
func (s *resolver) place(r probe.Region) (function, file string, line int) {
	a := s.returnsTo(r)
	if frames := s.at(a); len(frames) > 0 {
		function = frames[len(frames)-1].Name
	}
	file, line = s.object(a.object).Line(a.at)
	return function, file, line
}

// at are the functions at an address, outermost first.
func (s *resolver) at(a address) []symbols.Frame {
	frames, ok := s.frames[a]
	if !ok {
		frames = s.object(a.object).Frames(a.at)
		s.frames[a] = frames
	}
	return frames
}

func (s *resolver) object(path string) *symbols.Object {
	o, ok := s.objects[path]
	if !ok {
		switch {
		case s.interpreters.include(path): // its functions are no regions where Python's are
			o = symbols.OpenSymbols(path)
		case s.minor[path] || ofLanguages.MatchString(filepath.Base(path)):
			o = symbols.OpenNames(path)
		default:
			o = symbols.Open(path)
		}
		s.objects[path] = o
	}
	return o
}

// minorShare is the share of all samples below which an object is minor: reading
// its debug information takes longer than what it tells is worth.
const minorShare = 0.02

// ofLanguages are the libraries of C, C++ and Fortran: nobody works on their lines,
// and their debug information is large.
var ofLanguages = lazyregexp.New(`^(libc|libm|libpthread|libstdc\+\+|libgcc_s|libgfortran|ld-linux[^/]*)\.so`)

// weigh finds the objects that few samples are in, and the interpreters of Python.
func (s *resolver) weigh(processes []*probe.Process) {
	samples, all := map[string]uint64{}, uint64(0)
	for _, p := range processes {
		for _, t := range p.Threads {
			for _, step := range t.Steps {
				if _, ok := t.OfPython(step); ok {
					continue
				}
				object := addressOf(p, step.PC).object
				samples[object] += step.Count
				all += step.Count
			}
		}
	}
	s.minor = map[string]bool{}
	for object, n := range samples {
		s.minor[object] = float64(n) < minorShare*float64(all)
	}
	for _, p := range processes {
		s.minor[p.Program] = false
		for _, r := range p.Regions {
			s.minor[r.Object] = false // calls of MPI have their lines
		}
	}
	s.interpreters = findInterpreters(processes)
}

func cutLast(s, separator string) (before, after string, found bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}
