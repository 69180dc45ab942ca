/* P2PSAP: its library tells of its calls where it finds these functions. */
#include "stacks.h"
#include "trace.h"
#include <stdlib.h>
#include <string.h>

static struct auspex_region regions[] = {
    {"P2P_Send", "", 0, MPI_CALL, -1, 0}, {"P2P_Receive", "", 0, MPI_CALL, -1, 0}, {"P2P_Wait", "", 0, MPI_CALL, -1, 0},
    {"P2P_Converged", "", 0, MPI_CALL, -1, 0}, {"P2P_Checkpoint", "", 0, MPI_CALL, -1, 0}, {"P2P_Finish", "", 0, MPI_CALL, -1, 0},
    {"P2P_Init", "", 0, MPI_CALL, -1, 0},
};

/* What a run is called once it has messages of which the newest wins. */
#define P2P_NEWEST "P2PSAP asynchronous"

/* Sends in order that the trace has yet to wait for. */
enum { FLYING = 1024 };
static struct { int peer, tag; } flying[FLYING];
static int flying_count, rank_here;

static void note(struct thread *t, struct event e)
{
    uint64_t compute = virtual_time(t) - t->seen;
    if (t->record.id != 0 || !auspex_tracing)
        return;
    t->seen = virtual_time(t);
    e.site = t->site;
    auspex_trace(&e, NULL, auspex_trace_teams(t, compute));
}

static void settle(struct thread *t)
{
    for (int i = 0; i < flying_count; i++)
        note(t, (struct event){T_WAIT, 0, rank_here, flying[i].peer, flying[i].tag, 0, 0, 0, 0, 0});
    flying_count = 0;
}

EXPORT void auspex_p2p_joined(int rank, int peers);
void auspex_p2p_joined(int rank, int peers)
{
    struct thread *t = self();
    if (!t || !auspex_header)
        return;
    auspex_header->rank = rank_here = rank;
    auspex_header->ranks = peers;
    strcpy(auspex_header->mpi, "P2PSAP");
    auspex_clock_note(auspex_header);
    auspex_watch_signals();
    auspex_objects();
    auspex_trace_open();
    if (auspex_tracing) {
        auspex_at_end = auspex_trace_close;
        note(t, (struct event){T_INIT, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    }
}

EXPORT void auspex_p2p_enter(const char *name, const void *from);
void auspex_p2p_enter(const char *name, const void *from)
{
    struct thread *t = self();
    if (!t || t->quiet)
        return;
    struct auspex_region *r = NULL;
    for (size_t i = 0; i < sizeof regions / sizeof *regions && !r; i++)
        if (!strcmp(regions[i].name, name))
            r = &regions[i];
    if (!r)
        return;
    uint64_t now = ticks();
    t->quiet = IN_CALL;
    t->outside = t->depth;
    t->site = 0;
    struct place *place = auspex_callers(t, from, NULL);
    charge(t, now);
    if (unlikely(auspex_objects_stale))
        auspex_objects();
    if (place != t->top)
        open_at(t, place, SOMEWHERE);
    uint32_t id = (uint32_t)__atomic_load_n(&r->id, __ATOMIC_RELAXED);
    enter(t, id == UINT32_MAX ? auspex_intern(r) : id, SOMEWHERE);
    if (auspex_tracing && r == &regions[5]) {
        settle(t);
        note(t, (struct event){T_FINALIZE, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    }
}

/* Where the newest message wins: how many were replaced by newer ones or lost
 * since this was called last. */
EXPORT void auspex_p2p_overtaken(unsigned long messages);
void auspex_p2p_overtaken(unsigned long messages)
{
    struct thread *t = auspex_self;
    if (t && t->quiet)
        t->top->node->overtaken += messages;
}

/* what is 1 of a message sent in order, 2 of one sent as the newest, -1 and -2
 * of one received, 3 of a vote of all, 0 of nothing that travels. A trace holds
 * what is in order: how often the rest comes depends on delays. */
EXPORT void auspex_p2p_leave(int what, int peer, int tag, long bytes);
void auspex_p2p_leave(int what, int peer, int tag, long bytes)
{
    struct thread *t = auspex_self;
    if (!t || !t->quiet)
        return;
    struct node *n = t->top->node;
    if ((what == 2 || what == -2) && auspex_header && strcmp(auspex_header->mpi, P2P_NEWEST))
        strcpy(auspex_header->mpi, P2P_NEWEST);
    if (what == 1 || what == 2) {
        n->messages++;
        n->sent += (uint64_t)bytes;
    } else if (what < 0 && bytes > 0)
        n->received += (uint64_t)bytes;
    if (auspex_tracing && what == 1) {
        if (flying_count == FLYING)
            settle(t);
        flying[flying_count].peer = peer;
        flying[flying_count++].tag = tag;
        note(t, (struct event){T_ISEND, 0, peer, 0, tag, bytes, 0, 0, 0, 0});
    } else if (auspex_tracing && what == -1 && bytes > 0)
        note(t, (struct event){T_RECV, 0, peer, 0, tag, bytes, 0, 0, 0, 0});
    else if (auspex_tracing && what == 3) {
        settle(t);
        note(t, (struct event){T_ALLREDUCE, 0, 0, 0, 0, 8, 0, 0, 0, 0});
    }
    uint64_t outside = virtual_time(t);
    charge(t, ticks());
    t->depth = t->outside;
    t->top = t->stack[t->depth].place;
    t->record.current = t->top->index;
    outside = virtual_time(t) - outside;
    t->seen += outside; /* the library's own work is no computation */
    account(t, outside);
    t->quiet = 0;
}
