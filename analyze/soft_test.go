package analyze

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"auspex/fuzzy"
	"auspex/ingest"
	"auspex/internal/sample"
	"auspex/model"
	"auspex/perfql"
)

func scored(t testing.TB, scale float64) *Dataset {
	t.Helper()
	return dataset(t, sample.Scored(t, scale))
}

// Equations 1 and 2 by hand: 9 s in all are 1 s of main, 6 s of solve and 2 s
// of waiting; of 70 misses solve has 60.
func TestScoresByHand(t *testing.T) {
	d := scored(t, 1)
	s, err := Score(d, ShippedWords(), scoreMetrics(t, "wtime:3", "l2_misses"), ScoreBase{}, ByRegion, Impact)
	if err != nil {
		t.Fatal(err)
	}
	if s.Rows[0].Region != "main/solve" || s.Rows[2].Region != "main" {
		t.Fatalf("%+v", s.Rows)
	}
	wantReals(t, "solve", s.Rows[0].Scores, 6./9, 60./70)
	wantReals(t, "aggregate", []Real{s.Rows[0].Aggregate}, (3*6./9+60./70)/4)

	r, err := Rank(d, ShippedWords(), s)
	if err != nil {
		t.Fatal(err)
	}
	if r.Rows[0].Rank != 1 || r.Rows[0].Because[0].Metric != "wtime" || len(r.Rows) != 3 {
		t.Errorf("%+v", r.Rows)
	}
	// wtime is judged by its share, 6 of 9 s (of 10.5 s unit time): high.
	if b := r.Rows[0].Because[0]; b.Word != "high" || b.Degree != 1 || !b.Sharp {
		t.Errorf("%+v", b)
	}
	wantReals(t, "shares", []Real{r.Rows[0].Because[0].Share + r.Rows[0].Because[1].Share}, 1)

	parent, err := Score(d, ShippedWords(), scoreMetrics(t, "wtime@S"), ScoreBase{Parent: true}, ByRegion, Impact)
	if err != nil {
		t.Fatal(err)
	}
	// The parent's inclusive time is 9 s: S(6/9) = 1 − 2·(3/9)².
	wantReals(t, "solve of main", parent.Rows[1].Scores, 1-2*(3./9)*(3./9))
	wantReals(t, "main of itself", parent.Rows[0].Scores, 1)

	other, err := Score(d, ShippedWords(), scoreMetrics(t, "wtime"), ScoreBase{Other: scored(t, 2)}, ByRegion, Impact)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range other.Rows {
		wantReals(t, "half of the other's", row.Scores, 0.5)
	}

	units, err := Score(d, ShippedWords(), scoreMetrics(t, "wtime"), ScoreBase{}, ByUnit, Impact)
	if err != nil {
		t.Fatal(err)
	}
	// 0.5 + 1.5 + 1.75 and 0.5 + 4.5 + 0.25 seconds.
	wantReals(t, "units", []Real{units.Rows[0].Aggregate, units.Rows[1].Aggregate}, 1, 3.75/5.25)
	if units.Rows[0].Unit != 1 {
		t.Errorf("%+v", units.Rows)
	}
}

func TestDescending(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), 1, -1}))).Draw(t, "values")
		want := make([]int32, len(values))
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(values[b], values[a]) })
		if got := descending(values); !slices.Equal(got, want) {
			t.Fatalf("%v: %v, want %v", values, got, want)
		}
	})
}

func TestUnitsThatDiffer(t *testing.T) {
	b := model.NewBuilder()
	m := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	r := b.Region(model.Region{Name: "solve", Parent: model.NoParent})
	for p, v := range []float64{10, 10.1, 9.9, 10, 20, 10.05} {
		b.Set(b.Unit(model.Unit{Process: p}), r, m, v)
	}
	e, err := b.Build(model.Header{Name: "units"})
	if err != nil {
		t.Fatal(err)
	}
	u, err := SimilarUnits(dataset(t, e), ShippedWords(), "solve", SimilarOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(u.Odd) != 1 || u.Odd[0] != 4 || u.Rows[0].Unit != 4 {
		t.Errorf("odd %v, rows %+v", u.Odd, u.Rows)
	}
	wantReals(t, "unit 0 against 4", []Real{u.Matrix[0][4], u.Matrix[4][0], u.Matrix[4][4]}, 0.5, 0.5, 1)
}

// The 45 runs under power caps: LULESH is sensitive to the cap, AMG and CoMD
// are not (NOTES.md beside the data).
func TestPowerCaps(t *testing.T) {
	t.Parallel()
	path := "../../shared/data/tau-powercap-45runs/profile_data.tgz"
	if _, err := os.Stat(path); err != nil {
		t.Skip("the 45 power-cap runs lie beside the project in ../shared/data and are not there")
	}
	found, err := ingest.Find([]string{path}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	pattern, err := ingest.ParseNamePattern("cap{cap}_{code}")
	if err != nil {
		t.Fatal(err)
	}
	var datasets []*Dataset
	for _, source := range found.Sources {
		factors, err := pattern.Factors(source.Given)
		if err != nil {
			continue // the dynamic cap has no number
		}
		e, err := ingest.Read(context.Background(), source)
		if err != nil {
			t.Fatal(err)
		}
		e.Name = source.Label
		e.Factors = append(e.Factors, factors...)
		datasets = append(datasets, dataset(t, e))
	}
	s, err := SimilarExperiments(ShippedWords(), datasets, SimilarOptions{Factors: []string{"cap", "code"}})
	if err != nil {
		t.Fatal(err)
	}
	sensitive := map[string]bool{}
	for _, f := range s.Findings {
		if f.Factor == "cap" {
			if len(f.Experiments) != 14 {
				t.Errorf("%s: %d experiments", f.Others, len(f.Experiments))
			}
			sensitive[f.Others] = f.Sensitive
		}
	}
	if len(sensitive) != 3 || !sensitive["code=wrapped_lu8"] || sensitive["code=wrapped_am8"] || sensitive["code=wrapped_co8"] {
		t.Errorf("%v", sensitive)
	}
}

// GROMACS from 2 to 32 ranks: time falls with the ranks, and the more so the
// more the number of CPUs differs.
func TestScaling(t *testing.T) {
	var datasets []*Dataset
	for _, n := range []string{"2", "4", "8", "16", "32"} {
		datasets = append(datasets, realData(t, "tau-gromacs-scaling/"+n+".ppk"))
	}
	e, err := SimilarExperiments(ShippedWords(), datasets, SimilarOptions{Factors: []string{"CPUs"}})
	if err != nil {
		t.Fatal(err)
	}
	wantReals(t, "CPUs", e.Factors["CPUs"], 1, 1-2./32, 1-6./32, 1-14./32, 1-30./32)
	for i := 1; i < len(e.Program); i++ {
		if !(e.Program[i] < e.Program[i-1]) {
			t.Errorf("program %v", e.Program)
		}
	}
	// do_nonbonded scales nearly perfectly: its time at 32 ranks is 1/16.
	for _, r := range e.Regions {
		if r.Region == "do_nonbonded" {
			if s := float64(r.Similarity[4]); s < 0.05 || s > 0.08 {
				t.Errorf("%s: %v", r.Region, r.Similarity)
			}
		}
	}
	if len(e.Findings) != 1 || !e.Findings[0].Sensitive || e.Findings[0].Word != "different" {
		t.Errorf("%+v", e.Findings)
	}
}

// MPAS with its PAPI counters: NOTES.md names coriolis for its L1 misses.
func TestCountersInWords(t *testing.T) {
	d := realData(t, "tau-mpas-128-papi/mpas.ppk")
	c, err := Classify(d, ShippedWords(), "PAPI_L1_DCM/PAPI_TOT_INS", nil, nil, AcrossMean)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Rows) != 78 || strings.Join(c.Terms, " ") != "low medium high" {
		t.Fatalf("%d rows, terms %v", len(c.Rows), c.Terms)
	}
	answer := ask(t, "(l1_misses/instructions is high) AND (wtime is not low) BY summary WITH DEGREE > 0.5", d)
	if len(answer.Rows) == 0 || *answer.Rows[0].Region != "coriolis" {
		t.Fatalf("%+v", answer.Rows)
	}
	for _, r := range answer.Rows {
		if !(r.Degree > 0.5) || r.Unit == nil {
			t.Errorf("%+v", r)
		}
	}
}

// Whatever the data, every analysis answers or explains itself; nothing
// panics, and JSON never holds NaN.
func TestDegenerateData(t *testing.T) {
	t.Parallel()
	dir := t
	rapid.Check(t, func(t *rapid.T) {
		b := model.NewBuilder()
		time := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
		ratios := b.Metric(model.Metric{Name: "hit_ratio", Unit: "ratio", Missing: model.Absent})
		for r := range rapid.IntRange(1, 3).Draw(t, "regions") {
			b.Region(model.Region{Name: string(rune('a' + r)), Parent: r - 1})
			for p := range rapid.IntRange(1, 3).Draw(t, "units") {
				u := b.Unit(model.Unit{Process: p})
				b.Set(u, r, time, rapid.SampledFrom([]float64{0, 0, 1e-90, 1, 1e90}).Draw(t, "time"))
				if rapid.Bool().Draw(t, "has ratio") {
					b.Set(u, r, ratios, rapid.SampledFrom([]float64{-1, 0, 0.5}).Draw(t, "ratio"))
				}
			}
		}
		e, err := b.Build(model.Header{Name: "odd"})
		if err != nil {
			t.Skip(err.Error())
		}
		d, words := dataset(dir, e), ShippedWords()
		metric := rapid.SampledFrom([]string{"wtime", "hit_ratio", "imbalance", "mpi_share", "wtime/hit_ratio", "lost_share"}).Draw(t, "metric")
		distance := rapid.SampledFrom([]fuzzy.Distance{fuzzy.Euclidean, fuzzy.Manhattan, fuzzy.ChiSquare}).Draw(t, "distance")
		o := SimilarOptions{Metrics: scoreMetrics(dir, metric, "wtime@S"), Distance: distance}
		check := func(what string, v any, err error) {
			if err != nil {
				if !strings.Contains(err.Error(), "vocabulary has no words") {
					t.Fatalf("%s of %s: %v", what, metric, err)
				}
				return
			}
			if _, err := json.Marshal(v); err != nil {
				t.Fatalf("%s of %s: %v", what, metric, err)
			}
		}
		for _, across := range []Across{AcrossMean, AcrossMax, AcrossEach} {
			v, err := Classify(d, words, metric, nil, nil, across)
			check("classify", v, err)
		}
		for _, base := range []ScoreBase{{}, {Parent: true}, {Other: d}} {
			v, err := Score(d, words, o.Metrics, base, ByRegion, Impact)
			check("score", v, err)
			if err == nil {
				r, err := Rank(d, words, v)
				check("rank", r, err)
			}
		}
		bottlenecks, err := FindBottlenecks(d, words, metric, BottleneckOptions{})
		check("bottlenecks", bottlenecks, err)
		units, err := SimilarUnits(d, words, "a", o)
		check("units", units, err)
		experiments, err := SimilarExperiments(words, []*Dataset{d, d}, o)
		check("experiments", experiments, err)
	})
}

// Terms that do not cover the data, zeros everywhere and values that nobody
// has are told beside the answer.
func TestWarnings(t *testing.T) {
	words := ShippedWords()
	own, err := fuzzy.ReadVocabulary("own.toml", []byte("[variable.seconds]\nmetric = \"wtime\"\nuniverse = [0, 1]\nterms = {short = \"triangle(0, 1, 2)\"}"))
	if err != nil {
		t.Fatal(err)
	}
	words.Vocabulary = words.Merge(own)
	for _, c := range []struct {
		d      *Dataset
		metric string
		want   string
	}{
		{flat(t, "long", 1, 5, 6), "wtime", "the terms of seconds say nothing of 2 of 3 values"},
		{flat(t, "nothing", 0, 0), "wtime", "wtime has no value in any region|the terms of seconds say nothing of 2 of 2 values"},
		{flat(t, "nothing", 0, 0), "imbalance", "imbalance has no value in any region"},
		{flat(t, "calm", 1, 2), "mpi_share", "mpi_share is zero in every region"},
	} {
		got, err := Classify(c.d, words, c.metric, nil, nil, AcrossMean)
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Join(got.Warnings, "; "); !slices.Contains(strings.Split(c.want, "|"), said) {
			t.Errorf("%s of %s: %q, want %q", c.metric, c.d.Name, said, c.want)
		}
	}
}

func TestWhatCannotBeAnswered(t *testing.T) {
	d, words := scored(t, 1), ShippedWords()
	for name, c := range map[string]struct {
		do   func() error
		want string
	}{
		"unknown metric": {func() error { _, err := Classify(d, words, "l2_mises", nil, nil, AcrossMean); return err }, "did you mean l2_misses"},
		"unknown term":   {func() error { _, err := Classify(d, words, "wtime", []string{"hgih"}, nil, AcrossMean); return err }, "did you mean high"},
		"no words":       {func() error { _, err := Classify(d, words, "wtime*wtime", nil, nil, AcrossMean); return err }, "auspex terms learn"},
		"across":         {func() error { _, err := Classify(d, words, "wtime", nil, nil, "median"); return err }, "mean, max or each"},
		"unknown region": {func() error { _, err := SimilarUnits(d, words, "solv", SimilarOptions{}); return err }, "did you mean solve"},
		"weight":         {func() error { _, err := ParseScoreMetric("wtime:-1"); return err }, "must be above 0"},
		"shape":          {func() error { _, err := ParseScoreMetric("wtime@Q"); return err }, "Q"},
		"severity":       {func() error { _, err := ParseSeverity("high"); return err }, "word=shape"},
		"severity word":  {func() error { _, err := ParseSeverity("high=very big"); return err }, "has no numbers"},
		"upper bound": {func() error {
			_, err := FindBottlenecks(d, words, "wtime", BottleneckOptions{Threshold: 2, Upper: 1})
			return err
		}, "must lie above"},
		"unknown factor": {func() error {
			_, err := SimilarExperiments(words, []*Dataset{d, d}, SimilarOptions{Factors: []string{"moon"}})
			return err
		}, `factor "moon"`},
		"correlation": {func() error {
			_, err := SimilarUnits(d, words, "solve", SimilarOptions{Distance: fuzzy.Correlation})
			return err
		}, "three metrics"},
		"parent of units": {func() error {
			_, err := Score(d, words, scoreMetrics(t, "wtime"), ScoreBase{Parent: true}, ByUnit, Impact)
			return err
		}, "only regions have a parent"},
		"query metric": {func() error {
			q, err := perfql.Parse("(wtiem is high)")
			if err == nil {
				_, err = Query(context.Background(), sharedEngine, q, words, searched(d))
			}
			return err
		}, "did you mean wtime"},
	} {
		if err := c.do(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
