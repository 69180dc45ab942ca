package fuzzy

import (
	"fmt"
	"math"
)

// Score is the performance score of a value against its base V (Soft
// performance analysis, eq. 1): µ(v), µ: [0, V] → [0, 1]. shape is the curve
// stretched over [0, 1], such as linear(0, 1) for the plain v/V or S(0, 1)@9;
// it is applied to v/V, which is the same as stretching it over [0, V].
//
// Against a base of zero, zero scores as 0 does and anything else is missing.
func Score(shape Set, v, base float64) float64 {
	if v == 0 && base == 0 {
		return shape.Degree(0)
	}
	share := v / base
	if base <= 0 || !finite(share) {
		return math.NaN()
	}
	return shape.Degree(share)
}

// Aggregate is the overall weighted average of performance scores (Soft
// performance analysis, eq. 2): Σ|sᵢ·wᵢ| / Σwᵢ. A missing score does not count,
// nor does its weight; with no score left the result is missing. nil weights
// are equal.
func Aggregate(scores, weights []float64) (float64, error) {
	w, err := checkWeights(len(scores), weights)
	if err != nil {
		return 0, err
	}
	sum, total := 0.0, 0.0
	for i, s := range scores {
		if finite(s) {
			sum += math.Abs(s * w[i])
			total += w[i]
		}
	}
	if total == 0 {
		return math.NaN(), nil
	}
	return sum / total, nil
}

// checkWeights gives n weights that are not negative and not all zero.
func checkWeights(n int, weights []float64) ([]float64, error) {
	if weights == nil {
		weights = make([]float64, n)
		for i := range weights {
			weights[i] = 1
		}
	}
	if len(weights) != n {
		return nil, fmt.Errorf("%d weights for %d values", len(weights), n)
	}
	total := 0.0
	for _, w := range weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return nil, fmt.Errorf("the weight %v is not a positive number", w)
		}
		total += w
	}
	if total == 0 && n > 0 {
		return nil, fmt.Errorf("all weights are zero")
	}
	return weights, nil
}

// SevereBottleneck is Figure 4's default for how severe a bottleneck is: an S
// from the threshold to the upper bound.
func SevereBottleneck(threshold, upper float64) (*Shape, error) {
	return NewShape(SCurve, threshold, upper)
}

// NegligibleBottleneck is Figure 4's default for what lies close to the
// threshold: a Pi around it, of the given width a side.
func NegligibleBottleneck(threshold, width float64) (*Shape, error) {
	return NewShape(PiCurve, threshold, width)
}
