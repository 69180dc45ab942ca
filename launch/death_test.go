package launch

import (
	"path/filepath"
	"strings"
	"testing"
)

// dieC ends one rank in a way chosen by the first argument.
const dieC = `#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static double spin(int n)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        s += i * 0.5;
        s *= 0.999;
    }
    return s;
}

static void fall(char how)
{
    volatile int *nowhere = 0;
    if (how == 'k') kill(getpid(), SIGKILL);
    if (how == 'a') MPI_Abort(MPI_COMM_WORLD, 5);
    if (how == 's') *nowhere = 1;
    if (how == 'e') exit(3);
}

int main(int argc, char **argv)
{
    int rank;
    double s = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 20; i++) {
        s += spin(10000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 1)
        fall(argv[1][0]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%g\n", s);
    MPI_Finalize();
    return 0;
}
`

func TestOneRankDies(t *testing.T) {
	tests := []struct{ name, how, want string }{
		{"killed", "k", "rank 1 was killed in die/main/fall"},
		{"aborted", "a", "rank 1 called MPI_Abort(5) in die/main/fall/MPI_Abort"},
		{"segmentation fault", "s", "rank 1 was ended by SIGSEGV in die/main/fall"},
		{"exit", "e", "rank 1 exited with status 3 in die/main/fall"},
	}
	eachMPI(t, func(t *testing.T, m mpi) {
		dir := write(t, map[string]string{"die.c": dieC})
		exe := filepath.Join(dir, "die")
		mustCompile(t, m.cc, "-O1", filepath.Join(dir, "die.c"), "-o", exe)
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				r, _ := measure(t, m.ranks("4", exe, test.how)...)
				if r.Status == 0 {
					t.Error("the exit status is 0")
				}
				e := r.Experiment
				if !strings.HasPrefix(e.Incomplete, test.want) {
					t.Errorf("incomplete: %q, want %q", e.Incomplete, test.want)
				}
				for rank := range 4 {
					expect(t, e, rank, "spin", map[string]float64{"calls": 20})
				}
				for rank := range 4 {
					// The others may or may not have reached the last one.
					if calls := value(t, e, rank, 0, "MPI_Barrier", "calls"); calls < 20 || calls > 21 || rank == 1 && calls != 20 {
						t.Errorf("rank %d entered %g barriers", rank, calls)
					}
				}
			})
		}
	})
}
