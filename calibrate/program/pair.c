#include "pingpong.h"

enum { MOST = 400 }; /* times of one measurement */

static const char *names[] = {"stop", "pingpong", "exchange", "send", "isend", "recv", "late", "cold", "self", "cool", "work", "overlap", "sendbuffer", "alone", "skewed"};

static void find_buffer(int me, int peer, long largest)
{
    Order o = {SENDBUFFER, 1, 0, 0};

    if (largest < LINE)
        return;
    MPI_Send(&o, sizeof o, MPI_BYTE, peer, ORDER, MPI_COMM_WORLD);
    say("%s %d %d %ld 0 0 1\n", names[SENDBUFFER], me, peer, receive_meanwhile(peer));
}

static double mean(const double *of, int from, int to)
{
    double sum = 0;
    for (int i = from; i < to; i++)
        sum += of[i];
    return sum / (to - from);
}

/* What one of some sorted times stands for all. Of small messages it is the mean but
 * for the longest: a program that sends thousands pays it, and a tenth of them take
 * half as long again as the others. */
static double typical(int kind, long bytes, const double *sorted, int n)
{
    if (kind == ALONE) /* what can be at all; who has no core of its own takes longer */
        return sorted[0];
    if (kind == COLD && bytes > 256 << 10) /* some take twice as long as others */
        return mean(sorted, n / 10, n - n / 10);
    if (bytes <= 4096 && n > ROUNDS && kind != WORK && kind != COOL)
        return mean(sorted, 0, n - n / 50 - 1);
    return sorted[n / 2];
}

/* Gives an order, leads it and prints a line; returns what it took. A message to
 * itself a rank leads alone. */
static double measure(int me, int peer, int kind, long bytes, int times, double delay)
{
    static double seen[MOST];
    Order o = {kind, times, bytes, delay};

    if (kind != SELF)
        MPI_Send(&o, sizeof o, MPI_BYTE, peer, ORDER, MPI_COMM_WORLD);
    for (int i = 0; i < o.times; i++)
        seen[i] = lead(&o, kind == SELF ? 0 : peer);
    qsort(seen, (size_t)o.times, sizeof *seen, ascending);
    double took = typical(kind, bytes, seen, o.times);
    say("%s %d %d %ld %.9g %.9g %d\n", names[kind], me, peer, bytes, took, seen[0], o.times);
    return took;
}

/* The size from which on a send waits for its receive, by halving. */
static long find_threshold(int me, int peer, long largest, double bandwidth)
{
    long low = 0, high = largest < 4 << 20 ? largest : 4 << 20;

    while (high - low > 1 + low / 64) {
        long middle = low < 512 && high > 1024 ? 2 * low + 512 : low + (high - low) / 2;
        double delay = 0.002 + 3 * (double)middle / bandwidth;
        if (measure(me, peer, LATE, middle, 3, delay) > delay / 2)
            high = middle;
        else
            low = middle;
    }
    say("threshold %d %d %ld 0 0 1\n", me, peer, high);
    return high;
}

/* The size up to which a receiver gets a message that waits for it while the sender
 * computes, as through memory that both can read; no sends wait below the size low. */
static void find_alone(int me, int peer, long largest, long low, double bandwidth)
{
    long most = largest < 4 << 20 ? largest : 4 << 20, high = 2 * most;

    for (long middle = low < most ? low : most;; middle = high > most ? most : low + (high - low) / 2) {
        double delay = 0.002 + 3 * (double)middle / bandwidth;
        if (measure(me, peer, ALONE, middle, 7, delay) > delay / 2)
            high = middle;
        else
            low = middle + 1;
        if (high - low <= low / 16 || low > most)
            break;
    }
    say("receives %d %d %ld 0 0 1\n", me, peer, low > most ? 1L << 40 : high);
}

/* How much computation empties the caches of what messages need. */
static void cool_down(int me, int peer, double budget)
{
    int times = (int)(80 * budget / 1e-3);

    times = times < 3 ? 3 : times > 61 ? 61 : times;
    for (long work = 16 << 10; work <= MUCH; work *= 4) {
        measure(me, peer, WORK, work, times, 0);
        measure(me, peer, COOL, work, times, 0);
    }
    measure(me, peer, COOL, 0, times, 0);
}

/* Whether large messages move while both ranks compute, and whether they pass both
 * ways at once where one rank comes a little later. */
static void find_overlap(int me, int peer, long largest, long waits)
{
    long bytes = waits < 256 << 10 ? 1 << 20 : 4 * waits;

    if (bytes <= largest) {
        double whole = measure(me, peer, EXCHANGE, bytes, 5, 0);
        measure(me, peer, OVERLAP, bytes, 7, whole);
        measure(me, peer, SKEWED, bytes, 7, whole / 8);
    }
}

/* Powers of two, up to 1 MiB with the sizes half-way between. */
static long next(long z)
{
    if (z >= 1 << 20 || z == 1)
        return 2 * z;
    return z & (z - 1) ? z / 3 * 4 : z / 2 * 3;
}

/* Connections are made, and find their pace, with the first messages. Returns
 * the seconds that one of the last took. */
static double warm_up(int peer, long largest)
{
    Order o = {PINGPONG, 50, largest < 4096 ? largest : 4096, 0};
    double half = 0;

    MPI_Send(&o, sizeof o, MPI_BYTE, peer, ORDER, MPI_COMM_WORLD);
    for (int i = 0; i < o.times; i++) {
        if (i == o.times / 2)
            half = now();
        lead(&o, peer);
    }
    return (now() - half) / (o.times - o.times / 2);
}

/* What is known of a pair: how fast large messages are, and how long one of each kind
 * lasted, with all around it. */
enum { KINDS = 6 };
struct pace { double bandwidth, lasted[KINDS]; };

/* Measures all sizes up to one, kind by kind. */
static void sweep(int me, int peer, long largest, double budget, struct pace *p)
{
    static const int kinds[KINDS] = {PINGPONG, EXCHANGE, SEND, ISEND, RECV, COLD};

    for (long z = 1; z <= largest; z = next(z)) {
        for (int k = 0; k < KINDS; k++) {
            int cold = kinds[k] == COLD;
            if (k >= 2 && !cold && z > (kinds[k] == SEND ? 4 << 20 : 256 << 10))
                continue; /* large ones wait for the network, whoever asks */
            double each = 2 * (double)z / p->bandwidth + (cold ? 1e-3 : 20e-6);
            if (each < p->lasted[k])
                each = p->lasted[k]; /* hosts with a share of a processor come and go */
            int times = (int)(budget / each), enough = (int)((cold ? 80 : 20) * budget / each);
            int most = cold ? 31 : 11;
            enough = enough < 3 ? 3 : enough > most ? most : enough;
            times = times < enough ? enough : times > MOST ? MOST : times;
            double start = now(), t = measure(me, peer, kinds[k], z, times, 0);
            p->lasted[k] = (now() - start) / times;
            if (k == 0 && z >= 1024)
                p->bandwidth = (double)z / t;
        }
    }
}

/* Small messages are measured again between all else: for parts of a second a machine
 * takes a tenth more for them, or less. */
void lead_all(int me, int peer, long largest, double budget)
{
    long small = largest < 4096 ? largest : 4096;
    struct pace p = {1e9, {0}};

    find_buffer(me, peer, largest);
    p.lasted[0] = warm_up(peer, largest);
    for (int k = 1; k < KINDS; k++)
        p.lasted[k] = p.lasted[0];
    sweep(me, peer, largest, budget, &p);
    struct pace later = {p.bandwidth, {0}};
    long waits = find_threshold(me, peer, largest, p.bandwidth);
    sweep(me, peer, small, budget, &later);
    find_alone(me, peer, largest, waits, p.bandwidth);
    sweep(me, peer, small, budget, &later);
    find_overlap(me, peer, largest, waits);
    sweep(me, peer, small, budget, &later);
    cool_down(me, peer, budget);
    sweep(me, peer, small, budget, &later);
    Order stop = {STOP, 0, 0, 0};
    MPI_Send(&stop, sizeof stop, MPI_BYTE, peer, ORDER, MPI_COMM_WORLD);
}

void follow_all(int peer)
{
    Order o;

    for (;;) {
        MPI_Recv(&o, sizeof o, MPI_BYTE, peer, ORDER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (o.kind == STOP)
            return;
        for (int i = 0; i < o.times; i++)
            follow(&o, peer);
    }
}

/* Messages of a rank to itself: programs whose partner in a dimension of one is
 * the rank itself send half of their bytes so. */
void lead_self(int me, long largest, double budget)
{
    for (long z = 1; z <= largest; z = next(z)) {
        int times = (int)(budget / (1e-3 + 2 * (double)z / 1e9));
        measure(me, me, SELF, z, times < 5 ? 5 : times > 31 ? 31 : times, 0);
    }
}
