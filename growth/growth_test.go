package growth

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// A function of the family is found again, exponents and all.
func TestFitFindsWhatWasPlanted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := exponents[rapid.IntRange(0, len(exponents)-1).Draw(t, "i")]
		j := rapid.IntRange(0, mostLogs).Draw(t, "j")
		if i == 0 && j == 0 {
			i = 1
		}
		c0, c := rapid.Float64Range(0.1, 10).Draw(t, "c0"), rapid.Float64Range(0.1, 10).Draw(t, "c")
		var points []Point
		for _, p := range []float64{2, 4, 8, 16, 32, 64, 128} {
			points = append(points, Point{p, c0 + c*term(p, i, j)})
		}
		m, err := Fit(points)
		if err != nil {
			t.Fatal(err)
		}
		want := c0 + c*term(512, i, j)
		if got, low, high := m.At(512); math.Abs(got-want) > 0.02*want || low > got || high < got {
			t.Fatalf("%s at 512: %v in [%v, %v], not %v (%v, %d)", m, got, low, high, want, i, j)
		}
	})
}

func TestFitRefuses(t *testing.T) {
	if _, err := Fit([]Point{{1, 1}, {2, 2}, {4, 3}, {8, 4}}); err == nil {
		t.Error("four points make a model")
	}
	if _, err := Fit([]Point{{1, 1}, {2, 2}, {4, 3}, {8, math.NaN()}, {16, 3}}); err == nil {
		t.Error("a hole makes a model")
	}
}

// What does not grow is a constant, also where it scatters.
func TestFitConstant(t *testing.T) {
	m, err := Fit([]Point{{2, 5.01}, {4, 4.98}, {8, 5.02}, {16, 4.99}, {32, 5}})
	if err != nil || !m.Constant() || m.String() != "5" {
		t.Errorf("%v, %v", m, err)
	}
	if _, low, high := m.At(64); low > 5 || high < 5 || high > 5.1 {
		t.Errorf("interval [%v, %v]", low, high)
	}
}

func ExampleFit() {
	var points []Point
	for _, p := range []float64{2, 4, 8, 16, 32} {
		points = append(points, Point{p, 10 + 0.5*p*math.Log2(p)})
	}
	m, _ := Fit(points)
	value, _, _ := m.At(64)
	fmt.Printf("%s; at 64 processes %.0f\n", m, value)
	// Output: 10 + 0.5·p·log2(p); at 64 processes 202
}
