/* OpenMP's tasks as gcc and gfortran compile them. A task is a region below the
 * place where it was made, of whichever thread runs it: most are run by threads that
 * wait at a barrier. In libgomp's queue stands run_task with what it needs to know,
 * and the program's data after that. */
#include "stacks.h"
#include <alloca.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { NOGROUP = 1 << 11, DETACH = 1 << 13 };

struct task {
    /* The program's data begin with what libgomp fills in for a task of a loop, its
     * first and last turn, or for one that is detached, an event; and what it reads,
     * a loop's reductions. */
    uint64_t head[3];
    uint32_t filled; /* words of it that libgomp fills in */
    uint32_t at;     /* where the program's data are, from here */
    void (*body)(void *);
    void (*copy)(void *to, void *from); /* the program's own way to copy, or NULL */
    void *data;                         /* what that copies */
    struct place *place;                /* in the tree of the thread that made it */
};

static void copy_task(void *to, void *from)
{
    struct task *k = from;
    memcpy(to, k, sizeof *k);
    if (k->filled == 1)
        memcpy(k->data, k->head, sizeof k->head[0]);
    k->copy((char *)to + k->at, k->data);
}

static void run_task(void *argument)
{
    struct task *k = argument;
    struct thread *t = auspex_self;
    void *data = (char *)k + k->at;
    memcpy(data, k->head, k->filled * sizeof k->head[0]);
    if (!t || t->quiet) {
        k->body(data);
        return;
    }
    struct paused before;
    auspex_task_begin(t, k->place, (uintptr_t)__builtin_frame_address(0), &before);
    k->body(data);
    auspex_task_end(t, &before);
}

/* A call that makes tasks, as the program made it, and as libgomp gets it. */
struct order {
    void (*body)(void *);
    void *data;
    void (*copy)(void *, void *);
    long size, align;
};

/* Larger data than this do not go on the stack. */
enum { LARGE = 1 << 14 };

static size_t aligned(size_t n, size_t align) { return (n + align - 1) & ~(align - 1); }

/* Bytes that a task takes in front of the program's data, and their alignment. */
static size_t alignment(const struct order *o) { return o->align > 16 ? (size_t)o->align : 16; }

static size_t room(const struct order *o)
{
    return aligned(sizeof(struct task), alignment(o)) + (o->copy ? 0 : (size_t)o->size) + alignment(o);
}

/* Makes of an order the one that libgomp gets, in so much room. */
static void wrap(struct order *o, void *room, struct place *place, uint32_t filled)
{
    struct task *k = (struct task *)aligned((uintptr_t)room, alignment(o));
    size_t at = aligned(sizeof *k, alignment(o)), size = (size_t)o->size;
    *k = (struct task){{0}, size >= filled * sizeof k->head[0] ? filled : 0, (uint32_t)at, o->body, o->copy, o->data, place};
    if (o->data)
        memcpy(k->head, o->data, size < sizeof k->head ? size : sizeof k->head);
    if (!o->copy && size > 0)
        memcpy((char *)k + at, o->data, size);
    *o = (struct order){run_task, k, o->copy ? copy_task : NULL, (long)(at + size), (long)alignment(o)};
}

/* Compilers before gcc 6 and 11 leave the last two out: they are handed on unread. */
EXPORT void GOMP_task(void (*body)(void *), void *data, void (*copy)(void *, void *), long size, long align, _Bool deferred, unsigned flags, void **depend, int priority, void *event);
void GOMP_task(void (*body)(void *), void *data, void (*copy)(void *, void *), long size, long align, _Bool deferred, unsigned flags, void **depend, int priority, void *event)
{
    static void (*real)(void (*)(void *), void *, void (*)(void *, void *), long, long, _Bool, unsigned, void **, int, void *);
    if (unlikely(!real))
        *(void **)&real = dlsym(RTLD_NEXT, "GOMP_task");
    struct thread *t = auspex_self;
    struct order o = {body, data, copy, size, align};
    struct place *place = t && !t->quiet && !auspex_ompt ? auspex_task_place(t, (uintptr_t)body + 1) : NULL;
    void *large = NULL;
    if (place && (room(&o) < LARGE || (large = malloc(room(&o)))))
        wrap(&o, large ? large : alloca(room(&o)), place, flags & DETACH ? 1 : 0);
    real(o.body, o.data, o.copy, o.size, o.align, deferred, flags, depend, priority, event);
    free(large);
}

/* A loop whose turns are tasks. Its thread runs them too, and waits for all unless
 * told not to. */
#define TASKLOOP(name)                                                                                                  \
    EXPORT void name(void (*body)(void *), void *data, void (*copy)(void *, void *), long size, long align,             \
        unsigned flags, unsigned long tasks, int priority, long long from, long long to, long long step);               \
    void name(void (*body)(void *), void *data, void (*copy)(void *, void *), long size, long align,                    \
        unsigned flags, unsigned long tasks, int priority, long long from, long long to, long long step)                \
    {                                                                                                                   \
        static void (*real)(void (*)(void *), void *, void (*)(void *, void *), long, long,                             \
            unsigned, unsigned long, int, long long, long long, long long);                                             \
        if (unlikely(!real))                                                                                            \
            *(void **)&real = dlsym(RTLD_NEXT, #name);                                                                  \
        struct thread *t = auspex_self;                                                                                 \
        struct order o = {body, data, copy, size, align};                                                               \
        struct place *place = t && !t->quiet && !auspex_ompt ? auspex_task_place(t, (uintptr_t)body + 1) : NULL;        \
        void *large = NULL;                                                                                             \
        if (!place || (room(&o) >= LARGE && !(large = malloc(room(&o))))) {                                             \
            real(body, data, copy, size, align, flags, tasks, priority, from, to, step);                                \
            return;                                                                                                     \
        }                                                                                                               \
        wrap(&o, large ? large : alloca(room(&o)), place, 2);                                                           \
        if (!(flags & NOGROUP)) {                                                                                       \
            charge(t, ticks());                                                                                         \
            enter(t, auspex_barrier(), SOMEWHERE);                                                                      \
        }                                                                                                               \
        real(o.body, o.data, o.copy, o.size, o.align, flags, tasks, priority, from, to, step);                          \
        if (!(flags & NOGROUP)) {                                                                                       \
            charge(t, ticks());                                                                                         \
            leave(t);                                                                                                   \
        }                                                                                                               \
        free(large);                                                                                                    \
    }

#if __SIZEOF_LONG__ == 8
TASKLOOP(GOMP_taskloop)
#endif
TASKLOOP(GOMP_taskloop_ull)
