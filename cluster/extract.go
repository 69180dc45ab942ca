package cluster

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
