package predict

import (
	"context"

	"auspex/instrument"
	"auspex/launch"
)

// What it costs to watch a loop that then runs to its end counts as computation of
// the program's: a question in every iteration, a mark where it communicates, and a
// bound that the compiler no longer knows. Where that may be seen, the loops are left
// as they are and the program is measured again.

// askNS is what the question costs in an iteration, markNS what it does together with
// the mark, in ns.
const askNS, markNS = 10.0, 1000.0

// seen is the share of a rank's computation from which on it is.
const seen = 0.01

// price is what watching a loop may have cost one rank, in ns. A loop that is cut by
// its bound may be compiled in another way, so all that it took may be the price.
func price(loop *instrument.LoopCut, c *launch.LoopCut) float64 {
	switch {
	case loop.Bound:
		return c.Took
	case loop.Communicates > 0:
		return min(c.Took, markNS*float64(c.Ran))
	}
	return min(c.Took, askNS*float64(c.Ran))
}

// dear are the loops, by number, that ran to their end on some rank where watching
// them may be seen.
func (p *plan) dear(t *taken) map[int]bool {
	list := map[int]bool{}
	for rank := range t.NP() {
		whole, sum := computed(t.Trace, rank), 0.0
		var mine []int
		for i := range t.Cuts {
			c := &t.Cuts[i]
			loop := p.cut(c.Loop)
			if c.Rank != rank || c.Skipped > 0 || loop == nil {
				continue
			}
			cost := price(loop, c)
			sum += cost
			if cost > 0 {
				mine = append(mine, c.Loop)
			}
		}
		if sum < seen*whole {
			continue
		}
		for _, number := range mine {
			list[number] = true
		}
	}
	return list
}

// cut is the loop with a number, nil where none is cut by it.
func (p *plan) cut(number int) *instrument.LoopCut {
	for i := range p.cuts {
		if p.cuts[i].Number == number {
			return &p.cuts[i]
		}
	}
	return nil
}

// without is the plan that leaves loops as they are.
func (p *plan) without(numbers map[int]bool) *plan {
	q := *p
	q.cuts = nil
	for _, c := range p.cuts {
		if !numbers[c.Number] {
			q.cuts = append(q.cuts, c)
		}
	}
	return &q
}

// unwatched measures again, without them, as long as loops are dear that were not cut.
func (w *workshop) unwatched(ctx context.Context, plan *plan, program *built, np int, t *taken) (*taken, error) {
	for {
		loops := plan.dear(t)
		if len(loops) == 0 {
			return t, nil
		}
		plan = plan.without(loops)
		if w.Method == Threshold && !plan.cutting() {
			return ranWhole(t, loops), nil // which is an error later
		}
		w.say("measuring again without watching %d of the loops, which were not cut short", len(loops))
		program, err := w.buildFor(ctx, plan, program.opt, np)
		if err != nil {
			return nil, err
		}
		again, err := w.take(ctx, program, np, plan.settings(w.Request))
		if err != nil {
			return nil, err
		}
		again.Cuts = append(again.Cuts, ranWhole(t, loops).Cuts...)
		again.seconds += t.seconds
		t = again
	}
}

// ranWhole is what was seen of loops that are no longer watched: they run whole.
func ranWhole(t *taken, loops map[int]bool) *taken {
	out := &taken{CutTrace: &launch.CutTrace{Trace: t.Trace}, seconds: t.seconds}
	for _, c := range t.Cuts {
		if !loops[c.Loop] {
			continue
		}
		if c.Why == launch.WasCut {
			c.Why = launch.NotAll
		}
		c.Ran, c.Skipped, c.Added, c.Spread = c.Ran+c.Skipped, 0, 0, 0
		out.Cuts = append(out.Cuts, c)
	}
	return out
}
