package analyze

import (
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
	var column []float64
	var err error
	if compute, scope, ok := findBuiltIn(name); ok && !r.d.Has(name) {
		column, err = compute(r, scope)
	} else {
		column, err = r.stored(name)
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
		return r.fold(m, nil, meanKnown), nil
	case metric.Scope == model.Inclusive && r.By == ByUnit:
		return r.fold(m, nil, largest), nil // the outermost region has the most
	case r.By == ByProgram:
		units := &Rows{By: ByUnit, d: r.d, size: len(r.d.Units)}
		whole := Total
		if metric.Scope == model.Inclusive {
			whole = largest
		}
		return []float64{r.overUnits(units.fold(m, nil, whole))}, nil
	case r.By == ByRegion:
		return r.fold(m, nil, r.overUnits), nil
	}
	return r.fold(m, nil, Total), nil
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

// fold makes one value a row of a dense matrix. Regions that skip marks count
// as zero.
func (r *Rows) fold(m model.Matrix, skip []bool, fold func([]float64) float64) []float64 {
	out := make([]float64, r.size)
	at := func(u, g int) float64 {
		if skip != nil && skip[g] {
			return 0
		}
		return m.At(u, g)
	}
	switch r.By {
	case BySummary:
		for i := range out {
			out[i] = at(r.Unit[i], r.Region[i])
		}
	case ByRegion:
		// Some regions at a time: what lies side by side is read together.
		const together = 8
		values := make([]float64, together*m.Units)
		for first := 0; first < m.Regions; first += together {
			n := min(together, m.Regions-first)
			for u := range m.Units {
				for k, v := range m.Row(u)[first : first+n] {
					values[k*m.Units+u] = v
				}
			}
			for k := range n {
				if out[first+k] = 0; skip == nil || !skip[first+k] {
					out[first+k] = fold(values[k*m.Units : (k+1)*m.Units])
				}
			}
		}
	case ByUnit:
		values := make([]float64, m.Regions)
		for u := range out {
			for g := range values {
				values[g] = at(u, g)
			}
			out[u] = fold(values)
		}
	case ByProgram:
		values := make([]float64, 0, len(m.Data))
		for u := range m.Units {
			for g := range m.Regions {
				values = append(values, at(u, g))
			}
		}
		out[0] = fold(values)
	}
	return out
}
