package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"auspex/store"
)

// measured is an example at a size that still shows what is planted in it.
type measured struct {
	dir, binary string
	variable    string // of its Makefile, for the compiler
	compiler    string // less the ending of the MPI
	also        []string
	ranks       int // 0 for a program without MPI
	threads     int
	args        []string
	planted     string   // part of the path of the region to be named; empty: none
	causes      []string // any of these
}

var measuredExamples = []measured{
	{dir: "seismic", binary: "seismic", variable: "CC", compiler: "mpicc", ranks: 8, args: []string{"512", "60", "1"}, planted: "propagate/attenuate", causes: []string{"iterations", "instructions"}},
	{dir: "seismic", binary: "seismic", variable: "CC", compiler: "mpicc", ranks: 4, args: []string{"--balanced", "128", "20", "1"}},
	{dir: "diskheavy", binary: "diskheavy", variable: "CC", compiler: "mpicc", ranks: 4, args: []string{"4194304", "60"}, planted: "_record", causes: []string{"io_time", "io_read", "io_written"}},
	{dir: "cachebound", binary: "cachebound", variable: "CC", compiler: "mpicc", ranks: 2, args: []string{"512", "5"}},
	{dir: "stommel", binary: "stommel", variable: "FC", compiler: "mpif90", ranks: 2, threads: 2, args: []string{"100", "80", "50"}},
	{dir: "pic", binary: "pic", variable: "FC", compiler: "mpif77", ranks: 2, args: []string{"20000", "4"}},
	{dir: "intsort", binary: "intsort", variable: "CC", compiler: "mpicc", ranks: 4, args: []string{"S"}},
	{dir: "laplace", binary: "laplace_mpi", variable: "CXX", compiler: "mpicxx", also: []string{"laplace_mpi"}, ranks: 3, args: []string{"60", "50"}},
	{dir: "laplace", binary: "laplace", variable: "CC", compiler: "cc", also: []string{"laplace"}, args: []string{"60", "50"}},
}

var launchers = map[string][]string{
	"mpich":   {"mpirun.mpich"},
	"openmpi": {"mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"},
}

// TestMeasureExamples types the two commands for every example and MPI: what
// the program prints stays what it was, its units and regions are there, and
// the diagnosis names what was planted.
func TestMeasureExamples(t *testing.T) {
	t.Setenv("AUSPEX_CACHE", testCache())
	for _, m := range measuredExamples {
		for _, mpi := range []string{"mpich", "openmpi"} {
			if m.ranks == 0 && mpi != "mpich" {
				continue
			}
			name := strings.Join(append([]string{m.binary, mpi}, m.args...), " ")
			t.Run(name, func(t *testing.T) { m.test(t, mpi) })
		}
	}
}

func (m measured) test(t *testing.T, mpi string) {
	compiler, start := m.compiler, []string(nil)
	if m.ranks > 0 {
		compiler += "." + mpi
		start = append(slices.Clone(launchers[mpi]), "-n", strconv.Itoa(m.ranks))
		skipWithout(t, start[0])
	}
	skipWithout(t, "make", compiler)
	plain, dir := m.build(t, compiler), m.build(t, "auspex cc "+compiler)
	// The program compiled with probes, by itself and measured, and one
	// compiled without.
	program := slices.Concat(start, []string{"./" + m.binary}, m.args)
	want := checksumOf(t, m.execute(t, plain, program))
	if got := checksumOf(t, m.execute(t, dir, program)); got != want {
		t.Errorf("with probes, by itself: %q, without %q", got, want)
	}
	const attempts = 10 // a busy machine may hide what is planted
	for attempt := range attempts {
		name := "run" + strconv.Itoa(attempt)
		out := m.execute(t, dir, slices.Concat([]string{"auspex", "run", "--sample-stacks", "0", "--name", name, "--"}, program))
		if got := checksumOf(t, out); got != want {
			t.Errorf("measured: %q, without probes %q", got, want)
		}
		m.units(t, dir, name)
		if m.planted == "" {
			return
		}
		// On shared cores the largest cause of a run may be another.
		causes := diagnosed(t, m.execute(t, dir, []string{"auspex", "diagnose", "--json", name}))
		if slices.ContainsFunc(causes, func(c cause) bool {
			return strings.Contains(c.Region, m.planted) && len(c.Attributes) > 0 && slices.Contains(m.causes, c.Attributes[0])
		}) {
			return
		}
		t.Logf("attempt %d names %v", attempt, causes)
	}
	t.Errorf("%s because of %v is not named in %d runs", m.planted, m.causes, attempts)
}

func (m measured) build(t *testing.T, compiler string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("../../examples", m.dir))); err != nil {
		t.Fatal(err)
	}
	out := m.execute(t, dir, append([]string{"make", "-s", "-B", m.variable + "=" + compiler}, m.also...))
	if out != "" {
		t.Errorf("make with %s says:\n%s", compiler, out)
	}
	return dir
}

func (m measured) execute(t *testing.T, dir string, command []string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "AUSPEX_STORE="+filepath.Join(dir, "store"), "OMP_NUM_THREADS="+strconv.Itoa(max(1, m.threads)))
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(command, " "), err, out, errs.String())
	}
	return string(out)
}

// units checks that every rank and thread was measured, and is complete.
func (m measured) units(t *testing.T, dir, name string) {
	t.Helper()
	e, err := store.Open(filepath.Join(dir, "store")).Get(name)
	if err != nil {
		t.Fatal(err)
	}
	if want := max(1, m.ranks) * max(1, m.threads); e.UnitCount != want || e.Incomplete != "" || e.RegionCount < 5 {
		t.Errorf("%d units and %d regions, incomplete %q; want %d units", e.UnitCount, e.RegionCount, e.Incomplete, want)
	}
}

// diagnosed is the dearest cause of a diagnosis.
type cause struct {
	Region     string
	Attributes []string
}

func diagnosed(t *testing.T, text string) []cause {
	t.Helper()
	var d struct{ Causes []cause }
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return d.Causes
}

func checksumOf(t *testing.T, output string) string {
	t.Helper()
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, "checksum ") {
			return line
		}
	}
	t.Fatalf("no checksum in\n%s", output)
	return ""
}

// testCache is that of launch's tests: the runtime is compiled once.
func testCache() string {
	return filepath.Join(os.TempDir(), fmt.Sprint("auspex-launch-test-", os.Getuid()))
}

func skipWithout(t *testing.T, commands ...string) {
	t.Helper()
	for _, c := range commands {
		if _, err := exec.LookPath(c); err != nil {
			t.Skipf("%s is not installed", c)
		}
	}
}
