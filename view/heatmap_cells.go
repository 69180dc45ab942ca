package view

import (
	"context"
	"math"
	"runtime"

	"auspex/analyze"
	"auspex/internal/crew"
	"auspex/model"
)

func (h *Heatmap) groupCols(all []model.Unit, most int) {
	h.Cols = []HeatCol{}
	units := h.ToUnit - h.FromUnit
	n := groups(units, most, maxHeatCols)
	for g := range n {
		from, to := h.FromUnit+g*units/n, h.FromUnit+(g+1)*units/n
		h.Cols = append(h.Cols, HeatCol{Unit: all[from].String(), Last: all[to-1].String(), From: from, To: to})
	}
}

// groups is how many cells stand for n things.
func groups(n, most, limit int) int {
	if most <= 0 || most > limit {
		most = limit
	}
	return min(n, most)
}

// valuesOf is what each row has in each unit.
func valuesOf(m, closed model.Matrix, lines []line, byRegion, byUnit []float64) func(row, unit int) float64 {
	scale := make([]float64, len(lines))
	for g, l := range lines {
		scale[g] = 1
		if byRegion != nil {
			scale[g] = 1 / l.largest(m, closed, byRegion)
		}
	}
	return func(row, unit int) float64 {
		one := scale[row]
		if byUnit != nil {
			one /= byUnit[unit]
		}
		return lines[row].of(m.Row(unit), closed.Row(unit)) * one
	}
}

// inParts does something for 0 to n-1, on all cores.
func inParts(n int, do func(i int)) {
	var wg crew.Crew
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				do(i)
			}
		})
	}
	wg.Wait()
}

// fill computes the cells: of every cell what its units come to.
func (h *Heatmap) fill(ctx context.Context, value func(row, unit int) float64) {
	size := len(h.Rows) * len(h.Cols)
	h.Mean, h.Min, h.Max = make(Cells, size), make(Cells, size), make(Cells, size)
	inParts(len(h.Cols), func(c int) {
		if ctx.Err() != nil {
			return
		}
		cells := make([]cell, len(h.Rows))
		for g := range cells {
			cells[g] = cell{least: math.Inf(1), most: math.Inf(-1)}
		}
		for u := h.Cols[c].From; u < h.Cols[c].To; u++ {
			for g := range cells {
				cells[g].add(value(g, u))
			}
		}
		for g := range cells {
			at := g*len(h.Cols) + c
			h.Mean[at], h.Min[at], h.Max[at] = cells[g].values()
		}
	})
	for i := range h.Min {
		if v := analyze.Real(h.Min[i]); v == v && !(v >= h.Least) {
			h.Least = v
		}
		if v := analyze.Real(h.Max[i]); v == v && !(v <= h.Most) {
			h.Most = v
		}
	}
}

// of is the row's value in one unit: the region's, or what its regions come to.
func (l *line) of(own, whole []float64) float64 {
	values := own
	if l.closed {
		values = whole
	}
	if len(l.regions) == 1 {
		return values[l.regions[0]]
	}
	result := math.NaN()
	for _, r := range l.regions {
		switch v := values[r]; {
		case v != v:
		case result != result:
			result = v
		case l.summed:
			result += v
		default:
			result = max(result, v)
		}
	}
	return result
}

// largest is the row's largest value over all units.
func (l *line) largest(m, closed model.Matrix, byRegion []float64) float64 {
	if len(l.regions) == 1 && !l.closed {
		return byRegion[l.regions[0]]
	}
	most := math.NaN()
	for u := range m.Units {
		if v := l.of(m.Row(u), closed.Row(u)); v == v && !(v <= most) {
			most = v
		}
	}
	return most
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
