/* The objects of a process and where they lie, for those who resolve addresses
 * afterwards. */
#include "probe.h"
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

enum { OBJECTS_MOST = 2048 };

static struct { uintptr_t start, end; } known[OBJECTS_MOST];
static int count;
static struct chunk *object_room;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int auspex_objects_stale;

/* Also asked in signal handlers: what is there is never changed. */
SAMPLED int auspex_object_known(uintptr_t pc)
{
    for (int i = __atomic_load_n(&count, __ATOMIC_ACQUIRE); i-- > 0;)
        if (pc >= known[i].start && pc < known[i].end)
            return 1;
    return 0;
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
    __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
}

static int note(struct dl_phdr_info *info, size_t size, void *unused)
{
    uintptr_t start = UINTPTR_MAX, end = 0;
    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD) {
            uintptr_t at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, after = at + info->dlpi_phdr[i].p_memsz;
            start = at < start ? at : start;
            end = after > end ? after : end;
        }
    if (start >= end || count == OBJECTS_MOST)
        return 0;
    for (int i = 0; i < count; i++)
        if (known[i].start == start && known[i].end == end)
            return 0;
    write_object(info->dlpi_addr, start, end, count == 0 && !*info->dlpi_name ? auspex_header->program : info->dlpi_name);
    return 0;
}

/* Of a library that is closed nothing would be known at the end. */
EXPORT int dlclose(void *library);
int dlclose(void *library)
{
    static int (*real)(void *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "dlclose");
    if (auspex_self && auspex_sampling)
        auspex_objects();
    return real(library);
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
