package cluster

import "math"

// wide is the sum of two numbers, the second below the last digit of the first
// (T. J. Dekker, "A floating-point technique for extending the available precision", 1971).
type wide struct{ hi, lo float64 }

// product is x times y without rounding.
func product(x, y float64) wide {
	p := x * y
	return wide{p, math.FMA(x, y, -p)}
}

// sum is x plus y without rounding (D. E. Knuth, TAOCP 2, 4.2.2, theorem B).
func sum(x, y float64) wide {
	s := x + y
	d := s - x
	return wide{s, (x - (s - d)) + (y - d)}
}

func (a wide) plus(b wide) wide {
	hi, lo := sum(a.hi, b.hi), sum(a.lo, b.lo)
	hi = sum(hi.hi, hi.lo+lo.hi)
	return sum(hi.hi, hi.lo+lo.lo)
}

func (a wide) times(x float64) wide {
	p := product(a.hi, x)
	return sum(p.hi, math.FMA(a.lo, x, p.lo))
}

func (a wide) negative() wide { return wide{-a.hi, -a.lo} }
