package launch

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// overheadC times itself: what one clock read costs, what a pair of enter and
// leave, alone and around 30 µs of work, and what MPI calls cost with and
// without their wrappers. The regions are put in by hand, since they are too
// small to be instrumented.
const overheadC = `
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
static struct auspex_region outer = {"outer", "overhead.c", 1, 1, -1}, a = {"a", "overhead.c", 2, 1, -1}, b = {"b", "overhead.c", 3, 1, -1};
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e9 + t.tv_nsec; }
enum { N = 2000, TRIES = 1000, FEW = 10 }; /* short enough to run undisturbed once */
static double best(void (*f)(void), int n)
{
    double least = 1e30;
    for (int i = 0; i < TRIES; i++) {
        double t = now();
        f();
        t = now() - t;
        if (t < least) least = t;
    }
    return least / n;
}
static volatile uint64_t sink;
static void clocks(void) { for (int i = 0; i < N; i++) sink = __builtin_ia32_rdtsc(); }
static void pairs(void)
{
    for (int i = 0; i < N / 2; i++) {
        auspex_enter(&a); auspex_leave(&a);
        auspex_enter(&b); auspex_leave(&b);
    }
}
static void work(void) { for (int i = 0; i < 60000; i++) __asm__ volatile("" : "+r"(i)); }
static void bare(void) { for (int i = 0; i < FEW; i++) work(); }
static void around(void) { for (int i = 0; i < FEW; i++) { auspex_enter(&a); work(); auspex_leave(&a); } }
static char byte, other;
static MPI_Request r[2];
#define W MPI_COMM_WORLD
#define BOTH(name, text) static void P##name(void) { for (int i = 0; i < N; i++) { text(P) } } static void name(void) { for (int i = 0; i < N; i++) { text() } }
#define SEND(p) p##MPI_Send(&byte, 1, MPI_CHAR, MPI_PROC_NULL, 0, W);
#define SENDRECV(p) p##MPI_Sendrecv(&byte, 1, MPI_CHAR, 0, 0, &other, 1, MPI_CHAR, 0, 0, W, MPI_STATUS_IGNORE);
#define NONBLOCKING(p) p##MPI_Irecv(&other, 1, MPI_CHAR, 0, 0, W, &r[0]); p##MPI_Isend(&byte, 1, MPI_CHAR, 0, 0, W, &r[1]); p##MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
#define ALLREDUCE(p) p##MPI_Allreduce(&byte, &other, 1, MPI_CHAR, MPI_MAX, W);
BOTH(send, SEND)
BOTH(sendrecv, SENDRECV)
BOTH(nonblocking, NONBLOCKING)
BOTH(allreduce, ALLREDUCE)
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    auspex_enter(&outer);
    printf("%g %g %g ", best(clocks, N), best(pairs, N), best(around, FEW) - best(bare, FEW));
    printf("%g %g %g %g\n", best(send, N) - best(Psend, N), best(sendrecv, N) - best(Psendrecv, N),
        (best(nonblocking, N) - best(Pnonblocking, N)) / 3, best(allreduce, N) - best(Pallreduce, N));
    auspex_leave(&outer);
    MPI_Finalize();
    return 0;
}
`

// BenchmarkOverhead prints nanoseconds of a clock read, of a pair of enter and
// leave with wall and CPU time, of a pair around 30 µs of work, for which the
// CPU clock is read twice, and of the wrappers of MPI calls. The pair may cost
// two clock reads and 10 ns, a wrapper 150 ns.
func BenchmarkOverhead(b *testing.B) {
	for _, m := range mpis {
		b.Run(strings.ReplaceAll(m.name, " ", ""), func(b *testing.B) {
			need(b, m.cc, m.run[0])
			exe := build(b, m.cc, "overhead.c", stubText(nil)+overheadC)
			var clock, pair, around float64
			var wrappers [4]float64
			for b.Loop() {
				_, out := measure(b, m.ranks("1", exe)...)
				if _, err := fmt.Sscan(out, &clock, &pair, &around, &wrappers[0], &wrappers[1], &wrappers[2], &wrappers[3]); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
			}
			b.ReportMetric(clock, "ns/clock")
			b.ReportMetric(pair, "ns/pair")
			b.ReportMetric(pair-2*clock, "ns/pair-beyond-clocks")
			b.ReportMetric(around, "ns/long-pair")
			for i, name := range []string{"Send", "Sendrecv", "Irecv-Isend-Waitall", "Allreduce"} {
				b.ReportMetric(wrappers[i], "ns/"+name)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func build(b *testing.B, compiler, name, text string) string {
	b.Helper()
	dir := write(b, map[string]string{name: text})
	exe := filepath.Join(dir, strings.TrimSuffix(name, ".c"))
	if out, err := command(compiler, "-O2", filepath.Join(dir, name), "-o", exe); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return exe
}

// thousandC enters a thousand regions, each from ten others, and prints by how
// many bytes it grew.
const thousandC = `
#include <stdio.h>
#include <unistd.h>
static struct auspex_region list[1000];
static char names[1000][40];
static long resident(void)
{
    long all = 0, here = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &all, &here) != 2) here = 0;
    fclose(f);
    return here * sysconf(_SC_PAGESIZE);
}
int main(void)
{
    for (int i = 0; i < 1000; i++) {
        snprintf(names[i], sizeof names[i], "module::procedure_number_%d", i);
        list[i] = (struct auspex_region){names[i], "some/directory/source_file.f90", 10 * i, 1, -1};
    }
    long before = resident();
    for (int turn = 0; turn < 10; turn++)
        for (int i = 0; i < 1000; i++) {
            auspex_enter(&list[(i + turn + 1) % 1000]); auspex_enter(&list[i]);
            auspex_leave(&list[i]); auspex_leave(&list[(i + turn + 1) % 1000]);
        }
    printf("%ld\n", resident() - before);
    return 0;
}
`

// BenchmarkOverheadMemory prints how much a process grows by a thousand regions
// on eleven thousand call paths. It may be 8 MiB.
func BenchmarkOverheadMemory(b *testing.B) {
	need(b, "gcc")
	exe := build(b, "gcc", "thousand.c", stubText(nil)+thousandC)
	grown := 0.0
	for b.Loop() {
		_, out := measure(b, exe)
		if _, err := fmt.Sscan(out, &grown); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
	b.ReportMetric(grown/(1<<20), "MiB/thousand-regions")
	b.ReportMetric(0, "ns/op")
}

// loopC is a regular loop of so many events; it prints the CPU time it took.
const loopC = `#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    clock_t start = clock();
    for (int i = atoi(argv[1]); i > 0; i--)
        MPI_Barrier(MPI_COMM_WORLD);
    printf("%g\n", (double)(clock() - start) / CLOCKS_PER_SEC);
    MPI_Finalize();
    return 0;
}
`

// BenchmarkOverheadTrace records a regular loop of ten million events. Its trace
// may take 1 MiB.
func BenchmarkOverheadTrace(b *testing.B) {
	const events = 10_000_000
	for _, m := range mpis {
		b.Run(strings.ReplaceAll(m.name, " ", ""), func(b *testing.B) {
			need(b, m.cc, m.run[0])
			exe := build(b, m.cc, "loop.c", loopC)
			file := filepath.Join(b.TempDir(), "loop.trace")
			var plain, recorded float64
			var size int64
			for b.Loop() {
				_, text := measure(b, m.ranks("1", exe, fmt.Sprint(events))...)
				var out bytes.Buffer
				r := Runner{Command: m.ranks("1", exe, fmt.Sprint(events)), Dir: b.TempDir(), Cache: testCache(), Trace: file, Out: &out, Err: &out}
				if _, err := r.Run(context.Background()); err != nil {
					b.Fatalf("%v\n%s", err, out.String())
				}
				info, err := os.Stat(file)
				if err != nil {
					b.Fatal(err)
				}
				size = info.Size()
				if _, err := fmt.Sscan(text+out.String(), &plain, &recorded); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(size), "bytes/trace")
			b.ReportMetric((recorded-plain)/events*1e9, "ns/event-recorded")
			b.ReportMetric(0, "ns/op")
		})
	}
}
