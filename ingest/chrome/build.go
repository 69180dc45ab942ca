package chrome

import (
	"errors"
	"fmt"

	"auspex/model"
)

// build nests the sorted events and adds up their times.
func (t *trace) build(name string) (*model.Experiment, error) {
	if err := t.pair(); err != nil {
		return nil, err
	}
	n := newNester(t)
	err := t.events.each(func(e traceEvent) error {
		if n.events++; n.events%8192 == 0 && t.ctx.Err() != nil {
			return t.ctx.Err()
		}
		return n.add(e)
	})
	if err != nil {
		return nil, err
	}
	n.endTrack()
	if n.events == 0 {
		return nil, errors.New("no event with a duration in this trace")
	}
	n.place(t.tracks.units(t.rankOf(name), t.isKineto))
	t.header.Created = t.created()
	t.note(n)
	return n.b.Build(t.header)
}

// note says what a person should know of how the trace was read.
func (t *trace) note(n *nester) {
	threads, streams := 0, 0
	for _, track := range t.tracks.list {
		if track.used && track.gpu {
			streams++
		} else if track.used {
			threads++
		}
	}
	notes := &t.header.Notes
	if streams > 0 {
		t.header.SetFactor(model.NumberFactor(model.ProcessorThreads, float64(threads)))
		*notes = append(*notes, fmt.Sprintf("of each process, the threads of the processor come first (%d), then the streams of its accelerators (%d)", threads, streams))
	}
	if n.cut > 0 {
		*notes = append(*notes, fmt.Sprintf("%d events began inside another on their thread and outlasted it: the earlier one was ended where the later began", n.cut))
	}
	if n.folded > 0 {
		*notes = append(*notes, fmt.Sprintf("%d events nested deeper than %d count for the event around them", n.folded, maxNesting))
	}
	if t.beside > 0 {
		*notes = append(*notes, fmt.Sprintf("asynchronous operations, which are of no thread, are left out: %d", t.beside))
	}
	*notes = append(*notes, t.lacks.Words()...)
	if t.header.Incomplete = t.lacks.Endless(); t.unended && t.header.Incomplete == "" {
		t.header.Incomplete = "the list of events is not closed: the trace may have been cut short"
	}
}

// Limits on the tree of regions.
const (
	maxNesting     = 512
	maxTraceNodes  = 1 << 20
	nestingBlur    = 1000 // nanoseconds by which rounded times may overlap
	unplacedRegion = -1
)

// nester builds the tree of regions of one track after another. An event lies
// below another where it begins and ends within it. An event that outlasts
// the one it began in, as concurrent work on one track does, ends that one:
// at every instant the track's time belongs to the event that began last.
type nester struct {
	t     *trace
	b     *model.Builder
	nodes []traceNode
	child map[uint64]int32 // by parent + 1 and name
	owner map[int]uint32   // the name that a region was made for

	track   uint32
	stack   []frame
	sums    []traceSum // of the track, by node
	touched []int32

	all         []trackSum
	events      int64
	cut, folded int64
}

type traceNode struct {
	parent int32
	name   uint32
	region int
}

// frame is an event that is not over yet.
type frame struct {
	node       int32
	start, end int64
	inner      int64 // time of the events in it
}

type traceSum struct{ exclusive, calls int64 }

type trackSum struct {
	track uint32
	node  int32
	traceSum
}

func newNester(t *trace) *nester {
	return &nester{t: t, b: model.NewBuilder(), child: map[uint64]int32{}, owner: map[int]uint32{}}
}

func (n *nester) add(e traceEvent) error {
	if e.track != n.track {
		n.endTrack()
		n.track = e.track
	}
	n.t.tracks.list[e.track].used = true
	end := e.start + e.length
	for len(n.stack) > 0 {
		top := &n.stack[len(n.stack)-1]
		if top.end > e.start {
			if end <= top.end {
				break
			}
			if end-top.end <= nestingBlur {
				end = top.end
				break
			}
			n.cut++
			top.end = e.start
		}
		n.pop()
	}
	if len(n.stack) == maxNesting {
		n.folded++
		return nil
	}
	node, err := n.node(e.name)
	if err != nil {
		return err
	}
	n.stack = append(n.stack, frame{node: node, start: e.start, end: end})
	return nil
}

// pop ends the innermost event.
func (n *nester) pop() {
	f := n.stack[len(n.stack)-1]
	n.stack = n.stack[:len(n.stack)-1]
	length := f.end - f.start
	if len(n.stack) > 0 {
		n.stack[len(n.stack)-1].inner += length
	}
	for int(f.node) >= len(n.sums) {
		n.sums = append(n.sums, traceSum{})
	}
	sum := &n.sums[f.node]
	if sum.calls == 0 {
		n.touched = append(n.touched, f.node)
	}
	sum.calls++
	if !n.t.names.list[n.nodes[f.node].name].ofStream {
		sum.exclusive += max(length-f.inner, 0)
	}
}

// endTrack ends all events and keeps the sums of the track.
func (n *nester) endTrack() {
	for len(n.stack) > 0 {
		n.pop()
	}
	for _, node := range n.touched {
		n.all = append(n.all, trackSum{n.track, node, n.sums[node]})
		n.sums[node] = traceSum{}
	}
	n.touched = n.touched[:0]
}

// node finds the place in the tree of an event of that name below the
// innermost open one.
func (n *nester) node(name uint32) (int32, error) {
	parent := int32(model.NoParent)
	if len(n.stack) > 0 {
		parent = n.stack[len(n.stack)-1].node
	}
	key := uint64(parent+1)<<32 | uint64(name)
	if node, ok := n.child[key]; ok {
		return node, nil
	}
	if len(n.nodes) == maxTraceNodes {
		return 0, fmt.Errorf("more than %d different call paths", maxTraceNodes)
	}
	node := int32(len(n.nodes))
	n.nodes = append(n.nodes, traceNode{parent, name, unplacedRegion})
	n.child[key] = node
	n.nodes[node].region = n.region(parent, name)
	return node, nil
}

// region makes the region of a new node. Functions of the same name in
// different files are different regions: the second keeps its whole name.
func (n *nester) region(parent int32, name uint32) int {
	info := &n.t.names.list[name]
	region := model.Region{Name: info.name, Kind: info.kind, File: info.file, Line: info.line, Parent: model.NoParent}
	if parent >= 0 {
		region.Parent = n.nodes[parent].region
	}
	index := n.b.Region(region)
	if owner, taken := n.owner[index]; taken && owner != name {
		region.Name = info.raw
		index = n.b.Region(region)
	}
	if _, taken := n.owner[index]; !taken {
		n.owner[index] = name
	}
	return index
}

// place puts the sums into the experiment.
func (n *nester) place(units []model.Unit) {
	wtime := n.b.Metric(model.NewMetric(model.WallTime, "dur", model.Exclusive))
	calls := n.b.Metric(model.NewMetric(model.Calls, "", model.Own))
	for _, s := range n.all {
		unit, region := n.b.Unit(units[s.track]), n.nodes[s.node].region
		n.b.Add(unit, region, wtime, float64(s.exclusive)/1e9)
		n.b.Add(unit, region, calls, float64(s.calls))
	}
}
