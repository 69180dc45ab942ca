package platform

import (
	"errors"
	"fmt"
	"slices"
)

// pointKind tells what a point of the network is.
type pointKind uint8

const (
	hostPoint pointKind = iota
	routerPoint
	zonePoint
)

// point is anything a route can start, end or pass at: a host, a router, or a
// whole zone seen from the zone around it.
type point struct {
	kind pointKind
	zone int32 // the zone it lies in, -1 for the root zone's own point
	rank int32 // its number among the points of that zone
	ref  int32 // index in Platform.Hosts, routers or zones, by kind
}

// zone is one region of the network with its own way of routing. It holds
// either hosts and routers or other zones.
type zone struct {
	name   string
	kind   string // the routing as the platform file calls it
	parent int32  // -1 for the root
	depth  int32  // 0 for the root
	self   int32  // the zone's own point
	outer  bool   // it holds zones
	size   int32  // points directly inside
	routes int    // routes written for it
	routing
	bypass map[[2]int32]edge // used instead of what the routing says, by the points at the ends
}

// routing finds the way between two points that lie directly in one zone.
type routing interface {
	// local appends the links from the zone's point number a to number b.
	// Between two inner zones it also names the gateways the links join;
	// otherwise both are -1.
	local(p *Platform, a, b int32, links []int32) (all []int32, gwA, gwB int32, err error)
}

// errNoPath is the plain "there is no way".
var errNoPath = errors.New("nothing joins the two")

// maxRouteLinks bounds one route, and with it the work that deeply nested
// zones can cause.
const maxRouteLinks = 1 << 20

// between appends the links from point a to point b. The way is that of
// SimGrid: the innermost zone around both says which gateways join the two
// inner zones, and the ways to and from the gateways are found likewise.
func (p *Platform) between(a, b int32, links []int32) ([]int32, error) {
	if len(links) > maxRouteLinks {
		return nil, fmt.Errorf("the route has more than %d links", maxRouteLinks)
	}
	common, inA, inB := p.meet(a, b)
	z := &p.zones[common]
	if len(z.bypass) > 0 {
		if out, ok, err := p.around(z, a, b, links); ok || err != nil {
			return out, err
		}
	}
	from, to := a, b
	if inA != inB {
		from, to = p.zones[inA].self, p.zones[inB].self
	}
	start := len(links)
	links, gwA, gwB, err := z.local(p, p.points[from].rank, p.points[to].rank, links)
	if err != nil {
		return nil, fmt.Errorf("zone %s, from %s to %s: %w", z.name, p.nameOf(from), p.nameOf(to), err)
	}
	if inA == inB {
		return links, nil
	}
	if a != gwA {
		middle := len(links) - start
		if links, err = p.between(a, gwA, links); err != nil {
			return nil, err
		}
		rotate(links[start:], middle)
	}
	if b != gwB {
		return p.between(gwB, b, links)
	}
	return links, nil
}

// rotate moves the first n elements of s to its end.
func rotate(s []int32, n int) {
	slices.Reverse(s[:n])
	slices.Reverse(s[n:])
	slices.Reverse(s)
}

// meet finds the innermost zone around points a and b and, inside it, the
// zones that lead to each, which are that zone itself if both lie in it.
func (p *Platform) meet(a, b int32) (common, inA, inB int32) {
	za, zb := p.points[a].zone, p.points[b].zone
	inA, inB = za, zb
	for p.zones[za].depth > p.zones[zb].depth {
		inA, za = za, p.zones[za].parent
	}
	for p.zones[zb].depth > p.zones[za].depth {
		inB, zb = zb, p.zones[zb].parent
	}
	for za != zb {
		inA, za = za, p.zones[za].parent
		inB, zb = zb, p.zones[zb].parent
	}
	return za, inA, inB
}

// around uses a bypass route of zone z from a to b if there is one.
func (p *Platform) around(z *zone, a, b int32, links []int32) (out []int32, ok bool, err error) {
	if !z.outer {
		d, ok := z.bypass[[2]int32{a, b}]
		return append(links, d.links...), ok, nil
	}
	d, ok := p.nearestBypass(z, p.points[a].zone, p.points[b].zone)
	if !ok {
		return links, false, nil
	}
	if links, err = p.between(a, d.gwA, links); err != nil {
		return nil, false, err
	}
	links = append(links, d.links...)
	links, err = p.between(d.gwB, b, links)
	return links, true, err
}

// nearestBypass looks for a bypass of z between a zone around za and one around
// zb, the innermost first, in SimGrid's order.
func (p *Platform) nearestBypass(z *zone, za, zb int32) (edge, bool) {
	pathA, pathB := p.pathTo(z, za), p.pathTo(z, zb)
	look := func(i, j int) (edge, bool) {
		if i >= len(pathA) || j >= len(pathB) {
			return edge{}, false
		}
		d, ok := z.bypass[[2]int32{pathA[i], pathB[j]}]
		return d, ok
	}
	for far := range max(len(pathA), len(pathB)) {
		for near := range far {
			if d, ok := look(near, far); ok {
				return d, true
			}
			if d, ok := look(far, near); ok {
				return d, true
			}
		}
		if d, ok := look(far, far); ok {
			return d, true
		}
	}
	return edge{}, false
}

// pathTo lists the points of the zones from inner outwards, up to but without z.
func (p *Platform) pathTo(z *zone, inner int32) []int32 {
	var path []int32
	for i := inner; i >= 0 && &p.zones[i] != z; i = p.zones[i].parent {
		path = append(path, p.zones[i].self)
	}
	return path
}
