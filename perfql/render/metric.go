package render

import (
	"fmt"

	"auspex/perfql"
)

// unitCount is the number of units that the query is about, be they in the values
// or not.
const unitCount = "(SELECT count(*) FROM chosen_units)"

// metric renders a metric as an expression over the columns of the values
// relation, an aggregate unless rows are summaries.
func metric(m *perfql.Metric, by perfql.Grouping, d *Dialect) string {
	text := folded(m.Fold, d.name(m.Source(by)), by)
	if m.Whole != nil {
		whole := number(m.Divisor())
		if m.PerUnit && by == perfql.ByRegion {
			whole = "(" + whole + " * " + unitCount + ")"
		}
		text = "(" + text + ") / " + whole
	}
	if m.Over != nil {
		text = "(" + text + ") / (" + metric(m.Over, by, d) + ")"
	}
	return text
}

func folded(fold perfql.Fold, c string, by perfql.Grouping) string {
	known := " FILTER (WHERE isFinite(" + c + "))"
	sum, most := "sum("+c+")"+known, "max("+c+")"+known
	switch fold {
	case perfql.Spread:
		switch by {
		case perfql.ByRegion:
			return fmt.Sprintf("%s * %s / %s - 1", most, unitCount, sum)
		case perfql.ByUnit:
			return fmt.Sprintf("%s * %s / sum(%s) OVER () - 1", sum, unitCount, sum)
		}
		return fmt.Sprintf("%s * %s / %s OVER (PARTITION BY region) - 1", c, unitCount, sum)
	case perfql.Behind:
		switch by {
		case perfql.ByRegion:
			return fmt.Sprintf("%s - %s / %s", most, sum, unitCount)
		case perfql.ByUnit:
			return fmt.Sprintf("max(%s) OVER () - %s", sum, sum)
		}
		return fmt.Sprintf("%s OVER (PARTITION BY region) - %s", most, c)
	}
	switch {
	case by == perfql.BySummary:
		return c
	case fold == perfql.Mean:
		return "avg(" + c + ")" + known
	case fold == perfql.Outermost && by == perfql.ByUnit:
		return most
	}
	return sum
}
