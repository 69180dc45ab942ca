package launch

import (
	"fmt"
	"math"
	"slices"

	"auspex/probe"
	"auspex/trace"
)

// turns watches the turns of loops that may be cut short go by, and puts those
// that were skipped into the trace: turns that ran stand for them, with their
// communication and their computation (dPerf, section 3). As the runtime does, it
// looks at windows of 1, 2, 4, 8 … turns; the latest two count.
type turns struct {
	to         *trace.Builder
	loop       int
	inside     bool
	done       int
	turn       []step // of the turn under way
	now, past  window
	early      [][]step // turns before those windows, for the paper's own rule
	deviations map[int]float64
	// pending is computation that belongs to the next action.
	pending step
}

// step is an action of a turn with the computation before it; the last has no
// action.
type step struct {
	compute, variance float64
	action            trace.Action
}

// window is turns that should have the same actions.
type window struct {
	turns [][]step
	odd   bool // a turn had other actions than the first
}

// maxSteps is how many steps of a window's turns are kept, the latest.
const maxSteps = 1 << 16

// head begins a turn.
func (t *turns) head(e *probe.Event) {
	t.pending.compute += e.Compute
	t.pending.variance += e.Variance
	if e.Tag == 0 || !t.inside || t.loop != e.Comm {
		*t = turns{to: t.to, loop: e.Comm, inside: true, deviations: t.deviations, pending: t.pending}
		return
	}
	t.turn = append(t.turn, step{compute: e.Compute, variance: e.Variance})
	t.done++
	t.account()
}

// account adds the turn to its window.
func (t *turns) account() {
	if n := t.done - 1; n > 0 && n&(n-1) == 0 { // the turn before ended a window
		if len(t.early) < maxSteps {
			t.early = append(t.early, t.past.turns...)
		}
		t.past, t.now = t.now, window{}
	}
	w := &t.now
	if len(w.turns) > 0 {
		first := w.turns[0]
		w.odd = w.odd || len(first) != len(t.turn)
		for i := range min(len(first), len(t.turn)) {
			t.deviate(&first[i].action, &t.turn[i].action)
		}
	}
	if len(w.turns)*len(t.turn) >= maxSteps {
		w.turns = w.turns[1:]
	}
	w.turns = append(w.turns, t.turn)
	t.turn = nil
}

// deviate notes by how much two messages that should be the same differ.
func (t *turns) deviate(a, b *trace.Action) {
	differ := func(x, y int64) {
		if largest := max(math.Abs(float64(x)), math.Abs(float64(y))); largest > 0 {
			t.deviations[t.loop] = max(t.deviations[t.loop], math.Abs(float64(x-y))/largest)
		}
	}
	differ(a.Count, b.Count)
	differ(a.Count2, b.Count2)
	for i := range min(len(a.Counts), len(b.Counts)) {
		differ(a.Counts[i], b.Counts[i])
	}
	for i := range min(len(a.Counts2), len(b.Counts2)) {
		differ(a.Counts2[i], b.Counts2[i])
	}
}

// note keeps an action of the turn under way.
func (t *turns) note(e *probe.Event, a trace.Action) {
	if t.inside {
		t.turn = append(t.turn, step{e.Compute, e.Variance, a})
	}
}

// compute puts computation into the trace, with what is pending. cores is for how many
// there was work, 0 for one.
func (t *turns) compute(ns, variance, cores float64) {
	ns += t.pending.compute
	variance += t.pending.variance
	t.pending = step{}
	if ns >= 1 {
		t.to.Add(&trace.Action{Kind: trace.Compute, Value: math.Round(ns), Variance: variance, Cores: cores})
	}
}

// repeat adds the turns that were skipped. The computation at the end of a turn
// and that at the beginning of the next are one.
func (t *turns) repeat(e *probe.Event) error {
	ran := append(slices.Clone(t.past.turns), t.now.turns...)
	if !t.inside || t.loop != e.Comm || len(t.now.turns) == 0 || t.now.odd || t.past.odd || e.Count < 0 {
		return fmt.Errorf("the turns of loop %d do not fit together", e.Comm)
	}
	last := len(t.now.turns[0]) - 1
	if len(t.past.turns) > 0 && len(t.past.turns[0]) != last+1 {
		ran = t.now.turns
	}
	if e.Tag != 0 && len(t.early)*(last+1) < maxSteps && !slices.ContainsFunc(t.early, func(turn []step) bool { return len(turn) != last+1 }) {
		ran = append(slices.Clone(t.early), ran...) // the mean is that of all iterations (dPerf, equation 1)
	}
	left := step{compute: t.pending.compute + e.Compute, variance: t.pending.variance + e.Variance}
	t.pending = step{}
	turn := func(i int) {
		end := ran[(i+len(ran)-1)%len(ran)][last]
		t.pending.compute += end.compute
		t.pending.variance += end.variance
		for k := range last {
			s := &ran[i][k]
			t.compute(s.compute, s.variance, 0)
			t.to.Add(&s.action)
		}
	}
	if last == 0 { // no communication: its computation is one
		for i := range ran {
			left.compute += ran[i][0].compute * float64(e.Count) / float64(len(ran))
			left.variance += ran[i][0].variance * float64(e.Count) / float64(len(ran))
		}
	} else {
		rounds, rest := e.Count/int64(len(ran)), int(e.Count%int64(len(ran)))
		err := t.to.Repeat(uint64(rounds), func() error {
			for i := range ran {
				turn(i)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for i := range rest {
			turn(i)
		}
	}
	*t = turns{to: t.to, deviations: t.deviations, pending: left}
	return nil
}
