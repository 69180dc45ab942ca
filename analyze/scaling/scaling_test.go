package scaling

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"auspex/analyze"
	"auspex/internal/sample"
	"auspex/model"
	"auspex/store"
)

// opened stores experiments and opens them.
func opened(t *testing.T, list ...*model.Experiment) []*analyze.Dataset {
	t.Helper()
	s := store.Open(t.TempDir())
	var out []*analyze.Dataset
	for _, e := range list {
		if err := s.Put(e, false); err != nil {
			t.Fatal(err)
		}
		stored, err := s.Get(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		d, err := analyze.Open(stored)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, d)
	}
	return out
}

// run makes p processes that each work and then exchange for so long.
func run(t *testing.T, p int, work, exchange, instructions float64) *model.Experiment {
	t.Helper()
	b := model.NewBuilder()
	wall := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	count := -1
	if instructions > 0 {
		count = b.Metric(model.NewMetric(model.Instructions, "", model.Exclusive))
	}
	for u := range p {
		unit := b.Unit(model.Unit{Process: u})
		solve := b.Region(model.Region{Name: "solve", Parent: model.NoParent})
		b.Set(unit, solve, wall, work)
		if count >= 0 {
			b.Set(unit, solve, count, instructions)
		}
		b.Set(unit, b.Region(model.Region{Name: "MPI_Alltoall", Kind: model.MPI, Parent: model.NoParent}), wall, exchange)
	}
	e, err := b.Build(model.Header{Name: fmt.Sprint("on-", p)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func near(a analyze.Real, b float64) bool { return math.Abs(float64(a)-b) < 1e-9 }

// A problem of 64 s on 1 to 32 processes, whose exchange grows by 0.1 s a
// process.
func TestStrong(t *testing.T) {
	var list []*model.Experiment
	for _, p := range []int{32, 2, 4, 8, 16} {
		list = append(list, run(t, p, 64/float64(p), 0.1*float64(p), 0))
	}
	s, err := Of(context.Background(), opened(t, list...), false)
	if err != nil {
		t.Fatal(err)
	}
	last := s.Runs[4]
	if s.Kind != Strong || s.By != "useful time" || last.Ranks != 32 || !near(last.Speedup, 32.2/5.2) || !near(last.Efficiency, 32.2/5.2/16) || !near(last.ComputationScalability, 1) {
		t.Errorf("%s by %s: %+v", s.Kind, s.By, last)
	}
	if !near(last.Communication, 2/5.2) || !near(last.Global, 2/5.2) || !last.Serialization.IsMissing() || !last.IPCScalability.IsMissing() {
		t.Errorf("efficiencies %+v", last)
	}
	if len(s.Regions) != 1 || s.Regions[0].Region != "MPI_Alltoall" || s.Regions[0].Model.I != 1 || s.Regions[0].Model.J != 0 || !near(s.Regions[0].Model.Next[0].Seconds, 6.4) {
		t.Errorf("regions %+v", s.Regions)
	}
}

// The work of a process stays: by its instructions, although it takes longer.
func TestWeak(t *testing.T) {
	s, err := Of(context.Background(), opened(t, run(t, 1, 10, 0, 1e9), run(t, 8, 12.5, 0, 1e9)), false)
	if err != nil {
		t.Fatal(err)
	}
	last := s.Runs[1]
	if s.Kind != Weak || s.By != "instructions" || !near(last.Speedup, 6.4) || !near(last.Efficiency, 0.8) || !near(last.InstructionScalability, 1) || !near(last.ComputationScalability, 0.8) {
		t.Errorf("%s by %s: %+v", s.Kind, s.By, last)
	}
	if s.Model != nil || len(s.Warnings) != 1 || len(s.Regions) != 1 || s.Regions[0].Region != "solve" {
		t.Errorf("model %v, warnings %v, regions %+v", s.Model, s.Warnings, s.Regions)
	}
}

func TestOneSizeIsNoScaling(t *testing.T) {
	a, b := run(t, 4, 1, 1, 0), run(t, 4, 2, 1, 0)
	b.Name = "again"
	if _, err := Of(context.Background(), opened(t, a, b), false); err == nil {
		t.Error("two runs on four processes scale")
	}
}

// Another program is no larger run of the first.
func TestOtherProgramsAreNoScaling(t *testing.T) {
	a, b := run(t, 2, 8, 1, 0), run(t, 4, 4, 1, 0)
	for r := range b.Regions {
		if b.Regions[r].Name == "solve" {
			b.Regions[r].Name = "sort"
		}
	}
	sets := opened(t, a, b)
	if _, err := Of(context.Background(), sets, false); err == nil || !strings.Contains(err.Error(), "different programs") {
		t.Errorf("%v", err)
	}
	if s, err := Of(context.Background(), sets, true); err != nil || !strings.Contains(strings.Join(s.Warnings, "\n"), "different programs") {
		t.Errorf("%v, %+v", err, s)
	}
}

// The reference figures are in the NOTES.md beside the data.
func TestSharedRuns(t *testing.T) {
	for _, c := range []struct {
		paths []string
		kind  Kind
		ranks []int
		want  [][3]float64 // load balance, communication, run time
	}{
		{[]string{"tau-gromacs-scaling/2.ppk", "tau-gromacs-scaling/4.ppk", "tau-gromacs-scaling/8.ppk", "tau-gromacs-scaling/16.ppk", "tau-gromacs-scaling/32.ppk"}, Strong,
			[]int{2, 4, 8, 16, 32}, [][3]float64{{.987, .979, 638.3}, {.970, .956, 352.6}, {.960, .804, 204.6}, {.580, .832, 164.0}, {.535, .730, 101.2}}},
		{[]string{"caliper-lulesh-scaling/lulesh-annotation-profile-8cores.json", "caliper-lulesh-scaling/lulesh-annotation-profile-27cores.json", "caliper-lulesh-scaling/lulesh-annotation-profile-64cores.json"}, Weak,
			[]int{8, 27, 64}, [][3]float64{{.944, .725, 43.6}, {.917, .769, 50.9}, {.899, .828, 51.2}}},
	} {
		var list []*model.Experiment
		for i, path := range c.paths {
			e := sample.Real(t, path)
			e.Name = fmt.Sprint("run-", i)
			list = append(list, e)
		}
		s, err := Of(context.Background(), opened(t, list...), false)
		if err != nil {
			t.Fatal(err)
		}
		if s.Kind != c.kind {
			t.Errorf("%s is called %s (growth %v)", c.paths[0], s.Kind, s.Growth)
		}
		for i, r := range s.Runs {
			if w := c.want[i]; r.Ranks != c.ranks[i] || math.Abs(float64(r.LoadBalance)-w[0]) > 6e-4 || math.Abs(float64(r.Communication)-w[1]) > 6e-4 || math.Abs(float64(r.RunSeconds)-w[2]) > 0.06 {
				t.Errorf("%+v, want %v", r, w)
			}
		}
		if (s.Model != nil) != (len(c.paths) >= 5) {
			t.Errorf("%s: model %v", c.paths[0], s.Model)
		}
	}
}

// threaded is a run of so many processes with threads that compute, and one of a
// library's each.
func threaded(t *testing.T, name string, processes, threads int, work float64) *model.Experiment {
	t.Helper()
	b := model.NewBuilder()
	wall, cpu := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive)), b.Metric(model.NewMetric(model.CPUTime, "", model.Exclusive))
	solve := b.Region(model.Region{Name: "solve", Parent: model.NoParent})
	for p := range processes {
		for k := range threads + 1 {
			unit := b.Unit(model.Unit{Process: p, Thread: k})
			b.Set(unit, solve, wall, work)
			if b.Set(unit, solve, cpu, work); k == threads {
				b.Set(unit, solve, cpu, 0.001*work)
			}
		}
	}
	e, err := b.Build(model.Header{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestThreads: what there are more of is counted, and threads that only wait are not.
func TestThreads(t *testing.T) {
	one, two, four := threaded(t, "1x1", 1, 1, 8), threaded(t, "1x2", 1, 2, 4), threaded(t, "2x2", 2, 2, 2)
	for _, c := range []struct {
		of      string
		counts  []int
		runs    []*model.Experiment
		refused string
	}{
		{"threads", []int{1, 2}, []*model.Experiment{one, two}, ""},
		{"processes", []int{1, 2}, []*model.Experiment{two, four}, ""},
		{"threads in all", []int{1, 2, 4}, []*model.Experiment{one, two, four}, ""},
		{"", nil, []*model.Experiment{two, threaded(t, "2x1", 2, 1, 4)}, "the number of threads in all is 2 in all of these"},
		{"", nil, []*model.Experiment{one, threaded(t, "again", 1, 1, 8)}, "the number of processes is 1 in all of these"},
	} {
		s, err := Of(context.Background(), opened(t, c.runs...), true)
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%v, want a word of %q", err, c.refused)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.counts {
			if s.Of != c.of || s.Runs[i].Count != want || math.Abs(float64(s.Runs[i].Efficiency)-1) > 1e-9 {
				t.Errorf("%s, run %d: %d %s, efficiency %g", c.of, i, s.Runs[i].Count, s.Of, float64(s.Runs[i].Efficiency))
			}
		}
	}
}

// pooled is a run of threads that share cores: each takes so long, of which it
// computes a part.
func pooled(t *testing.T, threads int, wall, cpu float64) *model.Experiment {
	t.Helper()
	b := model.NewBuilder()
	seconds := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	used := -1
	if cpu > 0 {
		used = b.Metric(model.NewMetric(model.CPUTime, "", model.Exclusive))
	}
	for u := range threads {
		unit, work := b.Unit(model.Unit{Thread: u}), b.Region(model.Region{Name: "work", Parent: model.NoParent})
		if b.Set(unit, work, seconds, wall); cpu > 0 {
			b.Set(unit, work, used, cpu)
		}
	}
	e, err := b.Build(model.Header{Name: fmt.Sprint("pool-", threads)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestWorkTellsTheKind: threads that wait do not make the work grow, and a slower run
// is no speedup.
func TestWorkTellsTheKind(t *testing.T) {
	for _, c := range []struct {
		name        string
		small, much *model.Experiment
		kind        Kind
		speedup     float64
		warned      string
	}{
		{"the same jobs, on two cores", pooled(t, 2, 0.5, 0.2), pooled(t, 4, 0.6, 0.1), Strong, 0.5 / 0.6, ""},
		{"twice the jobs", pooled(t, 2, 0.5, 0.2), pooled(t, 4, 0.6, 0.2), Weak, 1 / 0.6, ""},
		{"more work, but not twice", pooled(t, 2, 0.5, 0.2), pooled(t, 4, 0.6, 0.16), Strong, 0.5 / 0.6, "not certain: on 4 there is 1.6 × as much work as on 2, by CPU time"},
		{"nobody measured CPU time", pooled(t, 2, 0.5, 0), pooled(t, 4, 0.6, 0), Weak, 1 / 0.6, "told by the time outside of communication"},
	} {
		s, err := Of(context.Background(), opened(t, c.small, c.much), true)
		if err != nil {
			t.Fatal(err)
		}
		warned := strings.Join(s.Warnings[:len(s.Warnings)-1], "") // the last is of too few sizes
		if s.Kind != c.kind || !near(s.Runs[1].Speedup, c.speedup) || (c.warned == "") != (warned == "") || !strings.Contains(warned, c.warned) {
			t.Errorf("%s: %s by %s, speedup %g, %q", c.name, s.Kind, s.By, float64(s.Runs[1].Speedup), warned)
		}
	}
}

// Of means the number of processes is not that of the units, and what they lost is not
// known.
func TestMeansDoNotTellScaling(t *testing.T) {
	small, large := run(t, 1, 8, 1, 0), run(t, 1, 4, 1, 0)
	large.Name = "large"
	large.SetFactor(model.NumberFactor(model.AveragedOver, 64))
	if _, err := Of(context.Background(), opened(t, small, large), true); err == nil || !strings.Contains(err.Error(), "large holds the mean of all its processes") {
		t.Error(err)
	}
}
