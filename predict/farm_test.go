package predict

import (
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"auspex/launch"
	"auspex/simulate"
	"auspex/trace"

	"pgregory.net/rapid"
)

// dealing is a run in which rank 0 handed out tasks of so many ms to these workers.
type dealing struct {
	workers int
	tasks   []float64
	owners  []int
	anyone  bool // the master receives from anyone, not from whom a probe found
	stop    bool // workers are told the end by a message as for a task
	queue   bool // the master receives of several workers before it answers them, the last first
	own     bool // workers talk to each other while they do tasks
}

func (d dealing) trace() *trace.Trace {
	ranks := make([]script, d.workers+1)
	add := func(rank int, list ...trace.Action) { ranks[rank] = append(ranks[rank], list...) }
	message := func(from, to int, tag int32, bytes int64) {
		peer, room := int32(from), bytes
		if d.anyone && to == 0 {
			peer, room = trace.AnySource, 1<<16
		}
		add(from, trace.Action{Kind: trace.Send, Peer: int32(to), Tag: tag, Count: bytes, Type: trace.Byte})
		add(to, trace.Action{Kind: trace.Recv, Peer: peer, Tag: tag, Count: room, Type: trace.Byte})
	}
	compute := func(rank int, ms float64) { add(rank, trace.Action{Kind: trace.Compute, Value: 1e6 * ms}) }
	result := map[int]int64{}
	var queue []int
	for i, owner := range d.owners {
		message(owner, 0, 1, result[owner])
		compute(0, 0.001)
		if queue = append(queue, owner); d.queue && i+1 < len(d.owners) && !slices.Contains(queue, d.owners[i+1]) {
			continue
		}
		for n := range queue {
			owner, task := queue[len(queue)-1-n], d.tasks[i-n]
			message(0, owner, 2, 24)
			compute(owner, task)
			result[owner] = int64(100 * task)
		}
		queue = nil
		if d.own && d.workers > 1 {
			message(owner, owner%d.workers+1, 7, 8)
		}
	}
	for worker := 1; worker <= d.workers; worker++ {
		message(worker, 0, 1, result[worker])
		if d.stop {
			message(0, worker, 2, 24)
		}
	}
	out := &trace.Trace{Nanoseconds: true}
	for rank := range ranks {
		add(rank, trace.Action{Kind: trace.Barrier})
		compute(rank, 0.5)
		out.Programs = append(out.Programs, ranks[rank].program(rank))
	}
	return out
}

func (d dealing) scripts() (list []script) {
	t := d.trace()
	for rank := range t.NP() {
		list = append(list, scriptOf(t, rank))
	}
	return list
}

// TestDeal by hand: of eight tasks of 10 ms one worker did six. Three workers then do
// three, three and two; the fifth, of 25 ms, comes to the second.
func TestDeal(t *testing.T) {
	for _, c := range []struct {
		name string
		d    dealing
		want []float64
	}{
		{"equal", dealing{tasks: slices.Repeat([]float64{10}, 8)}, []float64{30, 30, 20}},
		{"one is long", dealing{tasks: []float64{10, 10, 10, 10, 25, 10, 10, 10}}, []float64{30, 35, 30}},
	} {
		for _, how := range []dealing{{}, {anyone: true}, {queue: true}} {
			for _, stop := range []bool{false, true} {
				c.d.workers, c.d.owners, c.d.anyone, c.d.queue, c.d.stop = 3, []int{1, 2, 3, 1, 1, 1, 1, 1}, how.anyone, how.queue, stop
				scripts := c.d.scripts()
				if n := deal(scripts, 0); n != 8 {
					t.Fatalf("%s: %d tasks", c.name, n)
				}
				for i, want := range c.want {
					if got := scripts[i+1].takes(0, len(scripts[i+1]))/1e6 - 0.5; got < want-1e-6 || got > want+1e-6 {
						t.Errorf("%s, %+v: worker %d computes %v ms", c.name, c.d, i+1, got)
					}
				}
			}
		}
	}
}

// TestNoFarm: tasks stay where they were if they need not be any worker's.
func TestNoFarm(t *testing.T) {
	tasks, owners := slices.Repeat([]float64{10}, 8), []int{1, 2, 3, 1, 1, 1, 1, 1}
	for name, d := range map[string]dealing{
		"workers talk to each other": {workers: 3, tasks: tasks, owners: owners, own: true},
		"one worker":                 {workers: 1, tasks: tasks, owners: slices.Repeat([]int{1}, 8)},
		"a task each":                {workers: 3, tasks: tasks[:3], owners: owners[:3]},
	} {
		if n := deal(d.scripts(), 0); n != 0 {
			t.Errorf("%s: %d tasks", name, n)
		}
	}
}

// TestHandedOut: where ranks took turns and workers did other numbers of tasks from run
// to run, tasks are handed out anew and that is said.
func TestHandedOut(t *testing.T) {
	workers := max(3, runtime.NumCPU())
	var tasks []float64
	var even, first, second []int
	for i := range 4 * workers {
		tasks = append(tasks, 10)
		even = append(even, i%workers+1)
		first = append(first, max(1, i%workers+1-i/workers))
		second = append(second, min(workers, i%workers+1+i/workers))
	}
	run := func(owners []int) *taken {
		return &taken{CutTrace: &launch.CutTrace{Trace: dealing{workers: workers, tasks: tasks, owners: owners}.trace()}}
	}
	for _, c := range []struct {
		name string
		list []*taken
		want bool
	}{
		{"by chance", []*taken{run(first), run(second)}, true},
		{"the same in each run", []*taken{run(first), run(first)}, false},
		{"one run", []*taken{run(first)}, false},
		{"no farm in one", []*taken{run(first), run(slices.Repeat([]int{1}, len(tasks)))}, false},
	} {
		w := &workshop{Request: &Request{}, noted: map[string]bool{}}
		got := w.handedOut(c.list, workers+1)
		said := strings.Join(w.notes, "\n")
		if strings.Contains(said, "rank 0 hands out tasks while the program runs (") != c.want {
			t.Errorf("%s: %q", c.name, said)
		}
		p := cluster(t, workers+1, "1Gf")
		seconds := func(list []*taken) float64 {
			r, err := simulate.Run(t.Context(), list[0].Trace, p.Platform, p.place(workers+1), p.Options, simulate.Hooks{})
			if err != nil {
				t.Fatal(err)
			}
			return r.Seconds
		}
		before, after := seconds(c.list), seconds(got)
		if fair := seconds([]*taken{run(even)}); c.want && (after > 1.05*fair || before < 1.5*fair) || !c.want && after != before {
			t.Errorf("%s: %v s, then %v s, and %v s where all do as many", c.name, before, after, fair)
		}
	}
	w := &workshop{Request: &Request{}, noted: map[string]bool{}}
	list := []*taken{run(first), run(second)}
	if got := w.handedOut(list, runtime.NumCPU()); !slices.Equal(got, list) || len(w.notes) > 0 {
		t.Errorf("ranks had a core each: %q", w.notes)
	}
}

// Whatever the tasks and whoever did them: all are done, once, and the run takes no longer
// than Graham's bound.
func TestDealAnything(t *testing.T) {
	p := cluster(t, 6, "1Gf")
	rapid.Check(t, func(rt *rapid.T) {
		d := dealing{workers: rapid.IntRange(2, 5).Draw(rt, "workers"), anyone: rapid.Bool().Draw(rt, "anyone"), stop: rapid.Bool().Draw(rt, "stop")}
		d.queue = !d.anyone && rapid.Bool().Draw(rt, "queue")
		d.tasks = rapid.SliceOfN(rapid.Float64Range(0, 50), 1, 30).Draw(rt, "tasks")
		d.owners = rapid.SliceOfN(rapid.IntRange(1, d.workers), len(d.tasks), len(d.tasks)).Draw(rt, "owners")
		scripts := d.scripts()
		count := func() map[float64]int {
			n := map[float64]int{}
			for _, s := range scripts[1:] {
				for _, a := range s {
					if a.Kind == trace.Compute {
						n[a.Value]++
					}
				}
			}
			return n
		}
		before := count()
		dealt := deal(scripts, 0)
		if !maps.Equal(before, count()) {
			rt.Fatal("tasks are lost or done twice")
		}
		made := &trace.Trace{Nanoseconds: true}
		for rank, s := range scripts {
			made.Programs = append(made.Programs, s.program(rank))
		}
		r, err := simulate.Run(t.Context(), made, p.Platform, p.place(d.workers+1), p.Options, simulate.Hooks{})
		if err != nil {
			rt.Fatal(err)
		}
		sum, longest := 0.0, 0.0
		for _, ms := range d.tasks {
			sum, longest = sum+ms/1e3, max(longest, ms/1e3)
		}
		const messages = 0.3e-3 // of a task, and of the end
		if bound := sum/float64(d.workers) + longest + messages*float64(len(d.tasks)+2*d.workers+8); dealt == len(d.tasks) && len(d.busy()) == d.workers && r.Seconds > bound {
			rt.Fatalf("%v s, more than %v s", r.Seconds, bound)
		}
	})
}

// busy are the workers that had tasks.
func (d dealing) busy() map[int]bool {
	n := map[int]bool{}
	for _, owner := range d.owners {
		n[owner] = true
	}
	return n
}
