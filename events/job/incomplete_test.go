package job_test

import (
	"math"
	"strings"
	"testing"

	"auspex/events/job"
	"auspex/pop"
	"auspex/waits"
)

// TestShort: where one rank's trace ends early, the others' collectives after that
// are neither computation nor counted.
func TestShort(t *testing.T) {
	a, b := newRank(0, 0), newRank(1, 0)
	for _, r := range []*rank{a, b} {
		r.during("load", 0, 100)
		r.reduce("g", 1, 100, 150)
	}
	a.during("load", 150, 250)
	a.reduce("g", 2, 250, 1000)
	src, err := job.New("job", []*job.Lane{job.LaneOf(a.t), job.LaneOf(b.t)})
	if err != nil {
		t.Fatal(err)
	}
	run, err := pop.Measure(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(run.Seconds-150e-6) > 1e-9 || math.Abs(run.Useful[0]-100e-6) > 1e-9 {
		t.Errorf("%g s, of which rank 0 computes %g", run.Seconds, run.Useful[0])
	}
	if notes := strings.Join(src.Header().Notes, "\n"); !strings.Contains(notes, "the trace of rank 1 ends before the others") {
		t.Errorf("noted %q", notes)
	}
}

// TestSome: of some of a job's ranks nobody knows what they wait for the others,
// and those that are here keep their numbers.
func TestSome(t *testing.T) {
	a, b := newRank(2, 0), newRank(5, 0)
	a.t.World, b.t.World = 8, 8
	a.during("load", 0, 100)
	a.reduce("g", 1, 100, 500)
	b.during("load", 0, 400)
	b.reduce("g", 1, 400, 500)
	src, err := job.New("job", []*job.Lane{job.LaneOf(a.t), job.LaneOf(b.t)})
	if err != nil {
		t.Fatal(err)
	}
	run, err := pop.Measure(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	f := pop.Of(run)
	if f.Serialization != nil || f.Transfer != nil || !strings.Contains(strings.Join(src.Header().Notes, "\n"), "the job has 8 ranks, and the traces of 2 are here") {
		t.Errorf("serialization %v, transfer %v, noted %q", f.Serialization, f.Transfer, f.Notes)
	}
	r, err := waits.Analyze(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(r.Words, "The ranks that are here wait") || !strings.Contains(r.Words, "for `load` on rank 5") {
		t.Error(r.Words)
	}
}
