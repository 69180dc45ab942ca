/* Input and output: calls of the C library that move data, or open and name files,
 * are timed and counted to the region they are made in; their time is that of a
 * region of the call's name below its callers. Only regular files count: what goes
 * to terminals, pipes and sockets is no disk. Inside MPI calls nothing is counted,
 * MPI's own file calls count by themselves. */
#undef _FORTIFY_SOURCE
#define __NO_INLINE__ 1 /* no macros or inline forms of what is defined here */
#include "stacks.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
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

/* A call of a page or so takes a microsecond, and there may be millions: their time is
 * added up, and the one that makes it long gives its name and its callers to all. A
 * call that moves much is long by itself: the CPU clock is looked at before, so that
 * what it waits for is not mixed up with what was waited for before. */
enum { LARGE = 1 << 16 };
#define CALLED(label) static struct auspex_region region = {label, "", 0, FILE_CALL, -1, 0}

static void forget_filed(struct thread *t)
{
    t->filed = t->filed_read = t->filed_written = 0;
    t->filings = 0;
}

/* Bytes count where the thread is, and move with the time of the calls. */
static inline void written(struct thread *t, ssize_t n)
{
    uint64_t bytes = n > 0 ? (uint64_t)n : 0;
    t->top->node->io_written += bytes;
    if (likely(t->filed_in == t->top))
        t->filed_written += bytes;
}

static inline void read_in(struct thread *t, ssize_t n)
{
    uint64_t bytes = n > 0 ? (uint64_t)n : 0;
    t->top->node->io_read += bytes;
    if (likely(t->filed_in == t->top))
        t->filed_read += bytes;
}

static __attribute__((noinline)) void settle(struct thread *t, struct auspex_region *r, const struct called *by)
{
    struct node *n = t->top->node, was = *n;
    uint64_t moved = t->filed;
    int error = errno;
    if (!auspex_measures_itself()) {
        forget_filed(t);
        return;
    }
    t->quiet = IN_CALL;
    charge(t, ticks());
    uint64_t wall = n->wall - was.wall, cpu = n->cpu - was.cpu, lost = wall > cpu ? wall - cpu : 0;
    uint32_t id = (uint32_t)__atomic_load_n(&r->id, __ATOMIC_RELAXED);
    struct place *from = auspex_callers(t, by->address, by);
    struct place *to = auspex_way(t, from, id == UINT32_MAX ? auspex_intern(r) : id);
    if (to && to != t->top) {
        uint64_t off = lost < moved ? lost : moved, blocked = n->blocked - was.blocked;
        cpu = moved - off;
        blocked = blocked < off ? blocked : off;
        note_entry(t, to);
        to->node->calls += t->filings;
        to->node->wall += moved;
        to->node->cpu += cpu;
        to->node->blocked += blocked;
        to->node->io_time += moved;
        to->node->io_read += t->filed_read;
        to->node->io_written += t->filed_written;
        n->wall -= moved;
        n->cpu -= cpu;
        n->blocked -= blocked;
        n->io_time -= moved;
        n->io_read -= t->filed_read;
        n->io_written -= t->filed_written;
        account(t, cpu);
    }
    forget_filed(t);
    t->quiet = 0;
    errno = error;
}

/* What was made elsewhere and is too little for a region stays where it was. */
static __attribute__((noinline)) void elsewhere(struct thread *t)
{
    account(t, t->filed);
    forget_filed(t);
    t->filed_in = t->top;
}

/* Inlined, so that the return address is that of the program's call. */
#define INSIDE static inline __attribute__((always_inline))

INSIDE uint64_t begins(struct thread *t, int large)
{
    if (unlikely(t->filed_in != t->top))
        elsewhere(t);
    uint64_t now = ticks();
    if (unlikely(large)) {
        charge(t, now);
        now = t->record.last;
    }
    t->quiet = IN_FILE;
    return now;
}

INSIDE void took(struct thread *t, uint64_t since, struct auspex_region *r)
{
    uint64_t stretch = ticks() - since;
    t->top->node->io_time += stretch;
    t->away += stretch;
    t->quiet = 0;
    t->record.files++;
    t->filings++;
    if (unlikely((t->filed += stretch) >= auspex_long && r)) { /* what is only tried has no region */
        struct called by = {__builtin_return_address(0), __builtin_frame_address(0), r};
        settle(t, r, &by);
    }
}

INSIDE void wrote(struct thread *t, ssize_t n, uint64_t since, struct auspex_region *r)
{
    written(t, n);
    took(t, since, r);
}

INSIDE void got(struct thread *t, ssize_t n, uint64_t since, struct auspex_region *r)
{
    read_in(t, n);
    took(t, since, r);
}

enum { TRIED = 9, TURNS = 32 };

/* Ticks that a short call takes longer for being timed, tried out on a thread that has
 * done nothing yet. */
uint64_t auspex_file_price(struct thread *t)
{
    struct node was = *t->top->node;
    uint64_t least = UINT64_MAX, away = t->away;
    for (int i = 0; i < TRIED; i++) {
        uint64_t start = ticks();
        for (int k = 0; k < TURNS; k++) {
            wrote(t, 1, begins(t, 0), NULL);
            t->filed = 0;
        }
        uint64_t took = ticks() - start;
        least = took < least ? took : least;
    }
    *t->top->node = was;
    t->away = away;
    forget_filed(t);
    t->record.files = 0;
    return least / TURNS;
}

/* Whether the program asked for standard input; that it did so through stdin is
 * seen at the end. */
int auspex_asked;
#define asks_got(fd) (void)(unlikely((fd) == 0) && (auspex_asked = 1))
#define asks_wrote(fd) (void)0
#define asks_only_time(fd) (void)0

#define NEXT(name) do { if (unlikely(!real)) *(void **)&real = dlsym(RTLD_NEXT, #name); } while (0)

/* A function that moves bytes through a descriptor, label being what people call it. */
#define MOVES(result, name, label, count, large, parameters, arguments) \
    EXPORT result name parameters;                         \
    result name parameters                                 \
    {                                                      \
        static result (*real) parameters;                  \
        NEXT(name);                                        \
        asks_##count(fd);                                  \
        struct thread *t = counting(fd);                   \
        if (likely(!t))                                    \
            return real arguments;                         \
        CALLED(label);                                     \
        uint64_t since = begins(t, large);                 \
        result n = real arguments;                         \
        count(t, n, since, &region);                       \
        return n;                                          \
    }

MOVES(ssize_t, read, "read", got, size >= LARGE, (int fd, void *p, size_t size), (fd, p, size))
MOVES(ssize_t, write, "write", wrote, size >= LARGE, (int fd, const void *p, size_t size), (fd, p, size))
MOVES(ssize_t, pread, "pread", got, size >= LARGE, (int fd, void *p, size_t size, off_t at), (fd, p, size, at))
MOVES(ssize_t, pwrite, "pwrite", wrote, size >= LARGE, (int fd, const void *p, size_t size, off_t at), (fd, p, size, at))
MOVES(ssize_t, readv, "readv", got, 0, (int fd, const struct iovec *v, int n_), (fd, v, n_))
MOVES(ssize_t, writev, "writev", wrote, 0, (int fd, const struct iovec *v, int n_), (fd, v, n_))
MOVES(ssize_t, preadv, "preadv", got, 0, (int fd, const struct iovec *v, int n_, off_t at), (fd, v, n_, at))
MOVES(ssize_t, pwritev, "pwritev", wrote, 0, (int fd, const struct iovec *v, int n_, off_t at), (fd, v, n_, at))
#ifdef __GLIBC__
MOVES(ssize_t, pread64, "pread", got, size >= LARGE, (int fd, void *p, size_t size, off64_t at), (fd, p, size, at))
MOVES(ssize_t, pwrite64, "pwrite", wrote, size >= LARGE, (int fd, const void *p, size_t size, off64_t at), (fd, p, size, at))
MOVES(ssize_t, __read_chk, "read", got, size >= LARGE, (int fd, void *p, size_t size, size_t room), (fd, p, size, room))
MOVES(ssize_t, __pread_chk, "pread", got, size >= LARGE, (int fd, void *p, size_t size, off_t at, size_t room), (fd, p, size, at, room))
#endif
#define only_time(t, n, since, r) took(t, since, r)
MOVES(int, fsync, "fsync", only_time, 1, (int fd), (fd))
MOVES(int, fdatasync, "fdatasync", only_time, 1, (int fd), (fd))
MOVES(int, ftruncate, "ftruncate", only_time, 1, (int fd, off_t size), (fd, size))

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
#define bytes_got(t, n) read_in(t, n)
#define bytes_wrote(t, n) written(t, n)
#define bytes_only_time(t, n) (void)0

/* A function that moves bytes through a stream; bytes is made of its result, copies
 * says whether it will stay in the buffer. */
#define STREAMS(result, name, label, count, bytes, copies, large, parameters, arguments) \
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
        CALLED(label);                                      \
        uint64_t since = begins(t, large);                  \
        result n = real arguments;                          \
        count(t, (ssize_t)(bytes), since, &region);         \
        return n;                                           \
    }

STREAMS(size_t, fread, "fread", got, n * size, AHEAD(f, size * items), size * items >= LARGE, (void *p, size_t size, size_t items, FILE *f), (p, size, items, f))
STREAMS(size_t, fwrite, "fwrite", wrote, n * size, SPACE(f, size * items), size * items >= LARGE, (const void *p, size_t size, size_t items, FILE *f), (p, size, items, f))
STREAMS(size_t, fread_unlocked, "fread", got, n * size, AHEAD(f, size * items), size * items >= LARGE, (void *p, size_t size, size_t items, FILE *f), (p, size, items, f))
STREAMS(size_t, fwrite_unlocked, "fwrite", wrote, n * size, SPACE(f, size * items), size * items >= LARGE, (const void *p, size_t size, size_t items, FILE *f), (p, size, items, f))
STREAMS(char *, fgets, "fgets", got, n ? strlen(n) : 0, AHEAD(f, LINE), 0, (char *s, int size, FILE *f), (s, size, f))
STREAMS(int, fputs, "fputs", wrote, n >= 0 ? strlen(s) : 0, SPACE(f, LINE), 0, (const char *s, FILE *f), (s, f))
STREAMS(int, vfprintf, "fprintf", wrote, n, SPACE(f, LINE), 0, (FILE *f, const char *s, va_list list), (f, s, list))
STREAMS(int, fflush, "fflush", only_time, n, 0, 0, (FILE *f), (f))
#ifdef __GLIBC__
STREAMS(size_t, __fread_chk, "fread", got, n * size, AHEAD(f, size * items), size * items >= LARGE, (void *p, size_t room, size_t size, size_t items, FILE *f), (p, room, size, items, f))
STREAMS(char *, __fgets_chk, "fgets", got, n ? strlen(n) : 0, AHEAD(f, LINE), 0, (char *s, size_t room, int size, FILE *f), (s, room, size, f))
STREAMS(int, __vfprintf_chk, "fprintf", wrote, n, SPACE(f, LINE), 0, (FILE *f, int flag, const char *s, va_list list), (f, flag, s, list))
STREAMS(ssize_t, getline, "getline", got, n, AHEAD(f, LINE), 0, (char **s, size_t *size, FILE *f), (s, size, f))
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

/* ---- names: a file system may ask a server for each, and free what a file held ---- */

/* The opening of what is no regular file may last until somebody is at its other end. */
INSIDE void opened(struct thread *t, int fd, uint64_t since, struct auspex_region *r)
{
    if (fd >= 0 && find_out(fd))
        took(t, since, r);
    else
        t->quiet = 0;
}

INSIDE struct thread *naming(void) { struct thread *t = auspex_self; return t && !t->quiet ? t : NULL; }

/* A function that opens a file; mode is there where one may be made. */
#define OPENS(name, label, parameters, flags, arguments)   \
    EXPORT int name parameters;                            \
    int name parameters                                    \
    {                                                      \
        static int (*real) parameters;                     \
        NEXT(name);                                        \
        mode_t mode = 0;                                   \
        if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) { \
            va_list list;                                  \
            va_start(list, flags);                         \
            mode = va_arg(list, mode_t);                   \
            va_end(list);                                  \
        }                                                  \
        struct thread *t = naming();                       \
        if (likely(!t))                                    \
            return real arguments;                         \
        CALLED(label);                                     \
        uint64_t since = begins(t, 1);                     \
        int fd = real arguments;                           \
        opened(t, fd, since, &region);                     \
        return fd;                                         \
    }

OPENS(open, "open", (const char *path, int flags, ...), flags, (path, flags, mode))
OPENS(openat, "open", (int at, const char *path, int flags, ...), flags, (at, path, flags, mode))
#ifdef __GLIBC__
OPENS(open64, "open", (const char *path, int flags, ...), flags, (path, flags, mode))
OPENS(openat64, "open", (int at, const char *path, int flags, ...), flags, (at, path, flags, mode))
#endif

/* A function that does so otherwise, or changes names; done says what came of it. */
#define NAMES(result, name, label, done, parameters, arguments) \
    EXPORT result name parameters;                         \
    result name parameters                                 \
    {                                                      \
        static result (*real) parameters;                  \
        NEXT(name);                                        \
        struct thread *t = naming();                       \
        if (likely(!t))                                    \
            return real arguments;                         \
        CALLED(label);                                     \
        uint64_t since = begins(t, 1);                     \
        result n = real arguments;                         \
        done;                                              \
        return n;                                          \
    }

NAMES(int, creat, "creat", opened(t, n, since, &region), (const char *path, mode_t mode), (path, mode))
NAMES(FILE *, fopen, "fopen", opened(t, n ? FILE_NUMBER(n) : -1, since, &region), (const char *path, const char *how), (path, how))
NAMES(int, unlink, "unlink", took(t, since, &region), (const char *path), (path))
NAMES(int, rename, "rename", took(t, since, &region), (const char *from, const char *to), (from, to))
NAMES(int, truncate, "truncate", took(t, since, &region), (const char *path, off_t size), (path, size))
#ifdef __GLIBC__
NAMES(int, creat64, "creat", opened(t, n, since, &region), (const char *path, mode_t mode), (path, mode))
NAMES(int, __open_2, "open", opened(t, n, since, &region), (const char *path, int flags), (path, flags))
NAMES(int, __open64_2, "open", opened(t, n, since, &region), (const char *path, int flags), (path, flags))
NAMES(FILE *, fopen64, "fopen", opened(t, n ? FILE_NUMBER(n) : -1, since, &region), (const char *path, const char *how), (path, how))
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
    CALLED("close");
    uint64_t since = begins(t, 0);
    int n = real(fd);
    took(t, since, &region);
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
    CALLED("fclose");
    uint64_t since = begins(t, 0);
    int n = real(f);
    took(t, since, &region);
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
