package platform

import (
	"fmt"
	"strconv"
	"strings"
)

// fatTree is the routing of a FAT_TREE cluster. Level 0 holds the hosts; each
// level above has switches numbered from 0. Written in mixed radix, a node's
// number is its label: digit i runs over parents[i] for nodes above level i
// and over children[i] otherwise. Nodes of neighbouring levels l and l+1 are
// joined, by ports[l] parallel cables, if their labels differ at most in
// digit l (Zahavi, "D-Mod-K routing providing non-blocking traffic for shift
// permutations on real life fat trees").
type fatTree struct {
	leaves
	children, parents, ports []int32 // by level
	below                    []int32 // by level: product of the children of lower levels
	label                    []int32 // by level: product of the parents of lower levels
	cables                   []int32 // by level: first link up from its first node
	switches                 []int32 // by level, from 1: number of its first switch among all
	limiters                 int32   // the first switch's limiter link
	split                    bool
	shift                    int32 // hosts of the fat trees before this one
}

func (t *fatTree) local(_ *Platform, a, b int32, links []int32) ([]int32, int32, int32, error) {
	if a == b && t.loopback {
		return append(links, t.loopbackOf(a)), -1, -1, nil
	}
	// Up: the destination's position spreads messages over the parents and
	// cables (D-mod-k). SimGrid counts positions on through all fat trees.
	level, at := 0, a
	for spread := t.shift + b; level == 0 || at/t.label[level] != b/t.below[level]; level++ {
		if t.limiter {
			links = append(links, t.limiterAt(level, at))
		}
		fan := t.parents[level] * t.ports[level]
		parent, cable := spread%fan%t.parents[level], spread%fan/t.parents[level]
		links = append(links, t.cable(level, at, parent, cable))
		at = t.parent(level, at, parent)
		spread /= t.parents[level]
	}
	// Down: the source's position picks the cable. SimGrid looks for it in the
	// list of a switch's ports and, once below, goes on from the same place in
	// the next switch's list, starting afresh only at the list's end.
	for port := int32(-1); level > 0; {
		l := level - 1
		digit := b / t.below[l] % t.children[l]
		if port < 0 {
			port = (t.shift + a) % t.ports[l] * t.children[l]
		}
		if port += (digit - port%t.children[l] + t.children[l]) % t.children[l]; port >= t.children[l]*t.ports[l] {
			port = -1
			continue
		}
		child := t.child(l, at, digit)
		link := t.cable(l, child, at/t.label[l]%t.parents[l], port/t.children[l])
		if t.split {
			link++
		}
		links = append(links, link)
		if t.limiter {
			links = append(links, t.limiterAt(level, at))
		}
		level, at = l, child
		port++
	}
	if t.limiter {
		links = append(links, t.limiterOf(b))
	}
	return links, -1, -1, nil
}

// parent is the number of the given parent of node at, one level up.
func (t *fatTree) parent(level int, at, parent int32) int32 {
	low, high := at%t.label[level], at/t.label[level]/t.children[level]
	return low + (parent+high*t.parents[level])*t.label[level]
}

// child is the number of the given child, at this level, of node at one level up.
func (t *fatTree) child(level int, at, child int32) int32 {
	low, high := at%t.label[level], at/t.label[level]/t.parents[level]
	return low + (child+high*t.children[level])*t.label[level]
}

// cable is the link from a node to one of its parents, used upwards.
func (t *fatTree) cable(level int, at, parent, cable int32) int32 {
	i := (at*t.parents[level]+parent)*t.ports[level] + cable
	if t.split {
		i *= 2
	}
	return t.cables[level] + i
}

func (t *fatTree) limiterAt(level int, at int32) int32 {
	if level == 0 {
		return t.limiterOf(at)
	}
	return t.limiters + t.switches[level] + at
}

// nodes counts the nodes of a level.
func (t *fatTree) nodes(level int) (int32, error) {
	return product(append(append([]int32(nil), t.parents[:level]...), t.children[level:]...)...)
}

// maxTreeLevels is more than any fat tree of two children a switch could have.
const maxTreeLevels = 32

// parseFatTree reads "levels;children,…;parents,…;ports,…".
func parseFatTree(s string) (*fatTree, error) {
	parts := strings.Split(s, ";")
	if len(parts) != 4 {
		return nil, fmt.Errorf("topo_parameters of a fat tree are \"levels;children,...;parents,...;cables,...\", not %q", s)
	}
	levels, err := strconv.Atoi(strings.TrimSpace(parts[0]))
	if err != nil || levels < 1 || levels > maxTreeLevels {
		return nil, fmt.Errorf("topology: %q is not a number of levels from 1 to %d", parts[0], maxTreeLevels)
	}
	t := &fatTree{}
	for i, list := range []*[]int32{&t.children, &t.parents, &t.ports} {
		if *list, err = dimensions(parts[i+1]); err != nil {
			return nil, err
		}
		if len(*list) != levels {
			return nil, fmt.Errorf("topology: %q has %d numbers for %d levels", parts[i+1], len(*list), levels)
		}
	}
	return t, nil
}

// measure works out the sizes of the levels and checks them.
func (t *fatTree) measure() error {
	below, label, switches := int32(1), int32(1), int32(0)
	t.switches = []int32{0}
	for l := range t.children {
		t.below, t.label = append(t.below, below), append(t.label, label)
		var err error
		if below, err = product(below, t.children[l]); err != nil {
			return err
		}
		if label, err = product(label, t.parents[l]); err != nil {
			return err
		}
		here, err := t.nodes(l)
		if err != nil {
			return err
		}
		if _, err = product(here, t.parents[l], t.ports[l]); err != nil {
			return err
		}
		above, err := t.nodes(l + 1)
		if err != nil {
			return err
		}
		t.switches = append(t.switches, switches)
		switches += above
		if switches > maxLinks {
			return fmt.Errorf("the topology asks for more than %d switches", maxLinks)
		}
	}
	t.below, t.label = append(t.below, below), append(t.label, label)
	return nil
}

func (b *builder) addFatTree(c *cluster) error {
	t, err := parseFatTree(c.parameters)
	if err != nil {
		return err
	}
	if err := t.measure(); err != nil {
		return err
	}
	if err := c.checkSize(t.below[len(t.children)]); err != nil {
		return err
	}
	t.split, t.shift = c.split, int32(b.fatTreeHosts)
	b.fatTreeHosts += c.hosts.size
	if err := b.openZone(c.name, "FAT_TREE", t); err != nil {
		return err
	}
	if t.leaves, err = b.addLeaves(c); err != nil {
		return err
	}
	if err := b.addTree(c, t); err != nil {
		return err
	}
	return b.closeZone()
}

// addTree adds the switches' limiters and all cables.
func (b *builder) addTree(c *cluster, t *fatTree) error {
	// SimGrid numbers switches downwards from twice the hosts.
	id := func(level int, at int32) int {
		if level == 0 {
			return int(at)
		}
		return 2*c.hosts.size - 1 - int(t.switches[level]+at)
	}
	t.limiters = int32(len(b.p.Links))
	for l := range t.children {
		n, _ := t.nodes(l + 1)
		for at := range n {
			if err := b.addLimiter(c, id(l+1, at)); err != nil {
				return err
			}
		}
	}
	for l := range t.children {
		t.cables = append(t.cables, int32(len(b.p.Links)))
		n, _ := t.nodes(l)
		for at := range n {
			for p := range t.parents[l] {
				for range t.ports[l] {
					name := fmt.Sprintf("link_from_%d_%d_%d", id(l, at), id(l+1, t.parent(l, at, p)), b.fatTreeLinks)
					if _, err := b.addLinks(c, named(name), 1); err != nil {
						return err
					}
					b.fatTreeLinks++
				}
			}
		}
	}
	return nil
}
