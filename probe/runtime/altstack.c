/* A stack for samples. A program may run on stacks of its own that are too small for
 * a signal: the kernel alone puts some 1 to 3 KB of registers there. A thread whose
 * program has set no alternate stack gets the runtime's, and does not see it. */
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

static __thread void *mine __attribute__((tls_model("initial-exec"))); /* the thread's, where it has one */

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
}

EXPORT int sigaltstack(const stack_t *set, stack_t *old)
{
    stack_t there, own = stack_at(mine);
    if (!mine)
        return real_stack(set, old);
    /* Without one of its own again, the thread gets the runtime's back. */
    int none = set && set->ss_flags & SS_DISABLE;
    if (real_stack(none ? &own : set, &there) != 0)
        return -1;
    if (old)
        *old = there.ss_sp == mine ? (stack_t){.ss_flags = SS_DISABLE} : there;
    return 0;
}
