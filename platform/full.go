package platform

import "errors"

// edge is one route as written in the platform file: its links, and the
// gateways it joins where its ends are zones (-1 otherwise).
type edge struct {
	links    []int32
	gwA, gwB int32
}

// edges holds a zone's routes by the numbers of the points at their ends.
type edges map[[2]int32]edge

// add stores the route from a to b and, unless it is one-way, the way back.
// back holds the links of the way back, already reversed.
func (es edges) add(a, b int32, e edge, back []int32, oneWay bool) error {
	if _, dup := es[[2]int32{a, b}]; dup {
		return errors.New("this route exists already (a route counts for both directions unless symmetrical=\"NO\")")
	}
	es[[2]int32{a, b}] = e
	if oneWay || a == b {
		return nil
	}
	if _, dup := es[[2]int32{b, a}]; dup {
		return errors.New("the way back exists already: say symmetrical=\"NO\" on both")
	}
	es[[2]int32{b, a}] = edge{links: back, gwA: e.gwB, gwB: e.gwA}
	return nil
}

// full is the routing of a zone that spells out the route of every pair.
type full struct {
	edges
	loopback int32 // link of a point to itself, -1 for none
}

func newFull() *full { return &full{edges: edges{}, loopback: -1} }

func (f *full) local(_ *Platform, a, b int32, links []int32) ([]int32, int32, int32, error) {
	e, ok := f.edges[[2]int32{a, b}]
	switch {
	case ok:
		return append(links, e.links...), e.gwA, e.gwB, nil
	case a == b && f.loopback >= 0:
		return append(links, f.loopback), -1, -1, nil
	}
	return nil, -1, -1, errNoPath
}

// none is the routing of a zone whose points are not joined.
type none struct{}

func (none) local(*Platform, int32, int32, []int32) ([]int32, int32, int32, error) {
	return nil, -1, -1, errors.New("a zone with routing None has no routes inside")
}

func (f *full) addRoute(a, b int32, e edge, back []int32, oneWay bool) error {
	return f.add(a, b, e, back, oneWay)
}

func (f *full) seal(b *builder, z *zone) (err error) {
	f.loopback, err = b.loopback(z)
	return err
}
