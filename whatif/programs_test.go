package whatif_test

import (
	"math"
	"testing"

	"auspex/trace"
	"auspex/whatif"
)

// TestTwoProgramsInATrace: work of one program is not balanced with another that it
// exchanges nothing with; ranks that meet, or that do not meet anybody, are of one.
func TestTwoProgramsInATrace(t *testing.T) {
	work := []float64{0.1, 0.3, 0.1, 0.1}
	for _, c := range []struct {
		name string
		meet func(b *trace.Builder, rank int)
		want float64
	}{
		{"two programs", func(b *trace.Builder, _ int) { b.Add(&trace.Action{Kind: trace.Barrier, Comm: 1}) }, 0.2},
		{"two programs that meet", func(b *trace.Builder, _ int) {
			b.Add(&trace.Action{Kind: trace.Barrier, Comm: 1})
			b.Add(&trace.Action{Kind: trace.Barrier})
		}, 0.15},
		{"two programs that talk", func(b *trace.Builder, rank int) {
			b.Add(&trace.Action{Kind: trace.Barrier, Comm: 1})
			switch rank {
			case 1:
				b.Add(&trace.Action{Kind: trace.Send, Type: trace.Byte, Peer: 2, Count: 8})
			case 2:
				b.Add(&trace.Action{Kind: trace.Recv, Type: trace.Byte, Peer: 1, Count: 8})
			}
		}, 0.15},
		{"nobody talks", func(*trace.Builder, int) {}, 0.15},
	} {
		tr := programs(4, func(rank int, b *trace.Builder) {
			b.Add(&trace.Action{Kind: trace.CommSplit, Tag: int32(rank / 2), Count: int64(rank % 2)})
			compute(b, "A", work[rank])
			c.meet(b, rank)
		})
		w, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Network: whatif.SharedMemory(), Measured: 0.3, Timed: true})
		if err != nil {
			t.Fatal(err)
		}
		a, err := w.Price(t.Context(), []whatif.Change{{Kind: whatif.Balance, Region: "A"}})
		if err != nil || math.Abs(a.NewSeconds-c.want) > 0.001 {
			t.Errorf("%s: %+v, %v", c.name, a, err)
		}
	}
}
