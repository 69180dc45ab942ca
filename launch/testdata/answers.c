/* Every rank prints what calls of all kinds gave it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };
static int me, np;
static int in[MOST * 4], out[MOST * 4];

static void say(const char *what, const int *list, int n)
{
    unsigned long sum = 5381;
    for (int i = 0; i < n; i++)
        sum = sum * 33 + (unsigned)list[i];
    printf("%02d %s %lu\n", me, what, sum);
}

static void from(const char *what, const MPI_Status *s)
{
    int n;
    MPI_Get_count(s, MPI_INT, &n);
    printf("%02d %s from %d tag %d count %d\n", me, what, s->MPI_SOURCE, s->MPI_TAG, n);
}

static void fresh(void)
{
    for (int i = 0; i < MOST * 4; i++)
        out[i] = 1000 * me + i, in[i] = -1;
}

static void messages(void)
{
    MPI_Status s, all[MOST];
    MPI_Request r[MOST];
    int right = (me + 1) % np, left = (me + np - 1) % np, flag = 0, index, some, at[MOST];
    MPI_Datatype columns;
    fresh();
    MPI_Sendrecv(out, 3, MPI_INT, right, 1, in, 10, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &s);
    from("sendrecv", &s);
    say("sendrecv", in, 10);
    MPI_Type_vector(5, 2, 4, MPI_INT, &columns);
    MPI_Type_commit(&columns);
    fresh();
    MPI_Irecv(in, 1, columns, left, 2, MPI_COMM_WORLD, r);
    MPI_Isend(out, 1, columns, right, 2, MPI_COMM_WORLD, r + 1);
    MPI_Type_free(&columns);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    say("vector", in, 20);
    /* From anyone, in the order of their coming. */
    fresh();
    if (me == 0) {
        for (int i = 1; i < np; i++) {
            MPI_Recv(in + i, 1, MPI_INT, MPI_ANY_SOURCE, 30, MPI_COMM_WORLD, &s);
            from("anyone", &s);
        }
        say("anyone", in, np);
    } else
        MPI_Send(out, 1, MPI_INT, 0, 30, MPI_COMM_WORLD);
    fresh();
    MPI_Isend(out, 2 + me, MPI_INT, right, 3, MPI_COMM_WORLD, r);
    while (!flag)
        MPI_Iprobe(left, 3, MPI_COMM_WORLD, &flag, &s);
    from("iprobe", &s);
    MPI_Probe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &s);
    MPI_Recv(in, MOST, MPI_INT, s.MPI_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(r, &s);
    say("probed", in, MOST);
    fresh();
    for (int i = 0; i < np; i++) {
        MPI_Irecv(in + i, 1, MPI_INT, i, 4, MPI_COMM_WORLD, r + i);
        MPI_Isend(out + i, 1, MPI_INT, i, 4, MPI_COMM_WORLD, r + np + i);
    }
    for (int left = 2 * np; left > 0;)
        if (left % 2) {
            MPI_Waitany(2 * np, r, &index, &s);
            printf("%02d any %d %d\n", me, index, index < np ? in[index] : 0);
            left--;
        } else {
            MPI_Waitsome(2 * np, r, &some, at, all);
            for (int i = 0; i < some; i++)
                printf("%02d some %d from %d\n", me, at[i], at[i] < np ? all[i].MPI_SOURCE : -1);
            left -= some;
        }
    MPI_Waitany(2 * np, r, &index, &s);
    say("none left", &index, 1);
    /* To be started again. */
    fresh();
    MPI_Recv_init(in, 4, MPI_INT, left, 5, MPI_COMM_WORLD, r);
    MPI_Send_init(out, 4, MPI_INT, right, 5, MPI_COMM_WORLD, r + 1);
    for (int turn = 0; turn < 3; turn++) {
        out[0] = turn;
        MPI_Startall(2, r);
        for (flag = 0; !flag;)
            MPI_Testall(2, r, &flag, all);
        say("persistent", in, 4);
        memset(in, 0, sizeof in);
        MPI_Wait(r, MPI_STATUS_IGNORE); /* not active: gives nothing */
        say("inactive", in, 4);
    }
    MPI_Request_free(r);
    MPI_Request_free(r + 1);
    MPI_Message found;
    fresh();
    MPI_Isend(out, 2 + me, MPI_INT, right, 31, MPI_COMM_WORLD, r);
    MPI_Isend(out + 9, 1 + me, MPI_INT, right, 32, MPI_COMM_WORLD, r + 1);
    MPI_Mprobe(MPI_ANY_SOURCE, 31, MPI_COMM_WORLD, &found, &s);
    from("mprobe", &s);
    MPI_Mrecv(in, MOST, MPI_INT, &found, &s);
    for (flag = 0; !flag;)
        MPI_Improbe(left, 32, MPI_COMM_WORLD, &flag, &found, &s);
    MPI_Imrecv(in + MOST, MOST, MPI_INT, &found, r + 2);
    for (flag = 0; !flag;)
        MPI_Request_get_status(r[2], &flag, &s);
    say("seen", in, 2 * MOST);
    MPI_Waitall(3, r, all);
    from("imrecv", all + 2);
    say("matched", in, 2 * MOST);
    MPI_Irecv(in, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, r);
    MPI_Cancel(r);
    MPI_Wait(r, &s);
    MPI_Test_cancelled(&s, &flag);
    say("cancelled", &flag, 1);
    MPI_Sendrecv(out, 1, MPI_INT, MPI_PROC_NULL, 6, in, 1, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD, &s);
    from("nobody", &s);
    MPI_Barrier(MPI_COMM_WORLD); /* so that no message before it is taken for one after */
}

static void collectives(MPI_Comm comm, const char *name)
{
    int n, rank, counts[MOST], places[MOST];
    MPI_Request r;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &rank);
    printf("%02d %s %d of %d\n", me, name, rank, n);
    for (int i = 0; i < n; i++)
        counts[i] = 1 + i % 2, places[i] = 2 * (n - 1 - i);
    fresh(); MPI_Bcast(rank == n - 1 ? out : in, 5, MPI_INT, n - 1, comm); say("bcast", in, 8);
    fresh(); MPI_Reduce(out, in, 4, MPI_INT, MPI_SUM, 0, comm); say("reduce", in, 8);
    fresh(); MPI_Allreduce(MPI_IN_PLACE, out, 4, MPI_INT, MPI_MAX, comm); say("allreduce", out, 8);
    fresh(); MPI_Scan(out, in, 4, MPI_INT, MPI_SUM, comm); say("scan", in, 8);
    fresh(); MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, 0, comm); say("gather", in, 2 * n + 2);
    fresh(); MPI_Gatherv(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, 0, comm); say("gatherv", in, 2 * n + 2);
    fresh(); MPI_Scatter(out, 2, MPI_INT, rank == 0 ? MPI_IN_PLACE : in, 2, MPI_INT, 0, comm); say("scatter", in, 4);
    fresh(); MPI_Scatterv(out, counts, places, MPI_INT, in, counts[rank], MPI_INT, 0, comm); say("scatterv", in, 4);
    fresh(); MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, out, 3, MPI_INT, comm); say("allgather", out, 3 * n + 1);
    fresh(); MPI_Allgatherv(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, comm); say("allgatherv", in, 2 * n + 2);
    fresh(); MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, comm); say("alltoall", in, 2 * n + 1);
    for (int i = 0; i < n; i++)
        counts[i] = 1 + (rank + i) % 2;
    fresh(); MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm); say("alltoallv", in, 2 * n + 1);
    MPI_Datatype types[MOST];
    for (int i = 0; i < n; i++)
        types[i] = MPI_INT, places[i] *= sizeof(int);
    fresh(); MPI_Alltoallw(out, counts, places, types, in, counts, places, types, comm); say("alltoallw", in, 2 * n + 1);
    for (int i = 0; i < n; i++)
        counts[i] = 1 + i % 3;
    fresh(); MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm); say("reduce_scatter", in, 5);
    fresh(); MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, comm); say("reduce_scatter_block", in, 5);
    fresh(); MPI_Iallgather(out, 2, MPI_INT, in, 2, MPI_INT, comm, &r); MPI_Wait(&r, MPI_STATUS_IGNORE); say("iallgather", in, 2 * n + 1);
    fresh(); MPI_Iallreduce(out, in, 2, MPI_INT, MPI_SUM, comm, &r);
    for (int done = 0; !done;)
        MPI_Test(&r, &done, MPI_STATUS_IGNORE);
    say("iallreduce", in, 3);
}

static void communicators(void)
{
    MPI_Comm half, copy, cart, row, pair;
    MPI_Group world, some;
    int dims[2] = {0, 0}, around[2] = {1, 0}, at[2], up, down, result, n, rank, list[2] = {0, np - 1}, *attribute, found, keep[2] = {0, 1}, key, inter;
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &half);
    collectives(half, "half");
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(half, key, &me);
    MPI_Comm_dup(half, &copy);
    MPI_Comm_get_attr(copy, key, &attribute, &found);
    printf("%02d attribute %d\n", me, found ? *attribute : -1);
    MPI_Comm_compare(half, copy, &result);
    printf("%02d like %d\n", me, result == MPI_CONGRUENT);
    MPI_Comm_free(&copy);
    MPI_Dims_create(np, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, around, 0, &cart);
    MPI_Cart_coords(cart, me, 2, at);
    MPI_Cart_shift(cart, 0, 1, &up, &down);
    printf("%02d at %d %d between %d %d\n", me, at[0], at[1], up, down);
    MPI_Cart_shift(cart, 1, 1, &up, &down);
    printf("%02d edge %d\n", me, up == MPI_PROC_NULL || down == MPI_PROC_NULL);
    fresh(); MPI_Neighbor_allgather(out, 2, MPI_INT, in, 2, MPI_INT, cart); say("neighbours", in, 10);
    MPI_Cart_sub(cart, keep, &row);
    collectives(row, "row");
    MPI_Comm_group(half, &world);
    MPI_Group_size(world, &n);
    MPI_Group_rank(world, &rank);
    printf("%02d group %d of %d\n", me, rank, n);
    MPI_Group_free(&world);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, list, &some);
    MPI_Comm_create(MPI_COMM_WORLD, some, &pair);
    printf("%02d in the pair %d\n", me, pair != MPI_COMM_NULL);
    if (pair != MPI_COMM_NULL)
        collectives(pair, "pair");
    MPI_Request r;
    MPI_Comm_idup(MPI_COMM_WORLD, &copy, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    collectives(copy, "copy");
    int sources[2] = {(me + 1) % np, (me + 2) % np}, targets[2] = {(me + np - 1) % np, (me + np - 2) % np}, got[2], to[2], outdegree, weighted;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, targets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &cart);
    MPI_Dist_graph_neighbors_count(cart, &n, &outdegree, &weighted);
    MPI_Dist_graph_neighbors(cart, 2, got, MPI_UNWEIGHTED, 2, to, MPI_UNWEIGHTED);
    printf("%02d of a graph %d %d %d %d\n", me, n, outdegree, got[0], to[1]);
    fresh(); MPI_Neighbor_alltoallv(out, (int[]){1, 2}, (int[]){0, 3}, MPI_INT, in, (int[]){1, 2}, (int[]){4, 0}, MPI_INT, cart); say("graph", in, 10);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &row);
    MPI_Comm_size(row, &n);
    printf("%02d on a node %d\n", me, n);
    MPI_Comm one;
    MPI_Comm_split(MPI_COMM_WORLD, me < np / 2, 0, &one);
    MPI_Intercomm_create(one, 0, MPI_COMM_WORLD, me < np / 2 ? np / 2 : 0, 7, &half);
    MPI_Comm_test_inter(half, &inter);
    MPI_Comm_remote_size(half, &n);
    fresh(); MPI_Allgather(out, 1, MPI_INT, in, 1, MPI_INT, half);
    printf("%02d between %d %d\n", me, inter, n); say("inter", in, MOST);
    fresh(); MPI_Bcast(me == 0 ? out : in, 3, MPI_INT, me == 0 ? MPI_ROOT : me < np / 2 ? MPI_PROC_NULL : 0, half); say("inter bcast", in, 5);
    MPI_Intercomm_merge(half, me < np / 2, &one);
    MPI_Comm_rank(one, &rank);
    printf("%02d merged %d\n", me, rank);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    messages();
    collectives(MPI_COMM_WORLD, "world");
    communicators();
    MPI_Finalize();
    return 0;
}
