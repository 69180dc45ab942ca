/* Measures the network between MPI ranks, and the speed of their processors.
 * Every pair of ranks in turn is a leader, which measures, and a follower. The
 * leader says what to do next: an order holds a kind, a size, and how often.
 *
 * Lines of the result:
 *     library NAME
 *     host RANK NAME
 *     KIND LEADER FOLLOWER BYTES TYPICAL LEAST TIMES     seconds: the median; of small messages, and large cold ones, a mean
 *     work LEADER FOLLOWER BYTES MEDIAN LEAST TIMES      of computation over so many bytes
 *     cool LEADER FOLLOWER BYTES MEDIAN LEAST TIMES      of a small exchange after that
 *     skewed LEADER FOLLOWER BYTES MEDIAN LEAST TIMES    of an exchange to which the follower came later, from then on
 *     sendbuffer LEADER FOLLOWER BYTES 0 0 1             that arrive while the sender computes
 *     kernel RANK NAME SECONDS                           a line a round
 *     done
 *
 *     pingpong [largest [budget]]     bytes, and seconds a size may take
 *     pingpong kernels                only the processors, and without MPI
 *     pingpong crowd [largest]        two ranks alone, then all at once:
 *     crowd RANKS 0 BYTES MEDIAN LEAST TIMES
 */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum kind { STOP, PINGPONG, EXCHANGE, SEND, ISEND, RECV, LATE, COLD, SELF, COOL, WORK, OVERLAP, SENDBUFFER, ALONE, SKEWED };

static const char *names[] = {"stop", "pingpong", "exchange", "send", "isend", "recv", "late", "cold", "self", "cool", "work", "overlap", "sendbuffer", "alone", "skewed"};

typedef struct {
    int kind, times;
    long bytes;
    double delay; /* before the follower receives; computation meanwhile */
} Order;

enum { MOST = 400, ROUNDS = 21, DATA = 1, TOKEN = 2, ORDER = 3, TEXT = 4 };

static char *buffer, *other;

/* Lines wait here for the end, when rank 0 prints those of all: what ranks
 * print themselves may come out mixed up. */
static char *said;
static size_t said_length, said_room;

static void say(const char *format, ...)
{
    va_list args;

    if (said_room - said_length < 1024) {
        said_room = 2 * said_room + 4096;
        said = realloc(said, said_room);
        if (said == NULL)
            abort();
    }
    va_start(args, format);
    said_length += (size_t)vsnprintf(said + said_length, 1024, format, args);
    va_end(args);
}

static void print_all(int me, int ranks)
{
    if (me > 0) {
        MPI_Send(said, (int)said_length, MPI_CHAR, 0, TEXT, MPI_COMM_WORLD);
        return;
    }
    fwrite(said, 1, said_length, stdout);
    for (int rank = 1; rank < ranks; rank++) {
        MPI_Status status;
        int n;
        MPI_Probe(rank, TEXT, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_CHAR, &n);
        char *theirs = malloc((size_t)n + 1);
        if (theirs == NULL)
            abort();
        MPI_Recv(theirs, n, MPI_CHAR, rank, TEXT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        fwrite(theirs, 1, (size_t)n, stdout);
        free(theirs);
    }
    puts("done");
    fflush(stdout);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void send_token(int peer) { MPI_Send(NULL, 0, MPI_BYTE, peer, TOKEN, MPI_COMM_WORLD); }

static void recv_token(int peer)
{
    MPI_Recv(NULL, 0, MPI_BYTE, peer, TOKEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_data(int peer, int n) { MPI_Send(buffer, n, MPI_BYTE, peer, DATA, MPI_COMM_WORLD); }

static void recv_data(int peer, int n)
{
    MPI_Recv(other, n, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Messages of a program come after computation, which leaves nothing of the
 * library and the system in the caches. */
enum { MUCH = 8 << 20, SMALL = 64 }; /* bytes: of computation, of a message */

static void compute_over(long bytes)
{
    static double *data;

    if (data == NULL && (data = calloc(1, MUCH)) == NULL)
        return;
    for (long i = 0; i < bytes / (long)sizeof *data; i++)
        data[i] += 1;
}

static void compute(void) { compute_over(MUCH); }

/* Exchanges in a row, as those of collectives are: alone, the rank that comes to it
 * later finds the other's message half on its way. */
static double exchange_in_a_row(int peer, int n)
{
    int row = n < 32 << 10 ? 8 : 1;
    double start = now();

    for (int i = 0; i < row; i++)
        MPI_Sendrecv(buffer, n, MPI_BYTE, peer, DATA, other, n, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return (now() - start) / row;
}

/* An exchange after computation. The rank that comes to it first waits for the
 * other, so the other's time is the one that counts. */
static double exchange_cold(int peer, int n, long work)
{
    double mine, theirs;

    compute_over(work);
    mine = now();
    MPI_Sendrecv(buffer, n, MPI_BYTE, peer, DATA, other, n, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    mine = now() - mine;
    MPI_Sendrecv(&mine, 1, MPI_DOUBLE, peer, TOKEN, &theirs, 1, MPI_DOUBLE, peer, TOKEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return mine < theirs ? mine : theirs;
}

/* Messages both ways during computation; what is left of their time after it. */
static double exchange_meanwhile(int peer, int n, double seconds)
{
    MPI_Request both[2];
    double start = now();

    MPI_Irecv(other, n, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(buffer, n, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, &both[1]);
    while (now() < start + seconds)
        ;
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    return now() - start - seconds;
}

/* Small messages that the system carries while their sender computes: the receiver
 * counts those that have come by the end of it. The connection is new then; its
 * buffers grow with use. */
enum { LINE = 4096, LINES = 128 };

static const double meanwhile = 0.1; /* seconds */

static void send_and_compute(int peer)
{
    MPI_Request all[LINES];
    double end;

    for (int i = 0; i < LINES; i++)
        MPI_Isend(buffer, LINE, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, &all[i]);
    for (end = now() + meanwhile; now() < end;)
        ;
    MPI_Waitall(LINES, all, MPI_STATUSES_IGNORE);
}

/* Returns the bytes that came, 0 for all there were: also where a slow network, not
 * a buffer, kept them. */
static long receive_meanwhile(int peer)
{
    MPI_Request all[LINES];
    double start = now(), last = 0;
    int done = 0, flag;

    for (int i = 0; i < LINES; i++)
        MPI_Irecv(other, LINE, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, &all[i]);
    while (done < LINES && now() - start < 0.9 * meanwhile) {
        MPI_Test(&all[done], &flag, MPI_STATUS_IGNORE);
        if (flag)
            done++, last = now() - start;
    }
    if (done < LINES)
        MPI_Waitall(LINES - done, &all[done], MPI_STATUSES_IGNORE);
    return done == LINES || last > meanwhile / 2 ? 0 : (long)done * LINE;
}

static void find_buffer(int me, int peer, long largest)
{
    Order o = {SENDBUFFER, 1, 0, 0};

    if (largest < LINE)
        return;
    MPI_Send(&o, sizeof o, MPI_BYTE, peer, ORDER, MPI_COMM_WORLD);
    say("%s %d %d %ld 0 0 1\n", names[SENDBUFFER], me, peer, receive_meanwhile(peer));
}

/* The leader's part of one measurement; returns seconds. */
static double lead(const Order *o, int peer)
{
    MPI_Request request;
    int n = (int)o->bytes;
    double start, time;

    switch (o->kind) {
    case PINGPONG:
        start = now();
        send_data(peer, n);
        recv_data(peer, n);
        return (now() - start) / 2;
    case EXCHANGE:
        send_token(peer);
        recv_token(peer);
        return exchange_in_a_row(peer, n);
    case SEND:
    case LATE:
        recv_token(peer); /* the follower is there, and with SEND has its receive posted */
        start = now();
        send_data(peer, n);
        return now() - start;
    case ISEND:
        recv_token(peer);
        start = now();
        MPI_Isend(buffer, n, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, &request);
        time = now() - start;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return time;
    case COLD:
        return exchange_cold(peer, n, MUCH);
    case COOL:
        return exchange_cold(peer, SMALL, o->bytes);
    case WORK:
        start = now();
        compute_over(o->bytes);
        return now() - start;
    case OVERLAP:
        send_token(peer);
        recv_token(peer);
        return exchange_meanwhile(peer, n, o->delay);
    case SKEWED:
        send_token(peer);
        recv_token(peer);
        return exchange_in_a_row(peer, n) - o->delay;
    case SELF: /* after computation too, as in a program */
        compute();
        start = now();
        MPI_Sendrecv(buffer, n, MPI_BYTE, peer, DATA, other, n, MPI_BYTE, peer, DATA, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        return now() - start;
    default: /* RECV, of what has come already; ALONE */
        send_token(peer);
        recv_token(peer);
        start = now();
        recv_data(peer, n);
        return now() - start;
    }
}

/* The follower's part. */
static void follow(const Order *o, int peer)
{
    MPI_Request request;
    int n = (int)o->bytes, seen;

    switch (o->kind) {
    case PINGPONG:
        recv_data(peer, n);
        send_data(peer, n);
        break;
    case EXCHANGE:
        recv_token(peer);
        send_token(peer);
        exchange_in_a_row(peer, n);
        break;
    case SEND:
    case ISEND:
        MPI_Irecv(other, n, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, &request);
        send_token(peer);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case LATE:
        send_token(peer);
        for (double end = now() + o->delay; now() < end;)
            ;
        recv_data(peer, n);
        break;
    case COLD:
        exchange_cold(peer, n, MUCH);
        break;
    case COOL:
        exchange_cold(peer, SMALL, o->bytes);
        break;
    case WORK:
        compute_over(o->bytes);
        break;
    case OVERLAP:
        recv_token(peer);
        send_token(peer);
        exchange_meanwhile(peer, n, o->delay);
        break;
    case SKEWED: /* comes later by the delay, and has seen the other's message by then */
        recv_token(peer);
        send_token(peer);
        for (double end = now() + o->delay; now() < end;)
            MPI_Iprobe(peer, TOKEN, MPI_COMM_WORLD, &seen, MPI_STATUS_IGNORE);
        exchange_in_a_row(peer, n);
        break;
    case SENDBUFFER:
        send_and_compute(peer);
        break;
    default: /* RECV, ALONE: the token overtakes nothing */
        recv_token(peer);
        MPI_Isend(buffer, n, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, &request);
        send_token(peer);
        for (double end = now() + o->delay; now() < end;)
            ;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
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
static void lead_all(int me, int peer, long largest, double budget)
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

static void follow_all(int peer)
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
static void lead_self(int me, long largest, double budget)
{
    for (long z = 1; z <= largest; z = next(z)) {
        int times = (int)(budget / (1e-3 + 2 * (double)z / 1e9));
        measure(me, me, SELF, z, times < 5 ? 5 : times > 31 ? 31 : times, 0);
    }
}

/* ---- processors: whole numbers, fractions, memory ---- */

static double whole_numbers(void)
{
    static unsigned count[4096];
    unsigned long x = 88172645463325252ul;

    for (int i = 0; i < 8000000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        count[x & 4095]++;
    }
    return count[x & 4095];
}

static double fractions(void)
{
    double a = 1, b = 1.1, c = 1.2, d = 1.3;

    for (int i = 0; i < 8000000; i++) {
        a = a * 0.999 + 0.5, b = b * 0.998 + 0.5;
        c = c * 0.997 + 0.5, d = d * 0.996 + 0.5;
    }
    return a + b + c + d;
}

static double memory(void)
{
    enum { N = 1 << 22 };
    static double *x, *y;

    if (x == NULL) {
        x = malloc(N * sizeof *x);
        y = malloc(N * sizeof *y);
        if (x == NULL || y == NULL)
            return 0;
        for (int i = 0; i < N; i++)
            x[i] = i, y[i] = 1;
    }
    for (int i = 1; i < N - 1; i++)
        y[i] = 0.25 * (x[i - 1] + x[i + 1]) + 0.5 * y[i];
    return y[N / 2];
}

/* One round: every kernel once. Rounds of the ranks take turns, so that what
 * slows the machine for a while slows all of them alike. */
static void kernels(int me)
{
    static const struct { const char *name; double (*run)(void); } all[] = {
        {"integer", whole_numbers}, {"floating", fractions}, {"memory", memory},
    };
    static volatile double sink;
    static int warm;

    for (int k = 0; k < 3; k++) {
        if (!warm)
            sink += all[k].run();
        double start = now();
        sink += all[k].run();
        say("kernel %d %s %.9g\n", me, all[k].name, now() - start);
    }
    warm = 1;
}

/* Messages both ways between ranks half of all apart, of the first pair alone and
 * of all pairs at once, in turn; the slowest pair counts. */
static void crowd(int me, int ranks, long largest)
{
    enum { TURNS = 15 };
    double alone[TURNS], together[TURNS];
    int half = ranks / 2, peer = me < half ? me + half : me < 2 * half ? me - half : -1;

    for (long z = 64 << 10; z <= largest && half > 1; z *= 4) {
        for (int turn = 0; turn < 2 * TURNS; turn++) {
            int all = turn % 2;
            double mine = 0, worst, start;
            compute();
            MPI_Barrier(MPI_COMM_WORLD);
            start = now();
            if (peer >= 0 && (all || me % half == 0)) {
                MPI_Sendrecv(buffer, (int)z, MPI_BYTE, peer, DATA, other, (int)z, MPI_BYTE, peer, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                mine = now() - start;
            }
            MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            (all ? together : alone)[turn / 2] = worst;
        }
        qsort(alone, TURNS, sizeof *alone, ascending);
        qsort(together, TURNS, sizeof *together, ascending);
        if (me == 0) {
            say("crowd 2 0 %ld %.9g %.9g %d\n", z, alone[TURNS / 2], alone[0], TURNS);
            say("crowd %d 0 %ld %.9g %.9g %d\n", 2 * half, z, together[TURNS / 2], together[0], TURNS);
        }
    }
}

int main(int argc, char **argv)
{
    int me, ranks, length;
    char name[MPI_MAX_PROCESSOR_NAME];

    if (argc > 1 && strcmp(argv[1], "kernels") == 0) {
        for (int round = 0; round < ROUNDS; round++)
            kernels(0);
        print_all(0, 1);
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int crowded = argc > 1 && strcmp(argv[1], "crowd") == 0;
    argv += crowded, argc -= crowded;
    long largest = argc > 1 ? atol(argv[1]) : 16 << 20;
    double budget = argc > 2 ? atof(argv[2]) : 0.05;
    buffer = calloc((size_t)largest + 1, 1);
    other = calloc((size_t)largest + 1, 1);
    if (largest < 1 || buffer == NULL || other == NULL || ranks < 2) {
        if (me == 0)
            fprintf(stderr, "pingpong: wants 2 ranks or more, sizes from 1 byte on, and memory for them\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    memset(buffer, 1, (size_t)largest);
    memset(other, 1, (size_t)largest);
    MPI_Get_processor_name(name, &length);
    say("host %d %s\n", me, name);
    if (me == 0) {
        char library[MPI_MAX_LIBRARY_VERSION_STRING];
        MPI_Get_library_version(library, &length);
        say("library %.60s\n", strtok(library, "\n"));
    }
    if (crowded) {
        crowd(me, ranks, largest);
        print_all(me, ranks);
        MPI_Finalize();
        return 0;
    }
    for (int a = 0; a < ranks; a++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (me == a)
            lead_self(me, largest, budget);
        for (int b = a + 1; b < ranks; b++) {
            MPI_Barrier(MPI_COMM_WORLD);
            if (me == a)
                lead_all(me, b, largest, budget);
            else if (me == b)
                follow_all(a);
        }
    }
    for (int turn = 0; turn < ROUNDS * ranks; turn++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (me == turn % ranks)
            kernels(me);
    }
    print_all(me, ranks);
    MPI_Finalize();
    return 0;
}
