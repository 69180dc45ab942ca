/* What stacks.c and threads.c share with the rest. */
#ifndef AUSPEX_STACKS_H
#define AUSPEX_STACKS_H
#include "probe.h"
#include "unwind.h"
#include <signal.h>

enum { FRAMES = 256 };

/* A step of a sampled stack and where it is found again. */
struct step_known { uint64_t pc; uint32_t parent, place; struct sample *to; uint32_t index; };

/* How one of the runtime's functions was called: the address it returns to, its
 * frame as __builtin_frame_address(0) has it, and which function it is. */
struct called { const void *address, *frame, *what; };

/* What is known of a call before its callers are: callers.c. */
struct call {
    struct called by;
    const void *from;
    uintptr_t entered;          /* the frame of the innermost region */
    struct place *top;
    uint32_t life;
    uint64_t python;            /* which functions of Python ran */
};

struct known_call {
    struct call call __attribute__((aligned(64))); /* one line of the cache */
    struct place *to;
    uint32_t checks;
    struct check check[CHECKS];
};

enum { KNOWN_CALLS = 256, ALIKE = 4 }; /* so many lie together */

/* What a thread needs to walk its stack and to keep what it found. */
struct walker {
    struct shortcut shortcuts[SHORTCUTS];
    uintptr_t high;             /* end of the thread's stack */
    int *error;                 /* its errno */
    timer_t timer;
    int ticking;
    int event;                  /* task_clock.c: its descriptor, 0 for none */
    long slept;                 /* how often, when it was last asked */
    uint32_t worth;             /* how many samples one is taken for */
    uint32_t until;             /* samples to be taken until what they take is looked at */
    uint64_t checked, took;     /* samples and ticks when it was */
    int left;                   /* signals until the task clock is asked for more */
    int sent;                   /* signals to itself that have not come yet */
    int trying;                 /* what a sample takes is tried out: price.h */
    uint32_t tried;
    uint64_t tried_took;        /* ticks in the handler, of the latest */
    uint64_t counted;           /* CPU time up to which samples account, ns */
    uint64_t heard;             /* CPU time of the latest of the task clock, wherever the thread was */
    int told;                   /* it came in the call, of MPI or for a file, that the thread is in */
    struct chunk *room;         /* samples are taken from it */
    struct step_known *known;   /* open addressing */
    uint32_t mask, steps;
    uintptr_t sampled[FRAMES + 1]; /* of the sample being taken */
    void *altstack;             /* altstack.c */
    uint32_t life;              /* of how many threads it has been */
    uint32_t brief;             /* how many of the latest of these ended before a sample */
    uint32_t tags[KNOWN_CALLS]; /* what the calls below are found by */
    struct known_call calls[KNOWN_CALLS];
    uint32_t replaced;          /* how many of these */
    struct python *python;      /* python.h; NULL until it has run some */
};

/* task_clock.c */
enum { AT_A_TIME = 16 };
int auspex_task_clock(int signal);
void auspex_task_clock_again(int event);
void auspex_task_clock_period(int event, uint64_t period);
void auspex_task_clock_end(int event, int signal);

void auspex_stacks_thread(struct thread *t);
void auspex_stacks_thread_end(struct thread *t);

/* Leaves so many ticks of CPU time, whose place is known, out of what samples
 * account for. */
static inline void account(struct thread *t, uint64_t known)
{
    struct walker *w = t->walker;
    if (!w)
        return;
    if (unlikely(w->told)) {
        w->told = 0;
        w->counted = nanos(CLOCK_THREAD_CPUTIME_ID); /* what was before the call, too */
    } else
        w->counted += (uint64_t)(int64_t)((double)(int64_t)known / auspex_rate);
}

/* signals.c */
int auspex_sample_signal(void);
int auspex_sigaction(int sig, const struct sigaction *mine, struct sigaction *old);
void auspex_hand_on(int sig, siginfo_t *info, void *context);

/* masks.c */
void auspex_masks_thread(void);

/* altstack.c */
void auspex_altstack(void **kept);
void auspex_altstack_end(void);

/* callers.c */
uint32_t auspex_region_at(const char *label, int kind, uintptr_t pc);
struct place *auspex_callers(struct thread *t, const void *from, const struct called *by);

/* python.c, python_names.c */
struct python *auspex_python_begin(struct thread *t);
int auspex_python_here(const struct python *p, uintptr_t pc, uintptr_t low, uintptr_t high);
uint32_t auspex_python_functions(struct thread *t, uintptr_t *pc, uint32_t n);
uint32_t auspex_python_rest(struct thread *t, uintptr_t *pc, uint32_t n, int whole);
void auspex_python_end(struct python *p);
uint64_t auspex_python_stamp(struct thread *t);
uint32_t auspex_python_region(struct thread *t, uintptr_t pc);

/* Program counters with this bit are none: the rest is the number of a function of
 * Python, or that of those without a name. */
#define PYTHON_BIT ((uintptr_t)1 << 63)
#define NAMELESS (PYTHON_BIT | UINT32_MAX)

/* openmp.c */
uint32_t auspex_fork(struct thread *t, uint32_t region, const void *from, const struct called *by);
#endif
