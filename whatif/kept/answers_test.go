package kept

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"auspex/analyze"
	"auspex/analyze/diagnose"
	"auspex/model"
	"auspex/store"
	"auspex/trace"
)

// uneven is an experiment of two ranks that kept its trace, and its folder.
func uneven(t *testing.T) (*store.Experiment, string) {
	t.Helper()
	b := model.NewBuilder()
	program := b.Region(model.Region{Name: "prog", Parent: model.NoParent})
	solve := b.Region(model.Region{Name: "solve", Parent: program})
	wall := b.Metric(model.Metric{Name: model.WallTime, Unit: "s", Scope: model.Exclusive, Missing: model.Zero})
	tr := &trace.Trace{Nanoseconds: true}
	for rank, seconds := range []float64{1, 3} {
		b.Add(b.Unit(model.Unit{Node: "n", Process: rank}), solve, wall, seconds)
		p := trace.NewBuilder(rank)
		p.Add(&trace.Action{Kind: trace.Location, File: "solve"})
		p.Add(&trace.Action{Kind: trace.Compute, Value: seconds * 1e9})
		p.Add(&trace.Action{Kind: trace.Barrier})
		tr.Programs = append(tr.Programs, p.Program())
	}
	x, err := b.Build(model.Header{Name: "made"})
	if err != nil {
		t.Fatal(err)
	}
	var data bytes.Buffer
	if err := trace.Write(&data, tr); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := store.Open(dir)
	if err := s.Put(x, false, store.Attachment{Name: TraceName, Data: data.Bytes()}); err != nil {
		t.Fatal(err)
	}
	e, err := analyze.Find(s, "made")
	if err != nil {
		t.Fatal(err)
	}
	return e, filepath.Join(dir, "experiments", e.ID)
}

// all is what there is to ask of an experiment's trace.
func all(t *testing.T, a *Answers) map[string]any {
	t.Helper()
	out := map[string]any{}
	tell := func(what string, answer any, err error) {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		out[what] = answer
	}
	ctx := t.Context()
	report, err := a.Waits(ctx)
	if err != nil {
		t.Fatal(err)
	}
	tell("waits", text(t, report.Keep()), nil)
	factors, err := a.Factors(ctx)
	factors.Notes = append([]string{}, factors.Notes...)
	tell("factors", factors, err)
	parts, notes, err := a.Communication(ctx)
	tell("communication", parts, err)
	tell("notes", len(notes), nil)
	list, err := a.Opportunities(ctx)
	if err != nil {
		t.Fatal(err)
	}
	tell("opportunities", text(t, list), nil)
	found := &diagnose.Diagnosis{Level: diagnose.Processes, Ledgered: 2, Runtime: 3, Causes: []diagnose.Cause{{Region: "prog/solve"}, {Region: "prog/none"}}}
	tell("diagnosis", found, a.Judge(ctx, found))
	if found.Causes[0].Replayed == nil || found.Causes[1].Replayed != nil {
		t.Errorf("causes %+v", found.Causes)
	}
	return out
}

// text is what is told of an answer.
func text(t *testing.T, answer any) string {
	t.Helper()
	data, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestAnswersAreKept: what was asked once is told again, without the trace, as it was;
// what is damaged is worked out again.
func TestAnswersAreKept(t *testing.T) {
	if store.Build() == "" {
		t.Skip("this program does not tell which build it is")
	}
	e, dir := uneven(t)
	first := all(t, AnswersOf(e))
	again := AnswersOf(e)
	if got := all(t, again); !reflect.DeepEqual(got, first) {
		t.Errorf("%+v, not %+v", got, first)
	}
	if again.run != nil {
		t.Error("the trace was opened again")
	}
	derived, err := filepath.Glob(filepath.Join(dir, "*.derived"))
	if err != nil || len(derived) != 5 {
		t.Fatalf("%q, %v", derived, err)
	}
	for _, file := range derived {
		if err := os.Truncate(file, 30); err != nil {
			t.Fatal(err)
		}
	}
	anew := AnswersOf(e)
	if got := all(t, anew); !reflect.DeepEqual(got, first) || anew.run == nil {
		t.Errorf("%+v, not %+v", got, first)
	}
}

// TestPrepare: what is shown first is worked out while the trace is open, and only then.
func TestPrepare(t *testing.T) {
	if store.Build() == "" {
		t.Skip("this program does not tell which build it is")
	}
	for _, asked := range []bool{true, false} {
		e, _ := uneven(t)
		a := AnswersOf(e)
		if asked {
			if _, err := a.Waits(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		a.Prepare(t.Context())
		for _, name := range []string{"communication", "factors"} {
			if (e.Derived(name) != nil) != asked {
				t.Errorf("%s: kept %v", name, !asked)
			}
		}
	}
}

// TestAnswersWithoutATrace: nothing is kept of what cannot be told.
func TestAnswersWithoutATrace(t *testing.T) {
	b := model.NewBuilder()
	wall := b.Metric(model.Metric{Name: model.WallTime, Unit: "s", Scope: model.Exclusive, Missing: model.Zero})
	b.Add(b.Unit(model.Unit{Node: "n"}), b.Region(model.Region{Name: "prog", Parent: model.NoParent}), wall, 1)
	e, _ := stored(t, b, model.Header{Name: "made"})
	a := AnswersOf(e)
	if _, err := a.Waits(t.Context()); !errors.Is(err, ErrNoTrace) {
		t.Error(err)
	}
	if err := a.Judge(t.Context(), &diagnose.Diagnosis{}); !errors.Is(err, ErrNoTrace) {
		t.Error(err)
	}
	if r, err := a.Run(t.Context()); !errors.Is(err, ErrNoTrace) || r.Data == nil {
		t.Errorf("%+v, %v", r, err)
	}
	if e.Derived("waits") != nil {
		t.Error("something was kept")
	}
}
