/* One rank alone. Part of mpi.c where it is built with AUSPEX_ANSWERS.
 *
 * With AUSPEX_RECORD=0,3 the ranks named write down what MPI gives them: buffers,
 * statuses, flags, what their communicators are. With AUSPEX_ANSWER=3 rank 3 is given
 * just that in another run, and nobody is asked: the other ranks sleep from MPI_Init on,
 * so that it has the machine to itself (Zhai, Chen and Zheng, "PHANTOM", PPoPP 2010). It
 * must make the same calls again: where it does not, it ends and says so.
 *
 * Both ways go through the same code: what is put into the record in one run is taken out
 * of it in the other. A record is a row of heads, each with its answer after it. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RECORDING = 1, ANSWERING };
static int answers; /* 0 where this rank does neither */

/* An answer that came so many times in a row: a program may look for a message a million
 * times. given is made of the call's arguments. */
struct head { uint64_t call, given, size, times; int64_t result; };
static struct head head, before;
static char *answer, *answer_before; /* what belongs to them; of a record that is read, in its file */
static size_t answer_room, answer_before_room, answer_at;
static int record_file = -1, lock_file = -1;
static uint64_t record_size, record_limit, calls_made;
static char *record;

static const char *answered_call(uint64_t call); /* its name */

/* Tells why this rank cannot be measured alone, for whoever started it. */
static void tell_refusal(const char *format, ...)
{
    const char *dir = getenv("AUSPEX_ANSWERS_DIR");
    char path[4096], text[512];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!dir || (size_t)snprintf(path, sizeof path, "%s/%d.refused", dir, rank) >= sizeof path)
        return;
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0 || write(file, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1) < 0)
        fprintf(stderr, "auspex: %s\n", text);
    close(file);
}

/* The record cannot go on: the program can. */
static void give_up(void)
{
    close(record_file);
    answers = 0;
}

/* The program does not do what it did when it was recorded. */
static void departed(void)
{
    auspex_file_close(ABORTED, 1);
    PMPI_Abort(MPI_COMM_WORLD, 1);
}

/* A call that no record answers. */
static void unanswerable(const char *name)
{
    if (!answers)
        return;
    tell_refusal("it calls %s", name);
    if (answers == RECORDING)
        give_up();
    else
        departed();
}

/* ---- the record ---- */

static int write_record(const void *from, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = write(record_file, (const char *)from + at, size - at);
        if (n <= 0)
            return 0;
        at += (size_t)n;
    }
    return 1;
}

static void flush_answer(void)
{
    if (before.times == 0)
        return;
    record_size += sizeof before + before.size;
    if (record_size > record_limit) {
        tell_refusal("what it receives is more than the %.3g GB that a record may hold", (double)record_limit / 1e9);
        give_up();
    } else if (!write_record(&before, sizeof before) || !write_record(answer_before, before.size)) {
        tell_refusal("its record could not be written");
        give_up();
    }
}

/* So many bytes more of the answer at hand; NULL where there are none. */
static char *answer_bytes(size_t size)
{
    if (answers == ANSWERING) {
        if (answer_at + size > head.size) {
            tell_refusal("call %llu, %s, asks for more than it was given in the record", (unsigned long long)calls_made, answered_call(head.call));
            departed();
        }
    } else if (head.size + size > answer_room) {
        size_t room = 2 * (head.size + size);
        char *more = realloc(answer, room);
        if (!more) {
            tell_refusal("there is no memory for a message of %.3g GB in its record", (double)size / 1e9);
            give_up();
            return NULL;
        }
        answer = more;
        answer_room = room;
    }
    char *at = answer + answer_at;
    answer_at += size;
    if (answers == RECORDING)
        head.size = answer_at;
    return at;
}

/* A value that MPI gave the program, or that it is to be given. */
static void value(void *v, size_t size)
{
    char *at = answers ? answer_bytes(size) : NULL;
    if (!at)
        return;
    if (answers == RECORDING)
        memcpy(at, v, size);
    else
        memcpy(v, at, size);
}

static int number(int n)
{
    value(&n, sizeof n);
    return n;
}

static uint64_t given(const int64_t *list, int n)
{
    uint64_t h = 0x243f6a88;
    for (int i = 0; i < n; i++) {
        h = (h ^ (uint64_t)list[i]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h;
}

/* Goes on to the next answer of a record that is read. */
static int next_answer(void)
{
    record += head.size;
    record_size -= head.size;
    head.times = head.size = 0;
    if (record_size < sizeof head)
        return 0;
    memcpy(&head, record, sizeof head);
    record += sizeof head;
    record_size -= sizeof head;
    answer = record;
    return head.size <= record_size;
}

/* Begins the answer to a call; returns what the call returns. */
static int answer_begin(uint64_t call, uint64_t arguments, int result)
{
    calls_made++;
    answer_at = 0;
    if (answers == RECORDING) {
        head = (struct head){call, arguments, 0, 1, result};
        return result;
    }
    if (head.times > 1)
        head.times--;
    else if (!next_answer()) {
        tell_refusal("call %llu, %s, comes after the end of its record", (unsigned long long)calls_made, answered_call(call));
        departed();
    }
    if (head.call != call) {
        tell_refusal("call %llu is %s, and was %s in the run with all ranks", (unsigned long long)calls_made, answered_call(call), answered_call(head.call));
        departed();
    }
    if (head.given != arguments) {
        tell_refusal("call %llu, %s, has other arguments than in the run with all ranks", (unsigned long long)calls_made, answered_call(call));
        departed();
    }
    return (int)head.result;
}

static void answer_end(void)
{
    if (answers != RECORDING)
        return;
    if (before.times > 0 && head.call == before.call && head.given == before.given && head.result == before.result && head.size == before.size &&
        memcmp(answer, answer_before, head.size) == 0) {
        before.times++;
        return;
    }
    flush_answer();
    char *other = answer_before;
    size_t room = answer_before_room;
    before = head;
    answer_before = answer;
    answer_before_room = answer_room;
    answer = other;
    answer_room = room;
}

/* ---- buffers ---- */

/* What a call receives, or a request will. */
struct piece { void *buffer; MPI_Count count; MPI_Datatype type; };
static struct piece *pieces;
static int piece_count, piece_room;

static void piece(const void *buffer, MPI_Count count, MPI_Datatype type)
{
    if (!answers || count <= 0)
        return;
    if (piece_count == piece_room) {
        int room = piece_room ? 2 * piece_room : 16;
        struct piece *more = realloc(pieces, (size_t)room * sizeof *pieces);
        if (!more)
            return;
        pieces = more;
        piece_room = room;
    }
    pieces[piece_count++] = (struct piece){(void *)buffer, count, type};
}

static const void *place(const void *buffer, MPI_Aint elements, MPI_Datatype type)
{
    MPI_Aint lower, extent = 0;
    PMPI_Type_get_extent(type, &lower, &extent);
    return (const char *)buffer + elements * extent;
}

/* A buffer is packed for the record in parts, so that sizes are an int's. */
enum { AT_ONCE_PACKED = 1 << 26 };

static void pack(const struct piece *p)
{
    int size = 0, room = 0;
    PMPI_Type_size(p->type, &size);
    MPI_Count most = size > 0 ? AT_ONCE_PACKED / size : 0, left = p->count;
    const char *at = p->buffer;
    if (size == 0)
        return;
    for (most = most > 0 ? most : 1; left > 0 && answers;) {
        int n = (int)(left < most ? left : most), used = 0;
        PMPI_Pack_size(n, p->type, MPI_COMM_SELF, &room);
        size_t start = answer_at;
        if (answers == RECORDING) {
            int *length = (int *)answer_bytes(sizeof room);
            char *to = length ? answer_bytes((size_t)room) : NULL;
            if (!to)
                return;
            PMPI_Pack((void *)at, n, p->type, to, room, &used, MPI_COMM_SELF);
            memcpy(answer + start, &used, sizeof used);
            answer_at = head.size = start + sizeof used + (size_t)used;
        } else {
            int length = number(0), from = 0;
            if (length > room) {
                tell_refusal("call %llu, %s, receives less than in the run with all ranks", (unsigned long long)calls_made, answered_call(head.call));
                departed();
            }
            PMPI_Unpack(answer_bytes((size_t)length), length, &from, (void *)at, n, p->type, MPI_COMM_SELF);
        }
        at = place(at, n, p->type);
        left -= n;
    }
}

/* How much of a buffer a message has filled. */
static MPI_Count filled(const MPI_Status *status, MPI_Count count, MPI_Datatype type)
{
    int n = MPI_UNDEFINED;
    if (status && PMPI_Get_count(status, type, &n) == MPI_SUCCESS && n != MPI_UNDEFINED && n < count)
        return n;
    return count;
}

static void answer_pieces(struct piece *list, int n, const MPI_Status *status)
{
    for (int i = 0; i < n; i++) {
        list[i].count = filled(status, list[i].count, list[i].type);
        pack(&list[i]);
    }
}

/* ---- communicators ---- */

/* One that a rank alone has made is a copy of MPI_COMM_SELF, with what it would be kept
 * here. near are the neighbours in its topology that it receives from. */
static struct known { MPI_Comm handle; int me, size, inter, remote, near, *world, *world_remote; } *known;
static int known_count, known_room;

static struct known *known_comm(MPI_Comm handle)
{
    for (int i = known_count; i-- > 0;)
        if (known[i].handle == handle)
            return &known[i];
    return NULL;
}

static int answer_Comm_rank(MPI_Comm comm, int *rank)
{
    struct known *k = known_comm(comm);
    if (!k)
        return PMPI_Comm_rank(comm, rank);
    *rank = k->me;
    return MPI_SUCCESS;
}

static int answer_Comm_size(MPI_Comm comm, int *size)
{
    struct known *k = known_comm(comm);
    if (!k)
        return PMPI_Comm_size(comm, size);
    *size = k->size;
    return MPI_SUCCESS;
}

static int answer_Comm_test_inter(MPI_Comm comm, int *flag)
{
    struct known *k = known_comm(comm);
    if (!k)
        return PMPI_Comm_test_inter(comm, flag);
    *flag = k->inter;
    return MPI_SUCCESS;
}

static int answer_Comm_remote_size(MPI_Comm comm, int *size)
{
    struct known *k = known_comm(comm);
    if (!k)
        return PMPI_Comm_remote_size(comm, size);
    *size = k->remote;
    return MPI_SUCCESS;
}

static int group_of(const int *ranks, int n, MPI_Group *group)
{
    MPI_Group all;
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    int result = PMPI_Group_incl(all, n, (int *)ranks, group);
    PMPI_Group_free(&all);
    return result;
}

static int answer_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    struct known *k = known_comm(comm);
    return k ? group_of(k->world, k->size, group) : PMPI_Comm_group(comm, group);
}

static int answer_Comm_remote_group(MPI_Comm comm, MPI_Group *group)
{
    struct known *k = known_comm(comm);
    return k ? group_of(k->world_remote, k->remote, group) : PMPI_Comm_remote_group(comm, group);
}

static int answer_Comm_compare(MPI_Comm a, MPI_Comm b, int *result)
{
    MPI_Group one, other;
    if (!known_comm(a) && !known_comm(b))
        return PMPI_Comm_compare(a, b, result);
    *result = MPI_IDENT;
    if (a == b)
        return MPI_SUCCESS;
    answer_Comm_group(a, &one);
    answer_Comm_group(b, &other);
    PMPI_Group_compare(one, other, result);
    PMPI_Group_free(&one);
    PMPI_Group_free(&other);
    if (*result == MPI_IDENT)
        *result = MPI_CONGRUENT;
    return MPI_SUCCESS;
}

static int neighbours(MPI_Comm comm)
{
    int kind = MPI_UNDEFINED, n = 0, out, weighted, me;
    PMPI_Topo_test(comm, &kind);
    PMPI_Comm_rank(comm, &me);
    if (kind == MPI_CART && PMPI_Cartdim_get(comm, &n) == MPI_SUCCESS)
        return 2 * n;
    if (kind == MPI_GRAPH)
        PMPI_Graph_neighbors_count(comm, me, &n);
    if (kind == MPI_DIST_GRAPH)
        PMPI_Dist_graph_neighbors_count(comm, &n, &out, &weighted);
    return n;
}

static int near_in(MPI_Comm comm)
{
    struct known *k = known_comm(comm);
    return k ? k->near : neighbours(comm);
}

static void world_ranks(MPI_Group group, int n, int *ranks)
{
    MPI_Group all;
    int *mine = malloc((size_t)(n + 1) * sizeof *mine);
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int i = 0; mine && i < n; i++)
        mine[i] = i;
    if (mine)
        PMPI_Group_translate_ranks(group, n, mine, all, ranks);
    free(mine);
    PMPI_Group_free(&all);
    PMPI_Group_free(&group);
}

/* What there is to know of a communicator that was made. */
static struct known describe_comm(MPI_Comm made)
{
    struct known k = {.handle = made};
    MPI_Group group;
    if (answers == RECORDING) {
        PMPI_Comm_rank(made, &k.me);
        PMPI_Comm_size(made, &k.size);
        PMPI_Comm_test_inter(made, &k.inter);
        if (k.inter)
            PMPI_Comm_remote_size(made, &k.remote);
        else
            k.near = neighbours(made);
    }
    int *fields[] = {&k.me, &k.size, &k.inter, &k.remote, &k.near};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        *fields[i] = number(*fields[i]);
    k.world = calloc((size_t)k.size + 1, sizeof *k.world);
    k.world_remote = calloc((size_t)k.remote + 1, sizeof *k.world_remote);
    if (!k.world || !k.world_remote)
        return k;
    if (answers == RECORDING) {
        PMPI_Comm_group(made, &group);
        world_ranks(group, k.size, k.world);
        if (k.inter) {
            PMPI_Comm_remote_group(made, &group);
            world_ranks(group, k.remote, k.world_remote);
        }
    }
    value(k.world, (size_t)k.size * sizeof *k.world);
    value(k.world_remote, (size_t)k.remote * sizeof *k.world_remote);
    return k;
}

static void forget(struct known *k)
{
    free(k->world);
    free(k->world_remote);
}

/* A communicator that was made of another: a copy of that one keeps its attributes, but
 * for one of the world, of which nobody else would take part. */
static void answer_comm(MPI_Comm *made, MPI_Comm parent)
{
    int there = number(answers == RECORDING && *made != MPI_COMM_NULL);
    if (!there) {
        *made = MPI_COMM_NULL;
        return;
    }
    struct known k = describe_comm(*made);
    if (answers == RECORDING) {
        forget(&k);
        return;
    }
    PMPI_Comm_dup(known_comm(parent) ? parent : MPI_COMM_SELF, made);
    k.handle = *made;
    if (known_count == known_room) {
        int room = known_room ? 2 * known_room : 16;
        struct known *more = realloc(known, (size_t)room * sizeof *known);
        if (!more)
            return;
        known = more;
        known_room = room;
    }
    known[known_count++] = k;
}

static int answer_Comm_free(MPI_Comm *comm)
{
    struct known *k = known_comm(*comm);
    if (k) {
        forget(k);
        *k = known[--known_count];
    }
    return PMPI_Comm_free(comm);
}

static int answer_Comm_disconnect(MPI_Comm *comm)
{
    return answers == ANSWERING ? answer_Comm_free(comm) : PMPI_Comm_disconnect(comm);
}

static int comm_ranks(MPI_Comm comm)
{
    int n = 0, inter = 0;
    answer_Comm_test_inter(comm, &inter);
    if (inter)
        answer_Comm_remote_size(comm, &n);
    else
        answer_Comm_size(comm, &n);
    return n;
}

static int rank_in(MPI_Comm comm)
{
    int me = 0;
    answer_Comm_rank(comm, &me);
    return me;
}

/* Whether this rank is what a collective's root names: between groups the root says so
 * itself. */
static int rooted(int root, MPI_Comm comm)
{
    int inter = 0;
    answer_Comm_test_inter(comm, &inter);
    return inter ? root == MPI_ROOT : root == rank_in(comm);
}

/* Whether this rank gets something from a collective's root. */
static int from_root(int root, MPI_Comm comm)
{
    int inter = 0;
    answer_Comm_test_inter(comm, &inter);
    return !inter || (root != MPI_ROOT && root != MPI_PROC_NULL);
}

/* ---- requests ---- */

/* One that receives, or that a rank alone has made: to MPI it is a receive from nobody. */
struct pending {
    MPI_Request handle;
    int persistent, receives, active, count;
    struct piece *pieces;
    struct pending *next;
};
static struct pending *pending[1024];

static struct pending **pending_at(MPI_Request r)
{
    uintptr_t v = (uintptr_t)r;
    struct pending **at = &pending[(v ^ v >> 7 ^ v >> 17) % 1024];
    while (*at && (*at)->handle != r)
        at = &(*at)->next;
    return at;
}

static void pending_drop(struct pending **at)
{
    struct pending *p = *at;
    *at = p->next;
    for (int i = 0; i < p->count; i++)
        PMPI_Type_free(&p->pieces[i].type);
    free(p->pieces);
    free(p);
}

/* A request was made, which the pieces at hand are received by. The program may free
 * their types before it is over. */
static void answer_request(MPI_Request *r, int persistent, int receives)
{
    int there = number(answers == RECORDING && *r != MPI_REQUEST_NULL);
    if (answers == ANSWERING) {
        *r = MPI_REQUEST_NULL;
        if (there)
            PMPI_Recv_init(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, r);
    }
    struct pending *p = there && (piece_count > 0 || answers == ANSWERING) ? calloc(1, sizeof *p) : NULL;
    if (p) {
        *p = (struct pending){*r, persistent, receives, !persistent, piece_count, malloc((size_t)(piece_count + 1) * sizeof *pieces), NULL};
        for (int i = 0; p->pieces && i < piece_count; i++) {
            p->pieces[i] = pieces[i];
            PMPI_Type_dup(pieces[i].type, &p->pieces[i].type);
        }
        struct pending **at = pending_at(*r);
        while (*at) /* after others of the same name */
            at = &(*at)->next;
        *at = p;
    }
    piece_count = 0;
}

/* What a request has received. */
static void deliver(const struct pending *p, const MPI_Status *status)
{
    int cancelled = 0;
    if (p->receives)
        PMPI_Test_cancelled(status, &cancelled);
    for (int i = 0; p->active && !cancelled && i < p->count; i++) {
        struct piece q = p->pieces[i];
        if (p->receives)
            q.count = filled(status, q.count, q.type);
        pack(&q);
    }
}

/* A request is over, and the program's name of it with it. */
static void answer_completed(MPI_Request was, MPI_Request *now, const MPI_Status *status)
{
    struct pending **at = pending_at(was), *p = *at;
    if (!p || was == MPI_REQUEST_NULL)
        return;
    deliver(p, status);
    p->active = 0;
    if (p->persistent)
        return;
    pending_drop(at);
    if (answers == ANSWERING) {
        PMPI_Request_free(&was);
        *now = MPI_REQUEST_NULL;
    }
}

static void request_active(MPI_Request r)
{
    struct pending *p = *pending_at(r);
    if (p)
        p->active = 1;
}

static int answer_Start(MPI_Request *r)
{
    request_active(*r);
    return answers == ANSWERING ? MPI_SUCCESS : PMPI_Start(r);
}

static int answer_Startall(int n, MPI_Request *list)
{
    for (int i = 0; i < n; i++)
        request_active(list[i]);
    return answers == ANSWERING ? MPI_SUCCESS : PMPI_Startall(n, list);
}

static int answer_Request_free(MPI_Request *r)
{
    struct pending **at = pending_at(*r);
    if (*at && answers == RECORDING && (*at)->active && (*at)->count > 0)
        unanswerable("MPI_Request_free of a receive that is not over");
    if (*at)
        pending_drop(at);
    return PMPI_Request_free(r);
}

static int answer_Cancel(MPI_Request *r) { return answers == ANSWERING ? MPI_SUCCESS : PMPI_Cancel(r); }

/* Statuses of the program's, or our own where it wants none. */
struct wait { MPI_Request few_handles[16], *handles; MPI_Status few_statuses[16], *statuses; };

static void wait_open(struct wait *w, int n, const MPI_Request *list, MPI_Status *statuses)
{
    w->handles = n > 16 ? malloc((size_t)n * sizeof *list) : w->few_handles;
    memcpy(w->handles, list, (size_t)(n > 0 ? n : 0) * sizeof *list);
    w->statuses = statuses != MPI_STATUSES_IGNORE ? statuses : n > 16 ? malloc((size_t)n * sizeof *statuses) : w->few_statuses;
}

static void wait_close(struct wait *w, MPI_Status *statuses)
{
    if (w->handles != w->few_handles)
        free(w->handles);
    if (statuses == MPI_STATUSES_IGNORE && w->statuses != w->few_statuses)
        free(w->statuses);
}

enum completion { WAIT, TEST, WAITALL, TESTALL, WAITANY, TESTANY, WAITSOME, TESTSOME, GET_STATUS, COMPLETIONS };

static int really_complete(enum completion how, int n, MPI_Request *list, int *flag, int *index, int *indices, MPI_Status *statuses)
{
    switch (how) {
    case WAIT: return PMPI_Wait(list, statuses);
    case TEST: return PMPI_Test(list, flag, statuses);
    case WAITALL: return PMPI_Waitall(n, list, statuses);
    case TESTALL: return PMPI_Testall(n, list, flag, statuses);
    case WAITANY: return PMPI_Waitany(n, list, index, statuses);
    case TESTANY: return PMPI_Testany(n, list, index, flag, statuses);
    case WAITSOME: return PMPI_Waitsome(n, list, index, indices, statuses);
    case TESTSOME: return PMPI_Testsome(n, list, index, indices, statuses);
    default: return PMPI_Request_get_status(*list, flag, statuses);
    }
}

/* All calls that tell of requests that are over. index is how many of some are. */
static int complete(enum completion how, int n, MPI_Request *list, int *flag, int *index, int *indices, MPI_Status *statuses)
{
    int one = how == WAIT || how == TEST || how == WAITANY || how == TESTANY || how == GET_STATUS;
    int result = MPI_SUCCESS, done = 1, at = 0;
    struct wait w;
    if (one && statuses == MPI_STATUS_IGNORE)
        statuses = MPI_STATUSES_IGNORE;
    if (!answers)
        return really_complete(how, n, list, flag, index, indices, one && statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses);
    wait_open(&w, n, list, statuses);
    if (answers == RECORDING)
        result = really_complete(how, n, list, flag ? flag : &done, index ? index : &at, indices, w.statuses);
    result = answer_begin((uint64_t)how, (uint64_t)n, result);
    if (result == MPI_SUCCESS) {
        if (flag)
            done = *flag = number(*flag);
        if (index)
            at = *index = number(*index);
        switch (how) {
        case WAITALL:
        case TESTALL:
            for (int i = 0; done && i < n; i++) {
                value(&w.statuses[i], sizeof *w.statuses);
                answer_completed(w.handles[i], &list[i], &w.statuses[i]);
            }
            break;
        case WAITSOME:
        case TESTSOME:
            for (int i = 0; at != MPI_UNDEFINED && i < at; i++) {
                indices[i] = number(indices[i]);
                value(&w.statuses[i], sizeof *w.statuses);
                answer_completed(w.handles[indices[i]], &list[indices[i]], &w.statuses[i]);
            }
            break;
        case GET_STATUS: /* the data are there, and the request stays */
            if (done)
                value(w.statuses, sizeof *w.statuses);
            if (done && *pending_at(*list))
                deliver(*pending_at(*list), w.statuses);
            break;
        default:
            if (done)
                value(w.statuses, sizeof *w.statuses);
            if (done && at >= 0)
                answer_completed(w.handles[at], &list[at], w.statuses);
        }
    }
    answer_end();
    wait_close(&w, statuses);
    return result;
}

static int answer_Wait(MPI_Request *r, MPI_Status *s) { return complete(WAIT, 1, r, NULL, NULL, NULL, s); }
static int answer_Test(MPI_Request *r, int *flag, MPI_Status *s) { return complete(TEST, 1, r, flag, NULL, NULL, s); }
static int answer_Waitall(int n, MPI_Request *r, MPI_Status *s) { return complete(WAITALL, n, r, NULL, NULL, NULL, s); }
static int answer_Testall(int n, MPI_Request *r, int *flag, MPI_Status *s) { return complete(TESTALL, n, r, flag, NULL, NULL, s); }
static int answer_Waitany(int n, MPI_Request *r, int *index, MPI_Status *s) { return complete(WAITANY, n, r, NULL, index, NULL, s); }
static int answer_Testany(int n, MPI_Request *r, int *index, int *flag, MPI_Status *s) { return complete(TESTANY, n, r, flag, index, NULL, s); }
static int answer_Waitsome(int n, MPI_Request *r, int *some, int *at, MPI_Status *s) { return complete(WAITSOME, n, r, NULL, some, at, s); }
static int answer_Testsome(int n, MPI_Request *r, int *some, int *at, MPI_Status *s) { return complete(TESTSOME, n, r, NULL, some, at, s); }
static int answer_Request_get_status(MPI_Request r, int *flag, MPI_Status *s) { return complete(GET_STATUS, 1, &r, flag, NULL, NULL, s); }

/* A message that a probe has found: for a rank alone a name that nobody else knows. */
static void answer_message(MPI_Message *m)
{
    static intptr_t names = 1;
    int what = number(*m == MPI_MESSAGE_NULL ? 0 : *m == MPI_MESSAGE_NO_PROC ? 1 : 2);
    if (answers == ANSWERING)
        *m = what == 0 ? MPI_MESSAGE_NULL : what == 1 ? MPI_MESSAGE_NO_PROC : (MPI_Message)(names += 64);
}

/* ---- Fortran ---- */

#ifdef OPEN_MPI
/* What stands in Fortran for a constant of MPI's is a variable's address, under one of
 * the names that compilers make of it. */
enum { FORMS = 3 };
struct constant { const char *forms[FORMS]; void *at[FORMS]; int known; };
#define CONSTANT(name) {{"mpi_fortran_" name "_", "mpi_fortran_" name, "mpi_fortran_" name "__"}, {NULL}, 0}
static struct constant in_place = CONSTANT("in_place"), bottom = CONSTANT("bottom"), ignored = CONSTANT("status_ignore"), all_ignored = CONSTANT("statuses_ignore");

static int stands_for(const void *a, struct constant *c)
{
    for (int i = 0; !c->known && i < FORMS; i++)
        c->at[i] = dlsym(RTLD_DEFAULT, c->forms[i]);
    c->known = 1;
    for (int i = 0; i < FORMS; i++)
        if (a && a == c->at[i])
            return 1;
    return 0;
}

static void *fortran_buffer(void *a)
{
    if (stands_for(a, &in_place))
        return MPI_IN_PLACE;
    return stands_for(a, &bottom) ? MPI_BOTTOM : a;
}

static int fortran_ignores(const void *a) { return stands_for(a, &ignored) || stands_for(a, &all_ignored); }
#else
/* MPICH's entry points of Fortran do this. */
static void *fortran_buffer(void *a) { return a; }
static int fortran_ignores(const void *a) { return !a; }
#endif

/* ---- start and end ---- */

static int named_in(const char *list, int rank)
{
    for (const char *at = list; at && *at; at = strchr(at, ','), at += at ? 1 : 0)
        if (atoi(at) == rank)
            return 1;
    return 0;
}

/* Sleeps until the rank that is measured has come to its end, and ends. */
static void park(void)
{
    flock(lock_file, LOCK_SH);
    PMPI_Finalize();
    auspex_file_close(FINISHED, 0);
    _exit(0);
}

/* Opens the record of a rank that is to be answered; the others sleep. */
static void answer_alone(const char *dir, int rank, int mine)
{
    char path[4096];
    struct stat about;
    snprintf(path, sizeof path, "%s/lock", dir);
    lock_file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (mine)
        flock(lock_file, LOCK_EX);
    PMPI_Barrier(MPI_COMM_WORLD);
    if (!mine)
        park();
    snprintf(path, sizeof path, "%s/%d.record", dir, rank);
    record_file = open(path, O_RDONLY | O_CLOEXEC);
    if (record_file < 0 || fstat(record_file, &about) != 0 || !(record_size = (uint64_t)about.st_size) ||
        (record = mmap(NULL, record_size, PROT_READ, MAP_PRIVATE, record_file, 0)) == MAP_FAILED) {
        tell_refusal("its record cannot be read");
        departed();
    }
    madvise(record, record_size, MADV_SEQUENTIAL);
    answers = ANSWERING;
}

static void answers_start(void)
{
    const char *dir = getenv("AUSPEX_ANSWERS_DIR"), *record_of = getenv("AUSPEX_RECORD"), *answer_to = getenv("AUSPEX_ANSWER"), *limit = getenv("AUSPEX_RECORD_LIMIT");
    char path[4096];
    int rank;
    if (!dir || !auspex_header)
        return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (answer_to)
        answer_alone(dir, rank, atoi(answer_to) == rank);
    else if (named_in(record_of, rank)) {
        record_limit = limit ? strtoull(limit, NULL, 10) : UINT64_MAX;
        snprintf(path, sizeof path, "%s/%d.record", dir, rank);
        record_file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        answers = record_file < 0 ? 0 : RECORDING;
    }
}

static int answer_Init(int *argc, char ***argv)
{
    int result = PMPI_Init(argc, argv);
    answers_start();
    return result;
}

static int answer_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int result = PMPI_Init_thread(argc, argv, required, provided);
    answers_start();
    return result;
}

/* The record is whole with its last answer. Who sleeps is woken: MPI ends with all. */
static int answer_Finalize(void)
{
    if (answers == RECORDING)
        flush_answer();
    if (answers == RECORDING)
        give_up();
    if (answers == ANSWERING && (head.times > 1 || next_answer())) {
        tell_refusal("it ends after %llu calls, and went on to %s in the run with all ranks", (unsigned long long)calls_made, answered_call(head.call));
        departed();
    }
    flock(lock_file, LOCK_UN);
    return PMPI_Finalize();
}
