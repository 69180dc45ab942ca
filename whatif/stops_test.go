package whatif_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"auspex/trace"
	"auspex/whatif"
)

// TestStops: two ranks compute 1 s of CPU time each between two barriers; rank 1
// stood still for 1 s, 0.25 s of it within its computation and 0.75 s within MPI.
func TestStops(t *testing.T) {
	tr := programs(2, func(_ int, b *trace.Builder) {
		for range 10 {
			compute(b, "A", 0.1)
			b.Add(&trace.Action{Kind: trace.Barrier})
		}
	})
	for _, c := range []struct {
		name  string
		stops []float64
		run   float64
		want  []float64
		noted bool
	}{
		{"all of it made the run longer", []float64{0, 0.75}, 2, []float64{1, 2}, true},
		{"no more than the run took", []float64{0, 0.75}, 1.5, []float64{1, 1.5}, true},
		{"the run is explained without", []float64{0, 0.75}, 1.25, []float64{1, 1.25}, false},
		{"too little to matter", []float64{0, 0.01}, 2, []float64{1, 1.25}, false},
		{"of one rank only", []float64{0.001, 0.75}, 2, []float64{1, 2}, true},
		{"not known", nil, 2, []float64{1, 1.25}, false},
	} {
		got, notes, err := whatif.Stops{Seconds: c.stops, Run: c.run}.Spread(t.Context(), tr, []float64{1, 1.25}, whatif.SharedMemory())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 0.01 }) {
			t.Errorf("%s: stretched by %v, not %v", c.name, got, c.want)
		}
		if said := strings.Join(notes, ""); (said != "") != c.noted || c.noted && (!strings.Contains(said, "rank 1 for 0.") || strings.Contains(said, "rank 0")) {
			t.Errorf("%s: noted %q", c.name, said)
		}
	}
}
