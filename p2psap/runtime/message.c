/* Messages, channels, and the packets that must come. */
#include "state.h"
#include <stdlib.h>
#include <string.h>

struct message *p2p_message(const void *data, size_t size)
{
    struct message *m = malloc(sizeof *m + size);
    if (!m)
        abort();
    *m = (struct message){.refs = 1, .size = (uint32_t)size};
    if (size && data)
        memcpy(m->data, data, size);
    return m;
}

struct message *p2p_share(struct message *m)
{
    if (m)
        m->refs++;
    return m;
}

void p2p_drop(struct message **m)
{
    if (*m && --(*m)->refs == 0)
        free(*m);
    *m = NULL;
}

struct channel *p2p_channel(struct peer *p, int tag)
{
    struct channel *c = p->channels;
    while (c && c->tag != tag)
        c = c->next;
    if (!c) {
        c = calloc(1, sizeof *c);
        if (!c)
            abort();
        c->tag = tag;
        c->next = p->channels;
        p->channels = c;
    }
    return c;
}

/* Whether messages to and from a peer are kept in order and waited for: the
 * table of schemes. */
int p2p_in_order(const struct peer *p)
{
    return R.scheme == P2P_SYNCHRONOUS || (R.scheme == P2P_HYBRID && p->cluster == R.peer[R.rank].cluster);
}

void p2p_queue(struct peer *p, int kind, int flag, int tag, uint64_t value, uint64_t freeze, struct message *m)
{
    struct frame *f = calloc(1, sizeof *f);
    if (!f)
        abort();
    *f = (struct frame){.order = ++p->order, .kind = (uint8_t)kind, .flag = (uint8_t)flag, .tag = tag, .value = value, .freeze = freeze, .message = p2p_share(m)};
    if (p->tail)
        p->tail->next = f;
    else
        p->head = f;
    p->tail = f;
    if (!p->unsent)
        p->unsent = f;
    p->queued += m ? m->size : 0;
    p2p_wake(p);
}

void p2p_queue_bytes(struct peer *p, int kind, int tag, uint64_t value, const void *data, size_t size)
{
    struct message *m = p2p_message(data, size);
    p2p_queue(p, kind, 0, tag, value, 0, m);
    p2p_drop(&m);
}

static void unqueue(struct peer *p)
{
    struct frame *f = p->head;
    p->head = f->next;
    if (!p->head)
        p->tail = NULL;
    if (p->unsent == f)
        p->unsent = f->next;
    p->queued -= f->message ? f->message->size : 0;
    p2p_drop(&f->message);
    free(f);
}

void p2p_forget_frames(struct peer *p)
{
    while (p->head)
        unqueue(p);
}

void p2p_acknowledged(struct peer *p, uint64_t order)
{
    while (p->head && p->head->order <= order && p->head != p->unsent)
        unqueue(p);
    p2p_state_came(p, order);
    p2p_changed();
}
