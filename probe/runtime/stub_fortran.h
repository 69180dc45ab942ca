/* The same for Fortran, in one object of its own. */
typedef void (*auspex_spec)(const char *, __SIZE_TYPE__);
typedef void (*auspex_spec_count)(const char *, const long long *, __SIZE_TYPE__);
static void auspex_no_spec(const char *s, __SIZE_TYPE__ n) { (void)s; (void)n; }
static void auspex_no_spec_count(const char *s, const long long *c, __SIZE_TYPE__ n) { (void)s; (void)c; (void)n; }
static void auspex_find_f_enter(const char *s, __SIZE_TYPE__ n);
static auspex_spec auspex_to_f_enter = auspex_find_f_enter, auspex_to_f_leave = auspex_no_spec;
static auspex_spec_count auspex_to_f_iterations = auspex_no_spec_count;
static void auspex_find_f_enter(const char *s, __SIZE_TYPE__ n)
{
    union { void *p; auspex_spec f; } e, l;
    union { void *p; auspex_spec_count f; } i;
    e.p = auspex_dlsym ? auspex_dlsym((void *)0, "auspex_probe_f_enter") : (void *)0;
    l.p = e.p ? auspex_dlsym((void *)0, "auspex_probe_f_leave") : (void *)0;
    i.p = e.p ? auspex_dlsym((void *)0, "auspex_probe_f_iterations") : (void *)0;
    auspex_to_f_leave = l.p ? l.f : auspex_no_spec;
    auspex_to_f_iterations = i.p ? i.f : auspex_no_spec_count;
    auspex_to_f_enter = e.p ? e.f : auspex_no_spec;
    auspex_to_f_enter(s, n);
}
void auspex_f_enter_(const char *s, __SIZE_TYPE__ n);
void auspex_f_leave_(const char *s, __SIZE_TYPE__ n);
void auspex_f_iterations_(const char *s, const long long *c, __SIZE_TYPE__ n);
__attribute__((weak, visibility("hidden"))) void auspex_f_enter_(const char *s, __SIZE_TYPE__ n) { auspex_to_f_enter(s, n); }
__attribute__((weak, visibility("hidden"))) void auspex_f_leave_(const char *s, __SIZE_TYPE__ n) { auspex_to_f_leave(s, n); }
__attribute__((weak, visibility("hidden"))) void auspex_f_iterations_(const char *s, const long long *c, __SIZE_TYPE__ n) { auspex_to_f_iterations(s, c, n); }
typedef void (*auspex_begins)(const char *, __SIZE_TYPE__, const char *, int);
typedef void (*auspex_ends)(void);
void auspex_f_begin_(const char *s, __SIZE_TYPE__ n);
void auspex_f_end_(void);
__attribute__((weak, visibility("hidden"))) void auspex_f_begin_(const char *s, __SIZE_TYPE__ n)
{
    union { void *p; auspex_begins f; } to;
    to.p = auspex_dlsym ? auspex_dlsym((void *)0, "auspex_probe_begin") : (void *)0;
    if (to.p)
        to.f(s, n, "", 0);
}
__attribute__((weak, visibility("hidden"))) void auspex_f_end_(void)
{
    union { void *p; auspex_ends f; } to;
    to.p = auspex_dlsym ? auspex_dlsym((void *)0, "auspex_probe_end") : (void *)0;
    if (to.p)
        to.f();
}
/* Compilers add an underscore to names, or none, or two where there is one already
 * (-fno-underscoring, -fsecond-underscore, -ff2c). */
#define AUSPEX_SPELT(name) \
    extern __typeof__(name##_) name __attribute__((weak, visibility("hidden"), alias(#name "_"))); \
    extern __typeof__(name##_) name##__ __attribute__((weak, visibility("hidden"), alias(#name "_")));
AUSPEX_SPELT(auspex_f_enter)
AUSPEX_SPELT(auspex_f_leave)
AUSPEX_SPELT(auspex_f_iterations)
AUSPEX_SPELT(auspex_f_begin)
AUSPEX_SPELT(auspex_f_end)
