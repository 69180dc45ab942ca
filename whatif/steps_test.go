package whatif_test

import (
	"math"
	"strings"
	"testing"

	"auspex/trace"
	"auspex/whatif"
)

// TestBalanceOfSteps: where ranks have as much to do in all and more than the others by
// turns, balancing evens out each step, also for one that has nothing to do in it.
// Where what they have in all differs as well, or steps differ by chance, it does not.
func TestBalanceOfSteps(t *testing.T) {
	const steps = 40
	for _, c := range []struct {
		name  string
		work  func(rank, step int) float64
		want  float64
		noted string
	}{
		{"by turns", func(rank, step int) float64 { return []float64{0.02, 0.005}[(rank+step)%2] }, steps * 0.0125, "not only in all"},
		{"all or nothing", func(rank, step int) float64 { return []float64{0.02, 0}[(rank+step)%2] }, steps * 0.01, "not only in all"},
		{"always the same one", func(rank, step int) float64 { return []float64{0.02, 0.005}[rank] }, steps * 0.0125, ""},
		{"by chance", func(rank, step int) float64 { return 0.01 + 0.002*float64((rank*7+step*step*5)%11)/10 }, -1, ""},
		{"one has more, and by turns", func(rank, step int) float64 { return []float64{0.02, 0.005}[(rank+step)%2] * float64(1+rank) }, steps * 0.03, "balanced is what they have in all"},
	} {
		tr := programs(2, func(rank int, b *trace.Builder) {
			for step := range steps {
				if s := c.work(rank, step); s > 0 {
					compute(b, "A", s)
				}
				b.Add(&trace.Action{Kind: trace.Barrier})
			}
		})
		w, err := whatif.New(t.Context(), whatif.Setup{Trace: tr})
		if err != nil {
			t.Fatal(err)
		}
		a, err := w.Price(t.Context(), []whatif.Change{{Kind: whatif.Balance, Region: "A"}})
		if err != nil || c.want > 0 && math.Abs(a.NewSeconds-c.want) > 1e-6 {
			t.Errorf("%s: %+v, %v; want %g s", c.name, a, err, c.want)
		}
		if notes := strings.Join(a.Notes, " "); !strings.Contains(notes, c.noted) || c.noted == "" && strings.Contains(notes, "by turns") {
			t.Errorf("%s: noted %q", c.name, notes)
		}
	}
}

// TestStopsOfSteps: what ranks stand still in computation moves with it, and lasts as
// long in all.
func TestStopsOfSteps(t *testing.T) {
	stops := make(trace.Stops, 2)
	tr := programs(2, func(rank int, b *trace.Builder) {
		for step := range 10 {
			s := []float64{0.02, 0.005}[(rank+step)%2]
			compute(b, "A", s)
			b.Add(&trace.Action{Kind: trace.Barrier})
			stops[rank] = append(stops[rank], trace.Stop{Action: int64(2 * step), Seconds: 2 * s})
		}
	})
	w, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Measured: 0.6, Stops: stops})
	if err != nil {
		t.Fatal(err)
	}
	a, err := w.Price(t.Context(), []whatif.Change{{Kind: whatif.Balance, Region: "A"}})
	if err != nil || math.Abs(a.NewSeconds-10*3*0.0125) > 1e-6 {
		t.Errorf("%+v, %v", a, err)
	}
}
