/* What the files of the library share: the run as one peer sees it. One lock
 * guards all of it; whoever changes something that another may wait for
 * broadcasts. Every wait has an end. */
#ifndef P2P_STATE_H
#define P2P_STATE_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "detect.h"
#include "packet.h"
#include <pthread.h>
#include "p2psap.h"

#define HIDDEN __attribute__((visibility("hidden")))

/* A message, shared by the places that keep it. */
struct message { int refs; uint32_t size; uint64_t number, freeze; uint8_t era; struct message *next; unsigned char data[]; };

/* A packet to be sent until the other end says that it came. */
struct frame { struct frame *next; uint64_t order, value, freeze; int tag; uint8_t kind, flag; struct message *message; };

/* The messages of one tag between this peer and another. */
struct channel {
    int tag;
    /* in */
    struct message *first, *last; /* in order */
    uint64_t got, consumed;
    int unwaited; /* the scheme has changed: the first receive finds what was there */
    struct message *newest, *frozen, *building;
    uint64_t seen;     /* number of the newest that the program has seen */
    uint64_t settling; /* and had seen when its part began to settle */
    uint64_t frozen_phase;
    int asked, give_frozen, missing;
    unsigned char *here; /* which pieces of building are */
    /* out */
    uint64_t sent, forgotten, sent_newest, sent_iterating; /* in order, and as the newest */
    uint32_t size_iterating; /* of the last message */
    struct message *out, *out_frozen; /* the newest */
    int pending;                      /* and it is to be sent */
    uint64_t flying, seen_there, tell_seen; /* sent last, known to have come; to be told */
    double flown_at;
    struct message *log, *log_end;    /* in order, since the other's checkpoint but one */
    struct channel *next;
};

struct pull { int from, tag; uint64_t phase; struct pull *next; };

struct peer {
    int rank, cluster, fd, handed, wake, datagrams, port;
    char address[64];
    uint32_t incarnation;
    struct p2p_key key, handed_key;
    int known, connected, finished, gone, introduced;
    double lost_at; /* when the connection broke, 0 where it did not */
    double heard;
    uint64_t order, received;          /* numbers of packets that must come */
    struct frame *head, *tail, *unsent;
    size_t queued, logged;
    int tell, gossip; /* an acknowledgement or the list of peers is due */
    struct channel *channels;
    struct message *state, *state_building; /* its checkpoint */
    size_t state_have;
    struct message *state_next, *state_out, *state_held; /* ours for it: the newest, the one on its way, the one it has */
    size_t state_at;
    uint64_t state_order; /* of the piece on its way */
    int answered;          /* our question for ours */
    struct message *resume; /* where it goes on from, said while we recovered */
    pthread_t thread;
    int running;
};

struct run {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int rank, peers, clusters, *sizes, scheme, started, ending, recovering, launcher;
    uint32_t incarnation;
    struct p2p_key key;
    char address[64];
    struct meet { struct meet *next; int rank, port; uint32_t incarnation; char address[64]; } *meet; /* port 0: it has finished */
    int port, listener, datagrams, finishing;
    double patience;
    struct peer *peer;
    struct detect detect;
    uint64_t era, stopped; /* stopped: the phase in which the scheme before found its end, 0 where it found none */
    uint64_t iteration, era_start, freeze_at, freeze_phase, frozen_phase, settling_phase;
    double settling_since;
    int delivering;
    struct pull *pulls;
    struct early { struct early *next; int from, word, yes; uint64_t phase, mark; } *early;
    struct message *restored;
    size_t restored_at; /* where the program's own part of it begins */
    uint64_t version, stable; /* of the last checkpoint, and of one that all its holders have */
    struct P2P_Counts counts;
    unsigned long moved; /* that came or went: four for a message, one for what has no data */
    pthread_t accepting, reading, announcing;
    int announces; /* to those that connect to us */
    int finished_before; /* the peer whose place we take had finished with the others */
};
extern struct run R HIDDEN;

/* The words of an era of one scheme are told from those of the next. */
#define ERA 40
enum { QUEUE_BYTES = 16 << 20, LOG_BYTES = 32 << 20 };

double p2p_now(void) HIDDEN;
/* Waits for a change, at most until a moment: 0 when that has passed. */
int p2p_wait_until(double end) HIDDEN;
void p2p_changed(void) HIDDEN;

/* config.c */
int p2p_configure(void) HIDDEN;

/* message.c */
struct message *p2p_message(const void *data, size_t size) HIDDEN;
struct message *p2p_share(struct message *m) HIDDEN;
void p2p_drop(struct message **m) HIDDEN;
struct channel *p2p_channel(struct peer *p, int tag) HIDDEN;
int p2p_in_order(const struct peer *p) HIDDEN;
void p2p_queue(struct peer *p, int kind, int flag, int tag, uint64_t value, uint64_t freeze, struct message *m) HIDDEN;
void p2p_queue_bytes(struct peer *p, int kind, int tag, uint64_t value, const void *data, size_t size) HIDDEN;
void p2p_forget_frames(struct peer *p) HIDDEN;
void p2p_acknowledged(struct peer *p, uint64_t order) HIDDEN;

/* api.c */
void p2p_keep(struct peer *p, struct channel *c, struct message *m) HIDDEN;

/* take.c */
void p2p_take(struct peer *p, const struct p2p_packet *k) HIDDEN;
void p2p_introduce(struct peer *p, const char *address, int port, uint32_t incarnation) HIDDEN;
size_t p2p_gossip(unsigned char *to) HIDDEN;

/* link.c */
void *p2p_link(void *peer) HIDDEN;
void p2p_wake(struct peer *p) HIDDEN;

/* meet.c */
int p2p_listen(void) HIDDEN;
void *p2p_accept(void *none) HIDDEN;
void *p2p_datagrams(void *none) HIDDEN;
int p2p_connect(struct peer *p, struct p2p_key *key) HIDDEN;
int p2p_outgoing(struct peer *p) HIDDEN;
void p2p_copy_address(char *to, const char *address) HIDDEN;

/* freeze.c */
void p2p_detect_start(void) HIDDEN;
void p2p_replaced(int rank) HIDDEN;
void p2p_hear(int from, int word, uint64_t phase, int yes, uint64_t freeze) HIDDEN;
void p2p_heard_freeze(uint64_t freeze) HIDDEN;
uint64_t p2p_freeze_mark(void) HIDDEN;
int p2p_sync_converged(int here) HIDDEN;
int p2p_async_converged(int here) HIDDEN;
void p2p_answer_pulls(void) HIDDEN;
int p2p_scheme_changes(int scheme) HIDDEN;
void p2p_hear_early(void) HIDDEN;
int p2p_frozen(void) HIDDEN;
void p2p_old_newest(struct channel *c, struct message *m) HIDDEN;

/* checkpoint.c */
int p2p_recover(void) HIDDEN;
void p2p_take_resume(struct peer *p, const unsigned char *list, size_t size) HIDDEN;
void p2p_tell_place(struct peer *p) HIDDEN;
void p2p_trim(struct peer *p, const unsigned char *list, size_t size) HIDDEN;
void p2p_send_state(struct peer *p) HIDDEN;
void p2p_state_came(struct peer *p, uint64_t order) HIDDEN;
void p2p_keep_state(struct peer *p, const struct p2p_packet *k) HIDDEN;
void p2p_forget_state(struct peer *p) HIDDEN;

/* measure.c */
void p2p_measure_find(void) HIDDEN;
void p2p_measure_start(void) HIDDEN;
void p2p_iterated(void) HIDDEN;
void p2p_profile(void) HIDDEN;
void p2p_enter(const char *name, const void *from) HIDDEN;
void p2p_leave(int what, int peer, int tag, long bytes) HIDDEN;
#endif
