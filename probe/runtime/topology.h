/* Neighbours in the topology of a communicator. Part of mpi.c. */

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

static struct neighbours *in_graph(MPI_Comm comm)
{
    int me = 0, count = 0;
    PMPI_Comm_rank(comm, &me);
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

/* NULL where these are not known. */
static struct neighbours *topology(MPI_Comm comm)
{
    int kind = MPI_UNDEFINED;
    PMPI_Topo_test(comm, &kind);
    return kind == MPI_CART ? in_grid(comm) : kind == MPI_GRAPH ? in_graph(comm) : kind == MPI_DIST_GRAPH ? in_dist_graph(comm) : NULL;
}
