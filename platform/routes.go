package platform

import "fmt"

// router is a routing that takes routes from the platform file.
type router interface {
	addRoute(a, b int32, e edge, back []int32, oneWay bool) error
}

// addRoute adds a route of the present zone. The gateways are "" for a route
// between hosts and routers and names for one between zones.
func (b *builder) addRoute(src, dst, gwSrc, gwDst string, there, back []int32, oneWay bool) error {
	r, ok := b.zone().routing.(router)
	if !ok {
		return fmt.Errorf("a zone with routing %s takes no routes", b.zone().kind)
	}
	a, z, e, err := b.ends(src, dst, gwSrc, gwDst, there)
	if err != nil {
		return err
	}
	if b.p.points[a].zone != b.at || b.p.points[z].zone != b.at {
		return fmt.Errorf("its ends must lie directly in zone %s", b.zone().name)
	}
	b.zone().routes++
	return r.addRoute(b.p.points[a].rank, b.p.points[z].rank, e, back, oneWay)
}

// direction finds the link a route names and the one that the way back uses:
// the same, or the other half of a SPLITDUPLEX link.
func (b *builder) direction(id, direction string) (there, back int32, err error) {
	plain, isPlain := b.links[id]
	up, hasUp := b.links[id+"_UP"]
	down, hasDown := b.links[id+"_DOWN"]
	isSplit := hasUp && hasDown
	switch direction {
	case "", "NONE":
		if isPlain {
			return plain, plain, nil
		}
		if isSplit {
			return 0, 0, fmt.Errorf("link %q is SPLITDUPLEX: say direction=\"UP\" or \"DOWN\"", id)
		}
	case "UP", "DOWN":
		if isSplit && direction == "UP" {
			return up, down, nil
		}
		if isSplit {
			return down, up, nil
		}
		if isPlain {
			return 0, 0, fmt.Errorf("link %q has no direction: it is not SPLITDUPLEX", id)
		}
	default:
		return 0, 0, fmt.Errorf("link %q: the direction must be UP, DOWN or NONE, not %q", id, direction)
	}
	return 0, 0, fmt.Errorf("there is no link %q (links must be declared before the routes that use them)", id)
}

// addBypass adds a route that is used instead of what the zones say.
func (b *builder) addBypass(src, dst, gwSrc, gwDst string, links []int32) error {
	a, z, e, err := b.ends(src, dst, gwSrc, gwDst, links)
	if err != nil {
		return err
	}
	zone := b.zone()
	key := [2]int32{a, z}
	for _, end := range key {
		if at := b.p.points[end].zone; at != b.at && (e.gwA < 0 || !b.inside(at)) {
			return fmt.Errorf("%s is not in zone %s", b.p.nameOf(end), zone.name)
		}
	}
	if _, dup := zone.bypass[key]; dup {
		return fmt.Errorf("this bypass exists already")
	}
	if zone.bypass == nil {
		zone.bypass = map[[2]int32]edge{}
	}
	zone.bypass[key] = e
	return nil
}

// ends finds and checks the points a route of the present zone joins.
func (b *builder) ends(src, dst, gwSrc, gwDst string, links []int32) (a, z int32, e edge, err error) {
	fail := func(format string, args ...any) (int32, int32, edge, error) {
		return 0, 0, edge{}, fmt.Errorf(format, args...)
	}
	if len(links) == 0 {
		return fail("it has no links")
	}
	if a, err = b.point(src); err != nil {
		return fail("%v", err)
	}
	if z, err = b.point(dst); err != nil {
		return fail("%v", err)
	}
	e = edge{links: links, gwA: -1, gwB: -1}
	pa, pz := &b.p.points[a], &b.p.points[z]
	if gwSrc == "" && gwDst == "" {
		if pa.kind == zonePoint || pz.kind == zonePoint {
			return fail("a route joins hosts and routers; between zones write a zoneRoute with gateways")
		}
		return a, z, e, nil
	}
	if pa.kind != zonePoint || pz.kind != zonePoint {
		return fail("a zoneRoute joins zones; between hosts and routers write a route")
	}
	if e.gwA, err = b.gateway(gwSrc, pa); err != nil {
		return fail("%v", err)
	}
	if e.gwB, err = b.gateway(gwDst, pz); err != nil {
		return fail("%v", err)
	}
	if e.gwA == e.gwB {
		return fail("both gateways are %s", gwSrc)
	}
	return a, z, e, nil
}

func (b *builder) point(name string) (int32, error) {
	i, ok := b.p.point(name)
	if !ok {
		return 0, fmt.Errorf("there is no host, router or zone %q", name)
	}
	return i, nil
}

// inside tells whether zone z lies somewhere in the present one.
func (b *builder) inside(z int32) bool {
	for ; z >= 0; z = b.p.zones[z].parent {
		if z == b.at {
			return true
		}
	}
	return false
}

// gateway finds a host or router inside the zone that at stands for.
func (b *builder) gateway(name string, at *point) (int32, error) {
	g, err := b.point(name)
	if err != nil {
		return 0, err
	}
	if b.p.points[g].kind == zonePoint {
		return 0, fmt.Errorf("the gateway %s is a zone; it must be a host or a router", name)
	}
	for z := b.p.points[g].zone; z >= 0; z = b.p.zones[z].parent {
		if z == at.ref {
			return g, nil
		}
	}
	return 0, fmt.Errorf("the gateway %s is not in zone %s", name, b.p.zones[at.ref].name)
}
