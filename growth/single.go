package growth

import (
	"fmt"
	"math"
)

// FewestAlone is the least number of points that a single term is fitted to.
const FewestAlone = 3

// FitTerm finds the model without a constant, c·pⁱ·log₂ʲ(p), that foretells each of
// three points or more best from the others. It is for what is nothing but one
// thing that grows or shrinks, such as the size of a message.
func FitTerm(points []Point) (Model, error) {
	if len(points) < FewestAlone {
		return Model{}, fmt.Errorf("a model of growth of one term needs %d sizes at least, not %d", FewestAlone, len(points))
	}
	s := newSeries(points)
	best := Model{SMAPE: math.Inf(1)}
	for j := range mostLogs {
		for _, i := range exponents {
			for _, i := range []float64{i, -i} {
				if m, ok := s.alone(Term{I: i, J: j}); ok && m.SMAPE < better*best.SMAPE {
					best = m
				}
			}
		}
	}
	if math.IsInf(best.SMAPE, 1) {
		return Model{}, fmt.Errorf("no term fits")
	}
	return best, nil
}

// alone fits c of a term to all points, and to all but one in turn.
func (s series) alone(t Term) (Model, bool) {
	fit := func(but int) (Model, bool) {
		var xx, xy float64
		for k, p := range s.points {
			if w := 1 / s.scale(p.Value); k != but {
				x := w * term(p.P, t.I, t.J)
				xx, xy = xx+x*x, xy+x*w*p.Value
			}
		}
		m := Model{Term: Term{C: xy / xx, I: t.I, J: t.J}}
		return m, !math.IsNaN(m.C) && !math.IsInf(m.C, 0)
	}
	m, ok := fit(-1)
	for k, p := range s.points {
		without, fits := fit(k)
		ok = ok && fits
		m.SMAPE += apart(without.Value(p.P), p.Value) / float64(len(s.points))
	}
	return m, ok
}
