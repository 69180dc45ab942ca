package waits

// pairSync is where two locations were, in their logs, when they last exchanged
// a message.
type pairSync struct{ low, high int64 }

func pairKey(a, b int32) uint64 { return uint64(uint32(a))<<32 | uint64(uint32(b)) }

// met notes that two locations have synchronised at numbers of their logs.
func (a *Analyzer) met(x, y int32, atX, atY int64) {
	if x > y {
		x, y, atX, atY = y, x, atY, atX
	}
	p := a.pairs[pairKey(x, y)]
	a.pairs[pairKey(x, y)] = pairSync{max(p.low, atX), max(p.high, atY)}
}

// common is where the last synchronisation of two locations stands in their
// logs: a message between them, or a collective of both.
func (a *Analyzer) common(x, y int32) (atX, atY int64) {
	if x <= y {
		p := a.pairs[pairKey(x, y)]
		atX, atY = p.low, p.high
	} else {
		p := a.pairs[pairKey(y, x)]
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
