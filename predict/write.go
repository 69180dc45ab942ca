package predict

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"auspex/trace"
)

// program makes the trace of np processes of what is understood.
func (g *growth) program(np int) (*trace.Trace, error) {
	last := g.last()
	from, to := g.cast.layout(last.NP()), g.cast.layout(np)
	out := &trace.Trace{Nanoseconds: last.Nanoseconds, Name: fmt.Sprintf("%d processes made of %d", np, last.NP())}
	works, bytes := map[int]stretches{}, 0
	for rank := range np {
		like := g.cast.like(rank, to, from)
		if _, ok := works[like]; !ok {
			works[like] = workOf(last.Trace, like)
		}
		w := writer{growth: g, to: to, seats: to.seats(g.masks, rank), was: from.seats(g.masks, like), calls: last.calls[like], work: works[like]}
		steps := g.roles[g.cast.role(to, rank)]
		w.write(steps)
		by := g.work.compute(np)
		if made := w.computed; made > 0 { // loops that grow add no work: the law is of all that a process computes
			by *= computed(last.Trace, like) / made
		}
		w.out, w.by = trace.NewBuilder(rank), by
		w.write(steps)
		out.Programs = append(out.Programs, w.out.Program())
		if bytes += out.Programs[rank].Size(); bytes > g.most {
			return nil, fmt.Errorf("%d processes: %w", np, errTooLarge)
		}
	}
	return out, paired(out)
}

// writer writes the steps of one rank, which computes as its like did.
type writer struct {
	*growth
	to         grid
	seats, was []seat
	calls      []int32
	work       stretches
	at         int            // the like's next call
	list       int            // how many calls had lists
	made       int            // and how many made communicators
	out        *trace.Builder // nil: only add up what is computed
	by         float64        // by which computation is multiplied
	computed   float64
}

func (w *writer) write(steps []*step) {
	w.at, w.list, w.made, w.computed = 0, 0, 0, 0
	for _, s := range steps {
		switch {
		case s.turns != nil:
			w.loop(s)
		case s.body != nil:
			w.again(s)
		default:
			w.compute(w.at)
			w.call(s, w.action(w.at), 0, 0)
			w.at++
		}
	}
	w.compute(w.at)
}

func (w *writer) action(call int) *trace.Action { return &w.book.actions[w.calls[call]] }

// loop goes through a loop that counts. What it computes in a turn is what its like did
// as far through its own.
func (w *writer) loop(s *step) {
	comm := s.body[0].action.Comm
	mine, its := w.seats[comm], w.was[comm]
	values := s.turns.values(mine.me, mine.part.size())
	had := len(s.turns.values(its.me, its.part.size()))
	for round, d := range values {
		for k, inner := range s.body {
			like := &inner.action
			if had > 0 {
				at := w.at + round*had/len(values)*len(s.body) + k
				w.compute(at)
				like = w.action(at)
			}
			w.call(inner, like, d, round)
		}
	}
	w.at += had * len(s.body)
}

// again goes through a loop as often as the number of processes says.
func (w *writer) again(s *step) {
	rounds, had := w.sized[s].rounds, int(s.rounds[len(s.rounds)-1].value)
	for round := range rounds {
		for k, inner := range s.body {
			at := w.at + round*had/rounds*len(s.body) + k
			w.compute(at)
			w.call(inner, w.action(at), 0, round)
		}
	}
	w.at += had * len(s.body)
}

// compute adds what the like computed before a call.
func (w *writer) compute(call int) {
	for _, a := range w.work.before(call) {
		w.computed += a.Value
		if w.out != nil {
			a.Value *= w.by
			a.Variance *= w.by * w.by
			w.out.Add(&a)
		}
	}
}

// call adds a call, which its like made so.
func (w *writer) call(s *step, like *trace.Action, d, round int) {
	if w.out == nil {
		return
	}
	a := *like
	if a.Kind == trace.CommSplit {
		w.made++
		a.Tag, a.Count = int32(w.seats[w.made].first), int64(w.seats[w.made].me)
		w.out.Add(&a)
		return
	}
	seat, peer := w.seats[a.Comm], int32(0)
	for i, p := range partners(&a) {
		if *p = s.peers[i].of(seat, d); i == 0 {
			peer = *p
		}
	}
	a.Tag = s.tag.n + s.tag.by.base(seat, peer, d, round)
	if s.sizes[0] != nil {
		size := w.sized[s].sizes
		o := sample{w.to, seat.me, int(peer), seat.part.size(), d, 0}
		a.Count, a.Type = elements(size[0].value(o, a.Count*a.Type.Size()), a.Type)
		a.Count2, a.Type2 = elements(size[1].value(o, a.Count2*a.Type2.Size()), a.Type2)
	}
	if listed(&a) {
		w.spread(&a, w.list, seat)
		w.list++
	}
	w.out.Add(&a)
}

// elements are so many bytes as elements of a datatype, if these are whole ones.
func elements(bytes int64, of trace.Type) (int64, trace.Type) {
	if bytes%of.Size() != 0 {
		return bytes, trace.Byte
	}
	return bytes / of.Size(), of
}

// paired tells of ranks of which one sends something that the other does not receive:
// then the calls were not understood.
func paired(t *trace.Trace) error {
	type pair struct{ from, to int32 }
	open := map[pair]int{}
	for rank := range t.NP() {
		c, me := t.Cursor(rank), int32(rank)
		for a := (trace.Action{}); advance(&c, &a); {
			if a.Comm != 0 {
				continue
			}
			for _, peer := range partners(&a) {
				if *peer == nobodyAt {
					return fmt.Errorf("%s on rank %d of %d would have no partner", a.Kind, rank, t.NP())
				}
			}
			switch a.Kind {
			case trace.Send, trace.Isend:
				open[pair{me, a.Peer}]++
			case trace.Recv, trace.Irecv:
				if a.Peer == trace.AnySource {
					return nil
				}
				open[pair{a.Peer, me}]--
			case trace.SendRecv:
				open[pair{me, a.Peer}]++
				open[pair{a.Peer2, me}]--
			}
		}
	}
	pairs := slices.SortedFunc(maps.Keys(open), func(a, b pair) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	for _, p := range pairs {
		if n := open[p]; n != 0 && p.from >= 0 && p.to >= 0 {
			return fmt.Errorf("of the messages from rank %d to rank %d of %d, %d more would be sent than received", p.from, p.to, t.NP(), n)
		}
	}
	return nil
}
