/* How long a thread that could run waits for a core: because others have it,
 * because a quota is used up, or because a hypervisor gives it to another machine.
 * The rest of the time in which it does not run it is blocked. */
#include "probe.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Nanoseconds that the thread has waited in the kernel's queues so far: the second
 * number of schedstat. */
static uint64_t queued(int file, uint64_t before)
{
    char text[64];
    long n = syscall(SYS_pread64, file, text, sizeof text, 0L), i = 0;
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

static int open_schedstat(void) { return auspex_keep((int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)); }

/* The same of the file that a thread keeps, as far as it is still there. */
static uint64_t queued_yet(const struct thread *t) { return auspex_kept(t->schedstat) ? queued(t->schedstat, t->delay) : t->delay; }

/* Of so many nanoseconds in which the thread did not run, since it was last asked,
 * those in which it could have. A thread that did not give its core up could have
 * all the time; one that did was queued for a part of it. What a hypervisor takes is
 * in no queue. */
uint64_t auspex_core_wait(struct thread *t, uint64_t lost)
{
    if (t->schedstat == LATER) { /* a new thread has waited for nothing before */
        t->delay = t->blocks = 0;
        t->schedstat = open_schedstat();
    }
    if (t->schedstat < 0)
        return lost;
    uint64_t delay = queued_yet(t), waited = delay - t->delay, gave = blocks();
    int blocked = gave != t->blocks;
    t->delay = delay;
    t->blocks = gave;
    return blocked && waited < lost ? waited : lost;
}

/* Nanoseconds that a thread, which may be another, has been queued since it last
 * asked. */
uint64_t auspex_core_queued(const struct thread *t)
{
    char path[64];
    if (t->schedstat != LATER)
        return queued_yet(t) - t->delay;
    snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", t->tid);
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    uint64_t ns = file < 0 ? 0 : queued(file, 0);
    if (file >= 0)
        syscall(SYS_close, file);
    return ns;
}

void auspex_core_open(struct thread *t)
{
    t->schedstat = blocks() == UINT64_MAX ? -1 : open_schedstat();
    if (t->schedstat >= 0)
        auspex_core_wait(t, 0);
}

void auspex_core_close(struct thread *t)
{
    auspex_let_go(t->schedstat);
    t->schedstat = -1;
}
