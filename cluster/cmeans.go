package cluster

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
)

// Fuzzy is a division in which every point belongs to every centre to a
// degree.
type Fuzzy struct {
	Degrees Points // a row per point, a column per centre; rows sum to 1
	Centres Points
	// Coefficient is Bezdek's partition coefficient, the mean over points of the
	// summed squared degrees: 1 for a crisp division, 1/k for one that says
	// nothing.
	Coefficient float64
	// Spread is what the centres are placed to make small: the squared distances of
	// the points to all centres, each counted by the square of its degree.
	Spread float64
	// XieBeni is the spread around the centres over the least squared distance
	// between two of them (Xie and Beni, 1991): smaller is better.
	XieBeni float64
}

// CMeans divides p among k centres by fuzzy C-means (Bezdek, 1981) with the
// usual exponent 2, started several times by k-means++ with fixed seeds, since a
// start may end in a worse division than another. There are fewer than k centres
// where there are fewer distinct points.
func CMeans(ctx context.Context, p Points, k int) (*Fuzzy, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if k < 1 {
		return nil, fmt.Errorf("cluster: %d centres asked for, at least 1 is needed", k)
	}
	if p.N == 0 {
		return &Fuzzy{Centres: Points{Dim: p.Dim}, XieBeni: math.Inf(1)}, ctx.Err()
	}
	same := unique(p)
	k = min(k, same.rows.N)
	rng := rand.New(rand.NewPCG(4, uint64(k)))
	var best *Fuzzy
	for range max(1, min(mostStarts, startedPoints/same.rows.N)) {
		f := &Fuzzy{
			Degrees: Points{N: same.rows.N, Dim: k, Data: make([]float64, same.rows.N*k)},
			Centres: seedCentres(same, k, rng),
		}
		for range rounds {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if f.assign(same.rows); f.settled(same) {
				break
			}
		}
		f.assign(same.rows)
		f.judge(same)
		if best == nil || f.Spread < best.Spread {
			best = f
		}
	}
	best.Degrees = best.forAll(same)
	return best, nil
}

const (
	mostStarts    = 10
	startedPoints = 100_000 // in all starts together, as long as there is one
)

// SuggestCMeans divides p among 2 to most centres and returns the division
// with the smallest Xie-Beni index, the fewest centres among equals. That
// index, unlike the partition coefficient, does not favour few centres by
// itself. It cannot find that there is only one cluster.
func SuggestCMeans(ctx context.Context, p Points, most int) (*Fuzzy, error) {
	best, err := CMeans(ctx, p, 2)
	if err != nil {
		return nil, err
	}
	// With as many centres as distinct points every index is perfect and
	// means nothing.
	for k := 3; k <= most && k < unique(p).rows.N; k++ {
		f, err := CMeans(ctx, p, k)
		if err != nil {
			return nil, err
		}
		if f.XieBeni < best.XieBeni {
			best = f
		}
	}
	return best, nil
}

// Labels returns for every point the centre it belongs to most.
func (f *Fuzzy) Labels() []int {
	labels := make([]int, f.Degrees.N)
	for i := range labels {
		for k, u := range f.Degrees.Row(i) {
			if u > f.Degrees.Row(i)[labels[i]] {
				labels[i] = k
			}
		}
	}
	return labels
}

// assign computes the degrees from the centres: in proportion to 1/d², all of
// it to a centre that is the point itself.
func (f *Fuzzy) assign(p Points) {
	for i := range p.N {
		row := f.Degrees.Row(i)
		least := math.Inf(1)
		for k := range row {
			row[k] = squared(p.Row(i), f.Centres.Row(k), math.Inf(1))
			least = min(least, row[k])
		}
		sum := 0.0
		for k, d := range row {
			switch {
			case least > 0:
				row[k] = least / d
			case d == 0:
				row[k] = 1
			default:
				row[k] = 0
			}
			sum += row[k]
		}
		for k := range row {
			row[k] /= sum
		}
	}
}

// settled moves the centres to the means of the points, each counted by the
// square of its degree, and reports whether they stayed where they were.
func (f *Fuzzy) settled(r *reduced) bool {
	weight := make([]float64, f.Centres.N)
	sum := Points{N: f.Centres.N, Dim: f.Centres.Dim, Data: make([]float64, len(f.Centres.Data))}
	for i := range r.rows.N {
		for k, u := range f.Degrees.Row(i) {
			w := u * u * float64(r.weight[i])
			weight[k] += w
			for d, x := range r.rows.Row(i) {
				sum.Row(k)[d] += w * x
			}
		}
	}
	moved, size := 0.0, 0.0
	for k := range f.Centres.N {
		for d, s := range sum.Row(k) {
			if weight[k] > 0 {
				s /= weight[k]
				moved += square(s - f.Centres.Row(k)[d])
				f.Centres.Row(k)[d] = s
			}
			size += square(s)
		}
	}
	return moved <= 1e-18*size
}

// judge computes the two indices.
func (f *Fuzzy) judge(r *reduced) {
	var total, crisp, spread float64
	for i := range r.rows.N {
		w := float64(r.weight[i])
		total += w
		for k, u := range f.Degrees.Row(i) {
			crisp += w * u * u
			spread += w * u * u * squared(r.rows.Row(i), f.Centres.Row(k), math.Inf(1))
		}
	}
	least := math.Inf(1)
	for a := range f.Centres.N {
		for b := range a {
			least = min(least, squared(f.Centres.Row(a), f.Centres.Row(b), math.Inf(1)))
		}
	}
	f.Coefficient, f.Spread = crisp/total, spread
	f.XieBeni = math.Inf(1)
	if least > 0 && !math.IsInf(least, 1) {
		f.XieBeni = spread / (total * least)
	}
}

// forAll returns the degrees of all points from those of the distinct.
func (f *Fuzzy) forAll(r *reduced) Points {
	all := Points{N: len(r.of), Dim: f.Degrees.Dim}
	for _, rep := range r.of {
		all.Data = append(all.Data, f.Degrees.Row(int(rep))...)
	}
	return all
}
