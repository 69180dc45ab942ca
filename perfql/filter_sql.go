package perfql

import (
	"fmt"
	"strings"
)

func (f *Test) touches() (regions, units bool) {
	regions = f.Field == "region" || f.Field == "kind"
	return regions, !regions
}

func (f *Inverse) touches() (regions, units bool) { return f.X.touches() }

func (f *All) touches() (regions, units bool) {
	for _, x := range f.Xs {
		r, u := x.touches()
		regions, units = regions || r, units || u
	}
	return regions, units
}

// sql selects rows of the values relation. Regions and units are few, values
// are many, so a test runs over the small relation and the rows are matched by
// number.
func (f *Test) sql(e *Experiment) string {
	if regions, _ := f.touches(); regions {
		return "v.region IN (SELECT id FROM " + e.Regions + " WHERE " + f.column() + ")"
	}
	return "v.unit IN (SELECT id FROM " + e.Units + " WHERE " + f.column() + ")"
}

// column is the test over the columns of regions or units.
func (f *Test) column() string {
	var parts []string
	for _, v := range f.Values {
		parts = append(parts, f.compare(v))
	}
	return "(" + strings.Join(parts, " OR ") + ")"
}

func (f *Test) compare(v Value) string {
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
			return "lower(" + column + ") GLOB lower(" + literal(v.Text) + ")"
		}
		return column + " = " + literal(v.Text)
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

func (f *All) sql(e *Experiment) string {
	word := " AND "
	if f.Or {
		word = " OR "
	}
	var parts []string
	for _, x := range f.Xs {
		parts = append(parts, x.sql(e))
	}
	return "(" + strings.Join(parts, word) + ")"
}

func (f *Inverse) sql(e *Experiment) string { return "NOT " + f.X.sql(e) }

// unitSQL gives the part of the filter that chooses units whatever the region,
// as a condition over the units relation, or "". A mean over units counts the
// chosen ones, whether they entered a region or not.
func unitSQL(f Filter) string {
	parts := []Filter{f}
	if all, ok := f.(*All); ok && !all.Or {
		parts = all.Xs
	}
	var chosen []string
	for _, p := range parts {
		if p == nil {
			continue
		}
		if regions, _ := p.touches(); !regions {
			chosen = append(chosen, overUnits(p))
		}
	}
	return strings.Join(chosen, " AND ")
}

// overUnits renders a filter that only asks about units over their relation.
func overUnits(f Filter) string {
	switch f := f.(type) {
	case *Test:
		return "coalesce(" + f.column() + ", false)"
	case *Inverse:
		return "NOT " + overUnits(f.X)
	}
	all := f.(*All)
	var parts []string
	for _, x := range all.Xs {
		parts = append(parts, overUnits(x))
	}
	word := " AND "
	if all.Or {
		word = " OR "
	}
	return "(" + strings.Join(parts, word) + ")"
}

// literal quotes a text for SQL.
func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// identifier quotes a name for SQL.
func identifier(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
