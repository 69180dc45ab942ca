package fuzzy

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Defuzzifier turns a fuzzy set into one number.
type Defuzzifier string

// The defuzzifiers.
const (
	Centroid          Defuzzifier = "centroid"            // centre of the area
	Bisector          Defuzzifier = "bisector"            // halves the area
	MeanOfMaximum     Defuzzifier = "mean_of_maximum"     // middle of the highest places
	SmallestOfMaximum Defuzzifier = "smallest_of_maximum" // first highest place
	LargestOfMaximum  Defuzzifier = "largest_of_maximum"  // last highest place
)

// ParseDefuzzifier finds a defuzzifier by its name.
func ParseDefuzzifier(name string) (Defuzzifier, error) {
	for _, d := range []Defuzzifier{Centroid, Bisector, MeanOfMaximum, SmallestOfMaximum, LargestOfMaximum} {
		if strings.EqualFold(name, string(d)) {
			return d, nil
		}
	}
	return "", fmt.Errorf("unknown defuzzifier %q; known are centroid, bisector, mean_of_maximum, smallest_of_maximum and largest_of_maximum", name)
}

// gridSteps is how finely the universe is cut. Between the cuts and the set's
// own knots the curve is taken for straight.
const gridSteps = 2000

// Defuzzify gives the number for s over the universe [lo, hi], or NaN where s is
// zero everywhere.
func (d Defuzzifier) Defuzzify(s Set, lo, hi float64) float64 {
	xs, ys := curve(s, lo, hi, gridSteps)
	top := slices.Max(ys)
	if !(top > 0) {
		return math.NaN()
	}
	switch d {
	case Centroid, Bisector:
		return balance(xs, ys, d == Centroid)
	}
	first, last := math.NaN(), 0.0
	width, moment := 0.0, 0.0
	for i, y := range ys {
		if y < top-1e-9 {
			continue
		}
		if math.IsNaN(first) {
			first = xs[i]
		}
		last = xs[i]
		if i > 0 && ys[i-1] >= top-1e-9 {
			w := xs[i] - xs[i-1]
			width += w
			moment += w * (xs[i] + xs[i-1]) / 2
		}
	}
	switch {
	case d == SmallestOfMaximum:
		return first
	case d == LargestOfMaximum:
		return last
	case width == 0: // single peaks, no plateau
		return (first + last) / 2
	}
	return moment / width
}

// curve samples s at even steps and at its knots.
func curve(s Set, lo, hi float64, steps int) (xs, ys []float64) {
	for i := range steps {
		xs = append(xs, lo+(hi-lo)*float64(i)/float64(steps))
	}
	xs = append(xs, hi)
	for _, k := range s.knots() {
		if k > lo && k < hi {
			xs = append(xs, k)
		}
	}
	slices.Sort(xs)
	xs = slices.Compact(xs)
	for _, x := range xs {
		ys = append(ys, s.Degree(x))
	}
	return xs, ys
}

// balance finds the centre of the area under the curve, or where it is halved.
func balance(xs, ys []float64, centre bool) float64 {
	area, moment := 0.0, 0.0
	sums := make([]float64, len(xs))
	for i := 1; i < len(xs); i++ {
		w, a, b := xs[i]-xs[i-1], ys[i-1], ys[i]
		area += w * (a + b) / 2
		moment += w * (a*(2*xs[i-1]+xs[i]) + b*(xs[i-1]+2*xs[i])) / 6
		sums[i] = area
	}
	if area == 0 { // only single points stand up
		sum, n := 0.0, 0.0
		for i, y := range ys {
			sum, n = sum+y*xs[i], n+y
		}
		return sum / n
	}
	if centre {
		return moment / area
	}
	i, _ := slices.BinarySearch(sums, area/2)
	part := sums[i] - sums[i-1]
	return xs[i-1] + (xs[i]-xs[i-1])*(area/2-sums[i-1])/part
}
