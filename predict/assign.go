package predict

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"auspex/trace"
)

// assignment gives every rank the computation of one that was measured alone.
type assignment struct {
	base   *trace.Trace // of the run that was recorded
	traces []*taken     // all runs of all ranks, this one among them
	kinds  []kind       // those of which a rank was measured
	rounds map[int][]*trace.Trace
}

// follows is whose computation counts for a rank: stretch by stretch where their calls
// are the same, otherwise its own, by as much shorter as that rank's was alone.
type follows struct {
	rank   int
	factor float64
	calls  matching
}

// matching is how the calls of two ranks go together, the best way first.
type matching int

const (
	callByCall matching = iota
	butWaits            // MPI may name two sends the same, and then the trace of one run has a wait less
	onTheWhole
)

// add takes a trace of a rank alone, if it made the calls that it made among all.
func (a *assignment) add(rank int, t *trace.Trace) error {
	x, y := a.base.Cursor(rank), t.Cursor(0)
	var p, q trace.Action
	for n := 1; ; n++ {
		more, same := advanceBut(&x, &p, trace.Wait), advanceBut(&y, &q, trace.Wait)
		if more != same || more && !equal(&p, &q) {
			return fmt.Errorf("alone its call %d is not the one that it made among all ranks", n)
		}
		if !more {
			break
		}
	}
	a.rounds[rank] = append(a.rounds[rank], t)
	return nil
}

// advanceBut moves on to the next call that is none of a kind.
func advanceBut(c *trace.Cursor, a *trace.Action, kind trace.Kind) bool {
	for advance(c, a) {
		if a.Kind != kind {
			return true
		}
	}
	return false
}

// exchanges tells whether a rank's calls hold an MPI_Sendrecv.
func exchanges(t *trace.Trace, rank int) bool {
	c := t.Cursor(rank)
	for a := (trace.Action{}); advance(&c, &a); {
		if a.Kind == trace.SendRecv {
			return true
		}
	}
	return false
}

// fewest is how many runs alone there are of every rank that was measured.
func (a *assignment) fewest() int {
	n := math.MaxInt
	for _, k := range a.kinds {
		n = min(n, len(a.rounds[k.rank]))
	}
	return n
}

// of finds whose computation counts for a rank of a run: that of its own kind, or else of
// the rank that makes the same calls and computes most nearly as much.
func (a *assignment) of(run *trace.Trace, rank int) follows {
	work := workIn(a.traces, rank)
	best, apart := follows{calls: onTheWhole + 1}, 0.0
	for _, k := range a.kinds {
		calls, far := a.matching(run, rank, k.rank), math.Abs(math.Log(work/workIn(a.traces, k.rank)))
		if slices.Contains(k.ranks, rank) {
			far = -1
		}
		if c := cmp.Or(cmp.Compare(calls, best.calls), cmp.Compare(far, apart)); c < 0 {
			best, apart = follows{k.rank, 1, calls}, far
		}
	}
	if best.calls == onTheWhole {
		best.factor = computed(a.rounds[best.rank][0], 0) / computed(a.base, best.rank)
	} else {
		best.factor = a.ratio(rank, best.rank)
	}
	if math.IsNaN(best.factor) || math.IsInf(best.factor, 0) {
		best.factor = 1
	}
	return best
}

func (a *assignment) matching(run *trace.Trace, rank, measured int) matching {
	for _, calls := range []matching{callByCall, butWaits} {
		if shape(run, rank, calls == callByCall) == shape(a.rounds[measured][0], 0, calls == callByCall) {
			return calls
		}
	}
	return onTheWhole
}

// ratio is how many times as long a rank computes as another, as far as all runs agree
// that it is longer, or that it is shorter: ranks that take turns differ by that alone.
func (a *assignment) ratio(rank, measured int) float64 {
	least, most := math.Inf(1), 0.0
	for _, t := range a.traces {
		r := computed(t.Trace, rank) / computed(t.Trace, measured)
		least, most = min(least, r), max(most, r)
	}
	return max(least, min(most, 1))
}

// trace is a run with the computation of a round of runs alone.
func (a *assignment) trace(run *trace.Trace, round int) *trace.Trace {
	out := &trace.Trace{Nanoseconds: run.Nanoseconds, Name: run.Name}
	for rank := range run.NP() {
		f := a.of(run, rank)
		waits := f.calls != butWaits
		want := blocksOf(run, rank, waits)
		if f.calls != onTheWhole {
			want = blocksOf(a.rounds[f.rank][round], 0, waits)
		}
		out.Programs = append(out.Programs, given(run, rank, waits, want, f.factor))
	}
	return out
}

// block is computation, in ns, with work for so many cores, 0 for one.
type block struct{ took, cores float64 }

// blocksOf are what a rank computes before each of its calls, and after the last.
func blocksOf(t *trace.Trace, rank int, waits bool) [][]block {
	list := [][]block{nil}
	c := t.Cursor(rank)
	for a := (trace.Action{}); c.Next(&a); a = (trace.Action{}) {
		switch {
		case a.Kind == trace.Compute:
			list[len(list)-1] = append(list[len(list)-1], block{a.Value, a.Cores})
		case stands(&a, waits):
			list = append(list, nil)
		}
	}
	return list
}

// stands tells calls between which computation is held together.
func stands(a *trace.Action, waits bool) bool {
	return a.Kind != trace.Compute && a.Kind != trace.Sleep && a.Kind != trace.Location && (waits || a.Kind != trace.Wait)
}

// given is a rank's program with other computation between its calls, times a factor.
func given(t *trace.Trace, rank int, waits bool, want [][]block, factor float64) trace.Program {
	out := trace.NewBuilder(rank)
	var held []trace.Action // since the latest call
	at := 0
	tell := func() {
		for _, a := range inPlace(held, want[at], factor) {
			out.Add(&a)
		}
		held = held[:0]
		at++
	}
	c := t.Cursor(rank)
	for a := (trace.Action{}); c.Next(&a); a = (trace.Action{}) {
		if !stands(&a, waits) {
			held = append(held, a)
			continue
		}
		tell()
		out.Add(&a)
	}
	tell()
	return out.Program()
}

// inPlace puts blocks in the place of those that are held, one for one, or as their sum
// where there are not as many.
func inPlace(held []trace.Action, blocks []block, factor float64) []trace.Action {
	had, sum, count := 0.0, 0.0, 0
	for _, a := range held {
		if a.Kind == trace.Compute {
			had, count = had+a.Value, count+1
		}
	}
	for _, b := range blocks {
		sum += b.took * factor
	}
	if had == 0 && sum > 0 {
		return append(held, trace.Action{Kind: trace.Compute, Value: sum})
	}
	at := 0
	for i := range held {
		a := &held[i]
		if a.Kind != trace.Compute {
			continue
		}
		if count == len(blocks) {
			a.Value, a.Cores = blocks[at].took*factor, blocks[at].cores
		} else {
			a.Value *= sum / had
		}
		a.Variance = 0
		at++
	}
	return slices.DeleteFunc(held, func(a trace.Action) bool { return a.Kind == trace.Compute && a.Value == 0 })
}

// told is what was measured alone, for a report.
func (a *assignment) told() (list []AloneKind) {
	for _, k := range a.kinds {
		var alone []float64
		for _, t := range a.rounds[k.rank] {
			alone = append(alone, computed(t, 0)/1e9)
		}
		list = append(list, AloneKind{Rank: k.rank, Ranks: k.ranks, Among: workIn(a.traces, k.rank) / 1e9, Alone: median(alone)})
	}
	return list
}
