package predict

import (
	"errors"
	"fmt"
	"math"
	"time"

	"auspex/launch"
	"auspex/trace"
)

// Traces of more processes than were run are made of those that were, where
// these let one see how: the first process, the last, and those between, which
// must all do the same, make the calls that their like make in the largest run,
// with partners as many ranks away. What changes with the number of processes is
// read off the two largest runs: sizes of messages by the power of the number
// that joins them, computation by a + b/np, fitted to all runs.

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
		out := &taken{CutTrace: &launch.CutTrace{Trace: made, Cuts: last.Cuts}}
		out.seconds = cost + time.Since(start).Seconds()
		list = append(list, out)
		if run == 0 {
			w.note("More than %d processes were not run: their traces are made of those of %d and %d. Every process makes the calls of its like there (the first, the last, all between), with partners as many ranks away; sizes of messages follow the power of the number of processes that joins the two; a process computes for %s s + %s s / np.",
				g.last.NP(), g.before.NP(), g.last.NP(), short(g.fixed), short(g.shared))
		}
	}
	return list, nil
}

func short(ns float64) string { return fmt.Sprintf("%.3g", ns/1e9) }

// growth is how a program changes with the number of processes.
type growth struct {
	before, last  *trace.Trace // the two largest runs
	fixed, shared float64      // computation of a process is fixed + shared / np
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
	g := &growth{before: measured[n-2], last: measured[n-1]}
	p := g.last.NP()
	for rank := 2; rank < p-1; rank++ { // those between do the same
		if err := alike(g.last, 1, g.last, rank); err != nil {
			return nil, err
		}
	}
	for rank := range p {
		if err := alike(g.before, counterpart(rank, p, g.before.NP()), g.last, rank); err != nil {
			return nil, err
		}
	}
	g.listsBefore, g.listsLast = lists(g.before), lists(g.last)
	g.fit(measured)
	return g, nil
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

// fit finds fixed and shared by least squares; neither is below 0.
func (g *growth) fit(measured []*trace.Trace) {
	var n, sx, sy, sxx, sxy float64
	for _, t := range measured {
		x, y := 1/float64(t.NP()), 0.0
		for rank := range t.NP() {
			sum := computed(t, rank)
			y += sum / float64(t.NP())
		}
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

// compute is what a process computes of what its like did in the largest run.
func (g *growth) compute(np int) float64 {
	of := g.fixed + g.shared/float64(g.last.NP())
	if of == 0 {
		return 1
	}
	return (g.fixed + g.shared/float64(np)) / of
}

// lists are the means over the ranks of the sums of both lists of each action
// that has any.
func lists(t *trace.Trace) [][2]float64 {
	var all [][2]float64
	for rank := range t.NP() {
		c, i := t.Cursor(rank), 0
		for a := (trace.Action{}); advance(&c, &a); {
			if len(a.Counts)+len(a.Counts2) == 0 {
				continue
			}
			if i == len(all) {
				all = append(all, [2]float64{})
			}
			all[i][0] += total(a.Counts) / float64(t.NP())
			all[i][1] += total(a.Counts2) / float64(t.NP())
			i++
		}
	}
	return all
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
func alike(s *trace.Trace, rank int, t *trace.Trace, other int) error {
	x, y := s.Cursor(rank), t.Cursor(other)
	var a, b trace.Action
	for n := 1; ; n++ {
		more, same := advance(&x, &a), advance(&y, &b)
		switch {
		case more != same:
			return fmt.Errorf("rank %d of %d and rank %d of %d do not make as many calls", rank, s.NP(), other, t.NP())
		case !more:
			return nil
		case a.Comm != 0 || b.Comm != 0 || a.Kind == trace.CommSplit || a.Kind == trace.CommDup:
			return errors.New("the program has communicators of its own")
		}
		same = a.Kind == b.Kind && a.Tag == b.Tag
		for i, peer := range partners(&a) {
			same = same && away(a.Kind, *peer, rank, s.NP()) == away(b.Kind, *partners(&b)[i], other, t.NP())
		}
		if !same {
			return fmt.Errorf("call %d is %s on rank %d of %d, and %s on rank %d of %d", n, called(&a), rank, s.NP(), called(&b), other, t.NP())
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

func called(a *trace.Action) string {
	text := a.Kind.String()
	for _, peer := range partners(a) {
		if *peer >= 0 {
			text += fmt.Sprintf(" with %d", *peer)
		}
	}
	return text
}

// away is how many ranks away a partner is, the shorter way around. The root of a
// collective is the first rank, the last, or another by its number.
func away(kind trace.Kind, peer int32, rank, np int) int32 {
	switch {
	case peer < 0:
		return peer
	case kind.Collective():
		if int(peer) == np-1 {
			return -1
		}
		return peer
	}
	d := (int(peer) - rank + np) % np
	if 2*d > np {
		d -= np
	}
	return int32(d) + around
}

// around sets distances apart from the numbers that stand for no partner.
const around = 1 << 20

// partner is the rank that is as far away as away says.
func partner(kind trace.Kind, peer, away int32, rank, np int) int32 {
	switch {
	case peer < 0:
		return peer
	case kind.Collective() && away == -1:
		return int32(np - 1)
	case kind.Collective():
		return peer
	}
	return int32((rank + int(away-around) + np) % np)
}

// to makes the trace of np processes.
func (g *growth) to(np int) (*trace.Trace, error) {
	if np <= g.last.NP() {
		return nil, fmt.Errorf("%d processes are not more than the %d that were run", np, g.last.NP())
	}
	out := &trace.Trace{Nanoseconds: g.last.Nanoseconds, Name: fmt.Sprintf("%d processes made of %d", np, g.last.NP())}
	for rank := range np {
		out.Programs = append(out.Programs, g.program(rank, np))
	}
	return out, nil
}

func (g *growth) program(rank, np int) trace.Program {
	p := g.last.NP()
	like := counterpart(rank, np, p)
	now, past := g.last.Cursor(like), g.before.Cursor(counterpart(like, p, g.before.NP()))
	by, list := g.compute(np), 0
	b := trace.NewBuilder(rank)
	var was trace.Action
	for {
		a := trace.Action{}
		if !now.Next(&a) {
			return b.Program()
		}
		switch a.Kind {
		case trace.Compute:
			a.Value *= by
			a.Variance *= by * by
		case trace.Location:
		default:
			advance(&past, &was)
			for _, peer := range partners(&a) {
				*peer = partner(a.Kind, *peer, away(a.Kind, *peer, like, p), rank, np)
			}
			a.Count = g.grow(was.Count, a.Count, np)
			a.Count2 = g.grow(was.Count2, a.Count2, np)
			if len(a.Counts)+len(a.Counts2) > 0 {
				a.Counts = g.even(len(a.Counts), list, 0, np)
				a.Counts2 = g.even(len(a.Counts2), list, 1, np)
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

// even is a list of sizes in which everyone has the same.
func (g *growth) even(had, list, which, np int) []int64 {
	if had == 0 {
		return nil
	}
	sum := g.listsLast[list][which]
	if before := g.listsBefore[list][which]; before > 0 && sum > 0 {
		sum = g.power(before, sum, np)
	}
	counts := make([]int64, np)
	for i := range counts {
		counts[i] = int64(math.Round(sum / float64(np)))
	}
	return counts
}
