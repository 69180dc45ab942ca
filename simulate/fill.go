package simulate

import (
	"math"
	"slices"
)

// Progressive filling: all flows of a round grow together until links fill up. Which
// link does so when cannot be foretold by a processor either: where it would take a
// branch that is wrong every other time, numbers are chosen among instead.

// filling is a link that is filling up.
type filling struct {
	level  uint64  // at which it will be full, or less, as bits: those are in the order of levels
	left   float64 // capacity not yet given away
	demand float64 // Σ w/p of flows still growing
	active int32   // flows still growing
	link   int32
}

// never is the level of a link on which nothing grows (any more).
const never = uint64(0x7ff) << 52

// at is the level as a number.
func (x *filling) at() float64 { return math.Float64frombits(x.level) }

// fill shares what the flows outside the set leave among those in it and, where
// the set touches it, the crowd.
func (s *solver) fill(again bool) {
	c := &s.crowd
	c.playing = c.link != none && s.links[c.link].epoch == s.epoch
	if len(s.set) == 1 && !c.playing && s.fillOne() {
		return
	}
	if again {
		for _, id := range s.set {
			s.flows[id].fixed = false
		}
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
			s.lift(i, never)
			continue
		}
		if l.fat {
			s.demandOf(x)
		}
		level := x.at()
		if now := x.left / x.demand; now > level {
			s.lift(i, math.Float64bits(now)) // flows held elsewhere left it room
			continue
		}
		if x.link == c.link && c.playing {
			open -= c.fill(s, level)
			continue
		}
		if l.crowded && !c.fixed {
			// It fills up before the crowd does: its part of the crowd must
			// be shared out flow by flow, and so with others like it.
			h := &s.places[s.links[c.link].slot]
			limit := h.left / h.demand
			c.part(s, x.link)
			for i := range s.filling {
				k := &s.filling[i]
				if s.links[k.link].crowded && k.active > 0 && k.link != c.link && k.left/k.demand < limit {
					c.part(s, k.link)
				}
			}
			return
		}
		if c.fixed && int(x.active) == open && s.bounded == 0 && !l.fat {
			s.fillLast(x.link, level)
			return
		}
		open -= s.fillLink(x.link, level)
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
	n := len(s.touched) + 1
	list, links := slices.Grow(s.places[:0], n)[:n], s.links // to grow bit by bit takes twice the room
	list[nowhere] = filling{level: never, left: math.Inf(1)}
	next, first, lowest := int32(nowhere+1), none, never
	for _, e := range s.touched {
		l := &links[e]
		left, demand, active := l.capacity-l.load, l.demand, l.active
		if l.fat || l.open || l.crowded {
			switch {
			case l.open || l.fat && l.critical == 0:
				l.level, l.slot = -1, nowhere
				continue
			case l.fat:
				left = l.capacity
			default: // the crowd is one more flow
				demand += s.crowd.on[e].shadow
				active++
			}
		}
		if left < 0 {
			left = 0
		}
		// From here on each step is a choice between two numbers.
		level := math.Float64bits(left / demand)
		if left > demand*top {
			level = never
		}
		if active == 0 {
			level = never
		}
		listed, slot, following := l.nearest, int32(nowhere), next
		if level < never {
			listed = 1
		}
		if listed > 0 {
			slot, following = next, next+1
		}
		if level < lowest {
			first, lowest = next-1, level
		}
		x := &list[next]
		x.level, x.left, x.demand, x.active, x.link = level, left, demand, active, e
		l.level, l.slot, next = -1, slot, following
	}
	s.places, s.filling = list[:next], list[nowhere+1:next]
	return first
}

// nowhere is the place of links that do not fill up; what flows take there counts for
// nothing.
const nowhere = 0

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
	for _, u := range s.links[x.link].users {
		if f := &s.flows[u.flow()]; f.epoch == s.epoch && !f.fixed {
			x.demand = max(x.demand, s.weightOf(u, x.link)*f.inverse)
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
		for _, u := range l.users {
			f := &s.flows[u.flow()]
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
	for _, u := range l.users {
		f := &s.flows[u.flow()]
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
	inverse, links, list, few := f.inverse, s.links, s.places, s.few
	for i := range way {
		l := &links[way[i].link]
		x := &list[l.slot]
		x.active--
		if few { // a heap would lose its order
			level := x.level
			if x.active == 0 {
				level = never
			}
			x.level = level
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
	if s.few {
		return lowestOf(s.filling)
	}
	if len(s.heap) == 0 {
		return none
	}
	return s.heap[0]
}

// lowestOf is not to be inlined: its result being an address there, the compiler would
// take a branch for each link.
//
//go:noinline
func lowestOf(list []filling) int32 {
	first, level := none, never
	for i := range list {
		if x := list[i].level; x < level {
			first, level = int32(i), x
		}
	}
	return first
}

// lift raises the level of the link that fills up next; never takes it out.
func (s *solver) lift(i int32, level uint64) {
	s.filling[i].level = level
	if s.few {
		return
	}
	if level >= never {
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
		if s.filling[i].level < never {
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
