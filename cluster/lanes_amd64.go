package cluster

// fast tells whether processor and system support compareAVX2.
var fast = hasAVX2()

// compare is compareGo, with AVX2 where there is any: clustering spends nearly
// all its time here, and the compiler does not vectorise the loop.
func compare(q, blocks []float64, count int, bound float64, out *[leafSize]float64) uint64 {
	if !fast || count == 0 || len(q) == 0 {
		return compareGo(q, blocks, count, bound, out)
	}
	n := (count + lanes - 1) / lanes
	_ = blocks[n*lanes*len(q)-1]
	return compareAVX2(&q[0], &blocks[0], len(q), n, bound, out)
}

// compareAVX2 compares q, of dim > 0 coordinates, with n > 0 blocks.
//
//go:noescape
func compareAVX2(q, blocks *float64, dim, n int, bound float64, out *[leafSize]float64) uint64

// hasAVX2 tells whether AVX2 and fused multiply-add can be used.
func hasAVX2() bool
