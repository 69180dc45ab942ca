package growth

import (
	"fmt"
	"math"
	"math/rand/v2"
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
	if _, low, high := m.At(64); low > 5 || high < 5 || high > 5.2 { // it may have begun to grow, within the scatter
		t.Errorf("interval [%v, %v]", low, high)
	}
}

// The interval holds the truth of what is shared work and a cost that grows, and
// the forecast says whether the run gets faster.
func TestSumForetells(t *testing.T) {
	sizes := []float64{2, 4, 8, 16, 32, 64}
	work := func(p float64) float64 { return 100 / p }
	for name, cost := range map[string]func(p float64) float64{
		"constant":    func(p float64) float64 { return 2 },
		"log p":       func(p float64) float64 { return 0.3 * math.Log2(p) },
		"√p":          func(p float64) float64 { return 0.2 * math.Sqrt(p) },
		"p":           func(p float64) float64 { return 0.02 * p },
		"p²":          func(p float64) float64 { return 0.0005 * p * p },
		"p log p":     func(p float64) float64 { return 0.004 * p * math.Log2(p) },
		"p^0.4":       func(p float64) float64 { return 0.4 * math.Pow(p, 0.4) },
		"p − 1":       func(p float64) float64 { return 0.02 * (p - 1) },
		"1/p + log p": func(p float64) float64 { return 5/p + 0.1*math.Log2(p) }, // imbalance and messages
		"1/p + p":     func(p float64) float64 { return 3/p + 0.02*p },
	} {
		const series = 20
		held, right := 0, 0
		for seed := range uint64(series) {
			random := rand.New(rand.NewPCG(seed, 1))
			truth := func(p float64) float64 { return work(p) + cost(p) }
			var sum Sum
			for _, part := range []func(p float64) float64{work, cost} {
				var points []Point
				for _, p := range sizes {
					points = append(points, Point{p, part(p) * math.Exp(0.005*random.NormFloat64())})
				}
				m, err := Fit(points)
				if err != nil {
					t.Fatal(err)
				}
				sum = append(sum, m)
			}
			value, low, high := sum.At(128)
			if low <= truth(128) && truth(128) <= high && high-low < 0.4*truth(128) {
				held++
			}
			if (value < truth(64)) == (truth(128) < truth(64)) {
				right++
			}
		}
		if held < series-1 || right < series-1 {
			t.Errorf("%s: the interval holds the truth in %d of %d, faster or slower is right in %d", name, held, series, right)
		}
	}
}

// Nothing that was measured above zero is foretold to be below it.
func TestFitStaysAboveZero(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 2))
		var points []Point
		for _, p := range []float64{4, 8, 16, 32, 64} {
			points = append(points, Point{p, 100 / p * math.Exp(0.3*random.NormFloat64())})
		}
		m, err := Fit(points)
		if err != nil {
			t.Fatal(err)
		}
		for p := 4.0; p < 1e9; p *= 2 {
			if v := m.Value(p); v < 0 {
				t.Fatalf("%s is %v at %v", m, v, p)
			}
		}
	}
}

func TestSumOfParts(t *testing.T) {
	sum := Sum{{C0: 1, Term: Term{C: 2, I: -1}}, {Term: Term{C: 0.5, I: 2}}, {Shared: 3, Term: Term{C: 0.25, I: 2}}}
	if got := sum.String(); got != "1 + 5·p^-1 + 0.75·p^2" {
		t.Error(got)
	}
	if got := sum.Value(10); math.Abs(got-76.5) > 1e-9 {
		t.Error(got)
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

// A single term is found again of three points, and what follows none is off.
func TestFitTerm(t *testing.T) {
	for _, want := range []Term{{C: 5}, {C: 100, I: -1}, {C: 3, I: 0.5}, {C: 2, I: 1, J: 1}} {
		var points []Point
		for _, p := range []float64{2, 4, 8} {
			points = append(points, Point{p, want.C * term(p, want.I, want.J)})
		}
		m, err := FitTerm(points)
		if value := want.C * term(16, want.I, want.J); err != nil || m.SMAPE > 1e-9 || math.Abs(m.Value(16)-value) > 1e-6*value {
			t.Errorf("%+v: %s, %v", want, m, err)
		}
	}
	if m, err := FitTerm([]Point{{2, 100}, {4, 900}, {8, 30}}); err != nil || m.SMAPE < 0.5 {
		t.Errorf("%s, off by %v, %v", m, m.SMAPE, err)
	}
	if _, err := FitTerm([]Point{{2, 1}, {4, 2}}); err == nil {
		t.Error("two points make a model")
	}
}
