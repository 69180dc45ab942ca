/* A stack for samples. A program may run on stacks of its own that are too small for
 * a signal: the kernel alone puts some 1 to 3 KB of registers there. A thread whose
 * program has set no alternate stack gets the runtime's, and does not see it. It keeps
 * that where the program sets one that is too small, as Rust does for every thread, and
 * the program sees its own. */
#include "stacks.h"
#include <dlfcn.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif
enum { NEEDED = 1 << 16 }; /* handlers of the program's may come to run on it, as Go's do */
enum { ENOUGH = 1 << 14 }; /* for samples, besides what the kernel puts there */

static __thread void *mine __attribute__((tls_model("initial-exec"))); /* the thread's, where it has one */
static __thread stack_t small __attribute__((tls_model("initial-exec"))); /* the program's, in whose place that is */

static int real_stack(const stack_t *set, stack_t *old)
{
    static int (*real)(const stack_t *, stack_t *);
    if (unlikely(!real))
        *(void **)&real = dlsym(RTLD_NEXT, "sigaltstack");
    return real(set, old);
}

static size_t size(void) { return NEEDED + getauxval(AT_MINSIGSTKSZ); }

static stack_t stack_at(void *at)
{
    return (stack_t){.ss_sp = at, .ss_size = size()};
}

/* Gives the calling thread a stack for its samples; *kept is what an earlier thread
 * with the same record had. */
void auspex_altstack(void **kept)
{
    stack_t there;
    if (real_stack(NULL, &there) != 0 || !(there.ss_flags & SS_DISABLE))
        return;
    if (!*kept) {
        void *p = (void *)syscall(SYS_mmap, NULL, size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
        if (p == MAP_FAILED)
            return;
        *kept = p;
    }
    stack_t own = stack_at(*kept);
    if (real_stack(&own, NULL) == 0)
        mine = *kept;
}

/* The thread ends: another may get its stack. */
void auspex_altstack_end(void)
{
    stack_t there, none = {.ss_flags = SS_DISABLE};
    if (mine && real_stack(NULL, &there) == 0 && there.ss_sp == mine)
        real_stack(&none, NULL);
    mine = NULL;
    small = (stack_t){0};
}

/* One that the kernel would take, too small for samples. */
static int too_small(const stack_t *s)
{
    return (s->ss_flags & ~SS_ONSTACK) == 0 && s->ss_size >= 2048 && s->ss_size < ENOUGH + getauxval(AT_MINSIGSTKSZ);
}

/* What the program takes to be there. */
static stack_t seen(stack_t there)
{
    if (there.ss_sp != mine)
        return there;
    if (!small.ss_sp)
        return (stack_t){.ss_flags = SS_DISABLE};
    return (stack_t){.ss_sp = small.ss_sp, .ss_size = small.ss_size, .ss_flags = there.ss_flags};
}

EXPORT int sigaltstack(const stack_t *set, stack_t *old)
{
    if (!mine)
        return real_stack(set, old);
    stack_t there, own = stack_at(mine), kept = small;
    if (set) /* without one of its own again, the thread gets the runtime's back */
        kept = too_small(set) ? *set : (stack_t){0};
    if (real_stack(set && (kept.ss_sp || set->ss_flags & SS_DISABLE) ? &own : set, &there) != 0)
        return -1;
    if (old)
        *old = seen(there);
    small = kept;
    return 0;
}
