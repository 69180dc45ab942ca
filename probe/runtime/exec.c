/* A process that goes on as another program ends here as far as it is measured: it
 * was not killed. */
#include "probe.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#define NEXT(name) do { if (unlikely(!real)) *(void **)&real = dlsym(RTLD_NEXT, #name); } while (0)

/* Where it could not be replaced it goes on. */
static int came_back(int measured, int result)
{
    int error = errno;
    if (measured)
        auspex_survived();
    errno = error;
    return result;
}

#define REPLACES(name, parameters, arguments)                    \
    EXPORT int name parameters                                   \
    {                                                            \
        static int (*real) parameters;                           \
        NEXT(name);                                              \
        int measured = auspex_replaced();                        \
        return came_back(measured, real arguments);              \
    }

REPLACES(execve, (const char *path, char *const argv[], char *const envp[]), (path, argv, envp))
REPLACES(execv, (const char *path, char *const argv[]), (path, argv))
REPLACES(execvp, (const char *file, char *const argv[]), (file, argv))
REPLACES(execvpe, (const char *file, char *const argv[], char *const envp[]), (file, argv, envp))
REPLACES(fexecve, (int fd, char *const argv[], char *const envp[]), (fd, argv, envp))

/* The words of a list that ends with NULL as an array on the stack of the caller. */
#define WORDS(first)                                             \
    size_t n = 1;                                                \
    va_list list;                                                \
    va_start(list, first);                                       \
    while (va_arg(list, char *))                                 \
        n++;                                                     \
    va_end(list);                                                \
    char *argv[n + 1];                                           \
    argv[0] = (char *)first;                                     \
    va_start(list, first);                                       \
    for (size_t i = 1; i <= n; i++)                              \
        argv[i] = va_arg(list, char *);

EXPORT int execl(const char *path, const char *first, ...)
{
    WORDS(first)
    va_end(list);
    return execv(path, argv);
}

EXPORT int execlp(const char *file, const char *first, ...)
{
    WORDS(first)
    va_end(list);
    return execvp(file, argv);
}

EXPORT int execle(const char *path, const char *first, ...)
{
    WORDS(first)
    char *const *envp = va_arg(list, char *const *);
    va_end(list);
    return execve(path, argv, envp);
}
