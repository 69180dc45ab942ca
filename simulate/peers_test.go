package simulate

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// needPeer skips unless AUSPEX_PEERS asks for comparisons with an installed
// SimGrid, which take minutes.
func needPeer(t *testing.T) {
	t.Helper()
	if os.Getenv("AUSPEX_PEERS") == "" {
		t.Skip("set AUSPEX_PEERS=1 to compare with an installed smpirun")
	}
	if _, err := exec.LookPath("smpirun"); err != nil {
		t.Skip("smpirun is not installed")
	}
}

var simulationTime = regexp.MustCompile(`(?m)^([0-9.]+)\|.*Simulation time`)

// smpirun replays a folder with SimGrid and returns the simulated and the wall
// seconds it took.
func smpirun(dir string, np int, cfg []string) (simulated, wall float64, err error) {
	args := append([]string{"-np", strconv.Itoa(np), "-platform", "platform.xml", "-hostfile", "hostfile",
		"-replay", "list.txt"}, cfg...)
	cmd := exec.Command("smpirun", append(args, "--log=root.fmt:%.15r|%P|%c|%m%n")...)
	cmd.Dir = dir
	start := time.Now()
	out, err := cmd.CombinedOutput()
	wall = time.Since(start).Seconds()
	if err != nil {
		return 0, wall, fmt.Errorf("%w: %s", err, out)
	}
	m := simulationTime.FindSubmatch(out)
	if m == nil {
		return 0, wall, fmt.Errorf("no simulation time in: %s", out)
	}
	simulated, err = strconv.ParseFloat(string(m[1]), 64)
	return simulated, wall, err
}

// TestLive compares the cases with what an installed SimGrid says now.
func TestLive(t *testing.T) {
	needPeer(t)
	for _, dir := range cases(t, "dev") {
		c := readCase(t, dir)
		if c.Name == unended || strings.Contains(c.Ref, "LD_PRELOAD") {
			continue // differs on purpose, or crashes there
		}
		t.Run(c.Name, func(t *testing.T) {
			tmp := t.TempDir() // smpirun writes files where it runs
			if err := os.CopyFS(tmp, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			want, _, err := smpirun(tmp, c.NP, c.Cfg)
			if err != nil {
				t.Fatal(err)
			}
			got, err := replay(dir, c.NP, c.Cfg, Hooks{})
			if err != nil {
				t.Fatal(err)
			}
			if d := relative(got.Seconds, want); d > tolerance(c.Name) {
				t.Errorf("%.12g s, smpirun says %.12g s (off by %.2g)", got.Seconds, want, d)
			}
		})
	}
}

// bars is how many times faster than SimGrid each speed case is to be.
var bars = map[string]float64{"a": 30, "b": 60, "c": 30, "d": 100, "e": 60}

// generate writes the traces of a speed case.
func generate(t testing.TB, args ...string) string {
	t.Helper()
	gen := filepath.Join(casesDir, "speed", "gen.py")
	if _, err := os.Stat(gen); err != nil {
		t.Skip("no generator of speed cases in " + casesDir)
	}
	dir := t.TempDir()
	if out, err := exec.Command("python3", append(append([]string{gen}, args...), dir)...).CombinedOutput(); err != nil {
		t.Skipf("cannot generate traces: %v %s", err, out)
	}
	return dir
}

// least runs f several times and returns its shortest time.
func least(n int, f func() (float64, error)) (best float64, err error) {
	for i := range n {
		w, err := f()
		if err != nil {
			return 0, err
		}
		if i == 0 || w < best {
			best = w
		}
	}
	return best, nil
}

// runsAsked is how often each case is run.
func runsAsked() int {
	if n, err := strconv.Atoi(os.Getenv("AUSPEX_RUNS")); err == nil && n > 0 {
		return n
	}
	return 3
}

// TestSpeedTable prints how fast the speed cases are, and where smpirun is
// installed, how much faster than it. AUSPEX_CASES chooses some ("abe"),
// AUSPEX_RUNS how often each is run.
func TestSpeedTable(t *testing.T) {
	if os.Getenv("AUSPEX_PEERS") == "" {
		t.Skip("set AUSPEX_PEERS=1 to measure against an installed smpirun")
	}
	_, missing := exec.LookPath("smpirun")
	data, err := os.ReadFile(filepath.Join(casesDir, "speed", "speed.json"))
	if err != nil {
		t.Skip(err)
	}
	var spec struct {
		Cases []struct {
			Name    string   `json:"name"`
			Args    []string `json:"generator_args"`
			NP      int      `json:"np"`
			Actions int64    `json:"actions"`
			Seconds float64  `json:"simulated_seconds"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(data, &spec); err != nil {
		t.Fatal(err)
	}
	runs := runsAsked()
	t.Logf("%-8s %10s %12s %12s %10s %8s", "case", "actions", "auspex s", "actions/s", "SimGrid s", "ratio")
	for _, c := range spec.Cases {
		if only := os.Getenv("AUSPEX_CASES"); only != "" && (len(c.Name) > 1 || !strings.Contains(only, c.Name)) {
			continue
		}
		dir := generate(t, c.Args...)
		ours, err := least(runs, func() (float64, error) {
			start := time.Now()
			res, err := replay(dir, c.NP, nil, Hooks{})
			if err == nil && (relative(res.Seconds, c.Seconds) > 1e-9 || res.Actions != c.Actions) {
				err = fmt.Errorf("%.15g s and %d actions, want %.15g and %d", res.Seconds, res.Actions, c.Seconds, c.Actions)
			}
			return time.Since(start).Seconds(), err
		})
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		line := fmt.Sprintf("%-8s %10d %12.3f %12.0f", c.Name, c.Actions, ours, float64(c.Actions)/ours)
		if bar := bars[c.Name]; missing == nil && bar > 0 {
			theirs, err := least(runs, func() (float64, error) {
				_, wall, err := smpirun(dir, c.NP, nil)
				return wall, err
			})
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
				continue
			}
			line += fmt.Sprintf(" %10.2f %7.0f× (bar %.0f×)", theirs, theirs/ours, bar)
		}
		t.Log(line)
	}
}

// TestGrowth prints how the stencil's speed and memory grow with the ranks, up
// to AUSPEX_RANKS of them. Speed is that of reading text and replaying it;
// memory is what `auspex simulate` takes at its peak for the compact trace,
// beyond the trace itself and what the program takes for 4 ranks.
func TestGrowth(t *testing.T) {
	if os.Getenv("AUSPEX_PEERS") == "" {
		t.Skip("set AUSPEX_PEERS=1 to measure growth")
	}
	top := 16384
	if n, err := strconv.Atoi(os.Getenv("AUSPEX_RANKS")); err == nil {
		top = n
	}
	program := filepath.Join(t.TempDir(), "auspex")
	if out, err := exec.Command("go", "build", "-o", program, "auspex/cmd/auspex").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	empty, _ := peakOf(t, program, generate(t, "stencil2d", "4", "10"))
	runs := runsAsked()
	t.Logf("%8s %10s %9s %12s %9s %9s %8s", "ranks", "actions", "s", "actions/s", "peak MB", "trace kB", "B/rank")
	for n := 256; n <= top; n *= 4 {
		dir := generate(t, "stencil2d", strconv.Itoa(n), "10")
		var res *Result
		wall, err := least(runs, func() (float64, error) {
			start := time.Now()
			var err error
			res, err = replay(dir, n, nil, Hooks{})
			return time.Since(start).Seconds(), err
		})
		if err != nil {
			t.Fatal(err)
		}
		peak, size := peakOf(t, program, dir)
		t.Logf("%8d %10d %9.3f %12.0f %9.1f %9.1f %8d", n, res.Actions, wall, float64(res.Actions)/wall,
			float64(peak)/1e6, float64(size)/1e3, max(peak-size-empty, 0)/int64(n))
	}
}

// peakOf replays a folder's compact trace with the program and returns the most
// memory it took at any time, and the size of the trace.
func peakOf(t *testing.T, program, dir string) (peak, trace int64) {
	t.Helper()
	compact := filepath.Join(dir, "compact")
	if out, err := exec.Command(program, "trace", "convert", filepath.Join(dir, "list.txt"), compact).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command(program, "simulate", "--platform", filepath.Join(dir, "platform.xml"),
		"--hostfile", filepath.Join(dir, "hostfile"), compact)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	// The kernel's own count of a child's peak starts from its parent's memory,
	// so the child is watched.
	status := fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)
	for {
		if data, err := os.ReadFile(status); err == nil {
			if m := highWater.FindSubmatch(data); m != nil {
				kb, _ := strconv.ParseInt(string(m[1]), 10, 64)
				peak = max(peak, kb<<10)
			}
		}
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			st, err := os.Stat(compact)
			if err != nil {
				t.Fatal(err)
			}
			return peak, st.Size()
		case <-time.After(2 * time.Millisecond):
		}
	}
}

var highWater = regexp.MustCompile(`VmHWM:\s+([0-9]+) kB`)

func BenchmarkReplay(b *testing.B) {
	for _, c := range []struct {
		name string
		args []string
	}{
		{"ring", []string{"ring", "64", "200"}},
		{"stencil", []string{"stencil2d", "256", "50"}},
		{"alltoall", []string{"alltoall", "64", "10"}},
		{"jitter", []string{"jitter", "256", "100"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			dir := generate(b, c.args...)
			actions := int64(0)
			for b.Loop() {
				res, err := replay(dir, 0, nil, Hooks{})
				if err != nil {
					b.Fatal(err)
				}
				actions += res.Actions
			}
			b.ReportMetric(float64(actions)/b.Elapsed().Seconds(), "actions/s")
		})
	}
}
