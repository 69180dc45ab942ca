package simulate

// SimGrid 3.32 shares out again only what it finds changed, and it looks for
// that along the first link of each flow that begins to move. When several
// flows begin at one instant and the first link of one of them is known as
// changed already, the flow's other links are not looked at: a link that only
// such flows use is overlooked until the next change, and may carry more than
// its bandwidth meanwhile. Since SimGrid is the yardstick, so it is here.
//
// What is known as changed spreads from a flow's first link over the flows
// that move by then and all their links. Links in use before the instant are
// taken to be connected, as they are wherever there is a backbone.

//
// A link that is overlooked has no limit (link.open) until the next round.

// found is when something led to a link.
type found struct {
	seen    uint32 // it is to be shared out again
	started uint32 // a flow over it has been started
}

// findHidden marks the links that the flows of this instant do not hide. It is
// costly, and only asked where a link that may be hidden has filled up.
func (s *solver) findHidden() {
	s.looked = s.instant
	if s.found == nil {
		s.found = make([]found, len(s.links))
	}
	for _, id := range s.started {
		way, _ := s.way(&s.flows[id])
		for _, p := range way {
			s.found[p.link].started = s.instant
		}
	}
	if more := len(s.flows) - len(s.moves); more > 0 {
		s.moves = append(s.moves, make([]uint32, more)...)
	}
	for i, id := range s.joined {
		s.moves[id] = s.instant
		first := s.parts[s.flows[id].first].link
		if i == 0 {
			s.found[first].seen = s.instant
			s.look(id)
		} else if !s.known(first) {
			s.found[first].seen = s.instant
			s.explore(first)
		}
	}
}

// inUse tells whether a link had flows before this instant.
func (s *solver) inUse(l *link) bool {
	return l.quit == s.instant || l.taken != s.instant
}

// known tells whether a link is among those to be shared out again: it was in
// use before this instant, or something has led to it.
func (s *solver) known(e int32) bool {
	l := &s.links[e]
	return s.found[e].seen == s.instant || s.inUse(l)
}

// look makes a flow's links known.
func (s *solver) look(id int32) {
	f := &s.flows[id]
	s.moves[id] = s.instant - 1
	way, _ := s.way(f)
	for _, p := range way {
		if e := p.link; !s.known(e) {
			s.found[e].seen = s.instant
			s.explore(e)
		}
	}
}

// explore looks at the flows of a link that move by now.
func (s *solver) explore(e int32) {
	for _, u := range s.links[e].users {
		id := u.flow()
		if s.moves[id] == s.instant {
			s.look(id)
		}
	}
}

// openHidden lifts the limit of hidden links that filled up, and tells whether
// there were any. Where a single flow has begun to move there are none.
func (s *solver) openHidden() bool {
	some := false
	for i := range s.filling {
		e := s.filling[i].link
		l := &s.links[e]
		if l.level < 0 || l.nearest == 0 || l.open || s.inUse(l) || s.crosses(&s.flows[s.joined[0]], e) {
			continue
		}
		if s.looked != s.instant {
			s.findHidden()
		}
		if w := &s.found[e]; w.seen != s.instant && w.started != s.instant {
			l.open, some = true, true
			s.opened = append(s.opened, e)
		}
	}
	return some
}

// closeOpened puts the limits back and has the flows concerned shared out.
func (s *solver) closeOpened() {
	for _, e := range s.opened {
		l := &s.links[e]
		l.open = false
		for _, u := range l.users {
			s.add(u.flow())
		}
	}
	s.opened = s.opened[:0]
}
