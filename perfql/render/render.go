// Package render writes PERFQL as SQL for DuckDB and ClickHouse: the one place that knows SQL of
// the language, its expressions and its fuzzy sets.
//
//  1. perfql.Bind gives every word of a query its meaning in an experiment.
//  2. Bound.Columns tells which columns the values relation must have.
//  3. SQL renders the query over the relations of a Source.
package render

import (
	"fmt"
	"strings"

	"auspex/perfql"
)

// Source is where an experiment's data lies, as it stands after FROM: a table, or
// read_parquet('…').
type Source struct {
	Values  string // unit, region, and the DOUBLE columns that the query reads
	Regions string // id, name, path, kind
	Units   string // id, node, process, thread
	// Dialect is the database's; nil for DuckDB's.
	Dialect *Dialect
}

// SQL renders a query from the inside out: metrics per row or group, the
// quantities made of them, their degrees, the degree of the whole condition; then
// the rows that remain get their names. It answers with the columns region (its
// path), node, process, thread, degree, region_id, unit_id, a DOUBLE m0, m1, … for
// each of Shown, and o0, o1, … for each key of ORDER BY that is a metric, in the
// query's order. Columns that the grouping does not have are NULL.
func SQL(query *perfql.Bound, from Source) (string, error) {
	if from.Dialect == nil {
		from.Dialect = DuckDB()
	}
	text, err := bound{query}.render(from)
	if err != nil {
		return "", query.Query.ErrorAt(query.Query.Condition.Pos(), err.Error(), "")
	}
	return text, nil
}

func (k bound) render(from Source) (string, error) {
	q := k.Query
	group := "v.region, v.unit"
	switch k.By {
	case perfql.ByRegion:
		group = "v.region, " + from.Dialect.noInteger + " AS unit"
	case perfql.ByUnit:
		group = from.Dialect.noInteger + " AS region, v.unit"
	}
	var b strings.Builder
	b.WriteString("SELECT " + group)
	for i, m := range k.Metrics {
		fmt.Fprintf(&b, ", %s AS a%d", metric(&m, k.By, from.Dialect), i)
	}
	b.WriteString("\nFROM " + from.Values + " AS v")
	if q.Where != nil {
		b.WriteString("\nWHERE " + chosen(q.Where, from))
	}
	if k.By != perfql.BySummary {
		b.WriteString("\nGROUP BY v." + k.By.String())
	}

	text, err := k.quantities(b.String())
	if err != nil {
		return "", err
	}
	if text, err = k.degrees(text); err != nil {
		return "", err
	}

	b.Reset()
	b.WriteString("SELECT *")
	for i, x := range k.Order {
		if x >= 0 {
			fmt.Fprintf(&b, ", x%d AS o%d", x, i)
		}
	}
	enough, err := k.exceeds()
	if err != nil {
		return "", err
	}
	b.WriteString("\nFROM (" + text + ")")
	late := earlyLimit(q) && bestFirst(q)
	if !late {
		b.WriteString("\nWHERE " + enough)
	}
	if earlyLimit(q) {
		b.WriteString("\nORDER BY " + order(q, false) + limit(q))
	}
	rows := b.String()

	b.Reset()
	picked := "SELECT id FROM " + from.Units
	if some := units(q.Where, from.Dialect); some != "" {
		picked += " WHERE " + some
	}
	b.WriteString("WITH chosen_units AS " + from.Dialect.once + "(" + picked + ")\n")
	b.WriteString("SELECT r.path AS region, u.node, u.process, u.thread, t.degree, t.region AS region_id, t.unit AS unit_id")
	for i, s := range k.Shown {
		text, err := expression(k.Quantities[s.Quantity], k.column)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, ", %s AS m%d", text, i)
	}
	for i, x := range k.Order {
		if x >= 0 {
			fmt.Fprintf(&b, ", t.o%d", i)
		}
	}
	fmt.Fprintf(&b, "\nFROM (%s) AS t\n", rows)
	fmt.Fprintf(&b, "LEFT JOIN %s AS r ON r.id = t.region\nLEFT JOIN %s AS u ON u.id = t.unit", from.Regions, from.Units)
	if late { // the best come first, so only these few need to be asked
		b.WriteString("\nWHERE t.degree " + threshold(q.Threshold()))
	}
	b.WriteString("\nORDER BY " + order(q, true) + limit(q))
	return b.String(), nil
}

func threshold(t perfql.Threshold) string {
	if t.OrEqual {
		return ">= " + number(t.Value)
	}
	return "> " + number(t.Value)
}
