package calibrate

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"auspex/signature"
)

// envelope is what the model adds to a payload on the wire if nothing is known of it.
const envelope = 16

// Segment is a value that holds for sizes above From, or two: fixed and per
// byte.
type Segment struct {
	From   float64   `json:"from"`
	Values []float64 `json:"values"`
}

// Network is what was fitted between hosts.
type Network struct {
	Latency         float64   `json:"latency"`   // seconds, end to end
	Bandwidth       float64   `json:"bandwidth"` // bytes/s
	Envelope        float64   `json:"envelope"`  // bytes on the wire beyond the payload
	LatencyFactor   []Segment `json:"lat_factor"`
	BandwidthFactor []Segment `json:"bw_factor"`
}

// Loopback is the way inside a host: of ranks there to each other, or of a rank
// to itself.
type Loopback struct {
	Latency   float64 `json:"latency"`   // seconds
	Bandwidth float64 `json:"bandwidth"` // bytes/s
}

// Calibration is a platform's constants.
type Calibration struct {
	Network
	Rest
	Loopback     *Loopback `json:"loopback,omitempty"` // inside a host
	SendOverhead []Segment `json:"os"`
	RecvOverhead []Segment `json:"or"`
	Isend        []Segment `json:"ois"`
	EagerBelow   int64     `json:"eager_below"` // smaller sends do not wait
	CrossTraffic bool      `json:"crosstraffic"`
	// BothWays is what a host sends and receives together at most, in bytes/s;
	// 0 where the one does not hinder the other.
	BothWays float64 `json:"both_ways,omitempty"`
	// Backbone is what all hosts send together at most, in bytes/s; 0 where they do
	// not hinder each other, or that was not measured.
	Backbone float64   `json:"backbone,omitempty"`
	Selector string    `json:"coll_selector"`
	Speeds   []float64 `json:"speeds"` // of each rank's processor; the reference is 1
	// Signature is that of the reference; nil where it was not measured.
	Signature *signature.Signature `json:"signature,omitempty"`
	Library   string               `json:"library"`
	Hosts     []string             `json:"hosts"`
	// Spread is how far pairs of hosts are from the fitted median, relatively.
	Spread float64 `json:"pair_spread"`
	// Scatter is how far small messages were from their mean from one time that they
	// were measured to the next, as a standard deviation relative to it.
	Scatter float64 `json:"scatter"`
}

// fewestSizes is how many sizes a fit needs.
const fewestSizes = 8

// Fit finds the constants of a measurement. reference are the kernels' seconds
// on the processor that counts as 1.
func Fit(m *Measurement, reference Rounds) (*Calibration, error) {
	inside := func(a, b int) bool { return m.Hosts[a] == m.Hosts[b] }
	between := func(a, b int) bool { return !inside(a, b) }
	c := &Calibration{Library: m.Library, Selector: selector(m.Library)}
	for rank := range len(m.Hosts) {
		c.Hosts = append(c.Hosts, m.Hosts[rank])
	}
	take := between
	if len(m.curve(PingPong, between)) == 0 {
		take = inside // one host only: its memory is the network
	}
	c.EagerBelow = m.bytes(Threshold, take)
	pings, both := m.steady(PingPong, take, c.EagerBelow), m.steady(Exchange, take, c.EagerBelow)
	if len(pings) < fewestSizes {
		return nil, fmt.Errorf("calibrate: ping-pong times of %d sizes; %d are needed", len(pings), fewestSizes)
	}
	eager := func(kind Kind) []point {
		curve := below(m.steady(kind, take, c.EagerBelow), float64(c.EagerBelow))
		bound(curve, pings)
		return curve
	}
	own := [][]point{eager(Send), eager(Recv)}
	// What MPI_Send takes longer than MPI_Isend it waits for the network.
	for i, p := range below(m.steady(Isend, take, c.EagerBelow), float64(c.EagerBelow)) {
		if i < len(own[0]) {
			own[0][i].seconds = min(own[0][i].seconds, p.seconds)
		}
	}
	early := earlier(pings, both, own)
	w := wire{rate(pings, both, float64(c.EagerBelow)), envelope, early, fitPieces(own[0]), fitPieces(own[1])}
	c.fitNetwork(pings, w)
	send, recv := w.send, w.recv
	c.SendOverhead, c.RecvOverhead = affine(send), affine(recv)
	c.Isend = affine(fitPieces(eager(Isend)))
	if len(c.Isend) > 0 {
		// Unlike the others this counts for all sizes; but larger messages are
		// only announced, and their time is the network's.
		c.Isend = append(c.Isend, Segment{float64(c.EagerBelow) - 1, []float64{0, 0}})
	}
	c.Spread, c.Scatter = m.spread(take, pings), m.scatter(take)
	if err := c.fitSpeeds(m, reference); err != nil {
		return nil, err
	}
	cold := m.steady(Cold, take, c.EagerBelow)
	if len(cold) == len(pings) && len(both) == len(pings) {
		if err := c.fitCold(cold); err != nil {
			return nil, err
		}
		c.fitCooling(m, take)
		if err := c.fitBurst(pings, both, cold, w); err != nil {
			return nil, err
		}
		both = cold
	}
	if err := c.fitBothWays(pings, both); err != nil {
		return nil, err
	}
	c.fitOverlap(m, take)
	c.fitLeaves(pings, m.steady(Send, take, c.EagerBelow))
	c.SendBuffer = m.bytes(SendBuffer, take)
	c.fitLoopback(m, send, recv)
	c.fitCrowd(m)
	return c, nil
}

// wire is what a message consists of besides what is fitted of it.
type wire struct {
	rate       float64 // bytes/s, of the fastest large message
	envelope   float64 // bytes beyond the payload
	early      float64 // see earlier
	send, recv []piece // the ranks' own seconds
}

// rate is the most that messages were seen to move, in bytes/s: of large ones, most of
// whose time is the wire's, and of such rows of smaller ones as are large together.
// A few kB that a link passes at once hardly count there. What a message takes
// whatever its size is that of the smallest which is sent in the same way: those from
// eager on are announced first.
func rate(pings, rows []point, eager float64) float64 {
	most, last := 0.0, len(pings)-1
	for i, p := range pings {
		least := pings[0]
		if k := slices.IndexFunc(pings, func(q point) bool { return q.size >= eager && q.size <= p.size/8 }); k >= 0 {
			least = pings[k]
		}
		moving := p.seconds - least.seconds
		if moving > 0 && (p.size >= largeMessage && moving > 0.9*p.seconds || i == last) {
			most = max(most, (p.size-least.size)/moving)
		}
	}
	for _, p := range below(rows, rowsUntil) {
		if p.size*inARow >= largeMessage/2 {
			most = max(most, p.size/p.seconds)
		}
	}
	if most == 0 {
		most = 1e12 // sizes cost nothing that could be seen
	}
	return most
}

// The program measures exchanges below rowsUntil bytes so many in a row.
const inARow, rowsUntil = 8, 32 << 10

// fitNetwork finds what is left of a message's time without what the ranks do
// themselves. That is never less than its bytes take at the wire's rate, or a row of
// messages would pass faster than the wire: where a sender's own time and the
// network's together are longer than the message took, both happen at once, and the
// message is on its way so long before its sender is done with it.
func (c *Calibration) fitNetwork(times []point, w wire) {
	net, early := slices.Clone(times), []point(nil)
	for i, p := range times {
		wired := (p.size + w.envelope) / w.rate
		net[i].size += w.envelope // factors are of sizes on the wire
		if p.size < float64(c.EagerBelow) {
			send, rest := at(w.send, p.size), p.seconds-at(w.recv, p.size)
			net[i].seconds = max(rest-send+w.early, wired, leastNetwork*p.seconds)
			early = append(early, point{p.size, min(max(send+net[i].seconds-rest, 0), send), p.seconds})
		}
		net[i].seconds = max(net[i].seconds-wired, 0)
	}
	c.Early = nil
	for _, p := range early {
		if p.seconds > noticeable*p.whole {
			c.Early = affine(fitPieces(early))
			break
		}
	}
	split := len(below(times, float64(c.EagerBelow)))
	pieces := fitPieces(net[:split])
	if rest := fitPieces(net[split:]); len(rest) > 0 {
		if len(pieces) > 0 {
			rest[0].from = float64(c.EagerBelow) - 1 + w.envelope
		}
		pieces = append(pieces, rest...)
	}
	c.Network = networkOf(pieces, w.rate, w.envelope)
}

// leastNetwork is the part of a message's time that is the network's at least,
// where the ranks' own times, measured apart, add up to more than all of it;
// noticeable the part that is worth a constant of its own.
const leastNetwork, noticeable = 0.1, 0.01

// bound lowers a rank's own times that come to more than its part of a ping-pong.
func bound(curve, pings []point) {
	for i := range min(len(curve), len(pings)) {
		curve[i].seconds = min(curve[i].seconds, (1-leastNetwork)*pings[i].seconds)
	}
}

func below(points []point, size float64) []point {
	return points[:sort.Search(len(points), func(i int) bool { return points[i].size >= size })]
}

// networkOf turns seconds by size on the wire, beyond what the bytes take at its rate,
// into latency and factors: seconds + (size+e)/rate = LF·latency + (size+e)/(BF·rate).
func networkOf(pieces []piece, rate, envelope float64) Network {
	n := Network{Bandwidth: rate, Envelope: envelope, Latency: 1e-9}
	for _, p := range pieces {
		if p.fixed > 0 {
			n.Latency = p.fixed
			break
		}
	}
	for i, p := range pieces {
		from := 0.0
		if i > 0 {
			from = p.from
		}
		n.BandwidthFactor = append(n.BandwidthFactor, Segment{from, []float64{1 / (1 + p.perByte*rate)}})
		n.LatencyFactor = append(n.LatencyFactor, Segment{from, []float64{p.fixed / n.Latency}})
	}
	return n
}

// affineAt is a piecewise affine function at a size.
func affineAt(segs []Segment, size float64) float64 {
	value := 0.0
	for i, s := range segs {
		if i > 0 && size <= s.From {
			break
		}
		value = s.Values[0] + s.Values[1]*size
	}
	return value
}

func affine(pieces []piece) []Segment {
	var out []Segment
	for _, p := range pieces {
		out = append(out, Segment{p.from, []float64{p.fixed, p.perByte}})
	}
	return out
}

// bytes is the median over the pairs of what was measured in bytes.
func (m *Measurement) bytes(kind Kind, take func(a, b int) bool) int64 {
	var sizes []float64
	for _, s := range m.Samples {
		if s.Kind == kind && take(s.From, s.To) {
			sizes = append(sizes, float64(s.Bytes))
		}
	}
	return int64(median(sizes))
}

// spread is the largest median deviation of one pair from all.
func (m *Measurement) spread(take func(a, b int) bool, all []point) float64 {
	typical := map[int64]float64{}
	for _, p := range all {
		typical[int64(p.size)] = p.seconds
	}
	off := map[[2]int][]float64{}
	for _, s := range m.Samples {
		if s.Kind == PingPong && take(s.From, s.To) && typical[s.Bytes] > 0 {
			pair := [2]int{s.From, s.To}
			off[pair] = append(off[pair], s.Median/typical[s.Bytes]-1)
		}
	}
	worst := 0.0
	for _, v := range off {
		worst = max(worst, math.Abs(median(v)))
	}
	return worst
}

// selector is the table of collective algorithms that an MPI uses.
func selector(library string) string {
	switch {
	case strings.Contains(library, "Open MPI"):
		return "ompi"
	case strings.Contains(library, "MPICH"), strings.Contains(library, "Intel"), strings.Contains(library, "MVAPICH"):
		return "mpich"
	}
	return "default"
}
