package model

import (
	"fmt"
	"math"
	"strings"
)

// Summaries are the measured values as a table: a row per unit and region it
// entered, ordered by unit and then region, and a column per metric.
type Summaries struct {
	Unit   []int32
	Region []int32
	Values [][]float64 // Values[metric][row]; NaN where the metric is missing

	// Of repeated runs (Header.Runs > 1) Values are means; Deviation[metric]
	// holds the sample standard deviation and Count the number of runs in
	// which the unit entered the region. Both are nil for a single run.
	Deviation [][]float64
	Count     []int32
}

// MaxValue is the largest magnitude a value may have: sums and squares of such
// values stay finite.
const MaxValue = 1e100

func tooLarge(m Metric, v float64, u Unit, r Region) error {
	return fmt.Errorf("%s is %g for unit %s in %q: values beyond %g cannot be added up", m.Column(), v, u, r.Name, MaxValue)
}

// Rows is the number of rows.
func (s *Summaries) Rows() int { return len(s.Unit) }

// Check reports the first broken invariant of the experiment.
func (e *Experiment) Check() error {
	if e.Name == "" {
		return fmt.Errorf("experiment has no name")
	}
	if len(e.Units) == 0 || len(e.Regions) == 0 || len(e.Metrics) == 0 {
		return fmt.Errorf("experiment %q is empty: %d units, %d regions, %d metrics",
			e.Name, len(e.Units), len(e.Regions), len(e.Metrics))
	}
	if err := checkUnits(e.Units); err != nil {
		return err
	}
	if err := checkRegions(e.Regions); err != nil {
		return err
	}
	columns := make(map[string]bool, len(e.Metrics))
	for _, m := range e.Metrics {
		column := strings.ToLower(m.Column())
		switch {
		case m.Name == "" || columns[column]:
			return fmt.Errorf("metric %q is nameless or there twice", m.Column())
		case reserved(column):
			return fmt.Errorf("a metric cannot be stored under the name %q", m.Column())
		case CleanText(m.Name) != m.Name:
			return fmt.Errorf("the metric's name %q holds what cannot be shown", m.Name)
		}
		columns[column] = true
	}
	return e.checkSummaries()
}

func checkUnits(units []Unit) error {
	seen := make(map[Unit]bool, len(units))
	for _, u := range units {
		if seen[u] {
			return fmt.Errorf("unit %s on node %q is there twice", u, u.Node)
		}
		if u.Process < 0 || u.Thread < 0 {
			return fmt.Errorf("unit %s has a negative number", u)
		}
		seen[u] = true
	}
	return nil
}

func checkRegions(regions []Region) error {
	type sibling struct {
		parent int
		name   string
	}
	seen := make(map[sibling]bool, len(regions))
	for i, r := range regions {
		if r.Parent < NoParent || r.Parent >= i {
			return fmt.Errorf("region %d (%q) stands before its parent %d", i, r.Name, r.Parent)
		}
		if CleanText(r.Name) != r.Name || CleanText(r.File) != r.File {
			return fmt.Errorf("the region's name %q or file %q holds what cannot be shown", r.Name, r.File)
		}
		key := sibling{r.Parent, r.Name}
		if seen[key] {
			return fmt.Errorf("region %q is there twice below the same parent", r.Name)
		}
		seen[key] = true
	}
	return nil
}

func (e *Experiment) checkSummaries() error {
	s := &e.Summaries
	if len(s.Region) != s.Rows() || len(s.Values) != len(e.Metrics) {
		return fmt.Errorf("summaries have %d units, %d regions, %d of %d metrics",
			s.Rows(), len(s.Region), len(s.Values), len(e.Metrics))
	}
	for i := range s.Unit {
		u, r := s.Unit[i], s.Region[i]
		if u < 0 || int(u) >= len(e.Units) || r < 0 || int(r) >= len(e.Regions) {
			return fmt.Errorf("row %d names unit %d and region %d, which do not exist", i, u, r)
		}
		if i > 0 && (u < s.Unit[i-1] || (u == s.Unit[i-1] && r <= s.Region[i-1])) {
			return fmt.Errorf("row %d is out of order or repeated", i)
		}
	}
	for m, column := range s.Values {
		if len(column) != s.Rows() {
			return fmt.Errorf("metric %q has %d of %d values", e.Metrics[m].Column(), len(column), s.Rows())
		}
		for i, v := range column {
			if math.Abs(v) > MaxValue {
				return tooLarge(e.Metrics[m], v, e.Units[s.Unit[i]], e.Regions[s.Region[i]])
			}
		}
	}
	return nil
}
