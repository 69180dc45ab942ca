package whatif_test

import (
	"math"
	"strings"
	"testing"

	"auspex/trace"
	"auspex/whatif"
)

// TestFastNetwork: where the times of calls were measured, the network is as fast or
// as slow as they say. An ideal one leaves the computation of the busiest rank, and
// no change promises less than a rank computes.
func TestFastNetwork(t *testing.T) {
	const steps, longest = 6, 0.03
	for _, c := range []struct {
		name  string
		bytes int64
		each  float64 // seconds of a collective
		noted string
	}{
		{"hundreds of gigabytes a second", 200e6, 0.0005, "GB/s"},
		{"a little faster than one machine", 4e6, 0.0005, ""},
		{"a little slower", 1000, 0.0001, ""},
		{"no sizes", 0, 0.0001, ""},
	} {
		meeting := programs(3, func(rank int, b *trace.Builder) {
			for range steps {
				compute(b, "A", []float64{0.01, 0.01, longest}[rank])
				b.Add(&trace.Action{Kind: trace.Allreduce, Type: trace.Byte, Count: c.bytes})
			}
		})
		w, err := whatif.New(t.Context(), whatif.Setup{Trace: meeting, Network: whatif.SharedMemory(), Measured: steps * (longest + c.each), Timed: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []struct {
			change whatif.Change
			want   float64
		}{
			{whatif.Change{Kind: whatif.Ideal}, steps * longest},
			{whatif.Change{Kind: whatif.LikeMedian, Rank: 2}, steps * (0.01 + c.each)},
		} {
			a, err := w.Price(t.Context(), []whatif.Change{p.change})
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(a.NewSeconds-p.want) > 0.001*p.want {
				t.Errorf("%s, %s: %v s, not %v", c.name, p.change, a.NewSeconds, p.want)
			}
			if notes := strings.Join(a.Notes, " "); strings.Contains(notes, "as fast as that") != (c.noted != "") || !strings.Contains(notes, c.noted) {
				t.Errorf("%s: noted %q", c.name, notes)
			}
		}
	}
}

// TestNoLessThanWork: where the replay of a run takes longer than the run did, no
// change promises less than a rank computes.
func TestNoLessThanWork(t *testing.T) {
	meeting := programs(2, func(rank int, b *trace.Builder) {
		for range 10 {
			compute(b, "A", []float64{0.1, 0.01}[rank])
			b.Add(&trace.Action{Kind: trace.Allreduce, Type: trace.Byte, Count: 1e9})
		}
	})
	w, err := whatif.New(t.Context(), whatif.Setup{Trace: meeting, Network: whatif.SharedMemory(), Measured: 1.1})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := w.Price(t.Context(), []whatif.Change{{Kind: whatif.Ideal}}); err != nil || a.NewSeconds < 1-1e-9 {
		t.Errorf("%+v, %v", a, err)
	}
}
