package kept

import (
	"strings"
	"testing"

	"auspex/analyze"
	"auspex/model"
	"auspex/store"
	"auspex/trace"
	"auspex/waits"
)

// madeOf is an experiment of one process that was in a call for a second each.
func madeOf(t *testing.T, h model.Header, calls ...string) (*store.Experiment, *analyze.Dataset) {
	t.Helper()
	b := model.NewBuilder()
	wall := b.Metric(model.Metric{Name: model.WallTime, Unit: "s", Scope: model.Exclusive, Missing: model.Zero})
	u := b.Unit(model.Unit{Node: "n"})
	for _, call := range calls {
		b.Add(u, b.Region(model.Region{Name: call, Kind: model.MPI, Parent: model.NoParent}), wall, 1)
	}
	h.Name = "made"
	return stored(t, b, h)
}

// TestUntoldOf: the profile tells how long calls took that are never told, the trace
// that of others as far as it has pauses within them.
func TestUntoldOf(t *testing.T) {
	_, d := madeOf(t, model.Header{}, "MPI_File_open", "MPI_Intercomm_create", "MPI_Wait", "MPI_Recv")
	b := trace.NewBuilder(0)
	for call, seconds := range map[string]float64{"MPI_Wait": 0.5, "MPI_File_open": 0.9} {
		b.Add(&trace.Action{Kind: trace.Location, File: trace.WithinCall("a.c", 3, call)})
		b.Add(&trace.Action{Kind: trace.Sleep, Value: seconds})
	}
	got, err := untoldOf(d, &trace.Trace{Programs: []trace.Program{b.Program()}})
	if err != nil || len(got) != 2 || got[0] != (waits.Untold{Call: "MPI_File_open", Seconds: 1}) || got[1] != (waits.Untold{Call: "MPI_Wait", Seconds: 0.5}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestUntoldOfFile: a trace file tells of such calls by itself.
func TestUntoldOfFile(t *testing.T) {
	tr := &trace.Trace{Nanoseconds: true}
	for rank := range 2 {
		b := trace.NewBuilder(rank)
		b.Add(&trace.Action{Kind: trace.Location, File: trace.WithinCall("a.c", 3, "MPI_Wait")})
		b.Add(&trace.Action{Kind: trace.Sleep, Value: 1})
		tr.Programs = append(tr.Programs, b.Program())
	}
	found, err := (&Run{Program: tr}).Waits(t.Context())
	if err != nil || len(found.Untold) != 1 || found.Untold[0] != (waits.Untold{Call: "MPI_Wait", Seconds: 1, Share: 1}) {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestNoTrace: what is said of an experiment without a trace leads on.
func TestNoTrace(t *testing.T) {
	for _, c := range []struct {
		header model.Header
		want   string
	}{
		{model.Header{Format: "auspex"}, `the experiment "made" kept no trace: run it with auspex run --trace`},
		{model.Header{Format: "auspex", Notes: []string{"a note", model.NoTraceNote + "the trace of rank 0 was not written: it did not come to its end"}}, `the experiment "made" kept no trace: the trace of rank 0 was not written: it did not come to its end`},
		{model.Header{Format: "chrome"}, `the experiment "made" kept no trace: it is the profile that was imported; of a trace, give the file or folder itself`},
	} {
		e, d := madeOf(t, c.header, "MPI_Recv")
		if _, err := Open(t.Context(), e); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
		if Untraced(d) != strings.HasSuffix(c.want, "--trace") {
			t.Errorf("%s: could have a trace: %v", c.want, Untraced(d))
		}
	}
}

// TestNoTraceOfThreads: who makes no calls of MPI is not told to ask for a trace of them.
func TestNoTraceOfThreads(t *testing.T) {
	e, d := madeOf(t, model.Header{Format: "auspex"}, "OpenMP barrier")
	const want = `the experiment "made" kept no trace: the program makes no MPI calls, and those are what a trace is of`
	if _, err := Open(t.Context(), e); err == nil || err.Error() != want || Untraced(d) {
		t.Errorf("%v, %v", err, Untraced(d))
	}
}
