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
		dim := rapid.IntRange(0, 40).Draw(t, "dim")
		value := rapid.Float64Range(-1e6, 1e6)
		q := rapid.SliceOfN(value, dim, dim).Draw(t, "q")
		block := rapid.SliceOfN(value, dim*lanes, dim*lanes).Draw(t, "block")
		bound := rapid.Float64Range(0, 1e13).Draw(t, "bound")
		var fast, plain [lanes]float64
		fastMask := compare(q, block, bound, &fast)
		plainMask := compareGo(q, block, bound, &plain)
		if fast != plain || fastMask != plainMask {
			t.Fatalf("compare %v %b, compareGo %v %b", fast, fastMask, plain, plainMask)
		}
		for l := range lanes {
			row := make([]float64, dim)
			for k := range row {
				row[k] = block[k*lanes+l]
			}
			if d := squared(q, row, math.Inf(1)); d != plain[l] {
				t.Fatalf("lane %d: squared %v, compare %v", l, d, plain[l])
			}
			if in := fastMask>>l&1 == 1; in != (plain[l] <= bound) {
				t.Fatalf("lane %d: mask %v for distance %v and bound %v", l, in, plain[l], bound)
			}
		}
	})
}

// Lanes beyond the end of a leaf hold NaN and must never match.
func TestEmptyLanesNeverMatch(t *testing.T) {
	block := make([]float64, 3*lanes)
	for k := range block {
		block[k] = math.NaN()
	}
	var out [lanes]float64
	for _, bound := range []float64{0, 1, math.Inf(1)} {
		if m := compare([]float64{1, 2, 3}, block, bound, &out); m != 0 {
			t.Errorf("bound %v: mask %b, want 0", bound, m)
		}
	}
}

func BenchmarkCompare(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	const dim, blocks = 20, 256
	data := make([]float64, dim*lanes*blocks)
	for k := range data {
		data[k] = rng.NormFloat64()
	}
	var out [lanes]float64
	for b.Loop() {
		for k := range blocks {
			compare(data[:dim], data[k*dim*lanes:(k+1)*dim*lanes], 12, &out)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*blocks*lanes), "ns/distance")
}
