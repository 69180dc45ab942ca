/* How long a thread that could run waits for a core: because others have it,
 * because a quota is used up, or because a hypervisor gives it to another machine.
 * The rest of the time in which it does not run it is blocked. */
#include "probe.h"
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Nanoseconds that the thread has waited in the kernel's queues so far: the second
 * number of schedstat, as far as the file is still there. */
static uint64_t queued(int file, uint64_t before)
{
    char text[64];
    long n = auspex_kept(file) ? syscall(SYS_pread64, file, text, sizeof text, 0L) : 0, i = 0;
    uint64_t ns = 0;
    while (i < n && text[i] != ' ')
        i++;
    for (i++; i < n && text[i] >= '0' && text[i] <= '9'; i++)
        ns = ns * 10 + (uint64_t)(text[i] - '0');
    return i < n && text[i] == ' ' && ns > before ? ns : before;
}

static uint64_t blocks(void)
{
#ifdef RUSAGE_THREAD
    struct rusage u;
    if (getrusage(RUSAGE_THREAD, &u) == 0)
        return (uint64_t)u.ru_nvcsw;
#endif
    return UINT64_MAX;
}

/* Of so many nanoseconds in which the thread did not run, since it was last asked,
 * those in which it could have. A thread that did not give its core up could have
 * all the time; one that did was queued for a part of it. What a hypervisor takes is
 * in no queue. */
uint64_t auspex_core_wait(struct thread *t, uint64_t lost)
{
    uint64_t delay = queued(t->schedstat, t->delay), waited = delay - t->delay, gave = blocks();
    int blocked = gave != t->blocks;
    t->delay = delay;
    t->blocks = gave;
    return blocked && waited < lost ? waited : lost;
}

/* Nanoseconds that a thread, which may be another, has been queued since it last
 * asked. */
uint64_t auspex_core_queued(const struct thread *t) { return queued(t->schedstat, t->delay) - t->delay; }

void auspex_core_open(struct thread *t)
{
    t->schedstat = blocks() == UINT64_MAX ? -1 : auspex_keep((int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
    if (t->schedstat >= 0)
        auspex_core_wait(t, 0);
}

void auspex_core_close(struct thread *t)
{
    auspex_let_go(t->schedstat);
    t->schedstat = -1;
}
