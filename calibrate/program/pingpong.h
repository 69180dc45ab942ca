/* What the parts of the program share. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum kind { STOP, PINGPONG, EXCHANGE, SEND, ISEND, RECV, LATE, COLD, SELF, COOL, WORK, OVERLAP, SENDBUFFER, ALONE, SKEWED };

typedef struct {
    int kind, times;
    long bytes;
    double delay; /* before the follower receives; computation meanwhile */
} Order;

enum { LINE = 4096, LINES = 128 }; /* bytes and number of messages that a sender leaves to the system */

enum { ROUNDS = 21, DATA = 1, TOKEN = 2, ORDER = 3, TEXT = 4 };

extern char *buffer, *other; /* what is sent, and where it arrives */

static inline double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int ascending(const void *a, const void *b);

/* said.c: lines for the end */
void say(const char *format, ...);
void print_all(int me, int ranks);

/* work.c: computation, and how much of it leaves nothing of messages in the caches, in bytes */
enum { MUCH = 8 << 20 };
void compute_over(long bytes);
void compute(void);
void kernels(int me);

/* order.c: one measurement, the part of its leader and that of its follower */
double lead(const Order *o, int peer);
void follow(const Order *o, int peer);
long receive_meanwhile(int peer); /* bytes that come while their sender computes */

/* pair.c: all measurements of a pair, and of a rank with itself */
void lead_all(int me, int peer, long largest, double budget);
void follow_all(int peer);
void lead_self(int me, long largest, double budget);

/* crowd.c: one pair beside all of them */
void crowd(int me, int ranks, long largest);
