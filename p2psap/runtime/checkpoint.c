/* Checkpoints, held by the peers next in rank, and how a peer that died is
 * replaced: the new one fetches the state, and the others send again what the
 * old one had received in order since. What it sends a second time is told by
 * its number and left aside; this wants a program whose messages depend on its
 * state and on what it received, and on nothing else. */
#include "state.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIXED = 40, ENTRY = 28, PLACE = 12, SIZE = 4 };

/* What was sent in order and is not known to have come, and what was sent last: no
 * checkpoint of the receiver's has it yet, and where this peer dies nobody else
 * does. */
static struct message *unsure(const struct peer *p, const struct channel *c)
{
    uint64_t from = c->sent;
    struct message *m = c->log;
    for (const struct frame *f = p->head; f; f = f->next)
        if (f->kind == K_DATA && f->tag == c->tag && f->value < from)
            from = f->value;
    while (m && m->number < from)
        m = m->next;
    return m;
}

/* version, iteration, start of the era, era and scheme, number of channels; for
 * each rank, tag, last number sent and consumed, and how many messages are kept;
 * these, each after its size; then the program's own. */
static struct message *pack(const void *state, size_t size)
{
    size_t n = 0, kept = 0, at = FIXED;
    for (int r = 0; r < R.peers; r++)
        for (struct channel *c = R.peer[r].channels; c; c = c->next, n++)
            for (struct message *m = unsure(&R.peer[r], c); m; m = m->next)
                kept += SIZE + m->size;
    struct message *m = p2p_message(NULL, FIXED + n * ENTRY + kept + size);
    unsigned char *bytes = m->data + FIXED + n * ENTRY;
    p2p_put(m->data, 8, R.version);
    p2p_put(m->data + 8, 8, R.iteration);
    p2p_put(m->data + 16, 8, R.era_start);
    p2p_put(m->data + 24, 4, R.era);
    p2p_put(m->data + 28, 4, (uint64_t)R.scheme);
    p2p_put(m->data + 32, 8, n);
    for (int r = 0; r < R.peers; r++)
        for (struct channel *c = R.peer[r].channels; c; c = c->next, at += ENTRY) {
            uint64_t count = 0;
            for (struct message *k = unsure(&R.peer[r], c); k; k = k->next, count++) {
                p2p_put(bytes, SIZE, k->size);
                memcpy(bytes + SIZE, k->data, k->size);
                bytes += SIZE + k->size;
            }
            p2p_put(m->data + at, 4, (uint64_t)r);
            p2p_put(m->data + at + 4, 4, (uint32_t)c->tag);
            p2p_put(m->data + at + 8, 8, c->sent);
            p2p_put(m->data + at + 16, 8, c->consumed);
            p2p_put(m->data + at + 24, 4, count);
        }
    memcpy(bytes, state, size);
    return m;
}

/* Tells every peer how far a checkpoint has come with its messages. */
static void tell_places(int kind, const struct message *m)
{
    size_t n = m ? p2p_get(m->data + 32, 8) : 0;
    unsigned char *list = malloc(n * PLACE + 1);
    if (!list)
        abort();
    for (int r = 0; r < R.peers; r++) {
        size_t size = 0;
        for (size_t i = 0; i < n; i++) {
            const unsigned char *e = m->data + FIXED + i * ENTRY;
            if ((int)p2p_get(e, 4) != r)
                continue;
            memcpy(list + size, e + 4, 4);
            memcpy(list + size + 4, e + 16, 8);
            size += PLACE;
        }
        if (r != R.rank && (size || kind == K_RESUME))
            p2p_queue_bytes(&R.peer[r], kind, 0, 0, list, size);
    }
    free(list);
}

/* The peers that hold this one's checkpoints: those next to it in rank. */
static int holders(int *list)
{
    int next = (R.rank + 1) % R.peers, before = (R.rank + R.peers - 1) % R.peers, n = 0;
    if (next != R.rank)
        list[n++] = next;
    if (before != R.rank && before != next)
        list[n++] = before;
    return n;
}

int P2P_Checkpoint(const void *state, size_t size)
{
    if (!R.started || (!state && size) || size > P2P_LARGEST / 2)
        return P2P_WRONG;
    p2p_enter("P2P_Checkpoint", __builtin_return_address(0));
    pthread_mutex_lock(&R.lock);
    R.version++;
    struct message *m = pack(state, size);
    m->number = R.version;
    int list[2], n = holders(list);
    for (int i = 0; i < n; i++) {
        struct peer *p = &R.peer[list[i]];
        if (p->finished)
            continue;
        p2p_drop(&p->state_next);
        p->state_next = p2p_share(m);
        p2p_wake(p);
    }
    p2p_drop(&m);
    pthread_mutex_unlock(&R.lock);
    p2p_leave(0, -1, 0, 0);
    return 0;
}

/* A checkpoint travels in pieces, one at a time and only where nothing else is to
 * be sent, so that it delays other messages by a piece at most. One that has
 * begun is sent to its end; of those that wait the newest wins. */
void p2p_send_state(struct peer *p)
{
    enum { PART = 16 << 10 };
    if (!p->state_out && p->state_next) {
        p->state_out = p->state_next;
        p->state_next = NULL;
        p->state_at = 0;
    }
    struct message *m = p->state_out;
    if (!m || p->state_at == m->size || p->unsent || (p->head && p->head->order <= p->state_order))
        return;
    size_t size = m->size - p->state_at < PART ? m->size - p->state_at : PART;
    struct message *piece = p2p_message(m->data + p->state_at, size);
    p2p_queue(p, K_STATE, 0, (int)p->state_at, m->number, m->size, piece);
    p2p_drop(&piece);
    p->state_order = p->order;
    p->state_at += size;
}

/* All up to an order have come. What all holders have is never asked for again
 * from before it. */
void p2p_state_came(struct peer *p, uint64_t order)
{
    if (!p->state_out || p->state_at < p->state_out->size || order < p->state_order)
        return;
    p2p_drop(&p->state_held);
    p->state_held = p->state_out;
    p->state_out = NULL;
    int list[2], n = holders(list);
    struct message *oldest = NULL;
    for (int i = 0; i < n; i++) {
        struct peer *h = &R.peer[list[i]];
        if (h->finished || h->gone)
            continue;
        if (!h->state_held)
            return;
        if (!oldest || h->state_held->number < oldest->number)
            oldest = h->state_held;
    }
    if (oldest && oldest->number > R.stable) {
        R.stable = oldest->number;
        tell_places(K_STABLE, oldest);
    }
}

/* Puts together what another leaves here. */
void p2p_keep_state(struct peer *p, const struct p2p_packet *k)
{
    size_t at = (uint32_t)k->tag;
    if (at == 0 && k->freeze <= P2P_LARGEST) {
        p2p_drop(&p->state_building);
        p->state_building = p2p_message(NULL, k->freeze);
        p->state_building->number = k->value;
        p->state_have = 0;
    }
    struct message *m = p->state_building;
    if (!m || m->number != k->value || m->size != k->freeze || at != p->state_have || k->size > m->size - at) {
        R.counts.refused++;
        return;
    }
    memcpy(m->data + at, k->data, k->size);
    p->state_have += k->size;
    if (p->state_have == m->size) {
        p2p_drop(&p->state);
        p->state = m;
        p->state_building = NULL;
    }
}

/* What was on its way to a peer that died never came; its successor has none. */
void p2p_forget_state(struct peer *p)
{
    if (!p->state_next)
        p->state_next = p2p_share(p->state_out ? p->state_out : p->state_held);
    p2p_drop(&p->state_out);
    p2p_drop(&p->state_held);
    p2p_drop(&p->state_building);
    p->state_order = 0;
}

long P2P_Restore(void *state, size_t room)
{
    long size = 0;
    if (!R.started)
        return P2P_WRONG;
    pthread_mutex_lock(&R.lock);
    if (R.restored) {
        size_t have = R.restored->size - R.restored_at;
        size = have <= room ? (long)have : P2P_ROOM;
        if (size > 0)
            memcpy(state, R.restored->data + R.restored_at, have);
    }
    pthread_mutex_unlock(&R.lock);
    return size;
}

static int unpack(void)
{
    struct message *m = R.restored;
    if (!m)
        return 0;
    uint64_t n = m->size >= FIXED ? p2p_get(m->data + 32, 8) : UINT64_MAX;
    if (n > (m->size - FIXED) / ENTRY)
        return P2P_NOWHERE;
    R.version = p2p_get(m->data, 8);
    R.iteration = p2p_get(m->data + 8, 8);
    R.era_start = p2p_get(m->data + 16, 8);
    R.era = p2p_get(m->data + 24, 4);
    R.scheme = (int)p2p_get(m->data + 28, 4);
    size_t at = FIXED + n * ENTRY;
    for (uint64_t i = 0; i < n; i++) {
        const unsigned char *e = m->data + FIXED + i * ENTRY;
        uint32_t rank = (uint32_t)p2p_get(e, 4);
        if (rank >= (uint32_t)R.peers)
            return P2P_NOWHERE;
        struct channel *c = p2p_channel(&R.peer[rank], (int32_t)p2p_get(e + 4, 4));
        c->sent = c->forgotten = p2p_get(e + 8, 8);
        c->got = c->consumed = p2p_get(e + 16, 8);
        uint64_t count = p2p_get(e + 24, 4);
        if (count > c->sent)
            return P2P_NOWHERE;
        for (c->forgotten -= count; count > 0; count--) {
            uint64_t kept = m->size - at >= SIZE ? p2p_get(m->data + at, SIZE) : UINT64_MAX;
            if (kept > m->size - at - SIZE)
                return P2P_NOWHERE;
            struct message *old = p2p_message(m->data + at + SIZE, kept);
            old->number = c->sent - count + 1;
            old->era = (uint8_t)R.era;
            p2p_keep(&R.peer[rank], c, old);
            p2p_drop(&old);
            at += SIZE + kept;
        }
    }
    R.restored_at = at;
    detect_end(&R.detect);
    p2p_detect_start();
    R.detect.phase = R.era << ERA | (R.scheme == P2P_SYNCHRONOUS ? R.iteration - R.era_start + 1 : 1);
    return 0;
}

static uint64_t place_of(const unsigned char *list, size_t size, int tag)
{
    for (size_t at = 0; at + PLACE <= size; at += PLACE)
        if ((int32_t)p2p_get(list + at, 4) == tag)
            return p2p_get(list + at + 4, 8);
    return 0;
}

/* Sends a peer that was replaced what it had not used. */
static void resume(struct peer *p, const unsigned char *list, size_t size)
{
    for (struct channel *c = p2p_in_order(p) ? p->channels : NULL; c; c = c->next) {
        uint64_t from = place_of(list, size, c->tag);
        if (from < c->forgotten) {
            fprintf(stderr, "p2psap: peer %d cannot go on with the new peer %d: messages that it needs again are no longer held by any peer\n", R.rank, p->rank);
            p->gone = 1;
            return;
        }
        for (struct message *m = c->log; m; m = m->next)
            if (m->number > from)
                p2p_queue(p, K_DATA, m->era, c->tag, m->number, 0, m);
    }
    if (R.finishing) /* what was said to the one before is said again */
        p2p_queue(p, K_FINISH, 0, 0, 0, 0, NULL);
}

/* Tells a peer that took another's place how far we have come with its messages,
 * of which some may have died with the one before. */
void p2p_tell_place(struct peer *p)
{
    size_t size = 0;
    for (struct channel *c = p->channels; c; c = c->next)
        size += PLACE;
    struct message *m = p2p_message(NULL, size);
    unsigned char *at = m->data;
    for (struct channel *c = p->channels; c; c = c->next, at += PLACE) {
        p2p_put(at, 4, (uint32_t)c->tag);
        p2p_put(at + 4, 8, c->got);
    }
    p2p_queue(p, K_RESUME, 0, 0, 0, 0, m);
    p2p_drop(&m);
}

/* While we recover ourselves we do not know yet what there is. */
void p2p_take_resume(struct peer *p, const unsigned char *list, size_t size)
{
    if (!R.recovering) {
        resume(p, list, size);
        return;
    }
    p2p_drop(&p->resume);
    p->resume = p2p_message(list, size);
}

/* The peer that takes another's place asks all others for its state, and says
 * from where on it goes. */
int p2p_recover(void)
{
    double end = p2p_now() + R.patience;
    for (int r = 0; r < R.peers; r++)
        if (r != R.rank)
            p2p_queue(&R.peer[r], K_FETCH, 0, 0, 0, 0, NULL);
    for (int waiting = 1; waiting;) {
        waiting = 0;
        for (int r = 0; r < R.peers; r++)
            waiting += r != R.rank && !R.peer[r].answered && !R.peer[r].gone && (!R.peer[r].finished || R.peer[r].connected);
        if (waiting && !p2p_wait_until(end))
            break;
    }
    int result = unpack();
    R.recovering = 0;
    p2p_hear_early();
    if (result == 0)
        tell_places(K_RESUME, R.restored);
    for (int r = 0; r < R.peers; r++) {
        struct message *m = R.peer[r].resume;
        if (m && result == 0)
            resume(&R.peer[r], m->data, m->size);
        p2p_drop(&R.peer[r].resume);
    }
    return result;
}

/* Forgets messages that a checkpoint of the receiver's has in it. */
void p2p_trim(struct peer *p, const unsigned char *list, size_t size)
{
    for (struct channel *c = p->channels; c; c = c->next) {
        uint64_t to = place_of(list, size, c->tag);
        while (c->log && c->log->number <= to) {
            struct message *m = c->log;
            c->log = m->next;
            if (!c->log)
                c->log_end = NULL;
            c->forgotten = m->number;
            p->logged -= m->size;
            p2p_drop(&m);
        }
    }
}
