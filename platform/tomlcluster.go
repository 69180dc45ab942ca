package platform

import (
	"fmt"
	"strconv"
	"strings"
)

func (x *tomlReader) cluster(path string, t *tomlCluster) error {
	c := &cluster{name: t.Name, prefix: t.Name + "-", router: t.Name + "_router"}
	if t.Name == "" {
		return x.fail(path, "the cluster has no name; write for example name = \"a\"")
	}
	if t.Prefix != nil {
		c.prefix = *t.Prefix
	}
	var err error
	if c.cores, err = x.cores(path, t.Cores); err != nil {
		return err
	}
	if c.bandwidth, c.latency, err = x.pipe(path, t.Bandwidth, t.Latency, false); err != nil {
		return err
	}
	if err := x.extras(path, t, c); err != nil {
		return err
	}
	if err := x.topology(path, t, c); err != nil {
		return err
	}
	if err := x.nodes(path, t.Nodes, c); err != nil {
		return err
	}
	speeds, err := x.speeds(path, t.Speed, c.hosts.size)
	if err != nil {
		return err
	}
	c.speed = speeds[0]
	rank, first := x.b.zone().size, len(x.b.p.Hosts)
	if err := x.b.addCluster(c); err != nil {
		return x.fail(path, "cluster %q: %v", t.Name, err)
	}
	if len(speeds) > 1 {
		for i, s := range speeds {
			x.b.p.Hosts[first+i].Speed = s
		}
	}
	gateway, ok := x.b.p.point(c.router)
	if !ok { // torus, fat tree and dragonfly have no router: links arrive at the first node
		gateway = x.b.p.hostAt[first]
	}
	x.ends[t.Name] = end{rank, gateway}
	return nil
}

// extras reads what a cluster need not have.
func (x *tomlReader) extras(path string, t *tomlCluster, c *cluster) (err error) {
	var sharing Sharing
	if c.split, sharing, err = x.sharing(path, t.Sharing); err != nil {
		return err
	}
	if sharing == Fatpipe {
		return x.fail(path+".sharing", "the links of a cluster's nodes are \"full-duplex\" or \"half-duplex\"")
	}
	if t.Backbone != nil {
		if c.backboneBW, c.backboneLat, err = x.pipe(path+".backbone", t.Backbone.Bandwidth, t.Backbone.Latency, true); err != nil {
			return err
		}
		switch t.Backbone.Sharing {
		case "", "half-duplex":
		case "fatpipe":
			c.backboneSharing = Fatpipe
		default:
			return x.fail(path+".backbone.sharing", "a backbone is \"half-duplex\" or \"fatpipe\"")
		}
	}
	if t.Loopback != nil {
		if t.Loopback.Sharing != "" {
			return x.fail(path+".loopback.sharing", "a loopback is never shared")
		}
		if c.loopbackBW, c.loopbackLat, err = x.pipe(path+".loopback", t.Loopback.Bandwidth, t.Loopback.Latency, true); err != nil {
			return err
		}
	}
	if t.Limiter != nil {
		c.limiter, err = x.quantity(path+".limiter", t.Limiter, bandwidthUnit)
	}
	return err
}

// topology reads torus, fat-tree or dragonfly and sets the number of hosts,
// which nodes may still name otherwise.
func (x *tomlReader) topology(path string, t *tomlCluster, c *cluster) error {
	given := 0
	if t.Torus != nil {
		given++
		c.topology, c.parameters = "TORUS", join(t.Torus)
	}
	if f := t.FatTree; f != nil {
		given++
		up, cables := f.Up, f.Cables
		if up == nil {
			up = ones(len(f.Down))
		}
		if cables == nil {
			cables = ones(len(f.Down))
		}
		c.topology = "FAT_TREE"
		c.parameters = fmt.Sprintf("%d;%s;%s;%s", len(f.Down), join(f.Down), join(up), join(cables))
	}
	if d := t.Dragonfly; d != nil {
		given++
		c.topology = "DRAGONFLY"
		c.parameters = fmt.Sprintf("%d,%d;%d,%d;%d,%d;%d", d.Groups, or1(d.GroupLinks), d.Chassis, or1(d.ChassisLinks), d.Blades, or1(d.BladeLinks), d.Nodes)
	}
	if given > 1 {
		return x.fail(path, "cluster %q has more than one of torus, fat-tree and dragonfly", t.Name)
	}
	if given == 1 && c.hasBackbone() {
		return x.fail(path+".backbone", "cluster %q: a backbone goes with a plain cluster only", t.Name)
	}
	return nil
}

// nodes reads a number of nodes or their numbers. A topology implies them.
func (x *tomlReader) nodes(path string, v any, c *cluster) error {
	text := ""
	switch v := v.(type) {
	case nil:
		n, err := c.topologySize()
		if err != nil {
			return x.fail(path, "cluster %q: %v", c.name, err)
		}
		text = "0-" + strconv.Itoa(int(n)-1)
	case int64:
		if v < 1 {
			return x.fail(path+".nodes", "nodes = %d: a cluster has 1 or more", v)
		}
		text = "0-" + strconv.FormatInt(v-1, 10)
	case string:
		text = v
	default:
		return x.fail(path+".nodes", "nodes is a number, or the nodes' numbers as in \"0-3,8-11\"")
	}
	var err error
	if c.hosts, err = parseRadical(text); err != nil {
		return x.fail(path+".nodes", "nodes: %v", err)
	}
	return nil
}

// speeds reads one speed, or a list with one for each node.
func (x *tomlReader) speeds(path string, v any, n int) ([]float64, error) {
	list, ok := v.([]any)
	if !ok {
		s, err := x.quantity(path+".speed", v, speedUnit)
		return []float64{s}, err
	}
	if len(list) != n {
		return nil, x.fail(path+".speed", "speed lists %d speeds for %d nodes", len(list), n)
	}
	speeds := make([]float64, n)
	for i, v := range list {
		var err error
		if speeds[i], err = x.quantity(path+".speed", v, speedUnit); err != nil {
			return nil, err
		}
	}
	return speeds, nil
}

func join(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

func ones(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = 1
	}
	return s
}

func or1(n *int) int {
	if n == nil {
		return 1
	}
	return *n
}
