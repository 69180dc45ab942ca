/* P2PSAP: messages between the peers of a decentralised program.
 *
 *     P2P_Init();
 *     do {
 *         if (steps++)                                 before, none was sent
 *             P2P_Receive(left, ghost, sizeof ghost, 0);
 *         ... compute ...
 *         P2P_Send(left, border, sizeof border, 0);
 *     } while (!P2P_Converged(change <= tolerance));   an error is negative
 *     P2P_Finish();
 *
 * The scheme of computation decides how messages travel:
 *
 *     scheme         inside a cluster          between clusters
 *     synchronous    in order, waited for      in order, waited for
 *     asynchronous   reliable, newest wins     may be lost, newest wins
 *     hybrid         in order, waited for      may be lost, newest wins
 *
 * Compile with `auspex p2p cc CC ...`, run with `auspex p2p run -n 4 ./program`.
 * Every call comes back: what takes longer than the run's patience is an error. */
#ifndef P2PSAP_H
#define P2PSAP_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

enum { P2P_ASK = -1, P2P_SYNCHRONOUS = 0, P2P_ASYNCHRONOUS = 1, P2P_HYBRID = 2 };
enum { P2P_ANY = -1 };

/* Errors, all negative; P2P_Error says one in words. */
enum {
    P2P_WRONG = -2,   /* an argument that cannot be, or a call out of place */
    P2P_LATE = -3,    /* nothing came within the run's patience */
    P2P_GONE = -4,    /* the peer died and none took its place in time */
    P2P_ROOM = -5,    /* the message is larger than the room for it */
    P2P_NOWHERE = -6  /* the run could not be joined */
};
const char *P2P_Error(int error);
void P2P_Words(int error, char *text, int length); /* the same for Fortran, filled up with blanks */

int P2P_Init(void);   /* 0, or an error */
int P2P_Finish(void);
int P2P_Rank(void);
int P2P_Peers(void);
int P2P_Cluster(int rank);
/* Sets the scheme from here on, the same on all peers and between two
 * iterations, and returns the one in force. P2P_ASK only asks. */
int P2P_Scheme(int scheme);

/* 0, or an error. Does not wait for the receiver, but for room to keep the
 * message where messages must not be lost. */
int P2P_Send(int to, const void *data, size_t size, int tag);
/* The size of the message; 0 where nothing newer than the last one has come
 * and the scheme does not wait for it; or an error. */
long P2P_Receive(int from, void *data, size_t room, int tag);
/* Waits for a message that P2P_Receive would give, at most so many seconds:
 * the peer it is from, P2P_LATE, or an error. from may be P2P_ANY. */
int P2P_Wait(int from, int tag, double seconds);

/* To be called once an iteration, after its sends: whether this peer's part has
 * converged. 1 once all parts have, all computed from one and the same state of
 * all peers; 0 where the iteration goes on; or an error. */
int P2P_Converged(int here);

/* Leaves the state of this peer with its neighbours, and gives it back to the
 * peer that takes its place: the size, 0 where there is none, or an error. */
int P2P_Checkpoint(const void *state, size_t size);
long P2P_Restore(void *state, size_t room);

/* What happened so far. */
struct P2P_Counts {
    unsigned long sent, received, bytes_sent, bytes_received;
    unsigned long overtaken; /* messages that a newer one replaced before they were seen */
    unsigned long lost;      /* pieces of messages that never became whole */
    unsigned long refused;   /* packets not of this run, garbled or of another version */
    unsigned long restarts;  /* peers that were replaced */
    double waiting;          /* seconds in P2P_Receive, P2P_Wait and P2P_Converged */
};
void P2P_Count(struct P2P_Counts *counts);
#ifdef __cplusplus
}
#endif
#endif
