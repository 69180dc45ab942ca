package predict

import (
	"context"
	"strings"
	"testing"

	"auspex/trace"
)

var mpis = []struct{ name, cc, run string }{
	{"MPICH", "mpicc.mpich", "mpirun.mpich -n {np}"},
	{"Open MPI", "mpicc.openmpi", "mpirun.openmpi --allow-run-as-root --oversubscribe -n {np}"},
}

func eachMPI(t *testing.T, test func(t *testing.T, r Request)) {
	for _, m := range mpis {
		t.Run(m.name, func(t *testing.T) {
			need(t, m.cc, strings.Fields(m.run)[0])
			r := request(t, nil)
			r.Build, r.Run, r.Counts = m.cc+" -O{opt} p.c -o p", m.run+" ./p", []int{2}
			test(t, r)
		})
	}
}

// ring passes a block on in every turn, after some computation; argument 1 is how
// many turns.
const ring = `#include <mpi.h>
#include <stdlib.h>
#include <stdio.h>
#define SIZE 4000
static double block[2 * SIZE];
static void work(void)
{
    for (int i = 0; i < 200; i++)
        for (int j = 0; j < SIZE; j++)
            block[j] = 0.5 * block[j] + 1;
}
int main(int argc, char **argv)
{
    int rank, size, turns = argc > 1 ? atoi(argv[1]) : 1000;
    double sum = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int k = 0; k < turns; k++) {
        work();
        MPI_Sendrecv(block, SIZE, MPI_DOUBLE, (rank + 1) % size, 0, block + SIZE, SIZE, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        work();
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
`

// A loop with communication that is cut short leaves the trace of the whole one.
func TestThresholdMPI(t *testing.T) {
	eachMPI(t, func(t *testing.T, r Request) {
		r.Source = tree(t, map[string]string{"p.c": ring})
		simple, cut := both(t, r)
		near(t, simple, cut)
		loop := loopOn(t, cut, 19)
		if loop.Method != Threshold || len(loop.Cuts) != 1 || loop.Cuts[0].Iterations != 1000 || loop.Cuts[0].Ran >= 1000 || loop.Cuts[0].Deviation != 0 {
			t.Errorf("%+v", loop)
		}
		if cut.Predictions[0].Method != Threshold {
			t.Errorf("%+v", cut.Predictions[0])
		}
		if t.Name() != "TestThresholdMPI/MPICH" {
			return
		}
		if where := differ(traceOf(t, r, Simple), traceOf(t, r, Threshold), waits); where != "" {
			t.Errorf("the trace with the loop cut short is another: %s", where)
		}
	})
}

// traceOf takes one trace.
func traceOf(t *testing.T, r Request, m Method) *trace.Trace {
	t.Helper()
	ctx := context.Background()
	t.Setenv("AUSPEX_CACHE", testCache())
	r.Method, r.Epsilon = m, busy
	w := &workshop{Request: &r, dir: t.TempDir(), noted: map[string]bool{}}
	p, err := w.plan(ctx)
	if err != nil {
		t.Fatal(err)
	}
	b, err := w.buildFor(ctx, p, "1", 2)
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.take(ctx, b, 2, p.settings(&r))
	if err != nil {
		t.Fatal(err)
	}
	return got.Trace
}

// A loop that not all ranks run, or whose turns differ, is run whole.
func TestUnlikeTurns(t *testing.T) {
	eachMPI(t, func(t *testing.T, r Request) {
		text := strings.Replace(ring, "        MPI_Allreduce", "        if (block[0] > 1e9) MPI_Barrier(MPI_COMM_WORLD);\n        MPI_Allreduce", 1)
		r.Source = tree(t, map[string]string{"p.c": text})
		r.Method, r.Epsilon, r.Run = Auto, busy, r.Run+" 20"
		report, err := predictHere(t, context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		if l := loopOn(t, report, 19); l.Method != Simple {
			t.Errorf("%+v", l)
		}
		r.AssumeFixed = true
		if report, err = predictHere(t, context.Background(), r); err != nil {
			t.Fatal(err)
		}
		if l := loopOn(t, report, 19); l.Method == Threshold && !strings.Contains(l.Reason, "Assumed") {
			t.Errorf("%+v", l)
		}
	})
}

// Loops of one rank only: nobody to stop with.
func TestLoopOfOneRank(t *testing.T) {
	need(t, "mpicc.mpich", "mpirun.mpich")
	r := request(t, map[string]string{"p.c": strings.Replace(ring,
		"    for (int k = 0", "    if (rank < 2)\n    for (int k = 0", 1)})
	r.Build, r.Run, r.Counts, r.Method = "mpicc.mpich -O{opt} p.c -o p", "mpirun.mpich -n {np} ./p 20", []int{2}, Auto
	report, err := predictHere(t, context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if l := loopOn(t, report, 20); l.Method != Simple || !strings.Contains(l.Reason, "line 19 decides which ranks run it") {
		t.Errorf("%+v", l)
	}
}

func TestBadMPIPrograms(t *testing.T) {
	eachMPI(t, func(t *testing.T, r Request) {
		head := "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\nint main(int argc, char **argv) { int rank; MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
		for _, test := range []struct{ name, body, failure, note string }{
			{"one rank dies", "if (rank == 1) abort(); MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); return 0; }", "status", ""},
			{"never the same", "struct timespec t; clock_gettime(CLOCK_REALTIME, &t); int n = 1 + t.tv_nsec % 100000; double *x = calloc(n, 8); MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD); x = realloc(x, 8 * n); MPI_Bcast(x, n, MPI_DOUBLE, 0, MPI_COMM_WORLD); MPI_Finalize(); return 0; }", "", "not do the same in every run"},
			{"files", "MPI_File f; MPI_File_open(MPI_COMM_WORLD, \"out\", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &f); MPI_File_write_at_all(f, rank * 4, &rank, 1, MPI_INT, MPI_STATUS_IGNORE); MPI_File_close(&f); MPI_Finalize(); return 0; }", "", "uses MPI's files: on every platform the calls count as long as they took here"},
		} {
			t.Run(test.name, func(t *testing.T) {
				r := r
				r.Source, r.Method, r.Runs = tree(t, map[string]string{"p.c": head + test.body}), Simple, 2
				report, err := predictHere(t, context.Background(), r)
				switch {
				case test.failure != "":
					if err == nil || !strings.Contains(err.Error(), test.failure) {
						t.Errorf("%v", err)
					}
				case err != nil:
					t.Error(err)
				case !strings.Contains(strings.Join(report.Notes, "\n"), test.note):
					t.Errorf("%q", report.Notes)
				}
			})
		}
	})
}

func TestSpawn(t *testing.T) {
	eachMPI(t, func(t *testing.T, r Request) {
		r.Source = tree(t, map[string]string{"p.c": `#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Comm parent, child;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn("./p", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child, MPI_ERRCODES_IGNORE);
    MPI_Finalize();
    return 0;
}
`})
		_, err := predictHere(t, context.Background(), r)
		if err == nil || !strings.Contains(err.Error(), "MPI_Comm_spawn") {
			t.Errorf("%v", err)
		}
	})
}

func TestWrongNumberOfRanks(t *testing.T) {
	eachMPI(t, func(t *testing.T, r Request) {
		r.Source = tree(t, map[string]string{"p.c": ring})
		r.Run, r.Counts = strings.Replace(r.Run, "{np}", "2", 1)+" {np}0", []int{3}
		_, err := predictHere(t, context.Background(), r)
		if err == nil || !strings.Contains(err.Error(), "2 ranks, not with 3") {
			t.Errorf("%v", err)
		}
	})
}
