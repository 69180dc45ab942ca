package fuzzy

import (
	"fmt"
	"math"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
	"pgregory.net/rapid"
)

func set(t testing.TB, text string) Set {
	t.Helper()
	p, err := ParsePhrase(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	s, err := Bind(p, Minimum, func(r *TermRef) (Set, error) { return nil, fmt.Errorf("unknown term %s", r) })
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

// TestModifiers checks each modifier at a degree of 0.36 and at one of 0.7, on
// linear(0, 1), whose degree is x itself.
func TestModifiers(t *testing.T) {
	// slightly A = intensify(norm(plus A AND not very A)). The two curves
	// y^1.25 and 1−y² cross where y² + y^1.25 = 1; that is the maximum.
	cross := 0.5
	for range 200 {
		cross -= (cross*cross + math.Pow(cross, 1.25) - 1) / (2*cross + 1.25*math.Pow(cross, 0.25))
	}
	top := math.Pow(cross, 1.25)
	intensify := func(y float64) float64 {
		if y < 0.5 {
			return 2 * y * y
		}
		return 1 - 2*(1-y)*(1-y)
	}
	for _, c := range []struct {
		phrase string
		x, y   float64
	}{
		{"linear(0,1)", 0.36, 0.36},
		{"not linear(0,1)", 0.36, 0.64},
		{"very linear(0,1)", 0.36, 0.1296},
		{"extremely linear(0,1)", 0.36, 0.046656},
		{"plus linear(0,1)", 0.36, math.Pow(0.36, 1.25)},
		{"somewhat linear(0,1)", 0.36, 0.6},
		{"more_or_less linear(0,1)", 0.343, 0.7},
		{"more or less linear(0,1)", 0.343, 0.7},
		{"MORE_OR_LESS linear(0,1)", 0.343, 0.7},
		{"intensify linear(0,1)", 0.36, 2 * 0.36 * 0.36},
		{"intensify linear(0,1)", 0.7, 1 - 2*0.09},
		{"norm points(0 0, 1 0.5)", 0.36, 0.36},
		{"norm points(0 0)", 0.36, 0},
		{"norm very points(0 0, 1 0.5)", 0.5, 0.25},
		{"slightly linear(0,1)", 0.36, intensify(math.Pow(0.36, 1.25) / top)},
		{"slightly linear(0,1)", 0.7, intensify((1 - 0.49) / top)},
		{"above triangle(0,1,2)", 0.5, 0}, {"above triangle(0,1,2)", 1, 0}, {"above triangle(0,1,2)", 1.25, 0.25}, {"above triangle(0,1,2)", 9, 1},
		{"below triangle(0,1,2)", 0.25, 0.75}, {"below triangle(0,1,2)", 1, 0}, {"below triangle(0,1,2)", 3, 0}, {"below triangle(0,1,2)", -4, 1},
		{"above trapezoid(0,1,2,3)", 2.5, 0.5}, {"below trapezoid(0,1,2,3)", 1.5, 0},
		{"above Z(0,1)", 0.5, 0.5}, {"below Z(0,1)", 0.5, 0}, {"below Z(0,1)", -3, 0},
		{"below very triangle(0,1,2)", 0.5, 0.75},
		// not triangle first reaches 1 at the far left, so all of it is above.
		{"above not triangle(0,1,2)", 0.5, 0.5},
		{"very very linear(0,1)", 0.5, 0.0625},
		{"not very linear(0,1)", 0.5, 0.75},
		{"very not linear(0,1)", 0.5, 0.25},
		{"linear(0,1) and linear(1,0)", 0.3, 0.3},
		{"linear(0,1) or linear(1,0)", 0.3, 0.7},
		{"not (linear(0,1) or linear(1,0))", 0.3, 0.3},
		{"linear(0,1) or linear(1,0) and singleton(9)", 0.3, 0.3},
	} {
		if got := set(t, c.phrase).Degree(c.x); !near(got, c.y, 1e-9) {
			t.Errorf("%s at %v = %v, want %v", c.phrase, c.x, got, c.y)
		}
		if got := set(t, c.phrase).Degree(math.NaN()); !math.IsNaN(got) {
			t.Errorf("%s of missing = %v", c.phrase, got)
		}
	}
}

func TestPhraseText(t *testing.T) {
	for in, want := range map[string]string{
		"Very  HIGH":                   "very HIGH",
		"high or low and not medium":   "high OR (low AND not medium)",
		"(high or low) and not medium": "(high OR low) AND not medium",
		"not (high or low)":            "not (high OR low)",
		"((high))":                     "high",
		`"very odd" or "not"`:          `"very odd" OR "not"`,
		"more or less high":            "more_or_less high",
		`"more" or high`:               `"more" OR high`,
		"more or high":                 `"more" OR high`,
		"very S(0,1)@9":                "very S(0, 1)@9",
		"a and (b and c)":              "a AND (b AND c)",
		"very (high)":                  "very high",
	} {
		p, err := ParsePhrase(in)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if p.String() != want {
			t.Errorf("%s prints %s, want %s", in, p, want)
		}
		q, err := ParsePhrase(p.String())
		if err != nil || q.String() != p.String() {
			t.Errorf("%s came back as %v, %v", p, q, err)
		}
	}
	for in, want := range map[string]string{
		"":                                       "expected a term",
		"very":                                   "expected a term such as high, found the end",
		"high low":                               "unexpected low",
		"(high":                                  "expected )",
		"high and":                               "expected a term",
		"is":                                     "written in double quotes",
		"very (":                                 "expected a term",
		"high or 3":                              "found 3",
		"trapez(1)":                              "expected a shape",
		strings.Repeat("very ", 300) + "high":    "nested more than",
		strings.Repeat("slightly ", 17) + "high": "at most 64 terms under at most 16 modifiers, not 1 under 17",
		"high" + strings.Repeat(" or high", 64):  "not 65 under 0",
		strings.Repeat("(", 50000):               "nested more than",
	} {
		if _, err := ParsePhrase(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParsePhrase(%.30q) = %v, want %q", in, err, want)
		}
	}
}

func TestConditionText(t *testing.T) {
	const src = "NOT (a is high and b/c is low) or a is very high"
	c, err := ParseCondition(src)
	if err != nil {
		t.Fatal(err)
	}
	if want := "NOT ((a is high) AND (b/c is low)) OR (a is very high)"; c.String() != want {
		t.Errorf("%s prints %s", src, c)
	}
	var metrics []string
	if err := Statements(c, func(is *Is) error { metrics = append(metrics, is.Metric.String()); return nil }); err != nil {
		t.Fatal(err)
	}
	if strings.Join(metrics, " ") != "a b/c a" || c.Pos() != 0 {
		t.Errorf("statements about %v, beginning at %d", metrics, c.Pos())
	}
	values := map[string]float64{"a": 0.3, "b/c": 0.9}
	if y := Combine(c, Minimum, func(is *Is) float64 { return values[is.Metric.String()] }); y != 0.7 {
		t.Errorf("the degree is %v", y)
	}
	for _, bad := range []string{"", "a", "a is", "(a is high", "a is high b is low", "a is high and"} {
		if _, err := ParseCondition(bad); err == nil {
			t.Errorf("the condition %q was accepted", bad)
		}
	}
}

func anyPhrase(depth int) *rapid.Generator[Phrase] {
	return rapid.Custom(func(t *rapid.T) Phrase {
		kind := rapid.IntRange(0, 5).Draw(t, "kind")
		switch {
		case depth == 0 || kind < 2:
			return &Literal{Shape: anyShape().Draw(t, "shape")}
		case kind < 5:
			return &Hedge{By: rapid.SampledFrom(Modifiers()).Draw(t, "modifier"), X: anyPhrase(depth-1).Draw(t, "x")}
		}
		return &Junction{Or: rapid.Bool().Draw(t, "or"), Xs: rapid.SliceOfN(anyPhrase(depth-1), 2, 3).Draw(t, "xs")}
	})
}

func anyLogic() *rapid.Generator[Logic] {
	gamma, _ := Compensatory(DefaultGamma)
	return rapid.SampledFrom([]Logic{Minimum, Product, gamma})
}

func bindAny(t *rapid.T, p Phrase, logic Logic) Set {
	s, err := Bind(p, logic, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPhraseProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPhrase(3).Draw(t, "phrase")
		q, err := ParsePhrase(p.String())
		if err != nil || q.String() != p.String() {
			t.Fatalf("%s came back as %v, %v", p, q, err)
		}
		logic := anyLogic().Draw(t, "logic")
		s, again := bindAny(t, p, logic), bindAny(t, q, logic)
		for i := -100; i <= 100; i++ {
			x := float64(i) / 5
			y := s.Degree(x)
			if !(y >= 0 && y <= 1) {
				t.Fatalf("%s at %v = %v", p, x, y)
			}
			if y != again.Degree(x) {
				t.Fatalf("%s differs after printing", p)
			}
			if d := Modify(Not, Modify(Not, s)).Degree(x); !near(d, y, 1e-15) {
				t.Fatalf("not not %s at %v = %v, not %v", p, x, d, y)
			}
			if d := Modify(Very, s).Degree(x); d > y {
				t.Fatalf("very %s at %v = %v is above %v", p, x, d, y)
			}
			if d := Modify(Somewhat, s).Degree(x); d < y {
				t.Fatalf("somewhat %s at %v = %v is below %v", p, x, d, y)
			}
		}
	})
}

// TestCut looks for values outside the bounds whose degree is above the level.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := bindAny(t, anyPhrase(3).Draw(t, "phrase"), anyLogic().Draw(t, "logic"))
		level := float64(rapid.IntRange(0, 100).Draw(t, "level")) / 100
		lo, hi := Cut(s, level)
		for i := -400; i <= 400; i++ {
			x := float64(i) / 20
			if (x < lo || x > hi) && s.Degree(x) > level {
				t.Fatalf("%s at %v = %v is above %v, outside [%v, %v]", s, x, s.Degree(x), level, lo, hi)
			}
		}
	})
	for text, want := range map[string][2]float64{
		"S(1, 3)": {2, math.Inf(1)}, "Z(1, 3)": {math.Inf(-1), 2}, "very very triangle(0, 16, 32)": {13.454, 18.546},
		"not S(1, 3)": {math.Inf(-1), math.Inf(1)}, "above triangle(0, 1, 2)": {1, math.Inf(1)},
	} {
		if lo, hi := Cut(set(t, text), 0.5); !near(lo, want[0], 1e-3) && lo != want[0] || !near(hi, want[1], 1e-3) && hi != want[1] {
			t.Errorf("Cut(%s, 0.5) = [%v, %v], want %v", text, lo, hi, want)
		}
	}
}

// TestLogicLaws holds what AND and OR owe under each logic.
func TestLogicLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		degree := rapid.Float64Range(0, 1)
		a, b, c := degree.Draw(t, "a"), degree.Draw(t, "b"), degree.Draw(t, "c")
		for _, l := range []Logic{Minimum, Product} {
			if l.And(a, b) != l.And(b, a) || l.Or(a, b) != l.Or(b, a) {
				t.Fatalf("%s does not commute", l)
			}
			if !near(l.And(a, l.And(b, c)), l.And(a, b, c), 1e-12) || !near(l.Or(a, l.Or(b, c)), l.Or(a, b, c), 1e-12) {
				t.Fatalf("%s does not associate", l)
			}
			if !near(1-l.And(a, b), l.Or(1-a, 1-b), 1e-12) {
				t.Fatalf("De Morgan fails under %s", l)
			}
			if l.And(a, 1) != a || !near(l.Or(a, 0), a, 1e-15) || l.And(a, 0) != 0 || l.Or(a, 1) != 1 {
				t.Fatalf("%s treats 0 or 1 wrongly", l)
			}
		}
		gamma, err := Compensatory(rapid.Float64Range(0, 1).Draw(t, "gamma"))
		if err != nil {
			t.Fatal(err)
		}
		y := gamma.And(a, b)
		if y < Product.And(a, b)-1e-12 || y > Product.Or(a, b)+1e-12 {
			t.Fatalf("%s of %v and %v = %v is not between product and sum", gamma, a, b, y)
		}
		nan := math.NaN()
		for _, l := range []Logic{Minimum, Product, gamma} {
			if !math.IsNaN(l.And(a, nan)) || !math.IsNaN(l.Or(nan, nan)) || !near(l.Or(nan, a), l.Or(a), 1e-15) {
				t.Fatalf("%s counts a missing degree", l)
			}
			if again, err := ParseLogic(l.String()); err != nil || again != l {
				t.Fatalf("%s came back as %s, %v", l, again, err)
			}
		}
	})
	for _, bad := range []string{"", "max", "compensatory(2)", "product(1)", "min min"} {
		if _, err := ParseLogic(bad); err == nil {
			t.Errorf("the logic %q was accepted", bad)
		}
	}
}
