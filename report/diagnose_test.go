package report

import (
	"fmt"
	"strings"
	"testing"

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
		Degrees: analyze.Degrees{Names: []string{"high"}, Of: []analyze.Real{1}},
		Kinds:   [][]diagnose.Name{processes(0, 2), processes(1, 3)},
		CCR:     []diagnose.CriticalRegion{{Region: "main/solve", Name: "solve", Level: 1, Core: true}},
		CCCR:    []string{"main/solve"},
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
	nothing := func(d *diagnose.Diagnosis) { d.CCR, d.CCCR, d.Kinds = nil, nil, d.Kinds[:1] }
	for name, c := range map[string]struct {
		change func(*diagnose.Diagnosis, *diagnose.Cause)
		want   string
	}{
		"kinds": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {},
			"4 processes fall into 2 kinds; severity 0.50 (high). The trouble is in `solve`: processes 1 and 3 execute 3.0 × the instructions of processes 0 and 2. Balancing it would save up to 25 % of the run."},
		"one": {func(d *diagnose.Diagnosis, c *diagnose.Cause) { nothing(d); d.UnitCount = 1 },
			"There is only 1 process: nothing to compare it with."},
		"no time": {func(d *diagnose.Diagnosis, c *diagnose.Cause) { nothing(d); d.Level1 = 0 },
			"4 processes spent no cpu_time outside communication: nothing to compare."},
		"balanced": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			nothing(d)
			d.Severity, d.Degrees.Names[0] = 0.02, "very_low"
		}, "4 processes are of one kind; severity 0.02 (very low): the work is balanced."},
		"cheap": {func(d *diagnose.Diagnosis, c *diagnose.Cause) { nothing(d) },
			"4 processes are of one kind; severity 0.50 (high), but what differs is less than 1 % of the run."},
		"continuum": {func(d *diagnose.Diagnosis, c *diagnose.Cause) { d.Continuum, d.Kinds = true, d.Kinds[:1] },
			"4 processes form a continuum, without separate kinds; severity 0.50 (high). The trouble is in `solve`, where time varies with instructions (correlation 0.90). Balancing it would save up to 25 % of the run."},
		"scattered": {func(d *diagnose.Diagnosis, c *diagnose.Cause) { d.Scattered, d.UnitCount = true, 2 },
			"2 processes, no two alike; severity 0.50 (high). They are taken as a gradient. The trouble is in `solve`, where time varies with instructions (correlation 0.90). Balancing it would save up to 25 % of the run."},
		"no metrics": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			c.Attributes, c.Evidence, c.LostShare = nil, nil, 0.001
		},
			"4 processes fall into 2 kinds; severity 0.50 (high). The trouble is in `solve`: process 3 spends 4.000 s there and the mean is 2.000 s; no other metric was collected, so the cause cannot be told. Balancing it would save less than 1 % of the run."},
		"noise": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			c.Attributes, c.Evidence, c.Excluded = nil, nil, []diagnose.Excluded{{Attribute: "calls"}}
		}, "4 processes fall into 2 kinds; severity 0.50 (high). The trouble is in `solve`: process 3 spends 4.000 s there and the mean is 2.000 s; none of the metrics collected explains it. Balancing it would save up to 25 % of the run."},
		"all told": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			d.CCR[0].Name, d.CCR[0].File, d.CCR[0].Line = "void solve(int, double *) C", "a.c", 7
			d.CCR[0].Inside, d.CCR[0].With = "main/step", []string{"main/send"}
			c.Inexplicable, c.InexplicablePairs = [][2]diagnose.Name{{processes(0)[0], processes(3)[0]}}, 2
			c.Excluded = []diagnose.Excluded{{Attribute: "io_read"}, {Attribute: "io_written"}, {Attribute: "l1_misses/instructions"}, {Attribute: "iterations", Why: diagnose.WhyAsGood}}
		}, "4 processes fall into 2 kinds; severity 0.50 (high). The trouble is in `solve` (a.c:7), inside `step`, only together with `send`: processes 1 and 3 execute 3.0 × the instructions of processes 0 and 2. Balancing it would save up to 25 % of the run. The collected metrics cannot explain processes 0 and 3, and 1 pair more. As good an explanation: iterations. Not the cause: disk, L1 misses."},
		"never called": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			e := &c.Evidence[0]
			e.Attribute, e.Metric, e.LowValue = "calls", "calls", 0
		}, "4 processes fall into 2 kinds; severity 0.50 (high). The trouble is in `solve`: it is called on processes 1 and 3 and never on processes 0 and 2. Balancing it would save up to 25 % of the run."},
		"idle threads": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			d.CCR, d.Level = nil, diagnose.Threads
			d.Kinds = [][]diagnose.Name{threads([2]int{0, 0}, [2]int{1, 0}), threads([2]int{0, 1}, [2]int{1, 1})}
			d.Idle = d.Kinds[1]
		}, "4 threads fall into 2 kinds; severity 0.50 (high). Thread 1 is idle on every process: it spends no time in any region. The others are alike."},
		"idle process": {func(d *diagnose.Diagnosis, c *diagnose.Cause) {
			d.CCR = nil
			d.Kinds = [][]diagnose.Name{processes(0, 1, 2), processes(3)}
			d.Idle = d.Kinds[1]
		}, "4 processes fall into 2 kinds; severity 0.50 (high). Process 3 is idle: no time is spent in any region. The others are alike."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := DiagnosisWords(finding(c.change)); got != c.want {
				t.Errorf("says\n%s\nnot\n%s", got, c.want)
			}
		})
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
	} {
		if got := shortName(name); got != want {
			t.Errorf("%q becomes %q, not %q", name, got, want)
		}
	}
}
