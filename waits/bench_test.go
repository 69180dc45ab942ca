package waits_test

import (
	"math/rand/v2"
	"testing"

	"auspex/simulate/loggp"
	"auspex/trace"
	"auspex/waits"
)

// stencil is a program on a ring of ranks that are out of step: computation that
// varies, an exchange with both neighbours, and a reduction now and then.
func stencil(ranks, steps int) *trace.Trace {
	t := &trace.Trace{Name: "stencil"}
	for r := range ranks {
		random := rand.New(rand.NewPCG(1, uint64(r)))
		b := trace.NewBuilder(r)
		left, right := int32((r+ranks-1)%ranks), int32((r+1)%ranks)
		for k := range steps {
			b.Add(&trace.Action{Kind: trace.Location, File: "step"})
			b.Add(&trace.Action{Kind: trace.Compute, Value: 9e5 + 2e5*random.Float64()})
			for _, peer := range []int32{left, right} {
				b.Add(&trace.Action{Kind: trace.Irecv, Peer: peer, Tag: 1, Count: 2000})
			}
			for _, peer := range []int32{left, right} {
				b.Add(&trace.Action{Kind: trace.Isend, Peer: peer, Tag: 1, Count: 2000})
			}
			b.Add(&trace.Action{Kind: trace.WaitAll})
			if k%10 == 9 {
				b.Add(&trace.Action{Kind: trace.Allreduce, Count: 8})
			}
		}
		t.Programs = append(t.Programs, b.Program())
	}
	return t
}

// BenchmarkAnalyze looks for waits in 256 ranks of a stencil, of which the spans
// are in memory.
func BenchmarkAnalyze(b *testing.B) {
	src := record(b, loggp.NewSource(stencil(256, 200), loggp.Options{Network: loggp.Network{Latency: 1e-6, Bandwidth: 1e9}}))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := waits.Analyze(b.Context(), src); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(src.spans))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}
