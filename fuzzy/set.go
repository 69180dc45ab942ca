package fuzzy

import (
	"math"
	"slices"
)

// Set is a fuzzy set over the numbers: a shape, or a phrase of words bound to
// shapes.
type Set interface {
	// Degree is the membership of x, in [0, 1]. The membership of a missing
	// value (NaN) is missing.
	Degree(x float64) float64
	// String prints the set as it is written in a vocabulary or a query.
	String() string

	// knots lists where the curve changes its formula.
	knots() []float64
	// cut bounds the places whose degree is above level, in [0, 1): outside
	// [lo, hi] there is none, apart from rounding.
	cut(level float64) (lo, hi float64)
	// peak is the first place where the degree is largest, and that degree.
	peak() (x, y float64)
}

// Cut gives bounds outside which no degree of s is above level, as far as they
// are easily told; they may be infinite. A database uses them to pass over
// values at little cost.
func Cut(s Set, level float64) (lo, hi float64) {
	lo, hi = s.cut(min(max(level, 0), 1) * (1 - 1e-9))
	size := 0.0
	for _, k := range s.knots() {
		size = max(size, math.Abs(k))
	}
	return lo - 1e-9*size, hi + 1e-9*size
}

// findPeak looks for the first maximum of a set whose curve is smooth between
// its knots.
func findPeak(s Set) (x, y float64) {
	ks := s.knots()
	slices.Sort(ks)
	ks = slices.Compact(ks)
	if len(ks) == 0 {
		return 0, s.Degree(0)
	}
	span := ks[len(ks)-1] - ks[0]
	if span == 0 {
		span = 1
	}
	ks = append([]float64{ks[0] - span}, append(ks, ks[len(ks)-1]+span)...)
	steps := max(2, min(64, 16384/len(ks))) // between two knots
	var xs []float64
	for i := 1; i < len(ks); i++ {
		for j := range steps {
			xs = append(xs, ks[i-1]+(ks[i]-ks[i-1])*float64(j)/float64(steps))
		}
	}
	xs = append(xs, ks[len(ks)-1])

	best := 0
	for i, at := range xs {
		if d := s.Degree(at); i == 0 || d > y {
			best, y = i, d
		}
	}
	x = xs[best]
	lo, hi := xs[max(best-1, 0)], xs[min(best+1, len(xs)-1)]
	if gx, gy := golden(s, lo, hi); gy > y+1e-12 {
		return gx, gy
	}
	// On a plateau the first sample may lie beyond its edge.
	for range 60 {
		mid := (lo + x) / 2
		if s.Degree(mid) >= y-1e-12 {
			x = mid
		} else {
			lo = mid
		}
	}
	return x, y
}

// golden narrows [lo, hi] around a single maximum by the golden section.
func golden(s Set, lo, hi float64) (x, y float64) {
	const ratio = 0.6180339887498949
	a, b := hi-ratio*(hi-lo), lo+ratio*(hi-lo)
	ya, yb := s.Degree(a), s.Degree(b)
	for range 80 {
		if ya >= yb {
			hi, b, yb = b, a, ya
			a = hi - ratio*(hi-lo)
			ya = s.Degree(a)
		} else {
			lo, a, ya = a, b, yb
			b = lo + ratio*(hi-lo)
			yb = s.Degree(b)
		}
	}
	x = (lo + hi) / 2
	return x, s.Degree(x)
}

// clamp keeps rounding errors out of the degrees.
func clamp(y float64) float64 {
	if math.IsNaN(y) {
		return y
	}
	return min(1, max(0, y))
}
