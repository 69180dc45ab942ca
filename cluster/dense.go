package cluster

import "context"

// LinkDense classifies p at radius with another MinPts than 2: the clusters of
// OPTICS cut there, and every point in none of them as a kind by itself.
// Zeroing and Replace classify anew.
func LinkDense(ctx context.Context, p Points, radius float64, minPts int) (*Linkage, error) {
	if minPts == 2 {
		return Link(ctx, p, radius)
	}
	l := &Linkage{Radius: radius, points: p, minPts: minPts}
	if p.N == 0 {
		return l, ctx.Err()
	}
	o, err := Optics(ctx, p, Options{MinPts: minPts, Eps: radius})
	if err != nil {
		return nil, err
	}
	labels := o.At(radius)
	if err := o.border(ctx, p, labels, radius); err != nil {
		return nil, err
	}
	l.Labels = renumbered(labels)
	return l, nil
}

// border gives points that the ordering came to before the core points around
// them the label of the nearest of those, so that kinds do not depend on the
// order of the points.
func (o *Ordering) border(ctx context.Context, p Points, labels []int, radius float64) error {
	var cores []int
	for i, core := range o.Core {
		if core <= radius {
			cores = append(cores, i)
		}
	}
	for i, label := range labels {
		if label != Noise {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		nearest := radius * radius
		for _, c := range cores {
			sum := 0.0
			for k, v := range p.Row(c) {
				sum += (v - p.Row(i)[k]) * (v - p.Row(i)[k])
			}
			if sum <= nearest {
				nearest, labels[i] = sum, labels[c]
			}
		}
	}
	return nil
}

// renumbered numbers labels from 0 by first member; those of no cluster get
// one each.
func renumbered(labels []int) []int {
	number := map[int]int{}
	next := 0
	out := make([]int, len(labels))
	for i, label := range labels {
		k, seen := number[label]
		if !seen || label == Noise {
			k = next
			next++
			if label != Noise {
				number[label] = k
			}
		}
		out[i] = k
	}
	return out
}

// zeroingAnew is Zeroing where distances that shrink may also make points core
// points, so that nothing but classifying again tells.
func (l *Linkage) zeroingAnew(ctx context.Context, sets [][]int) ([]bool, error) {
	changes := make([]bool, len(sets))
	for s, set := range sets {
		p := l.points
		p.Data = append([]float64(nil), p.Data...)
		for i := range p.N {
			for _, c := range set {
				p.Data[i*p.Dim+c] = 0
			}
		}
		again, err := LinkDense(ctx, p, l.Radius, l.minPts)
		if err != nil {
			return nil, err
		}
		changes[s] = Changed(l.Labels, again.Labels)
	}
	return changes, nil
}
