package launch

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"auspex/instrument"
	"auspex/model"
)

// An mpi is an MPI implementation to test with.
type mpi struct {
	name, cc, fc, cxx string
	run               []string
}

var mpis = []mpi{
	{"MPICH", "mpicc.mpich", "mpif90.mpich", "mpicxx.mpich", []string{"mpirun.mpich"}},
	{"Open MPI", "mpicc.openmpi", "mpif90.openmpi", "mpicxx.openmpi", []string{"mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"}},
}

// eachMPI runs a test with every MPI that is installed.
func eachMPI(t *testing.T, test func(t *testing.T, m mpi)) {
	for _, m := range mpis {
		t.Run(m.name, func(t *testing.T) {
			need(t, m.cc, m.run[0])
			test(t, m)
		})
	}
}

func need(t testing.TB, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not installed", p)
		}
	}
}

// testCache outlives a test: the runtime is compiled once for each MPI. What another user's
// tests left there could not be written to.
func testCache() string {
	return filepath.Join(os.TempDir(), fmt.Sprint("auspex-launch-test-", os.Getuid()))
}

// write puts files into a new directory and returns it.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// compile runs the compiler wrapper and returns its status and what it said.
func compile(t testing.TB, args ...string) (status int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	c := Compiler{Real: args, Options: instrument.Options{MinLines: 2, Count: true}, Headers: true, Cache: testCache(), Out: &o, Err: &e}
	status, err := c.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return status, o.String(), e.String()
}

// mustCompile wants no words and status 0.
func mustCompile(t testing.TB, args ...string) {
	t.Helper()
	if status, out, errs := compile(t, args...); status != 0 || out+errs != "" {
		t.Fatalf("%s: status %d\n%s%s", strings.Join(args, " "), status, out, errs)
	}
}

// mustCompilePlain compiles without auspex.
func mustCompilePlain(t testing.TB, args ...string) {
	t.Helper()
	if out, err := command(args[0], args[1:]...); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// measure runs a command under measurement and returns the result and what it
// printed.
func measure(t testing.TB, command ...string) (*Result, string) {
	t.Helper()
	var out bytes.Buffer
	r := Runner{Command: command, Dir: t.TempDir(), Cache: testCache(), Out: &out, Err: &out}
	result, err := r.Run(context.Background())
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out.String())
	}
	if err := result.Experiment.Check(); err != nil {
		t.Fatal(err)
	}
	return result, out.String()
}

// ranks is the command that runs a program on n ranks.
func (m mpi) ranks(n string, program ...string) []string {
	return append(append(append([]string{}, m.run...), "-n", n), program...)
}

// value sums a metric over the regions whose path ends as given; with a star
// at its end, over those that begin so.
func value(t testing.TB, e *model.Experiment, process, thread int, path, metric string) float64 {
	t.Helper()
	column := -1
	for i, m := range e.Metrics {
		if m.Name == metric {
			column = i
		}
	}
	if column < 0 {
		t.Fatalf("there is no metric %s", metric)
	}
	paths := model.Paths(e.Regions)
	sum, found := 0.0, false
	for row := range e.Summaries.Rows() {
		u := e.Units[e.Summaries.Unit[row]]
		here := paths[e.Summaries.Region[row]]
		fits := strings.HasSuffix("/"+here, "/"+path)
		if start, ok := strings.CutSuffix(path, "*"); ok {
			fits = strings.HasPrefix(here, start)
		}
		if u.Process == process && u.Thread == thread && fits {
			sum, found = sum+e.Summaries.Values[column][row], true
		}
	}
	if !found {
		t.Fatalf("process %d.%d was never in %s; regions: %s", process, thread, path, strings.Join(paths, "  "))
	}
	return sum
}

// expect compares exact values of a process's first thread.
func expect(t testing.TB, e *model.Experiment, process int, path string, want map[string]float64) {
	t.Helper()
	for metric, v := range want {
		if got := value(t, e, process, 0, path, metric); got != v {
			t.Errorf("process %d, %s: %s is %g, want %g", process, path, metric, got, v)
		}
	}
}

func command(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).CombinedOutput()
	return string(out), err
}

// sumOfCall sums a metric over all places from which an uninstrumented program
// makes an MPI call.
func sumOfCall(t testing.TB, e *model.Experiment, process int, call, metric string) float64 {
	t.Helper()
	sum, found := 0.0, false
	for column, m := range e.Metrics {
		if m.Name != metric {
			continue
		}
		for row := range e.Summaries.Rows() {
			name, _, _ := strings.Cut(e.Regions[e.Summaries.Region[row]].Name, "@")
			if e.Units[e.Summaries.Unit[row]].Process == process && name == call {
				sum, found = sum+e.Summaries.Values[column][row], true
			}
		}
	}
	if !found {
		t.Errorf("process %d never called %s, or there is no %s", process, call, metric)
	}
	return sum
}
