package accuracy

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// networks of two hosts with a core each.
var networks = []struct{ name, rate string }{{"net1000", "1Gbps"}, {"net100", "100Mbps"}}

// programs with their arguments by network, sized to 5 s or more at every level:
// {n} is the first number at -O0 and the second at the others.
var programs = []struct {
	name, source, build string
	run                 map[string]sized
}{
	{"intsort", "examples/intsort", "mpicc.mpich -O{opt} intsort.c -o prog", map[string]sized{
		"net1000": {"./prog A {n}", 50, 55}, "net100": {"./prog A {n}", 8, 8}}},
	{"laplace", "examples/laplace", "mpicxx.mpich -O{opt} laplace_mpi.cpp -o prog", map[string]sized{
		"net1000": {"./prog 2000 {n}", 800, 2300}, "net100": {"./prog 2000 {n}", 600, 1400}}},
	{"stommel", "examples/stommel", "mpif90.mpich -O{opt} stommel.f90 -o prog", map[string]sized{
		"net1000": {"./prog 2000 1000 {n}", 650, 1700}, "net100": {"./prog 2000 1000 {n}", 600, 1500}}},
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

const (
	traceRuns = 2
	// The bars that predictions are held to.
	meanBar, worstBar = 0.05, 0.10
)

// TestLab predicts and runs programs on two hosts, the one right after the
// other.
func TestLab(t *testing.T) {
	b := newBench(t, "lab")
	if os.Geteuid() != 0 {
		t.Skip("a lab needs root")
	}
	predicted := b.table("predicted.csv", 3, "program,network,level,predicted,low,high")
	runs := b.table("runs.csv", 4, "program,network,level,run,seconds")
	watch := filepath.Join(b.dir, "stopwatch.so")
	b.must(b.dir, "mpicc.mpich", "-O2", "-shared", "-fPIC", "-o", watch, b.write("stopwatch.c", stopwatch, 0o644))
	for _, n := range networks {
		b.must(b.dir, b.auspex, "lab", "--name", n.name, "down")
		shape := b.write(n.name+"-shape.toml", fmt.Sprintf("[[cluster]]\nname = \"h\"\nnodes = 2\nspeed = \"1Gf\"\nbandwidth = %q\nlatency = \"10us\"\n", n.rate), 0o644)
		b.must(b.dir, b.auspex, "lab", "--name", n.name, "up", shape)
		b.Cleanup(func() { b.must(b.dir, b.auspex, "lab", "--name", n.name, "down") })
		b.calibrate(n.name)
	}
	for _, level := range b.levels {
		for _, p := range programs {
			for _, n := range networks {
				if !predicted.has(p.name, n.name, level) {
					b.predict(predicted, p.name, n.name, level, p.source, p.build, p.run[n.name].at(level))
				}
				b.runReally(runs, watch, p.name, n.name, level, p.source, p.build, p.run[n.name].at(level))
			}
		}
	}
	b.judge(predicted, runs)
}

// calibrate measures a network once and keeps the platform and the times in
// docs/accuracy. The hosts are cores of this machine, so their speed is known.
func (b *bench) calibrate(network string) {
	kept := filepath.Join("docs", "accuracy", network)
	if _, err := os.Stat(filepath.Join(b.root, kept+".toml")); err == nil {
		return
	}
	out, _ := b.must(b.root, b.auspex, "lab", "--name", network, "run", "--", b.auspex, "calibrate", "--mpicc", "mpicc.mpich",
		"--run", "mpirun.mpich -n 2 "+b.before, "--speed", "1", "--raw", kept+".txt", "-o", kept+".toml")
	b.Log(out)
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

func (b *bench) predict(to *table, program, network, level, source, build, run string) {
	r := b.ask("--source", source, "--platform", filepath.Join("docs", "accuracy", network+".toml"), "--np", "2", "--opt", level,
		"--method", "simple", "--reference-speed", "1e9", "--runs", strconv.Itoa(min(b.runs, traceRuns)), "--build", build,
		"--run", "mpirun.mpich -bind-to core -n {np} "+b.before+run)
	p := r.Predictions[0]
	to.add(program, network, level, seconds(p.Predicted), seconds(p.Low), seconds(p.High))
}

// runReally builds a program and runs it in the lab.
func (b *bench) runReally(to *table, watch, program, network, level, source, build, run string) {
	dir := filepath.Join(b.dir, program+level)
	if _, err := os.Stat(dir); err != nil {
		if err := os.CopyFS(dir, os.DirFS(filepath.Join(b.root, source))); err != nil {
			b.Fatal(err)
		}
		b.must(dir, "sh", "-c", strings.ReplaceAll(build, "{opt}", level))
	}
	for i := 1; i <= b.runs; i++ {
		if to.has(program, network, level, strconv.Itoa(i)) {
			continue
		}
		took := b.timed(dir, b.auspex, append([]string{"lab", "--name", network, "run", "--", "mpirun.mpich", "-genv", "LD_PRELOAD", watch, "-n", "2"},
			strings.Fields(b.before+run)...)...)
		to.add(program, network, level, strconv.Itoa(i), took)
	}
}

// judge holds the predictions against the medians of the runs.
func (b *bench) judge(predicted, runs *table) {
	sum, worst, where := 0.0, 0.0, ""
	for _, e := range compare(b, predicted, runs) {
		b.Logf("%s %s -O%s: predicted %.2f s, took %.2f s, %+.1f %%", e.program, e.network, e.level, e.predicted, e.took, 100*e.off())
		off := max(e.off(), -e.off())
		sum += off
		if off > worst {
			worst, where = off, fmt.Sprintf("%s %s -O%s", e.program, e.network, e.level)
		}
	}
	mean := sum / float64(len(predicted.rows))
	b.Logf("mean error %.1f %%, worst %.1f %% (%s)", 100*mean, 100*worst, where)
	if mean > meanBar || worst > worstBar {
		b.Errorf("mean error %.1f %% and worst %.1f %%; %.0f %% and %.0f %% were wanted", 100*mean, 100*worst, 100*meanBar, 100*worstBar)
	}
}

// compared is a prediction and the median of its runs.
type compared struct {
	program, network, level string
	predicted, low, high    float64
	took                    float64
	runs                    int
}

func (c compared) off() float64 { return c.predicted/c.took - 1 }

func compare(b *bench, predicted, runs *table) []compared {
	var all []compared
	for _, p := range predicted.rows {
		var times []float64
		for _, r := range runs.rows {
			if r[0] == p[0] && r[1] == p[1] && r[2] == p[2] {
				times = append(times, number(b, r[4]))
			}
		}
		if len(times) > 0 {
			all = append(all, compared{p[0], p[1], p[2], number(b, p[3]), number(b, p[4]), number(b, p[5]), median(times), len(times)})
		}
	}
	return all
}
