/* A region whose calls are many and short costs more than it tells. The probes
 * have a budget, a share of the run's time; when they have spent it, the regions
 * that spend the most are switched off, and their time from then on belongs to
 * their callers. What one process of a node switches off, the others do too as
 * soon as they ask, by a map that they share: see off below. */
#include "probe.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* How long a run is taken to be at the least: a start is not judged by its first
 * moments. */
#define LEAST_NS 50e6

enum { BITS = 1 << 19 };

static unsigned char private_map[BITS / 8], *off = private_map;
static struct chunk *switched_room;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
double auspex_share;

enum { TRIES = 9 };

/* Ticks that a region's two probes take, tried out on a thread that has its
 * record and has entered nothing yet; what that counts is taken back. */
void auspex_price(struct thread *t)
{
    struct place *p = t->top;
    struct node was = *p->node;
    uint64_t brief = t->brief, took[TRIES];
    t->until = UINT32_MAX; /* nothing is asked while it is tried out */
    enter(t, p->region, 0); /* makes the way known */
    leave(t);
    for (int i = 0; i < TRIES; i++) {
        uint64_t start = ticks();
        for (int k = 0; k < 32; k++) {
            t->record.last = ticks() - 1; /* not a long stretch, whatever comes between */
            if (quick_enter(t, p->region, 0) && !quick_leave(t, p->region))
                leave(t); /* it was interrupted for long */
        }
        uint64_t now = ticks() - start;
        int at = i;
        for (; at > 0 && took[at - 1] > now; at--)
            took[at] = took[at - 1];
        took[at] = now;
    }
    *p->node = was;
    t->brief = brief;
    t->record.last = ticks();
    t->until = OFTEN;
    /* The middle of all, which is what they take beside whatever else runs on the
     * core, less the third look at the clock, and with something for calling them. */
    auspex_header->price = took[TRIES / 2] / 32 * 3 / 4;
}

void auspex_budget_start(void)
{
    const char *dir = getenv("AUSPEX_DIR"), *given = getenv("AUSPEX_OVERHEAD");
    char path[4096];
    auspex_share = given ? strtod(given, NULL) : 0;
    auspex_header->budget = (uint64_t)(auspex_share * 1e6);
    if (auspex_share <= 0 || !dir || (size_t)snprintf(path, sizeof path, "%s/%s.off", dir, auspex_header->host) >= sizeof path)
        return;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return;
    if (posix_fallocate(file, 0, BITS / 8) == 0) { /* a full disk is no bus error later */
        void *map = mmap(NULL, BITS / 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        off = map == MAP_FAILED ? private_map : map;
    }
    close(file);
}

static void tell(struct thread *t, uint32_t region)
{
    pthread_mutex_lock(&lock);
    if (!switched_room || switched_room->used + sizeof(struct switched) > CHUNK_SIZE - sizeof(struct chunk)) {
        struct chunk *c = auspex_chunk(SWITCHED, 0);
        if (c)
            switched_room = c;
    }
    if (switched_room && switched_room->used + sizeof(struct switched) <= CHUNK_SIZE - sizeof(struct chunk)) {
        struct switched *s = (void *)((char *)(switched_room + 1) + switched_room->used);
        *s = (struct switched){region, (uint32_t)t->record.id, t->record.last};
        __atomic_store_n(&switched_room->used, switched_room->used + (uint32_t)sizeof *s, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
}

/* Of what measuring may take the probes have three tenths: samples take time too, and
 * compilers do less well around a probe. */
#define PROBES_PART 0.3

/* Asked after OFTEN entries: is the region that was entered last to be switched
 * off? Every OFTEN entries tell, one for all, where entries go: a region that is met
 * so often that it has taken a tenth of what all may take, on whatever paths, is
 * the trouble, one that is not so often met is not. Where many regions together
 * take too much and none of them a tenth, the bar falls: a quarter of it at twice
 * what they may take. */
int auspex_budget(struct thread *t, uint32_t region, const char *name, size_t size, int line)
{
    uint64_t price = auspex_header->price, hash = 0xcbf29ce484222325u ^ (uint64_t)line;
    t->until = OFTEN;
    if (auspex_share <= 0)
        return 0;
    t->spent += OFTEN * price;
    uint16_t *asked = &t->asked[region % ASKED];
    *asked += *asked < UINT16_MAX;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3u;
    hash ^= hash >> 32;
    unsigned char *byte = &off[hash % BITS / 8], bit = (unsigned char)(1u << hash % 8);
    if (!(__atomic_load_n(byte, __ATOMIC_RELAXED) & bit)) {
        /* CPU time: what other programs take of the machine is no time to spend. */
        double ran = (double)virtual_time(t), least = LEAST_NS * auspex_rate;
        double allowed = PROBES_PART * auspex_share * (ran > least ? ran : least);
        double over = (double)(t->spent + t->looked) / allowed;
        if (over < 1 || 10.0 * *asked * OFTEN * (double)price * over * over < allowed)
            return 0;
        __atomic_fetch_or(byte, bit, __ATOMIC_RELAXED);
    }
    tell(t, region);
    return 1;
}
