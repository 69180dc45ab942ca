package render

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"auspex/fuzzy"
	"auspex/perfql"
)

// bound is a query that is being rendered.
type bound struct{ *perfql.Bound }

// quantities computes the columns x0, x1, … from a0, a1, ….
func (k bound) quantities(from string) (string, error) {
	var b strings.Builder
	b.WriteString("SELECT *")
	for i, n := range k.Quantities {
		if !k.early(i) {
			continue
		}
		text, err := expression(n, k.column)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, ", %s AS x%d", text, i)
	}
	b.WriteString("\nFROM (" + from + ")")
	narrow, err := k.narrow()
	if narrow != "" {
		b.WriteString("\nWHERE " + narrow)
	}
	return b.String(), err
}

// early reports whether a quantity decides which rows remain. The others are
// only shown, and computed for those.
func (k bound) early(quantity int) bool {
	return slices.Contains(k.Order, quantity) ||
		slices.ContainsFunc(k.Degrees, func(d perfql.Degree) bool { return d.Quantity == quantity })
}

// column is where a metric stands among a0, a1, ….
func (k bound) column(name string) (string, error) {
	return fmt.Sprintf("a%d", k.MetricNamed(name)), nil
}

// degrees computes d0, d1, … from x0, x1, … and the degree of the condition
// from them.
func (k bound) degrees(from string) (string, error) {
	var b strings.Builder
	b.WriteString("SELECT *")
	for i, d := range k.Degrees {
		text, err := set(d.Set, fmt.Sprintf("x%d", d.Quantity))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, ", %s AS d%d", text, i)
	}
	whole, err := combined(k.Query.Condition, k.Logic, k.degreeColumn)
	if err != nil {
		return "", err
	}
	return "SELECT *, " + whole + " AS degree\nFROM (" + b.String() + "\nFROM (" + from + "))", nil
}

// narrow passes over most rows that cannot reach the degree asked for before
// anything is computed exactly.
func (k bound) narrow() (string, error) {
	t := k.Query.Threshold()
	if t.OrEqual && t.Value == 0 {
		return "", nil
	}
	level := t.Value * (1 - 1e-9) // so that a degree of just Value is above it
	var failed error
	text := narrow(k.Query.Condition, k.Logic, level, func(is *fuzzy.Is, level float64) string {
		d := k.Degrees[k.Statements[is]]
		x, err := looseExpression(k.Quantities[d.Quantity], k.column)
		if err != nil {
			failed = err
		}
		lo, hi := fuzzy.Cut(d.Set, level)
		var parts []string
		if !math.IsInf(lo, 0) {
			parts = append(parts, x+" >= "+number(lo))
		}
		if !math.IsInf(hi, 0) {
			parts = append(parts, x+" <= "+number(hi))
		}
		return strings.Join(parts, " AND ")
	})
	return text, failed
}

// exceeds asks whether the degree is high enough.
func (k bound) exceeds() (string, error) {
	t := k.Query.Threshold()
	return exceeds(k.Query.Condition, k.Logic, t.OrEqual, t.Value, k.degreeColumn)
}

// degreeColumn is where a statement's degree stands among d0, d1, ….
func (k bound) degreeColumn(is *fuzzy.Is) (string, error) {
	return fmt.Sprintf("d%d", k.Statements[is]), nil
}
