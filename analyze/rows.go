package analyze

import (
	"fmt"
	"math"

	"auspex/expr"
	"auspex/internal/mistake"
	"auspex/model"
)

// By says what one row of an analysis is about.
type By string

// The kinds of row.
const (
	ByRegion  By = "region"  // a region, over all units
	ByUnit    By = "unit"    // a unit, over all regions
	BySummary By = "summary" // a region in a unit that entered it
	ByProgram By = "program" // everything in one row
)

// Rows are what metric expressions are evaluated on. Values are summed up
// first and expressions computed then, so that a ratio over several units is
// the ratio of sums.
type Rows struct {
	By     By
	Region []int // by row; nil where rows are not about regions
	Unit   []int // by row; nil where rows are not about units
	// Over says what becomes of the units behind a region's or the program's
	// row: their total where it is empty.
	Over  Over
	d     *Dataset
	size  int
	cache map[string][]float64
}

// Rows lists the rows of the dataset.
func (d *Dataset) Rows(by By) (*Rows, error) {
	r := &Rows{By: by, d: d, cache: map[string][]float64{}}
	switch by {
	case ByRegion:
		r.Region, r.size = Counting(len(d.Regions)), len(d.Regions)
	case ByUnit:
		r.Unit, r.size = Counting(len(d.Units)), len(d.Units)
	case ByProgram:
		r.size = 1
	case BySummary:
		unit, region, err := d.stored.Index()
		if err != nil {
			return nil, err
		}
		r.size = len(unit)
		r.Unit, r.Region = make([]int, r.size), make([]int, r.size)
		for i := range unit {
			r.Unit[i], r.Region[i] = int(unit[i]), int(region[i])
		}
	default:
		return nil, mistake.Refuse("rows are by %s, %s, %s or %s, not by %q", ByRegion, ByUnit, BySummary, ByProgram, by)
	}
	return r, nil
}

// Len is the number of rows.
func (r *Rows) Len() int { return r.size }

// Eval computes a metric expression for every row; missing is NaN.
func (r *Rows) Eval(n expr.Node) ([]float64, error) { return expr.Eval(n, r.size, r.Column) }

// Column gives a metric's values by row: a stored metric, or one of the
// built-in ones.
func (r *Rows) Column(name string) ([]float64, error) {
	if column, ok := r.cache[name]; ok {
		return column, nil
	}
	compute := func() ([]float64, error) {
		if builtIn, scope, ok := findBuiltIn(name); ok && !r.d.Has(name) {
			return builtIn(r, scope)
		}
		return r.stored(name)
	}
	var column []float64
	var err error
	if r.By == BySummary { // as large as the values themselves
		column, err = compute()
	} else {
		column, err = r.d.vector(fmt.Sprint("by ", r.By, " over ", r.Over, " ", name), compute)
	}
	if err == nil {
		r.cache[name] = column
	}
	return column, err
}

func (r *Rows) stored(name string) ([]float64, error) {
	metric, err := r.d.Resolve(name)
	if err != nil {
		return nil, err
	}
	m, err := r.d.Matrix(name)
	if err != nil {
		return nil, err
	}
	switch {
	case !metric.Additive():
		return r.fold(m, nil, averaged), nil
	case metric.Scope == model.Inclusive && r.By == ByUnit:
		return r.fold(m, nil, greatest), nil // the outermost region has the most
	case r.By == ByProgram:
		units := &Rows{By: ByUnit, d: r.d, size: len(r.d.Units)}
		whole := summed
		if metric.Scope == model.Inclusive {
			whole = greatest
		}
		return []float64{r.overUnits(units.fold(m, nil, whole))}, nil
	case r.By == ByRegion && r.Over == OverMax:
		return r.fold(m, nil, greatest), nil
	case r.By == ByRegion && r.Over == OverMean:
		out := r.fold(m, nil, summed)
		for i := range out {
			out[i] /= float64(m.Units)
		}
		return out, nil
	}
	return r.fold(m, nil, summed), nil
}

func (r *Rows) overUnits(values []float64) float64 {
	switch r.Over {
	case OverMax:
		return largest(values)
	case OverMean:
		return Total(values) / float64(len(values))
	}
	return Total(values)
}

// folding says what becomes of the values behind one row. What is missing does
// not count.
type folding int

const (
	summed   folding = iota
	greatest         // missing where nothing is known
	averaged         // likewise
)

// fold makes one value a row of a dense matrix. Regions that skip marks count
// as zero.
func (r *Rows) fold(m model.Matrix, skip []bool, how folding) []float64 {
	out := make([]float64, r.size)
	switch r.By {
	case BySummary:
		for i := range out {
			if g := r.Region[i]; skip == nil || !skip[g] {
				out[i] = m.At(r.Unit[i], g)
			}
		}
	case ByRegion:
		foldRegions(m, how, out)
		for g := range out {
			if skip != nil && skip[g] {
				out[g] = 0
			}
		}
	case ByUnit:
		kept := make([]float64, m.Regions)
		for u := range out {
			row := m.Row(u)
			if skip != nil {
				copy(kept, row)
				for g, left := range skip {
					if left {
						kept[g] = 0
					}
				}
				row = kept
			}
			out[u] = foldAll(row, how)
		}
	case ByProgram:
		if skip == nil {
			out[0] = foldAll(m.Data, how)
			break
		}
		units := &Rows{By: ByUnit, d: r.d, size: m.Units}
		out[0] = foldAll(units.fold(m, skip, how), how)
	}
	return out
}

// foldRegions goes through the matrix as it lies in memory, unit by unit.
func foldRegions(m model.Matrix, how folding, out []float64) {
	clear(out)
	var known []int
	switch how {
	case greatest:
		for g := range out {
			out[g] = math.NaN()
		}
	case averaged:
		known = make([]int, len(out))
	}
	for u := range m.Units {
		row := m.Row(u)
		switch how {
		case summed:
			for g, v := range row {
				if v == v {
					out[g] += v
				}
			}
		case greatest:
			for g, v := range row {
				if v == v && !(v <= out[g]) {
					out[g] = v
				}
			}
		case averaged:
			for g, v := range row {
				if v == v {
					out[g] += v
					known[g]++
				}
			}
		}
	}
	for g, n := range known {
		if out[g] /= float64(n); n == 0 {
			out[g] = math.NaN()
		}
	}
}

func foldAll(values []float64, how folding) float64 {
	switch how {
	case greatest:
		return largest(values)
	case averaged:
		return meanKnown(values)
	}
	return Total(values)
}
