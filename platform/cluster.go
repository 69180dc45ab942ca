package platform

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// cluster is a <cluster> element: many like hosts around a switch or in a
// topology of their own.
type cluster struct {
	name, prefix, suffix string
	hosts                radical
	speed                float64
	cores                int
	bandwidth, latency   float64
	split                bool   // a link up and a link down, rather than one for both
	router               string // "" for the default name

	backboneBW, backboneLat float64 // both 0 for none
	backboneSharing         Sharing
	loopbackBW, loopbackLat float64 // both 0 for none
	limiter                 float64 // 0 for none

	stem *string // of the names of its hosts' links, once there are any

	topology   string // "", FLAT, TORUS, FAT_TREE or DRAGONFLY
	parameters string
}

func (c *cluster) hasLoopback() bool { return c.loopbackBW > 0 || c.loopbackLat > 0 }
func (c *cluster) hasBackbone() bool { return c.backboneBW > 0 || c.backboneLat > 0 }

// addCluster adds the zone, hosts and links of a cluster.
func (b *builder) addCluster(c *cluster) error {
	switch c.topology {
	case "", "FLAT":
		return b.addFlat(c)
	case "TORUS":
		return b.addTorus(c)
	case "FAT_TREE":
		return b.addFatTree(c)
	case "DRAGONFLY":
		return b.addDragonfly(c)
	}
	return fmt.Errorf("unknown topology %q; known are FLAT, TORUS, FAT_TREE and DRAGONFLY", c.topology)
}

// link is the link with a number in its name.
func (c *cluster) link(number int, e ending) Link {
	if c.stem == nil {
		stem := c.name + "_link_"
		c.stem = &stem
	}
	l := Link{stem: c.stem, number: int32(number)}
	if number > math.MaxInt32 {
		l = named(c.name + "_link_" + strconv.Itoa(number))
	}
	l.ending = e
	return l
}

// addLinks adds a private link of the cluster, times as wide as usual, and
// returns the index of the first. There are two, up and down, if c.split.
func (b *builder) addLinks(c *cluster, l Link, times int) (int32, error) {
	if c.split {
		return b.addSplit(l, c.bandwidth*float64(times), c.latency)
	}
	return b.addLink(l, c.bandwidth*float64(times), c.latency, Shared)
}

// linksOfHost is how many links of its own a host has in a plain cluster.
func (c *cluster) linksOfHost() int {
	n := 1
	for _, more := range []bool{c.split, c.hasLoopback(), c.limiter > 0} {
		if more {
			n++
		}
	}
	return n
}

// leaves says where the loopback and limiter links of a cluster's hosts are.
type leaves struct {
	hosts    int32
	first    int32 // index of the first host's first link
	stride   int32 // links per host
	loopback bool
	limiter  bool
}

func (l *leaves) loopbackOf(host int32) int32 { return l.first + host*l.stride }

func (l *leaves) limiterOf(host int32) int32 {
	if l.loopback {
		return l.first + host*l.stride + 1
	}
	return l.first + host*l.stride
}

// addLeaves adds the hosts of a cluster in a topology, with their loopback and
// limiter links. SimGrid names a loopback by the host's number in the radical
// and a limiter by its position.
func (b *builder) addLeaves(c *cluster) (leaves, error) {
	l := leaves{hosts: int32(c.hosts.size), first: int32(len(b.p.Links)), loopback: c.hasLoopback(), limiter: c.limiter > 0}
	position := 0
	err := c.hosts.each(func(n int) error {
		if err := b.addHost(b.names.join(c.prefix, strconv.Itoa(n), c.suffix), c.speed, c.cores); err != nil {
			return err
		}
		if err := b.addLoopback(c, n); err != nil {
			return err
		}
		err := b.addLimiter(c, position)
		position++
		return err
	})
	l.stride = (int32(len(b.p.Links)) - l.first) / l.hosts
	return l, err
}

func (b *builder) addLoopback(c *cluster, number int) error {
	if !c.hasLoopback() {
		return nil
	}
	_, err := b.addLink(c.link(number, loopback), c.loopbackBW, c.loopbackLat, Fatpipe)
	return err
}

func (b *builder) addLimiter(c *cluster, number int) error {
	if c.limiter == 0 {
		return nil
	}
	_, err := b.addLink(c.link(number, limiter), c.limiter, 0, Shared)
	return err
}

// dimensions reads a list of whole numbers from 1, "3,2,2".
func dimensions(s string) ([]int32, error) {
	var dims []int32
	for part := range strings.SplitSeq(s, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 32)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("topology: %q is not a whole number from 1", part)
		}
		dims = append(dims, int32(n))
	}
	return dims, nil
}

// product multiplies and tells when the result exceeds what a platform may hold.
func product(factors ...int32) (int32, error) {
	p := int64(1)
	for _, f := range factors {
		if p *= int64(f); p > maxLinks {
			return 0, fmt.Errorf("the topology asks for more than %d elements", maxLinks)
		}
	}
	return int32(p), nil
}

// topologySize is the number of hosts that the topology's parameters imply.
func (c *cluster) topologySize() (int32, error) {
	switch c.topology {
	case "TORUS":
		dims, err := dimensions(c.parameters)
		if err != nil {
			return 0, err
		}
		return product(dims...)
	case "FAT_TREE":
		t, err := parseFatTree(c.parameters)
		if err != nil {
			return 0, err
		}
		return product(t.children...)
	case "DRAGONFLY":
		d, _, err := parseDragonfly(c.parameters)
		if err != nil {
			return 0, err
		}
		return product(d.groups, d.chassis, d.blades, d.nodes)
	}
	return 0, errors.New("nodes is missing; write for example nodes = 16")
}

// checkSize holds the radical against the hosts that the topology has.
func (c *cluster) checkSize(want int32) error {
	if c.hosts.size != int(want) {
		return fmt.Errorf("the topology has %d hosts but the radical names %d", want, c.hosts.size)
	}
	return nil
}
