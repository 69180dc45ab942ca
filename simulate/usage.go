package simulate

import "math"

// usage is what a link did in a run. Of a link whose bandwidth is shared the part in
// use is what it carried of what it could have; a FATPIPE link gives all of it to every
// message, so that what it carried says nothing of that, and what counts is how long
// there was a message on it.
type usage struct {
	carried float64 // bytes, acknowledgements left out
	needed  float64 // bytes of its bandwidth for that: fewer where messages are faster than it
	could   float64 // bytes it could have carried before its bandwidth last changed
	changed float64 // when that was
	moving  int32   // messages on it
	since   float64 // when the first of them came
	busy    float64 // seconds with a message on it, before that
}

// come notes that a message takes bandwidth from now on.
func (u *usage) come(now, bytes, factor float64) {
	u.carried += bytes
	u.needed += bytes / max(factor, 1)
	if u.moving++; u.moving == 1 {
		u.since = now
	}
}

// gone notes that a message has arrived.
func (u *usage) gone(now float64) {
	if u.moving--; u.moving == 0 {
		u.busy += now - u.since
	}
}

// rebuilt notes that the bandwidth is another from now on.
func (u *usage) rebuilt(now, before float64) {
	u.could += before * (now - u.changed)
	u.changed = now
}

// again adds what has been added since an earlier time another n times.
func (u *usage) again(n float64, since *usage) {
	u.carried += n * (u.carried - since.carried)
	u.needed += n * (u.needed - since.needed)
	u.busy += n * (u.busy - since.busy)
}

// utilisation is the part of a link's bandwidth that was in use until now. A link that
// passes bytes at once after a rest could have carried those besides.
func (l *link) utilisation(now, burst float64) float64 {
	if l.fat {
		return ratio(l.use.busy, now)
	}
	return ratio(l.use.needed, l.use.could+l.capacity*(now-l.use.changed)+burst)
}

// ratio is a part of a whole, and no more: messages are faster than the links by some
// per cent where SimGrid overlooks a limit (overlook.go).
func ratio(part, whole float64) float64 {
	if !(whole > 0) {
		return 0
	}
	return math.Min(part/whole, 1)
}
