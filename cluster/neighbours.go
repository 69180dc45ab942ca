package cluster

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
)

// How many neighbours are remembered per point on average: twice MinPts within
// these bounds. The upper one bounds memory, at 12 bytes each.
const (
	fewestListed = 128
	mostListed   = 512
)

// neighbours holds, for every tree position, all positions within reach of it,
// and the core distances. All distances are squared.
type neighbours struct {
	reach float64 // lists are complete up to this distance
	start []int64 // list of position i is [start[i], start[i+1])
	pos   []int32
	dist  []float64
	core  []float64 // +Inf where the point is not a core point within eps
}

// findNeighbours builds the lists and core distances for the points of t.
// weight counts the original points each position stands for.
func findNeighbours(ctx context.Context, t *tree, weight []int32, minPts int, eps2 float64, tick func(int)) (*neighbours, error) {
	nb := &neighbours{reach: listReach(t, min(max(fewestListed, 2*minPts), mostListed), eps2)}
	buffers := make([][]pair, runtime.GOMAXPROCS(0))
	err := eachLeaf(ctx, t, func(worker int, leaf int32) {
		buffers[worker] = join(t, leaf, 0, nb.reach, buffers[worker])
		tick(int(t.nodes[leaf].end - t.nodes[leaf].first))
	})
	if err != nil {
		return nil, err
	}
	nb.collect(len(t.id), buffers)
	nb.check(t)
	nb.core = make([]float64, len(t.id))
	err = eachLeaf(ctx, t, func(_ int, leaf int32) {
		near := nearest{want: minPts}
		for i := t.nodes[leaf].first; i < t.nodes[leaf].end; i++ {
			near.reset(weight[i])
			for k := nb.start[i]; k < nb.start[i+1]; k++ {
				near.add(nb.dist[k], weight[nb.pos[k]])
			}
			if !near.full() && nb.reach < eps2 {
				near.reset(weight[i])
				near.search(t, weight, i, 0, eps2)
			}
			nb.core[i] = near.radius()
		}
	})
	return nb, err
}

// pair is an edge between two positions, found once and listed at both ends.
type pair struct {
	a, b int32
	dist float64
}

// join appends the pairs between leaf and all leaves at or after it below
// node n that are no farther apart than reach.
func join(t *tree, leaf, n int32, reach float64, out []pair) []pair {
	a, b := &t.nodes[leaf], &t.nodes[n]
	if b.end <= a.first {
		return out
	}
	if n != leaf && t.apart(leaf, n, reach) > reach {
		return out
	}
	if b.left != 0 {
		out = join(t, leaf, b.left, reach, out)
		return join(t, leaf, b.right, reach, out)
	}
	var dist [leafSize]float64
	for i := a.first; i < a.end; i++ {
		for m := t.scanLeaf(t.row(i), b, reach, &dist); m != 0; m &= m - 1 {
			l := bits.TrailingZeros64(m)
			if j := b.first + int32(l); j > i {
				out = append(out, pair{i, j, dist[l]})
			}
		}
	}
	return out
}

// collect turns pairs into one list per position.
func (nb *neighbours) collect(n int, buffers [][]pair) {
	nb.start = make([]int64, n+1)
	for _, pairs := range buffers {
		for _, e := range pairs {
			nb.start[e.a+1]++
			nb.start[e.b+1]++
		}
	}
	for i := range n {
		nb.start[i+1] += nb.start[i]
	}
	nb.pos = make([]int32, nb.start[n])
	nb.dist = make([]float64, nb.start[n])
	next := slices.Clone(nb.start)
	put := func(at, other int32, d float64) {
		k := next[at]
		nb.pos[k], nb.dist[k] = other, d
		next[at]++
	}
	for w, pairs := range buffers {
		for _, e := range pairs {
			put(e.a, e.b, e.dist)
			put(e.b, e.a, e.dist)
		}
		buffers[w] = nil
	}
}

// listReach chooses how far lists reach, eps at most, from the neighbourhoods
// of a fixed sample of points, so that lists hold about length neighbours on
// average.
func listReach(t *tree, length int, eps2 float64) float64 {
	const queries = 64
	n := len(t.id)
	if n <= 2*length {
		return eps2
	}
	var near []float64
	keep := queries * length
	bound := eps2
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	for range queries {
		i := int32(rng.IntN(n))
		near = t.within(i, 0, bound, near)
		if len(near) > 4*keep {
			slices.Sort(near)
			near = near[:keep]
			bound = near[keep-1]
		}
	}
	if len(near) <= keep {
		return eps2
	}
	slices.Sort(near)
	return near[keep-1]
}

// within appends the squared distances from position i to all others below
// node n that are at most bound.
func (t *tree) within(i, n int32, bound float64, out []float64) []float64 {
	nd := &t.nodes[n]
	if t.pointApart(t.row(i), n, bound) > bound {
		return out
	}
	if nd.left != 0 {
		return t.within(i, nd.right, bound, t.within(i, nd.left, bound, out))
	}
	var dist [leafSize]float64
	for m := t.scanLeaf(t.row(i), nd, bound, &dist); m != 0; m &= m - 1 {
		if l := bits.TrailingZeros64(m); nd.first+int32(l) != i {
			out = append(out, dist[l])
		}
	}
	return out
}

// nearest collects the closest points until their weights reach want: the
// radius it ends with is the core distance.
type nearest struct {
	want  int
	own   int // weight of the point itself
	total int // weight of own and found
	found []weighted
}

type weighted struct {
	dist   float64
	weight int32
}

func (c *nearest) reset(own int32) {
	c.own, c.total, c.found = int(own), int(own), c.found[:0]
}

func (c *nearest) full() bool { return c.total >= c.want }

// radius is the distance at which want is reached, +Inf if it is not.
func (c *nearest) radius() float64 {
	switch {
	case c.own >= c.want:
		return 0
	case !c.full():
		return math.Inf(1)
	}
	return c.found[len(c.found)-1].dist
}

// add offers a point; points no longer needed fall off the far end.
func (c *nearest) add(dist float64, weight int32) {
	if c.full() && dist >= c.radius() {
		return
	}
	k := len(c.found)
	c.found = append(c.found, weighted{})
	for k > 0 && c.found[k-1].dist > dist {
		c.found[k] = c.found[k-1]
		k--
	}
	c.found[k] = weighted{dist, weight}
	c.total += int(weight)
	for {
		last := c.found[len(c.found)-1]
		if c.total-int(last.weight) < c.want {
			return
		}
		c.total -= int(last.weight)
		c.found = c.found[:len(c.found)-1]
	}
}

// search offers the points around position i below node n, nearer child first.
func (c *nearest) search(t *tree, weight []int32, i, n int32, eps2 float64) {
	nd := &t.nodes[n]
	q := t.row(i)
	if nd.left == 0 {
		var dist [leafSize]float64
		for m := t.scanLeaf(q, nd, min(eps2, c.radius()), &dist); m != 0; m &= m - 1 {
			l := bits.TrailingZeros64(m)
			if j := nd.first + int32(l); j != i {
				c.add(dist[l], weight[j])
			}
		}
		return
	}
	near, far := nd.left, nd.right
	dn, df := t.pointApart(q, near, eps2), t.pointApart(q, far, eps2)
	if df < dn {
		near, far, dn, df = far, near, df, dn
	}
	if dn <= min(eps2, c.radius()) {
		c.search(t, weight, i, near, eps2)
	}
	if df <= min(eps2, c.radius()) {
		c.search(t, weight, i, far, eps2)
	}
}
