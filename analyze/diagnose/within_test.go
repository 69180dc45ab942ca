package diagnose

import (
	"math"
	"testing"

	"auspex/model"
)

// What was only sampled names the place of the difference where four fifths of it
// are there, and not where it is spread.
func TestMostOfItWithin(t *testing.T) {
	for name, c := range map[string]struct {
		left, right float64 // of the second process; the first has 1 of each
		name        string  // of what the difference may be in
		by          string  // what stands between that and main
		want        string
		most        float64 // what the second process spends there
		others      float64 // what each other one has in left
	}{
		"in one":                {9, 1.2, "left", "", "prog/main/left", 9, 1},
		"in one alone":          {9, 1.2, "left", "", "prog/main/left", 9, 0},
		"hardly in another":     {9, 1.2, "left", "", "prog/main/left", 9, 0.08},
		"spread":                {5, 5, "left", "", "prog/main", 10.1, 1},
		"in a library's inside": {9, 1.2, "__left_fma", "", "prog/main", 10.3, 1},
		"in code without name":  {9, 1.2, "<libm.so.6>", "", "prog/main", 10.3, 1},
		"called by such code":   {9, 1.2, "left", "<libstdc++.so.6>", "prog/main/<libstdc++.so.6>/left", 9, 1},
	} {
		b := model.NewBuilder()
		prog := b.Region(model.Region{Name: "prog", Kind: model.Block, Parent: model.NoParent})
		main := b.Region(model.Region{Name: "main", Kind: model.Function, Parent: prog})
		caller := main
		if c.by != "" {
			caller = b.Region(model.Region{Name: c.by, Kind: model.Block, Parent: main})
		}
		left := b.Region(model.Region{Name: c.name, Kind: model.Function, Parent: caller})
		right := b.Region(model.Region{Name: "right", Kind: model.Function, Parent: main})
		wait := b.Region(model.Region{Name: "MPI_Barrier", Kind: model.MPI, Parent: main})
		wtime := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
		calls := b.Metric(model.NewMetric(model.Calls, "", model.Own))
		for process := range 4 {
			u := b.Unit(model.Unit{Process: process})
			l, r := c.others, 1.0
			if process == 1 {
				l, r = c.left, c.right
			}
			b.Set(u, prog, wtime, 0)
			b.Set(u, prog, calls, 1)
			b.Set(u, main, wtime, 0.1)
			b.Set(u, left, wtime, l)
			b.Set(u, right, wtime, r)
			b.Set(u, wait, wtime, c.left+c.right-l-r+0.1)
			b.Set(u, wait, calls, 5)
		}
		e, err := b.Build(model.Header{Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		got := diagnose(t, opened(t, e), Options{})
		if len(got.Causes) != 1 || got.Causes[0].Region != "prog" || got.Causes[0].Within != c.want {
			t.Errorf("%s: %+v", name, got.Causes)
			continue
		}
		if of := got.Causes[0].Sampled; of == nil || math.Abs(float64(of.Most)-c.most) > 1e-9 || of.SlowMean != of.Most || of.OthersMean >= of.SlowMean || of.Mean >= of.Most || of.Mean <= of.OthersMean || of.Only != (c.others < 0.1) {
			t.Errorf("%s: sampled %+v", name, of)
		}
	}
}
