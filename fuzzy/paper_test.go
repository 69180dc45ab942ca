package fuzzy

import (
	"math"
	"testing"
)

func shape(t testing.TB, text string) *Shape {
	t.Helper()
	s, err := ParseShape(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance || math.IsNaN(a) && math.IsNaN(b)
}

// TestTable2 reproduces the factor similarities of Soft performance analysis,
// Table 2, from the parameters of Table 1. The paper's figures come from sets
// drawn through nine points; the exact curves give the values beside them.
func TestTable2(t *testing.T) {
	for _, c := range []struct {
		factor, set   string
		base, other   float64
		want, printed float64
	}{
		{"atoms", "linear(0, 72)", 36, 72, 0.5, 0.5},
		{"CPU", "S(0, 64)@9", 8, 12, 0.953125, 0.9531},
		{"CPU, exact", "S(0, 64)", 8, 12, 0.9609375, 0.9609},
		{"network, same", "S(0, 158.20)@9", 158.20, 158.20, 1, 1},
		// The paper does not print P4's bandwidth; 42.95 gives its figure.
		{"network", "S(0, 158.20)@9", 42.95, 158.20, 0.1518647, 0.1519},
		// Below the middle the exact S is 2(x/c)²: 2·(42.95/158.2)².
		{"network, exact", "S(0, 158.20)", 42.95, 158.20, 2 * math.Pow(42.95/158.20, 2), 0.1474},
	} {
		f := Factor{Set: shape(t, c.set)}
		got := f.Similarity(c.base, c.other)
		if !near(got, c.want, 1e-6) || !near(got, c.printed, 5e-5) {
			t.Errorf("%s: similarity %.7f, want %.7f, printed %v", c.factor, got, c.want, c.printed)
		}
	}
}

// TestSection63 computes the memberships of §6.3: severity of an L2 miss ratio
// above 0.7, and the band around the threshold.
func TestSection63(t *testing.T) {
	low, medium, high := shape(t, "Z(0.7, 0.8)"), shape(t, "Pi(0.85, 0.10)"), shape(t, "S(0.9, 1)")
	band := shape(t, "triangle(0.65, 0.7, 0.75)")
	for _, c := range []struct {
		x                       float64
		low, medium, high, band float64
	}{
		// 0.92: Pi falls from 0.85 to 0.95, 0.92 lies beyond its middle 0.90,
		// so 2·(0.03/0.10)² = 0.18; S: 2·(0.02/0.10)² = 0.08.
		{0.92, 0, 0.18, 0.08, 0},
		// 0.69: four fifths up the triangle. Z is 1 below its range, which is
		// why severity is only told where the crisp test holds.
		{0.69, 1, 0, 0, 0.8},
	} {
		for _, s := range []struct {
			name string
			set  *Shape
			want float64
		}{{"low", low, c.low}, {"medium", medium, c.medium}, {"high", high, c.high}, {"band", band, c.band}} {
			if got := s.set.Degree(c.x); !near(got, s.want, 1e-12) {
				t.Errorf("%s of %v = %v, want %v", s.name, c.x, got, s.want)
			}
		}
	}
}

func TestFigure4Defaults(t *testing.T) {
	severe, err := SevereBottleneck(0.7, 1)
	if err != nil {
		t.Fatal(err)
	}
	negligible, err := NegligibleBottleneck(0.7, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	if severe.Degree(0.7) != 0 || severe.Degree(1) != 1 || negligible.Degree(0.7) != 1 || negligible.Degree(0.75) != 0 {
		t.Error("Figure 4's sets do not begin and end where it draws them")
	}
}

// TestScores holds equations 1 and 2.
func TestScores(t *testing.T) {
	linear := shape(t, "linear(0, 1)")
	for _, c := range []struct {
		set           string
		v, base, want float64
	}{
		{"linear(0, 1)", 30, 120, 0.25},
		{"linear(0, 1)", 150, 120, 1},
		{"linear(0, 1)", 0, 0, 0},
		{"Z(0, 1)", 0, 0, 1},
		{"linear(0, 1)", 3, 0, math.NaN()},
		{"linear(0, 1)", math.NaN(), 1, math.NaN()},
		{"S(0, 1)@9", 8, 64, 0.03125}, // the same as S(0, 64)@9 of 8
		{"S(0, 1)@9", 12, 64, 0.078125},
	} {
		if got := Score(shape(t, c.set), c.v, c.base); !near(got, c.want, 1e-12) {
			t.Errorf("Score(%s, %v, %v) = %v, want %v", c.set, c.v, c.base, got, c.want)
		}
	}
	scores := []float64{Score(linear, 1, 4), Score(linear, 3, 4), math.NaN()}
	got, err := Aggregate(scores, []float64{0.6, 0.2, 0.2})
	if err != nil || !near(got, (0.25*0.6+0.75*0.2)/0.8, 1e-12) {
		t.Errorf("Aggregate = %v, %v", got, err)
	}
	if got, err := Aggregate([]float64{math.NaN()}, nil); err != nil || !math.IsNaN(got) {
		t.Errorf("Aggregate of nothing = %v, %v", got, err)
	}
	for _, w := range [][]float64{{1}, {0, 0, 0}, {1, -1, 1}, {math.NaN(), 1, 1}} {
		if _, err := Aggregate(scores, w); err == nil {
			t.Errorf("the weights %v were accepted", w)
		}
	}
}
