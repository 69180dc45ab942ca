package launch

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"auspex/model"
)

// byHand measures a program that takes its samples itself, a fixed number at
// each place, so that nothing depends on time.
func byHand(t testing.TB, command ...string) (*Result, string) {
	t.Helper()
	var out bytes.Buffer
	r := Runner{Command: command, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000, Settings: []string{"AUSPEX_STACKS_BY_HAND=1"}, Out: &out, Err: &out}
	result, err := r.Run(context.Background())
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out.String())
	}
	if err := result.Experiment.Check(); err != nil {
		t.Fatal(err)
	}
	return result, out.String()
}

// sampleHere is the C text that takes samples where it is called.
const sampleHere = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
static void (*take)(unsigned);
static __attribute__((unused)) void find(void) { *(void **)&take = dlsym(RTLD_DEFAULT, "auspex_sample_here"); }
static volatile int sink;
#define NOINLINE __attribute__((noinline))
`

// samplesAt compares the samples of a process's threads by path.
func samplesAt(t testing.TB, e *model.Experiment, thread int, want map[string]float64) {
	t.Helper()
	for path, n := range want {
		if got := value(t, e, 0, thread, path, "samples"); got != n {
			t.Errorf("%s has %g samples, want %g", path, got, n)
		}
	}
}

// Functions without frame pointers, with odd frames, inlined, recursive, called
// back by the C library and in a shared library.
func TestSampledStacks(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{
		"lib.c": sampleHere + `
NOINLINE void in_library(void (*back)(void)) { find(); take(4); back(); sink++; }
`,
		"stacks.c": sampleHere + `
#include <stdlib.h>
#include <alloca.h>
void in_library(void (*back)(void));
static inline __attribute__((always_inline)) void inlined(void) { take(3); sink++; }
NOINLINE static void holder(void) { inlined(); sink++; }
NOINLINE static int compare(const void *a, const void *b) { take(1); return *(const int *)a - *(const int *)b; }
NOINLINE static void sorter(void) { int v[2] = {2, 1}; qsort(v, 2, sizeof v[0], compare); sink += v[0]; }
NOINLINE static void dynamic(int n) { char *p = alloca(n); p[0] = 1; take(2); sink += p[0]; }
NOINLINE static int deep(int n) { if (n == 0) { take(5); return 1; } int r = deep(n - 1); sink++; return r + n; }
NOINLINE static void aligned(void) { char v[64] __attribute__((aligned(64))); v[0] = 1; take(6); sink += v[0]; }
NOINLINE static void called_back(void) { take(7); sink++; }
int main(int argc, char **argv)
{
    (void)argv;
    find();
    if (!take)
        return 3;
    holder();
    sorter();
    dynamic(1000 * argc);
    deep(40);
    aligned();
    in_library(called_back);
    return 0;
}
`})
	lib, exe := filepath.Join(dir, "libinner.so"), filepath.Join(dir, "stacks")
	for _, args := range [][]string{
		{"gcc", "-O2", "-fomit-frame-pointer", "-shared", "-fPIC", filepath.Join(dir, "lib.c"), "-o", lib},
		{"gcc", "-g", "-O2", "-fomit-frame-pointer", filepath.Join(dir, "stacks.c"), "-o", exe, lib, "-Wl,-rpath," + dir, "-ldl"},
	} {
		if out, err := command(args[0], args[1:]...); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	r, _ := byHand(t, exe)
	if r.Status != 0 {
		t.Fatalf("status %d", r.Status)
	}
	e := r.Experiment
	samplesAt(t, e, 0, map[string]float64{
		"stacks/main/holder/inlined":         3,
		"stacks/main/dynamic":                2,
		"stacks/main/deep":                   5,
		"stacks/main/aligned":                6,
		"stacks/main/in_library":             4,
		"stacks/main/in_library/called_back": 7,
	})
	found := false
	for i, path := range model.Paths(e.Regions) {
		if strings.HasPrefix(path, "stacks/main/sorter/") && strings.HasSuffix(path, "/compare") {
			found = true
			if r := e.Regions[i]; filepath.Base(r.File) != "stacks.c" || r.Line == 0 {
				t.Errorf("compare stands at %s:%d", r.File, r.Line)
			}
		}
	}
	if !found {
		t.Errorf("compare is not below sorter: %v", model.Paths(e.Regions))
	}
	if i := slices.IndexFunc(e.Notes, func(s string) bool { return strings.Contains(s, "unwound") }); i >= 0 {
		t.Error(e.Notes[i])
	}
}

// The time of a measured region goes to what is sampled below it, and to nobody
// else; a child of fork is not counted; threads are units.
func TestSamplesBelowProbes(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"mixed.c": sampleHere + `
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
NOINLINE static void small(void) { take(2); sink++; }
static void *work(void *p)
{
    for (int i = 0; i < 3; i++) {
        small();
        sink++;
    }
    take(1);
    return p;
}
static void solve(void)
{
    sink++;
    small();
    small();
    take(1);
    sink++;
}
int main(void)
{
    pthread_t one;
    find();
    solve();
    if (fork() == 0) {
        take(50);
        solve();
        _exit(0);
    }
    wait(NULL);
    pthread_create(&one, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_create(&one, NULL, work, NULL);
    pthread_join(one, NULL);
    return 0;
}
`})
	exe := filepath.Join(dir, "mixed")
	mustCompile(t, "gcc", "-O2", "-g", "-pthread", filepath.Join(dir, "mixed.c"), "-o", exe, "-ldl")
	r, _ := byHand(t, exe)
	e := r.Experiment
	if len(e.Units) != 2 {
		t.Errorf("%d units, want the main thread and one that served twice", len(e.Units))
	}
	samplesAt(t, e, 0, map[string]float64{"mixed/main/solve/small": 4, "mixed/main/solve": 1})
	samplesAt(t, e, 1, map[string]float64{"mixed/work": 2})
	expect(t, e, 0, "mixed/main/solve", map[string]float64{"calls": 1})
}

// An unmodified MPI program: who calls MPI is found at each call, whatever the
// samples say.
func TestCallersOfMPI(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		dir := write(t, map[string]string{"prog.c": `#include <mpi.h>
static double field[1000], other[1000];
__attribute__((noinline)) static void swap(int me, int n)
{
    MPI_Sendrecv(field, 1000, MPI_DOUBLE, (me + 1) % n, 0, other, 1000, MPI_DOUBLE, (me + n - 1) % n, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    field[0] += other[0];
}
__attribute__((noinline)) static void forward(int me, int n) { swap(me, n); field[1]++; }
__attribute__((noinline)) static void backward(int me, int n) { swap(me, n); field[2]++; }
int main(int argc, char **argv)
{
    int me, n;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    for (int i = 0; i < 5; i++)
        forward(me, n);
    for (int i = 0; i < 3; i++)
        backward(me, n);
    MPI_Finalize();
    return 0;
}
`})
		exe := filepath.Join(dir, "prog")
		if out, err := command(m.cc, "-g", "-O2", filepath.Join(dir, "prog.c"), "-o", exe); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		r, _ := byHand(t, m.ranks("2", exe)...)
		for rank := range 2 {
			expect(t, r.Experiment, rank, "prog/main/forward/swap/MPI_Sendrecv", map[string]float64{"calls": 5, "bytes_sent": 40000, "bytes_received": 40000})
			expect(t, r.Experiment, rank, "prog/main/backward/swap/MPI_Sendrecv", map[string]float64{"calls": 3, "bytes_sent": 24000})
		}
		for i, path := range model.Paths(r.Experiment.Regions) {
			if region := r.Experiment.Regions[i]; strings.HasSuffix(path, "swap/MPI_Sendrecv") && (filepath.Base(region.File) != "prog.c" || region.Line != 5) {
				t.Errorf("%s is called at %s:%d", path, region.File, region.Line)
			}
		}
	})
}

// A rank that waits in MPI for as long as another computes has samples of its own
// work all the same: time in MPI is left out of what samples account for once, not
// twice.
func TestSamplesAfterWaiting(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		dir := write(t, map[string]string{"prog.c": `#include <mpi.h>
#include <time.h>
static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
volatile double sink;
__attribute__((noinline)) void work(double seconds)
{
    for (double end = cpu() + seconds; cpu() < end;)
        for (int i = 0; i < 20000; i++)
            sink += i;
}
int main(int argc, char **argv)
{
    int me;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (int i = 0; i < 5; i++) {
        work(me == 0 ? 0.04 : 0.16);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
`})
		exe := filepath.Join(dir, "prog")
		if out, err := command(m.cc, "-g", "-O2", filepath.Join(dir, "prog.c"), "-o", exe); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		var out bytes.Buffer
		r := Runner{Command: m.ranks("2", exe), Dir: t.TempDir(), Cache: testCache(), StackRate: 1000, Out: &out, Err: &out}
		result, err := r.Run(t.Context())
		if err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		// 0.2 s of 1: with MPI's time taken off twice there was nothing left of it.
		if got := value(t, result.Experiment, 0, 0, "prog/main/work*", model.CPUTime); got < 0.1 || got > 0.4 {
			t.Errorf("rank 0 works for %v s, not 0.2", got)
		}
	})
}

// Templates, methods and lambdas go by their own names.
func TestSampledTemplates(t *testing.T) {
	need(t, "g++")
	dir := write(t, map[string]string{"templates.cpp": sampleHere + `
namespace field {
template <class T, int N> struct grid {
    T v[N];
    NOINLINE void relax(int times) { take(2); v[0] = times; sink += (int)v[0]; }
};
template <class F> NOINLINE void each(F f) { f(3); sink++; }
}
int main()
{
    find();
    field::grid<double, 4> a;
    field::grid<float, 8> b;
    a.relax(1);
    b.relax(2);
    field::each([](int i) { take(3); sink += i; });
    try {
        field::each([](int) { throw 1; });
    } catch (int) {
        take(1);
    }
    return 0;
}
`})
	exe := filepath.Join(dir, "templates")
	if out, err := command("g++", "-g", "-O2", filepath.Join(dir, "templates.cpp"), "-o", exe, "-ldl"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r, _ := byHand(t, exe)
	samplesAt(t, r.Experiment, 0, map[string]float64{
		"templates/main/field::grid<double, 4>::relax": 2,
		"templates/main/field::grid<float, 8>::relax":  2,
		"templates/main": 1,
	})
	for _, path := range model.Paths(r.Experiment.Regions) {
		if strings.Contains(path, "_Z") {
			t.Errorf("%s is not demangled", path)
		}
	}
}
