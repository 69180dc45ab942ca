/* Waiting for mutexes, at barriers of threads, and for OpenMP's locks and critical
 * sections. Most are free when they are wanted, and taken every few nanoseconds by some
 * programs: only what took longer than that is a region, below where the lock was wanted. */
#include "stacks.h"
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>

#undef pthread_mutex_lock

static struct auspex_region waits_for[] = {
    [LOCK] = {"OpenMP lock", "", 0, BARRIER, -1},
    [CRITICAL] = {"OpenMP critical", "", 0, BARRIER, -1},
    [ATOMIC] = {"OpenMP atomic", "", 0, BARRIER, -1},
    [ORDERED] = {"OpenMP ordered", "", 0, BARRIER, -1},
    [MUTEX] = {"mutex", "", 0, BARRIER, -1},
    [MEETING] = {"thread barrier", "", 0, BARRIER, -1},
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

typedef int (*locking)(pthread_mutex_t *);

/* The C library's; NULL while a program starts and nothing is measured, since looking it
 * up might come back here: an allocator has mutexes. */
static locking locks(void)
{
    static locking real;
    locking known = __atomic_load_n(&real, __ATOMIC_RELAXED);
    if (unlikely(!known) && auspex_header) {
        *(void **)&known = dlsym(RTLD_NEXT, "pthread_mutex_lock");
        __atomic_store_n(&real, known, __ATOMIC_RELAXED);
    }
    return known;
}

#ifdef __GLIBC__
#define looks_free(m) (__atomic_load_n(&(m)->__data.__lock, __ATOMIC_RELAXED) == 0)
#else
#define looks_free(m) 0
#endif

int auspex_lock(pthread_mutex_t *m)
{
    locking real = locks();
    int taken = EBUSY;
    if (likely(real != NULL))
        return real(m);
    while (!auspex_header && (taken = pthread_mutex_trylock(m)) == EBUSY)
        sched_yield();
    return taken == EBUSY ? locks()(m) : taken;
}

/* One that is free is taken as ever: to look is all that happens. In an interpreter of
 * Python it may be the one that threads take turns by, and whose functions those are is
 * not known while another has it. */
EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
    locking real = locks();
    struct thread *t = auspex_self;
    if (likely(looks_free(m)) || !t || t->quiet || !real || auspex_header->python_state != NO_PYTHON || !auspex_measures_itself())
        return auspex_lock(m);
    int taken = pthread_mutex_trylock(m), error = errno;
    if (taken != EBUSY)
        return taken;
    uint64_t since = auspex_wants(t);
    if ((taken = real(m)) != 0)
        return taken;
    struct called by = {__builtin_return_address(0), __builtin_frame_address(0), &waits_for[MUTEX]};
    t->quiet = IN_CALL;
    auspex_has(t, MUTEX, since, &by);
    t->quiet = 0;
    errno = error;
    return taken;
}

/* The last to come waits for nobody. */
EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
    static int (*real)(pthread_barrier_t *);
    struct thread *t = auspex_self;
    if (unlikely(!real))
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_barrier_wait");
    if (!t || t->quiet || auspex_header->python_state != NO_PYTHON)
        return real(b);
    uint64_t since = auspex_wants(t);
    int met = real(b);
    struct called by = {__builtin_return_address(0), __builtin_frame_address(0), &waits_for[MEETING]};
    if (auspex_measures_itself())
        auspex_has(t, MEETING, since, &by);
    return met;
}
