package perfql

// Experiment is what a query must know of an experiment to be bound to it.
type Experiment struct {
	Name string
	// Metric finds a metric by its own name or an alias of it.
	Metric func(name string) (Metric, bool)
	// Known lists the names that people may use, for suggestions.
	Known []string
}

// Fold says what becomes of the values behind a row of the answer.
type Fold uint8

// The folds. What is missing counts in none of them.
const (
	// Sum adds up over units and regions: an exclusive time, a count.
	Sum Fold = iota
	// Outermost adds up over units; over regions the largest counts, since it
	// holds what nested regions hold again.
	Outermost
	// Mean is of what does not add up, such as a rate that was stored as such.
	Mean
	// Spread is the largest value over the mean of all units, less one. Of one
	// unit it is that unit's own value over the mean, less one.
	Spread
	// Behind is the largest value less the mean of all units, so the time that a
	// unit waits for the slowest in the mean. Of one unit it is how much less
	// than the largest it has.
	Behind
)

// Metric is how a metric is computed from a column of the values relation.
type Metric struct {
	Name   string // what the vocabulary calls it
	Fold   Fold
	Column string
	ByUnit string // the column where rows are units, if it is another
	// Over divides the metric by another, after both were folded.
	Over *Metric
	// Whole divides it by a number, if it is set: what one unit can have at most.
	Whole func() (float64, error)
	// PerUnit: a region has as many wholes as there are units.
	PerUnit bool

	whole float64 // what Whole gave
}

// Source is the column that the metric is made of in a grouping.
func (m Metric) Source(by Grouping) string {
	if by == ByUnit && m.ByUnit != "" {
		return m.ByUnit
	}
	return m.Column
}

// Divisor is the number to divide by; 1 where there is none.
func (m Metric) Divisor() float64 {
	if m.Whole == nil {
		return 1
	}
	return m.whole
}

// resolve asks once for the whole.
func (m *Metric) resolve() (err error) {
	if m.Whole != nil {
		m.whole, err = m.Whole()
	}
	return err
}

// Additive is a metric that adds up over units and regions.
func Additive(name, column string) Metric { return Metric{Name: name, Column: column} }

// Inclusive is a metric that holds what nested regions hold again.
func Inclusive(name, column string) Metric {
	return Metric{Name: name, Column: column, Fold: Outermost}
}

// Averaged is a metric that does not add up.
func Averaged(name, column string) Metric { return Metric{Name: name, Column: column, Fold: Mean} }

// Imbalance is the largest value over the mean of all units, less one.
func Imbalance(name, column string) Metric { return Metric{Name: name, Column: column, Fold: Spread} }

// Lost is the largest value less the mean of all units.
func Lost(name, column string) Metric { return Metric{Name: name, Column: column, Fold: Behind} }

// Share is m as a share of what one unit can have at most: time_share is the
// share of the time in the program's wall clock time.
func Share(name string, m Metric, whole func() (float64, error)) Metric {
	m.Name, m.Whole, m.PerUnit = name, whole, true
	return m
}

// Scaled is m over a number: lost_share is lost over the program's time.
func Scaled(name string, m Metric, whole func() (float64, error)) Metric {
	m.Name, m.Whole = name, whole
	return m
}

// Ratio is part over whole, such as mpi_share; over several units or regions it
// is the ratio of the sums.
func Ratio(name string, part, whole Metric) Metric {
	part.Name, part.Over = name, &whole
	return part
}
