package truth

import (
	"context"
	"flag"
	"testing"

	"auspex/analyze"
	"auspex/analyze/diagnose"
	"auspex/model"
	"auspex/store"
)

var (
	from = flag.Uint64("from", 0, "the first seed")
	runs = flag.Int("runs", 300, "how many profiles")
	tell = flag.Bool("misses", false, "say what was missed")
)

// Diagnoses of generated profiles hold the bars. `scripts/truth` runs it over
// many more seeds, and over the half that nothing was tuned on.
func TestPlantedCauses(t *testing.T) { hold(t, Generate, *runs) }

// So do those of runs that are stepped through.
func TestSteppedCauses(t *testing.T) { hold(t, Stepped, *runs/3) }

func hold(t *testing.T, generate func(uint64) Profile, runs int) {
	s := store.Open(t.TempDir())
	var tally Tally
	for i := range uint64(runs) {
		p := generate(*from + i)
		tally.Add(p, diagnosed(t, s, p.Experiment))
	}
	t.Log(&tally)
	for pattern, n := range tally.ByPattern {
		t.Logf("%s: %d of %d", pattern, n[1], n[0])
	}
	if *tell {
		for _, m := range tally.Misses {
			t.Log(m)
		}
	}
	if tally.RegionShare() < 0.95 || tally.CauseShare() < 0.95 || tally.HeadlineShare() < 0.95 || tally.AlarmShare() > 0.02 || tally.SaidSoShare() < 0.95 {
		t.Error("below the bars")
	}
}

// diagnosed is the diagnosis of an experiment that is kept for it alone.
func diagnosed(t *testing.T, s *store.Store, x *model.Experiment) *diagnose.Diagnosis {
	t.Helper()
	if err := s.Put(x, false); err != nil {
		t.Fatal(err)
	}
	e, err := s.Get(x.Name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := analyze.Open(e)
	if err != nil {
		t.Fatal(err)
	}
	found, err := diagnose.Run(context.Background(), d, analyze.ShippedWords(), diagnose.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(x.Name); err != nil {
		t.Fatal(err)
	}
	return found
}
