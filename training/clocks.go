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
	ahead, spread := clocks(ranks, meetings)
	tolerance := clockLimit(ranks)
	shifts = make([]int64, len(ranks))
	middle := median(ahead)
	for r := range ranks {
		if shift := ahead[r] - middle; max(shift, -shift) > max(tolerance, clockSpreads*spread[r]) {
			shifts[r] = shift
		}
	}
	var rest []int64
	for i := range meetings {
		var ends []int64
		for r, c := range meetings[i].calls {
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
func clockLimit(ranks []*Rank) int64 {
	var times []int64
	for _, r := range ranks {
		for _, s := range r.Steps {
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
func clocks(ranks []*Rank, meetings []meeting) (ahead, spread []int64) {
	ahead, spread = make([]int64, len(ranks)), make([]int64, len(ranks))
	of := make([][]int, len(ranks)) // meetings by rank
	for i := range meetings {
		for r, c := range meetings[i].calls {
			if c != nil {
				of[r] = append(of[r], i)
			}
		}
	}
	known := make([]bool, len(ranks))
	for start := range ranks {
		if known[start] {
			continue
		}
		known[start] = true
		for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
			from := queue[0]
			apart := make([][]int64, len(ranks))
			for _, i := range of[from] {
				calls := meetings[i].calls
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
