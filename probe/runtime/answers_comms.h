/* Communicators of a rank that is recorded or answered. Part of answers.h. */

/* One that a rank alone has made is a copy of MPI_COMM_SELF, with what it would be kept
 * here. */
static struct known { MPI_Comm handle; int me, size, inter, remote, *world, *world_remote; struct neighbours *near; } *known;
static int known_count, known_room;

static struct known *known_comm(MPI_Comm handle)
{
    for (int i = known_count; i-- > 0;)
        if (known[i].handle == handle)
            return &known[i];
    return NULL;
}

static int answer_Comm_rank(MPI_Comm comm, int *rank)
{
    struct known *k = known_comm(comm);
    if (!k)
        return PMPI_Comm_rank(comm, rank);
    *rank = k->me;
    return MPI_SUCCESS;
}

static int answer_Comm_size(MPI_Comm comm, int *size)
{
    struct known *k = known_comm(comm);
    if (!k)
        return PMPI_Comm_size(comm, size);
    *size = k->size;
    return MPI_SUCCESS;
}

static int answer_Comm_test_inter(MPI_Comm comm, int *flag)
{
    struct known *k = known_comm(comm);
    if (!k)
        return PMPI_Comm_test_inter(comm, flag);
    *flag = k->inter;
    return MPI_SUCCESS;
}

static int answer_Comm_remote_size(MPI_Comm comm, int *size)
{
    struct known *k = known_comm(comm);
    if (!k)
        return PMPI_Comm_remote_size(comm, size);
    *size = k->remote;
    return MPI_SUCCESS;
}

static int group_of(const int *ranks, int n, MPI_Group *group)
{
    MPI_Group all;
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    int result = PMPI_Group_incl(all, n, (int *)ranks, group);
    PMPI_Group_free(&all);
    return result;
}

static int answer_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    struct known *k = known_comm(comm);
    return k ? group_of(k->world, k->size, group) : PMPI_Comm_group(comm, group);
}

static int answer_Comm_remote_group(MPI_Comm comm, MPI_Group *group)
{
    struct known *k = known_comm(comm);
    return k ? group_of(k->world_remote, k->remote, group) : PMPI_Comm_remote_group(comm, group);
}

static int answer_Comm_compare(MPI_Comm a, MPI_Comm b, int *result)
{
    MPI_Group one, other;
    if (!known_comm(a) && !known_comm(b))
        return PMPI_Comm_compare(a, b, result);
    *result = MPI_IDENT;
    if (a == b)
        return MPI_SUCCESS;
    answer_Comm_group(a, &one);
    answer_Comm_group(b, &other);
    PMPI_Group_compare(one, other, result);
    PMPI_Group_free(&one);
    PMPI_Group_free(&other);
    if (*result == MPI_IDENT)
        *result = MPI_CONGRUENT;
    return MPI_SUCCESS;
}

static struct neighbours *answer_topology(MPI_Comm comm)
{
    struct known *k = known_comm(comm);
    if (!k)
        return topology(comm);
    struct neighbours *copy = k->near ? neighbours_room(k->near->in, k->near->out) : NULL;
    if (copy)
        memcpy(copy, k->near, sizeof *copy + (size_t)(copy->in + copy->out) * sizeof copy->rank[0]);
    return copy;
}

/* How many neighbours a rank receives from. */
static int near_in(MPI_Comm comm)
{
    struct neighbours *n = answer_topology(comm);
    int in = n ? n->in : 0;
    free(n);
    return in;
}

/* The neighbours in a communicator that was made. */
static struct neighbours *describe_neighbours(MPI_Comm made)
{
    struct neighbours *n = answers == RECORDING ? topology(made) : NULL;
    int in = number(n ? n->in : -1), out = number(n ? n->out : 0), grid = number(n ? n->grid : 0);
    if (answers == ANSWERING && in >= 0 && (n = neighbours_room(in, out)))
        n->grid = grid;
    if (n)
        value(n->rank, (size_t)(in + out) * sizeof n->rank[0]);
    return n;
}

static void world_ranks(MPI_Group group, int n, int *ranks)
{
    MPI_Group all;
    int *mine = malloc((size_t)(n + 1) * sizeof *mine);
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int i = 0; mine && i < n; i++)
        mine[i] = i;
    if (mine)
        PMPI_Group_translate_ranks(group, n, mine, all, ranks);
    free(mine);
    PMPI_Group_free(&all);
    PMPI_Group_free(&group);
}

/* What there is to know of a communicator that was made. */
static struct known describe_comm(MPI_Comm made)
{
    struct known k = {.handle = made};
    MPI_Group group;
    if (answers == RECORDING) {
        PMPI_Comm_rank(made, &k.me);
        PMPI_Comm_size(made, &k.size);
        PMPI_Comm_test_inter(made, &k.inter);
        if (k.inter)
            PMPI_Comm_remote_size(made, &k.remote);
    }
    int *fields[] = {&k.me, &k.size, &k.inter, &k.remote};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        *fields[i] = number(*fields[i]);
    if (!k.inter)
        k.near = describe_neighbours(made);
    k.world = calloc((size_t)k.size + 1, sizeof *k.world);
    k.world_remote = calloc((size_t)k.remote + 1, sizeof *k.world_remote);
    if (!k.world || !k.world_remote)
        return k;
    if (answers == RECORDING) {
        PMPI_Comm_group(made, &group);
        world_ranks(group, k.size, k.world);
        if (k.inter) {
            PMPI_Comm_remote_group(made, &group);
            world_ranks(group, k.remote, k.world_remote);
        }
    }
    value(k.world, (size_t)k.size * sizeof *k.world);
    value(k.world_remote, (size_t)k.remote * sizeof *k.world_remote);
    return k;
}

static void forget(struct known *k)
{
    free(k->world);
    free(k->world_remote);
    free(k->near);
}

/* A communicator that was made of another: a copy of that one keeps its attributes, but
 * for one of the world, of which nobody else would take part. */
static void answer_comm(MPI_Comm *made, MPI_Comm parent)
{
    int there = number(answers == RECORDING && *made != MPI_COMM_NULL);
    if (!there) {
        *made = MPI_COMM_NULL;
        return;
    }
    struct known k = describe_comm(*made);
    if (answers == RECORDING) {
        forget(&k);
        return;
    }
    PMPI_Comm_dup(known_comm(parent) ? parent : MPI_COMM_SELF, made);
    k.handle = *made;
    if (known_count == known_room) {
        int room = known_room ? 2 * known_room : 16;
        struct known *more = realloc(known, (size_t)room * sizeof *known);
        if (!more)
            return;
        known = more;
        known_room = room;
    }
    known[known_count++] = k;
}

static int answer_Comm_free(MPI_Comm *comm)
{
    struct known *k = known_comm(*comm);
    if (k) {
        forget(k);
        *k = known[--known_count];
    }
    return PMPI_Comm_free(comm);
}

static int answer_Comm_disconnect(MPI_Comm *comm)
{
    return answers == ANSWERING ? answer_Comm_free(comm) : PMPI_Comm_disconnect(comm);
}

static int comm_ranks(MPI_Comm comm)
{
    int n = 0, inter = 0;
    answer_Comm_test_inter(comm, &inter);
    if (inter)
        answer_Comm_remote_size(comm, &n);
    else
        answer_Comm_size(comm, &n);
    return n;
}

static int rank_in(MPI_Comm comm)
{
    int me = 0;
    answer_Comm_rank(comm, &me);
    return me;
}

/* Whether this rank is what a collective's root names: between groups the root says so
 * itself. */
static int rooted(int root, MPI_Comm comm)
{
    int inter = 0;
    answer_Comm_test_inter(comm, &inter);
    return inter ? root == MPI_ROOT : root == rank_in(comm);
}

/* Whether this rank gets something from a collective's root. */
static int from_root(int root, MPI_Comm comm)
{
    int inter = 0;
    answer_Comm_test_inter(comm, &inter);
    return !inter || (root != MPI_ROOT && root != MPI_PROC_NULL);
}
