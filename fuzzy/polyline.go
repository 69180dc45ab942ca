package fuzzy

import (
	"math"
	"slices"
)

// polyline is a curve of straight pieces, level before the first and after the
// last point. Two points at one place make a step, where the larger counts.
type polyline struct {
	xs, ys []float64
}

func (p polyline) degree(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	i, _ := slices.BinarySearch(p.xs, x)
	switch {
	case i == len(p.xs):
		return p.ys[i-1]
	case p.xs[i] == x:
		return p.at(i)
	case i == 0:
		return p.ys[0]
	}
	x0, y0, x1, y1 := p.xs[i-1], p.ys[i-1], p.xs[i], p.ys[i]
	return y0 + (y1-y0)*((x-x0)/(x1-x0))
}

// at is the degree at the place of point i, the first of those that share it.
func (p polyline) at(i int) float64 {
	y := p.ys[i]
	for j := i + 1; j < len(p.xs) && p.xs[j] == p.xs[i]; j++ {
		y = max(y, p.ys[j])
	}
	return y
}

// cut is the hull of the places whose degree is above level.
func (p polyline) cut(level float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	last := len(p.xs) - 1
	for i, y := range p.ys {
		if y <= level {
			continue
		}
		left, right := p.xs[i], p.xs[i]
		switch {
		case i == 0:
			left = math.Inf(-1)
		case p.ys[i-1] <= level:
			left = crossing(p.xs[i], y, p.xs[i-1], p.ys[i-1], level)
		}
		switch {
		case i == last:
			right = math.Inf(1)
		case p.ys[i+1] <= level:
			right = crossing(p.xs[i], y, p.xs[i+1], p.ys[i+1], level)
		}
		lo, hi = min(lo, left), max(hi, right)
	}
	return lo, hi
}

// crossing is where the line from (x, y) to (x1, y1) passes through level.
func crossing(x, y, x1, y1, level float64) float64 {
	return x + (x1-x)*((y-level)/(y-y1))
}

func (p polyline) peak() (x, y float64) {
	for i := range p.xs {
		if d := p.ys[i]; i == 0 || d > y {
			x, y = p.xs[i], d
		}
	}
	return x, y
}
