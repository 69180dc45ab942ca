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
		case "trace", "trace_connect":
			err = x.profile(c)
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
func (x *xmlReader) note(key, value string) error {
	if key == referenceKey {
		speed, err := ParseSpeed(value)
		x.b.p.Reference = speed
		return err
	}
	if strings.HasPrefix(key, ownPrefix) {
		x.b.p.Config[key] = value
		return nil
	}
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
	case "vivaldi":
		if x.b.at >= 0 {
			return nil, x.fail(t.line, "zone %q: a Vivaldi zone inside another zone is not supported", t.attr["id"])
		}
		return &vivaldi{}, nil
	case "wifi":
		return nil, x.fail(t.line, "zone %q: the routing %q is not supported", t.attr["id"], t.attr["routing"])
	}
	return nil, x.fail(t.line, "zone %q: unknown routing %q; known are Full, Floyd, Dijkstra, DijkstraCache, Cluster, Vivaldi and None", t.attr["id"], t.attr["routing"])
}

func (x *xmlReader) inZone(c tag) error {
	if _, ok := x.b.zone().routing.(*vivaldi); ok && !has("peer prop trace trace_connect", c.name) {
		return x.fail(c.line, "<%s> in a Vivaldi zone is not supported: it holds peers only", c.name)
	}
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
	case "peer":
		return x.peer(c)
	case "trace", "trace_connect":
		return x.profile(c)
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
	return x.hostChanges(t)
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
		_, err = x.b.addLink(named(id), bw, lat, Shared)
	case "FATPIPE":
		_, err = x.b.addLink(named(id), bw, lat, Fatpipe)
	case "SPLITDUPLEX", "FULLDUPLEX":
		_, err = x.b.addSplit(named(id), bw, lat)
	default:
		err = fmt.Errorf("link %q: the sharing policy %q is not supported; known are SHARED, FATPIPE and SPLITDUPLEX", id, policy)
	}
	if err != nil {
		return x.fail(t.line, "%v", err)
	}
	return x.linkChanges(t)
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
