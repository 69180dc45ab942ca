package training

import "slices"

// Limits of what counts as one clock: what nobody notices in a step, and what the
// ends cannot tell.
const (
	clockTolerance = 5_000_000 // nanoseconds
	clockShare     = 0.03      // of a step
	clockSpreads   = 5
)

// align moves the ranks' clocks so that the collectives end together, which
// all ranks leave at nearly the same time. Ranks that never meet are set
// against each other over those that both meet. Clocks that agree already to
// what the ends can tell are left as they are. The residual is the median
// distance of an end from the median of its collective, in nanoseconds.
func align(ranks []*Rank, meetings []meeting) (shifts []int64, residual int64) {
	met := make([][]*Call, len(meetings))
	for i := range meetings {
		met[i] = meetings[i].calls
	}
	return Clocks(stepsOf(ranks), met)
}

func stepsOf(ranks []*Rank) [][]Step {
	steps := make([][]Step, len(ranks))
	for r, rank := range ranks {
		steps[r] = rank.Steps
	}
	return steps
}

// Clocks is by how much the clock of each rank is to be moved back, by the steps of
// each rank and the collectives, each with the calls of all ranks, nil where one has no
// part in it.
func Clocks(steps [][]Step, meetings [][]*Call) (shifts []int64, residual int64) {
	ahead, spread := clocks(len(steps), meetings)
	tolerance := clockLimit(steps)
	shifts = make([]int64, len(steps))
	middle := median(ahead)
	apart := false // where some are, those near the middle are moved as well
	for r := range shifts {
		if shift := ahead[r] - middle; max(shift, -shift) > clockSpreads*spread[r] {
			shifts[r] = shift
			apart = apart || max(shift, -shift) > tolerance
		}
	}
	if !apart {
		clear(shifts)
	}
	var rest []int64
	for i := range meetings {
		var ends []int64
		for r, c := range meetings[i] {
			if c != nil {
				ends = append(ends, c.End-shifts[r])
			}
		}
		middle := median(ends)
		for _, end := range ends {
			rest = append(rest, max(end-middle, middle-end))
		}
	}
	return shifts, median(rest)
}

// clockLimit is how far clocks may differ unnoticed.
func clockLimit(steps [][]Step) int64 {
	var times []int64
	for _, list := range steps {
		for _, s := range list {
			times = append(times, s.End-s.Start)
		}
	}
	if step := median(times); step > 0 {
		return min(clockTolerance, int64(clockShare*float64(step)))
	}
	return clockTolerance
}

// clocks is by how much each rank's clock is ahead, and how far the ends of its
// collectives stray from that. Beginning at any rank, the clock of each other
// follows from those that it met.
func clocks(ranks int, meetings [][]*Call) (ahead, spread []int64) {
	ahead, spread = make([]int64, ranks), make([]int64, ranks)
	of := make([][]int, ranks) // meetings by rank
	for i := range meetings {
		for r, c := range meetings[i] {
			if c != nil {
				of[r] = append(of[r], i)
			}
		}
	}
	known := make([]bool, ranks)
	for start := range ranks {
		if known[start] {
			continue
		}
		known[start] = true
		for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
			from := queue[0]
			apart := make([][]int64, ranks)
			for _, i := range of[from] {
				calls := meetings[i]
				for r, c := range calls {
					if c != nil && !known[r] {
						apart[r] = append(apart[r], c.End-calls[from].End)
					}
				}
			}
			for r, a := range apart {
				if len(a) == 0 {
					continue
				}
				shift := median(a)
				for i, v := range a {
					a[i] = max(v-shift, shift-v)
				}
				ahead[r], spread[r], known[r] = ahead[from]+shift, max(median(a), spread[from]), true
				queue = append(queue, r)
			}
		}
	}
	return ahead, spread
}

// median is the middle value, or the mean of the two in the middle; 0 of none.
func median(values []int64) int64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
	return low + (high-low)/2
}
