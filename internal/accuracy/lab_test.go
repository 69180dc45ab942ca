package accuracy

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// network is a lab of hosts with a core each, or a share of one.
type network struct {
	name, rate string
	hosts      int
	speed      string // of a core or of the share, beside a core
}

var (
	// networks of two hosts have bars for the error.
	networks = []network{{"net1000", "1Gbps", 2, "1"}, {"net100", "100Mbps", 2, "1"}}
	// Four hosts have half a core each.
	crowded = network{"crowded", "1Gbps", 4, "0.5"}
)

// program is an example with its arguments by network, sized to 5 s or more at
// every level: {n} is the first number at -O0 and the second at the others.
type program struct {
	name, source, build string
	run                 map[string]sized
}

var programs = []program{
	{"intsort", "examples/intsort", "mpicc.mpich -O{opt} intsort.c -o prog", map[string]sized{
		"net1000": {"./prog A {n}", 50, 55}, "net100": {"./prog A {n}", 8, 8}, "crowded": {"./prog A {n}", 0, 40}}},
	{"laplace", "examples/laplace", "mpicxx.mpich -O{opt} laplace_mpi.cpp -o prog", map[string]sized{
		"net1000": {"./prog 2000 {n}", 800, 2300}, "net100": {"./prog 2000 {n}", 600, 1400}, "crowded": {"./prog 2000 {n}", 0, 1500}}},
	{"stommel", "examples/stommel", "mpif90.mpich -O{opt} stommel.f90 -o prog", map[string]sized{
		"net1000": {"./prog 2000 1000 {n}", 650, 1700}, "net100": {"./prog 2000 1000 {n}", 600, 1500}, "crowded": {"./prog 2000 1000 {n}", 0, 1000}}},
}

// sized is a command whose work depends on the compiler's level.
type sized struct {
	command    string
	slow, fast int
}

func (s sized) at(level string) string {
	n := s.fast
	if level == "0" {
		n = s.slow
	}
	return strings.ReplaceAll(s.command, "{n}", strconv.Itoa(n))
}

// The bars that predictions are held to.
const meanBar, worstBar = 0.05, 0.10

// TestLab predicts and runs programs on two hosts.
func TestLab(t *testing.T) {
	b := newBench(t, "lab")
	done := b.labRuns()
	for _, n := range networks {
		b.up(n)
	}
	for _, level := range b.levels {
		for _, p := range programs {
			for _, n := range networks {
				b.rounds(done, p, n, level)
			}
		}
	}
	b.judge(compare(b, done, 2))
}

// TestCrowded does so on more hosts than there are cores. There is no bar.
func TestCrowded(t *testing.T) {
	b := newBench(t, "crowded")
	done := b.labRuns()
	b.up(crowded)
	for _, p := range programs {
		b.rounds(done, p, crowded, "2")
	}
}

func (b *bench) labRuns() *table {
	return b.table("lab.csv", 5, "program,network,processes,level,run,predicted,took")
}

// up builds a lab and calibrates it.
func (b *bench) up(n network) {
	if os.Geteuid() != 0 {
		b.Skip("a lab needs root")
	}
	b.must(b.dir, b.auspex, "lab", "--name", n.name, "down")
	shape := b.write(n.name+"-shape.toml", fmt.Sprintf("[[cluster]]\nname = \"h\"\nnodes = %d\nspeed = \"1Gf\"\nbandwidth = %q\nlatency = \"10us\"\n", n.hosts, n.rate), 0o644)
	b.must(b.dir, b.auspex, "lab", "--name", n.name, "up", shape)
	b.Cleanup(func() { b.must(b.dir, b.auspex, "lab", "--name", n.name, "down") })
	b.calibrate(n)
}

// calibrate measures a network once and keeps the platform and the times in
// docs/accuracy. The hosts are cores of this machine, so their speed is known.
func (b *bench) calibrate(n network) {
	kept := filepath.Join("docs", "accuracy", n.name)
	if _, err := os.Stat(filepath.Join(b.root, kept+".toml")); err == nil {
		return
	}
	out, _ := b.must(b.root, b.auspex, "lab", "--name", n.name, "run", "--", b.auspex, "calibrate", "--mpicc", "mpicc.mpich",
		"--run", "mpirun.mpich -n 2 "+b.before, "--nodes", strconv.Itoa(n.hosts), "--speed", n.speed, "--raw", kept+".txt", "-o", kept+".toml")
	b.Log(out)
}

// rounds predicts a program and runs it right after, so many times: what else
// the machine does changes by the minute.
func (b *bench) rounds(to *table, p program, n network, level string) {
	np, run := strconv.Itoa(n.hosts), p.run[n.name].at(level)
	for i := range b.runs {
		key := []string{p.name, n.name, np, level, strconv.Itoa(i + 1)}
		if to.has(key...) {
			continue
		}
		r := b.ask("--source", p.source, "--platform", filepath.Join("docs", "accuracy", n.name+".toml"), "--np", np, "--opt", level,
			"--method", "simple", "--reference-speed", "1e9", "--build", p.build, "--run", "mpirun.mpich -bind-to core -n {np} "+b.before+run)
		to.add(append(key, seconds(r.Predictions[0].Predicted), b.runReally(p, n, level, run))...)
	}
}

// runReally builds a program once and runs it in the lab.
func (b *bench) runReally(p program, n network, level, run string) string {
	dir := filepath.Join(b.dir, p.name+level)
	if _, err := os.Stat(dir); err != nil {
		if err := os.CopyFS(dir, os.DirFS(filepath.Join(b.root, p.source))); err != nil {
			b.Fatal(err)
		}
		b.must(dir, "sh", "-c", strings.ReplaceAll(p.build, "{opt}", level))
	}
	if b.watch == "" {
		b.watch = filepath.Join(b.dir, "stopwatch.so")
		b.must(b.dir, "mpicc.mpich", "-O2", "-shared", "-fPIC", "-o", b.watch, b.write("stopwatch.c", stopwatch, 0o644))
	}
	return b.timed(dir, b.auspex, append([]string{"lab", "--name", n.name, "run", "--", "mpirun.mpich", "-genv", "LD_PRELOAD", b.watch, "-n", strconv.Itoa(n.hosts)},
		strings.Fields(b.before+run)...)...)
}

// report is what the tests read of the output of auspex predict --json.
type report struct {
	Predictions []struct {
		NP        int      `json:"np"`
		Opt       string   `json:"opt"`
		Platform  string   `json:"platform"`
		Method    string   `json:"method"`
		Predicted float64  `json:"predicted_seconds"`
		Low       float64  `json:"low_seconds"`
		High      float64  `json:"high_seconds"`
		Measured  *float64 `json:"measured_seconds"`
		Error     *float64 `json:"error"`
	} `json:"predictions"`
}

func (b *bench) ask(args ...string) report {
	b.Helper()
	out, _ := b.must(b.root, b.auspex, append([]string{"--json", "predict"}, args...)...)
	var r report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return r
}

// judge holds the predictions against the runs.
func (b *bench) judge(all []compared) {
	sum, worst, where := 0.0, 0.0, ""
	for _, e := range all {
		b.Logf("%s %s -O%s: predicted %.2f s, took %.2f s, %+.1f %%", e.program, e.network, e.level, e.predicted, e.took, 100*e.off())
		off := max(e.off(), -e.off())
		sum += off
		if off > worst {
			worst, where = off, fmt.Sprintf("%s %s -O%s", e.program, e.network, e.level)
		}
	}
	mean := sum / float64(len(all))
	b.Logf("mean error %.1f %%, worst %.1f %% (%s)", 100*mean, 100*worst, where)
	if mean > meanBar || worst > worstBar {
		b.Errorf("mean error %.1f %% and worst %.1f %%; %.0f %% and %.0f %% were wanted", 100*mean, 100*worst, 100*meanBar, 100*worstBar)
	}
}

// compared is the median of predictions and that of the runs.
type compared struct {
	program, network, level string
	predicted, took         float64
	predictions, runs       []float64
}

func (c compared) off() float64 { return c.predicted/c.took - 1 }

// compare takes the rows of labs with so many processes.
func compare(b *bench, done *table, processes int) []compared {
	var all []compared
	for _, r := range done.rows {
		if r[2] != strconv.Itoa(processes) {
			continue
		}
		i := slices.IndexFunc(all, func(c compared) bool { return c.program == r[0] && c.network == r[1] && c.level == r[3] })
		if i < 0 {
			i = len(all)
			all = append(all, compared{program: r[0], network: r[1], level: r[3]})
		}
		c := &all[i]
		c.predictions, c.runs = append(c.predictions, number(b, r[5])), append(c.runs, number(b, r[6]))
		c.predicted, c.took = median(c.predictions), median(c.runs)
	}
	return all
}
