package render

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"auspex/perfql"
)

// Sums is where the regions of many experiments lie with their sums over units.
type Sums struct {
	// Relation has a row for a region of an experiment: experiment, path, name,
	// units (of the experiment), seconds (its run time), and for each of Columns
	// s0, s1, … (the sum over units), most0, … (the largest) and n0, … (how many
	// units have a value); NULL where none has.
	Relation string
	Columns  []string // those of the query, see perfql.Bound.Columns
	Dialect  *Dialect
	Limit    int // rows at most where the query has no limit
}

var errSums = errors.New("all experiments at once are asked about regions, with filters on regions alone; name experiments for the rest")

// SQLOfSums renders a query about the regions of many experiments at once. The
// metrics mean in each what they mean in the experiment that the query was
// bound to. It answers with the columns experiment, region, degree, and m0, m1,
// … for each of Shown, best first.
func SQLOfSums(query *perfql.Bound, from Sums) (string, error) {
	k := bound{query}
	q := k.Query
	if k.By != perfql.ByRegion || len(q.Order) > 0 {
		return "", errSums
	}
	var b strings.Builder
	b.WriteString("SELECT experiment, path")
	for i, m := range k.Metrics {
		text, err := from.metric(&m)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, ", %s AS a%d", text, i)
	}
	b.WriteString("\nFROM " + from.Relation + " AS v")
	if q.Where != nil {
		filter, err := overRegions(q.Where, from.Dialect)
		if err != nil {
			return "", err
		}
		b.WriteString("\nWHERE " + filter)
	}
	text, err := k.quantities(b.String())
	if err != nil {
		return "", err
	}
	if text, err = k.degrees(text); err != nil {
		return "", err
	}
	enough, err := k.exceeds()
	if err != nil {
		return "", err
	}
	b.Reset()
	b.WriteString("SELECT experiment, path, degree")
	for i, s := range k.Shown {
		text, err := expression(k.Quantities[s.Quantity], k.column)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, ", %s AS m%d", text, i)
	}
	limit := from.Limit
	if q.Limit > 0 {
		limit = q.Limit
	}
	fmt.Fprintf(&b, "\nFROM (%s)\nWHERE %s\nORDER BY degree DESC, experiment, path LIMIT %d", text, enough, limit)
	return b.String(), nil
}

// metric is a metric of a region, whose sums are there already.
func (from *Sums) metric(m *perfql.Metric) (string, error) {
	at := slices.Index(from.Columns, m.Source(perfql.ByRegion))
	if at < 0 {
		return "", errSums
	}
	sum, most, n := fmt.Sprint("s", at), fmt.Sprint("most", at), fmt.Sprint("n", at)
	text := sum
	switch m.Fold {
	case perfql.Spread:
		text = fmt.Sprintf("%s * units / %s - 1", most, sum)
	case perfql.Behind:
		text = fmt.Sprintf("%s - %s / units", most, sum)
	case perfql.Mean:
		text = sum + " / " + n
	}
	if m.Whole != nil { // of every experiment its own
		whole := "seconds"
		if m.PerUnit {
			whole = "(seconds * units)"
		}
		text = "(" + text + ") / " + whole
	}
	if m.Over != nil {
		below, err := from.metric(m.Over)
		if err != nil {
			return "", err
		}
		text = "(" + text + ") / (" + below + ")"
	}
	return text, nil
}

// overRegions renders a filter that only asks about the names of regions.
func overRegions(f perfql.Filter, d *Dialect) (string, error) {
	switch f := f.(type) {
	case *perfql.Inverse:
		x, err := overRegions(f.X, d)
		return "NOT " + x, err
	case *perfql.All:
		var parts []string
		for _, x := range f.Xs {
			part, err := overRegions(x, d)
			if err != nil {
				return "", err
			}
			parts = append(parts, part)
		}
		return "(" + strings.Join(parts, word(f.Or)) + ")", nil
	}
	test := f.(*perfql.Test)
	if test.Field != "region" {
		return "", errSums
	}
	return "coalesce(" + column(test, d) + ", false)", nil
}
