package whatif_test

import (
	"math"
	"strings"
	"testing"

	"auspex/trace"
	"auspex/whatif"
)

// TestWorkByTurns: ranks that have more to do by turns lose as much as uneven ones.
// Balancing evens that out, and says what. Where no change of the list ends what ranks
// wait, it is said. Where one does, it is not.
func TestWorkByTurns(t *testing.T) {
	for _, c := range []struct {
		name string
		work func(rank, step int) float64
		want string
	}{
		{"by turns", func(rank, step int) float64 { return []float64{0.025, 0.005}[(rank+step)%2] }, "ranks have more of `A` than the others by turns: balanced is what they have between each two collectives"},
		{"one has more", func(rank, _ int) float64 { return []float64{0.025, 0.005}[rank] }, ""},
		{"even", func(int, int) float64 { return 0.02 }, ""},
		{"no work at all", nil, "wait 50 % of their time for one another, and no change of this list that keeps the work brings half of that"},
	} {
		tr := programs(2, func(rank int, b *trace.Builder) {
			for step := range 20 {
				if c.work != nil {
					compute(b, "A", c.work(rank, step))
				} else {
					b.Add(&trace.Action{Kind: trace.Sleep, Value: 0.01 * float64(rank)})
				}
				b.Add(&trace.Action{Kind: trace.Barrier})
			}
		})
		w, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Network: whatif.SharedMemory()})
		if err != nil {
			t.Fatal(err)
		}
		l, err := w.Opportunities(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(l.Notes, " ")
		if !strings.Contains(notes, c.want) || c.work != nil && strings.Contains(notes, "no change of this list") {
			t.Errorf("%s: %q", c.name, notes)
		}
	}
}

// TestBalancedTogether: where only all work together can be balanced, that is the loss,
// and it is not said that nothing ends what ranks wait. No notes are an empty list.
func TestBalancedTogether(t *testing.T) {
	tr := programs(2, func(rank int, b *trace.Builder) {
		compute(b, "A", []float64{5, 9}[rank])
		if rank == 0 {
			compute(b, "B", 7)
		}
		b.Add(&trace.Action{Kind: trace.Barrier})
	})
	w, err := whatif.New(t.Context(), whatif.Setup{Trace: tr})
	if err != nil {
		t.Fatal(err)
	}
	l, err := w.Opportunities(t.Context())
	if err != nil || l.Notes == nil || len(l.Notes) != 0 || len(l.Shares) != 1 || l.Shares[0].Change != "--balance all" || math.Abs(l.LossSeconds-1.5) > 1e-9 {
		t.Errorf("%+v, %v", l, err)
	}
}
