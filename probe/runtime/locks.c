/* Waiting for OpenMP's locks and critical sections. Most are free when they are
 * wanted, and taken every few nanoseconds by some programs: only what took longer
 * than that is a region, below where the lock was wanted. */
#include "stacks.h"
#include <dlfcn.h>

static struct auspex_region waits_for[] = {
    [LOCK] = {"OpenMP lock", "", 0, BARRIER, -1},
    [CRITICAL] = {"OpenMP critical", "", 0, BARRIER, -1},
    [ATOMIC] = {"OpenMP atomic", "", 0, BARRIER, -1},
    [ORDERED] = {"OpenMP ordered", "", 0, BARRIER, -1},
};

/* Taking a lock that is free takes no longer than that, ns. */
#define FREE 500.0

/* A thread wants a lock; returns since when it may wait. */
uint64_t auspex_wants(struct thread *t)
{
    uint64_t now = ticks();
    if (now - t->record.last < auspex_long)
        return now;
    charge(t, now); /* so that the CPU time until here is not the wait's */
    return t->record.last;
}

/* A thread has waited from one time to another: that is a region below where it called
 * for it, or below where it is where by does not tell. */
void auspex_waited(struct thread *t, struct auspex_region *r, uint64_t since, uint64_t now, const struct called *by)
{
    uint32_t id = (uint32_t)__atomic_load_n(&r->id, __ATOMIC_RELAXED), outside = t->depth;
    struct place *place = by ? auspex_callers(t, by->address, by) : t->top;
    charge(t, since);
    if (place != t->top)
        open_at(t, place, SOMEWHERE);
    enter(t, unlikely(id == UINT32_MAX) ? auspex_intern(r) : id, SOMEWHERE);
    charge(t, now);
    while (t->depth > outside)
        leave(t);
}

/* It has the lock. */
void auspex_has(struct thread *t, int kind, uint64_t since, const struct called *by)
{
    uint64_t now = ticks();
    if ((double)(now - since) >= FREE * auspex_rate)
        auspex_waited(t, &waits_for[kind], since, now, by);
}

#define TAKES(kind, name, parameters, arguments)       \
    EXPORT void name parameters;                       \
    void name parameters                               \
    {                                                  \
        static void (*real) parameters;                \
        struct thread *t = auspex_self;                \
        if (unlikely(!real))                           \
            *(void **)&real = dlsym(RTLD_NEXT, #name); \
        if (!t || t->quiet || auspex_ompt) {           \
            real arguments;                            \
            return;                                    \
        }                                              \
        uint64_t since = auspex_wants(t);              \
        real arguments;                                \
        struct called by = {__builtin_return_address(0), __builtin_frame_address(0), &waits_for[kind]}; \
        auspex_has(t, kind, since, &by);               \
    }

TAKES(CRITICAL, GOMP_critical_start, (void), ())
TAKES(CRITICAL, GOMP_critical_name_start, (void **name), (name))
TAKES(ATOMIC, GOMP_atomic_start, (void), ())
TAKES(ORDERED, GOMP_ordered_start, (void), ())
TAKES(LOCK, omp_set_lock, (void *lock), (lock))
TAKES(LOCK, omp_set_nest_lock, (void *lock), (lock))
TAKES(LOCK, omp_set_lock_, (void *lock), (lock))
TAKES(LOCK, omp_set_nest_lock_, (void *lock), (lock))
