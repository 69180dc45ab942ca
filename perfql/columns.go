package perfql

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"auspex/expr"
	"auspex/fuzzy"
)

// shownSQL computes a metric of the answer.
func (k *checked) shownSQL(title string) (string, error) {
	at := slices.IndexFunc(k.shown, func(m shown) bool { return m.text == title })
	if at < 0 {
		return "NULL::DOUBLE", nil
	}
	return expr.SQL(k.quantities[k.shown[at].quantity], k.column)
}

// quantitySQL computes the columns x0, x1, … from a0, a1, ….
func (k *checked) quantitySQL(from string, logic fuzzy.Logic) (string, error) {
	var b strings.Builder
	b.WriteString("SELECT *")
	for i, n := range k.quantities {
		if !k.early(i) {
			continue
		}
		text, err := expr.SQL(n, k.column)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, ", %s AS x%d", text, i)
	}
	b.WriteString("\nFROM (" + from + ")")
	narrow, err := k.narrowSQL(logic)
	if narrow != "" {
		b.WriteString("\nWHERE " + narrow)
	}
	return b.String(), err
}

// early reports whether a quantity decides which rows remain. The others are
// only shown, and computed for those.
func (k *checked) early(quantity int) bool {
	return slices.Contains(k.order, quantity) ||
		slices.ContainsFunc(k.degrees, func(d degree) bool { return d.quantity == quantity })
}

// column is where a metric stands among a0, a1, ….
func (k *checked) column(name string) (string, error) {
	m, _ := k.experiment.Metric(name)
	at := slices.IndexFunc(k.metrics, func(o Metric) bool { return o.Name == m.Name })
	return fmt.Sprintf("a%d", at), nil
}

// degreeSQL computes d0, d1, … from x0, x1, … and the degree of the condition
// from them.
func (k *checked) degreeSQL(from string, logic fuzzy.Logic) (string, error) {
	var b strings.Builder
	b.WriteString("SELECT *")
	for i, d := range k.degrees {
		text, err := d.set.SQL(fmt.Sprintf("x%d", d.quantity))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, ", %s AS d%d", text, i)
	}
	whole, err := fuzzy.CombineSQL(k.query.Condition, logic, k.degreeColumn)
	if err != nil {
		return "", err
	}
	return "SELECT *, " + whole + " AS degree\nFROM (" + b.String() + "\nFROM (" + from + "))", nil
}

// narrowSQL passes over most rows that cannot reach the degree asked for before
// anything is computed exactly.
func (k *checked) narrowSQL(logic fuzzy.Logic) (string, error) {
	t := k.query.threshold()
	if t.OrEqual && t.Value == 0 {
		return "", nil
	}
	level := t.Value * (1 - 1e-9) // so that a degree of just Value is above it
	var failed error
	text := fuzzy.NarrowSQL(k.query.Condition, logic, level, func(is *fuzzy.Is, level float64) string {
		d := k.degrees[k.statements[is]]
		x, err := expr.LooseSQL(k.quantities[d.quantity], k.column)
		if err != nil {
			failed = err
		}
		lo, hi := fuzzy.Cut(d.set, level)
		var parts []string
		if !math.IsInf(lo, 0) {
			parts = append(parts, x+" >= "+expr.SQLNumber(lo))
		}
		if !math.IsInf(hi, 0) {
			parts = append(parts, x+" <= "+expr.SQLNumber(hi))
		}
		return strings.Join(parts, " AND ")
	})
	return text, failed
}

// exceedsSQL asks whether the degree is high enough.
func (k *checked) exceedsSQL(logic fuzzy.Logic) (string, error) {
	t := k.query.threshold()
	return fuzzy.ExceedsSQL(k.query.Condition, logic, t.OrEqual, t.Value, k.degreeColumn)
}

// degreeColumn is where a statement's degree stands among d0, d1, ….
func (k *checked) degreeColumn(is *fuzzy.Is) (string, error) {
	return fmt.Sprintf("d%d", k.statements[is]), nil
}
