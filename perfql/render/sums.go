package render

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"auspex/perfql"
)

// Sums is where the regions, or the units, of many experiments lie with their
// sums.
type Sums struct {
	// Relation has a row for a region of an experiment: experiment, path, name; or
	// for a unit: experiment, node, process, thread. Beside these are units (of the
	// experiment), seconds (its run time), and for each of Columns s0, s1, … (the
	// sum over units, or over regions), most0, … (the largest) and n0, … (how many
	// have a value); NULL where none has. Only regions count for which the
	// condition over their path and name holds, "" for all.
	Relation func(by perfql.Grouping, condition string) string
	Columns  []string // those of the query, see perfql.Bound.Columns
	Dialect  *Dialect
	Limit    int // rows at most where the query has no limit
}

var errSums = errors.New("all experiments at once are asked about regions or units, with filters on regions alone; name experiments for the rest")

// SQLOfSums renders a query about the regions, or the units, of many experiments
// at once. The metrics mean in each what they mean in the experiment that the
// query was bound to. It answers with the columns experiment, region, node,
// process, thread, degree, and m0, m1, … for each of Shown, in the query's order.
// What the grouping does not have is NULL.
func SQLOfSums(query *perfql.Bound, from Sums) (string, error) {
	k := bound{query}
	q := k.Query
	if k.By != perfql.ByRegion && k.By != perfql.ByUnit {
		return "", errSums
	}
	filter := ""
	if q.Where != nil {
		var err error
		if filter, err = overRegions(q.Where, from.Dialect); err != nil {
			return "", err
		}
	}
	var b strings.Builder
	b.WriteString("SELECT experiment, " + from.who(k.By))
	for i, m := range k.Metrics {
		text, err := from.metric(&m, k.By)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, ", %s AS a%d", text, i)
	}
	b.WriteString("\nFROM " + from.Relation(k.By, filter) + " AS v")
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
	b.WriteString("SELECT experiment, region, node, process, thread, degree")
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
	fmt.Fprintf(&b, "\nFROM (%s)\nWHERE %s\nORDER BY %s LIMIT %d", text, enough, k.orderOfSums(), limit)
	return b.String(), nil
}

// who names what a row is about.
func (from *Sums) who(by perfql.Grouping) string {
	if by == perfql.ByUnit {
		return from.Dialect.noText + " AS region, node, process, thread"
	}
	return "path AS region, " + from.Dialect.noText + " AS node, " + from.Dialect.noInteger + " AS process, " + from.Dialect.noInteger + " AS thread"
}

// orderOfSums is the query's order, and where it says nothing the experiments'.
func (k bound) orderOfSums() string {
	var keys []string
	direction := func(desc bool) string {
		if desc {
			return " DESC NULLS LAST"
		}
		return " ASC NULLS LAST"
	}
	for i, key := range k.Query.Order {
		switch key.By {
		case "unit":
			keys = append(keys, "process"+direction(key.Desc), "thread"+direction(key.Desc))
		case "":
			keys = append(keys, fmt.Sprintf("x%d%s", k.Order[i], direction(key.Desc)))
		default:
			keys = append(keys, key.By+direction(key.Desc))
		}
	}
	if len(keys) == 0 {
		keys = append(keys, "degree"+direction(true))
	}
	return strings.Join(append(keys, "experiment", "region", "process", "thread", "node"), ", ")
}

// metric is a metric of a region, or of a unit, whose sums are there already.
func (from *Sums) metric(m *perfql.Metric, by perfql.Grouping) (string, error) {
	at := slices.Index(from.Columns, m.Source(by))
	if at < 0 {
		return "", errSums
	}
	sum, most, n := fmt.Sprint("s", at), fmt.Sprint("most", at), fmt.Sprint("n", at)
	const others = " OVER (PARTITION BY experiment)" // units of the same experiment
	text := sum
	switch {
	case m.Fold == perfql.Spread && by == perfql.ByUnit:
		text = fmt.Sprintf("%[1]s * units / sum(%[1]s)%[2]s - 1", sum, others)
	case m.Fold == perfql.Spread:
		text = fmt.Sprintf("%s * units / %s - 1", most, sum)
	case m.Fold == perfql.Behind && by == perfql.ByUnit:
		text = fmt.Sprintf("max(%[1]s)%[2]s - %[1]s", sum, others)
	case m.Fold == perfql.Behind:
		text = fmt.Sprintf("%s - %s / units", most, sum)
	case m.Fold == perfql.Mean:
		text = sum + " / " + n
	case m.Fold == perfql.Outermost && by == perfql.ByUnit:
		text = most
	}
	if m.Whole != nil { // of every experiment its own
		whole := "seconds"
		if m.PerUnit && by == perfql.ByRegion {
			whole = "(seconds * units)"
		}
		text = "(" + text + ") / " + whole
	}
	if m.Over != nil {
		below, err := from.metric(m.Over, by)
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
