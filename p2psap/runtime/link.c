/* One thread a peer: it keeps the connection, sends what is due and takes what
 * comes. */
#include "state.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

struct link {
    struct peer *p;
    unsigned char *out; /* the packet that is being written */
    size_t out_size, out_at, out_room;
    unsigned char *in;
    size_t in_have, in_room;
    struct message *datagram; /* the message of which pieces are being sent */
    int tag;
    uint32_t piece;
    double spoke;
};

void p2p_wake(struct peer *p)
{
    uint64_t one = 1;
    if (p->wake >= 0 && write(p->wake, &one, sizeof one) < 0) {
        /* it is awake already */
    }
}

static void broken(struct link *l)
{
    struct peer *p = l->p;
    if (p->fd >= 0)
        close(p->fd);
    p->fd = -1;
    p->connected = 0;
    if (!p->lost_at)
        p->lost_at = p2p_now();
    l->in_have = l->out_size = l->out_at = 0;
    p2p_changed();
}

static void install(struct link *l, int fd, struct p2p_key key)
{
    struct peer *p = l->p;
    if (p->fd >= 0)
        broken(l);
    p->fd = fd;
    p->key = key;
    p->connected = 1;
    p->gone = 0;
    p->lost_at = 0;
    p->heard = l->spoke = p2p_now();
    p->unsent = p->head;
    p->tell = p->gossip = 1;
    if (p->datagrams >= 0)
        close(p->datagrams);
    p->datagrams = p2p_outgoing(p);
    for (struct channel *c = p->channels; c; c = c->next)
        c->pending = c->out != NULL;
    p2p_changed();
}

static void reserve(unsigned char **room, size_t *have, size_t want)
{
    if (*have >= want)
        return;
    *room = realloc(*room, want);
    *have = want;
    if (!*room)
        abort();
}

static void prepare(struct link *l, struct p2p_packet k)
{
    struct peer *p = l->p;
    k.from = (uint32_t)R.rank;
    k.to = (uint32_t)p->rank;
    k.incarnation = R.incarnation;
    reserve(&l->out, &l->out_room, P2P_HEAD + k.size);
    p2p_seal(&k, &p->key, l->out);
    l->out_size = P2P_HEAD + k.size;
    l->out_at = 0;
    l->spoke = p2p_now();
}

/* A message that the newest replaces is sent when the one before is known to
 * have come, so that none grows old in a queue on the way; or when that one is
 * given up for lost. Between frozen peers only what the vote needs travels. */
#define LOST_AFTER 0.2
static int may_fly(const struct channel *c)
{
    return !p2p_frozen() && (c->seen_there >= c->flying || p2p_now() - c->flown_at > LOST_AFTER);
}

static struct channel *pending(struct peer *p)
{
    struct channel *c = p->channels;
    while (c && !(c->pending && may_fly(c)))
        c = c->next;
    return c;
}

/* How long a link may rest, milliseconds: not until long after a message that
 * waits for the one before may take that one for lost. */
static int rest(const struct peer *p)
{
    if (p->fd < 0)
        return 20;
    for (const struct channel *c = p->channels; c; c = c->next)
        if (c->pending)
            return 50;
    return 200;
}

static void flies(struct channel *c)
{
    c->pending = 0;
    c->flying = c->out->number;
    c->flown_at = p2p_now();
}

static struct channel *to_tell(struct peer *p)
{
    struct channel *c = p->channels;
    while (c && !c->tell_seen)
        c = c->next;
    return c;
}

static int same_cluster(const struct peer *p) { return p->cluster == R.peer[R.rank].cluster; }

/* Chooses what to write next; what must come in order goes first, checkpoints
 * last. */
static void choose(struct link *l)
{
    struct peer *p = l->p;
    struct channel *c = pending(p), *seen = to_tell(p);
    if (l->out_size)
        return;
    if (!c)
        p2p_send_state(p);
    if (p->tell || p2p_now() - l->spoke > 0.5) {
        p->tell = 0;
        prepare(l, (struct p2p_packet){.kind = K_ACK, .value = p->received});
    } else if (p->gossip) {
        static __thread unsigned char *list;
        static __thread size_t room;
        reserve(&list, &room, (size_t)R.peers * 80);
        p->gossip = 0;
        prepare(l, (struct p2p_packet){.kind = K_PEERS, .size = (uint32_t)p2p_gossip(list), .data = list});
    } else if (seen) {
        prepare(l, (struct p2p_packet){.kind = K_SEEN, .tag = seen->tag, .value = seen->tell_seen});
        seen->tell_seen = 0;
    } else if (p->unsent) {
        struct frame *f = p->unsent;
        prepare(l, (struct p2p_packet){.kind = f->kind, .flag = f->flag, .tag = f->tag, .order = f->order, .value = f->value, .freeze = f->freeze,
            .size = f->message ? f->message->size : 0, .data = f->message ? f->message->data : NULL});
        p->unsent = f->next;
        R.moved += f->message ? 4 : 1;
    } else if (c && same_cluster(p)) {
        flies(c);
        R.moved += 4;
        prepare(l, (struct p2p_packet){.kind = K_NEWEST, .tag = c->tag, .value = c->out->number, .size = c->out->size, .data = c->out->data});
    }
}

static void write_some(struct link *l)
{
    while (l->out_size) {
        ssize_t n = send(l->p->fd, l->out + l->out_at, l->out_size - l->out_at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        pthread_mutex_lock(&R.lock);
        if (n <= 0)
            broken(l);
        else if ((l->out_at += (size_t)n) == l->out_size) {
            l->out_size = 0;
            choose(l);
        }
        pthread_mutex_unlock(&R.lock);
        if (n <= 0)
            return;
    }
}

/* Sends pieces of the newest message to a peer of another cluster as long as
 * there is room. A message is sent to its end: half a message is worth nothing. */
static int send_pieces(struct link *l)
{
    struct peer *p = l->p;
    unsigned char room[P2P_HEAD + P2P_PIECE];
    while (p->datagrams >= 0) {
        if (!l->datagram) {
            pthread_mutex_lock(&R.lock);
            struct channel *c = pending(p);
            if (c && p->connected && !same_cluster(p)) {
                flies(c);
                l->datagram = p2p_share(c->out);
                l->tag = c->tag;
                l->piece = 0;
            }
            pthread_mutex_unlock(&R.lock);
            if (!l->datagram)
                return 0;
        }
        struct message *m = l->datagram;
        uint32_t pieces = m->size ? (m->size + P2P_PIECE - 1) / P2P_PIECE : 1, from = l->piece * P2P_PIECE;
        uint32_t size = m->size - from < P2P_PIECE ? m->size - from : P2P_PIECE;
        struct p2p_packet k = {.kind = K_PIECE, .from = (uint32_t)R.rank, .to = (uint32_t)p->rank, .incarnation = R.incarnation, .tag = l->tag,
            .piece = (uint16_t)l->piece, .pieces = (uint16_t)pieces, .value = m->number, .freeze = m->size, .size = size, .data = m->data + from};
        p2p_seal(&k, &R.key, room);
        if (send(p->datagrams, room, P2P_HEAD + size, MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == ENOBUFS))
            return 1;
        if (++l->piece == pieces) {
            pthread_mutex_lock(&R.lock);
            p2p_drop(&l->datagram);
            R.moved += 4;
            pthread_mutex_unlock(&R.lock);
        }
    }
    return 0;
}

static void read_some(struct link *l)
{
    struct peer *p = l->p;
    for (;;) {
        reserve(&l->in, &l->in_room, 64 << 10);
        if (l->in_have == l->in_room)
            reserve(&l->in, &l->in_room, l->in_room * 2);
        ssize_t n = recv(p->fd, l->in + l->in_have, l->in_room - l->in_have, MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        pthread_mutex_lock(&R.lock);
        size_t at = 0;
        int bad = n <= 0;
        if (n > 0)
            l->in_have += (size_t)n;
        p->heard = p2p_now();
        while (!bad) {
            struct p2p_packet k;
            long whole = p2p_measure(l->in + at, l->in_have - at);
            if (whole == 0 || (whole > 0 && (size_t)whole > l->in_have - at))
                break;
            /* What does not fit breaks the connection: nothing after it can be found. */
            bad = whole < 0 || p2p_open(l->in + at, (size_t)whole, &p->key, &k) != 0 || (int)k.from != p->rank || (int)k.to != R.rank || k.kind == K_PIECE;
            if (bad)
                R.counts.refused++;
            else if (k.incarnation != p->incarnation)
                bad = 1;
            else {
                p2p_take(p, &k);
                at += (size_t)whole;
            }
        }
        memmove(l->in, l->in + at, l->in_have - at);
        l->in_have -= at;
        if (bad)
            broken(l);
        pthread_mutex_unlock(&R.lock);
        if (bad)
            return;
    }
}

/* Makes or takes the connection. Of two peers the one with the higher rank
 * connects. */
static void connection(struct link *l)
{
    struct peer *p = l->p;
    struct p2p_key key;
    int fd = -1, ours = R.rank > p->rank;
    pthread_mutex_lock(&R.lock);
    if (p->handed >= 0) {
        install(l, p->handed, p->handed_key);
        p->handed = -1;
    }
    double quiet = p2p_now() - p->heard;
    if (p->fd >= 0 && quiet > (R.patience / 2 < 10 ? R.patience / 2 : 10))
        broken(l);
    int want = ours && p->fd < 0 && p->known && !p->finished;
    if (p->lost_at && !p->finished && !p->gone && p2p_now() - p->lost_at > R.patience) {
        p->gone = 1;
        p2p_changed();
    }
    pthread_mutex_unlock(&R.lock);
    if (!want)
        return;
    fd = p2p_connect(p, &key);
    pthread_mutex_lock(&R.lock);
    if (fd >= 0)
        install(l, fd, key);
    pthread_mutex_unlock(&R.lock);
    if (fd < 0)
        usleep(20000);
}

void *p2p_link(void *peer)
{
    struct peer *p = peer;
    struct link l = {.p = p};
    while (!R.ending) {
        connection(&l);
        pthread_mutex_lock(&R.lock);
        if (p->fd >= 0)
            choose(&l);
        pthread_mutex_unlock(&R.lock);
        /* Before the pieces: the word that a message came would wait behind them, and
         * the other's next message for that word. */
        if (p->fd >= 0)
            write_some(&l);
        pthread_mutex_lock(&R.lock);
        struct pollfd w[3] = {{p->wake, POLLIN, 0}, {p->fd, (short)(POLLIN | (l.out_size ? POLLOUT : 0)), 0}, {-1, POLLOUT, 0}};
        int wait = rest(p);
        pthread_mutex_unlock(&R.lock);
        if (send_pieces(&l))
            w[2].fd = p->datagrams;
        if (poll(w, 3, wait) < 0)
            continue;
        uint64_t n;
        if (w[0].revents && read(p->wake, &n, sizeof n) < 0)
            continue;
        if (p->fd >= 0 && w[1].revents & (POLLIN | POLLHUP | POLLERR))
            read_some(&l);
    }
    pthread_mutex_lock(&R.lock);
    p2p_drop(&l.datagram);
    pthread_mutex_unlock(&R.lock);
    free(l.in);
    free(l.out);
    return NULL;
}
