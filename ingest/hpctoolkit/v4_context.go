package hpctoolkit

import (
	"auspex/ingest/input"
	"auspex/internal/mistake"
	"auspex/model"
)

// What a calling context can be (lexicalType).
const (
	hpcIsFunction = iota
	hpcIsLoop
	hpcIsLine
	hpcIsInstruction
)

// Which of a context's optional fields are there (flags).
const (
	hpcHasFunction = 1 << iota
	hpcHasSource
	hpcHasPoint
)

const (
	hpcEntrySize   = 32 // of an entry point, at least
	hpcContextSize = 32 // of a context, before its optional fields
)

// hpcContextTree walks the tree of calling contexts in meta.db. Functions and
// loops become regions. Lines and instructions fall to the region around
// them, unless they were reached by a call: then they lie in a function that
// HPCToolkit could not name, and one region per library stands for those.
type hpcContextTree struct {
	d         *hpcBytes
	b         *model.Builder
	meta      *hpcMetaDB
	functions map[uint64]hpcFunctionInfo
	budget    uint64 // bytes of contexts yet to be met: the tree cannot loop
}

// hpcBranch is an array of contexts yet to be read.
type hpcBranch struct {
	offset, end uint64
	region      int // around them
	depth       int // of that region
}

func (t *hpcContextTree) read() error {
	d := t.d
	section, size := d.section(hpcContexts)
	t.budget = size
	entries, count, stride := d.u64(section), int(d.u16(section+8)), uint64(d.u8(section+10))
	if count > 0 && stride < hpcEntrySize {
		d.fail(section+10, "entry points of %d bytes are too small", stride)
	}
	var stack []hpcBranch
	for i := 0; i < count && d.err == nil; i++ {
		at := entries + uint64(i)*stride
		name := d.text(d.u64(at + 24))
		if name == "" {
			name = "unknown entry"
		}
		region := t.region(model.Region{Name: name, Kind: model.Block, Parent: model.NoParent})
		t.place(d.u32(at+16), at+16, region, model.NoParent)
		stack = append(stack, t.children(at, region, 1))
	}
	for len(stack) > 0 && d.err == nil {
		branch := &stack[len(stack)-1]
		if branch.offset >= branch.end {
			stack = stack[:len(stack)-1]
			continue
		}
		at, outer, depth := branch.offset, branch.region, branch.depth
		branch.offset += hpcContextSize + 8*uint64(d.u8(at+23))
		region, inner := t.context(at, outer, depth)
		t.place(d.u32(at+16), at+16, region, outer)
		if d.u64(at) > 0 {
			stack = append(stack, t.children(at, region, inner))
		}
	}
	if d.err == nil && t.b.RegionCount() == 0 {
		return mistake.InFile(d.name, "holds no calling contexts")
	}
	return d.err
}

// children returns the array of contexts below the one at the offset.
func (t *hpcContextTree) children(at uint64, region, depth int) hpcBranch {
	size, offset := t.d.u64(at), t.d.u64(at+8)
	if size > t.budget {
		t.d.fail(at, "the contexts below take %d bytes, more than are left in their section: the tree is damaged", size)
		return hpcBranch{}
	}
	t.budget -= size
	if size > 0 && !t.d.check(offset, size) {
		return hpcBranch{}
	}
	return hpcBranch{offset: offset, end: offset + size, region: region, depth: depth}
}

// context reads one context and returns its region and that region's depth.
func (t *hpcContextTree) context(at uint64, outer, depth int) (region, inner int) {
	d := t.d
	flags, called, kind := d.u8(at+20), d.u8(at+21) != 0, d.u8(at+22)
	flex := hpcFlex{d: d, next: at + hpcContextSize, words: int(d.u8(at + 23))}
	var function, file, module uint64
	var line uint32
	if flags&hpcHasFunction != 0 {
		function = flex.u64()
	}
	if flags&hpcHasSource != 0 {
		file, line = flex.u64(), flex.u32()
	}
	if flags&hpcHasPoint != 0 {
		module = flex.u64()
	}
	var r model.Region
	switch {
	case kind == hpcIsFunction && function != 0:
		f := t.function(function)
		r = hpcFunction(f.name, f.file, f.line, outer)
	case kind == hpcIsFunction:
		r = hpcFunction("", "", 0, outer)
	case kind == hpcIsLoop:
		r = hpcLoop(t.path(file), int(line), functionAround(t.b, outer), outer)
	case called && module != 0:
		r = hpcFunction(hpcUnknownIn(t.path(module)), "", 0, outer)
	case called:
		r = hpcFunction("", "", 0, outer)
	default:
		return outer, depth
	}
	if depth >= input.MaxRegionDepth {
		d.fail(at, "call paths of more than %d functions and loops", input.MaxRegionDepth)
		return outer, depth
	}
	return t.region(r), depth + 1
}

// region adds a region and remembers its parent.
func (t *hpcContextTree) region(r model.Region) int {
	region := t.b.Region(r)
	if region == len(t.meta.parents) {
		t.meta.parents = append(t.meta.parents, int32(r.Parent))
	}
	return region
}

func (t *hpcContextTree) place(id uint32, at uint64, region, outer int) {
	if _, twice := t.meta.contexts[id]; twice {
		t.d.fail(at, "context %d is there twice", id)
	}
	t.meta.contexts[id] = hpcContext{int32(region), int32(outer)}
}

// path reads the path of a source file or load module.
func (t *hpcContextTree) path(offset uint64) string {
	if offset == 0 {
		return ""
	}
	return t.d.text(t.d.u64(offset + 8))
}

// hpcFlex reads the optional fields of a context. They are packed into words
// of eight bytes; two halves share one word even with a whole one between.
type hpcFlex struct {
	d     *hpcBytes
	next  uint64
	words int
	half  uint64 // place of a free half word, 0 if none
}

func (f *hpcFlex) word() uint64 {
	if f.words--; f.words < 0 {
		f.d.fail(f.next, "a context lacks fields it says it has")
		return f.next
	}
	at := f.next
	f.next += 8
	return at
}

func (f *hpcFlex) u64() uint64 { return f.d.u64(f.word()) }

func (f *hpcFlex) u32() uint32 {
	at := f.half
	f.half = 0
	if at == 0 {
		at = f.word()
		f.half = at + 4
	}
	return f.d.u32(at)
}
