/* The objects of a process and where they lie, for those who resolve addresses
 * afterwards. */
#include "probe.h"
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum { OBJECTS_MOST = 2048, RESERVED_MOST = 512 };

static struct { uintptr_t start, end; uint64_t path; int loaded; } known[OBJECTS_MOST];
static int count, reserved;
static struct chunk *object_room;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int auspex_objects_stale;

/* Also asked in signal handlers: what is there is never changed. */
SAMPLED int auspex_object_known(uintptr_t pc)
{
    for (int i = __atomic_load_n(&count, __ATOMIC_ACQUIRE); i-- > 0;)
        if (pc >= known[i].start && pc < known[i].end)
            return known[i].loaded;
    return 0;
}

/* Tells paths apart (FNV-1a). */
static uint64_t of_path(const char *path)
{
    uint64_t sum = 0xcbf29ce484222325u;
    while (*path)
        sum = (sum ^ (unsigned char)*path++) * 0x100000001b3u;
    return sum;
}

static void write_object(uintptr_t bias, uintptr_t start, uintptr_t end, const char *path)
{
    size_t length = strlen(path) < 4000 ? strlen(path) : 4000;
    uint32_t size = (uint32_t)(sizeof(struct object_record) + length + 7) & ~7u;
    if (!object_room || object_room->used + size > CHUNK_SIZE - sizeof(struct chunk)) {
        struct chunk *c = auspex_chunk(OBJECTS, 0);
        if (!c)
            return;
        object_room = c;
    }
    struct object_record *o = (void *)((char *)(object_room + 1) + object_room->used);
    *o = (struct object_record){bias, start, end, size, (uint32_t)length};
    memcpy(o + 1, path, length);
    __atomic_store_n(&object_room->used, object_room->used + size, __ATOMIC_RELEASE);
    known[count].start = start;
    known[count].end = end;
    known[count].path = of_path(path);
    known[count].loaded = 1;
    __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
}

/* Where an object lies. */
static int span(const struct dl_phdr_info *info, uintptr_t *start, uintptr_t *end)
{
    *start = UINTPTR_MAX;
    *end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD) {
            uintptr_t at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, after = at + info->dlpi_phdr[i].p_memsz;
            *start = at < *start ? at : *start;
            *end = after > *end ? after : *end;
        }
    return *start < *end;
}

/* The one that is known to lie there, or was the last to; -1 for none. */
static int at(uintptr_t start, uintptr_t end)
{
    for (int i = count; i-- > 0;)
        if (known[i].start < end && start < known[i].end)
            return i;
    return -1;
}

static int note(struct dl_phdr_info *info, size_t size, void *unused)
{
    uintptr_t start, end;
    (void)size;
    (void)unused;
    if (!span(info, &start, &end))
        return 0;
    const char *path = count == 0 && !*info->dlpi_name ? auspex_header->program : info->dlpi_name;
    int i = at(start, end);
    if (i >= 0 && known[i].start == start && known[i].end == end && (i == 0 || known[i].path == of_path(path)))
        known[i].loaded = 1; /* it may have been closed in between */
    else if (count < OBJECTS_MOST)
        write_object(info->dlpi_addr, start, end, path);
    return 0;
}

/* Notes objects that are new. Never called by a signal handler. */
void auspex_objects(void)
{
    pthread_mutex_lock(&lock);
    auspex_objects_stale = 0;
    if (auspex_header)
        dl_iterate_phdr(note, NULL);
    pthread_mutex_unlock(&lock);
}

/* ---- objects that are closed ---- */

static int still(struct dl_phdr_info *info, size_t size, void *seen)
{
    uintptr_t start, end;
    (void)size;
    int i = span(info, &start, &end) ? at(start, end) : -1;
    if (i >= 0)
        ((char *)seen)[i] = 1;
    return 0;
}

/* Addresses stand for what lay there, in samples, in calls whose callers are known,
 * in ways to unwind. So another object must not come to lie there: nothing is mapped,
 * the addresses are only taken. Whoever bounds their number needs them. */
static void reserve(uintptr_t start, uintptr_t end)
{
    struct rlimit most;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    start &= ~(page - 1);
    end = (end + page - 1) & ~(page - 1);
    if (reserved == RESERVED_MOST || getrlimit(RLIMIT_AS, &most) != 0 || most.rlim_cur != RLIM_INFINITY)
        return;
    long got = syscall(SYS_mmap, start, end - start, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0L);
    if (got == (long)start)
        reserved++;
    else if (got != -1) /* a kernel that does not know the flag */
        syscall(SYS_munmap, got, end - start);
}

static void closed(void)
{
    static char seen[OBJECTS_MOST];
    pthread_mutex_lock(&lock);
    memset(seen, 0, sizeof seen);
    dl_iterate_phdr(still, seen);
    for (int i = 0; i < count; i++)
        if (known[i].loaded && !seen[i]) {
            known[i].loaded = 0;
            reserve(known[i].start, known[i].end);
        }
    pthread_mutex_unlock(&lock);
}

/* Of a library that is closed nothing would be known at the end. */
EXPORT int dlclose(void *library);
int dlclose(void *library)
{
    static int (*real)(void *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "dlclose");
    int noted = auspex_self && auspex_sampling;
    if (noted)
        auspex_objects();
    int failed = real(library);
    if (noted)
        closed();
    return failed;
}
