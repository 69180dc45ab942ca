package training

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// meeting is one collective with all ranks that took part.
type meeting struct {
	step  int
	name  string
	pair  bool    // of two ranks of which one sends
	calls []*Call // by the ranks' order; nil where a rank has no part in it
}

// callKey tells which calls of different ranks are the same collective.
type callKey struct {
	group string
	pair  bool // messages between two ranks are numbered on their own
	seq   int64
	nth   int // of those with the same number: coalesced calls share one
}

// listKey is the calls of one group that the trace does not number.
type listKey struct {
	group string
	pair  bool
}

// match brings the calls of all ranks together: those of one group with one
// number, where the trace gives numbers, else those at the same place in the
// order.
func match(ranks []*Rank) (meetings []meeting, notes []string) {
	found := map[callKey]*meeting{}
	var order []callKey
	lists := map[listKey][][]*Call{}
	var unnumbered []listKey
	for r, rank := range ranks {
		seen := map[callKey]int{}
		for i := range rank.Calls {
			c := &rank.Calls[i]
			if c.Seq < 0 {
				k := listKey{c.Group, c.Pair}
				if lists[k] == nil {
					lists[k] = make([][]*Call, len(ranks))
					unnumbered = append(unnumbered, k)
				}
				lists[k][r] = append(lists[k][r], c)
				continue
			}
			key := callKey{c.Group, c.Pair, c.Seq, 0}
			key.nth = seen[key]
			seen[callKey{c.Group, c.Pair, c.Seq, 0}]++
			if found[key] == nil {
				found[key] = &meeting{name: c.Name, pair: c.Pair, calls: make([]*Call, len(ranks))}
				order = append(order, key)
			}
			found[key].calls[r] = c
		}
	}
	for _, key := range order {
		meetings = append(meetings, *found[key])
	}
	uneven := map[int]bool{}
	for _, k := range unnumbered {
		more, left := byOrder(lists[k])
		meetings = append(meetings, more...)
		maps.Copy(uneven, left)
	}
	meetings = slices.DeleteFunc(meetings, func(m meeting) bool { return m.here() < 2 })
	for i := range meetings {
		meetings[i].step = meetings[i].middleStep()
	}
	slices.SortStableFunc(meetings, func(a, b meeting) int { return cmp.Compare(a.step, b.step) })
	if len(uneven) > 0 {
		notes = append(notes, fmt.Sprintf("in %s the ranks made different numbers of collective calls: calls that some ranks lack, as where events were lost, are not compared", count(len(uneven), "step")))
	}
	return meetings, notes
}

// here is how many ranks took part whose traces are here.
func (m *meeting) here() int {
	n := 0
	for _, c := range m.calls {
		if c != nil {
			n++
		}
	}
	return n
}

// middleStep is the step in which most ranks met: devices lag behind their
// hosts, so that the steps of the host need not agree.
func (m *meeting) middleStep() int {
	var steps []int64
	for _, c := range m.calls {
		if c != nil {
			steps = append(steps, int64(c.Step))
		}
	}
	return int(median(steps))
}
