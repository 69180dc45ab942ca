package training

import (
	"cmp"
	"slices"
)

// Kind is what an interval is.
type Kind uint8

// The kinds of interval, as Kineto's categories tell them apart.
const (
	Operator         Kind = iota // an operator on the host (cpu_op)
	Annotation                   // a range that the program or the framework named
	Runtime                      // a call of the accelerator's runtime or driver
	Kernel                       // a kernel on the accelerator
	Copy                         // a copy by the accelerator
	Set                          // memory set by the accelerator
	DeviceAnnotation             // an annotation as the accelerator saw it
	Python                       // a function of Python
)

// OnDevice tells whether the accelerator is busy in an interval of this kind.
func (k Kind) OnDevice() bool { return k == Kernel || k == Copy || k == Set }

// Interval is something that took time. Thirty-two bytes, as a trace of a
// gigabyte holds millions.
type Interval struct {
	Start       int64 // nanoseconds
	Length      int64
	Name        uint32 // index of Trace.Names
	Correlation uint32 // links a launch with what it launched; 0 none
	External    uint32 // links what an operator launched with it; 0 none
	Track       uint16 // index of Trace.Tracks
	Kind        Kind
}

// End is when the interval ended.
func (i *Interval) End() int64 { return i.Start + i.Length }

// Track is a thread of the processor or a stream of an accelerator.
type Track struct {
	Process, Thread string
	Name            string // what the trace calls the thread
	Device          bool
	Stream          int // of a device
}

// Message is what the arguments of an interval say of the data it moves. Most
// intervals have none.
type Message struct {
	Interval   int    // index of the interval
	Bytes      int64  // copied or, of a collective, sent by this rank; -1 unknown
	Collective string // "" for copies
	Group      string // name of the process group
	GroupSize  int
	Ranks      string // of the group, as the trace writes them
	Seq        int64  // number of the collective in its group; -1 unknown
	// Of a message between two ranks: who sends it, and to whom; nil unknown.
	Source, Target *int
}

// Allocation is memory of a device given out or back (Bytes below 0), and what
// the allocator held then.
type Allocation struct {
	At                         int64
	Device                     int
	Bytes, Allocated, Reserved int64
}

// slab is how many intervals are allocated at once, so that a trace grows
// without being copied.
const slab = 1 << 14

// Trace is what the profiler of one rank wrote down.
type Trace struct {
	File        string
	Rank, World int // -1 and 0 where the trace does not say
	Host        string
	Device      string // the accelerator's name
	Backend     string // of the collectives
	Base        int64  // nanoseconds since 1970 that the times count from
	Names       []string
	Tracks      []Track
	Messages    []Message
	Memory      []Allocation
	Ranges      []ProfiledRange
	Notes       []string

	slabs      [][]Interval
	sorted     [][]uint32 // by track: indexes by start, the longer first
	collective []bool     // by name, see isCollective
}

// Len is the number of intervals.
func (t *Trace) Len() int {
	if len(t.slabs) == 0 {
		return 0
	}
	return (len(t.slabs)-1)*slab + len(t.slabs[len(t.slabs)-1])
}

// At is the i-th interval.
func (t *Trace) At(i int) *Interval { return &t.slabs[i/slab][i%slab] }

// Name is the name of an interval.
func (t *Trace) Name(i *Interval) string { return t.Names[i.Name] }

// Add appends an interval and returns its index.
func (t *Trace) Add(i Interval) int {
	if n := len(t.slabs); n == 0 || len(t.slabs[n-1]) == slab {
		t.slabs = append(t.slabs, make([]Interval, 0, slab))
	}
	last := &t.slabs[len(t.slabs)-1]
	*last = append(*last, i)
	t.sorted = nil
	return t.Len() - 1
}

// On lists the intervals of a track by their start, the longer first.
func (t *Trace) On(track int) []uint32 {
	if t.sorted == nil {
		t.sort()
	}
	return t.sorted[track]
}

func (t *Trace) sort() {
	counts := make([]int, len(t.Tracks))
	for _, s := range t.slabs {
		for i := range s {
			counts[s[i].Track]++
		}
	}
	t.sorted = make([][]uint32, len(t.Tracks))
	all := make([]uint32, t.Len())
	for track, n := range counts {
		t.sorted[track], all = all[:0:n], all[n:]
	}
	for i := range t.Len() {
		track := t.At(i).Track
		t.sorted[track] = append(t.sorted[track], uint32(i))
	}
	before := func(a, b uint32) int {
		x, y := t.At(int(a)), t.At(int(b))
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(y.Length, x.Length), cmp.Compare(a, b))
	}
	for _, list := range t.sorted {
		if !slices.IsSortedFunc(list, before) { // profilers write mostly in order
			slices.SortFunc(list, before)
		}
	}
}

// Span is when the first interval began and the last ended.
func (t *Trace) Span() (first, last int64) {
	for i := range t.Len() {
		at := t.At(i)
		if i == 0 {
			first, last = at.Start, at.End()
		}
		first, last = min(first, at.Start), max(last, at.End())
	}
	return first, last
}
