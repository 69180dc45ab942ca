/* Tells the measurement runtime, where auspex run has put it into the program,
 * what is called and what travels; and keeps what a prediction needs: the time
 * in and between calls. */
#include "state.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void (*joined)(int rank, int peers);
static void (*enter)(const char *name, const void *from);
static void (*leave)(int what, int peer, int tag, long bytes);

static double since, began, between, inside;
/* As of the end of the last iteration. */
static struct { double compute, calls, waiting, seconds; uint64_t steps; } iterated;

void p2p_measure_start(void)
{
    *(void **)&joined = dlsym(RTLD_DEFAULT, "auspex_p2p_joined");
    *(void **)&enter = dlsym(RTLD_DEFAULT, "auspex_p2p_enter");
    *(void **)&leave = dlsym(RTLD_DEFAULT, "auspex_p2p_leave");
    if (joined)
        joined(R.rank, R.peers);
    between = inside = 0;
    since = began = p2p_now();
}

void p2p_enter(const char *name, const void *from)
{
    double now = p2p_now();
    between += now - since;
    since = now;
    if (enter)
        enter(name, from);
}

/* what is 1 of a message sent, -1 of one received, twice that where the newest
 * wins; 3 of a vote of all; 0 of what does not travel. */
void p2p_leave(int what, int peer, int tag, long bytes)
{
    if (leave)
        leave(what, peer, tag, bytes);
    double now = p2p_now();
    inside += now - since;
    since = now;
}

/* The end of an iteration. */
void p2p_iterated(void)
{
    iterated.compute = between;
    iterated.calls = inside;
    iterated.waiting = R.counts.waiting;
    iterated.seconds = p2p_now() - began;
    iterated.steps++;
    for (int r = 0; r < R.peers; r++)
        for (struct channel *c = R.peer[r].channels; c; c = c->next)
            c->sent_iterating = c->sent;
}

/* Writes what a prediction needs where the launcher asks for it. */
void p2p_profile(void)
{
    char name[4096];
    const char *dir = getenv("AUSPEX_P2P_PROFILE");
    if (!dir || !iterated.steps || snprintf(name, sizeof name, "%s/%d.json", dir, R.rank) >= (int)sizeof name)
        return;
    FILE *f = fopen(name, "w");
    if (!f)
        return;
    double n = (double)iterated.steps, calls = iterated.calls - iterated.waiting;
    const char *comma = "";
    fprintf(f, "{\"rank\": %d, \"steps\": %llu, \"seconds\": %.9g, \"compute\": %.9g, \"overhead\": %.9g, \"waiting\": %.9g, \"overtaken\": %lu, \"lost\": %lu, \"refused\": %lu, \"sends\": [",
        R.rank, (unsigned long long)iterated.steps, iterated.seconds, iterated.compute / n, calls > 0 ? calls / n : 0, iterated.waiting / n,
        R.counts.overtaken, R.counts.lost, R.counts.refused);
    for (int r = 0; r < R.peers; r++)
        for (struct channel *c = R.peer[r].channels; c; c = c->next)
            if (c->sent_iterating * 2 >= iterated.steps) {
                fprintf(f, "%s{\"to\": %d, \"bytes\": %u}", comma, r, c->size_iterating);
                comma = ", ";
            }
    fprintf(f, "]}\n");
    fclose(f);
}
