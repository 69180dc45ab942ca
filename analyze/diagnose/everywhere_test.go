package diagnose

import (
	"math"
	"testing"

	"auspex/model"
)

// A rank that takes longer by one factor in everything is told as that; one that does
// so in one region is not.
func TestSlowerInEverything(t *testing.T) {
	run := func(factor func(u, region int) float64) *Diagnosis {
		return diagnose(t, made(t, model.Header{}, ranks(16), func(u int, _ *model.Builder, set setter) {
			all := 0.0
			for r, name := range []string{"flux", "solve", "norm", "update", "project"} {
				v := float64(10+5*r) * factor(u, r) * (1 + 0.004*float64((u*5+r*3)%7-3)/3)
				set(model.Function, v, "main", name)
				all += v
			}
			set(model.MPI, 140-all, "main", "MPI_Allreduce")
		}, nil), Options{})
	}
	r := run(func(u, _ int) float64 {
		if u == 5 {
			return 1.25
		}
		return 1
	})
	if r.Slower == nil || texts(r.Slower.Units) != "[5]" || math.Abs(float64(r.Slower.Factor)-1.25) > 0.01 {
		t.Errorf("%+v", r.Slower)
	}
	r = run(func(u, region int) float64 {
		if u == 5 && region == 3 {
			return 2
		}
		return 1
	})
	if r.Slower != nil || len(r.Causes) != 1 {
		t.Errorf("%+v, %+v", r.Slower, r.Causes)
	}
}
