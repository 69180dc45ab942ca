/* The calls that programs make. */
#include "state.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

struct run R = {.listener = -1, .datagrams = -1};

double p2p_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void p2p_changed(void) { pthread_cond_broadcast(&R.changed); }

int p2p_wait_until(double end)
{
    double now = p2p_now();
    if (now >= end)
        return 0;
    double at = now + 0.25 < end ? now + 0.25 : end; /* what time alone changes is looked at too */
    struct timespec t = {(time_t)at, (long)((at - (double)(time_t)at) * 1e9)};
    pthread_cond_timedwait(&R.changed, &R.lock, &t);
    R.counts.waiting += p2p_now() - now;
    return 1;
}

const char *P2P_Error(int error)
{
    switch (error) {
    case P2P_WRONG: return "an argument that cannot be, or a call out of place";
    case P2P_LATE: return "nothing came within the run's patience";
    case P2P_GONE: return "a peer is gone and none took its place";
    case P2P_ROOM: return "the message is larger than the room for it";
    case P2P_NOWHERE: return "the run could not be joined";
    }
    return error >= 0 ? "no error" : "an unknown error";
}

void P2P_Words(int error, char *text, int length)
{
    const char *words = P2P_Error(error);
    int n = (int)strlen(words);
    for (int i = 0; i < length; i++)
        text[i] = i < n ? words[i] : ' ';
}

static int start_peers(void)
{
    sigset_t all, before;
    R.peer = calloc((size_t)R.peers, sizeof *R.peer);
    if (!R.peer)
        return P2P_NOWHERE;
    for (int r = 0, c = 0, left = R.sizes[0]; r < R.peers; r++, left--) {
        if (!left)
            left = R.sizes[++c];
        R.peer[r] = (struct peer){.rank = r, .cluster = c, .fd = -1, .handed = -1, .wake = -1, .datagrams = -1, .lost_at = p2p_now()};
    }
    struct peer *me = &R.peer[R.rank];
    me->introduced = me->known = 1;
    me->incarnation = R.incarnation;
    me->port = R.port;
    p2p_copy_address(me->address, R.address);
    p2p_detect_start();
    if (R.peers == 1)
        return 0;
    if (p2p_listen() != 0)
        return P2P_NOWHERE;
    /* Signals are the program's own affair. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&R.accepting, NULL, p2p_accept, NULL) | pthread_create(&R.reading, NULL, p2p_datagrams, NULL);
    for (int r = 0; r < R.peers; r++) {
        struct peer *p = &R.peer[r];
        if (r == R.rank)
            continue;
        p->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
        failed |= p->wake < 0 || pthread_create(&p->thread, NULL, p2p_link, p) != 0;
        p->running = !failed;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed ? P2P_NOWHERE : 0;
}

/* The rendezvous is whichever peers the launcher names: only their places are
 * known, and the others are learnt from them. A peer that others connect to says
 * there where it is. */
static void *announce(void *none)
{
    (void)none;
    for (int left = 1; left && !R.ending; usleep(50000)) {
        left = 0;
        for (struct meet *m = R.meet; m && !R.ending; m = m->next) {
            struct p2p_key key;
            struct peer *p = &R.peer[m->rank];
            pthread_mutex_lock(&R.lock);
            int wanted = p->rank > R.rank && !p->connected && !p->finished && !p->gone;
            pthread_mutex_unlock(&R.lock);
            int fd = wanted ? p2p_connect(p, &key) : -1;
            if (fd >= 0)
                close(fd);
            left += wanted;
        }
    }
    return NULL;
}

static void know_rendezvous(void)
{
    int above = 0;
    for (struct meet *m = R.meet; m; m = m->next) {
        struct peer *p = &R.peer[m->rank];
        if (p->rank == R.rank)
            continue;
        p2p_copy_address(p->address, m->address);
        p->port = m->port;
        p->incarnation = m->incarnation;
        p->known = p->introduced = m->port > 0;
        p->finished = !p->known;
        above += p->rank > R.rank && p->known;
    }
    R.announces = above && pthread_create(&R.announcing, NULL, announce, NULL) == 0;
}

static int all_connected(void)
{
    for (int r = 0; r < R.peers; r++)
        if (r != R.rank && !R.peer[r].connected && !R.peer[r].finished && !(R.incarnation && R.peer[r].gone))
            return 0;
    return 1;
}

static int join(void)
{
    pthread_condattr_t steady;
    memset(&R, 0, sizeof R);
    R.listener = R.datagrams = -1;
    pthread_mutex_init(&R.lock, NULL);
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&R.changed, &steady);
    int error = p2p_configure();
    if (error)
        return error;
    pthread_mutex_lock(&R.lock);
    R.recovering = R.incarnation > 0;
    error = start_peers();
    if (!error) {
        know_rendezvous();
        double end = p2p_now() + R.patience;
        while (!all_connected())
            if (R.finished_before) {
                fprintf(stderr, "p2psap: peer %d was killed after it had finished with the others, and cannot be replaced\n", R.rank);
                error = P2P_NOWHERE;
                break;
            } else if (!p2p_wait_until(end)) {
                fprintf(stderr, "p2psap: peer %d could not join the run: not all peers came within %g s\n", R.rank, R.patience);
                error = P2P_NOWHERE;
                break;
            }
    }
    R.started = !error;
    if (!error && R.incarnation > 0)
        error = p2p_recover();
    R.counts.waiting = 0;
    pthread_mutex_unlock(&R.lock);
    return error;
}

int P2P_Init(void)
{
    if (R.started)
        return P2P_WRONG;
    p2p_measure_find();
    p2p_enter("P2P_Init", __builtin_return_address(0));
    int error = join();
    p2p_measure_start();
    p2p_leave(0, -1, 0, 0);
    return error;
}

int P2P_Rank(void) { return R.rank; }
int P2P_Peers(void) { return R.peers; }
int P2P_Cluster(int rank) { return rank >= 0 && rank < R.peers ? R.peer[rank].cluster : P2P_WRONG; }

int P2P_Scheme(int scheme)
{
    if (!R.started || scheme < P2P_ASK || scheme > P2P_HYBRID)
        return P2P_WRONG;
    pthread_mutex_lock(&R.lock);
    int now = scheme == P2P_ASK ? R.scheme : p2p_scheme_changes(scheme);
    pthread_mutex_unlock(&R.lock);
    return now;
}

static int cannot(int peer) { return !R.started || peer < 0 || peer >= R.peers || peer == R.rank; }

/* Keeps a message in order until the receiver's checkpoint has it, within
 * bounds: what is forgotten then cannot be sent again. */
void p2p_keep(struct peer *p, struct channel *c, struct message *m)
{
    if (c->log_end)
        c->log_end->next = p2p_share(m);
    else
        c->log = p2p_share(m);
    c->log_end = m;
    p->logged += m->size;
    while (p->logged > LOG_BYTES && c->log != c->log_end) {
        struct message *old = c->log;
        c->log = old->next;
        c->forgotten = old->number;
        p->logged -= old->size;
        p2p_drop(&old);
    }
}

static int send_in_order(struct peer *p, struct channel *c, struct message *m)
{
    double end = p2p_now() + R.patience;
    while (p->queued > QUEUE_BYTES && !p->gone && !p->finished)
        if (!p2p_wait_until(end))
            return P2P_LATE;
    if (p->gone)
        return P2P_GONE;
    m->number = ++c->sent;
    m->era = (uint8_t)R.era;
    p2p_keep(p, c, m);
    p2p_queue(p, K_DATA, m->era, c->tag, m->number, p->cluster == R.peer[R.rank].cluster ? p2p_freeze_mark() : 0, m);
    return 0;
}

static void send_newest(struct peer *p, struct channel *c, struct message *m)
{
    if (c->pending)
        R.counts.overtaken++;
    m->number = (uint64_t)(R.incarnation + 1) << 40 | ++c->sent_newest;
    p2p_drop(&c->out);
    c->out = p2p_share(m);
    c->pending = 1;
    if (c->seen_there >= c->flying) /* else that one's arrival, or its loss, has the link look */
        p2p_wake(p);
}

int P2P_Send(int to, const void *data, size_t size, int tag)
{
    if (cannot(to) || (!data && size) || size > P2P_LARGEST || size / P2P_PIECE > 65534)
        return P2P_WRONG;
    p2p_enter("P2P_Send", __builtin_return_address(0));
    pthread_mutex_lock(&R.lock);
    struct peer *p = &R.peer[to];
    struct channel *c = p2p_channel(p, tag);
    struct message *m = p2p_message(data, size);
    int error = 0;
    c->size_iterating = (uint32_t)size;
    if (p2p_in_order(p))
        error = send_in_order(p, c, m);
    else
        send_newest(p, c, m);
    p2p_drop(&m);
    if (!error) {
        R.counts.sent++;
        R.counts.bytes_sent += size;
    }
    int what = p2p_in_order(p) ? 1 : 2;
    pthread_mutex_unlock(&R.lock);
    p2p_leave(error ? 0 : what, to, tag, (long)size);
    return error;
}

/* The message that a receive would give now, taken off where it is in order. */
static struct message *next_message(struct peer *p, struct channel *c, int take)
{
    if (p2p_in_order(p) && !c->unwaited) {
        struct message *m = c->first;
        if (m && take) {
            c->first = m->next;
            if (!c->first)
                c->last = NULL;
            m->next = NULL;
            c->consumed = m->number;
            p2p_heard_freeze(m->freeze);
        }
        return m;
    }
    if (c->give_frozen) {
        struct message *m = c->frozen;
        if (m && take) {
            c->give_frozen = 0;
            if (m->number > c->seen)
                c->seen = m->number;
            p2p_share(m);
        }
        return m;
    }
    struct message *m = c->newest && c->newest->number > c->seen ? c->newest : NULL;
    if (m && take) {
        c->seen = m->number;
        p2p_share(m);
    }
    return m;
}

long P2P_Receive(int from, void *data, size_t room, int tag)
{
    if (cannot(from) || (!data && room))
        return P2P_WRONG;
    p2p_enter("P2P_Receive", __builtin_return_address(0));
    pthread_mutex_lock(&R.lock);
    struct peer *p = &R.peer[from];
    struct channel *c = p2p_channel(p, tag);
    double end = p2p_now() + R.patience;
    long result = 0;
    c->asked = 1;
    /* In the hybrid scheme one peer hears of the end an iteration before another:
     * what that one waits for will not come, and is not needed. */
    while (p2p_in_order(p) && !c->first && !c->unwaited && !result) {
        if (R.scheme == P2P_HYBRID && (R.detect.state == D_STOPPED || p->finished))
            break;
        if (p->gone || p->finished)
            result = P2P_GONE;
        else if (!p2p_wait_until(end))
            result = P2P_LATE;
    }
    struct message *m = result ? NULL : next_message(p, c, 0);
    if (m && m->size > room)
        result = P2P_ROOM;
    else if (m) {
        m = next_message(p, c, 1);
        memcpy(data, m->data, m->size);
        result = (long)m->size;
        p2p_drop(&m);
        R.counts.received++;
        R.counts.bytes_received += (unsigned long)result;
    }
    if (c->unwaited) {
        c->unwaited = 0;
        p2p_drop(&c->newest);
    }
    int what = p2p_in_order(p) ? -1 : -2;
    pthread_mutex_unlock(&R.lock);
    p2p_leave(what, from, tag, result);
    return result;
}

int P2P_Wait(int from, int tag, double seconds)
{
    if ((from != P2P_ANY && cannot(from)) || !R.started || !(seconds >= 0))
        return P2P_WRONG;
    p2p_enter("P2P_Wait", __builtin_return_address(0));
    pthread_mutex_lock(&R.lock);
    double end = p2p_now() + (seconds < R.patience ? seconds : R.patience);
    int found = P2P_LATE, left = 1;
    while (found == P2P_LATE && left) {
        int living = 0;
        for (int r = 0; r < R.peers && found == P2P_LATE; r++) {
            struct peer *p = &R.peer[r];
            if (r == R.rank || (from != P2P_ANY && from != r))
                continue;
            if (next_message(p, p2p_channel(p, tag), 0))
                found = r;
            living += !p->gone && !p->finished;
        }
        if (found == P2P_LATE && !living)
            found = P2P_GONE;
        if (found == P2P_LATE)
            left = p2p_wait_until(end);
    }
    pthread_mutex_unlock(&R.lock);
    p2p_leave(0, found >= 0 ? found : -1, tag, 0);
    return found;
}

int P2P_Converged(int here)
{
    if (!R.started)
        return P2P_WRONG;
    p2p_enter("P2P_Converged", __builtin_return_address(0));
    pthread_mutex_lock(&R.lock);
    int result = R.scheme == P2P_SYNCHRONOUS ? p2p_sync_converged(here != 0) : p2p_async_converged(here != 0);
    for (int r = 0; result == P2P_LATE && r < R.peers; r++)
        if (R.peer[r].gone)
            result = P2P_GONE;
    p2p_iterated();
    int what = R.scheme == P2P_SYNCHRONOUS && result >= 0 ? 3 : 0;
    pthread_mutex_unlock(&R.lock);
    p2p_leave(what, -1, 0, 0);
    return result;
}

void P2P_Count(struct P2P_Counts *counts)
{
    pthread_mutex_lock(&R.lock);
    *counts = R.counts;
    pthread_mutex_unlock(&R.lock);
}

/* Whether a peer still has to take something, or to say that it is at its end. */
static int owes(const struct peer *p) { return !p->gone && (!p->finished || (p->head && p->connected)); }

int P2P_Finish(void)
{
    if (!R.started)
        return P2P_WRONG;
    p2p_enter("P2P_Finish", __builtin_return_address(0));
    pthread_mutex_lock(&R.lock);
    double end = p2p_now() + R.patience;
    R.finishing = 1;
    for (int r = 0; r < R.peers; r++)
        if (r != R.rank) {
            p2p_drop(&R.peer[r].state_next); /* none is needed any more */
            p2p_drop(&R.peer[r].state_out);
            p2p_queue(&R.peer[r], K_FINISH, 0, 0, 0, 0, NULL);
        }
    for (int left = 1; left;) {
        left = 0;
        for (int r = 0; r < R.peers; r++)
            left += r != R.rank && owes(&R.peer[r]);
        if (left && !p2p_wait_until(end))
            break;
    }
    R.ending = 1;
    R.started = 0;
    p2p_profile();
    pthread_mutex_unlock(&R.lock);
    for (int r = 0; r < R.peers; r++)
        if (R.peer[r].running) {
            p2p_wake(&R.peer[r]);
            pthread_join(R.peer[r].thread, NULL);
            close(R.peer[r].wake);
            if (R.peer[r].fd >= 0)
                close(R.peer[r].fd);
        }
    if (R.announces)
        pthread_join(R.announcing, NULL);
    if (R.peers > 1) {
        pthread_join(R.accepting, NULL);
        pthread_join(R.reading, NULL);
        close(R.listener);
        close(R.datagrams);
    }
    p2p_leave(0, -1, 0, 0);
    return 0;
}
