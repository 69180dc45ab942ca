/* Input and output: calls of the C library that move data are timed and
 * counted to the region they are made in. Only regular files count: what goes
 * to terminals, pipes and sockets is no disk. Inside MPI calls nothing is
 * counted, MPI's own file calls count by themselves. */
#undef _FORTIFY_SOURCE
#define __NO_INLINE__ 1 /* no macros or inline forms of what is defined here */
#include "probe.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#undef fread_unlocked
#undef fwrite_unlocked

/* Whether a descriptor is a regular file, 0 where not known yet. */
enum { FILES = 4096, REGULAR = 1, OTHER = 2 };
static unsigned char what[FILES];

static __attribute__((noinline)) int find_out(int fd)
{
    struct stat s;
    if (fd < 0)
        return 0;
    int saved = errno, is = fstat(fd, &s) == 0 && S_ISREG(s.st_mode);
    errno = saved;
    if (fd < FILES)
        what[fd] = is ? REGULAR : OTHER;
    return is;
}

static inline int regular(int fd)
{
    if (likely((unsigned)fd < FILES && what[fd]))
        return what[fd] == REGULAR;
    return find_out(fd);
}

static inline void forget(int fd)
{
    if (fd >= 0 && fd < FILES)
        what[fd] = 0;
}

/* The thread to count for, NULL where this is not to be counted. */
static inline struct thread *counting(int fd)
{
    struct thread *t = auspex_self;
    return t && !t->quiet && regular(fd) ? t : NULL;
}

#ifdef __GLIBC__
#define FILE_NUMBER(f) ((f)->_fileno) /* without a call: a program may print millions of lines */
#else
#define FILE_NUMBER(f) fileno(f)
#endif

static inline struct thread *counting_stream(FILE *f)
{
    struct thread *t = auspex_self;
    return t && !t->quiet && f && regular(FILE_NUMBER(f)) ? t : NULL;
}

/* Inlined, so that the return address is that of the program's call. */
#define INSIDE static inline __attribute__((always_inline))

INSIDE void took(struct thread *t, uint64_t since)
{
    uint64_t stretch = ticks() - since;
    t->top->node->io_time += stretch;
    t->away += stretch;
    t->quiet = 0;
    if (unlikely((t->filed += stretch) >= auspex_long)) {
        auspex_stacks_file(t, t->filed, __builtin_return_address(0));
        t->filed = 0;
    }
}

INSIDE void wrote(struct thread *t, ssize_t n, uint64_t since)
{
    if (n > 0)
        t->top->node->io_written += (uint64_t)n;
    took(t, since);
}

INSIDE void got(struct thread *t, ssize_t n, uint64_t since)
{
    if (n > 0)
        t->top->node->io_read += (uint64_t)n;
    took(t, since);
}

/* Whether the program asked for standard input; that it did so through stdin is
 * seen at the end. */
int auspex_asked;
#define asks_got(fd) (void)(unlikely((fd) == 0) && (auspex_asked = 1))
#define asks_wrote(fd) (void)0
#define asks_only_time(fd) (void)0

#define NEXT(name) do { if (unlikely(!real)) *(void **)&real = dlsym(RTLD_NEXT, #name); } while (0)

/* A function that moves bytes through a descriptor. */
#define MOVES(result, name, count, parameters, arguments)  \
    EXPORT result name parameters;                         \
    result name parameters                                 \
    {                                                      \
        static result (*real) parameters;                  \
        NEXT(name);                                        \
        asks_##count(fd);                                  \
        struct thread *t = counting(fd);                   \
        if (likely(!t))                                    \
            return real arguments;                         \
        uint64_t since = ticks();                          \
        t->quiet = IN_FILE;                                \
        result n = real arguments;                         \
        count(t, n, since);                                \
        return n;                                          \
    }

MOVES(ssize_t, read, got, (int fd, void *p, size_t size), (fd, p, size))
MOVES(ssize_t, write, wrote, (int fd, const void *p, size_t size), (fd, p, size))
MOVES(ssize_t, pread, got, (int fd, void *p, size_t size, off_t at), (fd, p, size, at))
MOVES(ssize_t, pwrite, wrote, (int fd, const void *p, size_t size, off_t at), (fd, p, size, at))
MOVES(ssize_t, readv, got, (int fd, const struct iovec *v, int n_), (fd, v, n_))
MOVES(ssize_t, writev, wrote, (int fd, const struct iovec *v, int n_), (fd, v, n_))
MOVES(ssize_t, preadv, got, (int fd, const struct iovec *v, int n_, off_t at), (fd, v, n_, at))
MOVES(ssize_t, pwritev, wrote, (int fd, const struct iovec *v, int n_, off_t at), (fd, v, n_, at))
#ifdef __GLIBC__
MOVES(ssize_t, pread64, got, (int fd, void *p, size_t size, off64_t at), (fd, p, size, at))
MOVES(ssize_t, pwrite64, wrote, (int fd, const void *p, size_t size, off64_t at), (fd, p, size, at))
MOVES(ssize_t, __read_chk, got, (int fd, void *p, size_t size, size_t room), (fd, p, size, room))
MOVES(ssize_t, __pread_chk, got, (int fd, void *p, size_t size, off_t at, size_t room), (fd, p, size, at, room))
#endif
#define only_time(t, n, since) took(t, since)
MOVES(int, fsync, only_time, (int fd), (fd))
MOVES(int, fdatasync, only_time, (int fd), (fd))
MOVES(int, ftruncate, only_time, (int fd, off_t size), (fd, size))

/* A call that finds room for what it may write in a stream's buffer, or as much read
 * ahead, copies and asks the kernel for nothing: it counts its bytes and no time. Two
 * looks at the clock took 6 % of a program that prints a million lines. */
enum { LINE = 512 }; /* bytes that a call of unknown size is taken to move at most */
#ifdef __GLIBC__
#define AHEAD(f, most) ((f)->_IO_read_end - (f)->_IO_read_ptr >= (ptrdiff_t)(most))
#define SPACE(f, most) ((f)->_IO_write_end - (f)->_IO_write_ptr >= (ptrdiff_t)(most))
#else
#define AHEAD(f, most) 0
#define SPACE(f, most) 0
#endif
#define bytes_got(t, n) ((t)->top->node->io_read += (n) > 0 ? (uint64_t)(n) : 0)
#define bytes_wrote(t, n) ((t)->top->node->io_written += (n) > 0 ? (uint64_t)(n) : 0)
#define bytes_only_time(t, n) (void)0

/* A function that moves bytes through a stream; bytes is made of its result, copies
 * says whether it will stay in the buffer. */
#define STREAMS(result, name, count, bytes, copies, parameters, arguments) \
    EXPORT result name parameters;                          \
    result name parameters                                  \
    {                                                       \
        static result (*real) parameters;                   \
        NEXT(name);                                         \
        struct thread *t = counting_stream(f);              \
        if (likely(!t))                                     \
            return real arguments;                          \
        if (copies) {                                       \
            result n = real arguments;                      \
            bytes_##count(t, (ssize_t)(bytes));             \
            return n;                                       \
        }                                                   \
        uint64_t since = ticks();                           \
        t->quiet = IN_FILE;                                 \
        result n = real arguments;                          \
        count(t, (ssize_t)(bytes), since);                  \
        return n;                                           \
    }

STREAMS(size_t, fread, got, n * size, AHEAD(f, size * items), (void *p, size_t size, size_t items, FILE *f), (p, size, items, f))
STREAMS(size_t, fwrite, wrote, n * size, SPACE(f, size * items), (const void *p, size_t size, size_t items, FILE *f), (p, size, items, f))
STREAMS(size_t, fread_unlocked, got, n * size, AHEAD(f, size * items), (void *p, size_t size, size_t items, FILE *f), (p, size, items, f))
STREAMS(size_t, fwrite_unlocked, wrote, n * size, SPACE(f, size * items), (const void *p, size_t size, size_t items, FILE *f), (p, size, items, f))
STREAMS(char *, fgets, got, n ? strlen(n) : 0, AHEAD(f, LINE), (char *s, int size, FILE *f), (s, size, f))
STREAMS(int, fputs, wrote, n >= 0 ? strlen(s) : 0, SPACE(f, LINE), (const char *s, FILE *f), (s, f))
STREAMS(int, vfprintf, wrote, n, SPACE(f, LINE), (FILE *f, const char *s, va_list list), (f, s, list))
STREAMS(int, fflush, only_time, n, 0, (FILE *f), (f))
#ifdef __GLIBC__
STREAMS(size_t, __fread_chk, got, n * size, AHEAD(f, size * items), (void *p, size_t room, size_t size, size_t items, FILE *f), (p, room, size, items, f))
STREAMS(char *, __fgets_chk, got, n ? strlen(n) : 0, AHEAD(f, LINE), (char *s, size_t room, int size, FILE *f), (s, room, size, f))
STREAMS(int, __vfprintf_chk, wrote, n, SPACE(f, LINE), (FILE *f, int flag, const char *s, va_list list), (f, flag, s, list))
STREAMS(ssize_t, getline, got, n, AHEAD(f, LINE), (char **s, size_t *size, FILE *f), (s, size, f))
#endif

EXPORT int fprintf(FILE *f, const char *s, ...);
int fprintf(FILE *f, const char *s, ...)
{
    va_list list;
    va_start(list, s);
    int n = vfprintf(f, s, list);
    va_end(list);
    return n;
}

#ifdef __GLIBC__
EXPORT int __fprintf_chk(FILE *f, int flag, const char *s, ...);
int __fprintf_chk(FILE *f, int flag, const char *s, ...)
{
    va_list list;
    va_start(list, s);
    int n = __vfprintf_chk(f, flag, s, list);
    va_end(list);
    return n;
}
#endif

/* ---- descriptors that come to mean another file ---- */

EXPORT int close(int fd);
int close(int fd)
{
    static int (*real)(int);
    NEXT(close);
    struct thread *t = counting(fd);
    forget(fd);
    if (!t)
        return real(fd);
    uint64_t since = ticks();
    int n = real(fd);
    uint64_t took = ticks() - since;
    t->top->node->io_time += took;
    t->away += took;
    return n;
}

EXPORT int fclose(FILE *f);
int fclose(FILE *f)
{
    static int (*real)(FILE *);
    NEXT(fclose);
    struct thread *t = counting_stream(f);
    if (f)
        forget(fileno(f));
    if (!t)
        return real(f);
    uint64_t since = ticks();
    t->quiet = IN_FILE;
    int n = real(f);
    took(t, since);
    return n;
}

EXPORT int dup2(int from, int to);
int dup2(int from, int to)
{
    static int (*real)(int, int);
    NEXT(dup2);
    forget(to);
    return real(from, to);
}

EXPORT int dup3(int from, int to, int flags);
int dup3(int from, int to, int flags)
{
    static int (*real)(int, int, int);
    NEXT(dup3);
    forget(to);
    return real(from, to, flags);
}
