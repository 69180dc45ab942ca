/* How long a thread that could run waits for a core: because others have it, or
 * because a quota is used up. The kernel counts that (the second number of
 * schedstat); time in which a thread is blocked is in neither this nor its CPU
 * time. For the trace of a rank's first thread alone. */
#include "probe.h"
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

int auspex_cores;
static int file = -1;

/* Nanoseconds that the thread has waited since it was asked before. A program
 * may have closed the file and opened its own in its place: nothing is expected
 * of what is read. */
uint64_t auspex_core_wait(struct thread *t)
{
    char text[64];
    long n = syscall(SYS_pread64, file, text, sizeof text, 0L), i = 0;
    uint64_t delay = 0;
    while (i < n && text[i] != ' ')
        i++;
    for (i++; i < n && text[i] >= '0' && text[i] <= '9'; i++)
        delay = delay * 10 + (uint64_t)(text[i] - '0');
    if (i >= n || text[i] != ' ' || delay <= t->delay)
        return 0;
    uint64_t waited = delay - t->delay;
    t->delay = delay;
    return waited;
}

void auspex_core_open(struct thread *t)
{
    file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    auspex_cores = file >= 0;
    if (auspex_cores)
        auspex_core_wait(t);
}
