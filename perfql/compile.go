package perfql

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"auspex/expr"
	"auspex/fuzzy"
)

// Plan is a query ready to run.
type Plan struct {
	// SQL answers with the columns experiment, region (its path), node,
	// process, thread, degree, region_id, unit_id and one DOUBLE for each of
	// Metrics, best degree first unless the query says otherwise. Columns that
	// the grouping does not have are NULL.
	SQL string
	// Metrics are the quantities that the query mentions, as text: those
	// written and those compared instead of them (time_share for wtime).
	Metrics []string
}

// Compile checks a query against the vocabulary and the experiments it runs
// over, and renders it as SQL.
func Compile(q *Query, v *fuzzy.Vocabulary, logic fuzzy.Logic, experiments []*Experiment) (*Plan, error) {
	if len(experiments) == 0 {
		return nil, errors.New("the query has no experiment to run over; name one after OVER")
	}
	p := &Plan{}
	var parts []*checked
	for _, e := range experiments {
		k, err := check(q, v, logic, e)
		if err != nil {
			var place *expr.Error
			if errors.As(err, &place) && len(experiments) > 1 {
				place.Message = "experiment " + expr.Quote(e.Name) + ": " + place.Message
			}
			return nil, err
		}
		parts = append(parts, k)
		for _, m := range k.shown {
			if !slices.Contains(p.Metrics, m.text) {
				p.Metrics = append(p.Metrics, m.text)
			}
		}
	}
	var selects []string
	for _, k := range parts {
		text, err := k.render(logic, p.Metrics)
		if err != nil {
			return nil, q.Errorf(q.Condition.Pos(), err.Error(), "")
		}
		selects = append(selects, "("+text+")")
	}
	p.SQL = "SELECT experiment, region, node, process, thread, degree, region_id, unit_id" + columns("m", len(p.Metrics)) +
		"\nFROM (" + strings.Join(selects, "\nUNION ALL ") + ")" + "\nORDER BY " + q.orderSQL(true) + q.limitSQL()
	return p, nil
}

// columns lists prefix0, prefix1, …, each after a comma.
func columns(prefix string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ", %s%d", prefix, i)
	}
	return b.String()
}

// orderSQL orders rows: with names, by what the user sees; without, before
// regions and units have been looked up.
func (q *Query) orderSQL(names bool) string {
	var keys []string
	direction := func(desc bool) string {
		if desc {
			return " DESC NULLS LAST"
		}
		return " ASC NULLS LAST"
	}
	for i, k := range q.Order {
		switch k.By {
		case "degree":
			keys = append(keys, "degree"+direction(k.Desc))
		case "region":
			keys = append(keys, "region"+direction(k.Desc))
		case "unit":
			keys = append(keys, "process"+direction(k.Desc), "thread"+direction(k.Desc))
		default:
			keys = append(keys, fmt.Sprintf("o%d%s", i, direction(k.Desc)))
		}
	}
	if len(keys) == 0 {
		keys = append(keys, "degree DESC NULLS LAST")
	}
	if names {
		keys = append(keys, "experiment", "region", "process", "thread", "region_id", "unit_id")
	} else {
		keys = append(keys, "region", "unit")
	}
	return strings.Join(keys, ", ")
}

func (q *Query) limitSQL() string {
	if q.Limit == 0 {
		return ""
	}
	return fmt.Sprintf(" LIMIT %d", q.Limit)
}

// earlyLimit reports whether the best rows can be chosen before the names of
// their regions and units are known.
func (q *Query) earlyLimit() bool {
	return q.Limit > 0 && !slices.ContainsFunc(q.Order, func(k Key) bool { return k.By == "region" || k.By == "unit" })
}

// render builds the query over one experiment from the inside out: metrics per
// row or group, the quantities made of them, their degrees, the degree of the
// whole condition; then the rows that remain get their names.
func (k *checked) render(logic fuzzy.Logic, titles []string) (string, error) {
	q, e := k.query, k.experiment
	group := [...]string{"v.region, NULL::INTEGER AS unit", "NULL::INTEGER AS region, v.unit", "v.region, v.unit"}[q.By]
	var b strings.Builder
	b.WriteString("SELECT " + group)
	for i, m := range k.metrics {
		fmt.Fprintf(&b, ", %s AS a%d", m.sql(q.By), i)
	}
	b.WriteString("\nFROM " + e.Values + " AS v")
	if q.Where != nil {
		b.WriteString("\nWHERE " + q.Where.sql(e))
	}
	if q.By != BySummary {
		b.WriteString("\nGROUP BY v." + q.By.String())
	}

	text, err := k.quantitySQL(b.String(), logic)
	if err != nil {
		return "", err
	}
	if text, err = k.degreeSQL(text, logic); err != nil {
		return "", err
	}

	b.Reset()
	b.WriteString("SELECT *")
	for i, x := range k.order {
		if x >= 0 {
			fmt.Fprintf(&b, ", x%d AS o%d", x, i)
		}
	}
	exceeds, err := k.exceedsSQL(logic)
	if err != nil {
		return "", err
	}
	b.WriteString("\nFROM (" + text + ")")
	late := q.earlyLimit() && (len(q.Order) == 0 || q.Order[0].By == "degree" && q.Order[0].Desc)
	if !late {
		b.WriteString("\nWHERE " + exceeds)
	}
	if q.earlyLimit() {
		b.WriteString("\nORDER BY " + q.orderSQL(false) + q.limitSQL())
	}
	rows := b.String()

	b.Reset()
	chosen := "SELECT id FROM " + e.Units
	if units := unitSQL(q.Where); units != "" {
		chosen += " WHERE " + units
	}
	b.WriteString("WITH chosen_units AS MATERIALIZED (" + chosen + ")\n")
	fmt.Fprintf(&b, "SELECT %s AS experiment, r.path AS region, u.node, u.process, u.thread, t.degree, "+
		"t.region AS region_id, t.unit AS unit_id", literal(e.Name))
	for i, title := range titles {
		text, err := k.shownSQL(title)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, ", %s AS m%d", text, i)
	}
	for i, x := range k.order {
		if x >= 0 {
			fmt.Fprintf(&b, ", t.o%d", i)
		}
	}
	fmt.Fprintf(&b, "\nFROM (%s) AS t\n", rows)
	fmt.Fprintf(&b, "LEFT JOIN %s AS r ON r.id = t.region\nLEFT JOIN %s AS u ON u.id = t.unit", e.Regions, e.Units)
	if late { // the best come first, so only these few need to be asked
		b.WriteString("\nWHERE t.degree " + k.thresholdSQL())
	}
	return b.String(), nil
}

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
	level := 0.0
	if t := k.query.Degree; t != nil {
		if t.OrEqual && t.Value == 0 {
			return "", nil
		}
		level = t.Value * (1 - 1e-9) // so that a degree of just Value is above it
	}
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
	t := k.query.Degree
	if t == nil {
		t = &Threshold{}
	}
	return fuzzy.ExceedsSQL(k.query.Condition, logic, t.OrEqual, t.Value, k.degreeColumn)
}

// degreeColumn is where a statement's degree stands among d0, d1, ….
func (k *checked) degreeColumn(is *fuzzy.Is) (string, error) {
	return fmt.Sprintf("d%d", k.statements[is]), nil
}

func (k *checked) thresholdSQL() string {
	t := k.query.Degree
	switch {
	case t == nil:
		return "> 0"
	case t.OrEqual:
		return ">= " + expr.SQLNumber(t.Value)
	}
	return "> " + expr.SQLNumber(t.Value)
}
