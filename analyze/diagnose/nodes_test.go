package diagnose

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"auspex/model"
)

// placedRun has 8 processes on two nodes; solve takes longer by slow's factor
// and write by write's, for which io_written grows.
func placedRun(t *testing.T, slow func(p int) float64, write func(p int) float64) *Diagnosis {
	t.Helper()
	b := model.NewBuilder()
	wall := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	instructions := b.Metric(model.NewMetric(model.Instructions, "", model.Exclusive))
	written := b.Metric(model.NewMetric(model.IOWritten, "", model.Exclusive))
	for p := range 8 {
		u := b.Unit(model.Unit{Node: fmt.Sprint("n", p/4), Process: p})
		for r, name := range []string{"solve", "write", "update", "norm"} {
			region := b.Region(model.Region{Name: name, Kind: model.Function, Parent: model.NoParent})
			scatter := 1 + 0.004*float64((p*5+r*3)%7-3)/3
			time, bytes := 10*scatter, 1e6
			switch name {
			case "solve":
				time *= slow(p)
			case "write":
				time *= write(p)
				bytes *= write(p) * write(p)
			}
			b.Set(u, region, wall, time)
			b.Set(u, region, instructions, 2e9*(1+0.001*float64((p+r)%3)))
			b.Set(u, region, written, bytes)
		}
	}
	e, err := b.Build(model.Header{Name: "placed"})
	if err != nil {
		t.Fatal(err)
	}
	return diagnose(t, opened(t, e), Options{Table: true})
}

func same(int) float64 { return 1 }

// What no metric explains and the nodes do is put down to the node; what goes
// across nodes is not.
func TestNodes(t *testing.T) {
	r := placedRun(t, func(p int) float64 { return 1 + 0.5*float64(p/4) }, same)
	if len(r.Causes) != 1 || !slices.Equal(r.Causes[0].Attributes, []string{"node"}) {
		t.Fatalf("%+v", r.Causes)
	}
	if e := r.Causes[0].Evidence[0]; e.Node != "n1" || len(e.High) != 4 || e.High[0].Process != 4 || e.Ratio < 1.45 || e.Ratio > 1.55 {
		t.Errorf("%+v", e)
	}
	r = placedRun(t, func(p int) float64 { return 1 + 0.5*float64(p%2) }, same)
	if len(r.Causes) != 1 || len(r.Causes[0].Attributes) != 0 {
		t.Errorf("%+v", r.Causes)
	}
	// A gradient along the ranks differs between nodes, too.
	r = placedRun(t, func(p int) float64 { return 1 + 0.1*float64(p) }, same)
	if len(r.Causes) != 1 || len(r.Causes[0].Attributes) != 0 {
		t.Errorf("%+v", r.Causes)
	}
}

// Two causes in two regions: both tell kinds apart, and the joint table has
// both.
func TestJoint(t *testing.T) {
	r := placedRun(t, func(p int) float64 { return 1 + 0.5*float64(p/4) }, func(p int) float64 { return 1 + 0.6*float64(p%2) })
	if len(r.Causes) != 2 || r.Joint == nil {
		t.Fatalf("%+v", r.Causes)
	}
	want := []JointAttribute{{"write", "io_written"}, {"solve", "node"}}
	if !slices.Equal(r.Joint.Attributes, want) || !slices.Equal(r.Joint.Core, want) || len(r.Joint.Reducts) != 1 || len(r.Joint.Rows) != 4 {
		t.Errorf("%+v", r.Joint)
	}
	if one := placedRun(t, same, func(p int) float64 { return 1 + 0.6*float64(p%2) }); one.Joint != nil {
		t.Errorf("%+v", one.Joint)
	}
}

// Means of many units need not be equal to the last bit however they are added
// up: nodes are found by their members.
func TestManyNodes(t *testing.T) {
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 9))
		b := model.NewBuilder()
		wall := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
		for p := range 77 {
			u := b.Unit(model.Unit{Node: fmt.Sprint("n", p/7), Process: p})
			for r := range 5 {
				region := b.Region(model.Region{Name: fmt.Sprint("part", r), Kind: model.Function, Parent: model.NoParent})
				time := 10.1 * (1 + 0.004*random.NormFloat64())
				if r == 2 && p/7 == 6 {
					time *= 1.3
				}
				b.Set(u, region, wall, time)
			}
		}
		e, err := b.Build(model.Header{Name: "many"})
		if err != nil {
			t.Fatal(err)
		}
		r := diagnose(t, opened(t, e), Options{})
		if len(r.Causes) != 1 || !slices.Equal(r.Causes[0].Attributes, []string{"node"}) || r.Causes[0].Evidence[0].Node != "n6" {
			t.Errorf("seed %d: %+v", seed, r.Causes)
		}
	}
}
