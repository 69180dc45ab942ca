/* What the inserted text reaches: see stub.h. That something is returned is all that
 * it wants of it. */
#include "probe.h"
#include <string.h>

EXPORT int auspex_region_enter(struct auspex_region *r);
EXPORT int auspex_region_leave(struct auspex_region *r);
EXPORT int auspex_region_iterations(struct auspex_region *r, unsigned long n);

static __attribute__((noinline)) void enter_slowly(struct auspex_region *r, uintptr_t frame)
{
    struct thread *t = self();
    if (!t)
        return;
    uint32_t id = (uint32_t)__atomic_load_n(&r->id, __ATOMIC_RELAXED);
    if (id == UINT32_MAX)
        id = auspex_intern(r);
    charge(t, ticks());
    enter(t, id, frame);
    if (unlikely(--t->until == 0) && auspex_budget(t, id, r->name, strlen(r->name), r->line))
        __atomic_store_n(&r->off, 1, __ATOMIC_RELAXED);
}

int auspex_region_enter(struct auspex_region *r)
{
    struct thread *t = auspex_self;
    if (unlikely(!t || !quick_enter(t, (uint32_t)__atomic_load_n(&r->id, __ATOMIC_RELAXED), ENTERED)))
        enter_slowly(r, ENTERED);
    return 0;
}

static __attribute__((noinline)) void leave_slowly(struct thread *t, uint32_t id)
{
    charge(t, ticks());
    if (t->top->region == id)
        leave(t);
    else
        auspex_unwind(t, id);
}

int auspex_region_leave(struct auspex_region *r)
{
    struct thread *t = auspex_self;
    if (likely(t != NULL) && unlikely(!quick_leave(t, (uint32_t)r->id)))
        leave_slowly(t, (uint32_t)r->id);
    return 0;
}

int auspex_region_iterations(struct auspex_region *r, unsigned long n)
{
    struct thread *t = auspex_self;
    if (likely(t != NULL) && likely(t->top->region == (uint32_t)r->id))
        t->top->node->iterations += n;
    return 0;
}

/* ---- Fortran: a region is its text, `name|file|line|kind` ---- */

static struct spec *specs[4096];

/* The text's address nearly always tells which it is; equal texts at other
 * addresses are the same region through intern. */
static struct spec *spec_of(const char *text, size_t size)
{
    struct spec **slot = &specs[((uintptr_t)text >> 3 ^ (uintptr_t)text >> 15) % 4096];
    struct spec *s = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    for (; s; s = s->next)
        if (likely(s->text == text && s->size == size))
            return s;
    return auspex_spec(text, size, slot);
}

EXPORT void auspex_probe_f_enter(const char *text, size_t size);
EXPORT void auspex_probe_f_leave(const char *text, size_t size);
EXPORT void auspex_probe_f_iterations(const char *text, const long long *n, size_t size);

void auspex_probe_f_enter(const char *text, size_t size)
{
    struct thread *t = self();
    if (unlikely(!t))
        return;
    struct spec *s = spec_of(text, size);
    if (unlikely(!s || s->off))
        return;
    if (unlikely(!quick_enter(t, s->region, ENTERED))) {
        charge(t, ticks());
        enter(t, s->region, ENTERED);
        if (unlikely(--t->until == 0) && auspex_budget(t, s->region, text, size, 0))
            s->off = 1;
    }
}

void auspex_probe_f_leave(const char *text, size_t size)
{
    struct thread *t = auspex_self;
    if (unlikely(!t))
        return;
    struct spec *s = spec_of(text, size);
    if (unlikely(!s || (s->off && t->top->region != s->region)))
        return; /* entered while it was off */
    if (unlikely(!quick_leave(t, s->region)))
        leave_slowly(t, s->region);
}

void auspex_probe_f_iterations(const char *text, const long long *n, size_t size)
{
    struct thread *t = auspex_self;
    struct spec *s = t ? spec_of(text, size) : NULL;
    if (s && *n > 0 && likely(t->top->region == s->region))
        t->top->node->iterations += (uint64_t)*n;
}

/* ---- regions annotated by hand ---- */

EXPORT void auspex_probe_begin(const char *name, size_t size, const char *file, int line);
EXPORT void auspex_probe_end(void);

void auspex_probe_begin(const char *name, size_t size, const char *file, int line)
{
    struct thread *t = self();
    if (!t)
        return;
    uint32_t id = auspex_named(name, size, file, line);
    charge(t, ticks());
    enter(t, id, ENTERED);
}

/* Leaves the innermost region that was begun by hand, and what was left open
 * inside it. */
void auspex_probe_end(void)
{
    struct thread *t = auspex_self;
    if (!t)
        return;
    charge(t, ticks());
    uint32_t depth = t->depth;
    while (depth > 0 && !auspex_is_named(t->stack[depth].place->region))
        depth--;
    if (depth > 0) {
        t->depth = depth;
        leave(t);
    }
}
