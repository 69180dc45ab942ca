package scaling

import (
	"context"
	"fmt"
	"testing"

	"auspex/model"
)

// Several runs of one size count by their mean, in whatever order, and one that is
// named twice counts once.
func TestRunsOfOneSize(t *testing.T) {
	named := func(p int, name string, work float64) *model.Experiment {
		e := regions(t, p, map[string]float64{"solve": work})
		e.Name = name
		return e
	}
	slow, fast := named(2, "slow", 53), named(2, "fast", 47)
	a, b := named(8, "a", 13), named(8, "b", 12)
	for _, order := range [][]*model.Experiment{{slow, fast, a, b}, {fast, slow, b, a}} {
		sets := opened(t, order...)
		s, err := Of(context.Background(), append(sets, sets[0]), false)
		if err != nil {
			t.Fatal(err)
		}
		if last := s.Largest(); !near(last.Speedup, 4) || len(s.Runs) != 4 || len(s.Regions) != 0 || len(s.Warnings) != 1 {
			t.Errorf("speedup %v of %d runs, regions %v, notes %v", last.Speedup, len(s.Runs), s.Regions, s.Warnings)
		}
	}
}

// Factors that differ are told of, but for the number of processes by another name
// and the size that grows with them.
func TestFactorsThatDiffer(t *testing.T) {
	run := func(p int, work float64, machine string, size float64) *model.Experiment {
		e := regions(t, p, map[string]float64{"solve": work})
		e.Factors = []model.Factor{model.NewFactor("machine", machine), model.NumberFactor("size", size), model.NumberFactor("np", float64(p))}
		return e
	}
	for _, c := range []struct {
		name string
		of   []*model.Experiment
		want string
	}{
		{"the same", []*model.Experiment{run(2, 8, "a", 1), run(4, 4, "a", 1)}, ""},
		{"machines", []*model.Experiment{run(2, 8, "a", 1), run(4, 8, "b", 1)}, "machine"},
		{"sizes, though the work stays", []*model.Experiment{run(2, 8, "a", 1), run(4, 4, "a", 2)}, "size"},
		{"sizes as the work grows", []*model.Experiment{run(2, 8, "a", 1), run(4, 8, "a", 2)}, ""},
	} {
		s, err := Of(context.Background(), opened(t, c.of...), false)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range s.Factors {
			got += f.Name
		}
		if got != c.want || s.Uncertain != (c.want != "") {
			t.Errorf("%s: %q, uncertain %v", c.name, got, s.Uncertain)
		}
	}
}

// Work of one process is found, though its mean over all falls as it should; work
// that is merely uneven is not.
func TestWorkOfOne(t *testing.T) {
	run := func(p int, alone string) *model.Experiment {
		b := model.NewBuilder()
		wall := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
		solve, own, wait := b.Region(model.Region{Name: "solve", Parent: model.NoParent}), b.Region(model.Region{Name: alone, Parent: model.NoParent}), b.Region(model.Region{Name: "MPI_Bcast", Kind: model.MPI, Parent: model.NoParent})
		for u := range p {
			unit := b.Unit(model.Unit{Process: u})
			b.Set(unit, solve, wall, 90/float64(p))
			seconds := 10.0
			if alone == "uneven" {
				seconds = 30 / float64(p)
			}
			if u == 0 {
				b.Set(unit, own, wall, seconds)
			} else {
				b.Set(unit, wait, wall, seconds)
			}
		}
		e, err := b.Build(model.Header{Name: fmt.Sprint(alone, p)})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for alone, found := range map[string]int{"serial": 1, "uneven": 0} {
		s, err := Of(context.Background(), opened(t, run(1, alone), run(4, alone), run(16, alone)), false)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Kept) != found || found > 0 && (s.Kept[0].Region != "serial" || !near(s.Kept[0].Seconds[2], 10)) {
			t.Errorf("%s: %+v", alone, s.Kept)
		}
	}
}
