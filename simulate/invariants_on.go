//go:build invariants

package simulate

import "fmt"

// invariants turns the costly self-checks on (build with -tags invariants).
const invariants = true

// verify panics unless the current shares are feasible, fair, and their books
// are in order.
func (s *solver) verify() {
	const tolerance = 1e-6
	for i := range s.flows {
		if f := &s.flows[i]; f.inCrowd {
			f.rate = s.crowd.level * f.inverse
		}
	}
	for e := range s.links {
		l := &s.links[e]
		load, nearest := 0.0, int32(0)
		for i, u := range l.users {
			f := &s.flows[u.flow()]
			weight := s.weightOf(u, int32(e))
			if s.parts[s.partOf(u, int32(e))].at != int32(i) {
				panic(fmt.Sprintf("link %d: user %d is not where it should be", e, i))
			}
			load += weight * f.rate
			if f.bottleneck == int32(e) {
				nearest++
			}
			if l.fat && weight*f.rate > l.capacity*(1+tolerance) {
				panic(fmt.Sprintf("link %d: a flow exceeds its capacity", e))
			}
		}
		if nearest != l.nearest {
			panic(fmt.Sprintf("link %d: %d flows held, %d counted", e, nearest, l.nearest))
		}
		shadow := 0.0
		if l.crowded {
			shadow = s.crowd.on[e].shadow
		}
		if diff := load - l.load - shadow*s.crowd.level; diff > l.capacity*tolerance || diff < -l.capacity*tolerance {
			panic(fmt.Sprintf("link %d: load %g, booked %g", e, load, l.load))
		}
		if l.fat || l.open {
			continue
		}
		if load > l.capacity*(1+tolerance) {
			panic(fmt.Sprintf("link %d: load %g exceeds %g", e, load, l.capacity))
		}
		for _, u := range l.users {
			f := &s.flows[u.flow()]
			if f.bottleneck != int32(e) {
				continue
			}
			if load < l.capacity*(1-tolerance) {
				panic(fmt.Sprintf("link %d holds flow %d back but is not full", e, u.flow()))
			}
			for _, v := range l.users {
				if g := &s.flows[v.flow()]; g.rate*g.penalty > f.rate*f.penalty*(1+tolerance) {
					panic(fmt.Sprintf("link %d: flow %d has more than its share", e, v.flow()))
				}
			}
		}
	}
	for i := range s.flows {
		if f := &s.flows[i]; f.rate > f.bound*(1+tolerance) {
			panic(fmt.Sprintf("flow %d exceeds its bound", i))
		}
	}
}
