package training

import "slices"

// byOrder matches the calls of one group that bear no numbers, step by step
// where all ranks made as many in every step. Otherwise the lists of the ranks
// are laid side by side as a whole: a profiler may start and stop a call or two
// apart, and a device that lags behind its host carries calls into the next
// step. Where events were lost, calls are one that end at once, and steps that differ
// are told.
func byOrder(lists [][]*Call) (meetings []meeting, uneven map[int]bool) {
	steps := map[int][]int{}
	for r, list := range lists {
		for _, c := range list {
			if steps[c.Step] == nil {
				steps[c.Step] = make([]int, len(lists))
			}
			steps[c.Step][r]++
		}
	}
	different := map[int]bool{}
	for step, n := range steps {
		n = slices.DeleteFunc(slices.Clone(n), func(n int) bool { return n == 0 })
		if slices.Min(n) != slices.Max(n) {
			different[step] = true
		}
	}
	if len(different) > 0 {
		if meetings, ok := sideBySide(lists); ok {
			return meetings, nil
		}
		return endTogether(lists), different
	}
	type key struct{ step, nth int }
	found := map[key]*meeting{}
	var order []key
	for r, list := range lists {
		next := map[int]int{}
		for _, c := range list {
			k := key{c.Step, next[c.Step]}
			next[c.Step]++
			if found[k] == nil {
				found[k] = &meeting{name: c.Name, pair: c.Pair, calls: make([]*Call, len(lists))}
				order = append(order, k)
			}
			found[k].calls[r] = c
		}
	}
	for _, k := range order {
		meetings = append(meetings, *found[k])
	}
	return meetings, nil
}

// alike is the share of calls that must be of the same kind and size where two
// lists lie side by side.
const alike = 0.95

// maxShift is by how many calls one trace may be longer than another.
const maxShift = 4096

// sideBySide lays the lists along the longest one, each where its calls fit and
// the ends keep the same distance; false where one fits nowhere.
func sideBySide(lists [][]*Call) ([]meeting, bool) {
	longest := 0
	for r := range lists {
		if len(lists[r]) > len(lists[longest]) {
			longest = r
		}
	}
	whole := lists[longest]
	for _, list := range lists {
		if len(list) > 0 && len(whole)-len(list) > maxShift {
			return nil, false
		}
	}
	meetings := make([]meeting, len(whole))
	for i, c := range whole {
		meetings[i] = meeting{name: c.Name, pair: c.Pair, calls: make([]*Call, len(lists))}
	}
	gap := between(whole)
	for r, list := range lists {
		if len(list) == 0 {
			continue
		}
		at, best := -1, int64(0)
		for shift := range len(whole) - len(list) + 1 {
			if spread, ok := fits(whole[shift:], list, gap); ok && (at < 0 || spread < best) {
				at, best = shift, spread
			}
		}
		if at < 0 {
			return nil, false
		}
		for i, c := range list {
			meetings[at+i].calls[r] = c
		}
	}
	return meetings, true
}

// fits tells whether calls are those of another rank, and how far their ends
// stray from one distance: hardly any by half of what lies between two calls.
func fits(whole, list []*Call, gap int64) (spread int64, ok bool) {
	same := 0
	apart := make([]int64, len(list))
	for i, c := range list {
		if c.Name == whole[i].Name && c.Bytes == whole[i].Bytes {
			same++
		}
		apart[i] = c.End - whole[i].End
	}
	if float64(same) < alike*float64(len(list)) {
		return 0, false
	}
	middle := median(apart)
	near := 0
	for i, v := range apart {
		if apart[i] = max(v-middle, middle-v); 2*apart[i] <= gap {
			near++
		}
	}
	return median(apart), float64(near) >= alike*float64(len(list))
}
