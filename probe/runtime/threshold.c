/* The threshold iteration rule (dPerf, equations 1 to 4). A loop runs until the
 * time of an iteration has settled; the rest of its iterations are skipped and
 * reckoned.
 *
 * Time is looked at after 1, 2, 4, 8 … iterations. The windows between are
 * compared: the loop has settled when the mean of an iteration in the latest
 * window is within epsilon of that in the window before, both are long enough
 * for the clock, and the loop does not touch new memory any more, since what
 * comes after would find that memory untouched. So the first iterations, with
 * caches still cold, do not count for the mean. Where iterations are timed one
 * by one their medians may do instead, or that the means differ by no more than
 * chance: a machine that stops a rank now and then moves means
 * long after the loop has settled. What is reckoned is the mean in any case, and
 * how far chance may have moved it is told. The longer a loop is watched the more
 * its windows may differ, up to a quarter, so that watching ends.
 *
 * A loop without communication may be entered many times: its iterations are
 * counted on, and once it has settled each entry runs one iteration or two. Where the
 * last of them takes longer or shorter than it did in the first of these entries, since other
 * entries do other work (the rows below a pivot, the levels of a cycle), so do the
 * iterations that are reckoned for it. What is reckoned is added to the thread's CPU time. In a loop with communication all
 * ranks must stop in the same turn. Its trace holds a mark for every turn, and
 * at the end how many turns more there would have been.
 *
 * Where the number of iterations is known beforehand a loop need not be watched
 * for longer than an eighth of its own time. Its last iteration may be run, too:
 * programs that keep a result only then find it kept.
 *
 * With AUSPEX_PAPER set the rule is the paper's own: the mean is that of all
 * iterations from the first on (1), and it has settled when it has changed by no
 * more than epsilon while the iterations doubled (4).
 *
 * One loop of a process is watched at a time, that of its first thread that was
 * entered first. */
#include "threshold.h"
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define LEAST_TURNS 8      /* before a loop is cut short */
#define FEWEST_TURNS 4     /* the same of one with long iterations, whose number is known */
#define LONG_NS 1000000.0  /* which are those */
#define SHORTEST_NS 5e6    /* no loop is watched for less */
#define FEW 4              /* times as many iterations as ran: few are left */
#define OFTEN 64           /* entries after which a single loop that is brief is left alone */
#define BRIEF_NS 50000.0   /* which is that */
#define SHARE 8            /* of its own time that a loop is watched at least */
#define LEAST_S 1.0        /* two windows must be as long as this together, unless told otherwise */
#define MOST 0.25          /* windows may differ by this share, however long they are */
#define CHECK_NS 500.0     /* shorter iterations are mostly the question that each of them asks */
#define NOISE_NS 1000.0    /* a difference this small is none */
#define FAULT_NS 100000.0  /* page faults no closer than this are not the loop's doing */
#define SINGLE_NS 100000.0 /* iterations as long as this are timed one by one */
#define TYPICAL 8          /* iterations that a median needs */
#define SAMPLE 256         /* iterations of a window that count for its median */
#define HEADS 16           /* entries of which an iteration is compared with that of others */
#define LONG_HEADS 3       /* the same of iterations that are timed one by one */
#define HEAD_NS 2000.0     /* shorter iterations tell nothing by one of them */
#define STRAY 0.1          /* a difference between entries this small is none, and as much is not known of a larger one */
#define MAX_LOOPS 4096
#define CURVE 48           /* windows whose mean is told */

enum why { CUT, SHORT, MOVING, TOUCHING, OTHERWISE, ALONE, FINE };

/* A window of iterations. */
struct window {
    double ticks, squares; /* squares of the ticks between looks */
    uint64_t turns, looks;
    float *sample; /* the ticks between the latest looks */
};

/* What is known of a loop. */
struct watch {
    uint64_t entries, ran, skipped;
    uint64_t unseen;        /* entries that were not watched */
    double took;            /* ticks of those that were */
    double added, spread;   /* ticks */
    uint64_t done, next;    /* iterations counted; when to look again */
    struct window now, before;
    double mean, off;       /* of an iteration; by how much it may be wrong */
    long faults, outside;   /* up to the latest look; at the end of the latest entry */
    int settled, used, why;
    uint64_t shape, exact;  /* of the events of the latest turn */
    uint64_t alike;         /* the first turn since which they are the same */
    int compared;           /* how often two windows were */
    double sum, average;    /* ticks of all iterations counted; their mean a window ago */
    float curve[CURVE];     /* their mean at the end of each window, in ns */
    int points;
    float heads[HEADS];     /* ticks of an iteration of the latest entries since it has settled */
    uint64_t headed;        /* how many there were */
    double head, scale;     /* the median of the first; how many times as long they take now, 0 before that is known */
};

int (*auspex_agree)(int ready, int number, long turn);
int auspex_turning;
static struct watch *loops;
static double epsilon, least; /* least in ns */
static int tried, watching, communicates, paper, warm; /* warm: the entry's first iteration is over */
static double asking;         /* ticks that asking for the computation takes */
static uint64_t told;          /* ticks of computation that went into the trace */
static uint64_t base;          /* computation at the latest look */
static long gap;               /* iterations from there to the next look */
static uint64_t shape, exact;  /* of the turn under way */

EXPORT void auspex_probe_turns_begin(struct auspex_turns *turns);
EXPORT int auspex_probe_turns_check(struct auspex_turns *turns);
EXPORT void auspex_probe_turns_end(struct auspex_turns *turns);
EXPORT void auspex_probe_turns_last(struct auspex_turns *turns);
EXPORT long auspex_probe_turns_chunk(struct auspex_turns *turns, long left);

static int ready(void)
{
    if (!tried) {
        const char *text = getenv("AUSPEX_EPSILON"), *settle = getenv("AUSPEX_SETTLE");
        tried = 1;
        epsilon = text ? atof(text) : 0;
        paper = getenv("AUSPEX_PAPER") != NULL;
        least = 1e9 * (settle ? atof(settle) : LEAST_S);
        if (epsilon > 0)
            loops = calloc(MAX_LOOPS, sizeof *loops);
    }
    return loops != NULL;
}

/* Ticks of computation up to now, MPI's own left out. */
static uint64_t computed(struct thread *t)
{
    charge(t, ticks());
    return told + virtual_time(t) - t->seen;
}

static long faults(void)
{
    struct rusage u;
#ifdef RUSAGE_THREAD
    if (getrusage(RUSAGE_THREAD, &u) == 0)
        return u.ru_minflt + u.ru_majflt;
#endif
    return 0;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

/* Hears of an event inside a loop that communicates. */
void auspex_turn_event(const struct event *e, const int64_t *lists, uint64_t compute)
{
    const int64_t form[] = {e->kind, e->comm, e->peer, e->peer2, e->tag, e->sends, e->receives};
    told += compute;
    if (e->kind == T_TURN || e->kind == T_REPEAT)
        return;
    for (size_t i = 0; i < sizeof form / sizeof form[0]; i++)
        shape = mix(shape, (uint64_t)form[i]);
    exact = mix(mix(exact, (uint64_t)e->count), (uint64_t)e->count2);
    for (int64_t i = 0; i < e->sends + e->receives; i++)
        exact = mix(exact, (uint64_t)lists[i]);
}

static void mark(struct thread *t, int kind, int number, int again, long rest)
{
    struct event e = {kind, number, 0, 0, again, rest, 0, 0, 0};
    uint64_t compute = virtual_time(t) - t->seen;
    t->seen = virtual_time(t);
    auspex_trace(&e, NULL, compute);
}

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The median of the ticks between looks. */
static double middle(struct window *w)
{
    size_t n = w->looks < SAMPLE ? (size_t)w->looks : SAMPLE;
    if (!w->sample || n == 0)
        return 0;
    qsort(w->sample, n, sizeof *w->sample, ascending);
    return (w->sample[(n - 1) / 2] + w->sample[n / 2]) / 2;
}

/* An iteration of an entry into a loop that has settled took so many ticks. */
static void stray(struct watch *w, double ticks)
{
    uint64_t several = w->mean > SINGLE_NS * auspex_rate ? LONG_HEADS : HEADS;
    float sorted[HEADS];
    w->heads[w->headed++ % several] = (float)ticks;
    if (w->headed < several || w->headed > several && w->headed % (several / 2))
        return;
    memcpy(sorted, w->heads, several * sizeof *sorted);
    qsort(sorted, several, sizeof *sorted, ascending);
    double now = sorted[several / 2];
    if (w->headed == several)
        w->head = now;
    double scale = w->head > 0 ? now / w->head : 1;
    w->scale = fabs(scale - 1) > STRAY ? scale : 1;
}

/* How long two windows must be together. */
static double enough(const struct watch *w, long total)
{
    double mine = w->sum / (double)w->done * (double)total / SHARE;
    if (total <= 0 || w->entries > 1 && !communicates || mine > least * auspex_rate)
        return least * auspex_rate;
    return fmax(mine, fmin(SHORTEST_NS, least) * auspex_rate);
}

/* By how much two windows may differ, as a share: epsilon, and four times as much with each
 * comparison before. A machine that drifts never settles, so watching must end,
 * and what it tells is worth no more for going on. */
static double allowed(const struct watch *w, long total)
{
    double slack = epsilon * pow(4, w->compared - 1);
    if (total > 0 && (uint64_t)total < FEW * w->done)
        slack *= FEW; /* there is little left to be reckoned, and what it may be off by is told */
    return fmin(slack, fmax(epsilon, MOST));
}

/* Looks whether the loop has settled, at the end of a window. total is how many
 * iterations there will be, 0 where that is not known; asks is set where each of
 * them asks whether it is to run. */
static int settle(struct watch *w, long total, int asks)
{
    double average = w->sum / (double)w->done, moved = fabs(average - w->average), need = enough(w, total);
    if (w->points < CURVE)
        w->curve[w->points++] = (float)(average / auspex_rate);
    w->average = average;
    double latest = w->now.ticks / (double)w->now.turns, earlier = w->before.turns ? w->before.ticks / (double)w->before.turns : 0;
    long touched = faults() - w->faults;
    w->faults += touched;
    w->why = TOUCHING;
    if ((double)touched > 16 + w->now.ticks / auspex_rate / FAULT_NS)
        return 0;
    w->why = SHORT;
    uint64_t fewest = total > 0 && average >= LONG_NS * auspex_rate ? FEWEST_TURNS : LEAST_TURNS;
    if (w->done < fewest || w->before.ticks + w->now.ticks < need)
        return 0;
    if (paper) {
        w->mean = average;
        w->off = moved / 2;
        w->why = moved <= epsilon * average ? CUT : MOVING;
        return w->why == CUT;
    }
    w->why = FINE;
    if (asks && average < CHECK_NS * auspex_rate)
        return 0;
    double both = (double)(w->now.turns + w->before.turns), change = fabs(latest - earlier);
    w->compared++;
    w->mean = (w->now.ticks + w->before.ticks) / both;
    w->off = change / 2;
    int ok = w->settled || change <= allowed(w, total) * latest;
    if (w->now.looks == w->now.turns && w->before.looks == w->before.turns) {
        /* Every turn was timed by itself, so chance can be told from change:
         * the mean of turns that scatter is known to two standard errors, and
         * two windows may differ by four. */
        double variance = (w->now.squares + w->before.squares) / both - w->mean * w->mean;
        w->off = sqrt(fmax(variance, 0) / both);
        ok = ok || (communicates && change <= NOISE_NS * auspex_rate) || (2 * w->off <= epsilon * w->mean && change <= 4 * w->off);
        if (!ok && w->before.turns >= TYPICAL) {
            double typical = middle(&w->now), apart = w->off * both / sqrt((double)w->now.turns * (double)w->before.turns);
            ok = fabs(typical - middle(&w->before)) <= epsilon * typical || change <= 2 * apart;
        }
        if (change > 4 * w->off) /* more than chance */
            w->off = change / 2;
    }
    w->why = ok ? CUT : MOVING;
    return ok;
}

static void next_window(struct watch *w)
{
    float *free = w->before.sample;
    w->before = w->now;
    w->now = (struct window){.sample = free};
    w->next = w->done ? 2 * w->done : 1;
}

void auspex_probe_turns_begin(struct auspex_turns *turns)
{
    struct thread *t = self();
    if (!t || t->record.id != 0 || watching || !ready() || turns->loop->number < 0 || turns->loop->number >= MAX_LOOPS)
        return;
    if (turns->loop->communicates && (!auspex_tracing || !auspex_agree))
        return;
    struct watch *w = &loops[turns->loop->number];
    if (turns->loop->bound && w->entries >= OFTEN && !w->settled && w->sum < BRIEF_NS * auspex_rate * (double)w->entries) {
        w->unseen++;
        return; /* to watch it would take longer than to run it */
    }
    watching = turns->watched = w->used = 1;
    communicates = turns->loop->communicates;
    w->entries++;
    warm = 0;
    base = computed(t);
    if (communicates || w->next == 0) {
        w->done = 0;
        w->next = 1;
        w->now = (struct window){.sample = w->now.sample};
        w->before = (struct window){.sample = w->before.sample};
        w->settled = 0;
        w->faults = faults();
        w->alike = 0;
        w->sum = w->average = 0;
        w->points = w->compared = 0;
        w->headed = 0;
        w->scale = 0;
    }
    if (communicates) {
        auspex_turning = 1;
        gap = 0; /* every turn has its mark */
    } else {
        if (w->outside && !w->settled)
            w->faults += faults() - w->outside; /* between entries: not the loop's */
        gap = w->settled ? 1 : (long)(w->next - w->done);
    }
    turns->left = gap;
}

/* Counts the iterations since the latest look. */
static void count(struct thread *t, struct watch *w, long n)
{
    uint64_t now = computed(t);
    w->sum += (double)(now - base);
    w->took += (double)(now - base);
    w->now.ticks += (double)(now - base);
    w->now.squares += (double)(now - base) * (double)(now - base);
    if (!w->now.sample)
        w->now.sample = malloc(SAMPLE * sizeof *w->now.sample);
    if (w->now.sample && n > 0)
        w->now.sample[w->now.looks % SAMPLE] = (float)(now - base);
    w->now.turns += (uint64_t)n;
    w->now.looks += n > 0;
    w->done += (uint64_t)n;
    w->ran += (uint64_t)n;
    base = now;
}

/* At the end of an iteration of an entry into a loop that has settled. Tells whether
 * one more is wanted: of short iterations the second is timed, which finds the caches
 * as others do. */
static int headed(struct thread *t, struct watch *w)
{
    w->ran += (uint64_t)gap;
    gap = 0;
    if (paper || w->mean < HEAD_NS * auspex_rate)
        return 0;
    uint64_t now = computed(t);
    if (w->mean < SINGLE_NS * auspex_rate && !warm) {
        if (asking == 0)
            asking = fmax((double)(computed(t) - now), 1);
        base = computed(t);
        return warm = 1;
    }
    double took = (double)(now - base);
    stray(w, warm && took > asking ? took - asking : took);
    return 0;
}

static int skip(struct auspex_turns *turns)
{
    turns->skip = 1;
    turns->left = -1; /* stays below 0 */
    turns->rest = 1;
    return 1;
}

/* At the head of a turn in a loop that communicates. */
static int turn(struct auspex_turns *turns, struct thread *t, struct watch *w)
{
    int first = turns->rest == 0 && w->done == 0 && gap == 0;
    if (!first)
        count(t, w, 1);
    else
        base = computed(t);
    mark(t, T_TURN, turns->loop->number, !first, 0);
    gap = 1;
    turns->left = 0;
    if (first) {
        shape = exact = 0;
        return 0;
    }
    if (shape != w->shape || communicates == 1 && exact != w->exact)
        w->alike = w->done;
    w->shape = shape;
    w->exact = exact;
    shape = exact = 0;
    if (w->done < w->next)
        return 0;
    int ok = w->settled = settle(w, turns->total, 0);
    if (ok && w->alike > w->done / 4 + 1) {
        ok = 0;
        w->why = OTHERWISE;
    }
    if (w->done >= (turns->total > 0 ? FEWEST_TURNS : LEAST_TURNS)) {
        t->quiet = IN_CALL;
        int all = auspex_agree(ok, turns->loop->number, (long)w->done);
        if (ok && !all)
            w->why = ALONE;
        ok = all;
        uint64_t outside = virtual_time(t);
        charge(t, ticks());
        t->seen += virtual_time(t) - outside;
        t->quiet = 0;
        base = computed(t);
    }
    if (ok)
        return skip(turns);
    next_window(w);
    return 0;
}

int auspex_probe_turns_check(struct auspex_turns *turns)
{
    struct thread *t = self();
    struct watch *w = &loops[turns->loop->number];
    if (!t)
        return 0;
    if (communicates)
        return turn(turns, t, w);
    if (w->settled) {
        if (!headed(t, w))
            return skip(turns);
        gap = 1;
        turns->left = 0;
        return 0;
    }
    count(t, w, gap);
    gap = 0;
    int single = w->now.ticks > SINGLE_NS * auspex_rate * (double)w->now.turns;
    if (w->done < w->next) {
        gap = 1;
        turns->left = 0;
        return 0;
    }
    if (settle(w, turns->total, 1)) {
        w->settled = 1;
        return skip(turns);
    }
    next_window(w);
    gap = single ? 1 : (long)(w->next - w->done);
    turns->left = gap - 1;
    return 0;
}

/* How many iterations of a loop that counts are to be run next; 0 at its end, and
 * below 0 how many are skipped to it. left is how many there are. */
long auspex_probe_turns_chunk(struct auspex_turns *turns, long left)
{
    struct thread *t = self();
    struct watch *w = &loops[turns->loop->number];
    int first = turns->total == 0, more = 0;
    if (first)
        turns->total = left;
    else if (t && w->settled)
        more = headed(t, w);
    else if (t) {
        count(t, w, gap);
        if (w->done >= w->next && !(w->settled = settle(w, turns->total, 0)))
            next_window(w);
    }
    gap = 0;
    if (left <= 0 || !t)
        return left > 0 ? left : 0;
    if (w->settled && !first && !more) {
        skip(turns);
        turns->rest = left;
        return -left;
    }
    gap = w->settled ? 1 : (long)(w->next - w->done);
    if (gap > left)
        gap = left;
    return gap;
}

/* Puts what was skipped in its place. */
static void reckon(struct auspex_turns *turns, struct thread *t, struct watch *w)
{
    double scale = w->scale > 0 ? w->scale : 1, more = scale * w->mean * (double)turns->rest;
    w->skipped += (uint64_t)turns->rest;
    w->added += more;
    w->spread += scale * w->off * (double)turns->rest + (scale != 1 ? STRAY * more : 0);
    if (communicates)
        mark(t, T_REPEAT, turns->loop->number, paper, turns->rest);
    else {
        charge(t, ticks());
        t->settled += (uint64_t)more;
    }
    turns->rest = 0;
}

/* The last iteration is at hand, and is run after all. */
void auspex_probe_turns_last(struct auspex_turns *turns)
{
    struct thread *t = self();
    struct watch *w = &loops[turns->loop->number];
    if (!t)
        return;
    w->ran++;
    if (--turns->rest > 0)
        reckon(turns, t, w);
    auspex_turning = 0;
}

void auspex_probe_turns_end(struct auspex_turns *turns)
{
    struct thread *t = self();
    struct watch *w = &loops[turns->loop->number];
    watching = auspex_turning = 0;
    if (!t)
        return;
    w->outside = w->settled || communicates ? 0 : faults();
    if (!turns->skip) {
        if (!w->settled || communicates)
            count(t, w, gap - (turns->left > 0 ? turns->left : 0));
        else if (gap > 0)
            w->ran += (uint64_t)(gap - turns->left);
        return;
    }
    if (turns->rest > 0)
        reckon(turns, t, w);
}

/* Writes what became of each loop, a line each: rank, number, entries,
 * iterations run and skipped, ns reckoned, by how much they may be off, why, ns
 * that those that ran took, and the mean of all iterations in ns after 1, 2, 4, 8 …
 * of them. */
void auspex_turns_close(void)
{
    const char *dir = getenv("AUSPEX_TRACE_DIR");
    char path[4096];
    if (!loops || !dir || (size_t)snprintf(path, sizeof path, "%s/%d.loops", dir, auspex_header->rank) >= sizeof path)
        return;
    FILE *out = fopen(path, "w");
    if (!out)
        return;
    for (int i = 0; i < MAX_LOOPS; i++) {
        struct watch *w = &loops[i];
        if (w->used)
            fprintf(out, "%d %d %llu %llu %llu %.0f %.0f %d %.0f", auspex_header->rank, i, (unsigned long long)w->entries, (unsigned long long)w->ran,
                (unsigned long long)w->skipped, w->added / auspex_rate, w->spread / auspex_rate, w->skipped ? CUT : w->why,
                w->took * (1 + (double)w->unseen / (double)w->entries) / auspex_rate);
        for (int k = 0; w->used && k < w->points; k++)
            fprintf(out, " %.6g", w->curve[k]);
        if (w->used)
            fputc('\n', out);
    }
    fclose(out);
}
