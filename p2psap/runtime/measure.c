/* Tells the measurement runtime, where auspex run has put it into the program,
 * what is called and what travels; and keeps what a prediction needs: the time
 * in and between calls. */
#include "state.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void (*joined)(int rank, int peers);
static void (*enter)(const char *name, const void *from);
static void (*leave)(int what, int peer, int tag, long bytes);
static void (*overtaken)(unsigned long messages);

static double since, began, process_began, between, inside, cpu_since, cpu_between, cpu_inside;
/* As of the end of the last iteration. */
static struct { double compute, cpu, cpu_calls, process, calls, waiting, seconds; uint64_t steps, votes; unsigned long moved; } iterated;

/* Processor time of the calling thread: what computing takes where the peers of
 * a run share too few cores. */
static double cpu_of(clockid_t whose)
{
    struct timespec t;
    clock_gettime(whose, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double cpu_now(void) { return cpu_of(CLOCK_THREAD_CPUTIME_ID); }

void p2p_measure_find(void)
{
    *(void **)&joined = dlsym(RTLD_DEFAULT, "auspex_p2p_joined");
    *(void **)&enter = dlsym(RTLD_DEFAULT, "auspex_p2p_enter");
    *(void **)&leave = dlsym(RTLD_DEFAULT, "auspex_p2p_leave");
    *(void **)&overtaken = dlsym(RTLD_DEFAULT, "auspex_p2p_overtaken");
    since = p2p_now();
}

/* The run has been joined: from here on times count. */
void p2p_measure_start(void)
{
    if (joined)
        joined(R.rank, R.peers);
    between = inside = cpu_between = cpu_inside = 0;
    since = began = p2p_now();
    cpu_since = cpu_now();
    process_began = cpu_of(CLOCK_PROCESS_CPUTIME_ID);
}

void p2p_enter(const char *name, const void *from)
{
    double now = p2p_now();
    between += now - since;
    since = now;
    double cpu = cpu_now();
    cpu_between += cpu - cpu_since;
    cpu_since = cpu;
    if (enter)
        enter(name, from);
}

/* what is 1 of a message sent, -1 of one received, twice that where the newest
 * wins; 3 of a vote of all; 0 of what does not travel. */
void p2p_leave(int what, int peer, int tag, long bytes)
{
    static unsigned long told;
    unsigned long now_overtaken = __atomic_load_n(&R.counts.overtaken, __ATOMIC_RELAXED) + __atomic_load_n(&R.counts.lost, __ATOMIC_RELAXED);
    if (overtaken && now_overtaken != told) {
        overtaken(now_overtaken - told);
        told = now_overtaken;
    }
    if (leave)
        leave(what, peer, tag, bytes);
    double now = p2p_now();
    inside += now - since;
    since = now;
    double cpu = cpu_now();
    cpu_inside += cpu - cpu_since;
    cpu_since = cpu;
}

/* The end of an iteration. */
void p2p_iterated(void)
{
    iterated.compute = between;
    iterated.cpu = cpu_between;
    iterated.cpu_calls = cpu_inside;
    iterated.moved = R.moved;
    iterated.process = cpu_of(CLOCK_PROCESS_CPUTIME_ID) - process_began;
    iterated.calls = inside;
    iterated.waiting = R.counts.waiting;
    iterated.seconds = p2p_now() - began;
    iterated.steps++;
    iterated.votes = R.detect.phase & ((1ull << ERA) - 1);
    for (int r = 0; r < R.peers; r++)
        for (struct channel *c = R.peer[r].channels; c; c = c->next)
            c->sent_iterating = c->sent + c->sent_newest;
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
    fprintf(f, "{\"rank\": %d, \"steps\": %llu, \"votes\": %llu, \"seconds\": %.9g, \"compute\": %.9g, \"cpu\": %.9g, \"calls\": %.9g, \"process\": %.9g, \"moved\": %.9g, \"overhead\": %.9g, \"waiting\": %.9g, \"overtaken\": %lu, \"lost\": %lu, \"refused\": %lu, \"sends\": [",
        R.rank, (unsigned long long)iterated.steps, (unsigned long long)iterated.votes, iterated.seconds, iterated.compute / n, iterated.cpu / n, iterated.cpu_calls / n, iterated.process / n, (double)iterated.moved / 4 / n, calls > 0 ? calls / n : 0, iterated.waiting / n,
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
