package predict

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"auspex/trace"
)

// Lists of sizes are made the same for all ranks; what they add up to on average follows
// a law.

// lists are the means over the ranks of the sums of both lists of each action
// that may have any, in order; where only the root of a collective has one, over the
// roots. uneven is by how much sizes in a list differ, relative to their mean.
func (b *book) lists(run *counted) (all [][2]float64, uneven float64) {
	var ranks []float64
	for _, calls := range run.calls {
		i := 0
		for _, id := range calls {
			a := &b.actions[id]
			if !listed(a) {
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
			uneven = max(uneven, differing(a.Counts), differing(a.Counts2))
			i++
		}
	}
	for i, n := range ranks {
		all[i][0], all[i][1] = all[i][0]/max(n, 1), all[i][1]/max(n, 1)
	}
	return all, uneven
}

func differing(counts []int64) float64 {
	mean := total(counts) / float64(len(counts))
	if len(counts) == 0 || mean == 0 {
		return 0
	}
	squares := 0.0
	for _, n := range counts {
		squares += (float64(n) - mean) * (float64(n) - mean)
	}
	return math.Sqrt(squares/float64(len(counts))) / mean
}

// sizeLists finds what the lists add up to where the trace is to be made.
func (g *growth) sizeLists(to grid) error {
	var runs [][][2]float64
	for _, run := range g.used {
		all, uneven := g.book.lists(run)
		runs, g.uneven = append(runs, all), uneven
		if len(all) != len(runs[0]) {
			return errors.New("the number of calls with lists of sizes changes with that of processes")
		}
	}
	g.lists = nil
	known := map[string][2]float64{}
	for i := range runs[0] {
		var key []byte
		for r := range g.used {
			key = fmt.Append(key, runs[r][i])
		}
		sums, ok := known[string(key)]
		for which := 0; which < 2 && !ok; which++ {
			var seen []observed
			for r, run := range g.used {
				seen = append(seen, observed{g.cast.layout(run.NP()), runs[r][i][which]})
			}
			l, err := meanLaw(seen)
			if err != nil {
				return fmt.Errorf("lists of sizes: %w", err)
			}
			if sums[which] = l.value(to); l.off > g.off {
				g.off, g.worst = l.off, "lists"
			}
		}
		known[string(key)] = sums
		g.lists = append(g.lists, sums)
	}
	return nil
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

// spread makes an action's lists those in which everyone has the same, and what its
// rank sends or receives by itself what the others' lists say.
func (g *growth) spread(a *trace.Action, list int, s seat) {
	ranks := s.part.size()
	root := a.Kind != trace.Gatherv && a.Kind != trace.Scatterv || int(max(a.Peer, 0)) == s.me
	even := func(had []int64, which int) (size int64, counts []int64) {
		size = int64(math.Round(g.lists[list][which] / float64(ranks)))
		switch {
		case len(had) == 0:
		case !root:
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
	case trace.Alltoallv:
		a.Count, a.Count2 = sent*int64(ranks), received*int64(ranks)
	case trace.Gatherv, trace.Allgatherv:
		a.Count = received * a.Type2.Size() / a.Type.Size()
	case trace.Scatterv:
		a.Count2 = sent * a.Type.Size() / a.Type2.Size()
	}
}
