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
/* What compilers see is what a call does by its type, and that is nothing: hence what
 * it sets is volatile. */
union auspex_way {
    int (*is)(struct auspex_region *);
    int (*auspex_call)(struct auspex_region *) AUSPEX_NOTHROW AUSPEX_UNSEEN;
    void *found;
};
union auspex_way_counted {
    int (*is)(struct auspex_region *, unsigned long);
    int (*auspex_call)(struct auspex_region *, unsigned long) AUSPEX_NOTHROW AUSPEX_UNSEEN;
    void *found;
};
extern volatile union auspex_way auspex_to_enter AUSPEX_STUB_WEAK, auspex_to_leave AUSPEX_STUB_WEAK;
extern volatile union auspex_way_counted auspex_to_iterations AUSPEX_STUB_WEAK;
static int auspex_no_region(struct auspex_region *r) { return r->off = 1; }
static int auspex_not_yet(struct auspex_region *r) { return !r; }
static int auspex_no_count(struct auspex_region *r, unsigned long n) { return !r && !n; }
static int auspex_find_enter(struct auspex_region *r)
{
    union auspex_way e, l;
    union auspex_way_counted i;
    /* What is called meanwhile may be instrumented too: a malloc of the program's own. */
    auspex_to_enter.is = auspex_not_yet;
    auspex_to_leave.is = auspex_not_yet;
    e.found = auspex_dlsym ? auspex_dlsym((void *)0, "auspex_region_enter") : (void *)0;
    l.found = e.found ? auspex_dlsym((void *)0, "auspex_region_leave") : (void *)0;
    i.found = e.found ? auspex_dlsym((void *)0, "auspex_region_iterations") : (void *)0;
    auspex_to_leave.is = l.found ? l.is : auspex_no_region;
    auspex_to_iterations.is = i.found ? i.is : auspex_no_count;
    auspex_to_enter.is = e.found ? e.is : auspex_no_region;
    return auspex_to_enter.is(r);
}
volatile union auspex_way auspex_to_enter = {auspex_find_enter}, auspex_to_leave = {auspex_no_region};
volatile union auspex_way_counted auspex_to_iterations = {auspex_no_count};
#define auspex_enter(r) auspex_to_enter.auspex_call(r)
#define auspex_leave(r) auspex_to_leave.auspex_call(r)
#define auspex_iterations(r, n) auspex_to_iterations.auspex_call(r, n)
#ifdef __cplusplus
}
#endif
#endif
