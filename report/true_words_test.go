package report

import (
	"fmt"
	"strings"
	"testing"

	"auspex/account"
	"auspex/analyze"
	"auspex/analyze/diagnose"
	"auspex/model"
)

// Where no loss is trouble but the uneven work of all regions together is, the
// first sentence does not deny the second.
func TestSmallLossesThatAddUp(t *testing.T) {
	of := func(shares ...float64) string {
		d := &diagnose.Diagnosis{Headline: account.Headline{Kind: account.Useful, Share: 0.96}, Kinds: make([][]diagnose.Name, 1), LoadBalance: 0.98}
		for i, share := range shares {
			d.Ledger = append(d.Ledger, account.Line{Kind: account.Imbalance, Region: account.Place([]string{"a", "b", "c"}[i]), Share: share})
		}
		return usefulWords(d, d.Headline)
	}
	if got := of(0.009, 0.008, 0.008); got != "96 % of the run is useful work; no single loss costs 2 %. Uneven work costs 2.5 % in all regions together." {
		t.Errorf("three losses that add up to trouble: %q", got)
	}
	if got := of(0.004, 0.002); !strings.Contains(got, "nothing else costs 2 %. The work is balanced") {
		t.Errorf("losses that do not: %q", got)
	}
}

// What lies outside all regions is not called the heaviest of them.
func TestOutsideIsNoRegion(t *testing.T) {
	s := &analyze.Summary{Heaviest: []analyze.RegionTime{{Region: model.Outside, Share: 0.98}, {Region: "solve", Share: 0.01}}}
	if got := heaviestText(s, "the run"); got != " 98.0 % of the run is outside the regions that were marked. The heaviest region is solve with 1.0 % of the run." {
		t.Errorf("got %q", got)
	}
	s.Heaviest = s.Heaviest[:1]
	if got := heaviestText(s, "the run"); strings.Contains(got, "heaviest") {
		t.Errorf("alone: %q", got)
	}
	s.Heaviest[0].Region = "solve"
	if got := heaviestText(s, "the run"); strings.Contains(got, "outside") {
		t.Errorf("a region: %q", got)
	}
}

// What is said to take longest is longer than any function by all its call paths.
func TestSpendMostOn(t *testing.T) {
	region := func(path string, share analyze.Real, core bool) diagnose.InternalRegion {
		return diagnose.InternalRegion{Region: path, Share: share, Core: core}
	}
	smooth := []diagnose.InternalRegion{region("main", 0.9, false), region("main/pre", 0.36, true), region("main/post", 0.35, true)}
	for _, c := range []struct {
		name string
		in   diagnose.Internal
		want string
	}{
		{"a region", diagnose.Internal{Regions: smooth}, "Together they spend most on `pre`, 36.0 % of the run."},
		{"a library's function", diagnose.Internal{Regions: []diagnose.InternalRegion{region("prog/main/solve/<libm.so.6>/sin", 0.7, true)}}, "Together they spend most on `sin`, inside `solve`, 70.0 % of the run."},
		{"one of the program's", diagnose.Internal{Regions: []diagnose.InternalRegion{{Region: "prog/main/solve/sin", Share: 0.7, Core: true, File: "sin.c", Line: 3}}}, "Together they spend most on `sin` (sin.c:3), 70.0 % of the run."},
		{"one that main calls", diagnose.Internal{Regions: []diagnose.InternalRegion{region("prog/main/sin", 0.7, true)}}, "Together they spend most on `sin`, 70.0 % of the run."},
		{"a function around the others", diagnose.Internal{Regions: []diagnose.InternalRegion{{Region: "prog/main/relax/<self>", Share: 0.7, Core: true, Self: true}}}, "Together they spend most on `relax` itself, 70.0 % of the run."},
		{"outside of all functions", diagnose.Internal{Regions: []diagnose.InternalRegion{{Region: "prog/<self>", Share: 0.7, Core: true, Self: true}}}, ""},
		{"a function called from two", diagnose.Internal{Regions: smooth, Function: &diagnose.DearFunction{Name: "apply", Share: 0.47, Paths: 2}},
			"Together they spend most on `apply` on all its call paths together, 47.0 % of the run."},
		{"a region around it that computes longer by itself", diagnose.Internal{Regions: smooth, Function: &diagnose.DearFunction{Name: "main", Share: 0.4, Paths: 1}},
			"Together they spend most on `main` itself, 40.0 % of the run."},
		{"the region's own time", diagnose.Internal{Regions: smooth, Function: &diagnose.DearFunction{Name: "pre", Share: 0.36, Paths: 1}},
			"Together they spend most on `pre`, 36.0 % of the run."},
		{"a function that takes less", diagnose.Internal{Regions: smooth, Function: &diagnose.DearFunction{Name: "dot", Share: 0.3, Paths: 2}},
			"Together they spend most on `pre`, 36.0 % of the run."},
		{"a region of small parts that takes longer", diagnose.Internal{Regions: append(smooth, region("setup", 0.4, false))}, "They spend 36.0 % of the run in `pre`."},
		{"starting MPI, of which the ledger tells", diagnose.Internal{Regions: append(smooth, region("main/MPI_Init", 0.5, true)), Function: &diagnose.DearFunction{Name: "MPI_Init", Share: 0.5, Paths: 1}},
			"They spend 36.0 % of the run in `pre`."},
		{"nothing that is dear", diagnose.Internal{Function: &diagnose.DearFunction{Name: "dot", Share: 0.05, Paths: 9}}, ""},
	} {
		if got := strings.Join(dearWords(&diagnose.Diagnosis{UnitCount: 2, Internal: c.in}), " "); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// A region's time is told with what of it is off the cores, where that is a large part
// of the run.
func TestSpendMostOffTheCores(t *testing.T) {
	for share, want := range map[float64]string{0.05: "58.0 % of the run.", 0.6: "58.0 % of the run, its time off the cores included."} {
		d := &diagnose.Diagnosis{UnitCount: 4, Ledger: []account.Line{{Kind: account.SharedCores, Share: share}}}
		d.Internal.Regions = []diagnose.InternalRegion{{Region: "prog/deflate", Share: 0.58, Core: true}}
		if got := strings.Join(dearWords(d), " "); got != "Together they spend most on `deflate`, "+want {
			t.Errorf("%.2f of the run off the cores: %q", share, got)
		}
	}
}

// Where units are off the cores for a large part of the run, what one has more of a region
// is told as the CPU time that it is: more of the run may be lost by it.
func TestMoreCPUTime(t *testing.T) {
	for share, told := range map[float64]bool{0.05: false, 0.3: true} {
		d := &diagnose.Diagnosis{Level: diagnose.Processes, Metric: model.CPUTime, Ledger: []account.Line{{Kind: account.SharedCores, Share: share}}}
		got := because(d, diagnose.Cause{Slowest: processes(0)[0], Most: 0.046, Mean: 0.019})
		if strings.Contains(got, "process 0 spends 46.00 ms of CPU time there and the mean is 19.00 ms") != told || strings.Contains(got, "CPU time") != told {
			t.Errorf("%g of the run off the cores: %q", share, got)
		}
	}
}

// Threads that keep a core while they wait are told of where others lack it, with what
// OpenMP has against it.
func TestSpinningWords(t *testing.T) {
	of := func(region account.Place, spin *diagnose.Spinning) string {
		d := &diagnose.Diagnosis{Headline: account.Headline{Kind: account.Waiting, Region: region, Share: 0.5}, Spinning: spin, Ledgered: 4, UnitCount: 4, Cores: 2, Level: diagnose.Threads}
		return strings.Join(headlineWords(d), " ")
	}
	const told = "62 % of the CPU time is spinning: threads keep a core while they wait for each other (4 share 2 cores)"
	if got := of("main/OpenMP barrier", &diagnose.Spinning{Share: 0.62}); !strings.Contains(got, told+"; start no more than 2, or set `OMP_WAIT_POLICY=passive`.") {
		t.Errorf("OpenMP: %q", got)
	}
	if got := of("main/pthread_spin_lock", &diagnose.Spinning{Share: 0.62}); !strings.Contains(got, told+".") {
		t.Errorf("a lock: %q", got)
	}
	if got := of("main/OpenMP barrier", nil); strings.Contains(got, "spinning") {
		t.Errorf("asleep: %q", got)
	}
}

// Of a single process is told what it spends most on, too, unless something else costs more.
func TestOneProcessSpendsMostOn(t *testing.T) {
	d := &diagnose.Diagnosis{UnitCount: 1, Ledgered: 1, Level: diagnose.Processes}
	d.Internal.Regions = []diagnose.InternalRegion{{Region: "main/filter", Share: 0.4, Core: true}}
	const alone, most = "There is only 1 process: nothing to compare it with.", " It spends most on `filter`, 40.0 % of the run."
	if got := DiagnosisWords(d); got != alone+most {
		t.Errorf("a process: %q", got)
	}
	d.Ledger = []account.Line{{Kind: account.SharedCores, Share: 0.5, Words: account.OffBlocked}}
	d.Headline = account.Headline{Kind: account.SharedCores, Share: 0.5}
	if got := DiagnosisWords(d); !strings.HasSuffix(got, alone) {
		t.Errorf("a process that is blocked: %q", got)
	}
	d = &diagnose.Diagnosis{UnitCount: 1, Averaged: true, Internal: d.Internal}
	if got := DiagnosisWords(d); !strings.HasSuffix(got, ": nothing to compare. Together they spend most on `filter`, 40.0 % of the run.") {
		t.Errorf("a mean: %q", got)
	}
}

// The first sentence is about the region of the headline, also where only a smaller
// one has a cause, and a line without a region is none.
func TestFirstSentenceIsTheHeadlines(t *testing.T) {
	d := &diagnose.Diagnosis{Level: diagnose.Processes, UnitCount: 8, Level1: 3, Kinds: [][]diagnose.Name{processes(0, 1, 2, 3, 4, 5, 6, 7)}, Continuum: true,
		Headline: account.Headline{Kind: account.Imbalance, Region: "adv", Share: 0.018},
		Ledger: []account.Line{
			{Kind: account.Imbalance, Share: 0.029},
			{Kind: account.Imbalance, Region: "adv", Share: 0.018},
			{Kind: account.Imbalance, Region: "read", Share: 0.01},
		},
		Causes: []diagnose.Cause{{Region: "read", LostShare: 0.01, Attributes: []string{"io_read"},
			Evidence: []diagnose.Contrast{{Attribute: "io_read", Metric: "io_read", Correlation: 1}}}},
	}
	want := "Uneven work costs 5.7 % of the run, in several regions; the largest part, 1.8 %, is in `adv`."
	if got := DiagnosisWords(d); !strings.HasPrefix(got, want) {
		t.Errorf("%s", got)
	}
	d.Ledger[1].Share = 0.05
	want = "Uneven work costs 8.9 % of the run, most of it in `adv`."
	if got := DiagnosisWords(d); !strings.HasPrefix(got, want) {
		t.Errorf("%s", got)
	}
}

// The same threads of each process are named as such.
func TestThreadsOfEachProcess(t *testing.T) {
	threads := func(processes int, numbers ...int) (out []diagnose.Name) {
		for p := range processes {
			for _, n := range numbers {
				out = append(out, diagnose.Name{Text: fmt.Sprintf("%d.%d", p, n), Process: p, Thread: n})
			}
		}
		return out
	}
	for want, names := range map[string][]diagnose.Name{
		"thread 0 of each of processes 0–3":        threads(4, 0),
		"threads 4–6 of each of processes 0 and 1": threads(2, 4, 5, 6),
		"threads 0.1 and 0.2":                      threads(1, 1, 2),
		"threads 0.0, 1.0 and 1.1":                 append(threads(2, 0), diagnose.Name{Text: "1.1", Process: 1, Thread: 1}),
	} {
		if got := members(names, diagnose.Threads); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

// One function on several call paths is one cause.
func TestOneFunctionIsToldOnce(t *testing.T) {
	d := finding(func(d *diagnose.Diagnosis, c *diagnose.Cause) {
		c.Region, c.Slow, c.LostShare = "main/phase1/interp", processes(1, 3), 0.1
		other := *c
		other.Region = "main/phase2/interp"
		d.Causes = append(d.Causes, other)
		d.Ledger = []account.Line{{Kind: account.Imbalance, Region: "main/phase1/interp", Share: 0.1}, {Kind: account.Imbalance, Region: "main/phase2/interp", Share: 0.1}}
	})
	got := strings.Join(imbalanceWords(d, "The trouble is in"), " ")
	if want := "The trouble is in `interp`, on 2 call paths: processes 1 and 3 execute 3.0 × the instructions of processes 0 and 2. Balancing it would save up to 20 % of the run."; got != want {
		t.Errorf("%s", got)
	}
}

// Where two have to be balanced for either to help, it is said.
func TestWhatHasToBeBalancedTogether(t *testing.T) {
	d := finding(func(d *diagnose.Diagnosis, c *diagnose.Cause) {
		c.With, c.Alone = []string{"main/flux"}, 0.02
		other := *c
		other.Region, other.With, other.Alone, other.LostShare = "main/flux", []string{"main/solve"}, -0.01, 0.2
		d.Causes = append(d.Causes, other)
	})
	d.Causes[0], d.Causes[1] = d.Causes[1], d.Causes[0]
	if got, want := savingWords(d, d.Causes[0]), "Balancing it alone would save up to 2 %; together with `flux`, up to 45 % of the run."; got != want {
		t.Errorf("%s", got)
	}
	if got, want := savingWords(d, d.Causes[1]), "Balancing it alone would save nothing; together with `solve`, up to 45 % of the run."; got != want {
		t.Errorf("%s", got)
	}
}

// Units that are slower in everything are told with their factors, and where they are not.
func TestSlowerWords(t *testing.T) {
	d := &diagnose.Diagnosis{Level: diagnose.Processes, UnitCount: 8, Slower: &diagnose.Slower{
		Units: processes(2, 5), Factor: 1.4, Least: 1.3, Most: 1.5, Except: []string{"main/read"}, Counted: true}}
	if got, want := slowerWords(d, 0.2), "Uneven work costs 20 % of the run: processes 2 and 5 take 1.30 to 1.50 × as long as the others in all regions but `read`, which no metric collected explains."; got != want {
		t.Errorf("%s", got)
	}
	d.Slower = &diagnose.Slower{Units: processes(2), Factor: 1.3, Least: 1.3, Most: 1.3, Attribute: model.Instructions, Ratio: 1.3}
	if got, want := slowerWords(d, 0.2), "Uneven work costs 20 % of the run: process 2 takes 1.30 × as long as the others in all regions alike, and has 1.30 × the instructions."; got != want {
		t.Errorf("%s", got)
	}
	d.UnitCount = len(d.Slower.Units) + 1
	if got := slowerWords(d, 0.2); !strings.Contains(got, "× as long as the other in all regions alike") {
		t.Error(got)
	}
}

// With communication counted as work it is not said that all of the run is useful.
func TestWaitingCountedAsWork(t *testing.T) {
	d := &diagnose.Diagnosis{WithMPI: true, Headline: account.Headline{Kind: account.Useful, Share: 1}, Kinds: make([][]diagnose.Name, 2)}
	if got := usefulWords(d, d.Headline); !strings.HasPrefix(got, "With communication counted as work nothing costs 2 %") {
		t.Errorf("%s", got)
	}
}

// Efficiency that some threads are left out of is said to be.
func TestSleepersAreTold(t *testing.T) {
	s := &analyze.Summary{Efficiency: analyze.Efficiency{Parallel: 0.68}, Ledger: []account.Line{{Kind: account.Useful, Share: 0.18}}}
	for sleepers, want := range map[int]string{
		0: "18.0 % of that was useful work (parallel efficiency, which counts all time outside communication, is 0.680)",
		1: "18.0 % of that was useful work (parallel efficiency is 0.680; it counts all time outside communication, and leaves out 1 thread that slept nearly all the time)",
		4: "18.0 % of that was useful work (parallel efficiency is 0.680; it counts all time outside communication, and leaves out 4 threads that slept nearly all the time)",
	} {
		if s.Sleepers = sleepers; usefulText(s) != want {
			t.Errorf("%q", usefulText(s))
		}
	}
}

// Threads that are blocked are in no region, and what they leave is told of.
func TestBlockedIsNotTheHeaviest(t *testing.T) {
	s := &analyze.Summary{Units: 3, Threads: 3, Heaviest: []analyze.RegionTime{
		{Region: "prog/<blocked>", Share: 0.5}, {Region: "prog/read/<blocked>", Share: 0.2}, {Region: "prog/solve", Share: 0.1}, {Region: "prog/save/<blocked>", Share: 0.1}}}
	for _, c := range []struct {
		listed, threads, units int
		want                   string
	}{
		{4, 3, 3, " For 80.0 % of the run threads were blocked or asleep. The heaviest region is prog/solve with 10.0 % of the run."},
		{1, 1, 3, " For 50.0 % of the run processes were blocked or asleep."},
		{1, 1, 1, " For 50.0 % of the run the process was blocked or asleep."},
	} {
		listed := *s
		listed.Heaviest, listed.Threads, listed.Units = s.Heaviest[:c.listed], c.threads, c.units
		if got := heaviestText(&listed, "the run"); got != c.want {
			t.Errorf("%d listed: %q", c.listed, got)
		}
	}
}

// CPU time that nobody looked at is told as that.
func TestCPUUse(t *testing.T) {
	for _, c := range []struct {
		use, unknown analyze.Real
		want         string
	}{
		{0.8, 0, "CPU time / (units × run time)"},
		{0.8, 0.009, "CPU time / (units × run time)"},
		{0.4, 0.25, "CPU time / (units × run time); up to 0.650 with what threads spin at the ends of parallel regions"},
		{0.9, 0.25, "CPU time / (units × run time); up to 1.000 with what threads spin at the ends of parallel regions"},
	} {
		if got := cpuText(&analyze.Summary{CPU: c.use, AtEnds: c.unknown}); got != c.want {
			t.Errorf("%v, %v: %q", c.use, c.unknown, got)
		}
	}
}

// That ranks stood within MPI without a core is said where it is most of what is said of
// MPI and no trace tells more.
func TestCoreWaitWords(t *testing.T) {
	told := " run the processes could have gone on within MPI and had no core"
	of := func(kind account.Kind, region account.Place, share, wait float64) *diagnose.Diagnosis {
		return &diagnose.Diagnosis{Headline: account.Headline{Kind: kind, Region: region, Share: share}, CoreWait: wait, Ledgered: 4, UnitCount: 4, Cores: 2, Level: diagnose.Processes}
	}
	traced := of(account.Waiting, "main/MPI_Recv", 0.5, 0.4)
	traced.Waits = &diagnose.Waits{}
	roomy := of(account.Waiting, "main/MPI_Recv", 0.5, 0.4)
	roomy.Cores = 4
	somewhere := of(account.Waiting, "main/MPI_Recv", 0.5, 0.4)
	somewhere.Cores = 0
	for _, c := range []struct {
		name string
		d    *diagnose.Diagnosis
		want string
	}{
		{"most of the waiting", of(account.Waiting, "main/MPI_Recv", 0.5, 0.4), "For 40 % of the" + told + " (4 share 2 cores);"},
		{"most of the communication, cores enough", roomy, told + ", though there are 4 cores for them: another program had them, or a limit or a binding withheld them; `auspex run --trace`"},
		{"cores that nobody counted", somewhere, told + "; `auspex run --trace`"},
		{"little of it", of(account.Communication, "main/MPI_Recv", 0.5, 0.1), ""},
		{"next to nothing of the run", of(account.Communication, "", 0.02, 0.015), ""},
		{"a trace tells", traced, ""},
		{"other trouble", of(account.IO, "main/write", 0.5, 0.4), ""},
		{"threads wait for one another", of(account.Waiting, "main/OpenMP barrier", 0.5, 0.4), ""},
	} {
		text := strings.Join(headlineWords(c.d), " ")
		if has := strings.Contains(text, told); has != (c.want != "") || !strings.Contains(text, c.want) {
			t.Errorf("%s: %q", c.name, text)
		}
	}
}

// Where communication is made is said as far as it is known and says something.
func TestWhereMostOfItIs(t *testing.T) {
	for _, c := range []struct {
		h    account.Headline
		want string
	}{
		{account.Headline{}, ""},
		{account.Headline{Region: "p/main/MPI_Recv"}, ", most of it in `MPI_Recv`"},
		{account.Headline{Region: "p/main/<p>/MPI_Recv"}, ", most of it in `MPI_Recv`"},
		{account.Headline{Region: "p/MAIN__/swap/<libsolve.so>/MPI_Recv"}, ", most of it in `MPI_Recv` in `swap`"},
		{account.Headline{Region: "MPI_Recv()"}, ", most of it in `MPI_Recv`"},
		{account.Headline{Kind: account.Waiting, Region: "p/<libstdc++.so.6>/deposit/std::mutex::lock/__gthread_mutex_lock/mutex"}, ", most of it for a mutex in `deposit`"},
		{account.Headline{Kind: account.Waiting, Region: "p/mutex"}, ", most of it for a mutex"},
		{account.Headline{Kind: account.Waiting, Region: "p/main/step/thread barrier"}, ", most of it at a barrier of threads in `step`"},
		{account.Headline{Kind: account.Waiting, Region: "p/main/thread barrier"}, ", most of it at a barrier of threads"},
		{account.Headline{Kind: account.IO, Region: "p/main/save/write"}, ", most of it in `write`"},
		{account.Headline{Under: "p/main/step/field"}, ", most of it inside `field`"},
	} {
		if got := mostIn(c.h); got != c.want {
			t.Errorf("%+v: %q, want %q", c.h, got, c.want)
		}
	}
}
