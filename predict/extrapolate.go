package predict

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	models "auspex/growth"
	"auspex/launch"
	"auspex/trace"
)

// Traces of more processes than were run are made of those that were, where
// these let one see how: the first process, the last, and those between in each
// dimension of a line or grid, which must all do the same, make the calls that
// their like make in the largest run, with partners as many ranks away.
// Communicators are the world or go along some dimensions. What changes with the
// number of processes is read off the two largest runs: sizes of messages by the
// power of the number that joins them. Computation is a + b/np or a + b·np, fitted to
// all runs, or of five and more the model of growth that foretells each best from the
// others.

// least is the number of processes from which a run has one between first and
// last.
const least = 3

// extrapolated makes the traces of np processes of the traces of the counts that
// were run, by the run.
func (w *workshop) extrapolated(measured [][]*taken, np int) ([]*taken, error) {
	var list []*taken
	runs := len(measured[0])
	for _, list := range measured {
		runs = min(runs, len(list))
	}
	for run := range runs {
		start := time.Now()
		var traces []*trace.Trace
		cost := 0.0
		for _, runs := range measured {
			traces = append(traces, runs[run].Trace)
			cost += runs[run].seconds
		}
		g, err := newGrowth(traces)
		if err != nil {
			return nil, err
		}
		made, err := g.to(np)
		if err != nil {
			return nil, err
		}
		last := measured[len(measured)-1][run]
		out := &taken{CutTrace: &launch.CutTrace{Trace: made, Cuts: last.Cuts}, inflated: last.inflated}
		out.seconds = cost + time.Since(start).Seconds()
		list = append(list, out)
		if run == 0 {
			w.note("More than %d processes were not run: their traces are made of those of %d and %d. Every process makes the calls of its like there (the first, the last, all between), with partners as many ranks away%s; sizes of messages follow the power of the number of processes that joins the two; a process computes for %s.",
				g.last.NP(), g.before.NP(), g.last.NP(), g.laidOut(np), g.law())
		}
	}
	return list, nil
}

func short(ns float64) string { return fmt.Sprintf("%.3g", ns/1e9) }

// laidOut says which grid was seen, where it is no line.
func (g *growth) laidOut(np int) string {
	if len(g.layout(np)) == 1 {
		return ""
	}
	return fmt.Sprintf(" in a grid (%s, then %s)", g.layout(g.last.NP()), g.layout(np))
}

// law is what a process computes.
func (g *growth) law() string {
	if g.model != nil {
		return fmt.Sprintf("%s ns (np is p; off by %.1f %% when each count is foretold from the others)", g.model, 100*g.model.SMAPE)
	}
	if g.grows {
		return fmt.Sprintf("%s s + %s s · np", short(g.fixed), short(g.shared))
	}
	return fmt.Sprintf("%s s + %s s / np", short(g.fixed), short(g.shared))
}

// growth is how a program changes with the number of processes.
type growth struct {
	before, last  *trace.Trace // the two largest runs
	layout        func(np int) grid
	masks         []int         // of the communicators: see grid.parts
	fixed, shared float64       // computation of a process is fixed + shared / np,
	grows         bool          // or fixed + shared · np,
	model         *models.Model // or this
	// lists are the elements that a rank has on average in the lists of sizes of
	// each collective that carries some, in order, in both runs.
	listsBefore, listsLast [][2]float64
}

// newGrowth looks at traces in ascending order of their processes.
func newGrowth(measured []*trace.Trace) (*growth, error) {
	n := len(measured)
	if n < 2 || measured[n-2].NP() < least || measured[n-2].NP() == measured[n-1].NP() {
		return nil, fmt.Errorf("it takes runs with two different numbers of processes from %d on", least)
	}
	var first error
	for _, layout := range layouts {
		g := &growth{before: measured[n-2], last: measured[n-1], layout: layout}
		err := g.fits()
		if err == nil {
			g.listsBefore, g.listsLast = lists(g.before), lists(g.last)
			return g, g.fit(measured)
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// fits tells what speaks against a layout.
func (g *growth) fits() error {
	p, q := g.layout(g.before.NP()), g.layout(g.last.NP())
	if !p.grows(q) {
		return fmt.Errorf("a grid of %s is too small", p)
	}
	var ok, same bool
	if g.masks, ok = q.parts(g.last); ok {
		var masks []int
		masks, same = p.parts(g.before)
		same = same && slices.Equal(masks, g.masks)
	}
	if !ok || !same {
		return errors.New("the program has communicators of its own")
	}
	for rank := range g.last.NP() { // those between do the same
		if err := g.alike(g.last, q.first(rank), g.last, rank); err != nil {
			return err
		}
		if err := g.alike(g.before, q.like(rank, p), g.last, rank); err != nil {
			return err
		}
	}
	return nil
}

// counterpart is the rank of p that does what a rank of n does.
func counterpart(rank, n, p int) int {
	switch {
	case rank == 0:
		return 0
	case rank == n-1:
		return p - 1
	}
	return 1 + (rank-1)*(p-2)/(n-2)
}

// fit finds what a process computes on average.
func (g *growth) fit(measured []*trace.Trace) error {
	var points []models.Point
	for _, t := range measured {
		y := 0.0
		for rank := range t.NP() {
			y += computed(t, rank) / float64(t.NP())
		}
		points = append(points, models.Point{P: float64(t.NP()), Value: y})
	}
	if model, err := models.Fit(points); err == nil {
		g.model = &model
	}
	for _, g.grows = range []bool{false, true} {
		g.line(points)
		if g.follows(points) && (!g.grows || len(points) > 2) { // a line goes through any two
			return nil
		}
	}
	if g.model != nil {
		return nil
	}
	first, last := points[0], points[len(points)-1]
	return fmt.Errorf("a process computes for %s s with %.0f processes and for %s s with %.0f, and these counts do not show by which law (%d or more might)",
		short(first.Value), first.P, short(last.Value), last.P, models.Fewest)
}

// line finds fixed and shared by least squares; neither is below 0.
func (g *growth) line(points []models.Point) {
	var n, sx, sy, sxx, sxy float64
	for _, p := range points {
		x, y := g.part(p.P), p.Value
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	g.shared = (n*sxy - sx*sy) / (n*sxx - sx*sx)
	g.fixed = (sy - g.shared*sx) / n
	switch {
	case g.shared < 0:
		g.fixed, g.shared = sy/n, 0
	case g.fixed < 0:
		g.fixed, g.shared = 0, sxy/sxx
	}
}

// follows tells whether no count is further from the line than one run of a program is
// from another.
func (g *growth) follows(points []models.Point) bool {
	return !slices.ContainsFunc(points, func(p models.Point) bool {
		return math.Abs(g.value(p.P)-p.Value) > normal90*runSpread*p.Value
	})
}

// part is how much of shared a process has.
func (g *growth) part(np float64) float64 {
	if g.grows {
		return np
	}
	return 1 / np
}

func (g *growth) value(np float64) float64 { return g.fixed + g.shared*g.part(np) }

// compute is what a process computes of what its like did in the largest run.
func (g *growth) compute(np int) float64 {
	if g.model != nil {
		now, _, _ := g.model.At(float64(g.last.NP()))
		if then, _, _ := g.model.At(float64(np)); now > 0 && then > 0 {
			return then / now
		}
	}
	of := g.value(float64(g.last.NP()))
	if of == 0 {
		return 1
	}
	return g.value(float64(np)) / of
}

// lists are the means over the ranks of the sums of both lists of each action
// that may have any; where only the root of a collective has one, over the roots.
func lists(t *trace.Trace) [][2]float64 {
	var all [][2]float64
	var ranks []float64
	for rank := range t.NP() {
		c, i := t.Cursor(rank), 0
		for a := (trace.Action{}); advance(&c, &a); {
			if !listed(&a) {
				continue
			}
			if i == len(all) {
				all, ranks = append(all, [2]float64{}), append(ranks, 0)
			}
			sends, receives := total(a.Counts), total(a.Counts2)
			if a.Kind != trace.Gatherv && a.Kind != trace.Scatterv || sends+receives > 0 {
				ranks[i]++
			}
			all[i][0] += sends
			all[i][1] += receives
			i++
		}
	}
	for i, n := range ranks {
		all[i][0], all[i][1] = all[i][0]/max(n, 1), all[i][1]/max(n, 1)
	}
	return all
}

// listed tells whether an action has lists of sizes, on some rank at least.
func listed(a *trace.Action) bool {
	return len(a.Counts)+len(a.Counts2) > 0 || a.Kind == trace.Gatherv || a.Kind == trace.Scatterv
}

func total(counts []int64) float64 {
	sum := 0.0
	for _, n := range counts {
		sum += float64(n)
	}
	return sum
}

// alike tells where two ranks do not make the same calls with partners as many
// ranks away. Sizes may differ, times too.
func (g *growth) alike(s *trace.Trace, rank int, t *trace.Trace, other int) error {
	x, y := s.Cursor(rank), t.Cursor(other)
	p, q := g.layout(s.NP()).seats(g.masks, rank), g.layout(t.NP()).seats(g.masks, other)
	var a, b trace.Action
	for n := 1; ; n++ {
		more, same := advance(&x, &a), advance(&y, &b)
		switch {
		case more != same:
			return fmt.Errorf("rank %d of %d and rank %d of %d do not make as many calls", rank, s.NP(), other, t.NP())
		case !more:
			return nil
		case int(a.Comm) >= len(g.masks) || int(b.Comm) >= len(g.masks):
			return errors.New("the program has communicators of its own")
		}
		same = a.Kind == b.Kind && a.Comm == b.Comm && (a.Tag == b.Tag || a.Kind == trace.CommSplit)
		if same {
			for i, peer := range partners(&a) {
				same = same && away(&a, *peer, p) == away(&b, *partners(&b)[i], q)
			}
		}
		if !same {
			return fmt.Errorf("call %d is %s on rank %d of %d, and %s on rank %d of %d", n, called(&a, p), rank, s.NP(), called(&b, q), other, t.NP())
		}
	}
}

// partners are the ranks that an action names.
func partners(a *trace.Action) []*int32 {
	switch a.Kind {
	case trace.SendRecv, trace.Wait, trace.Test:
		return []*int32{&a.Peer, &a.Peer2}
	case trace.Send, trace.Isend, trace.Recv, trace.Irecv, trace.Bcast, trace.Reduce, trace.Gather, trace.Scatter, trace.Gatherv, trace.Scatterv:
		return []*int32{&a.Peer}
	}
	return nil
}

func called(a *trace.Action, seats []seat) string {
	text := a.Kind.String()
	if a.Kind == trace.Wait || a.Kind == trace.Test {
		return fmt.Sprintf("%s for a message from %d to %d", text, a.Peer, a.Peer2)
	}
	for _, peer := range partners(a) {
		if *peer >= 0 {
			text += fmt.Sprintf(" with %d", *peer)
		}
		if away(a, *peer, seats).last {
			text += " (the last)"
		}
	}
	return text
}

// partner is who an action's partner is, whatever the number of processes: nobody
// or anyone (a number below 0), the root of a collective (the last of its ranks, or
// another by its number), or a rank so far away.
type partner struct {
	number int32
	last   bool
	off    offset
}

// away is who a partner is of the rank with these seats. A wait names ranks of the
// world.
func away(a *trace.Action, peer int32, seats []seat) partner {
	s := seats[a.Comm]
	switch {
	case peer < 0:
		return partner{number: peer}
	case a.Kind.Collective() && int(peer) == s.part.size()-1:
		return partner{last: true}
	case a.Kind.Collective():
		return partner{number: peer}
	}
	return partner{off: s.part.away(s.me, int(peer))}
}

// who is the rank that a partner is.
func who(a *trace.Action, p partner, seats []seat) int32 {
	s := seats[a.Comm]
	switch {
	case p.last:
		return int32(s.part.size() - 1)
	case p.number < 0 || a.Kind.Collective():
		return p.number
	}
	return int32(s.part.reach(s.me, p.off))
}

// to makes the trace of np processes.
func (g *growth) to(np int) (*trace.Trace, error) {
	if np <= g.last.NP() {
		return nil, fmt.Errorf("%d processes are not more than the %d that were run", np, g.last.NP())
	}
	if to := g.layout(np); !g.layout(g.last.NP()).grows(to) {
		return nil, fmt.Errorf("the processes form a grid of %s, which does not show what one of %s does", g.layout(g.last.NP()), to)
	}
	out := &trace.Trace{Nanoseconds: g.last.Nanoseconds, Name: fmt.Sprintf("%d processes made of %d", np, g.last.NP())}
	for rank := range np {
		out.Programs = append(out.Programs, g.program(rank, np))
	}
	return out, nil
}

func (g *growth) program(rank, np int) trace.Program {
	from, to := g.layout(g.last.NP()), g.layout(np)
	like := to.like(rank, from)
	now, past := g.last.Cursor(like), g.before.Cursor(from.like(like, g.layout(g.before.NP())))
	was, will := from.seats(g.masks, like), to.seats(g.masks, rank)
	by, list, made := g.compute(np), 0, 0
	b := trace.NewBuilder(rank)
	var before trace.Action
	for {
		a := trace.Action{}
		if !now.Next(&a) {
			return b.Program()
		}
		switch a.Kind {
		case trace.Compute:
			a.Value *= by
			a.Variance *= by * by
		case trace.Location, trace.Sleep:
		case trace.CommSplit:
			advance(&past, &before)
			made++
			a.Tag, a.Count = int32(will[made].first), int64(will[made].me)
		default:
			advance(&past, &before)
			for _, peer := range partners(&a) {
				*peer = who(&a, away(&a, *peer, was), will)
			}
			a.Count = g.grow(before.Count, a.Count, np)
			a.Count2 = g.grow(before.Count2, a.Count2, np)
			if listed(&a) {
				g.spread(&a, list, np, will[a.Comm].part.size())
				list++
			}
		}
		b.Add(&a)
	}
}

// grow is a size by the power of the number of processes that joins both runs.
func (g *growth) grow(before, last int64, np int) int64 {
	if before == last || before <= 0 || last <= 0 {
		return last
	}
	return int64(math.Round(g.power(float64(before), float64(last), np)))
}

func (g *growth) power(before, last float64, np int) float64 {
	p, q := float64(g.before.NP()), float64(g.last.NP())
	return last * math.Pow(float64(np)/q, math.Log(last/before)/math.Log(q/p))
}

// spread makes an action's lists those in which everyone has the same, and what its
// rank sends or receives by itself what the others' lists say.
func (g *growth) spread(a *trace.Action, list, np, ranks int) {
	even := func(had []int64, which int) (size int64, counts []int64) {
		sum := g.listsLast[list][which]
		if before := g.listsBefore[list][which]; before > 0 && sum > 0 {
			sum = g.power(before, sum, np)
		}
		size = int64(math.Round(sum / float64(ranks)))
		switch {
		case len(had) == 0:
		case total(had) == 0 && (a.Kind == trace.Gatherv || a.Kind == trace.Scatterv): // not the root
			counts = make([]int64, ranks)
		default:
			counts = slices.Repeat([]int64{size}, ranks)
		}
		return size, counts
	}
	var sent, received int64
	sent, a.Counts = even(a.Counts, 0)
	received, a.Counts2 = even(a.Counts2, 1)
	switch a.Kind {
	case trace.Gatherv, trace.Allgatherv:
		a.Count = received * a.Type2.Size() / a.Type.Size()
	case trace.Scatterv:
		a.Count2 = sent * a.Type.Size() / a.Type2.Size()
	}
}
