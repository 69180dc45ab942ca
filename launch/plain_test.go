package launch

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"auspex/model"
)

func TestPlainProgram(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"plain.c": `#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <fcntl.h>

static jmp_buf back;

static int fib(int n)
{
    if (n < 2)
        return n;
    return fib(n - 1) + fib(n - 2);
}

static void jump(void)
{
    longjmp(back, 1);
}

static void risk(void)
{
    if (setjmp(back) == 0)
        jump();
}

static void save(const char *name)
{
    char block[1000] = {0};
    FILE *f = fopen(name, "w");
    for (int i = 0; i < 10; i++)
        fwrite(block, 1, sizeof block, f);
    fprintf(f, "%s\n", "ninechars");
    fclose(f);
    int fd = open(name, O_RDONLY);
    while (read(fd, block, sizeof block) > 0)
        ;
    close(fd);
}

static void leave(int status)
{
    if (status > 0)
        exit(status);
}

int main(int argc, char **argv)
{
    risk();
    printf("%d\n", fib(10));
    fflush(stdout);
    save(argv[1]);
    leave(argc + 5);
    return 0;
}
`})
	exe := filepath.Join(dir, "plain")
	mustCompile(t, "gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", filepath.Join(dir, "plain.c"), "-o", exe)
	r, out := measure(t, exe, filepath.Join(dir, "data"))
	if r.Status != 7 || out != "55\n" {
		t.Errorf("status %d, printed %q", r.Status, out)
	}
	e := r.Experiment
	if e.Incomplete != "" {
		t.Errorf("incomplete: %s", e.Incomplete)
	}
	// Recursion folds into the first call: fib(10) makes 177 calls.
	expect(t, e, 0, "plain/main/fib", map[string]float64{"calls": 177})
	expect(t, e, 0, "plain/main/risk/jump", map[string]float64{"calls": 1})
	below := "plain/main/save*"
	expect(t, e, 0, below, map[string]float64{"io_written": 10010, "io_read": 10010})
	if v := value(t, e, 0, 0, below, "io_time"); v <= 0 || v > value(t, e, 0, 0, below, "wtime") {
		t.Errorf("io_time %g", v)
	}
	expect(t, e, 0, "plain/main/leave", map[string]float64{"calls": 1})
	if v := value(t, e, 0, 0, "plain", "peak_memory"); v < 1e5 {
		t.Errorf("peak memory %g", v)
	}
}

// Short calls that stay in a stream's buffer are not timed, but every byte counts,
// with those of the calls between that fill or empty the buffer.
func TestManyShortLines(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"lines.c": `#include <stdio.h>
#include <string.h>

static char big[9000];

int main(int argc, char **argv)
{
    char line[2000];
    FILE *f = fopen(argv[argc - 1], "w");
    for (int i = 0; i < 20000; i++) {
        fprintf(f, "line %06d\n", i);
        fputs("abc\n", f);
    }
    fwrite(big, 1, sizeof big, f);
    fprintf(f, "%01000d\n", 1);
    fclose(f);
    f = fopen(argv[argc - 1], "r");
    for (int i = 0; i < 40000; i++)
        if (!fgets(line, sizeof line, f))
            return 1;
    if (fread(big, 1, sizeof big, f) != sizeof big || !fgets(line, sizeof line, f) || strlen(line) != 1001)
        return 2;
    return fclose(f);
}
`})
	exe := filepath.Join(dir, "lines")
	mustCompile(t, "gcc", "-O1", "-Wall", filepath.Join(dir, "lines.c"), "-o", exe)
	r, _ := measure(t, exe, filepath.Join(dir, "data"))
	if r.Status != 0 {
		t.Fatalf("status %d", r.Status)
	}
	bytes := float64(20000*(12+4) + 9000 + 1001)
	expect(t, r.Experiment, 0, "lines/main*", map[string]float64{"io_written": bytes, "io_read": bytes})
	if v := value(t, r.Experiment, 0, 0, "lines/main*", "io_time"); v <= 0 {
		t.Errorf("io_time %g: emptying the buffer takes time", v)
	}
}

func TestUninstrumentedByCallSite(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		dir := write(t, map[string]string{"ring.c": ringC})
		exe := filepath.Join(dir, "ring")
		if out, err := command(m.cc, "-g", "-O1", "-Wno-stringop-overflow", filepath.Join(dir, "ring.c"), "-o", exe); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		r, _ := measure(t, m.ranks("2", exe)...)
		e := r.Experiment
		expect(t, e, 0, "ring/main/exchange/MPI_Waitall", map[string]float64{"calls": 10, "bytes_received": 8000})
		expect(t, e, 0, "ring/before MPI_Waitall@ring.c:19", map[string]float64{"calls": 10})
		spin := value(t, e, 1, 0, "ring/before MPI_Irecv@ring.c:17", "wtime")
		if spin <= 0 {
			t.Errorf("the computation before the first receive took %g s", spin)
		}
		for _, region := range e.Regions {
			if region.Kind == model.MPI && (region.Line == 0 || !strings.HasSuffix(region.File, "ring.c")) {
				t.Errorf("%s is at %s:%d", region.Name, region.File, region.Line)
			}
		}
	})
}

// From Fortran too a call is known by where it stands, however it reaches MPI.
func TestUninstrumentedFortran(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		need(t, m.fc)
		for name, text := range fortranPrograms() {
			t.Run(name, func(t *testing.T) {
				dir := write(t, map[string]string{"ring.f90": text})
				exe := filepath.Join(dir, "ring")
				if out, err := command(m.fc, "-g", filepath.Join(dir, "ring.f90"), "-o", exe); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				r, _ := measure(t, m.ranks("2", exe)...)
				expect(t, r.Experiment, 0, "ring/main/ring/MPI_Isend", map[string]float64{"calls": 10, "bytes_sent": 8000})
			})
		}
	})
}

// A program that starts others must come out whole.
func TestChildren(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"parent.c": `#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void work(void)
{
    volatile int s = 0;
    for (int i = 0; i < 100; i++)
        s += i;
}

int main(void)
{
    work();
    if (fork() == 0) {
        work();
        exit(4);
    }
    if (vfork() == 0)
        _exit(5);
    if (fork() == 0)
        abort();
    while (wait(NULL) > 0)
        ;
    work();
    return system("exit 3") != 3 << 8;
}
`})
	exe := filepath.Join(dir, "parent")
	mustCompile(t, "gcc", "-O1", filepath.Join(dir, "parent.c"), "-o", exe)
	r, _ := measure(t, exe)
	if r.Status != 0 || r.Experiment.Incomplete != "" || len(r.Experiment.Units) != 1 {
		t.Errorf("status %d, incomplete %q, %d units", r.Status, r.Experiment.Incomplete, len(r.Experiment.Units))
	}
	expect(t, r.Experiment, 0, "main/work", map[string]float64{"calls": 2})
}

// gcc's OpenMP is seen by interposition, clang's through OMPT; both look alike.
func TestOpenMP(t *testing.T) {
	for _, compiler := range []string{"gcc", "clang"} {
		t.Run(compiler, func(t *testing.T) { testOpenMP(t, compiler) })
	}
}

func testOpenMP(t *testing.T, compiler string) {
	need(t, compiler)
	dir := write(t, map[string]string{"empty.c": "int main(void) { return 0; }\n", "threads.c": `#include <stdio.h>

static double inner(int n)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        s += i * 0.5;
        s *= 0.999;
    }
    return s;
}

static double solve(int n)
{
    double total = 0;
#pragma omp parallel for reduction(+ : total) schedule(static, 1) num_threads(3)
    for (int i = 0; i < 3; i++) {
        total += inner(n * (i + 1));
    }
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
        total += 0;
    }
    return total;
}

int main(void)
{
    double s = 0;
    for (int i = 0; i < 5; i++) {
        s += solve(200000);
    }
    printf("%d\n", s > 0);
    return 0;
}
`})
	exe := filepath.Join(dir, "threads")
	if out, err := command(compiler, "-fopenmp", filepath.Join(dir, "empty.c"), "-o", exe); err != nil {
		t.Skipf("%s has no OpenMP: %s", compiler, out)
	}
	mustCompile(t, compiler, "-g", "-O1", "-fopenmp", filepath.Join(dir, "threads.c"), "-o", exe)
	r, out := measure(t, exe)
	e := r.Experiment
	if r.Status != 0 || out != "1\n" || len(e.Units) != 3 {
		t.Fatalf("status %d, printed %q, %d units", r.Status, out, len(e.Units))
	}
	var parallel string
	for _, path := range model.Paths(e.Regions) {
		if strings.HasSuffix(path, "/inner") && strings.Contains(path, "OpenMP parallel") {
			parallel = strings.TrimSuffix(path, "/inner")
		}
	}
	if parallel == "" {
		t.Fatalf("no parallel region with inner below in %v", model.Paths(e.Regions))
	}
	for thread := range 3 {
		if calls := value(t, e, 0, thread, parallel+"/inner", "calls"); calls != 5 {
			t.Errorf("thread %d called inner %g times", thread, calls)
		}
		if calls := value(t, e, 0, thread, parallel+"/OpenMP barrier", "calls"); calls != 5 {
			t.Errorf("thread %d waited %g times", thread, calls)
		}
	}
}

func TestSamples(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"spin.c": `#include <time.h>
static double used(void) /* by this thread: who samples has one, too */
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
int main(void)
{
    for (double start = used(); used() - start < 1.0 / 3;)
        ;
    return 0;
}
`})
	exe := filepath.Join(dir, "spin")
	if out, err := command("gcc", "-O1", filepath.Join(dir, "spin.c"), "-o", exe); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r := Runner{Command: []string{exe}, Dir: t.TempDir(), Cache: testCache(), Sample: 20 * time.Millisecond}
	result, err := r.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Samples) < 5 {
		t.Fatalf("%d samples", len(result.Samples))
	}
	sum := 0.0
	for i, s := range result.Samples {
		sum += s.Busy
		if i > 0 && s.At <= result.Samples[i-1].At {
			t.Errorf("sample %d at %v after %v", i, s.At, result.Samples[i-1].At)
		}
	}
	stat, _ := os.ReadFile("/proc/stat")
	if sum/float64(len(result.Samples)) < 0.4/float64(strings.Count(string(stat), "\ncpu")) {
		t.Errorf("a spinning program kept the node %g busy", sum/float64(len(result.Samples)))
	}
	if v := value(t, result.Experiment, 0, 0, "spin", "cpu_time"); v < 0.3 || v > 0.6 {
		t.Errorf("cpu_time %g", v)
	}
}
