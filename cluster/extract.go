package cluster

import "math"

// Noise is the label of a point that belongs to no cluster.
const Noise = -1

// At cuts the ordering at a distance no larger than the Eps it was made with
// and returns a label per point: clusters are numbered from 0 in the order in
// which they were found, points in none are Noise. It is the clustering DBSCAN
// would give at that distance, but for border points that could go either way
// (ExtractDBSCAN-Clustering in Ankerst et al., 1999, section 4.1).
func (o *Ordering) At(distance float64) []int {
	labels := make([]int, len(o.Order))
	last, next := Noise, 0
	for _, i := range o.Order {
		if o.Reachability[i] > distance {
			last = Noise
			if o.Core[i] <= distance {
				last = next
				next++
			}
		}
		labels[i] = last
	}
	return labels
}

// Span is a cluster found by Xi: the places From up to and including To of
// the order.
type Span struct{ From, To int }

// Xi finds clusters of any density as valleys of the reachability plot whose
// walls are steeper than a fraction xi, between 0 and 1 (ExtractClusters in
// Ankerst et al., 1999, section 4.3). Clusters may contain each other; they
// come in order of their end, inner ones before the outer. Clusters of fewer
// than minPts points are not reported, and neither is one that is all points
// unless it is the only one there is.
func (o *Ordering) Xi(xi float64, minPts int) []Span { return nil }

// Labels turns spans into one label per point: that of the innermost span,
// numbered in order of appearance, Noise outside of all.
func (o *Ordering) Labels(spans []Span) []int {
	labels := make([]int, len(o.Order))
	width := make([]int, len(o.Order))
	for k := range labels {
		labels[k], width[k] = Noise, math.MaxInt
	}
	for s, span := range spans {
		for k := span.From; k <= span.To; k++ {
			if w := span.To - span.From; w < width[o.Order[k]] {
				labels[o.Order[k]], width[o.Order[k]] = s, w
			}
		}
	}
	seen := map[int]int{Noise: Noise}
	for _, i := range o.Order {
		if _, ok := seen[labels[i]]; !ok {
			seen[labels[i]] = len(seen) - 1
		}
		labels[i] = seen[labels[i]]
	}
	return labels
}
