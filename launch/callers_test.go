package launch

import (
	"path/filepath"
	"testing"
)

// callersC comes to one MPI call, at one address of the stack, by different ways;
// with frames whose size changes, that are aligned anew, and by pointers.
const callersC = `#include <mpi.h>
#include <alloca.h>
#define NOINLINE __attribute__((noinline))
#define HELD(p) __asm__ volatile("" : : "r"(p) : "memory")
static volatile int sink;
NOINLINE static void meet(void) { MPI_Barrier(MPI_COMM_WORLD); sink++; }
NOINLINE static void left(void) { meet(); sink += 3; }
NOINLINE static void right(void) { meet(); sink += 2; }
NOINLINE static void sized(int n) { char *p = alloca(n); HELD(p); meet(); HELD(p); }
NOINLINE static void aligned(void) { char v[64] __attribute__((aligned(64))); HELD(v); meet(); HELD(v); }
NOINLINE static int deep(int n) { if (n == 0) meet(); else deep(n - 1); return sink++; }
NOINLINE static void both(void (*f)(void)) { f(); sink++; }
NOINLINE static void one(void) { MPI_Barrier(MPI_COMM_WORLD); MPI_Barrier(MPI_COMM_WORLD); sink++; }
NOINLINE static void shifted(int i) { if (i % 2) sized(16); else left(); sink++; }
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 60; i++) {
        left();
        right();
        sized(16 + 64 * (i % 5));
        aligned();
        deep(i % 60); /* deeper than what is kept of one call */
        both(i % 3 ? left : right);
        one();
        shifted(i);
    }
    MPI_Finalize();
    return 0;
}
`

// Calls that are told by the words on the stack stand where walking finds them.
func TestCallersKnownAgain(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		for _, frames := range []string{"-fomit-frame-pointer", "-fno-omit-frame-pointer"} {
			t.Run(frames, func(t *testing.T) {
				dir := write(t, map[string]string{"ways.c": callersC})
				exe := filepath.Join(dir, "ways")
				if out, err := command(m.cc, "-g", "-O2", frames, "-fno-optimize-sibling-calls", filepath.Join(dir, "ways.c"), "-o", exe); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				r, _ := byHand(t, m.ranks("1", exe)...)
				for path, calls := range map[string]float64{
					"ways/main/left/meet":          60,
					"ways/main/right/meet":         60,
					"ways/main/sized/meet":         60,
					"ways/main/aligned/meet":       60,
					"ways/main/deep/meet":          60,
					"ways/main/both/left/meet":     40,
					"ways/main/both/right/meet":    20,
					"ways/main/one":                120,
					"ways/main/shifted/left/meet":  30,
					"ways/main/shifted/sized/meet": 30,
				} {
					expect(t, r.Experiment, 0, path+"/MPI_Barrier", map[string]float64{"calls": calls})
				}
			})
		}
	})
}
