/* Random schedules of asynchronous iterations, with termination decided by
 * detect.c as it is, and an oracle that sees everything.
 *
 *     oracle FIRST COUNT [naive]
 *
 * Peer i holds x[i] and computes x[i] = a * mean of some others + b[i], from
 * the newest that came. Data may be delayed for long, overtaken and lost; words
 * of the detection come late but in order. A stop is early if the frozen state
 * that was voted on is not within the tolerance in every part, or if a peer
 * stops farther than tolerance / (1 - a) from the solution. With naive peers
 * stop as soon as all say that they have converged: the oracle must find that
 * to be early. */
#include "../runtime/detect.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12, CHANNEL = 4096 };
struct word { int word, yes; uint64_t phase; };
struct control { struct word q[CHANNEL]; unsigned first, last; };
struct data { double x[8]; uint64_t number[8]; int n; };

static int n, deg[MOST], from[MOST][MOST];
static double a, b[MOST], x[MOST], seen[MOST][MOST], frozen[MOST], exact[MOST], tolerance, loss;
static uint64_t sent[MOST], got[MOST][MOST], frozen_phase[MOST], frozen_number[MOST];
static int delivering[MOST], blocked[MOST], stopped[MOST], voted_yes[MOST];
static uint64_t voted_phase[MOST];
static struct detect d[MOST];
static struct control words[MOST][MOST];
static struct data wire[MOST][MOST];
static int stalled[MOST][MOST];

static uint64_t state;
static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 16) % below);
}

static void say(void *with, int to, enum detect_word word, uint64_t phase, int yes)
{
    struct control *c = &words[(int)(intptr_t)with][to];
    if (c->last - c->first >= CHANNEL) {
        printf("too many words\n");
        exit(2);
    }
    c->q[c->last++ % CHANNEL] = (struct word){word, yes, phase};
}

static double image(int i, const double *of)
{
    double sum = 0;
    for (int k = 0; k < deg[i]; k++)
        sum += of[from[i][k]];
    return a * sum / deg[i] + b[i];
}

static void begin(void)
{
    int sizes[MOST], clusters = 0;
    n = 1 + (int)draw(MOST);
    for (int left = n; left > 0; clusters++) {
        sizes[clusters] = 1 + (int)draw((uint32_t)left);
        left -= sizes[clusters];
    }
    a = 0.2 + 0.65 * draw(1000) / 1000.0;
    tolerance = pow(10, -1.0 - draw(5));
    loss = draw(3) ? 0 : draw(80) / 100.0;
    for (int i = 0; i < MOST * MOST; i++)
        words[i / MOST][i % MOST].first = words[i / MOST][i % MOST].last = 0;
    memset(wire, 0, sizeof wire);
    for (int i = 0; i < n; i++) {
        deg[i] = 0;
        for (int j = 0; j < n; j++) {
            if (j != i && (j == (i + 1) % n || draw(3) == 0))
                from[i][deg[i]++] = j;
            seen[i][j] = 0;
            got[i][j] = 0;
            stalled[i][j] = draw(6) == 0;
        }
        if (!deg[i])
            from[i][deg[i]++] = i;
        b[i] = draw(1000) / 100.0 - 5;
        x[i] = exact[i] = 0;
        sent[i] = frozen_phase[i] = voted_phase[i] = 0;
        delivering[i] = blocked[i] = stopped[i] = 0;
        detect_start(&d[i], i, clusters, sizes);
        d[i].say = say;
        d[i].with = (void *)(intptr_t)i;
        detect_scheme(&d[i], 0);
    }
    for (int k = 0; k < 2000; k++) {
        double next[MOST];
        for (int i = 0; i < n; i++)
            next[i] = image(i, exact);
        memcpy(exact, next, sizeof next);
    }
}

/* The newest of what is on its way in any order; some links stand still for long. */
static void deliver(int i, int j)
{
    struct data *w = &wire[j][i];
    if (stalled[i][j]) {
        stalled[i][j] = draw(60) != 0;
        return;
    }
    if (draw(300) == 0)
        stalled[i][j] = 1;
    if (!w->n)
        return;
    int k = (int)draw((uint32_t)w->n);
    if (w->number[k] > got[i][j]) {
        got[i][j] = w->number[k];
        seen[i][j] = w->x[k];
    }
    w->n--;
    w->x[k] = w->x[w->n];
    w->number[k] = w->number[w->n];
}

static int naive;

/* Ends the freeze of a peer where the frozen states it needs are there. */
static void thaw(int i)
{
    if (d[i].phase != frozen_phase[i] || d[i].state != D_FREEZING) {
        blocked[i] = 0;
        return;
    }
    for (int k = 0; k < deg[i]; k++)
        if (frozen_phase[from[i][k]] != d[i].phase)
            return;
    blocked[i] = 0;
    delivering[i] = 1;
    detect_frozen(&d[i]);
    for (int k = 0; k < deg[i]; k++) {
        int j = from[i][k];
        seen[i][j] = frozen[j];
        if (frozen_number[j] > got[i][j])
            got[i][j] = frozen_number[j];
    }
}

/* One iteration of the library's asynchronous loop. */
static void step(int i)
{
    seen[i][i] = x[i];
    double next = image(i, seen[i]), change = fabs(next - x[i]);
    x[i] = next;
    sent[i]++;
    for (int j = 0; j < n; j++) {
        struct data *w = &wire[i][j];
        if (j == i || draw(1000) < loss * 1000)
            continue;
        if (w->n == 8)
            w->n--; /* overtaken before it left */
        w->x[w->n] = next;
        w->number[w->n++] = sent[i];
    }
    int here = change <= tolerance;
    if (delivering[i]) {
        delivering[i] = 0;
        if (d[i].state == D_FROZEN) {
            voted_phase[i] = d[i].phase;
            voted_yes[i] = here;
            detect_vote(&d[i], here);
        } else
            detect_here(&d[i], here);
    } else if (d[i].state == D_FREEZING) {
        frozen_phase[i] = d[i].phase;
        frozen_number[i] = sent[i];
        frozen[i] = x[i];
        blocked[i] = 1;
    } else
        detect_here(&d[i], here);
}

/* What is wrong with a stop, NULL where nothing is. */
static const char *early(void)
{
    for (int i = 0; i < n; i++) {
        if (naive)
            break;
        if (frozen_phase[i] != d[i].phase || voted_phase[i] != d[i].phase || !voted_yes[i])
            return "a peer did not vote for it";
        if (fabs(image(i, frozen) - frozen[i]) > tolerance * (1 + 1e-9))
            return "the state that was voted on has not converged";
    }
    for (int i = 0; i < n; i++)
        if (fabs(x[i] - exact[i]) > tolerance / (1 - a) * (1 + 1e-9) + 1e-12)
            return "a peer is far from the solution";
    return NULL;
}

/* One word from a peer of the tree, or none. */
static void hear(int i)
{
    int k = (int)draw((uint32_t)d[i].children + 1), j = k < d[i].children ? d[i].child[k] : d[i].parent;
    if (j < 0 || words[j][i].first == words[j][i].last)
        return;
    struct control *c = &words[j][i];
    struct word w = c->q[c->first++ % CHANNEL];
    detect_hear(&d[i], j, (enum detect_word)w.word, w.phase, w.yes);
}

static const char *schedule(void)
{
    for (long events = 0; events < 4000000; events++) {
        int i = (int)draw((uint32_t)n), j = (int)draw((uint32_t)n), left = 0;
        switch (draw(3)) {
        case 0:
            if (blocked[i])
                thaw(i);
            else if (!stopped[i])
                step(i);
            break;
        case 1:
            hear(i);
            break;
        default:
            deliver(i, j);
        }
        if (naive && d[0].state == D_FREEZING)
            return early();
        for (int k = 0; k < n && d[0].state == D_STOPPED; k++) {
            if (d[k].state == D_STOPPED && !stopped[k]) {
                stopped[k] = 1;
                const char *wrong = early();
                if (wrong)
                    return wrong;
            }
            left += !stopped[k];
        }
        if (d[0].state == D_STOPPED && !left)
            return NULL;
    }
    return "it never stopped";
}

int main(int argc, char **argv)
{
    long first = argc > 1 ? atol(argv[1]) : 1, count = argc > 2 ? atol(argv[2]) : 1000, wrong = 0;
    naive = argc > 3 && !strcmp(argv[3], "naive");
    for (long s = first; s < first + count; s++) {
        state = 0x9e3779b97f4a7c15u * (uint64_t)(s + 1);
        for (int i = 0; i < 8; i++)
            draw(2);
        begin();
        const char *why = schedule();
        if (why) {
            wrong++;
            if (!naive)
                printf("schedule %ld: %s (%d peers, a %g, tolerance %g)\n", s, why, n, a, tolerance);
        }
        for (int i = 0; i < n; i++)
            detect_end(&d[i]);
    }
    printf("%ld schedules, %ld early\n", count, wrong);
    return wrong != 0;
}
