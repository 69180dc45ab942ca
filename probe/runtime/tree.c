/* Threads, their call-path trees and the names of regions. */
#include "counters.h"
#include "stacks.h"
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

__thread struct thread *auspex_self __attribute__((tls_model("initial-exec")));

void (*auspex_at_end)(void);
static enum { UNTRIED, ON, OFF } mode;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t program_region;
static pthread_key_t ending;
extern void __tsan_init(void) __attribute__((weak));
static void thread_ends(void *p);

/* Memory that is the runtime's alone: the program may replace malloc. */
static void *pages(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void *crumbs(size_t size)
{
    static char *at, *end;
    if ((size_t)(end - at) < size) {
        if (!(at = pages(1 << 16)))
            return end = NULL;
        end = at + (1 << 16);
    }
    void *p = at;
    at += (size + 15) & ~(size_t)15;
    return p;
}

/* ---- regions by name ---- */

struct known { uint64_t hash; uint32_t id; int line, kind; const char *name, *file; uint64_t offset; struct known *next; };
static struct known *known[1 << 14];

/* All that is kept is bounded: regions of a process, places of a thread and how
 * deep they nest. What comes beyond is one region. */
enum { MOST_REGIONS = 1 << 16, MOST_PLACES = 1 << 17, DEEPEST = 512 };
static const char others[] = "<others>";
static uint32_t regions_known, others_region = UINT32_MAX;

static uint64_t hash(uint64_t h, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
    return h;
}

static int equal(const char *a, const char *b, size_t n) { return strncmp(a, b, n) == 0 && a[n] == 0; }

static const char *keep(const char *s, size_t n)
{
    if (n > 32768)
        n = 32768;
    char *to = crumbs(n + 1);
    if (to)
        memcpy(to, s, n);
    return to;
}

/* Finds or adds a region; call it with the lock held. */
static uint32_t intern(const char *name, size_t name_size, const char *file, size_t file_size,
    int line, int kind, const char *object, uint64_t offset)
{
    uint64_t h = hash(hash(0xcbf29ce484222325u ^ (uint64_t)line ^ offset, name, name_size), file, file_size);
    struct known **slot = &known[h % (sizeof known / sizeof known[0])];
    for (struct known *k = *slot; k; k = k->next)
        if (k->hash == h && k->line == line && k->kind == kind && k->offset == offset
            && equal(k->name, name, name_size) && equal(k->file, file, file_size))
            return k->id;
    if (regions_known >= MOST_REGIONS && kind != PROGRAM && others_region != UINT32_MAX)
        return others_region;
    struct known *k = crumbs(sizeof *k);
    if (!k)
        return UINT32_MAX;
    *k = (struct known){h, 0, line, kind, keep(name, name_size), keep(file, file_size), offset, *slot};
    if (!k->name || !k->file)
        return UINT32_MAX;
    k->id = auspex_region_add(name, name_size, file, file_size, line, kind, object, offset);
    if (k->id != UINT32_MAX) {
        *slot = k;
        regions_known++;
    }
    return k->id;
}

uint32_t auspex_intern(struct auspex_region *r)
{
    pthread_mutex_lock(&lock);
    uint32_t id = intern(r->name, strlen(r->name), r->file, strlen(r->file), r->line, r->kind, NULL, 0);
    if (id != UINT32_MAX)
        __atomic_store_n(&r->id, (int)id, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    return id;
}

/* Reads `name|file|line|kind` from the right, since a name may hold anything. */
struct spec *auspex_spec(const char *text, size_t size, struct spec **slot)
{
    size_t at[3], end = size;
    long number[2] = {1, 0};
    for (int i = 0; i < 3; i++) {
        size_t bar = end;
        while (bar > 0 && text[bar - 1] != '|')
            bar--;
        if (bar == 0)
            return NULL;
        at[i] = bar - 1;
        if (i < 2)
            number[i] = strtol(text + bar, NULL, 10);
        end = bar - 1;
    }
    pthread_mutex_lock(&lock);
    uint32_t id = intern(text, at[2], text + at[2] + 1, at[1] - at[2] - 1, (int)number[1], (int)number[0], NULL, 0);
    struct spec *s = *slot;
    while (s && (s->text != text || s->size != size))
        s = s->next; /* another thread was first */
    if (!s && id != UINT32_MAX && (s = crumbs(sizeof *s))) {
        *s = (struct spec){text, size, id, 0, *slot};
        __atomic_store_n(slot, s, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return s;
}

/* Regions begun by hand, a bit each. */
static uint64_t named[MOST_REGIONS / 64 + 2];

uint32_t auspex_named(const char *name, size_t size, const char *file, int line)
{
    pthread_mutex_lock(&lock);
    uint32_t id = intern(name, size, file, strlen(file), line, USER, NULL, 0);
    if (id / 64 < sizeof named / sizeof named[0])
        named[id / 64] |= (uint64_t)1 << id % 64;
    pthread_mutex_unlock(&lock);
    return id;
}

int auspex_is_named(uint32_t region)
{
    return region / 64 < sizeof named / sizeof named[0] && named[region / 64] >> region % 64 & 1;
}

/* A region known by an address: the collector finds its name. */
uint32_t auspex_site(const char *label, int kind, const void *address)
{
    static const void *program; /* where the executable lies */
    Dl_info info;
    const char *object = "";
    uint64_t offset = (uint64_t)(uintptr_t)address;
    if (!program && dladdr((const void *)getauxval(AT_PHDR), &info))
        program = info.dli_fbase;
    if (dladdr(address, &info) && info.dli_fname) {
        /* It was started by a link or a relative path; samples know it by its own. */
        object = info.dli_fbase == program && auspex_header->program[0] ? auspex_header->program : info.dli_fname;
        offset -= (uint64_t)(uintptr_t)info.dli_fbase;
    }
    pthread_mutex_lock(&lock);
    uint32_t id = intern(label, strlen(label), "", 0, 0, kind, object, offset);
    pthread_mutex_unlock(&lock);
    return id;
}

/* ---- start and end ---- */

/* Adds the CPU time since then to what starting and ending took; returns the time. */
static uint64_t own(uint64_t since)
{
    uint64_t now = nanos(CLOCK_THREAD_CPUTIME_ID);
    __atomic_fetch_add(&auspex_header->own, (uint64_t)((double)(now - since) * auspex_rate), __ATOMIC_RELAXED);
    return now;
}

/* A child made by vfork is still in its parent's memory. */
int auspex_measures_itself(void) { return mode == ON && auspex_header->pid == (int32_t)getpid(); }

static void finish(int state, int code)
{
    struct thread *t = auspex_self;
    if (!auspex_measures_itself())
        return;
    if (t && !t->quiet)
        charge(t, ticks());
    if (t)
        t->quiet = IN_CALL; /* what follows is the runtime's own */
    uint64_t since = nanos(CLOCK_THREAD_CPUTIME_ID);
    if (auspex_at_end)
        auspex_at_end();
    auspex_objects();
    own(since);
    auspex_file_close(state, code);
}

#ifdef __GLIBC__
static void at_exit(int code, void *unused) { (void)unused; finish(FINISHED, code); }
#else
static void at_exit(void) { finish(FINISHED, 0); }
#endif
static void at_quick_exit_too(void);

/* A child that goes on without exec must not count in its parent's file. */
static void after_fork(void)
{
    mode = OFF;
    auspex_self = NULL;
    auspex_header = NULL;
}

/* Notes that a signal may end the process; whether it is one that is measured. */
int auspex_dying(int sig)
{
    struct thread *t = auspex_self;
    if (!auspex_measures_itself())
        return 0;
    if (t && !t->quiet)
        charge(t, ticks());
    auspex_file_close(SIGNALLED, sig);
    return 1;
}

/* Notes that the process is about to go on as another program, likewise. */
int auspex_replaced(void)
{
    struct thread *t = auspex_self;
    if (!auspex_measures_itself() || auspex_header->state != RUNNING)
        return 0;
    if (t && !t->quiet)
        charge(t, ticks());
    auspex_objects();
    auspex_file_close(REPLACED, 0);
    return 1;
}

/* Whoever handled the signal lived on, or the other program was not there. */
void auspex_survived(void)
{
    if (auspex_header->state == SIGNALLED || auspex_header->state == REPLACED)
        auspex_header->state = RUNNING;
}

/* Ends measuring for good: no system call of the runtime's comes after this. */
void auspex_confined(void)
{
    if (!auspex_measures_itself())
        return;
    finish(CONFINED, 0);
    mode = OFF;
    auspex_leave_signals();
    for (struct thread *t = NULL; (t = auspex_thread_after(t));) {
        t->quiet = IN_CALL;
        auspex_stacks_thread_end(t);
    }
    auspex_self = NULL;
}

/* Starts measuring at the first event of a process. */
int auspex_on(void)
{
    if (mode != UNTRIED)
        return mode == ON;
    pthread_mutex_lock(&lock);
    if (mode == UNTRIED) {
        /* ThreadSanitizer keeps track of threads and signals itself, and crashes where
         * another makes some. */
        int ok = !__tsan_init && auspex_file_open() == 0;
        if (ok) {
            const char *name = auspex_header->name;
            program_region = intern(name, strlen(name), "", 0, 0, PROGRAM, NULL, 0);
            others_region = intern(others, strlen(others), "", 0, 0, USER, NULL, 0);
            if (others_region != UINT32_MAX)
                named[others_region / 64] |= (uint64_t)1 << others_region % 64;
            pthread_atfork(NULL, NULL, after_fork);
            pthread_key_create(&ending, thread_ends);
            auspex_stacks_start();
            auspex_counters_start();
            auspex_budget_start();
            auspex_objects();
            auspex_python_look();
#ifdef __GLIBC__
            on_exit(at_exit, NULL);
#else
            atexit(at_exit);
#endif
            at_quick_exit(at_quick_exit_too);
            auspex_watch_signals();
            auspex_sample();
        }
        mode = ok ? ON : OFF;
    }
    pthread_mutex_unlock(&lock);
    return mode == ON;
}

/* Gives a variable that is there another value, for the program and its children too.
 * Shells have a setenv of their own, which does nothing yet. */
static void becomes(const char *name, const char *value)
{
    size_t n = strlen(name);
    for (char **e = environ, *own; *e; e++)
        if (strncmp(*e, name, n) == 0 && (*e)[n] == '=' && asprintf(&own, "%s=%s", name, value) > 0)
            *e = own;
}

static int runs(const char *program)
{
    char path[4096];
    ssize_t n = program ? readlink("/proc/self/exe", path, sizeof path - 1) : -1;
    if (n <= 0)
        return 0;
    path[n] = 0;
    return strcmp(program, path) == 0;
}

/* The program that the command names is measured from its start, even if no event ever
 * comes, and so is what its process becomes (exec). AUSPEX_FOLLOW is that process, 0 for
 * the first that looks. */
__attribute__((constructor)) static void at_start(void)
{
    const char *preload = getenv("AUSPEX_PRELOAD"), *follow = getenv("AUSPEX_FOLLOW");
    if (preload) /* the children choose for themselves: choose.c */
        becomes("LD_PRELOAD", preload);
    char me[16];
    snprintf(me, sizeof me, "%d", (int)getpid());
    int followed = follow && (strcmp(follow, "0") == 0 || strcmp(follow, me) == 0);
    if (!followed && !runs(getenv("AUSPEX_TARGET")))
        return;
    becomes("AUSPEX_FOLLOW", me);
    self();
}

/* _exit skips what exit would have run. */
EXPORT void _exit(int code)
{
    finish(FINISHED, code);
    for (;;)
        syscall(SYS_exit_group, code);
}

EXPORT void _Exit(int code) { _exit(code); }

/* So does quick_exit, but for what was put in for it: that is run first. */
static int quick_code;
static void at_quick_exit_too(void) { finish(FINISHED, quick_code); }

EXPORT void quick_exit(int code)
{
    void (*real)(int);
    *(void **)&real = dlsym(RTLD_NEXT, "quick_exit");
    quick_code = code;
    real(code);
    _exit(code); /* not reached */
}

/* ---- threads and their trees ---- */

static struct place *add(struct thread *t, struct place *parent, uint32_t region)
{
    if (!t->room || t->room->used + sizeof(struct node) > CHUNK_SIZE - sizeof(struct chunk)) {
        struct chunk *c = auspex_chunk(NODES, (uint32_t)t->record.id);
        if (!c)
            return NULL;
        t->room = c;
    }
    pthread_mutex_lock(&lock);
    struct place *p = crumbs(sizeof *p);
    pthread_mutex_unlock(&lock);
    if (!p)
        return NULL;
    p->node = (struct node *)((char *)(t->room + 1) + t->room->used);
    p->parent = parent;
    p->region = region;
    p->depth = parent ? parent->depth + 1 : 0;
    p->index = t->nodes++;
    p->node->region = region;
    p->node->parent = parent ? parent->index : UINT32_MAX;
    __atomic_store_n(&t->room->used, t->room->used + (uint32_t)sizeof(struct node), __ATOMIC_RELEASE);
    return p;
}

static struct way *slot(struct way *ways, uint32_t mask, uint32_t from, uint32_t region)
{
    uint32_t i = (from * 0x9e3779b1u + region) & mask;
    while (ways[i].to && (ways[i].from != from || ways[i].region != region))
        i = (i + 1) & mask;
    return &ways[i];
}

static int widen(struct thread *t)
{
    uint32_t mask = t->mask ? t->mask * 2 + 1 : 1023;
    struct way *ways = pages(((size_t)mask + 1) * sizeof *ways);
    if (!ways)
        return -1;
    if (t->ways) {
        for (uint32_t i = 0; i <= t->mask; i++)
            if (t->ways[i].to)
                *slot(ways, mask, t->ways[i].from, t->ways[i].region) = t->ways[i];
        munmap(t->ways, ((size_t)t->mask + 1) * sizeof *ways);
    }
    t->ways = ways;
    t->mask = mask;
    return 0;
}

/* The place that entering region leads to. A region that is open already
 * leads back to its first place, so that recursion does not grow the tree. */
struct place *auspex_way(struct thread *t, struct place *from, uint32_t region)
{
    struct way *w = slot(t->ways, t->mask, from->index, region);
    if (w->to)
        return w->to;
    if (region == UINT32_MAX) {
        auspex_header->lost++;
        return NULL;
    }
    struct place *to = NULL;
    for (struct place *p = from; p && !to; p = p->parent)
        if (p->region == region)
            to = p;
    if (!to && (t->nodes >= MOST_PLACES || from->depth >= DEEPEST)) {
        if (!t->others)
            t->others = add(t, t->stack[0].place, others_region);
        return t->others; /* and no way there is kept */
    }
    if (!to && !(to = add(t, from, region))) {
        auspex_header->lost++;
        return NULL;
    }
    if (8 * ++t->known > t->mask && widen(t) != 0)
        return to;
    *slot(t->ways, t->mask, from->index, region) = (struct way){from->index, region, to};
    return to;
}

void auspex_deepen(struct thread *t)
{
    uint32_t capacity = t->capacity ? t->capacity * 4 : 512;
    struct opened *stack = pages(capacity * sizeof *stack);
    if (!stack) {
        t->depth--; /* the innermost region takes its place */
        return;
    }
    if (t->stack) {
        memcpy(stack, t->stack, ((size_t)t->depth + 1) * sizeof *stack);
        munmap(t->stack, t->capacity * sizeof *stack);
    }
    t->stack = stack;
    t->capacity = capacity;
}

/* Leaves what was left without a word (by longjmp, say) up to and with the
 * innermost open region of that number. */
void auspex_unwind(struct thread *t, uint32_t region)
{
    uint32_t depth = t->depth;
    while (depth > 0 && t->stack[depth].place->region != region)
        depth--;
    if (depth > 0)
        t->depth = depth;
    if (depth > 0 || t->top == t->others)
        leave(t); /* the region found no place of its own */
}

static void begin_thread(struct thread *t)
{
    auspex_thread_clock(t);
    auspex_allowed();
    int wanted = auspex_sampling || getenv("AUSPEX_TRACE_DIR");
    t->schedstat = wanted ? LATER : -1;
    if (wanted && t->record.id == 0)
        auspex_core_open(t);
    t->tid = (int)syscall(SYS_gettid);
    t->record.over = 0;
    t->record.own = t->born || t->tid == (int)getpid();
    if (t->schedstat != -1)
        t->top->node->blocked++; /* a tick says that the kernel tells */
    auspex_self = t;
    pthread_setspecific(ending, t);
    auspex_stacks_thread(t);
}

/* The calling thread goes on in the record of one that has ended. */
void auspex_thread_again(struct thread *t)
{
    t->depth = 0;
    t->quiet = 0;
    uint64_t since = nanos(CLOCK_THREAD_CPUTIME_ID);
    t->top = t->stack[0].place;
    t->record.current = t->top->index;
    t->brief = 0;
    begin_thread(t);
    t->cpu = own(since);
    t->record.last = ticks();
}

static void thread_ends(void *p)
{
    struct thread *t = p;
    if (mode != ON || t != auspex_self)
        return;
    if (t->born && !t->quiet)
        charge(t, ticks());
    uint64_t since = nanos(CLOCK_THREAD_CPUTIME_ID);
    t->record.over = 1;
    auspex_self = NULL;
    auspex_allowed();
    auspex_core_close(t);
    auspex_altstack_end();
    auspex_thread_over(t, since);
    own(since);
}

/* Begins the calling thread's record. id is the number wanted, -1 for the next
 * one free. */
struct thread *auspex_thread_start(int id)
{
    static uint64_t taken; /* of the first 64 numbers */
    static int next;
    if (mode == OFF)
        return NULL;
    uint64_t since = nanos(CLOCK_THREAD_CPUTIME_ID);
    if (!auspex_on())
        return NULL;
    pthread_mutex_lock(&lock);
    if (id < 0 || id >= 64 || taken >> id & 1)
        for (id = next; id < 64 && taken >> id & 1;)
            id++;
    if (id < 64)
        taken |= (uint64_t)1 << id;
    else
        next = id + 1;
    auspex_header->threads++;
    pthread_mutex_unlock(&lock);
    struct chunk *c = auspex_chunk(THREAD, (uint32_t)id);
    if (!c)
        return NULL;
    struct thread *t = (struct thread *)(c + 1);
    t->record.id = id;
    t->until = OFTEN;
    c->used = sizeof t->record;
    auspex_deepen(t);
    if (!t->stack || widen(t) != 0)
        return NULL;
    struct place *root = add(t, NULL, program_region);
    if (!root)
        return NULL;
    root->node->calls = 1;
    t->top = t->stack[0].place = root;
    auspex_living(t);
    begin_thread(t);
    if (auspex_header->price == 0) {
        auspex_price(t);
        auspex_header->file_price = auspex_file_price(t);
    }
    t->cpu = own(since);
    t->record.first = t->record.last = ticks();
    return t;
}
