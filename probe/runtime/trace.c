/* The event trace of a rank, folded while it is recorded. An item is an event
 * with the computation before it, or a loop of items. Every new item is tried
 * as the end of one more turn of a loop right before it, and of the second turn
 * of a new one. Events are equal when what they do is; of the computation
 * before them a loop keeps count, mean and variance.
 *
 * The file: 'D' key(8) size(4) event, once for each distinct event, before the
 * first item that has its key; 'E' key(8) n(8) mean(8) m2(8) for an event, in
 * ns; 'L' count(8) items(4) for a loop, its items after it. */
#include "trace.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WINDOW = 256, KEPT = 1 << 18 };

struct item {
    uint64_t key;
    struct loop *loop;
    uint64_t n;
    double mean, m2;
};

struct loop { uint64_t count, body_key; uint32_t size; struct item *body; };

int auspex_tracing;
static int file = -1;
static struct item *items;
static uint32_t used;
static char buffer[1 << 16];
static size_t filled;
static uint64_t *keys; /* of events written */
static size_t key_mask, key_count;

static void flush(void)
{
    for (size_t at = 0; at < filled;) {
        long n = syscall(SYS_write, file, buffer + at, filled - at);
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    filled = 0;
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

void auspex_trace_open(void)
{
    const char *dir = getenv("AUSPEX_TRACE_DIR");
    char path[4096];
    if (!dir || auspex_tracing)
        return;
    if ((size_t)snprintf(path, sizeof path, "%s/%d.events", dir, auspex_header->rank) >= sizeof path)
        return;
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    items = malloc(KEPT * sizeof *items);
    key_mask = 1023;
    keys = calloc(key_mask + 1, sizeof *keys);
    auspex_tracing = file >= 0 && items && keys;
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

static void settle(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        emit(&items[i]);
    used -= n;
    memmove(items, items + n, used * sizeof *items);
}

void auspex_trace_close(void)
{
    if (!auspex_tracing)
        return;
    auspex_tracing = 0;
    settle(used);
    put("Z", 1);
    flush();
    close(file);
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

static void name(struct item *it) { it->key = mix(it->loop->body_key, it->loop->count) | 1; }

/* Folds the latest items into a loop before them. */
static int extend(void)
{
    for (uint32_t w = 1; w <= WINDOW && w < used; w++) {
        struct item *at = &items[used - 1 - w];
        if (!at->loop || at->loop->size != w || !same(at->loop->body, at + 1, w))
            continue;
        for (uint32_t i = 0; i < w; i++)
            merge(&at->loop->body[i], &at[1 + i]);
        at->loop->count++;
        name(at);
        used -= w;
        return 1;
    }
    return 0;
}

/* Makes a loop of the latest items and equal ones before them. */
static int begin(void)
{
    uint64_t last = items[used - 1].key;
    for (uint32_t w = 1; w <= WINDOW && 2 * w <= used; w++) {
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
        *first = (struct item){0, l, 0, 0, 0};
        name(first);
        used -= 2 * w - 1;
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

/* Adds an event after so many ticks of computation. */
void auspex_trace(const struct event *e, const int64_t *lists, uint64_t compute)
{
    uint64_t key = 0x243f6a88;
    const int64_t *words = (const int64_t *)e;
    for (size_t i = 0; i < sizeof *e / 8; i++)
        key = mix(key, (uint64_t)words[i]);
    for (int64_t i = 0; i < e->sends + e->receives; i++)
        key = mix(key, (uint64_t)lists[i]);
    key |= 1; /* never 0 */
    describe(key, e, lists);
    if (used == KEPT)
        settle(KEPT / 2);
    items[used++] = (struct item){key, NULL, 1, (double)compute / auspex_rate, 0};
    while (extend() || begin())
        ;
}
