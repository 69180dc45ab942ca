package job

import (
	"cmp"
	"math"
	"slices"

	"auspex/training"
)

// meetKey tells which calls of different ranks are one collective, where the trace
// numbers them.
type meetKey struct {
	group string
	seq   int64
	nth   int // of those with the same number
}

// meeting is a collective with those who took part, by lane.
type meeting struct {
	comm  int32
	end   int64            // see times
	took  int64            // likewise
	calls []*training.Call // nil where a lane has no part in it
}

// meet finds the collectives that all of a group took part in whose traces are
// here, and the groups' lanes. Others are left out, and counted.
func meet(lanes []*Lane) (meetings map[*training.Call]*meeting, comms [][]int32, left int) {
	members := map[string][]int32{} // lanes by group
	numbered := map[meetKey][]*training.Call{}
	lists := map[string][][]*training.Call{} // of those without numbers, by group and lane
	all := 0
	var groups []string
	for lane, l := range lanes {
		seen := map[meetKey]int{}
		all += len(l.calls)
		for i := range l.calls {
			c := &l.calls[i]
			if list := members[c.Group]; len(list) == 0 || list[len(list)-1] != int32(lane) {
				if len(list) == 0 {
					groups = append(groups, c.Group)
					lists[c.Group] = make([][]*training.Call, len(lanes))
				}
				members[c.Group] = append(list, int32(lane))
			}
			if c.Seq < 0 {
				lists[c.Group][lane] = append(lists[c.Group][lane], c)
				continue
			}
			key := meetKey{c.Group, c.Seq, 0}
			key.nth, seen[key] = seen[key], seen[key]+1
			if numbered[key] == nil {
				numbered[key] = make([]*training.Call, len(lanes))
			}
			numbered[key][lane] = c
		}
	}
	slices.Sort(groups)
	comms, meetings = [][]int32{nil}, map[*training.Call]*meeting{}
	number := map[string]int32{}
	add := func(group string, calls []*training.Call) {
		if !whole(calls, members[group]) {
			return
		}
		m := &meeting{comm: number[group], calls: calls}
		for _, lane := range members[group] {
			meetings[calls[lane]] = m
		}
	}
	for _, g := range groups {
		if len(members[g]) < len(lanes) { // else it is the world
			number[g] = int32(len(comms))
			comms = append(comms, members[g])
		}
		for _, calls := range training.Together(lists[g]) {
			add(g, calls)
		}
	}
	for key, calls := range numbered {
		add(key.group, calls)
	}
	return meetings, comms, all - len(meetings)
}

// whole tells whether all of a group took part in a collective, and in the same.
func whole(calls []*training.Call, members []int32) bool {
	for _, lane := range members {
		if c := calls[lane]; c == nil || kindOf(c.Name) != kindOf(calls[members[0]].Name) {
			return false
		}
	}
	return len(members) > 1
}

// inOrder lists each lane's calls in an order that holds for all: lanes that start
// collectives of several groups at once may each have another, and would wait for
// one another for ever. Sends stand where they begin, receives and collectives where
// they end, which all who take part see at once.
func (s *Source) inOrder() [][]*training.Call {
	out := make([][]*training.Call, len(s.lanes))
	at := map[*training.Call]int64{}
	for c, m := range s.messages {
		if at[c] = m.send.Start - s.shift[m.from]; m.receive == c {
			at[c] = max(at[c]+1, c.End-s.shift[m.to])
		}
	}
	for lane, l := range s.lanes {
		for i := range l.pairs {
			if c := &l.pairs[i]; s.messages[c] != nil {
				out[lane] = append(out[lane], c)
			}
		}
		for i := range l.calls {
			if c := &l.calls[i]; s.meetings[c] != nil {
				out[lane] = append(out[lane], c)
			}
		}
	}
	for c, m := range s.meetings {
		at[c] = m.end
	}
	for _, list := range out {
		slices.SortStableFunc(list, func(a, b *training.Call) int {
			return cmp.Or(cmp.Compare(at[a], at[b]), cmp.Compare(s.commOf(a), s.commOf(b)), cmp.Compare(a.Seq, b.Seq))
		})
	}
	return out
}

// times finds when the collectives end, on the lane in the middle, and how long they
// took once the last lane was ready.
func (s *Source) times() {
	for _, m := range s.meetings {
		if m.end != 0 {
			continue
		}
		var ends []int64
		ready := int64(math.MinInt64)
		for lane, c := range m.calls {
			if c != nil {
				ends = append(ends, c.End-s.shift[lane])
				ready = max(ready, c.Arrived-s.shift[lane])
			}
		}
		m.end = middle(ends)
		m.took = max(m.end-ready, 0)
	}
}

// commOf is the communicator of a collective, -1 of a message.
func (s *Source) commOf(c *training.Call) int32 {
	if m := s.meetings[c]; m != nil {
		return m.comm
	}
	return -1
}

// clocks is by how much each lane's clock is ahead of the others', and how far from
// each other the collectives end on them after that.
func (s *Source) clocks() (shifts []int64, residual int64) {
	steps := make([][]training.Step, len(s.lanes))
	var met [][]*training.Call
	for lane, l := range s.lanes {
		steps[lane] = l.steps
		for i := range l.calls {
			m := s.meetings[&l.calls[i]]
			if m != nil && lane == firstOf(m.calls) {
				met = append(met, m.calls)
			}
		}
	}
	return training.Clocks(steps, met)
}

// firstOf is the first lane that takes part.
func firstOf(calls []*training.Call) int {
	return slices.IndexFunc(calls, func(c *training.Call) bool { return c != nil })
}

func middle(values []int64) int64 {
	if len(values) == 0 {
		return 0
	}
	slices.SortFunc(values, cmp.Compare[int64])
	return values[(len(values)-1)/2]
}
