package vcluster

import (
	"fmt"
	"strings"

	"auspex/platform"
)

// maxHosts bounds a lab: with more, the hosts' shares of a core are too small
// to mean anything.
const maxHosts = 64

// Node is a host, or a junction where links meet.
type Node struct {
	Name string // the host's; empty for a junction
	next []hop  // by host
}

// hop is the cable a packet leaves a node by.
type hop struct {
	cable int
	end   int // which end of the cable the node is
}

// Cable joins two nodes, with a rate for each direction in bytes/s; a rate of 0
// is a direction that nothing takes.
type Cable struct {
	Ends  [2]int // nodes
	Rates [2]float64
	links [2]string // names, for messages
}

// Plan is what a lab will be built of. The first nodes are the platform's
// hosts, in order.
type Plan struct {
	Nodes  []Node
	Cables []Cable
	Hosts  int
}

// NewPlan finds the nodes that a platform's links run between. A platform says
// only which links a message crosses; links that follow one another on some
// way meet in a node.
func NewPlan(p *platform.Platform) (*Plan, error) {
	// The two halves of a full-duplex link run between the same nodes, unless
	// what is between them, such as a backbone, has an entrance and an exit.
	if plan, err := draw(p, true); err == nil {
		return plan, nil
	}
	return draw(p, false)
}

func draw(p *platform.Platform, duplex bool) (*Plan, error) {
	n := len(p.Hosts)
	if n < 2 || n > maxHosts {
		return nil, fmt.Errorf("lab: the platform has %d hosts; 2 to %d can be built", n, maxHosts)
	}
	// Points: the hosts, then the beginning and the end of every link.
	begin := func(link int32) int { return n + 2*int(link) }
	same := newSets(n + 2*len(p.Links))
	ways := make([][]int32, n*n)
	for a := range n {
		for b := range n {
			if a == b {
				continue
			}
			r, err := p.Route(a, b, nil)
			if err != nil {
				return nil, err
			}
			ways[a*n+b] = r.Links
			at := a
			for _, l := range r.Links {
				same.join(at, begin(l))
				at = begin(l) + 1
			}
			same.join(at, b)
		}
	}
	if duplex {
		for i := range len(p.Links) - 1 {
			up, isUp := strings.CutSuffix(p.Links[i].Name(), "_UP")
			if isUp && p.Links[i+1].Name() == up+"_DOWN" {
				same.join(begin(int32(i)), begin(int32(i+1))+1)
				same.join(begin(int32(i))+1, begin(int32(i+1)))
			}
		}
	}
	plan := &Plan{Hosts: n}
	node := map[int]int{} // by set
	for i, h := range p.Hosts {
		if other, taken := node[same.find(i)]; taken {
			return nil, fmt.Errorf("lab: a link between %s and %s is shared by both directions; a lab has full-duplex links only (SPLITDUPLEX in SimGrid's XML)", p.Hosts[other].Name, h.Name)
		}
		node[same.find(i)] = i
		plan.Nodes = append(plan.Nodes, Node{Name: h.Name, next: make([]hop, n)})
	}
	hops := map[int32]hop{} // by link
	for b := range n {
		for a := range n {
			at := a
			for _, l := range ways[a*n+b] {
				h, known := hops[l]
				if !known {
					var err error
					if h, err = plan.lay(p.Links[l], node, same.find(begin(l)), same.find(begin(l)+1)); err != nil {
						return nil, err
					}
					hops[l] = h
				}
				if err := plan.direct(at, b, h); err != nil {
					return nil, err
				}
				at = plan.Cables[h.cable].Ends[1-h.end]
			}
		}
	}
	return plan, nil
}

// lay adds a link between two sets of points, as the free direction of a cable
// that is there or as a new one.
func (p *Plan) lay(l platform.Link, node map[int]int, from, to int) (hop, error) {
	if l.Sharing == platform.Fatpipe {
		return hop{}, fmt.Errorf("lab: link %s is a fatpipe; no real link gives every flow its whole bandwidth", l.Name())
	}
	if from == to {
		return hop{}, fmt.Errorf("lab: link %s is shared by both directions; a lab has full-duplex links only (SPLITDUPLEX in SimGrid's XML)", l.Name())
	}
	for _, set := range []int{from, to} {
		if _, ok := node[set]; !ok {
			node[set] = len(p.Nodes)
			p.Nodes = append(p.Nodes, Node{next: make([]hop, p.Hosts)})
		}
	}
	a, b := node[from], node[to]
	for i := range p.Cables {
		if c := &p.Cables[i]; c.Ends == [2]int{b, a} && c.Rates[1] == 0 {
			c.Rates[1], c.links[1] = l.Bandwidth, l.Name()
			return hop{i, 1}, nil
		}
	}
	p.Cables = append(p.Cables, Cable{Ends: [2]int{a, b}, Rates: [2]float64{l.Bandwidth, 0}, links: [2]string{l.Name(), ""}})
	return hop{len(p.Cables) - 1, 0}, nil
}

// direct notes that packets for a host leave a node by a cable.
func (p *Plan) direct(at, host int, h hop) error {
	if at == host {
		return fmt.Errorf("lab: the way to %s leads through it", p.Nodes[host].Name)
	}
	next := &p.Nodes[at].next[host]
	if *next != (hop{}) && *next != stored(h) {
		return fmt.Errorf("lab: ways to %s part at one place, over %s or %s; real routing goes by the destination", p.Nodes[host].Name, p.Cables[h.cable].links[h.end], p.Cables[next.cable-1].links[next.end])
	}
	*next = stored(h)
	return nil
}

// stored marks a hop as known: cables count from 1 in a node's table.
func stored(h hop) hop { return hop{h.cable + 1, h.end} }

// sets are disjoint sets of points.
type sets []int

func newSets(n int) sets {
	s := make(sets, n)
	for i := range s {
		s[i] = i
	}
	return s
}

func (s sets) find(i int) int {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

func (s sets) join(a, b int) { s[s.find(a)] = s.find(b) }
