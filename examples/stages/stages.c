/* Two stages of work a step, shared among the ranks as the arguments say, with
 * an exchange after the first and a reduction after the second: a program whose
 * changes can be made from the command line, to hold promises against runs. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double field[4096];

/* A unit of work takes a few microseconds. */
static void first_stage(int units)
{
    for (int u = 0; u < units; u++)
        for (int i = 1; i < 4095; i++)
            field[i] += 0.25 * (field[i - 1] - 2 * field[i] + field[i + 1]) + 1e-9;
}

static void second_stage(int units)
{
    for (int u = 0; u < units; u++)
        for (int i = 1; i < 4095; i++)
            field[i] += 0.125 * (field[i - 1] - 2 * field[i] + field[i + 1]) + 2e-9;
}

/* left: a send that is waited for at the end of the step only, if there is one. */
static void exchange(int rank, int size, int chain, int isend, int bytes, char *out, char *in, MPI_Request *left)
{
    MPI_Request requests[2];
    if (chain) { /* each rank waits for the one before it */
        if (rank > 0)
            MPI_Recv(in, bytes, MPI_CHAR, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank < size - 1 && isend)
            MPI_Isend(out, bytes, MPI_CHAR, rank + 1, 1, MPI_COMM_WORLD, left);
        else if (rank < size - 1)
            MPI_Send(out, bytes, MPI_CHAR, rank + 1, 1, MPI_COMM_WORLD);
        return;
    }
    MPI_Irecv(in, bytes, MPI_CHAR, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_CHAR, (rank + 1) % size, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, size, steps = 100, bytes = 1000, numbers = 1, chain = 0, isend = 0;
    MPI_Request left = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int at = 1;
    if (argc > at && strcmp(argv[at], "--chain") == 0)
        chain = at++;
    if (argc > at && strcmp(argv[at], "--isend") == 0)
        isend = at++;
    if (argc - at < 2 * size) {
        if (rank == 0)
            fprintf(stderr, "usage: stages [--chain [--isend]] FIRST… SECOND… [steps [bytes [numbers]]], units of work of each rank in each stage\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int first = atoi(argv[at + rank]), second = atoi(argv[at + size + rank]);
    if (argc > at + 2 * size)
        steps = atoi(argv[at + 2 * size]);
    if (argc > at + 2 * size + 1)
        bytes = atoi(argv[at + 2 * size + 1]);
    if (argc > at + 2 * size + 2)
        numbers = atoi(argv[at + 2 * size + 2]);
    double *sum = calloc((size_t)numbers, sizeof *sum), *all = calloc((size_t)numbers, sizeof *all);
    char *out = calloc(1, (size_t)bytes + 1), *in = calloc(1, (size_t)bytes + 1);
    for (int s = 0; s < steps; s++) {
        first_stage(first);
        exchange(rank, size, chain, isend, bytes, out, in, &left);
        second_stage(second);
        if (isend)
            MPI_Wait(&left, MPI_STATUS_IGNORE);
        sum[0] += field[2048];
        MPI_Allreduce(sum, all, numbers, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("checksum %.6e\n", all[0]);
    free(sum);
    free(all);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
