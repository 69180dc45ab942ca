package simulate

import (
	"fmt"
	"sort"

	"auspex/trace"
)

// call is a collective as one rank sees it. Sizes are in bytes.
type call struct {
	kind     trace.Kind
	phase    int32
	me, size int // in the communicator
	root     int
	unit     int64 // bytes of one element
	send     int64 // to each, or in all
	recv     int64 // from each, or in all
	*counts        // of collectives with a size for each rank, else nil or old
	flops    float64
	split    *split      // of comm_split and comm_dup
	place    *membership // for selectors that look at hosts
	steps    algorithm
}

// counts are the bytes to and from each rank.
type counts struct{ sends, recvs []int64 }

// algorithm appends the steps of one phase of a collective for one rank and
// tells whether another phase follows. What it appends depends on the call and
// the phase only, so nothing but a number is kept between phases.
type algorithm func(c *call, p *plan, phase int) bool

// Tags of collectives' messages. Any negative number will do that is not
// trace.AnyTag; each kind has its own, so that mixed-up collectives do not
// match.
const (
	tagBarrier = -1 - int32(iota)
	tagBcast
	tagReduce
	tagAllreduce
	tagGather
	tagGatherv
	tagScatter
	tagScatterv
	tagAllgather
	tagAllgatherv
	tagAlltoall
	tagAlltoallv
	tagReduceScatter
	tagScan
	tagSetUp
	tagSetUpLeaders
	tagSetUpLocal
)

// communicator is a group of ranks.
type communicator struct {
	context int32
	members []int32 // world ranks; nil for the world itself
	size    int
	seen    []agreed // collectives that some members have entered, oldest first
	base    int64    // number of the first of those
	splits  []*split // of those, by the same numbers; nil where none
	hosts   []int32  // of the members, once asked for
}

// agreed is what the first rank to enter a collective made of it.
type agreed struct {
	kind  trace.Kind
	root  int32
	rank  int32 // who was first
	after int   // members still to come
}

// membership is a rank's place in a communicator.
type membership struct {
	comm    *communicator
	entered int64 // collectives so far
	me      int32
	setUp   bool // it knows which ranks share its host; see smpSetup
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
	if int(comm) >= len(r.comms) || comm < 0 {
		return fmt.Errorf("there is no communicator %d yet", comm)
	}
	c := r.comms[comm].comm
	if c == nil {
		return fmt.Errorf("this rank is not part of communicator %d", comm)
	}
	r.comm = c
	return nil
}

// agree refuses a collective that other members have entered as another one.
func (e *engine) agree(id int32, m *membership, kind trace.Kind, root int) (*split, error) {
	c := m.comm
	n := int(m.entered - c.base)
	m.entered++
	for n >= len(c.seen) {
		c.seen = append(c.seen, agreed{kind: kind, root: int32(root), rank: id, after: c.size})
		c.splits = append(c.splits, nil)
	}
	a := &c.seen[n]
	if a.kind != kind {
		return nil, fmt.Errorf("rank %d calls %s where rank %d calls %s", id, kind, a.rank, a.kind)
	}
	if a.root != int32(root) {
		return nil, fmt.Errorf("rank %d calls %s with root %d where rank %d has root %d", id, kind, root, a.rank, a.root)
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
		c.base += int64(drop)
	}
	return s, nil
}

// beginCollective plans a collective.
func (e *engine) beginCollective(id int32, r *rank, a *trace.Action) error {
	if (a.Kind == trace.CommSplit || a.Kind == trace.CommDup) && a.Comm < 0 {
		return nil // a form that does not say what was made
	}
	if err := e.enter(r, a.Comm); err != nil {
		return err
	}
	m := &r.comms[a.Comm]
	if r.call == nil {
		r.call = &call{}
	}
	c := r.call
	*c = call{kind: a.Kind, me: int(m.me), size: m.comm.size, counts: c.counts}
	if a.Peer != trace.RootUnset {
		c.root = int(a.Peer)
	}
	if c.root >= c.size {
		return fmt.Errorf("root %d, but the communicator has %d ranks", c.root, c.size)
	}
	s, err := e.agree(id, m, a.Kind, c.root)
	if err != nil {
		return err
	}
	c.unit = r.size(1, a.Type)
	switch a.Kind {
	case trace.CommSplit, trace.CommDup:
		w := want{rank: m.me}
		if a.Kind == trace.CommSplit {
			w.colour, w.key = a.Tag, int32(a.Count)
		}
		s.wants = append(s.wants, w)
		c.split, c.unit, c.send, c.recv = s, 4, 8, 8
		c.kind = trace.Allgather // MPI exchanges colours and keys this way
	case trace.Alltoallv, trace.Gatherv, trace.Allgatherv, trace.Scatterv, trace.ReduceScatter:
		if len(a.Counts) != c.size && a.Kind != trace.Gatherv && a.Kind != trace.Allgatherv ||
			len(a.Counts2) != c.size && a.Kind != trace.Scatterv && a.Kind != trace.ReduceScatter {
			return fmt.Errorf("the communicator has %d ranks, and needs as many counts", c.size)
		}
		if c.counts == nil {
			c.counts = &counts{}
		}
		c.sends, c.recvs = c.sends[:0], c.recvs[:0]
		for _, n := range a.Counts {
			c.sends = append(c.sends, r.size(n, a.Type))
		}
		for _, n := range a.Counts2 {
			c.recvs = append(c.recvs, r.size(n, a.Type2))
		}
	}
	if c.split == nil {
		c.send, c.recv, c.flops = r.size(a.Count, a.Type), r.size(a.Count2, a.Type2), 0
		switch a.Kind {
		case trace.Reduce, trace.Allreduce, trace.Scan, trace.Exscan, trace.ReduceScatter:
			c.flops = a.Value
		}
	}
	if e.opts.Selector != Default {
		e.findHosts(m.comm)
		c.place = m
	}
	if c.steps, err = e.selectAlgorithm(c); err != nil {
		return err
	}
	r.steps, r.at, r.requests = r.steps[:0], 0, 0
	r.open = r.open[:0]
	r.mode = inPlan
	return nil
}

// nextPhase writes the next steps of the collective at hand; false when there
// are no more.
func (e *engine) nextPhase(id int32, r *rank) bool {
	c := r.call
	if c.phase < 0 {
		if c.split != nil {
			e.join(id, r, c)
		}
		return false
	}
	p := &e.plan
	*p = plan{steps: r.steps[:0], open: r.requests, tag: r.tag}
	if c.size > 1 && c.steps(c, p, int(c.phase)) {
		c.phase++
	} else {
		c.phase = -1
		p.exec(c.flops)
	}
	r.steps, r.at, r.requests, r.tag = p.steps, 0, p.open, p.tag
	return true
}

// join gives a rank its new communicator. All members have told what they want
// by then, because the exchange before it needs them all.
func (e *engine) join(id int32, r *rank, c *call) {
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
		if w.rank != int32(c.me) {
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
		r.comms = append(r.comms, m)
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

// selectAlgorithm chooses how a collective is done.
func (e *engine) selectAlgorithm(c *call) (algorithm, error) {
	switch e.opts.Selector {
	case OMPI:
		return ompiAlgorithm(c)
	case MPICH:
		return mpichAlgorithm(c)
	}
	return defaultAlgorithm(c)
}
