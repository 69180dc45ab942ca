package launch

import (
	"math"
	"slices"
	"testing"

	"auspex/model"
	"auspex/probe"
)

// TestCoreWait: time in which a thread could have run is what is neither CPU time nor
// blocked; where it is next to nothing, or the kernel does not tell when threads are
// blocked, there is no such metric.
func TestCoreWait(t *testing.T) {
	for _, c := range []struct {
		name              string
		tick, cpu, asleep float64 // of 5 s in a call of MPI
		want              float64
	}{
		{"half without a core", 1e-9, 1, 1.5, 2.5},
		{"all of it asleep", 1e-9, 1, 4, 0},
		{"always on a core", 1e-9, 4.97, 0, 0},
		{"not told by the kernel", 0, 1, 0, 0},
	} {
		p := &probe.Process{
			Rank: 0, Ranks: 1, Sampling: 1e6, Name: "x", Program: "/nowhere/x", State: probe.Finished, MPI: "MPICH",
			Regions: []probe.Region{{Name: "x", Kind: probe.Program}, {Name: "MPI_Recv", Kind: probe.MPICall}},
			Threads: []probe.Thread{{
				Nodes: []probe.Node{
					{Parent: -1, Calls: 1, Wall: 4, CPU: 4 - c.want, Blocked: c.tick},
					{Parent: 0, Region: 1, Calls: 3, Wall: 5, CPU: c.cpu, Blocked: c.asleep},
				},
				Steps: []probe.Step{{PC: 1, Parent: -1, Count: 100}}, Samples: 100,
			}},
		}
		collect := collector{b: model.NewBuilder(), tree: callTree{names: newResolver(), blind: map[string]uint64{}}, where: map[*probe.Process]*spot{}, processes: []*probe.Process{p}}
		collect.declare()
		collect.process(p, collect.grow(p))
		e, err := collect.b.Build(collect.header(Run{}))
		if err != nil {
			t.Fatal(err)
		}
		if there := slices.ContainsFunc(e.Metrics, func(m model.Metric) bool { return m.Name == model.CoreWait }); there != (c.want > 0) {
			t.Errorf("%s: the metric is there: %t", c.name, there)
			continue
		}
		if c.want == 0 {
			continue
		}
		// Samples share out what the region around the call stood, as much again.
		for path, want := range map[string]float64{"x/MPI_Recv": c.want, "x/*": 2 * c.want} {
			if got := value(t, e, 0, 0, path, model.CoreWait); math.Abs(got-want) > 1e-6 {
				t.Errorf("%s: %s stood %g s without a core, want %g", c.name, path, got, want)
			}
		}
	}
}
