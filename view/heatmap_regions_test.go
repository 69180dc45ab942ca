package view

import (
	"slices"
	"testing"

	"auspex/model"
)

// Four processes in two columns: the largest of two stands for both.
func TestRegionHeatmap(t *testing.T) {
	b := model.NewBuilder()
	m := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	root := b.Region(model.Region{Name: "main", Parent: model.NoParent})
	step := b.Region(model.Region{Name: "step", Parent: root})
	for process := range 4 {
		u := b.Unit(model.Unit{Process: process})
		b.Set(u, root, m, 1)
		b.Set(u, step, m, float64(process))
	}
	e, err := b.Build(model.Header{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	h, err := RegionHeatmap(opened(t, e), model.WallTime, model.Inclusive, []string{"main/step", "nowhere", "main"}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Rows) != 2 || h.Rows[0].Name != "step" || h.Rows[1].Name != "main" || h.Scope != "inclusive" {
		t.Errorf("rows %+v, scope %s", h.Rows, h.Scope)
	}
	if len(h.Cols) != 2 || h.Cols[1].Unit != "2" || h.Cols[1].Last != "3" {
		t.Errorf("columns %+v", h.Cols)
	}
	if !slices.Equal(h.Max, Cells{1, 3, 2, 4}) {
		t.Errorf("largest values %v, want 1 3 of step, 2 4 of main", h.Max)
	}
}
