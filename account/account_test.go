package account

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"auspex/model"
)

// input draws a random run of units × regions.
func input(t *rapid.T) Input {
	n, g := rapid.IntRange(1, 12).Draw(t, "units"), rapid.IntRange(1, 8).Draw(t, "regions")
	matrix := func(name string, most float64) model.Matrix {
		m := model.NewMatrix(n, g, model.Zero)
		for i := range m.Data {
			if rapid.Bool().Draw(t, name) {
				m.Data[i] = rapid.Float64Range(0, most).Draw(t, name)
			}
		}
		return m
	}
	in := Input{Wall: matrix("wall", 10), Totals: make([]float64, n), Roles: make([]int, n), Helper: make([]bool, n),
		Classes: make([]Class, g), Paths: make([]string, g), Cores: rapid.IntRange(0, 8).Draw(t, "cores")}
	if rapid.Bool().Draw(t, "cpu measured") {
		in.CPU = matrix("cpu", 12)
	}
	if rapid.Bool().Draw(t, "disk measured") {
		in.InOut = matrix("disk", 3)
	}
	if rapid.Bool().Draw(t, "calls counted") {
		in.Calls = matrix("calls", 100)
	}
	for u := range n {
		for _, v := range in.Wall.Row(u) {
			in.Totals[u] += v
		}
		in.Totals[u] += rapid.Float64Range(0, 5).Draw(t, "more")
		in.Run = max(in.Run, in.Totals[u])
		in.Roles[u] = rapid.IntRange(Apart, 2).Draw(t, "role")
		in.Helper[u] = rapid.Bool().Draw(t, "helper")
	}
	for r := range g {
		in.Classes[r] = Class(rapid.IntRange(0, int(Asleep)).Draw(t, "class"))
		in.Paths[r] = string(rune('a' + r))
	}
	return in
}

// The lines add up to units × run time, none is negative, and the largest
// stands first.
func TestLinesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := input(t)
		l, err := Draw(in)
		if err != nil {
			t.Fatal(err)
		}
		if in.Run == 0 {
			return
		}
		shares, seconds := 0.0, 0.0
		for i, line := range l.Lines {
			if line.Seconds < 0 || line.Words == "" || line.Over != "sum" || line.Unit != "s" || line.Scope == "" {
				t.Fatalf("line %+v", line)
			}
			if i > 0 && line.Share > l.Lines[i-1].Share {
				t.Fatal("not the largest first")
			}
			shares += line.Share
			seconds += line.Seconds
		}
		whole := float64(in.Wall.Units) * in.Run
		if math.Abs(shares-1) > 1e-9 || math.Abs(seconds-whole) > 1e-9*whole {
			t.Fatalf("shares add up to %v, seconds to %v of %v: %+v", shares, seconds, whole, l.Lines)
		}
	})
}

// run makes an input of given times; the classes are of the columns.
func run(classes []Class, rows ...[]float64) Input {
	n, g := len(rows), len(classes)
	in := Input{Wall: model.NewMatrix(n, g, model.Zero), Totals: make([]float64, n), Roles: make([]int, n), Helper: make([]bool, n), Classes: classes, Paths: make([]string, g)}
	for r := range g {
		in.Paths[r] = string(rune('a' + r))
	}
	for u, row := range rows {
		copy(in.Wall.Row(u), row)
		for _, v := range row {
			in.Totals[u] += v
		}
		in.Run = max(in.Run, in.Totals[u])
	}
	return in
}

func draw(t *testing.T, in Input) *Ledger {
	t.Helper()
	l, err := Draw(in)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// One of four has 4 s more in b; the others wait for it in the barrier.
func TestImbalanceIsChargedToItsRegion(t *testing.T) {
	l := draw(t, run([]Class{Work, Work, Waits}, []float64{5, 9, 0}, []float64{5, 5, 4}, []float64{5, 5, 4}, []float64{5, 5, 4}))
	line, ok := l.Of(Imbalance, "b")
	if !ok || math.Abs(line.Seconds-12) > 1e-9 || math.Abs(line.Share-12./56) > 1e-9 {
		t.Errorf("%+v", l.Lines)
	}
	if h := l.Headline(); h.Kind != Imbalance || h.Region != "b" {
		t.Errorf("%+v", h)
	}
	if l.Total(Waiting) > 1e-9 {
		t.Errorf("waiting is left: %+v", l.Lines)
	}
}

// Everybody waits, nobody for the work of another.
func TestWaitingWithoutImbalance(t *testing.T) {
	l := draw(t, run([]Class{Work, Waits}, []float64{4, 6}, []float64{4, 6}, []float64{4, 6}))
	if h := l.Headlines(); len(h) != 1 || h[0].Kind != Waiting || h[0].Region != "b" || math.Abs(h[0].Share-0.6) > 1e-9 {
		t.Errorf("%+v", h)
	}
}

// A call costs what the fastest unit needed for it.
func TestOwnCostOfCommunication(t *testing.T) {
	in := run([]Class{Work, Communicating}, []float64{9, 1}, []float64{9, 1}, []float64{5, 5})
	l := draw(t, in)
	if math.Abs(l.Total(Communication)-0.1) > 1e-9 || math.Abs(l.Total(Imbalance)-4./30) > 1e-9 {
		t.Errorf("%+v", l.Lines)
	}
}

// Where no call has most of the communication, the innermost function around most of it is
// told, unless nearly all of the run is inside.
func TestCommunicationIsUnderAFunction(t *testing.T) {
	kinds := []Class{Work, Communicating, Communicating, Communicating}
	paths := []string{"p/main/step/solve", "p/main/step/field/fft/MPI_Alltoall", "p/main/step/field/spread/MPI_Sendrecv", "p/main/step/move/MPI_Sendrecv"}
	for _, c := range []struct {
		name  string
		times []float64
		paths []string
		want  Headline
	}{
		{"in two calls", []float64{3, 3, 2.5, 1.5}, paths, Headline{Region: "", Under: "p/main/step/field"}},
		{"most in one", []float64{3, 4.5, 1, 1.5}, paths, Headline{Region: "p/main/step/field/fft/MPI_Alltoall"}},
		{"inside all that there is", []float64{0.5, 3.5, 3.5, 2.5}, []string{paths[0], paths[1], "p/main/step/other/MPI_Sendrecv", paths[3]}, Headline{}},
		{"in code without names", []float64{3, 3, 2.5, 1.5}, []string{paths[0], "p/main/<p>/MPI_Alltoall", "p/main/<p>/MPI_Sendrecv", "p/main/step/MPI_Sendrecv"}, Headline{}},
	} {
		in := run(kinds, c.times, c.times)
		in.Paths = c.paths
		h := draw(t, in).Headline()
		if h.Kind != Communication || h.Region != c.want.Region || h.Under != c.want.Under {
			t.Errorf("%s: %+v", c.name, h)
		}
	}
}

// How often a unit asks whether a message is there is no cost of asking: it asks as long
// as it waits.
func TestAskingIsWaiting(t *testing.T) {
	in := run([]Class{Work, Communicating}, []float64{9, 1}, []float64{5, 5})
	in.Calls = model.NewMatrix(2, 2, model.Zero)
	in.Calls.Row(0)[1], in.Calls.Row(1)[1] = 10, 50
	for name, want := range map[string]float64{"main/MPI_Bcast": 0, "main/MPI_Testall": 4. / 20} {
		in.Paths[1] = name
		if l := draw(t, in); math.Abs(l.Total(Imbalance)-want) > 1e-9 {
			t.Errorf("%s: %+v", name, l.Lines)
		}
	}
}

// One of two, and three of four, wait in a call that the one with most work does
// not make: that is no cost of the call, and starting, which takes all of them
// equally long, is no imbalance.
func TestWaitingInACallThatTheLateDoNotMake(t *testing.T) {
	late, early := []float64{6, 0, 2, 0.1}, []float64{2, 4, 2, 0.1}
	classes := []Class{Work, Communicating, Beginning, Communicating}
	for _, in := range []Input{run(classes, early, late), run(classes, early, early, late, early)} {
		l := draw(t, in)
		n := float64(l.Units)
		if line, _ := l.Of(Imbalance, "a"); math.Abs(line.Seconds-4*(n-1)) > 1e-9 || math.Abs(l.Total(StartEnd)-2/8.1) > 1e-9 || math.Abs(l.Total(Communication)-0.1/8.1) > 1e-9 {
			t.Errorf("%+v", l.Lines)
		}
	}
}

// What one waits for another that has as much work is not shared by all.
func TestWaitingOfOneWithoutImbalance(t *testing.T) {
	l := draw(t, run([]Class{Work, Communicating}, []float64{6, 4}, []float64{6.1, 0}))
	if line := l.Lines[1]; line.Kind != Communication || line.Words != CostOrWaiting {
		t.Errorf("%+v", l.Lines)
	}
}

// Four on two cores: half of the wall time is without CPU time, and what is
// waited for those that had no core is no fault of theirs.
func TestSharedCores(t *testing.T) {
	in := run([]Class{Work, Communicating}, []float64{15, 5}, []float64{15, 5}, []float64{15, 5}, []float64{15, 5})
	in.CPU = model.NewMatrix(4, 2, model.Zero)
	for u := range 4 {
		copy(in.CPU.Row(u), []float64{9, 1})
	}
	in.Cores = 2
	l := draw(t, in)
	h := l.Headline()
	if h.Kind != SharedCores || math.Abs(h.Share-0.5) > 1e-9 {
		t.Errorf("%+v", l.Lines)
	}
	line, _ := l.Of(SharedCores, "")
	if line.Words != "4 units shared 2 cores" || !l.Crowded {
		t.Error(line.Words)
	}
}

// Two ranks take turns on one core, and have 1 s and 3 s of work: neither is blocked,
// and their work is their CPU time. Where both sleep, for different times, that is
// what others wait for.
func TestTurnsAreNotBlocked(t *testing.T) {
	in := run([]Class{Work, Work}, []float64{2, 0}, []float64{4, 2})
	in.CPU = model.NewMatrix(2, 2, model.Zero)
	copy(in.CPU.Data, []float64{1, 0, 3, 2})
	if w := in.Work(); w.At(0, 0) != 1 || w.At(1, 0) != 3 {
		t.Errorf("work %v", w.Data)
	}
	in = run([]Class{Work, Work}, []float64{1, 2}, []float64{1, 4})
	in.CPU = model.NewMatrix(2, 2, model.Zero)
	copy(in.CPU.Data, []float64{1, 0, 1, 0})
	if w := in.Work(); w.At(0, 1) != 2 || w.At(1, 1) != 4 {
		t.Errorf("work %v", w.Data)
	}
}

// Where it was measured when a unit was blocked, it waited for a core the rest of its
// time off them, however much longer than another.
func TestBlockedAsMeasured(t *testing.T) {
	in := run([]Class{Work}, []float64{6}, []float64{15})
	in.CPU = model.NewMatrix(2, 1, model.Zero)
	copy(in.CPU.Data, []float64{4, 14})
	if w := in.Work(); w.At(0, 0) != 6 {
		t.Errorf("not measured: work %v", w.Data)
	}
	in = run([]Class{Work, Work}, []float64{6, 1}, []float64{15, 0})
	in.CPU = model.NewMatrix(2, 2, model.Zero)
	copy(in.CPU.Data, []float64{4, 0, 14, 0})
	in.Blocked = []bool{false, true}
	if w := in.Work(); w.At(0, 0) != 4 || w.At(1, 0) != 14 || w.At(0, 1) != 1 {
		t.Errorf("work %v", w.Data)
	}
}

// Who is off the cores did not wait for one where cores were free, nor where
// others were on them all the time: the scheduler would have given it a turn.
// Threads that never had one had nothing to do.
func TestAsleepIsNotWaitingForACore(t *testing.T) {
	busy := func(units ...float64) Input {
		rows := make([][]float64, len(units))
		for u := range rows {
			rows[u] = []float64{10}
		}
		in := run([]Class{Work}, rows...)
		in.CPU, in.Cores = model.NewMatrix(len(units), 1, model.Zero), 2
		copy(in.CPU.Data, units)
		return in
	}
	for _, in := range []Input{busy(10, 0.01, 0.01), busy(10, 10, 0.01), busy(3, 3, 3, 3)} {
		l := draw(t, in)
		if line, _ := l.Of(SharedCores, ""); l.Crowded || line.Words != "wall time without CPU time: blocked, asleep or waiting for a core" {
			t.Errorf("%+v", l.Lines)
		}
	}
	in := busy(10, 0.01, 0.09)
	in.Roles, in.Helper = []int{0, 1, 1}, []bool{false, true, true}
	if l := draw(t, in); math.Abs(l.Total(Idle)-2./3) > 1e-9 || !slices.Equal(l.Idle, []int{1, 2}) {
		t.Errorf("%+v", l)
	}
}

// Threads that are ready to run and have no core have work to do, as far as the kernel
// told it from being blocked; those that are blocked and do next to nothing are idle.
func TestReadyWithoutCoreIsNotIdle(t *testing.T) {
	in := run([]Class{Work, Asleep}, []float64{0.1, 9.9}, []float64{10, 0}, []float64{10, 0}, []float64{10, 0}, []float64{10, 0})
	in.Helper, in.Roles = []bool{false, true, true, true, true}, []int{0, 1, 1, 1, 1}
	in.CPU, in.Cores, in.Blocked = model.NewMatrix(5, 2, model.Zero), 2, []bool{false, true}
	for u, cpu := range []float64{0.01, 0.1, 0.1, 0.1, 0.1} {
		in.CPU.Data[2*u] = cpu
	}
	l := draw(t, in)
	if line, _ := l.Of(SharedCores, ""); !slices.Equal(l.Idle, []int{0}) || line.Words != WithoutCore || line.Share < 0.75 {
		t.Errorf("%v %+v", l.Idle, l.Lines)
	}
	in.Blocked = nil
	if l := draw(t, in); len(l.Idle) != 5 || l.Lines[0].Words != "off the cores nearly all of the time" {
		t.Errorf("%v %+v", l.Idle, l.Lines)
	}
}

// Where many share few cores, who has more work goes on with a core of its own when the
// others are done: balancing brings what it has more, not what that took among all.
func TestMoreWorkAmongManyOnFewCores(t *testing.T) {
	var rows [][]float64
	for range 19 {
		rows = append(rows, []float64{5})
	}
	in := run([]Class{Work}, append(rows, []float64{10})...)
	in.CPU, in.Cores, in.Blocked = model.NewMatrix(20, 1, model.Zero), 2, []bool{false}
	for u := range in.CPU.Data {
		in.CPU.Data[u] = 0.25
	}
	in.CPU.Data[19] = 0.5
	if l := draw(t, in); l.Total(Imbalance) > 0.1 {
		t.Errorf("%+v", l.Lines)
	}
}

// Masters do what workers do not; workers are compared with workers.
func TestRolesAreNotCompared(t *testing.T) {
	in := run([]Class{Work, Work}, []float64{5, 5}, []float64{0, 5}, []float64{0, 5}, []float64{5, 5}, []float64{0, 5}, []float64{0, 5})
	in.Roles = []int{0, 1, 1, 0, 1, 1}
	for u, r := range in.Roles {
		in.Helper[u] = r == 1
	}
	l := draw(t, in)
	if l.Total(Imbalance) > 0 || math.Abs(l.Total(Idle)-20./60) > 1e-9 {
		t.Errorf("%+v", l.Lines)
	}
}

// Scatter of a few percent in every region is not trouble in any.
func TestScatterIsNotTrouble(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 32).Draw(t, "units")
		var rows [][]float64
		most := 0.0
		for range n {
			row, sum := make([]float64, 6), 0.0
			for r := range 5 {
				row[r] = 10 * (1 + 0.01*rapid.Float64Range(-1, 1).Draw(t, "scatter"))
				sum += row[r]
			}
			rows, most = append(rows, row), max(most, sum)
		}
		for _, row := range rows {
			row[5] = most
			for r := range 5 {
				row[5] -= row[r]
			}
		}
		l, err := Draw(run([]Class{Work, Work, Work, Work, Work, Waits}, rows...))
		if err != nil {
			t.Fatal(err)
		}
		if h := l.Headline(); h.Kind != Useful {
			t.Fatalf("%+v", h)
		}
	})
}

func TestSortByNameThenKind(t *testing.T) {
	regions := []model.Region{
		{Name: "main", Parent: model.NoParent}, {Name: "cudaDeviceSynchronize", Parent: 0}, {Name: "MPI_Allreduce()", Kind: model.MPI, Parent: 0},
		{Name: "poll", Parent: 0}, {Name: "write", Kind: model.IO, Parent: 0}, {Name: "MPI_Init", Kind: model.MPI, Parent: 0},
		{Name: "MPI_Barrier", Kind: model.MPI, Parent: 0}, {Name: "inside", Parent: 2}, {Name: "pollute", Parent: 0}, {Name: "my_wait", Parent: 0},
		{Name: "fwrite", Parent: 0}, {Name: "H5Dwrite", Parent: 0}, {Name: "readjust", Parent: 0},
	}
	want := []Class{Work, Waits, Communicating, Waits, InOut, Beginning, Waits, Communicating, Work, Work, InOut, InOut, Work}
	if got := Sort(regions, Shipped); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	mine := append(Table{{"my_wait", Waits}}, Shipped...)
	if got := Sort(regions, mine); got[9] != Waits {
		t.Error("the user's entry is not used")
	}
}

// Giving a lock back never waits. Taking one does not either where a thread that waits
// would be in time of its own.
func TestLocksOnTheCores(t *testing.T) {
	for _, c := range []struct {
		name                string
		blockedApart, other Class
	}{
		{"pthread_rwlock_unlock", Work, Work},
		{"pthread_rwlock_rdlock", Work, Waits},
		{"pthread_rwlock_timedwrlock@@GLIBC_2.2.5", Work, Waits},
		{"pthread_mutex_lock", Work, Waits},
		{"pthread_spin_lock", Waits, Waits},
		{"sched_yield", Waits, Waits},
	} {
		region := []model.Region{{Name: c.name, Parent: model.NoParent}}
		if a, o := Sort(region, ShippedFor(true))[0], Sort(region, ShippedFor(false))[0]; a != c.blockedApart || o != c.other {
			t.Errorf("%s: %v where blocking is apart, want %v; else %v, want %v", c.name, a, c.blockedApart, o, c.other)
		}
	}
}

// What a program calls itself and its functions says nothing of what they do.
func TestNamesThatAProgramGave(t *testing.T) {
	for _, c := range []struct {
		region model.Region
		want   Class
	}{
		{model.Region{Name: "idle", Kind: model.Block}, Work},
		{model.Region{Name: "idle", Kind: model.Function}, Work},
		{model.Region{Name: "idle", Kind: model.Idle}, Waits},
		{model.Region{Name: "sleep", Kind: model.Block}, Work},
		{model.Region{Name: "select", Kind: model.Function, File: "median.c", Line: 3}, Work},
		{model.Region{Name: "select", Kind: model.Function}, Waits},
		{model.Region{Name: "wait", Kind: model.Function, File: "/usr/lib/python3.12/threading.py", Line: 359}, Waits},
		{model.Region{Name: "wait", Kind: model.Function, File: "solver/thread.py", Line: 9}, Work},
		{model.Region{Name: "read", Kind: model.Function, File: "../sysdeps/unix/sysv/linux/read.c", Line: 26}, InOut},
	} {
		c.region.Parent = model.NoParent
		if got := Sort([]model.Region{c.region}, Shipped)[0]; got != c.want {
			t.Errorf("%+v is %v, want %v", c.region, got, c.want)
		}
	}
	if got := Sort([]model.Region{{Name: "select", File: "median.c", Parent: model.NoParent}}, Table{{"select", Waits}})[0]; got != Waits {
		t.Error("the user's entry is not used")
	}
}

// One rank writes for 4 s, and the others wait for it: its disk costs 4 s, the
// waiting is imbalance of the region it writes in.
func TestWaitingForTheDiskOfAnother(t *testing.T) {
	in := run([]Class{Work, Work, Waits}, []float64{5, 5, 0}, []float64{5, 1, 4}, []float64{5, 1, 4}, []float64{5, 1, 4})
	in.InOut = model.NewMatrix(4, 3, model.Zero)
	in.InOut.Row(0)[1] = 4
	l := draw(t, in)
	if line, _ := l.Of(Imbalance, "b"); math.Abs(line.Seconds-12) > 1e-9 || math.Abs(l.Total(IO)-0.1) > 1e-9 {
		t.Errorf("%+v", l.Lines)
	}
}

// Now and then a unit is off by a tenth somewhere, in every region another one:
// that is the tail of the noise. Half of the units with a fifth more work in one
// region are not.
func TestTailsOfNoise(t *testing.T) {
	for seed := range uint64(12) {
		for _, planted := range []bool{false, true} {
			random := rand.New(rand.NewPCG(seed, 4))
			var rows [][]float64
			most := 0.0
			for u := range 64 {
				row, sum := make([]float64, 7), 0.0
				for r := range 6 {
					row[r] = 10 * (1 + 0.004*random.NormFloat64())
					if random.IntN(20) == 0 {
						row[r] *= 1 + 0.03*random.ExpFloat64()
					}
					if planted && r == 2 && u%2 == 1 {
						row[r] *= 1.25
					}
					sum += row[r]
				}
				rows, most = append(rows, row), max(most, sum)
			}
			for _, row := range rows {
				row[6] = most
				for r := range 6 {
					row[6] -= row[r]
				}
			}
			l := draw(t, run([]Class{Work, Work, Work, Work, Work, Work, Waits}, rows...))
			worst := Line{}
			for _, line := range l.Lines {
				if line.Kind == Imbalance && line.Region != "" && line.Share > worst.Share {
					worst = line
				}
			}
			if planted != (worst.Region == Place(run([]Class{Work, Work, Work}, []float64{1, 1, 1}).Paths[2]) && worst.Share > 0.01) {
				t.Errorf("seed %d, planted %v: %+v", seed, planted, worst)
			}
		}
	}
}

// Ranks that wait in input and output of all for one that computes longer wait for it;
// where a rank itself is slow there, and the others wait elsewhere, that is its own.
func TestWaitingInInputAndOutputOfAll(t *testing.T) {
	for _, c := range []struct {
		rows             [][]float64
		region           string
		imbalance, inOut float64
	}{
		{[][]float64{{1, 8.1, 0.1}, {9, 0.1, 0.1}}, "a", 8, 0.3},
		{[][]float64{{5, 1, 3}, {5, 4, 0}}, "b", 3, 5},
		{[][]float64{{5, 4, 0}, {5, 0, 4}}, "b", 4, 4},
	} {
		l := draw(t, run([]Class{Work, InOutOfAll, Waits}, c.rows...))
		found, _ := l.Of(Imbalance, c.region)
		if whole := l.whole(); math.Abs(found.Seconds-c.imbalance) > 1e-9 || math.Abs(whole*l.Total(IO)-c.inOut) > 1e-9 {
			t.Errorf("%v: imbalance %v, input and output %v", c.rows, found.Seconds, whole*l.Total(IO))
		}
	}
}

// Threads that are blocked wait; who is off the cores nearly all of the time is idle,
// and what several threads did one after the other is not compared.
func TestThreadsAsleep(t *testing.T) {
	l := draw(t, run([]Class{Work, Asleep}, []float64{0, 10}, []float64{5, 5}, []float64{5, 5}))
	if len(l.Idle) != 1 || math.Abs(l.Total(Waiting)-1./3) > 0.01 || l.Total(Imbalance) > 0 {
		t.Errorf("idle %v, %+v", l.Idle, l.Lines)
	}
	in := run([]Class{Work, Asleep}, []float64{1, 9}, []float64{9, 1}, []float64{4, 6})
	in.Roles[1], in.Roles[2] = Apart, Apart
	if l := draw(t, in); l.Total(Imbalance) > 0 {
		t.Errorf("%+v", l.Lines)
	}
}

// A library for input and output that calls MPI communicates there.
func TestMPIInsideInputAndOutput(t *testing.T) {
	classes := Sort([]model.Region{
		{Name: "main", Parent: model.NoParent}, {Name: "H5Dwrite", Parent: 0}, {Name: "H5D__write", Parent: 1}, {Name: "MPI_Allreduce", Parent: 2, Kind: model.MPI},
		{Name: "MPI_File_write_all", Parent: 2, Kind: model.MPI}, {Name: "MPI_Bcast", Parent: 4, Kind: model.MPI},
	}, Shipped)
	if want := []Class{Work, InOut, InOut, Communicating, InOutOfAll, InOutOfAll}; !slices.Equal(classes, want) {
		t.Errorf("%v", classes)
	}
}

// The first thread of every process has twice the work of the others in a loop that
// all share: they wait for it, and not for nothing.
func TestMainThreadsAndWorkersShareALoop(t *testing.T) {
	const processes, threads = 4, 4
	classes := []Class{Work, Work, Waits}
	wall := model.NewMatrix(processes*threads, len(classes), model.Zero)
	in := Input{Type: "thread", Classes: classes, Paths: []string{"loop", "serial", "omp barrier"}, Wall: wall}
	for u := range processes * threads {
		main := u%threads == 0
		row, role := wall.Row(u), 2
		row[0], row[2] = 20, 20
		if main {
			row[0], row[1], row[2], role = 40, 3, 0, 0
		}
		in.Roles, in.Helper = append(in.Roles, role), append(in.Helper, !main)
		in.Totals = append(in.Totals, row[0]+row[1]+row[2])
	}
	l, err := Draw(in)
	if err != nil {
		t.Fatal(err)
	}
	line, ok := l.Of(Imbalance, "loop")
	if want := 12 * 20.0; !ok || line.Seconds < 0.99*want || l.Total(Waiting) > 0.001 {
		t.Errorf("%+v", l.Lines)
	}
	if _, ok := l.Of(Imbalance, "serial"); ok {
		t.Error("what main threads do alone is compared")
	}
}

// Ranks at the border of a grid have half the neighbours of the others and are done
// in half the time: the others do not wait for the rest of it. Where bytes are known,
// the cost follows them. Who comes early for a late neighbour does wait.
func TestBordersHaveLessToExchange(t *testing.T) {
	const n = 16
	draw := func(bytes bool, exchange, work func(u int) float64) *Ledger {
		classes := []Class{Work, Communicating, Communicating}
		in := Input{Type: "process", Classes: classes, Paths: []string{"solve", "exchange/MPI_Waitall", "MPI_Allreduce"},
			Wall: model.NewMatrix(n, len(classes), model.Zero), Roles: make([]int, n), Helper: make([]bool, n)}
		if bytes {
			in.Bytes = model.NewMatrix(n, len(classes), model.Zero)
		}
		for u := range n {
			row := in.Wall.Row(u)
			row[0], row[1] = work(u), exchange(u)
			row[2] = 121 - row[0] - row[1]
			in.Totals = append(in.Totals, 121)
			if bytes {
				in.Bytes.Row(u)[1] = 1e6 * exchange(u)
			}
		}
		l, err := Draw(in)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	even := func(u int) float64 { return 70 + 0.2*float64(u*5%7-3)/3 }
	border := func(u int) float64 {
		if u == 0 || u == n-1 {
			return 25
		}
		return 50
	}
	stairs := func(u int) float64 { return float64(20 + 2*u) }
	for name, l := range map[string]*Ledger{"border": draw(false, border, even), "bytes": draw(true, stairs, even)} {
		// Only those that are done sooner wait, in the reduction.
		if line, ok := l.Of(Waiting, "exchange/MPI_Waitall"); ok && line.Share > 0.01 {
			t.Errorf("%s: %+v", name, l.Lines)
		}
	}
	late := func(u int) float64 {
		if u == 0 || u == n-1 {
			return 95
		}
		return 70
	}
	if l := draw(false, border, late); l.Total(Imbalance) < 0.15 {
		t.Errorf("late: %+v", l.Lines)
	}
}

// A main thread that sleeps while its threads run takes no core: that is told apart,
// and is nothing that could be avoided.
func TestMainThreadAsleep(t *testing.T) {
	in := run([]Class{Work, Asleep}, []float64{0, 10}, []float64{10, 0}, []float64{9.5, 0.5})
	in.Helper = []bool{false, true, true}
	in.Roles = []int{0, 2, 2}
	l := draw(t, in)
	joining := 0.0
	for _, line := range l.Lines {
		if line.Kind == Idle && line.Joining {
			joining += line.Seconds
		}
	}
	if joining != 10 || l.Headline().Kind == Idle {
		t.Errorf("%+v, headline %+v", l.Lines, l.Headline())
	}
	// Another that sleeps had nothing to do.
	in = run([]Class{Work, Asleep}, []float64{0, 10}, []float64{0, 10}, []float64{10, 0})
	in.Helper = []bool{false, true, true}
	in.Roles = []int{0, 2, 2}
	if h := draw(t, in).Headline(); h.Kind != Idle || h.Share < 0.33 || h.Share > 0.34 {
		t.Errorf("headline %+v", h)
	}
}

// Threads that sleep all the time lose nothing where as many others as there are cores
// do not: there is no core for them.
func TestSleepersWhereCoresAreTaken(t *testing.T) {
	for cores, lost := range map[int]bool{0: true, 2: false, 3: true} {
		in := run([]Class{Work, Asleep}, []float64{10, 0}, []float64{10, 0}, []float64{0, 10}, []float64{0, 10})
		in.Helper = []bool{false, false, true, true}
		in.Roles = []int{0, 0, 2, 2}
		in.Cores = cores
		l := draw(t, in)
		i := slices.IndexFunc(l.Lines, func(line Line) bool { return line.Kind == Idle })
		if line := l.Lines[i]; line.Seconds != 20 || line.Joining == lost || strings.HasPrefix(line.Words, "main threads") {
			t.Errorf("%d cores: %+v", cores, line)
		}
		if h := l.Headline(); (h.Kind == Idle) != lost {
			t.Errorf("%d cores: headline %+v", cores, h)
		}
	}
}

// Two threads that hardly ever have a core need another CPU time for the same work:
// 88 and 66 ms were told as uneven work. With cores of their own that is uneven, and
// so are twice as many in either case.
func TestTheSameWorkOnSharedCores(t *testing.T) {
	for _, c := range []struct {
		shared, second float64 // seconds without a core for one of work, CPU time
		uneven         bool
	}{{4, 7.5, false}, {0, 7.5, true}, {4, 5, true}} {
		work := []float64{10, c.second}
		rows := make([][]float64, 2)
		most := work[0] * (1 + c.shared)
		for u, w := range work {
			rows[u] = []float64{w * (1 + c.shared), most - w*(1+c.shared) + 0.1}
		}
		in := run([]Class{Work, Waits}, rows...)
		in.CPU = model.NewMatrix(2, 2, model.Zero)
		for u, w := range work {
			copy(in.CPU.Row(u), []float64{w, 0})
		}
		in.Cores = 2
		l := draw(t, in)
		if _, uneven := l.Of(Imbalance, "a"); uneven != c.uneven {
			t.Errorf("%+v: %+v", c, l.Lines)
		}
	}
}

// Whether units kept each other from the cores is told by the CPU time that they had: four
// that share two have as much as they wait. What they cannot have had somebody else had.
func TestWhoHadTheCores(t *testing.T) {
	for _, c := range []struct {
		name     string
		cores    int
		cpu, off float64 // of each of four
		own      float64
	}{
		{"each other", 2, 5, 5, 0},
		{"each other for half of the run, and one alone for the rest", 2, 3, 2, 0},
		{"somebody else", 2, 1, 9, 0.2},
		{"cores enough", 4, 5, 5, 0.5},
		{"not known", 0, 1, 9, 0},
	} {
		row := []float64{10, 0}
		in := run([]Class{Work, Asleep}, row, row, row, row)
		in.CPU = model.NewMatrix(4, 2, model.Zero)
		for u := range 4 {
			in.Wall.Row(u)[0], in.CPU.Row(u)[0] = c.cpu+c.off, c.cpu
		}
		in.Blocked, in.Cores = []bool{false, true}, c.cores
		if l := draw(t, in); math.Abs(l.OwnCores-c.own) > 1e-9 {
			t.Errorf("%s: %g, want %g", c.name, l.OwnCores, c.own)
		}
	}
}

// A main thread that has looked at a file before it waits for its threads sleeps all the
// same.
func TestMainThreadAsleepBesideAFile(t *testing.T) {
	for file, asleep := range map[float64]bool{0.001: true, 0.5: false} {
		in := run([]Class{Work, Asleep, InOut}, []float64{0, 10 - file, file}, []float64{10, 0, 0}, []float64{10, 0, 0})
		in.Helper = []bool{false, true, true}
		in.Roles = []int{0, 2, 2}
		if got := slices.ContainsFunc(draw(t, in).Lines, func(l Line) bool { return l.Joining }); got != asleep {
			t.Errorf("%g s of input: asleep %t", file, got)
		}
	}
}
