/* Termination of asynchronous iterations, decided by the peers alone.
 *
 * 1. Peers form a tree: a heap of ranks in each cluster under its coordinator,
 *    a heap of coordinators above. A peer whose part has converged, and whose
 *    children have said so, says so to its parent, and takes it back when that
 *    is no longer so.
 * 2. Where it is true of the root, the root has all freeze. A peer freezes at the
 *    end of an iteration: what it sent last is its frozen state. It fetches the
 *    frozen states of those it receives from, and computes one iteration from
 *    them. Peers that wait for one another's messages anyway freeze at the end
 *    of the same iteration; their next messages are the frozen ones.
 * 3. Each votes whether that iteration left its part converged. If all say
 *    yes, one state x of all peers had |F(x) - x| within the tolerance in every
 *    part, as in a synchronous iteration: all stop. Otherwise they go on, in the
 *    next phase.
 *
 * The synchronous scheme needs only the votes, one phase an iteration. This file
 * and detect.c know no sockets and no time; the test of random schedules drives
 * them as they are. */
#ifndef P2P_DETECT_H
#define P2P_DETECT_H
#include <stdint.h>

enum detect_word { D_UP = 1, D_FREEZE, D_VOTE, D_GO, D_STOP, D_RESET };
enum detect_state { D_FREE, D_FREEZING, D_FROZEN, D_VOTED, D_STOPPED };

struct detect {
    int rank, parent, children, voting; /* voting: the synchronous scheme */
    int *child;
    signed char *child_up, *child_vote; /* child_vote: -1 not yet */
    int here, told, vote; /* vote: -1 not yet */
    enum detect_state state;
    uint64_t phase;
    /* sends a word to a peer of the tree */
    void (*say)(void *with, int to, enum detect_word word, uint64_t phase, int yes);
    void *with;
};

void detect_start(struct detect *d, int rank, int clusters, const int *sizes);
void detect_end(struct detect *d);
void detect_scheme(struct detect *d, int voting);
/* A word from the tree. Words of other phases are of no account. */
void detect_hear(struct detect *d, int from, enum detect_word word, uint64_t phase, int yes);
/* This peer's part, at the end of an iteration that is not the one to vote on. */
void detect_here(struct detect *d, int converged);
void detect_frozen(struct detect *d);            /* it has frozen */
void detect_vote(struct detect *d, int converged); /* the iteration from the frozen state */
/* A peer was replaced: what it said and heard is void. */
void detect_replaced(struct detect *d, int rank);
#endif
