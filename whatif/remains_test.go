package whatif_test

import (
	"strings"
	"testing"

	"auspex/trace"
	"auspex/whatif"
)

// TestWorkByTurns: ranks that have more to do by turns lose as much as uneven ones, and
// where no change of the list ends that, it is said. Where one does, it is not.
func TestWorkByTurns(t *testing.T) {
	const turns = ": they have as much to do in all, and by turns"
	for _, c := range []struct {
		name string
		work func(rank, step int) float64
		want string
	}{
		{"by turns", func(rank, step int) float64 { return []float64{0.025, 0.005}[(rank+step)%2] }, "wait 40 % of their time for one another, and no change of this list ends that" + turns},
		{"one has more", func(rank, _ int) float64 { return []float64{0.025, 0.005}[rank] }, ""},
		{"even", func(int, int) float64 { return 0.02 }, ""},
		{"no work at all", nil, "wait 50 % of their time for one another, and no change of this list ends that"},
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
		if !strings.Contains(notes, c.want) || c.want == "" && strings.Contains(notes, "no change of this list") {
			t.Errorf("%s: %q", c.name, notes)
		}
	}
}
