package calibrate

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
)

// envelope is what the model adds to a payload on the wire.
const envelope = 16

// steep stands for a bandwidth factor where size costs nothing.
const steep = 1e4

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
	Library  string    `json:"library"`
	Hosts    []string  `json:"hosts"`
	// Spread is how far pairs of hosts are from the fitted median, relatively.
	Spread float64 `json:"pair_spread"`
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
	pings := m.curve(PingPong, take)
	if len(pings) < fewestSizes {
		return nil, fmt.Errorf("calibrate: ping-pong times of %d sizes; %d are needed", len(pings), fewestSizes)
	}
	c.EagerBelow = m.bytes(Threshold, take)
	eager := func(kinds ...Kind) [][]point {
		curves := make([][]point, len(kinds))
		for i, kind := range kinds {
			curves[i] = below(m.curve(kind, take), float64(c.EagerBelow))
		}
		bound(curves, pings)
		return curves
	}
	own := eager(Send, Recv)
	// What MPI_Send takes longer than MPI_Isend it waits for the network.
	for i, p := range below(m.curve(Isend, take), float64(c.EagerBelow)) {
		if i < len(own[0]) {
			own[0][i].seconds = min(own[0][i].seconds, p.seconds)
		}
	}
	c.fitEarly(pings, m.curve(Exchange, take), own)
	send, recv := fitPieces(own[0], false), fitPieces(own[1], false)
	c.Network = c.network(pings, send, recv)
	c.SendOverhead, c.RecvOverhead = affine(send), affine(recv)
	c.Isend = affine(fitPieces(eager(Isend)[0], false))
	if len(c.Isend) > 0 {
		// Unlike the others this counts for all sizes; but larger messages are
		// only announced, and their time is the network's.
		c.Isend = append(c.Isend, Segment{float64(c.EagerBelow) - 1, []float64{0, 0}})
	}
	c.Spread = m.spread(take, pings)
	if err := c.fitSpeeds(m, reference); err != nil {
		return nil, err
	}
	cold, both := m.curve(Cold, take), m.curve(Exchange, take)
	if len(cold) == len(pings) && len(both) == len(pings) {
		more := moreAfterWork(both, cold, m.curve(Cool, take))
		c.fitCold(more)
		c.fitCooling(m, take)
		if err := c.fitBurst(pings, both, cold, more, send, recv); err != nil {
			return nil, err
		}
		both = cold
	}
	if err := c.fitBothWays(pings, both); err != nil {
		return nil, err
	}
	c.fitOverlap(m, take)
	c.SendBuffer = m.bytes(SendBuffer, take)
	c.fitLoopback(m, send, recv)
	c.fitCrowd(m)
	return c, nil
}

// network fits what is left of a message's time without what the ranks do
// themselves.
func (c *Calibration) network(times []point, send, recv []piece) Network {
	net := slices.Clone(times)
	for i, p := range times {
		if own := at(send, p.size) + at(recv, p.size) - c.Early; p.size < float64(c.EagerBelow) && own > 0 {
			net[i].seconds = max(p.seconds-own, leastNetwork*p.seconds)
		}
	}
	split := len(below(net, float64(c.EagerBelow)))
	pieces := fitPieces(net[:split], true)
	if rest := fitPieces(net[split:], true); len(rest) > 0 {
		if len(pieces) > 0 {
			rest[0].from = float64(c.EagerBelow) - 1
		}
		pieces = append(pieces, rest...)
	}
	return fitNetwork(pieces)
}

// leastNetwork is the part of a message's time that is the network's at least,
// where the ranks' own times, measured apart, add up to more than all of it.
const leastNetwork = 0.1

// bound lowers curves that together come to more than the ranks' part of a
// ping-pong.
func bound(curves [][]point, pings []point) {
	for i, p := range pings {
		sum := 0.0
		for _, c := range curves {
			if i < len(c) {
				sum += c[i].seconds
			}
		}
		if most := (1 - leastNetwork) * p.seconds; sum > most {
			for _, c := range curves {
				if i < len(c) {
					c[i].seconds *= most / sum
				}
			}
		}
	}
}

func below(points []point, size float64) []point {
	return points[:sort.Search(len(points), func(i int) bool { return points[i].size >= size })]
}

// fitNetwork turns seconds by size into latency, bandwidth and their factors:
// seconds = LF·latency + (size+16)/(BF·bandwidth). The factors are 1 for the
// smallest and the largest sizes.
func fitNetwork(pieces []piece) Network {
	var n Network
	for _, p := range pieces {
		if p.perByte > 0 {
			n.Bandwidth = 1 / p.perByte // of the last that has one
		}
		if lat := p.fixed - envelope*p.perByte; n.Latency == 0 && lat > 0 {
			n.Latency = lat // of the first that has one
		}
	}
	if n.Bandwidth == 0 {
		n.Bandwidth = 1e12 // sizes cost nothing that could be seen
	}
	if n.Latency == 0 {
		n.Latency = 1e-9
	}
	for i, p := range pieces {
		from := 0.0
		if i > 0 {
			from = p.from + envelope
		}
		until := math.Inf(1)
		if i+1 < len(pieces) {
			until = pieces[i+1].from + envelope
		}
		n.add(p, from, until)
	}
	return n
}

// add puts a piece into the factors. A latency cannot be below 0, so a line that
// begins there becomes steps, each of them right in its middle.
func (n *Network) add(p piece, from, until float64) {
	const step, last = 1.1, 2
	if p.fixed < envelope*p.perByte && p.perByte > 0 && from > 0 {
		end := min(until, from*last)
		for ; from < end; from *= step {
			middle := from * math.Sqrt(step)
			n.put(from, 0, middle/(p.fixed+p.perByte*(middle-envelope)))
		}
		if until == end {
			return
		}
		p.fixed, p.perByte = 0, (p.fixed+p.perByte*end*last)/(end*last)
	}
	bandwidth := math.Inf(1)
	if p.perByte > 0 {
		bandwidth = 1 / p.perByte
	}
	n.put(from, max(0, p.fixed-envelope*p.perByte), bandwidth)
}

// put adds a segment with the seconds of latency and the bytes/s that hold there.
func (n *Network) put(from, latency, bandwidth float64) {
	n.BandwidthFactor = append(n.BandwidthFactor, Segment{from, []float64{min(steep, bandwidth/n.Bandwidth)}})
	n.LatencyFactor = append(n.LatencyFactor, Segment{from, []float64{latency / n.Latency}})
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
