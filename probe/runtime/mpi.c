/* MPI: what the generated wrappers call. */
#include "mpi_header.h"
#include "threshold.h"
#include "stacks.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "topology.h"

/* What the program is told of its communicators. */
#ifdef AUSPEX_ANSWERS
#include "answers.h"
#else
#define answer_Comm_rank PMPI_Comm_rank
#define answer_Comm_size PMPI_Comm_size
#define answer_Comm_test_inter PMPI_Comm_test_inter
#define answer_Comm_remote_size PMPI_Comm_remote_size
#define answer_Comm_group PMPI_Comm_group
#define answer_Comm_remote_group PMPI_Comm_remote_group
#define answer_topology topology
#endif

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
#define MPI_ENTER(r) mpi_enter(r, __builtin_return_address(0), __builtin_frame_address(0))
static __attribute__((noinline)) struct thread *mpi_enter(struct auspex_region *r, const void *address, const void *frame)
{
    struct thread *t = self();
    if (unlikely(!t || t->quiet))
        return NULL;
    uint64_t now = ticks();
    t->quiet = IN_CALL;
    t->gap += t->left ? now - t->left : 0;
    t->outside = t->depth;
    const void *from = caller ? caller : address;
    struct called by = {address, frame, r};
    struct place *place = auspex_callers(t, from, &by);
    int blind = t->depth == 0 && !auspex_sampling, charged = 0;
    t->events = auspex_traced();
    t->first = UINT32_MAX;
    t->unknown = t->whole = 0;
    if (blind || auspex_tracing) {
        struct site *s = site_at(r, from);
        t->site = s ? s->call + 1 : 0;
        if (s && blind) {
            enter(t, s->before, SOMEWHERE);
            charge(t, now);
            leave(t);
            charged = 1; /* and later than now, where it took long */
        }
    }
    if (!charged)
        charge(t, now);
    if (unlikely(auspex_objects_stale))
        auspex_objects();
    if (place != t->top)
        open_at(t, place, SOMEWHERE);
    uint32_t id = (uint32_t)__atomic_load_n(&r->id, __ATOMIC_RELAXED);
    enter(t, unlikely(id == UINT32_MAX) ? auspex_intern(r) : id, SOMEWHERE);
    t->entering = priced(t) ? ticks() - now : 0;
    return t;
}

static void untold(struct thread *t);

/* A call that looks for messages has found none. Short sleeps since another one found
 * none are the program's way to wait, and no more than it: the message was not there
 * yet. Those before the first look, and after the last, may be for anything. */
static void in_vain(struct thread *t)
{
    if (t->looked_in_vain) {
        t->away -= t->naps < t->away ? t->naps : t->away;
        t->blocked -= t->naps < t->blocked ? t->naps : t->blocked;
    }
    t->naps = 0;
    t->looked_in_vain = 1;
}

static __attribute__((noinline)) void mpi_leave(struct thread *t)
{
    if (unlikely(t->unknown && t->events == auspex_traced()))
        untold(t);
    uint64_t outside = virtual_time(t), stood = t->stood, blocked = t->blocked, since = t->record.last, over = ticks();
    t->left = over;
    charge(t, t->left);
    t->blocked = blocked; /* within the call it is MPI that waits */
    if (unlikely(t->stood > stood)) {
        uint64_t waited = t->stood - stood, took = t->record.last - since;
        t->left = t->record.last;
        if (t->first != UINT32_MAX && !t->whole) { /* else it counts for what leads to the next event */
            auspex_trace_stop(auspex_traced() - t->first, waited, took > waited ? took - waited : 0);
            t->stood = stood;
        } else if (t->aside > 0 || t->asking || t->whole)
            t->stood = stood; /* the call counts as a whole, or for nothing */
    }
    if (t->asking && t->first == UINT32_MAX && t->events == auspex_traced())
        in_vain(t);
    t->asking = 0;
    t->depth = t->outside;
    t->top = t->stack[t->depth].place;
    t->record.current = t->top->index;
    outside = virtual_time(t) - outside;
    t->seen += outside; /* MPI's own work is no computation */
    account(t, outside);
    if (unlikely(t->entering)) {
        static struct prices seen;
        seen_price(&auspex_header->call_price, &seen, t->entering + (ticks() - over));
    }
    t->quiet = 0;
}

/* ---- tracing ---- */

/* A communicator that a replay does not make, since not all ranks of another make it
 * together, is abroad: its messages are told as the world's, by the world's ranks. Of
 * one between two groups, world and size are the other group's. */
static struct communicator { MPI_Comm handle; int id, me, size, abroad, inter; int *world; struct neighbours *near; struct window *window; } *comms;
static int comm_count, comm_room, comm_ids;

/* Within a hundredth, so that nearly equal times are equal events. */
static int64_t rounded(double ns)
{
    int64_t n = (int64_t)ns, step = 1;
    while (n / step >= 128)
        step *= 2;
    return (n + step / 2) / step * step;
}

/* Hands an event to the trace with the computation since the one before, and
 * before it the time in which the rank did neither. */
static void traced(struct thread *t, struct event e, const int64_t *lists)
{
    uint64_t compute = virtual_time(t) - t->seen;
    if (t->record.id != 0)
        return; /* the trace is of one thread */
    t->seen = virtual_time(t);
    e.site = t->site;
    uint64_t idle = paused(t, compute) + t->aside;
    auspex_trace_stop(0, t->stood, 0);
    t->gap = t->away = t->blocked = t->aside = t->stood = t->naps = 0;
    t->looked_in_vain = 0;
    if (unlikely(idle >= auspex_long)) {
        if (auspex_turning)
            compute += idle; /* turns of a loop that is cut short have no event for it */
        else {
            struct event slept = {T_SLEEP, 0, 0, 0, 0, rounded((double)idle / auspex_rate), 0, 0, 0, e.site};
            compute = auspex_trace_teams(t, compute);
            auspex_trace(&slept, NULL, compute);
            compute = 0;
        }
    }
    compute = auspex_trace_teams(t, compute);
    if (t->first == UINT32_MAX)
        t->first = auspex_traced();
    auspex_trace(&e, lists, compute);
}

/* The whole call counts as it was: no event tells for whom it waits. Where that is
 * worth an event, it is a pause at the call itself. */
static void untold(struct thread *t)
{
    uint64_t took = ticks() - t->record.last;
    if (!auspex_tracing || t->record.id != 0)
        return;
    if (took < auspex_long || auspex_turning) {
        t->aside += took;
        return;
    }
    traced(t, (struct event){T_SLEEP, 0, 0, 0, 1, rounded((double)took / auspex_rate), 0, 0, 0}, NULL);
    t->whole = 1;
}

static struct communicator *communicator(MPI_Comm handle)
{
    for (int i = comm_count; i-- > 0;)
        if (!comms[i].window && comms[i].handle == handle)
            return &comms[i];
    return NULL;
}

/* Room for one more communicator, with the ranks of so many members. */
static struct communicator *comm_room_for(MPI_Comm handle, int size)
{
    if (comm_count == comm_room) {
        int room = comm_room ? 2 * comm_room : 16;
        struct communicator *more = realloc(comms, (size_t)room * sizeof *comms);
        if (!more)
            return NULL;
        comms = more;
        comm_room = room;
    }
    struct communicator *c = &comms[comm_count];
    memset(c, 0, sizeof *c);
    c->handle = handle;
    c->size = size;
    c->world = malloc(2 * (size_t)size * sizeof *c->world);
    return c->world ? c : NULL;
}

/* One with members that are not in the world of this program is not known. */
static struct communicator *comm_add(MPI_Comm handle, int abroad)
{
    MPI_Group group, all;
    int inter = 0, size = 0;
    answer_Comm_test_inter(handle, &inter);
    if (inter) {
        answer_Comm_remote_size(handle, &size);
        answer_Comm_remote_group(handle, &group);
    } else {
        answer_Comm_size(handle, &size);
        answer_Comm_group(handle, &group);
    }
    struct communicator *c = comm_room_for(handle, size);
    if (c) {
        int *mine = c->world + size, strangers = 0;
        for (int i = 0; i < size; i++)
            mine[i] = i;
        answer_Comm_group(MPI_COMM_WORLD, &all);
        PMPI_Group_translate_ranks(group, size, mine, all, c->world);
        PMPI_Group_free(&all);
        for (int i = 0; i < size; i++)
            strangers += c->world[i] == MPI_UNDEFINED;
        answer_Comm_rank(handle, &c->me);
        c->abroad = abroad || inter;
        c->inter = inter;
        c->id = c->abroad ? 0 : comm_ids++;
        comm_count += !strangers;
        if (strangers) {
            free(c->world);
            c = NULL;
        }
    }
    PMPI_Group_free(&group);
    return c;
}

static void together(struct thread *t, int kind, int root, uint64_t out, uint64_t in, MPI_Comm comm);

/* Notes a communicator that a replay does not make; all its members have met. */
static void comm_abroad(struct thread *t, MPI_Comm made)
{
    if (!auspex_tracing || made == MPI_COMM_NULL)
        return;
    if (!communicator(made))
        comm_add(made, 1);
    together(t, T_BARRIER, 0, 0, 0, made);
}

/* Any making of a communicator from another is, to a replay, a split: members
 * of one new communicator share the colour of its first member. */
static void comm_made(struct thread *t, MPI_Comm parent, MPI_Comm made)
{
    struct communicator *p = communicator(parent);
    if (!auspex_tracing)
        return;
    if (!p || p->abroad) {
        if (made != MPI_COMM_NULL)
            comm_add(made, 1);
        together(t, T_BARRIER, 0, 0, 0, parent);
        return;
    }
    int id = p->id;
    if (made != MPI_COMM_NULL) {
        struct communicator *c = comm_add(made, 0);
        traced(t, (struct event){T_COMM_SPLIT, id, 0, 0, c ? c->world[0] : 0, c ? c->me : 0, 0, 0, 0}, NULL);
        return;
    }
    comm_ids++; /* the replay numbers it, too, where a rank is no member */
    traced(t, (struct event){T_COMM_SPLIT, id, 0, 0, -1, 0, 0, 0, 0}, NULL);
}

/* A communicator of the same ranks as another, by the same number. */
static struct communicator *comm_like(MPI_Comm parent, MPI_Comm made)
{
    struct communicator *p = communicator(parent);
    struct communicator was = p ? *p : (struct communicator){0};
    struct communicator *c = p ? comm_room_for(made, was.size) : NULL;
    if (!c)
        return NULL;
    memcpy(c->world, was.world, (size_t)was.size * sizeof *c->world);
    was.handle = made;
    was.world = c->world;
    was.near = NULL;
    *c = was;
    comm_count++;
    return c;
}

/* A copy that is not there yet is to a replay the communicator itself: making it must
 * not hold anybody up. */
static void comm_copied(MPI_Comm parent, MPI_Comm made) { comm_like(parent, made); }

/* A rank of a communicator as the trace names it. */
static int known_as(const struct communicator *c, int peer) { return c->abroad && peer >= 0 && peer < c->size ? c->world[peer] : peer; }

static void comm_forget(struct communicator *c)
{
    free(c->world);
    free(c->near);
    *c = comms[--comm_count];
}

static void comm_freed(MPI_Comm handle)
{
    struct communicator *c = communicator(handle);
    if (c)
        comm_forget(c);
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
    answer_Comm_test_inter(comm, &inter);
    if (inter)
        answer_Comm_remote_size(comm, &n);
    else
        answer_Comm_size(comm, &n);
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
    if (!c)
        untold(t);
    else if (peer != MPI_PROC_NULL)
        traced(t, (struct event){kind, c->id, peer == MPI_ANY_SOURCE ? -1 : known_as(c, peer), 0, tag == MPI_ANY_TAG ? -1 : tag, (int64_t)(n * size_of(type)), 0, 0, 0}, NULL);
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

/* Both tags go into one number; whose message a receive from anyone got is told by
 * the status. */
static void exchange(struct thread *t, uint64_t out, int to, int tag, uint64_t in, int from, int tag_in, MPI_Comm comm, MPI_Status *status)
{
    struct communicator *c = communicator(comm);
    if (!c) {
        untold(t);
        return;
    }
    if (status && from != MPI_PROC_NULL) {
        from = status->MPI_SOURCE;
        tag_in = status->MPI_TAG;
    }
    struct event e = {T_SENDRECV, c->id, to == MPI_PROC_NULL ? -2 : known_as(c, to), from == MPI_PROC_NULL ? -2 : from == MPI_ANY_SOURCE ? -1 : known_as(c, from),
        (int64_t)tag << 32 | (uint32_t)(tag_in == MPI_ANY_TAG ? -1 : tag_in), (int64_t)out, (int64_t)in, 0, 0};
    traced(t, e, NULL);
}

/* Whether a rank is the root; of two groups, that of one is the other's. */
static int at_root_of(const struct communicator *c, int root) { return c->inter ? root == MPI_ROOT : c->me == root; }

#include "requests.h"

/* A collective. One that does not block, or of ranks that the replay has no
 * communicator of, is told as messages. */
static void gathered(struct thread *t, const struct event *e, struct communicator *c, const int64_t *lists)
{
    if (begun)
        begin_apart(t, e, c, lists);
    else if (c->abroad || in_line(e->kind)) {
        struct parts *p = parts_of(e, c, lists);
        if (p) {
            tell_parts(t, c->id, p);
            free(p);
        } else
            untold(t);
    } else
        traced(t, *e, lists);
}

/* A collective with one size for all. */
static void together(struct thread *t, int kind, int root, uint64_t out, uint64_t in, MPI_Comm comm)
{
    struct communicator *c = communicator(comm);
    if (c)
        gathered(t, &(struct event){kind, c->id, root, 0, 0, (int64_t)out, (int64_t)in, 0, 0}, c, NULL);
    else if (!begun && size_of_comm(comm) > 1)
        untold(t);
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

#include "neighbours.h"

/* Whether a communicator is one between two groups. */
static int between(MPI_Comm comm)
{
    struct communicator *c = communicator(comm);
    return c && c->inter;
}

static int at_root(int root, MPI_Comm comm)
{
    struct communicator *c = communicator(comm);
    return c && at_root_of(c, root);
}

static void with_lists(struct thread *t, int kind, int root, uint64_t out, uint64_t in, int sends, int receives, MPI_Comm comm)
{
    struct communicator *c = communicator(comm);
    if (c)
        gathered(t, &(struct event){kind, c->id, root, 0, 0, (int64_t)out, (int64_t)in, sends, receives}, c, size_list);
    else if (!begun && size_of_comm(comm) > 1)
        untold(t);
}

#include "windows.h"

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

enum { CALLS_TRIED = 9, CALLS_A_TIME = 16 };

static __attribute__((noinline)) struct node *try_call(struct auspex_region *r)
{
    struct thread *t = MPI_ENTER(r);
    struct node *counted = t->top->node;
    mpi_leave(t);
    return counted;
}

/* Ticks that a call of MPI takes longer for being measured, tried out with the region of
 * the call that starts MPI; what that counts is taken back. */
static void price_of_call(struct thread *t)
{
    struct auspex_region r = {"MPI", "", 0, MPI_CALL, (int)t->top->region, 0};
    struct node *counted = NULL;
    uint64_t before = virtual_time(t) - t->seen, gap = t->gap, left = t->left, least = UINT64_MAX;
    uint64_t stood = t->stood, blocked = t->blocked;
    uint32_t outside = t->outside, quiet = (uint32_t)t->quiet, events = t->events;
    t->quiet = 0;
    for (int i = 0; i < CALLS_TRIED; i++) {
        uint64_t start = ticks();
        for (int k = 0; k < CALLS_A_TIME; k++)
            counted = try_call(&r);
        uint64_t took = ticks() - start;
        least = took < least ? took : least;
    }
    counted->calls -= CALLS_TRIED * CALLS_A_TIME;
    t->quiet = (int)quiet;
    t->outside = outside;
    t->events = events;
    t->gap = gap;
    t->left = left;
    t->stood = stood;
    t->blocked = blocked;
    t->seen = virtual_time(t) - before;
    auspex_header->call_price = least / CALLS_A_TIME;
}

static void mpi_started(void)
{
    int n = 0;
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    if (!auspex_header)
        return;
    answer_Comm_rank(MPI_COMM_WORLD, &auspex_header->rank);
    answer_Comm_size(MPI_COMM_WORLD, &auspex_header->ranks);
    PMPI_Get_library_version(version, &n);
    strncpy(auspex_header->mpi, version, sizeof auspex_header->mpi - 1);
    auspex_clock_note(auspex_header);
    auspex_watch_signals();
    auspex_objects();
    if (auspex_self)
        price_of_call(auspex_self);
    auspex_trace_open();
    if (auspex_tracing) {
        comm_add(MPI_COMM_WORLD, 0);
        auspex_at_end = auspex_trace_close;
        agree_start();
        traced(auspex_self, (struct event){T_INIT, 0, 0, 0, 0, 0, 0, 0, 0}, NULL);
    }
    auspex_header->began = ticks();
}

static void *next_symbol(const char *name) { return dlsym(RTLD_NEXT, name); }

#include "mpi_calls.h"
