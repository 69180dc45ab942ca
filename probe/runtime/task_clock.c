/* The kernel's task clock, which interrupts a thread after so much CPU time to the
 * microsecond. The kernel looks at a POSIX timer on a CPU clock only at its own
 * tick, every 4 ms on most systems: work that comes in shorter stretches between
 * waits is then seen too seldom, or never. The task clock in turn does not
 * interrupt the kernel, so that its work for the thread is left to the timer. Where
 * there is no task clock (a container may forbid it) the timer serves alone. */
#include "stacks.h"
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/perf_event.h>

enum { ROOM = 1024, PENDING = 64 };

static long control(int event, int what, long value) { return syscall(SYS_fcntl, event, what, value); }

/* Has the calling thread interrupted by a signal after every auspex_sampling of its
 * CPU time, AT_A_TIME times; 0 where that cannot be. */
int auspex_task_clock(int signal)
{
    struct rlimit files, pending;
    struct perf_event_attr a;
    struct { int type, pid; } owner = {F_OWNER_TID, (int)syscall(SYS_gettid)};
    /* Where no signal can be queued the kernel sends SIGIO, which kills. */
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur < ROOM || getrlimit(RLIMIT_SIGPENDING, &pending) != 0 || pending.rlim_cur < PENDING)
        return 0;
    memset(&a, 0, sizeof a);
    a.size = sizeof a;
    a.type = PERF_TYPE_SOFTWARE;
    a.config = PERF_COUNT_SW_TASK_CLOCK;
    a.sample_period = auspex_sampling;
    a.wakeup_events = 1;
    a.disabled = a.exclude_kernel = a.exclude_hv = 1;
    int event = auspex_keep((int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
    if (event <= 0)
        return 0;
    if (control(event, F_SETOWN_EX, (long)&owner) == 0 && control(event, F_SETSIG, signal) == 0 &&
        control(event, F_SETFL, O_ASYNC | O_NONBLOCK) == 0 && syscall(SYS_ioctl, event, PERF_EVENT_IOC_REFRESH, (long)AT_A_TIME) == 0)
        return event;
    auspex_let_go(event);
    return 0;
}

/* As many again: no more than so many queue up where signals are blocked. */
void auspex_task_clock_again(int event) { syscall(SYS_ioctl, event, PERF_EVENT_IOC_REFRESH, (long)AT_A_TIME); }

void auspex_task_clock_period(int event, uint64_t period) { syscall(SYS_ioctl, event, PERF_EVENT_IOC_PERIOD, &period); }

/* To the kernel all such events are one file: what tells this one is its signal. */
void auspex_task_clock_end(int event, int signal)
{
    if (event > 0 && control(event, F_GETSIG, 0) == signal)
        auspex_let_go(event);
}
#else
int auspex_task_clock(int signal) { (void)signal; return 0; }
void auspex_task_clock_again(int event) { (void)event; }
void auspex_task_clock_period(int event, uint64_t period) { (void)event; (void)period; }
void auspex_task_clock_end(int event, int signal) { (void)event; (void)signal; }
#endif
