/* The packet parser for tests: reads a letter, a length and as many bytes, and
 * answers with a length and as many bytes. O opens a packet: the result, kind and
 * size. S seals a packet with the payload given. A is the opening of a connection:
 * one byte each for whom it is from and to, then what it says. H is the MAC. */
#include "../runtime/packet.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    struct p2p_key key = {{0x0706050403020100u, 0x0f0e0d0c0b0a0908u}};
    unsigned char head[5], *answer = malloc(P2P_HEAD + (1 << 20)), length[4];
    while (fread(head, 5, 1, stdin) == 1) {
        size_t size = p2p_get(head + 1, 4), n = 0;
        unsigned char *data = malloc(size ? size : 1); /* so that a sanitizer sees a read past it */
        struct p2p_packet p = {0};
        if (size > 1 << 20 || !data || (size && fread(data, size, 1, stdin) != 1))
            return 1;
        if (head[0] == 'O') {
            int result = p2p_open(data, size, &key, &p);
            volatile unsigned char last = result == 0 && p.size ? p.data[p.size - 1] : 0;
            (void)last;
            answer[0] = (unsigned char)-result;
            answer[1] = p.kind;
            p2p_put(answer + 2, 4, p.size);
            n = 6;
        } else if (head[0] == 'S') {
            p = (struct p2p_packet){.kind = K_DATA, .from = 1, .to = 2, .tag = -7, .order = 3, .value = 4, .size = (uint32_t)size, .data = data};
            p2p_seal(&p, &key, answer);
            n = P2P_HEAD + size;
        } else if (head[0] == 'A' && size >= 2) {
            p = (struct p2p_packet){.kind = K_HELLO, .from = data[0], .to = data[1], .value = 4, .size = (uint32_t)size - 2, .data = data + 2};
            p2p_seal(&p, &key, answer);
            n = P2P_HEAD + p.size;
        } else {
            p2p_put(answer, 8, p2p_mac(&key, data, size));
            n = 8;
        }
        free(data);
        p2p_put(length, 4, n);
        fwrite(length, 4, 1, stdout);
        fwrite(answer, n, 1, stdout);
        fflush(stdout);
    }
    return 0;
}
