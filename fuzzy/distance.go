package fuzzy

import (
	"fmt"
	"math"
	"strings"

	"auspex/expr"
)

// Distance measures how far two vectors of performance scores are apart, in
// [0, 1], with weights that add up to 1 (Soft performance analysis, eq. 3 and
// the note below it). The zero value is Euclidean.
type Distance struct {
	name string
	p    float64 // of Minkowski
}

// The distances.
var (
	Euclidean   = Distance{}                    // √Σw(a−b)²
	Manhattan   = Distance{name: "manhattan"}   // Σw|a−b|
	Correlation = Distance{name: "correlation"} // (1−r)/2, at least three scores
	ChiSquare   = Distance{name: "chi-square"}  // Σw(a−b)²/(a+b)
	// Printed is eq. 3 as it stands in the paper, √Σ(a−b)², without weights. Over
	// several metrics it passes 1, where the similarity is 0.
	Printed = Distance{name: "printed"}
)

// Minkowski is (Σw|a−b|^p)^(1/p), p ≥ 1.
func Minkowski(p float64) (Distance, error) {
	if !(p >= 1) || math.IsInf(p, 0) {
		return Distance{}, fmt.Errorf("the p of minkowski must be 1 or more, not %v", p)
	}
	return Distance{name: "minkowski", p: p}, nil
}

// ParseDistance reads euclidean, manhattan, minkowski(3), correlation or
// chi-square.
func ParseDistance(text string) (Distance, error) {
	for _, d := range []Distance{Euclidean, Manhattan, Correlation, ChiSquare, Printed} {
		if strings.EqualFold(text, d.String()) {
			return d, nil
		}
	}
	c, err := expr.NewCursor(text)
	if err == nil && c.AcceptWord("minkowski") {
		if err := c.Expect("("); err != nil {
			return Distance{}, err
		}
		p, err := signedNumber(c)
		if err != nil {
			return Distance{}, err
		}
		if err := c.Expect(")"); err != nil {
			return Distance{}, err
		}
		if err := c.End(); err != nil {
			return Distance{}, err
		}
		return Minkowski(p)
	}
	hint := expr.DidYouMean(text, []string{"euclidean", "manhattan", "correlation", "chi-square", "printed", "minkowski(3)"})
	if hint == "" {
		hint = "known are euclidean, manhattan, minkowski(p), correlation, chi-square and printed"
	}
	return Distance{}, fmt.Errorf("unknown distance %q; %s", text, hint)
}

// String gives the name that ParseDistance reads.
func (d Distance) String() string {
	switch d.name {
	case "":
		return "euclidean"
	case "minkowski":
		return fmt.Sprintf("minkowski(%v)", d.p)
	}
	return d.name
}

// Between computes the distance of a and b, scores in [0, 1]. nil weights are
// equal. Scores that are missing on either side do not count; where too few
// are left, or a correlation is undefined because all scores are alike, the
// result is missing.
func (d Distance) Between(a, b, weights []float64) (float64, error) {
	if len(a) != len(b) {
		return 0, fmt.Errorf("%d scores against %d", len(a), len(b))
	}
	w, err := checkWeights(len(a), weights)
	if err != nil {
		return 0, err
	}
	var x, y, ws []float64
	total := 0.0
	for i := range a {
		if finite(a[i]) && finite(b[i]) && w[i] > 0 {
			x, y, ws = append(x, a[i]), append(y, b[i]), append(ws, w[i])
			total += w[i]
		}
	}
	if d == Correlation && len(a) < 3 {
		return 0, fmt.Errorf("correlation needs at least three metrics, not %d", len(a))
	}
	if len(x) == 0 {
		return math.NaN(), nil
	}
	for i := range ws {
		ws[i] /= total
	}
	return clamp(d.compute(x, y, ws)), nil
}

// compute takes weights that add up to 1.
func (d Distance) compute(x, y, w []float64) float64 {
	sum := 0.0
	switch d.name {
	case "correlation":
		if len(x) < 3 {
			return math.NaN()
		}
		return (1 - correlation(x, y, w)) / 2
	case "chi-square":
		for i := range x {
			if t := x[i] + y[i]; t > 0 {
				sum += w[i] * (x[i] - y[i]) * (x[i] - y[i]) / t
			}
		}
		return sum
	case "printed":
		for i := range x {
			sum += (x[i] - y[i]) * (x[i] - y[i])
		}
		return math.Sqrt(sum)
	case "manhattan":
		for i := range x {
			sum += w[i] * math.Abs(x[i]-y[i])
		}
		return sum
	case "minkowski":
		for i := range x {
			sum += w[i] * math.Pow(math.Abs(x[i]-y[i]), d.p)
		}
		return math.Pow(sum, 1/d.p)
	}
	for i := range x {
		sum += w[i] * (x[i] - y[i]) * (x[i] - y[i])
	}
	return math.Sqrt(sum)
}

// correlation is Pearson's r with weights; NaN where one side does not vary.
func correlation(x, y, w []float64) float64 {
	var mx, my float64
	for i := range x {
		mx, my = mx+w[i]*x[i], my+w[i]*y[i]
	}
	var sxy, sxx, syy float64
	for i := range x {
		dx, dy := x[i]-mx, y[i]-my
		sxy, sxx, syy = sxy+w[i]*dx*dy, sxx+w[i]*dx*dx, syy+w[i]*dy*dy
	}
	if sxx < 1e-24 || syy < 1e-24 {
		return math.NaN()
	}
	return sxy / math.Sqrt(sxx*syy)
}

// Similarity is 1 − d (eq. 3): 1 for equal scores, 0 for complete
// dissimilarity, NaN where the distance is missing.
func (d Distance) Similarity(a, b, weights []float64) (float64, error) {
	dist, err := d.Between(a, b, weights)
	return 1 - dist, err
}
