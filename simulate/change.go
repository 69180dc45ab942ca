package simulate

import (
	"fmt"
	"math"
	"slices"

	"auspex/internal/figure"
	"auspex/platform"
)

// Platforms that change: speeds, bandwidths, latencies and states take new values
// at the dates of their profiles. A change of a host dates its executions anew; a
// change of a link also changes the penalty and the bound of the flows over it
// (network.go), as in SimGrid. What is switched off under a running program ends
// the replay: nothing in a trace says what the program would do then.

// change is a profile and how far it has come.
type change struct {
	platform.Change
	step int
	at   float64 // when the next value comes
	next float64 // the next value
}

// changes holds those that are still to come, the earliest first.
type changes struct {
	pending []change
	idle    int // changes in a row while nothing moved
	patient int // how many of those can still matter
	row     int // changes in a row while nothing happened in the program
}

// mostInRow is after how many changes in a row a replay is given up: what is to happen
// next takes as long as no program runs.
const mostInRow = 1 << 24

func newChanges(p *platform.Platform) changes {
	var c changes
	for _, x := range p.Changes {
		ch := change{Change: x}
		if ch.advance() {
			c.pending = append(c.pending, ch)
		}
		c.patient += 2 * len(x.Profile.Points)
	}
	slices.SortStableFunc(c.pending, byDate)
	return c
}

func byDate(a, b change) int {
	switch {
	case a.at < b.at:
		return -1
	case a.at > b.at:
		return 1
	}
	return 0
}

// advance looks up the next value; false where there is none.
func (c *change) advance() bool {
	m, ok := c.Profile.Event(c.step)
	c.at, c.next = m.At, m.Value
	c.step++
	return ok
}

// due reports whether the platform changes before the given date, or at it.
func (c *changes) due(date float64, any bool) bool {
	return len(c.pending) > 0 && (!any || c.pending[0].at <= date)
}

// take gives the earliest change and puts its next one in its place.
func (c *changes) take() change {
	first := c.pending[0]
	next := first
	rest := c.pending[1:]
	if !next.advance() {
		c.pending = rest
		return first
	}
	i, _ := slices.BinarySearchFunc(rest, next, byDate)
	for i < len(rest) && rest[i].at == next.at {
		i++
	}
	copy(c.pending, rest[:i])
	c.pending[i] = next
	return first
}

// alter lets the platform's next change happen; moving says whether anything
// else was going to.
func (e *engine) alter(moving bool) error {
	c := e.changes.take()
	e.now = max(e.now, c.at)
	if moving {
		e.changes.idle = 0
	} else if e.changes.idle++; e.changes.idle > e.changes.patient {
		return fmt.Errorf("simulate: from %s on nothing moves any more: a speed stays at 0", figure.Seconds(e.now, 6))
	}
	if e.changes.row++; e.changes.row > mostInRow {
		return fmt.Errorf("simulate: by %g s the platform has changed %d times while nothing happened in the program: look for a computation, a speed, a bandwidth or a latency that cannot be", e.now, mostInRow)
	}
	switch c.Of {
	case platform.HostSpeed:
		e.cpus.hosts[c.Index].speed = e.plat.Hosts[c.Index].Speed * c.next
		e.cpus.touch(c.Index)
	case platform.HostState:
		return e.switchHost(c.Index, c.next != 0)
	case platform.LinkBandwidth:
		return e.net.change(e.now, c.Index, c.next, e.net.latencies[c.Index])
	case platform.LinkLatency:
		return e.net.change(e.now, c.Index, e.net.links[c.Index].capacity, c.next)
	case platform.LinkState:
		return e.switchLink(c.Index, c.next != 0)
	}
	return nil
}

// switchHost turns a host on or off. A rank on a host that goes off is lost.
func (e *engine) switchHost(host int32, on bool) error {
	if on {
		return nil
	}
	for id := range e.ranks {
		if r := &e.ranks[id]; r.host == host && r.mode != finished {
			return fmt.Errorf("simulate: host %s goes off at %s, and rank %d on it is lost: the program cannot go on", e.plat.Hosts[host].Name, figure.Seconds(e.now, 6), id)
		}
	}
	return nil
}

// switchLink turns a link on or off. A message on its way over a link that goes
// off is lost.
func (e *engine) switchLink(l int32, on bool) error {
	e.net.off[l] = !on
	if on {
		return nil
	}
	for id := range e.net.transfers {
		t := &e.net.transfers[id]
		if t.message == none {
			continue
		}
		if f := &e.net.flows[id]; e.net.crosses(f, l) {
			m := &e.post.messages[t.message]
			return e.net.lost(l, m.src, m.dst, e.now)
		}
	}
	return nil
}

// lost is the end of a program that sends over a link that is off.
func (n *network) lost(l, src, dst int32, now float64) error {
	return fmt.Errorf("simulate: link %s is off at %s, and a message from rank %d to rank %d is lost: the program cannot go on", n.plat.Links[l].Name(), figure.Seconds(now, 6), src, dst)
}

// vary prepares for links that change; ends tells the ranks and hosts of a
// message.
func (n *network) vary(ends func(message int32) (src, dst int32, a, b int32)) {
	n.ends, n.latencies, n.off = ends, make([]float64, len(n.links)), make([]bool, len(n.links))
	n.use.rebuilt = make([]rebuilt, len(n.links))
	for i, l := range n.plat.Links {
		n.latencies[i] = l.Latency
	}
}

// change gives a link a bandwidth and a latency. Flows over it leave and come
// back, on other terms.
func (n *network) change(now float64, l int32, bandwidth, latency float64) error {
	was := &n.use.rebuilt[l]
	was.could += n.links[l].capacity * (now - was.at)
	was.at = now
	n.links[l].capacity, n.latencies[l] = bandwidth, latency
	n.routes, n.dirty = routeTable{}, true
	for _, u := range slices.Sorted(slices.Values(n.links[l].users)) { // of flows in their order
		id := u.flow()
		n.leave(id)
		if err := n.renew(id); err != nil {
			return err
		}
		n.join(id)
	}
	return nil
}

// renew gives a flow the terms of its way as it is now. Its bound alone is that
// of the bandwidth it found when it was started, as in SimGrid: a link that
// becomes wider helps the next message, not the one on its way.
func (n *network) renew(id int32) error {
	_, _, a, b := n.ends(n.transfers[id].message)
	r, err := n.route(a, b)
	if err != nil {
		return err
	}
	f := &n.flows[id]
	n.lay(f, r)
	if bound := min(n.narrowest[id], n.window(r.latency)); bound != r.terms.bound {
		own := *r.terms
		own.bound = bound
		f.terms = &own
	}
	return nil
}

// window is the rate that TCP's window allows over a latency; one of 0 is none, as in
// SimGrid.
func (n *network) window(latency float64) float64 {
	if latency > 0 && n.opts.TCPGamma > 0 {
		return n.opts.TCPGamma / (2 * latency)
	}
	return math.Inf(1)
}

// narrow notes the bandwidth that a flow finds when it is started.
func (n *network) narrow(id int32, links []int32) {
	for len(n.narrowest) <= int(id) {
		n.narrowest = append(n.narrowest, 0)
	}
	n.narrowest[id] = math.Inf(1)
	for i, l := range links {
		if n.flows[id].weights[i] >= 1 {
			n.narrowest[id] = min(n.narrowest[id], n.links[l].capacity)
		}
	}
}

// late is by how much a way's latency differs from the platform's as it was
// read.
func (n *network) late(links []int32) float64 {
	more := 0.0
	if n.latencies != nil {
		for _, l := range links {
			more += n.latencies[l] - n.plat.Links[l].Latency
		}
	}
	return more
}
