package calibrate

import (
	"math"
	"sort"
)

// piece is seconds = fixed + perByte·size, for sizes above from.
type piece struct{ from, fixed, perByte float64 }

const (
	// A further piece must lower the sum of the squared relative errors by this
	// much: two points, say, that were 4 % off. And by so many times the squared
	// error that is there anyway, or noise would be fitted.
	pieceCost, noiseCost = 0.003, 20
	// fewest points of a piece: with one a line says nothing.
	fewestPoints = 2
)

// fitPieces finds the piecewise affine function of the size that is nearest to
// the points in relative error, with as few pieces as that allows. Points are in
// the order of their sizes. The number of points is small, so all ways to cut
// them are looked at, the best beginning first (Bellman's segmented least
// squares).
func fitPieces(points []point) []piece {
	n := len(points)
	if n == 0 {
		return nil
	}
	cost := pieceCost + noiseCost*noise(points)
	best := make([]float64, n+1) // of the first i points
	cut := make([]int, n+1)
	for end := 1; end <= n; end++ {
		best[end] = math.Inf(1)
		for begin := range end {
			if end-begin < min(fewestPoints, n) || math.IsInf(best[begin], 1) {
				continue
			}
			_, miss := fitLine(points[begin:end])
			if total := best[begin] + miss + cost; total < best[end] {
				best[end], cut[end] = total, begin
			}
		}
	}
	var pieces []piece
	for end := n; end > 0; end = cut[end] {
		p, _ := fitLine(points[cut[end]:end])
		if cut[end] > 0 {
			// Half-way between the sizes, as a factor goes.
			p.from = math.Floor(math.Sqrt(points[cut[end]-1].size * points[cut[end]].size))
		}
		pieces = append([]piece{p}, pieces...)
	}
	return pieces
}

// fitLine is the line with the least squared relative error through points, of
// those that do not fall, nor begin below 0; and that error.
func fitLine(points []point) (piece, float64) {
	// With a = 1/whole, b = size/whole and t = seconds/whole, fixed·a + perByte·b
	// is to be t; u and v are the sums of a·t and b·t.
	var uu, uv, vv, u, v float64
	for _, p := range points {
		a, b, t := 1/p.whole, p.size/p.whole, p.seconds/p.whole
		uu, uv, vv, u, v = uu+a*a, uv+a*b, vv+b*b, u+a*t, v+b*t
	}
	line := piece{fixed: u / uu}
	if d := uu*vv - uv*uv; d > 1e-12*uu*vv {
		line.fixed, line.perByte = (u*vv-v*uv)/d, (v*uu-u*uv)/d
	}
	if line.perByte < 0 {
		line = piece{fixed: u / uu}
	}
	if line.fixed < 0 {
		line = piece{perByte: v / vv}
	}
	miss := 0.0
	for _, p := range points {
		e := (line.fixed + line.perByte*p.size - p.seconds) / p.whole
		miss += e * e
	}
	return line, miss
}

// noise is the lower quartile of the squared relative errors of lines through
// four neighbouring points: where the curve has no corner.
func noise(points []point) float64 {
	var errs []float64
	for i := 0; i+4 <= len(points); i++ {
		_, miss := fitLine(points[i : i+4])
		errs = append(errs, miss/2) // two degrees of freedom are left
	}
	sort.Float64s(errs)
	if len(errs) == 0 {
		return 0
	}
	return errs[len(errs)/4]
}

// at evaluates a piecewise function.
func at(pieces []piece, size float64) float64 {
	if len(pieces) == 0 {
		return 0
	}
	found := pieces[0]
	for _, p := range pieces[1:] {
		if size <= p.from {
			break
		}
		found = p
	}
	return found.fixed + found.perByte*size
}
