package kept

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"auspex/model"
	"auspex/trace"
)

// TestThreads: the trace of a process whose threads share its work is as good as
// none; of ranks with threads it judges no cause; helpers that do next to nothing
// change nothing.
func TestThreads(t *testing.T) {
	for _, c := range []struct {
		name            string
		ranks           int
		others          float64 // CPU seconds of the second thread; the first has 1
		none, partially bool
	}{
		{"one process, half the work", 1, 1, true, false},
		{"two ranks, half the work", 2, 1, false, true},
		{"one process and a helper", 1, 0.05, false, false},
		{"two ranks and helpers", 2, 0.05, false, false},
	} {
		b := model.NewBuilder()
		region := b.Region(model.Region{Name: "prog", Parent: model.NoParent})
		cpu := b.Metric(model.Metric{Name: model.CPUTime, Unit: "s", Scope: model.Exclusive, Missing: model.Zero})
		tr := &trace.Trace{}
		for rank := range c.ranks {
			for thread, seconds := range []float64{1, c.others} {
				b.Add(b.Unit(model.Unit{Node: "n", Process: rank, Thread: thread}), region, cpu, seconds)
			}
			tr.Programs = append(tr.Programs, trace.NewBuilder(rank).Program())
		}
		_, d := stored(t, b, model.Header{Name: "made"})
		r := &Run{Data: d, Program: tr}
		err := r.threads()
		if errors.Is(err, ErrNoTrace) != c.none || r.Partial != c.partially || c.partially != strings.Contains(strings.Join(r.Notes, ""), "others did 50 % of the work") {
			t.Errorf("%s: %v, partial %v, notes %q", c.name, err, r.Partial, r.Notes)
		}
	}
}

// TestWhole: a trace lacks the calls of other threads than the first, and processes
// that others started.
func TestWhole(t *testing.T) {
	for _, c := range []struct {
		call   string
		thread int
		want   string
	}{
		{"MPI_Send", 1, "the experiment \"made\" kept no trace of all its calls: a trace holds the first thread of each process, and others called `MPI_Send`"},
		{"MPI_Send", 0, ""},
		{"MPI_Init_thread", 1, ""},
		{"MPI_Comm_rank", 1, ""},
		{"MPI_Comm_spawn", 0, "the experiment \"made\" kept no trace of all its processes: those that `MPI_Comm_spawn` started or connected to are not in it"},
	} {
		b := model.NewBuilder()
		region := b.Region(model.Region{Name: c.call, Kind: model.MPI, Parent: model.NoParent})
		wall := b.Metric(model.Metric{Name: model.WallTime, Unit: "s", Scope: model.Exclusive, Missing: model.Zero})
		for thread := range 2 {
			u := b.Unit(model.Unit{Node: "n", Thread: thread})
			if thread == c.thread {
				b.Add(u, region, wall, 1)
			}
		}
		_, d := stored(t, b, model.Header{Name: "made"})
		r := &Run{Data: d}
		got := ""
		if err := r.whole(); err != nil {
			got = err.Error()
		}
		if got != c.want || (got != "") != (len(r.Notes) == 1) {
			t.Errorf("%s of thread %d: %q, notes %q", c.call, c.thread, got, r.Notes)
		}
	}
}

// TestThreadTimes: a rank's first thread waits for the others outside of MPI, and all
// of them are compared.
func TestThreadTimes(t *testing.T) {
	b := model.NewBuilder()
	program := b.Region(model.Region{Name: "prog", Parent: model.NoParent})
	barrier := b.Region(model.Region{Name: "OpenMP barrier", Parent: program, Kind: model.Barrier})
	call := b.Region(model.Region{Name: "MPI_Barrier", Parent: program, Kind: model.MPI})
	wall := b.Metric(model.Metric{Name: model.WallTime, Unit: "s", Scope: model.Exclusive, Missing: model.Zero})
	for rank := range 2 {
		for thread, seconds := range []float64{3, 1} {
			unit := b.Unit(model.Unit{Node: "n", Process: rank, Thread: thread})
			b.Add(unit, program, wall, seconds)
			b.Add(unit, barrier, wall, 1)
			if thread == 0 {
				b.Add(unit, call, wall, 2)
			}
		}
	}
	_, d := stored(t, b, model.Header{Name: "made"})
	useful, outside, err := threadTimes(d, 2)
	if err != nil || !slices.Equal(useful, []float64{3, 1, 3, 1}) || !slices.Equal(outside, []float64{4, 4}) {
		t.Errorf("%v, %v, %v", useful, outside, err)
	}
}
