/* Threads that live when the process ends have charged their time up to their latest
 * event only, which may be long ago: what they have spent since is noted beside their
 * trees, at samples and at the end. A note counts as long as no event came after it,
 * so that a thread which goes on running while the process ends counts nothing twice. */
#include "probe.h"

static struct thread *all; /* that ever were; what is there is never taken out */

/* How far apart notes ask the kernel for a thread's waits for a core, in its CPU time:
 * where many share a core its samples are far apart. */
#define ASK_NS 50000000u

void auspex_living(struct thread *t)
{
    t->before = __atomic_load_n(&all, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&all, &t->before, t, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

/* The kernel's clock of a thread's CPU time, by the thread's number. */
static clockid_t clock_of(int tid) { return (clockid_t)(~(unsigned)tid << 3 | 6u); }

/* Notes where a thread stands whose CPU clock says cpu. */
SAMPLED static void note(struct thread *t, uint64_t cpu, int last_time)
{
    struct thread_record *r = &t->record;
    uint64_t last = __atomic_load_n(&r->last, __ATOMIC_ACQUIRE), now = ticks(), wall = now > last ? now - last : 0;
    double used = (double)((int64_t)(cpu - t->cpu)) * auspex_rate - (double)t->brief;
    uint64_t ran = used <= 0 ? 0 : used < (double)wall ? (uint64_t)used : wall, lost = wall - ran;
    uint64_t blocked = r->since == last ? r->blocked : 0;
    if (lost > auspex_long && t->schedstat != -1 && (last_time || cpu - t->noted > ASK_NS)) {
        double waited = (double)auspex_core_queued(t) * auspex_rate;
        blocked = waited < (double)lost ? lost - (uint64_t)waited : 0;
        t->noted = cpu;
    }
    if (__atomic_load_n(&r->last, __ATOMIC_ACQUIRE) != last)
        return; /* an event came: all is charged up to then */
    __atomic_store_n(&r->since, 0, __ATOMIC_RELEASE);
    r->wall = wall;
    r->cpu = ran;
    r->blocked = blocked < lost ? blocked : lost;
    __atomic_store_n(&r->since, last, __ATOMIC_RELEASE);
}

/* At a sample of the calling thread. */
SAMPLED void auspex_note(struct thread *t)
{
    if (t->record.own)
        note(t, thread_nanos(), 0);
    if (t->record.last + t->record.wall - auspex_header->ticks1 > (uint64_t)(1e9 * auspex_rate))
        auspex_clock_note(auspex_header);
}

/* At the end of the process, which a signal may be: nothing is locked. */
void auspex_note_all(void)
{
    for (struct thread *t = __atomic_load_n(&all, __ATOMIC_ACQUIRE); t; t = t->before) {
        struct timespec cpu;
        if (!t->record.over && t->record.own && clock_gettime(clock_of(t->tid), &cpu) == 0)
            note(t, (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec, 1);
    }
}
