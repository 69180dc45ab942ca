package pop_test

import (
	"strings"
	"testing"

	"auspex/pop"
	"auspex/simulate/loggp"
	"auspex/trace"
)

// TestPauseIsNoted: a rank that is blocked for a tenth of the run is named, one that
// is for a hundredth is not.
func TestPauseIsNoted(t *testing.T) {
	for pause, noted := range map[float64]bool{0.1: true, 0.01: false} {
		tr := &trace.Trace{Name: "written", Nanoseconds: true}
		for rank := range 2 {
			b := trace.NewBuilder(rank)
			b.Add(&trace.Action{Kind: trace.Compute, Value: 1e9})
			if rank == 1 {
				b.Add(&trace.Action{Kind: trace.Sleep, Value: pause})
			}
			b.Add(&trace.Action{Kind: trace.Barrier})
			tr.Programs = append(tr.Programs, b.Program())
		}
		r, err := pop.Replay(t.Context(), tr, 0, loggp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(r.Notes, "\n"); strings.Contains(notes, "rank 1 was blocked or asleep") != noted {
			t.Errorf("a pause of %g s of %.3g: %q", pause, r.Seconds, notes)
		}
	}
}

// TestNobodyStandsOut: where all ranks sleep alike, none of them is named.
func TestNobodyStandsOut(t *testing.T) {
	tr := &trace.Trace{Name: "written", Nanoseconds: true}
	for rank := range 2 {
		b := trace.NewBuilder(rank)
		b.Add(&trace.Action{Kind: trace.Compute, Value: 1e9})
		b.Add(&trace.Action{Kind: trace.Sleep, Value: 1 + 0.1*float64(rank)})
		b.Add(&trace.Action{Kind: trace.Barrier})
		tr.Programs = append(tr.Programs, b.Program())
	}
	r, err := pop.Replay(t.Context(), tr, 0, loggp.Options{})
	if notes := strings.Join(r.Notes, "\n"); err != nil || !strings.Contains(notes, "the ranks were blocked or asleep for 1.05 s in the mean") {
		t.Errorf("%q, %v", notes, err)
	}
}
