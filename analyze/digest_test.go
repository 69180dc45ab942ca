package analyze

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"auspex/fuzzy"
	"auspex/model"
	"auspex/store"
)

// failer is a test, or a drawn case of one.
type failer interface {
	Helper()
	Fatal(args ...any)
}

// firstAnswers are the first questions' answers, as text.
func firstAnswers(t failer, d *Dataset) string {
	t.Helper()
	by, note, err := d.By("")
	if err != nil {
		t.Fatal(err)
	}
	words := ShippedWords()
	summary, err := Summarise(by, 20)
	if err != nil {
		t.Fatal(err)
	}
	summary.ID, summary.Created, summary.Name = "", "", ""
	rules, err := ApplyRules(by, words, ShippedRules(), nil, fuzzy.Centroid)
	if err != nil {
		t.Fatal(err)
	}
	rules.Experiment = ""
	classes, err := Classify(by, words, TimeShare, nil, nil, AcrossMean)
	if err != nil {
		t.Fatal(err)
	}
	classes.Experiment = ""
	tree, name, err := Tree(d, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	heaviest, err := by.Heaviest()
	if err != nil {
		t.Fatal(err)
	}
	spread, err := by.RegionSpread(name + ".inc")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal([]any{
		note, summary, rules, classes, len(by.Regions), by.SummaryCount, tree, heaviest.Regions, fmt.Sprint(heaviest.cells, spread),
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// drawExperiment is one of any shape: call paths or a flat profile, CPU time or
// not, threads, holes.
func drawExperiment(t *rapid.T) *model.Experiment {
	e := &model.Experiment{Header: model.Header{Name: "drawn", Runs: 1}}
	threads := rapid.IntRange(1, 3).Draw(t, "threads")
	units := threads * rapid.IntRange(1, 6).Draw(t, "processes")
	for u := range units {
		e.Units = append(e.Units, model.Unit{Process: u / threads, Thread: u % threads})
	}
	names := []string{"main", "solve", "MPI_Allreduce", "read", "kernel", "exchange"}
	regions := rapid.IntRange(1, 40).Draw(t, "regions")
	siblings := map[string]bool{}
	for range regions {
		r := model.Region{Name: rapid.SampledFrom(names).Draw(t, "name"), Kind: model.Function, Parent: rapid.IntRange(-1, len(e.Regions)-1).Draw(t, "parent")}
		if r.Name == "MPI_Allreduce" {
			r.Kind = model.MPI
		}
		if key := fmt.Sprint(r.Parent, r.Name); !siblings[key] {
			siblings[key] = true
			e.Regions = append(e.Regions, r)
		}
	}
	scope := rapid.SampledFrom([]model.Scope{model.Exclusive, model.Inclusive}).Draw(t, "scope")
	e.Metrics = append(e.Metrics, model.NewMetric(model.WallTime, "", scope))
	for _, name := range []string{model.CPUTime, model.Calls, model.IOTime} {
		if rapid.Bool().Draw(t, name) {
			e.Metrics = append(e.Metrics, model.NewMetric(name, "", model.Exclusive))
		}
	}
	s := &e.Summaries
	s.Values = make([][]float64, len(e.Metrics))
	holes := rapid.Bool().Draw(t, "holes")
	for u := range e.Units {
		for r := range e.Regions {
			if holes && rapid.IntRange(0, 4).Draw(t, "hole") == 0 {
				continue
			}
			s.Unit, s.Region = append(s.Unit, int32(u)), append(s.Region, int32(r))
			for m := range s.Values {
				v := rapid.Float64Range(0, 10).Draw(t, "value")
				if rapid.IntRange(0, 20).Draw(t, "unknown") == 0 {
					v = math.NaN()
				}
				s.Values[m] = append(s.Values[m], v)
			}
		}
	}
	return e
}

// Every answer is the same with a digest as without, to the last digit.
func TestADigestSaysWhatTheValuesSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawExperiment(t)
		data := digestOf(inMemory(e))
		plain := inMemory(e)
		if data == nil {
			if _, err := plain.Times(); err == nil {
				t.Fatal("no digest of an experiment with times")
			}
			return
		}
		kept := parseDigest(data, len(e.Units))
		if kept == nil {
			t.Fatal("a digest that was just made does not hold")
		}
		quick := newDataset(plain.Header, e.Units, e.Regions, unstored{e}, func() *digest { return kept })
		if a, b := firstAnswers(t, plain), firstAnswers(t, quick); a != b {
			t.Fatalf("without:\n%s\nwith:\n%s", a, b)
		}
		if len(quick.loaded) > 0 {
			t.Fatalf("with a digest %d metrics were read", len(quick.loaded))
		}
	})
}

// A large experiment is answered without its values; where the digest does not
// hold they are read, and their loss is told.
func TestALargeExperimentIsSummarisedWithoutItsValues(t *testing.T) {
	e := &model.Experiment{Header: model.Header{Name: "large", Runs: 1, Metrics: []model.Metric{model.NewMetric(model.WallTime, "", model.Exclusive)}}}
	const units, regions = 512, 512
	for u := range units {
		e.Units = append(e.Units, model.Unit{Process: u})
	}
	s := &e.Summaries
	s.Values = [][]float64{{}}
	for r := range regions {
		e.Regions = append(e.Regions, model.Region{Name: fmt.Sprint("region", r), Kind: model.Function, Parent: (r+1)/2 - 1})
	}
	for u := range units {
		for r := range regions {
			s.Unit, s.Region = append(s.Unit, int32(u)), append(s.Region, int32(r))
			s.Values[0] = append(s.Values[0], float64(1+(u*31+r*17)%23))
		}
	}
	dir := t.TempDir()
	place := store.Open(dir)
	if err := Put(place, e, false); err != nil {
		t.Fatal(err)
	}
	open := func() *Dataset {
		t.Helper()
		stored, err := place.Get("large")
		if err != nil {
			t.Fatal(err)
		}
		d, err := Open(stored)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	want := firstAnswers(t, open())
	values, err := filepath.Glob(filepath.Join(dir, "experiments", "*", "values.parquet"))
	if err != nil || len(values) != 1 {
		t.Fatal(values, err)
	}
	if err := os.Rename(values[0], values[0]+".away"); err != nil {
		t.Fatal(err)
	}
	if got := firstAnswers(t, open()); got != want {
		t.Errorf("%s\nrather than\n%s", got, want)
	}
	other := open()
	other.Sort(Words{Vocabulary: &fuzzy.Vocabulary{Times: []fuzzy.Time{{Pattern: "region3", Is: "waiting"}}}})
	if _, err := other.Times(); err == nil {
		t.Error("other words for regions, and yet the values were not asked for")
	}
}

// A digest holds for the code that made it.
func TestADigestOfOtherCodeDoesNotHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "bytes")
		if parseDigest(data, 1) != nil {
			t.Fatal("bytes without meaning were taken for a digest")
		}
	})
	if len(code()) != 64 {
		t.Fatalf("the code is called %q", code())
	}
}
