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

// way is a route with what is needed of it.
type way struct {
	links   []int32
	latency float64
}

// network is the state of the links: when each is free.
type network struct {
	p     *platform.Platform
	free  []float64
	queue float64
	ways  map[[2]int32]way
}

func newNetwork(p *platform.Platform, queue float64) *network {
	return &network{p: p, free: make([]float64, len(p.Links)), queue: queue, ways: map[[2]int32]way{}}
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

// send passes a message over a route: when the sender's own link has taken it,
// when it arrives, and whether it was lost because a queue was full. A message
// is cut into packets, so that it leaves a link while it still enters the one
// before: it arrives when its last byte has passed the slowest.
func (n *network) send(w way, at, bytes float64, reliable bool) (left, arrives float64, lost bool) {
	left, arrives = at, at
	first := at
	for i, l := range w.links {
		link := &n.p.Links[l]
		takes := bytes / link.Bandwidth
		if link.Sharing == platform.Fatpipe {
			arrives = math.Max(arrives, first+takes)
			continue
		}
		begins := math.Max(first, n.free[l])
		if !reliable && n.queue > 0 && i > 0 && (begins-first)*link.Bandwidth > n.queue {
			return left, arrives, true
		}
		ends := math.Max(begins+takes, arrives)
		n.free[l] = begins + takes
		arrives = ends
		if i == 0 {
			left = ends
		}
		first = begins
	}
	return left, arrives + w.latency, false
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
