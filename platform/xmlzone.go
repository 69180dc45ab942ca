package platform

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// platform reads what is inside <platform>.
func (x *xmlReader) platform(t tag) error {
	if v, err := strconv.ParseFloat(t.attr["version"], 64); err != nil || v < 4 || v > 4.1 {
		return x.fail(t.line, "platform version %q is not supported: 4.1 is (simgrid_update_xml converts older files)", t.attr["version"])
	}
	for {
		c, ok, err := x.next()
		if !ok || err != nil {
			return err
		}
		switch c.name {
		case "config":
			if len(x.b.p.zones) > 0 {
				return x.fail(c.line, "<config> must stand before the first zone")
			}
			err = x.config()
		case "zone":
			err = x.zone(c)
		case "cluster":
			err = x.cluster(c)
		default:
			err = x.misplaced(c, "platform")
		}
		if err != nil {
			return err
		}
	}
}

func (x *xmlReader) misplaced(t tag, inside string) error {
	return x.fail(t.line, "<%s> cannot stand inside <%s>", t.name, inside)
}

// props reads the <prop>s inside an element, up to its end tag.
func (x *xmlReader) props(inside string, set func(key, value string) error) error {
	for {
		c, ok, err := x.next()
		if !ok || err != nil {
			return err
		}
		if c.name != "prop" {
			return x.misplaced(c, inside)
		}
		if err := set(c.attr["id"], c.attr["value"]); err != nil {
			return x.fail(c.line, "%v", err)
		}
		if err := x.empty("prop"); err != nil {
			return err
		}
	}
}

// empty reads the end tag of an element that holds nothing.
func (x *xmlReader) empty(name string) error {
	c, ok, err := x.next()
	if ok {
		return x.misplaced(c, name)
	}
	return err
}

// note reads the properties of a host, link, zone or cluster. None of them
// changes a time we simulate; those that would are refused.
func (x *xmlReader) note(key, _ string) error {
	if strings.HasPrefix(key, "smpi/") {
		return fmt.Errorf("the property %q of a single host is not supported", key)
	}
	x.b.p.properties++
	return nil
}

func (x *xmlReader) config() error {
	return x.props("config", func(key, value string) error {
		x.b.p.Config[key] = value
		return nil
	})
}

// zone reads a <zone> and all inside it.
func (x *xmlReader) zone(t tag) error {
	routing, err := x.routing(t)
	if err != nil {
		return err
	}
	if err := x.b.openZone(t.attr["id"], t.attr["routing"], routing); err != nil {
		return x.fail(t.line, "%v", err)
	}
	for {
		c, ok, err := x.next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if err := x.inZone(c); err != nil {
			return err
		}
	}
	for _, l := range x.hostLinks {
		if err := x.b.addHostLink(l.attr["id"], l.attr["up"], l.attr["down"]); err != nil {
			return x.fail(l.line, "host_link of %s: %v", l.attr["id"], err)
		}
	}
	x.hostLinks = nil
	if err := x.b.closeZone(); err != nil {
		return x.fail(t.line, "zone %q: %v", t.attr["id"], err)
	}
	return nil
}

func (x *xmlReader) routing(t tag) (routing, error) {
	switch strings.ToLower(t.attr["routing"]) {
	case "full":
		return newFull(), nil
	case "floyd":
		return newGraph(true), nil
	case "dijkstra", "dijkstracache":
		return newGraph(false), nil
	case "none":
		return none{}, nil
	case "cluster":
		return newStar(), nil
	case "vivaldi", "wifi":
		return nil, x.fail(t.line, "zone %q: the routing %q is not supported", t.attr["id"], t.attr["routing"])
	}
	return nil, x.fail(t.line, "zone %q: unknown routing %q; known are Full, Floyd, Dijkstra, DijkstraCache, Cluster and None", t.attr["id"], t.attr["routing"])
}

func (x *xmlReader) inZone(c tag) error {
	switch c.name {
	case "prop":
		if err := x.note(c.attr["id"], c.attr["value"]); err != nil {
			return x.fail(c.line, "%v", err)
		}
		return x.empty("prop")
	case "zone":
		return x.zone(c)
	case "host":
		return x.host(c)
	case "cluster":
		return x.cluster(c)
	case "link":
		return x.link(c)
	case "router":
		if err := x.b.addRouter(c.attr["id"]); err != nil {
			return x.fail(c.line, "%v", err)
		}
		return x.empty("router")
	case "route", "zoneRoute", "bypassRoute", "bypassZoneRoute":
		return x.route(c)
	case "host_link": // may stand before the host and links it names
		x.hostLinks = append(x.hostLinks, c)
		return x.empty("host_link")
	case "backbone":
		return x.backbone(c)
	case "cabinet":
		return x.cabinet(c)
	}
	return x.misplaced(c, "zone")
}

func (x *xmlReader) host(t tag) error {
	if err := x.props("host", x.note); err != nil {
		return err
	}
	speed, err := x.speed(t)
	if err != nil {
		return err
	}
	cores, err := x.cores(t)
	if err != nil {
		return err
	}
	if err := x.b.addHost(t.attr["id"], speed, cores); err != nil {
		return x.fail(t.line, "%v", err)
	}
	return nil
}

// speed reads a list of speeds and picks the one of the pstate.
func (x *xmlReader) speed(t tag) (float64, error) {
	list := strings.Split(t.attr["speed"], ",")
	state, err := x.whole(t, "pstate", 0)
	if err != nil {
		return 0, err
	}
	if state < 0 || state >= len(list) {
		return 0, x.fail(t.line, "%s %q: pstate %d, but there are %d speeds", t.name, t.attr["id"], state, len(list))
	}
	for i, s := range list {
		v, err := x.quantity(t, "speed", s, speedUnit)
		if err != nil {
			return 0, err
		}
		if !(v > 0) {
			return 0, x.fail(t.line, "%s %q: the speed must be above 0", t.name, t.attr["id"])
		}
		if i == state {
			return v, nil
		}
	}
	panic("unreachable")
}

// quantity reads a value with a unit, noting it where the unit is missing.
func (x *xmlReader) quantity(t tag, attr, text string, u unit) (float64, error) {
	v, bare, err := u.parse(text)
	if err != nil {
		return 0, x.fail(t.line, "%s %q: %s: %v", t.name, t.attr["id"], attr, err)
	}
	if bare {
		x.warn(t.line, "%s %q: %s=%q has no unit and is taken in %s", t.name, t.attr["id"], attr, text, u.plain)
	}
	return v, nil
}

// optional reads an attribute with a unit that may be absent or empty.
func (x *xmlReader) optional(t tag, attr string, u unit) (float64, error) {
	if t.attr[attr] == "" {
		return 0, nil
	}
	v, err := x.quantity(t, attr, t.attr[attr], u)
	if err == nil && v < 0 {
		err = x.fail(t.line, "%s %q: %s must not be negative", t.name, t.attr["id"], attr)
	}
	return v, err
}

func (x *xmlReader) cores(t tag) (int, error) {
	n, err := x.whole(t, "core", 1)
	if err == nil && n < 1 {
		err = x.fail(t.line, "%s %q: core must be 1 or more", t.name, t.attr["id"])
	}
	return n, err
}

func (x *xmlReader) whole(t tag, attr string, otherwise int) (int, error) {
	s, ok := t.attr[attr]
	if !ok {
		return otherwise, nil
	}
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		return 0, x.fail(t.line, "%s %q: %s=%q is not a whole number", t.name, t.attr["id"], attr, s)
	}
	return n, nil
}

func (x *xmlReader) link(t tag) error {
	if err := x.props("link", x.note); err != nil {
		return err
	}
	bw, err := x.quantity(t, "bandwidth", t.attr["bandwidth"], bandwidthUnit)
	if err != nil {
		return err
	}
	lat, err := x.optional(t, "latency", timeUnit)
	if err != nil {
		return err
	}
	id := t.attr["id"]
	switch policy := t.attr["sharing_policy"]; policy {
	case "", "SHARED":
		_, err = x.b.addLink(id, bw, lat, Shared)
	case "FATPIPE":
		_, err = x.b.addLink(id, bw, lat, Fatpipe)
	case "SPLITDUPLEX", "FULLDUPLEX":
		var up int32
		if up, err = x.b.addSplit(id, bw, lat); err == nil {
			x.b.split[id] = up
		}
	default:
		err = fmt.Errorf("link %q: the sharing policy %q is not supported; known are SHARED, FATPIPE and SPLITDUPLEX", id, policy)
	}
	if err != nil {
		return x.fail(t.line, "%v", err)
	}
	return nil
}

// path reads the <link_ctn>s of a route: the links there and, reversed, back.
func (x *xmlReader) path(inside string) (there, back []int32, err error) {
	for {
		c, ok, err := x.next()
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			slices.Reverse(back)
			return there, back, nil
		}
		if c.name != "link_ctn" {
			return nil, nil, x.misplaced(c, inside)
		}
		go1, back1, err := x.b.direction(c.attr["id"], c.attr["direction"])
		if err != nil {
			return nil, nil, x.fail(c.line, "%v", err)
		}
		there, back = append(there, go1), append(back, back1)
		if err := x.empty("link_ctn"); err != nil {
			return nil, nil, err
		}
	}
}

// direction finds the link a route names, and the one the way back uses.
func (b *builder) direction(id, direction string) (there, back int32, err error) {
	up, split := b.split[id]
	switch {
	case split && direction == "UP":
		return up, up + 1, nil
	case split && direction == "DOWN":
		return up + 1, up, nil
	case split:
		return 0, 0, fmt.Errorf("link %q is SPLITDUPLEX: say direction=\"UP\" or \"DOWN\"", id)
	}
	l, ok := b.links[id]
	if !ok {
		return 0, 0, fmt.Errorf("there is no link %q (links must be declared before the routes that use them)", id)
	}
	return l, l, nil
}

func (x *xmlReader) route(t tag) error {
	there, back, err := x.path(t.name)
	if err != nil {
		return err
	}
	src, dst, gwA, gwB := t.attr["src"], t.attr["dst"], t.attr["gw_src"], t.attr["gw_dst"]
	oneWay := false
	switch s := strings.ToUpper(t.attr["symmetrical"]); s {
	case "", "YES":
	case "NO":
		oneWay = true
	default:
		return x.fail(t.line, "symmetrical must be YES or NO, not %q", t.attr["symmetrical"])
	}
	if strings.HasPrefix(t.name, "bypass") {
		err = x.b.addBypass(src, dst, gwA, gwB, there)
	} else {
		err = x.b.addRoute(src, dst, gwA, gwB, there, back, oneWay)
	}
	if err != nil {
		return x.fail(t.line, "%s from %s to %s: %v", t.name, src, dst, err)
	}
	return nil
}

func (x *xmlReader) backbone(t tag) error {
	bw, err := x.quantity(t, "bandwidth", t.attr["bandwidth"], bandwidthUnit)
	if err != nil {
		return err
	}
	lat, err := x.quantity(t, "latency", t.attr["latency"], timeUnit)
	if err != nil {
		return err
	}
	if err := x.b.addBackbone(t.attr["id"], bw, lat); err != nil {
		return x.fail(t.line, "backbone %q: %v", t.attr["id"], err)
	}
	return x.empty("backbone")
}
