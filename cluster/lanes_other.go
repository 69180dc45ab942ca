//go:build !amd64

package cluster

func compare(q, blocks []float64, count int, bound float64, out *[leafSize]float64) uint64 {
	return compareGo(q, blocks, count, bound, out)
}
