/* Neighbours in the topology of a communicator. Part of mpi.c.
 *
 * A collective of neighbours is traced as the messages that both Open MPI and MPICH
 * make of it: receives from all sources and sends to all destinations begin at once,
 * and then all are waited for. */

/* Sources, and after them destinations, as ranks of the communicator. */
struct neighbours { int in, out, grid; int rank[]; };

static struct neighbours *neighbours_room(int in, int out)
{
    struct neighbours *n = malloc(sizeof *n + (size_t)(in + out) * sizeof n->rank[0]);
    if (n)
        *n = (struct neighbours){.in = in, .out = out};
    return n;
}

static struct neighbours *in_grid(MPI_Comm comm)
{
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    struct neighbours *n = neighbours_room(2 * dimensions, 2 * dimensions);
    if (!n)
        return NULL;
    n->grid = 1;
    for (int d = 0; d < dimensions; d++)
        PMPI_Cart_shift(comm, d, 1, &n->rank[2 * d], &n->rank[2 * d + 1]);
    memcpy(n->rank + n->in, n->rank, (size_t)n->in * sizeof n->rank[0]);
    return n;
}

static struct neighbours *in_graph(MPI_Comm comm, int me)
{
    int count = 0;
    PMPI_Graph_neighbors_count(comm, me, &count);
    struct neighbours *n = neighbours_room(count, count);
    if (!n)
        return NULL;
    PMPI_Graph_neighbors(comm, me, count, n->rank);
    memcpy(n->rank + count, n->rank, (size_t)count * sizeof n->rank[0]);
    return n;
}

static struct neighbours *in_dist_graph(MPI_Comm comm)
{
    int in = 0, out = 0, weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    struct neighbours *n = neighbours_room(in, out);
    int *weights = malloc((size_t)(in + out + 1) * sizeof *weights);
    if (n && weights)
        PMPI_Dist_graph_neighbors(comm, in, n->rank, weights, out, n->rank + in, weights + in);
    else {
        free(n);
        n = NULL;
    }
    free(weights);
    return n;
}

/* A communicator with its neighbours; NULL where these are not known. */
static struct communicator *with_neighbours(MPI_Comm comm)
{
    struct communicator *c = communicator(comm);
    int kind = MPI_UNDEFINED;
    if (c && !c->near) {
        PMPI_Topo_test(comm, &kind);
        c->near = kind == MPI_CART ? in_grid(comm) : kind == MPI_GRAPH ? in_graph(comm, c->me) : kind == MPI_DIST_GRAPH ? in_dist_graph(comm) : NULL;
    }
    return c && c->near ? c : NULL;
}

/* A collective of neighbours, with the bytes that come from each source and go to each
 * destination. In a grid, what is sent one way comes from the other: where a rank is both
 * neighbours, that tells its messages apart. */
static void near_by(struct thread *t, struct communicator *c, const int64_t *bytes)
{
    const struct neighbours *n = c ? c->near : NULL;
    struct parts *p = n ? malloc(sizeof *p + (size_t)(n->in + n->out) * sizeof p->part[0]) : NULL;
    if (!p) {
        if (!begun)
            untold(t);
        return;
    }
    p->n = 0;
    for (int i = 0; i < n->in + n->out; i++) {
        int send = i >= n->in, way = !n->grid ? 0 : send ? (i - n->in) ^ 1 : i;
        if (n->rank[i] != MPI_PROC_NULL)
            p->part[p->n++] = (struct part){known_as(c, n->rank[i]), send, NEAR_TAG + way, bytes[i]};
    }
    if (begun)
        begin_request(t, c->id, p);
    else {
        tell_parts(t, c->id, p);
        free(p);
    }
}
