package waits

// pairs are where two locations were, in their logs, when one last waited for the
// other: the one with the lower number, and the other. A message that was there already
// brings nobody into step.
type pairs struct {
	of   index // of both numbers, the lower first
	list []pairSync
}

type pairSync struct{ low, high, time int64 }

func (p *pairs) clear() {
	p.of.clear()
	p.list = p.list[:0]
}

// met notes that two locations have synchronised at a time, and where they stood in
// their logs after the calls in which they did.
func (a *Analyzer) met(x, y int32, atX, atY, time int64) {
	if x > y {
		x, y, atX, atY = y, x, atY, atX
	}
	n := a.pairs.of.of(joint(x, y))
	if int(n) == len(a.pairs.list) {
		a.pairs.list = append(a.pairs.list, pairSync{})
	}
	if p := &a.pairs.list[n]; time >= p.time {
		*p = pairSync{atX, atY, time}
	}
}

// sync is where a waiting location and a late one stood when they were last in step:
// the numbers in their logs after the calls in which they met.
type sync struct{ own, late, time int64 }

// common is the last synchronisation of a waiting call and a late one: a wait of one
// for the other, or a collective of both. Where the logs do not reach back that far,
// it is where both begin.
func (a *Analyzer) common(v, late *visit) sync {
	var s sync
	x, y := v.loc, late.loc
	own, other := &a.locs[x], &a.locs[y]
	if n := a.pairs.of.find(joint(min(x, y), max(x, y))); n >= 0 {
		p := &a.pairs.list[n]
		if s = (sync{p.low, p.high, p.time}); x > y {
			s.own, s.late = p.high, p.low
		}
	}
	for _, c := range own.in {
		g := &a.comms[c]
		if g.time < s.time || int(y) >= len(g.last) {
			continue
		}
		if atX, atY := g.last[x], g.last[y]; atX > 0 && atY > 0 {
			s = sync{atX, atY, g.time}
		}
	}
	if s.own < own.base || s.late < other.base || s.own > v.at || s.late > late.at { // or they met only after it
		return sync{}
	}
	return s
}
