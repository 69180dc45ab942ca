package analyze

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"auspex/cluster"
)

const (
	// likeDrawn is how many sets without groups are drawn of each kind; where none
	// is divided as well, the chance of that is below 5 %.
	likeDrawn = 20
	// drawnRows is how many rows such a set has at most: a larger one is divided no
	// better.
	drawnRows = 64
)

// grouped tells whether points are divided better, by the Xie-Beni index, than those
// of sets without groups of the same size and extent: spread evenly or normally
// along the principal axes (as for the gap statistic, Tibshirani, Walther and Hastie
// 2001). Every set can be divided, and few points drawn at random look apart.
func grouped(ctx context.Context, points cluster.Points, found *cluster.Fuzzy, k int) (bool, error) {
	if found.Centres.N < 2 {
		return false, nil
	}
	low, high, deviation, ok := axes(points)
	if !ok {
		return false, nil
	}
	rng := rand.New(rand.NewPCG(5, uint64(points.N)))
	rows := min(points.N, max(drawnRows, 2*k))
	for i := range 2 * likeDrawn {
		drawn := cluster.Points{N: rows, Dim: points.Dim}
		for range rows {
			for j := range points.Dim {
				x := deviation[j] * rng.NormFloat64()
				if i%2 == 0 {
					x = low[j] + (high[j]-low[j])*rng.Float64()
				}
				drawn.Data = append(drawn.Data, x)
			}
		}
		f, err := divide(ctx, drawn, k)
		if err != nil {
			return false, err
		}
		if f.XieBeni <= found.XieBeni {
			return false, nil
		}
	}
	return true, nil
}

// axes gives the extent of points and their deviation along each principal axis;
// distances, and so all indices, are the same in those coordinates.
func axes(points cluster.Points) (low, high, deviation []float64, ok bool) {
	m := mat.NewDense(points.N, points.Dim, points.Data)
	var pc stat.PC
	if !pc.PrincipalComponents(m, nil) {
		return nil, nil, nil, false
	}
	var vectors, along mat.Dense
	pc.VectorsTo(&vectors)
	along.Mul(m, &vectors)
	low, high, deviation = make([]float64, points.Dim), make([]float64, points.Dim), make([]float64, points.Dim)
	_, found := along.Dims() // fewer than the dimensions where there are fewer points
	for j := range found {
		column := mat.Col(nil, j, &along)
		low[j], high[j] = Extremes(column)
		deviation[j] = stat.StdDev(column, nil)
	}
	return low, high, deviation, true
}
