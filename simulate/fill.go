package simulate

import (
	"math"
	"slices"
)

// Progressive filling: all flows of a round grow together until links fill up.

// filling is a link that is filling up.
type filling struct {
	level  float64 // at which it will be full, or less; infinite when nothing grows on it any more
	left   float64 // capacity not yet given away
	demand float64 // Σ w/p of flows still growing
	active int32   // flows still growing
	link   int32
}

// fill shares what the flows outside the set leave among those in it and, where
// the set touches it, the crowd.
func (s *solver) fill() {
	c := &s.crowd
	c.playing = c.link != none && s.links[c.link].epoch == s.epoch
	if len(s.set) == 1 && !c.playing && s.fillOne() {
		return
	}
	for _, id := range s.set {
		s.flows[id].fixed = false
	}
	i := s.open()
	if s.few = len(s.filling) <= fewLinks; !s.few {
		s.pile()
	}
	open := len(s.set)
	c.fixed = !c.playing
	for ; (open > 0 || !c.fixed) && i >= 0; i = s.lowest() {
		x := &s.filling[i]
		l := &s.links[x.link]
		if x.active == 0 {
			s.lift(i, math.Inf(1))
			continue
		}
		if l.fat {
			s.demandOf(x)
		}
		if now := x.left / x.demand; now > x.level {
			s.lift(i, now) // flows held elsewhere left it room
			continue
		}
		if x.link == c.link && c.playing {
			open -= c.fill(s, x.level)
			continue
		}
		if l.crowded > 0 && !c.fixed {
			// It fills up before the crowd does: its part of the crowd must
			// be shared out flow by flow, and so with others like it.
			h := &s.filling[s.links[c.link].slot]
			limit := h.left / h.demand
			c.part(s, x.link)
			for i := range s.filling {
				k := &s.filling[i]
				if s.links[k.link].crowded > 0 && k.active > 0 && k.link != c.link && k.left/k.demand < limit {
					c.part(s, k.link)
				}
			}
			return
		}
		if c.fixed && int(x.active) == open && s.bounded == 0 && !l.fat {
			s.fillLast(x.link, x.level)
			return
		}
		open -= s.fillLink(x.link, x.level)
	}
	for _, id := range s.set { // those that cross no link that could fill up
		if f := &s.flows[id]; open > 0 && !f.fixed {
			s.stop(f, f.bound, none)
			open--
		}
	}
}

// open lists the links that can fill up before the last flow of the set is at its
// bound, and returns the place of the one that does so first, or none. Links that
// hold flows back are listed too: they may turn out not to be full any more.
func (s *solver) open() int32 {
	top := s.top * (1 + slack)
	if s.crowd.playing {
		top = math.Inf(1)
	}
	first, lowest := none, math.Inf(1)
	list, links := slices.Grow(s.filling[:0], len(s.touched)), s.links // to grow bit by bit takes twice the room
	for _, e := range s.touched {
		l := &links[e]
		l.level, l.slot = -1, none
		left, demand, active := l.capacity-l.load, l.demand, l.active
		if l.fat || l.open || l.crowded > 0 {
			switch {
			case l.open || l.fat && l.critical == 0:
				continue
			case l.fat:
				left = l.capacity
			default: // the crowd is one more flow
				demand += l.shadow
				active++
			}
		}
		level := math.Inf(1)
		if active > 0 && left <= demand*top {
			left = max(left, 0)
			level = left / demand
		} else if l.nearest == 0 {
			continue
		}
		l.slot = int32(len(list))
		if level < lowest {
			first, lowest = l.slot, level
		}
		list = append(list, filling{level, left, demand, active, e})
	}
	s.filling = list
	return first
}

// fillLast is the filling up of a link that all growing flows cross: nothing is
// left to share out after it.
func (s *solver) fillLast(e int32, level float64) {
	s.links[e].level = level
	for _, id := range s.set {
		if f := &s.flows[id]; !f.fixed {
			f.fixed = true
			s.fix(f, level*f.inverse, e)
		}
	}
}

// fillOne is fill for a single flow.
func (s *solver) fillOne() bool {
	f := &s.flows[s.set[0]]
	rate, bottleneck := f.bound, none
	way, weights := s.way(f)
	for i, weight := range weights {
		l := &s.links[way[i].link]
		l.level = -1
		if l.fat {
			if l.critical > 0 {
				return false
			}
			continue
		}
		if left := l.capacity - l.load; left < rate*weight {
			rate, bottleneck = max(left/weight, 0), way[i].link
		}
	}
	s.fix(f, rate, bottleneck)
	f.fixed = true
	if bottleneck != none {
		s.links[bottleneck].level = rate * f.penalty
	}
	s.filling = s.filling[:0]
	for i := range way {
		if e := way[i].link; s.links[e].nearest > 0 {
			s.filling = append(s.filling, filling{link: e})
		}
	}
	return true
}

// demandOf recomputes the steepest of a FATPIPE link's growing flows.
func (s *solver) demandOf(x *filling) {
	x.demand = 0
	for _, id := range s.links[x.link].users {
		if f := &s.flows[id]; f.epoch == s.epoch && !f.fixed {
			_, weight := s.partOf(f, x.link)
			x.demand = max(x.demand, weight*f.inverse)
		}
	}
}

// fillLink ends the growth of flows on a link that fills up at the given level
// and returns how many. Flows whose bound is lower stop there first; the link
// then fills up later and comes round again.
func (s *solver) fillLink(e int32, level float64) int {
	l := &s.links[e]
	n := 0
	if s.bounded > 0 {
		for _, id := range l.users {
			f := &s.flows[id]
			if f.epoch == s.epoch && !f.fixed && f.bounded && f.bound*f.penalty < level {
				s.stop(f, f.bound, none)
				n++
			}
		}
		if n > 0 {
			return n
		}
	}
	l.level = level
	for _, id := range l.users {
		f := &s.flows[id]
		if f.epoch == s.epoch && !f.fixed {
			s.stop(f, level*f.inverse, e)
			n++
		}
	}
	return n
}

// stop ends a flow's growth and takes its share from its links.
func (s *solver) stop(f *flow, rate float64, bottleneck int32) {
	f.fixed = true
	s.fix(f, rate, bottleneck)
	way, weights := s.way(f)
	inverse, links, list := f.inverse, s.links, s.filling
	for i := range way {
		l := &links[way[i].link]
		if l.slot == none {
			continue
		}
		x := &list[l.slot]
		if x.active--; x.active == 0 && s.few { // a heap would lose its order
			x.level = math.Inf(1)
		}
		if l.fat {
			continue
		}
		if x.left -= weights[i] * rate; x.left < 0 {
			x.left = 0
		}
		x.demand -= weights[i] * inverse
	}
}

// fix records a flow's share; the loads follow when the round is settled.
func (s *solver) fix(f *flow, rate float64, bottleneck int32) {
	f.rate = rate
	if f.bottleneck != bottleneck {
		if f.bottleneck != none {
			s.links[f.bottleneck].nearest--
		}
		if bottleneck != none {
			s.links[bottleneck].nearest++
		}
		f.bottleneck = bottleneck
	}
}

// fewLinks is up to how many links the one that fills up next is looked for
// among all: most rounds have fewer than ten, for which a heap costs more.
const fewLinks = 32

// lowest is the place of the link that fills up next, or none.
func (s *solver) lowest() int32 {
	if !s.few {
		if len(s.heap) == 0 {
			return none
		}
		return s.heap[0]
	}
	first, level := none, math.Inf(1)
	for i := range s.filling {
		if x := s.filling[i].level; x < level {
			first, level = int32(i), x
		}
	}
	return first
}

// lift raises the level of the link that fills up next; an infinite one takes
// it out.
func (s *solver) lift(i int32, level float64) {
	s.filling[i].level = level
	if s.few {
		return
	}
	if math.IsInf(level, 1) {
		last := len(s.heap) - 1
		s.heap[0] = s.heap[last]
		s.heap = s.heap[:last]
		if last == 0 {
			return
		}
	}
	s.down(0)
}

// pile makes the heap of the links that fill up.
func (s *solver) pile() {
	s.heap = slices.Grow(s.heap[:0], len(s.filling))
	for i := range s.filling {
		if !math.IsInf(s.filling[i].level, 1) {
			s.heap = append(s.heap, int32(i))
		}
	}
	for i := len(s.heap)/2 - 1; i >= 0; i-- {
		s.down(i)
	}
}

func (s *solver) down(i int) {
	h, list := s.heap, s.filling
	x := h[i]
	for {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && list[h[c+1]].level < list[h[c]].level {
			c++
		}
		if list[h[c]].level >= list[x].level {
			break
		}
		h[i] = h[c]
		i = c
	}
	h[i] = x
}
