package analyze

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"auspex/fuzzy"
	"auspex/ingest"
	"auspex/model"
)

// example imports one of the profiles of examples/soft.
func example(t testing.TB, name string) *Dataset {
	t.Helper()
	found, err := ingest.Find([]string{filepath.Join("../examples/soft", name)}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	e, err := ingest.Read(context.Background(), found.Sources[0])
	if err != nil {
		t.Fatal(err)
	}
	e.Name = name
	return dataset(t, e)
}

func wordsWith(t testing.TB, file string) Words {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	own, err := fuzzy.ReadVocabulary(file, text)
	if err != nil {
		t.Fatal(err)
	}
	words := ShippedWords()
	words.Vocabulary = words.Merge(own)
	return words
}

func scoreMetrics(t testing.TB, texts ...string) []ScoreMetric {
	t.Helper()
	var metrics []ScoreMetric
	for _, text := range texts {
		m, err := ParseScoreMetric(text)
		if err != nil {
			t.Fatal(err)
		}
		metrics = append(metrics, m)
	}
	return metrics
}

func wantReals(t *testing.T, what string, got []Real, want ...float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
	for i := range want {
		if !(math.Abs(float64(got[i])-want[i]) <= 0.00005) {
			t.Errorf("%s: %.4f, want %.4f", what, got, want)
			return
		}
	}
}

// Soft performance analysis, Table 2: with the sampled sets that its tool drew
// the printed figures, with exact sets S(8) = 2·(8/64)² and S(12) = 2·(12/64)²
// for the processors and so on.
func TestTable2(t *testing.T) {
	var datasets []*Dataset
	for _, name := range []string{"2Nx4P-P4-36", "2Nx4P-GM-36", "3Nx4P-P4-36", "3Nx4P-GM-36", "3Nx4P-P4-72", "3Nx4P-GM-72"} {
		datasets = append(datasets, example(t, "lapw0/"+name+".csv"))
	}
	o := SimilarOptions{Metrics: scoreMetrics(t, "wtime@S@9"), Regions: []string{"CA_MULTIPOLMENTS"}, PaperBase: true}
	e, err := SimilarExperiments(wordsWith(t, "../examples/soft/factors.toml"), datasets, o)
	if err != nil {
		t.Fatal(err)
	}
	wantReals(t, "atoms", e.Factors["atoms"], 1, 1, 1, 1, 0.5, 0.5)
	wantReals(t, "CPU", e.Factors["CPU"], 1, 1, 0.9531, 0.9531, 0.9531, 0.9531)
	wantReals(t, "network", e.Factors["network"], 1, 0.1519, 1, 0.1519, 1, 0.1519)
	wantReals(t, "wtime", e.Regions[0].Similarity, 1, 0.996, 0.638, 0.635, 0.625, 0.625)

	exact := ShippedWords()
	own, err := fuzzy.ReadVocabulary("exact.toml", []byte(`
factor.atoms = {set = "linear", range = [0, 72]}
factor.CPU = {set = "S", range = [0, 64]}
factor.network = {set = "S", range = [0, 158.20], words = {P4 = 42.95, GM = 158.20}}`))
	if err != nil {
		t.Fatal(err)
	}
	exact.Vocabulary = exact.Merge(own)
	e, err = SimilarExperiments(exact, datasets, o)
	if err != nil {
		t.Fatal(err)
	}
	machine := 1 - 2*(12.*12-8*8)/(64*64)
	network := 2 * (42.95 / 158.20) * (42.95 / 158.20)
	wantReals(t, "atoms, exact", e.Factors["atoms"], 1, 1, 1, 1, 0.5, 0.5)
	wantReals(t, "CPU, exact", e.Factors["CPU"], 1, 1, machine, machine, machine, machine)
	wantReals(t, "network, exact", e.Factors["network"], 1, network, 1, network, 1, network)
	wantReals(t, "CPU by the book", e.Factors["CPU"][2:3], 0.9609)

	// What the paper reads from the table.
	for _, f := range e.Findings {
		if f.Sensitive != (f.Factor == "CPU") {
			t.Errorf("%s with %s: performance %v, sensitive %v", f.Factor, f.Others, f.Performance, f.Sensitive)
		}
	}
}

// By default V is the largest value compared, so that what is slower than the
// base differs from it: half as fast is half as similar.
func TestSlowerThanTheBase(t *testing.T) {
	base, slow := flat(t, "base", 10), flat(t, "slow", 20)
	for paper, want := range map[bool]float64{false: 0.5, true: 1} {
		e, err := SimilarExperiments(ShippedWords(), []*Dataset{base, slow}, SimilarOptions{PaperBase: paper})
		if err != nil {
			t.Fatal(err)
		}
		wantReals(t, fmt.Sprintf("paper base %v", paper), e.Regions[0].Similarity, 1, want)
		wantReals(t, fmt.Sprintf("program, paper base %v", paper), e.Program, 1, want)
	}
}

// flat is an experiment of one unit whose regions r0, r1, … take the seconds
// given.
func flat(t testing.TB, name string, seconds ...float64) *Dataset {
	t.Helper()
	b := model.NewBuilder()
	m := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	u := b.Unit(model.Unit{})
	for i, s := range seconds {
		b.Set(u, b.Region(model.Region{Name: fmt.Sprint("r", i), Parent: model.NoParent}), m, s)
	}
	e, err := b.Build(model.Header{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return dataset(t, e)
}

// §6.3, Figure 5: the crisp search finds the region at 0.92, medium and high at
// once; the triangle around the threshold finds the one at 0.69 too.
func TestFigure5(t *testing.T) {
	d := example(t, "3dpic.csv")
	var o BottleneckOptions
	o.Threshold = 0.7
	for _, text := range []string{"low=Z(0.7, 0.8)", "medium=Pi(0.85, 0.1)", "high=S(0.9, 1)"} {
		term, err := ParseSeverity(text)
		if err != nil {
			t.Fatal(err)
		}
		o.Severity = append(o.Severity, term)
	}
	o.NoBand = true
	without, err := FindBottlenecks(d, ShippedWords(), "L2_TCM/L2_TCA", o)
	if err != nil {
		t.Fatal(err)
	}
	if len(without.Rows) != 1 || without.Rows[0].Region != "main/PARTICLE_LOAD" || !without.Rows[0].Crisp {
		t.Fatalf("5(a): %+v", without.Rows)
	}
	// Z(0.92) = 0; Pi falls from 0.85 to 0.95: 2·(0.03/0.1)² = 0.18; S rises
	// from 0.9: 2·(0.02/0.1)² = 0.08.
	wantReals(t, "severity", without.Rows[0].Severity.Of, 0, 0.18, 0.08)

	o.NoBand = false
	if o.Negligible, err = ShapeOf("triangle(0.65, 0.7, 0.75)"); err != nil {
		t.Fatal(err)
	}
	with, err := FindBottlenecks(d, ShippedWords(), "L2_TCM/L2_TCA", o)
	if err != nil {
		t.Fatal(err)
	}
	if len(with.Rows) != 2 || with.Rows[1].Region != "main/SR_E_FIELD" || with.Rows[1].Crisp || len(with.Rows[1].Severity.Of) != 0 {
		t.Fatalf("5(b): %+v", with.Rows)
	}
	wantReals(t, "negligible", []Real{with.Rows[0].Negligible, with.Rows[1].Negligible}, 0, 0.8)
}

// Figure 4's defaults: a Pi around the threshold, an S up to the universe's
// end.
func TestFigure4(t *testing.T) {
	b, err := FindBottlenecks(example(t, "3dpic.csv"), ShippedWords(), "L2_TCM/L2_TCA", BottleneckOptions{Threshold: 0.7})
	if err != nil {
		t.Fatal(err)
	}
	if b.Upper != 1 || b.Severity[0].Text != "S(0.7, 1)" {
		t.Errorf("upper %v, severity %+v", b.Upper, b.Severity)
	}
	if len(b.Rows) != 2 || !(b.Rows[1].Negligible > 0.9) {
		t.Errorf("%+v", b.Rows)
	}
}

// Figure 2: PARTICLE_LOAD is high alone, CAL_POWER both low and medium.
func TestFigure2(t *testing.T) {
	d := example(t, "3dpic.csv")
	c, err := Classify(d, ShippedWords(), "L2_TCM/L2_TCA", nil, nil, AcrossMean)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]Classified{}
	for _, r := range c.Rows {
		at[r.Region] = r
	}
	if r := at["main/PARTICLE_LOAD"]; r.Terms.Get("high") != 1 || r.Terms.Get("low") != 0 || r.Terms.Get("medium") != 0 {
		t.Errorf("%+v", r)
	}
	if r := at["main/CAL_POWER"]; !(r.Terms.Get("low") > 0 && r.Terms.Get("medium") > 0) || r.Terms.Get("high") != 0 {
		t.Errorf("%+v", r)
	}
	modified, err := Classify(d, ShippedWords(), "L2_TCM/L2_TCA", []string{"very low", "not slightly high"}, nil, AcrossMean)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range modified.Rows {
		low := at[r.Region].Terms.Get("low")
		wantReals(t, "very low of "+r.Region, r.Terms.Of[:1], float64(low*low))
	}
}
