package predict

import (
	"cmp"
	"maps"
	"runtime"
	"slices"

	"auspex/launch"
	"auspex/trace"
)

// A program may hand out its work while it runs: whoever asks gets the next task. Where
// ranks take turns at cores it is by chance who asks next, some do several times as many
// tasks as others, and in a replay, where each has a core, the others wait for them. So
// tasks are handed out anew, in the order of the run, each to the worker that is free
// first (list scheduling: Graham, "Bounds on multiprocessing timing anomalies", 1969).

// mostDealt is how many actions a trace may have for its tasks to be looked for.
const mostDealt = 1 << 18

// handedOut are traces with the tasks of all farms handed out anew, where ranks took
// turns here and workers did other numbers of tasks from run to run.
func (w *workshop) handedOut(traces []*taken, np int) []*taken {
	cores := runtime.NumCPU()
	if np <= cores || len(traces) < 2 || slices.ContainsFunc(traces, func(t *taken) bool { return t.Actions() > mostDealt || len(t.Cuts) > 0 }) {
		return traces
	}
	runs := make([][]script, len(traces))
	for i, t := range traces {
		for rank := range np {
			runs[i] = append(runs[i], scriptOf(t.Trace, rank))
		}
	}
	dealt := false
	for master := range np {
		if !byChance(runs, master) {
			continue
		}
		tasks := 0
		for _, scripts := range runs {
			tasks = deal(scripts, master)
		}
		w.note("With %s rank %d hands out tasks while the program runs (%d in one run), each to the rank that asks next. Here ranks took turns at %d cores, so which of them did how many was chance: each task is given to the rank that would be free first with a core for each.",
			processes(np), master, tasks, cores)
		dealt = true
	}
	if !dealt {
		return traces
	}
	var out []*taken
	for i, t := range traces {
		with := *t
		with.CutTrace = &launch.CutTrace{Trace: &trace.Trace{Nanoseconds: t.Nanoseconds, Name: t.Name}}
		for rank, s := range runs[i] {
			with.Programs = append(with.Programs, s.program(rank))
		}
		out = append(out, &with)
	}
	return out
}

// byChance tells whether a rank's workers did other numbers of tasks in one run than in
// another: where they do the same in all, tasks may be their own.
func byChance(runs [][]script, master int) bool {
	var before map[int32]int
	for i, scripts := range runs {
		now := map[int32]int{}
		for _, phase := range scripts[master].phases() {
			if f := newFarm(scripts, master, phase); f != nil {
				for worker, n := range f.shares() {
					now[worker] += n
				}
			}
		}
		if i > 0 && len(now) > 0 && len(before) > 0 && !maps.Equal(before, now) {
			return true
		}
		before = now
	}
	return false
}

// deal hands out a master's tasks anew, and tells how many there are.
func deal(scripts []script, master int) (tasks int) {
	for after := 0; ; {
		f := firstFarm(scripts, master, after)
		if f == nil {
			return tasks
		}
		f.write(scripts, f.owners(scripts))
		tasks += len(f.rounds)
		after = f.end()
	}
}

// firstFarm is the first that begins to give after a place in the master's script.
func firstFarm(scripts []script, master, after int) *farm {
	for _, phase := range scripts[master].phases() {
		if phase[0].given[0] > after {
			if f := newFarm(scripts, master, phase); f != nil {
				return f
			}
		}
	}
	return nil
}

// end is the place of the last that the master gives.
func (f *farm) end() int {
	given := f.rounds[len(f.rounds)-1].given
	return given[len(given)-1]
}

// owners are the workers that are free first when their tasks are handed out.
func (f *farm) owners(scripts []script) (list []int32) {
	master, free := scripts[f.master], map[int32]float64{}
	for worker, all := range f.workers {
		s, at := scripts[worker], all.from
		free[worker] = s.takes(s.since(at), at)
	}
	workers := slices.Sorted(maps.Keys(f.workers))
	now, from := 0.0, master.since(f.rounds[0].asked[0])
	for _, r := range f.rounds {
		owner := slices.MinFunc(workers, func(a, b int32) int { return cmp.Compare(free[a], free[b]) })
		asked, given := max(from, r.asked[0]), r.given[len(r.given)-1]
		now = max(now+master.takes(from, asked), free[owner]) + master.takes(asked, given)
		free[owner] = now + scripts[r.worker].takes(r.from, r.to)
		list, from = append(list, owner), given
	}
	return list
}

// write gives tasks to other workers, in all scripts that it concerns.
func (f *farm) write(scripts []script, owners []int32) {
	parts, most := map[int32]script{}, int64(0)
	for i, r := range f.rounds {
		parts[owners[i]] = append(parts[owners[i]], scripts[r.worker][r.from:r.to]...)
	}
	for worker, all := range f.workers {
		s := scripts[worker]
		most = max(most, s.largest(f.master))
		scripts[worker] = slices.Concat(s[:all.from], parts[worker], s[all.to:])
	}
	f.rewrite(scripts[f.master], owners)
	for i := range scripts[f.master] { // there may come more now than did then
		a := &scripts[f.master][i]
		if a.Kind == trace.Recv && a.Comm == 0 && a.Count >= 0 && (a.Peer == trace.AnySource || f.workers[a.Peer].to > 0) && a.Count*a.Type.Size() < most {
			a.Type, a.Count = trace.Byte, most
		}
	}
}

// rewrite has the master take each worker's question right before it gives the task; what
// else it was asked meanwhile it takes after the last.
func (f *farm) rewrite(master script, owners []int32) {
	tasks := map[int]bool{}
	from := f.end()
	for _, r := range f.rounds {
		from = min(from, r.asked[0])
		for _, place := range slices.Concat(r.asked, r.given) {
			tasks[place] = true
		}
	}
	var made, later script
	next := from
	upTo := func(end int) {
		for ; next < end; next++ {
			switch a := master[next]; {
			case !isCall(&a):
				made = append(made, a)
			case !tasks[next]:
				later = append(later, a)
			}
		}
	}
	add := func(places []int, peer int32) {
		for _, place := range places {
			a := master[place]
			if a.Peer >= 0 {
				a.Peer = peer
			}
			made = append(made, a)
		}
	}
	for i, r := range f.rounds {
		upTo(r.asked[0])
		add(r.asked, owners[i])
		upTo(r.given[0])
		add(r.given, owners[i])
	}
	upTo(f.end() + 1)
	copy(master[from:], append(made, later...))
}

// largest is how many bytes the largest message to a rank has.
func (s script) largest(to int) (most int64) {
	for i := range s {
		if a := &s[i]; a.Kind == trace.Send && a.Comm == 0 && int(a.Peer) == to {
			most = max(most, a.Count*a.Type.Size())
		}
	}
	return most
}
