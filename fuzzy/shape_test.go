package fuzzy

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDegrees(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		set  string
		x, y float64
	}{
		{"linear(0, 10)", -1, 0}, {"linear(0, 10)", 2.5, 0.25}, {"linear(0, 10)", 11, 1},
		{"linear(10, 0)", 2.5, 0.75}, {"linear(10, 0)", -5, 1},
		{"triangle(0, 1, 3)", 1, 1}, {"triangle(0, 1, 3)", 2, 0.5}, {"triangle(0, 1, 3)", 3, 0},
		{"triangle(0, 0, 2)", 0, 1}, {"triangle(0, 0, 2)", -0.001, 0},
		{"trapezoid(0, 1, 2, 4)", 1.5, 1}, {"trapezoid(0, 1, 2, 4)", 3, 0.5},
		{"trapezoid(0, 0, 2, 2)", 0, 1}, {"trapezoid(0, 0, 2, 2)", 2, 1}, {"trapezoid(0, 0, 2, 2)", 2.01, 0},
		{"S(0, 4)", 1, 0.125}, {"S(0, 4)", 2, 0.5}, {"S(0, 4)", 3, 0.875}, {"S(0, 4)", inf, 1}, {"S(0, 4)", -inf, 0},
		{"Z(0, 4)", 1, 0.875}, {"Z(0, 4)", 4, 0},
		{"Pi(2, 2)", 0, 0}, {"Pi(2, 2)", 1, 0.5}, {"Pi(2, 2)", 2, 1}, {"Pi(2, 2)", 3.5, 0.125},
		{"gaussian(1, 2)", 1, 1}, {"gaussian(1, 2)", 3, math.Exp(-0.5)}, {"gaussian(1, 2)", inf, 0},
		{"singleton(3)", 3, 1}, {"singleton(3)", 3.1, 0},
		{"points(0 0.2, 1 0.8, 1 0.4, 2 1)", -1, 0.2},
		{"points(0 0.2, 1 0.8, 1 0.4, 2 1)", 1, 0.8}, // the larger of a step
		{"points(0 0.2, 1 0.8, 1 0.4, 2 1)", 1.5, 0.7},
		{"points(5 0.5)", 7, 0.5},
		{"S(0, 8)@3", 2, 0.25}, {"S(0, 8)@3", 6, 0.75},
		{"Pi(4, 4)@5", 0.5, 0.0625}, {"Pi(4, 4)@5", 4, 1},
	} {
		if got := shape(t, c.set).Degree(c.x); !near(got, c.y, 1e-12) {
			t.Errorf("%s at %v = %v, want %v", c.set, c.x, got, c.y)
		}
		if got := shape(t, c.set).Degree(math.NaN()); !math.IsNaN(got) {
			t.Errorf("%s of missing = %v", c.set, got)
		}
	}
}

func TestShapeText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"s(0,64)@9", "S(0, 64)@9"},
		{"PI( 0.85 , .1 )", "Pi(0.85, 0.1)"},
		{"points(0 0,10 1)", "points(0 0, 10 1)"},
		{"linear(-1, 1e6)", "linear(-1, 1e+06)"},
	} {
		if got := shape(t, c.in).String(); got != c.want {
			t.Errorf("%s prints %s, want %s", c.in, got, c.want)
		}
	}
	for in, want := range map[string]string{
		"sigma(0, 1)":            "expected a shape, found sigma",
		"trapzoid(0,1,2,3)":      "did you mean trapezoid?",
		"S(0)":                   "S takes 2 numbers, not 1",
		"S(2, 1)":                "needs a < c",
		"triangle(3, 2, 1)":      "rising order",
		"trapezoid(1, 1, 1, 1)":  "rising order",
		"Pi(0, 0)":               "width",
		"Pi(1e300, 1)":           "too small beside",
		"gaussian(0, -1)":        "width",
		"linear(1, 1)":           "two different",
		"points(1 0, 0 1)":       "rising order",
		"points(0 2)":            "not in [0, 1]",
		"points(0)":              "expected a number, found )",
		"triangle(0,1,2)@9":      "cannot be sampled",
		"S(0,1)@1":               "points from 2",
		"S(0,1)@2.5":             "points from 2",
		"S(0,1) x":               "unexpected x",
		"S(0,a)":                 "expected a number, found a",
		"":                       "expected a shape",
		strings.Repeat("S(", 99): "expected a number",
	} {
		if _, err := ParseShape(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseShape(%.30q) = %v, want %q", in, err, want)
		}
	}
}

func TestForms(t *testing.T) {
	for in, want := range map[string]string{
		"linear": "linear(10, 20)", "s@9": "S(10, 20)@9", "Z": "Z(10, 20)", "pi@5": "Pi(15, 5)@5",
		"triangle": "triangle(10, 15, 20)", "trapezoid": "trapezoid(10, 12.5, 17.5, 20)",
	} {
		f, err := ParseForm(in)
		if err != nil {
			t.Fatal(err)
		}
		if s, err := f.Over(10, 20); err != nil || s.String() != want {
			t.Errorf("%s over [10, 20] = %v, %v, want %s", in, s, err, want)
		}
		if _, err := f.Over(20, 10); err == nil {
			t.Errorf("%s was stretched over an empty range", in)
		}
	}
	for _, in := range []string{"points", "singleton", "linear@9", "S(0, 1)", ""} {
		if _, err := ParseForm(in); err == nil {
			t.Errorf("the form %q was accepted", in)
		}
	}
}

// anyShape draws shapes of moderate size, so that degrees vary over [-20, 20].
func anyShape() *rapid.Generator[*Shape] {
	return rapid.Custom(func(t *rapid.T) *Shape {
		n := func(name string) float64 { return float64(rapid.IntRange(-40, 40).Draw(t, name)) / 4 }
		gap := func(name string) float64 { return float64(rapid.IntRange(1, 40).Draw(t, name)) / 4 }
		step := func(name string) float64 { return float64(rapid.IntRange(0, 20).Draw(t, name)) / 4 }
		a := n("a")
		var s *Shape
		var err error
		switch kind := rapid.SampledFrom(Kinds()).Draw(t, "kind"); kind {
		case Triangle:
			b := a + step("b")
			s, err = NewShape(kind, a, b, b+gap("c"))
		case Trapezoid:
			b := a + step("b")
			c := b + step("c")
			s, err = NewShape(kind, a, b, c, c+gap("d"))
		case Singleton:
			s, err = NewShape(kind, a)
		case PiCurve, Gaussian:
			s, err = NewShape(kind, a, gap("width"))
		case Points:
			var p []float64
			for range rapid.IntRange(1, 6).Draw(t, "points") {
				p = append(p, a, float64(rapid.IntRange(0, 8).Draw(t, "y"))/8)
				a += step("x")
			}
			s, err = NewShape(kind, p...)
		case Linear:
			s, err = NewShape(kind, a, a+gap("b"))
			if rapid.Bool().Draw(t, "falling") {
				s, err = NewShape(kind, a, a-gap("b"))
			}
		default:
			s, err = NewShape(kind, a, a+gap("c"))
		}
		if err != nil {
			t.Fatal(err)
		}
		if sampled, err := s.Sampled(rapid.IntRange(2, 12).Draw(t, "samples")); err == nil && rapid.Bool().Draw(t, "sampled") {
			s = sampled
		}
		return s
	})
}

func TestShapeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyShape().Draw(t, "shape")
		again, err := ParseShape(s.String())
		if err != nil || again.String() != s.String() {
			t.Fatalf("%s came back as %v, %v", s, again, err)
		}
		px, py := s.peak()
		if y := s.Degree(px); y != py {
			t.Fatalf("%s: the degree at its peak %v is %v, not %v", s, px, y, py)
		}
		x := float64(rapid.IntRange(-100, 100).Draw(t, "x")) / 5
		y := s.Degree(x)
		if !(y >= 0 && y <= py) {
			t.Fatalf("%s at %v = %v, outside [0, %v]", s, x, y, py)
		}
		if y != again.Degree(x) {
			t.Fatalf("%s differs after printing", s)
		}
		if y == py && x < px-1e-9 && s.kind != ZCurve && s.line.xs == nil {
			t.Fatalf("%s: %v comes before the first maximum %v", s, x, px)
		}
	})
}

func BenchmarkDegree(b *testing.B) {
	xs := make([]float64, 4096)
	for i := range xs {
		xs[i] = float64(i) / 40
	}
	for _, text := range []string{"S(0, 64)", "S(0, 64)@9", "trapezoid(0, 10, 30, 60)", "not very S(0, 64) or Z(10, 90)"} {
		s := set(b, text)
		b.Run(text, func(b *testing.B) {
			b.SetBytes(int64(len(xs)) * 8)
			sum := 0.0
			for b.Loop() {
				for _, x := range xs {
					sum += s.Degree(x)
				}
			}
			if math.IsNaN(sum) {
				b.Fatal(sum)
			}
		})
	}
}
