/* MPI: what the generated wrappers call. */
#include <mpi.h>
#include "threshold.h"
#include "stacks.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- entering and leaving ---- */

/* Where no region of the program's own is open and no samples are taken, the
 * computation that leads to an MPI call is told by where that stands; a trace
 * tells the places of all calls. */
struct site { const void *address; struct auspex_region *region; uint32_t call, before; };
static struct site sites[4096];
static pthread_mutex_t site_lock = PTHREAD_MUTEX_INITIALIZER;

static struct site *site_at(struct auspex_region *r, const void *address)
{
    uint32_t i = (uint32_t)((uintptr_t)address >> 2) % 4096, n;
    for (n = 0; n < 4096; n++, i = (i + 1) % 4096) {
        const void *a = __atomic_load_n(&sites[i].address, __ATOMIC_ACQUIRE);
        if (a == address && sites[i].region == r)
            return &sites[i];
        if (!a)
            break;
    }
    uint32_t call = auspex_site(r->name, MPI_CALL, address), before = auspex_site(r->name, COMPUTE, address);
    struct site *s = NULL;
    pthread_mutex_lock(&site_lock);
    for (; n < 4096 && sites[i].address; n++)
        i = (i + 1) % 4096;
    if (n < 4096 - 64) {
        s = &sites[i];
        s->region = r;
        s->call = call;
        s->before = before;
        __atomic_store_n(&s->address, address, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&site_lock);
    return s;
}

/* Where Fortran called from, when it comes through the C function. */
static __thread const void *caller __attribute__((tls_model("initial-exec")));

/* Returns NULL inside another MPI call: the outer one is counted. */
static __attribute__((noinline)) struct thread *mpi_enter(struct auspex_region *r, const void *address)
{
    struct thread *t = self();
    if (unlikely(!t || t->quiet))
        return NULL;
    uint64_t now = ticks();
    t->quiet = IN_CALL;
    t->outside = t->depth;
    const void *from = caller ? caller : address;
    struct place *place = auspex_callers(t, from);
    int blind = t->depth == 0 && !auspex_sampling;
    if (blind || auspex_tracing) {
        struct site *s = site_at(r, from);
        t->site = s ? s->call + 1 : 0;
        if (s && blind) {
            enter(t, s->before, SOMEWHERE);
            charge(t, now);
            leave(t);
        }
    }
    charge(t, now);
    if (unlikely(auspex_objects_stale))
        auspex_objects();
    if (place != t->top)
        open_at(t, place, SOMEWHERE);
    uint32_t id = (uint32_t)__atomic_load_n(&r->id, __ATOMIC_RELAXED);
    enter(t, unlikely(id == UINT32_MAX) ? auspex_intern(r) : id, SOMEWHERE);
    return t;
}

static __attribute__((noinline)) void mpi_leave(struct thread *t)
{
    uint64_t outside = virtual_time(t);
    charge(t, ticks());
    t->depth = t->outside;
    t->top = t->stack[t->depth].place;
    t->record.current = t->top->index;
    outside = virtual_time(t) - outside;
    t->seen += outside; /* MPI's own work is no computation */
    account(t, outside);
    t->quiet = 0;
}

/* ---- tracing ---- */

static struct communicator { MPI_Comm handle; int id, me, size; int *world; } *comms;
static int comm_count, comm_room, comm_ids;

/* Hands an event to the trace with the computation since the one before. */
static void traced(struct thread *t, struct event e, const int64_t *lists)
{
    uint64_t compute = virtual_time(t) - t->seen;
    if (t->record.id != 0)
        return; /* the trace is of one thread */
    t->seen = virtual_time(t);
    e.site = t->site;
    auspex_trace(&e, lists, compute);
}

static struct communicator *communicator(MPI_Comm handle)
{
    for (int i = comm_count; i-- > 0;)
        if (comms[i].handle == handle)
            return &comms[i];
    return NULL;
}

static void comm_add(MPI_Comm handle)
{
    MPI_Group group, all;
    if (comm_count == comm_room) {
        int room = comm_room ? 2 * comm_room : 16;
        struct communicator *more = realloc(comms, (size_t)room * sizeof *comms);
        if (!more)
            return;
        comms = more;
        comm_room = room;
    }
    struct communicator *c = &comms[comm_count];
    c->handle = handle;
    c->id = comm_ids++;
    PMPI_Comm_rank(handle, &c->me);
    PMPI_Comm_size(handle, &c->size);
    c->world = malloc(2 * (size_t)c->size * sizeof *c->world);
    if (!c->world)
        return;
    int *mine = c->world + c->size;
    for (int i = 0; i < c->size; i++)
        mine[i] = i;
    PMPI_Comm_group(handle, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Group_translate_ranks(group, c->size, mine, all, c->world);
    PMPI_Group_free(&group);
    PMPI_Group_free(&all);
    comm_count++;
}

/* Any making of a communicator from another is, to a replay, a split: members
 * of one new communicator share the colour of its first member. */
static void comm_made(struct thread *t, MPI_Comm parent, MPI_Comm made)
{
    struct communicator *p = communicator(parent), *c = NULL;
    int inter = 0;
    if (!auspex_tracing || !p)
        return;
    if (made != MPI_COMM_NULL) {
        PMPI_Comm_test_inter(made, &inter);
        if (inter)
            return;
        int id = p->id;
        comm_add(made);
        c = communicator(made);
        struct event e = {T_COMM_SPLIT, id, 0, 0, c ? c->world[0] : 0, c ? c->me : 0, 0, 0, 0};
        traced(t, e, NULL);
        return;
    }
    traced(t, (struct event){T_COMM_SPLIT, p->id, 0, 0, -1, 0, 0, 0, 0}, NULL);
}

static void comm_freed(MPI_Comm handle)
{
    struct communicator *c = communicator(handle);
    if (!c)
        return;
    free(c->world);
    *c = comms[--comm_count];
}

/* ---- counting ---- */

static inline uint64_t size_of(MPI_Datatype type)
{
    int size = 0;
    if (type == MPI_DATATYPE_NULL)
        return 0;
    PMPI_Type_size(type, &size);
    return size > 0 ? (uint64_t)size : 0;
}

static void sent(struct thread *t, uint64_t n, MPI_Datatype type, int peer)
{
    if (peer == MPI_PROC_NULL)
        return;
    t->top->node->messages++;
    t->top->node->sent += n * size_of(type);
}

static void received(struct thread *t, MPI_Status *status)
{
    int n = 0;
    if (status->MPI_SOURCE == MPI_PROC_NULL)
        return;
    if (PMPI_Get_count(status, MPI_BYTE, &n) != MPI_SUCCESS)
        return;
    MPI_Count many = n;
    if (n < 0) /* more than an int holds */
        PMPI_Get_elements_x(status, MPI_BYTE, &many);
    if (many > 0)
        t->top->node->received += (uint64_t)many;
}

static void posted(struct thread *t, uint64_t n, MPI_Datatype type, int peer)
{
    if (peer != MPI_PROC_NULL)
        t->top->node->received += n * size_of(type);
}

static void collective(struct thread *t, uint64_t n, MPI_Datatype type)
{
    t->top->node->collective += n * size_of(type);
}

static inline int size_of_comm(MPI_Comm comm)
{
    int n = 0, inter = 0;
    if (comm == MPI_COMM_NULL)
        return 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        PMPI_Comm_remote_size(comm, &n);
    else
        PMPI_Comm_size(comm, &n);
    return n;
}

/* The whole call is input or output. */
static inline void file_time(struct thread *t)
{
    t->top->node->io_time += ticks() - t->record.last;
}

static void file_read(struct thread *t, uint64_t n, MPI_Datatype type)
{
    t->top->node->io_read += n * size_of(type);
}

static void file_written(struct thread *t, uint64_t n, MPI_Datatype type)
{
    t->top->node->io_written += n * size_of(type);
}

static void message(struct thread *t, int kind, uint64_t n, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    struct communicator *c = communicator(comm);
    if (c && peer != MPI_PROC_NULL)
        traced(t, (struct event){kind, c->id, peer == MPI_ANY_SOURCE ? -1 : peer, 0, tag == MPI_ANY_TAG ? -1 : tag, (int64_t)(n * size_of(type)), 0, 0, 0}, NULL);
}

/* A receive that is over: it is known from whom and how much. */
static void message_in(struct thread *t, uint64_t n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status *status)
{
    int bytes = 0;
    if (!status || peer == MPI_PROC_NULL || PMPI_Get_count(status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes < 0)
        message(t, T_RECV, n, type, peer, tag, comm);
    else
        message(t, T_RECV, (uint64_t)bytes, MPI_BYTE, status->MPI_SOURCE, status->MPI_TAG, comm);
}

static void exchange(struct thread *t, uint64_t out, int to, uint64_t in, int from, MPI_Comm comm)
{
    struct communicator *c = communicator(comm);
    if (!c)
        return;
    struct event e = {T_SENDRECV, c->id, to == MPI_PROC_NULL ? -2 : to, from == MPI_PROC_NULL ? -2 : from == MPI_ANY_SOURCE ? -1 : from, 0, (int64_t)out, (int64_t)in, 0, 0};
    traced(t, e, NULL);
}

/* A collective with one size for all. */
static void together(struct thread *t, int kind, int root, uint64_t out, uint64_t in, MPI_Comm comm)
{
    struct communicator *c = communicator(comm);
    if (c)
        traced(t, (struct event){kind, c->id, root, 0, 0, (int64_t)out, (int64_t)in, 0, 0}, NULL);
}

/* Room for the sizes of a collective. */
static int64_t *size_list;
static int64_t *lists_of(int n)
{
    static int room;
    if (n > room) {
        int64_t *more = realloc(size_list, (size_t)n * sizeof *more);
        if (!more)
            return NULL;
        size_list = more;
        room = n;
    }
    return size_list;
}

static int at_root(int root, MPI_Comm comm)
{
    struct communicator *c = communicator(comm);
    return c && c->me == root;
}

static void with_lists(struct thread *t, int kind, int root, uint64_t out, uint64_t in, int sends, int receives, MPI_Comm comm)
{
    struct communicator *c = communicator(comm);
    if (c)
        traced(t, (struct event){kind, c->id, root, 0, 0, (int64_t)out, (int64_t)in, sends, receives}, size_list);
}

/* ---- requests: receives are counted when they complete ---- */

enum { RECEIVE = 1, SEND = 2, PERSISTENT = 4 };
struct request { MPI_Request handle; int what, comm, peer, tag; uint64_t bytes; struct request *next; };
static struct request *requests[1024], *unused;
static pthread_mutex_t request_lock = PTHREAD_MUTEX_INITIALIZER;

static inline struct request **bucket(MPI_Request r)
{
    uintptr_t v = (uintptr_t)r;
    return &requests[(v ^ v >> 7 ^ v >> 17) % 1024];
}

static void request_add(MPI_Request r, int what, uint64_t bytes, int peer, int tag, int comm)
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
    }
    pthread_mutex_unlock(&request_lock);
}

static void request_new(struct thread *t, MPI_Request *r, int what, uint64_t n, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    struct communicator *c = auspex_tracing ? communicator(comm) : NULL;
    if (peer == MPI_PROC_NULL)
        return;
    request_add(*r, what, n * size_of(type), peer == MPI_ANY_SOURCE ? -1 : peer, tag == MPI_ANY_TAG ? -1 : tag, c ? c->id : -1);
    if (c && !(what & PERSISTENT))
        message(t, what & SEND ? T_ISEND : T_IRECV, n, type, peer, tag, comm);
}

/* What is known of a request; one that is not persistent is forgotten. */
static struct request request_done(MPI_Request r, int forget)
{
    struct request found = {0};
    pthread_mutex_lock(&request_lock);
    for (struct request **at = bucket(r); *at; at = &(*at)->next)
        if ((*at)->handle == r) {
            struct request *q = *at;
            found = *q;
            if (forget || !(q->what & PERSISTENT)) {
                *at = q->next;
                q->next = unused;
                unused = q;
            }
            break;
        }
    pthread_mutex_unlock(&request_lock);
    return found;
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
static void waited(struct thread *t, struct request *q)
{
    for (int i = 0; i < comm_count; i++)
        if (comms[i].id == q->comm) {
            int me = comms[i].world[comms[i].me], peer = q->peer < 0 ? q->peer : comms[i].world[q->peer];
            struct event e = {T_WAIT, 0, q->what & SEND ? me : peer, q->what & SEND ? peer : me, q->tag, 0, 0, 0, 0};
            traced(t, e, NULL);
            return;
        }
}

/* A request completed; without a status the posted size stands for the
 * received one. */
static void completed(struct thread *t, MPI_Request r, MPI_Status *status)
{
    if (r == MPI_REQUEST_NULL)
        return;
    struct request q = request_done(r, 0);
    if (auspex_tracing && q.what && q.comm >= 0)
        waited(t, &q);
    if (!(q.what & RECEIVE))
        return;
    if (status)
        received(t, status);
    else
        t->top->node->received += q.bytes;
}

/* Room for requests and statuses of one wait. */
enum { FEW = 64 };
struct batch {
    MPI_Request few_requests[FEW], *requests;
    MPI_Status few_statuses[FEW], *statuses;
    int n;
};

static void batch_open(struct batch *b, int n, MPI_Request *requests_in, const MPI_Fint *fortran, int statuses)
{
    b->requests = b->few_requests;
    b->statuses = b->few_statuses;
    b->n = n > 0 ? n : 0;
    if (b->n > FEW) {
        b->requests = malloc((size_t)n * sizeof *b->requests);
        b->statuses = statuses ? malloc((size_t)n * sizeof *b->statuses) : NULL;
        if (!b->requests)
            b->n = 0;
    }
    if (!statuses)
        b->statuses = NULL;
    for (int i = 0; i < b->n; i++)
        b->requests[i] = fortran ? PMPI_Request_f2c(fortran[i]) : requests_in[i];
}

static void batch_close(struct batch *b)
{
    if (b->requests != b->few_requests)
        free(b->requests);
    if (b->statuses && b->statuses != b->few_statuses)
        free(b->statuses);
}

static void batch_done(struct thread *t, struct batch *b, int i, MPI_Status *status)
{
    if (i >= 0 && i < b->n)
        completed(t, b->requests[i], status);
}

/* ---- start and end of MPI ---- */

#include "agree.h"

static void mpi_started(void)
{
    int n = 0;
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    if (!auspex_header)
        return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &auspex_header->rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &auspex_header->ranks);
    PMPI_Get_library_version(version, &n);
    strncpy(auspex_header->mpi, version, sizeof auspex_header->mpi - 1);
    auspex_clock_note(auspex_header);
    auspex_watch_signals();
    auspex_objects();
    auspex_trace_open();
    if (auspex_tracing) {
        comm_add(MPI_COMM_WORLD);
        auspex_at_end = auspex_trace_close;
        agree_start();
        traced(auspex_self, (struct event){T_INIT, 0, 0, 0, 0, 0, 0, 0, 0}, NULL);
    }
}

static void *next_symbol(const char *name) { return dlsym(RTLD_NEXT, name); }

#include "mpi_calls.h"
