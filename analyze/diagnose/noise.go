package diagnose

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"auspex/analyze"
)

// chance is how likely noise alone makes a metric differ between kinds as much
// as it does: an F test of the variance between against that within. Where
// all kinds are single, the test is whether it varies with the time; two or
// three units leave nothing to test.
func chance(values []float64, decision []int, times []float64) float64 {
	n := len(values)
	sums, counts := map[int]float64{}, map[int]float64{}
	for i, k := range decision {
		sums[k] += values[i]
		counts[k]++
	}
	if len(sums) == n {
		if n < 4 {
			return 0
		}
		return chanceOfCorrelation(correlation(values, times), n)
	}
	centre := analyze.Mean(values)
	between, within := 0.0, 0.0
	for i, k := range decision {
		m := sums[k] / counts[k]
		between += (m - centre) * (m - centre)
		within += (values[i] - m) * (values[i] - m)
	}
	if within <= 1e-24*between || len(sums) < 2 {
		return 0
	}
	above, below := float64(len(sums)-1), float64(n-len(sums))
	return distuv.F{D1: above, D2: below}.Survival(between / above / (within / below))
}

// chanceOfCorrelation is how likely n unrelated values correlate as much.
func chanceOfCorrelation(r float64, n int) float64 {
	if r*r >= 1 {
		return 0
	}
	t := math.Abs(r) * math.Sqrt(float64(n-2)/(1-r*r))
	return 2 * distuv.StudentsT{Sigma: 1, Nu: float64(n - 2)}.Survival(t)
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
