// Package growth fits models of how something grows with the number of
// processes: c₀ + c·pⁱ·log₂ʲ(p), the performance model normal form with one
// term (Calotoiu, Hoefler, Poke, Wolf: Using automated performance modeling to
// find scalability bugs in complex codes, SC 2013), or s/p + c·pⁱ·log₂ʲ(p) of
// what falls before it rises.
//
//  1. Every pair of exponents is a hypothesis, and so is a constant. None is
//     below zero at any size from the smallest measured on.
//  2. Each is fitted by least squares of relative errors, and judged by how
//     well it foretells every point from the others: the symmetric mean
//     absolute percentage error of leaving one out.
//  3. The best is the answer; a simpler one as good goes before it.
//  4. Model.At gives the value elsewhere, and the interval of 95 % that all
//     hypotheses allow that fit the points nearly as well.
//  5. What is made of parts with laws of their own, such as work that is
//     shared and messages that add up, is the Sum of their models.
package growth

import (
	"cmp"
	"fmt"
	"math"
	"strings"
)

// Fewest is the least number of points that a model is made of.
const Fewest = 5

// Point is something measured at a number of processes.
type Point struct{ P, Value float64 }

// Term is c·pⁱ·log₂ʲ(p).
type Term struct {
	C float64 `json:"c"`
	I float64 `json:"i"`
	J int     `json:"j"`
}

// Model is c₀ + s/p + c·pⁱ·log₂ʲ(p); one of c₀ and s is 0.
type Model struct {
	C0     float64 `json:"c0"`
	Shared float64 `json:"shared"` // s
	Term
	SMAPE float64 `json:"smape"` // of leaving one out, 0 to 2

	points series
	around []fitted // the hypotheses that fit nearly as well
	limit  float64  // of the sum of squares for that
	noise  float64  // of a measurement, relative: half of its interval
}

// better is by how much of the error a more complicated hypothesis has to be
// better.
const better = 0.9

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
	s := newSeries(points)
	var best fitted
	var all []fitted
	for _, h := range hypotheses {
		f, ok := s.judge(h)
		if !ok {
			continue
		}
		if all = append(all, f); len(all) == 1 || f.smape < better*best.smape {
			best = f
		}
	}
	m := Model{C0: best.c0, Shared: best.shared, Term: best.Term, SMAPE: best.smape, points: s}
	m.doubt(best, all)
	return m, nil
}

// Value is the model's value at p.
func (m Model) Value(p float64) float64 {
	return fitted{c0: m.C0, shared: m.Shared, Term: m.Term}.value(p)
}

// Constant tells whether nothing grows.
func (m Model) Constant() bool { return m.C == 0 && m.Shared == 0 }

// String writes the model as a formula.
func (m Model) String() string { return formula(m.C0, Term{C: m.Shared, I: -1}, m.Term) }

func formula(c0 float64, terms ...Term) string {
	var out string
	if c0 != 0 {
		out = fmt.Sprintf("%.4g", c0)
	}
	for _, t := range terms {
		switch {
		case t.C < 0:
			out += " − " + t.String()
		case t.C > 0 && out == "":
			out = t.String()
		case t.C > 0:
			out += " + " + t.String()
		}
	}
	return cmp.Or(out, "0")
}

// String writes the term without its sign.
func (t Term) String() string {
	parts := []string{fmt.Sprintf("%.4g", math.Abs(t.C))}
	switch {
	case t.I == 1:
		parts = append(parts, "p")
	case t.I != 0:
		parts = append(parts, "p^"+fraction(t.I))
	}
	switch {
	case t.J == 1:
		parts = append(parts, "log2(p)")
	case t.J > 1:
		parts = append(parts, fmt.Sprintf("log2(p)^%d", t.J))
	}
	return strings.Join(parts, "·")
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
