package cluster

import "math"

// Points of a leaf are compared with one point in blocks of lanes.
const lanes = 16

// compareGo computes the squared distances between q and count points, at most
// leafSize, writes them to out and returns a bit mask of those that are at most
// bound. The points lie in blocks of lanes, each stored coordinate by
// coordinate: coordinate k of lane l of a block is block[k*lanes+l].
//
// The sum runs over the coordinates in order with fused operations, so every
// implementation gives the same bits, and the same as squared.
func compareGo(q, blocks []float64, count int, bound float64, out *[leafSize]float64) (mask uint64) {
	for first := 0; first < count; first += lanes {
		block := blocks[first*len(q):]
		sum := (*[lanes]float64)(out[first:])
		*sum = [lanes]float64{}
		for k, x := range q {
			row := (*[lanes]float64)(block[k*lanes:])
			for l, y := range row {
				sum[l] = math.FMA(x-y, x-y, sum[l])
			}
		}
		for l, d := range sum {
			if d <= bound {
				mask |= 1 << (first + l)
			}
		}
	}
	return mask
}
