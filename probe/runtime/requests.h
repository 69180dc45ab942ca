/* Requests: receives are counted when they complete. Part of mpi.c.
 *
 * A collective that does not block is traced as messages to and from the ranks it
 * depends on, begun where it is called and waited for where it completes: what
 * is computed between hides it, and nobody waits before that. */

/* The messages of such a collective, and of a send and receive in one: ranks as the
 * trace names them. */
struct part { int peer, send, tag; int64_t bytes; };
struct parts { int n; struct part part[]; };
enum { PARTS_TAG = 1 << 28, ROOM_TAG, NEAR_TAG, PARTS_MOST = 64 };

/* Whether an event of such a message is all that is told of its call, or one of several
 * that are within it, or the last of these. */
enum { APART, WITHIN, ENDS };

/* What of a request is told already needs no wait; one of what is done to the window of
 * another rank is over when all is that was begun there. */
enum { RECEIVE = 1, SEND = 2, PERSISTENT = 4, CANCELLED = 8, TOLD = 16, SHARED = 32, TOGETHER = 64, THERE = 128 };
struct request {
    MPI_Request handle;
    int what, comm, peer, tag, partitions, unready;
    uint64_t bytes;
    struct parts *parts;
    struct request *next;
};
static struct request *requests[1024], *unused;
static pthread_mutex_t request_lock = PTHREAD_MUTEX_INITIALIZER;

static inline struct request **bucket(MPI_Request r)
{
    uintptr_t v = (uintptr_t)r;
    return &requests[(v ^ v >> 7 ^ v >> 17) % 1024];
}

static struct request *request_find(MPI_Request r)
{
    struct request *q = *bucket(r);
    while (q && q->handle != r)
        q = q->next;
    return q;
}

/* A request that is there already is one that the library hands out for all that is
 * over when it begins. */
static void request_add(MPI_Request r, struct request as)
{
    if (r == MPI_REQUEST_NULL)
        return;
    pthread_mutex_lock(&request_lock);
    struct request **at = bucket(r), *q = request_find(r);
    if (q) {
        free(q->parts);
        as.what |= SHARED;
        as.next = q->next;
    } else {
        if ((q = unused))
            unused = q->next;
        else
            q = malloc(sizeof *q);
        if (q) {
            as.next = *at;
            *at = q;
        }
    }
    as.handle = r;
    if (q)
        *q = as;
    pthread_mutex_unlock(&request_lock);
}

static void request_new(struct thread *t, MPI_Request *r, int what, uint64_t n, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    struct communicator *c = auspex_tracing ? communicator(comm) : NULL;
    if (peer == MPI_PROC_NULL) {
        request_add(*r, (struct request){.what = (what & PERSISTENT) | TOLD, .comm = -1});
        return;
    }
    request_add(*r, (struct request){.what = what, .comm = c ? c->id : -1, .peer = peer == MPI_ANY_SOURCE ? -1 : c ? known_as(c, peer) : peer,
        .tag = tag == MPI_ANY_TAG ? -1 : tag, .bytes = n * size_of(type)});
    if (c && !(what & PERSISTENT))
        message(t, what & SEND ? T_ISEND : T_IRECV, n, type, peer, tag, comm);
}

/* A message that is handed over in partitions: sent when the last of them is ready, and
 * received where its sender has been told that there is room for it. */
static void request_partitioned(MPI_Request *r, int send, int partitions, uint64_t n, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    struct communicator *c = auspex_tracing ? communicator(comm) : NULL;
    struct parts *p = c ? malloc(sizeof *p + 2 * sizeof p->part[0]) : NULL;
    struct request as = {.what = (send ? SEND : RECEIVE) | PERSISTENT, .comm = p ? c->id : -1, .bytes = (uint64_t)partitions * n * size_of(type), .parts = p};
    if (peer == MPI_PROC_NULL)
        as.what = PERSISTENT | TOLD;
    if (p) {
        p->n = peer == MPI_PROC_NULL ? 0 : 2;
        p->part[0] = (struct part){known_as(c, peer), !send, ROOM_TAG, 0};
        p->part[1] = (struct part){known_as(c, peer), send, tag, (int64_t)as.bytes};
        as.partitions = send && p->n > 0 ? partitions : 0;
    }
    request_add(*r, as);
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
            q->what &= ~CANCELLED; /* a persistent one is started anew */
            if (forget || !(q->what & (PERSISTENT | SHARED))) {
                *at = q->next;
                q->next = unused;
                unused = q;
            } else if (!(q->what & PERSISTENT)) {
                q->what = TOLD | SHARED;
                q->parts = NULL;
            }
            break;
        }
    pthread_mutex_unlock(&request_lock);
    return known;
}

/* Begins the messages that stand for a call, from one on to before another. */
static void begin_parts(struct thread *t, int comm, const struct parts *p, int from, int to, int last)
{
    for (int i = from; i < to; i++) {
        int within = last == ENDS && i + 1 < to ? WITHIN : last;
        traced(t, (struct event){p->part[i].send ? T_ISEND : T_IRECV, comm, p->part[i].peer, 0, p->part[i].tag, p->part[i].bytes, within, 0, 0}, NULL);
    }
}

static void request_started(struct thread *t, MPI_Request r)
{
    struct request q = {0};
    pthread_mutex_lock(&request_lock);
    struct request *at = request_find(r);
    if (at) {
        at->unready = at->partitions;
        if (at->what & (SEND | RECEIVE | TOGETHER))
            at->what &= ~(TOLD | CANCELLED);
        q = *at;
    }
    pthread_mutex_unlock(&request_lock);
    if (q.what & SEND) {
        t->top->node->messages++;
        t->top->node->sent += q.bytes;
    }
    if (q.parts)
        begin_parts(t, q.comm, q.parts, 0, q.partitions ? 1 : q.parts->n, APART);
    else if (auspex_tracing && q.what & (SEND | RECEIVE) && q.comm >= 0)
        traced(t, (struct event){q.what & SEND ? T_ISEND : T_IRECV, q.comm, q.peer, 0, q.tag, (int64_t)q.bytes, 0, 0, 0}, NULL);
}

/* So many partitions more of a send are ready. */
static void request_ready(struct thread *t, MPI_Request r, int n)
{
    struct request q = {0};
    pthread_mutex_lock(&request_lock);
    struct request *at = request_find(r);
    if (at && at->unready > 0 && (at->unready -= n) <= 0)
        q = *at;
    pthread_mutex_unlock(&request_lock);
    if (q.parts)
        begin_parts(t, q.comm, q.parts, 1, q.parts->n, APART);
}

/* A wait names the ranks of the world. */
static void wait_for(struct thread *t, int comm, int sent, int peer, int tag, int within)
{
    for (int i = 0; i < comm_count; i++)
        if (comms[i].id == comm) {
            int me = comms[i].world[comms[i].me];
            peer = peer < 0 ? peer : comms[i].world[peer];
            traced(t, (struct event){T_WAIT, 0, sent ? me : peer, sent ? peer : me, tag, 0, within, 0, 0}, NULL);
            return;
        }
}

static void await_part(struct thread *t, int comm, const struct part *p, int within) { wait_for(t, comm, p->send, p->peer, p->tag, within); }

static void await_parts(struct thread *t, int comm, const struct parts *p)
{
    for (int i = 0; i < p->n; i++)
        await_part(t, comm, &p->part[i], APART);
}

/* Tells messages that begin and end within one call. */
static void tell_parts(struct thread *t, int comm, const struct parts *p)
{
    begin_parts(t, comm, p, 0, p->n, WITHIN);
    for (int i = 0; i < p->n; i++)
        await_part(t, comm, &p->part[i], i + 1 < p->n ? WITHIN : ENDS);
}

/* Tells that a request is over; where nothing is known of it, the call it was
 * completed by waits for nobody knows whom. */
static void waited(struct thread *t, MPI_Request r, const struct request *q)
{
    if (!auspex_tracing || q->what & TOLD)
        return;
    if (q->handle != r || q->comm < 0)
        t->unknown = 1;
    else if (q->parts)
        await_parts(t, q->comm, q->parts);
    else if (q->what & THERE)
        traced(t, (struct event){T_FLUSH, q->comm, q->peer, 0, 1, 0, 0, 0, 0}, NULL);
    else
        wait_for(t, q->comm, q->what & SEND, q->peer, q->tag, APART);
}

/* The program was told that a request is over, and will complete it later. */
static void request_seen(struct thread *t, MPI_Request r)
{
    struct request q = {0};
    if (r == MPI_REQUEST_NULL)
        return;
    pthread_mutex_lock(&request_lock);
    struct request *at = request_find(r);
    if (at) {
        q = *at;
        at->what |= TOLD;
    }
    pthread_mutex_unlock(&request_lock);
    if (q.what && !(q.what & CANCELLED))
        waited(t, r, &q);
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
            wait_for(t, q->comm, 0, q->peer, q->tag, APART);
            wait_for(t, q->comm, 1, comms[i].me, tag, APART);
            return;
        }
}

static void request_freed(struct thread *t, MPI_Request r)
{
    struct request q = request_done(r, 1);
    if (q.what & CANCELLED)
        cancelled(t, &q);
    free(q.parts);
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
    waited(t, r, &q);
    if (!(q.what & PERSISTENT))
        free(q.parts);
    if (!(q.what & RECEIVE))
        return;
    if (status)
        received(t, status);
    else
        t->top->node->received += q.bytes;
}

/* The request of the collective at hand, where it does not block, and whether that is
 * one to be started later. */
static MPI_Request *begun;
static int begun_later;

/* Bytes that rank i is sent by, and sends to, rank me in a collective; -1 for no
 * message. Where all need something of all, each pair has its share of what a
 * ring moves, so that the volume is right. Between two groups messages go to the
 * other one. */
static int64_t part_of(const struct event *e, const struct communicator *c, int i, const int64_t *lists, int to)
{
    int me = c->me, n = c->size, root = (int)e->peer, is_root = at_root_of(c, root), its_root = i == root;
    int64_t out = e->count, in = e->count2;
    switch (e->kind) {
    case T_BARRIER: return 1;
    case T_ALLREDUCE: return 2 * out / n;
    case T_ALLTOALL: case T_ALLGATHER: return to ? out : in;
    case T_SCAN: case T_EXSCAN: return (to ? i > me : i < me) ? out : -1;
    case T_BCAST: case T_SCATTER: return (to ? is_root : its_root) ? out : -1;
    case T_REDUCE: case T_GATHER: return (to ? its_root : is_root) ? out : -1;
    case T_GATHERV: return !(to ? its_root : is_root) ? -1 : to ? out : lists[i];
    case T_SCATTERV: return !(to ? is_root : its_root) ? -1 : to ? lists[i] : in;
    case T_ALLGATHERV: return to ? c->inter ? out : lists[me] : lists[i];
    case T_ALLTOALLV: return lists[to ? i : n + i];
    case T_REDUCE_SCATTER: return lists[to ? i : me];
    }
    return -1;
}

/* The messages that stand for a collective; NULL where that is too large, or where the
 * other group has sizes of its own. */
static struct parts *parts_of(const struct event *e, const struct communicator *c, const int64_t *lists)
{
    if (c->size > PARTS_MOST || (c->inter && e->kind == T_REDUCE_SCATTER))
        return NULL;
    struct parts *p = malloc(sizeof *p + 2 * (size_t)c->size * sizeof p->part[0]);
    if (!p)
        return NULL;
    p->n = 0;
    for (int to = 0; to < 2; to++)
        for (int k = c->inter ? 0 : 1; k < c->size; k++) {
            int i = (c->inter ? 0 : c->me) + (to ? k : c->size - k);
            i %= c->size;
            int64_t bytes = part_of(e, c, i, lists, to);
            if (bytes >= 0)
                p->part[p->n++] = (struct part){known_as(c, i), to, PARTS_TAG, bytes};
        }
    return p;
}

/* Begins the messages of the request at hand, now or when that is started. */
static void begin_request(struct thread *t, int comm, struct parts *p)
{
    if (!begun_later)
        begin_parts(t, comm, p, 0, p->n, ENDS);
    request_add(*begun, (struct request){.what = TOGETHER | (begun_later ? PERSISTENT : 0), .comm = comm, .parts = p});
}

/* Begins a collective that does not block. One that is too large for messages counts
 * where it is called; one to be started later is unknown then. */
static void begin_apart(struct thread *t, const struct event *e, struct communicator *c, const int64_t *lists)
{
    struct parts *p = parts_of(e, c, lists);
    if (p)
        begin_request(t, c->id, p);
    else if (!begun_later && !c->abroad) {
        traced(t, *e, lists);
        request_add(*begun, (struct request){.what = TOLD, .comm = -1});
    }
}

/* MPI_Isendrecv. */
static void begin_exchange(struct thread *t, MPI_Request *r, uint64_t out, int to, int tag, uint64_t in, int from, int tag_in, MPI_Comm comm)
{
    struct communicator *c = communicator(comm);
    struct parts *p = c ? malloc(sizeof *p + 2 * sizeof p->part[0]) : NULL;
    if (!p)
        return;
    p->n = 0;
    if (from != MPI_PROC_NULL)
        p->part[p->n++] = (struct part){from == MPI_ANY_SOURCE ? -1 : known_as(c, from), 0, tag_in == MPI_ANY_TAG ? -1 : tag_in, (int64_t)in};
    if (to != MPI_PROC_NULL)
        p->part[p->n++] = (struct part){known_as(c, to), 1, tag, (int64_t)out};
    begin_parts(t, c->id, p, 0, p->n, ENDS);
    request_add(*r, (struct request){.what = TOGETHER, .comm = c->id, .parts = p});
}

/* Open MPI passes the result of a scan on from rank to rank: each needs those before
 * it alone. Others exchange it in pairs, and all wait for all. */
static int in_line(int64_t kind)
{
#ifdef OPEN_MPI
    return kind == T_SCAN || kind == T_EXSCAN;
#else
    (void)kind;
    return 0;
#endif
}
