#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* A ring of ranks: each hands a border to both neighbours, STEPS times. */
static double *mine, *theirs;
static int n, me, left, right;
static MPI_Comm ring;
static MPI_Win win;
static MPI_Group both;

static void point(void)
{
    MPI_Request q[4];
    MPI_Irecv(theirs, n, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, q);
    MPI_Irecv(theirs + n, n, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, q + 1);
    MPI_Isend(mine, n, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, q + 2);
    MPI_Isend(mine + n, n, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, q + 3);
    MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
}
static void neighbours(void)
{
    int counts[2] = {n, n};
    MPI_Aint at[2] = {0, n * (MPI_Aint)sizeof(double)};
    MPI_Datatype types[2] = {MPI_DOUBLE, MPI_DOUBLE};
    MPI_Neighbor_alltoallw(mine, counts, at, types, theirs, counts, at, types, ring);
}
static void puts_(void)
{
    MPI_Put(mine, n, MPI_DOUBLE, left, n, n, MPI_DOUBLE, win);
    MPI_Put(mine + n, n, MPI_DOUBLE, right, 0, n, MPI_DOUBLE, win);
}
static void fence(void) { puts_(); MPI_Win_fence(0, win); }
static void pscw(void)
{
    MPI_Win_post(both, 0, win);
    MPI_Win_start(both, 0, win);
    puts_();
    MPI_Win_complete(win);
    MPI_Win_wait(win);
}
static void get(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, left, 0, win);
    MPI_Get(theirs, n, MPI_DOUBLE, left, n, n, MPI_DOUBLE, win);
    MPI_Win_flush(left, win);
    MPI_Win_unlock(left, win);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    MPI_Get(theirs + n, n, MPI_DOUBLE, right, 0, n, MPI_DOUBLE, win);
    MPI_Win_flush(right, win);
    MPI_Win_unlock(right, win);
    MPI_Barrier(MPI_COMM_WORLD);
}
int main(int argc, char **argv)
{
    struct { const char *name; void (*step)(void); } ways[] = {{"point", point}, {"neighbours", neighbours}, {"fence", fence}, {"pscw", pscw}, {"get", get}};
    MPI_Init(&argc, &argv);
    int size, yes = 1, steps = atoi(argv[3]);
    n = atoi(argv[2]);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (me + size - 1) % size, right = (me + 1) % size;
    mine = calloc(2 * n, sizeof *mine), theirs = calloc(2 * n, sizeof *theirs);
    double *window = strcmp(argv[1], "get") ? theirs : mine;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &yes, 0, &ring);
    MPI_Win_create(window, 2 * n * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    int of[2] = {left, right};
    MPI_Group all;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, left == right ? 1 : 2, of, &both);
    MPI_Win_fence(0, win);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (!strcmp(ways[i].name, argv[1])) {
            ways[i].step();
            MPI_Barrier(MPI_COMM_WORLD);
            double begin = MPI_Wtime();
            for (int k = 0; k < steps; k++)
                ways[i].step();
            MPI_Barrier(MPI_COMM_WORLD);
            if (!me) printf("%s %d %.6f\n", argv[1], n, (MPI_Wtime() - begin) / steps);
        }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
}
