package job

import (
	"cmp"
	"slices"

	"auspex/training"
)

// meetKey tells which calls of different ranks are one collective.
type meetKey struct {
	group string
	seq   int64 // -1 where the trace does not number them
	nth   int   // of those with the same number
}

// meeting is a collective with those who took part, by lane.
type meeting struct {
	comm  int32
	at    int64            // when it begins, of the lane in the middle
	calls []*training.Call // nil where a lane has no part in it
}

// meet finds the collectives that all of a group took part in whose traces are
// here, and the groups' lanes. Others are left out, and counted.
func meet(lanes []*Lane) (meetings map[*training.Call]*meeting, comms [][]int32, left int) {
	members := map[string][]int32{} // lanes by group
	found := map[meetKey]*meeting{}
	count := map[[2]any]int{}
	var groups []string
	for lane, l := range lanes {
		seen := map[meetKey]int{}
		for i := range l.calls {
			c := &l.calls[i]
			key := meetKey{c.Group, c.Seq, 0}
			key.nth, seen[key] = seen[key], seen[key]+1
			m := found[key]
			if m == nil {
				m = &meeting{calls: make([]*training.Call, len(lanes))}
				found[key] = m
			}
			m.calls[lane] = c
			if list := members[c.Group]; len(list) == 0 || list[len(list)-1] != int32(lane) {
				if len(list) == 0 {
					groups = append(groups, c.Group)
				}
				members[c.Group] = append(list, int32(lane))
			}
			count[[2]any{c.Group, lane}]++
		}
	}
	slices.Sort(groups)
	comms = [][]int32{nil}
	number := map[string]int32{}
	for _, g := range groups {
		if len(members[g]) == len(lanes) {
			continue // the world
		}
		number[g] = int32(len(comms))
		comms = append(comms, members[g])
	}
	meetings = map[*training.Call]*meeting{}
	for key, m := range found {
		m.comm = number[key.group]
		list := members[key.group]
		whole := len(list) > 1
		for _, lane := range list {
			// Where nothing numbers the calls, another count may mean another order.
			whole = whole && m.calls[lane] != nil && (key.seq >= 0 || count[[2]any{key.group, int(lane)}] == count[[2]any{key.group, int(list[0])}])
		}
		for _, c := range m.calls {
			switch {
			case c == nil:
			case whole:
				meetings[c] = m
			default:
				left++
			}
		}
	}
	return meetings, comms, left
}

// inOrder lists each lane's calls in the order in which the collectives begin. It
// is one order for all: lanes that start collectives of several groups at once
// may each have another, and would wait for one another for ever.
func inOrder(lanes []*Lane, meetings map[*training.Call]*meeting, shift []int64) [][]*training.Call {
	out := make([][]*training.Call, len(lanes))
	for lane, l := range lanes {
		for i := range l.calls {
			c := &l.calls[i]
			m := meetings[c]
			if m == nil {
				continue
			}
			if m.at == 0 {
				var starts []int64
				for k, other := range m.calls {
					if other != nil {
						starts = append(starts, other.Start-shift[k])
					}
				}
				m.at = middle(starts)
			}
			out[lane] = append(out[lane], c)
		}
		slices.SortStableFunc(out[lane], func(a, b *training.Call) int {
			x, y := meetings[a], meetings[b]
			return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.comm, y.comm), cmp.Compare(a.Seq, b.Seq))
		})
	}
	return out
}

// sameClock is the difference of clocks, in ns, that ends of collectives cannot
// tell from their own scatter.
const sameClock = 5_000_000

// shifts is by how much each lane's clock is ahead of the others': all leave a
// collective at nearly the same time. The residual is the median distance of an
// end from the median of its collective after that.
func shifts(lanes []*Lane, meetings map[*training.Call]*meeting) (by []int64, residual int64) {
	apart := make([][]int64, len(lanes))
	middles := map[*meeting]int64{}
	for _, m := range meetings {
		if _, done := middles[m]; done {
			continue
		}
		var ends []int64
		for _, c := range m.calls {
			if c != nil {
				ends = append(ends, c.End)
			}
		}
		middles[m] = middle(ends)
		for lane, c := range m.calls {
			if c != nil {
				apart[lane] = append(apart[lane], c.End-middles[m])
			}
		}
	}
	by = make([]int64, len(lanes))
	var rest []int64
	for lane, list := range apart {
		if s := middle(list); s > sameClock || s < -sameClock {
			by[lane] = s
		}
		for _, d := range list {
			rest = append(rest, max(d-by[lane], by[lane]-d))
		}
	}
	return by, middle(rest)
}

func middle(values []int64) int64 {
	if len(values) == 0 {
		return 0
	}
	slices.SortFunc(values, cmp.Compare[int64])
	return values[(len(values)-1)/2]
}
