package kept

import (
	"strings"
	"testing"

	"auspex/analyze"
	"auspex/model"
	"auspex/pop"
	"auspex/store"
)

// TestOtherFactors: where show has other factors of a run than its trace, that is said.
func TestOtherFactors(t *testing.T) {
	b := model.NewBuilder()
	region := b.Region(model.Region{Name: "prog", Parent: model.NoParent})
	wall := b.Metric(model.Metric{Name: model.WallTime, Unit: "s", Scope: model.Exclusive, Missing: model.Zero})
	for rank, seconds := range []float64{2, 1} {
		b.Add(b.Unit(model.Unit{Node: "n", Process: rank}), region, wall, seconds)
	}
	x, err := b.Build(model.Header{Name: "made"})
	if err != nil {
		t.Fatal(err)
	}
	s := store.Open(t.TempDir())
	if err := s.Put(x, false); err != nil {
		t.Fatal(err)
	}
	e, err := analyze.Find(s, "made")
	if err != nil {
		t.Fatal(err)
	}
	d, err := analyze.Open(e)
	if err != nil {
		t.Fatal(err)
	}
	r := &Run{Data: d}
	for other, said := range map[float64]bool{1: false, 1.5: true} {
		notes := strings.Join(r.otherFactors(pop.Run{Ranks: 2, Useful: []float64{2, other}, Seconds: 2}, "its trace"), " ")
		if strings.Contains(notes, "auspex show has parallel efficiency 0.750 and load balance 0.750") != said {
			t.Errorf("%g s: %q", other, notes)
		}
	}
}
