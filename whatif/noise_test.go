package whatif_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"auspex/trace"
	"auspex/whatif"
)

// TestNoise: only stretches that differ by chance are evened out, not those of ranks
// or steps that have more to do.
func TestNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		name  string
		noise bool
		work  func(rank, step int) float64
	}{
		{"now and then a rank is late", true, func(int, int) float64 {
			if rng.IntN(10) == 0 {
				return 0.02
			}
			return 0.01
		}},
		{"all are a little early or late", true, func(int, int) float64 { return 0.01 + 0.001*rng.Float64() }},
		{"a rank has more to do", false, func(rank, _ int) float64 { return 0.01 * float64(1+rank) }},
		{"ranks have more to do by turns", false, func(rank, step int) float64 { return 0.01 * (1 + 0.3*float64((rank+step)%2)) }},
		{"one of four steps", false, func(rank, step int) float64 {
			if step%4 == rank {
				return 0.02
			}
			return 0.01
		}},
		{"first one rank, then the other", false, func(rank, step int) float64 {
			if step < 20 == (rank == 0) {
				return 0.014
			}
			return 0.01
		}},
		{"different amounts of work", false, func(rank, step int) float64 { return 0.01 * rng.Float64() }},
	} {
		tr := programs(2, func(r int, b *trace.Builder) {
			for step := range 40 {
				compute(b, "main", c.work(r, step))
				b.Add(&trace.Action{Kind: trace.Barrier})
			}
		})
		gain(t, c.name, tr, c.noise)
	}
	// One region, other places: rank 1 computes before it receives, rank 0 before the
	// collective.
	gain(t, "places of one region", programs(2, func(r int, b *trace.Builder) {
		for range 20 {
			compute(b, "main", 0.02*float64(r))
			if r == 0 {
				b.Add(&trace.Action{Kind: trace.Send, Type: trace.Byte, Peer: 1, Count: 1 << 20})
			} else {
				b.Add(&trace.Action{Kind: trace.Recv, Type: trace.Byte, Peer: 0, Count: 1 << 20})
			}
		}
		for range 20 {
			compute(b, "main", 0.02*float64(1-r))
			b.Add(&trace.Action{Kind: trace.Allreduce, Count: 1})
		}
	}), false)
}

func gain(t *testing.T, name string, tr *trace.Trace, some bool) {
	t.Helper()
	c, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Network: whatif.SharedMemory()})
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Price(t.Context(), []whatif.Change{{Kind: whatif.NoNoise}})
	if err != nil {
		t.Fatal(err)
	}
	if some != (a.Gain > 0.005) || !some && math.Abs(a.Gain) > 1e-9 {
		t.Errorf("%s: without noise %.2f %% less", name, 100*a.Gain)
	}
}
