/* The trace of a program without MPI: one rank, one stretch of
 * computation, and the time in which it was blocked. */
#include "trace.h"
#include <stdlib.h>

static void trace_alone(void)
{
    struct thread *t = auspex_self;
    if (!t || auspex_tracing)
        return;
    auspex_header->rank = 0;
    auspex_header->ranks = 1;
    auspex_trace_open();
    if (!auspex_tracing)
        return;
    struct event first = {T_INIT, 0, 0, 0, 0, 0, 0, 0, 0}, last = {T_FINALIZE, 0, 0, 0, 0, 0, 0, 0, 0};
    uint64_t compute = virtual_time(t) - t->seen;
    t->gap = t->record.last - t->record.first;
    uint64_t idle = paused(t, compute);
    auspex_trace(&first, NULL, 0);
    compute = auspex_trace_teams(t, compute);
    if (idle >= auspex_long) {
        struct event slept = {T_SLEEP, 0, 0, 0, 0, (int64_t)((double)idle / auspex_rate), 0, 0, 0, 0};
        auspex_trace(&slept, NULL, compute);
        compute = 0;
    }
    auspex_trace(&last, NULL, compute);
    auspex_trace_close();
}

/* Where MPI starts, it puts its own end in this one's place. */
__attribute__((constructor)) static void expect_alone(void)
{
    if (getenv("AUSPEX_ALONE") && getenv("AUSPEX_TRACE_DIR") && !auspex_at_end)
        auspex_at_end = trace_alone;
}
