package predict

import (
	"context"
	"math"
	"strings"
	"testing"

	"auspex/simulate"
	"auspex/trace"
)

// made is the trace of a program written as a function of rank and count.
func made(np int, program func(rank, np int, do func(trace.Action))) *trace.Trace {
	t := &trace.Trace{}
	for rank := range np {
		b := trace.NewBuilder(rank)
		do := func(a trace.Action) { b.Add(&a) }
		do(trace.Action{Kind: trace.Init})
		program(rank, np, do)
		do(trace.Action{Kind: trace.Finalize})
		t.Programs = append(t.Programs, b.Program())
	}
	return t
}

func compute(ns float64) trace.Action { return trace.Action{Kind: trace.Compute, Value: ns} }

func toward(kind trace.Kind, peer int, count int64) trace.Action {
	return trace.Action{Kind: kind, Type: trace.Byte, Peer: int32(peer), Count: count}
}

// aroundRing passes rows on in a ring, adds up, sorts, and hears from the last rank.
func aroundRing(rank, np int, do func(trace.Action)) {
	for range 50 {
		do(compute(1e6 + 64e6/float64(np)))
		do(trace.Action{Kind: trace.SendRecv, Type: trace.Byte, Type2: trace.Byte, Peer: int32((rank + 1) % np), Peer2: int32((rank + np - 1) % np), Count: 8000, Count2: 8000})
		do(trace.Action{Kind: trace.Allreduce, Type: trace.Byte, Count: 8})
		do(trace.Action{Kind: trace.Alltoall, Type: trace.Byte, Type2: trace.Byte, Count: int64(1 << 20 / np / np), Count2: int64(1 << 20 / np / np)})
		do(trace.Action{Kind: trace.Bcast, Type: trace.Byte, Peer: int32(np - 1), Count: int64(4096 / np)})
	}
}

// intoWindows puts rows into its neighbours' windows, and counts in that of the first.
func intoWindows(rank, np int, do func(trace.Action)) {
	do(trace.Action{Kind: trace.CommSplit, Count: int64(rank)})
	for range 20 {
		do(compute(32e6 / float64(np)))
		for _, peer := range []int{(rank + 1) % np, (rank + np - 1) % np} {
			do(trace.Action{Kind: trace.Put, Type: trace.Byte, Comm: 1, Peer: int32(peer), Count: int64(1 << 20 / np)})
		}
		do(trace.Action{Kind: trace.Fence, Comm: 1, Peer: trace.RootUnset})
		do(trace.Action{Kind: trace.Lock, Comm: 1, Peer: 0, Tag: trace.LockAlone})
		do(trace.Action{Kind: trace.Get, Type: trace.Byte, Comm: 1, Peer: 0, Count: 8})
		do(trace.Action{Kind: trace.Flush, Comm: 1, Peer: trace.AnySource})
		do(trace.Action{Kind: trace.Unlock, Comm: 1, Peer: 0})
	}
}

// alongLine talks to neighbours that are there, without blocking.
func alongLine(rank, np int, do func(trace.Action)) {
	for range 20 {
		do(compute(32e6 / float64(np)))
		for _, peer := range []int{rank - 1, rank + 1} {
			if peer >= 0 && peer < np {
				do(toward(trace.Irecv, peer, 1000))
				do(toward(trace.Send, peer, 1000))
				do(trace.Action{Kind: trace.Wait, Peer: int32(peer), Peer2: int32(rank)})
			}
		}
		do(trace.Action{Kind: trace.Reduce, Type: trace.Byte, Peer: 0, Count: 8})
	}
}

func alltoallv(_, np int, do func(trace.Action)) {
	even := make([]int64, np)
	for i := range even {
		even[i] = int64(1 << 20 / np / np)
	}
	do(trace.Action{Kind: trace.Alltoallv, Type: trace.Byte, Type2: trace.Byte, Count: even[0] * int64(np), Count2: even[0] * int64(np), Counts: even, Counts2: even})
}

// listsOfRoots are collectives of which only the root has the list of sizes, or in
// which a rank's own size is one of the others' lists.
func listsOfRoots(rank, np int, do func(trace.Action)) {
	even, none := make([]int64, np), make([]int64, np)
	for i := range even {
		even[i] = int64(1 << 20 / np)
	}
	atRoot := func(root int) []int64 {
		if rank == root {
			return even
		}
		return none
	}
	do(trace.Action{Kind: trace.Scatterv, Type: trace.Byte, Type2: trace.Byte, Peer: 0, Counts: atRoot(0), Count2: even[0]})
	do(trace.Action{Kind: trace.Gatherv, Type: trace.Byte, Type2: trace.Byte, Peer: int32(np - 1), Count: even[0], Counts2: atRoot(np - 1)})
	do(trace.Action{Kind: trace.Allgatherv, Type: trace.Byte, Type2: trace.Byte, Count: even[0], Counts2: even})
	do(trace.Action{Kind: trace.ReduceScatter, Type: trace.Byte, Counts: even})
}

func TestExtrapolate(t *testing.T) {
	for name, program := range map[string]func(int, int, func(trace.Action)){"ring": aroundRing, "line": alongLine, "windows": intoWindows, "lists": alltoallv, "lists of roots": listsOfRoots} {
		t.Run(name, func(t *testing.T) {
			g, err := newGrowth([]*trace.Trace{made(2, program), made(4, program), made(8, program)})
			if err != nil {
				t.Fatal(err)
			}
			got, err := g.to(32)
			if err != nil {
				t.Fatal(err)
			}
			want := made(32, program)
			if where := differ(got, want, waits); where != "" {
				t.Error(where)
			}
			var seconds []float64
			for _, of := range []*trace.Trace{got, want} {
				p := cluster(t, 32, "1Gf")
				r, err := simulate.Run(t.Context(), of, p.Platform, p.place(32), p.Options, simulate.Hooks{})
				if err != nil {
					t.Fatal(err)
				}
				seconds = append(seconds, r.Seconds)
			}
			if math.Abs(seconds[0]/seconds[1]-1) > 1e-9 {
				t.Errorf("it takes %v s, not %v s", seconds[0], seconds[1])
			}
			for rank := range 32 {
				a := computed(got, rank)
				if b := computed(want, rank); math.Abs(a-b) > 1e-9*b {
					t.Errorf("rank %d computes %v, not %v", rank, a, b)
				}
			}
		})
	}
}

// A rank that was blocked in one run and not in the other sends what it would.
func TestExtrapolateOverPauses(t *testing.T) {
	pausing := func(rank, np int, do func(trace.Action)) {
		aroundRing(rank, np, func(a trace.Action) {
			if np == 8 && rank == 1 && a.Kind == trace.Alltoall {
				do(trace.Action{Kind: trace.Sleep, Value: 0.01})
			}
			do(a)
		})
	}
	g, err := newGrowth([]*trace.Trace{made(4, pausing), made(8, pausing)})
	if err != nil {
		t.Fatal(err)
	}
	got, err := g.to(16)
	if err != nil {
		t.Fatal(err)
	}
	if where := differ(got, made(16, aroundRing), waits); where != "" {
		t.Error(where)
	}
}

// overGrid talks to its neighbours in a grid that is open in the first dimension and
// closed in the others, in a communicator made for it, and adds up along each
// dimension in communicators of rows.
func overGrid(layout func(np int) grid) func(int, int, func(trace.Action)) {
	return func(rank, np int, do func(trace.Action)) {
		g := layout(np)
		do(trace.Action{Kind: trace.CommSplit, Tag: 0, Count: int64(rank)})
		for d := range g {
			s := g.sub(1<<d, rank)
			do(trace.Action{Kind: trace.CommSplit, Tag: int32(s.first), Count: int64(s.me)})
		}
		for range 10 {
			do(compute(2e6 + 512e6/float64(np)))
			for d, n := range g {
				for _, step := range []int32{-1, 1} {
					if at := g.at(rank)[d]; d == 0 && (step < 0 && at == 0 || step > 0 && at == n-1) {
						continue
					}
					var off offset
					off[d] = step
					peer := g.reach(rank, off)
					do(trace.Action{Kind: trace.Irecv, Type: trace.Byte, Comm: 1, Peer: int32(peer), Count: 1000})
					do(trace.Action{Kind: trace.Send, Type: trace.Byte, Comm: 1, Peer: int32(peer), Count: 1000})
					do(trace.Action{Kind: trace.Wait, Peer: int32(peer), Peer2: int32(rank)})
				}
				do(trace.Action{Kind: trace.Bcast, Type: trace.Byte, Comm: int32(2 + d), Peer: int32(n - 1), Count: 8})
				do(trace.Action{Kind: trace.Allreduce, Type: trace.Byte, Comm: int32(2 + d), Count: 8})
			}
		}
	}
}

// Grids of two and three dimensions, numbered either way, with their communicators:
// the trace of a larger one is the one it would be.
func TestExtrapolateGrids(t *testing.T) {
	for _, c := range []struct {
		name     string
		layout   func(np int) grid
		from, to []int
	}{
		{"two dimensions", layouts[1], []int{9, 16}, []int{25, 36, 12 * 12}},
		{"two, the smaller first", layouts[2], []int{12, 20}, []int{30, 56}},
		{"three dimensions", layouts[3], []int{27, 48}, []int{64, 100}},
	} {
		t.Run(c.name, func(t *testing.T) {
			program := overGrid(c.layout)
			g, err := newGrowth([]*trace.Trace{made(c.from[0], program), made(c.from[1], program)})
			if err != nil {
				t.Fatal(err)
			}
			for _, np := range c.to {
				got, err := g.to(np)
				if err != nil {
					t.Fatal(err)
				}
				want := made(np, program)
				if where := differ(got, want, waits); where != "" {
					t.Errorf("%d: %s", np, where)
				}
				if a, b := computed(got, 0), computed(want, 0); math.Abs(a-b) > 1e-9*b {
					t.Errorf("%d processes compute %v, not %v", np, a, b)
				}
			}
		})
	}
	// A row of two shows nothing of what is between its ends.
	program := overGrid(layouts[1])
	if _, _, err := Extrapolate([]*trace.Trace{made(4, program), made(16, program)}, 25); err == nil {
		t.Error("two rows of two grew")
	}
	g, err := newGrowth([]*trace.Trace{made(9, program), made(12, program)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.to(17); err == nil || !strings.Contains(err.Error(), "a grid of 4×3, which does not show what one of 17×1 does") {
		t.Error(err)
	}
}

// Of five counts the model of growth is taken that fits: here a logarithm, which
// a + b/np does not know.
func TestExtrapolateGrowth(t *testing.T) {
	program := func(_, np int, do func(trace.Action)) {
		do(compute(1e6 + 3e6*math.Log2(float64(np))))
		do(trace.Action{Kind: trace.Allreduce, Count: 8})
	}
	var measured []*trace.Trace
	for _, np := range []int{4, 8, 12, 16, 24} {
		measured = append(measured, made(np, program))
	}
	g, err := newGrowth(measured)
	if err != nil {
		t.Fatal(err)
	}
	got, err := g.to(64)
	if err != nil {
		t.Fatal(err)
	}
	if c := computed(got, 5); math.Abs(c/19e6-1) > 0.001 {
		t.Errorf("a process computes %g ns (%s), not 19 ms", c, g.work)
	}
}

func TestExtrapolateRefuses(t *testing.T) {
	for name, program := range map[string]struct {
		does func(int, int, func(trace.Action))
		want string
	}{
		"tree": {func(rank, np int, do func(trace.Action)) {
			for d := 1; d < np; d *= 2 {
				do(trace.Action{Kind: trace.SendRecv, Peer: int32(rank ^ d), Peer2: int32(rank ^ d), Count: 8, Count2: 8})
			}
		}, "rank"},
		"whichever comes first": {func(rank, np int, do func(trace.Action)) {
			do(trace.Action{Kind: trace.Wait, Peer: int32((rank + 8/np - 1) % np), Peer2: int32(rank)})
		}, "wait for a message from 1 to 0 on rank 0 of 4, and wait for a message from 0 to 0 on rank 0 of 8"},
		"communicators": {func(rank, _ int, do func(trace.Action)) {
			do(trace.Action{Kind: trace.CommSplit, Tag: int32(rank % 2)})
		}, "communicators of its own"},
		"every third": {func(rank, _ int, do func(trace.Action)) {
			if rank%3 == 0 {
				do(trace.Action{Kind: trace.Barrier})
			}
			do(trace.Action{Kind: trace.Allreduce, Count: 8})
		}, "call 2 is allreduce on rank 1 of 4, and barrier on rank 6 of 8"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := Extrapolate([]*trace.Trace{made(4, program.does), made(8, program.does)}, 16)
			if err == nil || !strings.Contains(err.Error(), program.want) {
				t.Error(err)
			}
		})
	}
	if _, err := newGrowth([]*trace.Trace{made(2, aroundRing), made(4, aroundRing)}); err == nil {
		t.Error("two processes have none between first and last")
	}
}

// TestExtrapolateTooMany: what would take all memory is refused, and what just fits is made.
func TestExtrapolateTooMany(t *testing.T) {
	g, err := newGrowth([]*trace.Trace{made(4, aroundRing), made(8, aroundRing)})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := g.to(64)
	if err != nil {
		t.Fatal(err)
	}
	bytes := 0
	for i := range whole.Programs {
		bytes += whole.Programs[i].Size()
	}
	for most, fits := range map[int]bool{bytes: true, bytes - 1: false} {
		if g.most = most; (func() error { _, err := g.to(64); return err }() == nil) != fits {
			t.Errorf("%d of %d bytes fit: %v", bytes, most, !fits)
		}
	}
	for _, np := range []int{mostProcesses + 1, math.MaxInt} {
		if _, err := g.to(np); err == nil || !strings.Contains(err.Error(), "too many") {
			t.Errorf("%d processes: %v", np, err)
		}
	}
}

// More processes than were run are predicted from real traces.
func TestExtrapolateMPI(t *testing.T) {
	eachMPI(t, func(t *testing.T, r Request) {
		r.Source, r.Run = tree(t, map[string]string{"p.c": ring}), r.Run+" 20"
		r.Platforms = []Platform{cluster(t, 6, "1Gf")}
		r.Method, r.Counts, r.Extrapolate = Simple, []int{4, 3}, []int{6}
		var report *Report
		for try := 1; try == 1 || try <= tries && len(report.Predictions) < 3; try++ { // a busy machine shows no law
			var err error
			if report, err = predictHere(t, context.Background(), r); err != nil {
				t.Fatal(err)
			}
		}
		if len(report.Predictions) != 3 || len(report.Notes) == 0 {
			t.Fatalf("%d predictions, %q", len(report.Predictions), report.Notes)
		}
		// Everyone does the same, so times of three and six are much alike.
		last := report.Predictions[2]
		if !last.Extrapolated || last.NP != 6 || len(last.Ranks) != 6 || last.Predicted < 0.3*report.Predictions[1].Predicted || last.Predicted > 3*report.Predictions[1].Predicted {
			t.Errorf("%+v", last)
		}
		if !strings.Contains(strings.Join(report.Notes, "\n"), "6 processes were not run") {
			t.Errorf("%q", report.Notes)
		}
	})
}

// What a process computes is read off the counts that were run: it may be shared, stay,
// or grow, and where they do not show how, nothing is said.
func TestExtrapolateComputation(t *testing.T) {
	doing := func(law func(np float64) float64) func(int, int, func(trace.Action)) {
		return func(_, np int, do func(trace.Action)) {
			do(compute(1e6 * law(float64(np))))
			do(trace.Action{Kind: trace.Allreduce, Type: trace.Byte, Count: 8})
		}
	}
	for name, c := range map[string]struct {
		law  func(np float64) float64
		runs []int
		want float64 // of 24 processes; 0: refused
	}{
		"grows":              {func(np float64) float64 { return 100 * np }, []int{4, 8, 12}, 2400},
		"grows from a base":  {func(np float64) float64 { return 500 + 100*np }, []int{4, 8, 12}, 2900},
		"two counts":         {func(np float64) float64 { return 100 * np }, []int{4, 8}, 0},
		"its square":         {func(np float64) float64 { return np * np }, []int{4, 8, 12}, 0},
		"falls and rises":    {func(np float64) float64 { return (np - 8) * (np - 8) }, []int{4, 6, 12}, 0},
		"grows by a scatter": {func(np float64) float64 { return 100 + np/2 }, []int{4, 12}, 104},
		"stays":              {func(np float64) float64 { return 100 }, []int{4, 8, 12}, 100},
		"shared":             {func(np float64) float64 { return 10 + 1200/np }, []int{4, 8, 12}, 60},
	} {
		var runs []*trace.Trace
		for _, np := range c.runs {
			runs = append(runs, made(np, doing(c.law)))
		}
		got, _, err := Extrapolate(runs, 24)
		switch {
		case c.want == 0:
			if err == nil || !strings.Contains(err.Error(), "by which law") {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case math.Abs(computed(got, 0)-1e6*c.want) > 0.03*1e6*c.want:
			t.Errorf("%s: %v ns, want %v", name, computed(got, 0), 1e6*c.want)
		}
	}
}
