package cluster

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// All ways to compute a distance must agree to the last bit, for OPTICS
// compares distances that came by different ways.
func TestDistancesAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(0, 30).Draw(t, "dim")
		count := rapid.IntRange(1, leafSize).Draw(t, "count")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		p := cloud(rng, count+1, dim, 1)
		tree := newTree(Points{Data: p.Data[:count*dim], N: count, Dim: dim})
		nd, q := &tree.nodes[0], p.Row(count)
		bound := rapid.Float64Range(0, 1).Draw(t, "bound") * square(p.MaxNorm())
		var out, plain [leafSize]float64
		mask := tree.scanLeaf(q, nd, bound, &out)
		compareGo(q, tree.blocksOf(nd, count), count, bound, &plain)
		for l := range count {
			d := squared(q, tree.row(int32(l)), math.Inf(1))
			if out[l] != d || plain[l] != d {
				t.Fatalf("point %d: compare %v, compareGo %v, squared %v", l, out[l], plain[l], d)
			}
			if in := mask>>l&1 == 1; in != (d <= bound) {
				t.Fatalf("point %d: within %v for distance %v and bound %v", l, in, d, bound)
			}
		}
		if count < leafSize && mask>>count != 0 {
			t.Fatalf("mask %b of %d points", mask, count)
		}
	})
}

func BenchmarkCompare(b *testing.B) {
	const dim, leaves = 20, 64
	t := newTree(cloud(rand.New(rand.NewPCG(1, 1)), leaves*leafSize, dim, 0))
	var out [leafSize]float64
	points := 0
	for b.Loop() {
		for n := range t.nodes {
			if nd := &t.nodes[n]; nd.left == 0 {
				t.scanLeaf(t.row(0), nd, 12, &out)
				points += int(nd.end - nd.first)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(points), "ns/distance")
}
