/* What the files of the runtime share. */
#ifndef AUSPEX_PROBE_H
#define AUSPEX_PROBE_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include "format.h"
#include "sampled.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define EXPORT __attribute__((visibility("default")))

struct auspex_region { const char *name, *file; int line, kind, id, off; };

/* A place in the tree, in private memory; its node is in the file. */
struct place {
    struct node *node;
    struct place *parent;
    uint32_t index, region, depth;
    int entered;         /* since the trace was told of something: it is in the thread's list */
    struct place *next;
};

/* Which place a region entered from a place leads to. */
struct way { uint32_t from, region; struct place *to; };

/* An open region, and the stack's address where it was entered: what is called
 * from there lies below. */
struct opened { struct place *place; uintptr_t frame; };

/* A place of another thread, the one of the same path here, and the one for waiting
 * in it. */
struct twin { struct place *of, *mine, *wait; };
enum { TWINS = 64, TEAM = 256 };

enum { ASKED = 1024 };

/* What a thread has worked, for how long it waited for a core, and what others worked
 * for it: when its part in a parallel region began, or in that part. */
struct mark { uint64_t worked, lacked, inner; };

/* What a thread is inside of: an MPI call or the runtime itself, whose time is
 * known, or a call for a file, in which samples are taken. */
enum { IN_CALL = 1, IN_FILE = 2 };

struct thread {
    struct thread_record record; /* the part that readers know */
    struct place *top;
    struct opened *stack;
    struct way *ways;
    uint32_t depth, capacity, mask, known, nodes;
    int quiet;          /* what is called now is the library's own: see below */
    struct chunk *room; /* the chunk nodes are taken from */
    const void *page;   /* switches.c; NULL without */
    uint32_t switched;  /* what that said before the latest look at the CPU clock, 0 for nothing */
    uint64_t checked;   /* ticks of that look */
    uint64_t cpu;       /* what it said, ns */
    uint64_t brief;     /* ticks of stretches too short for a look since */
    uint64_t settled;   /* ticks of CPU time charged up to the latest look */
    uint64_t seen;      /* of all charged, told to the trace or spent in MPI */
    uint32_t site;      /* of the MPI call it is in, for the trace: see trace.h */
    uint32_t events;    /* of the trace, before that call */
    struct place *entered; /* places entered since the trace was told of something */
    uint64_t left;      /* when it left the latest MPI call */
    uint64_t gap;       /* ticks outside of MPI since the trace was told of something */
    uint64_t away;      /* of these, in calls that wait: for a time to pass, for a file */
    uint64_t blocked;   /* of these, in which it had given its core up, as far as the kernel was asked */
    uint64_t aside;     /* ticks since then in MPI calls that no event stands for */
    int asking;         /* the MPI call it is in looks for messages */
    uint64_t naps;      /* of away, short sleeps since such a call found nothing, */
    int looked_in_vain; /* which one did since the trace was told of something */
    int unknown;        /* it completed a request that the trace knows nothing of */
    int whole;          /* it is in the trace as a pause, waits for a core and all */
    uint32_t first;     /* of the trace's events in that call, UINT32_MAX before there is one */
    uint64_t stood;     /* ticks since then in which it waited for a core */
    int schedstat;      /* the kernel's file on that, -1 without */
    uint64_t delay;     /* ns that it has been queued for one, as the kernel last said */
    uint64_t blocks;    /* times that it has given its core up, likewise */
    uint64_t filed;     /* ticks in calls for files that have no region yet: io.c */
    uint64_t filed_read, filed_written; /* bytes of these */
    uint32_t filings;   /* how many these are */
    struct place *filed_in; /* where they were made */
    uint64_t spent;     /* ticks that its probes took, but for looking at slow clocks */
    uint64_t looked;    /* ticks that looking at them took */
    uint32_t until;     /* entries until it is asked again whether that is too much */
    uint16_t asked[ASKED]; /* by region, folded: how often it was the one entered then */
    uint64_t faults, switches;
    uint64_t counter[COUNTERS], enabled[COUNTER_GROUPS], running[COUNTER_GROUPS];
    int counter_file[COUNTERS]; /* of the hardware counters, a group's leader first */
    int counters;       /* how many of these are open */
    struct walker *walker; /* stacks.c */
    uint32_t outside;   /* depth before the MPI call it is in */
    uint32_t measured;  /* calls of MPI and parallel regions, for their price */
    uint64_t entering;  /* ticks that measuring the call has taken so far, 0 where it is not looked at */
    int born;           /* measured from its start: threads.c */
    int tid;            /* the kernel's number */
    uint64_t noted;     /* its CPU time when its waits for a core were last asked for: living.c */
    struct thread *before; /* the one that began before it, living or not */
    struct place *others; /* for what finds no place of its own */
    struct thread *next;
    /* openmp.c */
    uint64_t done;             /* when it had done its part of a parallel region */
    struct place *finished;    /* that region, in its opener's tree, until the next begins */
    int worker;                /* made by libgomp: WORKER, or INNER_WORKER */
    int unsettled;             /* its wait at the end of a region is not charged yet */
    int teams;                 /* parallel regions that it has opened and not ended */
    uint64_t idled;            /* ticks of virtual time in which it waited for its team */
    uint64_t lacked;           /* ticks in which it waited for a core */
    struct mark mark;          /* when its latest part began */
    uint64_t inner;            /* ticks that others worked in teams which it opened inside one */
    struct mark part;          /* all that in its latest part, once that is done */
    int forks;                 /* as teams, for any OpenMP */
    uint64_t forked;           /* its virtual time when it opened the outermost */
    uint64_t forked_blocked;   /* and for how long it had been blocked */
    uint64_t team_took, team_worked; /* by teams since the trace was told of something */
    struct thread *crew[TEAM]; /* who took part in the latest */
    struct twin twins[TWINS];
};

extern __thread struct thread *auspex_self __attribute__((visibility("hidden"), tls_model("initial-exec")));
extern struct header *auspex_header __attribute__((visibility("hidden")));
#define HIDDEN __attribute__((visibility("hidden")))
extern uint64_t auspex_long HIDDEN, auspex_slow HIDDEN, auspex_nap HIDDEN; /* ticks; see clock.c */
extern double auspex_rate HIDDEN;                       /* ticks per ns */

static inline uint64_t nanos(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The calling thread's CPU time, from the kernel at once: clock_gettime would get there
 * through two libraries, none of whose pages a sample finds in the caches. */
static inline uint64_t thread_nanos(void)
{
#ifdef __x86_64__
    struct timespec t;
    long failed;
    __asm__ volatile("syscall" : "=a"(failed) : "0"((long)SYS_clock_gettime), "D"((long)CLOCK_THREAD_CPUTIME_ID), "S"(&t) : "rcx", "r11", "memory");
    if (likely(!failed))
        return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
    return nanos(CLOCK_THREAD_CPUTIME_ID);
}

/* The cheapest steady clock there is. */
static inline uint64_t ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t t;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
    return t;
#else
    return nanos(CLOCK_MONOTONIC);
#endif
}

/* clock.c */
void auspex_clock_start(struct header *h);
void auspex_clock_note(struct header *h);
void auspex_look(struct thread *t, struct node *n, uint64_t stretch);
void auspex_thread_clock(struct thread *t);
void auspex_read_clock(struct thread *t);
uint64_t auspex_used(struct thread *t, uint64_t stretch);
uint64_t auspex_resume(struct thread *t, uint64_t now);

/* switches.c */
void auspex_switches_open(struct thread *t);
void auspex_switches_close(struct thread *t);
uint32_t auspex_switches(const struct thread *t);

/* core.c */
enum { LATER = -2 }; /* a file that is opened when it is needed */
void auspex_core_open(struct thread *t);
void auspex_core_close(struct thread *t);
uint64_t auspex_core_wait(struct thread *t, uint64_t lost);
uint64_t auspex_core_queued(const struct thread *t);

/* allowed.c */
void auspex_allowed(void);

/* living.c */
void auspex_living(struct thread *t);
void auspex_note(struct thread *t);
void auspex_note_all(void);

/* descriptors.c */
int auspex_keep(int low);
int auspex_kept(int fd);
void auspex_let_go(int fd);

/* io.c */
uint64_t auspex_file_price(struct thread *t);

/* budget.c */
extern double auspex_share HIDDEN; /* of the run that measuring may take */
void auspex_budget_start(void);
void auspex_price(struct thread *t);
int auspex_budget(struct thread *t, uint32_t region, const char *name, size_t size, int line);

/* file.c */
int auspex_file_open(void);
struct chunk *auspex_chunk(uint32_t kind, uint32_t thread);
struct chunk *auspex_chunk_now(uint32_t kind, uint32_t thread);
uint32_t auspex_region_add(const char *name, size_t name_size, const char *file, size_t file_size,
    int line, int kind, const char *object, uint64_t offset);
void auspex_file_close(int state, int code);
struct thread *auspex_thread_after(struct thread *t);

/* openmp.c */
extern int auspex_ompt;
void auspex_joined(struct thread *t, uint32_t depth);
uint32_t auspex_barrier(void);
void auspex_join(struct thread *t, struct place *place, uint64_t now);
struct place *auspex_task_place(struct thread *t, uintptr_t pc);
/* What a thread was in when a task began. */
struct paused { struct place *top, *finished; uint32_t depth; };
/* Of the parts in a parallel region: their work, the most of one, what the one that was
 * done last had no core for, when that was, how much later the region was over, and the
 * most that any of them had no core for. */
struct shares { uint64_t worked, most, lacked, done, late, lacking; };
void auspex_part_begin(struct thread *t);
void auspex_part_end(struct thread *t);
void auspex_part_of(struct shares *shares, const struct thread *t, uint64_t done);
void auspex_team_end(struct thread *opener, const struct shares *shares, struct mark before);
void auspex_charge_wait(struct thread *t, uint64_t now);
void auspex_task_begin(struct thread *t, struct place *task, uintptr_t frame, struct paused *before);
void auspex_task_end(struct thread *t, const struct paused *before);

/* kmpc.c */
const void *auspex_body(const void *otherwise);
const void *auspex_forked(const void *otherwise);

/* locks.c */
enum { LOCK, CRITICAL, ATOMIC, ORDERED, MUTEX, MEETING };
int auspex_lock(pthread_mutex_t *m);
#define pthread_mutex_lock auspex_lock /* the runtime's own are not measured */
uint64_t auspex_wants(struct thread *t);
struct called;
void auspex_waited(struct thread *t, struct auspex_region *r, uint64_t since, uint64_t now, const struct called *by);
void auspex_has(struct thread *t, int kind, uint64_t since, const struct called *by);

/* objects.c */
extern int auspex_objects_stale HIDDEN;
int auspex_object_known(uintptr_t pc);
void auspex_objects(void);

/* python_find.c */
void auspex_python_look(void);

/* stacks.c */
extern uint64_t auspex_sampling HIDDEN;
void auspex_stacks_start(void);

/* threads.c */
void auspex_thread_over(struct thread *t, uint64_t cpu);
enum { WORKER = 1, INNER_WORKER };
struct thread *auspex_worker(int number, int inner);

/* sample.c */
void auspex_sample(void);

/* tree.c */
struct thread *auspex_thread_start(int id);
void auspex_thread_again(struct thread *t);
struct place *auspex_way(struct thread *t, struct place *from, uint32_t region);
void auspex_unwind(struct thread *t, uint32_t region);
void auspex_deepen(struct thread *t);
uint32_t auspex_intern(struct auspex_region *r);
/* A Fortran region text that was seen at an address. */
struct spec { const char *text; size_t size; uint32_t region; int off; struct spec *next; };
struct spec *auspex_spec(const char *text, size_t size, struct spec **slot);
uint32_t auspex_named(const char *name, size_t size, const char *file, int line);
int auspex_is_named(uint32_t region);
uint32_t auspex_site(const char *label, int kind, const void *address);
int auspex_on(void);
int auspex_measures_itself(void);
int auspex_dying(int sig);
int auspex_replaced(void);
void auspex_survived(void);
void auspex_confined(void);
void auspex_watch_signals(void);
void auspex_leave_signals(void);
extern void (*auspex_at_end)(void); /* what else is to be done then */

/* Charges the time since the latest event to where the thread is. */
static inline void charge(struct thread *t, uint64_t now)
{
    uint64_t stretch = now - t->record.last;
    struct node *n = t->top->node;
    t->record.last = now;
    n->wall += stretch;
    if (likely(stretch < auspex_long)) {
        n->cpu += stretch;
        t->brief += stretch;
    } else
        auspex_look(t, n, stretch);
}

/* Where the function that this stands in was called from. */
#define ENTERED ((uintptr_t)__builtin_dwarf_cfa())
/* For regions that begin inside a library: whoever resolves a stack tells by the
 * library's frames where the region begins. */
#define SOMEWHERE UINTPTR_MAX

/* Notes that a thread has been in a place. Time can only have been spent in these,
 * and in those that were open before. */
static inline void note_entry(struct thread *t, struct place *to)
{
    if (unlikely(!to->entered)) {
        to->entered = 1;
        to->next = t->entered;
        t->entered = to;
    }
}

static inline void open_at(struct thread *t, struct place *to, uintptr_t frame)
{
    if (unlikely(t->depth + 1 >= t->capacity))
        auspex_deepen(t);
    t->stack[++t->depth] = (struct opened){to, frame};
    note_entry(t, to);
    t->top = to;
    t->record.current = to->index;
}

static inline void enter(struct thread *t, uint32_t region, uintptr_t frame)
{
    struct place *from = t->top, *to;
    struct way *w = &t->ways[(from->index * 0x9e3779b1u + region) & t->mask];
    if (likely(w->from == from->index && w->region == region && w->to))
        to = w->to;
    else if (!(to = auspex_way(t, from, region)))
        to = from;
    open_at(t, to, frame);
    to->node->calls++;
}

static inline void leave(struct thread *t)
{
    if (unlikely(t->depth == 0))
        return;
    t->top = t->stack[--t->depth].place;
    t->record.current = t->top->index;
}

/* After so many entries of regions it is asked whether the one entered costs too
 * much: an odd number, so that no pattern of calls hides one. */
enum { OFTEN = 255 };

/* Enters a region, or leaves the innermost one, as long as nothing out of the
 * ordinary is to be done; where there is, does nothing and returns 0. Without
 * calls in it this costs little more than the clock. */
static inline int quick_enter(struct thread *t, uint32_t region, uintptr_t frame)
{
    struct place *from = t->top, *to;
    struct way *w = &t->ways[(from->index * 0x9e3779b1u + region) & t->mask];
    uint64_t now = ticks(), stretch = now - t->record.last;
    if (unlikely(w->from != from->index || w->region != region))
        w = &t->ways[((uint32_t)(w - t->ways) + 1) & t->mask]; /* where one of two that fall together is */
    if (unlikely(stretch >= auspex_long || w->from != from->index || w->region != region || !w->to || t->depth + 1 >= t->capacity))
        return 0;
    to = w->to;
    if (unlikely(t->until <= 1))
        return 0; /* to ask what it costs */
    t->until--;
    t->record.last = now;
    from->node->wall += stretch;
    from->node->cpu += stretch;
    t->brief += stretch;
    t->stack[++t->depth] = (struct opened){to, frame};
    note_entry(t, to);
    t->top = to;
    t->record.current = to->index;
    to->node->calls++;
    return 1;
}

static inline int quick_leave(struct thread *t, uint32_t region)
{
    uint64_t now = ticks(), stretch = now - t->record.last;
    if (unlikely(stretch >= auspex_long || t->top->region != region || t->depth == 0))
        return 0;
    struct node *n = t->top->node;
    t->record.last = now;
    n->wall += stretch;
    n->cpu += stretch;
    t->brief += stretch;
    t->top = t->stack[--t->depth].place;
    t->record.current = t->top->index;
    return 1;
}

/* One of so many calls of MPI, or parallel regions, is looked at for what measuring it
 * takes in place, where the program's own data fill the caches and some calls come from
 * where none came from before: an odd number, so that no pattern of calls hides one. What
 * took as long as a thread is off its processor was interrupted and is no price. */
enum { PRICED = 61 };

static inline int priced(struct thread *t) { return unlikely(++t->measured % PRICED == 0); }

struct prices { uint64_t sum, seen; };

/* The mean of the prices seen, and of the one that was tried out. */
static inline void seen_price(uint64_t *price, struct prices *of, uint64_t took)
{
    if (took >= auspex_long)
        return;
    if (of->seen == 0 && *price > 0)
        *of = (struct prices){*price, 1};
    of->sum += took;
    *price = of->sum / ++of->seen;
}

/* Ticks of CPU time charged so far. */
static inline uint64_t virtual_time(struct thread *t) { return t->settled + t->brief; }

/* The calling thread, NULL where nothing is measured. */
static inline struct thread *self(void)
{
    struct thread *t = auspex_self;
    return likely(t != NULL) ? t : auspex_thread_start(-1);
}
#endif
