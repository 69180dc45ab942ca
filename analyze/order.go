package analyze

import "auspex/model"

// OrderedRegion is a region at its place in the tree's order.
type OrderedRegion struct {
	Region, Depth int
}

// Order lists the regions once; the result is shared: do not change it.
func (d *Dataset) Order() ([]OrderedRegion, error) { return d.orderOnce() }

// treeOrder lists the regions as Tree does without a metric: depth first, the
// heaviest of siblings first; as they are stored where there is no time.
func (d *Dataset) treeOrder() ([]OrderedRegion, error) {
	weight := make([]float64, len(d.Regions))
	if name, err := d.TimeMetric(); err == nil {
		if weight, err = d.RegionMeans(name + "." + string(model.Inclusive)); err != nil {
			return nil, err
		}
	}
	children, roots := model.Children(d.Regions)
	order := make([]OrderedRegion, 0, len(d.Regions))
	var walk func(siblings []int, depth int)
	walk = func(siblings []int, depth int) {
		heaviestFirst(siblings, weight)
		for _, r := range siblings {
			order = append(order, OrderedRegion{r, depth})
			walk(children[r], depth+1)
		}
	}
	walk(roots, 0)
	return order, nil
}
