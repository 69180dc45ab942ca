package kept

import (
	"strings"
	"testing"

	"auspex/model"
	"auspex/trace"
)

// TestWaitingIsNoOpportunity: barriers of threads are neither to be made faster nor
// to be balanced.
func TestWaitingIsNoOpportunity(t *testing.T) {
	b := model.NewBuilder()
	program := b.Region(model.Region{Name: "prog", Parent: model.NoParent})
	solve := b.Region(model.Region{Name: "solve", Parent: program})
	barrier := b.Region(model.Region{Name: "OpenMP barrier", Parent: solve, Kind: model.Barrier})
	wall := b.Metric(model.Metric{Name: model.WallTime, Unit: "s", Scope: model.Exclusive, Missing: model.Zero})
	tr := &trace.Trace{Name: "threads", Nanoseconds: true}
	for rank, seconds := range []float64{1, 3} {
		unit := b.Unit(model.Unit{Node: "n", Process: rank})
		b.Add(unit, solve, wall, seconds)
		b.Add(unit, barrier, wall, seconds)
		p := trace.NewBuilder(rank)
		for _, name := range []string{"solve", "solve/OpenMP barrier"} {
			p.Add(&trace.Action{Kind: trace.Location, File: name})
			p.Add(&trace.Action{Kind: trace.Compute, Value: seconds * 1e9})
		}
		p.Add(&trace.Action{Kind: trace.Barrier})
		tr.Programs = append(tr.Programs, p.Program())
	}
	_, d := stored(t, b, model.Header{Name: "made"})
	c, err := (&Run{Data: d, Program: tr}).Case(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l, err := c.Opportunities(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range l.Opportunities {
		if strings.Contains(o.Change, "OpenMP barrier") {
			t.Errorf("%s is an opportunity", o.Change)
		}
	}
	if len(l.Opportunities) < 3 {
		t.Errorf("%+v", l.Opportunities)
	}
}
