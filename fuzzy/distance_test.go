package fuzzy

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestDistances(t *testing.T) {
	nan := math.NaN()
	three, _ := Minkowski(3)
	for _, c := range []struct {
		d       Distance
		a, b, w []float64
		want    float64
	}{
		{Euclidean, []float64{1, 0}, []float64{0, 0}, nil, math.Sqrt(0.5)},
		{Euclidean, []float64{1, 0}, []float64{0, 0}, []float64{3, 1}, math.Sqrt(0.75)},
		{Euclidean, []float64{1, 1}, []float64{0, 0}, nil, 1},
		{Manhattan, []float64{1, 0.5}, []float64{0, 0}, nil, 0.75},
		{three, []float64{1, 0}, []float64{0, 0}, nil, math.Cbrt(0.5)},
		{Correlation, []float64{0, 0.5, 1}, []float64{0.2, 0.4, 0.6}, nil, 0},
		{Correlation, []float64{0, 0.5, 1}, []float64{0.6, 0.4, 0.2}, nil, 1},
		{Correlation, []float64{1, 1, 1}, []float64{0, 0.5, 1}, nil, nan},
		{ChiSquare, []float64{1, 0.5}, []float64{0, 0.5}, nil, 0.5},
		{ChiSquare, []float64{0, 0}, []float64{0, 0}, nil, 0},
		{Manhattan, []float64{nan, 0.5}, []float64{0, 0}, nil, 0.5},
		{Manhattan, []float64{nan}, []float64{0}, nil, nan},
	} {
		got, err := c.d.Between(c.a, c.b, c.w)
		if err != nil || !near(got, c.want, 1e-12) {
			t.Errorf("%s of %v and %v = %v, %v, want %v", c.d, c.a, c.b, got, err, c.want)
		}
	}
	if _, err := Correlation.Between([]float64{1, 2}, []float64{1, 2}, nil); err == nil {
		t.Error("two metrics were correlated")
	}
	if _, err := Euclidean.Between([]float64{1}, nil, nil); err == nil {
		t.Error("vectors of different length were compared")
	}
	for _, name := range []string{"euclidean", "manhattan", "minkowski(3)", "correlation", "chi-square"} {
		if d, err := ParseDistance(name); err != nil || d.String() != name {
			t.Errorf("%s is %s, %v", name, d, err)
		}
	}
	for _, bad := range []string{"", "euclid", "minkowski", "minkowski(0)", "minkowski(3", "minkowski(3)x"} {
		if _, err := ParseDistance(bad); err == nil {
			t.Errorf("the distance %q was accepted", bad)
		}
	}
}

func TestDistanceProperties(t *testing.T) {
	five, _ := Minkowski(5)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 6).Draw(t, "n")
		scores := rapid.SliceOfN(rapid.Float64Range(0, 1), n, n)
		a, b := scores.Draw(t, "a"), scores.Draw(t, "b")
		w := rapid.SliceOfN(rapid.Float64Range(0.1, 9), n, n).Draw(t, "w")
		for _, d := range []Distance{Euclidean, Manhattan, five, Correlation, ChiSquare} {
			ab, err := d.Between(a, b, w)
			if err != nil {
				t.Fatal(err)
			}
			if math.IsNaN(ab) && d == Correlation {
				continue
			}
			ba, _ := d.Between(b, a, w)
			if !(ab >= 0 && ab <= 1) || !near(ab, ba, 1e-12) {
				t.Fatalf("%s: %v and back %v", d, ab, ba)
			}
			s, err := d.Similarity(a, a, w)
			if err != nil || !near(s, 1, 1e-7) {
				t.Fatalf("%s: a is similar to itself by %v, %v", d, s, err)
			}
		}
	})
}
