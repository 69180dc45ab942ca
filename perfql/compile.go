package perfql

import (
	"errors"
	"fmt"
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
			return nil, q.ErrorAt(q.Condition.Pos(), err.Error(), "")
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
	late := q.earlyLimit() && q.bestFirst()
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
		b.WriteString("\nWHERE t.degree " + q.threshold().sql())
	}
	return b.String(), nil
}
