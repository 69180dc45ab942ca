/* The callers of MPI calls, found exactly. Walking the stack takes a good part of a
 * microsecond; most calls come from where one came from before, and for these it is
 * enough to see that the words of the stack which the walk went by are the same. */
#include "stacks.h"
#include <pthread.h>
#include <string.h>

struct call_site { uintptr_t pc; uint32_t region; };
static struct call_site call_sites[8192];
static pthread_mutex_t call_lock = PTHREAD_MUTEX_INITIALIZER;

/* The region of an address. It has one label and kind wherever it comes from: code
 * that calls is not where a parallel region begins. */
uint32_t auspex_region_at(const char *label, int kind, uintptr_t pc)
{
    uint32_t i = (uint32_t)((pc * 0x9e3779b97f4a7c15u) >> 51), n;
    for (n = 0; n < 8192; n++, i = (i + 1) % 8192) {
        uintptr_t have = __atomic_load_n(&call_sites[i].pc, __ATOMIC_ACQUIRE);
        if (have == pc)
            return call_sites[i].region;
        if (!have)
            break;
    }
    uint32_t region = auspex_site(label, kind, (const void *)pc);
    pthread_mutex_lock(&call_lock);
    for (; n < 8192 && call_sites[i].pc; n++)
        i = (i + 1) % 8192;
    if (n < 8000) {
        call_sites[i].region = region;
        __atomic_store_n(&call_sites[i].pc, pc, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&call_lock);
    return region;
}

/* Walks up to the frame that the innermost region was entered in. Frames of MPI
 * libraries and of the runtime itself lie before from. The trail begins where the
 * runtime was called. */
static __attribute__((noinline)) uint32_t walk_callers(struct thread *t, const void *from, const void *address, uintptr_t entered, uintptr_t *pc, struct trail *trail)
{
    uint32_t n = 0, skipped = 0;
    struct cursor c;
    memset(&c, 0, sizeof c);
    CURSOR_HERE(&c);
    c.exact = 1;
    c.shortcuts = t->walker->shortcuts;
    c.high = t->walker->high;
    c.low = c.reg[STACK_POINTER] - 128;
    c.trail = trail;
    for (;;) {
        trail->begun |= c.pc == (uintptr_t)address;
        if (c.pc == (uintptr_t)from)
            break;
        if (auspex_step(&c) != STEPPED || ++skipped > 16)
            return 0;
    }
    struct python *python = auspex_python_begin(t);
    enum step s = STEPPED;
    while (n < FRAMES && s == STEPPED) {
        uintptr_t here = c.pc, low = c.low;
        s = auspex_step(&c);
        if (s == STEPPED && c.frame > entered)
            break;
        pc[n++] = here;
        if (python && s == STEPPED && auspex_python_here(python, here, low, c.frame))
            n = auspex_python_functions(t, pc, n);
    }
    if (python)
        auspex_python_end(python);
    return n;
}

static uint32_t region_of(struct thread *t, uintptr_t pc)
{
    return pc < PYTHON_BIT ? auspex_region_at("", FRAME, pc) : auspex_python_region(t, pc);
}

static __attribute__((noinline)) struct place *find_callers(struct thread *t, const struct call *c, struct known_call *k)
{
    struct trail trail = {.base = (uintptr_t)c->by.frame, .untold = !c->by.what};
    uintptr_t pc[FRAMES];
    uint32_t n = walk_callers(t, c->from, c->by.address, c->entered, pc, &trail);
    struct place *at = t->top;
    for (uint32_t i = n; at && i-- > 0;) {
        struct place *next = pc[i] == NAMELESS ? NULL : auspex_way(t, at, region_of(t, pc[i]));
        at = next ? next : at;
    }
    if (!trail.begun || trail.untold || n == FRAMES)
        return at;
    k->call = *c;
    k->to = at;
    k->checks = trail.checks;
    memcpy(k->check, trail.check, trail.checks * sizeof trail.check[0]);
    return at;
}

static inline int same_call(const struct call *a, const struct call *b)
{
    return a->by.address == b->by.address && a->by.frame == b->by.frame && a->by.what == b->by.what && a->from == b->from
        && a->entered == b->entered && a->top == b->top && a->life == b->life && a->python == b->python;
}

static inline int same_stack(const struct known_call *k)
{
    uint32_t i = 0;
    while (i < k->checks && *(const uintptr_t *)k->check[i].at == k->check[i].value)
        i++;
    return i == k->checks;
}

/* The place of whoever calls MPI, from being the return address; by tells how the
 * runtime was called, where that is known. Where a program has functions of its own
 * that call MPI, calls differ further up only: a few such are kept together. */
struct place *auspex_callers(struct thread *t, const void *from, const struct called *by)
{
    struct walker *w = t->walker;
    if (unlikely(!w))
        return t->top;
    struct call c = {by ? *by : (struct called){0}, from, t->depth > 0 ? t->stack[t->depth].frame : UINTPTR_MAX, t->top, w->life, auspex_python_stamp(t)};
    uint64_t mixed = ((uintptr_t)c.by.address ^ (uintptr_t)from << 8 ^ (uintptr_t)c.by.frame << 16 ^ (uintptr_t)c.top >> 4) * 0x9e3779b97f4a7c15u;
    uint32_t first = (uint32_t)(mixed >> 58) * ALIKE, tag = (uint32_t)(mixed >> 26) | 1;
    if (likely(by != NULL))
        for (uint32_t i = first; i < first + ALIKE; i++)
            if (w->tags[i] == tag && same_call(&w->calls[i].call, &c) && likely(same_stack(&w->calls[i])))
                return w->calls[i].to;
    first += w->replaced++ % ALIKE;
    w->tags[first] = tag;
    return find_callers(t, &c, &w->calls[first]);
}
