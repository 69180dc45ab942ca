package launch

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
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
	counted                       []string // arguments of a run whose instructions are counted
}{
	{"seismic", "seismic", "seismic.c", "mpicc", []string{"-lm"}, []string{"256", "80", "1"}, []string{"128", "80", "1"}},
	{"stommel", "stommel", "stommel.f90", "mpif90", []string{"-fopenmp"}, []string{"200", "200", "3000"}, []string{"200", "200", "1000"}},
	{"pic", "pic", "pic.f", "mpif77", []string{"-std=legacy"}, []string{"50000", "50"}, []string{"20000", "20"}},
	{"intsort", "intsort", "intsort.c", "mpicc", nil, []string{"W", "100"}, []string{"W", "20"}},
	{"laplace", "laplace_mpi", "laplace_mpi.cpp", "mpicxx", nil, []string{"400", "2000"}, []string{"400", "500"}},
	{"diskheavy", "diskheavy", "diskheavy.c", "mpicc", []string{"-lm"}, []string{"4194304", "20"}, []string{"1048576", "20"}},
	{"cachebound", "cachebound", "cachebound.c", "mpicc", nil, []string{"2048", "20"}, []string{"1024", "20"}},
}

// BenchmarkOverheadExamples runs every example without and with measurement in
// turn, and prints by how much the least CPU times and the least times from start
// to end differ. At the default choice of regions it may be 2 %.
func BenchmarkOverheadExamples(b *testing.B) {
	const turns = 25
	b.Setenv("OMP_NUM_THREADS", "1")
	for _, e := range examples {
		b.Run(e.binary, func(b *testing.B) {
			buildBoth(b, e.dir, e.source, e.compiler, e.flags)
			var cpu, wall [2][]float64
			for b.Loop() {
				for range turns {
					for i, exe := range both {
						used, took := timed(b, exe, e.args)
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

// BenchmarkOverheadInstructions counts where a machine that does other things too
// does not let one time: how many instructions more every example executes. What
// an instruction costs, such as a read of the clock, it does not see.
func BenchmarkOverheadInstructions(b *testing.B) {
	need(b, "valgrind")
	b.Setenv("OMP_NUM_THREADS", "1")
	for _, e := range examples {
		b.Run(e.binary, func(b *testing.B) {
			buildBoth(b, e.dir, e.source, e.compiler, e.flags)
			var count [2]float64
			for b.Loop() {
				for i, exe := range both {
					count[i] = instructions(b, exe, e.counted)
				}
			}
			b.ReportMetric(count[0], "instructions/plain")
			b.ReportMetric(100*(count[1]/count[0]-1), "%-instructions")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// both are an example as it is and with probes.
var both = []string{"./plain", "./probed"}

// buildBoth makes them and goes where they are.
func buildBoth(b *testing.B, dir, file, compiler string, flags []string) {
	b.Helper()
	compiler += ".mpich"
	need(b, compiler)
	work := b.TempDir()
	if err := os.CopyFS(work, os.DirFS(filepath.Join("../examples", dir))); err != nil {
		b.Fatal(err)
	}
	b.Chdir(work)
	build := slices.Concat([]string{compiler, "-O2", file, "-o"}, []string{"plain"}, flags)
	if out, err := command(build[0], build[1:]...); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	build[slices.Index(build, "plain")] = "probed"
	var said bytes.Buffer
	c := Compiler{Real: build, Options: instrument.Options{Count: true}, Cache: testCache(), Out: &said, Err: &said}
	if status, err := c.Run(b.Context()); err != nil || status != 0 {
		b.Fatalf("%v\n%s", err, said.String())
	}
}

// prepared is a command; what has probes is measured.
func prepared(b *testing.B, exe string, args []string) *exec.Cmd {
	b.Helper()
	list := append([]string{exe}, args...)
	cmd := exec.Command(exe, args...)
	if exe == both[1] {
		r := Runner{Command: list, Cache: testCache()}
		library, _, err := r.runtime(b.Context(), inspect(b.Context(), "", list))
		if err != nil {
			b.Fatal(err)
		}
		cmd.Env = append(os.Environ(), "LD_PRELOAD="+library, "AUSPEX_DIR="+b.TempDir())
	}
	return cmd
}

// instructions counts those of a command.
func instructions(b *testing.B, exe string, args []string) float64 {
	b.Helper()
	cmd := prepared(b, exe, args)
	cmd.Args = append([]string{"valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"}, cmd.Args...)
	path, err := exec.LookPath(cmd.Args[0])
	if err != nil {
		b.Fatal(err)
	}
	cmd.Path = path
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	_, after, _ := strings.Cut(string(out), "I   refs:")
	line, _, _ := strings.Cut(after, "\n")
	n, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(line), ",", ""), 64)
	if err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return n
}

// timed runs a command and gives seconds of CPU and of wall time, without what is
// done after the program's end.
func timed(b *testing.B, exe string, args []string) (cpu, wall float64) {
	b.Helper()
	cmd := prepared(b, exe, args)
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), time.Since(start).Seconds()
}
