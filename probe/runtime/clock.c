/* Clocks. Wall time comes from the tick counter at every event. The thread's
 * CPU clock costs a system call, so it is read only at the end of stretches
 * between two events that were long enough for that not to matter; a shorter
 * stretch counts as all CPU, since a thread that is taken off its processor
 * comes back to a long one. Page faults, context switches and hardware
 * counters cost more still and have a higher bar. */
#include "counters.h"
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LONG_NS 20000.0
#define SLOW_NS 50000.0
/* Who sleeps longer between two looks for a message has something else in mind. */
#define NAP_NS 1e8
/* A stretch is long where it is so many times what looking takes when all is in the
 * caches, which is a third of what it takes when nothing is. */
#define LOOKS 200.0
#define SLOW_LOOKS 1000.0
/* Whoever kept its core is asked so often all the same: a hypervisor may have taken it. */
#define SELDOM_NS 5e6

uint64_t auspex_long, auspex_slow, auspex_nap;
static uint64_t seldom;
static uint64_t longest_look; /* a thread that is taken off its processor in one does not look so long */
double auspex_rate;

/* Reads both clocks as nearly at once as a few tries give. */
static void pair(uint64_t *tick, uint64_t *nano)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        uint64_t a = ticks(), n = nanos(CLOCK_MONOTONIC), b = ticks();
        if (b - a < best) {
            best = b - a;
            *tick = a + (b - a) / 2;
            *nano = n;
        }
    }
}

/* The most memory that the program has had, in bytes. getrusage would tell that of
 * whoever started it where that was more. */
static uint64_t peak_memory(void)
{
    char text[4096];
    int file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC);
    long n = file < 0 ? -1 : syscall(SYS_read, file, text, sizeof text - 1);
    uint64_t kilobytes = 0;
    if (file >= 0)
        syscall(SYS_close, file);
    text[n > 0 ? n : 0] = 0;
    const char *at = strstr(text, "VmHWM:");
    for (at = at ? at + 6 : text; *at == ' ' || *at == '\t';)
        at++;
    for (; *at >= '0' && *at <= '9'; at++)
        kilobytes = kilobytes * 10 + (uint64_t)(*at - '0');
    return kilobytes * 1024;
}

void auspex_clock_note(struct header *h)
{
    pair(&h->ticks1, &h->nanos1);
    h->cpu1 = nanos(CLOCK_PROCESS_CPUTIME_ID);
    h->peak_memory = peak_memory();
}

/* Nanoseconds that a look at the thread's CPU clock takes: a third of a
 * microsecond on some machines, many times that on others. */
static double look_price(void)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        uint64_t start = ticks();
        nanos(CLOCK_THREAD_CPUTIME_ID);
        uint64_t took = ticks() - start;
        best = took < best ? took : best;
    }
    return (double)best / auspex_rate;
}

void auspex_clock_start(struct header *h)
{
    pair(&h->ticks0, &h->nanos0);
    h->realtime = nanos(CLOCK_REALTIME);
    h->cpu0 = nanos(CLOCK_PROCESS_CPUTIME_ID);
    do
        pair(&h->ticks1, &h->nanos1);
    while (h->nanos1 - h->nanos0 < 200000);
    auspex_rate = (double)(h->ticks1 - h->ticks0) / (double)(h->nanos1 - h->nanos0);
    double look = look_price();
    longest_look = (uint64_t)(10 * look * auspex_rate);
    auspex_long = (uint64_t)((LOOKS * look > LONG_NS ? LOOKS * look : LONG_NS) * auspex_rate);
    auspex_nap = (uint64_t)(NAP_NS * auspex_rate);
    auspex_slow = (uint64_t)((SLOW_LOOKS * look > SLOW_NS ? SLOW_LOOKS * look : SLOW_NS) * auspex_rate);
    seldom = (uint64_t)(SELDOM_NS * auspex_rate);
}

static void look_slow(struct thread *t, struct node *n)
{
    struct rusage u;
#ifdef RUSAGE_THREAD
    int quiet = t->quiet;
    t->quiet = IN_CALL; /* of a program that has one of its own */
    int known = getrusage(RUSAGE_THREAD, &u) == 0;
    t->quiet = quiet;
    if (known) {
        uint64_t faults = (uint64_t)(u.ru_minflt + u.ru_majflt), switches = (uint64_t)(u.ru_nvcsw + u.ru_nivcsw);
        if (n) {
            n->faults += faults - t->faults;
            n->switches += switches - t->switches;
        }
        t->faults = faults;
        t->switches = switches;
    }
#endif
    if (t->counters > 0)
        auspex_counters_look(t, n);
}

/* Reads the thread's CPU clock. */
void auspex_read_clock(struct thread *t)
{
    t->switched = auspex_switches(t);
    t->checked = ticks();
    t->cpu = thread_nanos();
}

/* Takes the thread's first reading. */
void auspex_thread_clock(struct thread *t)
{
    auspex_counters_open(t);
    auspex_read_clock(t);
    look_slow(t, NULL);
    t->record.last = ticks();
}

/* Reads the thread's CPU clock and returns how many ticks of the stretch up to now it
 * had a core. */
uint64_t auspex_used(struct thread *t, uint64_t stretch)
{
    uint64_t before = t->cpu;
    auspex_read_clock(t);
    double used = (double)(t->cpu - before) * auspex_rate - (double)t->brief;
    t->settled += t->brief;
    t->brief = 0;
    return used <= 0 ? 0 : used < (double)stretch ? (uint64_t)used : stretch;
}

/* Goes on after time that is nobody's. Returns for how much of it the thread had a core,
 * as far as that is known. */
uint64_t auspex_resume(struct thread *t, uint64_t now)
{
    uint64_t idle = now - t->record.last, used = idle;
    if (idle >= auspex_long)
        used = auspex_used(t, idle);
    else
        t->brief += idle;
    if (idle >= auspex_slow)
        look_slow(t, NULL);
    t->record.last = ticks();
    return used;
}

/* Of so many ticks before now in which the thread did not run, those count in
 * which it waited for a core: else it was blocked. Asking takes about as long as
 * looking at the CPU clock does, and follows on a much longer loss only. Returns
 * when it has asked. */
static uint64_t stood(struct thread *t, struct node *n, uint64_t now, uint64_t lost)
{
    double ns = (double)lost / auspex_rate, waited = (double)auspex_core_wait(t, (uint64_t)ns);
    uint64_t queued = waited < ns ? (uint64_t)(waited * auspex_rate) : lost;
    int first = t->record.id == 0; /* the trace is of that thread */
    n->blocked += lost - queued;
    t->stood += first ? queued : 0;
    t->lacked += queued;
    t->blocked += first ? lost - queued : 0;
    uint64_t asked = ticks();
    if (asked - now > longest_look) { /* stopped once more when it was asked */
        uint64_t more = asked - now - longest_look;
        n->wall += more;
        t->stood += first ? more : 0;
        t->lacked += more;
        t->delay += (uint64_t)((double)more / auspex_rate); /* not to be counted again */
    }
    return asked;
}

/* Whether the thread has kept its core since its CPU clock was read, as far as is known
 * without asking. */
static int kept_core(const struct thread *t)
{
    return t->switched && t->switched == auspex_switches(t) && t->record.last - t->checked < seldom;
}

/* Looks at the slow clocks at the end of a long stretch spent in n. The time
 * the looking takes is charged to nobody. */
void auspex_look(struct thread *t, struct node *n, uint64_t stretch)
{
    if (stretch < auspex_slow && kept_core(t)) {
        n->cpu += stretch;
        t->brief += stretch;
        return;
    }
    uint64_t cpu_ticks = auspex_used(t, stretch);
    t->record.looks++;
    uint64_t lost = stretch - cpu_ticks;
    n->cpu += cpu_ticks;
    t->settled += cpu_ticks;
    if (stretch >= auspex_slow)
        look_slow(t, n);
    if (t->record.last - auspex_header->ticks1 > (uint64_t)(1e9 * auspex_rate))
        auspex_clock_note(auspex_header);
    uint64_t now = ticks(), took = now - t->record.last;
    if (took > longest_look) { /* the kernel took the processor away when it was asked: the region's time */
        n->wall += took - longest_look;
        lost += took - longest_look;
        took = longest_look;
    }
    if (unlikely(t->schedstat != -1 && lost >= auspex_long / 4)) {
        uint64_t asked = stood(t, n, now, lost);
        took += asked - now < longest_look ? asked - now : longest_look;
        now = asked;
    }
    t->looked += took;
    t->record.walking += took;
    t->record.last = now;
}
