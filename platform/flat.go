package platform

import "strconv"

// flat is the routing of a plain cluster: every host reaches the switch over
// its limiter, its private link and the backbone, those of them that exist.
// Points after the hosts (the router) sit on the switch itself.
type flat struct {
	leaves
	split    bool
	backbone int32 // -1 for none
}

func (f *flat) local(_ *Platform, a, b int32, links []int32) ([]int32, int32, int32, error) {
	if a == b && f.loopback && a < f.hosts {
		return append(links, f.loopbackOf(a)), -1, -1, nil
	}
	if a < f.hosts {
		if f.limiter {
			links = append(links, f.limiterOf(a))
		}
		links = append(links, f.private(a))
	}
	if f.backbone >= 0 && (a < f.hosts || b < f.hosts) {
		links = append(links, f.backbone)
	}
	if b < f.hosts { // what was crossed on the way up is not crossed twice
		if f.split {
			links = append(links, f.private(b)+1)
		} else if a != b {
			links = append(links, f.private(b))
		}
		if f.limiter && a != b {
			links = append(links, f.limiterOf(b))
		}
	}
	return links, -1, -1, nil
}

// private is the host's link to the switch, the one up if there are two.
func (f *flat) private(host int32) int32 {
	last := f.first + (host+1)*f.stride - 1
	if f.split {
		return last - 1
	}
	return last
}

func (b *builder) addFlat(c *cluster) error {
	f := &flat{backbone: -1, split: c.split}
	if err := b.openZone(c.name, "Cluster", f); err != nil {
		return err
	}
	if c.hasBackbone() {
		var err error
		if f.backbone, err = b.addLink(named(c.name+"_backbone"), c.backboneBW, c.backboneLat, c.backboneSharing); err != nil {
			return err
		}
	}
	f.leaves = leaves{hosts: int32(c.hosts.size), first: int32(len(b.p.Links)), loopback: c.hasLoopback(), limiter: c.limiter > 0}
	b.expect(c.hosts.size, c.linksOfHost())
	err := c.hosts.each(func(n int) error {
		if err := b.addHost(b.names.join(c.prefix, strconv.Itoa(n), c.suffix), c.speed, c.cores); err != nil {
			return err
		}
		if err := b.addLoopback(c, n); err != nil {
			return err
		}
		if err := b.addLimiter(c, n); err != nil {
			return err
		}
		_, err := b.addLinks(c, c.link(n, bare), 1)
		return err
	})
	if err != nil {
		return err
	}
	f.stride = (int32(len(b.p.Links)) - f.first) / f.hosts
	router := c.router
	if router == "" {
		router = c.prefix + c.name + "_router" + c.suffix
	}
	if err := b.addRouter(router); err != nil {
		return err
	}
	return b.closeZone()
}
