package view

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"auspex/analyze"
	"auspex/internal/sample"
	"auspex/model"
)

// anyMatrix is an experiment of random times in a random tree; some units
// enter only some regions.
func anyMatrix(t *rapid.T) *model.Experiment {
	b := model.NewBuilder()
	seconds := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	cycles := b.Metric(model.NewMetric("cycles", "", model.Exclusive))
	regions := rapid.IntRange(1, 12).Draw(t, "regions")
	for r := range regions {
		parent := model.NoParent
		if r > 0 {
			parent = rapid.IntRange(0, r-1).Draw(t, "parent")
		}
		b.Region(model.Region{Name: string(rune('a' + r)), Parent: parent})
	}
	for p := range rapid.IntRange(1, 9).Draw(t, "units") {
		u := b.Unit(model.Unit{Process: p})
		for r := range regions {
			if r == 0 || rapid.Bool().Draw(t, "enters") {
				b.Set(u, r, seconds, float64(rapid.IntRange(0, 20).Draw(t, "seconds")))
				b.Set(u, r, cycles, float64(rapid.IntRange(1, 20).Draw(t, "cycles")))
			}
		}
	}
	e, err := b.Build(model.Header{Name: "any"})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// A map with a row for every region is in the tree's order; one with fewer has the
// heaviest regions, each alone, and all others together in its last row. Every
// cell has the least, mean and most of its units.
func TestHeatmapCellsByHand(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := opened(t, anyMatrix(rt))
		nodes, _, err := analyze.Tree(d, "", 0)
		if err != nil {
			rt.Fatal(err)
		}
		o := HeatmapOptions{Normalise: NormaliseNone, Depth: -1, Inclusive: rapid.Bool().Draw(rt, "inclusive")}
		o.Rows, o.Cols = rapid.IntRange(1, 14).Draw(rt, "rows"), rapid.IntRange(1, 10).Draw(rt, "cols")
		h, err := DrawHeatmap(t.Context(), d, analyze.ShippedWords(), o)
		if err != nil {
			rt.Fatal(err)
		}
		column := "wtime.exc"
		if o.Inclusive {
			column = "wtime.inc"
		}
		m, err := d.Matrix(column)
		if err != nil {
			rt.Fatal(err)
		}
		if len(h.Rows) != min(o.Rows, len(d.Regions)) || len(h.Cols) != min(o.Cols, len(d.Units)) {
			rt.Fatalf("%d × %d cells of %d regions and %d units, at most %d × %d", len(h.Rows), len(h.Cols), len(d.Regions), len(d.Units), o.Rows, o.Cols)
		}
		left := analyze.Counting(len(d.Regions))
		for i, r := range h.Rows {
			at := slices.Index(d.Paths, r.Region)
			of := []int{at}
			if i == len(h.Rows)-1 {
				of = left
			} else {
				left = slices.DeleteFunc(left, func(x int) bool { return x == at })
			}
			if r.Regions != len(of) {
				rt.Fatalf("row %d stands for %d regions, not %d", i, r.Regions, len(of))
			}
			if len(h.Rows) == len(d.Regions) && (r.Region != nodes[i].Region || r.Depth != nodes[i].Depth) {
				rt.Fatalf("row %d is %+v, the tree has %+v", i, r, nodes[i])
			}
			for j, c := range h.Cols {
				sum, least, most, n := 0.0, math.Inf(1), math.Inf(-1), 0
				for u := c.From; u < c.To; u++ {
					v := m.At(u, of[0])
					for _, x := range of[1:] {
						if o.Inclusive { // what holds others would count them twice
							v = max(v, m.At(u, x))
						} else {
							v += m.At(u, x)
						}
					}
					sum, least, most, n = sum+v, min(least, v), max(most, v), n+1
				}
				k := i*len(h.Cols) + j
				if h.Min[k] != least || h.Max[k] != most || math.Abs(h.Mean[k]-sum/float64(n)) > 1e-12*most {
					rt.Fatalf("cell %d, %d holds %v %v %v, not %v %v %v", i, j, h.Min[k], h.Mean[k], h.Max[k], least, sum/float64(n), most)
				}
			}
		}
	})
}

// Along the tree the rows of a unit add up to its time, however much is open: what
// is closed has all that it holds.
func TestHeatmapAlongTheTreeAddsUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := opened(t, anyMatrix(rt))
		o := HeatmapOptions{Normalise: NormaliseNone, Depth: -1, Arrange: ArrangeTree, Rows: rapid.IntRange(1, 14).Draw(rt, "rows")}
		o.Closed = rapid.SliceOf(rapid.IntRange(0, 11)).Draw(rt, "closed")
		o.Opened = rapid.SliceOf(rapid.IntRange(0, 11)).Draw(rt, "opened")
		o.Whole = rapid.SliceOf(rapid.IntRange(0, 11)).Draw(rt, "whole")
		h, err := DrawHeatmap(t.Context(), d, analyze.ShippedWords(), o)
		if err != nil {
			rt.Fatal(err)
		}
		times, err := d.Times()
		if err != nil {
			rt.Fatal(err)
		}
		for u := range d.Units {
			sum := 0.0
			for r := range h.Rows {
				sum += h.Max[r*len(h.Cols)+u]
			}
			if math.Abs(sum-times.Total[u]) > 1e-9 {
				rt.Fatalf("the rows of unit %d sum to %v, not %v: %+v", u, sum, times.Total[u], h.Rows)
			}
		}
	})
}

// A row that is opened by hand shows its parts below it, closed it takes them
// away, and no other row moves; a row of the lighter parts gives way to them.
func TestHeatmapRowsOpenAndClose(t *testing.T) {
	b := model.NewBuilder()
	time := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	unit, root := b.Unit(model.Unit{}), b.Region(model.Region{Name: "main", Parent: model.NoParent})
	for i := range 6 {
		part := b.Region(model.Region{Name: fmt.Sprint("part", i), Parent: root})
		for j := range 5 {
			b.Set(unit, b.Region(model.Region{Name: fmt.Sprint("step", j), Parent: part}), time, float64(10-i)+float64(5-j)/10)
		}
	}
	e, err := b.Build(model.Header{Name: "tree", Runs: 1})
	if err != nil {
		t.Fatal(err)
	}
	d := opened(t, e)
	draw := func(o HeatmapOptions) (rows []HeatRow, names []string) {
		o.Normalise, o.Depth, o.Arrange, o.Rows = NormaliseNone, -1, ArrangeTree, 12
		h, err := DrawHeatmap(t.Context(), d, analyze.ShippedWords(), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range h.Rows {
			names = append(names, fmt.Sprint(r.Region, r.Regions))
		}
		return h.Rows, names
	}
	rows, names := draw(HeatmapOptions{})
	if len(rows) > 12 {
		t.Fatalf("%d rows", len(rows))
	}
	closed := slices.IndexFunc(rows, func(r HeatRow) bool { return r.Closed && r.Regions == 1 })
	lighter := slices.IndexFunc(rows, func(r HeatRow) bool { return r.Regions > 1 && r.Of == rows[0].Place })
	if closed < 0 || lighter < 0 {
		t.Fatalf("nothing to open: %+v", rows)
	}
	more, moreNames := draw(HeatmapOptions{Opened: []int{rows[closed].Place}})
	added := len(more) - len(rows)
	if added < 2 || !slices.Equal(moreNames, slices.Insert(slices.Clone(names), closed+1, moreNames[closed+1:closed+1+added]...)) {
		t.Errorf("opened %s:\n%v\nafter\n%v", names[closed], moreNames, names)
	}
	if _, again := draw(HeatmapOptions{Closed: []int{rows[closed].Place}}); !slices.Equal(again, names) {
		t.Errorf("closed again:\n%v\nnot\n%v", again, names)
	}
	if all, allNames := draw(HeatmapOptions{Whole: []int{rows[0].Place}}); len(all) != len(rows)-1+rows[lighter].Regions {
		t.Errorf("all parts of main are %v", allNames)
	}
}

func TestHeatmapNormalisedAndSelected(t *testing.T) {
	d := opened(t, sample.Scored(t, 1)) // main with solve and MPI_Wait below, two units
	whole := HeatmapOptions{Normalise: NormaliseUnit, Depth: -1}
	h, err := DrawHeatmap(t.Context(), d, analyze.ShippedWords(), whole)
	if err != nil {
		t.Fatal(err)
	}
	for c := range h.Cols {
		sum := 0.0
		for r := range h.Rows {
			sum += h.Mean[r*len(h.Cols)+c]
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("the shares of unit %d sum to %v", c, sum)
		}
	}
	whole.Normalise = NormaliseRegion
	if h, err = DrawHeatmap(t.Context(), d, analyze.ShippedWords(), whole); err != nil || h.Most != 1 {
		t.Errorf("by region the most is %v, %v", h.Most, err)
	}
	whole = HeatmapOptions{Normalise: NormaliseNone, Depth: 0}
	if h, err = DrawHeatmap(t.Context(), d, analyze.ShippedWords(), whole); err != nil || len(h.Rows) != 1 || h.Rows[0].Region != "main" {
		t.Errorf("the roots alone are %+v, %v", h.Rows, err)
	}
	whole = HeatmapOptions{Normalise: NormaliseNone, Depth: -1, Arrange: ArrangeTree, Closed: []int{0}}
	if h, err = DrawHeatmap(t.Context(), d, analyze.ShippedWords(), whole); err != nil || len(h.Rows) != 1 || !h.Rows[0].Closed {
		t.Errorf("with main closed there are %+v, %v", h.Rows, err)
	}
	whole = HeatmapOptions{Normalise: NormaliseNone, Depth: -1, Region: "main/solve", FromUnit: 1, ToUnit: 2}
	if h, err = DrawHeatmap(t.Context(), d, analyze.ShippedWords(), whole); err != nil || len(h.Mean) != 1 || h.Mean[0] != 4.5 || h.Cols[0].Unit != "1" {
		t.Errorf("solve in unit 1 is %+v, %v", h, err)
	}
	whole = HeatmapOptions{Metric: "l2_misses/wtime", Normalise: NormaliseNone, Depth: -1, Region: "main/solve"}
	if h, err = DrawHeatmap(t.Context(), d, analyze.ShippedWords(), whole); err != nil || h.Mean[0] != 20 || math.Abs(h.Mean[1]-30/4.5) > 1e-12 || h.Unit != "" {
		t.Errorf("misses a second are %+v, %v", h, err)
	}
	whole = HeatmapOptions{Metric: "imbalance", Normalise: NormaliseNone, Depth: -1, Region: "main/solve"}
	if h, err = DrawHeatmap(t.Context(), d, analyze.ShippedWords(), whole); err != nil || h.Mean[0] != -0.5 || h.Mean[1] != 0.5 {
		t.Errorf("the imbalance is %+v, %v", h, err)
	}
}

func TestHeatmapsThatCannotBe(t *testing.T) {
	d := opened(t, sample.Scored(t, 1))
	for want, o := range map[string]HeatmapOptions{
		"no metric":                {Metric: "wtiem", Normalise: NormaliseNone, Depth: -1},
		"units 0 to 1, not 2 to 1": {FromUnit: 2, Normalise: NormaliseNone, Depth: -1},
		"rows 0 to 2, not 0 to 8":  {ToRow: 9, Normalise: NormaliseNone, Depth: -1},
		"no region":                {Region: "nowhere", Normalise: NormaliseNone, Depth: -1},
		"does not add up":          {Metric: "l2_misses/wtime", Normalise: NormaliseUnit, Depth: -1},
		"not by":                   {Normalise: "sideways", Depth: -1},
		"whole program":            {Metric: "load_balance", Normalise: NormaliseNone, Depth: -1},
	} {
		if _, err := DrawHeatmap(t.Context(), d, analyze.ShippedWords(), o); err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "unknown", "no"), want) {
			t.Errorf("%+v: %v, not %q", o, err, want)
		}
	}
}

func TestCellsAsJSON(t *testing.T) {
	data, err := json.Marshal(Cells{1.0 / 3, math.NaN(), math.Inf(1), 1e-300, 12345678, 0})
	if err != nil || string(data) != "[0.33333,null,null,1e-300,1.2346e+07,0]" {
		t.Errorf("%s, %v", data, err)
	}
}

// opened stores an experiment and opens it.
func opened(t testing.TB, e *model.Experiment) *analyze.Dataset {
	t.Helper()
	d, err := analyze.Open(sample.Stored(t, e))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A region in which one unit of many spends most of the run has a row, however little
// it is over all units.
func TestHeatmapShowsWhatOneUnitSpends(t *testing.T) {
	b := model.NewBuilder()
	wall := b.Metric(model.NewMetric(model.WallTime, "s", model.Exclusive))
	root := b.Region(model.Region{Name: "main", Parent: model.NoParent})
	for r := range 30 {
		region := b.Region(model.Region{Name: fmt.Sprint("even", r), Parent: root})
		for u := range 100 {
			b.Set(b.Unit(model.Unit{Process: u}), region, wall, 1)
		}
	}
	b.Set(b.Unit(model.Unit{Process: 12}), b.Region(model.Region{Name: "odd", Parent: root}), wall, 20)
	e, err := b.Build(model.Header{Name: "odd"})
	if err != nil {
		t.Fatal(err)
	}
	d := opened(t, e)
	for _, metric := range []string{"", "wtime", "imbalance"} {
		h, err := DrawHeatmap(t.Context(), d, analyze.ShippedWords(), HeatmapOptions{Metric: metric, Normalise: NormaliseNone, Depth: -1, Rows: 8, Cols: 10})
		if err != nil {
			t.Fatal(err)
		}
		if h.Rows[0].Region != "main/odd" {
			t.Errorf("%q: first row %s", metric, h.Rows[0].Region)
		}
	}
}
