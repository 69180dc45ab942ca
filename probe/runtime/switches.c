/* Whether a thread has left its core, known without a system call: the kernel keeps a
 * page for an event of a thread, and writes to it whenever it puts the thread on a core.
 * A look at the thread's CPU clock takes a microsecond and more where the program's own
 * data fill the caches, and tells nothing as long as that page is as it was. */
#include "probe.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__linux__) && defined(MADV_WIPEONFORK)
#include <linux/perf_event.h>

/* A child that was made past the C library has the parent's memory and not that page;
 * this is 0 there. */
static const volatile int *here;

static int own_memory(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (here)
        return 1;
    int *flag = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (flag == MAP_FAILED)
        return 0;
    if (madvise(flag, page, MADV_WIPEONFORK) != 0) {
        munmap(flag, page);
        return 0;
    }
    *flag = 1;
    here = flag;
    return 1;
}

/* Opens it for the calling thread. It stays as long as it is mapped: no descriptor is
 * kept. */
void auspex_switches_open(struct thread *t)
{
    struct perf_event_attr a;
    memset(&a, 0, sizeof a);
    a.size = sizeof a;
    a.type = PERF_TYPE_SOFTWARE;
    a.config = PERF_COUNT_SW_DUMMY;
    a.exclude_kernel = a.exclude_hv = 1;
    if (!own_memory())
        return;
    int event = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (event < 0)
        return;
    void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, event, 0);
    syscall(SYS_close, event);
    t->page = page == MAP_FAILED ? NULL : page;
}

void auspex_switches_close(struct thread *t)
{
    if (t->page && *here)
        munmap((void *)t->page, (size_t)sysconf(_SC_PAGESIZE));
    t->page = NULL;
}

uint32_t auspex_switches(const struct thread *t)
{
    const volatile struct perf_event_mmap_page *page = t->page;
    return page && *here ? page->lock : 0;
}
#else
void auspex_switches_open(struct thread *t) { (void)t; }
void auspex_switches_close(struct thread *t) { (void)t; }
uint32_t auspex_switches(const struct thread *t) { (void)t; return 0; }
#endif
