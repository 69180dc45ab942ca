package sweep

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// answered does a study with a formula and tabulates it.
func answered(t *testing.T, text string, formula func(v map[string]float64) float64, skip func(v map[string]float64) bool) (*Table, *Study, []Point, *Ledger) {
	t.Helper()
	s := parse(t, text)
	points, err := s.Points()
	if err != nil {
		t.Fatal(err)
	}
	l := &Ledger{of: map[string]entry{}, times: map[string]int{}}
	for _, p := range points {
		v := numbersOf(s, &p)
		if skip == nil || !skip(v) {
			l.add(entry{Key: p.Key, Outcome: Outcome{Seconds: formula(v)}})
		}
	}
	return Tabulate(s, points, l), s, points, l
}

// numbersOf are the values of a point by axis.
func numbersOf(s *Study, p *Point) map[string]float64 {
	v := map[string]float64{}
	for i, a := range s.Axes {
		v[a.Name], _ = strconv.ParseFloat(p.Values[i], 64)
	}
	return v
}

const answerStudy = `kind = "simulate"
[point]
trace = "t"
platform = "p-{n}-{m}-{k}"
[grid]
n = [1, 2, 4, 8, 16, 32]
m = [1, 2, 3]
k = [1, 2]
`

func TestWhatMatters(t *testing.T) {
	table, _, _, _ := answered(t, answerStudy, func(v map[string]float64) float64 { return 100 / v["n"] * (1 + v["m"]/20) }, nil)
	if e := table.Effects[0]; e.Axis != "n" || e.Share < 0.95 || math.Abs(e.Ratio-32) > 1e-6 || e.Best != "32" {
		t.Errorf("%+v", e)
	}
	if table.Cliff != nil {
		t.Errorf("even scaling has a cliff: %+v", table.Cliff)
	}
	if strings.Contains(table.Words, "cliff") || !strings.Contains(table.Words, "N matters most") {
		t.Error(table.Words)
	}
	if len(table.Effects) != 3 || table.Effects[2].Axis != "k" || table.Effects[2].Share > 1e-9 {
		t.Errorf("an axis that does nothing: %+v", table.Effects)
	}
}

func TestCliff(t *testing.T) {
	table, s, points, l := answered(t, answerStudy, func(v map[string]float64) float64 {
		if v["n"] >= 16 {
			return 400 / v["n"] * (1 + v["m"]/20)
		}
		return 100 / v["n"] * (1 + v["m"]/20)
	}, nil)
	if c := table.Cliff; c == nil || c.Axis != "n" || c.From != "8" || c.To != "16" || math.Abs(c.Ratio-2) > 1e-6 || math.Abs(c.Usual-0.5) > 1e-6 {
		t.Fatalf("%+v", table.Cliff)
	}
	if table.Propose(s, points, l, 5); len(table.Next) == 0 || table.Next[0].Values[0] != "12" || table.Next[0].InGrid {
		t.Errorf("%+v", table.Next)
	}
}

func TestNothingMatters(t *testing.T) {
	table, _, _, _ := answered(t, answerStudy, func(map[string]float64) float64 { return 3 }, nil)
	if table.Words != "All points take about the same, 3 s." {
		t.Error(table.Words)
	}
}

// TestNextFindsTheBest leaves out the best corner of an additive study: the
// model must ask for it first.
func TestNextFindsTheBest(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		slope, curve := rapid.Float64Range(0.2, 2).Draw(r, "slope"), rapid.Float64Range(0.1, 1).Draw(r, "curve")
		table, s, points, l := answered(t, answerStudy,
			func(v map[string]float64) float64 { return math.Pow(v["n"], -slope) * math.Pow(v["m"], curve) * v["k"] },
			func(v map[string]float64) bool { return v["n"] == 32 && v["m"] == 1 })
		table.Propose(s, points, l, 3)
		if len(table.Next) == 0 || !table.Next[0].InGrid || strings.Join(table.Next[0].Values, " ") != "32 1 1" {
			r.Fatalf("proposes %+v", table.Next)
		}
		if !strings.HasPrefix(table.Words, "34 of 36 points are done") {
			r.Fatal(table.Words)
		}
	})
}

func TestWordsOfFewPoints(t *testing.T) {
	s := parse(t, "kind='whatif'\n[point]\ntrace='t'\nchange='noise=none'")
	points, err := s.Points()
	if err != nil {
		t.Fatal(err)
	}
	l := &Ledger{of: map[string]entry{}, times: map[string]int{}}
	if w := Tabulate(s, points, l).Words; w != "The only point is not done." {
		t.Error(w)
	}
	l.add(entry{Key: points[0].Key, Outcome: Outcome{Seconds: 2}})
	if w := Tabulate(s, points, l).Words; w != "The only point takes 2 s." {
		t.Error(w)
	}
}
