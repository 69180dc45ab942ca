package training

import (
	"cmp"
	"slices"
)

// lateness says how late each rank was in each step, in nanoseconds: the time
// in which it was missing at some collective at which the median rank had
// arrived. Collectives that overlap in time count once.
type lateness struct {
	steps  []int
	late   [][]int64 // by step and rank
	waited []int64   // by step: mean time the other ranks stood still for the last one
	last   []int     // by step: index of the rank that the others waited for most
	turns  []turn    // by step
}

type stretch struct{ from, to int64 }

// howLate compares the arrivals. The end of the last step counts as a
// collective: the next one, at which the late rank will be missed, is behind
// the end of the trace.
func howLate(ranks []*Rank, meetings []meeting, shifts []int64) *lateness {
	arrivals, stills := map[int][][]int64{}, map[int][][]int64{}
	for _, m := range meetings {
		if m.pair {
			continue // who receives waits for who sends, as planned
		}
		at, still := make([]int64, 0, len(ranks)), make([]int64, 0, len(ranks))
		for r, c := range m.calls {
			if c == nil {
				at, still = append(at, absent), append(still, absent)
				continue
			}
			at, still = append(at, c.Arrived-shifts[r]), append(still, max(c.Still, c.Arrived)-shifts[r])
		}
		arrivals[m.step], stills[m.step] = append(arrivals[m.step], at), append(stills[m.step], still)
	}
	if end, step, ok := lastEnds(ranks, shifts); ok && len(arrivals[step]) > 0 {
		arrivals[step], stills[step] = append(arrivals[step], end), append(stills[step], end)
	}
	l := &lateness{}
	for step := range arrivals {
		l.steps = append(l.steps, step)
	}
	slices.Sort(l.steps)
	for _, step := range l.steps {
		late := make([]int64, len(ranks))
		waits := make([]int64, len(ranks)) // for the rank, by all others
		for r := range ranks {
			var missing []stretch
			by := make([][]stretch, len(ranks))
			for n, at := range arrivals[step] {
				if at[r] == absent {
					continue
				}
				if others := except(at, r); len(others) > 0 {
					missing = append(missing, stretch{median(others), at[r]})
				}
				if !isLast(at, r) {
					continue
				}
				for o := range ranks {
					if o != r && at[o] != absent {
						by[o] = append(by[o], stretch{stills[step][n][o], at[r]})
					}
				}
			}
			late[r] = covered(missing)
			for o := range ranks {
				waits[r] += covered(by[o])
			}
		}
		last := 0
		for r := range ranks {
			if waits[r] > waits[last] {
				last = r
			}
		}
		l.late = append(l.late, late)
		l.last = append(l.last, last)
		l.waited = append(l.waited, waits[last]/int64(max(len(ranks)-1, 1)))
		l.turns = append(l.turns, turnOf(arrivals[step], stills[step]))
	}
	return l
}

const absent = -1 << 63

func except(at []int64, r int) []int64 {
	var others []int64
	for o, v := range at {
		if o != r && v != absent {
			others = append(others, v)
		}
	}
	return others
}

func isLast(at []int64, r int) bool {
	for _, v := range at {
		if v > at[r] {
			return false
		}
	}
	return true
}

// lastEnds is when each rank ended the last step that all have.
func lastEnds(ranks []*Rank, shifts []int64) (ends []int64, step int, ok bool) {
	for r, rank := range ranks {
		if len(rank.Steps) == 0 {
			return nil, 0, false
		}
		last := rank.Steps[len(rank.Steps)-1]
		if r > 0 && last.Number != step {
			return nil, 0, false
		}
		step = last.Number
		ends = append(ends, last.End-shifts[r])
	}
	return ends, step, len(ranks) > 0
}

// covered is the length of the union of stretches.
func covered(list []stretch) int64 {
	slices.SortFunc(list, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	total, at := int64(0), int64(absent)
	for _, s := range list {
		from := max(s.from, at)
		if s.to > from {
			total += s.to - from
			at = s.to
		}
	}
	return total
}
