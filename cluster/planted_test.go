package cluster

import "math/rand/v2"

// planted makes the points of the yardstick: kinds with centres uniform in
// [0,100]^dim and unit Gaussian noise around them.
func planted(n, dim, kinds int, seed uint64) (Points, []int) {
	rng := rand.New(rand.NewPCG(seed, 7))
	centre := make([]float64, kinds*dim)
	for k := range centre {
		centre[k] = 100 * rng.Float64()
	}
	p := Points{N: n, Dim: dim, Data: make([]float64, n*dim)}
	truth := make([]int, n)
	for i := range n {
		k := rng.IntN(kinds)
		truth[i] = k
		for j, c := range centre[k*dim : (k+1)*dim] {
			p.Data[i*dim+j] = c + rng.NormFloat64()
		}
	}
	return p, truth
}
