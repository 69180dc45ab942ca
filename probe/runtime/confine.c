/* A program may forbid itself system calls, and the kernel then ends it at the first
 * of the runtime's. So measuring ends before that, where it can be seen: in prctl and
 * in libseccomp, not in a system call that the program makes itself. */
#include "probe.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/prctl.h>
#ifdef __linux__
#include <linux/seccomp.h>

#define NEXT(name) do { if (unlikely(!real)) *(void **)&real = dlsym(RTLD_NEXT, #name); } while (0)

EXPORT int prctl(int what, ...)
{
    static int (*real)(int, unsigned long, unsigned long, unsigned long, unsigned long);
    unsigned long a[4];
    va_list list;
    va_start(list, what);
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(list, unsigned long);
    va_end(list);
    NEXT(prctl);
    if (what == PR_SET_SECCOMP && (a[0] == SECCOMP_MODE_STRICT || a[1])) /* without a filter it only asks whether there are any */
        auspex_confined();
    return real(what, a[0], a[1], a[2], a[3]);
}

EXPORT int seccomp_load(void *filter);
int seccomp_load(void *filter)
{
    static int (*real)(void *);
    NEXT(seccomp_load);
    if (!real)
        return -ENOSYS;
    auspex_confined();
    return real(filter);
}
#endif
