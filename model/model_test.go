package model

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func TestPathsSplitAsTheyWereJoined(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.StringMatching(`[a-c/\\ ]{0,5}`), 1, 5).Draw(t, "names")
		if d := cmp.Diff(names, SplitPath(JoinPath(names...))); d != "" {
			t.Fatal(d)
		}
	})
}

// Whatever order values come in, rows are ordered, units sorted and every
// value is where it was put.
func TestBuilderKeepsEveryValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := NewBuilder()
		m := b.Metric(NewMetric(WallTime, "TIME", Exclusive))
		type cell struct{ process, region int }
		want := map[cell]float64{}
		for range rapid.IntRange(1, 40).Draw(t, "values") {
			c := cell{rapid.IntRange(0, 5).Draw(t, "process"), rapid.IntRange(0, 5).Draw(t, "region")}
			v := rapid.Float64Range(0, 10).Draw(t, "value")
			region := NoParent
			for range c.region + 1 {
				region = b.Region(Region{Name: "r", Parent: region})
			}
			b.Add(b.Unit(Unit{Process: c.process}), region, m, v)
			want[c] += v
		}
		e, err := b.Build(Header{Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Check(); err != nil {
			t.Fatal(err)
		}
		dense := e.Matrix(m)
		for u, unit := range e.Units {
			for r := range e.Regions {
				if got := dense.At(u, r); got != want[cell{unit.Process, r}] {
					t.Fatalf("process %d, region %d: %v, want %v", unit.Process, r, got, want[cell{unit.Process, r}])
				}
			}
		}
	})
}

func TestInclusiveAndBack(t *testing.T) {
	// main(1) → solve(2) → kernel(4), main → io(8)
	regions := []Region{{Name: "main", Parent: NoParent}, {Name: "solve", Parent: 0}, {Name: "kernel", Parent: 1}, {Name: "io", Parent: 0}}
	m := Matrix{Units: 1, Regions: 4, Data: []float64{1, 2, 4, 8}}
	m.ToInclusive(regions)
	if d := cmp.Diff([]float64{15, 6, 4, 8}, m.Data); d != "" {
		t.Fatal(d)
	}
	m.ToExclusive(regions)
	if d := cmp.Diff([]float64{1, 2, 4, 8}, m.Data); d != "" {
		t.Fatal(d)
	}
}

func TestMissingMeansZeroForTimesAndNothingForRatios(t *testing.T) {
	b := NewBuilder()
	seconds := b.Metric(NewMetric(WallTime, "", Exclusive))
	share := b.Metric(Metric{Name: "hit_ratio", Unit: "ratio", Missing: Absent})
	r := b.Region(Region{Name: "r", Parent: NoParent})
	b.Set(b.Unit(Unit{Process: 0}), r, seconds, 1)
	b.Set(b.Unit(Unit{Process: 1}), r, share, math.Inf(1))
	e, err := b.Build(Header{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]float64{1, 0}, e.Matrix(seconds).Data); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]float64{math.NaN(), math.NaN()}, e.Matrix(share).Data, cmpopts.EquateNaNs()); d != "" {
		t.Error(d)
	}
}

func TestCommunicationCoversWhatIsNested(t *testing.T) {
	regions := []Region{{Name: "main", Parent: NoParent}, {Name: "MPI_Wait", Kind: MPI, Parent: 0}, {Name: "poll", Parent: 1}, {Name: "work", Parent: 0}}
	if d := cmp.Diff([]bool{false, true, true, false}, Communication(regions)); d != "" {
		t.Fatal(d)
	}
}

func TestFactorsSurviveJSON(t *testing.T) {
	for _, want := range []Factor{NewFactor("cpus", "8"), NewFactor("network", "GM"), NewFactor("x", "NaN"), NewFactor("empty", "")} {
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Factor
		if err := json.Unmarshal(data, &got); err != nil || got != want {
			t.Errorf("%s became %v (%v), want %v", data, got, err, want)
		}
	}
}

func TestCheckRefusesBrokenExperiments(t *testing.T) {
	whole := func() *Experiment {
		b := NewBuilder()
		m := b.Metric(NewMetric(WallTime, "", Exclusive))
		main := b.Region(Region{Name: "main", Parent: NoParent})
		b.Set(b.Unit(Unit{}), main, m, 1)
		b.Set(b.Unit(Unit{}), b.Region(Region{Name: "a", Parent: main}), m, 1)
		e, _ := b.Build(Header{Name: "x"})
		return e
	}
	if err := whole().Check(); err != nil {
		t.Fatal(err)
	}
	for name, breakIt := range map[string]func(e *Experiment){
		"no name":             func(e *Experiment) { e.Name = "" },
		"parent after child":  func(e *Experiment) { e.Regions[0].Parent = 1 },
		"twin siblings":       func(e *Experiment) { e.Regions = append(e.Regions, e.Regions[1]) },
		"twin units":          func(e *Experiment) { e.Units = append(e.Units, e.Units[0]) },
		"twin metrics":        func(e *Experiment) { e.Metrics = append(e.Metrics, e.Metrics[0]) },
		"unknown region":      func(e *Experiment) { e.Summaries.Region[0] = 9 },
		"rows out of order":   func(e *Experiment) { e.Summaries.Region[0] = 1 },
		"infinity":            func(e *Experiment) { e.Summaries.Values[0][0] = math.Inf(1) },
		"a value is lacking":  func(e *Experiment) { e.Summaries.Values[0] = e.Summaries.Values[0][:1] },
		"a column is lacking": func(e *Experiment) { e.Summaries.Values = nil },
	} {
		e := whole()
		breakIt(e)
		if e.Check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
