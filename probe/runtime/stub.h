/* What instrumented programs carry, after the declarations of package
 * instrument: each call goes to the runtime where it is preloaded and to
 * nothing where it is not. */
#ifndef AUSPEX_STUB
#define AUSPEX_STUB 1
#ifdef __cplusplus
extern "C" {
#endif
#define AUSPEX_STUB_WEAK __attribute__((weak, visibility("hidden")))
extern void *auspex_dlsym(void *, const char *) __asm__("dlsym") __attribute__((weak));
extern void (*auspex_to_enter)(struct auspex_region *) AUSPEX_STUB_WEAK;
extern void (*auspex_to_leave)(struct auspex_region *) AUSPEX_STUB_WEAK;
extern void (*auspex_to_iterations)(struct auspex_region *, unsigned long) AUSPEX_STUB_WEAK;
static void auspex_no_region(struct auspex_region *r) { r->off = 1; }
static void auspex_not_yet(struct auspex_region *r) { (void)r; }
static void auspex_no_count(struct auspex_region *r, unsigned long n) { (void)r; (void)n; }
static void auspex_find_enter(struct auspex_region *r)
{
    union { void *p; void (*f)(struct auspex_region *); } e, l;
    union { void *p; void (*f)(struct auspex_region *, unsigned long); } i;
    /* What is called meanwhile may be instrumented too: a malloc of the program's own. */
    auspex_to_enter = auspex_to_leave = auspex_not_yet;
    e.p = auspex_dlsym ? auspex_dlsym((void *)0, "auspex_region_enter") : (void *)0;
    l.p = e.p ? auspex_dlsym((void *)0, "auspex_region_leave") : (void *)0;
    i.p = e.p ? auspex_dlsym((void *)0, "auspex_region_iterations") : (void *)0;
    auspex_to_leave = l.p ? l.f : auspex_no_region;
    auspex_to_iterations = i.p ? i.f : auspex_no_count;
    auspex_to_enter = e.p ? e.f : auspex_no_region;
    auspex_to_enter(r);
}
void (*auspex_to_enter)(struct auspex_region *) = auspex_find_enter;
void (*auspex_to_leave)(struct auspex_region *) = auspex_no_region;
void (*auspex_to_iterations)(struct auspex_region *, unsigned long) = auspex_no_count;
#define auspex_enter(r) auspex_to_enter(r)
#define auspex_leave(r) auspex_to_leave(r)
#define auspex_iterations(r, n) auspex_to_iterations(r, n)
#ifdef __cplusplus
}
#endif
#endif
