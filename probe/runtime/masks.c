/* Blocked signals: programs block all there are, as a thread does that leaves them to
 * another, and wait for any of them. The signal that samples come by is left out of
 * such sets, so that it keeps coming and the program never sees it; what the program
 * asks for is what it has set. A set that names this signal and not its neighbours
 * means it: there it stays. */
#include "stacks.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>

/* Whether the thread takes the signal to be blocked. */
static __thread int blocked __attribute__((tls_model("initial-exec")));

#define NEXT(name) do { if (unlikely(!real)) *(void **)&real = dlsym(RTLD_NEXT, #name); } while (0)

static int of_all(const sigset_t *set)
{
    int sample = auspex_sample_signal();
    return auspex_sampling && set && sigismember(set, sample) == 1 && sigismember(set, sample - 1) == 1 && sigismember(set, sample + 1) == 1;
}

/* The set without the signal; to is memory for it. */
static const sigset_t *less(const sigset_t *set, sigset_t *to)
{
    if (!of_all(set))
        return set;
    *to = *set;
    sigdelset(to, auspex_sample_signal());
    return to;
}

static int real_mask(int how, const sigset_t *set, sigset_t *old)
{
    static int (*real)(int, const sigset_t *, sigset_t *);
    NEXT(pthread_sigmask);
    return real(how, set, old);
}

static int only(int how, sigset_t *old)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, auspex_sample_signal());
    return real_mask(how, &one, old);
}

/* Lets samples come to the calling thread, which may have been made or started with
 * all signals blocked. */
void auspex_masks_thread(void)
{
    sigset_t old;
    if (only(SIG_UNBLOCK, &old) == 0 && sigismember(&old, auspex_sample_signal()) == 1)
        blocked = 1;
}

static int set_mask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t room;
    const sigset_t *given = less(set, &room);
    int all = given != set, named = set && sigismember(set, auspex_sample_signal()) == 1, was = blocked;
    int error = real_mask(how, given, old);
    if (error || !auspex_sampling)
        return error;
    if (set && how == SIG_SETMASK)
        blocked = all;
    else if (set && how == SIG_BLOCK)
        blocked |= all;
    else if (set && how == SIG_UNBLOCK && named)
        blocked = 0;
    if (named && !all && how != SIG_UNBLOCK && auspex_self)
        auspex_stacks_thread_end(auspex_self); /* it waits for the signal itself: samples would be taken for that */
    if (old && was)
        sigaddset(old, auspex_sample_signal());
    return 0;
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t copy; /* old may be the same memory */
    if (set)
        copy = *set;
    return set_mask(how, set ? &copy : NULL, old);
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    static int (*real)(int, const sigset_t *, sigset_t *);
    NEXT(sigprocmask);
    if (!auspex_sampling)
        return real(how, set, old);
    int error = pthread_sigmask(how, set, old);
    if (error)
        errno = error;
    return error ? -1 : 0;
}

EXPORT int sigpending(sigset_t *set)
{
    static int (*real)(sigset_t *);
    NEXT(sigpending);
    int result = real(set);
    if (result == 0 && auspex_sampling && blocked)
        sigdelset(set, auspex_sample_signal());
    return result;
}

/* A sample does not end a wait for other signals. */
#define WAITS(result, name, parameters, arguments)      \
    EXPORT result name parameters                       \
    {                                                   \
        static result (*real) parameters;               \
        NEXT(name);                                     \
        sigset_t room, old;                             \
        const sigset_t *given = less(set, &room);       \
        if (given == set)                               \
            return real arguments;                      \
        set = given;                                    \
        only(SIG_BLOCK, &old);                          \
        result r = real arguments;                      \
        int error = errno;                              \
        real_mask(SIG_SETMASK, &old, NULL);             \
        errno = error;                                  \
        return r;                                       \
    }

WAITS(int, sigwait, (const sigset_t *set, int *sig), (set, sig))
WAITS(int, sigwaitinfo, (const sigset_t *set, siginfo_t *info), (set, info))
WAITS(int, sigtimedwait, (const sigset_t *set, siginfo_t *info, const struct timespec *most), (set, info, most))

EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
    static int (*real)(int, const sigset_t *, int);
    NEXT(signalfd);
    sigset_t room;
    return real(fd, less(set, &room), flags);
}
