/* On which of the machine's cores the process may run: what the launcher, a batch system
 * or a container left it. */
#include "probe.h"
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Adds the cores that the calling thread may run on. OpenMP's runtime may bind each thread
 * to one core, so that only all of them together have the process's. */
void auspex_allowed(void)
{
    uint64_t cores[ALLOWED_WORDS];
    memset(cores, 0, sizeof cores);
#ifdef SYS_sched_getaffinity
    if (syscall(SYS_sched_getaffinity, 0L, sizeof cores, cores) <= 0) /* more cores than there is room for */
        return;
#endif
    for (int i = 0; i < ALLOWED_WORDS; i++)
        if (cores[i] & ~__atomic_load_n(&auspex_header->allowed[i], __ATOMIC_RELAXED))
            __atomic_fetch_or(&auspex_header->allowed[i], cores[i], __ATOMIC_RELAXED);
}
