package scaling

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"auspex/model"
)

// regions is a run of p equal processes with so long in each region.
func regions(t *testing.T, p int, seconds map[string]float64) *model.Experiment {
	t.Helper()
	b := model.NewBuilder()
	wall := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	for u := range p {
		unit := b.Unit(model.Unit{Process: u})
		for _, name := range sorted(seconds) {
			kind := model.Kind("")
			if strings.HasPrefix(name, "MPI_") {
				kind = model.MPI
			}
			b.Set(unit, b.Region(model.Region{Name: name, Kind: kind, Parent: model.NoParent}), wall, seconds[name])
		}
	}
	e, err := b.Build(model.Header{Name: fmt.Sprint("on-", p)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// What is expected of the run is what is expected of its regions: it gets slower.
func TestForecastIsOfTheRegions(t *testing.T) {
	truth := func(p float64) float64 { return 100/p + 0.0005*p*p + 0.01 }
	var list []*model.Experiment
	for _, p := range []int{2, 4, 8, 16, 32, 64} {
		n := float64(p)
		list = append(list, regions(t, p, map[string]float64{"solve": 100 / n, "exchange": 0.0005 * n * n, "MPI_Allreduce": 0.01}))
	}
	s, err := Of(context.Background(), opened(t, list...), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, next := range s.Model.Next {
		want := truth(float64(next.Ranks))
		if math.Abs(float64(next.Seconds)-want) > 0.01*want || float64(next.Interval[0]) > want+1e-9 || float64(next.Interval[1]) < want-1e-9 {
			t.Errorf("on %d %v in %v, not %v", next.Ranks, next.Seconds, next.Interval, want)
		}
	}
	if s.Model.Formula != "0.01 + 100·p^-1 + 0.0005·p^2" || len(s.Model.Terms) != 2 {
		t.Errorf("%+v", s.Model)
	}
}

// Work under another name, or left out, is told of, and is not what does not scale.
func TestRenamedWork(t *testing.T) {
	var list []*model.Experiment
	for _, p := range []int{4, 8, 16, 32, 64} {
		n := float64(p)
		seconds := map[string]float64{"solve": 100 / n, "post": 20 / n, "dump": 2, "MPI_Allreduce": 0.02 * math.Log2(n)}
		if p >= 32 {
			delete(seconds, "post")
			seconds["post_v2"] = 20 / n
		}
		if p == 64 {
			delete(seconds, "dump")
			seconds["MPI_Alltoall"] = 0.1 // what communicates may begin to
		}
		list = append(list, regions(t, p, seconds))
	}
	s, err := Of(context.Background(), opened(t, list...), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Regions {
		if r.Region == "post_v2" {
			t.Errorf("%+v", r)
		}
	}
	if len(s.Regions) != 2 {
		t.Errorf("regions %+v", s.Regions)
	}
	said := strings.Join(s.Warnings, "\n")
	if !strings.Contains(said, "`dump` (in those on 4, 8, 16, 32), `post` (in those on 4, 8, 16), `post_v2` (in those on 32, 64)") {
		t.Error(said)
	}
}

// A smallest run that is slow for its size is said to be a poor reference.
func TestEfficiencyAboveOne(t *testing.T) {
	for _, c := range []struct {
		slow float64
		said bool
	}{{1, false}, {1.6, true}} {
		s, err := Of(context.Background(), opened(t, run(t, 2, 50*c.slow, 0, 0), run(t, 8, 12.5, 0, 0)), false)
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(strings.Join(s.Warnings, "\n"), "the efficiency is above 1 (1.60 on 8)"); said != c.said || !near(s.Runs[1].Efficiency, c.slow) {
			t.Errorf("%g: %v", c.slow, s.Warnings)
		}
	}
}
