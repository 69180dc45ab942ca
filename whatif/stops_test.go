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

// TestLateStart: a rank that shares its core is late from the start; freed, all
// are done with starting as soon as the next one is. Other changes leave that as
// it is.
func TestLateStart(t *testing.T) {
	tr := programs(3, func(r int, b *trace.Builder) {
		compute(b, "A", 1)
		b.Add(&trace.Action{Kind: trace.Barrier})
	})
	stretch := []float64{1, 2, 1}
	for _, c := range []struct {
		name    string
		late    []float64
		changes []whatif.Change
		want    float64
	}{
		{"freed", []float64{0, 0.1, 0.02}, []whatif.Change{{Kind: whatif.LikeMedian, Rank: 1}}, 2.5 - 1 - 0.08},
		{"not known", nil, []whatif.Change{{Kind: whatif.LikeMedian, Rank: 1}}, 2.5 - 1},
		{"another one is as late", []float64{0, 0.1, 0.1}, []whatif.Change{{Kind: whatif.LikeMedian, Rank: 1}}, 2.5 - 1},
		{"another rank", []float64{0, 0.1, 0.02}, []whatif.Change{{Kind: whatif.LikeMedian, Rank: 2}}, 2.5},
		{"another change", []float64{0, 0.1, 0.02}, []whatif.Change{{Kind: whatif.Faster, Region: "A", Factor: 2}}, 2.5 - 1},
	} {
		w, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Measured: 2.5, Stretch: stretch, Late: c.late, Outside: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		a, err := w.Price(t.Context(), c.changes)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(a.NewSeconds-c.want) > 0.001 {
			t.Errorf("%s: %.4f s, on paper %.4f", c.name, a.NewSeconds, c.want)
		}
	}
}

// TestStoppedWhileWaiting: two ranks share one core, and have 1 s and 3 s of work: the
// run takes 4 s. Rank 0 is stopped while it waits for the other anyway. With the work
// evened out the core has as much to do as before, and the stop delays nobody.
func TestStoppedWhileWaiting(t *testing.T) {
	tr := programs(2, func(r int, b *trace.Builder) {
		compute(b, "A", 1+2*float64(r))
		b.Add(&trace.Action{Kind: trace.Barrier})
	})
	stops := trace.Stops{
		{{Action: 1, Seconds: 1}, {Action: 2, Within: true, Seconds: 2}},
		{{Action: 1, Seconds: 1}},
	}
	c, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Network: whatif.SharedMemory(), Measured: 4, Stops: stops})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		change whatif.Change
		want   float64
	}{
		{whatif.Change{Kind: whatif.Balance, Region: "A"}, 4},
		{whatif.Change{Kind: whatif.Cores}, 3},
		{whatif.Change{Kind: whatif.Remove, Region: "A"}, 0},
		{whatif.Change{Kind: whatif.Faster, Region: "A", Factor: 2}, 2},
	} {
		a, err := c.Price(t.Context(), []whatif.Change{x.change})
		if err != nil || math.Abs(a.NewSeconds-x.want) > 0.01 {
			t.Errorf("%s: %.3f s, want %.3f (%v)", x.change, a.NewSeconds, x.want, err)
		}
	}
}

// TestStopsOfNextToNoWork: a rank that waits for the other one for all of the run and
// stands still meanwhile is not taken to stand still as often in work that it is given;
// and who has all the work is no straggler.
func TestStopsOfNextToNoWork(t *testing.T) {
	tr := programs(2, func(r int, b *trace.Builder) {
		compute(b, "A", []float64{1e-5, 0.5}[r])
		b.Add(&trace.Action{Kind: trace.Barrier})
	})
	stops := trace.Stops{
		{{Action: 1, Seconds: 0.2}, {Action: 2, Within: true, Seconds: 0.3}},
		{{Action: 1, Seconds: 0.5}},
	}
	c, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Network: whatif.SharedMemory(), Measured: 1, Stops: stops})
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Price(t.Context(), []whatif.Change{{Kind: whatif.Balance, Region: "A"}})
	if err != nil || a.Gain < 0 {
		t.Errorf("%+v, %v", a, err)
	}
	l, err := c.Opportunities(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range l.Opportunities {
		if o.Change == "--like-median 1" {
			t.Errorf("%+v", o)
		}
	}
}

// TestOtherRole: a rank that has more to do in a region that the others never enter is
// no slow one, as one is that takes longer for what all do.
func TestOtherRole(t *testing.T) {
	for _, x := range []struct {
		regions []string
		listed  bool
	}{
		{[]string{"produce", "consume"}, false},
		{[]string{"solve", "solve"}, true},
	} {
		tr := programs(2, func(r int, b *trace.Builder) {
			for range 10 {
				compute(b, x.regions[r], []float64{0.04, 0.02}[r])
				b.Add(&trace.Action{Kind: trace.Barrier})
			}
		})
		c, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Network: whatif.SharedMemory()})
		if err != nil {
			t.Fatal(err)
		}
		l, err := c.Opportunities(t.Context())
		if err != nil || slices.ContainsFunc(l.Opportunities, func(o whatif.Opportunity) bool { return o.Change == "--like-median 0" }) != x.listed {
			t.Errorf("%v: %+v, %v", x.regions, l, err)
		}
	}
}
