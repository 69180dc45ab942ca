/* Drives what a peer says of itself, without a network: it is the second of two
 * peers, each a cluster. Says what went wrong; nothing where all is well. */
#include "../runtime/state.h"
#include <stdio.h>
#include <stdlib.h>

static int wrong;

/* The words that were queued since the last time: 'y' for converged, 'n' for
 * taken back. */
static void said(const char *want, const char *when)
{
    char got[16];
    int n = 0;
    for (struct frame *f = R.peer[0].unsent; f && n < 15; f = f->next)
        got[n++] = f->kind == K_DETECT && f->tag == D_UP ? (f->flag ? 'y' : 'n') : '?';
    got[n] = 0;
    R.peer[0].unsent = NULL;
    int same = 1;
    for (int i = 0; i <= n; i++)
        same = same && got[i] == want[i];
    if (!same) {
        printf("%s: said \"%s\", not \"%s\"\n", when, got, want);
        wrong = 1;
    }
}

int main(void)
{
    static int sizes[] = {1, 1};
    pthread_mutex_init(&R.lock, NULL);
    pthread_cond_init(&R.changed, NULL);
    R.peers = R.clusters = 2;
    R.sizes = sizes;
    R.rank = R.started = 1;
    R.scheme = P2P_ASYNCHRONOUS;
    R.peer = calloc(2, sizeof *R.peer);
    R.peer[0] = (struct peer){.rank = 0, .fd = -1, .wake = -1};
    R.peer[1] = (struct peer){.rank = 1, .cluster = 1, .fd = -1, .wake = -1};
    p2p_detect_start();
    struct channel *c = p2p_channel(&R.peer[0], 1), *deaf = p2p_channel(&R.peer[0], 2);
    c->asked = 1;
    (void)deaf; /* nothing is ever received by it, and nothing waited for */

    p2p_async_converged(0);
    said("", "at the start");
    p2p_async_converged(1);
    p2p_async_converged(1);
    said("", "converged, but nothing new has come");
    c->seen = 1;
    p2p_async_converged(1);
    said("y", "something new came and left it converged");
    c->seen = 2;
    p2p_async_converged(0);
    said("n", "the next message took it back");
    p2p_async_converged(1);
    said("", "converged again, between two messages");
    c->seen = 3;
    p2p_async_converged(1);
    said("y", "the message after that");
    detect_hear(&R.detect, 0, D_GO, 2, 1);
    p2p_async_converged(1);
    said("", "a vote was lost: nothing has come since");
    c->seen = 4;
    p2p_async_converged(1);
    said("y", "something has");
    detect_hear(&R.detect, 0, D_GO, 3, 1);
    p2p_async_converged(1);
    said("", "once more");
    R.settling_since -= 1000;
    p2p_async_converged(1);
    said("y", "nothing came for long");
    return wrong;
}
