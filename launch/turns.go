package launch

import (
	"fmt"
	"math"
	"slices"

	"auspex/probe"
	"auspex/trace"
)

// turns watches the turns of loops that may be cut short go by, and puts those
// that were skipped into the trace: the communication of an iteration that ran,
// with the mean of the computation before each (dPerf, section 3). As the runtime
// does, it looks at windows of 1, 2, 4, 8 … turns; the latest two count.
type turns struct {
	to         *trace.Builder
	loop       int
	inside     bool
	done       int
	turn       []step // of the turn under way
	now, past  window
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

// window is what turns have in common: the first one's actions, and means.
type window struct {
	steps []step
	turns int
	odd   bool // a turn had other actions than the first
}

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
		t.past, t.now = t.now, window{}
	}
	w := &t.now
	if w.turns++; w.turns == 1 {
		w.steps = t.turn
	} else if len(w.steps) != len(t.turn) {
		w.odd = true
	} else {
		for i := range w.steps {
			w.steps[i].merge(&t.turn[i], w.turns)
			t.deviate(&w.steps[i].action, &t.turn[i].action)
		}
	}
	t.turn = nil
}

// merge makes the step the mean of itself, which stands for n-1 turns, and
// another.
func (s *step) merge(other *step, n int) {
	d := other.compute - s.compute
	s.compute += d / float64(n)
	// Of the mean of several turns only the variance between them is known.
	s.variance += (d*d*float64(n-1)/float64(n) - s.variance) / float64(n)
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

// compute puts computation into the trace, with what is pending.
func (t *turns) compute(ns, variance float64) {
	ns += t.pending.compute
	variance += t.pending.variance
	t.pending = step{}
	if ns >= 1 {
		t.to.Add(&trace.Action{Kind: trace.Compute, Value: math.Round(ns), Variance: variance})
	}
}

// repeat adds the turns that were skipped. The computation at the end of a turn
// and that at the beginning of the next are one.
func (t *turns) repeat(e *probe.Event) error {
	if !t.inside || t.loop != e.Comm || t.now.turns == 0 || t.now.odd || t.past.odd || e.Count < 0 {
		return fmt.Errorf("the turns of loop %d do not fit together", e.Comm)
	}
	steps := t.means()
	left := step{compute: t.pending.compute + e.Compute, variance: t.pending.variance + e.Variance}
	last := len(steps) - 1
	end := steps[last]
	if last == 0 {
		left.compute += end.compute * float64(e.Count)
		left.variance += end.variance * float64(e.Count)
	} else if e.Count > 0 {
		err := t.to.Repeat(uint64(e.Count), func() error {
			t.pending = end
			for i := range steps[:last] {
				t.compute(steps[i].compute, steps[i].variance)
				t.to.Add(&steps[i].action)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	*t = turns{to: t.to, deviations: t.deviations, pending: left}
	return nil
}

// means are the steps of a turn, over the latest two windows.
func (t *turns) means() []step {
	steps := slices.Clone(t.now.steps)
	if len(t.past.steps) != len(steps) {
		return steps
	}
	n, m := float64(t.now.turns), float64(t.past.turns)
	for i := range steps {
		a, b := &steps[i], &t.past.steps[i]
		a.compute = (a.compute*n + b.compute*m) / (n + m)
		a.variance = (a.variance*n + b.variance*m) / (n + m)
	}
	return steps
}
