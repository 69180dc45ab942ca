package simulate

// Progressive filling: all flows of a round grow together until links fill up.

// fill shares what the flows outside the set leave among those in it and, where
// the set touches it, the crowd.
func (s *solver) fill() {
	c := &s.crowd
	c.playing = c.link != none && s.links[c.link].epoch == s.epoch
	if s.stale {
		s.prepare()
	}
	s.stale = true
	if len(s.set) == 1 && !c.playing && s.fillOne() {
		return
	}
	s.heap = s.heap[:0]
	for _, e := range s.touched {
		l := &s.links[e]
		if l.active > 0 && !l.open && (!l.fat || l.critical > 0) {
			l.left = max(l.left, 0)
			s.heap = append(s.heap, filling{l.left / l.demand, e})
		}
	}
	if s.few = len(s.heap) <= fewLinks; !s.few {
		for i := len(s.heap)/2 - 1; i >= 0; i-- {
			s.down(i)
		}
	}
	open := len(s.set)
	c.fixed = !c.playing
	for (open > 0 || !c.fixed) && len(s.heap) > 0 {
		if s.few {
			s.bringUp()
		}
		top := s.heap[0]
		l := &s.links[top.link]
		if l.active == 0 {
			s.pop()
			continue
		}
		if l.fat {
			s.demandOf(top.link)
		}
		if now := l.left / l.demand; now > top.level {
			s.heap[0].level = now // flows held elsewhere left it room
			if !s.few {
				s.down(0)
			}
			continue
		}
		if top.link == c.link && c.playing {
			open -= c.fill(s, top.level)
			continue
		}
		if l.crowded > 0 && !c.fixed {
			// It fills up before the crowd does: its part of the crowd must
			// be shared out flow by flow, and so with others like it.
			h := &s.links[c.link]
			limit := h.left / h.demand
			c.part(s, top.link)
			for _, x := range s.heap {
				if k := &s.links[x.link]; k.crowded > 0 && k.active > 0 && x.link != c.link && k.left/k.demand < limit {
					c.part(s, x.link)
				}
			}
			return
		}
		if c.fixed && int(l.active) == open && s.bounded == 0 && !l.fat {
			s.fillLast(top.link, top.level)
			return
		}
		open -= s.fillLink(top.link, top.level)
	}
	for _, id := range s.set { // those that cross no link that could fill up
		if f := &s.flows[id]; open > 0 && !f.fixed {
			s.stop(f, f.bound, none)
			open--
		}
	}
}

// prepare sums up what the flows of the set ask of their links. For the first
// filling of a round, that is done while flows are added.
func (s *solver) prepare() {
	for _, e := range s.touched {
		s.links[e].clear()
	}
	for _, id := range s.set {
		f := &s.flows[id]
		f.fixed = false
		for i, p := range s.way(f) {
			s.links[p.link].ask(f, f.weights[i])
		}
	}
}

// clear starts the sums of a link.
func (l *link) clear() {
	l.left = l.capacity - l.load
	l.demand, l.active, l.level = 0, 0, -1
	if l.fat {
		l.left = l.capacity
	} else if l.crowded > 0 {
		l.demand, l.active = l.shadow, 1 // the crowd is one more flow
	}
}

// ask adds a flow of the given weight to the sums of a link.
func (l *link) ask(f *flow, weight float64) {
	l.active++
	if l.fat {
		l.demand = max(l.demand, weight*f.inverse)
		return
	}
	l.left += weight * f.booked
	l.demand += weight * f.inverse
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
	for i, p := range s.way(f) {
		l := &s.links[p.link]
		l.level = -1
		if l.fat {
			if l.critical > 0 {
				return false
			}
			continue
		}
		l.left = max(l.capacity-l.load+f.weights[i]*f.booked, 0)
		if share := l.left / f.weights[i]; share < rate {
			rate, bottleneck = share, p.link
		}
	}
	s.fix(f, rate, bottleneck)
	f.fixed = true
	if bottleneck != none {
		s.links[bottleneck].level = rate * f.penalty
	}
	return true
}

// demandOf recomputes the steepest of a FATPIPE link's growing flows.
func (s *solver) demandOf(e int32) {
	l := &s.links[e]
	l.demand = 0
	for _, u := range l.users {
		if f := &s.flows[u.flow]; f.epoch == s.epoch && !f.fixed {
			l.demand = max(l.demand, f.weights[u.part]*f.inverse)
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
			f := &s.flows[u.flow]
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
		f := &s.flows[u.flow]
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
	way := s.way(f)
	for i, weight := range f.weights {
		l := &s.links[way[i].link]
		l.active--
		if !l.fat {
			l.left = max(l.left-weight*rate, 0)
			l.demand -= weight * f.inverse
		}
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
// among all: most rounds have about ten, for which a heap costs more.
const fewLinks = 32

// bringUp puts the link that fills up next first.
func (s *solver) bringUp() {
	h := s.heap
	first, level := 0, h[0].level
	for i := 1; i < len(h); i++ {
		if h[i].level < level {
			first, level = i, h[i].level
		}
	}
	h[0], h[first] = h[first], h[0]
}

func (s *solver) pop() {
	last := len(s.heap) - 1
	s.heap[0] = s.heap[last]
	s.heap = s.heap[:last]
	if last > 0 && !s.few {
		s.down(0)
	}
}

func (s *solver) down(i int) {
	h := s.heap
	x := h[i]
	for {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && h[c+1].level < h[c].level {
			c++
		}
		if h[c].level >= x.level {
			break
		}
		h[i] = h[c]
		i = c
	}
	h[i] = x
}
