package launch

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// overheadC times itself: what one clock read costs, what a pair of enter and
// leave, and what an MPI call costs with and without the wrapper. The regions
// are put in by hand, since they are too small to be instrumented.
const overheadC = `
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
static struct auspex_region outer = {"outer", "overhead.c", 1, 1, -1}, a = {"a", "overhead.c", 2, 1, -1}, b = {"b", "overhead.c", 3, 1, -1};
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e9 + t.tv_nsec; }
enum { N = 2000, TRIES = 2000 }; /* short enough to run undisturbed once */
static double best(void (*f)(void))
{
    double least = 1e30;
    for (int i = 0; i < TRIES; i++) {
        double t = now();
        f();
        t = now() - t;
        if (t < least) least = t;
    }
    return least / N;
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
static char byte;
static void wrapped(void) { for (int i = 0; i < N; i++) MPI_Send(&byte, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD); }
static void direct(void) { for (int i = 0; i < N; i++) PMPI_Send(&byte, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD); }
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    auspex_enter(&outer);
    printf("%g %g %g %g\n", best(clocks), best(pairs), best(wrapped), best(direct));
    auspex_leave(&outer);
    MPI_Finalize();
    return 0;
}
`

// BenchmarkOverhead prints nanoseconds of a clock read, of a pair of enter and
// leave with wall and CPU time, and of the wrapper of an MPI call. The pair may
// cost two clock reads and 10 ns, the wrapper 150 ns.
func BenchmarkOverhead(b *testing.B) {
	for _, m := range mpis {
		b.Run(strings.ReplaceAll(m.name, " ", ""), func(b *testing.B) {
			need(b, m.cc, m.run[0])
			dir := write(b, map[string]string{"overhead.c": stubText() + overheadC})
			exe := filepath.Join(dir, "overhead")
			if out, err := command(m.cc, "-O2", filepath.Join(dir, "overhead.c"), "-o", exe); err != nil {
				b.Fatalf("%v\n%s", err, out)
			}
			var clock, pair, wrapped, direct float64
			for b.Loop() {
				_, out := measure(b, m.ranks("1", exe)...)
				if _, err := fmt.Sscan(out, &clock, &pair, &wrapped, &direct); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
			}
			b.ReportMetric(clock, "ns/clock")
			b.ReportMetric(pair, "ns/pair")
			b.ReportMetric(pair-2*clock, "ns/pair-beyond-clocks")
			b.ReportMetric(wrapped-direct, "ns/mpi-wrapper")
			b.ReportMetric(0, "ns/op")
		})
	}
}
