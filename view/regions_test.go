package view

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"auspex/account"
	"auspex/analyze"
	"auspex/internal/sample"
	"auspex/model"
)

// The rows of the whole table are the whole run: shares add up to the mean unit's
// part of it, and what is left out is told.
func TestRegionTableAddsUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := opened(t, anyMatrix(rt))
		table, err := ListRegions(d, RegionTableOptions{})
		if err != nil {
			rt.Fatal(err)
		}
		times, err := d.Times()
		if err != nil {
			rt.Fatal(err)
		}
		if times.Runtime == 0 {
			return
		}
		want := analyze.Mean(times.Total) / times.Runtime
		if math.Abs(float64(table.Covered)-want) > 1e-9 {
			rt.Fatalf("the rows are %v of the run, not %v", table.Covered, want)
		}
		for i, row := range table.Rows {
			if i > 0 && row.Mean > table.Rows[i-1].Mean {
				rt.Fatalf("%s is heavier than the row before it", row.Region)
			}
			if row.Inclusive < row.Mean-1e-9 {
				rt.Fatalf("%s has less with its parts than alone", row.Region)
			}
		}
	})
}

func TestRegionTableFinds(t *testing.T) {
	d := opened(t, sample.Scored(t, 1)) // main with solve and MPI_Wait below
	for find, want := range map[string]int{"": 3, "SOLVE": 1, "main wait": 1, "solve wait": 0} {
		table, err := ListRegions(d, RegionTableOptions{Find: find, Top: 2})
		if err != nil || table.Total != want || len(table.Rows) != min(2, want) {
			t.Errorf("%q finds %d, shows %d, %v; want %d", find, table.Total, len(table.Rows), err, want)
		}
	}
}

func TestRegionPage(t *testing.T) {
	d := opened(t, sample.Scored(t, 1))
	p, err := DescribeRegion(d, d, "main/solve")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Callers) != 1 || p.Callers[0].Region != "main" || len(p.Callees) != 0 || p.PathsOf != 1 || p.Own == nil || len(p.Own.Mean) != 2 {
		t.Errorf("the page is %+v", p)
	}
	whole, err := DescribeRegion(d, d, "main")
	if err != nil || len(whole.Callees) != 2 || len(whole.Callers) != 0 {
		t.Errorf("main calls %+v, is called by %+v, %v", whole.Callees, whole.Callers, err)
	}
	if _, err := DescribeRegion(d, d, "nowhere"); err == nil {
		t.Error("a region that is not there has a page")
	}
	byName, err := d.ByName()
	if err != nil {
		t.Fatal(err)
	}
	named, err := DescribeRegion(byName, d, "solve")
	if err != nil || len(named.Callers) != 1 || named.Callers[0].Region != "main" || named.Share != p.Share {
		t.Errorf("by name solve is %+v, %v", named, err)
	}
}

// A call tree against the run itself has the same value everywhere; cut, it keeps
// every region's callers.
func TestCallTree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := opened(t, anyMatrix(rt))
		most := rapid.IntRange(1, 12).Draw(rt, "most")
		tree, err := DrawCallTree(d, d, "", most)
		if err != nil {
			rt.Fatal(err)
		}
		if tree.Total != len(d.Regions) || len(tree.Tree) != min(most, len(d.Regions)) {
			rt.Fatalf("%d of %d regions", len(tree.Tree), tree.Total)
		}
		depth := -1
		for _, n := range tree.Tree {
			if n.Other != n.Inclusive && !n.Other.IsMissing() {
				rt.Fatalf("%s has %v here and %v there", n.Region, n.Inclusive, n.Other)
			}
			if n.Depth > depth+1 {
				rt.Fatalf("%s stands without its caller", n.Region)
			}
			depth = n.Depth
		}
	})
}

func TestGlance(t *testing.T) {
	b := model.NewBuilder()
	seconds := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	root := b.Region(model.Region{Name: "main", Parent: model.NoParent})
	wait := b.Region(model.Region{Name: "MPI_Recv", Kind: model.MPI, Parent: root})
	for p := range 4 {
		u := b.Unit(model.Unit{Process: p})
		b.Set(u, root, seconds, 6)
		b.Set(u, wait, seconds, 4)
	}
	e, err := b.Build(model.Header{Name: "heat-16"})
	if err != nil {
		t.Fatal(err)
	}
	d := opened(t, e)
	g, err := GlanceAt(d)
	if err != nil || g.Runtime != 10 || g.Processes != 4 || math.Abs(float64(g.Efficiency.Parallel)-0.6) > 1e-12 {
		t.Errorf("at a glance it is %+v, %v", g, err)
	}
	if g.Loss == nil || g.Loss.Kind == account.Useful || math.Abs(g.Loss.Share-0.4) > 1e-9 || g.Whole != g.Loss.Share {
		t.Errorf("the loss is %+v of %v", g.Loss, g.Whole)
	}
}

// TestGlanceTogether: what many regions lose alike is told as a whole.
func TestGlanceTogether(t *testing.T) {
	b := model.NewBuilder()
	seconds := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	root := b.Region(model.Region{Name: "main", Parent: model.NoParent})
	work := []int{b.Region(model.Region{Name: "solve", Parent: root}), b.Region(model.Region{Name: "assemble", Parent: root})}
	wait := b.Region(model.Region{Name: "MPI_Barrier", Kind: model.MPI, Parent: root})
	for p := range 4 {
		u := b.Unit(model.Unit{Process: p})
		for i, r := range work {
			b.Set(u, r, seconds, 3)
			if p == 0 {
				b.Set(u, r, seconds, float64(8-2*i))
			}
		}
		if p > 0 {
			b.Set(u, wait, seconds, 8)
		}
	}
	e, err := b.Build(model.Header{Name: "late"})
	if err != nil {
		t.Fatal(err)
	}
	g, err := GlanceAt(opened(t, e))
	if err != nil || g.Loss == nil || g.Loss.Region != "main/solve" || g.Loss.Share >= g.Whole-0.01 || math.Abs(g.Whole-24.0/56) > 0.01 {
		t.Errorf("%v: the loss is %+v of %v", err, g.Loss, g.Whole)
	}
}
