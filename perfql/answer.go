package perfql

import (
	"math"

	"auspex/expr"
	"auspex/fuzzy"
)

// Table is a values relation in memory.
type Table struct {
	Units   []Unit
	Regions []Region
	Unit    []int32 // by row
	Region  []int32 // by row
	// Column gives a column's values by row, NaN for missing. They are read, never
	// changed.
	Column func(name string) ([]float64, error)
}

// Row is one row of an answer.
type Row struct {
	Experiment string
	Region     *Region // nil where rows are units
	Unit       *Unit   // nil where rows are regions
	RegionID   int32
	UnitID     int32
	Degree     float64
	Shown      []Shown   // what Values are of
	Values     []float64 // NaN for missing
	Keys       []float64 // by key of ORDER BY; only those of metrics count
}

// Answer computes the rows whose degree is high enough, in no order: the same as
// the SQL of package render answers, for tables that fit in memory.
func (k *Bound) Answer(t *Table) ([]Row, error) {
	g := k.group(t)
	columns := make([][]float64, len(k.Metrics))
	for i, m := range k.Metrics {
		var err error
		if columns[i], err = g.metric(&m); err != nil {
			return nil, err
		}
	}
	quantities := make([][]float64, len(k.Quantities))
	for i, n := range k.Quantities {
		var err error
		if quantities[i], err = expr.Eval(n, len(g.rows), func(name string) ([]float64, error) { return columns[k.MetricNamed(name)], nil }); err != nil {
			return nil, err
		}
	}
	var rows []Row
	threshold := k.Query.Threshold()
	for i, row := range g.rows {
		row.Degree = fuzzy.Combine(k.Query.Condition, k.Logic, func(is *fuzzy.Is) float64 {
			d := k.Degrees[k.Statements[is]]
			return d.Set.Degree(quantities[d.Quantity][i])
		})
		if !threshold.Reached(row.Degree) {
			continue
		}
		row.Experiment, row.Shown = k.Name, k.Shown
		for _, s := range k.Shown {
			row.Values = append(row.Values, quantities[s.Quantity][i])
		}
		for _, at := range k.Order {
			key := math.NaN()
			if at >= 0 {
				key = quantities[at][i]
			}
			row.Keys = append(row.Keys, key)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// groups are the rows of the answer and the rows of the table behind them.
type groups struct {
	by    Grouping
	table *Table
	rows  []Row
	of    []int // by row of the table; -1 for one that the filter leaves out
	units float64
}

func (k *Bound) group(t *Table) *groups {
	g := &groups{by: k.By, table: t, of: make([]int, len(t.Unit))}
	parts := UnitFilters(k.Query.Where)
units:
	for i := range t.Units {
		for _, f := range parts {
			if !f.chooses(nil, &t.Units[i]) {
				continue units
			}
		}
		g.units++
	}
	numbers := map[[2]int32]int{}
	for i := range t.Unit {
		region, unit := &t.Regions[t.Region[i]], &t.Units[t.Unit[i]]
		g.of[i] = -1
		if k.Query.Where != nil && !k.Query.Where.chooses(region, unit) {
			continue
		}
		row := Row{Region: region, Unit: unit, RegionID: t.Region[i], UnitID: t.Unit[i]}
		switch g.by {
		case ByRegion:
			row.Unit, row.UnitID = nil, -1
		case ByUnit:
			row.Region, row.RegionID = nil, -1
		}
		key := [2]int32{row.RegionID, row.UnitID}
		n, known := numbers[key]
		if !known {
			n = len(g.rows)
			numbers[key] = n
			g.rows = append(g.rows, row)
		}
		g.of[i] = n
	}
	return g
}

// metric computes a metric for every row of the answer; NaN for missing.
func (g *groups) metric(m *Metric) ([]float64, error) {
	column, err := g.table.Column(m.Source(g.by))
	if err != nil {
		return nil, err
	}
	out := g.folded(m.Fold, column)
	divisor := m.Divisor()
	if m.PerUnit && g.by == ByRegion {
		divisor *= g.units
	}
	if m.Whole != nil {
		for i := range out {
			out[i] /= divisor
		}
	}
	if m.Over != nil {
		below, err := g.metric(m.Over)
		if err != nil {
			return nil, err
		}
		for i := range out {
			out[i] /= below[i]
		}
	}
	return out, nil
}

func (g *groups) folded(fold Fold, column []float64) []float64 {
	sums, most, counts := g.extremes(column)
	for i := range sums {
		if counts[i] == 0 {
			sums[i] = math.NaN()
		}
	}
	switch {
	case fold == Outermost && g.by == ByUnit:
		return most
	case fold == Mean:
		for i := range sums {
			sums[i] /= counts[i]
		}
	case fold == Spread || fold == Behind:
		g.compare(fold, sums, most)
	}
	return sums
}

// extremes folds the finite values of a column.
func (g *groups) extremes(column []float64) (sums, most, counts []float64) {
	sums, most, counts = make([]float64, len(g.rows)), make([]float64, len(g.rows)), make([]float64, len(g.rows))
	for i := range most {
		most[i] = math.NaN()
	}
	for i, v := range column {
		n := g.of[i]
		if n < 0 || v-v != 0 {
			continue
		}
		sums[n] += v
		counts[n]++
		if !(v <= most[n]) {
			most[n] = v
		}
	}
	return sums, most, counts
}

// compare sets a region's slowest unit, or each unit, against the mean over the
// units; sums holds the result.
func (g *groups) compare(fold Fold, sums, most []float64) {
	if g.by == ByRegion {
		for i, all := range sums {
			if fold == Spread {
				sums[i] = most[i]*g.units/all - 1
			} else {
				sums[i] = most[i] - all/g.units
			}
		}
		return
	}
	// A unit's peers are all units, or those of the region.
	type peers struct{ sum, most float64 }
	of := map[int32]peers{}
	for i, v := range sums {
		if v-v != 0 {
			continue
		}
		p, known := of[g.rows[i].RegionID]
		if !known {
			p.most = v
		}
		of[g.rows[i].RegionID] = peers{p.sum + v, max(p.most, v)}
	}
	for i, v := range sums {
		p := of[g.rows[i].RegionID]
		if fold == Spread {
			sums[i] = v*g.units/p.sum - 1
		} else {
			sums[i] = p.most - v
		}
	}
}
