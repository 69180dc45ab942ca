package waits_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"auspex/simulate/loggp"
	"auspex/trace"
	"auspex/waits"
)

// program draws a program of some ranks that ends: steps in which all do the
// same kind of thing, with computation of their own before it.
func program(t *rapid.T, ranks, steps int) *trace.Trace {
	builders := make([]*trace.Builder, ranks)
	for r := range builders {
		builders[r] = trace.NewBuilder(r)
	}
	all := func(f func(r int, b *trace.Builder)) {
		for r, b := range builders {
			f(r, b)
		}
	}
	regions := []string{"A", "B", "C"}
	for range steps {
		all(func(r int, b *trace.Builder) {
			b.Add(&trace.Action{Kind: trace.Location, File: rapid.SampledFrom(regions).Draw(t, "region")})
			b.Add(&trace.Action{Kind: trace.Compute, Value: float64(rapid.IntRange(0, 5000).Draw(t, "work"))})
		})
		root := int32(rapid.IntRange(0, ranks-1).Draw(t, "root"))
		shift := rapid.IntRange(1, max(ranks-1, 1)).Draw(t, "shift")
		switch rapid.IntRange(0, 5).Draw(t, "step") {
		case 0:
			all(func(_ int, b *trace.Builder) { b.Add(&trace.Action{Kind: trace.Allreduce, Count: 8}) })
		case 1:
			all(func(_ int, b *trace.Builder) { b.Add(&trace.Action{Kind: trace.Bcast, Peer: root, Count: 8}) })
		case 2:
			all(func(_ int, b *trace.Builder) { b.Add(&trace.Action{Kind: trace.Reduce, Peer: root, Count: 8}) })
		case 3:
			all(func(r int, b *trace.Builder) {
				b.Add(&trace.Action{Kind: trace.SendRecv, Peer: int32((r + shift) % ranks), Peer2: int32((r - shift + ranks) % ranks), Count: 100, Count2: 100})
			})
		case 4:
			all(func(r int, b *trace.Builder) {
				b.Add(&trace.Action{Kind: trace.Irecv, Peer: int32((r - shift + ranks) % ranks), Tag: 3, Count: 100})
				b.Add(&trace.Action{Kind: trace.Isend, Peer: int32((r + shift) % ranks), Tag: 3, Count: 100})
				b.Add(&trace.Action{Kind: trace.Compute, Value: float64(rapid.IntRange(0, 5000).Draw(t, "overlap"))})
				b.Add(&trace.Action{Kind: trace.WaitAll})
			})
		case 5: // a chain from rank to rank
			all(func(r int, b *trace.Builder) {
				if r > 0 {
					b.Add(&trace.Action{Kind: trace.Recv, Peer: int32(r - 1), Tag: 1, Count: 10})
				}
				if r < ranks-1 {
					b.Add(&trace.Action{Kind: trace.Send, Peer: int32(r + 1), Tag: 1, Count: 10})
				}
			})
		}
	}
	tr := &trace.Trace{Name: "drawn"}
	for _, b := range builders {
		tr.Programs = append(tr.Programs, b.Program())
	}
	return tr
}

// TestCausesAddUp holds the definitions on drawn traces: the causes of every
// wait add up to it, no rank waits longer than it runs, and the critical path is
// as long as the run, whatever the network.
func TestCausesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := program(t, rapid.IntRange(1, 6).Draw(t, "ranks"), rapid.IntRange(1, 12).Draw(t, "steps"))
		net := rapid.SampledFrom([]loggp.Network{loggp.Ideal(), {Latency: 1e-6, Bandwidth: 1e9}, {Latency: 1e-6, Bandwidth: 1e8, EagerBelow: 50}}).Draw(t, "network")
		r, err := waits.Analyze(t.Context(), loggp.NewSource(tr, loggp.Options{Network: net}))
		if err != nil {
			t.Fatal(err)
		}
		balanced(t, r)
		if len(r.Notes) > 0 {
			t.Errorf("notes: %v", r.Notes)
		}
		byRank := make([]float64, r.Ranks)
		for _, row := range r.Rows {
			for rank, s := range row.Ranks {
				byRank[rank] += s
			}
		}
		for rank, s := range byRank {
			if s > r.Seconds+1e-9 {
				t.Errorf("rank %d waits %g s in a run of %g s", rank, s, r.Seconds)
			}
		}
		path := 0.0
		for _, o := range r.CriticalPath {
			path += o.Seconds
		}
		if math.Abs(path-r.Seconds) > 1e-8+1e-6*r.Seconds {
			t.Errorf("the critical path is %g s long, the run %g s", path, r.Seconds)
		}
	})
}
