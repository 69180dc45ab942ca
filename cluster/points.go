package cluster

import (
	"fmt"
	"math"
)

// largest is the biggest magnitude whose square, summed over a few thousand
// coordinates, is still a float64.
const largest = 1e150

// Points is a dense row-major matrix: N points of Dim coordinates, point i in
// Data[i*Dim:(i+1)*Dim]. For kinds of processes a point is a process and a
// coordinate the time it spent in one region.
type Points struct {
	Data   []float64
	N, Dim int
}

// Row returns the coordinates of point i, sharing memory with p.
func (p Points) Row(i int) []float64 { return p.Data[i*p.Dim : (i+1)*p.Dim : (i+1)*p.Dim] }

// FromRows copies rows of equal length into Points.
func FromRows(rows [][]float64) (Points, error) {
	p := Points{N: len(rows)}
	if len(rows) == 0 {
		return p, nil
	}
	p.Dim = len(rows[0])
	p.Data = make([]float64, 0, p.N*p.Dim)
	for i, r := range rows {
		if len(r) != p.Dim {
			return Points{}, fmt.Errorf("cluster: point %d has %d coordinates, point 0 has %d", i, len(r), p.Dim)
		}
		p.Data = append(p.Data, r...)
	}
	return p, nil
}

// Check reports the first thing that makes p unfit for clustering: a shape
// that does not match its data, or a coordinate that is not a usable number.
func (p Points) Check() error {
	if p.N < 0 || p.Dim < 0 || len(p.Data) != p.N*p.Dim {
		return fmt.Errorf("cluster: %d numbers do not make %d points of %d coordinates", len(p.Data), p.N, p.Dim)
	}
	if p.N > math.MaxInt32 {
		return fmt.Errorf("cluster: %d points, at most %d are supported", p.N, math.MaxInt32)
	}
	for k, x := range p.Data {
		if !(math.Abs(x) <= largest) {
			return fmt.Errorf("cluster: point %d, coordinate %d is %v; replace missing or unbounded values first", k/p.Dim, k%p.Dim, x)
		}
	}
	return nil
}

// MaxNorm is the Euclidean length of the longest point.
func (p Points) MaxNorm() float64 {
	top := 0.0
	for i := range p.N {
		top = max(top, norm(p.Row(i)))
	}
	return top
}

func norm(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x * x
	}
	return math.Sqrt(s)
}

// squared returns the squared Euclidean distance of a and b, or any number
// above bound once the sum has passed it.
func squared(a, b []float64, bound float64) float64 {
	var sum float64
	for k := 0; k < len(a) && k < len(b); k++ {
		if sum = math.FMA(a[k]-b[k], a[k]-b[k], sum); sum > bound {
			return sum
		}
	}
	return sum
}
