package predict

import (
	"context"
	"strings"
	"testing"
)

// odd makes calls that few programs make: an MPI_Sendrecv that meets plain
// messages, matched probes, buffered sends in a ring, an exchange in which nobody
// knows who sends to it (Hoefler and others, 2010) with a barrier that does not
// block, a collective begun and waited for later, receives that are cancelled before
// others that would match, a communicator that only its members make, and sleep.
const odd = `#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static double a[200000], b[200000];
    static char room[1 << 22];
    int me, n, flag, entered = 0, done = 0;
    MPI_Request q, s;
    MPI_Message message;
    MPI_Status st;
    MPI_Comm first;
    MPI_Group all, one;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Buffer_attach(room, sizeof room);
    if (me == 0)
        MPI_Sendrecv(a, 30000, MPI_DOUBLE, 1, 11, b, 30000, MPI_DOUBLE, 1, 12, MPI_COMM_WORLD, &st);
    if (me == 1) {
        MPI_Recv(b, 30000, MPI_DOUBLE, 0, 11, MPI_COMM_WORLD, &st);
        MPI_Send(a, 30000, MPI_DOUBLE, 0, 12, MPI_COMM_WORLD);
    }
    MPI_Isend(a, 40000, MPI_DOUBLE, (me + 1) % n, 4, MPI_COMM_WORLD, &q);
    MPI_Mprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &message, &st);
    MPI_Mrecv(b, 40000, MPI_DOUBLE, &message, &st);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    MPI_Bsend(a, 50000, MPI_DOUBLE, (me + 1) % n, 5, MPI_COMM_WORLD);
    MPI_Recv(b, 50000, MPI_DOUBLE, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &st);
    MPI_Iallreduce(a, b, 20000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q);
    usleep(60000);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    MPI_Issend(a, 60000, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, &s);
    while (!done) {
        MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, &st);
        if (flag)
            MPI_Recv(b, 60000, MPI_DOUBLE, st.MPI_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (entered)
            MPI_Test(&q, &done, MPI_STATUS_IGNORE);
        else {
            MPI_Test(&s, &flag, MPI_STATUS_IGNORE);
            if (flag) {
                MPI_Ibarrier(MPI_COMM_WORLD, &q);
                entered = 1;
            }
        }
    }
    MPI_Irecv(b, 100, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &q);
    MPI_Cancel(&q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    MPI_Irecv(b, 100, MPI_DOUBLE, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &q);
    MPI_Cancel(&q);
    MPI_Request_free(&q);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Isend(a, 100, MPI_DOUBLE, (me + 1) % n, 9, MPI_COMM_WORLD, &q);
    MPI_Recv(b, 100, MPI_DOUBLE, (me + n - 1) % n, 9, MPI_COMM_WORLD, &st);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, (int[]){0}, &one);
    if (me == 0) {
        MPI_Comm_create_group(MPI_COMM_WORLD, one, 1, &first);
        MPI_Barrier(first);
    }
    MPI_Irecv(b, 100, MPI_DOUBLE, MPI_ANY_SOURCE, 11, MPI_COMM_WORLD, &q);
    MPI_Cancel(&q);
    MPI_Irecv(b, 100, MPI_DOUBLE, (me + 1) % n, 12, MPI_COMM_WORLD, &q);
    MPI_Cancel(&q);
    MPI_Finalize();
    return 0;
}
`

func TestOddCalls(t *testing.T) {
	eachMPI(t, func(t *testing.T, r Request) {
		r.Source, r.Method = tree(t, map[string]string{"p.c": odd}), Simple
		report, err := predictHere(t, context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		for rank, times := range report.Predictions[0].Ranks {
			if times.Sleep < 0.05 { // 60 ms at least
				t.Errorf("rank %d sleeps for %g s: %+v", rank, times.Sleep, times)
			}
		}
		if notes := strings.Join(report.Notes, "\n"); strings.Contains(notes, "as long as they took") || !strings.Contains(notes, "Receives for which no message comes are open") {
			t.Errorf("%q", notes)
		}
	})
}

// TestBlockedIsPredicted: a rank that waits for another program, here at a pipe, takes
// that long on any machine.
func TestBlockedIsPredicted(t *testing.T) {
	eachMPI(t, func(t *testing.T, r Request) {
		r.Source, r.Method = tree(t, map[string]string{"p.c": `#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int me, ends[2];
    char c;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (me == 1 && (pipe(ends) != 0 || fork() == 0)) {
        for (int i = 0; i < 5; i++) {
            usleep(60000);
            if (write(ends[1], "x", 1) != 1)
                break;
        }
        _exit(0);
    }
    for (int i = 0; i < 5; i++) {
        if (me == 1 && read(ends[0], &c, 1) != 1)
            return 1;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
`}), Simple
		report, err := predictHere(t, context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		if p := report.Predictions[0]; p.Predicted < 0.15 { // 0.3 s, less where the rank is woken late
			t.Errorf("predicted %.3f s", p.Predicted)
		}
	})
}
