package predict

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"auspex/launch"
	"auspex/trace"
)

// uneven: rank 0 collects what the others compute, who all do the same.
const uneven = `#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static double x[4000];
static void work(int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 4000; j++)
            x[j] = 0.5 * x[j] + 1;
}
int main(int argc, char **argv)
{
    int rank, size;
    double sum = 0, own = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int k = 0; k < 20; k++) {
        if (rank > 0) {
            work(400);
            MPI_Send(&own, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        } else
            for (int i = 1; i < size; i++) {
                MPI_Recv(&own, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                sum += own;
            }
        MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    if (sum != 20 * (size - 1))
        abort();
    MPI_Finalize();
    return 0;
}
`

// TestAlonePrediction: of each kind of rank one is measured alone, and stands for the
// others.
func TestAlonePrediction(t *testing.T) {
	eachMPI(t, func(t *testing.T, r Request) {
		r.Source = tree(t, map[string]string{"p.c": uneven})
		r.Alone, r.Runs, r.Counts, r.Method = true, 1, []int{4}, Auto
		report, err := predictHere(t, context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Alone) != 1 || report.Alone[0].Why != "" {
			t.Fatalf("%+v, %q", report.Alone, report.Notes)
		}
		ranks := 0
		for _, k := range report.Alone[0].Kinds {
			ranks += len(k.Ranks)
			if k.Rank == 0 && len(k.Ranks) > 1 {
				t.Errorf("rank 0 stands for %v", k.Ranks)
			}
			if k.Rank > 0 && (k.Alone <= 0 || k.Alone > 3*k.Among || k.Alone < k.Among/3) {
				t.Errorf("%+v", k)
			}
		}
		if ranks != 4 || !strings.Contains(strings.Join(report.Notes, "\n"), "computation was measured alone: rank") {
			t.Errorf("%d ranks, %q", ranks, report.Notes)
		}
	})
}

// TestAloneRefused: a program that goes by the clock is not measured alone, and the
// computation of all ranks counts.
func TestAloneRefused(t *testing.T) {
	eachMPI(t, func(t *testing.T, r Request) {
		r.Source = tree(t, map[string]string{"p.c": `#include <mpi.h>
#include <time.h>
int main(int argc, char **argv)
{
    int n, all;
    struct timespec now;
    MPI_Init(&argc, &argv);
    clock_gettime(CLOCK_REALTIME, &now);
    n = 1 + now.tv_nsec / 1000 % 997;
    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
    clock_gettime(CLOCK_REALTIME, &now);
    for (int i = 0; i < n + now.tv_sec % 2 * 1000 + now.tv_nsec / 1000000; i++)
        MPI_Sendrecv(&n, 1, MPI_INT, MPI_PROC_NULL, 0, &all, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
`})
		r.Alone, r.Runs, r.Counts = true, 1, []int{2}
		report, err := predictHere(t, context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Alone) != 1 || len(report.Alone[0].Kinds) > 0 || !strings.Contains(report.Alone[0].Why, "call ") {
			t.Errorf("%+v", report.Alone)
		}
		if report.Predictions[0].Predicted <= 0 || !strings.Contains(strings.Join(report.Notes, "\n"), "no rank was measured alone") {
			t.Errorf("%+v, %q", report.Predictions[0], report.Notes)
		}
	})
}

// Calls that no record holds are told as that, not as none.
func TestAloneUnrecorded(t *testing.T) {
	need(t, "mpif90.mpich", "mpirun.mpich")
	r := request(t, map[string]string{"p.f90": `program p
  use mpi_f08
  implicit none
  integer :: n
  n = 1
  call MPI_Init()
  call MPI_Bcast(n, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call MPI_Finalize()
end program
`})
	r.Build, r.Run, r.Counts = "mpif90.mpich -O{opt} p.f90 -o p", "mpirun.mpich -n {np} ./p", []int{2}
	r.Alone, r.Runs = true, 1
	report, err := predictHere(t, context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Alone) != 1 || !strings.Contains(report.Alone[0].Why, "in a way that cannot be recorded") {
		t.Errorf("%+v", report.Alone)
	}
}

// program is a rank that computes for so long before each of its calls.
func program(rank int, kinds []trace.Kind, before ...float64) trace.Program {
	b := trace.NewBuilder(rank)
	for i, ns := range before {
		if ns > 0 {
			b.Add(&trace.Action{Kind: trace.Compute, Value: ns})
		}
		if i < len(kinds) {
			b.Add(&trace.Action{Kind: kinds[i], Count: int64(i)})
		}
	}
	return b.Program()
}

// TestAssignment: which computation a rank gets.
func TestAssignment(t *testing.T) {
	calls := []trace.Kind{trace.Barrier, trace.Wait, trace.Bcast}
	less := []trace.Kind{trace.Barrier, trace.Bcast}
	other := []trace.Kind{trace.Barrier, trace.Barrier}
	base := &trace.Trace{Nanoseconds: true, Programs: []trace.Program{
		program(0, calls, 100, 10, 100, 0), program(1, calls, 110, 0, 300, 0), program(2, less, 100, 110, 0), program(3, other, 400, 200, 0),
	}}
	alone := &trace.Trace{Nanoseconds: true, Programs: []trace.Program{program(0, calls, 50, 20, 35, 5)}}
	all := &taken{CutTrace: &launch.CutTrace{Trace: base}}
	a := &assignment{base: base, traces: []*taken{all}, kinds: []kind{{ranks: []int{0}, rank: 0}}, rounds: map[int][]*trace.Trace{}}
	if err := a.add(0, alone); err != nil {
		t.Fatal(err)
	}
	made := a.trace(base, 0)
	for rank, want := range [][]float64{
		{50, 20, 35, 5},
		{50 * 41.0 / 21, 20 * 41.0 / 21, 35 * 41.0 / 21, 5 * 41.0 / 21}, // computes so much longer
		{50, 55, 5},
		{400 * 110.0 / 210, 200 * 110.0 / 210, 0}, // other calls: by as much shorter
	} {
		var got []float64
		for _, blocks := range blocksOf(made, rank, true) {
			sum := 0.0
			for _, b := range blocks {
				sum += b.took
			}
			got = append(got, sum)
		}
		if len(got) != len(want) {
			t.Fatalf("rank %d: %v, want %v", rank, got, want)
		}
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-6 {
				t.Errorf("rank %d: %v, want %v", rank, got, want)
				break
			}
		}
		if where := differ(&trace.Trace{Programs: base.Programs[rank : rank+1]}, &trace.Trace{Programs: made.Programs[rank : rank+1]}, func(_, _ trace.Action) bool { return false }); where != "" {
			t.Error(where)
		}
	}
	if a.add(0, &trace.Trace{Programs: base.Programs[3:4]}) == nil {
		t.Error("a rank that made other calls alone is taken")
	}
}

// TestKinds: ranks of the same calls and about as much computation are of one kind; no
// more kinds than are measured, where their calls allow.
func TestKinds(t *testing.T) {
	same, other := []trace.Kind{trace.Barrier}, []trace.Kind{trace.Bcast}
	kinds := func(list ...trace.Program) []kind {
		return kindsOf([]*taken{{CutTrace: &launch.CutTrace{Trace: &trace.Trace{Programs: list}}}})
	}
	got := kinds(program(0, other, 100), program(1, same, 100), program(2, same, 105), program(3, same, 95.5), program(4, same, 150))
	if len(got) != 3 || len(got[0].ranks) != 3 || got[0].rank != 1 {
		t.Errorf("%+v", got)
	}
	var many []trace.Program
	for rank := range 16 {
		many = append(many, program(rank, same, math.Pow(1.2, float64(rank))))
	}
	if got := kinds(many...); len(got) > mostKinds || len(got) < 2 {
		t.Errorf("%+v", got)
	}
}

// TestAloneInterrupted: when a rank that runs alone is interrupted, nobody sleeps on, and
// its record is gone.
func TestAloneInterrupted(t *testing.T) {
	eachMPI(t, func(t *testing.T, r Request) {
		marks := t.TempDir()
		r.Source = tree(t, map[string]string{"p.c": `#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char path[4096];
    int rank;
    MPI_Init(&argc, &argv);
    if (getenv("AUSPEX_ANSWER")) {
        for (;;) {
            snprintf(path, sizeof path, "%s/alone", argv[1]);
            fclose(fopen(path, "w"));
            usleep(10000);
        }
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
`})
		r.Alone, r.Runs, r.Counts = true, 1, []int{3}
		r.Run += " " + marks
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		go func() {
			for ctx.Err() == nil {
				if _, err := os.Stat(filepath.Join(marks, "alone")); err == nil {
					cancel()
				}
				time.Sleep(10 * time.Millisecond)
			}
		}()
		if _, err := predictHere(t, ctx, r); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
			left := runningWith(t, marks)
			if len(left) == 0 {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("processes are left: %v", left)
			}
		}
	})
}

// runningWith are the processes that were given a word.
func runningWith(t *testing.T, word string) (list []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && strings.Contains(string(text), word) {
			list = append(list, strings.ReplaceAll(string(text), "\x00", " "))
		}
	}
	return list
}
