package launch

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"auspex/trace"
)

// Each kind of parallel region works for so many ms of CPU time, ten times, between
// 5 ms of its rank alone and a barrier.
const teamsText = `#include <mpi.h>
#include <omp.h>
#include <stdlib.h>
#include <time.h>
static void work(double ms)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    double end = t.tv_sec + 1e-9 * t.tv_nsec + 1e-3 * ms;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    while (t.tv_sec + 1e-9 * t.tv_nsec < end);
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    omp_set_max_active_levels(2);
    omp_set_dynamic(0);
    for (int k = 0; k < 10; k++) {
        work(5);
        switch (atoi(argv[1])) {
        case 0:
#pragma omp parallel num_threads(4)
            {
                work(3);
#pragma omp barrier
                work(3);
            }
            break;
        case 1:
#pragma omp parallel num_threads(2)
            work(omp_get_thread_num() ? 16 : 4);
            break;
        case 2:
#pragma omp parallel num_threads(2)
#pragma omp single
            for (int i = 0; i < 6; i++)
#pragma omp task
                work(3);
            break;
        case 3:
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
            work(4);
            break;
        case 4:
#pragma omp parallel num_threads(2)
            {
                work(4);
#pragma omp master
                MPI_Barrier(MPI_COMM_WORLD);
                work(4);
            }
            break;
        case 5:
#pragma omp parallel for num_threads(2) schedule(dynamic)
            for (int i = 0; i < 4; i++)
                work(3);
#pragma omp parallel num_threads(1)
            work(2);
            break;
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
`

// TestTraceOfTeams: a trace tells what the threads of parallel regions worked together,
// apart from what their rank does alone, in runs with regions in them and without, and
// on a machine with fewer cores than threads.
func TestTraceOfTeams(t *testing.T) {
	const each = 10
	cases := []struct {
		name string
		// What a rank computes alone, what its teams work, and how long the longest of a
		// team's threads takes, in ms.
		alone, work, longest float64
	}{
		{"barrier", 5, 24, 6},
		{"uneven", 5, 20, 16},
		{"tasks", 5, 18, 9},
		{"nested", 5, 16, 4},
		{"MPI within", 13, 0, 0}, // the rank's own part and what it waits for its team
		{"two regions", 5, 14, 8},
	}
	eachMPI(t, func(t *testing.T, m mpi) {
		for _, compiler := range []string{"gcc", "clang"} {
			t.Run(compiler, func(t *testing.T) {
				need(t, compiler)
				t.Setenv("MPICH_CC", compiler)
				t.Setenv("OMPI_CC", compiler)
				dir := write(t, map[string]string{"teams.c": teamsText})
				exe := filepath.Join(dir, "teams")
				if out, err := command(m.cc, "-O1", "-w", "-fopenmp", filepath.Join(dir, "teams.c"), "-o", exe); err != nil {
					t.Skip(out)
				}
				os.Unsetenv("MPICH_CC")
				os.Unsetenv("OMPI_CC")
				for i, c := range cases {
					t.Run(c.name, func(t *testing.T) {
						var out bytes.Buffer
						file := filepath.Join(t.TempDir(), "teams.trace")
						r := Runner{Command: m.ranks("1", exe, string(rune('0'+i))), Dir: t.TempDir(), Cache: testCache(), Trace: file, Out: &out, Err: &out}
						if result, err := r.Run(context.Background()); err != nil || result.Status != 0 {
							t.Fatalf("%v\n%s", err, out.String())
						}
						tr, err := trace.Open(context.Background(), file, 0)
						if err != nil {
							t.Fatal(err)
						}
						alone, work, took, slept := typical(tr, each)
						t.Logf("alone %.2f, work %.2f, took %.2f, slept %.2f ms", alone, work, took, slept)
						if alone < 0.95*c.alone || c.work > 0 && alone > 1.3*c.alone+1 {
							t.Errorf("alone for %.2f ms, want %g", alone, c.alone)
						}
						if work < 0.9*c.work || work > 1.2*c.work+0.5 {
							t.Errorf("teams work for %.2f ms, want %g", work, c.work)
						}
						if took < 0.9*c.longest || c.work > 0 && took+slept > 1.3*c.longest+1 {
							t.Errorf("teams take %.2f ms, their longest thread %g", took, c.longest)
						}
					})
				}
			})
		}
	})
}

// typical is what a rank computes alone, what its teams work, how long they take and for
// how long the rank does neither between two barriers, in ms: the middle of so many times, since a rank may be without a
// core in some of them.
func typical(tr *trace.Trace, times int) (alone, work, took, slept float64) {
	var all [4][]float64
	var now [4]float64
	c := tr.Cursor(0)
	for a := (trace.Action{}); c.Next(&a); {
		switch {
		case a.Kind == trace.Compute && a.Cores > 1:
			now[1] += a.Value * a.Cores / 1e6
			now[2] += a.Value / 1e6
		case a.Kind == trace.Compute:
			now[0] += a.Value / 1e6
		case a.Kind == trace.Sleep:
			now[3] += 1e3 * a.Value
		case a.Kind == trace.Barrier:
			for i := range all {
				all[i] = append(all[i], now[i])
			}
			now = [4]float64{}
		}
	}
	steps := len(all[0]) / times // barriers of one
	for i := range all {
		sums := make([]float64, times)
		for k := range steps * times {
			sums[k/steps] += all[i][k]
		}
		slices.Sort(sums)
		now[i] = sums[times/2]
	}
	return now[0], now[1], now[2], now[3]
}
