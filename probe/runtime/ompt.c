/* OpenMP as clang compiles it: libomp finds ompt_start_tool in the preloaded
 * runtime and tells of its events. The outcome is that of openmp.c: a parallel
 * region is a region of every thread that takes part, and waiting a region of
 * its own. What is declared here is the little of OpenMP 5.0, chapter 4, that
 * is needed, since gcc has no omp-tools.h. */
#include "stacks.h"
#include <sys/mman.h>

typedef union { uint64_t value; void *ptr; } ompt_data;
typedef void (*ompt_function)(void);
typedef ompt_function (*ompt_lookup)(const char *name);
typedef struct {
    int (*initialize)(ompt_lookup lookup, int device, ompt_data *data);
    void (*finalize)(ompt_data *data);
    ompt_data data;
} ompt_tool;

enum { PARALLEL_BEGIN = 3, PARALLEL_END = 4, TASK_CREATE = 5, TASK_SCHEDULE = 6, IMPLICIT_TASK = 7, SYNC_REGION_WAIT = 16, SYNC_REGION = 23, MUTEX_ACQUIRE = 26, MUTEX_ACQUIRED = 27 };
enum { BEGIN = 1, END = 2 };
enum { TASKWAIT = 5, TASKGROUP = 6, REDUCTION = 7 };
enum { INITIAL_TASK = 1, EXPLICIT_TASK = 4, TARGET_TASK = 8 };

enum { NESTED = 8 };

/* A thread's part in a parallel region. libomp has workers tell late that they
 * are done, when they are wanted again, so the opener settles their wait; the
 * state, which has the team in it, says who was first: the thread may have a part in
 * another team by then. It is the thread's own and outlives the team. */
enum { WORKING, WAITING, SETTLED };
struct seat {
    struct thread *thread;
    struct place *outside;
    uint32_t depth;
    uintptr_t state; /* the team's address and one of the above */
    uint64_t since;  /* when the wait began */
};

struct team {
    struct thread *opener;
    uint32_t outside;    /* the opener's depth before the region */
    struct place *place; /* of the region, in the opener's tree */
    struct mark mark;    /* of the opener's part in a region around this one */
    struct seat *seat[TEAM];
    struct team *next; /* among those not in use */
};

static __thread struct team *spare;
static __thread struct seat seats[NESTED];
static __thread int level;

static struct team *new_team(void)
{
    struct team *team = spare;
    if (team) {
        spare = team->next;
        return team;
    }
    team = mmap(NULL, sizeof *team, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return team == MAP_FAILED ? NULL : team;
}

/* Puts a thread back where it was before the region. */
static void rise(struct seat *s)
{
    struct thread *t = s->thread;
    t->depth = s->depth;
    t->top = s->outside;
    t->record.current = t->top->index;
}

static int change(struct seat *s, uintptr_t team, int from, int to)
{
    uintptr_t was = team + (uintptr_t)from;
    return __atomic_compare_exchange_n(&s->state, &was, team + (uintptr_t)to, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* The team of a thread's own part. */
static uintptr_t team_of(const struct seat *s) { return s->state & ~(uintptr_t)3; }

static void wait_in(struct seat *s)
{
    s->since = s->thread->record.last;
    auspex_part_end(s->thread);
    __atomic_store_n(&s->state, team_of(s) + WAITING, __ATOMIC_RELEASE);
}

static void parallel_begin(ompt_data *task, const void *frame, ompt_data *parallel, unsigned wanted, int flags, const void *address)
{
    (void)task, (void)frame, (void)wanted, (void)flags;
    const void *body = auspex_forked(address);
    struct thread *t = self();
    struct team *team = t && !t->quiet ? new_team() : NULL;
    parallel->ptr = team;
    if (!team)
        return;
    for (int i = 0; i < TEAM; i++)
        team->seat[i] = NULL;
    team->opener = t;
    team->outside = auspex_fork(t, auspex_region_at("OpenMP parallel", PARALLEL, (uintptr_t)body), address, NULL);
    team->place = t->top;
    team->mark = t->mark;
}

static void parallel_end(ompt_data *parallel, ompt_data *task, int flags, const void *address)
{
    (void)task, (void)flags, (void)address;
    struct team *team = parallel->ptr;
    if (!team)
        return;
    struct thread *o = team->opener;
    struct shares shares = {0};
    uint64_t now = ticks();
    charge(o, now);
    for (int i = 0; i < TEAM; i++) {
        struct seat *s = team->seat[i];
        if (s && team_of(s) == (uintptr_t)team)
            auspex_part_of(&shares, s->thread, s->since ? s->since : now);
        if (!s || s->thread == o || !change(s, (uintptr_t)team, WAITING, SETTLED))
            continue;
        s->thread->top->node->wall += now - s->since;
        s->thread->record.last = now;
        rise(s);
    }
    auspex_joined(o, team->outside);
    shares.late = shares.done ? now - shares.done : 0;
    auspex_team_end(o, &shares, team->mark);
    team->next = spare;
    spare = team;
    parallel->ptr = NULL;
}

static void implicit_task(int endpoint, ompt_data *parallel, ompt_data *task, unsigned size, unsigned index, int flags)
{
    (void)size;
    if (flags & INITIAL_TASK)
        return;
    if (endpoint == BEGIN) {
        struct team *team = parallel ? parallel->ptr : NULL;
        struct thread *t = team ? auspex_self : NULL;
        if (team && !t)
            t = auspex_thread_start((int)index);
        if (!t || index >= TEAM || level == NESTED) {
            task->ptr = NULL;
            return;
        }
        struct seat *s = task->ptr = team->seat[index] = &seats[level++];
        *s = (struct seat){t, t->top, t->depth, (uintptr_t)team + WORKING, 0};
        if (t != team->opener)
            auspex_join(t, team->place, ticks());
        auspex_part_begin(t);
        return;
    }
    struct seat *s = task->ptr;
    if (!s)
        return;
    level--;
    if (change(s, team_of(s), SETTLED, WORKING))
        return;
    uint64_t now = ticks();
    if (s->since)
        auspex_charge_wait(s->thread, now);
    else {
        charge(s->thread, now); /* alone in its team, it has not waited */
        auspex_part_end(s->thread);
    }
    rise(s);
}

static void sync_region(int kind, int endpoint, ompt_data *parallel, ompt_data *task, const void *address)
{
    (void)parallel, (void)address;
    struct thread *t = auspex_self;
    struct seat *s = task ? task->ptr : NULL;
    if (!t || t->quiet || !s || ((uintptr_t)s & 1) || kind == REDUCTION || kind == TASKWAIT || kind == TASKGROUP)
        return;
    uint64_t now = ticks();
    if (endpoint == BEGIN) {
        charge(t, now);
        enter(t, auspex_barrier(), SOMEWHERE);
        wait_in(s);
    } else if (change(s, team_of(s), WAITING, WORKING)) {
        auspex_charge_wait(t, now);
        leave(t);
    }
}

/* Waiting for tasks: the region of a group of tasks begins where the group does. */
static void sync_region_wait(int kind, int endpoint, ompt_data *parallel, ompt_data *task, const void *address)
{
    (void)parallel, (void)task, (void)address;
    struct thread *t = auspex_self;
    if (!t || t->quiet || (kind != TASKWAIT && kind != TASKGROUP))
        return;
    if (endpoint == BEGIN) {
        charge(t, ticks());
        enter(t, auspex_barrier(), SOMEWHERE);
    } else {
        auspex_charge_wait(t, ticks());
        leave(t);
    }
}

/* ---- tasks ---- */

/* A task that a thread has begun, and the one that it interrupted for it. */
struct running {
    ompt_data *task, *interrupted;
    struct paused before;
    struct seat *waiting; /* the thread's, where it waited */
};

enum { DEEPEST_TASK = 512 };
static __thread struct running *running; /* the innermost last */
static __thread int tasks;

/* Of a task that was made, the data are its place in the tree of the thread that made
 * it, plus one: those of an implicit task are a seat. */
static void task_create(ompt_data *maker, const void *frame, ompt_data *task, int flags, int depends, const void *address)
{
    (void)maker, (void)frame, (void)depends;
    struct thread *t = auspex_self;
    if (!(flags & (EXPLICIT_TASK | TARGET_TASK)))
        return;
    struct place *p = NULL;
    if (t && !t->quiet && (address = auspex_body(address)))
        p = auspex_task_place(t, (uintptr_t)address);
    task->ptr = p ? (char *)p + 1 : NULL;
}

static void begin_task(struct thread *t, ompt_data *interrupted, ompt_data *task)
{
    if (!running) {
        void *room = mmap(NULL, DEEPEST_TASK * sizeof *running, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (room == MAP_FAILED)
            return;
        running = room;
    }
    if (tasks == DEEPEST_TASK)
        return; /* it counts in the one around it */
    struct seat *s = level > 0 ? &seats[level - 1] : NULL;
    struct running *r = &running[tasks++];
    r->task = task;
    r->interrupted = interrupted;
    r->waiting = s && change(s, team_of(s), WAITING, WORKING) ? s : NULL;
    auspex_task_begin(t, (struct place *)(void *)((char *)task->ptr - 1), SOMEWHERE, &r->before);
}

static void task_schedule(ompt_data *prior, int status, ompt_data *next)
{
    (void)status;
    struct thread *t = auspex_self;
    if (!t || t->quiet || !next)
        return;
    struct running *r = tasks > 0 ? &running[tasks - 1] : NULL;
    if (r && r->interrupted == next) {
        tasks--;
        auspex_task_end(t, &r->before);
        if (r->waiting)
            wait_in(r->waiting);
    } else if (((uintptr_t)next->ptr & 1) && !(r && r->task == next))
        begin_task(t, prior, next);
}

/* ---- locks ---- */

enum { OMPT_CRITICAL = 5, OMPT_ATOMIC = 6, OMPT_ORDERED = 7 };
static __thread uint64_t wanted; /* since when */

static void mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t lock, const void *address)
{
    (void)kind, (void)hint, (void)implementation, (void)lock, (void)address;
    struct thread *t = auspex_self;
    wanted = t && !t->quiet ? auspex_wants(t) : 0;
}

static void mutex_acquired(int kind, uint64_t lock, const void *address)
{
    (void)lock, (void)address;
    struct thread *t = auspex_self;
    if (t && !t->quiet && wanted)
        auspex_has(t, kind == OMPT_CRITICAL ? CRITICAL : kind == OMPT_ATOMIC ? ATOMIC : kind == OMPT_ORDERED ? ORDERED : LOCK, wanted, NULL);
    wanted = 0;
}

static int initialize(ompt_lookup lookup, int device, ompt_data *data)
{
    (void)device, (void)data;
    int (*set)(int, ompt_function) = (int (*)(int, ompt_function))lookup("ompt_set_callback");
    if (!set)
        return 0;
    set(PARALLEL_BEGIN, (ompt_function)parallel_begin);
    set(PARALLEL_END, (ompt_function)parallel_end);
    set(TASK_CREATE, (ompt_function)task_create);
    set(TASK_SCHEDULE, (ompt_function)task_schedule);
    set(IMPLICIT_TASK, (ompt_function)implicit_task);
    set(SYNC_REGION_WAIT, (ompt_function)sync_region_wait);
    set(SYNC_REGION, (ompt_function)sync_region);
    set(MUTEX_ACQUIRE, (ompt_function)mutex_acquire);
    set(MUTEX_ACQUIRED, (ompt_function)mutex_acquired);
    auspex_ompt = 1;
    return 1;
}

static void finalize(ompt_data *data) { (void)data; }

EXPORT ompt_tool *ompt_start_tool(unsigned version, const char *runtime);
ompt_tool *ompt_start_tool(unsigned version, const char *runtime)
{
    static ompt_tool tool = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return &tool;
}
