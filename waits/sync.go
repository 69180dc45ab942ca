package waits

// pairSync is where two locations were, in their logs, when they last exchanged
// a message: the one with the lower number, and the other.
type pairSync struct {
	other     int32
	low, high int64
}

// maxNear is with how many others a location's messages are looked up in a list:
// mostly there are a few.
const maxNear = 16

func pairKey(a, b int32) uint64 { return uint64(uint32(a))<<32 | uint64(uint32(b)) }

// pair finds where two locations last exchanged a message; x is the lower number.
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

// met notes that two locations have synchronised at numbers of their logs.
func (a *Analyzer) met(x, y int32, atX, atY int64) {
	if x > y {
		x, y, atX, atY = y, x, atY, atX
	}
	p := a.pair(x, y, true)
	p.low, p.high = max(p.low, atX), max(p.high, atY)
}

// common is where the last synchronisation of two locations stands in their
// logs: a message between them, or a collective of both.
func (a *Analyzer) common(x, y int32) (atX, atY int64) {
	if x <= y {
		if p := a.pair(x, y, false); p != nil {
			atX, atY = p.low, p.high
		}
	} else if p := a.pair(y, x, false); p != nil {
		atX, atY = p.high, p.low
	}
	for _, c := range a.locs[x].in {
		g := &a.comms[c]
		if int(y) < len(g.last) && g.last[y] > 0 && g.last[x] > 0 {
			atX, atY = max(atX, g.last[x]), max(atY, g.last[y])
		}
	}
	return atX, atY
}
