package analyze

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"auspex/fuzzy"
	"auspex/model"
)

// timed is a run of so many seconds under some factors.
func timed(t testing.TB, name string, seconds float64, factors ...model.Factor) *Dataset {
	t.Helper()
	b := model.NewBuilder()
	m := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	b.Set(b.Unit(model.Unit{}), b.Region(model.Region{Name: "main", Parent: model.NoParent}), m, seconds)
	e, err := b.Build(model.Header{Name: name, Factors: factors})
	if err != nil {
		t.Fatal(err)
	}
	return dataset(t, e)
}

func size(n float64) model.Factor { return model.NumberFactor("size", n) }

// The size changes in one run and the time in another: nobody may call the program
// sensitive to size. Where both change in the same run, it is.
func TestFindingsPairTheSameExperiments(t *testing.T) {
	for _, c := range []struct {
		times [3]float64
		want  bool
	}{{[3]float64{10, 20, 10}, false}, {[3]float64{10, 10, 20}, true}, {[3]float64{10, 20, 40}, true}} {
		datasets := []*Dataset{timed(t, "a", c.times[0], size(1)), timed(t, "b", c.times[1], size(1)), timed(t, "c", c.times[2], size(2))}
		e, err := SimilarExperiments(ShippedWords(), datasets, SimilarOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Findings) != 1 || e.Findings[0].Sensitive != c.want {
			t.Errorf("%v: %+v", c.times, e.Findings)
			continue
		}
		if f := e.Findings[0]; f.FactorSimilarity != 0.5 || f.Pair[1] != "c" {
			t.Errorf("%v: the pair is %v with a factor similarity of %v", c.times, f.Pair, f.FactorSimilarity)
		}
	}
}

// What a factor does is found of one program: nothing is said of it where two have
// hardly a function in common.
func TestNoFindingsOfDifferentPrograms(t *testing.T) {
	run := func(name, function string, seconds, n float64) *Dataset {
		b := model.NewBuilder()
		m := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
		b.Set(b.Unit(model.Unit{}), b.Region(model.Region{Name: function, Parent: model.NoParent}), m, seconds)
		e, err := b.Build(model.Header{Name: name, Factors: []model.Factor{size(n)}})
		if err != nil {
			t.Fatal(err)
		}
		return dataset(t, e)
	}
	for other, want := range map[string]int{"solve": 1, "sort": 0} {
		e, err := SimilarExperiments(ShippedWords(), []*Dataset{run("a", "solve", 10, 1), run("b", other, 40, 2)}, SimilarOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if different := strings.Contains(strings.Join(e.Warnings, ""), "different programs"); len(e.Findings) != want || different != (want == 0) {
			t.Errorf("solve and %s: %+v, %q", other, e.Findings, e.Warnings)
		}
	}
}

// A CPU that somebody gave stands for the ranks that vary with it, and this is
// said; factors that never vary alone are told of.
func TestFactorsThatVaryTogether(t *testing.T) {
	var datasets []*Dataset
	for i, n := range []float64{1, 2, 4} {
		datasets = append(datasets, timed(t, fmt.Sprint("e", i), 10/n, model.NumberFactor("ranks", n), model.NumberFactor("CPU", 100*n)))
	}
	e, err := SimilarExperiments(ShippedWords(), datasets, SimilarOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(e.FactorInfo) != 1 || e.FactorInfo[0].Name != "CPU" || len(e.Warnings) != 1 || !strings.Contains(e.Warnings[0], "CPU, ranks vary together") {
		t.Errorf("factors %+v, warnings %v", e.FactorInfo, e.Warnings)
	}
	e, err = SimilarExperiments(ShippedWords(), datasets, SimilarOptions{Factors: []string{"CPU", "ranks"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Findings) != 0 || len(e.Warnings) != 2 || !strings.Contains(e.Warnings[0], "CPU alone") {
		t.Errorf("findings %+v, warnings %v", e.Findings, e.Warnings)
	}
}

// The load of the machine is nobody's choice: it neither parts experiments nor is
// found guilty, but it is named where it differed.
func TestUncontrollableFactors(t *testing.T) {
	load := func(n float64) model.Factor { return model.NumberFactor("load", n) }
	own, err := fuzzy.ReadVocabulary("v.toml", []byte("[factor.size]\nset = 'linear'\nrange = [0, 2]\n[factor.load]\nset = 'linear'\nrange = [0, 100]\ncontrollable = false\n"))
	if err != nil {
		t.Fatal(err)
	}
	words := ShippedWords()
	words.Vocabulary = words.Merge(own)
	e, err := SimilarExperiments(words, []*Dataset{timed(t, "a", 10, size(1), load(3)), timed(t, "b", 20, size(2), load(90))}, SimilarOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Findings) != 1 || e.Findings[0].Factor != "size" || !slices.Equal(e.Findings[0].Uncontrolled, []string{"load"}) {
		t.Errorf("%+v", e.Findings)
	}
}
