package platform

import (
	"fmt"
	"strconv"
	"strings"
)

// dragonfly is the routing of a DRAGONFLY cluster: groups of chassis of blades,
// a router on each blade, hosts around the router. Within a chassis all blades
// are joined (green links), within a group all chassis, blade by blade (black
// links), and all groups among them (blue links), where blade n of a group's
// first chassis holds the link to group n. Messages take the shortest way.
type dragonfly struct {
	leaves
	groups, chassis, blades, nodes int32
	split                          bool
	limiters                       int32 // first router's limiter
	nodeLinks, green, black, blue  int32 // first link of each kind
}

// place is a router.
type place struct{ group, chassis, blade int32 }

func (d *dragonfly) local(_ *Platform, a, b int32, links []int32) ([]int32, int32, int32, error) {
	if a == b && d.loopback {
		return append(links, d.loopbackOf(a)), -1, -1, nil
	}
	at, to := d.routerOf(a), d.routerOf(b)
	if d.limiter {
		links = append(links, d.limiterOf(a))
	}
	links = append(links, d.width(a)+d.nodeLinks)
	if at != to {
		if at.group != to.group {
			if at.blade != to.group {
				links = append(d.leave(at, links), d.greenLink(at, to.group))
				at.blade = to.group
			}
			if at.chassis != 0 {
				links = append(d.leave(at, links), d.blackLink(at, 0))
				at.chassis = 0
			}
			links = d.leave(at, append(links, d.blueLink(at.group, to.group)))
			at = place{to.group, 0, at.group}
		}
		// SimGrid goes on in the first chassis after a green link, whichever
		// chassis it was in.
		if at.blade != to.blade {
			links = append(d.leave(at, links), d.greenLink(at, to.blade))
			at.chassis, at.blade = 0, to.blade
		}
		if at.chassis != to.chassis {
			links = append(d.leave(at, links), d.blackLink(at, to.chassis))
		}
	}
	links = d.leave(to, links)
	down := d.width(b) + d.nodeLinks
	if d.split {
		down++
	}
	links = append(links, down)
	if d.limiter {
		links = append(links, d.limiterOf(b))
	}
	return links, -1, -1, nil
}

// leave appends the router's limiter, where there are limiters.
func (d *dragonfly) leave(r place, links []int32) []int32 {
	if !d.limiter {
		return links
	}
	return append(links, d.limiters+(r.group*d.chassis+r.chassis)*d.blades+r.blade)
}

func (d *dragonfly) routerOf(host int32) place {
	router := host / d.nodes
	return place{router / d.blades / d.chassis, router / d.blades % d.chassis, router % d.blades}
}

// width is the space that n links take in the list of links.
func (d *dragonfly) width(n int32) int32 {
	if d.split {
		return 2 * n
	}
	return n
}

// towards is the link joining i and j of a set of n that are all joined, used
// from i to j, within the links of each pair in order; every pair has times
// links, of which it is number k.
func (d *dragonfly) towards(i, j, n, times, k int32) int32 {
	lo, hi := min(i, j), max(i, j)
	pair := lo*n - lo*(lo+1)/2 + hi - lo - 1
	link := d.width(pair*times + k)
	if d.split && i > j {
		link++
	}
	return link
}

func pairs(n int32) int32 { return n * (n - 1) / 2 }

func (d *dragonfly) greenLink(r place, blade int32) int32 {
	chassis := r.group*d.chassis + r.chassis
	return d.green + d.width(chassis*pairs(d.blades)) + d.towards(r.blade, blade, d.blades, 1, 0)
}

func (d *dragonfly) blackLink(r place, chassis int32) int32 {
	return d.black + d.width(r.group*pairs(d.chassis)*d.blades) + d.towards(r.chassis, chassis, d.chassis, d.blades, r.blade)
}

func (d *dragonfly) blueLink(from, to int32) int32 {
	return d.blue + d.towards(from, to, d.groups, 1, 0)
}

// widths holds how many cables a link of each colour stands for.
type widths struct{ blue, black, green int32 }

// parseDragonfly reads "groups,blue;chassis,black;blades,green;nodes".
func parseDragonfly(s string) (*dragonfly, widths, error) {
	fail := fmt.Errorf("topo_parameters of a dragonfly are \"groups,links;chassis,links;blades,links;nodes\", not %q", s)
	parts := strings.Split(s, ";")
	if len(parts) != 4 {
		return nil, widths{}, fail
	}
	var d dragonfly
	var w widths
	for i, into := range [][]*int32{{&d.groups, &w.blue}, {&d.chassis, &w.black}, {&d.blades, &w.green}, {&d.nodes}} {
		list, err := dimensions(parts[i])
		if err != nil {
			return nil, widths{}, err
		}
		if len(list) != len(into) {
			return nil, widths{}, fail
		}
		for j, v := range list {
			*into[j] = v
		}
	}
	if d.groups > d.blades {
		return nil, widths{}, fmt.Errorf("a dragonfly of %d groups needs as many blades in a chassis, for the links between groups; it has %d", d.groups, d.blades)
	}
	return &d, w, nil
}

func (b *builder) addDragonfly(c *cluster) error {
	d, w, err := parseDragonfly(c.parameters)
	if err != nil {
		return err
	}
	hosts, err := product(d.groups, d.chassis, d.blades, d.nodes)
	if err != nil {
		return err
	}
	for _, many := range [][]int32{{d.groups, d.chassis, d.blades, d.blades}, {d.groups, d.chassis, d.chassis, d.blades}, {d.groups, d.groups}} {
		if _, err := product(many...); err != nil {
			return err
		}
	}
	if err := c.checkSize(hosts); err != nil {
		return err
	}
	d.split = c.split
	if err := b.openZone(c.name, "DRAGONFLY", d); err != nil {
		return err
	}
	if d.leaves, err = b.addLeaves(c); err != nil {
		return err
	}
	d.limiters = int32(len(b.p.Links))
	for r := range int(hosts / d.nodes) {
		if err := b.addLimiter(c, 2*int(hosts)-1-r); err != nil {
			return err
		}
	}
	if err := b.addFlyLinks(c, d, w); err != nil {
		return err
	}
	return b.closeZone()
}

// addFlyLinks adds the links in SimGrid's order: those of the hosts, then the
// green, black and blue ones.
func (b *builder) addFlyLinks(c *cluster, d *dragonfly, w widths) error {
	var failed error
	add := func(times int32, format string, args ...any) {
		if failed == nil {
			name := b.names.join(fmt.Sprintf(format, args...), "_", strconv.Itoa(b.dragonflyLinks))
			_, failed = b.addLinks(c, named(name), int(times))
			b.dragonflyLinks++
		}
	}
	d.nodeLinks = int32(len(b.p.Links))
	for r := range d.groups * d.chassis * d.blades {
		for n := range d.nodes {
			add(1, "local_link_from_router_%d_to_node_%d", r, n)
		}
	}
	d.green = int32(len(b.p.Links))
	for ch := range d.groups * d.chassis {
		for i := range d.blades {
			for j := i + 1; j < d.blades; j++ {
				add(w.green, "green_link_in_chassis_%d_between_routers_%d_and_%d", ch%d.chassis, i, j)
			}
		}
	}
	d.black = int32(len(b.p.Links))
	for g := range d.groups {
		for i := range d.chassis {
			for j := i + 1; j < d.chassis; j++ {
				for blade := range d.blades {
					add(w.black, "black_link_in_group_%d_between_chassis_%d_and_%d_blade_%d", g, i, j, blade)
				}
			}
		}
	}
	d.blue = int32(len(b.p.Links))
	group := d.chassis * d.blades
	for i := range d.groups {
		for j := i + 1; j < d.groups; j++ {
			add(w.blue, "blue_link_between_group_%d_and_%d_routers_%d_and_%d", i, j, i*group+j, j*group+i)
		}
	}
	return failed
}
