package view

import (
	"cmp"
	"slices"

	"auspex/analyze"
	"auspex/model"
)

// CallTree is the tree of regions for a flame graph: of every region what it
// takes with its parts, how uneven it is over the units, and what another run
// took at the same place.
type CallTree struct {
	Name    string     `json:"name"`
	Against string     `json:"against,omitempty"`
	Metric  string     `json:"metric"`
	Unit    string     `json:"unit"`
	Timed   bool       `json:"timed"` // the experiment has times
	Units   int        `json:"units"`
	Flat    bool       `json:"flat"`  // the profile knows no callers
	Total   int        `json:"total"` // regions there are, before they were cut
	Whole   float64    `json:"whole"` // the widths of the roots together
	Run     float64    `json:"run"`   // of the slowest unit: what shares are of
	Tree    []CallNode `json:"tree"`
}

// CallNode is one region of the tree, depth first, the heaviest of siblings
// first; its children are the following nodes of larger depth.
type CallNode struct {
	analyze.TreeNode
	// Width is what a block of the flame graph stands for: what the region takes
	// with all it calls, or alone where nobody knows who calls whom.
	Width     analyze.Real `json:"width"`
	Imbalance analyze.Real `json:"max_over_mean"` // of the inclusive values, over the units that entered
	Other     analyze.Real `json:"other"`         // inclusive, in the other run; missing where it has no such region
}

// DrawCallTree lists at most the most regions with the largest inclusive values.
func DrawCallTree(d, against *analyze.Dataset, metric string, most int) (*CallTree, error) {
	nodes, name, err := analyze.Tree(d, metric, 0)
	if err != nil {
		return nil, err
	}
	t := &CallTree{Name: d.Name, Metric: name, Timed: timed(d), Units: len(d.Units), Flat: model.IsFlat(d.Regions), Total: len(nodes), Tree: []CallNode{}}
	described, err := d.Resolve(name)
	if err != nil {
		return nil, err
	}
	t.Unit = described.Unit
	if _, t.Run, err = additive(d, name); err != nil {
		return nil, err
	}
	inclusive, err := d.RegionSpread(name + analyze.ScopeEnding(described, model.Inclusive))
	if err != nil {
		return nil, err
	}
	spread := map[string]analyze.Real{}
	for r, path := range d.Paths {
		spread[path] = analyze.Ratio(inclusive.Most[r]*inclusive.Units[r], inclusive.Sums[r])
	}
	there := map[string]analyze.Real{}
	if against != nil {
		t.Against = against.Name
		others, _, err := analyze.Tree(against, name, 0)
		if err != nil {
			return nil, err
		}
		for _, n := range others {
			there[n.Region] = n.Inclusive
		}
	}
	for _, n := range HeaviestNodes(nodes, most) {
		other, ok := there[n.Region]
		if !ok {
			other = analyze.Missing
		}
		width := n.Inclusive
		if t.Flat {
			width = n.Exclusive
		}
		if n.Depth == 0 && !width.IsMissing() {
			t.Whole += float64(width)
		}
		t.Tree = append(t.Tree, CallNode{n, width, spread[n.Region], other})
	}
	if t.Flat {
		slices.SortStableFunc(t.Tree, func(a, b CallNode) int { return cmp.Compare(b.Width, a.Width) })
	}
	return t, nil
}

// HeaviestNodes keeps the regions with the largest inclusive values. A region has
// at least the value of its parts, so parents stay with their children.
func HeaviestNodes(nodes []analyze.TreeNode, most int) []analyze.TreeNode {
	if len(nodes) <= most {
		return nodes
	}
	order := analyze.Counting(len(nodes)) // depth first: a parent is before its parts
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := nodes[a].Inclusive, nodes[b].Inclusive; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	chosen := order[:most]
	slices.Sort(chosen)
	kept := make([]analyze.TreeNode, most)
	for i, at := range chosen {
		kept[i] = nodes[at]
	}
	return kept
}
