package perfql

import (
	"fmt"

	"auspex/expr"
)

// Experiment is what a query needs to know of an experiment.
type Experiment struct {
	Name string
	// Relations as they stand after FROM: a table, or read_parquet('…').
	Values  string // unit, region, and a DOUBLE column per metric
	Regions string // id, name, path, kind
	Units   string // id, node, process, thread
	// Metric finds a metric by its own name or an alias of it.
	Metric func(name string) (Metric, bool)
	// Known lists the names that people may use, for suggestions.
	Known []string
}

// Metric is how a metric is computed from the values relation: for each
// grouping an SQL expression of its columns, an aggregate but for BySummary.
// An empty text means that the metric makes no sense in that grouping.
type Metric struct {
	Name      string // what the vocabulary calls it
	ByRegion  string
	ByUnit    string
	BySummary string
}

func (m Metric) sql(by Grouping) string {
	return [...]string{m.ByRegion, m.ByUnit, m.BySummary}[by]
}

// UnitCount can be used in a metric's SQL: the number of units that the query
// is about, be they in the values or not.
const UnitCount = "(SELECT count(*) FROM chosen_units)"

// sum adds what is known.
func sum(column string) string {
	c := identifier(column)
	return fmt.Sprintf("sum(%s) FILTER (WHERE isfinite(%s))", c, c)
}

// Additive is a metric that adds up over units and regions: an exclusive time,
// a count. Where it is missing it adds nothing.
func Additive(name, column string) Metric {
	return Metric{Name: name, ByRegion: sum(column), ByUnit: sum(column), BySummary: identifier(column)}
}

// Inclusive is a metric that holds what nested regions hold again: it adds up
// over units, and over regions the outermost counts, which has the most.
func Inclusive(name, column string) Metric {
	c := identifier(column)
	return Metric{Name: name, ByRegion: sum(column), ByUnit: fmt.Sprintf("max(%s) FILTER (WHERE isfinite(%s))", c, c), BySummary: c}
}

// Averaged is a metric that does not add up, such as a ratio or a rate that
// was stored as such.
func Averaged(name, column string) Metric {
	c := identifier(column)
	mean := fmt.Sprintf("avg(%s) FILTER (WHERE isfinite(%s))", c, c)
	return Metric{Name: name, ByRegion: mean, ByUnit: mean, BySummary: c}
}

// Share is an additive m as a share of total, what one unit can have at most:
// time_share is the share of the time in the program's wall clock time.
func Share(name string, m Metric, total float64) Metric {
	t := expr.SQLNumber(total)
	return Metric{Name: name,
		ByRegion:  fmt.Sprintf("(%s) / (%s * %s)", m.ByRegion, t, UnitCount),
		ByUnit:    fmt.Sprintf("(%s) / %s", m.ByUnit, t),
		BySummary: fmt.Sprintf("%s / %s", m.BySummary, t),
	}
}

// Scaled is m over a constant: lost_share is lost over the program's time.
func Scaled(name string, m Metric, by float64) Metric {
	over := func(sql string) string { return fmt.Sprintf("(%s) / %s", sql, expr.SQLNumber(by)) }
	return Metric{Name: name, ByRegion: over(m.ByRegion), ByUnit: over(m.ByUnit), BySummary: over(m.BySummary)}
}

// Ratio is part over whole, such as mpi_share; over several units or regions
// it is the ratio of the sums.
func Ratio(name string, part, whole Metric) Metric {
	over := func(a, b string) string { return fmt.Sprintf("(%s) / (%s)", a, b) }
	return Metric{Name: name, ByRegion: over(part.ByRegion, whole.ByRegion),
		ByUnit: over(part.ByUnit, whole.ByUnit), BySummary: over(part.BySummary, whole.BySummary)}
}

// Imbalance is the largest value over the mean of all units, less one. Of one
// unit it is that unit's own value over the mean, less one; the largest of
// them is the region's.
func Imbalance(name, column string) Metric {
	c := identifier(column)
	return Metric{Name: name,
		ByRegion:  fmt.Sprintf("max(%s) FILTER (WHERE isfinite(%s)) * %s / %s - 1", c, c, UnitCount, sum(column)),
		ByUnit:    fmt.Sprintf("%s * %s / sum(%s) OVER () - 1", sum(column), UnitCount, sum(column)),
		BySummary: fmt.Sprintf("%s * %s / sum(%s) FILTER (WHERE isfinite(%s)) OVER (PARTITION BY region) - 1", c, UnitCount, c, c),
	}
}

// Lost is the largest value less the mean of all units, so the time that a
// unit waits for the slowest in the mean. Of one unit it is how much less than
// the largest it has.
func Lost(name, column string) Metric {
	c := identifier(column)
	most := fmt.Sprintf("max(%s) FILTER (WHERE isfinite(%s))", c, c)
	return Metric{Name: name,
		ByRegion:  fmt.Sprintf("%s - %s / %s", most, sum(column), UnitCount),
		ByUnit:    fmt.Sprintf("max(%s) OVER () - %s", sum(column), sum(column)),
		BySummary: fmt.Sprintf("%s OVER (PARTITION BY region) - %s", most, c),
	}
}
