/* Calls in which a thread waits for a time to pass, or for another thread: they take no
 * CPU time, so the trace is told of them, and where they are long they are a region below
 * their callers, as no sample shows these. Inside MPI calls they are MPI's own. */
#include "stacks.h"
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

/* What no sample shows is so called where nobody knows who called for it, too. */
static struct auspex_region blocked = {"<blocked>", "", 0, PAUSE, -1, 0};

/* The C library's function. Conditions once had another layout, and who asks for no
 * version may be given the functions for that one. */
static void *next(const char *name)
{
#if defined(__GLIBC__) && defined(__x86_64__)
    if (strcmp(name, "pthread_cond_wait") == 0 || strcmp(name, "pthread_cond_timedwait") == 0)
        return dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
#endif
    return dlsym(RTLD_NEXT, name);
}

/* A thread has waited in a call that it came to at begun, for so many ticks. */
static void waited(struct thread *t, uint64_t begun, uint64_t took, int naps, const struct called *by)
{
    t->away += took;
    if (naps && took < auspex_nap)
        t->naps += took;
    if (took >= auspex_long && auspex_measures_itself()) {
        int error = errno;
        auspex_waited(t, &blocked, begun, ticks(), by);
        errno = error;
    }
}

#define HERE {__builtin_return_address(0), __builtin_frame_address(0), &blocked}
#define WAITS(result, name, applies, naps, parameters, arguments) WAITS_IN(result, name, #name, applies, naps, parameters, arguments)
#define WAITS_IN(result, name, symbol, applies, naps, parameters, arguments) \
    EXPORT result name parameters;                       \
    result name parameters                               \
    {                                                    \
        static result (*real) parameters;                \
        if (unlikely(!real))                             \
            *(void **)&real = next(symbol);              \
        struct thread *t = auspex_self;                  \
        if (!t || t->quiet || !(applies))                \
            return real arguments;                       \
        uint64_t begun = auspex_wants(t), since = ticks(); \
        result n = real arguments;                       \
        struct called by = HERE;                         \
        waited(t, begun, ticks() - since, naps, &by);    \
        return n;                                        \
    }

WAITS(int, nanosleep, 1, 1, (const struct timespec *want, struct timespec *left), (want, left))
WAITS(int, clock_nanosleep, 1, 1, (clockid_t clock, int flags, const struct timespec *want, struct timespec *left), (clock, flags, want, left))
WAITS(int, usleep, 1, 1, (useconds_t us), (us))
WAITS(unsigned, sleep, 1, 1, (unsigned s), (s))
/* Without descriptors these are ways to sleep. */
WAITS(int, poll, n_ == 0, 1, (struct pollfd *p, nfds_t n_, int ms), (p, n_, ms))
WAITS(int, select, n_ == 0, 1, (int n_, fd_set *r, fd_set *w, fd_set *e, struct timeval *tv), (n_, r, w, e, tv))
/* Threads of the program's own compute meanwhile. */
WAITS(int, pthread_join, 1, 0, (pthread_t other, void **value), (other, value))
/* An interpreter of Python has its threads take turns by these, see locks.c. */
#define NATIVE (auspex_header->python_state == NO_PYTHON)
WAITS(int, pthread_cond_wait, NATIVE, 0, (pthread_cond_t *c, pthread_mutex_t *m), (c, m))
WAITS(int, pthread_cond_timedwait, NATIVE, 0, (pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until), (c, m, until))
WAITS(int, pthread_cond_clockwait, NATIVE, 0, (pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *until), (c, m, clock, until))
WAITS(int, sem_wait, NATIVE, 0, (sem_t *s), (s))
WAITS(int, sem_timedwait, NATIVE, 0, (sem_t *s, const struct timespec *until), (s, until))
WAITS(int, sem_clockwait, NATIVE, 0, (sem_t *s, clockid_t clock, const struct timespec *until), (s, clock, until))
/* What std::future waits in: std::__atomic_futex_unsigned_base::_M_futex_wait_until, and
 * that for a steady clock. A duration is passed as the number that it is. */
#define DURATIONS "EPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE"
#define OF_FUTURES "_ZNSt28__atomic_futex_unsigned_base"
_Bool future_wait(void *self, unsigned *at, unsigned value, _Bool timed, long s, long ns) __asm__(OF_FUTURES "19_M_futex_wait_until" DURATIONS);
_Bool future_wait_steady(void *self, unsigned *at, unsigned value, _Bool timed, long s, long ns) __asm__(OF_FUTURES "26_M_futex_wait_until_steady" DURATIONS);
WAITS_IN(_Bool, future_wait, OF_FUTURES "19_M_futex_wait_until" DURATIONS, NATIVE, 0,
    (void *self, unsigned *at, unsigned value, _Bool timed, long s, long ns), (self, at, value, timed, s, ns))
WAITS_IN(_Bool, future_wait_steady, OF_FUTURES "26_M_futex_wait_until_steady" DURATIONS, NATIVE, 0,
    (void *self, unsigned *at, unsigned value, _Bool timed, long s, long ns), (self, at, value, timed, s, ns))
/* The kernel's, for calls made before the C library's function is known: an allocator
 * may make them while it is looked for. */
static long kernel(long number, const long a[6])
{
#if defined(__x86_64__)
    register long r10 __asm__("r10") = a[3], r8 __asm__("r8") = a[4], r9 __asm__("r9") = a[5];
    long n;
    __asm__ volatile("syscall" : "=a"(n) : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number, n __asm__("x0") = a[0];
    register long x1 __asm__("x1") = a[1], x2 __asm__("x2") = a[2], x3 __asm__("x3") = a[3], x4 __asm__("x4") = a[4], x5 __asm__("x5") = a[5];
    __asm__ volatile("svc 0" : "+r"(n) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
#else
    static long (*late)(long, ...);
    if (!late)
        *(void **)&late = next("syscall");
    return late(number, a[0], a[1], a[2], a[3], a[4], a[5]);
#endif
    if (n < 0 && n > -4096) {
        errno = (int)-n;
        return -1;
    }
    return n;
}

static long (*real_syscall)(long, ...);
__attribute__((constructor(101))) static void find_syscall(void)
{
    *(void **)&real_syscall = next("syscall");
}

static long handed_on(long number, const long a[6])
{
    return likely(real_syscall) ? real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]) : kernel(number, a);
}

/* What waits without the C library's functions for it: std::atomic, semaphores, latches and
 * barriers of C++20, TBB, Rust. All that a system call may have been given is handed on. */
EXPORT long syscall(long number, ...)
{
    long a[6];
    va_list given;
    va_start(given, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(given, long);
    va_end(given);
    struct thread *t = auspex_self;
    long command = a[1] & FUTEX_CMD_MASK;
    if (likely(number != SYS_futex) || (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET) || !t || t->quiet || !NATIVE)
        return handed_on(number, a);
    uint64_t begun = auspex_wants(t), since = ticks();
    long n = handed_on(number, a);
    struct called by = HERE;
    waited(t, begun, ticks() - since, 0, &by);
    return n;
}
