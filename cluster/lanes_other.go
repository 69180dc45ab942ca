//go:build !amd64

package cluster

func compare(q, block []float64, bound float64, out *[lanes]float64) uint32 {
	return compareGo(q, block, bound, out)
}
