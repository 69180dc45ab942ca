/* The trace of a program without MPI: one rank, one stretch of computation. */
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
    auspex_trace(&first, NULL, 0);
    auspex_trace(&last, NULL, virtual_time(t) - t->seen);
    auspex_trace_close();
}

/* Where MPI starts, it puts its own end in this one's place. */
__attribute__((constructor)) static void expect_alone(void)
{
    if (getenv("AUSPEX_ALONE") && getenv("AUSPEX_TRACE_DIR") && !auspex_at_end)
        auspex_at_end = trace_alone;
}
