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

// inOrder lists each lane's calls in an order that holds for all: lanes that start
// collectives of several groups at once may each have another, and would wait for
// one another for ever. Sends stand where they begin, receives where they end, and
// collectives where they begin on the lane in the middle, but behind what any of
// its lanes received before it.
func (s *Source) inOrder() [][]*training.Call {
	out := make([][]*training.Call, len(s.lanes))
	at := map[*training.Call]int64{}
	for c, m := range s.messages {
		if at[c] = m.send.Start - s.shift[m.from]; m.receive == c {
			at[c] = max(at[c]+1, c.End-s.shift[m.to])
		}
	}
	for lane, l := range s.lanes {
		var received []int64
		for i := range l.pairs {
			c := &l.pairs[i]
			m := s.messages[c]
			if m == nil {
				continue
			}
			out[lane] = append(out[lane], c)
			if m.receive == c {
				received = append(received, at[c])
			}
		}
		slices.Sort(received)
		for i := range l.calls {
			c := &l.calls[i]
			m := s.meetings[c]
			if m == nil {
				continue
			}
			if m.at == 0 {
				m.at = s.middleStart(m)
			}
			if before, _ := slices.BinarySearch(received, c.Start-s.shift[lane]+1); before > 0 {
				m.at = max(m.at, received[before-1])
			}
			out[lane] = append(out[lane], c)
		}
	}
	for c, m := range s.meetings {
		at[c] = m.at
	}
	for _, list := range out {
		slices.SortStableFunc(list, func(a, b *training.Call) int {
			return cmp.Or(cmp.Compare(at[a], at[b]), cmp.Compare(s.commOf(a), s.commOf(b)), cmp.Compare(a.Seq, b.Seq))
		})
	}
	return out
}

// middleStart is when a collective begins on the lane in the middle.
func (s *Source) middleStart(m *meeting) int64 {
	var starts []int64
	for lane, c := range m.calls {
		if c != nil {
			starts = append(starts, c.Start-s.shift[lane])
		}
	}
	return middle(starts)
}

// commOf is the communicator of a collective, -1 of a message.
func (s *Source) commOf(c *training.Call) int32 {
	if m := s.meetings[c]; m != nil {
		return m.comm
	}
	return -1
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
