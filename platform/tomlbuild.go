package platform

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// end is what a [[link]] can join: a cluster, a host or a switch, each a zone
// of its own in the platform.
type end struct {
	rank    int32 // of the zone
	gateway int32 // the point inside where links arrive
}

// platform builds clusters, hosts and switches side by side, joined by links;
// a message takes the way with the fewest links.
func (x *tomlReader) platform(t *tomlPlatform) (*Platform, error) {
	if err := x.config(t.Config); err != nil {
		return nil, err
	}
	if t.Reference != nil {
		speed, err := x.quantity("reference", t.Reference, speedUnit)
		if err != nil {
			return nil, err
		}
		x.b.p.Reference = speed
	}
	if len(t.Peer) > 0 {
		return x.peers(t)
	}
	x.net = newGraph(false)
	if err := x.b.openZone("world", "Dijkstra", x.net); err != nil {
		return nil, err
	}
	for i := range t.Cluster {
		if err := x.cluster(fmt.Sprintf("cluster[%d]", i), &t.Cluster[i]); err != nil {
			return nil, err
		}
	}
	for i := range t.Host {
		if err := x.host(fmt.Sprintf("host[%d]", i), &t.Host[i]); err != nil {
			return nil, err
		}
	}
	for _, name := range t.Switches {
		if err := x.lone(name, func() error { return x.b.addRouter(name) }); err != nil {
			return nil, x.fail("switches", "switch %q: %v", name, err)
		}
	}
	for i := range t.Link {
		if err := x.link(fmt.Sprintf("link[%d]", i), &t.Link[i]); err != nil {
			return nil, err
		}
	}
	if err := x.connected(); err != nil {
		return nil, err
	}
	if err := x.b.closeZone(); err != nil {
		return nil, x.fail("", "%v", err)
	}
	p, err := x.b.finish()
	if err != nil {
		return nil, x.fail("", "%v; write a [[cluster]], a [[host]] or a [[peer]]", err)
	}
	return p, nil
}

// lone adds a zone with one point in it, a host or a switch.
func (x *tomlReader) lone(name string, add func() error) error {
	rank := x.b.zone().size
	inner := newFull()
	if err := x.b.openZone("at "+name, "Full", inner); err != nil {
		return err
	}
	if err := add(); err != nil {
		return err
	}
	at, _ := x.b.p.point(name)
	x.ends[name] = end{rank, at}
	return x.b.closeZone()
}

func (x *tomlReader) host(path string, h *tomlHost) error {
	speed, err := x.quantity(path+".speed", h.Speed, speedUnit)
	if err != nil {
		return err
	}
	cores, err := x.cores(path, h.Cores)
	if err != nil {
		return err
	}
	if err := x.lone(h.Name, func() error { return x.b.addHost(h.Name, speed, cores) }); err != nil {
		return x.fail(path+".name", "host %q: %v", h.Name, err)
	}
	return x.hostChanges(path, h)
}

// sharing reads how a link is shared; full duplex is the default.
func (x *tomlReader) sharing(path, s string) (split bool, sharing Sharing, err error) {
	switch s {
	case "", "full-duplex":
		return true, Shared, nil
	case "half-duplex":
		return false, Shared, nil
	case "fatpipe":
		return false, Fatpipe, nil
	}
	return false, Shared, x.fail(path+".sharing", "sharing = %q: it must be \"full-duplex\", \"half-duplex\" or \"fatpipe\"", s)
}

// link joins ends in the shape that is asked for.
func (x *tomlReader) link(path string, l *tomlLink) error {
	bw, lat, err := x.pipe(path, l.Bandwidth, l.Latency, false)
	if err != nil {
		return err
	}
	split, sharing, err := x.sharing(path, l.Sharing)
	if err != nil {
		return err
	}
	names, joins, err := x.shape(path, l)
	if err != nil {
		return err
	}
	for i, j := range joins {
		a, b := names[j[0]], names[j[1]]
		name := l.Name
		switch {
		case name == "":
			name = a + "-" + b
		case len(joins) > 1:
			name += "-" + strconv.Itoa(i)
		}
		first := len(x.b.p.Links)
		if err := x.join(name, a, b, bw, lat, split, sharing); err != nil {
			return x.fail(path, "link from %s to %s: %v", a, b, err)
		}
		if err := x.linkChanges(path, l, first); err != nil {
			return err
		}
	}
	return nil
}

// shape lists the ends of a [[link]] and which pairs of them it joins.
func (x *tomlReader) shape(path string, l *tomlLink) (names []string, joins [][2]int, err error) {
	given, key := 0, ""
	for k, list := range map[string][]string{"between": l.Between, "ring": l.Ring, "star": l.Star, "full": l.Full} {
		if list != nil {
			given, key, names = given+1, k, list
		}
	}
	if given != 1 {
		return nil, nil, x.fail(path, "a link says between, ring, star or full, one of them; this one says %d", given)
	}
	path += "." + key
	n := len(names)
	switch {
	case key == "between" && n != 2:
		return nil, nil, x.fail(path, "between names %d ends; it needs 2", n)
	case key == "ring" && n < 3:
		return nil, nil, x.fail(path, "ring names %d ends; it needs 3 or more", n)
	case n < 2:
		return nil, nil, x.fail(path, "%s names %d ends; it needs 2 or more", key, n)
	}
	for _, name := range names {
		if _, ok := x.ends[name]; !ok {
			return nil, nil, x.fail(path, "there is no cluster, host or switch %q", name)
		}
	}
	switch key {
	case "between":
		joins = [][2]int{{0, 1}}
	case "ring":
		for i := range n {
			joins = append(joins, [2]int{i, (i + 1) % n})
		}
	case "full":
		if n*n > maxLinks {
			return nil, nil, x.fail(path, "full names too many ends")
		}
		for i := range n {
			for j := i + 1; j < n; j++ {
				joins = append(joins, [2]int{i, j})
			}
		}
	case "star":
		hub := l.Name
		if hub == "" {
			hub = "star"
		}
		if err := x.lone(hub, func() error { return x.b.addRouter(hub) }); err != nil {
			return nil, nil, x.fail(path, "the switch in the middle: %v; give the link another name", err)
		}
		names = append(slices.Clone(names), hub)
		for i := range n {
			joins = append(joins, [2]int{i, n})
		}
	}
	return names, joins, nil
}

// join adds one link between two ends.
func (x *tomlReader) join(name, a, b string, bw, lat float64, split bool, sharing Sharing) error {
	var there, back int32
	var err error
	if split {
		there, err = x.b.addSplit(named(name), bw, lat)
		back = there + 1
	} else {
		there, err = x.b.addLink(named(name), bw, lat, sharing)
		back = there
	}
	if err != nil {
		return err
	}
	from, to := x.ends[a], x.ends[b]
	if from == to {
		return fmt.Errorf("both ends are the same")
	}
	x.b.zone().routes++
	e := edge{links: []int32{there}, gwA: from.gateway, gwB: to.gateway}
	if err := x.net.addRoute(from.rank, to.rank, e, []int32{back}, false); err != nil {
		return fmt.Errorf("the two are joined already")
	}
	return nil
}

// connected refuses a platform in pieces, naming one.
func (x *tomlReader) connected() error {
	seen := make([]bool, x.b.zone().size)
	if len(seen) == 0 {
		return nil
	}
	neighbours := make([][]int32, len(seen))
	for ends := range x.net.edges {
		neighbours[ends[0]] = append(neighbours[ends[0]], ends[1])
	}
	seen[0] = true
	for todo := []int32{0}; len(todo) > 0; {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, n := range neighbours[v] {
			if !seen[n] {
				seen[n] = true
				todo = append(todo, n)
			}
		}
	}
	var apart []string
	for name, e := range x.ends {
		if !seen[e.rank] {
			apart = append(apart, name)
		}
	}
	if len(apart) == 0 {
		return nil
	}
	slices.Sort(apart)
	return x.fail("", "no link leads to %s; add a [[link]]", strings.Join(apart[:min(len(apart), 5)], ", "))
}
