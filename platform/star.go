package platform

import (
	"fmt"
	"strconv"
)

// star is the routing of a Cluster zone whose points are given one by one.
// Each reaches the hub over its own links and the backbone; a link that is on
// the way up and on the way down is crossed once. Points without links of
// their own, such as routers, sit on the hub.
type star struct {
	spokes   map[int32]spoke // by point number
	backbone int32           // -1 for none
}

type spoke struct {
	up, down int32   // -1 where only loop is known
	loop     []int32 // way of the point to itself, if it has one
}

func newStar() *star { return &star{spokes: map[int32]spoke{}, backbone: -1} }

func (s *star) local(_ *Platform, a, b int32, links []int32) ([]int32, int32, int32, error) {
	from, hasUp := s.spokes[a]
	to, hasDown := s.spokes[b]
	start := len(links)
	if a == b && len(from.loop) > 0 {
		return appendOnce(links, start, from.loop...), -1, -1, nil
	}
	if hasUp && from.up < 0 || hasDown && to.down < 0 {
		return nil, -1, -1, fmt.Errorf("a host_link is missing")
	}
	if hasUp {
		links = append(links, from.up)
	}
	if s.backbone >= 0 && (hasUp || hasDown) {
		links = appendOnce(links, start, s.backbone)
	}
	if hasDown {
		links = appendOnce(links, start, to.down)
	}
	return links, -1, -1, nil
}

// appendOnce appends those of more that are not yet in links[start:].
func appendOnce(links []int32, start int, more ...int32) []int32 {
next:
	for _, l := range more {
		for _, have := range links[start:] {
			if have == l {
				continue next
			}
		}
		links = append(links, l)
	}
	return links
}

// addRoute takes only the way of a point to itself.
func (s *star) addRoute(a, b int32, e edge, _ []int32, _ bool) error {
	if a != b {
		return fmt.Errorf("in a Cluster zone a route leads from a host to itself; everything else goes over host_link and backbone")
	}
	sp, ok := s.spokes[a]
	if !ok {
		sp = spoke{up: -1, down: -1}
	}
	sp.loop = e.links
	s.spokes[a] = sp
	return nil
}

// join gives a point its links to and from the hub.
func (s *star) join(rank, up, down int32) error {
	sp, ok := s.spokes[rank]
	if ok && sp.up >= 0 {
		return fmt.Errorf("it has a host_link already")
	}
	sp.up, sp.down = up, down
	s.spokes[rank] = sp
	return nil
}

// star returns the present zone's routing if it is a Cluster zone.
func (b *builder) star() (*star, error) {
	s, ok := b.zone().routing.(*star)
	if !ok {
		return nil, fmt.Errorf("it belongs into a zone with routing Cluster; this one has %s", b.zone().kind)
	}
	return s, nil
}

// addHostLink is a <host_link>.
func (b *builder) addHostLink(host, up, down string) error {
	s, err := b.star()
	if err != nil {
		return err
	}
	i, ok := b.p.point(host)
	if !ok || b.p.points[i].kind != hostPoint || b.p.points[i].zone != b.at {
		return fmt.Errorf("zone %s has no host %q", b.zone().name, host)
	}
	u, ok := b.links[up]
	if !ok {
		return fmt.Errorf("there is no link %q", up)
	}
	d, ok := b.links[down]
	if !ok {
		return fmt.Errorf("there is no link %q", down)
	}
	return s.join(b.p.points[i].rank, u, d)
}

// addBackbone is a <backbone>.
func (b *builder) addBackbone(name string, bandwidth, latency float64) error {
	s, err := b.star()
	if err != nil {
		return err
	}
	if s.backbone >= 0 {
		return fmt.Errorf("the zone has a backbone already")
	}
	s.backbone, err = b.addLink(named(name), bandwidth, latency, Shared)
	return err
}

// addCabinet is a <cabinet>: hosts of a Cluster zone, each with a link up and
// one down.
func (b *builder) addCabinet(c *cluster) error {
	s, err := b.star()
	if err != nil {
		return err
	}
	return c.hosts.each(func(n int) error {
		host := b.names.join(c.prefix, strconv.Itoa(n), c.suffix)
		if err := b.addHost(host, c.speed, c.cores); err != nil {
			return err
		}
		up, err := b.addSplit(named(b.names.join("link_", host)), c.bandwidth, c.latency)
		if err != nil {
			return err
		}
		return s.join(b.zone().size-1, up, up+1)
	})
}
