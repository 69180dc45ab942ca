package simulate

import (
	"context"
	"fmt"
	"math"
	"testing"

	"auspex/trace"
)

// teams is a trace in which each rank computes with work for so many cores.
func teams(t *testing.T, cores ...float64) *trace.Trace {
	t.Helper()
	tr := &trace.Trace{}
	for rank, n := range cores {
		b := trace.NewBuilder(rank)
		b.Add(&trace.Action{Kind: trace.Init})
		b.Add(&trace.Action{Kind: trace.Compute, Value: 3e9, Cores: n})
		b.Add(&trace.Action{Kind: trace.Finalize})
		tr.Programs = append(tr.Programs, b.Program())
	}
	return tr
}

// TestTeams: threads share the cores of their host, and no more of them run at once than
// there are. W = cores × time is the work of a team, min(cores, C) what it gets of C cores
// when alone, and cores/Σcores of C when others want the rest.
func TestTeams(t *testing.T) {
	for _, c := range []struct {
		cores []float64 // wanted by the ranks, all on one host
		there int
		want  []float64 // seconds, at 1 Gf/s
	}{
		{[]float64{4}, 4, []float64{3}},
		{[]float64{4}, 8, []float64{3}},
		{[]float64{4}, 2, []float64{6}},
		{[]float64{4}, 1, []float64{12}},
		{[]float64{1.5}, 1, []float64{4.5}},
		{[]float64{2, 2}, 4, []float64{3, 3}},
		{[]float64{3, 3}, 4, []float64{4.5, 4.5}},
		{[]float64{0, 4}, 4, []float64{3.75, 3.75}},
		{[]float64{0, 0}, 1, []float64{6, 6}},
	} {
		t.Run(fmt.Sprint(c.cores, " on ", c.there), func(t *testing.T) {
			p := cluster(t, 1)
			p.Hosts[0].Speed, p.Hosts[0].Cores = 1e9, c.there
			hosts := make([]int, len(c.cores))
			tr := teams(t, c.cores...)
			r, err := Run(context.Background(), tr, p, hosts, Defaults(), Hooks{})
			if err != nil {
				t.Fatal(err)
			}
			for rank, want := range c.want {
				if got := r.Ranks[rank].Finish; math.Abs(got-want) > 1e-9 {
					t.Errorf("rank %d ends at %g, want %g", rank, got, want)
				}
			}
			o := Defaults()
			if err := o.Set("auspex/threads", "own"); err != nil {
				t.Fatal(err)
			}
			own, err := Run(context.Background(), tr, p, hosts, o, Hooks{})
			if err != nil {
				t.Fatal(err)
			}
			if want := 3 * max(1, float64(len(c.cores))/float64(c.there)); math.Abs(own.Seconds-want) > 1e-9 {
				t.Errorf("with a core for each thread it takes %g, want %g", own.Seconds, want)
			}
			b, err := Estimate(context.Background(), tr, p, hosts, Defaults())
			if err != nil {
				t.Fatal(err)
			}
			if r.Seconds < b.Lower*(1-1e-9) || r.Seconds > b.Upper*(1+1e-9) {
				t.Errorf("%g s are not within %+v", r.Seconds, b)
			}
		})
	}
}
