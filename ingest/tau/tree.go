package tau

import (
	"encoding/binary"
	"fmt"
	"strings"

	"auspex/model"
)

// Bounds on the region tree. No call path is that deep, and a file that makes
// a new region of every other byte would take fifty times its size in memory.
const (
	maxDepth   = 1024
	maxRegions = 2 << 20
)

// tauTree is the region tree that the functions' names spell.
//
//   - A call path "a => b => c" is a node, its parent the path "a => b".
//   - A function that is also the end of call paths of the same thread is
//     dropped: it is their sum. What remains without a path is a root, such as
//     main, and where there are no call paths at all every function is one.
//   - TAU_CALLPATH_DEPTH=n keeps the last n functions of a path. A path of that
//     length whose beginning is no path by itself was cut: it goes below the
//     one path that ends with its beginning. Where several paths do (the
//     function has several callers) nothing tells them apart, and the cut path
//     becomes a root of its own. Phases, which TAU writes as paths of two, come
//     to their places in the same way.
//   - Samples share out the time of the function they were taken in. They are
//     children of it, named after the function that the sample hit; in a
//     profile without call paths they stand beside it.
type tauTree struct {
	names   names
	entries []entry // one per function
	// nested says that there are call paths other than those of samples.
	nested  bool
	sampled bool
	pathOf  map[string]int32 // the function that measured a path
	passes  int              // names that were numbered passes of loops
	// ownRoots counts the cut paths that found no single caller.
	ownRoots int
}

// role says what becomes of a function's values.
type role uint8

const (
	dropped role = iota // repeats other entries
	flat
	tauPath
	sampled
)

type entry struct {
	role role
	path []int32 // the parts, outermost first; of a sample the path of its context
	// frames are the parts of a sample below its context; none where the
	// sample hit the context function itself.
	frames  []int32
	context int32 // of a sample: the function it was taken in
	flat    int32 // of a path: the function that sums up all paths with this end, or -1
	// returns marks a path that ends with the function it starts with: it
	// does not show that the function has a caller.
	returns bool
	used    bool // some thread has values that are not dropped
	region  int  // -1 until placed
}

func newTree(functions []tauFunction) (*tauTree, error) {
	t := &tauTree{
		names:   names{partOf: map[string]int32{}},
		entries: make([]entry, len(functions)),
		pathOf:  make(map[string]int32, len(functions)),
	}
	for i, f := range functions {
		t.entries[i] = t.read(f.name)
		e := &t.entries[i]
		if depth := len(e.path) + len(e.frames); depth > maxDepth {
			return nil, fmt.Errorf("a call path is %d levels deep, more than the %d that are read: %.60s…", depth, maxDepth, f.name)
		}
		switch e.role {
		case flat:
			t.names.parts[e.path[0]].flat = int32(i)
		case tauPath:
			t.nested = true
		case sampled:
			t.sampled = true
			continue
		case dropped:
			continue
		}
		t.pathOf[pathKey(e.path)] = int32(i)
	}
	seen := map[string]bool{}
	for i := range t.entries {
		e := &t.entries[i]
		e.flat = -1
		switch e.role {
		case tauPath:
			last := e.path[len(e.path)-1]
			e.flat = t.names.parts[last].flat
			e.returns = e.path[0] == last
		case sampled:
			t.settleSample(e, seen)
		}
	}
	t.names.setLabels()
	t.passes = t.names.foldPhases()
	t.names.setKinds(functions, t.entries)
	return t, nil
}

// read takes a function's name apart.
func (t *tauTree) read(name string) entry {
	parts := t.names.split(name)
	e := entry{path: parts, region: -1}
	tagged := len(parts)
	for i, p := range parts {
		if tag := t.names.parts[p].tag; tag != timed && tag != callsite {
			tagged = i
			break
		}
	}
	last := t.names.parts[parts[len(parts)-1]].tag
	switch {
	case last == timed && tagged == len(parts) && len(parts) == 1:
		e.role = flat
	case last == timed && tagged == len(parts):
		e.role = tauPath
	case last == sample && tagged > 0:
		e.role = sampled
		e.path, e.frames = parts[:tagged], parts[tagged:]
	}
	return e
}

// settleSample finds the function a sample belongs to. A sample without one, or
// one that repeats another (with and without a summary in its path), is dropped.
func (t *tauTree) settleSample(e *entry, seen map[string]bool) {
	context, ok := t.pathOf[pathKey(t.timed(e.path))]
	frames := make([]int32, 0, len(e.frames))
	for _, f := range e.frames {
		if tag := t.names.parts[f].tag; tag == unwind || tag == sample {
			frames = append(frames, f)
		}
	}
	key := pathKey(e.path) + "/" + pathKey(frames)
	if !ok || seen[key] {
		e.role = dropped
		return
	}
	seen[key] = true
	e.context, e.path = context, t.entries[context].path
	own := t.names.parts[e.path[len(e.path)-1]].name
	for len(frames) > 0 && t.names.parts[frames[0]].name == own {
		frames = frames[1:]
	}
	e.frames = frames
}

// timed replaces the call sites in a path by the functions called there.
func (t *tauTree) timed(path []int32) []int32 {
	var timed []int32
	for i, p := range path {
		if part := t.names.parts[p]; part.tag == callsite {
			if timed == nil {
				timed = append(timed, path...)
			}
			if same, ok := t.names.partOf[part.name]; ok {
				timed[i] = same
			}
		}
	}
	if timed == nil {
		return path
	}
	return timed
}

// pathKey makes a path of parts a map key.
func pathKey(path []int32) string {
	var key strings.Builder
	key.Grow(4 * len(path))
	var b [4]byte
	for _, p := range path {
		binary.LittleEndian.PutUint32(b[:], uint32(p))
		key.Write(b[:])
	}
	return key.String()
}

// place gives every function in use its region.
func (t *tauTree) place(b *model.Builder) error {
	p := placer{tree: t, builder: b, callers: t.callersOfCut()}
	for _, samples := range []bool{false, true} {
		for i := range t.entries {
			e := &t.entries[i]
			if !e.used || samples != (e.role == sampled) {
				continue
			}
			if samples {
				e.region = p.placeSample(e)
			} else {
				p.place(int32(i))
			}
			if b.RegionCount() > maxRegions {
				return fmt.Errorf("more than %d regions", maxRegions)
			}
		}
	}
	return nil
}

// callersOfCut finds, for every path that was cut, the path it goes below;
// -1 for paths that are whole or have no single caller.
func (t *tauTree) callersOfCut() []int32 {
	callers := make([]int32, len(t.entries))
	depth := 0
	for i, e := range t.entries {
		callers[i] = -1
		if e.used && e.role == tauPath {
			depth = max(depth, len(e.path))
		}
	}
	const several = -2
	endingWith := map[string]int32{} // by the last depth-1 parts
	deepest := func(yield func(int32, *entry)) {
		for i := range t.entries {
			if e := &t.entries[i]; e.used && e.role == tauPath && len(e.path) == depth {
				yield(int32(i), e)
			}
		}
	}
	deepest(func(i int32, e *entry) {
		// A function that calls itself does not count among its callers.
		end := pathKey(e.path[1:])
		if end == pathKey(e.path[:depth-1]) {
			return
		}
		if _, ok := endingWith[end]; ok {
			i = several
		}
		endingWith[end] = i
	})
	deepest(func(i int32, e *entry) {
		beginning := pathKey(e.path[:depth-1])
		if whole, ok := t.pathOf[beginning]; ok && t.entries[whole].used {
			return
		}
		if caller, ok := endingWith[beginning]; ok {
			callers[i] = caller
		}
	})
	return callers
}

// placer adds regions to the builder.
type placer struct {
	tree    *tauTree
	builder *model.Builder
	callers []int32
	depth   []int // of the regions
	pending []int32
}

// place puts a function, and first the callers it needs, into the tree.
func (p *placer) place(entry int32) {
	const underway = -3
	p.pending = p.pending[:0]
	for {
		e := &p.tree.entries[entry]
		if e.region >= 0 {
			break
		}
		caller := p.callers[entry]
		p.pending = append(p.pending, entry)
		if caller < 0 {
			break
		}
		e.region = underway
		if p.tree.entries[caller].region == underway { // callers in a circle
			p.callers[entry] = -2
			break
		}
		entry = caller
	}
	for i := len(p.pending) - 1; i >= 0; i-- {
		e := &p.tree.entries[p.pending[i]]
		caller := p.callers[p.pending[i]]
		if caller >= 0 {
			above := p.tree.entries[caller].region
			if p.depth[above] < maxDepth {
				e.region = p.child(above, e.path[len(e.path)-1])
				continue
			}
			caller = -2
		}
		if caller == -2 {
			p.tree.ownRoots++
		}
		e.region = p.walk(model.NoParent, e.path)
	}
}

// placeSample puts the frames of a sample below its context, or, in a profile
// without call paths, the function that was hit beside it.
func (p *placer) placeSample(e *entry) int {
	context := p.tree.entries[e.context].region
	switch {
	case len(e.frames) == 0:
		return context
	case !p.tree.nested:
		return p.child(model.NoParent, e.frames[len(e.frames)-1])
	}
	room := max(maxDepth-p.depth[context], 0)
	return p.walk(context, e.frames[:min(room, len(e.frames))])
}

func (p *placer) walk(region int, path []int32) int {
	for _, part := range path {
		region = p.child(region, part)
	}
	return region
}

func (p *placer) child(parent int, part int32) int {
	at := p.tree.names.parts[part]
	region := p.builder.Region(model.Region{
		Name: at.label, Kind: at.kind, File: at.file, Line: at.line, Parent: parent,
	})
	if region == len(p.depth) {
		depth := 1
		if parent != model.NoParent {
			depth = p.depth[parent] + 1
		}
		p.depth = append(p.depth, depth)
	}
	return region
}
