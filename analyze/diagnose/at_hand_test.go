package diagnose_test

import (
	"context"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"auspex/analyze"
	"auspex/analyze/diagnose"
	"auspex/internal/sample"
	"auspex/model"
)

// What a run says of an experiment that it has at hand is what diagnose says of it when
// it has been stored.
func TestAtHandAsStored(t *testing.T) {
	same := func(t testing.TB, e *model.Experiment) {
		t.Helper()
		stored, err := analyze.Open(sample.Stored(t, e))
		if err != nil {
			t.Fatal(err)
		}
		atHand, ok := analyze.InMemory(e)
		if !ok {
			t.Fatal("it is small, and of one run")
		}
		if a, b := said(t, atHand), said(t, stored); a != b {
			t.Errorf("at hand:\n%s\nstored:\n%s", a, b)
		}
	}
	for _, scope := range []model.Scope{model.Exclusive, model.Inclusive} {
		rapid.Check(t, func(r *rapid.T) { same(t, sample.Random(r, scope)) })
	}
}

func said(t testing.TB, d *analyze.Dataset) string {
	t.Helper()
	found, err := diagnose.Run(context.Background(), d, analyze.ShippedWords(), diagnose.Options{})
	if err != nil {
		return err.Error()
	}
	text, err := json.Marshal(found)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The spread over several runs is in the store alone, and so is the digest of a large one.
func TestNotAtHand(t *testing.T) {
	e := sample.Scored(t, 1)
	if _, ok := analyze.InMemory(e); !ok {
		t.Error("one run is not taken from memory")
	}
	e.Summaries.Deviation = make([][]float64, len(e.Metrics))
	if _, ok := analyze.InMemory(e); ok {
		t.Error("several runs are taken from memory")
	}
	large := &model.Experiment{Units: make([]model.Unit, 1<<10), Regions: make([]model.Region, 1<<8)}
	if _, ok := analyze.InMemory(large); ok {
		t.Error("a large experiment is taken from memory")
	}
}
