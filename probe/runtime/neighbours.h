/* Collectives of neighbours. Part of mpi.c.
 *
 * One is traced as the messages that both Open MPI and MPICH make of it: receives from
 * all sources and sends to all destinations begin at once, and then all are waited for. */

/* A communicator with its neighbours; NULL where these are not known. */
static struct communicator *with_neighbours(MPI_Comm comm)
{
    struct communicator *c = communicator(comm);
    if (c && !c->near)
        c->near = answer_topology(comm);
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
