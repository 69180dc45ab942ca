package kept

import (
	"fmt"
	"strings"

	"auspex/analyze"
	"auspex/events"
	"auspex/model"
	"auspex/trace"
	"auspex/waits"
)

// manyThreads is the share of the work from which on it matters that a trace holds
// the first thread of each rank alone.
const manyThreads = 0.1

// otherThreads is what share of the CPU time outside of communication the threads of
// a run used that are not the first of their process.
func otherThreads(d *analyze.Dataset) (float64, error) {
	if !d.Has(model.CPUTime) {
		return 0, nil
	}
	cpu, err := d.Matrix(model.CPUTime + ".exc")
	if err != nil {
		return 0, err
	}
	others, all := 0.0, 0.0
	for u, unit := range d.Units {
		for r := range d.Regions {
			if t := cpu.At(u, r); t > 0 && !d.Communication[r] {
				all += t
				if unit.Thread != 0 {
					others += t
				}
			}
		}
	}
	if all == 0 {
		return 0, nil
	}
	return others / all, nil
}

// threadTimes are how long each thread of a run was outside of communication, and the
// first one of each rank outside of MPI; nothing where there are other processes than
// ranks.
func threadTimes(d *analyze.Dataset, ranks int) (useful, outside []float64, err error) {
	times, err := d.Times()
	if err != nil || !d.Has(model.WallTime) {
		return nil, nil, err
	}
	wall, err := d.Matrix(model.WallTime + ".exc")
	if err != nil {
		return nil, nil, err
	}
	inMPI := make([]bool, len(d.Regions))
	for r, region := range d.Regions {
		inMPI[r] = region.Kind == model.MPI || region.Parent != model.NoParent && inMPI[region.Parent]
	}
	outside = make([]float64, ranks)
	for u, unit := range d.Units {
		if unit.Process < 0 || unit.Process >= ranks {
			return nil, nil, nil
		}
		if unit.Thread != 0 {
			continue
		}
		for r := range d.Regions {
			if t := wall.At(u, r); t > 0 && !inMPI[r] {
				outside[unit.Process] += t
			}
		}
	}
	return times.Judged(), outside, nil
}

// SleepersNote tells of threads that efficiency is not said of.
func SleepersNote(t *analyze.Times) []string {
	switch n := t.Sleepers(); n {
	case 0:
		return nil
	case 1:
		return []string{"1 thread that slept nearly all the time is left out"}
	default:
		return []string{fmt.Sprintf("%d threads that slept nearly all the time are left out", n)}
	}
}

// waiting are the regions of the trace that the profile knows as waiting, such as the
// barriers of threads. A trace's paths begin inside the program.
func (r *Run) waiting() map[string]bool {
	if r.Data == nil {
		return nil
	}
	out := map[string]bool{}
	for i, path := range r.Data.Paths {
		if !r.Data.Communication[i] {
			continue
		}
		out[path] = true
		if _, rest, ok := strings.Cut(path, string(model.PathSeparator)); ok {
			out[rest] = true
		}
	}
	return out
}

// missing are calls whose like a trace does not hold: those in which other threads
// than the first of a process exchange something, and those that start processes or
// connect to them.
func missing(d *analyze.Dataset) (ofThreads, toProcesses []waits.Untold, err error) {
	if !d.Has(model.WallTime) {
		return nil, nil, nil
	}
	wall, err := d.Matrix(model.WallTime + ".exc")
	if err != nil {
		return nil, nil, err
	}
	threads, processes := map[string]float64{}, map[string]float64{}
	for u, unit := range d.Units {
		for r, region := range d.Regions {
			t := wall.At(u, r)
			kind, exchanges := events.CallKind(region.Name)
			exchanges = exchanges && kind != trace.Init && kind != trace.Finalize || events.WaitsUntold(region.Name)
			if t > 0 && unit.Thread != 0 && exchanges {
				threads[region.Name] += t
			}
			if t > 0 && events.Connects(region.Name) {
				processes[region.Name] += t
			}
		}
	}
	return waits.UntoldOf(threads, len(d.Units)), waits.UntoldOf(processes, len(d.Units)), nil
}

// whole tells whether a trace holds what its ranks exchanged: a replay of another
// program may never end, and what its ranks wait for is not in it.
func (r *Run) whole() error {
	threads, processes, err := missing(r.Data)
	if err != nil {
		return err
	}
	var of, why string
	switch {
	case len(threads) > 0:
		of, why = "all its calls", "a trace holds the first thread of each process, and others called "+waits.UntoldCalls(threads)
	case len(processes) > 0:
		of, why = "all its processes", "those that "+waits.UntoldCalls(processes)+" started or connected to are not in it"
	default:
		return nil
	}
	r.Notes = append(r.Notes, "the trace is not replayed: "+why)
	return fmt.Errorf("the experiment %q %w of %s: %s", r.Data.Name, ErrNoTrace, of, why)
}

// threads tells of what other threads did. A trace of a single process whose threads
// share its work tells nothing that its profile does not tell better.
func (r *Run) threads() error {
	share, err := otherThreads(r.Data)
	if err != nil || share < manyThreads {
		return err
	}
	r.Others = share
	if r.Program.NP() == 1 {
		return fmt.Errorf("the experiment %q %w of its threads: a trace holds the first one of each process, and others did %.0f %% of the work", r.Data.Name, ErrNoTrace, 100*share)
	}
	r.Partial = true
	r.Notes = append(r.Notes, fmt.Sprintf("the trace holds the first thread of each rank; others did %.0f %% of the work, and how evenly they share it is not in the replay", 100*share))
	return nil
}
