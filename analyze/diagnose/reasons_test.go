package diagnose

import (
	"math/rand/v2"
	"slices"
	"testing"

	"auspex/model"
)

// withMisses is a run in whose solve each unit takes as long, and has as many misses,
// as is told.
func withMisses(t *testing.T, units int, solve func(u int) (seconds, misses float64)) Cause {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 11))
	most := 0.0
	for u := range units {
		s, _ := solve(u)
		most = max(most, s)
	}
	d := made(t, model.Header{}, ranks(units), func(u int, b *model.Builder, set setter) {
		seconds, misses := solve(u)
		set(model.Function, seconds*(1+0.002*random.Float64()), "main", "solve")
		for _, name := range []string{"flux", "norm", "eos"} {
			set(model.Function, 3*(1+0.002*random.Float64()), "main", name)
		}
		set(model.MPI, most-seconds+0.05, "main", "MPI_Barrier")
		at := b.Region(model.Region{Name: "solve", Kind: model.Function, Parent: b.Region(model.Region{Name: "main", Kind: model.Function, Parent: model.NoParent})})
		b.Set(b.Unit(model.Unit{Process: u}), at, b.Metric(model.NewMetric(model.L2Misses, "", model.Exclusive)), misses)
		b.Set(b.Unit(model.Unit{Process: u}), at, b.Metric(model.NewMetric(model.PageFaults, "", model.Exclusive)), 5e5*(1+0.002*random.Float64()))
	}, nil)
	r := diagnose(t, d, Options{})
	if len(r.Causes) == 0 || r.Causes[0].Region != "main/solve" {
		t.Fatalf("%+v", r.Causes)
	}
	return r.Causes[0]
}

// That the slowest of many has most of what scatters anyway is chance; that it has far
// more than the scatter is not.
func TestOneOfMany(t *testing.T) {
	for _, far := range []bool{false, true} {
		random := rand.New(rand.NewPCG(3, 5))
		scatter, most := make([]float64, 64), 0.0
		for u := range scatter {
			scatter[u] = 1e9 * (1 + 0.15*random.NormFloat64())
			most = max(most, scatter[u])
		}
		c := withMisses(t, 64, func(u int) (float64, float64) {
			switch {
			case u != 39:
				return 10, scatter[u]
			case far:
				return 16, 2.2e9
			}
			return 16, 1.02 * most
		})
		if got := slices.Contains(c.Attributes, model.L2Misses); got != far {
			t.Errorf("far apart %v: %v", far, c.Attributes)
		}
	}
}

// One unit that takes as long for another reason does not keep the misses of the rest
// from being told; units that have them and are quick do.
func TestAnotherReasonBesides(t *testing.T) {
	c := withMisses(t, 27, func(u int) (float64, float64) {
		switch {
		case u == 15:
			return 16, 1e9
		case u%2 == 0:
			return 15, 3e9
		}
		return 10, 1e9
	})
	if !slices.Equal(c.Attributes, []string{model.L2Misses}) {
		t.Errorf("%v", c.Attributes)
	}
	c = withMisses(t, 27, func(u int) (float64, float64) {
		switch {
		case u == 15:
			return 10, 3e9
		case u%2 == 0:
			return 15, 3e9
		}
		return 10, 1e9
	})
	if len(c.Attributes) > 0 {
		t.Errorf("%v", c.Attributes)
	}
}
