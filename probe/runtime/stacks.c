/* Stacks: samples of where each thread is, taken by a timer on its own CPU
 * clock.
 *
 * Samples of one thread are kept as a tree of return addresses below the place
 * in the exact tree that the thread was in: a stack seen again is one count
 * more. All of it lies in the process's file, so a killed process keeps it. */
#include "stacks.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { MOST_STEPS = 1 << 18 };

uint64_t auspex_sampling; /* nanoseconds of CPU time between two samples */
static uint64_t delivery; /* ticks that a sample takes outside of the handler */
static int by_hand;       /* no timer: only auspex_sample_here takes samples */
extern void *__libc_stack_end __attribute__((weak));

/* Whom auspex_sample_here returns to: a sample by hand begins there. */
static __thread const void *hand __attribute__((tls_model("initial-exec")));

/* Sends the calling thread the signal that a sample comes by. */
static void send(struct walker *w)
{
    w->sent++;
    if (syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), auspex_sample_signal()) != 0)
        w->sent--;
}

/* Whether a signal is a sample: of the timer, of the task clock, or sent above. */
SAMPLED static int is_sample(struct walker *w, const siginfo_t *info)
{
    switch (info->si_code) {
    case SI_TIMER: return info->si_value.sival_ptr == &auspex_sampling;
    case SI_TKILL: return w->sent > 0 && w->sent--;
    default: return info->si_code != SI_USER && info->si_code != SI_QUEUE;
    }
}

static void *room(size_t size)
{
    void *p = (void *)syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
    return p == MAP_FAILED ? NULL : p;
}

/* ---- keeping samples ---- */

SAMPLED static struct step_known *look_up(struct step_known *known, uint32_t mask, uint64_t pc, uint32_t parent, uint32_t place)
{
    uint32_t i = (uint32_t)((pc ^ pc >> 32) * 0x9e3779b1u ^ parent * 0x85ebca6bu ^ place) & mask;
    while (known[i].to && (known[i].pc != pc || known[i].parent != parent || known[i].place != place))
        i = (i + 1) & mask;
    return &known[i];
}

static int grow_known(struct walker *w)
{
    uint32_t mask = w->mask ? w->mask * 2 + 1 : 1023;
    struct step_known *known = room(((size_t)mask + 1) * sizeof *known);
    if (!known)
        return -1;
    if (w->known) {
        for (uint32_t i = 0; i <= w->mask; i++)
            if (w->known[i].to)
                *look_up(known, mask, w->known[i].pc, w->known[i].parent, w->known[i].place) = w->known[i];
        syscall(SYS_munmap, w->known, ((size_t)w->mask + 1) * sizeof *known);
    }
    w->known = known;
    w->mask = mask;
    return 0;
}

/* The step to pc from another one; NULL without room. */
SAMPLED static struct step_known *step_to(struct thread *t, uint64_t pc, uint32_t parent, uint32_t place)
{
    struct walker *w = t->walker;
    struct step_known *k = look_up(w->known, w->mask, pc, parent, place);
    if (k->to)
        return k;
    if (w->steps >= MOST_STEPS)
        return NULL;
    if (2 * (w->steps + 1) > w->mask) {
        if (grow_known(w) != 0)
            return NULL;
        k = look_up(w->known, w->mask, pc, parent, place);
    }
    if (!w->room || w->room->used + sizeof(struct sample) > CHUNK_SIZE - sizeof(struct chunk)) {
        struct chunk *c = auspex_chunk_now(SAMPLES, (uint32_t)t->record.id);
        if (!c)
            return NULL;
        w->room = c;
    }
    struct sample *s = (void *)((char *)(w->room + 1) + w->room->used);
    *s = (struct sample){pc, parent, place, 0};
    __atomic_store_n(&w->room->used, w->room->used + (uint32_t)sizeof *s, __ATOMIC_RELEASE);
    *k = (struct step_known){pc, parent, place, s, w->steps++};
    return k;
}

SAMPLED static void keep(struct thread *t, const uintptr_t *pc, uint32_t n, uint64_t weight)
{
    uint32_t parent = UINT32_MAX, place = t->top->index;
    struct step_known *at = NULL;
    while (n-- > 0) {
        struct step_known *next = step_to(t, pc[n], parent, place);
        if (!next)
            break;
        at = next;
        parent = at->index;
    }
    if (at)
        at->to->count += weight;
    else
        t->record.dropped += weight;
}

/* ---- taking a sample ---- */

/* Frames from where the thread is to the one that its innermost region was
 * entered in, that one included; without a region, to the outermost. */
SAMPLED static uint32_t walk(struct thread *t, struct cursor *c, uintptr_t *pc, uintptr_t entered, int *whole)
{
    uint32_t n = 0;
    enum step s = STEPPED;
    struct python *python = auspex_python_begin(t);
    *whole = 0;
    while (n < FRAMES && s == STEPPED && !*whole) {
        uintptr_t low = c->low;
        pc[n++] = c->exact ? c->pc : c->pc - 1;
        s = auspex_step(c);
        if (python && s == STEPPED && auspex_python_here(python, pc[n - 1], low, c->frame))
            n = auspex_python_functions(t, pc, n);
        *whole = s == OUTERMOST || (s == STEPPED && c->frame > entered);
    }
    if (python) {
        if (entered == UINTPTR_MAX)
            n = auspex_python_rest(t, pc, n, *whole);
        auspex_python_end(python);
    }
    return n;
}

/* The timer comes after every apart ns of the thread's CPU time. */
static int every(struct walker *w, uint64_t apart)
{
    struct timespec period = {(time_t)(apart / 1000000000u), (long)(apart % 1000000000u)};
    struct itimerspec both = {period, period};
    return timer_settime(w->timer, 0, &both, NULL);
}

/* Whenever a thread goes to sleep and comes back, the kernel stops its task clock and
 * sets it anew: 2 us a time on a virtual machine, as much as the switch itself. A
 * thread that sleeps so often between two samples is better off without. */
enum { MOST_SLEEPS = 8, BESIDE = 8 };

/* Whether it slept more often than that since this was asked, BESIDE samples ago. */
static int restless(struct walker *w)
{
    struct rusage u;
    if (getrusage(RUSAGE_THREAD, &u) != 0)
        return 0;
    long since = u.ru_nvcsw - w->slept;
    w->slept = u.ru_nvcsw;
    return since > MOST_SLEEPS * BESIDE;
}

static uint64_t period(const struct walker *w) { return auspex_sampling * w->worth; }

static void without_task_clock(struct walker *w)
{
    auspex_task_clock_end(w->event, auspex_sample_signal());
    w->event = 0;
    every(w, period(w));
}

/* How many samples one is worth. The task clock comes after every period of CPU
 * time, wherever the thread is, and each time counts once: were it to count what was
 * spent since the one before, without MPI, functions after a long call would have too
 * few and long functions too many (intsort: 5 points). It is not heard while the
 * thread is in the kernel: what was spent there since the latest counts with the
 * next. Time in calls of MPI and for files is known and left out. Only whole periods
 * count, but for the LATE part of one that a signal may be late by: one that was not
 * heard within such a call leaves a part of a period before it and one after, and
 * these made two of the next sample (intsort: 7 points). The timer comes in the
 * kernel too, and counts only where the task clock has been silent. */
enum { LATE = 8 };

SAMPLED static uint64_t weigh(struct walker *w, const siginfo_t *info, int within)
{
    uint64_t now, since;
    if (info->si_code == SI_TKILL)
        return 1;
    int timer = info->si_code == SI_TIMER;
    if (timer && w->event && restless(w))
        without_task_clock(w);
    if (!w->event)
        return timer ? w->worth * (1 + (info->si_overrun > 0 ? (uint64_t)info->si_overrun : 0)) : 0;
    if (!timer && --w->left <= 0) {
        w->left = AT_A_TIME;
        auspex_task_clock_again(w->event);
    }
    if (timer && within)
        return 0;
    now = thread_nanos();
    since = now > w->counted ? now - w->counted : 0;
    uint64_t apart = period(w);
    if (timer ? since < 2 * apart || now - w->heard < 2 * apart : now - w->heard < apart / 2)
        return 0; /* it was heard already, or several came after they had been blocked */
    w->heard = now;
    if (within) {
        w->told = 1;
        return w->worth;
    }
    w->counted = now;
    return since < apart ? w->worth : w->worth * ((since + apart / LATE) / apart);
}

/* Walks the stack and keeps what it finds. */
SAMPLED static void take_sample(struct thread *t, const siginfo_t *info, void *context, uint64_t weight)
{
    struct cursor c;
    int whole;
    auspex_cursor_context(&c, context);
    c.shortcuts = t->walker->shortcuts;
    c.high = t->walker->high;
    c.low = c.reg[STACK_POINTER] - 128; /* what a leaf may use below */
    uintptr_t entered = t->depth > 0 ? t->stack[t->depth].frame : UINTPTR_MAX;
    while (info->si_code == SI_TKILL && c.pc != (uintptr_t)hand && auspex_step(&c) == STEPPED)
        ;
    uint32_t n = walk(t, &c, t->walker->sampled, entered, &whole);
    if (!weight)
        return; /* it was for the price */
    if (!whole) {
        t->record.broken += weight;
        t->walker->sampled[n++] = LOST_FROM;
    }
    keep(t, t->walker->sampled, n, weight);
    if (t->walker->sampled[0] < PYTHON_BIT && !auspex_object_known(t->walker->sampled[0]))
        auspex_objects_stale = 1;
}

#include "price.h"

/* How much longer than tried out a sample may take where nothing is in the caches, and
 * how much longer the interrupt does: two to five times where it was measured, by two
 * equal programs on one core of which one was interrupted. */
enum { COLD = 8, COLD_INTERRUPT = 3 };

/* Samples that were cheap when one was tried out may not be where the program needs
 * the caches: then half as many are taken, each for two. */
enum { LOOKED_AT = 32, MOST_WORTH = 64 };

static void look_at_price(struct thread *t)
{
    struct walker *w = t->walker;
    double took = (double)(t->record.taking - w->took) / auspex_rate, of = (double)(t->record.samples - w->checked) * (double)auspex_sampling;
    w->took = t->record.taking;
    w->checked = t->record.samples;
    w->until = LOOKED_AT;
    if (auspex_share <= 0 || took <= SAMPLES_MOST * auspex_share * of || w->worth >= MOST_WORTH)
        return;
    w->worth *= 2;
    if (w->event)
        auspex_task_clock_period(w->event, period(w));
    every(w, (w->event ? BESIDE : 1) * period(w));
}

SAMPLED static void on_sample(int sig, siginfo_t *info, void *context)
{
    struct thread *t = auspex_self;
    if (!t || !t->walker || !t->walker->known || !is_sample(t->walker, info)) {
        auspex_hand_on(sig, info, context);
        return;
    }
    int error = *t->walker->error;
    uint64_t begun = ticks(), weight = weigh(t->walker, info, t->quiet);
    if (unlikely(t->walker->trying)) {
        take_sample(t, info, context, 0);
        t->walker->tried_took = ticks() - begun;
        t->walker->tried++;
        *t->walker->error = error;
        return;
    }
    t->record.samples += weight;
    if (t->quiet)
        t->record.inside += weight; /* the time of MPI and of files is known exactly */
    else if (weight)
        take_sample(t, info, context, weight);
    auspex_note(t);
    uint64_t took = ticks() - begun, most = auspex_header->sample_price ? COLD * auspex_header->sample_price : auspex_slow;
    took = COLD_INTERRUPT * delivery + (took < most ? took : most); /* another's turn may have come between */
    t->record.taking += took;
    if (weight) {
        t->record.taken++;
        if (--t->walker->until == 0)
            look_at_price(t);
    }
    *t->walker->error = error;
}

/* Takes samples of the calling thread here: tests need some that do not depend
 * on time. */
EXPORT void auspex_sample_here(unsigned n);
void auspex_sample_here(unsigned n)
{
    hand = __builtin_return_address(0);
    if (auspex_sampling && self() && auspex_self->walker)
        while (n-- > 0)
            send(auspex_self->walker);
}

/* ---- threads ---- */

static uintptr_t stack_end(void)
{
    pthread_attr_t a;
    void *low = NULL;
    size_t size = 0;
    if (&__libc_stack_end && __libc_stack_end && (pid_t)syscall(SYS_gettid) == getpid())
        return ((uintptr_t)__libc_stack_end + 4096) & ~(uintptr_t)15;
    if (pthread_getattr_np(pthread_self(), &a) != 0)
        return 0;
    pthread_attr_getstack(&a, &low, &size);
    pthread_attr_destroy(&a);
    return (uintptr_t)low + size;
}

enum { BRIEF = 8 };

/* Readies the calling thread, whose record t is; one that takes the place of an
 * ended thread goes on with what that one kept. */
void auspex_stacks_thread(struct thread *t)
{
    struct walker *w = t->walker;
    if (!w && !(w = room(sizeof *w)))
        return;
    w->high = stack_end();
    w->error = &errno;
    w->ticking = w->event = 0;
    w->worth = 1;
    w->until = LOOKED_AT;
    w->checked = t->record.samples;
    w->took = t->record.taking;
    w->life++;
    if (w->high == 0)
        return;
    if (auspex_sampling && !w->known && grow_known(w) != 0)
        return;
    t->walker = w;
    if (t->record.id == 0)
        auspex_switches_open(t);
    if (!auspex_sampling)
        return;
    auspex_masks_thread();
    auspex_altstack(&w->altstack);
    if (by_hand)
        return;
    /* Where threads come and go, the task clock takes more time than they do. */
    w->event = w->brief < BRIEF ? auspex_task_clock(auspex_sample_signal()) : 0;
    w->left = AT_A_TIME;
    if (w->event && !t->page)
        auspex_switches_open(t);
    if (auspex_header->sample_price == 0)
        price_of_sample(t);
    w->counted = w->heard = nanos(CLOCK_THREAD_CPUTIME_ID);
    struct sigevent e;
    memset(&e, 0, sizeof e);
    e.sigev_notify = SIGEV_THREAD_ID;
    e.sigev_signo = auspex_sample_signal();
    e.sigev_value.sival_ptr = &auspex_sampling;
    e.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    restless(w); /* what came before it is not its */
    /* Beside the task clock it only has to come now and then. */
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &e, &w->timer) == 0)
        w->ticking = every(w, w->event ? BESIDE * auspex_sampling : auspex_sampling) == 0;
}

void auspex_stacks_thread_end(struct thread *t)
{
    if (t->walker && t->walker->ticking) {
        t->walker->ticking = 0;
        timer_delete(t->walker->timer);
    }
    if (t->walker) {
        auspex_task_clock_end(t->walker->event, auspex_sample_signal());
        t->walker->event = 0;
    }
}

/* Reads what is wanted, before the first thread's record. */
void auspex_stacks_start(void)
{
    const char *period = getenv("AUSPEX_STACKS_NS");
    struct sigaction mine;
    by_hand = getenv("AUSPEX_STACKS_BY_HAND") != NULL;
    if (!UNWINDS || !period || (auspex_sampling = strtoull(period, NULL, 10)) == 0)
        return;
    memset(&mine, 0, sizeof mine);
    mine.sa_sigaction = on_sample;
    mine.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    if (auspex_sigaction(auspex_sample_signal(), &mine, NULL) != 0)
        auspex_sampling = 0;
    auspex_header->asked = auspex_header->sampling = auspex_sampling;
}
