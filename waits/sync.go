package waits

// pairSync is where two locations were, in their logs, when one last waited for the
// other: the one with the lower number, and the other. A message that was there
// already brings nobody into step.
type pairSync struct {
	other     int32
	low, high int64
	time      int64
}

// maxNear is with how many others a location's messages are looked up in a list:
// mostly there are a few.
const maxNear = 16

func pairKey(a, b int32) uint64 { return uint64(uint32(a))<<32 | uint64(uint32(b)) }

// pair finds where one of two locations last waited for the other; x is the lower number.
// It is nil where they have not, unless it is to be made.
func (a *Analyzer) pair(x, y int32, make bool) *pairSync {
	l := &a.locs[x]
	for i := range l.near {
		if l.near[i].other == y {
			return &l.near[i]
		}
	}
	if len(l.near) < maxNear {
		if !make {
			return nil
		}
		l.near = append(l.near, pairSync{other: y})
		return &l.near[len(l.near)-1]
	}
	p := a.pairs[pairKey(x, y)]
	if p == nil && make {
		p = &pairSync{other: y}
		a.pairs[pairKey(x, y)] = p
	}
	return p
}

// met notes that two locations have synchronised at a time, and where they stood in
// their logs after the calls in which they did.
func (a *Analyzer) met(x, y int32, atX, atY, time int64) {
	if x > y {
		x, y, atX, atY = y, x, atY, atX
	}
	if p := a.pair(x, y, true); time >= p.time {
		p.low, p.high, p.time = atX, atY, time
	}
}

// sync is where a waiting location and a late one stood when they were last in step:
// the numbers in their logs after the calls in which they met.
type sync struct{ own, late, time int64 }

// common is the last synchronisation of a waiting call and a late one: a wait of one
// for the other, or a collective of both. Where the logs do not reach back that far,
// it is where both begin.
func (a *Analyzer) common(v, late visit) sync {
	var s sync
	x, y := v.loc, late.loc
	if x <= y {
		if p := a.pair(x, y, false); p != nil {
			s = sync{p.low, p.high, p.time}
		}
	} else if p := a.pair(y, x, false); p != nil {
		s = sync{p.high, p.low, p.time}
	}
	for _, c := range a.locs[x].in {
		g := &a.comms[c]
		if int(y) < len(g.last) && g.last[y] > 0 && g.last[x] > 0 && g.time >= s.time {
			s = sync{g.last[x], g.last[y], g.time}
		}
	}
	reach := a.locs[x].log.apart(s.own) && a.locs[y].log.apart(s.late)
	if !reach || s.own > v.at || s.late > late.at { // or they met only after it
		return sync{}
	}
	return s
}
