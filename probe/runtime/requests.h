/* Requests: receives are counted when they complete. Part of mpi.c.
 *
 * A collective that does not block is traced as messages to and from the ranks it
 * depends on, begun where it is called and waited for where it completes: what
 * is computed between hides it, and nobody waits before that. */

/* The messages of such a collective: ranks of its communicator. */
struct parts { int n; struct { int peer, send; } part[]; };
enum { PARTS_TAG = 1 << 28, PARTS_MOST = 64 };

enum { RECEIVE = 1, SEND = 2, PERSISTENT = 4, CANCELLED = 8 };
struct request { MPI_Request handle; int what, comm, peer, tag; uint64_t bytes; struct parts *parts; struct request *next; };
static struct request *requests[1024], *unused;
static pthread_mutex_t request_lock = PTHREAD_MUTEX_INITIALIZER;

static inline struct request **bucket(MPI_Request r)
{
    uintptr_t v = (uintptr_t)r;
    return &requests[(v ^ v >> 7 ^ v >> 17) % 1024];
}

static void request_add(MPI_Request r, int what, uint64_t bytes, int peer, int tag, int comm, struct parts *parts)
{
    if (r == MPI_REQUEST_NULL)
        return;
    pthread_mutex_lock(&request_lock);
    struct request **at = bucket(r), *q = *at;
    while (q && q->handle != r)
        q = q->next;
    if (!q) {
        if ((q = unused))
            unused = q->next;
        else
            q = malloc(sizeof *q);
        if (q) {
            q->handle = r;
            q->next = *at;
            *at = q;
        }
    }
    if (q) {
        q->what = what;
        q->bytes = bytes;
        q->peer = peer;
        q->tag = tag;
        q->comm = comm;
        q->parts = parts;
    }
    pthread_mutex_unlock(&request_lock);
}

static void request_new(struct thread *t, MPI_Request *r, int what, uint64_t n, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    struct communicator *c = auspex_tracing ? communicator(comm) : NULL;
    if (peer == MPI_PROC_NULL)
        return;
    request_add(*r, what, n * size_of(type), peer == MPI_ANY_SOURCE ? -1 : peer, tag == MPI_ANY_TAG ? -1 : tag, c ? c->id : -1, NULL);
    if (c && !(what & PERSISTENT))
        message(t, what & SEND ? T_ISEND : T_IRECV, n, type, peer, tag, comm);
}

/* Messages that a matching probe has found and nobody has received yet. */
struct probed { MPI_Message handle; MPI_Comm comm; int source, tag; };
enum { PROBED = 256 };
static struct probed found[PROBED];
static int found_count;

static void probed(MPI_Message m, MPI_Comm comm, const MPI_Status *status)
{
    pthread_mutex_lock(&request_lock);
    if (found_count < PROBED)
        found[found_count++] = (struct probed){m, comm, status->MPI_SOURCE, status->MPI_TAG};
    pthread_mutex_unlock(&request_lock);
}

static struct probed probed_as(MPI_Message m)
{
    struct probed p = {m, MPI_COMM_NULL, 0, 0};
    pthread_mutex_lock(&request_lock);
    for (int i = 0; i < found_count; i++)
        if (found[i].handle == m) {
            p = found[i];
            found[i] = found[--found_count];
            break;
        }
    pthread_mutex_unlock(&request_lock);
    return p;
}

/* What is known of a request; one that is not persistent is forgotten. */
static struct request request_done(MPI_Request r, int forget)
{
    struct request known = {0};
    pthread_mutex_lock(&request_lock);
    for (struct request **at = bucket(r); *at; at = &(*at)->next)
        if ((*at)->handle == r) {
            struct request *q = *at;
            known = *q;
            if (forget || !(q->what & PERSISTENT)) {
                *at = q->next;
                q->next = unused;
                unused = q;
            }
            q->what &= ~CANCELLED; /* a persistent one is started anew */
            break;
        }
    pthread_mutex_unlock(&request_lock);
    return known;
}

static void request_started(struct thread *t, MPI_Request r)
{
    struct request q = request_done(r, 0);
    if (q.what & SEND) {
        t->top->node->messages++;
        t->top->node->sent += q.bytes;
    }
    if (auspex_tracing && q.what && q.comm >= 0)
        traced(t, (struct event){q.what & SEND ? T_ISEND : T_IRECV, q.comm, q.peer, 0, q.tag, (int64_t)q.bytes, 0, 0, 0}, NULL);
}

/* A wait names the ranks of the world. */
static void wait_for(struct thread *t, int comm, int sent, int peer, int tag)
{
    for (int i = 0; i < comm_count; i++)
        if (comms[i].id == comm) {
            int me = comms[i].world[comms[i].me];
            peer = peer < 0 ? peer : comms[i].world[peer];
            traced(t, (struct event){T_WAIT, 0, sent ? me : peer, sent ? peer : me, tag, 0, 0, 0, 0}, NULL);
            return;
        }
}

static void waited(struct thread *t, struct request *q)
{
    for (int i = 0; q->parts && i < q->parts->n; i++)
        wait_for(t, q->comm, q->parts->part[i].send, q->parts->part[i].peer, PARTS_TAG);
    if (!q->parts)
        wait_for(t, q->comm, q->what & SEND, q->peer, q->tag);
    free(q->parts);
}

/* Marks a receive that is to be cancelled. */
static void request_cancelled(MPI_Request r)
{
    pthread_mutex_lock(&request_lock);
    for (struct request *q = *bucket(r); q; q = q->next)
        if (q->handle == r && q->what & RECEIVE)
            q->what |= CANCELLED;
    pthread_mutex_unlock(&request_lock);
}

/* A receive from anyone that was cancelled gets a message from its own rank in the
 * trace: there it would wait for ever, or take another's message. (One from another
 * rank alone stays open: a replay says at its end that nobody sent to it.) */
static void cancelled(struct thread *t, struct request *q)
{
    for (int i = 0; auspex_tracing && q->peer < 0 && i < comm_count; i++)
        if (comms[i].id == q->comm) {
            int tag = q->tag < 0 ? 0 : q->tag;
            traced(t, (struct event){T_ISEND, q->comm, comms[i].me, 0, tag, 0, 0, 0, 0}, NULL);
            wait_for(t, q->comm, 0, q->peer, q->tag);
            wait_for(t, q->comm, 1, comms[i].me, tag);
            return;
        }
}

static void request_freed(struct thread *t, MPI_Request r)
{
    struct request q = request_done(r, 1);
    if (q.what & CANCELLED)
        cancelled(t, &q);
}

/* A request completed; without a status the posted size stands for the
 * received one. */
static void completed(struct thread *t, MPI_Request r, MPI_Status *status)
{
    if (r == MPI_REQUEST_NULL)
        return;
    struct request q = request_done(r, 0);
    int given_up = q.what & CANCELLED ? 1 : 0;
    if (given_up && status)
        PMPI_Test_cancelled(status, &given_up);
    if (given_up) {
        cancelled(t, &q);
        return;
    }
    if (auspex_tracing && (q.what || q.parts) && q.comm >= 0)
        waited(t, &q);
    if (!(q.what & RECEIVE))
        return;
    if (status)
        received(t, status);
    else
        t->top->node->received += q.bytes;
}

/* The request of the collective at hand, where it does not block. */
static MPI_Request *begun;

/* Bytes that rank i is sent by, and sends to, rank me in a collective; -1 for no
 * message. Where all need something of all, each pair has its share of what a
 * ring moves, so that the volume is right. */
static int64_t part_of(int kind, int me, int i, int n, int root, int64_t out, int64_t in, const int64_t *lists, int to)
{
    switch (kind) {
    case T_BARRIER: return 1;
    case T_ALLREDUCE: return 2 * out / n;
    case T_ALLTOALL: case T_ALLGATHER: return out;
    case T_SCAN: case T_EXSCAN: return (to ? i > me : i < me) ? out : -1;
    case T_BCAST: return (to ? me : i) == root ? out : -1;
    case T_SCATTER: return (to ? me : i) == root ? out : -1;
    case T_REDUCE: case T_GATHER: return (to ? i : me) == root ? out : -1;
    case T_GATHERV: return (to ? i : me) != root ? -1 : to ? out : lists[i];
    case T_SCATTERV: return (to ? me : i) != root ? -1 : to ? lists[i] : in;
    case T_ALLGATHERV: return lists[to ? me : i];
    case T_ALLTOALLV: return lists[to ? i : n + i];
    case T_REDUCE_SCATTER: return lists[to ? i : me];
    }
    return -1;
}

/* Begins a collective that does not block; false where it is too large for that. */
static int apart(struct thread *t, int kind, struct communicator *c, int root, uint64_t out, uint64_t in, const int64_t *lists)
{
    struct parts *p = c->size <= PARTS_MOST ? malloc(sizeof *p + 2 * (size_t)c->size * sizeof p->part[0]) : NULL;
    if (!p || *begun == MPI_REQUEST_NULL) {
        free(p);
        return c->size == 1;
    }
    p->n = 0;
    for (int to = 0; to < 2; to++)
        for (int k = 1; k < c->size; k++) {
            int i = (c->me + (to ? k : c->size - k)) % c->size;
            int64_t bytes = part_of(kind, c->me, i, c->size, root, (int64_t)out, (int64_t)in, lists, to);
            if (bytes < 0)
                continue;
            traced(t, (struct event){to ? T_ISEND : T_IRECV, c->id, i, 0, PARTS_TAG, bytes, 0, 0, 0}, NULL);
            p->part[p->n].peer = i;
            p->part[p->n++].send = to;
        }
    request_add(*begun, 0, 0, 0, 0, c->id, p);
    return 1;
}
