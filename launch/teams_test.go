package launch

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"auspex/model"
)

// libgomp ends its workers and makes new ones when a team has another size than the
// one before and after each team inside another: they share a few records. A team
// that is opened inside another stands below it, whichever thread opened it.
func TestTeamsInTeams(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"teams.c": `#include <omp.h>
static volatile double sink;
static void work(int n)
{
    double x = 0;
    for (int i = 0; i < n; i++)
        x += i * 0.5;
    sink = x;
}
int main(void)
{
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    for (int k = 0; k < 40; k++) {
#pragma omp parallel num_threads(3)
        {
            work(1000);
#pragma omp parallel num_threads(2)
            work(1000);
        }
#pragma omp parallel num_threads(1 + k % 4)
        work(1000);
    }
    return 0;
}
`})
	exe := filepath.Join(dir, "teams")
	mustCompile(t, "gcc", "-g0", "-O1", "-fopenmp", filepath.Join(dir, "teams.c"), "-o", exe)
	r, _ := measure(t, exe)
	e := r.Experiment
	// At most six threads live at once; a few more records may be needed while those
	// that end are not free yet.
	if r.Status != 0 || len(e.Units) > 60 {
		t.Fatalf("status %d, %d units", r.Status, len(e.Units))
	}
	column := slices.IndexFunc(e.Metrics, func(m model.Metric) bool { return m.Name == "calls" })
	calls, paths := map[string]float64{}, model.Paths(e.Regions)
	for row := range e.Summaries.Rows() {
		calls[paths[e.Summaries.Region[row]]] += e.Summaries.Values[column][row]
	}
	for path, want := range map[string]float64{
		"OpenMP parallel@main#0":                                       120,
		"OpenMP parallel@main#0/OpenMP barrier":                        120,
		"OpenMP parallel@main#0/OpenMP parallel@main#1":                240,
		"OpenMP parallel@main#0/OpenMP parallel@main#1/OpenMP barrier": 240,
		"OpenMP parallel@main#2":                                       100,
	} {
		if got := calls["teams/main/loop@14/"+path]; got != want {
			t.Errorf("%s: %g calls, want %g", path, got, want)
		}
	}
	if t.Failed() {
		t.Log(calls)
	}
}

// Where the opener of a parallel region sleeps at its end, waiting for a slower
// thread, what it computes next is still its own.
func TestOpenerSleepsAtBarrier(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"sleeper.c": `#include <omp.h>
#include <time.h>
static void work(double s)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    double end = t.tv_sec + 1e-9 * t.tv_nsec + s;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    while (t.tv_sec + 1e-9 * t.tv_nsec < end);
}
int main(void)
{
    for (int k = 0; k < 8; k++) {
#pragma omp parallel num_threads(2)
        work(omp_get_thread_num() ? 0.12 : 0.04);
    }
    return 0;
}
`})
	exe := filepath.Join(dir, "sleeper")
	if out, err := command("gcc", "-g", "-O1", "-fopenmp", filepath.Join(dir, "sleeper.c"), "-o", exe); err != nil {
		t.Fatal(out)
	}
	t.Setenv("OMP_WAIT_POLICY", "passive")
	r, _ := measure(t, exe)
	for thread, want := range []float64{0.32, 0.96} {
		cpu := value(t, r.Experiment, 0, thread, "sleeper*", "cpu_time")
		if cpu < 0.9*want || cpu > 1.3*want {
			t.Errorf("thread %d computed for %.3f s, want %.3f", thread, cpu, want)
		}
	}
}

// Threads that spin while they wait for each other, two on a core, at the end of a
// parallel region and for the beginning of the next: that CPU time is the barrier's, and
// the region has what was computed in it.
func TestSpinningIsNoWork(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"spinner.c": `#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <time.h>
static void work(double s)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    double end = t.tv_sec + 1e-9 * t.tv_nsec + s;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    while (t.tv_sec + 1e-9 * t.tv_nsec < end);
}
int main(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    for (int k = 0; k < 60; k++) {
#pragma omp parallel num_threads(2)
        work(0.001);
    }
    return 0;
}
`})
	exe := filepath.Join(dir, "spinner")
	if out, err := command("gcc", "-g", "-O1", "-fopenmp", filepath.Join(dir, "spinner.c"), "-o", exe); err != nil {
		t.Fatal(out)
	}
	t.Setenv("GOMP_SPINCOUNT", "infinite")
	r, _ := measure(t, exe)
	spun := 0.0
	for thread := range 2 {
		waited := value(t, r.Experiment, 0, thread, "spinner/main/OpenMP parallel@spinner.c:21/OpenMP barrier", "cpu_time")
		if worked := value(t, r.Experiment, 0, thread, "spinner*", "cpu_time") - waited; worked < 0.055 || worked > 0.09 {
			t.Errorf("thread %d computed for %.3f s, and not for 0.06", thread, worked)
		}
		spun += waited
	}
	if spun < 0.06 {
		t.Errorf("both spun for %.3f s", spun)
	}
}

// Where the kernel takes the core away while a thread asks it for its page faults, at
// the end of its part, that is the region's time and not the barrier's as well. The
// program answers late in the kernel's place.
func TestInterruptedWhenAsked(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"clock.c": `#define _GNU_SOURCE
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
volatile int late;
int getrusage(__rusage_who_t who, struct rusage *u)
{
    if (late)
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    return (int)syscall(SYS_getrusage, who, u);
}
void work(void)
{
    struct timespec from, now;
    clock_gettime(CLOCK_MONOTONIC, &from);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - from.tv_sec) * 1000000000 + now.tv_nsec - from.tv_nsec < 3000000);
}
`, "late.c": `extern volatile int late;
void work(void);
int main(void)
{
    late = 1;
    for (int k = 0; k < 30; k++) {
#pragma omp parallel num_threads(1)
        work();
    }
    late = 0;
    return 0;
}
`})
	exe, clock := filepath.Join(dir, "late"), filepath.Join(dir, "clock.o")
	if out, err := exec.Command("gcc", "-c", filepath.Join(dir, "clock.c"), "-o", clock).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	mustCompile(t, "gcc", "-g0", "-O1", "-fopenmp", "-rdynamic", filepath.Join(dir, "late.c"), clock, "-o", exe)
	r, _ := measure(t, exe)
	e := r.Experiment
	column := slices.IndexFunc(e.Metrics, func(m model.Metric) bool { return m.Name == "wtime" })
	wall, paths := map[string]float64{}, model.Paths(e.Regions)
	for row := range e.Summaries.Rows() {
		wall[paths[e.Summaries.Region[row]]] += e.Summaries.Values[column][row]
	}
	const region = "late/main/loop@6/OpenMP parallel@main#0"
	if got := wall[region]; got < 0.15 {
		t.Errorf("the region took %g s, want 30 times 5 ms", got)
	}
	if got := wall[region+"/OpenMP barrier"]; got > 0.05 {
		t.Errorf("one thread waited %g s for itself", got)
	}
	if t.Failed() {
		t.Log(wall)
	}
}

// Where opening a parallel region is the last thing that a function does, the call
// returns to whoever called the function: the region is still the function's own.
func TestParallelRegionsOfTailCalls(t *testing.T) {
	need(t, "clang")
	if runtime.GOARCH != "amd64" {
		t.Skip("only there the call of the library is seen")
	}
	dir := write(t, map[string]string{"tail.c": `static volatile int sink[64];
__attribute__((noinline)) static void one(void)
{
#pragma omp parallel num_threads(2)
    sink[0]++;
}
__attribute__((noinline)) static void two(int a, int b, int c, int d, int e, int f, int g, int h)
{
#pragma omp parallel num_threads(2)
    sink[a + b + c + d] = e + f + g + h;
}
int main(void)
{
    one(); two(1, 2, 3, 4, 5, 6, 7, 8);
    return sink[10] != 26;
}
`})
	exe := filepath.Join(dir, "tail")
	if out, err := command("clang", "-g", "-O2", "-fopenmp", filepath.Join(dir, "tail.c"), "-o", exe); err != nil {
		t.Skipf("clang has no OpenMP: %s", out)
	}
	r, _ := measure(t, exe)
	calls, found := callsByPath(r.Experiment), 0
	for path, n := range calls {
		line, ok := strings.CutPrefix(path[strings.LastIndex(path, "/")+1:], "OpenMP parallel@tail.c:")
		if ok && n == 2 && slices.Contains([]string{"4", "5", "9", "10"}, line) {
			found++
		}
	}
	if r.Status != 0 || found != 2 {
		t.Errorf("status %d, %v", r.Status, calls)
	}
}
