package simulate

import (
	"fmt"
	"sort"

	"auspex/simulate/collective"
	"auspex/trace"
)

// entered is what ranks enter that enter a collective alike: all of its members, unless
// each has sizes of its own.
type entered struct {
	collective.Call // of no rank in particular
	flops           float64
	split           *split // of comm_split and comm_dup
	algorithm       collective.Algorithm
}

// ongoing is a collective that a rank is in the middle of.
type ongoing struct {
	*entered
	me       int32 // in the communicator
	phase    int32
	requests int32             // see plan.open
	at       int32             // next of steps
	steps    []collective.Step // what is left of the present phase, where the rank waits
}

// communicator is a group of ranks.
type communicator struct {
	context int32
	members []int32 // world ranks; nil for the world itself
	size    int
	seen    []agreed // collectives that some members have entered, oldest first
	base    uint32   // number of the first of those
	splits  []*split // of those, by the same numbers; nil where none
	hosts   []int32  // of the members, once asked for
}

// agreed is what the first rank to enter a collective made of it.
type agreed struct {
	kind  trace.Kind
	root  int32
	rank  int32  // who was first
	after int    // members still to come
	parts uint64 // of a reduce-scatter, its counts in one number
}

// membership is a rank's place in a communicator.
type membership struct {
	comm    *communicator
	place   *collective.Place // where the selector looks at hosts
	entered uint32            // collectives so far; the number may have passed the largest, as base
	me      int32
}

// member is a rank's place in a communicator that it knows by a number from 0, the
// world's.
func (r *rank) member(comm int32) *membership {
	if comm == 0 {
		return &r.inWorld
	}
	return &(*r.others)[comm-1]
}

// members is how many communicators a rank knows.
func (r *rank) members() int32 {
	if r.others == nil {
		return 1
	}
	return int32(1 + len(*r.others))
}

// become adds a communicator to those that a rank knows.
func (r *rank) become(m membership) {
	if r.others == nil {
		r.others = new([]membership)
	}
	*r.others = append(*r.others, m)
}

// split gathers what the members of a communicator want to be parted by.
type split struct {
	parent *communicator
	wants  []want
	made   map[int32]*communicator // by colour
}

type want struct{ colour, key, rank int32 }

// enter makes a communicator of the rank the one its messages go by.
func (e *engine) enter(r *rank, comm int32) error {
	if comm >= r.members() || comm < 0 {
		return fmt.Errorf("there is no communicator %d yet", comm)
	}
	c := r.member(comm).comm
	if c == nil {
		return fmt.Errorf("this rank is not part of communicator %d", comm)
	}
	r.comm = c
	return nil
}

// agree refuses a collective that other members have entered as another one.
func (e *engine) agree(id int32, m *membership, act *trace.Action, root int) (*split, error) {
	kind, parts := act.Kind, uint64(0)
	if kind == trace.ReduceScatter {
		parts = inOne(act.Counts)
	}
	c := m.comm
	n := int(m.entered - c.base)
	m.entered++
	for n >= len(c.seen) {
		c.seen = append(c.seen, agreed{kind: kind, root: int32(root), rank: id, after: c.size, parts: parts})
		c.splits = append(c.splits, nil)
	}
	a := &c.seen[n]
	if a.kind != kind {
		return nil, fmt.Errorf("rank %d calls %s where rank %d calls %s", id, kind, a.rank, a.kind)
	}
	if a.root != int32(root) {
		return nil, fmt.Errorf("rank %d calls %s with root %d where rank %d has root %d", id, kind, root, a.rank, a.root)
	}
	if a.parts != parts {
		return nil, fmt.Errorf("rank %d calls %s with other counts than rank %d", id, kind, a.rank)
	}
	if (kind == trace.CommSplit || kind == trace.CommDup) && c.splits[n] == nil {
		c.splits[n] = &split{parent: c}
	}
	s := c.splits[n]
	a.after--
	drop := 0
	for drop < len(c.seen) && c.seen[drop].after == 0 {
		drop++
	}
	if drop > 0 {
		c.seen = append(c.seen[:0], c.seen[drop:]...)
		c.splits = append(c.splits[:0], c.splits[drop:]...)
		c.base += uint32(drop)
	}
	return s, nil
}

// inOne tells lists of numbers apart by one (FNV-1a).
func inOne(list []int64) uint64 {
	h := uint64(14695981039346656037)
	for _, n := range list {
		h = (h ^ uint64(n)) * 1099511628211
	}
	return h
}

// beginCollective plans a collective.
func (e *engine) beginCollective(id int32, r *rank, a *trace.Action) error {
	if a.MakesUnknown() {
		return nil
	}
	if err := e.enter(r, a.Comm); err != nil {
		return err
	}
	m := r.member(a.Comm)
	c := entered{Call: collective.Call{Kind: a.Kind, Size: m.comm.size, Unit: r.size(1, a.Type)}}
	if a.Peer != trace.RootUnset {
		c.Root = int(a.Peer)
	}
	if c.Root >= c.Size {
		return fmt.Errorf("root %d, but the communicator has %d ranks", c.Root, c.Size)
	}
	s, err := e.agree(id, m, a, c.Root)
	if err != nil {
		return err
	}
	if err := r.sizes(&c, a); err != nil {
		return err
	}
	switch a.Kind {
	case trace.CommSplit, trace.CommDup:
		w := want{rank: m.me}
		if a.Kind == trace.CommSplit {
			w.colour, w.key = a.Tag, int32(a.Count)
		}
		s.wants = append(s.wants, w)
		c.split = s
	}
	if e.opts.Selector != collective.Default {
		e.findHosts(m.comm)
		if m.place == nil {
			m.place = &collective.Place{Hosts: m.comm.hosts}
		}
		c.Place = m.place
	}
	if err := e.planAs(&c, m.me); err != nil {
		return err
	}
	e.newCall(r, m.me)
	r.open = r.open[:0]
	r.mode = inPlan
	return nil
}

// sizes fills in what a rank sends and receives in a collective.
func (r *rank) sizes(c *entered, a *trace.Action) error {
	switch a.Kind {
	case trace.CommSplit, trace.CommDup:
		c.Kind, c.Unit, c.Send, c.Recv = trace.Allgather, 4, 8, 8 // MPI exchanges colours and keys this way
		return nil
	case trace.Fence:
		c.Kind = trace.Barrier
	case trace.Alltoallv, trace.Gatherv, trace.Allgatherv, trace.Scatterv, trace.ReduceScatter:
		if len(a.Counts) != c.Size && a.Kind != trace.Gatherv && a.Kind != trace.Allgatherv ||
			len(a.Counts2) != c.Size && a.Kind != trace.Scatterv && a.Kind != trace.ReduceScatter {
			return fmt.Errorf("the communicator has %d ranks, and needs as many counts", c.Size)
		}
		c.Counts = &collective.Counts{Sends: make([]int64, len(a.Counts)), Recvs: make([]int64, len(a.Counts2))}
		for i, n := range a.Counts {
			c.Sends[i] = r.size(n, a.Type)
		}
		for i, n := range a.Counts2 {
			c.Recvs[i] = r.size(n, a.Type2)
		}
	}
	c.Send, c.Recv = r.size(a.Count, a.Type), r.size(a.Count2, a.Type2)
	switch a.Kind {
	case trace.Reduce, trace.Allreduce, trace.Scan, trace.Exscan, trace.ReduceScatter:
		c.flops = a.Value
	}
	return nil
}

// planAs chooses how a collective is done, unless the last rank that entered one did
// so alike. Only selectors that look at hosts look at the rank as well.
func (e *engine) planAs(c *entered, me int32) (err error) {
	if last := e.entered; last != nil && last.Call == c.Call && last.flops == c.flops && last.split == c.split {
		return nil
	}
	call := c.Call
	call.Me = int(me)
	if c.algorithm, err = e.opts.algorithm(&call); err != nil {
		return err
	}
	e.entered = new(entered)
	*e.entered = *c
	return nil
}

// newCall gives a rank room for the collective it begins: that of one that is over,
// where there is one.
func (e *engine) newCall(r *rank, me int32) {
	if last := len(e.calls) - 1; last >= 0 {
		r.call, e.calls = e.calls[last], e.calls[:last]
	} else {
		r.call = &ongoing{}
	}
	*r.call = ongoing{entered: e.entered, me: me, steps: r.call.steps[:0]}
}

// endCall gives that room back.
func (e *engine) endCall(r *rank) {
	e.calls, r.call = append(e.calls, r.call), nil
}

// nextPhase writes the next steps of the collective at hand into engine.plan;
// false when there are no more.
func (e *engine) nextPhase(id int32, r *rank) bool {
	c := r.call
	if c.phase < 0 {
		if c.split != nil {
			e.join(id, r, c)
		}
		return false
	}
	p := &e.plan
	*p = collective.Plan{Steps: emptied(p.Steps), Open: c.requests}
	e.call = c.Call
	e.call.Me = int(c.me)
	if c.Size > 1 && c.algorithm(&e.call, p, int(c.phase)) {
		c.phase++
	} else {
		c.phase = -1
		if c.flops > 0 {
			p.Exec()
		}
	}
	c.requests = p.Open
	return true
}

// join gives a rank its new communicator. All members have told what they want
// by then, because the exchange before it needs them all.
func (e *engine) join(id int32, r *rank, c *ongoing) {
	s := c.split
	if s.made == nil {
		s.made = map[int32]*communicator{}
		sort.Slice(s.wants, func(i, j int) bool {
			a, b := s.wants[i], s.wants[j]
			if a.key != b.key {
				return a.key < b.key
			}
			return a.rank < b.rank
		})
		for _, w := range s.wants {
			if w.colour < 0 {
				continue // MPI_UNDEFINED: no communicator
			}
			if s.made[w.colour] == nil {
				e.contexts++
				s.made[w.colour] = &communicator{context: e.contexts}
			}
			k := s.made[w.colour]
			member := w.rank
			if s.parent.members != nil {
				member = s.parent.members[w.rank]
			}
			k.members = append(k.members, member)
			k.size++
		}
	}
	for _, w := range s.wants {
		if w.rank != c.me {
			continue
		}
		m := membership{comm: s.made[w.colour]}
		if m.comm != nil {
			for i, k := range m.comm.members {
				if k == id {
					m.me = int32(i)
				}
			}
		}
		r.become(m)
		return
	}
}

// findHosts notes the hosts of a communicator's members.
func (e *engine) findHosts(c *communicator) {
	for i := len(c.hosts); i < c.size; i++ {
		member := int32(i)
		if c.members != nil {
			member = c.members[i]
		}
		c.hosts = append(c.hosts, e.ranks[member].host)
	}
}
