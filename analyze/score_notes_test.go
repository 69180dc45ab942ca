package analyze

import (
	"strings"
	"testing"

	"auspex/model"
)

// measured is a program of three units with an energy, of which some is negative,
// and an ipc that only some units have.
func measured(t *testing.T, name string, solve float64, energy ...float64) *Dataset {
	t.Helper()
	b := model.NewBuilder()
	seconds := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	joules := b.Metric(model.NewMetric("energy", "", model.Own))
	ratio := model.NewMetric("ipc", "", model.Own)
	ratio.Missing = model.Absent
	ipc := b.Metric(ratio)
	r := b.Region(model.Region{Name: "solve", Parent: model.NoParent})
	for p, e := range energy {
		u := b.Unit(model.Unit{Process: p})
		b.Set(u, r, seconds, solve)
		b.Set(u, r, joules, e)
		if p%2 == 0 {
			b.Set(u, r, ipc, 0.5+float64(p))
		}
	}
	e, err := b.Build(model.Header{Name: name, Program: "p"})
	if err != nil {
		t.Fatal(err)
	}
	return dataset(t, e)
}

func scoresOf(t *testing.T, d *Dataset, metric string, base ScoreBase, by By) *Scores {
	t.Helper()
	m, err := ParseScoreMetric(metric)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Score(d, ShippedWords(), []ScoreMetric{m}, base, by, Impact)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Values below zero are told as such, and so are those above the other experiment's.
func TestScoreNotes(t *testing.T) {
	d := measured(t, "a", 2, -2, -4, -6)
	if said := strings.Join(scoresOf(t, d, "energy", ScoreBase{}, ByUnit).Warnings, " "); !strings.Contains(said, "energy is below zero in 3 of 3 rows") || strings.Contains(said, "missing everywhere") {
		t.Error(said)
	}
	faster := measured(t, "fast", 1, 1, 1, 1)
	if said := strings.Join(scoresOf(t, d, "wtime", ScoreBase{Other: faster}, ByRegion).Warnings, " "); !strings.Contains(said, "in 1 of 1 rows wtime is more than in fast") {
		t.Error(said)
	}
	if said := scoresOf(t, d, "wtime", ScoreBase{Other: d}, ByRegion).Warnings; len(said) > 0 {
		t.Error(said)
	}
}

// What is measured as a ratio is averaged, what adds up is summed.
func TestFolded(t *testing.T) {
	d := measured(t, "a", 2, 1, 1, 1)
	for metric, want := range map[string]Folding{"wtime": FoldedSum, "ipc": FoldedMean, "ipc*wtime": FoldedAll, "imbalance": FoldedAll} {
		if got := scoresOf(t, d, metric, ScoreBase{}, ByRegion).Folded[0]; got != want {
			t.Errorf("%s: %q, want %q", metric, got, want)
		}
	}
}

// Units without a value come last and are told of.
func TestUnitsWithoutAValue(t *testing.T) {
	m, err := ParseScoreMetric("ipc")
	if err != nil {
		t.Fatal(err)
	}
	u, err := SimilarUnits(measured(t, "a", 2, 1, 1, 1, 1), ShippedWords(), "solve", SimilarOptions{Metrics: []ScoreMetric{m}})
	if err != nil {
		t.Fatal(err)
	}
	if len(u.Rows) != 4 || u.Rows[0].Similarity.IsMissing() || u.Rows[1].Similarity.IsMissing() || !u.Rows[2].Similarity.IsMissing() || len(u.Warnings) != 1 {
		t.Errorf("%+v, %v", u.Rows, u.Warnings)
	}
}

// Words that vary are factors, too: what differs in a network and in its size tells
// of neither alone.
func TestWordsAreFactors(t *testing.T) {
	run := func(name, network string, size float64, cwd string) *Dataset {
		b := model.NewBuilder()
		seconds := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
		b.Set(b.Unit(model.Unit{}), b.Region(model.Region{Name: "solve", Parent: model.NoParent}), seconds, size)
		e, err := b.Build(model.Header{Name: name, Program: "p", Factors: []model.Factor{model.NewFactor("network", network), model.NumberFactor("size", size), model.NewFactor("cwd", cwd)}})
		if err != nil {
			t.Fatal(err)
		}
		return dataset(t, e)
	}
	names, _ := defaultFactors(ShippedWords(), []*Dataset{run("a", "eth", 1, "/a"), run("b", "ib", 1, "/b"), run("c", "eth", 2, "/c")})
	if strings.Join(names, " ") != "network size" {
		t.Error(names)
	}
}
