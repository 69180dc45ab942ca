package analyze

import (
	"context"
	"math"
	"testing"

	"auspex/fuzzy"
	"auspex/model"
)

// A shape with numbers is a membership function over the metric's own values: µ(6 s)
// of trapezoid(0, 4, 8, 9) is 1, µ(1 s) is 1/4, whatever the program takes.
func TestScoresByOwnFunctions(t *testing.T) {
	s, err := Score(scored(t, 1), ShippedWords(), scoreMetrics(t, "wtime@trapezoid(0, 4, 8, 9)"), ScoreBase{}, ByRegion, Severity)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range s.Rows {
		if want, ok := map[string]Real{"main": 0.25, "main/solve": 1}[row.Region]; ok && row.Scores[0] != want {
			t.Errorf("%s scores %v, want %v", row.Region, row.Scores[0], want)
		}
	}
	if s.Meaning != Severity {
		t.Errorf("a high score means %s", s.Meaning)
	}
	for _, bad := range []string{"wtime@trapezoid(1", "wtime@high(1)", "wtime@S(3, 1)"} {
		if _, err := ParseScoreMetric(bad); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

// Unit 1 spends 0.5 + 4.5 + 0.25 s: its solve scores 4.5/5.25 against the largest
// unit.
func TestBySummary(t *testing.T) {
	d := scored(t, 1)
	s, err := Score(d, ShippedWords(), scoreMetrics(t, "wtime"), ScoreBase{}, BySummary, Impact)
	if err != nil {
		t.Fatal(err)
	}
	if first := s.Rows[0]; len(s.Rows) != 6 || first.Region != "main/solve" || first.Unit != 1 || first.Scores[0] != 4.5/5.25 {
		t.Errorf("%d rows, first %+v", len(s.Rows), s.Rows[0])
	}
	if _, err := Rank(d, ShippedWords(), s); err != nil {
		t.Error(err)
	}
	if c, err := FindClusters(context.Background(), s, 2); err != nil || c.Rows[0].Region == "" || c.Rows[0].Unit == nil {
		t.Errorf("%v", err)
	}
	parent, err := Score(d, ShippedWords(), scoreMetrics(t, "wtime"), ScoreBase{Parent: true}, BySummary, Impact)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range parent.Rows {
		if row.Region == "main/solve" && row.Unit == 1 && row.Scores[0] != 4.5/5.25 {
			t.Errorf("against its parent: %+v", row)
		}
	}
	b, err := FindBottlenecks(d, ShippedWords(), "wtime", BottleneckOptions{By: BySummary, Threshold: 4, NoBand: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Rows) != 1 || b.Rows[0].Unit != 1 || b.Rows[0].Value != 4.5 {
		t.Errorf("%+v", b.Rows)
	}
	if _, err := FindBottlenecks(d, ShippedWords(), "wtime", BottleneckOptions{By: ByUnit, Threshold: 4}); err == nil {
		t.Error("bottlenecks by unit were searched")
	}
}

func TestClassifyRegions(t *testing.T) {
	c, err := Classify(scored(t, 1), ShippedWords(), "wtime", nil, []string{"s*"}, AcrossMean)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Rows) != 1 || c.Rows[0].Region != "main/solve" {
		t.Errorf("%+v", c.Rows)
	}
	if _, err := Classify(scored(t, 1), ShippedWords(), "wtime", nil, []string{"nowhere"}, AcrossMean); err == nil {
		t.Error("a region that is not there was classified")
	}
}

// Equation 3 as printed is not averaged over metrics: twice the same difference is
// √2 times as far.
func TestEquation3AsPrinted(t *testing.T) {
	printed, err := fuzzy.ParseDistance("printed")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a, b []float64
		want float64
	}{{[]float64{0.5}, []float64{0.2}, 0.7}, {[]float64{0.7, 0.9}, []float64{0.4, 0.5}, 0.5}, {[]float64{1, 1}, []float64{0, 0}, 0}} {
		got, err := printed.Similarity(c.a, c.b, nil)
		if err != nil || got < c.want-1e-9 || got > c.want+1e-9 {
			t.Errorf("%v and %v: %v, %v, want %v", c.a, c.b, got, err, c.want)
		}
	}
}

// Waiting at the end of a parallel region may be spinning: that is said where no CPU time
// is known of it; that of a barrier of MPI is.
func TestCPUTimeAtEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		cpu  float64
		want Real
	}{{model.ParallelRegion + "solve.c:7", 0, 0.3}, {model.ParallelRegion + "solve.c:7", 1, 0}, {"exchange", 0, 0}} {
		b := model.NewBuilder()
		wall, cpu := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive)), b.Metric(model.NewMetric(model.CPUTime, "", model.Exclusive))
		root := b.Region(model.Region{Name: "main", Parent: model.NoParent})
		region := b.Region(model.Region{Name: c.name, Parent: root})
		barrier := b.Region(model.Region{Name: "barrier", Kind: model.Barrier, Parent: region})
		for thread := range 2 {
			u := b.Unit(model.Unit{Thread: thread})
			b.Set(u, region, wall, 7)
			b.Set(u, region, cpu, 7)
			b.Set(u, barrier, wall, 3)
			b.Set(u, barrier, cpu, c.cpu)
		}
		e, err := b.Build(model.Header{Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		if s, err := Summarise(dataset(t, e), 5); err != nil || math.Abs(float64(s.AtEnds-c.want)) > 1e-9 {
			t.Errorf("%s, %g s: %v, %v, want %v", c.name, c.cpu, s.AtEnds, err, c.want)
		}
	}
}

// Two units of 10 s wall time, of which 10 and 5 s are on a processor.
func TestUtilisation(t *testing.T) {
	b := model.NewBuilder()
	wall, cpu := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive)), b.Metric(model.NewMetric(model.CPUTime, "", model.Exclusive))
	root := b.Region(model.Region{Name: "main", Parent: model.NoParent})
	for p, busy := range []float64{10, 5} {
		u := b.Unit(model.Unit{Process: p})
		b.Set(u, root, wall, 10)
		b.Set(u, root, cpu, busy)
	}
	e, err := b.Build(model.Header{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Summarise(dataset(t, e), 5)
	if err != nil || s.CPU != 0.75 {
		t.Errorf("%v, %v", s.CPU, err)
	}
	if s, err := Summarise(scored(t, 1), 5); err != nil || !s.CPU.IsMissing() {
		t.Errorf("CPU use without CPU time: %v, %v", s.CPU, err)
	}
}
