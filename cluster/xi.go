package cluster

import "math"

// Span is a cluster found by Xi: the places From up to and including To of
// the order.
type Span struct{ From, To int }

// Xi finds clusters of any density as valleys of the reachability plot whose
// walls fall and rise by at least a fraction xi, between 0 and 1
// (ExtractClusters in Ankerst et al., 1999, section 4.3). Clusters of fewer
// than minPts points are left out. Clusters may lie within each other; an
// inner one comes before the outer, and the whole set may be the outermost.
//
// Points at the end of a valley that were reached from outside of it are cut
// off, as proposed by Schubert and Gertz, "Improving the cluster structure
// extracted from OPTICS plots", 2018.
func (o *Ordering) Xi(xi float64, minPts int) []Span {
	n := len(o.Order)
	p := plot{reach: make([]float64, n+1), keep: 1 - xi, minPts: max(2, minPts)}
	place := make([]int, n)
	for k, i := range o.Order {
		p.reach[k], place[i] = o.Reachability[i], k
	}
	p.reach[n] = math.Inf(1) // the wall at the end

	var spans []Span
	for _, s := range p.valleys() {
		for s.To > s.From && p.reach[s.From] <= p.reach[s.To] {
			if from := o.Predecessor[o.Order[s.To]]; from >= 0 && place[from] >= s.From && place[from] < s.To {
				break
			}
			s.To--
		}
		if s.To-s.From+1 >= p.minPts {
			spans = append(spans, s)
		}
	}
	return spans
}

// plot is a reachability plot with a wall of +Inf at the end.
type plot struct {
	reach  []float64
	keep   float64 // 1 - xi
	minPts int
}

// steepDown and steepUp tell whether the plot falls or rises by at least xi
// from place k to k+1. Two infinite neighbours are level.
func (p *plot) steepDown(k int) bool {
	return p.reach[k]*p.keep >= p.reach[k+1] && !math.IsInf(p.reach[k+1], 1)
}

func (p *plot) steepUp(k int) bool {
	return p.reach[k] <= p.reach[k+1]*p.keep && !math.IsInf(p.reach[k], 1)
}

func (p *plot) falls(k int) bool { return p.reach[k] > p.reach[k+1] }
func (p *plot) rises(k int) bool { return p.reach[k] < p.reach[k+1] }

// extend returns the last steep place of the steep area that starts at k: it
// may hold up to minPts places in a row that are not steep, but none that goes
// the other way.
func (p *plot) extend(k int, steep, against func(int) bool) int {
	end, level := k, 0
	for k++; k+1 < len(p.reach) && !against(k); k++ {
		if steep(k) {
			end, level = k, 0
		} else if level++; level > p.minPts {
			break
		}
	}
	return end
}

// slope is a steep area that falls, with the highest reachability seen between
// its end and the current place.
type slope struct {
	from, to int
	between  float64
}

// valleys pairs every steep rise with the steep falls before it.
func (p *plot) valleys() []Span {
	var spans []Span
	var falls []slope
	high := 0.0 // maximum since the last steep area
	for k := 0; k+1 < len(p.reach); {
		high = max(high, p.reach[k])
		switch {
		case p.steepDown(k):
			falls = p.survivors(falls, high)
			end := p.extend(k, p.steepDown, p.rises)
			falls = append(falls, slope{from: k, to: end})
			k, high = end+1, p.reach[end+1]
		case p.steepUp(k):
			falls = p.survivors(falls, high)
			end := p.extend(k, p.steepUp, p.falls)
			for f := len(falls) - 1; f >= 0; f-- {
				if s, ok := p.pair(falls[f], k, end); ok {
					spans = append(spans, s)
				}
			}
			k, high = end+1, p.reach[end+1]
		default:
			k++
		}
	}
	return spans
}

// survivors drops the falls that something at least as high (less xi) came
// after, and raises what is known to lie behind the others.
func (p *plot) survivors(falls []slope, high float64) []slope {
	kept := falls[:0]
	for _, f := range falls {
		if high <= p.reach[f.from]*p.keep && !math.IsInf(high, 1) {
			f.between = max(f.between, high)
			kept = append(kept, f)
		}
	}
	return kept
}

// pair makes a cluster of a fall and the rise from up to end, if all between
// them lies below both by xi. The ends are moved in to the same height
// (definition 11, condition 4).
func (p *plot) pair(f slope, up, end int) (Span, bool) {
	left, right := p.reach[f.from], p.reach[end+1]
	if right*p.keep < f.between {
		return Span{}, false
	}
	s := Span{f.from, end}
	if left*p.keep >= right {
		for s.From < f.to && p.reach[s.From+1] > right {
			s.From++
		}
	} else if right*p.keep >= left {
		for s.To > up && p.reach[s.To] >= left {
			s.To--
		}
	}
	return s, s.To-s.From+1 >= p.minPts
}

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
