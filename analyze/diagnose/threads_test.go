package diagnose

import (
	"testing"

	"auspex/account"
	"auspex/model"
)

// hybrid has processes of several threads that share loops, the main ones of which
// communicate; slow is the factor of a thread's work in one loop.
func hybrid(t *testing.T, processes, threads int, slow func(thread int) float64) *Diagnosis {
	t.Helper()
	var units []model.Unit
	for p := range processes {
		for k := range threads {
			units = append(units, model.Unit{Process: p, Thread: k})
		}
	}
	most := 0.0
	for k := range threads {
		most = max(most, slow(k))
	}
	return diagnose(t, made(t, model.Header{}, units, func(u int, _ *model.Builder, set setter) {
		k := units[u].Thread
		for i, loop := range []string{"assemble", "flux", "update"} {
			set(model.Function, 10*(1+0.003*float64((u*5+i*3)%7-3)/3), "main", loop)
		}
		set(model.Function, 20*slow(k), "main", "solve")
		set(model.Barrier, 20*(most-slow(k))+0.001, "main", "solve", "omp barrier")
		if k == 0 {
			set(model.MPI, 0.5, "main", "MPI_Allreduce")
		} else {
			set(model.Idle, 0.5, "main", "omp idle")
		}
	}, nil), Options{})
}

// Threads of one number that have more work than the others of their process are
// found, whether they are the main ones or workers, in one process and in many.
func TestThreadsWithinProcesses(t *testing.T) {
	for _, processes := range []int{1, 4} {
		for _, threads := range []int{2, 4} {
			for _, which := range []int{0, threads - 1} {
				r := hybrid(t, processes, threads, func(thread int) float64 {
					if thread == which {
						return 2
					}
					return 1
				})
				if r.Level != Threads || r.Headline.Kind != account.Imbalance || r.Headline.Region != "main/solve" || len(r.Kinds) != 2 || len(r.Causes) != 1 {
					t.Errorf("%d × %d, thread %d: %s, %+v, %d kinds, %+v", processes, threads, which, r.Level, r.Headline, len(r.Kinds), r.Causes)
					continue
				}
				c := r.Causes[0]
				if len(c.Slow) != processes || c.Slow[0].Thread != which || c.SlowMean != 40 || c.OthersMean != 20 {
					t.Errorf("%d × %d, thread %d: %v", processes, threads, which, c.Slow)
				}
			}
		}
	}
	if r := hybrid(t, 4, 4, func(int) float64 { return 1 }); len(r.Causes) > 0 || r.Headline.Kind != account.Useful || len(r.Kinds) > 1 {
		t.Errorf("balanced: %+v, %+v", r.Headline, r.Causes)
	}
}

// Kinds are those of the region that is trouble also where its difference is small
// beside all other work.
func TestKindsFollowTrouble(t *testing.T) {
	r := called(t, 8, func(p int) (float64, float64) {
		if p == 3 {
			return 8, 100
		}
		return 2, 100
	}, nil)
	if len(r.Causes) != 1 || r.Causes[0].LostShare < account.Trouble || len(r.Kinds) != 2 || len(r.Kinds[1]) != 1 {
		t.Errorf("kinds %v, %+v", r.Kinds, r.Causes)
	}
}

// One thread of one process is what is slow, and not its process.
func TestOneThreadOfOneProcess(t *testing.T) {
	var units []model.Unit
	for p := range 4 {
		for k := range 8 {
			units = append(units, model.Unit{Process: p, Thread: k})
		}
	}
	r := diagnose(t, made(t, model.Header{}, units, func(u int, _ *model.Builder, set setter) {
		slow, last := 1.0, 1.0
		if units[u].Process == 1 {
			last = 2
			if units[u].Thread == 7 {
				slow = 2
			}
		}
		set(model.Function, 5*(1+0.003*float64(u*5%7-3)/3), "main", "flux")
		set(model.Function, 5*(1+0.003*float64(u*3%7-3)/3), "main", "update")
		set(model.Function, 10*slow, "main", "solve")
		set(model.Barrier, 10*(last-slow)+0.001, "main", "solve", "omp barrier")
		if units[u].Thread == 0 {
			set(model.MPI, 10*(2-last)+0.1, "main", "MPI_Allreduce")
		} else {
			set(model.Idle, 10*(2-last)+0.1, "main", "omp idle")
		}
	}, nil), Options{})
	if r.Level != Threads || len(r.Causes) != 1 || texts(r.Causes[0].Slow) != "[1.7]" {
		t.Errorf("%s: %+v", r.Level, r.Causes)
	}
}

// What main threads do while the others do nothing is named.
func TestSerialPart(t *testing.T) {
	var units []model.Unit
	for p := range 4 {
		for k := range 4 {
			units = append(units, model.Unit{Process: p, Thread: k})
		}
	}
	r := diagnose(t, made(t, model.Header{}, units, func(u int, _ *model.Builder, set setter) {
		if units[u].Thread == 0 {
			set(model.Function, 4, "main", "serial")
			set(model.MPI, 0.1, "main", "MPI_Allreduce")
		}
		for _, loop := range []string{"flux", "solve", "update"} {
			set(model.Function, 3*(1+0.003*float64(u*5%7-3)/3), "main", loop)
		}
	}, nil), Options{})
	if r.Headline.Kind != account.Idle || r.Serial == nil || r.Serial.Region != "main/serial" {
		t.Errorf("%+v, %+v", r.Headline, r.Serial)
	}
}

// Processes with more threads than others do not spend longer by the sum of them; a
// helper that does next to nothing makes no difference.
func TestThreadsOfDifferentNumber(t *testing.T) {
	for _, c := range []struct {
		second float64 // seconds of process 1's second thread
		level  Level
	}{{4, Threads}, {0.1, Processes}} {
		units := []model.Unit{{Process: 0}, {Process: 1}, {Process: 1, Thread: 1}}
		r := diagnose(t, made(t, model.Header{}, units, func(u int, _ *model.Builder, set setter) {
			set(model.Function, []float64{4, 4, c.second}[u], "main")
			set(model.MPI, 10-[]float64{4, 4, c.second}[u], "main", "MPI_Allreduce")
		}, nil), Options{})
		if r.Level != c.level || len(r.Causes) > 0 {
			t.Errorf("%g s: %s, %+v", c.second, r.Level, r.Causes)
		}
	}
}

// The main thread that waits for its threads is no serial part of theirs.
func TestMainThreadThatJoins(t *testing.T) {
	units := []model.Unit{{}, {Thread: 1}, {Thread: 2}, {Thread: 3}}
	r := diagnose(t, made(t, model.Header{}, units, func(u int, _ *model.Builder, set setter) {
		if u == 0 {
			set(model.Function, 10, "prog", model.Blocked)
			return
		}
		set(model.Function, 9, "prog", "work")
		set(model.Function, 0.5, "prog", model.Blocked)
	}, nil), Options{})
	if r.Serial != nil || r.Headline.Kind == account.Idle {
		t.Errorf("%+v, %+v", r.Headline, r.Serial)
	}
}

// Where processes are compared, a region in which one thread of each has more work says
// so: the processes are alike there.
func TestThreadsDifferWhereProcessesDoNot(t *testing.T) {
	var units []model.Unit
	for p := range 4 {
		for k := range 2 {
			units = append(units, model.Unit{Process: p, Thread: k})
		}
	}
	r := diagnose(t, made(t, model.Header{}, units, func(u int, _ *model.Builder, set setter) {
		p, k := units[u].Process, units[u].Thread
		step, sweep := 20.0, 10.0
		if p == 1 {
			step = 40
		}
		if k == p%2 {
			sweep = 20
		}
		set(model.Function, step, "main", "step")
		set(model.Function, sweep, "main", "sweep")
		set(model.Function, 10, "main", "flux")
		set(model.Barrier, 20-sweep+40-step+0.001, "main", "omp barrier")
	}, nil), Options{})
	if r.Level != Processes || len(r.Causes) != 2 {
		t.Fatalf("%s, %+v", r.Level, r.Causes)
	}
	for _, c := range r.Causes {
		if c.InThreads != (c.Region == "main/sweep") {
			t.Errorf("%+v", c)
		}
	}
}
