package training

import (
	"cmp"
	"fmt"
	"slices"
)

// meeting is one collective with all ranks that took part.
type meeting struct {
	step  int
	name  string
	calls []*Call // by the ranks' order; nil where a rank has no part in it
}

// callKey tells which calls of different ranks are the same collective: those
// of one group with one number, where the trace gives numbers, else those that
// come at the same place in the order of their step.
type callKey struct {
	step  int
	group string
	seq   int64
}

// match brings the calls of all ranks together. Steps in which the ranks made
// different numbers of calls are left out, as order tells nothing there.
func match(ranks []*Rank) (meetings []meeting, notes []string) {
	counts := map[[2]any][]int{}
	found := map[callKey]*meeting{}
	var order []callKey
	for r, rank := range ranks {
		next := map[[2]any]int64{}
		for i := range rank.Calls {
			c := &rank.Calls[i]
			place := [2]any{c.Step, c.Group}
			key := callKey{c.Step, c.Group, c.Seq}
			if c.Seq < 0 {
				key.seq = next[place]
				next[place]++
				if counts[place] == nil {
					counts[place] = make([]int, len(ranks))
				}
				counts[place][r]++
			}
			m := found[key]
			if m == nil {
				m = &meeting{step: c.Step, name: c.Name, calls: make([]*Call, len(ranks))}
				found[key] = m
				order = append(order, key)
			}
			m.calls[r] = c
		}
	}
	uneven := 0
	for place, n := range counts {
		if n = slices.DeleteFunc(slices.Clone(n), func(n int) bool { return n == 0 }); len(n) > 1 && slices.Min(n) != slices.Max(n) {
			counts[place] = nil
			uneven++
		}
	}
	for _, key := range order {
		m := found[key]
		here := 0
		for _, c := range m.calls {
			if c != nil {
				here++
			}
		}
		n, ordered := counts[[2]any{key.step, key.group}]
		if here > 1 && (!ordered || n != nil) {
			meetings = append(meetings, *m)
		}
	}
	slices.SortStableFunc(meetings, func(a, b meeting) int { return cmp.Compare(a.step, b.step) })
	if uneven > 0 {
		notes = append(notes, fmt.Sprintf("in %d steps the ranks made different numbers of collective calls; those are not compared", uneven))
	}
	return meetings, notes
}

// Limits of what counts as one clock.
const (
	clockTolerance = 5_000_000 // nanoseconds
	clockSpreads   = 5
)

// align moves the ranks' clocks so that the collectives end together, which
// all ranks leave at nearly the same time. Clocks that agree already to what
// the ends can tell are left as they are. The residual is the median distance
// of an end from the median of its collective, in nanoseconds.
func align(ranks []*Rank, meetings []meeting) (shifts []int64, residual int64) {
	shifts = make([]int64, len(ranks))
	apart := make([][]int64, len(ranks))
	for _, m := range meetings {
		var ends []int64
		for _, c := range m.calls {
			if c != nil {
				ends = append(ends, c.End)
			}
		}
		middle := median(ends)
		for r, c := range m.calls {
			if c != nil {
				apart[r] = append(apart[r], c.End-middle)
			}
		}
	}
	var rest []int64
	for r, a := range apart {
		if len(a) == 0 {
			continue
		}
		shift := median(a)
		spread := make([]int64, len(a))
		for i, v := range a {
			spread[i] = max(v-shift, shift-v)
		}
		if d := median(spread); max(shift, -shift) > max(clockTolerance, clockSpreads*d) {
			shifts[r] = shift
		}
		for _, v := range a {
			rest = append(rest, max(v-shifts[r], shifts[r]-v))
		}
	}
	return shifts, median(rest)
}

// median is the lower of the middle values, 0 of none.
func median(values []int64) int64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return sorted[(len(sorted)-1)/2]
}
