package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"auspex/analyze"
	"auspex/fuzzy"
)

// What is said with a modifier has the degree that asking for it gives.
func TestWordsAndModifiersAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := rapid.Float64Range(0, 1).Draw(t, "degree")
		set, err := fuzzy.ParsePhrase("linear(0, 1)") // whose degree is x itself
		if err != nil {
			t.Fatal(err)
		}
		said := deserves("high", "", analyze.Real(y), true)
		word, rest, _ := strings.Cut(said, " ")
		phrase := set
		for _, m := range fuzzy.Modifiers() {
			if word == string(m) {
				phrase = &fuzzy.Hedge{By: m, X: set}
			}
		}
		bound, err := fuzzy.Bind(phrase, fuzzy.Minimum, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("(degree %.2f)", bound.Degree(y))
		if y := bound.Degree(y); y > 0 && y < 0.005 { // never 0.00 of what is something
			want = "(degree below 0.01)"
		}
		if !strings.Contains(rest, want) {
			t.Fatalf("degree %v is said %q, want %s", y, said, want)
		}
	})
	for degree, want := range map[analyze.Real]string{1: "extremely high (degree 1.00)", 0.75: "very high (degree 0.56)", 0.6: "high (degree 0.60)", 0.3: "partly high (degree 0.30)", 0.1: "hardly high (degree 0.10)"} {
		if got := deserves("high", "", degree, true); got != want {
			t.Errorf("%v is said %q, want %q", degree, got, want)
		}
	}
	if got := deserves("medium", "wtime", 1, false); got != "medium in wtime (degree 1.00)" {
		t.Errorf("got %q", got)
	}
}

func TestRowsThatFit(t *testing.T) {
	region := "r"
	answer := func(degrees ...analyze.Real) *analyze.Answer {
		a := &analyze.Answer{}
		for _, d := range degrees {
			a.Rows = append(a.Rows, analyze.Answered{Region: &region, Degree: d})
		}
		return a
	}
	limited := func(a *analyze.Answer) *analyze.Answer {
		a.Limited = true
		return a
	}
	several := answer(0.2, 0.9)
	several.Experiments, several.Rows[1].Experiment = 2, "after"
	for want, a := range map[string]*analyze.Answer{
		"LIMIT leaves 1 row: r, which fits fully (degree 0.90).":                                                        limited(answer(0.9)),
		"LIMIT leaves 2 rows, 1 of which fits to a degree of 0.5 or more; of these, r fits best, fully (degree 0.90).":  limited(answer(0.2, 0.9)),
		"LIMIT leaves 2 rows, which all fit to a degree of 0.5 or more; of these, r and 1 other fit best, fully (degre": limited(answer(0.9, 0.9)),
		"1 row fits to a degree of 0.5 or more, 1 less. r of after fits best, fully (degree 0.90).":                     several,
		"1 row fits to a degree of 0.5 or more, 2 less.":                                                                answer(0.9, 0.2, 0.1),
		"2 rows fit to a degree of 0.5 or more. ":                                                                       answer(0.9, 0.5),
		"No row fits to a degree of 0.5 or more; 1 row fits less":                                                       answer(0.4),
	} {
		if got := AnswerWords(a); !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Alike is said of what is alike, not of what differs as much as the others.
func TestAlikeIsAbsolute(t *testing.T) {
	units := func(similarity ...analyze.Real) *analyze.UnitSimilarity {
		u := &analyze.UnitSimilarity{Region: "solve"}
		for i, s := range similarity {
			u.Rows = append(u.Rows, analyze.UnitLike{Unit: i, Similarity: s})
		}
		return u
	}
	for want, u := range map[string]*analyze.UnitSimilarity{
		"All 2 units are alike":     units(0.96, 0.99),
		"The 3 units differ":        units(0.5, 0.6, 0.7),
		"Only unit 0 entered solve": units(1),
	} {
		if got := UnitSimilarityWords(u); !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Times of one table share the largest one's unit and lose no digit that matters.
func TestTimesShareAUnit(t *testing.T) {
	write := quantities("s", []analyze.Real{12.5, 0.004, 1e-7})
	for v, want := range map[analyze.Real]string{12.5: "12.50 s", 0.004: "0.004 s", 1e-7: "0.0000001 s", 4.8e-18: "0 s", 0: "0 s", analyze.Real(math.NaN()): dash} {
		if got := write(v); v == v && got != want || v != v && got != dash {
			t.Errorf("%v is written %q, want %q", v, got, want)
		}
	}
	if got := quantities("s", []analyze.Real{0.002})(0.0005); got != "0.500 ms" {
		t.Errorf("got %q", got)
	}
}

func TestCurvesInWords(t *testing.T) {
	for _, c := range []struct {
		statement string
		degree    analyze.Real
		want      string
	}{
		{"imbalance is S(1, 3)", 1, "imbalance is well above 1"},
		{"imbalance is S(1, 3)", 0.1, "imbalance is above 1"},
		{"imbalance is S(1, 3)", 0, "imbalance is S(1, 3)"},
		{"ipc is Z(0.5, 1)", 0.6, "ipc is well below 1"},
		{"ipc is not Z(0.5, 1)", 0.6, "ipc is not Z(0.5, 1)"},
		{"ipc is Pi(1, 0.5)", 0.6, "ipc is Pi(1, 0.5)"},
		{"ipc is low", 0.6, "ipc is low"},
	} {
		if got := shapeWords(c.statement, c.degree); got != c.want {
			t.Errorf("%s at %v: %q, want %q", c.statement, c.degree, got, c.want)
		}
	}
}
