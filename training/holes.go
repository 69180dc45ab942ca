package training

import (
	"cmp"
	"slices"
)

// endTogether matches the calls of one group where traces lack some of them: all ranks
// leave a collective at once, so that calls of one kind and size are one where their
// ends are. Clocks are set by the steps that have as many calls on both ranks; without
// such they are taken to agree.
func endTogether(lists [][]*Call) []meeting {
	longest := 0
	for r := range lists {
		if len(lists[r]) > len(lists[longest]) {
			longest = r
		}
	}
	whole := slices.Clone(lists[longest])
	slices.SortStableFunc(whole, func(a, b *Call) int { return cmp.Compare(a.End, b.End) })
	near := between(whole) / 4
	meetings := make([]meeting, len(whole))
	for i, c := range whole {
		meetings[i] = meeting{name: c.Name, pair: c.Pair, calls: make([]*Call, len(lists))}
	}
	for r, list := range lists {
		if len(list) == 0 {
			continue
		}
		apart := aheadOf(list, whole)
		for _, c := range list {
			if i := endsAt(whole, c, c.End-apart, near); i >= 0 && meetings[i].calls[r] == nil {
				meetings[i].calls[r] = c
			}
		}
	}
	return meetings
}

// between is the time from one end to the next, of most calls.
func between(list []*Call) int64 {
	var gaps []int64
	for i := 1; i < len(list); i++ {
		gaps = append(gaps, max(list[i].End-list[i-1].End, list[i-1].End-list[i].End))
	}
	return median(gaps)
}

// aheadOf is by how much the ends of a rank's calls are later than those of another's,
// in the steps in which both have the same.
func aheadOf(list, other []*Call) int64 {
	inStep := func(list []*Call) map[int][]*Call {
		steps := map[int][]*Call{}
		for _, c := range list {
			steps[c.Step] = append(steps[c.Step], c)
		}
		return steps
	}
	mine, others := inStep(list), inStep(other)
	var apart []int64
	for step, calls := range mine {
		if len(others[step]) != len(calls) {
			continue
		}
		for i, c := range calls {
			apart = append(apart, c.End-others[step][i].End)
		}
	}
	return median(apart)
}

// endsAt is which of the calls, by their ends, is of the kind and size of another and
// ends nearest to a time; -1 for none.
func endsAt(calls []*Call, like *Call, at, near int64) int {
	first, _ := slices.BinarySearchFunc(calls, at-near, func(c *Call, at int64) int { return cmp.Compare(c.End, at) })
	best, nearest := -1, near
	for i := first; i < len(calls) && calls[i].End <= at+near; i++ {
		if d := max(calls[i].End-at, at-calls[i].End); calls[i].Name == like.Name && calls[i].Bytes == like.Bytes && d <= nearest {
			best, nearest = i, d
		}
	}
	return best
}

// Together brings the calls of one group together that bear no numbers, given by rank:
// of each collective the calls of the ranks, nil where one has none.
func Together(lists [][]*Call) [][]*Call {
	meetings, _ := byOrder(lists)
	out := make([][]*Call, len(meetings))
	for i := range meetings {
		out[i] = meetings[i].calls
	}
	return out
}
