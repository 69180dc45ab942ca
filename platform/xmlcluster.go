package platform

import "fmt"

func (x *xmlReader) cluster(t tag) error {
	if err := x.props("cluster", x.note); err != nil {
		return err
	}
	c, err := x.hosts(t)
	if err != nil {
		return err
	}
	c.router, c.topology, c.parameters = t.attr["router_id"], t.attr["topology"], t.attr["topo_parameters"]
	for _, q := range []struct {
		attr string
		into *float64
		unit unit
	}{
		{"bb_bw", &c.backboneBW, bandwidthUnit}, {"bb_lat", &c.backboneLat, timeUnit},
		{"loopback_bw", &c.loopbackBW, bandwidthUnit}, {"loopback_lat", &c.loopbackLat, timeUnit},
		{"limiter_link", &c.limiter, bandwidthUnit},
	} {
		if *q.into, err = x.optional(t, q.attr, q.unit); err != nil {
			return err
		}
	}
	if err = c.setPolicies(t.attr["sharing_policy"], t.attr["bb_sharing_policy"]); err == nil {
		err = x.b.addCluster(c)
	}
	if err != nil {
		return x.fail(t.line, "cluster %q: %v", c.name, err)
	}
	if t.attr["sharing_policy"] == "FATPIPE" {
		x.warn(t.line, "cluster %q: its links are shared in spite of FATPIPE, as in SimGrid 3.32", c.name)
	}
	if c.topology != "" && c.topology != "FLAT" {
		for _, attr := range []string{"router_id", "bb_bw", "bb_lat"} {
			if t.attr[attr] != "" {
				x.warn(t.line, "cluster %q: %s has no effect on a %s", c.name, attr, c.topology)
			}
		}
	}
	return nil
}

func (x *xmlReader) cabinet(t tag) error {
	c, err := x.hosts(t)
	if err != nil {
		return err
	}
	if err := x.b.addCabinet(c); err != nil {
		return x.fail(t.line, "cabinet %q: %v", c.name, err)
	}
	return x.empty("cabinet")
}

// hosts reads what clusters and cabinets have in common: like hosts with like
// links.
func (x *xmlReader) hosts(t tag) (*cluster, error) {
	c := &cluster{name: t.attr["id"], prefix: t.attr["prefix"], suffix: t.attr["suffix"]}
	var err error
	if c.hosts, err = parseRadical(t.attr["radical"]); err != nil {
		return nil, x.fail(t.line, "%s %q: %v", t.name, c.name, err)
	}
	if c.speed, err = x.speed(t); err != nil {
		return nil, err
	}
	if c.cores, err = x.cores(t); err != nil {
		return nil, err
	}
	if c.bandwidth, err = x.quantity(t, "bw", t.attr["bw"], bandwidthUnit); err != nil {
		return nil, err
	}
	c.latency, err = x.quantity(t, "lat", t.attr["lat"], timeUnit)
	return c, err
}

// setPolicies reads the sharing policies of the private links and the backbone.
func (c *cluster) setPolicies(private, backbone string) error {
	switch private {
	case "", "SPLITDUPLEX", "FULLDUPLEX":
		c.split = true
	case "SHARED", "FATPIPE":
	default:
		return fmt.Errorf("the sharing policy %q is not supported; known are SPLITDUPLEX and SHARED", private)
	}
	switch backbone {
	case "", "SHARED":
		c.backboneSharing = Shared
	case "FATPIPE":
		c.backboneSharing = Fatpipe
	default:
		return fmt.Errorf("bb_sharing_policy must be SHARED or FATPIPE, not %q", backbone)
	}
	return nil
}
