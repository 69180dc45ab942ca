package launch

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"auspex/trace"
)

// TestPollingIsWaiting: a rank that sleeps briefly between looks for a message waits for
// it, and its naps are no pause of its own.
func TestPollingIsWaiting(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		dir := write(t, map[string]string{"poll.c": `#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int me, message = 1, there = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (me == 1) {
        usleep(300000);
        MPI_Send(&message, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(&message, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        while (!there) {
            usleep(1000);
            MPI_Test(&request, &there, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
`})
		exe, file := filepath.Join(dir, "poll"), filepath.Join(dir, "poll.trace")
		mustCompile(t, m.cc, "-std=gnu99", "-g", "-O1", filepath.Join(dir, "poll.c"), "-o", exe)
		var out bytes.Buffer
		r := Runner{Command: m.ranks("2", exe), Dir: t.TempDir(), Cache: testCache(), Trace: file, Out: &out, Err: &out}
		if result, err := r.Run(context.Background()); err != nil || result.Status != 0 {
			t.Fatalf("%v\n%s", err, out.String())
		}
		tr, err := trace.Open(t.Context(), file, 0)
		if err != nil {
			t.Fatal(err)
		}
		paused := make([]float64, tr.NP())
		regions := trace.NewRegions(tr)
		for rank := range paused {
			place := regions.Walk(tr, rank)
			var a trace.Action
			for _, ok := place.Next(&a); ok; _, ok = place.Next(&a) {
				if a.Kind == trace.Sleep {
					paused[rank] += a.Value
				}
			}
		}
		if paused[0] > 0.15 || paused[1] < 0.25 {
			t.Errorf("the rank that looks pauses for %g s, the one that is late for %g s", paused[0], paused[1])
		}
	})
}
