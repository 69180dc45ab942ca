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
func (e *engine) worked(r *rank, seconds float64) {
	if len(e.opts.Cold) > 0 {
		r.sinceSend += seconds
		r.sinceRecv += seconds
	}
}

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
func (e *engine) fromWork(m *message, since *float64) {
	if *since > 0 {
		m.cold += e.opts.coldness(*since) / 2
		*since = 0
	}
}

// delay is what a message takes longer because its ranks come from computation.
// One that is sent before its receive finds the receiver at whatever it does then.
func (e *engine) delay(m *message, received bool) float64 {
	src, dst := &e.ranks[m.src], &e.ranks[m.dst]
	if len(e.opts.Cold) == 0 || src.host == dst.host {
		return 0
	}
	cold := m.cold
	if !received {
		cold += e.opts.coldness(dst.sinceRecv) / 2
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
	free := t.remains / t.factor
	for i, weight := range f.weights {
		e := f.parts[i].link
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
			e := f.parts[i].link
			n.reserves[e].filled -= t.remains / t.factor / n.links[e].capacity
		}
	}
	return t.remains - free*t.factor
}
