package training

import (
	"math"
	"slices"
)

// Distribution is how values are spread: the quarters as pandas and
// HolisticTraceAnalysis give them, between two values in proportion.
type Distribution struct {
	Count     int     `json:"count"`
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"` // of a sample; 0 for one value
	Least     float64 `json:"least"`
	Quarter   float64 `json:"quarter"`
	Median    float64 `json:"median"`
	Three     float64 `json:"three_quarters"`
	Most      float64 `json:"most"`
}

// distributionOf sorts the values; nil where there are none.
func distributionOf(values []float32) *Distribution {
	n := len(values)
	if n == 0 {
		return nil
	}
	slices.Sort(values)
	d := &Distribution{Count: n, Least: float64(values[0]), Most: float64(values[n-1])}
	for _, v := range values {
		d.Mean += float64(v) / float64(n)
	}
	for _, v := range values {
		d.Deviation += (float64(v) - d.Mean) * (float64(v) - d.Mean)
	}
	d.Deviation = math.Sqrt(d.Deviation / float64(max(n-1, 1)))
	at := func(share float64) float64 {
		place := share * float64(n-1)
		low := int(place)
		high := min(low+1, n-1)
		return float64(values[low]) + (place-float64(low))*float64(values[high]-values[low])
	}
	d.Quarter, d.Median, d.Three = at(0.25), at(0.5), at(0.75)
	return d
}
