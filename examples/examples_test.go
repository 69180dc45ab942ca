package examples_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"auspex/instrument"
	"auspex/source"
)

// mpi is one implementation, under the names Debian gives its commands.
type mpi struct {
	name  string
	start []string // before -n
	// flags replace those of the Makefiles, so that more than one compiler
	// level is tried.
	flags []string
}

var mpis = []mpi{
	{name: "mpich", start: []string{"mpirun.mpich"}},
	{
		name:  "openmpi",
		start: []string{"mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"},
		flags: []string{
			"CFLAGS=-O3 -Wall -Wextra", "CXXFLAGS=-O3 -Wall -Wextra -std=c++11", "FFLAGS=-O0 -Wall -fopenmp -std=legacy",
		},
	},
}

// program is one example at a size that takes no time.
type program struct {
	dir, binary string
	compiler    string     // variable of the Makefile
	wrapper     string     // what it is set to, less the ending of the MPI
	args        [][]string // all of which give the same checksum
	ranks       []int      // likewise; after the first args only the last is tried
	alone       string     // a sequential program with the same result
	// broken is a change of the source that its verification must notice.
	source         string
	intact, broken string
}

var programs = []program{
	{
		dir: "seismic", binary: "seismic", compiler: "CC", wrapper: "mpicc",
		args: [][]string{{"64", "8", "2"}, {"--balanced", "64", "8", "2"}}, ranks: []int{2, 3},
		source: "seismic.c", intact: "/ 5000;", broken: "/ 500;",
	},
	{
		dir: "stommel", binary: "stommel", compiler: "FC", wrapper: "mpif90",
		args: [][]string{{"40", "30", "8"}}, ranks: []int{1, 4},
		source: "stommel.f90", intact: "beta = 2.25", broken: "beta = -2.25",
	},
	{
		dir: "pic", binary: "pic", compiler: "FC", wrapper: "mpif77",
		args: [][]string{{"4000", "2"}}, ranks: []int{1, 2, 3},
		source: "pic.f", intact: "+ REST\n", broken: "+ W(7)\n",
	},
	{
		dir: "intsort", binary: "intsort", compiler: "CC", wrapper: "mpicc",
		args: [][]string{{"S"}}, ranks: []int{2, 3},
		source: "intsort.c", intact: "count[v] = sum;", broken: "count[v] = 0;",
	},
	{
		dir: "laplace", binary: "laplace_mpi", compiler: "CXX", wrapper: "mpicxx",
		args: [][]string{{"50", "20"}}, ranks: []int{2, 3}, alone: "laplace",
		source: "laplace_mpi.cpp", intact: "0.25 *", broken: "0.2501 *",
	},
	{
		dir: "diskheavy", binary: "diskheavy", compiler: "CC", wrapper: "mpicc",
		args: [][]string{{"24576", "6"}, {"--balanced", "24576", "6"}}, ranks: []int{2, 3},
		source: "diskheavy.c", intact: "= m->now + 1 + i", broken: "= m->next + 1 + i",
	},
	{
		dir: "planted", binary: "planted", compiler: "CC", wrapper: "mpicc",
		args: [][]string{{"2"}, {"--cause", "work", "--who", "gradient", "2"}, {"--cause", "memory", "2"}, {"--cause", "disk", "--more", "5", "2"}}, ranks: []int{2, 3},
		source: "planted.c", intact: "step + (unsigned)s;", broken: "step + (unsigned)getpid();",
	},
	{
		dir: "cachebound", binary: "cachebound", compiler: "CC", wrapper: "mpicc",
		args: [][]string{{"96", "4"}, {"--balanced", "96", "4"}}, ranks: []int{2, 3},
		source: "cachebound.c", intact: "row[j * stride]", broken: "row[j * (stride > 0)]",
	},
}

// TestPrograms builds every example with both MPIs, without a warning, and
// holds its checksum to be the same whatever it is run on.
func TestPrograms(t *testing.T) {
	for _, p := range programs {
		t.Run(p.binary, func(t *testing.T) {
			seen := ""
			same := func(what, out string, err error) {
				t.Helper()
				if err != nil {
					t.Fatalf("%s: %v\n%s", what, err, out)
				}
				sum := checksum(t, out)
				if seen == "" {
					seen = sum
				}
				if sum != seen {
					t.Errorf("%s: %q, but elsewhere %q", what, sum, seen)
				}
			}
			for _, m := range mpis {
				m.need(t, p)
			}
			for i, dir := range p.buildAll(t) {
				m := mpis[i]
				for k, args := range p.args {
					for _, n := range p.ranks[min(k, 1)*(len(p.ranks)-1):] {
						out, err := m.run(t, dir, p.binary, n, args)
						same(fmt.Sprint(m.name, ", ranks ", n, ", ", args), out, err)
					}
				}
				if p.alone != "" {
					out, err := execute(t, dir, nil, filepath.Join(dir, p.alone), p.args[0]...)
					same("sequential", out, err)
				}
				if left, _ := filepath.Glob(filepath.Join(dir, "*.tmp")); left != nil {
					t.Errorf("%s left %v behind", m.name, left)
				}
			}
		})
	}
}

// buildAll builds an example with every MPI at the same time.
func (p program) buildAll(t *testing.T) []string {
	t.Helper()
	dirs := make([]string, len(mpis))
	errs := make([]error, len(mpis))
	var all sync.WaitGroup
	for i, m := range mpis {
		dirs[i] = t.TempDir()
		all.Go(func() { errs[i] = p.build(t, m, dirs[i], "") })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return dirs
}

// TestFailuresAreNoticed breaks every example and expects it to say so by its
// exit status, and likewise gives it arguments it cannot take.
func TestFailuresAreNoticed(t *testing.T) {
	m := mpis[0]
	for _, p := range programs {
		t.Run(p.binary, func(t *testing.T) {
			m.need(t, p)
			dir := t.TempDir()
			if err := p.build(t, m, dir, p.broken); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			out, err := m.run(t, dir, p.binary, 2, p.args[0])
			if !errors.As(err, &exit) {
				t.Errorf("broken, and its exit status is 0 (%v)\n%s", err, out)
			}
			checksum(t, out) // it came to its end
			out, err = m.run(t, dir, p.binary, 1, []string{"0", "0"})
			if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(out, "usage:") {
				t.Errorf("no usage and exit status 2 for wrong arguments, but %v\n%s", err, out)
			}
		})
	}
}

// TestRegions makes sure that the planted regions are among those measured
// unless told otherwise, and that the seismic example has the paper's fourteen.
func TestRegions(t *testing.T) {
	planted := map[string][]string{
		"seismic/seismic.c":       {"propagate", "attenuate", "filter_traces"},
		"stommel/stommel.f90":     {"basin::sweep", "basin::exchange_edges"},
		"pic/pic.f":               {"depos", "solve", "push"},
		"intsort/intsort.c":       {"count_buckets", "exchange_keys", "rank_keys"},
		"laplace/laplace.c":       {"sweep"},
		"laplace/laplace_mpi.cpp": {"Plate::sweep"},
		"diskheavy/diskheavy.c":   {"write_record", "read_record"},
		"cachebound/cachebound.c": {"multiply"},
	}
	for name, want := range planted {
		functions := regions(t, name, instrument.Options{})
		for _, f := range want {
			if !slices.Contains(functions, f) {
				t.Errorf("%s: %s is not measured, only %v", name, f, functions)
			}
		}
	}
	// Those that do little in a call are among them where all sizes are asked for.
	seismic := regions(t, "seismic/seismic.c", instrument.Options{MinLines: instrument.DefaultMinLines})
	if len(seismic) != 15 || seismic[10] != "attenuate" || seismic[13] != "propagate" || seismic[14] != "main" {
		t.Errorf("want 14 functions and main, the 11th attenuate, the 14th propagate; got %v", seismic)
	}
}

// regions lists the functions of a file that are measured with the options.
func regions(t *testing.T, name string, o instrument.Options) []string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := source.Parse(t.Context(), name, text, source.Options{OpenMP: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Problems) > 0 {
		t.Errorf("%s: %v", name, file.Problems)
	}
	var names []string
	for _, c := range instrument.Candidates(file, o) {
		if c.Chosen && c.Kind == instrument.FunctionRegion {
			names = append(names, c.Name)
		}
	}
	return names
}

// build copies an example into a directory and makes it there, with the change
// if there is one. The compiler has to be silent.
func (p program) build(t *testing.T, m mpi, dir, broken string) error {
	if err := os.CopyFS(dir, os.DirFS(p.dir)); err != nil {
		return err
	}
	if broken != "" {
		file := filepath.Join(dir, p.source)
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if !bytes.Contains(text, []byte(p.intact)) {
			return fmt.Errorf("%s has no %q to break", p.source, p.intact)
		}
		if err := os.WriteFile(file, bytes.ReplaceAll(text, []byte(p.intact), []byte(broken)), 0o666); err != nil {
			return err
		}
	}
	args := append([]string{"-s", "-B", p.compiler + "=" + p.wrapper + "." + m.name}, m.flags...)
	out, err := execute(t, dir, nil, "make", args...)
	if err != nil || out != "" {
		return fmt.Errorf("make %v: %v\n%s", args, err, out)
	}
	return nil
}

func (m mpi) run(t *testing.T, dir, binary string, ranks int, args []string) (string, error) {
	t.Helper()
	command := append(slices.Clone(m.start[1:]), "-n", strconv.Itoa(ranks), filepath.Join(dir, binary))
	// Different numbers of threads must not change a result either.
	threads := "OMP_NUM_THREADS=" + strconv.Itoa(1+ranks%2)
	return execute(t, dir, []string{threads}, m.start[0], append(command, args...)...)
}

// need skips the test where something to build or run the program is missing.
func (m mpi) need(t *testing.T, p program) {
	t.Helper()
	need(t, "make", p.wrapper+"."+m.name, m.start[0])
}

func need(t *testing.T, commands ...string) {
	t.Helper()
	for _, c := range commands {
		if _, err := exec.LookPath(c); err != nil {
			t.Skipf("%s is not installed", c)
		}
	}
}

func execute(t *testing.T, dir string, env []string, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // only one that hangs takes so long
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	command.Dir = dir
	command.Env = append(os.Environ(), env...)
	out, err := command.CombinedOutput()
	return string(out), err
}

// checksum is the line of a program's output that must not change.
func checksum(t *testing.T, output string) string {
	t.Helper()
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, "checksum ") {
			return strings.TrimSpace(line)
		}
	}
	t.Fatalf("no checksum in the output:\n%s", output)
	return ""
}
