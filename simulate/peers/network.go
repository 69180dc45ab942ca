package peers

import (
	"math"

	"auspex/p2psap"
	"auspex/platform"
)

// Bytes that a message takes on the wire beside its own: a packet's head, and
// for each piece those of Ethernet, IP, and TCP or UDP.
const (
	packetHead = 64
	streamMax  = 1448
	streamHead = 66
	pieceMax   = 1380
	pieceHead  = 14 + 28 + packetHead
)

func wireBytes(n float64, reliable bool) float64 {
	if !reliable {
		return n + math.Max(1, math.Ceil(n/pieceMax))*pieceHead
	}
	n += packetHead
	return n + math.Ceil(n/streamMax)*streamHead
}

// streamAnswers is what a stream sends back while a message comes: an
// acknowledgement for every other segment. (The library's word that the message
// came carries the last.)
func streamAnswers(n float64) float64 {
	return math.Floor((math.Ceil((n+packetHead)/streamMax)-1)/2) * streamHead
}

// way is a route with what is needed of it.
type way struct {
	links   []int32
	latency float64
}

// network is the state of the links: when each is free.
type network struct {
	p                         *platform.Platform
	bandwidth, latency, state []course // by link
	changing                  bool     // not all of them stay as they are
	free                      []float64
	saved                     []float64 // seconds of passing that a link which has rested is ahead by
	queue                     float64
	ways                      map[[2]int32]way
}

func newNetwork(p *platform.Platform, o *Options) *network {
	n := &network{p: p, free: make([]float64, len(p.Links)), saved: make([]float64, len(p.Links)), queue: o.Queue, ways: map[[2]int32]way{}}
	for l := range p.Links {
		if o.Burst != nil && p.Links[l].Bandwidth > 0 {
			n.saved[l] = float64(o.Burst(p.Links[l].Bandwidth)) / p.Links[l].Bandwidth
		}
	}
	n.bandwidth = courses(p, platform.LinkBandwidth, len(p.Links), func(i int) float64 { return p.Links[i].Bandwidth })
	n.latency = courses(p, platform.LinkLatency, len(p.Links), func(i int) float64 { return p.Links[i].Latency })
	n.state = courses(p, platform.LinkState, len(p.Links), func(int) float64 { return 1 })
	for _, c := range p.Changes {
		n.changing = n.changing || c.Of == platform.LinkBandwidth || c.Of == platform.LinkLatency || c.Of == platform.LinkState
	}
	return n
}

// passes is when a link that is taken at a moment has passed some bytes, and until
// when it is taken. While it is off it passes none: what must come is sent again
// when it is on, and leaves it to others until then; anything else is lost.
func (n *network) passes(l int32, from, bytes float64, reliable bool) (at, taken float64, lost bool) {
	taken = math.Inf(1)
	for range maxPieces {
		on, until := n.state[l].at(from)
		rate, changes := n.bandwidth[l].at(from)
		until = min(until, changes)
		if on == 0 {
			if !reliable {
				return from, from, true
			}
			rate, taken = 0, min(taken, from)
		}
		if bytes <= rate*(until-from) {
			return from + bytes/rate, min(taken, from+bytes/rate), false
		}
		if math.IsInf(until, 1) {
			break
		}
		bytes -= rate * (until - from)
		from = until
	}
	return math.Inf(1), taken, false
}

// late is by how much a way's latency differs from the platform's as it was read.
func (n *network) late(w way, at float64) float64 {
	more := 0.0
	if n.changing {
		for _, l := range w.links {
			now, _ := n.latency[l].at(at)
			more += now - n.p.Links[l].Latency
		}
	}
	return more
}

func (n *network) way(src, dst int32) (way, error) {
	if src == dst {
		return way{}, nil
	}
	key := [2]int32{src, dst}
	w, ok := n.ways[key]
	if !ok {
		r, err := n.p.Route(int(src), int(dst), nil)
		if err != nil {
			return way{}, err
		}
		w = way{r.Links, r.Latency}
		n.ways[key] = w
	}
	return w, nil
}

// send passes a message over a route: when it arrives, and whether it was lost because a queue was full. A message
// is cut into packets, so that it leaves a link while it still enters the one
// before: it arrives when its last byte has passed the slowest.
func (n *network) send(w way, at, bytes float64, reliable bool) (arrives float64, lost bool) {
	arrives = at
	first := at
	for i, l := range w.links {
		link := &n.p.Links[l]
		begins := first
		if link.Sharing != platform.Fatpipe {
			begins = math.Max(first-n.saved[l], n.free[l])
			if !reliable && n.queue > 0 && i > 0 && (begins-first)*link.Bandwidth > n.queue {
				return arrives, true
			}
		}
		passed := begins + bytes/link.Bandwidth
		taken := passed
		if n.changing {
			var lost bool
			if passed, taken, lost = n.passes(l, begins, bytes, reliable); lost {
				return arrives, true
			}
		}
		arrives = math.Max(passed, arrives)
		if link.Sharing == platform.Fatpipe {
			continue
		}
		n.free[l] = taken
		first = math.Max(first, begins)
	}
	return arrives + w.latency + n.late(w, at), false
}

// acknowledge sends the library's word that something came: when it is there.
func (n *network) acknowledge(back way, at float64) float64 {
	arrives, _ := n.send(back, at, wireBytes(0, true), true)
	return arrives
}

// tree gives each peer's parent and children, as detect_start of the library
// does.
func tree(clusters []int) (parent []int32, children [][]int32) {
	var starts []int
	n := 0
	for _, size := range clusters {
		starts = append(starts, n)
		n += size
	}
	parent, children = make([]int32, n), make([][]int32, n)
	for c, start := range starts {
		for in := range clusters[c] {
			p := -1
			switch {
			case in > 0:
				p = start + (in-1)/2
			case c > 0:
				p = starts[(c-1)/2]
			}
			parent[start+in] = int32(p)
			if p >= 0 {
				children[p] = append(children[p], int32(start+in))
			}
		}
	}
	return parent, children
}

func clusterOf(clusters []int) []int32 {
	var list []int32
	for c, size := range clusters {
		for range size {
			list = append(list, int32(c))
		}
	}
	return list
}

// reliable and inOrder are the protocol's table.
func (r *replay) inOrder(a, b int32) bool {
	return r.program.Scheme.InOrder(r.cluster[a] == r.cluster[b])
}

func (r *replay) reliable(a, b int32) bool {
	return r.program.Scheme == p2psap.Synchronous || r.cluster[a] == r.cluster[b]
}
