/* SipHash-2-4 (Aumasson, Bernstein: SipHash: a fast short-input PRF, 2012, §2). */
#include "packet.h"

static uint64_t rotate(uint64_t x, int n) { return x << n | x >> (64 - n); }

static void sip_round(uint64_t v[4])
{
    v[0] += v[1]; v[1] = rotate(v[1], 13); v[1] ^= v[0]; v[0] = rotate(v[0], 32);
    v[2] += v[3]; v[3] = rotate(v[3], 16); v[3] ^= v[2];
    v[0] += v[3]; v[3] = rotate(v[3], 21); v[3] ^= v[0];
    v[2] += v[1]; v[1] = rotate(v[1], 17); v[1] ^= v[2]; v[2] = rotate(v[2], 32);
}

static void absorb(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    sip_round(v);
    sip_round(v);
    v[0] ^= word;
}

uint64_t p2p_mac(const struct p2p_key *key, const unsigned char *data, size_t size)
{
    uint64_t v[4] = {0x736f6d6570736575u ^ key->k[0], 0x646f72616e646f6du ^ key->k[1],
        0x6c7967656e657261u ^ key->k[0], 0x7465646279746573u ^ key->k[1]};
    size_t whole = size / 8 * 8;
    for (size_t i = 0; i < whole; i += 8)
        absorb(v, p2p_get(data + i, 8));
    absorb(v, p2p_get(data + whole, (int)(size - whole)) | (uint64_t)size << 56);
    v[2] ^= 0xff;
    for (int i = 0; i < 4; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* The key of one connection, from the run's and what both ends made up: a
 * packet of another connection says nothing here. */
struct p2p_key p2p_derive(const struct p2p_key *key, uint64_t a, uint64_t b)
{
    unsigned char text[17];
    struct p2p_key made;
    p2p_put(text, 8, a);
    p2p_put(text + 8, 8, b);
    for (int i = 0; i < 2; i++) {
        text[16] = (unsigned char)i;
        made.k[i] = p2p_mac(key, text, sizeof text);
    }
    return made;
}
