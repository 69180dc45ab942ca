package diagnose

import (
	"math"
	"testing"

	"auspex/model"
)

// Four threads wait in a barrier: whether they spin is in its CPU time, and costs others
// their cores where these are fewer.
func TestSpinning(t *testing.T) {
	for _, c := range []struct {
		name  string
		cores float64
		spun  float64 // of 4 s of each thread
		want  float64
	}{
		{"on two cores", 2, 3, 0.5},
		{"on four", 4, 3, 0},
		{"asleep", 2, 0.1, 0},
	} {
		units := []model.Unit{{}, {Thread: 1}, {Thread: 2}, {Thread: 3}}
		d := made(t, model.Header{Factors: []model.Factor{model.NumberFactor(model.Cores, c.cores)}}, units, func(_ int, _ *model.Builder, set setter) {
			set(model.Function, 6, "main", "solve")
			set(model.Barrier, 4, "main", "solve", "OpenMP barrier")
		}, func(_ int, _ *model.Builder, set setter) {
			set(model.Function, 3, "main", "solve")
			set(model.Barrier, c.spun, "main", "solve", "OpenMP barrier")
		})
		r := diagnose(t, d, Options{})
		if told := r.Spinning != nil; told != (c.want > 0) || told && math.Abs(r.Spinning.Share-c.want) > 1e-9 {
			t.Errorf("%s: %+v", c.name, r.Spinning)
		}
	}
}

// What threads stand without a core outside of MPI is none of MPI's.
func TestCoreWaitIsOfMPI(t *testing.T) {
	for kind, want := range map[model.Kind]float64{model.MPI: 0.3, model.Barrier: 0} {
		units := []model.Unit{{}, {Process: 1}}
		d := made(t, model.Header{}, units, func(u int, b *model.Builder, set setter) {
			set(model.Function, 6, "main", "solve")
			set(kind, 4, "main", "solve", "wait")
			wait := b.Metric(model.NewMetric(model.CoreWait, "", model.Exclusive))
			at := b.Region(model.Region{Name: "wait", Kind: kind, Parent: b.Region(model.Region{Name: "solve", Kind: model.Function, Parent: b.Region(model.Region{Name: "main", Kind: model.Function, Parent: model.NoParent})})})
			b.Set(b.Unit(units[u]), at, wait, 3)
		}, nil)
		if r := diagnose(t, d, Options{}); math.Abs(r.CoreWait-want) > 1e-9 {
			t.Errorf("%s: %g of the run without a core", kind, r.CoreWait)
		}
	}
}
