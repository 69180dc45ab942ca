package whatif_test

import (
	"strings"
	"testing"

	"auspex/trace"
	"auspex/whatif"
)

// TestHandsOut: where a rank hands out work, a replay tells nothing of balancing; one
// that answers all others by turns hands out nothing.
func TestHandsOut(t *testing.T) {
	for _, c := range []struct {
		name  string
		from  func(worker int32) int32
		order []int32
		want  bool
	}{
		{"whoever is done", func(w int32) int32 { return w }, []int32{1, 2, 1, 1, 2, 1, 1, 2, 1, 1}, true},
		{"whoever is done, received from any", func(int32) int32 { return trace.AnySource }, []int32{1, 2, 1, 1, 2, 1, 1, 2, 1, 1}, true},
		{"by turns", func(w int32) int32 { return w }, []int32{1, 2, 1, 2, 1, 2, 1, 2, 1, 2}, false},
		{"one worker, and messages to itself", func(w int32) int32 { return w }, []int32{1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1}, false},
		{"one worker", func(w int32) int32 { return w }, []int32{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, false},
	} {
		tr := programs(3, func(r int, b *trace.Builder) {
			for _, w := range c.order {
				if r == 0 && w == 0 {
					b.Add(&trace.Action{Kind: trace.Isend, Type: trace.Byte, Peer: 0, Tag: 1, Count: 4})
					b.Add(&trace.Action{Kind: trace.Recv, Type: trace.Byte, Peer: 0, Tag: 1, Count: 4})
				} else if r == 0 {
					b.Add(&trace.Action{Kind: trace.Recv, Type: trace.Byte, Peer: c.from(w), Tag: 1, Count: 4})
					b.Add(&trace.Action{Kind: trace.Send, Type: trace.Byte, Peer: w, Count: 4})
				} else if r == int(w) {
					compute(b, "task", 0.1*float64(r))
					b.Add(&trace.Action{Kind: trace.Send, Type: trace.Byte, Peer: 0, Tag: 1, Count: 4})
					b.Add(&trace.Action{Kind: trace.Recv, Type: trace.Byte, Peer: 0, Count: 4})
				}
			}
		})
		w, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Network: whatif.SharedMemory()})
		if err != nil {
			t.Fatal(c.name, err)
		}
		l, err := w.Opportunities(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Contains(strings.Join(l.Notes, ""), "rank 0 answers the others in the order in which they come")
		for _, o := range l.Opportunities {
			if c.want && strings.HasPrefix(o.Change, "--balance") {
				t.Errorf("%s: %s gains %g", c.name, o.Change, o.Gain)
			}
		}
		if w.HandsOut() != c.want || said != c.want {
			t.Errorf("%s: hands out %v, %q", c.name, w.HandsOut(), l.Notes)
		}
	}
}

// TestNeighboursHandOutNothing: borders are exchanged with several neighbours, in whatever
// order.
func TestNeighboursHandOutNothing(t *testing.T) {
	const ranks = 4
	tr := programs(ranks, func(r int, b *trace.Builder) {
		beside, across := int32(r^1), int32(r^2)
		for _, p := range []int32{beside, beside, beside, across, across, beside, beside, beside, across, across, beside, beside, beside, across, across} {
			b.Add(&trace.Action{Kind: trace.Isend, Type: trace.Byte, Peer: p, Count: 4})
			b.Add(&trace.Action{Kind: trace.Recv, Type: trace.Byte, Peer: p, Count: 4})
			compute(b, "inside", 0.1*float64(1+r%2))
		}
	})
	w, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Network: whatif.SharedMemory()})
	if err != nil {
		t.Fatal(err)
	}
	if w.HandsOut() {
		t.Error("neighbours are taken for one who hands out work")
	}
}
