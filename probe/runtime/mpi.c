/* MPI: what the generated wrappers call. */
#include <mpi.h>
#include "probe.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- entering and leaving ---- */

/* Where no region of the program's own is open, MPI calls are told apart by
 * where they stand, and so is the computation that leads to them. */
struct site { const void *address; struct auspex_region *region; uint32_t call, before; };
static struct site sites[4096];
static pthread_mutex_t site_lock = PTHREAD_MUTEX_INITIALIZER;

static struct site *site_at(struct auspex_region *r, const void *address)
{
    uint32_t i = (uint32_t)((uintptr_t)address >> 2) % 4096, n;
    for (n = 0; n < 4096; n++, i = (i + 1) % 4096) {
        const void *a = __atomic_load_n(&sites[i].address, __ATOMIC_ACQUIRE);
        if (a == address && sites[i].region == r)
            return &sites[i];
        if (!a)
            break;
    }
    uint32_t call = auspex_site(r->name, MPI_CALL, address), before = auspex_site(r->name, COMPUTE, address);
    struct site *s = NULL;
    pthread_mutex_lock(&site_lock);
    for (; n < 4096 && sites[i].address; n++)
        i = (i + 1) % 4096;
    if (n < 4096 - 64) {
        s = &sites[i];
        s->region = r;
        s->call = call;
        s->before = before;
        __atomic_store_n(&s->address, address, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&site_lock);
    return s;
}

/* Returns NULL inside another MPI call: the outer one is counted. */
static __attribute__((noinline)) struct thread *mpi_enter(struct auspex_region *r, const void *address)
{
    struct thread *t = self();
    if (unlikely(!t || t->quiet))
        return NULL;
    uint64_t now = ticks();
    t->quiet = 1;
    if (t->depth == 0) {
        struct site *s = site_at(r, address);
        if (s) {
            enter(t, s->before);
            charge(t, now);
            leave(t);
            enter(t, s->call);
            return t;
        }
    }
    charge(t, now);
    uint32_t id = (uint32_t)__atomic_load_n(&r->id, __ATOMIC_RELAXED);
    enter(t, unlikely(id == UINT32_MAX) ? auspex_intern(r) : id);
    return t;
}

static __attribute__((noinline)) void mpi_leave(struct thread *t)
{
    charge(t, ticks());
    leave(t);
    t->quiet = 0;
}

/* ---- counting ---- */

static inline uint64_t size_of(MPI_Datatype type)
{
    int size = 0;
    if (type == MPI_DATATYPE_NULL)
        return 0;
    PMPI_Type_size(type, &size);
    return size > 0 ? (uint64_t)size : 0;
}

static void sent(struct thread *t, uint64_t n, MPI_Datatype type, int peer)
{
    if (peer == MPI_PROC_NULL)
        return;
    t->top->node->messages++;
    t->top->node->sent += n * size_of(type);
}

static void received(struct thread *t, MPI_Status *status)
{
    int n = 0;
    if (status->MPI_SOURCE == MPI_PROC_NULL)
        return;
    if (PMPI_Get_count(status, MPI_BYTE, &n) != MPI_SUCCESS)
        return;
    MPI_Count many = n;
    if (n < 0) /* more than an int holds */
        PMPI_Get_elements_x(status, MPI_BYTE, &many);
    if (many > 0)
        t->top->node->received += (uint64_t)many;
}

static void posted(struct thread *t, uint64_t n, MPI_Datatype type, int peer)
{
    if (peer != MPI_PROC_NULL)
        t->top->node->received += n * size_of(type);
}

static void collective(struct thread *t, uint64_t n, MPI_Datatype type)
{
    t->top->node->collective += n * size_of(type);
}

static inline int size_of_comm(MPI_Comm comm)
{
    int n = 0, inter = 0;
    if (comm == MPI_COMM_NULL)
        return 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        PMPI_Comm_remote_size(comm, &n);
    else
        PMPI_Comm_size(comm, &n);
    return n;
}

/* The whole call is input or output. */
static inline void file_time(struct thread *t)
{
    t->top->node->io_time += ticks() - t->record.last;
}

static void file_read(struct thread *t, uint64_t n, MPI_Datatype type)
{
    t->top->node->io_read += n * size_of(type);
}

static void file_written(struct thread *t, uint64_t n, MPI_Datatype type)
{
    t->top->node->io_written += n * size_of(type);
}

/* ---- requests: receives are counted when they complete ---- */

enum { RECEIVE = 1, SEND = 2, PERSISTENT = 4 };
struct request { MPI_Request handle; int what; uint64_t bytes; struct request *next; };
static struct request *requests[1024], *unused;
static pthread_mutex_t request_lock = PTHREAD_MUTEX_INITIALIZER;

static inline struct request **bucket(MPI_Request r)
{
    uintptr_t v = (uintptr_t)r;
    return &requests[(v ^ v >> 7 ^ v >> 17) % 1024];
}

static void request_add(MPI_Request r, int what, uint64_t bytes)
{
    if (r == MPI_REQUEST_NULL)
        return;
    pthread_mutex_lock(&request_lock);
    struct request **at = bucket(r), *q = *at;
    while (q && q->handle != r)
        q = q->next;
    if (!q) {
        if ((q = unused))
            unused = q->next;
        else
            q = malloc(sizeof *q);
        if (q) {
            q->handle = r;
            q->next = *at;
            *at = q;
        }
    }
    if (q) {
        q->what = what;
        q->bytes = bytes;
    }
    pthread_mutex_unlock(&request_lock);
}

static void request_new(MPI_Request *r, int what, uint64_t n, MPI_Datatype type, int peer)
{
    if (peer != MPI_PROC_NULL)
        request_add(*r, what, n * size_of(type));
}

/* What is known of a request; one that is not persistent is forgotten. */
static struct request request_done(MPI_Request r, int forget)
{
    struct request found = {0};
    pthread_mutex_lock(&request_lock);
    for (struct request **at = bucket(r); *at; at = &(*at)->next)
        if ((*at)->handle == r) {
            struct request *q = *at;
            found = *q;
            if (forget || !(q->what & PERSISTENT)) {
                *at = q->next;
                q->next = unused;
                unused = q;
            }
            break;
        }
    pthread_mutex_unlock(&request_lock);
    return found;
}

static void request_started(struct thread *t, MPI_Request r)
{
    struct request q = request_done(r, 0);
    if (q.what & SEND) {
        t->top->node->messages++;
        t->top->node->sent += q.bytes;
    }
}

/* A request completed; without a status the posted size stands for the
 * received one. */
static void completed(struct thread *t, MPI_Request r, MPI_Status *status)
{
    if (r == MPI_REQUEST_NULL)
        return;
    struct request q = request_done(r, 0);
    if (!(q.what & RECEIVE))
        return;
    if (status)
        received(t, status);
    else
        t->top->node->received += q.bytes;
}

/* Room for requests and statuses of one wait. */
enum { FEW = 64 };
struct batch {
    MPI_Request few_requests[FEW], *requests;
    MPI_Status few_statuses[FEW], *statuses;
    int n;
};

static void batch_open(struct batch *b, int n, MPI_Request *requests_in, const MPI_Fint *fortran, int statuses)
{
    b->requests = b->few_requests;
    b->statuses = b->few_statuses;
    b->n = n > 0 ? n : 0;
    if (b->n > FEW) {
        b->requests = malloc((size_t)n * sizeof *b->requests);
        b->statuses = statuses ? malloc((size_t)n * sizeof *b->statuses) : NULL;
        if (!b->requests)
            b->n = 0;
    }
    if (!statuses)
        b->statuses = NULL;
    for (int i = 0; i < b->n; i++)
        b->requests[i] = fortran ? PMPI_Request_f2c(fortran[i]) : requests_in[i];
}

static void batch_close(struct batch *b)
{
    if (b->requests != b->few_requests)
        free(b->requests);
    if (b->statuses && b->statuses != b->few_statuses)
        free(b->statuses);
}

static void batch_done(struct thread *t, struct batch *b, int i, MPI_Status *status)
{
    if (i >= 0 && i < b->n)
        completed(t, b->requests[i], status);
}

/* ---- start and end of MPI ---- */

static void mpi_started(void)
{
    int n = 0;
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    if (!auspex_header)
        return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &auspex_header->rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &auspex_header->ranks);
    PMPI_Get_library_version(version, &n);
    strncpy(auspex_header->mpi, version, sizeof auspex_header->mpi - 1);
    auspex_clock_note(auspex_header);
    auspex_watch_signals();
}

static void *next_symbol(const char *name) { return dlsym(RTLD_NEXT, name); }

#include "mpi_calls.h"
