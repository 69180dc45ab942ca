package view

import (
	"math"
	"runtime"
	"slices"

	"auspex/analyze"
	"auspex/internal/crew"
	"auspex/model"
)

// selected is a region that is shown, and its place in the tree's order.
type selected struct {
	analyze.OrderedRegion
	at int
}

// heatRows chooses the regions and fills in their range.
func heatRows(d *analyze.Dataset, h *Heatmap, o HeatmapOptions) ([]selected, error) {
	order, err := d.Order()
	if err != nil {
		return nil, err
	}
	from, to, err := part(o.FromRow, o.ToRow, len(order), "row")
	if err != nil {
		return nil, err
	}
	if o.Region != "" {
		first := slices.IndexFunc(order, func(x analyze.OrderedRegion) bool { return d.Paths[x.Region] == o.Region })
		if first < 0 {
			return nil, d.UnknownRegion(o.Region)
		}
		from, to = max(from, first), min(to, subtreeEnd(order, first))
	}
	h.FromRow, h.ToRow = from, max(from, to)
	var rows []selected
	for at := from; at < to; at++ {
		if o.Depth < 0 || order[at].Depth <= o.Depth {
			rows = append(rows, selected{order[at], at})
		}
		if slices.Contains(o.Collapsed, at) {
			at = subtreeEnd(order, at) - 1
		}
	}
	h.Regions = len(rows)
	return rows, nil
}

// subtreeEnd is the place after a region and all that it holds.
func subtreeEnd(order []analyze.OrderedRegion, at int) int {
	end := at + 1
	for end < len(order) && order[end].Depth > order[at].Depth {
		end++
	}
	return end
}

func (h *Heatmap) groupRows(d *analyze.Dataset, rows []selected, most int) {
	h.Rows = []HeatRow{}
	n := groups(len(rows), most, maxHeatRows)
	for g := range n {
		first, last := rows[g*len(rows)/n], rows[(g+1)*len(rows)/n-1]
		region := d.Regions[first.Region]
		h.Rows = append(h.Rows, HeatRow{Region: d.Paths[first.Region], Name: region.Name, Depth: first.Depth, Kind: region.Kind, From: first.at, To: last.at + 1})
	}
}

func (h *Heatmap) groupCols(d *analyze.Dataset, most int) {
	h.Cols = []HeatCol{}
	units := h.ToUnit - h.FromUnit
	n := groups(units, most, maxHeatCols)
	for g := range n {
		from, to := h.FromUnit+g*units/n, h.FromUnit+(g+1)*units/n
		h.Cols = append(h.Cols, HeatCol{Unit: d.Units[from].String(), Last: d.Units[to-1].String(), From: from, To: to})
	}
}

// groups is how many cells stand for n things.
func groups(n, most, limit int) int {
	if most <= 0 || most > limit {
		most = limit
	}
	return min(n, most)
}

// fill computes the cells, on all cores.
func (h *Heatmap) fill(m model.Matrix, rows []selected, byRegion, byUnit []float64) {
	size := len(h.Rows) * len(h.Cols)
	h.Mean, h.Min, h.Max = make(Cells, size), make(Cells, size), make(Cells, size)
	region, group, scale := make([]int, len(rows)), make([]int, len(rows)), make([]float64, len(rows))
	for g := range h.Rows {
		for k := g * len(rows) / len(h.Rows); k < (g+1)*len(rows)/len(h.Rows); k++ {
			region[k], group[k], scale[k] = rows[k].Region, g, 1
			if byRegion != nil {
				scale[k] = 1 / byRegion[rows[k].Region]
			}
		}
	}
	var wg crew.Crew
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			cells := make([]cell, len(h.Rows))
			for c := w; c < len(h.Cols); c += workers {
				for g := range cells {
					cells[g] = cell{least: math.Inf(1), most: math.Inf(-1)}
				}
				for u := h.Cols[c].From; u < h.Cols[c].To; u++ {
					row, one := m.Row(u), 1.0
					if byUnit != nil {
						one = 1 / byUnit[u]
					}
					for k, r := range region {
						cells[group[k]].add(row[r] * scale[k] * one)
					}
				}
				for g := range cells {
					at := g*len(h.Cols) + c
					h.Mean[at], h.Min[at], h.Max[at] = cells[g].values()
				}
			}
		})
	}
	wg.Wait()
	for i := range h.Min {
		if v := analyze.Real(h.Min[i]); v == v && !(v >= h.Least) {
			h.Least = v
		}
		if v := analyze.Real(h.Max[i]); v == v && !(v <= h.Most) {
			h.Most = v
		}
	}
}

// cell is what some values come to.
type cell struct {
	sum, least, most float64
	n                int
}

func (c *cell) add(v float64) {
	if v != v {
		return
	}
	c.sum += v
	c.n++
	if v < c.least {
		c.least = v
	}
	if v > c.most {
		c.most = v
	}
}

func (c *cell) values() (mean, least, most float64) {
	if c.n == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	return c.sum / float64(c.n), c.least, c.most
}
