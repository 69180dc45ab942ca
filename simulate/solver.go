package simulate

import "slices"

// The solver shares links among flows by weighted max-min fairness. Flow i has
// penalty p and bound b, and takes w units of link e for each unit of rate x:
//
//	Σ w·x ≤ capacity of e   and   x ≤ b.
//
// All flows grow together at rates level/p until one meets a full link or its
// bound; that is their fair share. An allocation is the fair one if and only if
// every flow is at its bound or has a bottleneck: a full link on which no other
// flow has a higher level x·p (Bertsekas and Gallager, Data Networks, §6.5.2,
// with weights).
//
// That test is what keeps a change local: when flows come and go, only flows
// whose bottleneck the change can touch are shared out again, against what the
// others hold, and the set grows until the test holds for everybody. Links that
// are not full therefore never couple flows, however many cross them. Where one
// full link holds back very many flows, they are kept as a crowd (crowd.go).

// slack is the relative difference below which levels and loads are equal.
const slack = 1e-9

// link is a network resource and who uses it. What solving needs most comes
// first, and fits a line of the cache.
type link struct {
	capacity float64
	load     float64 // Σ w·x of flows outside the crowd and, while solving, outside the set
	demand   float64 // while solving: Σ w/p of the set's flows
	level    float64 // at which it filled up, negative when it did not
	active   int32   // while solving: flows of the set
	slot     int32   // while filling: its place in solver.places
	epoch    uint32  // the round it is part of
	nearest  int32   // flows that have it as their bottleneck
	critical int32   // FATPIPE: flows that could use it alone
	fat      bool    // every flow may use the whole capacity
	open     bool    // its limit is overlooked; see overlook.go
	crowded  bool    // flows of the crowd cross it; see crowd.on
	beside   bool    // it is listed in crowd.beside

	users   []user
	carried float64 // bytes in all, acknowledgements left out

	// When something last happened to it; see overlook.go.
	taken uint32 // a flow has come, and was the only one
	quit  uint32 // a flow has left
}

// part is one link of a flow's way.
type part struct {
	link int32
	at   int32 // the flow's place in the link's users
}

// user is a flow on a link, and which of its parts that is: the first at which to look
// for it, where the flow has very many.
type user int32

const (
	placeBits = 3
	lastPlace = 1<<placeBits - 1
)

func newUser(flow int32, place int) user { return user(flow<<placeBits | int32(min(place, lastPlace))) }

func (u user) flow() int32 { return int32(u >> placeBits) }

// terms are what a flow asks for. Flows over like routes share them.
type terms struct {
	penalty float64
	inverse float64 // 1/penalty
	bound   float64
	weights []float64 // with which it uses the links of its parts
}

// flow is a variable of the sharing problem.
type flow struct {
	*terms
	rate       float64 // where inCrowd, what it was when it joined the crowd
	first      int32   // of its parts
	bottleneck int32   // link, or none when held by its bound
	outside    int32   // its place among the crowd's outsiders, or none
	epoch      uint32
	fixed      bool // rate found in this round
	inCrowd    bool
	critical   bool   // has a FATPIPE part as narrow as its bound
	bounded    bool   // its bound may hold it back before any link does
	room       uint16 // for how many parts there is room from the first on
	factor     uint16 // of its size: place in network.bandwidthFactors
}

// solver holds the sharing problem and its current solution.
type solver struct {
	links []link
	flows []flow
	parts []part // of all flows
	epoch uint32
	crowd crowd

	joined []int32 // flows that have come since the last solve
	eased  []int32 // links that were full and that a flow has left

	set     []int32   // flows to share out again
	touched []int32   // links of those
	places  []filling // nowhere, and after it:
	filling []filling // those that may fill up or that hold flows back
	heap    []int32   // of places in filling, where that is long
	few     bool      // it is not; see fewLinks
	grown   bool      // set or crowd changed while it was checked
	top     float64   // no flow of the set rises above this level

	// For overlook.go:
	exact   bool     // nothing is overlooked
	instant uint32   // the epoch in which this round's flows came
	looked  uint32   // the instant that has been looked at
	moves   []uint32 // by flow, as far as it has been asked for: the instant in which it began to move, while its links are not known
	found   []found  // by link, likewise
	started []int32  // flows started since the last solve, not moving yet
	opened  []int32  // links that are overlooked
	resized int      // flows of the set that had a share before
	bounded int      // flows of the set that are bounded
}

// way is the parts of a flow with their weights.
func (s *solver) way(f *flow) ([]part, []float64) {
	weights, first := f.weights, int(f.first)
	return s.parts[first : first+len(weights)], weights
}

// partOf is the place of a link's user in solver.parts.
func (s *solver) partOf(u user, e int32) int {
	i := int(s.flows[u.flow()].first) + int(u&lastPlace)
	for s.parts[i].link != e {
		i++
	}
	return i
}

// weightOf is the weight with which a user uses its link.
func (s *solver) weightOf(u user, e int32) float64 {
	f := &s.flows[u.flow()]
	return f.weights[s.partOf(u, e)-int(f.first)]
}

// join adds a flow whose parts, penalty and bound are set.
func (s *solver) join(id int32) {
	f := &s.flows[id]
	f.rate, f.bottleneck, f.outside = 0, none, none
	f.inCrowd, f.critical = false, false
	way, weights := s.way(f)
	bound, bounded, links := f.bound, true, s.links
	for i := range way {
		p, weight := &way[i], weights[i]
		l := &links[p.link]
		if !l.fat && l.capacity <= bound*weight {
			bounded = false
		}
		if p.at = int32(len(l.users)); p.at == 0 {
			l.taken = s.epoch
		}
		l.users = append(l.users, newUser(id, i))
		if l.fat && bound*weight >= l.capacity*(1-slack) {
			f.critical = true
			l.critical++
		}
	}
	f.bounded = bounded
	s.joined = longer(s.joined, id, len(s.flows))
}

// leave removes a flow.
func (s *solver) leave(id int32) {
	f := &s.flows[id]
	booked := f.rate
	if f.inCrowd {
		s.crowd.remove(s, f)
		booked = 0
	}
	if f.outside != none {
		s.crowd.notOutside(s, f)
	}
	if f.bottleneck != none {
		s.links[f.bottleneck].nearest--
	}
	way, weights := s.way(f)
	for i := range way {
		p, weight := way[i], weights[i]
		l := &s.links[p.link]
		last := len(l.users) - 1
		if int(p.at) < last {
			moved := l.users[last]
			l.users[p.at] = moved
			s.parts[s.partOf(moved, p.link)].at = p.at
		}
		l.users = l.users[:last]
		left := l.quit == s.epoch // by others since the last solve
		l.quit = s.epoch
		if l.fat && f.bound*weight >= l.capacity*(1-slack) {
			l.critical--
		}
		if last == 0 {
			l.load = 0
		} else {
			l.load -= weight * booked
		}
		switch {
		case p.link == s.crowd.link:
			s.crowd.dirty = true
		case l.nearest > 0 && !left || l.fat && (l.critical > 0 || f.critical):
			s.eased = append(s.eased, p.link)
		}
	}
	f.rate, f.bottleneck = 0, none
}

// solve finds the fair shares after flows joined and left. It returns the
// flows whose share was looked at.
func (s *solver) solve() []int32 {
	s.instant = s.epoch
	s.epoch++
	s.set, s.touched, s.resized = slices.Grow(s.set[:0], len(s.joined)), s.touched[:0], 0
	s.bounded, s.top = 0, 0
	if len(s.opened) > 0 {
		s.closeOpened()
	}
	for _, id := range s.joined {
		s.add(id)
		way, _ := s.way(&s.flows[id])
		for _, p := range way {
			// Those that a full link holds back must make room for it. The test
			// would find that out, after one more filling.
			if l := &s.links[p.link]; l.nearest > 0 && !l.fat && p.link != s.crowd.link {
				s.addNearest(p.link)
			}
		}
	}
	for _, e := range s.eased {
		s.addNearest(e)
	}
	s.eased = emptied(s.eased)
	if s.crowd.dirty && s.crowd.link != none {
		s.touch(s.crowd.link)
	}
	s.crowd.dirty = false
	for again := false; len(s.touched) > 0; again = true {
		s.grown = false
		s.fill(again)
		if !s.grown {
			for i := range s.filling {
				// There is nothing to test where it holds nobody back, or all its
				// flows are in the set.
				e := s.filling[i].link
				if l := &s.links[e]; (l.level >= 0 || l.nearest > 0) && int(l.active) < len(l.users) {
					s.checkLink(e)
				}
			}
			if s.crowd.playing {
				s.crowd.check(s)
			}
		}
		if !s.grown && (s.exact || len(s.joined) < 2 || !s.openHidden()) {
			break
		}
	}
	s.joined, s.started = emptied(s.joined), emptied(s.started)
	s.settle()
	s.places, s.touched = emptied(s.places), emptied(s.touched)
	s.filling = s.places
	return s.set
}

// emptied is a list for the next round. One that became very long gives its memory
// back: where all ranks of a large program begin at once, there is little other room.
func emptied[T any](list []T) []T {
	if cap(list) > veryLong {
		return nil
	}
	return list[:0]
}

const veryLong = 1 << 14

// longer is a list with one more. One that becomes very long gets room for as many as
// there can be at once: growing bit by bit takes several times that.
func longer[T any](list []T, one T, most int) []T {
	if len(list) == cap(list) && len(list) >= veryLong {
		list = slices.Grow(list, max(most-len(list), 0))
	}
	return append(list, one)
}

// add puts a flow into the set to be shared out again.
func (s *solver) add(id int32) {
	f := &s.flows[id]
	if f.epoch == s.epoch {
		return
	}
	f.epoch, f.fixed = s.epoch, false
	if f.rate > 0 {
		s.resized++
	}
	if f.bounded {
		s.bounded++
	}
	booked := f.rate
	if f.inCrowd {
		s.crowd.remove(s, f)
		booked = 0
	}
	if top := f.bound * f.penalty; top > s.top {
		s.top = top
	}
	s.set = longer(s.set, id, len(s.flows))
	s.grown = true
	way, weights := s.way(f)
	inverse, links, epoch := f.inverse, s.links, s.epoch
	for i := range way {
		e, weight := way[i].link, weights[i]
		l := &links[e]
		if l.epoch != epoch {
			if l.fat || l.crowded {
				s.touch(e)
			} else {
				l.epoch, l.demand, l.active = epoch, 0, 0
				s.touched = longer(s.touched, e, len(s.links))
			}
		}
		l.active++
		l.load -= weight * booked
		l.demand += weight * inverse // too much where it is fat, see demandOf
	}
}

// touch makes a link part of the round.
func (s *solver) touch(e int32) {
	l := &s.links[e]
	if l.epoch == s.epoch {
		return
	}
	l.epoch, l.demand, l.active = s.epoch, 0, 0
	s.touched = append(s.touched, e)
	if l.fat && l.critical > 0 {
		// SimGrid stops all flows of a FATPIPE link when the first one reaches
		// its capacity, so they cannot be told apart.
		for _, u := range l.users {
			s.add(u.flow())
		}
	}
	if l.crowded {
		s.touch(s.crowd.link) // the crowd is shared out as well
	}
}

// addNearest adds the flows whose bottleneck a link is.
func (s *solver) addNearest(e int32) {
	l := &s.links[e]
	if e == s.crowd.link {
		s.touch(e)
		return
	}
	if l.fat && l.critical > 0 {
		for _, u := range l.users {
			s.add(u.flow())
		}
		return
	}
	if l.nearest == 0 {
		return
	}
	for _, u := range l.users {
		if id := u.flow(); s.flows[id].bottleneck == e {
			s.add(id)
		}
	}
}

// checkLink applies the fairness test to the flows of a link that are not in
// the set, and adds those that fail it. The crowd has its own test.
func (s *solver) checkLink(e int32) {
	l := &s.links[e]
	if l.fat || l.open || e == s.crowd.link {
		return
	}
	if l.level >= 0 {
		// Newly full: nobody outside may have a higher level, and nobody it
		// holds back a lower one.
		high, low := l.level*(1+slack), l.level*(1-slack)
		for _, u := range l.users {
			f := &s.flows[u.flow()]
			if f.epoch == s.epoch || f.inCrowd {
				continue
			}
			if own := f.rate * f.penalty; own > high || f.bottleneck == e && own < low {
				s.add(u.flow())
			}
		}
		return
	}
	// It holds back flows outside the set: it must still be full, and no flow
	// in the set may have a higher level than they have.
	load, top, least := l.load, 0.0, -1.0
	if l.crowded {
		load += s.crowd.on[e].shadow * s.crowd.current()
	}
	for _, u := range l.users {
		f := &s.flows[u.flow()]
		switch own := f.rate * f.penalty; {
		case f.epoch == s.epoch:
			load += s.weightOf(u, e) * f.rate
			top = max(top, own)
		case f.bottleneck == e && (least < 0 || own < least):
			least = own
		}
	}
	if least >= 0 && (load < l.capacity*(1-slack) || top > least*(1+slack)) {
		s.addNearest(e)
	}
}

// settle brings the loads up to date and lets flows into the crowd.
func (s *solver) settle() {
	c := &s.crowd
	c.level = c.current()
	for _, id := range s.set {
		f := &s.flows[id]
		if c.link != none && f.bottleneck == c.link {
			c.admit(s, f)
			continue
		}
		s.book(f, f.rate)
		if c.link != none && f.outside == none {
			c.maybeOutside(s, id)
		}
	}
	if c.link != none {
		for _, e := range s.touched {
			c.cap(s, e)
			c.note(s, e)
		}
	}
	c.found(s)
	if invariants {
		s.verify()
	}
}

// book adds a rate of a flow to its links' loads.
func (s *solver) book(f *flow, rate float64) {
	way, weights := s.way(f)
	links := s.links
	for i := range way {
		links[way[i].link].load += weights[i] * rate
	}
}
