// Package growth fits models of how something grows with the number of
// processes: c₀ + c·pⁱ·log₂ʲ(p), the performance model normal form with one
// term (Calotoiu, Hoefler, Poke, Wolf: Using automated performance modeling to
// find scalability bugs in complex codes, SC 2013).
//
//  1. Every pair of exponents is a hypothesis, and so is a constant.
//  2. Each is fitted by least squares, and judged by how well it foretells
//     every point from the others: the symmetric mean absolute percentage
//     error of leaving one out.
//  3. The best is the answer; a simpler one as good goes before it.
//  4. Model.At gives the value elsewhere and the interval of 95 % that the
//     scatter around the model allows.
package growth

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// Fewest is the least number of points that a model is made of.
const Fewest = 5

// Point is something measured at a number of processes.
type Point struct{ P, Value float64 }

// Model is c₀ + c·pⁱ·log₂ʲ(p).
type Model struct {
	C0    float64 `json:"c0"`
	C     float64 `json:"c"`
	I     float64 `json:"i"`
	J     int     `json:"j"`
	SMAPE float64 `json:"smape"` // of leaving one out, 0 to 2

	scatter, mean, spread float64 // of the residuals; of the term
	points                int
}

// exponents of p; those below zero are for what shrinks.
var exponents = []float64{0, 1. / 4, 1. / 3, 1. / 2, 2. / 3, 3. / 4, 1, 5. / 4, 4. / 3, 3. / 2, 5. / 3, 7. / 4, 2, 9. / 4, 7. / 3, 5. / 2, 8. / 3, 11. / 4, 3}

const mostLogs = 2

// better is by how much of the error a more complicated hypothesis has to be
// better.
const better = 0.9

func term(p, i float64, j int) float64 { return math.Pow(p, i) * math.Pow(math.Log2(p), float64(j)) }

// Fit finds the model of at least five points, which must not all be at one
// number of processes.
func Fit(points []Point) (Model, error) {
	if len(points) < Fewest {
		return Model{}, fmt.Errorf("a model of growth needs %d sizes at least, not %d", Fewest, len(points))
	}
	for _, p := range points {
		if p.P < 1 || math.IsNaN(p.Value) || math.IsInf(p.Value, 0) {
			return Model{}, fmt.Errorf("cannot fit a value of %v at %v processes", p.Value, p.P)
		}
	}
	best := constant(points)
	for j := range mostLogs + 1 {
		for _, i := range exponents {
			for _, sign := range []float64{1, -1} {
				if i == 0 && (j == 0 || sign < 0) || sign < 0 && j > 0 {
					continue
				}
				m, ok := hypothesis(points, sign*i, j)
				if ok && m.SMAPE < better*best.SMAPE {
					best = m
				}
			}
		}
	}
	return best, nil
}

func constant(points []Point) Model {
	m := Model{points: len(points)}
	for _, p := range points {
		m.C0 += p.Value / float64(len(points))
	}
	sum := 0.0
	for _, p := range points {
		sum += (p.Value - m.C0) * (p.Value - m.C0)
		rest := (m.C0*float64(len(points)) - p.Value) / float64(len(points)-1)
		m.SMAPE += apart(rest, p.Value) / float64(len(points))
	}
	m.scatter = math.Sqrt(sum / float64(len(points)-1))
	return m
}

func apart(a, b float64) float64 {
	if scale := (math.Abs(a) + math.Abs(b)) / 2; scale > 0 {
		return math.Abs(a-b) / scale
	}
	return 0
}

// hypothesis fits one pair of exponents. What would be below zero between the
// smallest and twice the largest size is none.
func hypothesis(points []Point, i float64, j int) (Model, bool) {
	m, ok := fit(points, -1, i, j)
	if !ok {
		return m, false
	}
	low, high := math.Inf(1), 0.0
	for k, p := range points {
		without, ok := fit(points, k, i, j)
		if !ok {
			return m, false
		}
		m.SMAPE += apart(without.value(p.P), p.Value) / float64(len(points))
		low, high = min(low, p.P), max(high, p.P)
	}
	if m.value(low) < 0 || m.value(2*high) < 0 {
		return m, false
	}
	return m, true
}

// fit is least squares over all points but one.
func fit(points []Point, but int, i float64, j int) (Model, bool) {
	n, sx, sy, sxx, sxy := 0.0, 0.0, 0.0, 0.0, 0.0
	for k, p := range points {
		if k == but {
			continue
		}
		x := term(p.P, i, j)
		n++
		sx += x
		sy += p.Value
		sxx += x * x
		sxy += x * p.Value
	}
	spread := sxx - sx*sx/n
	if !(spread > 1e-12*sxx) || math.IsInf(sxx, 0) {
		return Model{}, false
	}
	m := Model{I: i, J: j, points: int(n), mean: sx / n, spread: spread}
	m.C = (sxy - sx*sy/n) / spread
	m.C0 = (sy - m.C*sx) / n
	sum := 0.0
	for k, p := range points {
		if k != but {
			d := p.Value - m.value(p.P)
			sum += d * d
		}
	}
	m.scatter = math.Sqrt(sum / max(1, n-2))
	return m, true
}

func (m Model) value(p float64) float64 {
	if m.C == 0 {
		return m.C0
	}
	return m.C0 + m.C*term(p, m.I, m.J)
}

// At is the model's value at p and the interval in which a measurement lies
// with 95 % likelihood, if the model is right.
func (m Model) At(p float64) (value, low, high float64) {
	value = m.value(p)
	free, lever := float64(m.points-1), 1/float64(m.points)
	if m.C != 0 {
		free--
		d := term(p, m.I, m.J) - m.mean
		lever += d * d / m.spread
	}
	t := distuv.StudentsT{Sigma: 1, Nu: max(1, free)}.Quantile(0.975)
	half := t * m.scatter * math.Sqrt(1+lever)
	return value, max(0, value-half), value + half
}

// Constant tells whether nothing grows.
func (m Model) Constant() bool { return m.C == 0 }

// String writes the model as a formula.
func (m Model) String() string {
	if m.Constant() {
		return fmt.Sprintf("%.4g", m.C0)
	}
	sign, c := "+", m.C
	if c < 0 {
		sign, c = "−", -c
	}
	parts := []string{fmt.Sprintf("%.4g", c)}
	switch {
	case m.I == 1:
		parts = append(parts, "p")
	case m.I != 0:
		parts = append(parts, "p^"+fraction(m.I))
	}
	switch {
	case m.J == 1:
		parts = append(parts, "log2(p)")
	case m.J > 1:
		parts = append(parts, fmt.Sprintf("log2(p)^%d", m.J))
	}
	return fmt.Sprintf("%.4g %s %s", m.C0, sign, strings.Join(parts, "·"))
}

func fraction(x float64) string {
	for _, below := range []int{1, 2, 3, 4} {
		above := x * float64(below)
		if math.Abs(above-math.Round(above)) < 1e-9 {
			if below == 1 {
				return fmt.Sprintf("%.0f", above)
			}
			return fmt.Sprintf("(%.0f/%d)", above, below)
		}
	}
	return fmt.Sprintf("%.3g", x)
}
