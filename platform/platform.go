package platform

import "fmt"

// Sharing says how concurrent flows use a link.
type Sharing uint8

const (
	Shared  Sharing = iota // flows divide the bandwidth among them
	Fatpipe                // every flow may use the whole bandwidth
)

func (s Sharing) String() string {
	if s == Fatpipe {
		return "FATPIPE"
	}
	return "SHARED"
}

// Host is a machine that runs processes.
type Host struct {
	Name  string
	Speed float64 // flop/s of one core
	Cores int
}

// Link is one network resource. A SPLITDUPLEX link of a platform file is two
// of these, NAME_UP and NAME_DOWN.
type Link struct {
	Bandwidth float64 // bytes/s
	Latency   float64 // seconds
	Sharing   Sharing

	// Its name, see Name.
	ending ending
	number int32 // or unnumbered
	stem   *string
}

// Route is the way from one host to another. The same link may occur twice.
type Route struct {
	Links   []int32 // indices into Platform.Links, in the order they are crossed
	Latency float64 // sum of the links' latencies, and of peers the way between them, in seconds
}

// Platform is a set of hosts joined by links. It does not change once read,
// and its methods may be called from several goroutines at once.
type Platform struct {
	Hosts  []Host
	Links  []Link
	Config map[string]string // the <config> block, by SimGrid's option names
	// Reference is the speed that the machine counts as on which the platform was
	// calibrated; 0 where the file does not say.
	Reference float64
	// Changes are the speeds, bandwidths, latencies and states that change.
	Changes []Change

	points  []point
	names   nameIndex // of points
	hostAt  []int32   // point by host
	routers []string  // their names
	zones   []zone    // zones[0] is the root

	warnings   []string
	properties int // <prop>s outside <config>
}

// HostByName finds a host's index in p.Hosts.
func (p *Platform) HostByName(name string) (int, bool) {
	i, ok := p.point(name)
	if !ok || p.points[i].kind != hostPoint {
		return 0, false
	}
	return int(p.points[i].ref), true
}

// point finds a host, router or zone.
func (p *Platform) point(name string) (int32, bool) { return p.names.find(p, name) }

// nameOf is the name of a point.
func (p *Platform) nameOf(number int32) string {
	switch pt := &p.points[number]; pt.kind {
	case hostPoint:
		return p.Hosts[pt.ref].Name
	case routerPoint:
		return p.routers[pt.ref]
	default:
		return p.zones[pt.ref].name
	}
}

// Route finds the links from host src to host dst. It appends to buf[:0], so
// a caller that hands the same buf back asks without allocation; the answer
// is then valid until the next call with that buf. Nothing is tabulated: the
// cost is that of walking the zones between the two hosts.
func (p *Platform) Route(src, dst int, buf []int32) (Route, error) {
	if src < 0 || src >= len(p.Hosts) || dst < 0 || dst >= len(p.Hosts) {
		return Route{}, fmt.Errorf("platform: no route from host %d to host %d: there are %d hosts", src, dst, len(p.Hosts))
	}
	links, err := p.between(p.hostAt[src], p.hostAt[dst], buf[:0])
	if err == nil && len(links) == 0 {
		err = errNoPath
	}
	if err != nil {
		return Route{}, fmt.Errorf("platform: no route from %s to %s: %w", p.Hosts[src].Name, p.Hosts[dst].Name, err)
	}
	r := Route{Links: links}
	if v, ok := p.zones[p.points[p.hostAt[src]].zone].routing.(*vivaldi); ok {
		r.Latency = v.latency(p.points[p.hostAt[src]].rank, p.points[p.hostAt[dst]].rank)
	}
	for _, l := range r.Links {
		r.Latency += p.Links[l].Latency
	}
	return r, nil
}
