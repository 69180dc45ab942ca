package launch

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"auspex/instrument"
)

// examples are programs of a few tenths of a second on one rank, which waits for
// nobody. Those that can be are small enough for a core's own cache: what is
// shared with others is noise. On a machine that is held up now and then the
// least of many short runs is undisturbed; that of a few long ones is not.
var examples = []struct {
	dir, binary, source, compiler string
	flags, args                   []string
}{
	{"seismic", "seismic", "seismic.c", "mpicc", []string{"-lm"}, []string{"256", "80", "1"}},
	{"stommel", "stommel", "stommel.f90", "mpif90", []string{"-fopenmp"}, []string{"200", "200", "3000"}},
	{"pic", "pic", "pic.f", "mpif77", []string{"-std=legacy"}, []string{"50000", "50"}},
	{"intsort", "intsort", "intsort.c", "mpicc", nil, []string{"W", "100"}},
	{"laplace", "laplace_mpi", "laplace_mpi.cpp", "mpicxx", nil, []string{"400", "2000"}},
	{"diskheavy", "diskheavy", "diskheavy.c", "mpicc", []string{"-lm"}, []string{"4194304", "20"}},
	{"cachebound", "cachebound", "cachebound.c", "mpicc", nil, []string{"2048", "20"}},
}

// BenchmarkOverheadExamples runs every example without and with measurement in
// turn, and prints by how much the least CPU times and the least times from start
// to end differ. At the default choice of regions it may be 2 %.
func BenchmarkOverheadExamples(b *testing.B) {
	const turns = 41
	b.Setenv("OMP_NUM_THREADS", "1")
	for _, e := range examples {
		b.Run(e.binary, func(b *testing.B) {
			compiler := e.compiler + ".mpich"
			need(b, compiler)
			dir := b.TempDir()
			if err := os.CopyFS(dir, os.DirFS(filepath.Join("../examples", e.dir))); err != nil {
				b.Fatal(err)
			}
			b.Chdir(dir)
			build := slices.Concat([]string{compiler, "-O2", e.source, "-o"}, []string{"plain"}, e.flags)
			if out, err := command(build[0], build[1:]...); err != nil {
				b.Fatalf("%v\n%s", err, out)
			}
			build[slices.Index(build, "plain")] = "probed"
			var said bytes.Buffer
			c := Compiler{Real: build, Options: instrument.Options{Count: true}, Cache: testCache(), Out: &said, Err: &said}
			if status, err := c.Run(b.Context()); err != nil || status != 0 {
				b.Fatalf("%v\n%s", err, said.String())
			}
			var cpu, wall [2][]float64
			for b.Loop() {
				for range turns {
					for i, exe := range []string{"./plain", "./probed"} {
						used, took := timed(b, i == 1, append([]string{exe}, e.args...))
						cpu[i], wall[i] = append(cpu[i], used), append(wall[i], took)
					}
				}
			}
			b.ReportMetric(slices.Min(cpu[0]), "cpu-s/plain")
			b.ReportMetric(100*(slices.Min(cpu[1])/slices.Min(cpu[0])-1), "%-cpu")
			b.ReportMetric(100*(slices.Min(wall[1])/slices.Min(wall[0])-1), "%-wall")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// timed runs a command, measured or not, and gives seconds of CPU and of wall
// time, without what is done after the program's end.
func timed(b *testing.B, measured bool, args []string) (cpu, wall float64) {
	b.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	if measured {
		r := Runner{Command: args, Cache: testCache()}
		library, err := r.runtime(b.Context(), inspect(b.Context(), "", args))
		if err != nil {
			b.Fatal(err)
		}
		cmd.Env = append(os.Environ(), "LD_PRELOAD="+library, "AUSPEX_DIR="+b.TempDir())
	}
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), time.Since(start).Seconds()
}
