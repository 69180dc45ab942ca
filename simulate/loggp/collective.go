package loggp

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"auspex/trace"
)

// communicator is a group of ranks.
type communicator struct {
	context int32
	size    int
	members []int32 // nil for the world
	under   []*gathering
	first   int64 // sequence number of under[0]
}

func (c *communicator) world(peer int32) (int32, error) {
	if c.members == nil || peer < 0 {
		return peer, nil
	}
	if int(peer) >= len(c.members) {
		return 0, fmt.Errorf("the communicator has %d ranks, no rank %d", len(c.members), peer)
	}
	return c.members[peer], nil
}

// member is a rank's part in a communicator.
type member struct {
	comm    *communicator
	me      int32
	entered int64
}

func (r *rank) member(comm int32) (member, error) {
	if comm < 0 || int(comm) >= len(r.comms) || r.comms[comm].comm == nil {
		return member{}, fmt.Errorf("communicator %d does not exist in this rank", comm)
	}
	return r.comms[comm], nil
}

// gathering is a collective that some ranks have entered.
type gathering struct {
	kind    trace.Kind
	came    int
	last    float64 // when the latest came
	rootAt  float64
	rooted  bool // the root has come
	bytes   int64
	took    float64 // see trace.Join
	waiting []int32 // ranks that cannot leave yet
	splits  []split
	// Of a scan: when each member was ready, up to which member all are, and the latest
	// of those.
	ready   []float64
	through int
	upTo    float64
}

// enter notes when a member of a scan is ready.
func (g *gathering) enter(me int32, ready float64, size int) {
	for len(g.ready) < size {
		g.ready = append(g.ready, notYet)
	}
	g.ready[me] = ready
}

// notYet stands for a member that has not come.
const notYet = -1

type split struct{ rank, colour, key int32 }

var errMixed = errors.New("the ranks of a communicator are in different collectives")

// collective enters one.
func (e *engine) collective(id int32, r *rank) error {
	a := &r.action
	parent := a.Comm
	if parent < 0 || int(parent) >= len(r.comms) || r.comms[parent].comm == nil {
		return fmt.Errorf("communicator %d does not exist in this rank", parent)
	}
	m := &r.comms[parent]
	c := m.comm
	at := m.entered - c.first
	m.entered++
	for int64(len(c.under)) <= at {
		c.under = append(c.under, e.gathering(a.Kind))
	}
	g := c.under[at]
	if g.kind != a.Kind {
		return errMixed
	}
	g.came++
	ready, join := r.join()
	g.last, g.took = max(g.last, ready), max(g.took, join.Seconds)
	bytes := r.size(a.Elements(), a.Type)
	switch a.Kind {
	case trace.Alltoallv, trace.Scatterv: // of each rank, as in those without lists
		bytes /= int64(max(len(a.Counts), 1))
	case trace.Gatherv, trace.Allgatherv:
		bytes = max(bytes, r.size(slices.Max(append(a.Counts2, 0)), a.Type2))
	}
	g.bytes = max(g.bytes, bytes)
	if a.Kind == trace.Scan || a.Kind == trace.Exscan {
		g.enter(m.me, ready, c.size)
	}
	root := max(a.Peer, 0)
	isRoot := m.me == root
	if isRoot {
		g.rooted, g.rootAt = true, r.clock
	}
	if a.Kind == trace.CommSplit || a.Kind == trace.CommDup {
		colour, key := a.Tag, int32(a.Count)
		if a.Kind == trace.CommDup {
			colour, key = 0, m.me
		}
		g.splits = append(g.splits, split{id, colour, key})
	}
	r.mode = inCollective
	g.waiting = append(g.waiting, id)
	e.leave(c, g)
	for len(c.under) > 0 && c.under[0].came == c.size && len(c.under[0].waiting) == 0 {
		e.open = append(e.open, c.under[0])
		c.under = c.under[1:]
		c.first++
	}
	return nil
}

func (e *engine) gathering(k trace.Kind) *gathering {
	if n := len(e.open); n > 0 {
		g := e.open[n-1]
		e.open = e.open[:n-1]
		*g = gathering{kind: k, waiting: g.waiting[:0], ready: g.ready[:0]}
		return g
	}
	return &gathering{kind: k}
}

// leave lets those go who need not wait any longer.
func (e *engine) leave(c *communicator, g *gathering) {
	all := g.came == c.size
	took := e.net.cost(g.kind, c.size, g.bytes)
	if e.trace.Joins != nil {
		took = asMeasured(g.took, took, e.o.Measured.cost(g.kind, c.size, g.bytes))
	}
	free := func(id int32, since float64) {
		r := &e.ranks[id]
		r.left(max(r.clock, since) + took)
		e.push(id)
	}
	kind := g.kind
	if e.net.Joint {
		kind = trace.Barrier
	}
	switch kind {
	case trace.Bcast, trace.Scatter, trace.Scatterv:
		if !g.rooted {
			return
		}
		for _, id := range g.waiting {
			free(id, g.rootAt)
		}
		g.waiting = g.waiting[:0]
	case trace.Reduce, trace.Gather, trace.Gatherv:
		kept := g.waiting[:0]
		for _, id := range g.waiting {
			r := &e.ranks[id]
			if r.comms[r.action.Comm].me == max(r.action.Peer, 0) && !all {
				kept = append(kept, id)
				continue
			}
			since := r.clock
			if r.comms[r.action.Comm].me == max(r.action.Peer, 0) {
				since = g.last
			}
			free(id, since)
		}
		g.waiting = kept
	case trace.Scan, trace.Exscan:
		for ; g.through < len(g.ready) && g.ready[g.through] != notYet; g.through++ {
			id, _ := c.world(int32(g.through)) // a member
			g.upTo = max(g.upTo, g.ready[g.through])
			free(id, g.upTo)
		}
		g.waiting = g.waiting[:0]
	default:
		if !all {
			return
		}
		if len(g.splits) > 0 {
			e.split(g)
		}
		for _, id := range g.waiting { // who was ready early computed on meanwhile
			e.ranks[id].left(g.last + took)
			e.push(id)
		}
		g.waiting = g.waiting[:0]
	}
}

// split makes the communicators that a split or a duplication asks for.
func (e *engine) split(g *gathering) {
	slices.SortFunc(g.splits, func(a, b split) int {
		if a.colour != b.colour {
			return int(a.colour) - int(b.colour)
		}
		if a.key != b.key {
			return int(a.key) - int(b.key)
		}
		return int(a.rank) - int(b.rank)
	})
	for i := 0; i < len(g.splits); {
		j := i
		for j < len(g.splits) && g.splits[j].colour == g.splits[i].colour {
			j++
		}
		c := &communicator{context: e.contexts + 1, size: j - i}
		e.contexts++
		for k := i; k < j; k++ {
			c.members = append(c.members, g.splits[k].rank)
		}
		for k := i; k < j; k++ {
			r := &e.ranks[g.splits[k].rank]
			if g.splits[k].colour < 0 {
				r.comms = append(r.comms, member{}) // MPI_UNDEFINED: in none
				continue
			}
			r.comms = append(r.comms, member{comm: c, me: int32(k - i)})
		}
		i = j
	}
	g.splits = nil
}

// ErrDeadlock tells that ranks wait for what never comes: the trace is not whole,
// or the program itself would not have ended.
var ErrDeadlock = errors.New("deadlock")

// deadlock says who waits for what.
func (e *engine) deadlock() error {
	var who []string
	n := 0
	for i := range e.ranks {
		r := &e.ranks[i]
		if r.mode == finished {
			continue
		}
		if n++; len(who) < 4 {
			who = append(who, fmt.Sprintf("rank %d in %s (action %d)", i, r.action.Kind, r.done-1))
		}
	}
	more := ""
	if n > len(who) {
		more = fmt.Sprintf(" and %d more", n-len(who))
	}
	return fmt.Errorf("%s: %w: %s%s wait for messages or collectives that never come", e.trace.Name, ErrDeadlock, strings.Join(who, ", "), more)
}
