/* What a packet does, once it is known to be one of the run's. The lock is held. */
#include "state.h"
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Learns where a peer is. A higher incarnation takes the place of one that died:
 * what was on its way to that one is void, what it may ask for again is not. */
void p2p_introduce(struct peer *p, const char *address, int port, uint32_t incarnation)
{
    if (p->introduced && incarnation < p->incarnation)
        return;
    int replaced = p->introduced && incarnation > p->incarnation;
    int news = replaced || !p->introduced;
    p2p_copy_address(p->address, address);
    p->port = port;
    p->incarnation = incarnation;
    p->known = p->introduced = 1;
    if (replaced) {
        R.counts.restarts++;
        p2p_forget_frames(p);
        p2p_forget_state(p);
        p->order = p->received = 0;
        p->connected = p->gone = p->finished = 0;
        p->lost_at = p2p_now();
        if (p->fd >= 0)
            shutdown(p->fd, SHUT_RDWR);
        for (struct channel *c = p->channels; c; c = c->next) {
            p2p_drop(&c->building);
            c->tell_seen = 0;
        }
        p2p_replaced(p->rank);
        if (!R.recovering)
            p2p_tell_place(p);
        else if (!p->answered)
            p2p_queue(p, K_FETCH, 0, 0, 0, 0, NULL);
    }
    if (news) {
        for (int r = 0; r < R.peers; r++)
            if (r != R.rank) {
                R.peer[r].gossip = 1;
                p2p_wake(&R.peer[r]);
            }
        p2p_changed();
    }
}

enum { ENTRY = 75 }; /* rank, incarnation, port, 64 characters of address, and a zero */

size_t p2p_gossip(unsigned char *to)
{
    size_t n = 0;
    for (int r = 0; r < R.peers; r++) {
        struct peer *p = &R.peer[r];
        if (!p->introduced)
            continue;
        memset(to + n, 0, ENTRY);
        p2p_put(to + n, 4, (uint64_t)r);
        p2p_put(to + n + 4, 4, p->incarnation);
        p2p_put(to + n + 8, 2, (uint64_t)p->port);
        memcpy(to + n + 10, p->address, 63);
        n += ENTRY;
    }
    return n;
}

static void take_gossip(const struct p2p_packet *k)
{
    for (size_t at = 0; at + ENTRY <= k->size; at += ENTRY) {
        const unsigned char *e = k->data + at;
        uint32_t rank = (uint32_t)p2p_get(e, 4), incarnation = (uint32_t)p2p_get(e + 4, 4);
        if (rank >= (uint32_t)R.peers || (int)rank == R.rank || e[ENTRY - 1])
            continue;
        struct peer *p = &R.peer[rank];
        if (!p->introduced || incarnation > p->incarnation)
            p2p_introduce(p, (const char *)e + 10, (int)p2p_get(e + 8, 2), incarnation);
    }
}

static void take_in_order(struct peer *p, const struct p2p_packet *k)
{
    struct channel *c = p2p_channel(p, k->tag);
    if (k->value != c->got + 1)
        return; /* said again by a peer that was replaced, or before it knew how far we are */
    struct message *m = p2p_message(k->data, k->size);
    m->number = c->got = k->value;
    m->freeze = k->freeze;
    if (!p2p_in_order(p) && k->flag == (uint8_t)(R.era - 1)) { /* of the scheme before: it is the newest there is */
        c->consumed = c->got;
        p2p_old_newest(c, m);
        return;
    }
    if (c->last)
        c->last->next = m;
    else
        c->first = m;
    c->last = m;
}

static void newest(struct channel *c, struct message *m)
{
    if (c->newest && c->newest->number >= m->number) {
        p2p_drop(&m);
        return;
    }
    if (c->newest && c->newest->number > c->seen)
        R.counts.overtaken++;
    R.moved += 4;
    p2p_drop(&c->newest);
    c->newest = m;
    c->tell_seen = m->number;
}

static void take_newest(struct peer *p, const struct p2p_packet *k)
{
    struct message *m = p2p_message(k->data, k->size);
    m->number = k->value;
    newest(p2p_channel(p, k->tag), m);
}

/* Puts a message together. One that is not whole when a newer one begins is
 * lost: the newer one is better. Its whole size is in freeze. */
static void take_piece(struct peer *p, const struct p2p_packet *k)
{
    struct channel *c = p2p_channel(p, k->tag);
    uint64_t whole = k->freeze, last = k->pieces - 1u;
    uint32_t size = k->piece == last ? (uint32_t)(whole - last * P2P_PIECE) : P2P_PIECE;
    if (whole > P2P_LARGEST || (whole + P2P_PIECE - 1) / P2P_PIECE + (whole == 0) != k->pieces || k->size != size) {
        R.counts.refused++;
        return;
    }
    if (c->newest && k->value <= c->newest->number)
        return;
    if (c->building && c->building->number > k->value)
        return;
    if (!c->building || c->building->number < k->value) {
        if (c->building)
            R.counts.lost += (unsigned long)c->missing;
        p2p_drop(&c->building);
        free(c->here);
        c->building = p2p_message(NULL, whole);
        c->building->number = k->value;
        c->here = calloc(k->pieces, 1);
        c->missing = k->pieces;
        if (!c->here)
            abort();
    } else if (c->building->size != whole) {
        R.counts.refused++;
        return;
    }
    if (c->here[k->piece])
        return;
    c->here[k->piece] = 1;
    memcpy(c->building->data + (size_t)k->piece * P2P_PIECE, k->data, k->size);
    if (--c->missing == 0) {
        struct message *m = c->building;
        c->building = NULL;
        newest(c, m);
        p2p_changed();
        p2p_wake(p);
    }
}

static void take_frozen(struct peer *p, const struct p2p_packet *k)
{
    struct channel *c = p2p_channel(p, k->tag);
    if (k->value != R.detect.phase)
        return;
    p2p_drop(&c->frozen);
    c->frozen_phase = k->value;
    if (k->flag) {
        c->frozen = p2p_message(k->data, k->size);
        c->frozen->number = k->freeze;
    }
}

static void take_pull(struct peer *p, const struct p2p_packet *k)
{
    struct pull *q = malloc(sizeof *q);
    if (!q)
        abort();
    *q = (struct pull){p->rank, k->tag, k->value, R.pulls};
    R.pulls = q;
    p2p_answer_pulls();
}

static void take_held(struct peer *p, const struct p2p_packet *k)
{
    p->answered = 1;
    if (k->size && (!R.restored || R.restored->number < k->value)) {
        p2p_drop(&R.restored);
        R.restored = p2p_message(k->data, k->size);
        R.restored->number = k->value;
    }
}

void p2p_take(struct peer *p, const struct p2p_packet *k)
{
    if (k->order) {
        if (k->order != p->received + 1)
            return; /* it came before the connection broke */
        p->received++;
        p->tell = 1;
        R.moved += k->size ? 4 : 1;
    }
    switch (k->kind) {
    case K_PEERS: take_gossip(k); break;
    case K_ACK: p2p_acknowledged(p, k->value); break;
    case K_DATA: take_in_order(p, k); break;
    case K_NEWEST: take_newest(p, k); break;
    case K_PIECE: take_piece(p, k); break;
    case K_DETECT: p2p_hear(p->rank, k->tag, k->value, k->flag, k->freeze); break;
    case K_PULL: take_pull(p, k); break;
    case K_FROZEN: take_frozen(p, k); break;
    case K_STATE: p2p_keep_state(p, k); break;
    case K_FETCH:
        p2p_queue(p, K_HELD, 0, 0, p->state ? p->state->number : 0, 0, p->state);
        break;
    case K_HELD: take_held(p, k); break;
    case K_RESUME: p2p_take_resume(p, k->data, k->size); break;
    case K_STABLE: p2p_trim(p, k->data, k->size); break;
    case K_SEEN:
        if (p2p_channel(p, k->tag)->seen_there < k->value)
            p2p_channel(p, k->tag)->seen_there = k->value;
        break;
    case K_FINISH: p->finished = 1; break;
    default: R.counts.refused++;
    }
    if (k->kind != K_PIECE) /* nobody waits for half a message */
        p2p_changed();
}
