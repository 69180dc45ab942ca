package analyze

import (
	"math"
	"testing"

	"auspex/model"
)

// What single runs may differ by for where samples fell, and for want of cores, comes with
// their comparison.
func TestChanceOfSingleRuns(t *testing.T) {
	run := func(name string, seconds, samples, calls, lacked float64) *Dataset {
		b := model.NewBuilder()
		wall, looks := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive)), b.Metric(model.NewMetric(model.Samples, "", model.Exclusive))
		count, waits := b.Metric(model.NewMetric(model.Calls, "", "")), b.Metric(model.NewMetric(model.CoreWait, "", model.Exclusive))
		r := b.Region(model.Region{Name: "solve", Kind: model.Function, Parent: model.NoParent})
		for p := range 2 {
			u := b.Unit(model.Unit{Process: p})
			b.Set(u, r, wall, seconds)
			b.Set(u, r, looks, samples)
			b.Set(u, r, count, calls)
			b.Set(u, r, waits, lacked)
		}
		e, err := b.Build(model.Header{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return dataset(t, e)
	}
	for _, c := range []struct{ calls, counting float64 }{{0, math.Hypot(1, 2)}, {3, 0}} {
		got, err := Compare(run("a", 10, 50, c.calls, 1), run("b", 20, 50, c.calls, 3), ShippedWords(), CompareOptions{Over: OverMean})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(float64(got.Regions[0].Counting)-c.counting) > 1e-9 || got.WithoutCore != 3 {
			t.Errorf("%g calls: %g s by samples, %g s without a core", c.calls, float64(got.Regions[0].Counting), float64(got.WithoutCore))
		}
	}
}
