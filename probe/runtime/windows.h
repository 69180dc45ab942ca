/* One-sided communication. Part of mpi.c.
 *
 * A window is to a replay a communicator of its own. Ranks that open their windows to
 * some others (MPI_Win_post, MPI_Win_start) tell each other so by messages, as Open MPI
 * and MPICH do. A lock on all windows (MPI_Win_lock_all) is taken to keep nobody out. */

/* The ranks that a window is open to, and whether they were told, and those whose
 * windows are open to this rank. */
struct window { MPI_Win handle; struct parts *to, *of; int told; };

enum { OPEN_TAG = NEAR_TAG + 256, CLOSE_TAG };
enum { LOCAL = 1, ALONE = 1, EVERYBODY = INT32_MIN };

static struct communicator *window(MPI_Win handle)
{
    for (int i = comm_count; i-- > 0;)
        if (comms[i].window && comms[i].window->handle == handle)
            return &comms[i];
    return NULL;
}

static void win_made(struct thread *t, MPI_Comm parent, MPI_Win made)
{
    struct communicator *p = communicator(parent);
    int id = p ? p->id : 0;
    struct window *w = calloc(1, sizeof *w);
    struct communicator *c = w ? comm_like(parent, MPI_COMM_NULL) : NULL;
    if (!c) {
        free(w);
        untold(t);
        return;
    }
    w->handle = made;
    c->window = w;
    if (c->abroad) {
        together(t, T_BARRIER, 0, 0, 0, parent);
        return;
    }
    c->id = comm_ids++;
    traced(t, (struct event){T_COMM_SPLIT, id, 0, 0, c->world[0], c->me, 0, 0, 0}, NULL);
}

static void win_freed(struct thread *t, MPI_Win gone)
{
    struct communicator *c = window(gone);
    if (!c) {
        untold(t);
        return;
    }
    gathered(t, &(struct event){T_BARRIER, c->id, 0, 0, 0, 0, 0, 0, 0}, c, NULL);
    free(c->window->to);
    free(c->window->of);
    free(c->window);
    comm_forget(c);
}

/* Something done to a window, within a call of which more is told where it says so. */
static void do_there(struct thread *t, int kind, uint64_t bytes, int peer, int tag, int within, MPI_Win win)
{
    struct communicator *c = window(win);
    if (!c)
        untold(t);
    else if (peer != MPI_PROC_NULL)
        traced(t, (struct event){kind, c->id, peer == EVERYBODY ? -1 : known_as(c, peer), 0, tag, (int64_t)bytes, within, 0, 0}, NULL);
}

static void put_there(struct thread *t, uint64_t bytes, int peer, MPI_Win win) { do_there(t, T_PUT, bytes, peer, 0, APART, win); }
static void get_there(struct thread *t, uint64_t bytes, int peer, MPI_Win win) { do_there(t, T_GET, bytes, peer, 0, APART, win); }

/* A call that takes something there and brings back what was there. */
static void swap_there(struct thread *t, uint64_t out, uint64_t in, int peer, MPI_Win win)
{
    do_there(t, T_PUT, out, peer, 0, WITHIN, win);
    do_there(t, T_GET, in, peer, 0, ENDS, win);
}

static void flush_window(struct thread *t, int peer, int local, MPI_Win win) { do_there(t, T_FLUSH, 0, peer, local, APART, win); }

/* What a request of a one-sided call stands for is over when what was begun there is. */
static void request_there(MPI_Request *r, int peer, MPI_Win win)
{
    struct communicator *c = window(win);
    request_add(*r, (struct request){.what = peer == MPI_PROC_NULL ? TOLD : THERE, .comm = c ? c->id : -1, .peer = c && peer >= 0 ? known_as(c, peer) : peer});
}

static void fence_window(struct thread *t, MPI_Win win)
{
    struct communicator *c = window(win);
    if (c && c->abroad) {
        do_there(t, T_FLUSH, 0, EVERYBODY, LOCAL, APART, win);
        gathered(t, &(struct event){T_BARRIER, 0, 0, 0, 0, 0, 0, 0, 0}, c, NULL);
    } else
        do_there(t, T_FENCE, 0, 0, 0, APART, win);
}

static void lock_window(struct thread *t, int kind, int peer, MPI_Win win) { do_there(t, T_LOCK, 0, peer, kind == MPI_LOCK_EXCLUSIVE ? ALONE : 0, APART, win); }

/* The ranks of a group, as ends of messages without content. */
static struct parts *members(struct communicator *c, MPI_Group group, MPI_Win win)
{
    int n = 0;
    MPI_Group all;
    PMPI_Group_size(group, &n);
    struct parts *p = malloc(sizeof *p + (size_t)n * sizeof p->part[0]);
    int *ranks = malloc(2 * (size_t)(n + 1) * sizeof *ranks);
    if (!p || !ranks) {
        free(p);
        free(ranks);
        return NULL;
    }
    for (int i = 0; i < n; i++)
        ranks[i] = i;
    PMPI_Win_get_group(win, &all);
    PMPI_Group_translate_ranks(group, n, ranks, all, ranks + n);
    PMPI_Group_free(&all);
    p->n = n;
    for (int i = 0; i < n; i++)
        p->part[i].peer = known_as(c, ranks[n + i]);
    free(ranks);
    return p;
}

static struct parts *words(struct parts *p, int send, int tag)
{
    for (int i = 0; i < p->n; i++)
        p->part[i] = (struct part){p->part[i].peer, send, tag, 0};
    return p;
}

/* Opens the window to a group; nobody is told where the program says that all know. */
static void win_post(struct thread *t, MPI_Group group, int assert, MPI_Win win)
{
    struct communicator *c = window(win);
    struct parts *p = c ? members(c, group, win) : NULL;
    if (!p) {
        untold(t);
        return;
    }
    free(c->window->to);
    c->window->to = p;
    if ((c->window->told = !(assert & MPI_MODE_NOCHECK)))
        begin_parts(t, c->id, words(p, 1, OPEN_TAG), 0, p->n, ENDS);
}

static void win_wait(struct thread *t, MPI_Win win)
{
    struct communicator *c = window(win);
    struct parts *p = c ? c->window->to : NULL;
    if (!p) {
        untold(t);
        return;
    }
    words(p, 1, OPEN_TAG);
    for (int i = 0; c->window->told && i < p->n; i++)
        await_part(t, c->id, &p->part[i], WITHIN);
    tell_parts(t, c->id, words(p, 0, CLOSE_TAG));
}

static void win_start(struct thread *t, MPI_Group group, int assert, MPI_Win win)
{
    struct communicator *c = window(win);
    struct parts *p = c ? members(c, group, win) : NULL;
    if (!p) {
        untold(t);
        return;
    }
    free(c->window->of);
    c->window->of = p;
    if (!(assert & MPI_MODE_NOCHECK))
        tell_parts(t, c->id, words(p, 0, OPEN_TAG));
}

static void win_complete(struct thread *t, MPI_Win win)
{
    struct communicator *c = window(win);
    if (!c || !c->window->of) {
        untold(t);
        return;
    }
    do_there(t, T_FLUSH, 0, EVERYBODY, LOCAL, WITHIN, win);
    tell_parts(t, c->id, words(c->window->of, 1, CLOSE_TAG));
}
