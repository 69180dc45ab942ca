/* Checkpoints, held by the peers next in rank, and how a peer that died is
 * replaced: the new one fetches the state, and the others send again what the
 * old one had received in order since. What it sends a second time is told by
 * its number and left aside; this wants a program whose messages depend on its
 * state and on what it received, and on nothing else. */
#include "state.h"
#include <stdlib.h>
#include <string.h>

enum { FIXED = 40, ENTRY = 24, PLACE = 12 };

/* version, iteration, start of the era, era and scheme, number of channels; for
 * each rank, tag, last number sent and consumed; then the program's own. */
static struct message *pack(const void *state, size_t size)
{
    size_t n = 0, at = FIXED;
    for (int r = 0; r < R.peers; r++)
        for (struct channel *c = R.peer[r].channels; c; c = c->next)
            n++;
    struct message *m = p2p_message(NULL, FIXED + n * ENTRY + size);
    p2p_put(m->data, 8, R.version);
    p2p_put(m->data + 8, 8, R.iteration);
    p2p_put(m->data + 16, 8, R.era_start);
    p2p_put(m->data + 24, 4, R.era);
    p2p_put(m->data + 28, 4, (uint64_t)R.scheme);
    p2p_put(m->data + 32, 8, n);
    for (int r = 0; r < R.peers; r++)
        for (struct channel *c = R.peer[r].channels; c; c = c->next, at += ENTRY) {
            p2p_put(m->data + at, 4, (uint64_t)r);
            p2p_put(m->data + at + 4, 4, (uint32_t)c->tag);
            p2p_put(m->data + at + 8, 8, c->sent);
            p2p_put(m->data + at + 16, 8, c->consumed);
        }
    memcpy(m->data + at, state, size);
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
    for (uint64_t i = 0; i < n; i++) {
        const unsigned char *e = m->data + FIXED + i * ENTRY;
        uint32_t rank = (uint32_t)p2p_get(e, 4);
        if (rank >= (uint32_t)R.peers)
            return P2P_NOWHERE;
        struct channel *c = p2p_channel(&R.peer[rank], (int32_t)p2p_get(e + 4, 4));
        c->sent = c->forgotten = p2p_get(e + 8, 8);
        c->got = c->consumed = p2p_get(e + 16, 8);
    }
    R.restored_at = FIXED + n * ENTRY;
    detect_end(&R.detect);
    p2p_detect_start();
    R.detect.phase = R.era << ERA | (R.scheme == P2P_SYNCHRONOUS ? R.iteration - R.era_start + 1 : 1);
    return 0;
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
            waiting += r != R.rank && !R.peer[r].answered && !R.peer[r].finished && !R.peer[r].gone;
        if (waiting && !p2p_wait_until(end))
            break;
    }
    int result = unpack();
    R.recovering = 0;
    p2p_hear_early();
    if (result == 0)
        tell_places(K_RESUME, R.restored);
    return result;
}

static uint64_t place_of(const unsigned char *list, size_t size, int tag)
{
    for (size_t at = 0; at + PLACE <= size; at += PLACE)
        if ((int32_t)p2p_get(list + at, 4) == tag)
            return p2p_get(list + at + 4, 8);
    return 0;
}

/* Sends a peer that was replaced what it had not used. */
void p2p_resume(struct peer *p, const unsigned char *list, size_t size)
{
    for (struct channel *c = p->channels; c; c = c->next) {
        uint64_t from = place_of(list, size, c->tag);
        if (from < c->forgotten) {
            p->gone = 1; /* what it needs is no longer there */
            return;
        }
        for (struct message *m = c->log; m; m = m->next)
            if (m->number > from)
                p2p_queue(p, K_DATA, 0, c->tag, m->number, 0, m);
    }
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
