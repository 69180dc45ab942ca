package analyze

import (
	"math"
	"testing"

	"auspex/ingest"
	"auspex/model"
)

// repeated is an experiment of several runs, with a factor on all times of each.
func repeated(t *testing.T, name string, factors []float64, solve float64) *Dataset {
	t.Helper()
	var runs []*model.Experiment
	for _, f := range factors {
		b := model.NewBuilder()
		seconds := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
		for p := range 2 {
			u := b.Unit(model.Unit{Process: p})
			b.Set(u, b.Region(model.Region{Name: "solve", Parent: model.NoParent}), seconds, f*solve)
			b.Set(u, b.Region(model.Region{Name: "write", Parent: model.NoParent}), seconds, f*10)
		}
		e, err := b.Build(model.Header{Name: name, Program: "p"})
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, e)
	}
	e, err := ingest.Repeats(runs)
	if err != nil {
		t.Fatal(err)
	}
	e.Name = name
	return dataset(t, e)
}

// Whether run times differ is told by how repeated runs scatter.
func TestRuntimesThatScatter(t *testing.T) {
	wide, narrow := []float64{0.95, 1, 1.05, 0.97, 1.03}, []float64{0.999, 1, 1.001, 1, 1}
	for _, c := range []struct {
		name    string
		factors []float64
		solve   float64
		differ  bool
	}{
		{"5 % of scatter hide 2 %", wide, 20.6, false},
		{"a tenth of a percent does not", narrow, 20.6, true},
		{"nor do 5 % hide a half more", wide, 35, true},
	} {
		found, err := Compare(repeated(t, "a", c.factors, 20), repeated(t, "b", c.factors, c.solve), ShippedWords(), CompareOptions{Over: OverMean})
		if err != nil {
			t.Fatal(err)
		}
		if s := found.Runtime.Significant; s == nil || *s != c.differ {
			t.Errorf("%s: %+v", c.name, found.Runtime)
		}
	}
	single, err := Compare(scored(t, 1), scored(t, 2), ShippedWords(), CompareOptions{Over: OverMean})
	if err != nil || single.Runtime.Significant != nil {
		t.Errorf("single runs: %+v, %v", single.Runtime, err)
	}
}

// A ratio in a region that one run lacks is missing, not zero, and comes last; a
// time is zero.
func TestRatioOfWhatIsNotThere(t *testing.T) {
	run := func(name, other string) *Dataset {
		b := model.NewBuilder()
		seconds := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
		misses := b.Metric(model.NewMetric("l2_misses", "", model.Exclusive))
		u := b.Unit(model.Unit{})
		for _, region := range []string{"solve", other} {
			r := b.Region(model.Region{Name: region, Parent: model.NoParent})
			b.Set(u, r, seconds, 2)
			b.Set(u, r, misses, 6)
		}
		e, err := b.Build(model.Header{Name: name, Program: "p"})
		if err != nil {
			t.Fatal(err)
		}
		return dataset(t, e)
	}
	c, err := Compare(run("a", "read"), run("b", "write"), ShippedWords(), CompareOptions{Over: OverMean, Metric: "l2_misses/wtime"})
	if err != nil {
		t.Fatal(err)
	}
	want := [][2]float64{{3, 3}, {3, math.NaN()}, {math.NaN(), 3}}
	for i, r := range c.Regions {
		if !same(float64(r.A), want[i][0]) || !same(float64(r.B), want[i][1]) {
			t.Errorf("%s: %v and %v", r.Region, r.A, r.B)
		}
	}
	c, err = Compare(run("a", "read"), run("b", "write"), ShippedWords(), CompareOptions{Over: OverMean})
	if err != nil || c.Regions[0].B != 0 || c.Regions[0].A != 2 {
		t.Errorf("%+v, %v", c, err)
	}
}

func same(a, b float64) bool { return a == b || a != a && b != b }

// Experiments without any time have the same regions, and are no different programs.
func TestRelatedWithoutTime(t *testing.T) {
	run := func(name string, solve float64) *Dataset {
		b := model.NewBuilder()
		seconds := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
		b.Set(b.Unit(model.Unit{}), b.Region(model.Region{Name: "solve", Parent: model.NoParent}), seconds, solve)
		e, err := b.Build(model.Header{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return dataset(t, e)
	}
	for _, pair := range [][2]*Dataset{{run("a", 0), run("b", 0)}, {run("a", 5), run("b", 0)}} {
		if related, err := Related(pair[0], pair[1]); err != nil || !related {
			t.Errorf("%v, %v", related, err)
		}
	}
}
