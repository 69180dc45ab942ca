package analyze

import (
	"cmp"
	"math"
	"slices"

	"auspex/model"
)

// Heaviest is the exclusive time of the heaviest regions in every unit: what a
// heat map shows first. They are heavy by the unit that spends most in them, for a
// region may cost a third of the run by what one of thousands does there.
type Heaviest struct {
	Weights []float64 // of every region: its time in the unit that spends most
	Regions []int     // the heaviest first, ties in the tree's order; at most MostHeaviest
	cells   []float64 // row after row by unit; the last row has all other regions together
	units   int
}

// MostHeaviest is how many regions Heaviest has by unit; more do not fit a screen.
const MostHeaviest = 40

// At is the time of the i-th heaviest region in a unit; i = len(Regions) is that
// of all others together. It is missing where the unit did not enter them and
// that is known.
func (h *Heaviest) At(i, unit int) float64 { return h.cells[i*h.units+unit] }

// Heaviest works the times of the heaviest regions out, or finds them in what was
// kept with the experiment.
func (d *Dataset) Heaviest() (*Heaviest, error) {
	t, err := d.Times()
	if err != nil {
		return nil, err
	}
	spent, err := d.spentTimes(t)
	if err != nil {
		return nil, err
	}
	order, err := d.Order()
	if err != nil {
		return nil, err
	}
	h := &Heaviest{Weights: spent.most, Regions: make([]int, len(order)), units: len(d.Units)}
	for at, o := range order {
		h.Regions[at] = o.Region
	}
	slices.SortStableFunc(h.Regions, func(a, b int) int { return cmp.Compare(h.Weights[b], h.Weights[a]) })
	h.Regions = h.Regions[:min(MostHeaviest, len(h.Regions))]
	h.cells, err = d.vector("times of the heaviest regions", func() ([]float64, error) {
		m, err := d.Matrix(t.Metric + "." + string(model.Exclusive))
		if err != nil {
			return nil, err
		}
		return heaviestCells(m, h.Regions), nil
	})
	return h, err
}

func heaviestCells(m model.Matrix, heaviest []int) []float64 {
	alone := make([]bool, m.Regions)
	for _, r := range heaviest {
		alone[r] = true
	}
	cells := make([]float64, (len(heaviest)+1)*m.Units)
	for u := range m.Units {
		row := m.Row(u)
		for i, r := range heaviest {
			cells[i*m.Units+u] = row[r]
		}
		rest := math.NaN()
		for r, v := range row {
			switch {
			case alone[r] || v != v:
			case rest != rest:
				rest = v
			default:
				rest += v
			}
		}
		cells[len(heaviest)*m.Units+u] = rest
	}
	return cells
}

// Spread is what a metric comes to in every region, over the units in which it is
// not zero.
type Spread struct{ Sums, Most, Units []float64 }

// RegionSpread sums a metric up by region. The result is shared: do not change it.
func (d *Dataset) RegionSpread(column string) (Spread, error) {
	n := len(d.Regions)
	all, err := d.vector("spread of regions "+column, func() ([]float64, error) {
		all := make([]float64, 3*n)
		sums, most, units := all[:n], all[n:2*n], all[2*n:]
		err := d.eachRow(column, func(row []float64) {
			for r, v := range row {
				if v == 0 || v != v {
					continue
				}
				sums[r] += v
				if units[r]++; units[r] == 1 || v > most[r] {
					most[r] = v
				}
			}
		})
		return all, err
	})
	if err != nil {
		return Spread{}, err
	}
	return Spread{all[:n], all[n : 2*n], all[2*n:]}, nil
}

// eachRow goes through the units of a metric. Inclusive values that were not
// measured are worked out unit by unit, without the memory of all of them. The row
// is only good during the call.
func (d *Dataset) eachRow(column string, visit func(row []float64)) error {
	metric, err := d.Resolve(column)
	if err != nil {
		return err
	}
	d.mu.Lock()
	_, loaded := d.loaded[metric.Column()]
	d.mu.Unlock()
	if loaded || d.flat != nil || metric.Scope != model.Inclusive || d.MetricIndex(metric.Name, model.Inclusive) >= 0 {
		m, err := d.Matrix(column)
		if err != nil {
			return err
		}
		for u := range m.Units {
			visit(m.Row(u))
		}
		return nil
	}
	own, err := d.Matrix(metric.Name + "." + string(model.Exclusive))
	if err != nil {
		return err
	}
	with := model.NewMatrix(1, own.Regions, model.Zero)
	for u := range own.Units {
		copy(with.Data, own.Row(u))
		with.ToInclusive(d.Regions)
		visit(with.Data)
	}
	return nil
}
