/* Recording what a rank does, for replay: see trace.c. */
#ifndef AUSPEX_TRACE_H
#define AUSPEX_TRACE_H
#include "probe.h"

/* What happened, as package probe numbers it. */
enum action {
    T_INIT, T_FINALIZE, T_COMM_SPLIT, T_SEND, T_ISEND, T_RECV, T_IRECV, T_SENDRECV, T_WAIT, T_BARRIER, T_BCAST,
    T_REDUCE, T_ALLREDUCE, T_SCAN, T_EXSCAN, T_ALLTOALL, T_ALLTOALLV, T_GATHER, T_SCATTER, T_ALLGATHER, T_GATHERV,
    T_ALLGATHERV, T_SCATTERV, T_REDUCE_SCATTER,
    T_TURN, T_REPEAT, /* of a loop that is cut short: see threshold.c */
    T_SLEEP,          /* count ns in which the rank neither computed nor communicated; with a tag, in
                       * the call at its site, of which the trace does not tell for whom it waits */
    T_TEAM,           /* the computation before the next event that is none of these is of parallel
                       * regions; the one before the second of two is the work of all their threads */
    /* One-sided communication with a window, which to a replay is a communicator; a tag
     * says that a flush is local, and that a lock is for one rank alone. */
    T_PUT, T_GET, T_FENCE, T_FLUSH, T_LOCK, T_UNLOCK
};

/* An event and the lists of sizes that some collectives have. Of a message, count2 says
 * whether it is one of several events of a call: 1 where it is, 2 for the last. */
struct event {
    int64_t kind, comm, peer, peer2, tag, count, count2;
    int64_t sends, receives; /* lengths of the lists after this */
    int64_t site; /* one more than the number of the region of the call's place, 0 where not known */
};

/* Of the ticks since the trace was told of something, those in which the rank was
 * blocked: neither computing nor waiting for a core. */
static inline uint64_t paused(const struct thread *t, uint64_t compute)
{
    uint64_t idle = t->gap > compute + t->stood ? t->gap - compute - t->stood : 0;
    uint64_t known = t->away > t->blocked ? t->away : t->blocked;
    return known < idle ? known : idle;
}

extern int auspex_tracing, auspex_asked;
void auspex_trace_open(void);
void auspex_trace(const struct event *e, const int64_t *lists, uint64_t compute);
uint64_t auspex_trace_teams(struct thread *t, uint64_t compute);
void auspex_trace_stop(uint32_t within, uint64_t waited, uint64_t rest);
uint32_t auspex_traced(void); /* events so far */
void auspex_trace_close(void);
#endif
