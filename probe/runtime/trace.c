/* The event trace of a rank, folded while it is recorded. An item is an event
 * with the computation before it, or a loop of items. Every new item is tried
 * as the end of one more turn of a loop right before it, and of the second turn
 * of a new one. Events are equal when what they do is; of the computation
 * before them a loop keeps count, mean and variance. What tells of parallel regions
 * (T_TEAM) counts for no event in the files of regions and of waiting below.
 *
 * The file: 'D' key(8) size(4) event, once for each distinct event, before the
 * first item that has its key; 'E' key(8) n(8) mean(8) m2(8) for an event, in
 * ns; 'L' count(8) items(4) for a loop, its items after it.
 *
 * With AUSPEX_TRACE_TIMES a second file holds the computation before each of
 * the first events, in ns as float(4), in the order in which they happened:
 * what one rank waits for another depends on more than means. With
 * AUSPEX_TRACE_REGIONS a third holds the nodes in which it was spent: for each
 * event a count(1), then node(4) and ns as float(4) of each; and a fourth, where
 * the kernel tells, how long the rank waited for a core: event(4), how many events
 * the call has that ends with it and in which that was(4), 0 for before the event,
 * ns as float(4), and ns of the rest of that call as float(4). */
#include "threshold.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WINDOW = 4096, KEPT = 1 << 16, SLOTS = 1 << 12, TRIES = 8 };
enum { TIMES = 1000000, AT_ONCE = 1 << 12 }; /* times kept of a rank; written together */

struct item {
    uint64_t key;
    struct loop *loop;
    uint64_t n;
    double mean, m2;
    uint32_t prev; /* one more than the index of the item before in its slot */
};

struct loop { uint64_t count, body_key; uint32_t size; struct item *body; };

int auspex_tracing;
static int file = -1;
static struct item *items;
static uint32_t used;
static uint32_t latest[SLOTS];  /* one more than the index of the latest item of each slot of keys */
static uint32_t *loops, looped; /* indices of loops, ascending */
static char buffer[1 << 16];
static size_t filled;
static int times_file = -1;
static float times[AT_ONCE];
static uint32_t timed;
static int regions_file = -1;
enum { STRETCHED = 4096 }; /* the first nodes of the thread: how computation is shared among them */
static uint64_t told[STRETCHED]; /* ticks of each node that the file has */
static char stretches[1 << 14];
static size_t stretched;
static int stops_file = -1;
static struct stop { uint32_t event, within; float ns, rest; } stops[AT_ONCE];
static uint32_t stopped, traced_events;
static uint64_t *keys; /* of events written */
static size_t key_mask, key_count;

static void write_all(int to, const void *from, size_t size)
{
    for (size_t at = 0; at < size && auspex_kept(to);) {
        long n = syscall(SYS_write, to, (const char *)from + at, size - at);
        if (n <= 0)
            break;
        at += (size_t)n;
    }
}

static void flush(void)
{
    write_all(file, buffer, filled);
    filled = 0;
}

static void close_times(void)
{
    uint32_t last = timed % AT_ONCE;
    write_all(times_file, times, (last ? last : timed ? AT_ONCE : 0) * sizeof *times);
    auspex_let_go(times_file);
    times_file = -1;
    if (regions_file >= 0) {
        write_all(regions_file, stretches, stretched);
        auspex_let_go(regions_file);
        regions_file = -1;
    }
    if (stops_file >= 0) {
        write_all(stops_file, stops, stopped * sizeof *stops);
        auspex_let_go(stops_file);
        stops_file = -1;
    }
}

/* Tells that the rank waited for a core before the next event, or within the call
 * of so many latest ones, which took so much beside. */
void auspex_trace_stop(uint32_t within, uint64_t waited, uint64_t rest)
{
    if (stops_file < 0 || waited == 0 || within > traced_events)
        return;
    stops[stopped++] = (struct stop){traced_events - (within ? 1 : 0), within, (float)((double)waited / auspex_rate), (float)((double)rest / auspex_rate)};
    if (stopped == AT_ONCE) {
        write_all(stops_file, stops, sizeof stops);
        stopped = 0;
    }
}

uint32_t auspex_traced(void) { return traced_events; }

/* Tells in which nodes CPU time was spent since the event before. */
static void keep_regions(void)
{
    struct thread *t = auspex_self;
    enum { MOST = 255 };
    if (!t)
        return;
    if (stretched + 1 + MOST * 8 > sizeof stretches) {
        write_all(regions_file, stretches, stretched);
        stretched = 0;
    }
    size_t count = stretched++;
    unsigned char n = 0;
    for (struct place *p; (p = t->entered) && n < MOST; p->entered = 0, t->entered = p->next) {
        uint32_t i = p->index;
        if (i >= STRETCHED || p->node->cpu <= told[i])
            continue;
        float ns = (float)((double)(p->node->cpu - told[i]) / auspex_rate);
        told[i] = p->node->cpu;
        memcpy(stretches + stretched, &i, 4);
        memcpy(stretches + stretched + 4, &ns, 4);
        stretched += 8;
        n++;
    }
    stretches[count] = (char)n;
    for (uint32_t d = 0; d <= t->depth; d++)
        note_entry(t, t->stack[d].place);
}

static void keep_time(float ns)
{
    if (timed > 0 && timed % AT_ONCE == 0)
        write_all(times_file, times, sizeof times);
    times[timed++ % AT_ONCE] = ns;
    if (timed == TIMES)
        close_times();
}

static void put(const void *p, size_t n)
{
    const char *from = p;
    while (n > 0) {
        size_t part = sizeof buffer - filled < n ? sizeof buffer - filled : n;
        memcpy(buffer + filled, from, part);
        filled += part;
        from += part;
        n -= part;
        if (filled == sizeof buffer)
            flush();
    }
}

static int create(const char *path) { return auspex_keep(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)); }

void auspex_trace_open(void)
{
    const char *dir = getenv("AUSPEX_TRACE_DIR");
    char path[4096];
    if (!dir || auspex_tracing)
        return;
    if ((size_t)snprintf(path, sizeof path, "%s/%d.events", dir, auspex_header->rank) >= sizeof path)
        return;
    file = create(path);
    if (getenv("AUSPEX_TRACE_TIMES") && (size_t)snprintf(path, sizeof path, "%s/%d.times", dir, auspex_header->rank) < sizeof path)
        times_file = create(path);
    if (times_file >= 0 && getenv("AUSPEX_TRACE_REGIONS") && (size_t)snprintf(path, sizeof path, "%s/%d.stretches", dir, auspex_header->rank) < sizeof path)
        regions_file = create(path);
    if (regions_file >= 0 && auspex_self && auspex_self->schedstat >= 0 && (size_t)snprintf(path, sizeof path, "%s/%d.stops", dir, auspex_header->rank) < sizeof path)
        stops_file = create(path);
    items = malloc(KEPT * sizeof *items);
    loops = malloc(KEPT * sizeof *loops);
    key_mask = 1023;
    keys = calloc(key_mask + 1, sizeof *keys);
    auspex_tracing = file >= 0 && items && loops && keys;
    put("auspexT\n", 8);
}

/* ---- writing ---- */

static void emit(struct item *it)
{
    if (it->loop) {
        put("L", 1);
        put(&it->loop->count, 8);
        put(&it->loop->size, 4);
        for (uint32_t i = 0; i < it->loop->size; i++)
            emit(&it->loop->body[i]);
        free(it->loop->body);
        free(it->loop);
        return;
    }
    put("E", 1);
    put(&it->key, 8);
    put(&it->n, 8);
    put(&it->mean, 8);
    put(&it->m2, 8);
}

/* ---- the list of items ---- */

static uint32_t *slot_of(uint64_t key) { return &latest[key >> 40 & (SLOTS - 1)]; }

static void append(struct item it)
{
    uint32_t *slot = slot_of(it.key);
    it.prev = *slot;
    if (it.loop)
        loops[looped++] = used;
    items[used++] = it;
    *slot = used;
}

/* Drops the items from n on; each is the latest of its slot when its turn
 * comes. */
static void drop(uint32_t n)
{
    while (used > n) {
        struct item *it = &items[--used];
        *slot_of(it->key) = it->prev;
    }
    while (looped > 0 && loops[looped - 1] >= n)
        looped--;
}

/* Writes the first n items for good. */
static void settle(uint32_t n)
{
    uint32_t all = used;
    for (uint32_t i = 0; i < n; i++)
        emit(&items[i]);
    memset(latest, 0, sizeof latest);
    used = looped = 0;
    for (uint32_t i = n; i < all; i++)
        append(items[i]);
}

/* A program that reads input and was given none does something else than it
 * would: an empty file tells of it. */
static void tell_of_input(void)
{
    const char *dir = getenv("AUSPEX_TRACE_DIR");
    char path[4096];
    if ((auspex_asked || feof(stdin)) && dir && (size_t)snprintf(path, sizeof path, "%s/%d.stdin", dir, auspex_header->rank) < sizeof path)
        close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
}

void auspex_trace_close(void)
{
    if (!auspex_tracing)
        return;
    auspex_tracing = 0;
    tell_of_input();
    auspex_turns_close();
    settle(used);
    put("Z", 1);
    flush();
    auspex_let_go(file);
    if (times_file >= 0)
        close_times();
}

/* ---- folding ---- */

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static int same(const struct item *a, const struct item *b, uint32_t n)
{
    for (uint32_t i = n; i-- > 0;)
        if (a[i].key != b[i].key)
            return 0;
    return 1;
}

/* Joins the computation of two equal items, and lets go of the second. */
static void merge(struct item *a, struct item *b)
{
    if (a->loop) {
        for (uint32_t i = 0; i < a->loop->size; i++)
            merge(&a->loop->body[i], &b->loop->body[i]);
        free(b->loop->body);
        free(b->loop);
        return;
    }
    double n = (double)a->n, m = (double)b->n, d = b->mean - a->mean;
    a->n += b->n;
    a->mean += d * m / (n + m);
    a->m2 += b->m2 + d * d * n * m / (n + m);
}

static uint64_t name(const struct loop *l) { return mix(l->body_key, l->count) | 1; }

/* Folds the latest items into a loop before them. */
static int extend(void)
{
    for (uint32_t k = looped, tries = TRIES; k-- > 0 && tries-- > 0;) {
        struct item at = items[loops[k]], *next = &items[loops[k] + 1];
        uint32_t w = used - 1 - loops[k];
        if (at.loop->size != w || !same(at.loop->body, next, w))
            continue;
        for (uint32_t i = 0; i < w; i++)
            merge(&at.loop->body[i], &next[i]);
        at.loop->count++;
        at.key = name(at.loop);
        drop(loops[k]);
        append(at);
        return 1;
    }
    return 0;
}

/* Makes a loop of the latest items and equal ones before them. */
static int begin(void)
{
    uint64_t last = items[used - 1].key;
    uint32_t at = items[used - 1].prev;
    for (uint32_t tries = TRIES; at > 0 && tries-- > 0; at = items[at - 1].prev) {
        uint32_t w = used - at;
        if (w > WINDOW || 2 * w > used)
            return 0;
        struct item *second = &items[used - w], *first = second - w;
        if (second[-1].key != last || !same(first, second, w))
            continue;
        struct loop *l = malloc(sizeof *l);
        struct item *body = malloc(w * sizeof *body);
        if (!l || !body) {
            free(l);
            free(body);
            return 0;
        }
        memcpy(body, first, w * sizeof *body);
        *l = (struct loop){2, 0x51ed27, w, body};
        for (uint32_t i = 0; i < w; i++) {
            merge(&body[i], &second[i]);
            l->body_key = mix(l->body_key, body[i].key);
        }
        drop(used - 2 * w);
        append((struct item){name(l), l, 0, 0, 0, 0});
        return 1;
    }
    return 0;
}

/* Describes an event once. */
static void describe(uint64_t key, const struct event *e, const int64_t *lists)
{
    size_t i = key & key_mask;
    while (keys[i] && keys[i] != key)
        i = (i + 1) & key_mask;
    if (keys[i])
        return;
    keys[i] = key;
    uint32_t size = (uint32_t)(sizeof *e + (size_t)(e->sends + e->receives) * 8);
    put("D", 1);
    put(&key, 8);
    put(&size, 4);
    put(e, sizeof *e);
    put(lists, size - sizeof *e);
    if (2 * ++key_count < key_mask)
        return;
    uint64_t *wider = calloc(2 * (key_mask + 1), sizeof *wider);
    if (!wider)
        return;
    for (i = 0; i <= key_mask; i++)
        if (keys[i]) {
            size_t j = keys[i] & (2 * key_mask + 1);
            while (wider[j])
                j = (j + 1) & (2 * key_mask + 1);
            wider[j] = keys[i];
        }
    free(keys);
    keys = wider;
    key_mask = 2 * key_mask + 1;
}

/* Tells of the parallel regions in so many ticks of computation; returns how many are
 * left, which is what these took. */
uint64_t auspex_trace_teams(struct thread *t, uint64_t compute)
{
    uint64_t took = t->team_took < compute ? t->team_took : compute, all = t->team_worked;
    struct event e = {T_TEAM, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    t->team_took = t->team_worked = 0;
    if (t->forks > 0)
        t->forked = UINT64_MAX; /* what comes before the event cannot be told from what comes after it */
    if (took == 0 || auspex_turning)
        return compute;
    auspex_trace(&e, NULL, compute - took);
    e.tag = 1;
    auspex_trace(&e, NULL, all);
    return took;
}

/* Adds an event after so many ticks of computation. */
void auspex_trace(const struct event *e, const int64_t *lists, uint64_t compute)
{
    uint64_t key = 0x243f6a88;
    if (auspex_turning)
        auspex_turn_event(e, lists, compute);
    const int64_t *words = (const int64_t *)e;
    for (size_t i = 0; i < sizeof *e / 8; i++)
        key = mix(key, (uint64_t)words[i]);
    for (int64_t i = 0; i < e->sends + e->receives; i++)
        key = mix(key, (uint64_t)lists[i]);
    key |= 1; /* never 0 */
    describe(key, e, lists);
    if (used == KEPT)
        settle(KEPT / 2);
    double ns = (double)compute / auspex_rate;
    append((struct item){key, NULL, 1, ns, 0, 0});
    if (e->kind != T_TEAM) {
        if (regions_file >= 0)
            keep_regions();
        traced_events++;
    }
    if (times_file >= 0)
        keep_time((float)ns);
    while (extend() || begin())
        ;
}
