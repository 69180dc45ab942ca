/* How ranks agree that a loop has run for long enough: see threshold.c. The
 * program's own communicators are not touched. */
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#define PATIENCE_NS 120e9

static MPI_Comm agreeing;

/* Asks all ranks; one that does not come, because the loop is not everyone's,
 * would be waited for in vain: then the run ends and says so. */
static int agree(int ready, int number, long turn)
{
    long mine[5] = {-ready, number, -number, turn, -turn}, all[5];
    MPI_Request request;
    int done = 0;
    PMPI_Iallreduce(mine, all, 5, MPI_LONG, MPI_MAX, agreeing, &request);
    uint64_t since = nanos(CLOCK_MONOTONIC);
    for (;;) {
        PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done)
            break;
        if ((double)(nanos(CLOCK_MONOTONIC) - since) > PATIENCE_NS) {
            fprintf(stderr, "auspex: rank %d waits in a loop that not all ranks run\n", auspex_header->rank);
            PMPI_Abort(MPI_COMM_WORLD, 97);
        }
        sched_yield();
    }
    return all[0] == -1 && all[1] == -all[2] && all[3] == -all[4];
}

static void agree_start(void)
{
    if (getenv("AUSPEX_EPSILON") && PMPI_Comm_dup(MPI_COMM_WORLD, &agreeing) == MPI_SUCCESS)
        auspex_agree = agree;
}
