/* What programs with loops cut short carry, after the declarations of package
 * instrument: the runtime is asked where it is preloaded, and every turn passes
 * where it is not. */
#ifndef AUSPEX_TURNS_STUB
#define AUSPEX_TURNS_STUB 1
#ifdef __cplusplus
extern "C" {
#endif
extern void *auspex_turns_dlsym(void *, const char *) __asm__("dlsym") __attribute__((weak));
#ifdef __cplusplus
}
#endif
static struct { void (*begin)(struct auspex_turns *); int (*check)(struct auspex_turns *); void (*end)(struct auspex_turns *), (*last)(struct auspex_turns *); long (*chunk)(struct auspex_turns *, long); int sought; } auspex_turns_to;
static __attribute__((unused, noinline)) void auspex_turns_find(void)
{
    union { void *p; void (*begin)(struct auspex_turns *); int (*check)(struct auspex_turns *); long (*chunk)(struct auspex_turns *, long); } b, c, e, l, m;
    auspex_turns_to.sought = 1;
    if (!auspex_turns_dlsym)
        return;
    b.p = auspex_turns_dlsym((void *)0, "auspex_probe_turns_begin");
    c.p = auspex_turns_dlsym((void *)0, "auspex_probe_turns_check");
    e.p = auspex_turns_dlsym((void *)0, "auspex_probe_turns_end");
    l.p = auspex_turns_dlsym((void *)0, "auspex_probe_turns_last");
    m.p = auspex_turns_dlsym((void *)0, "auspex_probe_turns_chunk");
    if (!b.p || !c.p || !e.p || !l.p || !m.p)
        return;
    auspex_turns_to.begin = b.begin;
    auspex_turns_to.check = c.check;
    auspex_turns_to.end = e.begin;
    auspex_turns_to.last = l.begin;
    auspex_turns_to.chunk = m.chunk;
}
static __attribute__((unused)) void auspex_turns_begin(struct auspex_turns *t, struct auspex_loop *l)
{
    t->loop = l;
    t->left = __LONG_MAX__;
    t->rest = t->total = 0;
    t->skip = t->watched = 0;
    if (!auspex_turns_to.sought)
        auspex_turns_find();
    if (auspex_turns_to.begin)
        auspex_turns_to.begin(t);
}
static __attribute__((unused)) int auspex_turns_check(struct auspex_turns *t) { return t->watched && auspex_turns_to.check(t); }
static __attribute__((unused)) int auspex_turns_last(struct auspex_turns *t)
{
    if (t->watched)
        auspex_turns_to.last(t);
    return 0;
}
static __attribute__((unused)) long auspex_turns_chunk(struct auspex_turns *t, long left) { return t->watched ? auspex_turns_to.chunk(t, left) : left; }
static __attribute__((unused)) void auspex_turns_end(struct auspex_turns *t)
{
    if (t->watched)
        auspex_turns_to.end(t);
}
#endif
