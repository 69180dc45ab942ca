package growth

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// alike is how much worse than the best a hypothesis may foretell the points.
const alike = 2

// doubt keeps the hypotheses that the points do not rule out: those that foretell
// them nearly as well, and whose sum of squares is within the confidence region of
// 95 % around the least one that three parameters (c₀, c, the exponents) leave.
func (m *Model) doubt(best fitted, all []fitted) {
	least := best.squares
	for _, f := range all {
		least = min(least, f.squares)
	}
	free := float64(len(m.points.points) - 3)
	t := distuv.StudentsT{Sigma: 1, Nu: free}.Quantile(0.975)
	m.limit = max(best.squares, least*(1+t*t/free))
	m.noise = t * math.Sqrt(best.squares/free)
	for _, f := range all {
		if f.squares <= m.limit && f.smape <= alike*best.smape {
			m.around = append(m.around, f)
		}
	}
}

// At is the model's value at p, and the interval in which a measurement lies
// with 95 % likelihood, if one of the hypotheses is right.
func (m Model) At(p float64) (value, low, high float64) {
	value = m.Value(p)
	below, above := m.reach(p)
	return value, max(0, value-below), value + above
}

// reach is how far the interval goes below and above the value.
func (m Model) reach(p float64) (below, above float64) {
	value := m.Value(p)
	for _, f := range m.around {
		v, half := f.value(p), math.Sqrt(max(0, m.limit-f.squares)*f.lever(p))
		below, above = max(below, value-v+half), max(above, v+half-value)
	}
	noise := m.noise * m.points.scale(value)
	return math.Hypot(below, noise), math.Hypot(above, noise)
}
