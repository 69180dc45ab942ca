package view

import (
	"context"
	"slices"

	"auspex/analyze"
	"auspex/model"
)

// RegionHeatmap is the matrix of some regions × units in the order given, the
// units summed up into at most cols columns: what fits on a page beside a list
// of regions. Regions the experiment does not have are left out.
func RegionHeatmap(d *analyze.Dataset, metric string, scope model.Scope, regions []string, cols int) (*Heatmap, error) {
	m, err := d.Matrix(metric + "." + string(scope))
	if err != nil {
		return nil, err
	}
	h := &Heatmap{
		Experiment: d.Name, By: d.ByWord(), Metric: metric, Quantity: metric + "." + string(scope), Scope: scopeWord(scope), Normalise: NormaliseNone,
		Units: len(d.Units), ToUnit: len(d.Units), Least: analyze.Missing, Most: analyze.Missing, Warnings: []string{},
	}
	var rows []line
	for _, path := range regions {
		if r := slices.Index(d.Paths, path); r >= 0 {
			rows = append(rows, line{regions: []int{r}, place: len(rows)})
		}
	}
	h.Regions, h.ToRow = len(rows), len(rows)
	h.nameRows(d, rows)
	h.groupCols(d.Units, cols)
	h.fill(context.Background(), valuesOf(m, m, rows, nil, nil))
	return h, nil
}

func scopeWord(scope model.Scope) string {
	return (&heatQuantity{inclusive: scope == model.Inclusive}).scope()
}
