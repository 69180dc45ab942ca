package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"auspex/account"
	"auspex/analyze"
	"auspex/analyze/diagnose"
)

func processes(numbers ...int) []diagnose.Name {
	var out []diagnose.Name
	for _, n := range numbers {
		out = append(out, diagnose.Name{Text: fmt.Sprint(n), Process: n})
	}
	return out
}

func threads(of ...[2]int) []diagnose.Name {
	var out []diagnose.Name
	for _, n := range of {
		out = append(out, diagnose.Name{Text: fmt.Sprintf("%d.%d", n[0], n[1]), Process: n[0], Thread: n[1]})
	}
	return out
}

// finding is a diagnosis of four processes in two kinds, to be varied.
func finding(change func(*diagnose.Diagnosis, *diagnose.Cause)) *diagnose.Diagnosis {
	d := &diagnose.Diagnosis{
		Level: diagnose.Processes, UnitCount: 4, Metric: "cpu_time", Level1: 3, Severity: 0.5,
		Degrees:  analyze.Degrees{Names: []string{"high"}, Of: []analyze.Real{1}},
		Kinds:    [][]diagnose.Name{processes(0, 2), processes(1, 3)},
		CCR:      []diagnose.CriticalRegion{{Region: "main/solve", Name: "solve", Level: 1, Core: true}},
		CCCR:     []string{"main/solve"},
		Headline: account.Headline{Kind: account.Imbalance, Region: "main/solve", Share: 0.25},
		Ledger:   []account.Line{{Kind: account.Useful, Share: 0.75}, {Kind: account.Imbalance, Region: "main/solve", Share: 0.25}},
	}
	c := diagnose.Cause{
		Region: "main/solve", LostShare: 0.25, Slowest: processes(3)[0], Most: 4, Mean: 2, Attributes: []string{"instructions"},
		Evidence: []diagnose.Contrast{{Attribute: "instructions", Metric: "instructions", High: processes(1, 3), Low: processes(0, 2), HighValue: 6, LowValue: 2, Ratio: 3, Correlation: 0.9}},
	}
	change(d, &c)
	if d.CCR != nil {
		d.Causes = append(d.Causes, c)
	}
	return d
}

func TestDiagnosisWords(t *testing.T) {
	const (
		trouble = "The trouble is in `solve`: processes 1 and 3 execute 3.0 × the instructions of processes 0 and 2. Balancing it would save up to 25 % of the run. "
		saves   = "Balancing it would save up to 25 % of the run. "
		kinds   = "4 processes fall into 2 kinds; severity 0.50 (high)."
	)
	// byProgram is a cause in a program of which nothing was measured but the whole.
	byProgram := func(c *diagnose.Cause, of diagnose.Sampled) {
		c.Region, c.Within, c.Sampled = "prog", "prog/main/pow", &of
		c.Attributes, c.Evidence, c.Excluded = nil, nil, []diagnose.Excluded{{}}
	}
	// ledger lets the run be about something else than the cause.
	ledger := func(d *diagnose.Diagnosis, lines ...account.Line) {
		d.CCR, d.CCCR = nil, nil
		d.Ledger = lines
		d.Headline = account.Headline{Kind: lines[0].Kind, Region: lines[0].Region, Share: lines[0].Share}
	}
	two := func(d *diagnose.Diagnosis, communication, waiting float64) {
		ledger(d, account.Line{Kind: account.Communication, Region: "main/MPI_Recv", Share: communication},
			account.Line{Kind: account.Waiting, Region: "main/MPI_Barrier", Share: waiting})
		d.Second = &account.Headline{Kind: account.Waiting, Region: "main/MPI_Barrier", Share: waiting}
	}
	balanced := func(d *diagnose.Diagnosis) {
		ledger(d, account.Line{Kind: account.Useful, Share: 0.97}, account.Line{Kind: account.Imbalance, Region: "main/solve", Share: 0.012})
		d.Kinds, d.Severity, d.Degrees.Names[0], d.LoadBalance = d.Kinds[:1], 0.02, "very_low", 0.98
	}
	for name, c := range map[string]struct {
		change func(*diagnose.Diagnosis, *diagnose.Cause)
		want   string
	}{
		"kinds": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {}, trouble + kinds},
		"a replay gains nothing": {func(d *diagnose.Diagnosis, c *diagnose.Cause) { c.Association = true },
			strings.Replace(trouble, "Balancing it would save up to 25 % of the run.", "Balancing it would gain nothing in a replay: it goes with the loss and is not its cause.", 1) + kinds},
		"a replay of units off the cores does not tell": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			d.Ledger = append(d.Ledger, account.Line{Kind: account.SharedCores, Share: 0.3})
			c.Association = true
		}, trouble + kinds},
		"a replay gains less than is waited": {func(d *diagnose.Diagnosis, c *diagnose.Cause) { gain := 0.015; c.Replayed = &gain },
			strings.Replace(trouble, "Balancing it would save up to 25 % of the run.", "25 % of the run is waiting for it; balancing it would save 1.5 %, as a replay with the same messages shows.", 1) + kinds},
		"one": {func(d *diagnose.Diagnosis, c *diagnose.Cause) { d.UnitCount = 1 },
			"There is only 1 process: nothing to compare it with."},
		"one, blocked": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.SharedCores, Share: 0.8, Words: account.OffBlocked})
			d.UnitCount, d.Ledgered = 1, 1
		}, "80 % of the run is time off the cores, blocked or asleep. There is only 1 process: nothing to compare it with."},
		"one of threads that came and went": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.Useful, Share: 0.98})
			d.Level, d.UnitCount, d.Ledgered = diagnose.Threads, 1, 3
		}, "2 threads cannot be compared: several lived in each one after the other, or they are of teams inside others."},
		"threads that came and went beside others": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.SharedCores, Share: 0.9, Words: account.WithoutCore})
			d.Level, d.UnitCount, d.Ledgered, d.Cores = diagnose.Threads, 4, 6, 2
		}, "90 % of the run is waiting for a core: threads could have run and had none of the 2 cores. 4 of 6 threads fall into 2 kinds; severity 0.50 (high). " +
			"2 threads cannot be compared: several lived in each one after the other, or they are of teams inside others."},
		"without a core": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.SharedCores, Share: 0.9, Words: account.WithoutCore})
			d.Level, d.UnitCount, d.Ledgered = diagnose.Threads, 4, 4
		}, "90 % of the run is waiting for a core: threads could have run and had none. 4 threads fall into 2 kinds; severity 0.50 (high)."},
		"more threads than cores": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.SharedCores, Share: 0.9, Words: account.WithoutCore})
			d.Level, d.UnitCount, d.Ledgered, d.Cores = diagnose.Threads, 4, 4, 2
		}, "90 % of the run is waiting for a core: 4 threads shared 2 cores. 4 threads fall into 2 kinds; severity 0.50 (high)."},
		"no more threads than cores": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.SharedCores, Share: 0.9, Words: account.WithoutCore})
			d.Level, d.UnitCount, d.Ledgered, d.Cores = diagnose.Threads, 4, 4, 4
		}, "90 % of the run is waiting for a core: 4 threads could have run and had none of the 4 cores. 4 threads fall into 2 kinds; severity 0.50 (high)."},
		"cores that somebody else had": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.SharedCores, Share: 0.9, Words: account.WithoutCore})
			d.Level, d.UnitCount, d.Ledgered, d.Cores, d.OwnCores = diagnose.Threads, 4, 4, 2, 0.12
		}, "90 % of the run is waiting for a core that another program had, or that a limit or a binding withheld: its own threads took 12 % of the time of the 2 cores. 4 threads fall into 2 kinds; severity 0.50 (high)."},
		"one, whose core somebody else had": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.SharedCores, Share: 0.6, Words: account.WithoutCore}, account.Line{Kind: account.IO, Share: 0.35})
			d.Second = &account.Headline{Kind: account.IO, Share: 0.35}
			d.UnitCount, d.Ledgered, d.Cores, d.OwnCores = 1, 1, 2, 0.14
		}, "60 % of the run is waiting for a core that another program had, or that a limit or a binding withheld: the process itself took 14 % of the time of the 2 cores. " +
			"35 % of the run is input and output. There is only 1 process: nothing to compare it with."},
		"a serial part and blocked threads, whatever costs more": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.SharedCores, Share: 0.5, Words: account.WithoutCore})
			d.Ledger = append(d.Ledger, account.Line{Kind: account.Idle, Share: 0.2, Words: "outside of any region"},
				account.Line{Kind: account.Waiting, Region: "main/<blocked>", Share: 0.15})
			d.Level, d.UnitCount, d.Ledgered, d.Serial = diagnose.Threads, 4, 4, &diagnose.Serial{Region: "prog/main/serial/work"}
		}, "50 % of the run is waiting for a core: threads could have run and had none. " +
			"20 % of the run is idle: threads outside of any region, most of it while the main threads are in `work`, inside `serial`. " +
			"15 % of the run is waiting that uneven work does not explain, most of it of threads that are blocked or asleep. 4 threads fall into 2 kinds; severity 0.50 (high)."},
		"a critical section": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.Waiting, Region: "prog/main/OpenMP parallel@p.c:3/add/OpenMP critical@p.c:9", Share: 0.6})
			d.Level, d.UnitCount, d.Ledgered = diagnose.Threads, 4, 4
		}, "60 % of the run is waiting that uneven work does not explain, most of it in `OpenMP critical@p.c:9`, inside `add`. 4 threads fall into 2 kinds; severity 0.50 (high)."},
		"blocked threads of a function": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.Waiting, Region: "prog/main/fetch/<blocked>", Share: 0.6})
			d.Level, d.UnitCount, d.Ledgered = diagnose.Threads, 4, 4
		}, "60 % of the run is waiting that uneven work does not explain, most of it of threads that are blocked or asleep in `fetch`. 4 threads fall into 2 kinds; severity 0.50 (high)."},
		"blocked below": {func(d *diagnose.Diagnosis, c *diagnose.Cause) { c.Within = c.Region + "/<blocked>" },
			strings.Replace(trouble, ": process", ", most of it blocked or asleep: process", 1) + kinds},
		"blocked further below": {func(d *diagnose.Diagnosis, c *diagnose.Cause) { c.Within = c.Region + "/fetch/<blocked>" },
			strings.Replace(trouble, ": process", ", most of it blocked or asleep, inside `fetch`: process", 1) + kinds},
		"blocked in a function": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			c.Region = "prog/main/fetch/<blocked>"
			d.CCR = []diagnose.CriticalRegion{{Region: c.Region, File: "f.c", Line: 7}}
		}, "The trouble is in `fetch` (f.c:7), blocked or asleep: " + trouble[strings.Index(trouble, "process"):] + kinds},
		"all asleep": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.Idle, Share: 1, Words: "blocked or asleep nearly all of the time"})
			d.Level, d.Ledgered, d.Asleep = diagnose.Threads, 4, true
			d.Idle = slices.Concat(d.Kinds...)
		}, "100 % of the run is idle: threads blocked or asleep nearly all of the time. 4 threads do next to nothing: there is nothing to compare."},
		"sampled below": {func(d *diagnose.Diagnosis, c *diagnose.Cause) { c.Within = c.Region + "/update/pow" },
			strings.Replace(trouble, ": process", ", most of it in `pow`, inside `update`: process", 1) + kinds},
		"sampled below the program": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			byProgram(c, diagnose.Sampled{File: "p.c", Line: 13, Most: 2, Mean: 0.75})
		}, "The trouble is in `pow` (p.c:13), inside `main`: process 3 spends 2.000 s (by samples) there and the mean is 750.0 ms; none of the metrics collected explains it. " + saves + kinds},
		"sampled below the program, in one process": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			byProgram(c, diagnose.Sampled{Most: 2, Mean: 0.5, SlowMean: 2, Only: true})
			c.Slow = processes(3)
		}, "The trouble is in `pow`, inside `main`: only process 3 spends time there, 2.000 s by samples. " + saves + kinds},
		"sampled below the program, in two": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			byProgram(c, diagnose.Sampled{Most: 2, Mean: 0.5, SlowMean: 1.9, OthersMean: 0.01, Only: true})
			c.Slow = processes(1, 3)
		}, "The trouble is in `pow`, inside `main`: only processes 1 and 3 spend time there, 1.900 s in the mean by samples. " + saves + kinds},
		"sampled below the program, and a little in another": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			byProgram(c, diagnose.Sampled{Most: 2, Mean: 0.5, SlowMean: 1.9, OthersMean: 0.01})
			c.Slow = processes(1, 3)
		}, "The trouble is in `pow`, inside `main`: processes 1 and 3 spend 1.900 s (by samples) there in the mean and the others 10.00 ms; none of the metrics collected explains it. " + saves + kinds},
		"sampled below the program, blocked": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			byProgram(c, diagnose.Sampled{Most: 2, Mean: 0.5, SlowMean: 1.9, OthersMean: 0.01})
			c.Blocked = 1
		}, "The trouble is in `prog`, most of it in `pow`, inside `main`: process 3 spends 4.000 s there and the mean is 2.000 s; process 3 is without CPU time for 1.000 s of it: blocked or asleep. " + saves + kinds},
		"the mean of many": {func(d *diagnose.Diagnosis, c *diagnose.Cause) { d.UnitCount, d.Averaged = 1, true },
			"The profile holds the mean of all processes: nothing to compare."},
		"no time": {func(d *diagnose.Diagnosis, c *diagnose.Cause) { d.Level1 = 0 },
			"4 processes spent no cpu_time outside communication: nothing to compare."},
		"no time but in communication": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.Communication, Share: 0.6})
			d.Level1 = 0
		}, "60 % of the run is the cost of communication itself, or waiting that all share. 4 processes spent no cpu_time outside communication: nothing to compare."},
		"communication that some do not share": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.Communication, Region: "main/MPI_Recv", Share: 0.6, Words: account.CostOrWaiting})
		}, "60 % of the run is the cost of communication itself, or waiting that uneven work does not explain, most of it in `MPI_Recv`. " + kinds},
		"communication of a run that kept no trace": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			two(d, 0.4, 0.3)
			d.Untraced = true
		}, "40 % of the run is the cost of communication itself, or waiting that all share, most of it in `MPI_Recv`; `auspex run --trace` tells which. 30 % of the run is waiting that uneven work does not explain, most of it in `MPI_Barrier`; `auspex run --trace` tells for what. " + kinds},
		"less of it, and of threads": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			two(d, 0.06, 0.3)
			d.Ledger[1].Region = "main/OpenMP barrier"
			d.Second.Region, d.Untraced = "main/OpenMP barrier", true
		}, "6 % of the run is the cost of communication itself, or waiting that all share, most of it in `MPI_Recv`. 30 % of the run is waiting that uneven work does not explain, most of it in `OpenMP barrier`. " + kinds},
		"communication that a trace shows to be waiting": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.Communication, Region: "main/MPI_Recv", Share: 0.6})
			d.Waits = &diagnose.Waits{Share: 0.55, Region: "main/hot", Ranks: []int{1, 0}}
		}, "60 % of the run is communication, most of it in `MPI_Recv`, and most of that is waiting: its trace shows that ranks wait 55 % of the run for one another, mostly for `hot` on ranks 1 and 0. " + kinds},
		"communication that a trace shows to be none": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.Communication, Region: "main/MPI_Recv", Share: 0.6})
			d.Waits = &diagnose.Waits{Share: 0.1}
		}, "60 % of the run is the cost of communication itself, or waiting that all share, most of it in `MPI_Recv`. " + kinds},
		"communication that a trace shows to be for want of cores": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.Communication, Region: "main/MPI_Recv", Share: 0.6})
			d.Waits = &diagnose.Waits{Share: 0.3, NoCore: 0.5}
		}, "60 % of the run is communication, most of it in `MPI_Recv`, and most of that is for want of cores: its trace shows that for 50 % of the run ranks could have gone on within MPI and had no core, or waited for such. " + kinds},
		"all of it for want of cores, and of what uneven work costs, too": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.Communication, Region: "main/MPI_Recv", Share: 0.6})
			d.Waits = &diagnose.Waits{Share: 0.3, NoCore: 0.65}
		}, "60 % of the run is communication, most of it in `MPI_Recv`, and most of that is for want of cores: its trace shows that for 65 % of the run, other waiting included, ranks could have gone on within MPI and had no core, or waited for such. " + kinds},
		"of two lines none is mostly for want of cores where either may be the one": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			two(d, 0.4, 0.3)
			d.Waits = &diagnose.Waits{NoCore: 0.3}
		}, "40 % of the run is the cost of communication itself, or waiting that all share, most of it in `MPI_Recv`. 30 % of the run is waiting that uneven work does not explain, most of it in `MPI_Barrier`. " + kinds},
		"both for want of cores, said once": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			two(d, 0.4, 0.3)
			d.Waits = &diagnose.Waits{NoCore: 0.4}
		}, "40 % of the run is communication, most of it in `MPI_Recv`, and 30 % is waiting that uneven work does not explain, most of it in `MPI_Barrier`. Most of both is for want of cores: its trace shows that for 40 % of the run ranks could have gone on within MPI and had no core, or waited for such. " + kinds},
		"what ranks wait for, said once": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			two(d, 0.4, 0.3)
			d.Waits = &diagnose.Waits{Share: 0.6, Region: "main/hot", Ranks: []int{1}}
		}, "40 % of the run is communication, most of it in `MPI_Recv`, and most of that is waiting: its trace shows that ranks wait 60 % of the run for one another, mostly for `hot` on rank 1. 30 % of the run is waiting that uneven work does not explain, most of it in `MPI_Barrier`. " + kinds},
		"waiting that a trace explains": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.Waiting, Region: "main/MPI_Barrier", Share: 0.5})
			d.Waits = &diagnose.Waits{Share: 0.6, Region: "main/m.c:7/pause", Ranks: []int{1}, WrongOrder: 0.1}
		}, "50 % of the run is waiting that uneven work does not explain, most of it in `MPI_Barrier`, and its trace shows for what: ranks wait 60 % of the run for one another, mostly for `pause` before m.c:7 on rank 1. For 10 % of the run ranks wait for a message while one that was sent earlier is there. " + kinds},
		"waiting of threads": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.Waiting, Region: "main/OpenMP barrier", Share: 0.5})
			d.Waits = &diagnose.Waits{Share: 0.6, Region: "main/hot", Ranks: []int{1}}
		}, "50 % of the run is waiting that uneven work does not explain, most of it in `OpenMP barrier`. " + kinds},
		"balanced in all, and late in turn": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			balanced(d)
			ledger(d, account.Line{Kind: account.Communication, Region: "main/MPI_Recv", Share: 0.3})
			d.Waits = &diagnose.Waits{Share: 0.3, Region: "main/hot", Ranks: []int{1, 0}}
		}, "30 % of the run is communication, most of it in `MPI_Recv`, and most of that is waiting: its trace shows that ranks wait 30 % of the run for one another, mostly for `hot` on ranks 1 and 0. Over the whole run the work is balanced (what is uneven costs less than 0.1 %), but the ranks do not do it at the same time. 4 processes are of one kind; severity 0.02 (very low)."},
		"balanced": {func(d *diagnose.Diagnosis, c *diagnose.Cause) { balanced(d) },
			"97 % of the run is useful work, and nothing else costs 2 %. The work is balanced: what is uneven costs 1.2 %, most of it in `solve`. 4 processes are of one kind; severity 0.02 (very low)."},
		"not called balanced with two kinds": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			kinds := d.Kinds
			balanced(d)
			d.Kinds = kinds
		}, "97 % of the run is useful work, and nothing else costs 2 %. Uneven work costs 1.2 %, most of it in `solve`. 4 processes fall into 2 kinds; severity 0.02 (very low)."},
		"not called balanced with a load balance of 0.9": {func(d *diagnose.Diagnosis, c *diagnose.Cause) { balanced(d); d.LoadBalance = 0.9 },
			"97 % of the run is useful work, and nothing else costs 2 %. Uneven work costs 1.2 %, most of it in `solve`. 4 processes are of one kind; severity 0.02 (very low)."},
		"waiting": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.Waiting, Region: "main/MPI_Recv", Share: 0.54})
		}, "54 % of the run is waiting that uneven work does not explain, most of it in `MPI_Recv`. " + kinds},
		"shared cores": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.SharedCores, Share: 0.5})
			d.Cores, d.Crowded = 2, true
		}, "4 processes share 2 cores, which costs 50 % of the run: they wait for a core. " + kinds},
		"uneven, too": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			d.Headline, d.Cores, d.Crowded = account.Headline{Kind: account.SharedCores, Share: 0.6}, 2, true
		}, "4 processes share 2 cores, which costs 60 % of the run: they wait for a core. Work is uneven, too, in" + strings.TrimPrefix(trouble, "The trouble is in") + kinds},
		"uneven calls, too": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			d.Headline, d.Cores, d.Crowded = account.Headline{Kind: account.SharedCores, Share: 0.6}, 2, true
			c.Region, c.Within = "main/MPI_Send", "main/MPI_Send"
		}, "4 processes share 2 cores, which costs 60 % of the run: they wait for a core. Calls are uneven, too, in `MPI_Send`, most of it in `MPI_Send`, inside `main`: processes 1 and 3 execute 3.0 × the instructions of processes 0 and 2. Balancing it would save up to 25 % of the run. " + kinds},
		"too little to be told beside it": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			d.Headline, d.Cores, d.Crowded, c.LostShare = account.Headline{Kind: account.SharedCores, Share: 0.6}, 2, true, 0.015
			d.Ledger = []account.Line{{Kind: account.Imbalance, Region: "main/solve", Share: 0.015}}
		}, "4 processes share 2 cores, which costs 60 % of the run: they wait for a core. " + kinds},
		"scatter beside it": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.Communication, Share: 0.05}, account.Line{Kind: account.Imbalance, Share: 0.08, Words: account.Scattering})
			d.Causes = nil
		}, "5 % of the run is the cost of communication itself, or waiting that all share. Uneven work costs 8 % of the run, most of it within the noise of the work. " + kinds},
		"too few samples beside it": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.Communication, Share: 0.05}, account.Line{Kind: account.Imbalance, Share: 0.08, Words: account.Unplaced})
			d.Causes = nil
		}, "5 % of the run is the cost of communication itself, or waiting that all share. Uneven work costs 8 % of the run; samples are too few to say where. " + kinds},
		"too few samples": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.Imbalance, Share: 0.19, Words: account.Unplaced})
			d.Causes = nil
		}, "Uneven work costs 19 % of the run; samples are too few to say where. " + kinds},
		"too few samples, and scatter": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.Useful, Share: 0.8}, account.Line{Kind: account.Imbalance, Share: 0.19, Words: account.Unplaced})
			d.Causes = nil
		}, "80 % of the run is useful work. Uneven work costs 19 %; samples are too few to say where. " + kinds},
		"small parts beside it": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.Communication, Share: 0.05}, account.Line{Kind: account.Imbalance, Share: 0.02, Words: account.Scattering},
				account.Line{Kind: account.Imbalance, Region: "main/flux", Share: 0.03})
			d.Causes = nil
		}, "5 % of the run is the cost of communication itself, or waiting that all share. Uneven work costs 5 % of the run, most of it in `flux`. " + kinds},
		"between threads": {func(d *diagnose.Diagnosis, c *diagnose.Cause) { c.Attributes, c.Evidence, c.InThreads = nil, nil, true },
			"The trouble is in `solve`: it is the threads of a process that differ there, more than processes do; `--units threads` compares them. Balancing it would save up to 25 % of the run. " + kinds},
		"wall without CPU time": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.SharedCores, Share: 0.5})
			d.Cores = 2 // and yet nothing says that they waited for them
		}, "50 % of the run is wall time without CPU time outside communication: blocked, asleep or waiting for a core. " + kinds},
		"two lines": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			d.Second = &account.Headline{Kind: account.IO, Region: "main/write", Share: 0.125}
		}, trouble + "12 % of the run is input and output, most of it in `write`. " + kinds},
		"continuum": {func(d *diagnose.Diagnosis, c *diagnose.Cause) { d.Continuum, d.Kinds = true, d.Kinds[:1] },
			"The trouble is in `solve`, where time varies with instructions (correlation 0.90). Balancing it would save up to 25 % of the run. 4 processes form a continuum, without separate kinds; severity 0.50 (high)."},
		"scattered": {func(d *diagnose.Diagnosis, c *diagnose.Cause) { d.Scattered, d.UnitCount = true, 2 },
			"The trouble is in `solve`, where time varies with instructions (correlation 0.90). Balancing it would save up to 25 % of the run. 2 processes, no two alike; severity 0.50 (high). They are taken as a gradient."},
		"no metrics": {func(d *diagnose.Diagnosis, c *diagnose.Cause) { c.Attributes, c.Evidence = nil, nil },
			"The trouble is in `solve`: process 3 spends 4.000 s there and the mean is 2.000 s; no other metric was collected, so the cause cannot be determined. Balancing it would save up to 25 % of the run. " + kinds},
		"noise": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			c.Attributes, c.Evidence, c.Excluded = nil, nil, []diagnose.Excluded{{Attribute: "calls"}}
		}, "The trouble is in `solve`: process 3 spends 4.000 s there and the mean is 2.000 s; none of the metrics collected explains it. Balancing it would save up to 25 % of the run. " + kinds},
		"all told": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			d.CCR[0].Name, d.CCR[0].File, d.CCR[0].Line, d.CCR[0].Inside = "void solve(int, double *) C", "a.c", 7, "main/step"
			c.Excluded = []diagnose.Excluded{{Attribute: "io_read"}, {Attribute: "io_written"}, {Attribute: "l1_misses/instructions"}, {Attribute: "iterations", Why: diagnose.WhyWeaker}}
		}, "The trouble is in `solve` (a.c:7), inside `step`: processes 1 and 3 execute 3.0 × the instructions of processes 0 and 2. Balancing it would save up to 25 % of the run. Not the cause: disk, L1 misses. " + kinds},
		"not told by all": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			c.Excluded = []diagnose.Excluded{{Attribute: "calls"}, {Attribute: "peak_memory", Why: diagnose.WhyMissing}, {Attribute: "io_read"}, {Attribute: "io_written", Why: diagnose.WhyMissing}}
		}, trouble + "Not the cause: calls. " + kinds},
		"never called": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			e := &c.Evidence[0]
			e.Attribute, e.Metric, e.LowValue = "calls", "calls", 0
		}, "The trouble is in `solve`: it is called on processes 1 and 3 and never on processes 0 and 2. Balancing it would save up to 25 % of the run. " + kinds},
		"not done by all": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			c.Attributes, c.Evidence, c.Only = nil, nil, []diagnose.Name{{Text: "0"}, {Text: "1"}, {Text: "3"}}
		}, "The trouble is in `solve`: only processes 0, 1 and 3 spend time there. Balancing it would save up to 25 % of the run. " + kinds},
		"not done by all, nor alike": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			c.Attributes, c.Evidence, c.Only = nil, nil, []diagnose.Name{{Text: "0"}, {Text: "1"}, {Text: "3"}}
			c.Slow = []diagnose.Name{{Text: "3"}}
		}, "The trouble is in `solve`: only processes 0, 1 and 3 spend time there; of these, process 3 takes longest. Balancing it would save up to 25 % of the run. " + kinds},
		"hardly more": {func(d *diagnose.Diagnosis, c *diagnose.Cause) { c.Evidence[0].Ratio = 1.04 },
			"The trouble is in `solve`: processes 1 and 3 execute 1.040 × the instructions of processes 0 and 2. Balancing it would save up to 25 % of the run. " + kinds},
		"idle threads": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.Idle, Share: 0.5, Words: "with nothing to do"})
			d.Level = diagnose.Threads
			d.Kinds = [][]diagnose.Name{threads([2]int{0, 0}, [2]int{1, 0}), threads([2]int{0, 1}, [2]int{1, 1})}
			d.Idle = d.Kinds[1]
		}, "50 % of the run is idle: threads with nothing to do. 4 threads fall into 2 kinds; severity 0.50 (high). Thread 1 is idle on every process: it spends no time in any region. The others are alike."},
		"threads asleep": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.Idle, Share: 0.5, Words: "blocked or asleep nearly all of the time"})
			d.Level, d.UnitCount, d.Ledgered, d.Asleep = diagnose.Threads, 3, 3, true
			d.Kinds = [][]diagnose.Name{threads([2]int{0, 0}), threads([2]int{0, 1}, [2]int{0, 2})}
			d.Idle = d.Kinds[1]
			d.Internal.Function = &diagnose.DearFunction{Name: "sum", Share: 0.3, Paths: 1}
		}, "50 % of the run is idle: threads blocked or asleep nearly all of the time. 3 threads fall into 2 kinds; severity 0.50 (high). Threads 0.1 and 0.2 are idle: off the cores nearly all of the time. What the other spends most on is `sum` itself, 90.0 % of its time."},
		"idle process": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			ledger(d, account.Line{Kind: account.Idle, Share: 0.25, Words: "with nothing to do"})
			d.Kinds = [][]diagnose.Name{processes(0, 1, 2), processes(3)}
			d.Idle = d.Kinds[1]
		}, "25 % of the run is idle: processes with nothing to do. " + kinds + " Process 3 is idle: no time is spent in any region. The others are alike."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := DiagnosisWords(finding(c.change)); got != c.want {
				t.Errorf("says\n%s\nnot\n%s", got, c.want)
			}
		})
	}
}

// What is a cause in a second region is never called not the cause.
func TestNotTheCauseElsewhere(t *testing.T) {
	d := finding(func(d *diagnose.Diagnosis, c *diagnose.Cause) {
		c.Excluded = []diagnose.Excluded{{Attribute: "io_read"}, {Attribute: "calls"}}
	})
	second := d.Causes[0]
	second.Region, second.LostShare, second.Attributes = "main/read", 0.1, []string{"io_read"}
	second.Evidence = []diagnose.Contrast{{Attribute: "io_read", Metric: "io_read", High: processes(2), Low: processes(0, 1, 3), HighValue: 2, LowValue: 1, Ratio: 2}}
	d.Causes = append(d.Causes, second)
	words := DiagnosisWords(d)
	if !strings.Contains(words, "Not the cause: calls.") || !strings.Contains(words, "Also in `read`, up to 10 %: process 2 has 2.0 × the disk reads of processes 0, 1 and 3.") {
		t.Error(words)
	}
}

// What is printed says the answer first and never fails on the smallest
// result.
func TestDiagnosisPage(t *testing.T) {
	for name, d := range map[string]*diagnose.Diagnosis{
		"kinds":   finding(func(*diagnose.Diagnosis, *diagnose.Cause) {}),
		"nothing": {Level: diagnose.Nodes, UnitCount: 1},
	} {
		var b strings.Builder
		d.Words = DiagnosisWords(d)
		(&Page{Out: &b, Width: 60}).Diagnosis(d)
		if first, _, _ := strings.Cut(b.String(), "\n"); !strings.HasPrefix(d.Words, first) {
			t.Errorf("%s begins with %q", name, first)
		}
	}
}

func TestRanges(t *testing.T) {
	if got := strings.Join(ranges(processes(0, 1, 2, 3, 5, 6, 9, 10, 11)), " "); got != "0–3 5 6 9–11" {
		t.Errorf("ranges %s", got)
	}
}

func TestShortName(t *testing.T) {
	for name, want := range map[string]string{
		"void f(int *) C": "f", "adv": "adv", "se btr vel": "se btr vel", "(anonymous)": "(anonymous)",
		"bool T::operator()(int)": "bool T::operator()(int)", "real A::solve(B<C>, int)": "A::solve",
		"void S<double, 2>::smooth(int, double*)": "S<double, 2>::smooth", "int a::(anonymous namespace)::f(int)": "a::(anonymous namespace)::f",
		"parallel (outer)": "parallel (outer)",
	} {
		if got := shortName(name); got != want {
			t.Errorf("%q becomes %q, not %q", name, got, want)
		}
	}
}

// Of another metric than time nothing is in seconds, and a node's time is that of
// its processes together.
func TestDiagnosisOfAnotherMetric(t *testing.T) {
	d := finding(func(d *diagnose.Diagnosis, c *diagnose.Cause) {
		d.Metric, d.Counts, d.Runtime, d.Ledgered = "instructions", true, 5.6e10, 4
		c.Most, c.Mean, c.Lost, c.Evidence, c.Attributes = 4e10, 2e10, 1e10, nil, nil
		d.Ledger[0].Seconds = 1.6e11
	})
	d.Words = DiagnosisWords(d)
	written := func() string {
		var out strings.Builder
		(&Page{Out: &out}).Diagnosis(d)
		return out.String()
	}
	said := written()
	for _, want := range []string{
		"process 3 counts 40.00 G instructions there and the mean is 20.00 G; no metric but instructions and times was collected",
		"Shares are of instructions, taken for the time.", "Where the instructions went (4 × 56.00 G;", "160.0 G", "(instructions lost, mean over units)", "10.00 G",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing in\n%s", want, said)
		}
	}
	if strings.Contains(said, " s ") || strings.Contains(said, "spends") {
		t.Error(said)
	}
	d.Metric, d.Counts, d.Level, d.Runtime = "wtime", false, diagnose.Nodes, 58.6
	if said := written(); !strings.Contains(said, "Where the time went (4 nodes × 58.60 s, of all processes of a node together;") {
		t.Error(said)
	}
}
