#include "packet.h"
#include <string.h>

/* 0 magic, 4 version, 5 kind, 6 flag, 7 zero, 8 size, 12 from, 16 to,
 * 20 incarnation, 24 tag, 28 piece, 30 pieces, 32 order, 40 value, 48 freeze,
 * 56 MAC, 64 payload. */
enum { AT_MAC = 56 };

/* The MAC covers head and payload; it is computed in two steps so that the
 * payload need not be moved. */
static uint64_t seal_of(const unsigned char *packet, size_t size, const struct p2p_key *key)
{
    unsigned char both[AT_MAC + 8];
    memcpy(both, packet, AT_MAC);
    p2p_put(both + AT_MAC, 8, p2p_mac(key, packet + P2P_HEAD, size));
    return p2p_mac(key, both, sizeof both);
}

void p2p_seal(const struct p2p_packet *p, const struct p2p_key *key, unsigned char *to)
{
    p2p_put(to, 4, P2P_MAGIC);
    to[4] = P2P_VERSION;
    to[5] = p->kind;
    to[6] = p->flag;
    to[7] = 0;
    p2p_put(to + 8, 4, p->size);
    p2p_put(to + 12, 4, p->from);
    p2p_put(to + 16, 4, p->to);
    p2p_put(to + 20, 4, p->incarnation);
    p2p_put(to + 24, 4, (uint32_t)p->tag);
    p2p_put(to + 28, 2, p->piece);
    p2p_put(to + 30, 2, p->pieces);
    p2p_put(to + 32, 8, p->order);
    p2p_put(to + 40, 8, p->value);
    p2p_put(to + 48, 8, p->freeze);
    if (p->size)
        memcpy(to + P2P_HEAD, p->data, p->size);
    p2p_put(to + AT_MAC, 8, seal_of(to, p->size, key));
}

long p2p_measure(const unsigned char *at, size_t have)
{
    if (have >= 4 && p2p_get(at, 4) != P2P_MAGIC)
        return REFUSED_FOREIGN;
    if (have >= 5 && at[4] != P2P_VERSION)
        return REFUSED_VERSION;
    if (have < 12)
        return 0;
    uint64_t size = p2p_get(at + 8, 4);
    return size > P2P_LARGEST ? REFUSED_SIZE : (long)(P2P_HEAD + size);
}

int p2p_open(const unsigned char *at, size_t size, const struct p2p_key *key, struct p2p_packet *p)
{
    long measured = p2p_measure(at, size);
    if (measured < 0)
        return (int)measured;
    if (measured == 0 || size < P2P_HEAD)
        return REFUSED_SHORT;
    if ((size_t)measured != size)
        return REFUSED_SIZE;
    if (p2p_get(at + AT_MAC, 8) != seal_of(at, size - P2P_HEAD, key))
        return REFUSED_MAC;
    *p = (struct p2p_packet){.kind = at[5], .flag = at[6], .size = (uint32_t)(size - P2P_HEAD), .from = (uint32_t)p2p_get(at + 12, 4),
        .to = (uint32_t)p2p_get(at + 16, 4), .incarnation = (uint32_t)p2p_get(at + 20, 4), .tag = (int32_t)p2p_get(at + 24, 4),
        .piece = (uint16_t)p2p_get(at + 28, 2), .pieces = (uint16_t)p2p_get(at + 30, 2), .order = p2p_get(at + 32, 8),
        .value = p2p_get(at + 40, 8), .freeze = p2p_get(at + 48, 8), .data = at + P2P_HEAD};
    if (p->kind < K_HELLO || p->kind >= K_KINDS || (p->kind == K_PIECE && p->piece >= p->pieces))
        return REFUSED_KIND;
    return 0;
}
