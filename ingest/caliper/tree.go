package caliper

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"auspex/model"
)

// caliTree is Caliper's tree of nodes. A node is an attribute and a value
// below another node. Attributes are nodes themselves: their value is their
// name, and the nodes above give their type and properties.
type caliTree struct {
	nodes      []caliNode
	index      map[uint64]int32 // by the number it bears in the file
	attributes map[int32]*caliAttribute
}

type caliNode struct {
	attr   int32
	parent int32 // -1 at the top
	data   string
	depth  int32
	region int32 // of a path that ends here; see regionBelow
}

// caliAttribute is what the tree says of an attribute.
type caliAttribute struct {
	name   string
	unit   string
	isText bool
	hidden bool
	nested bool // makes part of the region path
	global bool
	// iteration: it counts those of a loop, over which values are summed
	iteration bool
}

// The nodes that every stream starts with unsaid, numbered as in the file:
// the types, and the attributes that describe attributes.
const (
	caliName = 8 // attribute of names, and so on
	caliType = 9
	caliProp = 10
)

var caliBootstrap = []struct {
	attr   int32
	data   string
	parent int32
}{
	{caliType, "usr", -1}, {caliType, "int", -1}, {caliType, "uint", -1}, {caliType, "string", -1},
	{caliType, "addr", -1}, {caliType, "double", -1}, {caliType, "bool", -1}, {caliType, "type", -1},
	{caliName, "cali.attribute.name", 3}, {caliName, "cali.attribute.type", 7}, {caliName, "cali.attribute.prop", 1},
	{caliType, "ptr", -1},
}

// Properties of attributes, as Caliper numbers them.
const (
	caliHidden = 128
	caliNested = 256
	caliGlobal = 512
)

func newCaliTree() *caliTree {
	t := &caliTree{index: map[uint64]int32{}, attributes: map[int32]*caliAttribute{}}
	for i, n := range caliBootstrap {
		t.nodes = append(t.nodes, caliNode{attr: n.attr, parent: n.parent, data: n.data, region: unknownRegion})
		t.index[uint64(i)] = int32(i)
	}
	return t
}

// add adds a node. Its parent and attribute must be there.
func (t *caliTree) add(id, attr uint64, data string, parent uint64, hasParent bool) error {
	node := caliNode{parent: -1, data: data, region: unknownRegion}
	a, ok := t.index[attr]
	if !ok || t.nodes[a].attr != caliName {
		return fmt.Errorf("the attribute %d is not known", attr)
	}
	node.attr = a
	if hasParent {
		p, ok := t.index[parent]
		if !ok {
			return fmt.Errorf("the parent %d is not known", parent)
		}
		node.parent, node.depth = p, t.nodes[p].depth+1
		if node.depth > maxDepth {
			return fmt.Errorf("nodes nested deeper than %d", maxDepth)
		}
	}
	t.index[id] = int32(len(t.nodes))
	t.nodes = append(t.nodes, node)
	return nil
}

func (t *caliTree) find(id uint64) (int32, bool) {
	node, ok := t.index[id]
	return node, ok
}

// attribute returns what is known of the attribute of a number in the file.
func (t *caliTree) attribute(id uint64) (*caliAttribute, bool) {
	node, ok := t.index[id]
	if !ok || t.nodes[node].attr != caliName {
		return nil, false
	}
	return t.describe(node), true
}

// attributeOf returns the attribute that a node's value is of.
func (t *caliTree) attributeOf(node int32) *caliAttribute {
	return t.describe(t.nodes[node].attr)
}

// describe gathers an attribute's properties from the nodes above it.
func (t *caliTree) describe(node int32) *caliAttribute {
	if a, ok := t.attributes[node]; ok {
		return a
	}
	a := &caliAttribute{name: t.nodes[node].data, iteration: isIteration(t.nodes[node].data)}
	t.attributes[node] = a
	for up := t.nodes[node].parent; up >= 0; up = t.nodes[up].parent {
		switch n := &t.nodes[up]; {
		case n.attr == caliType:
			a.isText = n.data == "string" || n.data == "usr"
		case n.attr == caliProp:
			prop, err := strconv.ParseUint(n.data, 10, 64)
			if err == nil {
				a.hidden = prop&caliHidden != 0
				a.nested = prop&caliNested != 0
				a.global = prop&caliGlobal != 0
			}
		case t.nodes[n.attr].data == "attribute.unit" || t.nodes[n.attr].data == "time.unit":
			a.unit = n.data
		}
	}
	// Before attributes could be marked as nested, these were.
	if slices.Contains([]string{"function", "loop", "annotation", "region", "mpi.function"}, a.name) && !a.hidden {
		a.nested = true
	}
	a.nested = a.nested || isFrame(a.name)
	return a
}

// unknownRegion marks a node whose region was not looked for yet.
const unknownRegion = -2

// regionBelow returns the region of the path that ends in a node, below the
// given one. Without nested attributes on the way it is the given one.
func (s *caliStream) regionBelow(node int32, below int) int {
	t := s.tree
	if below == model.NoParent && t.nodes[node].region != unknownRegion {
		return int(t.nodes[node].region)
	}
	var path []int32
	for up := node; up >= 0; up = t.nodes[up].parent {
		path = append(path, up)
	}
	region := below
	for _, n := range slices.Backward(path) {
		if a := t.attributeOf(n); a.nested && !a.hidden && !a.global {
			region = s.profile.region(t.nodes[n].data, kind(a.name, t.nodes[n].data), region)
		}
		if below == model.NoParent {
			t.nodes[n].region = int32(region)
		}
	}
	return region
}

// readKeys takes from a node and those above it what names the unit, and
// notes the other attributes, over which the values are summed.
func (s *caliStream) readKeys(node int32, unit *caliperUnit) {
	for ; node >= 0; node = s.tree.nodes[node].parent {
		a := s.tree.attributeOf(node)
		if a.nested || a.hidden || a.global || unit.set(a.name, s.tree.nodes[node].data) {
			continue
		}
		attr := s.tree.nodes[node].attr
		if s.noted[attr] {
			continue
		}
		s.noted[attr] = true
		if !strings.HasSuffix(a.name, ".channel") && !strings.HasPrefix(a.name, "event.") {
			s.profile.sumOver(a.name)
		}
	}
}
