package launch

import (
	"path/filepath"
	"testing"
)

// callsC uses a function of each family once or a few times, on two ranks.
const callsC = `#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, flag, index, done[4], n, provided, counts[2] = {1, 2}, at[2] = {0, 1}, i;
    double a[10] = {0}, b[10];
    MPI_Request r[4];
    MPI_Status s[4];
    MPI_Message message;
    MPI_File f;
    MPI_Win w;
    MPI_Comm dup;
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int other = 1 - rank;
    /* persistent: 3 starts of 4 doubles, into room for 10 */
    MPI_Send_init(a, 4, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Recv_init(b, 10, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &r[1]);
    for (i = 0; i < 3; i++) {
        MPI_Startall(2, r);
        MPI_Waitall(2, r, s);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Sendrecv(a, 2, MPI_INT, other, 2, b, 10, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(a, 3, MPI_INT, other, 3, other, 3, MPI_COMM_WORLD, s);
    /* a send to nobody is no message */
    MPI_Send(a, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    /* completion one by one */
    MPI_Irecv(b, 10, MPI_CHAR, other, 4, MPI_COMM_WORLD, &r[0]);
    MPI_Issend(a, 5, MPI_CHAR, other, 4, MPI_COMM_WORLD, &r[1]);
    MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
    MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
    MPI_Irecv(b, 10, MPI_CHAR, other, 5, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(a, 6, MPI_CHAR, other, 5, MPI_COMM_WORLD, &r[1]);
    for (n = 0; n < 2;) {
        int some;
        MPI_Waitsome(2, r, &some, done, MPI_STATUSES_IGNORE);
        n += some;
    }
    MPI_Irecv(b, 10, MPI_CHAR, other, 6, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(a, 7, MPI_CHAR, other, 6, MPI_COMM_WORLD, &r[1]);
    do
        MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
    while (!flag);
    MPI_Irecv(b, 10, MPI_CHAR, other, 7, MPI_COMM_WORLD, &r[0]);
    MPI_Bsend(NULL, 0, MPI_CHAR, MPI_PROC_NULL, 7, MPI_COMM_WORLD);
    MPI_Isend(a, 8, MPI_CHAR, other, 7, MPI_COMM_WORLD, &r[1]);
    do
        MPI_Test(&r[0], &flag, s);
    while (!flag);
    MPI_Wait(&r[1], s);
    /* matched probe */
    MPI_Isend(a, 9, MPI_CHAR, other, 8, MPI_COMM_WORLD, &r[0]);
    MPI_Mprobe(other, 8, MPI_COMM_WORLD, &message, s);
    MPI_Mrecv(b, 10, MPI_CHAR, &message, s);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    /* collectives */
    MPI_Allgatherv(a, counts[rank], MPI_INT, b, counts, at, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(a, counts, at, MPI_INT, b, (int[]){counts[rank], counts[rank]}, (int[]){0, 4}, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallw(a, (int[]){1, 1}, (int[]){0, 8}, rank == 0 ? types : (MPI_Datatype[]){MPI_DOUBLE, MPI_DOUBLE}, b, (int[]){1, 1}, (int[]){0, 16},
        rank == 0 ? (MPI_Datatype[]){MPI_INT, MPI_DOUBLE} : (MPI_Datatype[]){MPI_DOUBLE, MPI_DOUBLE}, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 3, MPI_INT, MPI_COMM_WORLD);
    MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Iallreduce(a, b, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Barrier(dup);
    MPI_Comm_free(&dup);
    /* files and windows */
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    MPI_File_write_at(f, rank * 40, a, 5, MPI_DOUBLE, s);
    MPI_File_read_at_all(f, rank * 40, b, 5, MPI_DOUBLE, s);
    MPI_File_close(&f);
    MPI_Win_create(b, sizeof b, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_fence(0, w);
    MPI_Put(a, 2, MPI_DOUBLE, other, 0, 2, MPI_DOUBLE, w);
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
#if MPI_VERSION >= 4
    MPI_Allreduce_c(a, b, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#endif
    MPI_Finalize();
    return 0;
}
`

func TestCalls(t *testing.T) {
	eachMPI(t, func(t *testing.T, m mpi) {
		dir := write(t, map[string]string{"calls.c": callsC})
		exe := filepath.Join(dir, "calls")
		if out, err := command(m.cc, "-w", "-O1", filepath.Join(dir, "calls.c"), "-o", exe); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		r, out := measure(t, m.ranks("2", exe, filepath.Join(dir, "data"))...)
		if r.Status != 0 {
			t.Fatal(out)
		}
		type values = map[string]float64
		for name, want := range map[string]values{
			"Startall":         {"calls": 3, "messages": 3, "bytes_sent": 96},
			"Waitall":          {"bytes_received": 96},
			"Sendrecv":         {"messages": 1, "bytes_sent": 8, "bytes_received": 8},
			"Sendrecv_replace": {"messages": 1, "bytes_sent": 12, "bytes_received": 12},
			"Send":             {"calls": 1, "messages": 0, "bytes_sent": 0},
			"Issend":           {"bytes_sent": 5},
			"Waitany":          {"bytes_received": 5},
			"Waitsome":         {"bytes_received": 6},
			"Testall":          {"bytes_received": 7},
			"Test":             {"bytes_received": 8},
			"Mrecv":            {"bytes_received": 9},
			"Isend":            {"calls": 4, "messages": 4, "bytes_sent": 30},
			"Wait":             {"calls": 3, "bytes_received": 0},
			"Alltoallv":        {"collective_bytes": 12},
			"Allgather":        {"collective_bytes": 12},
			"Reduce_scatter":   {"collective_bytes": 12},
			"Iallreduce":       {"collective_bytes": 16},
			"File_write_at":    {"io_written": 40},
			"File_read_at_all": {"io_read": 40},
			"Put":              {"bytes_sent": 16},
			"Comm_dup":         {"calls": 1},
			"Mprobe":           {"calls": 1},
			"Win_fence":        {"calls": 2},
			"Init_thread":      {"calls": 1},
		} {
			for rank := range 2 {
				for metric, v := range want {
					if got := sumOfCall(t, r.Experiment, rank, "MPI_"+name, metric); got != v {
						t.Errorf("rank %d, %s: %s is %g, want %g", rank, name, metric, got, v)
					}
				}
			}
		}
		for rank, want := range []float64{12, 16} {
			if got := sumOfCall(t, r.Experiment, rank, "MPI_Alltoallw", "collective_bytes"); got != want {
				t.Errorf("rank %d: Alltoallw %g bytes, want %g", rank, got, want)
			}
			if got := sumOfCall(t, r.Experiment, rank, "MPI_Allgatherv", "collective_bytes"); got != float64(4*(rank+1)) {
				t.Errorf("rank %d: Allgatherv %g bytes", rank, got)
			}
		}
		if m.name == "MPICH" {
			if got := sumOfCall(t, r.Experiment, 0, "MPI_Allreduce_c", "collective_bytes"); got != 24 {
				t.Errorf("Allreduce_c: %g bytes", got)
			}
		}
	})
}
