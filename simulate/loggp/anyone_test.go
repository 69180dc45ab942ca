package loggp_test

import (
	"math"
	"testing"

	"auspex/simulate/loggp"
	"auspex/trace"
)

// TestFromAnyone: who receives from anyone gets what was sent first, whichever rank
// sent it. Rank 0 takes the message of 1 s, computes for 1 s, and takes that of 2 s.
func TestFromAnyone(t *testing.T) {
	for _, first := range []int{1, 2} {
		tr := &trace.Trace{Name: "anyone"}
		b := trace.NewBuilder(0)
		any := trace.Action{Kind: trace.Recv, Peer: trace.AnySource, Tag: trace.AnyTag, Count: 10}
		b.Add(&any)
		b.Add(&trace.Action{Kind: trace.Compute, Value: 1e9})
		b.Add(&any)
		tr.Programs = append(tr.Programs, b.Program())
		for rank := 1; rank <= 2; rank++ {
			b := trace.NewBuilder(rank)
			work := 2e9
			if rank == first {
				work = 1e9
			}
			b.Add(&trace.Action{Kind: trace.Compute, Value: work})
			b.Add(&trace.Action{Kind: trace.Send, Peer: 0, Count: 10})
			tr.Programs = append(tr.Programs, b.Program())
		}
		r, err := loggp.Run(t.Context(), tr, loggp.Options{Network: loggp.Ideal()})
		if err != nil || math.Abs(r.Seconds-2) > 1e-9 {
			t.Errorf("first comes rank %d: %v, %v", first, r, err)
		}
	}
}
