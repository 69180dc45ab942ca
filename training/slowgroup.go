package training

import (
	"cmp"
	"math"
	"slices"
)

// slowGroup finds the ranks of a group whose transfers take longer than the same ones
// in other groups of its size, as those of a node with a slow network do. Where several
// groups that share a rank are slow, it is that rank's link.
func (j *job) slowGroup() []Straggler {
	groups := j.groupsOf()
	var slow *group
	for _, g := range groups {
		if g.compare(groups); g.longer <= 0 {
			continue
		}
		if slow != nil {
			return nil
		}
		slow = g
	}
	if slow == nil {
		return nil
	}
	lost := j.waitedFor(slow)
	if lost < int64(math.Max(minShare, slowLink)*float64(j.run)) {
		return nil
	}
	var list []Straggler
	for _, r := range slow.ranks {
		s := Straggler{
			Rank: j.ranks[r].Number, Side: Network, Cause: "slow group", Pattern: Persistent,
			Operators: []OperatorTime{{slow.most.name, seconds(slow.took), seconds(slow.others)}},
			Seconds:   seconds(slow.took), Others: seconds(slow.others), Late: seconds(j.lateTotal(r)),
			Share: min(float64(lost)/float64(j.run), 1),
		}
		s.Fix = fix(&s)
		list = append(list, s)
	}
	return list
}

// group is ranks that meet, and what their transfers take.
type group struct {
	ranks    []int
	meetings []*meeting
	times    map[callKind][]int64
	usual    map[callKind]int64 // in the other groups, of the kinds that are longer here
	most     callKind           // of these the one that takes longest together
	longer   int64              // by which all of these are longer together
	took     int64              // by a transfer of that kind, and by those of the others
	others   int64
}

// groupsOf lists the groups of ranks that have names.
func (j *job) groupsOf() []*group {
	found := map[string]*group{}
	var list []*group
	for i := range j.meetings {
		m := &j.meetings[i]
		var ranks []int
		name := ""
		for r, c := range m.calls {
			if c != nil {
				ranks, name = append(ranks, r), c.Group
			}
		}
		if m.pair || name == "" || len(ranks) < 2 {
			continue
		}
		g := found[name]
		if g == nil {
			g = &group{ranks: ranks, times: map[callKind][]int64{}}
			found[name] = g
			list = append(list, g)
		}
		if !slices.Equal(g.ranks, ranks) {
			continue // a call of some is not in the traces
		}
		kind := kindOf(m.calls[ranks[0]])
		g.meetings = append(g.meetings, m)
		g.times[kind] = append(g.times[kind], j.tookOnce(m))
	}
	return list
}

// tookOnce is how long a collective took once all were there.
func (j *job) tookOnce(m *meeting) int64 {
	var ends []int64
	last := int64(absent)
	for r, c := range m.calls {
		if c != nil {
			ends, last = append(ends, c.End-j.shifts[r]), max(last, c.Arrived-j.shifts[r])
		}
	}
	return max(median(ends)-last, 0)
}

// compare finds what takes at least twice as long as in the median of the other groups
// of as many ranks, and none of them.
func (g *group) compare(groups []*group) {
	g.usual = map[callKind]int64{}
	most := int64(0)
	for kind, times := range g.times {
		var others []int64
		for _, o := range groups {
			if list := o.times[kind]; o != g && len(o.ranks) == len(g.ranks) && !meets(o.ranks, g.ranks) && len(list) > 0 {
				others = append(others, median(list))
			}
		}
		own, usual := median(times), median(others)
		if len(others) == 0 || usual <= 0 || own < 2*usual {
			continue
		}
		g.usual[kind] = usual
		more := (own - usual) * int64(len(times))
		if g.longer += more; more > most || more == most && cmp.Compare(kind.name, g.most.name) < 0 {
			most, g.most, g.took, g.others = more, kind, own, usual
		}
	}
}

func meets(a, b []int) bool {
	return slices.ContainsFunc(a, func(r int) bool { return slices.Contains(b, r) })
}

// waitedFor is how long the ranks of a group stood still, in the median, in what its
// transfers take longer than those of others.
func (j *job) waitedFor(g *group) int64 {
	var sums []int64
	for _, r := range g.ranks {
		var still []stretch
		for _, m := range g.meetings {
			c := m.calls[r]
			usual, is := g.usual[kindOf(c)]
			if more := j.tookOnce(m) - usual; is && more > 0 {
				still = append(still, stretch{max(c.Still, c.End-more), c.End})
			}
		}
		var exposed int64 // it computes beside some of them
		for key, time := range j.totals[r] {
			if key.doing == InCollective {
				exposed += time
			}
		}
		sums = append(sums, min(covered(still), exposed))
	}
	return median(sums)
}
