/* Drives the sending of checkpoints without a network: the test is the link that
 * takes what is queued and acknowledges it. Says what went wrong; nothing where
 * all is well. */
#include "../runtime/state.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATE = 200000, PIECE = 16 << 10 };
static int wrong;

static void check(int good, const char *what)
{
    if (!good) {
        printf("%s\n", what);
        wrong = 1;
    }
}

/* The link writes all that is queued. */
static int write_all(struct peer *p)
{
    int n = 0;
    for (; p->unsent; p->unsent = p->unsent->next)
        n++;
    return n;
}

/* Sends until nothing comes any more; returns the number of the last state sent,
 * and counts the states. */
static uint64_t drain(struct peer *p, int *states)
{
    uint64_t last = 0;
    for (;;) {
        p2p_send_state(p);
        if (!p->head)
            return last;
        check(p->head == p->tail && p->queued <= PIECE, "more than a piece waits");
        if (p->head->value != last)
            ++*states;
        last = p->head->value;
        write_all(p);
        p2p_acknowledged(p, p->order);
    }
}

int main(void)
{
    static unsigned char state[STATE];
    static int sizes[] = {1, 1};
    int states = 0;
    pthread_mutex_init(&R.lock, NULL);
    pthread_cond_init(&R.changed, NULL);
    R.peers = 2;
    R.clusters = 2;
    R.sizes = sizes;
    R.scheme = P2P_ASYNCHRONOUS;
    R.started = 1;
    R.peer = calloc(2, sizeof *R.peer);
    R.peer[0] = (struct peer){.rank = 0, .fd = -1, .wake = -1};
    R.peer[1] = (struct peer){.rank = 1, .cluster = 1, .fd = -1, .wake = -1};
    p2p_detect_start();
    struct peer *p = &R.peer[1];

    /* A thousand checkpoints while the link stands still: nothing is queued, and
     * afterwards one state travels, the last. */
    for (int i = 0; i < 1000; i++)
        check(P2P_Checkpoint(state, STATE) == 0, "no checkpoint");
    check(p->queued == 0, "a checkpoint is queued before the link looks");
    check(drain(p, &states) == 1000 && states == 1, "not the last state alone");

    /* A hundred more while one is on its way: that one comes to its end, then the
     * newest follows. */
    states = 0;
    P2P_Checkpoint(state, STATE);
    p2p_send_state(p);
    for (int i = 0; i < 100; i++)
        P2P_Checkpoint(state, STATE);
    check(drain(p, &states) == 1101 && states == 2, "not the state that was begun and the newest");
    check(R.stable == 1101, "what the holder has is not known to be there");

    /* No piece goes while a message is yet to be sent, and none before the piece
     * before it has come. */
    P2P_Checkpoint(state, STATE);
    p2p_queue_bytes(p, K_DATA, 7, 1, "message", 7);
    p2p_send_state(p);
    check(p->head == p->tail, "a checkpoint goes before a message");
    write_all(p);
    p2p_send_state(p);
    uint64_t piece = p->order;
    write_all(p);
    p2p_send_state(p);
    check(p->order == piece, "two pieces are on their way");
    return wrong;
}
