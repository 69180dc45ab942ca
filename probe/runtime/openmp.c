/* OpenMP as gcc and gfortran compile it: the entry points of libgomp are
 * interposed. A parallel region is a region of every thread that takes part,
 * under the path of the thread that opened it; waiting at its end and at
 * barriers is a region of its own. */
#include "stacks.h"
#include <dlfcn.h>
#include <stdlib.h>

static struct auspex_region barrier = {"OpenMP barrier", "", 0, BARRIER, -1};

#define NEXT(name) do { if (unlikely(!real)) *(void **)&real = dlsym(RTLD_NEXT, #name); } while (0)

/* Set where libomp tells of its events: what it offers under libgomp's names
 * must not count again. */
int auspex_ompt;

uint32_t auspex_barrier(void)
{
    uint32_t id = (uint32_t)__atomic_load_n(&barrier.id, __ATOMIC_RELAXED);
    return unlikely(id == UINT32_MAX) ? auspex_intern(&barrier) : id;
}

/* What the threads of one parallel region share. Who takes part is kept with the
 * opener, and written only where it differs from the last time: a line of memory that
 * no thread writes is not fetched again by the others. */
struct team {
    void (*body)(void *);
    void *data;
    struct thread *opener;
    uint32_t outside;    /* the opener's depth before the region */
    struct place *place; /* of the region, in the opener's tree */
    struct thread **member;
    int members;
    struct mark mark;    /* of the opener's part in a region around this one */
    uint64_t opening;    /* ticks that measuring its beginning took, 0 where it is not looked at */
    struct thread *inner[TEAM]; /* the members of a team that its opener opened inside another */
};

/* Finds the same path in another thread's tree. */
static struct place *same_path(struct thread *t, struct place *p)
{
    if (!p->parent)
        return t->stack[0].place;
    struct place *up = same_path(t, p->parent);
    struct place *to = up ? auspex_way(t, up, p->region) : NULL;
    return to ? to : up;
}

/* The same, remembered, with the place for waiting there: programs open the same few
 * parallel regions again and again, some every ten microseconds. A place outlives its
 * thread and is never another's. */
static struct twin *same_place(struct thread *t, struct place *p)
{
    struct twin *twin = &t->twins[((uintptr_t)p >> 4) % TWINS];
    if (unlikely(twin->of != p))
        *twin = (struct twin){p, same_path(t, p), NULL};
    return twin;
}

static struct place *waiting_place(struct thread *t, struct place *p)
{
    struct twin *twin = same_place(t, p);
    if (unlikely(!twin->wait && twin->mine))
        twin->wait = auspex_way(t, twin->mine, auspex_barrier());
    return twin->wait;
}

/* ---- the work of a team, for the trace ---- */

/* Ticks of CPU time in which a thread did not wait for its team. */
static uint64_t worked(const struct thread *t) { return virtual_time(t) - t->idled; }

/* Charges a stretch in which a thread waited for its team: its core may have been busy
 * with looking whether the others are there. */
void auspex_charge_wait(struct thread *t, uint64_t now)
{
    uint64_t before = virtual_time(t);
    charge(t, now);
    t->idled += virtual_time(t) - before;
}

void auspex_part_begin(struct thread *t) { t->mark = (struct mark){worked(t), t->lacked, t->inner}; }

void auspex_part_end(struct thread *t)
{
    t->part = (struct mark){worked(t) - t->mark.worked, t->lacked - t->mark.lacked, t->inner - t->mark.inner};
}

/* Adds a thread's part, which was done at that time. */
void auspex_part_of(struct shares *shares, const struct thread *t, uint64_t done)
{
    shares->worked += t->part.worked + t->part.inner;
    if (t->part.worked > shares->most)
        shares->most = t->part.worked;
    if (t->part.lacked > shares->lacking)
        shares->lacking = t->part.lacked;
    if (done >= shares->done) {
        shares->lacked = t->part.lacked;
        shares->done = done;
    }
}

/* A parallel region is over. It took its opener the time that it worked and waited for
 * the others, without what the last of them had no core for: elsewhere there may be more
 * cores, or fewer. Of a team inside another the opener's thread knows. */
void auspex_team_end(struct thread *o, const struct shares *shares, struct mark before)
{
    uint64_t lacked = shares->lacked;
    if (o->forks > 0 || o->record.id != 0) {
        o->inner += shares->worked - o->part.worked;
        o->mark = before;
        return;
    }
    if (o->forked == UINT64_MAX)
        return;
    uint64_t took = virtual_time(o) - o->forked, known;
    if (shares->late >= auspex_long) /* the opener had none when all were done */
        lacked += shares->late;
    known = took > lacked ? took - lacked : 0;
    known = known > shares->most ? known : shares->most;
    /* It slept while the others worked, or, at barriers within, while they had no core. */
    uint64_t slept = o->blocked > o->forked_blocked ? o->blocked - o->forked_blocked : 0;
    uint64_t untrue = (known > took ? known - took : 0) + shares->lacking;
    o->blocked -= untrue < slept ? untrue : slept;
    o->seen += took - known;
    o->team_took += known;
    o->team_worked += shares->worked > known ? shares->worked : known;
}

/* Puts a thread into the place of the parallel region that it takes part in. */
void auspex_join(struct thread *t, struct place *place, uint64_t now)
{
    struct place *p = same_place(t, place)->mine;
    if (!t->top->parent)
        auspex_resume(t, now); /* a worker that waited for work is nobody's time */
    else
        charge(t, now);
    open_at(t, p, SOMEWHERE);
    p->node->calls++;
}

static int ask_openmp(int (*real)(void), int otherwise) { return real ? real() : otherwise; }

static int thread_number(void)
{
    static int (*real)(void);
    NEXT(omp_get_thread_num);
    return ask_openmp(real, -1);
}

static int thread_count(void)
{
    static int (*real)(void);
    NEXT(omp_get_num_threads);
    return ask_openmp(real, 0);
}

static int active_level(void)
{
    static int (*real)(void);
    NEXT(omp_get_active_level);
    return ask_openmp(real, 1);
}

/* Goes on after a wait whose wall time is charged elsewhere. On a core it looked whether
 * the others are there. */
static void waited(struct thread *t, struct place *at, uint64_t now)
{
    uint64_t wait = now - t->record.last, used = wait;
    t->idled += wait;
    if (wait >= auspex_long) { /* it may have slept: what it has computed until then is known */
        used = auspex_used(t, wait);
        t->settled += wait;
    } else
        t->brief += wait;
    if (at)
        at->node->cpu += used;
    t->record.last = now;
}

/* A worker goes on that waited for its team, which it looked for first, and then for
 * work. */
static void rested(struct thread *t, uint64_t now)
{
    struct place *at = waiting_place(t, t->finished);
    uint64_t wait = at && t->record.last > t->done ? t->record.last - t->done : 0;
    t->record.last -= wait;
    uint64_t used = auspex_resume(t, now);
    if (wait)
        at->node->cpu += used < wait ? used : wait;
}

/* The threads of the last team are not there yet when its opener wants to begin. */
static void begun_late(struct thread *t, struct place *place)
{
    uint64_t now = ticks();
    struct place *at = now - t->record.last >= auspex_long ? waiting_place(t, place) : NULL, *top = t->top;
    if (!at)
        return;
    t->top = at;
    auspex_charge_wait(t, now);
    t->top = top;
}

/* What every thread runs in place of the body. */
static void take_part(void *argument)
{
    struct team *team = argument;
    struct thread *t = auspex_self;
    int number = thread_number();
    if (!t)
        t = auspex_worker(number, active_level() > 1);
    if (number >= 0 && number < TEAM && team->member[number] != t)
        team->member[number] = t;
    if (!t) {
        team->body(team->data);
        return;
    }
    uint32_t depth = t->depth;
    struct place *outside = t->top;
    if (t != team->opener) {
        if (t->finished && !t->top->parent)
            rested(t, ticks());
        auspex_join(t, team->place, ticks());
    } else {
        team->members = thread_count();
        begun_late(t, team->place);
    }
    t->finished = NULL;
    auspex_part_begin(t);
    team->body(team->data);
    charge(t, ticks());
    auspex_part_end(t);
    t->done = t->record.last; /* not before: where the kernel took the core away when it was asked, that is charged */
    t->finished = team->place;
    if (t != team->opener) {
        t->unsettled = 1;
        t->depth = depth;
        t->top = outside;
        t->record.current = outside->index;
    }
}

/* The place of tasks that are made here and begin at that address. */
struct place *auspex_task_place(struct thread *t, uintptr_t pc)
{
    struct place *from = t->top;
    if (from->region == auspex_barrier())
        from = from->parent; /* while it waits the library makes some itself */
    return auspex_way(t, from, auspex_region_at("OpenMP task", PARALLEL, pc));
}

/* A thread begins with a task, whose place is one of the thread that made it. If it
 * was waiting it does so no longer, at the end of its part of a parallel region too.
 * What the task calls lies below the frame. */
void auspex_task_begin(struct thread *t, struct place *task, uintptr_t frame, struct paused *before)
{
    uint64_t now = ticks();
    *before = (struct paused){t->top, t->finished, t->depth};
    if (t->finished) {
        struct place *wait = waiting_place(t, t->finished);
        if (wait)
            wait->node->wall += now - t->done;
        waited(t, wait, now);
        t->finished = NULL;
    } else if (t->top->region == auspex_barrier())
        auspex_charge_wait(t, now);
    else
        charge(t, now);
    struct place *p = same_place(t, task)->mine;
    open_at(t, p, frame);
    p->node->calls++;
}

/* The task is done: the thread waits on, or goes on with what called it. */
void auspex_task_end(struct thread *t, const struct paused *before)
{
    charge(t, ticks());
    t->depth = before->depth;
    t->top = before->top;
    t->record.current = t->top->index;
    t->finished = before->finished;
    t->done = t->record.last;
    if (t->finished) /* after what had been its part */
        auspex_part_end(t);
}

/* Charges to each member the wait for the slowest. The others rest while the
 * opener does this: they wait for its next parallel region. */
static void end_team(struct team *team)
{
    struct thread *o = team->opener;
    struct shares shares = {0};
    uint64_t now = ticks();
    int n = team->members < TEAM ? team->members : TEAM;
    o->teams--;
    for (int i = 0; i < n; i++) {
        struct thread *t = team->member[i];
        if (t)
            auspex_part_of(&shares, t, t->done);
        struct place *wait = t ? waiting_place(t, team->place) : NULL;
        if (wait && now >= t->done) {
            wait->node->calls++;
            wait->node->wall += now - t->done;
            if (t != o && t->top->parent == NULL)
                t->record.last = now;
        }
        if (t)
            __atomic_store_n(&t->unsettled, 0, __ATOMIC_RELEASE);
    }
    waited(o, waiting_place(o, team->place), now);
    o->finished = NULL;
    auspex_joined(o, team->outside);
    shares.late = shares.done ? now - shares.done : 0;
    auspex_team_end(o, &shares, team->mark);
    if (unlikely(team->opening)) {
        static struct prices seen;
        seen_price(&auspex_header->team_price, &seen, team->opening + (ticks() - now));
    }
}

/* Opens a parallel region below whoever calls it, to which from returns; returns
 * the depth before. by tells how the runtime was called, where that is known. */
uint32_t auspex_fork(struct thread *t, uint32_t region, const void *from, const struct called *by)
{
    uint32_t outside = t->depth;
    struct place *place = auspex_callers(t, from, by);
    charge(t, ticks());
    if (t->forks++ == 0)
        t->forked = virtual_time(t), t->forked_blocked = t->blocked;
    if (place != t->top)
        open_at(t, place, SOMEWHERE);
    enter(t, region, by ? (uintptr_t)by->frame : SOMEWHERE); /* what it calls lies below */
    return outside;
}

/* Goes back to the depth before a parallel region. */
void auspex_joined(struct thread *t, uint32_t depth)
{
    t->depth = depth;
    t->top = t->stack[depth].place;
    t->record.current = t->top->index;
    t->forks--;
}

#define BEGIN_TEAM(team, body, data) begin_team(team, body, data, __builtin_return_address(0), __builtin_frame_address(0))
static __attribute__((noinline)) int begin_team(struct team *team, void (*body)(void *), void *data, const void *from, const void *frame)
{
    struct thread *t = self();
    if (!t || t->quiet || auspex_ompt)
        return 0;
    uint64_t begun = ticks();
    team->body = body;
    team->data = data;
    team->opener = t;
    team->members = 0;
    team->member = t->teams++ > 0 ? team->inner : t->crew;
    uint32_t region = auspex_region_at("OpenMP parallel", PARALLEL, (uintptr_t)body + 1);
    struct called by = {from, frame, &barrier};
    team->outside = auspex_fork(t, region, from, &by);
    team->place = t->top;
    team->mark = t->mark;
    team->opening = priced(t) ? ticks() - begun : 0;
    return 1;
}

EXPORT void GOMP_parallel(void (*body)(void *), void *data, unsigned n, unsigned flags);
void GOMP_parallel(void (*body)(void *), void *data, unsigned n, unsigned flags)
{
    static void (*real)(void (*)(void *), void *, unsigned, unsigned);
    struct team team;
    NEXT(GOMP_parallel);
    if (!BEGIN_TEAM(&team, body, data)) {
        real(body, data, n, flags);
        return;
    }
    real(take_part, &team, n, flags);
    end_team(&team);
}

/* Combined parallel loops: a schedule to a function. */
#define PARALLEL_LOOP(name)                                                                                         \
    EXPORT void name(void (*body)(void *), void *data, unsigned n, long a, long b, long c, long d, unsigned flags); \
    void name(void (*body)(void *), void *data, unsigned n, long a, long b, long c, long d, unsigned flags)         \
    {                                                                                                               \
        static void (*real)(void (*)(void *), void *, unsigned, long, long, long, long, unsigned);                  \
        struct team team;                                                                                           \
        NEXT(name);                                                                                                 \
        if (!BEGIN_TEAM(&team, body, data)) { \
            real(body, data, n, a, b, c, d, flags);                                                                 \
            return;                                                                                                 \
        }                                                                                                           \
        real(take_part, &team, n, a, b, c, d, flags);                                                               \
        end_team(&team);                                                                                            \
    }

PARALLEL_LOOP(GOMP_parallel_loop_static)
PARALLEL_LOOP(GOMP_parallel_loop_dynamic)
PARALLEL_LOOP(GOMP_parallel_loop_guided)
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_guided)

/* These take their schedule from elsewhere and so have no chunk. */
#define PARALLEL_RUNTIME(name)                                                                              \
    EXPORT void name(void (*body)(void *), void *data, unsigned n, long a, long b, long c, unsigned flags); \
    void name(void (*body)(void *), void *data, unsigned n, long a, long b, long c, unsigned flags)         \
    {                                                                                                       \
        static void (*real)(void (*)(void *), void *, unsigned, long, long, long, unsigned);                \
        struct team team;                                                                                   \
        NEXT(name);                                                                                         \
        if (!BEGIN_TEAM(&team, body, data)) { \
            real(body, data, n, a, b, c, flags);                                                            \
            return;                                                                                         \
        }                                                                                                   \
        real(take_part, &team, n, a, b, c, flags);                                                          \
        end_team(&team);                                                                                    \
    }

PARALLEL_RUNTIME(GOMP_parallel_loop_runtime)
PARALLEL_RUNTIME(GOMP_parallel_loop_nonmonotonic_runtime)
PARALLEL_RUNTIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

EXPORT void GOMP_parallel_sections(void (*body)(void *), void *data, unsigned n, unsigned count, unsigned flags);
void GOMP_parallel_sections(void (*body)(void *), void *data, unsigned n, unsigned count, unsigned flags)
{
    static void (*real)(void (*)(void *), void *, unsigned, unsigned, unsigned);
    struct team team;
    NEXT(GOMP_parallel_sections);
    if (!BEGIN_TEAM(&team, body, data)) {
        real(body, data, n, count, flags);
        return;
    }
    real(take_part, &team, n, count, flags);
    end_team(&team);
}

/* Waiting inside a parallel region. */
#define WAITS(name, parameters, arguments)   \
    EXPORT void name parameters;             \
    void name parameters                     \
    {                                        \
        static void (*real) parameters;      \
        struct thread *t = auspex_self;      \
        NEXT(name);                          \
        if (!t || t->quiet || auspex_ompt) { \
            real arguments;                  \
            return;                          \
        }                                    \
        charge(t, ticks());                  \
        enter(t, auspex_barrier(), SOMEWHERE); \
        real arguments;                      \
        auspex_charge_wait(t, ticks());      \
        leave(t);                            \
    }

WAITS(GOMP_barrier, (void), ())
WAITS(GOMP_loop_end, (void), ())
WAITS(GOMP_sections_end, (void), ())
WAITS(GOMP_taskwait, (void), ())
WAITS(GOMP_taskwait_depend, (void **depend), (depend))
WAITS(GOMP_taskgroup_end, (void), ())
