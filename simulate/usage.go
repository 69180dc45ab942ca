package simulate

import (
	"maps"
	"math"
)

// usage is what links did in a run, beside what they carried. Of a link whose bandwidth
// is shared the part in use is what it carried of what it could have; a FATPIPE link
// gives all of it to every message, so that what it carried says nothing of that, and
// what counts is how long there was a message on it. Nearly all links of a large platform
// are shared ones that never change, on which no message is faster than they are: those
// need no more than what they carried.
type usage struct {
	needed  []float64 // by link, where messages may be faster than it: bytes of its bandwidth for what it carried
	rebuilt []rebuilt // by link, where the platform changes
	fat     map[int32]presence
}

// rebuilt is what a link could have carried before its bandwidth last changed.
type rebuilt struct {
	could float64 // bytes
	at    float64 // when it changed
}

// presence is how long there were messages on a FATPIPE link.
type presence struct {
	moving int32   // messages on it now
	since  float64 // when the first of them came
	busy   float64 // seconds with a message on it, before that
}

// come notes that a message of so many bytes takes bandwidth from now on.
func (n *network) come(f *flow, now, bytes float64) {
	faster := max(n.bandwidthFactors[f.factor], 1)
	way, weights := n.way(f)
	for i, weight := range weights {
		if weight < 1 {
			continue
		}
		e, carried := way[i].link, bytes*math.Floor(weight)
		l := &n.links[e]
		l.carried += carried
		if n.use.needed != nil {
			n.use.needed[e] += carried / faster
		}
		if l.fat {
			u := n.use.fat[e]
			if u.moving++; u.moving == 1 {
				u.since = now
			}
			n.use.fat[e] = u
		}
	}
}

// gone notes that a message has arrived.
func (n *network) gone(id int32, now float64) {
	way, weights := n.way(&n.flows[id])
	for i, weight := range weights {
		e := way[i].link
		if weight < 1 || !n.links[e].fat {
			continue
		}
		u := n.use.fat[e]
		if u.moving--; u.moving == 0 {
			u.busy += now - u.since
		}
		n.use.fat[e] = u
	}
}

// utilisation is the part of a link's bandwidth that was in use until now. A link that
// passes bytes at once after a rest could have carried those besides.
func (n *network) utilisation(e int32, now float64) float64 {
	l := &n.links[e]
	if l.fat {
		return ratio(n.use.fat[e].busy, now)
	}
	needed, before := l.carried, rebuilt{}
	if n.use.needed != nil {
		needed = n.use.needed[e]
	}
	if n.use.rebuilt != nil {
		before = n.use.rebuilt[e]
	}
	return ratio(needed, before.could+l.capacity*(now-before.at)+n.opts.Burst)
}

// keepUse keeps what links have carried for again. Links up and down take turns in most
// platforms.
func (n *network) keepUse(s *snapshot) {
	for i := range n.links {
		s.carried.addFloat(i&1, n.links[i].carried)
	}
	for i, needed := range n.use.needed {
		s.needed.addFloat(i&1, needed)
	}
	s.fat = maps.Clone(n.use.fat)
}

// again adds what has been added since a snapshot another so many times.
func (n *network) again(times float64, since *snapshot) {
	carried, needed := since.carried.reader(), since.needed.reader()
	for i := range n.links {
		again(times, &n.links[i].carried, carried.nextFloat(i&1))
	}
	for i := range n.use.needed {
		again(times, &n.use.needed[i], needed.nextFloat(i&1))
	}
	for e, u := range n.use.fat {
		again(times, &u.busy, since.fat[e].busy)
		n.use.fat[e] = u
	}
}

// ratio is a part of a whole, and no more: messages are faster than the links by some
// per cent where SimGrid overlooks a limit (overlook.go).
func ratio(part, whole float64) float64 {
	if !(whole > 0) {
		return 0
	}
	return math.Min(part/whole, 1)
}
