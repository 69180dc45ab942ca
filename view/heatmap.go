// Package view makes what pictures need of an experiment: the heat map of regions
// and units, curves of words with the values on them, source lines with their
// costs. Sizes are bounded by what can be seen, whatever the experiment's.
package view

import (
	"context"
	"math"
	"slices"
	"strconv"

	"auspex/analyze"
	"auspex/expr"
	"auspex/internal/mistake"
	"auspex/model"
)

// HeatmapOptions choose a part of the matrix of regions × units and how finely
// it is shown. Units are counted in the experiment's order, rows as they are
// arranged.
type HeatmapOptions struct {
	Metric    string // a metric or an expression of metrics; empty: time
	Inclusive bool
	Normalise Normalise
	Region    string // only this region and what it holds; empty: all
	Depth     int    // only regions at most this deep; negative: all
	Arrange   Arrange
	Opened    []int // along the tree: places whose parts are shown, whatever they weigh
	Closed    []int // along the tree: places whose parts are not
	Whole     []int // along the tree: places of which all parts are shown, not the heaviest alone
	FromUnit  int
	ToUnit    int // past the last; 0: all
	FromRow   int
	ToRow     int // past the last; 0: all
	Rows      int // at most this many rows and columns of cells
	Cols      int
}

// Arrange says in which order rows come.
type Arrange string

// The ways to arrange rows.
const (
	// ArrangeHeaviest is the tree's order where all rows fit; else the heaviest
	// come first, and the last row is all others together.
	ArrangeHeaviest Arrange = ""
	// ArrangeTree is the tree's order, opened where it is heaviest as far as rows
	// go; a region that is closed stands for all it holds.
	ArrangeTree Arrange = "tree"
)

// Normalise says what values are divided by.
type Normalise string

// The ways to normalise.
const (
	NormaliseNone   Normalise = "none"
	NormaliseRegion Normalise = "region" // by the region's largest over all units
	NormaliseUnit   Normalise = "unit"   // by the unit's total over all regions
)

// Heatmap is a matrix of regions × units, summed up into cells that a screen
// can show.
type Heatmap struct {
	Experiment string       `json:"experiment"`
	By         string       `json:"by"` // whether rows are call paths or names
	Metric     string       `json:"metric"`
	Quantity   string       `json:"quantity"`
	Unit       string       `json:"unit"`
	Scope      string       `json:"scope"`
	Normalise  Normalise    `json:"normalise"`
	Units      int          `json:"units"`
	Regions    int          `json:"regions"` // of the selection
	FromUnit   int          `json:"from_unit"`
	ToUnit     int          `json:"to_unit"`
	FromRow    int          `json:"from_row"`
	ToRow      int          `json:"to_row"`
	Rows       []HeatRow    `json:"rows"`
	Cols       []HeatCol    `json:"cols"`
	Mean       Cells        `json:"mean"` // row after row
	Min        Cells        `json:"min"`
	Max        Cells        `json:"max"`
	Least      analyze.Real `json:"least"`
	Most       analyze.Real `json:"most"`
	Warnings   []string     `json:"warnings"`
}

// HeatRow is one region, or all that are not among the heaviest.
type HeatRow struct {
	Region  string     `json:"region"` // the first
	Name    string     `json:"name"`
	Depth   int        `json:"depth"`
	Kind    model.Kind `json:"kind"`
	From    int        `json:"from"` // position in the list of rows
	To      int        `json:"to"`
	Regions int        `json:"regions"` // that it stands for
	Place   int        `json:"place"`   // of the first in the tree's order
	Of      int        `json:"of"`      // place of the region whose lighter parts these are, along the tree
	Parts   bool       `json:"parts"`   // it holds regions that could be shown
	Closed  bool       `json:"closed"`  // it stands for all it holds
	Summed  bool       `json:"summed"`  // of several regions it has the sum; else the largest
}

// HeatCol is one unit, or some that follow each other.
type HeatCol struct {
	Unit string `json:"unit"` // the first
	Last string `json:"last"`
	From int    `json:"from"`
	To   int    `json:"to"`
}

// Cells are values to look at: JSON has five digits of them.
type Cells []float64

// MarshalJSON writes null for missing values.
func (c Cells) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 8*len(c)+2)
	b = append(b, '[')
	for i, v := range c {
		if i > 0 {
			b = append(b, ',')
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendFloat(b, v, 'g', 5, 64)
		}
	}
	return append(b, ']'), nil
}

// The largest map that is given, whatever was asked for.
const (
	maxHeatRows = 1000
	maxHeatCols = 2000
)

// DrawHeatmap sums up a part of the matrix, until the context ends.
func DrawHeatmap(ctx context.Context, d *analyze.Dataset, words analyze.Words, o HeatmapOptions) (*Heatmap, error) {
	rows, err := ArrangeHeatmap(d, words, o)
	if err != nil {
		return nil, err
	}
	return rows.Draw(ctx, o)
}

// HeatRows are the rows of a heat map before units are chosen: what all zooms over
// units have in common.
type HeatRows struct {
	heatmap Heatmap // without columns and cells
	units   []model.Unit
	value   func(row, unit int) float64
	kept    []float64 // where they are condensed: row after row
}

// ArrangeHeatmap chooses the rows; the options for units and columns are left to
// Draw.
func ArrangeHeatmap(d *analyze.Dataset, words analyze.Words, o HeatmapOptions) (*HeatRows, error) {
	q, err := quantityOf(d, words, o)
	if err != nil {
		return nil, err
	}
	r := &HeatRows{units: d.Units, heatmap: Heatmap{
		Experiment: d.Name, By: d.ByWord(), Metric: q.text, Quantity: q.node.String(), Unit: q.unit, Scope: q.scope(), Normalise: o.Normalise,
		Units: len(d.Units), Least: analyze.Missing, Most: analyze.Missing, Warnings: []string{},
	}}
	if firstSeen(d, q, o) {
		return r, r.heaviest(d, q, o)
	}
	m, err := d.Cells(q.node)
	if err != nil {
		return nil, err
	}
	h := &r.heatmap
	lines, err := arrange(d, h, func() ([]float64, error) { return weights(d, m, q) }, q, o)
	if err != nil {
		return nil, err
	}
	closed := m
	if slices.ContainsFunc(lines, func(l line) bool { return l.closed }) {
		if closed, err = d.Cells(scoped(d, q.node, true)); err != nil {
			return nil, err
		}
	}
	byRegion, byUnit, err := divisors(d, m, q, o.Normalise)
	if err != nil {
		return nil, err
	}
	if o.Normalise != NormaliseNone {
		h.Unit = ""
	}
	h.nameRows(d, lines)
	r.value = valuesOf(m, closed, lines, byRegion, byUnit)
	return r, nil
}

// maxCondensed is how many values are kept of a heat map's rows.
const maxCondensed = 4 << 20

// Condense computes the value of every row and unit, so that zooming needs neither
// the experiment nor the time to read it; false where they are too many to keep.
func (r *HeatRows) Condense(ctx context.Context) bool {
	rows, units := len(r.heatmap.Rows), len(r.units)
	if rows*units > maxCondensed {
		return false
	}
	kept := make([]float64, rows*units)
	inParts(units, func(u int) {
		if ctx.Err() != nil {
			return
		}
		for g := range rows {
			kept[g*units+u] = r.value(g, u)
		}
	})
	if ctx.Err() != nil {
		return false
	}
	r.kept, r.value = kept, func(row, unit int) float64 { return kept[row*units+unit] }
	return true
}

// Held is the memory of condensed rows in bytes, without names.
func (r *HeatRows) Held() int64 { return int64(8 * len(r.kept)) }

// Draw sums up some units, until the context ends.
func (r *HeatRows) Draw(ctx context.Context, o HeatmapOptions) (*Heatmap, error) {
	h := r.heatmap
	var err error
	if h.FromUnit, h.ToUnit, err = part(o.FromUnit, o.ToUnit, len(r.units), "unit"); err != nil {
		return nil, err
	}
	h.groupCols(r.units, o.Cols)
	h.fill(ctx, r.value)
	return &h, ctx.Err()
}

// heatQuantity is what the cells hold.
type heatQuantity struct {
	text      string
	node      expr.Node
	metric    *model.Metric // where it is a stored metric that adds up
	unit      string
	inclusive bool
}

func (q *heatQuantity) scope() string {
	if q.inclusive {
		return "inclusive"
	}
	return "exclusive"
}

func quantityOf(d *analyze.Dataset, words analyze.Words, o HeatmapOptions) (*heatQuantity, error) {
	q := &heatQuantity{text: o.Metric, inclusive: o.Inclusive}
	if q.text == "" {
		name, err := d.MainMetric()
		if err != nil {
			return nil, err
		}
		q.text = name
	}
	node, err := d.QuantityAsWritten(words, q.text)
	if err != nil {
		return nil, err
	}
	q.node = scoped(d, node, o.Inclusive)
	if name, ok := q.node.(*expr.Name); ok {
		if metric, err := d.Resolve(name.Name); err == nil {
			q.unit = metric.Unit
			if metric.Additive() {
				q.metric = &metric
			}
		} else if base, _, _ := model.SplitScope(name.Name); base == analyze.Lost {
			q.unit = "s"
		}
	}
	return q, nil
}

// scoped asks for the inclusive values of metrics that were written without a
// scope.
func scoped(d *analyze.Dataset, n expr.Node, inclusive bool) expr.Node {
	if !inclusive {
		return n
	}
	return expr.Substitute(n, func(name *expr.Name) expr.Node {
		if _, _, explicit := model.SplitScope(name.Name); explicit {
			return name
		}
		if m, err := d.Resolve(name.Name); err == nil && m.Scope == model.Own {
			return name
		}
		return &expr.Name{Name: name.Name + "." + string(model.Inclusive), Offset: name.Offset}
	})
}

// part checks a range of positions; an end of zero is that of the whole.
func part(from, to, whole int, what string) (int, int, error) {
	if to == 0 {
		to = whole
	}
	if from < 0 || from >= to || to > whole {
		return 0, 0, mistake.Refuse("there are %ss 0 to %d, not %d to %d", what, whole-1, from, to-1)
	}
	return from, to, nil
}

// divisors are what values are divided by, by region or by unit; nil for
// nothing.
func divisors(d *analyze.Dataset, m model.Matrix, q *heatQuantity, how Normalise) (byRegion, byUnit []float64, err error) {
	switch how {
	case NormaliseNone:
	case NormaliseRegion:
		most, err := d.Keep("\x02"+q.node.String(), func() (model.Matrix, error) { return largestByRegion(m), nil })
		return most.Data, nil, err
	case NormaliseUnit:
		if q.metric == nil {
			return nil, nil, mistake.Refuse("%s does not add up over regions, so it has no share of a unit; normalise by region", q.text)
		}
		byUnit, err = d.UnitTotals(*q.metric)
	default:
		err = mistake.Refuse("values are normalised by %s, %s or %s, not by %q", NormaliseNone, NormaliseRegion, NormaliseUnit, how)
	}
	return byRegion, byUnit, err
}

// largestByRegion is the largest value over units, in one row.
func largestByRegion(m model.Matrix) model.Matrix {
	most := model.NewMatrix(1, m.Regions, model.Absent)
	for u := range m.Units {
		for r, v := range m.Row(u) {
			if v == v && !(v <= most.Data[r]) {
				most.Data[r] = v
			}
		}
	}
	return most
}
