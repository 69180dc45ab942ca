package store

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"auspex/replay"
)

// earlier makes of a store what auspex before 2026-11-16 would have written.
func earlier(t *testing.T, s *Store) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range []Kind{Experiments, Predictions, Simulations} {
		k := s.shelf(kind)
		names, err := k.list()
		must(err)
		for _, name := range names {
			f, err := k.find(name)
			must(err)
			switch kind {
			case Experiments:
				header := filepath.Join(f.dir, headerFile)
				data, err := os.ReadFile(header)
				must(err)
				data = regexp.MustCompile(`\s*"version": 1,`).ReplaceAll(data, nil)
				must(os.WriteFile(header, data, 0o666))
				must(os.WriteFile(k.place(name), []byte(f.id+"\n"), 0o666))
			case Predictions:
				must(os.Rename(filepath.Join(f.dir, predictionFile), k.before(escapeName(name))))
				must(errors.Join(os.RemoveAll(f.dir), os.Remove(k.place(name))))
			case Simulations:
				must(os.Rename(f.dir, k.before(escapeName(name))))
				must(os.Remove(k.place(name)))
			}
		}
	}
	names, err := s.Vocabularies()
	must(err)
	for _, name := range names {
		data, err := s.Vocabulary(name)
		must(err)
		must(os.WriteFile(s.VocabularyFile(name), data, 0o666))
	}
	must(os.RemoveAll(s.claimsDir()))
}

func TestEarlierStoresAreReadReplacedAndRemoved(t *testing.T) {
	s := Open(t.TempDir())
	everything(t, s)
	earlier(t, s)
	if removed, err := s.Collect(); err != nil || len(removed) > 0 {
		t.Errorf("collected %q, %v", removed, err)
	}
	e, err := s.Get("e")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Load(); err != nil {
		t.Error(err)
	}
	if p, err := s.Prediction("p"); err != nil || !strings.Contains(string(p.Body), "12.5") {
		t.Errorf("%v, %v", p, err)
	}
	if r, err := s.Simulation("s"); err != nil || r.SimulatedSeconds != 3.25 {
		t.Errorf("%v, %v", r, err)
	}
	if spans, err := s.Timeline("s"); err != nil || len(spans.Rank) != 2 {
		t.Errorf("%v, %v", spans, err)
	}
	if v, err := s.Vocabulary("v"); err != nil || !strings.Contains(string(v), "0.25") {
		t.Errorf("%s, %v", v, err)
	}
	for kind, name := range map[Kind]string{Experiments: "e", Predictions: "p", Simulations: "s", Vocabularies: "v"} {
		if names, err := s.shelf(kind).list(); err != nil || !slices.Equal(names, []string{name}) {
			t.Errorf("there are %q, %v", names, err)
		}
	}
	// Replaced, the old ones are gone and do not come back.
	if err := s.PutPrediction(&Prediction{Name: "p", Body: json.RawMessage("1")}, false); !errors.Is(err, ErrExists) {
		t.Error(err)
	}
	if err := errors.Join(
		s.PutPrediction(&Prediction{Name: "p", Body: json.RawMessage("1")}, true),
		s.PutSimulation(&replay.Record{Name: "s", SimulatedSeconds: 4}, true)); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Simulation("s"); err != nil || r.SimulatedSeconds != 4 {
		t.Errorf("%v, %v", r, err)
	}
	if err := errors.Join(s.RemovePrediction("p"), s.RemoveSimulation("s"), s.Remove("e"), s.RemoveVocabulary("v")); err != nil {
		t.Fatal(err)
	}
	for _, kind := range kinds {
		if names, err := s.shelf(kind).list(); err != nil || len(names) > 0 {
			t.Errorf("there are %q, %v", names, err)
		}
	}
}

// An earlier auspex that was killed while it replaced a simulation left a
// folder without its head: it blocks no name, is not listed, and is collected.
func TestStumpsOfEarlierSimulations(t *testing.T) {
	s := Open(t.TempDir())
	everything(t, s)
	earlier(t, s)
	stump := s.shelf(Simulations).before("s")
	if err := os.Remove(filepath.Join(stump, simulationFile)); err != nil {
		t.Fatal(err)
	}
	if names, err := s.Simulations(); err != nil || len(names) > 0 {
		t.Errorf("there are %q, %v", names, err)
	}
	if _, err := s.Simulation("s"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if removed, err := s.Collect(); err != nil || !slices.Equal(removed, []string{stump}) {
		t.Errorf("collected %q, %v", removed, err)
	}
	if err := s.PutSimulation(&replay.Record{Name: "s"}, false); err != nil {
		t.Error(err)
	}
}
