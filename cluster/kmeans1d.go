package cluster

import (
	"cmp"
	"math"
	"slices"
)

// kmeansLine divides points on a line exactly, by dynamic programming over the
// sorted values (Wang and Song, "Ckmeans.1d.dp", 2011). The best last cut
// moves right as values are added, so each layer is filled by halving in
// n log n.
func kmeansLine(r *reduced, k int) *Partition {
	n := r.rows.N
	k = min(k, n)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	x := r.rows.Data
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })

	l := line{cost: make([]float64, n), last: make([]float64, n)}
	l.sums = make([]sums, n+1)
	for i, rep := range order {
		l.sums[i+1] = l.sums[i].add(float64(r.weight[rep]), x[rep])
		l.cost[i] = l.within(0, i)
	}
	cuts := make([][]int32, k) // by layer and value: where the last part starts
	cuts[0] = make([]int32, n)
	for layer := 1; layer < k; layer++ {
		l.last, l.cost = l.cost, l.last
		cuts[layer] = make([]int32, n)
		l.fill(cuts[layer], layer, n-1, layer, n-1)
	}

	c := &Partition{Labels: make([]int, n), Centres: Points{N: k, Dim: 1, Data: make([]float64, k)}, Exact: true}
	c.Spread = max(0, l.cost[n-1])
	for layer, end := k-1, n-1; layer >= 0; layer-- {
		from := int(cuts[layer][end])
		s := l.sums[end+1].minus(l.sums[from])
		c.Centres.Data[layer] = s.x.hi / s.w
		for _, rep := range order[from : end+1] {
			c.Labels[rep] = layer
		}
		end = from - 1
	}
	return c
}

// line holds one layer of the table and the one before it.
type line struct {
	sums []sums
	cost []float64 // by value: least spread of the values up to it
	last []float64 // the same with one part less
}

// sums of the values up to one: twice as wide as their numbers, as the spread of a few
// close ones is what is left of the difference of large sums.
type sums struct {
	w     float64
	x, xx wide
}

func (s sums) add(w, x float64) sums {
	wx := product(w, x)
	return sums{s.w + w, s.x.plus(wx), s.xx.plus(wx.times(x))}
}

func (s sums) minus(o sums) sums {
	return sums{s.w - o.w, s.x.plus(o.x.negative()), s.xx.plus(o.xx.negative())}
}

// within is the spread of values i up to and including j around their mean.
func (l *line) within(i, j int) float64 {
	a, b := &l.sums[i], &l.sums[j+1]
	w := b.w - a.w
	x := b.x.hi - a.x.hi
	mean := x / w
	if spread := b.xx.hi - a.xx.hi - x*mean; spread > narrow*b.xx.hi {
		return spread
	}
	// Σw(x−m)² = Σwx² − m(2Σwx − mΣw), for any m.
	wx := b.x.plus(a.x.negative())
	less := wide{2 * wx.hi, 2 * wx.lo}.plus(product(mean, w).negative()).times(mean)
	return max(0, b.xx.plus(a.xx.negative()).plus(less.negative()).hi)
}

// narrow is the share of the sum of squares above which a difference of plain numbers
// is right to six digits, of a million values.
const narrow = 1e-7

// fill computes the costs of values from to to, knowing that the best start of
// the last part is between low and high.
func (l *line) fill(cut []int32, from, to, low, high int) {
	if from > to {
		return
	}
	j := (from + to) / 2
	best, at := math.Inf(1), low
	for i := low; i <= min(j, high); i++ {
		if c := l.last[i-1] + l.within(i, j); c < best {
			best, at = c, i
		}
	}
	l.cost[j], cut[j] = best, int32(at)
	l.fill(cut, from, j-1, low, at)
	l.fill(cut, j+1, to, at, high)
}
