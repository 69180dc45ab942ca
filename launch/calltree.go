package launch

import (
	"path/filepath"
	"strings"

	"auspex/model"
	"auspex/probe"
	"auspex/symbols"
)

// A spot is a region in the tree of all processes. Exact ones were counted at
// every call; the others are known by samples.
type spot struct {
	parent   *spot
	region   model.Region
	children map[string]*spot
	exact    bool
	python   string // which function of Python it is, if one
	weight   uint64 // samples here and below, of all threads
	index    int    // in the experiment; -1 before it has one
}

// child is the region of that name inside, added where it is new.
func (s *spot) child(r model.Region) *spot {
	c, ok := s.children[r.Name]
	if !ok {
		c = &spot{parent: s, region: r, index: -1}
		if s.children == nil {
			s.children = map[string]*spot{}
		}
		s.children[r.Name] = c
	}
	if c.region.File == "" {
		c.region.File, c.region.Line = r.File, r.Line
	}
	return c
}

// counted marks a spot and what is around it as exact.
func (s *spot) counted() {
	for ; s != nil && !s.exact; s = s.parent {
		s.exact = true
	}
}

// path are the names of the regions from the program's on.
func (s *spot) path() []string {
	if s == nil || s.parent == nil {
		return nil
	}
	return append(s.parent.path(), s.region.Name)
}

// function enters a function, or, where it is open already, goes back to that:
// recursion does not grow the tree. What functions of Python call are their own: a
// library's way back into Python would hide them.
func (s *spot) function(r model.Region) *spot {
	for up := s; up.parent != nil && up.python == ""; up = up.parent {
		if up.region.Kind == model.Function && up.region.Name == r.Name {
			return up
		}
	}
	return s.child(r)
}

// callTree is the tree of regions of all processes as it grows.
type callTree struct {
	names *resolver
	top   spot              // around the programs
	blind map[string]uint64 // samples in code without symbols, by object
	plain map[string]uint64 // samples in code compiled without optimisation, by source file
	// program is the executable of the process at hand, in its first thread, and main
	// where its main was found: other threads take part in what main calls.
	program string
	main    map[address]bool
}

// begin says whose nodes and samples come next: those of a process's i-th thread.
func (c *callTree) begin(p *probe.Process, i int) {
	c.program = ""
	if i == 0 {
		c.program, c.main = p.Program, map[address]bool{}
	}
}

// nodes finds the spots of a thread's exact nodes.
func (c *callTree) nodes(p *probe.Process, t probe.Thread) []*spot {
	spots := make([]*spot, len(t.Nodes))
	places := make([]*spot, len(t.Nodes)) // the nearest that is no caller
	stands := make([]stand, len(t.Nodes))
	for j, n := range t.Nodes {
		at, place, from := &c.top, &c.top, stand{at: &c.top, python: &c.top}
		if n.Parent >= 0 {
			at, place, from = spots[n.Parent], places[n.Parent], stands[n.Parent]
		}
		r := p.Regions[n.Region]
		if r.Kind == probe.Frame {
			if r.Name != "" {
				stands[j] = c.python(from, probe.PythonFunction{Name: r.Name, File: r.File, Line: r.Line})
			} else {
				stands[j] = c.frame(p, place, from, c.names.returnsTo(r), "")
			}
			spots[j], places[j] = stands[j].at, place
			continue
		}
		region := c.names.region(r, function(p, t, n))
		if caller, ok := calledFrom(p, t, n); ok {
			c.names.calledAt(&region, r, caller)
		}
		spots[j] = at.child(region)
		spots[j].counted()
		places[j] = spots[j]
		stands[j] = stand{at: spots[j], python: spots[j], inside: from.inside}
	}
	return spots
}

// through goes into the functions at an address. A frame of the machinery
// around the program's functions leads back to the place where counting ended.
// Where the frame is the one that a measured function stands in, only what the
// compiler inlined into that function is gone into.
func (c *callTree) through(place *spot, from stand, a address, measured string) *spot {
	at := from.at
	if strings.HasPrefix(filepath.Base(a.object), "probe-") {
		return at // the runtime's own
	}
	frames := c.names.at(a)
	if measured != "" {
		inside := len(frames)
		for i, f := range frames {
			if sameFunction(f.Name, measured) {
				inside = i + 1
			}
		}
		frames = frames[inside:]
	} else if len(frames) == 0 {
		if c.machinery(a, "") || c.startsThread(place, from, a) {
			return place
		}
		if c.isMain(place, from, a) {
			return at.child(model.Region{Name: "main", Kind: model.Function})
		}
		nameless := model.Region{Name: "<" + filepath.Base(a.object) + ">", Kind: model.Block}
		if at.region.Name == nameless.Name {
			return at // which of its functions called which is not known: they are one
		}
		return at.child(nameless)
	}
	for _, f := range frames {
		if ofProbe(f.Name) {
			continue
		}
		if c.machinery(a, f.Name) {
			at = place
			continue
		}
		at = at.function(model.Region{Name: f.Name, Kind: model.Function, File: f.File, Line: f.Line})
	}
	return at
}

// isMain tells main in a program without symbols: it is what the C library calls first.
func (c *callTree) isMain(place *spot, from stand, a address) bool {
	if from.at != place || place.parent != &c.top || from.lost {
		return false
	}
	if a.object == c.program {
		c.main[a] = true
	}
	return c.main[a]
}

// machinery tells whether a frame is of what starts programs, threads and
// parallel regions.
func (c *callTree) machinery(a address, name string) bool {
	base := filepath.Base(a.object)
	if ofOpenMP(base) {
		return true
	}
	switch name {
	case "_start", "__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main", "clone", "__clone", "clone3", "__clone3", "start_thread", "execute_native_thread_routine":
		return true
	case "":
		return strings.HasPrefix(base, "libc.so") || strings.HasPrefix(base, "ld-linux")
	}
	return symbols.OfTeam(name)
}

// startsThread tells the function of the C++ library that threads of std::thread begin
// in: it has no symbol where the library is stripped, as distributions' are.
func (c *callTree) startsThread(place *spot, from stand, a address) bool {
	return from.at == place && place.parent == &c.top && !from.lost && strings.HasPrefix(filepath.Base(a.object), "libstdc++.so")
}

// ofOpenMP recognises the libraries of OpenMP by name.
func ofOpenMP(base string) bool {
	return strings.HasPrefix(base, "libgomp.so") || strings.HasPrefix(base, "libomp.so") || strings.HasPrefix(base, "libiomp5.so")
}

// ofProbe recognises what a probe is made of, inlined into the function it stands in:
// its functions and, in C++, constructors and destructors.
func ofProbe(name string) bool {
	return strings.HasPrefix(strings.TrimPrefix(name, "~"), "auspex_")
}

// sameFunction compares a name from debug information with a measured region's:
// the source may have been parsed without the scopes around it.
func sameFunction(a, b string) bool {
	return strings.EqualFold(lastName(a), lastName(b))
}

// lastName is a name without the scopes around it and without the arguments of
// templates: relax of field::grid<a::b<c>>::relax<int>.
func lastName(name string) string {
	start, depth := 0, 0
	end := len(name)
	if i := strings.Index(name, "operator"); i >= 0 && (i == 0 || name[i-1] == ':') {
		end = i // what follows may hold any sign
	}
	var last strings.Builder
	for i := 0; i < end; i++ {
		switch c := name[i]; {
		case c == '<':
			depth++
		case c == '>':
			depth--
		case depth == 0 && c == ':':
			last.Reset()
			start = i + 1
		case depth == 0:
			last.WriteByte(c)
		}
	}
	if end < len(name) {
		return name[end:]
	}
	if last.Len() == 0 {
		return name[start:]
	}
	return last.String()
}
