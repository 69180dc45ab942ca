package launch

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"auspex/account"
	"auspex/model"
	"auspex/simulate/loggp"
	"auspex/trace"
)

// TestBlockedIsNoComputation: samples come by CPU time, and say nothing of where a
// program waits at a pipe: that is not what the function that computes takes.
func TestBlockedIsNoComputation(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"blocked.c": workingFor + `#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>
static double now(void)
{
    struct timeval t;
    gettimeofday(&t, 0);
    return t.tv_sec + 1e-6 * t.tv_usec;
}
int main(void)
{
    int worked[2], slept[2];
    char c = 0;
    if (pipe(worked) != 0 || pipe(slept) != 0)
        return 2;
    if (fork() == 0) {
        if (read(worked[0], &c, 1) != 1)
            return 3;
        usleep(800000);
        return write(slept[1], "x", 1) != 1;
    }
    double start = now(), x = work(0.1);
    printf("%f\n", now() - start);
    return write(worked[1], "x", 1) != 1 || read(slept[0], &c, 1) != 1 || x < 0;
}
`})
	exe := filepath.Join(dir, "blocked")
	if out, err := command("gcc", "-g", "-O1", filepath.Join(dir, "blocked.c"), "-o", exe); err != nil {
		t.Fatal(out)
	}
	var out bytes.Buffer
	r := Runner{Command: []string{exe}, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000, Out: &out, Err: &out}
	result, err := r.Run(context.Background())
	if err != nil || result.Status != 0 {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if !result.Experiment.BlockedApart {
		t.Error("the experiment does not say that blocked time is apart")
	}
	work, waits := sumOfCall(t, result.Experiment, 0, "work", "wtime"), sumOfCall(t, result.Experiment, 0, "<blocked>", "wtime")
	var worked float64 // on a busy machine that is more than the 0.1 s of CPU time
	if _, err := fmt.Sscan(out.String(), &worked); err != nil {
		t.Fatal(err, out.String())
	}
	if work > worked+0.3 || waits < 0.5 {
		t.Errorf("work takes %.3f s of %.3f and %.3f s are blocked", work, worked, waits)
	}
}

// TestBlockedOutsideMPI: a rank that waits for another program, here at a pipe,
// neither computes nor has no core: the trace holds the time as a pause. Ranks that
// sleep in a call of MPI have none.
func TestBlockedOutsideMPI(t *testing.T) {
	const turns, each = 10, 0.06
	eachMPI(t, func(t *testing.T, m mpi) {
		dir := write(t, map[string]string{"blocked.c": `#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, ends[2];
    char c;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && (pipe(ends) != 0 || fork() == 0)) {
        for (int i = 0; i < 10; i++) {
            usleep(60000);
            if (write(ends[1], "x", 1) != 1)
                break;
        }
        _exit(0);
    }
    for (int i = 0; i < 10; i++) {
        if (rank == 1 && read(ends[0], &c, 1) != 1)
            return 1;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
`})
		exe := filepath.Join(dir, "blocked")
		mustCompile(t, m.cc, "-g", "-O1", filepath.Join(dir, "blocked.c"), "-o", exe)
		var out bytes.Buffer
		file := filepath.Join(dir, "blocked.trace")
		r := Runner{Command: m.ranks("2", exe), Dir: t.TempDir(), Cache: testCache(), Trace: file, Out: &out, Err: &out}
		if result, err := r.Run(context.Background()); err != nil || result.Status != 0 {
			t.Fatalf("%v\n%s", err, out.String())
		}
		tr, err := trace.Open(context.Background(), file, 0)
		if err != nil {
			t.Fatal(err)
		}
		p, err := loggp.NewProfile(context.Background(), tr)
		if err != nil {
			t.Fatal(err)
		}
		if least := 0.4 * turns * each; p.Pauses[1] < least || p.Pauses[0] > 0.3*least { // a busy machine wakes it late
			t.Errorf("the ranks pause for %.3g s, want next to nothing and %.3g s at least", p.Pauses, least)
		}
	})
}

// TestTraceOfDeadRank: where a rank dies before its trace is written, that is said.
func TestTraceOfDeadRank(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		dir := write(t, map[string]string{"dies.c": `#include <mpi.h>
#include <signal.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
`})
		exe := filepath.Join(dir, "dies")
		mustCompile(t, m.cc, "-O1", filepath.Join(dir, "dies.c"), "-o", exe)
		var out bytes.Buffer
		r := Runner{Command: m.ranks("2", exe), Dir: t.TempDir(), Cache: testCache(), Trace: filepath.Join(dir, "dies.trace"), Out: &out, Err: &out}
		result, err := r.Run(context.Background())
		if err != nil || result.Status == 0 {
			t.Fatalf("%v, status %d\n%s", err, result.Status, out.String())
		}
		if notes := strings.Join(result.Experiment.Notes, "\n"); !strings.Contains(notes, "it did not come to its end") {
			t.Errorf("notes %q", notes)
		}
	})
}

// TestSleepsAtCallers: what no sample shows is told by the calls in which a thread
// sleeps: below the function that makes them, at its line.
func TestSleepsAtCallers(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"sleeps.c": workingFor + `#include <unistd.h>
__attribute__((noinline)) void for_a_licence(void)
{
    usleep(300000);
    asm volatile("");
}
int main(void)
{
    double x = work(0.05);
    for_a_licence();
    return x < 0;
}
`})
	exe := filepath.Join(dir, "sleeps")
	if out, err := command("gcc", "-g", "-O1", filepath.Join(dir, "sleeps.c"), "-o", exe); err != nil {
		t.Fatal(out)
	}
	r, _ := measure(t, exe)
	if slept := value(t, r.Experiment, 0, 0, "for_a_licence/<blocked>", "wtime"); slept < 0.29 {
		t.Errorf("asleep for %.3f s of 0.3", slept)
	}
	for _, region := range r.Experiment.Regions {
		if region.Name == "<blocked>" && region.Parent != model.NoParent && r.Experiment.Regions[region.Parent].Name == "for_a_licence" && (filepath.Base(region.File) != "sleeps.c" || region.Line == 0) {
			t.Errorf("it is at %s:%d", region.File, region.Line)
		}
	}
}

// TestCriticalSectionsAtCallers: of a program that is not compiled anew the critical
// section that threads wait for has its function and its line.
func TestCriticalSectionsAtCallers(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"critical.c": `#include <unistd.h>
#include <omp.h>
__attribute__((noinline)) void add(void)
{
#pragma omp critical
    usleep(20000);
    asm volatile("");
}
int main(void)
{
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 10; i++)
        add();
    return 0;
}
`})
	exe := filepath.Join(dir, "critical")
	if out, err := command("gcc", "-g", "-O1", "-fopenmp", filepath.Join(dir, "critical.c"), "-o", exe); err != nil {
		t.Fatal(out)
	}
	r, _ := measure(t, exe)
	if waited := sumOfCall(t, r.Experiment, 0, "OpenMP critical", "wtime"); waited < 0.1 {
		t.Errorf("waited for %.3f s of 0.2", waited)
	}
	if !slices.ContainsFunc(model.Paths(r.Experiment.Regions), func(path string) bool { return strings.HasSuffix(path, "/add/OpenMP critical@critical.c:5") }) {
		t.Errorf("regions: %v", callsByPath(r.Experiment))
	}
}

// Who waits for a mutex waits in the function that takes it; one that is free is no
// region, and what a mutex answers is what it answers without.
func TestMutexes(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"mutex.c": `#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <time.h>
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, free_one = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) static void deposit(void)
{
    pthread_mutex_lock(&held);
    nanosleep(&(struct timespec){0, 2000000}, NULL);
    pthread_mutex_unlock(&held);
}
__attribute__((noinline)) static int alone(void)
{
    pthread_mutexattr_t kind;
    pthread_mutex_t one;
    for (int i = 0; i < 1000000; i++) {
        pthread_mutex_lock(&free_one);
        pthread_mutex_unlock(&free_one);
    }
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&one, &kind);
    if (pthread_mutex_lock(&one) != 0 || pthread_mutex_lock(&one) != EDEADLK)
        return 2;
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&one, &kind);
    return pthread_mutex_lock(&one) != 0 || pthread_mutex_lock(&one) != 0 ? 3 : 0;
}
static void *work(void *nothing)
{
    for (int i = 0; i < 50; i++)
        deposit();
    return nothing;
}
int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    work(NULL);
    pthread_join(other, NULL);
    return alone();
}
`})
	exe := filepath.Join(dir, "mutex")
	if out, err := command("gcc", "-g", "-O1", "-pthread", filepath.Join(dir, "mutex.c"), "-o", exe); err != nil {
		t.Fatal(out)
	}
	e, waited := sampledRun(t, exe), 0.0
	classes, paths := account.Sort(e.Regions, account.ShippedFor(true)), model.Paths(e.Regions)
	for row := range e.Summaries.Rows() {
		r := e.Summaries.Region[row]
		if !strings.HasSuffix(paths[r], "/"+model.Mutex) {
			continue
		}
		if !strings.HasSuffix(paths[r], "/work/deposit/mutex") || classes[r] != account.Waits {
			t.Errorf("%s is %v", paths[r], classes[r])
		}
		waited += e.Summaries.Values[0][row]
	}
	if waited < 0.05 { // as long as both are at it, one of them holds it 2 ms at a time
		t.Errorf("%g s are waited for the mutex", waited)
	}
}

// Who waits for another thread, at a condition, a semaphore, a barrier or by a system call
// of its own, waits in the function that calls for it.
func TestWaitsForThreads(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"threads.c": workingFor + `#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t b;
static sem_t s;
static int ready, word, at;
static void pause_for(long ms) { nanosleep(&(struct timespec){0, ms * 1000000}, NULL); }
static void arrive(int where) { __atomic_store_n(&at, where, __ATOMIC_RELEASE); }
static void let_wait(int where) /* where the other is now, a tenth of a second */
{
    while (__atomic_load_n(&at, __ATOMIC_ACQUIRE) != where)
        pause_for(1);
    pause_for(100);
}
__attribute__((noinline)) static int take(void)
{
    pthread_mutex_lock(&m);
    arrive(1);
    while (!ready)
        pthread_cond_wait(&c, &m);
    ready = 0;
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    int late = pthread_cond_timedwait(&c, &m, &soon);
    pthread_mutex_unlock(&m);
    return late == ETIMEDOUT;
}
__attribute__((noinline)) static int get(void)
{
    arrive(2);
    int got = sem_wait(&s);
    return got == 0 && sem_timedwait(&s, &(struct timespec){0, 0}) == -1 && errno == ETIMEDOUT;
}
__attribute__((noinline)) static int meet(void)
{
    arrive(3);
    int met = pthread_barrier_wait(&b);
    return met == 0 || met == PTHREAD_BARRIER_SERIAL_THREAD;
}
static long futex(int how, int value, struct timespec *until) { return syscall(SYS_futex, &word, how | FUTEX_PRIVATE_FLAG, value, until, NULL, FUTEX_BITSET_MATCH_ANY); }
__attribute__((noinline)) static int heed(void)
{
    arrive(4);
    while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == 0)
        if (futex(FUTEX_WAIT_BITSET, 0, NULL) != 0 && errno != EAGAIN && errno != EINTR)
            return 0;
    int changed = futex(FUTEX_WAIT, 0, NULL) == -1 && errno == EAGAIN;
    int late = futex(FUTEX_WAIT, 1, &(struct timespec){0, 1000000}) == -1 && errno == ETIMEDOUT;
    char *page = (char *)syscall(SYS_mmap, NULL, 4096L, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
    return changed && late && (long)page != -1 && page[4095] == 0;
}
static void *waits(void *wrong)
{
    if (work(0.05) < 0 || !take() || !get() || !meet() || !heed())
        *(int *)wrong = 2;
    return NULL;
}
int main(void)
{
    int wrong = 0;
    pthread_t other;
    pthread_barrier_init(&b, NULL, 2);
    sem_init(&s, 0, 0);
    pthread_create(&other, NULL, waits, &wrong);
    let_wait(1);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    let_wait(2);
    sem_post(&s);
    let_wait(3);
    if (!meet())
        return 3;
    let_wait(4);
    __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
    if (futex(FUTEX_WAKE, 1, NULL) < 0)
        return 4;
    pthread_join(other, NULL);
    return wrong;
}
`})
	exe := filepath.Join(dir, "threads")
	if out, err := command("gcc", "-g", "-O1", "-pthread", filepath.Join(dir, "threads.c"), "-o", exe); err != nil {
		t.Fatal(out)
	}
	e := sampledRun(t, exe)
	for _, path := range []string{"take/<blocked>", "get/<blocked>", "heed/futex/<blocked>", "meet/" + model.ThreadBarrier} {
		if waited := value(t, e, 0, 1, path, "wtime"); waited < 0.05 {
			t.Errorf("%s: %g s of 0.1", path, waited)
		}
	}
	classes := account.Sort(e.Regions, account.ShippedFor(true))
	for r, region := range e.Regions {
		if region.Name == model.ThreadBarrier && classes[r] != account.Waits {
			t.Errorf("a barrier is %v", classes[r])
		}
	}
}

// TestLambdas: in a program without debug information the numbers of its lambdas are not
// taken for those of parallel regions, what starts a thread of C++ is no region, and who
// waits for a future waits in the function that wants it.
func TestLambdas(t *testing.T) {
	need(t, "g++")
	dir := write(t, map[string]string{"lambdas.cpp": `#include <ctime>
#include <future>
template <class F> __attribute__((noinline)) double apply(F f)
{
    double sum = 0;
    for (timespec t{}; t.tv_sec == 0 && t.tv_nsec < 300000000; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t))
        sum += f(sum);
    return sum;
}
int main()
{
    auto other = std::async(std::launch::async, [] { return apply([](double x) __attribute__((noinline)) { for (int i = 0; i < 100000; i++) x = x * 0.999 + 1; return x; }); });
    return other.get() < 0;
}
`})
	exe := filepath.Join(dir, "lambdas")
	if out, err := command("g++", "-O1", "-pthread", filepath.Join(dir, "lambdas.cpp"), "-o", exe); err != nil {
		t.Fatal(out)
	}
	e := sampledRun(t, exe)
	all, in, waited := 0.0, 0.0, 0.0
	paths := model.Paths(e.Regions)
	for row := range e.Summaries.Rows() {
		at := e.Summaries.Region[row]
		if strings.HasPrefix(paths[at], "lambdas/main/") && strings.HasSuffix(paths[at], model.Blocked) {
			waited += e.Summaries.Values[0][row]
		}
		if e.Units[e.Summaries.Unit[row]].Thread == 0 || strings.HasSuffix(paths[at], model.Blocked) {
			continue
		}
		all += e.Summaries.Values[0][row]
		if strings.Contains(paths[at], "{lambda(double)#1}::operator()") {
			in += e.Summaries.Values[0][row]
		}
		if strings.Contains(paths[at], "<libstdc++") {
			t.Errorf("region %s", paths[at])
		}
	}
	if all == 0 || in < 0.9*all {
		t.Errorf("%g of %g s are in the lambda: %v", in, all, callsByPath(e))
	}
	if waited < 0.2 {
		t.Errorf("%g s are waited for the future of 0.3: %v", waited, callsByPath(e))
	}
}

// sampledRun measures a program, with samples.
func sampledRun(t *testing.T, exe string) *model.Experiment {
	t.Helper()
	r := Runner{Command: []string{exe}, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000}
	result, err := r.Run(context.Background())
	if err != nil || result.Status != 0 {
		t.Fatal(err, result)
	}
	return result.Experiment
}
