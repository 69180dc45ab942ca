package diagnose

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"auspex/analyze"
)

// chanceOfCorrelation is how likely n unrelated values correlate as much.
func chanceOfCorrelation(r float64, n int) float64 {
	if r*r >= 1 {
		return 0
	}
	t := math.Abs(r) * math.Sqrt(float64(n-2)/(1-r*r))
	return 2 * distuv.StudentsT{Sigma: 1, Nu: float64(n - 2)}.Survival(t)
}

// chanceOfDifference is how likely some values lie as far from others, which scatter,
// were they of the same kind (t test, with the scatter of the others).
func chanceOfDifference(some, others []float64) float64 {
	free := float64(len(others) - 1)
	if free < 1 {
		return 1
	}
	scatter := math.Sqrt(covariance(others, others) / free * (1/float64(len(some)) + 1/float64(len(others))))
	t := math.Abs(analyze.Mean(some)-analyze.Mean(others)) / scatter
	if math.IsNaN(t) {
		return 1
	}
	return 2 * distuv.StudentsT{Sigma: 1, Nu: free}.Survival(t)
}

// correlation is Pearson's; 0 where either does not vary.
func correlation(a, b []float64) float64 {
	scale := math.Sqrt(covariance(a, a) * covariance(b, b))
	if !(scale > 0) {
		return 0
	}
	return covariance(a, b) / scale
}

// covariance of two columns, not divided by their number.
func covariance(a, b []float64) float64 {
	ma, mb := analyze.Mean(a), analyze.Mean(b)
	sum := 0.0
	for i := range a {
		sum += (a[i] - ma) * (b[i] - mb)
	}
	return sum
}
