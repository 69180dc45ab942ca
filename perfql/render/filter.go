package render

import (
	"fmt"
	"strings"

	"auspex/perfql"
)

// chosen selects rows of the values relation. Regions and units are few, values
// are many, so a test runs over the small relation and the rows are matched by
// number.
func chosen(f perfql.Filter, from Source) string {
	switch f := f.(type) {
	case *perfql.Inverse:
		return "NOT " + chosen(f.X, from)
	case *perfql.All:
		var parts []string
		for _, x := range f.Xs {
			parts = append(parts, chosen(x, from))
		}
		return "(" + strings.Join(parts, word(f.Or)) + ")"
	}
	test := f.(*perfql.Test)
	if regions, _ := test.Touches(); regions {
		return "v.region IN (SELECT id FROM " + from.Regions + " WHERE " + column(test, from.Dialect) + ")"
	}
	return "v.unit IN (SELECT id FROM " + from.Units + " WHERE " + column(test, from.Dialect) + ")"
}

func word(or bool) string {
	if or {
		return " OR "
	}
	return " AND "
}

// column is the test over the columns of regions or units.
func column(f *perfql.Test, d *Dialect) string {
	var parts []string
	for _, v := range f.Values {
		parts = append(parts, compare(f, v, d))
	}
	return "(" + strings.Join(parts, " OR ") + ")"
}

func compare(f *perfql.Test, v perfql.Value, d *Dialect) string {
	op := f.Op
	if op == "IN" {
		op = "="
	}
	if v.Number {
		if v.From != v.To {
			return fmt.Sprintf("%s BETWEEN %d AND %d", f.Field, v.From, v.To)
		}
		return fmt.Sprintf("%s %s %d", f.Field, op, v.From)
	}
	text := func(column string) string {
		if op == "~" {
			return d.like(column, v.Text)
		}
		return column + " = " + d.text(v.Text)
	}
	sql := text(f.Field)
	if f.Field == "region" { // its whole path or its last name
		sql = "(" + text("path") + " OR " + text("name") + ")"
	}
	if op == "!=" {
		return "NOT coalesce(" + sql + ", false)"
	}
	return sql
}

// units renders the filters that choose units, as a condition over their
// relation, or "".
func units(f perfql.Filter, d *Dialect) string {
	var parts []string
	for _, p := range perfql.UnitFilters(f) {
		parts = append(parts, overUnits(p, d))
	}
	return strings.Join(parts, " AND ")
}

// overUnits renders a filter that only asks about units over their relation.
func overUnits(f perfql.Filter, d *Dialect) string {
	switch f := f.(type) {
	case *perfql.Inverse:
		return "NOT " + overUnits(f.X, d)
	case *perfql.All:
		var parts []string
		for _, x := range f.Xs {
			parts = append(parts, overUnits(x, d))
		}
		return "(" + strings.Join(parts, word(f.Or)) + ")"
	}
	return "coalesce(" + column(f.(*perfql.Test), d) + ", false)"
}

// literal quotes a text for SQL.
func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// identifier quotes a name for SQL.
func identifier(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
