package predict

import "math"

// CurvePoint is the mean time of the first iterations of a loop (t_avg of
// equation 1).
type CurvePoint struct {
	Iterations int64   `json:"iterations"`
	Seconds    float64 `json:"seconds"`
}

// ErrorLevel is how many iterations it takes for the mean to stay within a share
// of what it is at the end of the curve (equation 4, Figure 3).
type ErrorLevel struct {
	Epsilon    float64 `json:"epsilon"`
	Iterations int64   `json:"iterations"`
}

// errorLevels are those of Figure 3 and two between.
var errorLevels = []float64{0.10, 0.05, 0.02, 0.01}

// curve gives the points of means in ns after 1, 2, 4, 8 … iterations.
func curve(means []float64) []CurvePoint {
	points := make([]CurvePoint, len(means))
	for i, m := range means {
		points[i] = CurvePoint{int64(1) << i, m / 1e9}
	}
	return points
}

// levels reads a curve backwards from its end.
func levels(points []CurvePoint) []ErrorLevel {
	if len(points) < 2 {
		return nil
	}
	end := points[len(points)-1].Seconds
	var list []ErrorLevel
	for _, epsilon := range errorLevels {
		at := len(points) - 1
		for at > 0 && math.Abs(points[at-1].Seconds-end) <= epsilon*end {
			at--
		}
		if at < len(points)-1 { // the end is always within any share of itself
			list = append(list, ErrorLevel{epsilon, points[at].Iterations})
		}
	}
	return list
}
