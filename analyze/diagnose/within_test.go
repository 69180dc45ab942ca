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

// A main thread comes to the work that it shares with its workers by other calls: what
// each does there is what it does in the same function called by the same one.
func TestWithinOnOtherPaths(t *testing.T) {
	for name, c := range map[string]struct {
		main, worker float64
		by           string // what calls the work in the main thread
		causes       int
		most, mean   float64
		only         bool
	}{
		"uneven":           {3, 9, "body", 1, 9, 6, false},
		"even":             {9, 9, "body", 0, 0, 0, false},
		"called otherwise": {3, 9, "other", 1, 9, 4.5, false},
	} {
		b := model.NewBuilder()
		prog := b.Region(model.Region{Name: "prog", Kind: model.Block, Parent: model.NoParent})
		function := func(name string, parent int) int {
			return b.Region(model.Region{Name: name, Kind: model.Function, Parent: parent})
		}
		mains := function("work", function(c.by, function("main", prog)))
		workers := function("work", function("body", function("serve", prog)))
		wtime := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
		calls := b.Metric(model.NewMetric(model.Calls, "", model.Own))
		for thread, spent := range []float64{c.main, c.worker} {
			u := b.Unit(model.Unit{Process: 0, Thread: thread})
			at := []int{mains, workers}[thread]
			wait := b.Region(model.Region{Name: model.ThreadBarrier, Kind: model.Barrier, Parent: at})
			b.Set(u, prog, calls, 1)
			b.Set(u, at, wtime, spent)
			b.Set(u, wait, wtime, 10-spent)
			b.Set(u, wait, calls, 1)
		}
		e, err := b.Build(model.Header{Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		got := diagnose(t, opened(t, e), Options{})
		if len(got.Causes) != c.causes {
			t.Errorf("%s: %+v", name, got.Causes)
			continue
		}
		if c.causes == 0 {
			continue
		}
		if of := got.Causes[0].Sampled; of == nil || float64(of.Most) != c.most || float64(of.Mean) != c.mean || of.Only != c.only {
			t.Errorf("%s: within %s, sampled %+v", name, got.Causes[0].Within, of)
		}
	}
}
