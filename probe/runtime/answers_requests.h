/* Requests of a rank that is recorded or answered. Part of answers.h. */

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

/* What a call that tells of requests gives the program: done of it, or some, or the one
 * at a place. */
static void answer_completions(enum completion how, int n, MPI_Request *list, int done, int at, int *indices, struct wait *w)
{
    switch (how) {
    case WAITALL:
    case TESTALL:
        for (int i = 0; done && i < n; i++) {
            value(&w->statuses[i], sizeof *w->statuses);
            answer_completed(w->handles[i], &list[i], &w->statuses[i]);
        }
        return;
    case WAITSOME:
    case TESTSOME:
        for (int i = 0; at != MPI_UNDEFINED && i < at; i++) {
            indices[i] = number(indices[i]);
            value(&w->statuses[i], sizeof *w->statuses);
            answer_completed(w->handles[indices[i]], &list[indices[i]], &w->statuses[i]);
        }
        return;
    default:
        if (!done)
            return;
        value(w->statuses, sizeof *w->statuses);
        if (how == GET_STATUS && *pending_at(*list)) /* the data are there, and the request stays */
            deliver(*pending_at(*list), w->statuses);
        else if (how != GET_STATUS && at >= 0)
            answer_completed(w->handles[at], &list[at], w->statuses);
    }
}

/* All calls that tell of requests that are over. index is how many of some are. */
static int complete(enum completion how, int n, MPI_Request *list, int *flag, int *index, int *indices, MPI_Status *statuses)
{
    int one = how == WAIT || how == TEST || how == WAITANY || how == TESTANY || how == GET_STATUS;
    int result = MPI_SUCCESS, done = 1, at = 0;
    struct wait w;
    if (!answers)
        return really_complete(how, n, list, flag, index, indices, statuses);
    if (one && statuses == MPI_STATUS_IGNORE)
        statuses = MPI_STATUSES_IGNORE;
    wait_open(&w, n, list, statuses);
    if (answers == RECORDING)
        result = really_complete(how, n, list, flag ? flag : &done, index ? index : &at, indices, w.statuses);
    result = answer_begin((uint64_t)how, (uint64_t)n, result);
    if (result == MPI_SUCCESS) {
        if (flag)
            done = *flag = number(*flag);
        if (index)
            at = *index = number(*index);
        answer_completions(how, n, list, done, at, indices, &w);
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
