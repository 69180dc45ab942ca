package view

import (
	"cmp"
	"slices"

	"auspex/analyze"
	"auspex/fuzzy"
)

// DrawnBottlenecks is Figure 4 of Soft performance analysis with the data on
// it: the sets' curves, and where every region lies.
type DrawnBottlenecks struct {
	*analyze.Bottlenecks
	Curves []DrawnCurve  `json:"curves"`
	Values []RegionValue `json:"values"` // the largest first
}

// DrawnCurve is a fuzzy set's curve.
type DrawnCurve struct {
	Name string `json:"name"`
	X    Cells  `json:"x"`
	Y    Cells  `json:"y"`
}

// RegionValue is a region's value of a metric.
type RegionValue struct {
	Region string       `json:"region"`
	Value  analyze.Real `json:"value"`
}

// DrawBottlenecks searches the regions and draws what was searched by.
func DrawBottlenecks(d *analyze.Dataset, words analyze.Words, metric string, o analyze.BottleneckOptions) (*DrawnBottlenecks, error) {
	b, err := analyze.FindBottlenecks(d, words, metric, o)
	if err != nil {
		return nil, err
	}
	node, err := d.QuantityAsWritten(words, metric)
	if err != nil {
		return nil, err
	}
	rows, err := d.Rows(analyze.ByRegion)
	if err != nil {
		return nil, err
	}
	values, err := rows.Eval(node)
	if err != nil {
		return nil, err
	}
	p := &DrawnBottlenecks{Bottlenecks: b, Curves: []DrawnCurve{}, Values: []RegionValue{}}
	low, high := min(0, b.Threshold), b.Upper
	for i, v := range values {
		if v == v {
			p.Values = append(p.Values, RegionValue{d.Paths[rows.Region[i]], analyze.Real(v)})
			low, high = min(low, v), max(high, v)
		}
	}
	slices.SortStableFunc(p.Values, func(x, y RegionValue) int { return cmp.Compare(y.Value, x.Value) })
	draw := func(name string, s fuzzy.Set) {
		x, y := fuzzy.Draw(s, low, high)
		p.Curves = append(p.Curves, DrawnCurve{name, x, y})
	}
	if b.Negligible != "" {
		band, err := analyze.ShapeOf(b.Negligible)
		if err != nil {
			return nil, err
		}
		draw("negligible", band)
	}
	for _, term := range b.Severity {
		draw(term.Name, term.Set)
	}
	return p, nil
}
