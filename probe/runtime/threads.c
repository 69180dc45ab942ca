/* Threads that the program makes itself: each that is made outside of MPI and
 * of OpenMP's own library is measured from its start, and its record serves
 * the next one when it has ended, so that records are as many as threads lived
 * at once. */
#include "counters.h"
#include "stacks.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct beginning { void *(*body)(void *); void *argument; struct beginning *next; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct beginning *unused;
static struct thread *ended, *ended_workers;

/* Where threads begin, and whether that is in OpenMP's library: a program may make
 * thousands of threads, and looking an address up takes a tenth of a millisecond. */
enum { BODIES = 256 };
static struct { void *(*body)(void *); int of; } bodies[BODIES];

static int look_up(void *(*body)(void *))
{
    Dl_info info;
    if (!dladdr((void *)body, &info) || !info.dli_fname)
        return 0;
    const char *name = strrchr(info.dli_fname, '/');
    name = name ? name + 1 : info.dli_fname;
    return strncmp(name, "libgomp.", 8) == 0 || strncmp(name, "libomp.", 7) == 0 || strncmp(name, "libiomp5.", 9) == 0;
}

/* OpenMP's workers are known by their numbers when they first take part. */
static int of_openmp(void *(*body)(void *))
{
    uint32_t i = (uint32_t)(((uintptr_t)body * 0x9e3779b97f4a7c15u) >> 56);
    pthread_mutex_lock(&lock);
    int known = bodies[i].body == body, of = bodies[i].of;
    pthread_mutex_unlock(&lock);
    if (known)
        return of;
    of = look_up(body);
    pthread_mutex_lock(&lock);
    bodies[i].body = body;
    bodies[i].of = of;
    pthread_mutex_unlock(&lock);
    return of;
}

static void *begin(void *p)
{
    struct beginning b = *(struct beginning *)p;
    pthread_mutex_lock(&lock);
    ((struct beginning *)p)->next = unused;
    unused = p;
    struct thread *t = ended;
    if (t)
        ended = t->next;
    pthread_mutex_unlock(&lock);
    if (t) {
        auspex_thread_again(t);
        t->stack[0].place->node->calls++; /* so many threads have been in it */
    } else {
        t = auspex_thread_start(-1);
    }
    if (t)
        t->born = (int)(t->record.own = 1);
    return b.body(b.argument);
}

/* The record of an OpenMP worker. libgomp ends workers and makes new ones whenever the
 * size of a team changes and after every parallel region inside another: a new one
 * goes on in the record of one that has ended, of the same number if there is one.
 * Workers of teams inside others have records of their own, so that those of the
 * outermost teams can be compared. */
struct thread *auspex_worker(int number, int inner)
{
    struct thread **found = NULL, *t = NULL;
    int kind = inner ? INNER_WORKER : WORKER;
    pthread_mutex_lock(&lock);
    for (struct thread **at = &ended_workers; *at && !(found && (*found)->record.id == number); at = &(*at)->next)
        if ((*at)->worker == kind && !__atomic_load_n(&(*at)->unsettled, __ATOMIC_ACQUIRE) && (!found || (*at)->record.id == number))
            found = at;
    if (found) {
        t = *found;
        *found = t->next;
    }
    pthread_mutex_unlock(&lock);
    if (t)
        auspex_thread_again(t);
    else if ((t = auspex_thread_start(inner ? -1 : number)))
        t->worker = kind;
    return t;
}

/* A thread of ours has come to its end, after so many ns of CPU time. */
void auspex_thread_over(struct thread *t, uint64_t cpu)
{
    if (t->walker)
        t->walker->brief = cpu < auspex_sampling ? t->walker->brief + 1 : 0;
    auspex_stacks_thread_end(t);
    auspex_switches_close(t);
    auspex_counters_close(t);
    if (!t->born && !t->worker)
        return;
    struct thread **list = t->worker ? &ended_workers : &ended;
    pthread_mutex_lock(&lock);
    t->next = *list;
    *list = t;
    pthread_mutex_unlock(&lock);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    struct thread *t = auspex_self;
    if (!auspex_sampling || !t || t->quiet || of_openmp(body))
        return real(thread, attributes, body, argument);
    pthread_mutex_lock(&lock);
    struct beginning *b = unused;
    if (b)
        unused = b->next;
    pthread_mutex_unlock(&lock);
    if (!b && !(b = malloc(sizeof *b)))
        return real(thread, attributes, body, argument);
    *b = (struct beginning){body, argument, NULL};
    return real(thread, attributes, begin, b);
}
