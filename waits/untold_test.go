package waits

import (
	"context"
	"strings"
	"testing"

	"auspex/events"
	"auspex/trace"
)

// TestUntold: what the trace does not tell is not called hardly any waiting.
func TestUntold(t *testing.T) {
	r := &Report{Ranks: 2, Seconds: 2, whole: 4, locations: 2}
	r.Leaves(nil, 0)
	if want := "The ranks hardly wait for one another: 0 s of 4 s."; r.Words != want {
		t.Errorf("told %q, want %q", r.Words, want)
	}
	r.Leaves([]Untold{{Call: "MPI_Win_fence", Seconds: 0.9}, {Call: "MPI_Win_free", Seconds: 0.001}}, 0)
	if want := "In what the trace tells, the ranks hardly wait for one another: 0 s of 4 s. 45 % of their time is in `MPI_Win_fence` and the like, of which the trace does not tell who waits for whom."; r.Words != want {
		t.Errorf("told %q, want %q", r.Words, want)
	}
	r.Untold = nil
	r.Leaves([]Untold{{Call: "MPI_Win_fence", Seconds: 0.001}}, 1.5)
	if strings.Contains(r.Words, "MPI_Win_fence") || !strings.Contains(r.Words, "1.5 s longer than the trace explains") || strings.HasPrefix(r.Words, "The ranks hardly") {
		t.Errorf("told %q", r.Words)
	}
}

// TestUntoldInTrace: a trace whose calls were timed tells how long ranks were in a
// fence, and not for whom.
func TestUntoldInTrace(t *testing.T) {
	h := &events.Header{Ranks: 2, Locations: []events.Location{{Rank: 0}, {Rank: 1}}, Paths: []events.Path{{Name: "solve"}, {Name: "solve/MPI_Win_fence"}}}
	a := NewAnalyzer(h)
	for _, s := range []events.Span{
		{Loc: 0, Kind: trace.Compute, Path: 0, Root: -1, End: 1e9}, {Loc: 1, Kind: trace.Compute, Path: 0, Root: -1, End: 2e9},
		{Loc: 0, Kind: events.Other, Path: 1, Root: -1, Begin: 1e9, End: 2e9},
	} {
		a.Span(&s)
	}
	r := a.Report()
	if len(r.Untold) != 1 || r.Untold[0] != (Untold{"MPI_Win_fence", 0.5, 0.25}) || !strings.Contains(r.Words, "25 % of their time is in `MPI_Win_fence`, of which") {
		t.Errorf("%+v: %s", r.Untold, r.Words)
	}
}

// TestUntoldPause: a pause within a call is one in which nobody knows for whom a rank
// waits, whatever the call is named.
func TestUntoldPause(t *testing.T) {
	h := &events.Header{Ranks: 2, Locations: []events.Location{{Rank: 0}, {Rank: 1}}, Paths: []events.Path{{Name: "solve"}, {Name: "a.c:9/MPI_Wait"}, {Name: "a.c:9/MPI_Win_fence"}, {Name: "a.c:9/pause"}}}
	a := NewAnalyzer(h)
	for _, s := range []events.Span{
		{Loc: 0, Kind: trace.Compute, Path: 0, Root: -1, End: 1e9}, {Loc: 1, Kind: trace.Compute, Path: 0, Root: -1, End: 2e9},
		{Loc: 0, Kind: events.Pause, Path: 1, Root: -1, Begin: 1e9, End: 2e9}, {Loc: 1, Kind: events.Pause, Path: 2, Root: -1, Begin: 2e9, End: 3e9},
		{Loc: 0, Kind: events.Pause, Path: 3, Root: -1, Begin: 2e9, End: 4e9},
	} {
		a.Span(&s)
	}
	r := a.Report()
	if len(r.Untold) != 2 || r.Untold[0] != (Untold{"MPI_Wait", 0.5, 0.125}) || r.Untold[1] != (Untold{"MPI_Win_fence", 0.5, 0.125}) {
		t.Errorf("%+v: %s", r.Untold, r.Words)
	}
	if !strings.Contains(r.Words, "25 % of their time is in `MPI_Wait` and `MPI_Win_fence`, of which") {
		t.Error(r.Words)
	}
}

// TestUntoldBarriers: of barriers that some thread never reached, or of which nobody
// is known, only the time is told.
func TestUntoldBarriers(t *testing.T) {
	h := &events.Header{Ranks: 1, Locations: []events.Location{{}, {Thread: 1}}, Paths: []events.Path{{Name: "solve"}, {Name: "solve/OpenMP barrier"}}}
	for _, number := range []int32{0, -1} {
		a := NewAnalyzer(h)
		for _, s := range []events.Span{
			{Loc: 0, Kind: trace.Compute, Root: -1, End: 4e9}, {Loc: 1, Kind: trace.Compute, Root: -1, End: 2e9},
			{Loc: 1, Kind: events.ThreadBarrier, Path: 1, Root: -1, Comm: number, Begin: 2e9, End: 4e9},
		} {
			a.Span(&s)
		}
		if r := a.Report(); len(r.Untold) != 1 || r.Untold[0] != (Untold{"OpenMP barrier", 1, 0.25}) || !strings.HasPrefix(r.Words, "In what the trace tells, the threads hardly") {
			t.Errorf("barrier %d: %+v: %s", number, r.Untold, r.Words)
		}
	}
}

// TestIncomplete: of a trace that lost its end, nobody knows how little ranks wait.
func TestIncomplete(t *testing.T) {
	h := &events.Header{Ranks: 2, Locations: []events.Location{{}, {Rank: 1}}, Paths: []events.Path{{Name: "solve"}}, Incomplete: "half is gone"}
	a := NewAnalyzer(h)
	a.Span(&events.Span{Kind: trace.Compute, Root: -1, End: 1e9})
	if r := a.Report(); r.Words != "In what the trace tells, the ranks hardly wait for one another: 0 s of 2 s." || len(r.Notes) != 1 || r.Notes[0] != "the trace is incomplete: half is gone" {
		t.Errorf("%s %q", r.Words, r.Notes)
	}
}

// nothing is a trace without spans.
type nothing struct{}

func (nothing) Header() *events.Header                               { return &events.Header{Name: "a.prv", Ranks: 2} }
func (nothing) Each(context.Context, func(*events.Span) error) error { return nil }

// TestNoTime: of a trace that holds no time nothing is said of waiting.
func TestNoTime(t *testing.T) {
	if _, err := Analyze(t.Context(), nothing{}); err == nil || err.Error() != "a.prv: the trace holds no time" {
		t.Errorf("got %v", err)
	}
}
