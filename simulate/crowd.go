package simulate

import "math"

// A crowd is the many flows that one full link, such as a cluster's backbone,
// holds back. They all have the link's level, so a change of the level is one
// number and not a new rate for each of them; the network keeps their progress
// in the same way (virtual time, in network.go).
//
// The crowd is shared out as if it were one flow that crosses all its flows'
// links. When its level moves, this is checked: it may rise above what another
// link has room for, or above a flow's bound; it may fall below the level of a
// flow that crosses the link but is held back elsewhere; and links that its
// flows cross and that hold back others have more or less to give to those.
type crowd struct {
	link     int32 // the full link, or none
	size     int
	level    float64    // of all its flows
	lowBound float64    // no flow's bound is at a lower level
	on       []crossing // by link, once there has been a crowd
	roof     []roof
	outside  []int32 // flows that cross the link and are not in the crowd
	beside   []int32 // other links that its flows cross and that hold flows back

	dirty    bool // the link's users have changed
	playing  bool // it is shared out in this round
	fixed    bool // its new level is found
	newLevel float64
	gone     []int32 // flows that left when it broke up; see network.share
	come     []int32 // flows that were there when it formed
}

// crossing is the part of the crowd that crosses a link.
type crossing struct {
	shadow float64 // Σ w/p of its flows
	flows  int32
	noted  int32 // the link's place in crowd.roof, or none
}

// roof is the level of the crowd at which another link is full.
type roof struct {
	level float64
	link  int32
}

const (
	crowdForms  = 32 // flows held back by one link
	crowdBreaks = 8
)

// admit lets a flow in that the link holds back. Its links' loads are without it
// then.
func (c *crowd) admit(s *solver, f *flow) {
	if f.outside != none {
		c.notOutside(s, f)
	}
	f.inCrowd = true
	c.size++
	if f.bounded {
		c.lowBound = min(c.lowBound, f.bound*f.penalty)
	}
	way, weights := s.way(f)
	for i, p := range way {
		x := &c.on[p.link]
		x.flows++
		x.shadow += weights[i] * f.inverse
		s.links[p.link].crowded = true
		c.cap(s, p.link)
		c.note(s, p.link)
	}
}

// note lists a link that holds flows back beside the crowd's.
func (c *crowd) note(s *solver, e int32) {
	if l := &s.links[e]; l.nearest > 0 && l.crowded && e != c.link && !l.beside {
		l.beside = true
		c.beside = append(c.beside, e)
	}
}

// remove takes a flow out. Its loads are not booked then.
func (c *crowd) remove(s *solver, f *flow) {
	f.inCrowd = false
	c.size--
	c.dirty = true
	way, weights := s.way(f)
	for i, p := range way {
		x := &c.on[p.link]
		if x.flows--; x.flows == 0 {
			x.shadow, s.links[p.link].crowded = 0, false
		} else {
			x.shadow -= weights[i] * f.inverse
		}
	}
}

// cap notes at which level of the crowd another link is full. A note that has
// become too low stays until it is looked at.
func (c *crowd) cap(s *solver, e int32) {
	l := &s.links[e]
	if l.fat || l.open || !l.crowded || e == c.link {
		return
	}
	room, x := l.capacity-l.load, &c.on[e]
	if x.noted == none {
		c.roof = append(c.roof, roof{room / x.shadow, e})
		c.raise(int32(len(c.roof) - 1))
	} else if room < c.roof[x.noted].level*x.shadow {
		c.roof[x.noted].level = room / x.shadow
		c.raise(x.noted)
	}
}

// fill is the link filling up at a level: the crowd and the flows of the set on
// the link stop growing. It returns how many of the set did.
func (c *crowd) fill(s *solver, level float64) int {
	n := 0
	if s.bounded > 0 {
		for _, id := range s.set {
			f := &s.flows[id]
			if !f.fixed && f.bounded && f.bound*f.penalty < level && s.crosses(f, c.link) {
				s.stop(f, f.bound, none)
				n++
			}
		}
		if n > 0 {
			return n
		}
	}
	s.links[c.link].level = level
	for _, id := range s.set {
		f := &s.flows[id]
		if !f.fixed && s.crosses(f, c.link) {
			s.stop(f, level*f.inverse, c.link)
			n++
		}
	}
	c.fixed, c.newLevel = true, level
	for i := range s.filling {
		x := &s.filling[i]
		if l := &s.links[x.link]; l.crowded && !l.fat {
			shadow := c.on[x.link].shadow
			x.active--
			x.left = max(x.left-shadow*level, 0)
			x.demand -= shadow
		}
	}
	return n
}

func (s *solver) crosses(f *flow, e int32) bool {
	way, _ := s.way(f)
	for _, p := range way {
		if p.link == e {
			return true
		}
	}
	return false
}

// part takes the flows that cross another link out, to be shared out singly.
func (c *crowd) part(s *solver, e int32) {
	for _, u := range s.links[e].users {
		if id := u.flow(); s.flows[id].inCrowd {
			s.add(id)
		}
	}
}

// check tests whether the crowd's new level is fair to all.
func (c *crowd) check(s *solver) {
	if !c.fixed { // nobody is left in it
		return
	}
	level := c.newLevel
	if level > c.lowBound {
		c.lowBound = math.Inf(1)
		for _, u := range s.links[c.link].users {
			f := &s.flows[u.flow()]
			if !f.inCrowd || !f.bounded {
				continue
			}
			if own := f.bound * f.penalty; own < level {
				s.add(u.flow())
			} else {
				c.lowBound = min(c.lowBound, own)
			}
		}
	}
	for len(c.roof) > 0 && c.roof[0].level < level {
		e := c.roof[0].link
		l, shadow := &s.links[e], c.on[e].shadow
		switch {
		case !l.crowded || l.epoch == s.epoch:
			// Links of the round have been looked at in fill, and get new
			// notes when it is settled.
			c.unroof()
		case l.capacity-l.load < shadow*level*(1-slack):
			c.unroof()
			c.part(s, e)
		default:
			c.roof[0].level = max((l.capacity-l.load)/shadow, level)
			c.lower(0)
		}
	}
	if math.Abs(level-c.level) > slack*level {
		keep := c.beside[:0]
		for _, e := range c.beside {
			if l := &s.links[e]; l.nearest > 0 && l.crowded {
				keep = append(keep, e)
				if l.epoch != s.epoch {
					s.addNearest(e)
				}
			} else {
				l.beside = false
			}
		}
		c.beside = keep
	}
	for _, id := range c.outside {
		f := &s.flows[id]
		if f.epoch != s.epoch && f.rate*f.penalty > level*(1+slack) {
			s.add(id)
		}
	}
}

// current is the crowd's level as far as the round has found it.
func (c *crowd) current() float64 {
	if c.playing && c.fixed {
		return c.newLevel
	}
	return c.level
}

// maybeOutside files a flow that crosses the crowd's link without being in it.
func (c *crowd) maybeOutside(s *solver, id int32) {
	if f := &s.flows[id]; s.crosses(f, c.link) {
		f.outside = int32(len(c.outside))
		c.outside = append(c.outside, id)
	}
}

func (c *crowd) notOutside(s *solver, f *flow) {
	last := len(c.outside) - 1
	moved := c.outside[last]
	c.outside[f.outside] = moved
	s.flows[moved].outside = f.outside
	c.outside = c.outside[:last]
	f.outside = none
}

// found forms a crowd where a link of the round holds enough flows back, and
// breaks up one that has become small.
func (c *crowd) found(s *solver) {
	c.come, c.gone = c.come[:0], c.gone[:0]
	if c.link != none {
		if c.size < crowdBreaks {
			c.breakUp(s)
		}
		return
	}
	if s.resized < crowdForms {
		return // flows that come and go together are no trouble
	}
	best := none
	for _, e := range s.touched {
		if l := &s.links[e]; l.nearest >= crowdForms && !l.fat && (best == none || l.nearest > s.links[best].nearest) {
			best = e
		}
	}
	if best == none {
		return
	}
	l := &s.links[best]
	c.link, c.size, c.level = best, 0, -1
	c.lowBound = math.Inf(1)
	if c.on == nil {
		c.on = make([]crossing, len(s.links))
		for e := range c.on {
			c.on[e].noted = none
		}
	}
	for _, x := range c.roof {
		c.on[x.link].noted = none
	}
	for _, e := range c.beside {
		s.links[e].beside = false
	}
	c.roof, c.outside, c.beside = c.roof[:0], c.outside[:0], c.beside[:0]
	for _, u := range l.users {
		id := u.flow()
		f := &s.flows[id]
		if f.bottleneck == best {
			if c.level < 0 {
				c.level = f.rate * f.penalty
			}
			s.book(f, -f.rate)
			c.admit(s, f)
			c.come = append(c.come, id)
		} else {
			c.maybeOutside(s, id)
		}
	}
}

// breakUp makes the crowd's flows ordinary ones again.
func (c *crowd) breakUp(s *solver) {
	for _, id := range c.outside {
		s.flows[id].outside = none
	}
	c.outside = c.outside[:0]
	for _, u := range s.links[c.link].users {
		id := u.flow()
		f := &s.flows[id]
		if f.inCrowd {
			c.remove(s, f)
			f.rate = c.level * f.inverse
			s.book(f, f.rate)
			c.gone = append(c.gone, id)
		}
	}
	c.link, c.dirty, c.playing = none, false, false
}

// unroof takes the lowest note away.
func (c *crowd) unroof() {
	last := len(c.roof) - 1
	c.on[c.roof[0].link].noted = none
	x := c.roof[last]
	c.roof = c.roof[:last]
	if last > 0 {
		c.roof[0] = x
		c.lower(0)
	}
}

// raise and lower keep the lowest note first: a heap.
func (c *crowd) raise(i int32) {
	x := c.roof[i]
	for i > 0 && c.roof[(i-1)/2].level > x.level {
		c.roof[i] = c.roof[(i-1)/2]
		c.on[c.roof[i].link].noted = i
		i = (i - 1) / 2
	}
	c.roof[i] = x
	c.on[x.link].noted = i
}

func (c *crowd) lower(i int32) {
	x := c.roof[i]
	n := int32(len(c.roof))
	for {
		k := 2*i + 1
		if k >= n {
			break
		}
		if k+1 < n && c.roof[k+1].level < c.roof[k].level {
			k++
		}
		if c.roof[k].level >= x.level {
			break
		}
		c.roof[i] = c.roof[k]
		c.on[c.roof[i].link].noted = i
		i = k
	}
	c.roof[i] = x
	c.on[x.link].noted = i
}
