package launch

import (
	"fmt"
	"path/filepath"
	"strings"

	"auspex/model"
	"auspex/probe"
)

// symbols names regions that the runtime knows by address only.
type symbols struct {
	objects map[string]*object
}

func newSymbols() *symbols { return &symbols{objects: map[string]*object{}} }

var kinds = map[probe.Kind]model.Kind{
	probe.Function: model.Function,
	probe.Loop:     model.Loop,
	probe.User:     model.User,
	probe.MPICall:  model.MPI,
	probe.Barrier:  model.Barrier,
	probe.Parallel: model.Block,
	probe.Compute:  model.Block,
	probe.Program:  model.Block,
}

// region describes a region, which stands in one named parent, as the model
// does. Its own parent is left open.
func (s *symbols) region(r probe.Region, parent string) model.Region {
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
	symbol, file, line := s.object(r.Object).at(r.Offset)
	out.File, out.Line = file, line
	place := plainName(symbol)
	switch {
	case file != "" && line > 0:
		place = fmt.Sprintf("%s:%d", filepath.Base(file), line)
	case place == "":
		place = fmt.Sprintf("%s+%#x", filepath.Base(r.Object), r.Offset)
	}
	out.Name = r.Name + "@" + place
	if r.Kind == probe.Compute {
		out.Name = "before " + out.Name
	}
	return out
}

// plainName is a linker's symbol as the source has it: gfortran writes
// __module_MOD_name, and gcc name._omp_fn.0 for the body of a parallel region.
func plainName(symbol string) string {
	name, number, parallel := strings.Cut(symbol, "._omp_fn.")
	if inside, ok := strings.CutPrefix(name, "__"); ok {
		if module, procedure, ok := strings.Cut(inside, "_MOD_"); ok {
			name = module + "::" + procedure
		}
	}
	if parallel {
		name += "#" + number
	}
	return name
}

func (s *symbols) object(path string) *object {
	o, ok := s.objects[path]
	if !ok {
		o = readObject(path)
		s.objects[path] = o
	}
	return o
}

func cutLast(s, separator string) (before, after string, found bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}
