/* x[i] = 0.4 (x[i-1] + x[i+1]) + i + 1 on a ring of peers, one unknown each.
 *
 *     mean TOLERANCE [RANK STEP [checkpoint]]
 *
 * The peer RANK kills itself in step STEP, once. With MEAN_HOLD set each makes the
 * file of that name with its rank added, and goes on once the file itself is there:
 * in step 10, or in that of MEAN_HOLD_AT, or, where that is "converged" or "end",
 * when its part has converged or when the end was found; with MEAN_HOLD_ONLY only the
 * peer of that rank. MEAN_SCHEMES "30 0 60 2" changes to scheme 0 after step 30 and to
 * scheme 2 after step 60, and MEAN_LAST to another after the end. Each prints its rank,
 * steps and value, how many peers it saw
 * replaced, the messages it sent and the packets it refused. */
#include <math.h>
#include <p2psap.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void hold(int me, const char *now)
{
    char mine[4096];
    const char *file = getenv("MEAN_HOLD"), *at = getenv("MEAN_HOLD_AT"), *only = getenv("MEAN_HOLD_ONLY");
    if (!file || strcmp(at ? at : "10", now) || (only && atoi(only) != me))
        return;
    snprintf(mine, sizeof mine, "%s.%d", file, me);
    fclose(fopen(mine, "w"));
    while (access(file, F_OK) != 0)
        usleep(1000);
}

static void change_scheme(int steps)
{
    const char *list = getenv("MEAN_SCHEMES");
    int at, scheme, read;
    for (; list && sscanf(list, "%d %d%n", &at, &scheme, &read) == 2; list += read)
        if (at == steps)
            P2P_Scheme(scheme);
}

int main(int argc, char **argv)
{
    double tolerance = atof(argv[1]), x = 0, from[2] = {0, 0};
    int die = argc > 3 ? atoi(argv[2]) : -1, at = argc > 3 ? atoi(argv[3]) : 0, checkpoint = argc > 4, steps = 0;
    struct { double x, from[2]; int steps; } state;
    int error = P2P_Init(), done = 0;
    if (error) {
        fprintf(stderr, "P2P_Init: %s\n", P2P_Error(error));
        return 4;
    }
    int me = P2P_Rank(), n = P2P_Peers(), left = (me + n - 1) % n, right = (me + 1) % n;
    long had = P2P_Restore(&state, sizeof state);
    if (had > 0) {
        x = state.x;
        memcpy(from, state.from, sizeof from);
        steps = state.steps;
    }
    /* So many steps as if nothing had come from other clusters, and not converged. */
    int deaf = getenv("MEAN_DEAF") ? atoi(getenv("MEAN_DEAF")) : -1;
    /* Not converged before the step in which they are to wait: with nothing heard yet
     * two steps are alike, and who waits there leaves the other without a vote. */
    int held = getenv("MEAN_HOLD") ? getenv("MEAN_HOLD_AT") ? atoi(getenv("MEAN_HOLD_AT")) : 10 : 0;
    int again = getenv("MEAN_AGAIN") && access(getenv("MEAN_AGAIN"), F_OK) == 0;
    while (!done) {
        change_scheme(steps);
        long got = steps ? P2P_Receive(left, &from[0], sizeof x, 0) : 0;
        if (got >= 0 && steps)
            got = P2P_Receive(right, &from[1], sizeof x, 1);
        if (got < 0) {
            fprintf(stderr, "P2P_Receive: %s\n", P2P_Error((int)got));
            return 5;
        }
        for (int k = 0; steps <= deaf && k < 2; k++)
            if (P2P_Cluster(k ? right : left) != P2P_Cluster(me))
                from[k] = 0;
        double next = 0.4 * (from[0] + from[1]) + me + 1, change = fabs(next - x);
        x = next;
        char number[16];
        snprintf(number, sizeof number, "%d", ++steps);
        hold(me, number);
        if (change <= tolerance)
            hold(me, "converged");
        if (me == die && steps == at && !again) {
            if (getenv("MEAN_AGAIN"))
                fclose(fopen(getenv("MEAN_AGAIN"), "w"));
            raise(SIGKILL);
        }
        error = P2P_Send(right, &x, sizeof x, 0);
        if (!error)
            error = P2P_Send(left, &x, sizeof x, 1);
        if (error) {
            fprintf(stderr, "P2P_Send: %s\n", P2P_Error(error));
            return 6;
        }
        done = P2P_Converged(change <= tolerance && steps > deaf && steps >= held);
        if (done < 0) {
            fprintf(stderr, "P2P_Converged: %s\n", P2P_Error(done));
            return 7;
        }
        if (checkpoint && steps % 5 == 0) {
            state.x = x;
            memcpy(state.from, from, sizeof from);
            state.steps = steps;
            P2P_Checkpoint(&state, sizeof state);
        }
        if (P2P_Scheme(P2P_ASK) == P2P_ASYNCHRONOUS)
            usleep(200);
    }
    hold(me, "end");
    if (getenv("MEAN_LAST"))
        P2P_Scheme(atoi(getenv("MEAN_LAST")));
    struct P2P_Counts counts;
    P2P_Count(&counts);
    printf("%d %d %.12f %lu %lu %lu\n", me, steps, x, counts.restarts, counts.sent, counts.refused);
    fflush(stdout);
    return P2P_Finish() ? 8 : 0;
}
