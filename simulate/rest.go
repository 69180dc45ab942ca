package simulate

import "math"

// What ranks and links did since the last message decides how long the next one
// takes. A rank that has computed finds nothing of the MPI library and of the
// system in its caches; one that comes from another message finds all of it. A link
// that has rested passes some bytes at once where it is a token bucket, as shaped
// links are (tc-tbf; ITU-T I.371's leaky bucket), and one that is in use does not.
// Both are measured by calibrate; without their options nothing here has an effect,
// and the replay is SimGrid's.

// worked notes that a rank computes for so many seconds, or rests.
func (e *engine) worked(id int32, seconds float64) {
	if e.cooling != nil {
		c := &e.cooling[id]
		c.sinceSend += seconds
		c.sinceRecv += seconds
	}
}

// cooling is how many seconds a rank has computed since its last send and its last
// receive.
type cooling struct{ sinceSend, sinceRecv float64 }

// coldness is the share of what a rank's messages need that so many seconds of
// computation have displaced from the caches.
func (o *Options) coldness(seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return -math.Expm1(-seconds / max(o.Cooling, precision))
}

// fromWork notes at one end of a message what computation has gone before. Half of
// what a message takes longer is the sender's, half the receiver's: calibrate
// measures exchanges in which both come from computation.
func (e *engine) fromWork(m int32, since *float64) {
	if *since > 0 {
		e.cold[m] += e.opts.coldness(*since) / 2
		*since = 0
	}
}

// posted notes of a message that one side has just asked for, or both, whether they
// come from computation.
func (e *engine) posted(m, id int32, send, matched bool) {
	for int(m) >= len(e.cold) {
		e.cold = append(e.cold, 0)
	}
	if !matched {
		e.cold[m] = 0 // its number may have been another's
	}
	if c := &e.cooling[id]; send {
		e.fromWork(m, &c.sinceSend)
	} else {
		e.fromWork(m, &c.sinceRecv)
	}
}

// delay is what a message takes longer because its ranks come from computation.
// One that is sent before its receive finds the receiver at whatever it does then.
func (e *engine) delay(id int32, received bool) float64 {
	if e.cooling == nil {
		return 0
	}
	m := &e.post.messages[id]
	if e.ranks[m.src].host == e.ranks[m.dst].host {
		return 0
	}
	cold := e.cold[id]
	if !received {
		cold += e.opts.coldness(e.cooling[m.dst].sinceRecv) / 2
	}
	return cold * overhead(e.opts.Cold, m.bytes)
}

// reserve is what a link can pass at once, in seconds of its bandwidth. Below 0 it
// is in debt to messages on their way.
type reserve struct{ filled, at float64 }

// fill brings a link's bucket up to date: it fills at the link's bandwidth.
func (n *network) fill(link int32, now float64) *reserve {
	b := &n.reserves[link]
	b.filled = min(b.filled+now-b.at, n.opts.Burst/n.links[link].capacity)
	b.at = now
	return b
}

// pass lets a flow have what the links of its way can pass at once, and returns the
// bytes that remain.
func (n *network) pass(f *flow, t *transfer, now float64) float64 {
	factor := n.bandwidthFactors[f.factor]
	free := t.remains / factor
	way, _ := n.way(f)
	for i, weight := range f.weights {
		e := way[i].link
		if weight < 1 {
			continue
		}
		if n.links[e].fat {
			return t.remains // inside a host
		}
		free = min(free, max(n.fill(e, now).filled, 0)*n.links[e].capacity)
	}
	for i, weight := range f.weights {
		if weight >= 1 {
			e := way[i].link
			n.reserves[e].filled -= t.remains / factor / n.links[e].capacity
		}
	}
	return t.remains - free*factor
}
