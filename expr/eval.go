package expr

import (
	"fmt"
	"math"
)

// Eval computes n for each of rows rows. column gives a metric's values, one
// per row; they are read, never changed. Missing values are NaN. A result
// without a finite value (division by zero, overflow, an infinite input) is
// missing as well, so Eval never returns an infinity.
func Eval(n Node, rows int, column func(name string) ([]float64, error)) ([]float64, error) {
	out := make([]float64, rows)
	if err := evalInto(out, n, column); err != nil {
		return nil, err
	}
	return out, nil
}

// evalInto fills out, step by step; what is not finite after a step is missing
// from there on.
func evalInto(out []float64, n Node, column func(string) ([]float64, error)) error {
	switch n := n.(type) {
	case *Number:
		for i := range out {
			out[i] = n.Value
		}
	case *Name:
		col, err := column(n.Name)
		if err != nil {
			return err
		}
		if len(col) != len(out) {
			return fmt.Errorf("metric %s has %d values where %d were expected", n.Name, len(col), len(out))
		}
		copy(out, col)
	case *Negation:
		if err := evalInto(out, n.X, column); err != nil {
			return err
		}
		for i := range out {
			out[i] = -out[i]
		}
	case *Binary:
		if err := evalInto(out, n.X, column); err != nil {
			return err
		}
		y := make([]float64, len(out))
		if err := evalInto(y, n.Y, column); err != nil {
			return err
		}
		apply(n.Op, out, y)
	default:
		return fmt.Errorf("unknown expression %T", n)
	}
	for i, v := range out {
		if v-v != 0 { // infinite or NaN
			out[i] = math.NaN()
		}
	}
	return nil
}

// apply computes x op y into x.
func apply(op byte, x, y []float64) {
	switch op {
	case '+':
		for i := range x {
			x[i] += y[i]
		}
	case '-':
		for i := range x {
			x[i] -= y[i]
		}
	case '*':
		for i := range x {
			x[i] *= y[i]
		}
	case '/':
		for i := range x {
			x[i] /= y[i]
		}
	}
}
