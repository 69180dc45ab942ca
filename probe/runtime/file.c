/* The mapped file and the room taken from it. */
#include "probe.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Address space reserved for the file, which only grows into it; of a process
 * whose address space is limited, a sixteenth of that. */
#define RESERVED ((uint64_t)1 << 30)
#define GROWTH ((uint64_t)16 * CHUNK_SIZE)
enum { IMAGES = 1000 };

struct header *auspex_header;
static int file = -1;
static char file_path[4096];
static uint64_t mapped, reserved = RESERVED;
static struct chunk *region_room;
static uint32_t regions;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Opens the file. The kernel closes the descriptors of a dead process from the
 * highest down, so this one is closed before a launcher can see any of the program's
 * closed: launch/watch.go tells deaths by it. */
static int open_file(int how)
{
    file = auspex_keep(open(file_path, O_RDWR | O_CLOEXEC | how, 0666));
    return file < 0 ? -1 : 0;
}

/* Gives the file real blocks, so that a full disk is an error here and not a
 * bus error at some later count. */
static int grow(uint64_t size)
{
    struct rlimit largest; /* beyond it the kernel sends a signal that kills */
    if (getrlimit(RLIMIT_FSIZE, &largest) == 0 && largest.rlim_cur < size)
        return -1;
    if (!auspex_kept(file) && open_file(0) != 0)
        return -1;
    if (size > reserved || posix_fallocate(file, (off_t)mapped, (off_t)(size - mapped)) != 0)
        return -1;
    char *at = (char *)auspex_header + mapped;
    if (mmap(at, size - mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, (off_t)mapped) == MAP_FAILED)
        return -1;
    mapped = size;
    return 0;
}

static void program_name(char *to, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", to, size - 1);
    to[n > 0 ? n : 0] = 0;
}

/* The name that people know a program by is the one that it was started by, which
 * may be a link's. Of a script the kernel tells the script's. */
static void known_as(char *to, size_t size, const char *program)
{
    const char *started = (const char *)getauxval(AT_EXECFN);
    char real[PATH_MAX];
    if (!started || strncmp(started, "/proc/", 6) == 0 || !realpath(started, real) || strcmp(real, program) != 0)
        started = program;
    const char *name = strrchr(started, '/');
    snprintf(to, size, "%s", name ? name + 1 : started);
}

/* Makes the process's file in $AUSPEX_DIR. Returns -1 where nothing is to be
 * measured. */
int auspex_file_open(void)
{
    const char *dir = getenv("AUSPEX_DIR");
    char host[256] = "";
    if (!dir || !*dir)
        return -1;
    gethostname(host, sizeof host - 1);
    /* A process that became another program has a file of each. */
    for (int image = 0; file < 0 && image < IMAGES; image++) {
        char again[16] = "";
        if (image > 0)
            snprintf(again, sizeof again, "-%d", image);
        if ((size_t)snprintf(file_path, sizeof file_path, "%s/%s.%d%s.probe", dir, host, (int)getpid(), again) >= sizeof file_path)
            return -1;
        if (open_file(O_CREAT | O_EXCL) != 0 && errno != EEXIST)
            return -1;
    }
    if (file < 0)
        return -1;
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY && space.rlim_cur / 16 < RESERVED)
        reserved = space.rlim_cur / 16 & ~(uint64_t)(CHUNK_SIZE - 1);
    void *base = mmap(NULL, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return -1;
    auspex_header = base;
    if (grow(HEADER_SIZE + GROWTH) != 0) {
        auspex_header = NULL;
        return -1;
    }
    struct header *h = auspex_header;
    h->version = AUSPEX_VERSION;
    h->order = 0x01020304;
    h->header_size = HEADER_SIZE;
    h->chunk_size = CHUNK_SIZE;
    h->node_size = sizeof(struct node);
    h->used = HEADER_SIZE;
    h->pid = (int32_t)getpid();
    h->rank = -1;
    memcpy(h->host, host, sizeof h->host);
    program_name(h->program, sizeof h->program);
    known_as(h->name, sizeof h->name, h->program);
    auspex_clock_start(h);
    memcpy(h->magic, AUSPEX_MAGIC, sizeof h->magic);
    return 0;
}

static struct chunk *chunk(uint32_t kind, uint32_t thread)
{
    struct header *h = auspex_header;
    if (h->state != RUNNING || (h->used + CHUNK_SIZE > mapped && grow(mapped + GROWTH) != 0))
        return NULL;
    struct chunk *c = (struct chunk *)((char *)h + h->used);
    c->kind = kind;
    c->thread = thread;
    h->used += CHUNK_SIZE;
    return c;
}

struct chunk *auspex_chunk(uint32_t kind, uint32_t thread)
{
    pthread_mutex_lock(&lock);
    struct chunk *c = chunk(kind, thread);
    pthread_mutex_unlock(&lock);
    return c;
}

/* The same for signal handlers: nothing where the lock is held. */
struct chunk *auspex_chunk_now(uint32_t kind, uint32_t thread)
{
    if (pthread_mutex_trylock(&lock) != 0)
        return NULL;
    struct chunk *c = chunk(kind, thread);
    pthread_mutex_unlock(&lock);
    return c;
}

/* The records of all threads, one after the other; from NULL to NULL. */
struct thread *auspex_thread_after(struct thread *t)
{
    char *base = (char *)auspex_header, *at = t ? (char *)t - sizeof(struct chunk) + CHUNK_SIZE : base + HEADER_SIZE;
    for (; at < base + auspex_header->used; at += CHUNK_SIZE)
        if (((struct chunk *)at)->kind == THREAD)
            return (struct thread *)((struct chunk *)at + 1);
    return NULL;
}

static size_t shorter(size_t n) { return n < 4000 ? n : 4000; }

/* Writes a region's description and returns its number, UINT32_MAX without
 * room. The caller keeps two regions from being alike. */
uint32_t auspex_region_add(const char *name, size_t name_size, const char *path, size_t path_size,
    int line, int kind, const char *object, uint64_t offset)
{
    size_t object_size = object ? shorter(strlen(object)) : 0;
    name_size = shorter(name_size);
    path_size = shorter(path_size);
    uint32_t size = (uint32_t)(sizeof(struct region_record) + name_size + path_size + object_size + 7) & ~7u;
    if (!region_room || region_room->used + size > CHUNK_SIZE - sizeof(struct chunk)) {
        struct chunk *c = auspex_chunk(REGIONS, 0);
        if (!c)
            return UINT32_MAX;
        region_room = c;
    }
    struct region_record *r = (void *)((char *)(region_room + 1) + region_room->used);
    *r = (struct region_record){size, (uint16_t)kind, (uint16_t)name_size, (uint16_t)path_size, (uint16_t)object_size, line, offset};
    char *text = (char *)(r + 1);
    memcpy(text, name, name_size);
    memcpy(text + name_size, path, path_size);
    if (object_size)
        memcpy(text + name_size + path_size, object, object_size);
    __atomic_store_n(&region_room->used, region_room->used + size, __ATOMIC_RELEASE);
    return regions++;
}

static uint64_t in_ns(struct timeval t) { return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000; }

void auspex_file_close(int state, int code)
{
    struct header *h = auspex_header;
    if (!h || h->state != RUNNING)
        return;
    auspex_note_all();
    auspex_clock_note(h);
    auspex_allowed();
    struct rusage u;
    if (getrusage(RUSAGE_CHILDREN, &u) == 0)
        h->children = in_ns(u.ru_utime) + in_ns(u.ru_stime);
    if (getrusage(RUSAGE_SELF, &u) == 0) {
        h->user = in_ns(u.ru_utime);
        h->system = in_ns(u.ru_stime);
    }
    h->code = code;
    h->state = state;
    /* Not while room is being taken: a sample may still come, here or elsewhere. */
    if (state == FINISHED && pthread_mutex_trylock(&lock) == 0) {
        long cut = auspex_kept(file) ? syscall(SYS_ftruncate, file, (off_t)h->used) : -1;
        (void)cut; /* else it is only longer than need be */
        pthread_mutex_unlock(&lock);
    }
}
