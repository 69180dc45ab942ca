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
	largest    string // message of its calibration
}

var (
	// networks of two hosts have bars for the error.
	networks = []network{{"net1000", "1Gbps", 2, "1", "16777216"}, {"net100", "100Mbps", 2, "1", "4194304"}}
	// Four hosts have half a core each.
	crowded = network{"crowded", "1Gbps", 4, "0.5", "4194304"}
)

// program is an example with its arguments by network, sized to 5 s or more at
// every level: {n} is the first number at -O0 and the second at the others.
type program struct {
	name, source, build string
	run                 map[string]sized
}

var programs = []program{
	{"intsort", "examples/intsort", "mpicc.mpich -O{opt} intsort.c -o prog", map[string]sized{
		"net1000": {"./prog A {n}", 50, 50}, "net100": {"./prog A {n}", 7, 7}, "crowded": {"./prog A {n}", 0, 40}}},
	{"laplace", "examples/laplace", "mpicxx.mpich -O{opt} laplace_mpi.cpp -o prog", map[string]sized{
		"net1000": {"./prog 2000 {n}", 600, 2400}, "net100": {"./prog 2000 {n}", 600, 2400}, "crowded": {"./prog 2000 {n}", 0, 1500}}},
	{"stommel", "examples/stommel", "mpif90.mpich -O{opt} stommel.f90 -o prog", map[string]sized{
		"net1000": {"./prog 2000 1000 {n}", 350, 2400}, "net100": {"./prog 2000 1000 {n}", 350, 2400}, "crowded": {"./prog 2000 1000 {n}", 0, 1000}}},
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
	for _, n := range networks {
		b.up(n)
	}
	for _, level := range b.levels {
		for _, n := range networks {
			b.calibrate(n, level)
		}
		for _, p := range programs {
			b.rounds(p, networks, level)
		}
	}
	b.judge(compare(b, 2))
}

// TestCrowded does so on more hosts than there are cores. There is no bar.
func TestCrowded(t *testing.T) {
	b := newBench(t, "crowded")
	b.up(crowded)
	b.calibrate(crowded, "2")
	for _, p := range programs {
		b.rounds(p, []network{crowded}, "2")
	}
}

func (b *bench) predicted() *table {
	return b.table("predicted.csv", 5, "program,network,processes,level,run,seconds")
}

func (b *bench) took() *table {
	return b.table("runs.csv", 5, "program,network,processes,level,run,seconds")
}

// up builds a lab.
func (b *bench) up(n network) {
	if os.Geteuid() != 0 {
		b.Skip("a lab needs root")
	}
	b.must(b.dir, b.auspex, "lab", "--name", n.name, "down")
	shape := b.write(n.name+"-shape.toml", fmt.Sprintf("[[cluster]]\nname = \"h\"\nnodes = %d\nspeed = \"1Gf\"\nbandwidth = %q\nlatency = \"10us\"\n", n.hosts, n.rate), 0o644)
	b.must(b.dir, b.auspex, "lab", "--name", n.name, "up", shape)
	b.Cleanup(func() { b.must(b.dir, b.auspex, "lab", "--name", n.name, "down") })
}

// calibrated is where the platform of a network is kept, as it was when a level
// was measured: the network is this machine's doing, and changes with what else
// goes on.
func calibrated(n network, level string) string {
	return filepath.Join("docs", "accuracy", n.name+"-O"+level)
}

// calibrate measures a network and keeps the platform and the times in
// docs/accuracy. The hosts are cores of this machine, so their speed is known.
func (b *bench) calibrate(n network, level string) {
	kept := calibrated(n, level)
	if _, err := os.Stat(filepath.Join(b.root, kept+".toml")); err == nil {
		return
	}
	out, _ := b.must(b.root, b.auspex, "lab", "--name", n.name, "run", "--", b.auspex, "calibrate", "--mpicc", "mpicc.mpich",
		"--run", "mpirun.mpich -n 2 "+b.before, "--nodes", strconv.Itoa(n.hosts), "--speed", n.speed, "--largest", n.largest, "--raw", kept+".txt", "-o", kept+".toml")
	b.Log(out)
}

// rounds predicts a program and runs it right after, in turn: what else the
// machine does changes by the minute. A trace serves all networks on which the
// program does the same.
func (b *bench) rounds(p program, on []network, level string) {
	predicted, took := b.predicted(), b.took()
	for i := range b.runs {
		for k, n := range on {
			np, run := strconv.Itoa(n.hosts), p.run[n.name].at(level)
			if took.has(p.name, n.name, np, level, strconv.Itoa(i+1)) {
				continue
			}
			args := []string{"--source", p.source, "--np", np, "--opt", level, "--method", "simple", "--reference-speed", "1e9",
				"--build", p.build, "--run", "mpirun.mpich -bind-to core -n {np} " + b.before + run}
			var served []network
			for _, other := range on {
				if p.run[other.name].at(level) == run {
					served = append(served, other)
					args = append(args, "--platform", calibrated(other, level)+".toml")
				}
			}
			for j, prediction := range b.ask(args...).Predictions {
				predicted.add(p.name, served[j].name, np, level, strconv.Itoa(i*len(on)+k+1), seconds(prediction.Predicted))
			}
			took.add(p.name, n.name, np, level, strconv.Itoa(i+1), b.runReally(p, n, level, run))
		}
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
		NP         int      `json:"np"`
		Opt        string   `json:"opt"`
		Platform   string   `json:"platform"`
		Method     string   `json:"method"`
		Predicted  float64  `json:"predicted_seconds"`
		Low        float64  `json:"low_seconds"`
		High       float64  `json:"high_seconds"`
		Measured   *float64 `json:"measured_seconds"`
		Command    *float64 `json:"measured_command_seconds"`
		Obtain     float64  `json:"obtain_traces_seconds"`
		Simulation float64  `json:"simulation_seconds"`
		Slowdown   float64  `json:"slowdown"`
		Gain       float64  `json:"gain"`
	} `json:"predictions"`
	Loops []struct {
		Cuts []struct {
			Ran        int64 `json:"iterations_run"`
			Iterations int64 `json:"iterations"`
		} `json:"cuts"`
	} `json:"loops"`
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

// compare takes the labs with so many processes.
func compare(b *bench, processes int) []compared {
	var all []compared
	find := func(r []string) *compared {
		i := slices.IndexFunc(all, func(c compared) bool { return c.program == r[0] && c.network == r[1] && c.level == r[3] })
		if i < 0 {
			i = len(all)
			all = append(all, compared{program: r[0], network: r[1], level: r[3]})
		}
		return &all[i]
	}
	for _, r := range b.took().rows {
		if r[2] == strconv.Itoa(processes) {
			c := find(r)
			c.runs = append(c.runs, number(b, r[5]))
			c.took = median(c.runs)
		}
	}
	for _, r := range b.predicted().rows {
		if r[2] == strconv.Itoa(processes) {
			c := find(r)
			c.predictions = append(c.predictions, number(b, r[5]))
			c.predicted = median(c.predictions)
		}
	}
	return slices.DeleteFunc(all, func(c compared) bool { return len(c.runs) == 0 || len(c.predictions) == 0 })
}
