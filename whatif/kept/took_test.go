package kept

import (
	"maps"
	"testing"

	"auspex/model"
)

// TestTook: what samples found in a function is of the measured region around it, so that
// a region of a trace is held against all that it holds.
func TestTook(t *testing.T) {
	b := model.NewBuilder()
	wall := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	calls := b.Metric(model.NewMetric(model.Calls, "", ""))
	prog := b.Region(model.Region{Name: "prog", Parent: model.NoParent})
	main := b.Region(model.Region{Name: "main", Parent: prog})
	hot := b.Region(model.Region{Name: "hot", Parent: main})
	loop := b.Region(model.Region{Name: "loop@3", Parent: main})
	wait := b.Region(model.Region{Name: "MPI_Barrier", Kind: model.MPI, Parent: main})
	for rank, more := range []float64{0, 1} {
		u := b.Unit(model.Unit{Node: "n", Process: rank})
		for _, r := range []int{prog, loop, wait} {
			b.Add(u, r, calls, 1)
		}
		b.Add(u, prog, wall, 0.25)
		b.Add(u, hot, wall, 1+more)
		b.Add(u, loop, wall, 2)
		b.Add(u, wait, wall, 3)
	}
	_, d := stored(t, b, model.Header{Name: "made"})
	got, err := Took(d)
	want := map[string]float64{"prog": 2.25, "prog/main/loop@3": 2, "prog/main/MPI_Barrier": 3}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}
