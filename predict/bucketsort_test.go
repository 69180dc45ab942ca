package predict

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// bucketsort ranks keys as the integer sort of the paper's experiments does: its
// loops stand between timers that are macros, what it sends follows from the
// data, its last iteration alone keeps results, and it checks itself at the end.
// Argument 1 is how many rankings.
const bucketsort = `#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include "watch.h"
#define KEYS (1 << 16)
#define BUCKETS 64
#define SHIFT 10
#define START(x) if (watching) watch_start(x)
#define STOP(x) if (watching) watch_stop(x)
static int watching, me, all, kept, passed;
static int keys[KEYS], sorted[2 * KEYS], got[2 * KEYS], size[BUCKETS], total[BUCKETS], at[BUCKETS];
static int scount[64], rcount[64], sdispl[64], rdispl[64];
static void rank(int turn, int turns)
{
    int i, j, sum, mine;
    START(1);
    if (me == 0) keys[turn % KEYS] = turn % KEYS;
    for (i = 0; i < BUCKETS; i++) size[i] = total[i] = 0;
    for (i = 0; i < KEYS; i++) size[keys[i] >> SHIFT]++;
    at[0] = 0;
    for (i = 1; i < BUCKETS; i++) at[i] = at[i - 1] + size[i - 1];
    for (i = 0; i < KEYS; i++) { int key = keys[i]; sorted[at[key >> SHIFT]++] = key; }
    STOP(1);
    MPI_Allreduce(size, total, BUCKETS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    sdispl[0] = 0;
    for (i = 0, j = 0, sum = 0, mine = 0; i < BUCKETS; i++) {
        sum += total[i];
        mine += size[i];
        if (sum >= (j + 1) * KEYS || i == BUCKETS - 1) {
            scount[j] = mine;
            if (j != 0) sdispl[j] = sdispl[j - 1] + scount[j - 1];
            j++;
            mine = 0;
        }
    }
    while (j < all) { scount[j] = 0; sdispl[j] = 0; j++; }
    MPI_Alltoall(scount, 1, MPI_INT, rcount, 1, MPI_INT, MPI_COMM_WORLD);
    rdispl[0] = 0;
    for (i = 1; i < all; i++) rdispl[i] = rdispl[i - 1] + rcount[i - 1];
    MPI_Alltoallv(sorted, scount, sdispl, MPI_INT, got, rcount, rdispl, MPI_INT, MPI_COMM_WORLD);
    if (turn == turns) kept = rdispl[all - 1] + rcount[all - 1];
}
static void check(void)
{
    int i, wrong = 0;
    for (i = 1; i < kept; i++)
        if (got[i - 1] >> SHIFT > got[i] >> SHIFT) wrong++;
    if (wrong > all) printf("%d are wrong\n", wrong); else passed++;
}
int main(int argc, char **argv)
{
    int i, turn, turns = argc > 1 ? atoi(argv[1]) : 40, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    for (i = 0; i < KEYS; i++) keys[i] = (int)((i * 2654435761u + (unsigned)me * 40503u) >> 16);
    rank(1, turns);
    watch_start(0);
    for (turn = 1; turn <= turns; turn++) {
        if (me == 0) printf("%d\n", turn);
        rank(turn, turns);
    }
    watch_stop(0);
    check();
    MPI_Reduce(&passed, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (me == 0) printf("%s in %f s\n", sum == all ? "sorted" : "not sorted", watch_read(0));
    MPI_Finalize();
    return 0;
}
`

var bucketsortFiles = map[string]string{
	"p.c":     bucketsort,
	"watch.h": "void watch_start(int n);\nvoid watch_stop(int n);\ndouble watch_read(int n);\n",
	"watch.c": `#include "watch.h"
#include <sys/time.h>
static double began[8], took[8];
static double now(void) { struct timeval t; gettimeofday(&t, 0); return t.tv_sec + 1e-6 * t.tv_usec; }
void watch_start(int n) { began[n] = now(); }
void watch_stop(int n) { took[n] += now() - began[n]; }
double watch_read(int n) { return took[n]; }
`,
}

// lineOf is the line of p.c that holds a text.
func lineOf(t *testing.T, text string) int {
	t.Helper()
	before, _, ok := strings.Cut(bucketsort, text)
	if !ok {
		t.Fatalf("there is no %q", text)
	}
	return 1 + strings.Count(before, "\n")
}

// What is decided of each loop before anything runs.
func TestBucketSortLoops(t *testing.T) {
	need(t, "mpicc.openmpi")
	decide := func(change func(*Request)) (*plan, error) {
		r := request(t, bucketsortFiles)
		r.Build, r.Method, r.Counts = "mpicc.openmpi -O{opt} p.c watch.c -o p", Auto, []int{2}
		change(&r)
		t.Setenv("AUSPEX_CACHE", testCache())
		w := &workshop{Request: &r, dir: t.TempDir(), noted: map[string]bool{}}
		return w.plan(context.Background())
	}
	method := func(p *plan, line int) Method {
		for _, l := range p.loops {
			if l.File == "p.c" && l.Line == line {
				return l.Method
			}
		}
		return ""
	}
	main, check, count := lineOf(t, "for (turn = 1"), lineOf(t, "for (i = 1; i < kept"), lineOf(t, "for (i = 0; i < KEYS; i++) size[")
	for _, test := range []struct {
		name               string
		change             func(*Request)
		main, check, count Method
	}{
		{"as it is", func(*Request) {}, Simple, Threshold, Simple},
		{"vouched for what is sent", func(r *Request) { r.AssumeFixed = true }, Threshold, Threshold, Simple},
		{"vouched for one loop", func(r *Request) { r.Vouched = []string{fmt.Sprintf("p.c:%d", main)} }, Threshold, Threshold, Simple},
		{"the macros unread", func(r *Request) { r.AssumeFixed, r.AsWritten = true, true }, Simple, Threshold, Simple},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := decide(test.change)
			if err != nil {
				t.Fatal(err)
			}
			if a, b, c := method(p, main), method(p, check), method(p, count); a != test.main || b != test.check || c != test.count {
				t.Errorf("%s %s %s, want %s %s %s: %+v", a, b, c, test.main, test.check, test.count, p.loops)
			}
			for _, c := range p.cuts {
				if c.Line == check && !c.Bound || c.Line == main && !c.Last {
					t.Errorf("%+v", c)
				}
			}
		})
	}
	for place, want := range map[string]string{"p.c:1": "loops begin on lines", "q.c:7": "no loop of that file"} {
		if _, err := decide(func(r *Request) { r.Vouched = []string{place} }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", place, err)
		}
	}
}

// With its main loop cut short the program still comes to its end, keeps what its
// last ranking gave, and leaves the calls of a whole run.
func TestBucketSortCut(t *testing.T) {
	eachMPI(t, func(t *testing.T, r Request) {
		r.Source = tree(t, bucketsortFiles)
		r.Build = strings.Replace(r.Build, "p.c", "p.c watch.c", 1)
		r.Method, r.AssumeFixed, r.Paper, r.Epsilon = Auto, true, t.Name() == "TestBucketSortCut/MPICH", busy
		report, err := predictHere(t, context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		main := loopOn(t, report, lineOf(t, "for (turn = 1"))
		if main.Method != Threshold || len(main.Cuts) != 1 {
			t.Fatalf("%+v", main)
		}
		if c := main.Cuts[0]; c.Iterations != 40 || c.Ran < 5 || len(c.Curve) == 0 || c.Why == "" && c.Ran == 40 {
			t.Errorf("%+v", c)
		}
		if r.Paper {
			return
		}
		if where := differ(traceOf(t, r, Simple), traceOf(t, r, Threshold), waits); where != "" && !strings.Contains(where, "alltoallv") {
			t.Errorf("the trace with the loop cut short is another: %s", where)
		}
	})
}

func TestThresholdCutsNothing(t *testing.T) {
	need(t, "gcc")
	r := request(t, map[string]string{"p.c": `#include <stdio.h>
static double work(double x) { for (int i = 0; i < 10; i++) x = x / 2 + 1; return x; }
int main(void) { double x = 1; for (int k = 0; k < 3; k++) x = work(x); printf("%f\n", x); return 0; }
`})
	r.Method = Threshold
	_, err := predictHere(t, context.Background(), r)
	if err == nil || !strings.Contains(err.Error(), "no loop was cut short") {
		t.Errorf("%v", err)
	}
}

func TestCurveLevels(t *testing.T) {
	points := curve([]float64{200, 120, 109, 104, 101.5, 100.5, 100})
	if points[3] != (CurvePoint{8, 104e-9}) {
		t.Errorf("%+v", points)
	}
	want := []ErrorLevel{{0.10, 4}, {0.05, 8}, {0.02, 16}, {0.01, 32}}
	for i, l := range levels(points) {
		if l != want[i] {
			t.Errorf("%+v, want %+v", l, want[i])
		}
	}
	if levels(points[:1]) != nil {
		t.Error("one point is no curve")
	}
	if list := levels(curve([]float64{100, 150, 300})); list != nil {
		t.Errorf("a curve that never came near its end before it is within %+v", list)
	}
}
