package kept

import (
	"strings"
	"testing"

	"auspex/model"
	"auspex/pop"
)

// TestOtherFactors: where show has other factors of a run than its trace, that is said.
func TestOtherFactors(t *testing.T) {
	b := model.NewBuilder()
	region := b.Region(model.Region{Name: "prog", Parent: model.NoParent})
	wall := b.Metric(model.Metric{Name: model.WallTime, Unit: "s", Scope: model.Exclusive, Missing: model.Zero})
	for rank, seconds := range []float64{2, 1} {
		b.Add(b.Unit(model.Unit{Node: "n", Process: rank}), region, wall, seconds)
	}
	_, d := stored(t, b, model.Header{Name: "made"})
	r := &Run{Data: d}
	for other, said := range map[float64]bool{1: false, 1.5: true} {
		notes := strings.Join(r.otherFactors(pop.Run{Ranks: 2, Useful: []float64{2, other}, Seconds: 2}, "its trace"), " ")
		if strings.Contains(notes, "auspex show has parallel efficiency 0.750 and load balance 0.750") != said {
			t.Errorf("%g s: %q", other, notes)
		}
	}
}
