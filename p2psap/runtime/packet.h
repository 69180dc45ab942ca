/* What travels: one packet is a frame of a connection or a datagram. All numbers
 * are little-endian. The MAC is over everything else in the packet. */
#ifndef P2P_PACKET_H
#define P2P_PACKET_H
#include <stddef.h>
#include <stdint.h>

enum { P2P_VERSION = 3, P2P_HEAD = 64, P2P_PIECE = 1380 };
#define P2P_MAGIC 0x53503250u /* "P2PS" */
#define P2P_LARGEST (1u << 28)

struct p2p_key { uint64_t k[2]; };

enum p2p_kind {
    K_HELLO = 1, /* opens a connection: value = what this end made up, payload: where it listens */
    K_PEERS,     /* gossip: who is where */
    K_ACK,       /* value = the last of the other's numbered packets that came; a sign of life */
    K_DATA,      /* in order: value = number on its tag */
    K_NEWEST,    /* the newest wins: value = number on its tag */
    K_PIECE,     /* a part of such a message, in a datagram */
    K_DETECT,    /* termination: tag = what, value = phase */
    K_PULL,      /* asks for the frozen message of a tag: value = phase */
    K_FROZEN,    /* the answer */
    K_STATE,     /* a checkpoint to keep */
    K_FETCH,     /* asks for one's checkpoint */
    K_HELD,      /* the answer, empty where there is none */
    K_RESUME,    /* how far a peer that was replaced had come, by tag */
    K_STABLE,    /* the same, of a checkpoint that was made: what is older is not asked for again */
    K_FINISH,
    K_SEEN,      /* value = number of a message that came where the newest wins: the next may go */
    K_KINDS
};

struct p2p_packet {
    uint8_t kind, flag;
    uint16_t piece, pieces;
    uint32_t from, to, incarnation;
    int32_t tag;
    uint64_t order; /* number on the connection, of packets that must come; 0 of others */
    uint64_t value, freeze;
    uint32_t size; /* of the payload */
    const unsigned char *data;
};

/* Why a packet is not taken. */
enum p2p_refusal { REFUSED_SHORT = -1, REFUSED_FOREIGN = -2, REFUSED_VERSION = -3, REFUSED_SIZE = -4, REFUSED_MAC = -5, REFUSED_KIND = -6 };

static inline uint64_t p2p_get(const unsigned char *at, int bytes)
{
    uint64_t v = 0;
    for (int i = bytes; i-- > 0;)
        v = v << 8 | at[i];
    return v;
}

static inline void p2p_put(unsigned char *at, int bytes, uint64_t v)
{
    for (int i = 0; i < bytes; i++, v >>= 8)
        at[i] = (unsigned char)v;
}

uint64_t p2p_mac(const struct p2p_key *key, const unsigned char *data, size_t size);
struct p2p_key p2p_derive(const struct p2p_key *key, uint64_t a, uint64_t b);
/* Writes a packet with its MAC to P2P_HEAD + size bytes. */
void p2p_seal(const struct p2p_packet *p, const struct p2p_key *key, unsigned char *to);
/* How many bytes the packet that begins here has; 0 where that cannot be said
 * yet; a refusal where it is none of ours. Nothing of it is trusted by that. */
long p2p_measure(const unsigned char *at, size_t have);
/* Reads a whole packet: 0 or a refusal. */
int p2p_open(const unsigned char *at, size_t size, const struct p2p_key *key, struct p2p_packet *p);
#endif
