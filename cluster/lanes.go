package cluster

// lanes is how many points the innermost loop compares with one at a time.
const lanes = 16

// compareGo writes the squared distances between q and the lanes points of
// block into out and returns a bit mask of those that are at most bound. A
// block is stored coordinate by coordinate: coordinate k of lane l is
// block[k*lanes+l].
//
// The sum runs over the coordinates in order and without fused operations, so
// every implementation gives the same bits, and the same as squared.
func compareGo(q, block []float64, bound float64, out *[lanes]float64) (mask uint32) {
	*out = [lanes]float64{}
	for k, x := range q {
		row := (*[lanes]float64)(block[k*lanes:])
		for l, y := range row {
			d := x - y
			out[l] += float64(d * d)
		}
	}
	for l, d := range out {
		if d <= bound {
			mask |= 1 << l
		}
	}
	return mask
}
