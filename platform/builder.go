package platform

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// maxZoneDepth bounds how deep zones nest.
const maxZoneDepth = 64

// limits bound what a platform file may ask for, so that a short one cannot
// take all memory.
type limits struct{ hosts, links, bytes int }

const (
	maxHosts = 1 << 20
	maxLinks = 1 << 23
	maxBytes = 256 << 20
)

// builder puts a platform together; every reader of a platform format uses it.
// Its errors say what is wrong but not where: the reader adds the place.
type builder struct {
	p     *Platform
	links map[string]int32 // by name
	at    int32            // the zone being filled, -1 before the first
	loop  int32            // the loopback link of routed zones, -1 until needed
	names nameArena
	limit limits

	// SimGrid numbers these through the whole platform, not per cluster, and
	// its fat trees route by such a number.
	fatTreeHosts, fatTreeLinks, dragonflyLinks int
}

func newBuilder(limit limits) *builder {
	return &builder{
		limit: limit,
		p:     &Platform{Config: map[string]string{}},
		links: map[string]int32{},
		at:    -1,
		loop:  -1,
	}
}

// zone returns the zone being filled.
func (b *builder) zone() *zone { return &b.p.zones[b.at] }

func (b *builder) addPoint(name string, kind pointKind, ref int32) (int32, error) {
	if name == "" {
		return 0, fmt.Errorf("the id is empty")
	}
	if other, dup := b.p.point(name); dup {
		return 0, fmt.Errorf("the name %q is taken by another %s", name, b.p.points[other].kind)
	}
	i := int32(len(b.p.points))
	pt := point{kind: kind, zone: b.at, ref: ref}
	if b.at >= 0 {
		z := b.zone()
		if z.outer != (kind == zonePoint) && z.size > 0 {
			return 0, fmt.Errorf("zone %s holds both zones and hosts: give the hosts a zone of their own", z.name)
		}
		z.outer = kind == zonePoint
		pt.rank = z.size
		z.size++
	}
	b.p.points = append(b.p.points, pt)
	b.p.names.add(b.p, i, name)
	return i, nil
}

func (b *builder) addHost(name string, speed float64, cores int) error {
	if len(b.p.Hosts) >= b.limit.hosts {
		return fmt.Errorf("more than %d hosts", b.limit.hosts)
	}
	i, err := b.addPoint(name, hostPoint, int32(len(b.p.Hosts)))
	if err != nil {
		return err
	}
	b.p.Hosts = append(b.p.Hosts, Host{Name: name, Speed: speed, Cores: cores})
	b.p.hostAt = append(b.p.hostAt, i)
	return nil
}

func (b *builder) addRouter(name string) error {
	_, err := b.addPoint(name, routerPoint, int32(len(b.p.routers)))
	b.p.routers = append(b.p.routers, name)
	return err
}

// addLink adds one link and returns its index.
func (b *builder) addLink(l Link, bandwidth, latency float64, sharing Sharing) (int32, error) {
	name := l.Name()
	switch {
	case name == "":
		return 0, fmt.Errorf("the link's id is empty")
	case !(bandwidth > 0) || math.IsInf(bandwidth, 0):
		return 0, fmt.Errorf("link %q: the bandwidth must be above 0", name)
	case !(latency >= 0) || math.IsInf(latency, 0):
		return 0, fmt.Errorf("link %q: the latency must not be negative", name)
	case len(b.p.Links) >= b.limit.links:
		return 0, fmt.Errorf("more than %d links", b.limit.links)
	}
	if _, dup := b.links[name]; dup {
		return 0, fmt.Errorf("there is a link %q already", name)
	}
	i := int32(len(b.p.Links))
	b.links[name] = i
	l.Bandwidth, l.Latency, l.Sharing = bandwidth, latency, sharing
	b.p.Links = append(b.p.Links, l)
	return i, nil
}

// expect makes room for many hosts with so many links each, since to grow bit by bit
// leaves room over and takes both the old and the new.
func (b *builder) expect(hosts, links int) {
	hosts = min(hosts, b.limit.hosts-len(b.p.Hosts))
	links = min(hosts*links, b.limit.links-len(b.p.Links))
	b.p.Hosts, b.p.points = slices.Grow(b.p.Hosts, hosts), slices.Grow(b.p.points, hosts+1)
	b.p.hostAt, b.p.Links = slices.Grow(b.p.hostAt, hosts), slices.Grow(b.p.Links, links)
}

// addSplit adds a SPLITDUPLEX link, NAME_UP and after it NAME_DOWN, and
// returns the index of the first.
func (b *builder) addSplit(l Link, bandwidth, latency float64) (int32, error) {
	l.ending = up
	first, err := b.addLink(l, bandwidth, latency, Shared)
	if err != nil {
		return 0, err
	}
	l.ending = down
	_, err = b.addLink(l, bandwidth, latency, Shared)
	return first, err
}

// openZone starts a zone inside the present one.
func (b *builder) openZone(name, kind string, r routing) error {
	depth := int32(0)
	if b.at >= 0 {
		depth = b.zone().depth + 1
		switch b.zone().routing.(type) {
		case *star:
			return fmt.Errorf("a Cluster zone cannot hold zones")
		case *vivaldi:
			return fmt.Errorf("a Vivaldi zone cannot hold zones")
		}
	} else if len(b.p.zones) > 0 {
		return fmt.Errorf("there is a second zone at the top: put both inside one zone")
	}
	if depth >= maxZoneDepth {
		return fmt.Errorf("zones are nested more than %d deep", maxZoneDepth)
	}
	i := int32(len(b.p.zones))
	self, err := b.addPoint(name, zonePoint, i)
	if err != nil {
		return err
	}
	b.p.zones = append(b.p.zones, zone{name: name, kind: kind, parent: b.at, depth: depth, self: self, routing: r})
	b.at = i
	return nil
}

// closeZone ends the present zone; its routing is complete.
func (b *builder) closeZone() error {
	z := b.zone()
	if s, ok := z.routing.(sealer); ok {
		if err := s.seal(b, z); err != nil {
			return err
		}
	}
	b.at = z.parent
	return nil
}

// sealer is a routing that has work left when its zone is complete.
type sealer interface {
	seal(b *builder, z *zone) error
}

// loopback is the link a host of a routed zone talks to itself over, unless
// the zone has a route from it to itself. Zones that hold zones have none.
func (b *builder) loopback(z *zone) (int32, error) {
	if z.outer {
		return -1, nil
	}
	if b.loop < 0 {
		bw, lat, err := loopbackConfig(b.p.Config)
		if err != nil {
			return -1, err
		}
		if b.loop, err = b.addLink(named(loopbackName), bw, lat, Fatpipe); err != nil {
			return -1, err
		}
	}
	return b.loop, nil
}

// finish hands the platform over.
func (b *builder) finish() (*Platform, error) {
	if len(b.p.zones) == 0 {
		return nil, fmt.Errorf("the platform has no zone")
	}
	if len(b.p.Hosts) == 0 {
		return nil, fmt.Errorf("the platform has no host")
	}
	return b.p, nil
}

func (k pointKind) String() string {
	return [...]string{"host", "router", "zone"}[k]
}

// nameArena builds many short names in few allocations.
type nameArena struct{ chunk *strings.Builder }

func (a *nameArena) join(parts ...string) string {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	if a.chunk == nil || a.chunk.Cap()-a.chunk.Len() < n {
		a.chunk = new(strings.Builder)
		a.chunk.Grow(max(n, 1<<14))
	}
	start := a.chunk.Len()
	for _, p := range parts {
		a.chunk.WriteString(p)
	}
	return a.chunk.String()[start:]
}
