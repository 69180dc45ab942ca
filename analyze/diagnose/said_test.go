package diagnose

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"auspex/account"
	"auspex/analyze"
	"auspex/model"
)

// These are programs of which something untrue was once said, made again.

// made builds an experiment from times by unit and region path.
func made(t testing.TB, header model.Header, units []model.Unit, wall, cpu func(u int, b *model.Builder, set func(kind model.Kind, seconds float64, path ...string))) *analyze.Dataset {
	t.Helper()
	b := model.NewBuilder()
	for _, fill := range []struct {
		metric string
		times  func(u int, b *model.Builder, set func(kind model.Kind, seconds float64, path ...string))
	}{{model.WallTime, wall}, {model.CPUTime, cpu}} {
		if fill.times == nil {
			continue
		}
		metric := b.Metric(model.NewMetric(fill.metric, "", model.Exclusive))
		for u, unit := range units {
			at := b.Unit(unit)
			fill.times(u, b, func(kind model.Kind, seconds float64, path ...string) {
				parent := model.NoParent
				for i, name := range path {
					k := model.Function
					if i == len(path)-1 {
						k = kind
					}
					parent = b.Region(model.Region{Name: name, Kind: k, Parent: parent})
				}
				b.Set(at, parent, metric, seconds)
			})
		}
	}
	header.Name = "x"
	e, err := b.Build(header)
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, e)
}

func ranks(n int) []model.Unit {
	out := make([]model.Unit, n)
	for u := range out {
		out[u] = model.Unit{Process: u}
	}
	return out
}

type setter = func(kind model.Kind, seconds float64, path ...string)

// Balanced, four ranks on two cores: the ranks wait for cores, in turns.
func TestSharedCoresAreSaid(t *testing.T) {
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 3))
		stolen := [4]float64{}
		for u := range stolen {
			stolen[u] = 3 + 4*random.Float64()
		}
		wall := func(u int, _ *model.Builder, set setter) {
			set(model.Function, 10+stolen[u], "main", "solve")
			set(model.Function, 4, "main", "flux")
			set(model.Function, 2, "main", "norm")
			set(model.MPI, 8-stolen[u], "main", "MPI_Allreduce")
		}
		cpu := func(u int, _ *model.Builder, set setter) {
			set(model.Function, 7*(1+0.004*random.Float64()), "main", "solve")
			set(model.Function, 2.5*(1+0.004*random.Float64()), "main", "flux")
			set(model.Function, 1.2*(1+0.004*random.Float64()), "main", "norm")
			set(model.MPI, 1, "main", "MPI_Allreduce")
		}
		d := made(t, model.Header{Factors: []model.Factor{model.NumberFactor(model.Cores, 2)}}, ranks(4), wall, cpu)
		r := diagnose(t, d, Options{})
		if r.Headline.Kind != account.SharedCores || len(r.Causes) > 0 || r.Cores != 2 || !r.Crowded || r.Headline.Share < 0.4 {
			t.Errorf("seed %d: %+v, causes %v", seed, r.Headline, r.Causes)
		}
	}
}

// A survey in which everybody waits for the disk of one: 54 % waiting, and an
// imbalance of 6 %.
func TestWaitingComesBeforeASmallImbalance(t *testing.T) {
	d := made(t, model.Header{}, ranks(8), func(u int, _ *model.Builder, set setter) {
		more := 0.0
		if u == 5 {
			more = 7
		}
		set(model.Function, 24+more, "main", "attenuate")
		set(model.Function, 8, "main", "step")
		set(model.Function, 5, "main", "record")
		set(model.MPI, 1.5, "main", "MPI_Send")
		set(model.MPI, 61.5-more, "main", "MPI_Barrier")
	}, nil)
	r := diagnose(t, d, Options{})
	if r.Headline.Kind != account.Waiting || r.Headline.Share < 0.5 || r.Headline.Share > 0.56 || r.Second != nil {
		t.Errorf("%+v, then %+v", r.Headline, r.Second)
	}
	if len(r.Causes) != 1 || r.Causes[0].Region != "main/attenuate" || r.Causes[0].LostShare < 0.055 || r.Causes[0].LostShare > 0.065 {
		t.Errorf("causes %+v", r.Causes)
	}
}

// What is said follows the amount: no step anywhere between a severity of 0.05
// and 0.2.
func TestNoCliffOfSeverity(t *testing.T) {
	last := 0.0
	for more := 1.0; more <= 10; more += 0.25 {
		random := rand.New(rand.NewPCG(7, 7))
		d := made(t, model.Header{}, ranks(16), func(u int, _ *model.Builder, set setter) {
			extra := more * float64(u) / 15
			for r := range 6 {
				base := 10 * (1 + 0.003*random.NormFloat64())
				if r == 2 {
					base += extra
				}
				set(model.Function, base, "main", fmt.Sprint("part", r))
			}
			set(model.MPI, 1+more-extra, "main", "MPI_Barrier")
		}, nil)
		r := diagnose(t, d, Options{})
		line := 0.0
		for _, l := range r.Ledger {
			if l.Kind == account.Imbalance && l.Region == "main/part2" {
				line = l.Share
			}
		}
		if line < last-1e-9 || line-last > 0.01 {
			t.Errorf("more %v: imbalance goes from %.4f to %.4f", more, last, line)
		}
		if line >= 0.025 && (r.Headline.Kind != account.Imbalance || r.Headline.Region != "main/part2") {
			t.Errorf("severity %.3f, %.3f lost, but %+v", float64(r.Severity), line, r.Headline)
		}
		last = line
	}
	if last < 0.05 {
		t.Errorf("only %.3f lost in the end", last)
	}
}

// Molecular dynamics: one region makes the kinds and costs little, another
// varies gradually and costs most.
func TestTheDearestRegionIsNamed(t *testing.T) {
	for _, n := range []int{16, 64, 256} {
		random := rand.New(rand.NewPCG(uint64(n), 1))
		d := made(t, model.Header{}, ranks(n), func(u int, _ *model.Builder, set setter) {
			spread := 20 * float64(u%17) / 16
			set(model.Function, 30+spread, "do_force")
			kind := 0.0
			if u%2 == 1 {
				kind = 5
			}
			set(model.Function, 4+kind, "pme_spread")
			for r := range 20 {
				set(model.Function, 2*(1+0.01*random.NormFloat64()), fmt.Sprint("small", r))
			}
			set(model.MPI, 26-spread-kind, "MPI_Waitall")
		}, nil)
		r := diagnose(t, d, Options{})
		if r.Headline.Kind != account.Imbalance || r.Headline.Region != "do_force" || r.Headline.Share < 0.07 {
			t.Errorf("%d ranks: %+v", n, r.Headline)
		}
		if len(r.Causes) < 2 || r.Causes[1].Region != "pme_spread" {
			t.Errorf("%d ranks: the second is not found", n)
		}
	}
}

// Sixteen processes of six threads, balanced: masters work under main, workers
// under the root of the runtime.
func TestThreadsUnderDifferentRoots(t *testing.T) {
	var units []model.Unit
	for p := range 16 {
		for thread := range 6 {
			units = append(units, model.Unit{Process: p, Thread: thread})
		}
	}
	random := rand.New(rand.NewPCG(5, 5))
	d := made(t, model.Header{}, units, func(u int, _ *model.Builder, set setter) {
		root := []string{"main", "parallel"}
		if units[u].Thread > 0 {
			root = []string{"GOMP_thread_start"}
		} else {
			set(model.Function, 0.6, "main", "setup")
		}
		set(model.Function, 60*(1+0.003*random.NormFloat64()), append(root, "sweep")...)
		set(model.Function, 38*(1+0.003*random.NormFloat64()), append(root, "flux")...)
		set(model.Barrier, 0.6, append(root, "barrier")...)
	}, nil)
	r := diagnose(t, d, Options{})
	if r.Severity > 0.1 || len(r.Causes) > 0 || r.Headline.Kind != account.Useful {
		t.Errorf("severity %v, causes %+v, headline %+v", r.Severity, r.Causes, r.Headline)
	}
	if r := diagnose(t, d, Options{Level: Threads}); r.Severity > 0.1 || len(r.Kinds) != 1 {
		t.Errorf("threads: severity %v, %d kinds", r.Severity, len(r.Kinds))
	}
}

// A balanced job with two threads and two streams a process.
func TestStreamsAreNotThreads(t *testing.T) {
	var units []model.Unit
	for p := range 4 {
		for thread := range 4 {
			units = append(units, model.Unit{Process: p, Thread: thread})
		}
	}
	d := made(t, model.Header{}, units, func(u int, _ *model.Builder, set setter) {
		switch units[u].Thread {
		case 0:
			set(model.Function, 9.5, "step", "forward")
			set(model.Function, 0.5, "step", "cudaDeviceSynchronize")
		case 1:
			set(model.Function, 9.8, "step", "backward")
		default:
			set(model.Kernel, 6, "gemm")
			set(model.Comm, 1, "ncclDevKernel_AllReduce")
		}
	}, nil)
	r := diagnose(t, d, Options{Level: Threads})
	if r.UnitCount != 8 || r.Severity > 0.05 || len(r.Kinds) != 1 || len(r.Causes) > 0 {
		t.Errorf("%d units, severity %v, %s", r.UnitCount, r.Severity, kindsText(r.Kinds))
	}
	ledgers, err := d.Ledgers()
	if err != nil || len(ledgers) != 2 || ledgers[1].Type != string(analyze.StreamUnit) || ledgers[1].Units != 8 {
		t.Fatalf("%d ledgers, %v", len(ledgers), err)
	}
	if waits := ledgers[0].Total(account.Waiting); waits < 0.02 || waits > 0.03 {
		t.Errorf("synchronising waits %v of the run", waits)
	}
}

// One rank sleeps in a region, or waits for its disk, and the others wait for
// it: CPU time does not show that, and it is found all the same.
func TestBlockedRanksAreFound(t *testing.T) {
	for _, name := range []string{"exchange_file", "MPI_File_write_all"} {
		kind := model.Function
		if name == "MPI_File_write_all" {
			kind = model.MPI
		}
		random := rand.New(rand.NewPCG(2, 2))
		blocked := func(u int) float64 {
			if u == 3 {
				return 6
			}
			return 0
		}
		d := made(t, model.Header{}, ranks(8), func(u int, _ *model.Builder, set setter) {
			for r := range 5 {
				set(model.Function, 5*(1+0.003*random.NormFloat64()), "main", fmt.Sprint("part", r))
			}
			set(kind, 2+blocked(u), "main", name)
			set(model.MPI, 7-blocked(u), "main", "MPI_Barrier")
		}, func(u int, _ *model.Builder, set setter) {
			for r := range 5 {
				set(model.Function, 4.98, "main", fmt.Sprint("part", r))
			}
			set(kind, 1.99, "main", name)
			set(model.MPI, 0.5, "main", "MPI_Barrier")
		})
		r := diagnose(t, d, Options{})
		if r.Headline.Kind != account.Imbalance || r.Headline.Region != account.Place("main/"+name) {
			t.Errorf("%s: %+v, then %+v", name, r.Headline, r.Second)
		}
		if len(r.Causes) != 1 || r.Causes[0].Slowest.Process != 3 || r.Causes[0].Most < 7.9 || r.Causes[0].Mean > 2.8 {
			t.Errorf("%s: causes %+v", name, r.Causes)
		}
		if kind == model.Function && (len(r.Causes) == 0 || r.Causes[0].Blocked < 5.9 || r.Causes[0].Blocked > 6.1) {
			t.Errorf("%s: CPU time tells why, %+v", name, r.Causes)
		}
	}
}

// Ranks that share cores wait longer than they compute: what a region takes of the run
// is said by wall time, though CPU time is compared.
func TestShareOfTheRunIsWallTime(t *testing.T) {
	b := model.NewBuilder()
	wall, cpu := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive)), b.Metric(model.NewMetric(model.CPUTime, "", model.Exclusive))
	root := b.Region(model.Region{Name: "main", Parent: model.NoParent})
	work := b.Region(model.Region{Name: "work", Parent: root})
	reduce := b.Region(model.Region{Name: "MPI_Allreduce", Parent: root, Kind: model.MPI})
	for rank := range 4 {
		u := b.Unit(model.Unit{Process: rank})
		b.Set(u, root, wall, 0)
		b.Set(u, work, wall, 1)
		b.Set(u, work, cpu, 1)
		b.Set(u, reduce, wall, 9)
		b.Set(u, reduce, cpu, 3)
	}
	e, err := b.Build(model.Header{Name: "shared", Runs: 1})
	if err != nil {
		t.Fatal(err)
	}
	regions := diagnose(t, opened(t, e), Options{}).Internal.Regions
	if len(regions) == 0 {
		t.Fatal("no region is dear")
	}
	for _, r := range regions {
		if want := map[string]analyze.Real{"main/work": 0.1, "main/MPI_Allreduce": 0.9}[r.Region]; r.Share < want-1e-9 || r.Share > want+1e-9 {
			t.Errorf("%s: %v of the run, want %v", r.Region, r.Share, want)
		}
	}
}

// A function's time of its own counts by all its call paths, without what it calls.
func TestDearFunction(t *testing.T) {
	b := model.NewBuilder()
	wall := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	root := b.Region(model.Region{Name: "main", Parent: model.NoParent})
	pre := b.Region(model.Region{Name: "pre", Parent: root})
	post := b.Region(model.Region{Name: "post", Parent: root})
	var apply, inner []int
	for _, parent := range []int{pre, post} {
		apply = append(apply, b.Region(model.Region{Name: "apply", Parent: parent}))
		inner = append(inner, b.Region(model.Region{Name: "dot", Parent: apply[len(apply)-1]}))
	}
	for rank := range 4 {
		u := b.Unit(model.Unit{Process: rank})
		b.Set(u, root, wall, 0)
		b.Set(u, pre, wall, 2)
		b.Set(u, post, wall, 2)
		for i := range apply {
			b.Set(u, apply[i], wall, 2.5)
			b.Set(u, inner[i], wall, 0.5)
		}
	}
	e, err := b.Build(model.Header{Name: "smoothed", Runs: 1})
	if err != nil {
		t.Fatal(err)
	}
	f := diagnose(t, opened(t, e), Options{}).Internal.Function
	if f == nil || f.Name != "apply" || f.Paths != 2 || f.Share < 0.499 || f.Share > 0.501 {
		t.Errorf("%+v", f)
	}
}

// A function that nearly all else is called from has time of its own, too.
func TestDearTrunk(t *testing.T) {
	b := model.NewBuilder()
	wall := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	root := b.Region(model.Region{Name: "prog", Parent: model.NoParent, Kind: model.Block})
	trunk := b.Region(model.Region{Name: "<unknown>", Parent: root, Kind: model.Block})
	part := b.Region(model.Region{Name: "collect", Parent: trunk})
	for rank := range 2 {
		u := b.Unit(model.Unit{Process: rank})
		b.Set(u, trunk, wall, 8)
		b.Set(u, part, wall, 2)
	}
	e, err := b.Build(model.Header{Name: "jit", Runs: 1})
	if err != nil {
		t.Fatal(err)
	}
	if f := diagnose(t, opened(t, e), Options{}).Internal.Function; f == nil || f.Name != "<unknown>" || f.Share < 0.799 || f.Share > 0.801 {
		t.Errorf("%+v", f)
	}
}

// Threads have roles, and what sets those apart is taken off before they are
// compared; what is called measured is what was measured. A share of the work is
// for those who do such work.
func TestWorkToBalanceIsWhatWasMeasured(t *testing.T) {
	var threads []model.Unit
	for p := range 2 {
		for thread := range 3 {
			threads = append(threads, model.Unit{Process: p, Thread: thread})
		}
	}
	training := made(t, model.Header{}, threads, func(u int, _ *model.Builder, set setter) {
		if u%3 > 0 {
			set(model.Comm, 0.6, "gloo:all_reduce")
			return
		}
		set(model.Function, 0.7, "backward")
		if u == 3 {
			set(model.Function, 0.46, "sort")
		}
	}, nil)
	master := made(t, model.Header{}, ranks(2), func(u int, _ *model.Builder, set setter) {
		set(model.Function, []float64{0.03, 1.09}[u], "main", "work")
		set(model.MPI, []float64{1.06, 0}[u], "main", "MPI_Probe")
	}, nil)
	for name, c := range map[string]struct {
		d     *analyze.Dataset
		level Level
	}{"threads": {training, Threads}, "master and worker": {master, Processes}} {
		causes := diagnose(t, c.d, Options{Level: c.level}).Causes
		if len(causes) == 0 {
			t.Errorf("%s: nothing is said", name)
		}
		for _, cause := range causes {
			if cause.Most <= cause.Mean {
				t.Errorf("%s: %s has %v, the mean is %v", name, cause.Slowest, cause.Most, cause.Mean)
			}
			for _, w := range cause.Balance {
				if w.Measured < 0 || w.Factor > 5 {
					t.Errorf("%s: %+v", name, w)
				}
			}
		}
	}
}

// One thread works and two are blocked: nobody is there to share its work with.
func TestOneThatWorksIsNotCompared(t *testing.T) {
	units := []model.Unit{{}, {Thread: 1}, {Thread: 2}}
	times := func(main, other float64) func(int, *model.Builder, setter) {
		return func(u int, _ *model.Builder, set setter) {
			if u == 0 {
				set(model.Function, 0.4, "python", "main", "load")
				set(model.Function, main, "python", "main")
				return
			}
			set(model.Function, other, "python")
		}
	}
	d := made(t, model.Header{Factors: []model.Factor{model.NumberFactor(model.Cores, 2)}}, units, times(2.2, 2.5), times(2.2, 0.001))
	r := diagnose(t, d, Options{})
	if len(r.Causes) > 0 || r.Crowded || r.Headline.Kind != account.Idle || len(r.Idle) != 2 {
		t.Errorf("%+v, idle %v, causes %+v", r.Headline, r.Idle, r.Causes)
	}
}

// Loops of two functions are no one function, be they on the same line.
func TestLoopsOfTwoFunctions(t *testing.T) {
	d := diagnose(t, made(t, model.Header{}, ranks(4), func(u int, _ *model.Builder, set setter) {
		more := 0.01 * float64(u%2)
		set(model.Function, 1+more, "main", "flux")
		set(model.Loop, 5+more, "main", "flux", "loop@12")
		set(model.Function, 1+more, "main", "solve")
		set(model.Loop, 4-more, "main", "solve", "loop@12")
	}, nil), Options{})
	if d.Internal.Function == nil {
		t.Fatalf("%+v", d.Internal)
	}
	if f := d.Internal.Function; f.Name != "flux:loop@12" || f.Paths != 1 || f.Share > 0.5 {
		t.Errorf("%+v", f)
	}
}

// What is called costly costs the run something, however little all else takes, and the
// region around level 1 counts with what it does itself.
func TestCostlyIsOfTheRun(t *testing.T) {
	for _, c := range []struct {
		name        string
		self, waits float64 // seconds of 100, besides 4 in read and 0.2 in each of five others
		want        []string
	}{
		{"the rest waits", 0, 95, nil},
		{"the rest is around them", 95, 0, []string{"main/<self>"}},
		{"there is nothing else", 0, 0, []string{"main/read"}},
	} {
		b := model.NewBuilder()
		wall := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
		root := b.Region(model.Region{Name: "main", Parent: model.NoParent})
		waiting := b.Region(model.Region{Name: "MPI_Barrier", Kind: model.MPI, Parent: root})
		for rank := range 4 {
			u := b.Unit(model.Unit{Process: rank})
			b.Set(u, root, wall, c.self)
			b.Set(u, waiting, wall, c.waits)
			for i, name := range []string{"read", "a", "b", "c", "d", "e"} {
				b.Set(u, b.Region(model.Region{Name: name, Parent: root}), wall, []float64{4, 0.2, 0.2, 0.2, 0.2, 0.2}[i])
			}
		}
		e, err := b.Build(model.Header{Name: "x", Runs: 1})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range diagnose(t, opened(t, e), Options{}).Internal.Regions {
			if r.Core && !strings.HasSuffix(r.Region, "MPI_Barrier") {
				got = append(got, r.Region)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Threads that several lived in, one after the other, are compared with nobody; what
// they do is of the run all the same.
func TestSharesHoldThreadsApart(t *testing.T) {
	b := model.NewBuilder()
	wall, calls := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive)), b.Metric(model.NewMetric(model.Calls, "", model.Own))
	root := b.Region(model.Region{Name: "prog", Parent: model.NoParent, Kind: model.Block})
	read, solve := b.Region(model.Region{Name: "parse", Parent: root}), b.Region(model.Region{Name: "solve", Parent: root})
	for thread, lives := range []float64{1, 1, 5, 5} {
		u := b.Unit(model.Unit{Thread: thread})
		b.Set(u, root, calls, lives)
		b.Set(u, root, wall, 0)
		b.Set(u, read, wall, 2)
		b.Set(u, solve, wall, []float64{8, 8, 6, 6}[thread])
	}
	e, err := b.Build(model.Header{Name: "prog"})
	if err != nil {
		t.Fatal(err)
	}
	d := diagnose(t, opened(t, e), Options{Level: Threads})
	if d.UnitCount != 2 || d.Ledgered != 4 {
		t.Fatalf("%d of %d threads are compared", d.UnitCount, d.Ledgered)
	}
	if f := d.Internal.Function; f == nil || f.Name != "solve" || math.Abs(float64(f.Share)-0.7) > 1e-9 {
		t.Errorf("%+v, want solve with 0.7 of the run", f)
	}
}
