package launch

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"auspex/trace"
)

func TestTrace(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		dir := write(t, map[string]string{"talk.c": `#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, counts[3] = {1, 2, 3}, at[3] = {0, 1, 3};
    double a[100] = {0}, b[100];
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 1000; i++) {
        MPI_Request r[2];
        volatile double s = 0;
        for (int k = 0; k < 1000; k++)
            s += k;
        MPI_Irecv(b, 100, MPI_DOUBLE, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(a, 50, MPI_DOUBLE, (rank + 1) % size, 3, MPI_COMM_WORLD, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        if (i % 10 == 9)
            MPI_Allreduce(a, b, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Bcast(a, 3, MPI_INT, 0, half);
    MPI_Allgatherv(a, counts[rank], MPI_INT, b, counts, at, MPI_INT, MPI_COMM_WORLD);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
`})
		exe := filepath.Join(dir, "talk")
		mustCompile(t, m.cc, "-std=c99", "-g", "-O1", "-Wno-stringop-overflow", filepath.Join(dir, "talk.c"), "-o", exe)
		var out bytes.Buffer
		file := filepath.Join(dir, "talk.trace")
		r := Runner{Command: m.ranks("3", exe), Dir: t.TempDir(), Cache: testCache(), Trace: file, Out: &out, Err: &out}
		result, err := r.Run(context.Background())
		if err != nil || result.Status != 0 {
			t.Fatalf("%v\n%s", err, out.String())
		}
		tr, err := trace.Open(context.Background(), file, 0)
		if err != nil {
			t.Fatalf("%v; notes %q", err, result.Experiment.Notes)
		}
		if tr.NP() != 3 {
			t.Fatalf("%d ranks", tr.NP())
		}
		stat, err := trace.Summarize(context.Background(), tr)
		if err != nil {
			t.Fatal(err)
		}
		// Each rank's 1000 turns are an Irecv, an Isend and two waits, and a
		// tenth of them reduces.
		for kind, want := range map[string]int64{"isend": 3000, "irecv": 3000, "wait": 6000, "allreduce": 300, "bcast": 3, "allgatherv": 3, "comm_split": 3, "init": 3, "finalize": 3} {
			if got := stat.Kinds[kind]; got != want {
				t.Errorf("%d of %s, want %d (%v)", got, kind, want, stat.Kinds)
			}
		}
		for rank := range 3 {
			if stat.Sent[rank] != 1000*400 || stat.Compute[rank] <= 0 {
				t.Errorf("rank %d sent %d bytes and computed %g ns", rank, stat.Sent[rank], stat.Compute[rank])
			}
		}
		if stat.Bytes > 20000 { // half a byte an action, its region and place included
			t.Errorf("%d actions take %d bytes: not folded", stat.Actions, stat.Bytes)
		}
		// Every call stands where the source has it.
		lines := map[trace.Kind]int32{trace.Irecv: 17, trace.Isend: 18, trace.Wait: 19, trace.Allreduce: 21,
			trace.CommSplit: 23, trace.Bcast: 24, trace.Allgatherv: 25, trace.Finalize: 27}
		var a trace.Action
		file, line := "", int32(0)
		for c := tr.Cursor(1); c.Next(&a); {
			switch want, known := lines[a.Kind]; {
			case a.Kind == trace.Location:
				file, line = a.File, a.Tag
			case known && (line != want || filepath.Base(file) != "talk.c"):
				t.Fatalf("%v stands at %s:%d, want line %d", a.Kind, file, line, want)
			case a.Kind == trace.Allreduce && (a.Count != 2 || a.Type != trace.Double):
				t.Fatalf("two doubles are reduced, not %d elements of type %d", a.Count, a.Type)
			}
		}
	})
}
