package cluster

// useAVX2 tells whether the processor and the system support the fast path.
var useAVX2 = hasAVX2()

// compare is compareGo, with AVX2 where there is any: clustering spends nearly
// all its time here, and the compiler does not vectorise the loop.
func compare(q, block []float64, bound float64, out *[lanes]float64) uint32 {
	if !useAVX2 || len(q) == 0 {
		return compareGo(q, block, bound, out)
	}
	_ = block[len(q)*lanes-1]
	return compareAVX2(&q[0], &block[0], len(q), bound, out)
}

//go:noescape
func compareAVX2(q, block *float64, dim int, bound float64, out *[lanes]float64) uint32

func hasAVX2() bool
