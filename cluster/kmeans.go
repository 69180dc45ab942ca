package cluster

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Partition is a division of points among centres.
type Partition struct {
	Labels  []int   // by point: its centre
	Centres Points  // ascending in one dimension, else by first member
	Spread  float64 // sum of the squared distances to the centres
	Exact   bool    // no division among as many centres has a smaller Spread
}

// The number of starts KMeans takes the best of, and the rounds it gives each.
// Rounds are nearly always far fewer; the bound is for points that circle.
const (
	starts = 10
	rounds = 300
)

// KMeans divides p among k centres so that the sum of squared distances to
// them is small. In one dimension it is the smallest there is; otherwise it is
// the best of ten runs of Lloyd's algorithm started by k-means++ (Arthur and
// Vassilvitskii, 2007) with a fixed seed, so equal input gives equal output.
// Where there are no more than k distinct points each becomes a centre.
func KMeans(ctx context.Context, p Points, k int) (*Partition, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if k < 1 {
		return nil, fmt.Errorf("cluster: %d centres asked for, at least 1 is needed", k)
	}
	if p.N == 0 {
		return &Partition{Centres: Points{Dim: p.Dim}, Exact: true}, ctx.Err()
	}
	same := unique(p)
	if same.rows.N <= k && p.Dim != 1 {
		labels := make([]int, same.rows.N)
		for i := range labels {
			labels[i] = i
		}
		centres := gather(p, same.point)
		return same.expand(&Partition{Labels: labels, Centres: centres, Exact: true}), ctx.Err()
	}
	if p.Dim == 1 {
		return same.expand(kmeansLine(same, k)), ctx.Err()
	}
	rng := rand.New(rand.NewPCG(3, uint64(k)))
	var best *Partition
	for range starts {
		c := lloyd(ctx, same, seedCentres(same, k, rng))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if best == nil || c.Spread < best.Spread {
			best = c
		}
	}
	byFirstMember(best)
	return same.expand(best), nil
}

// expand turns labels of distinct points into labels of all.
func (r *reduced) expand(c *Partition) *Partition {
	all := make([]int, len(r.of))
	for i, rep := range r.of {
		all[i] = c.Labels[rep]
	}
	c.Labels = all
	return c
}

// seedCentres draws k distinct points, each with probability in proportion to
// its weight and squared distance to the nearest drawn before it.
func seedCentres(r *reduced, k int, rng *rand.Rand) Points {
	p := r.rows
	chance := make([]float64, p.N)
	total := 0.0
	for i, w := range r.weight {
		chance[i] = float64(w)
		total += chance[i]
	}
	nearest := slices.Repeat([]float64{math.Inf(1)}, p.N)
	centres := Points{N: k, Dim: p.Dim}
	for range k {
		at := pick(chance, total*rng.Float64())
		centres.Data = append(centres.Data, p.Row(at)...)
		total = 0
		for i := range p.N {
			nearest[i] = min(nearest[i], squared(p.Row(i), p.Row(at), nearest[i]))
			chance[i] = nearest[i] * float64(r.weight[i])
			total += chance[i]
		}
	}
	return centres
}

// pick returns the first index at which the running sum of chance passes x,
// never one without a chance.
func pick(chance []float64, x float64) int {
	last := 0
	for i, c := range chance {
		if c == 0 {
			continue
		}
		if last = i; x < c {
			break
		}
		x -= c
	}
	return last
}

// lloyd moves centres to the mean of the points nearest to them until nothing
// changes.
func lloyd(ctx context.Context, r *reduced, centres Points) *Partition {
	p := r.rows
	c := &Partition{Labels: slices.Repeat([]int{-1}, p.N), Centres: centres}
	for range rounds {
		moved := false
		c.Spread = 0
		far, farthest := -1, 0.0
		for i := range p.N {
			k, d := closestCentre(centres, p.Row(i))
			if k != c.Labels[i] {
				c.Labels[i], moved = k, true
			}
			if c.Spread += d * float64(r.weight[i]); d > farthest {
				far, farthest = i, d
			}
		}
		if !moved || ctx.Err() != nil {
			break
		}
		weight := c.average(r)
		for k, w := range weight {
			if w == 0 && far >= 0 { // nobody's centre: give it the worst served point
				copy(centres.Row(k), p.Row(far))
				far = -1
			}
		}
	}
	return c
}

// average moves every centre to the mean of its points and returns their
// weights.
func (c *Partition) average(r *reduced) []float64 {
	weight := make([]float64, c.Centres.N)
	sum := make([]float64, len(c.Centres.Data))
	for i, k := range c.Labels {
		w := float64(r.weight[i])
		weight[k] += w
		for d, x := range r.rows.Row(i) {
			sum[k*c.Centres.Dim+d] += w * x
		}
	}
	for k, w := range weight {
		for d := range c.Centres.Dim {
			if w > 0 {
				c.Centres.Row(k)[d] = sum[k*c.Centres.Dim+d] / w
			}
		}
	}
	return weight
}

func closestCentre(centres Points, row []float64) (k int, dist float64) {
	dist = math.Inf(1)
	for c := range centres.N {
		if d := squared(row, centres.Row(c), dist); d < dist {
			k, dist = c, d
		}
	}
	return k, dist
}

// byFirstMember renumbers centres in the order in which their points appear.
func byFirstMember(c *Partition) {
	number := slices.Repeat([]int{-1}, c.Centres.N)
	sorted := Points{Dim: c.Centres.Dim}
	for i, k := range c.Labels {
		if number[k] < 0 {
			number[k] = sorted.N
			sorted.N++
			sorted.Data = append(sorted.Data, c.Centres.Row(k)...)
		}
		c.Labels[i] = number[k]
	}
	c.Centres = sorted
}
