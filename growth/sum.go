package growth

import (
	"cmp"
	"math"
	"slices"
)

// Sum is what is made of parts that were measured in the same runs.
type Sum []Model

// Value is the sum's value at p.
func (s Sum) Value(p float64) float64 {
	value := 0.0
	for _, m := range s {
		value += m.Value(p)
	}
	return value
}

// At is the sum's value at p, and the interval in which a measurement lies with
// 95 % likelihood. Errors of the parts are taken to be independent, but where the
// sum is further from what was measured than that explains.
func (s Sum) At(p float64) (value, low, high float64) {
	value = s.Value(p)
	var below, above float64
	for _, m := range s {
		b, a := m.reach(p)
		below, above = math.Hypot(below, b), math.Hypot(above, a)
	}
	together := s.together()
	return value, max(0, value-together*below), value + together*above
}

// together is by how much more the sum scatters around the points than its parts
// would if they did so independently: 1 at least.
func (s Sum) together() float64 {
	var sum, apart float64
	for k := range s[0].points.points {
		error, whole, alone := 0.0, 0.0, 0.0
		for _, m := range s {
			p := m.points.points[k]
			d := p.Value - m.Value(p.P)
			error, whole, alone = error+d, whole+p.Value, alone+d*d
		}
		if whole > 0 {
			sum, apart = sum+error*error/(whole*whole), apart+alone/(whole*whole)
		}
	}
	if apart == 0 {
		return 1
	}
	return max(1, math.Sqrt(sum/apart))
}

// Terms gives the constant and the terms of the sum, those with the same
// exponents as one, the one that grows fastest last. Terms that would not be seen
// in the sum are left out.
func (s Sum) Terms() (c0 float64, terms []Term) {
	terms = []Term{}
	for _, m := range s {
		c0 += m.C0
		for _, t := range []Term{{C: m.Shared, I: -1}, m.Term} {
			same := func(o Term) bool { return o.I == t.I && o.J == t.J }
			if i := slices.IndexFunc(terms, same); i >= 0 {
				terms[i].C += t.C
			} else if t.C != 0 {
				terms = append(terms, t)
			}
		}
	}
	slices.SortFunc(terms, func(a, b Term) int { return cmp.Or(cmp.Compare(a.I, b.I), cmp.Compare(a.J, b.J)) })
	return c0, s.seen(terms)
}

// String writes the sum as a formula.
func (s Sum) String() string {
	c0, terms := s.Terms()
	return formula(c0, terms...)
}

// hardly is the part of the sum below which a term is not seen.
const hardly = 0.001

// seen are the terms that count at the smallest size or at four times the largest.
func (s Sum) seen(terms []Term) []Term {
	low, high := math.Inf(1), 0.0
	for _, p := range s[0].points.points {
		low, high = min(low, p.P), max(high, 4*p.P)
	}
	return slices.DeleteFunc(terms, func(t Term) bool {
		counts := func(p float64) bool { return math.Abs(t.C*term(p, t.I, t.J)) >= hardly*s.Value(p) }
		return high > 0 && !counts(low) && !counts(high)
	})
}
