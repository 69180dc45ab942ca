package kept

import (
	"testing"

	"auspex/analyze/diagnose"
	"auspex/trace"
	"auspex/whatif"
)

// TestReplayCauses: a trace replays ranks, so that it judges causes in which ranks
// differ, and not those in which their threads do.
func TestReplayCauses(t *testing.T) {
	tr := &trace.Trace{Name: "made", Nanoseconds: true}
	for rank, seconds := range []float64{1, 3} {
		p := trace.NewBuilder(rank)
		p.Add(&trace.Action{Kind: trace.Location, File: "solve"})
		p.Add(&trace.Action{Kind: trace.Compute, Value: seconds * 1e9})
		p.Add(&trace.Action{Kind: trace.Barrier})
		tr.Programs = append(tr.Programs, p.Program())
	}
	c, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Network: whatif.SharedMemory()})
	if err != nil {
		t.Fatal(err)
	}
	for level, judged := range map[diagnose.Level]bool{diagnose.Processes: true, diagnose.Threads: false} {
		found := &diagnose.Diagnosis{Level: level, Causes: []diagnose.Cause{{Region: "prog/solve"}}}
		ReplayCauses(t.Context(), c, found)
		if (found.Causes[0].Replayed != nil) != judged {
			t.Errorf("%s: replayed %v", level, found.Causes[0].Replayed)
		}
	}
}
