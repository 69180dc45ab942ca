/* Integer sort over MPI: keys of a bell-shaped distribution are ranked again
 * and again by a bucket sort.
 *
 * The communication is that of the integer sort among the NAS parallel
 * benchmarks: in every ranking an allreduce of the bucket sizes, an alltoall of
 * the counts and an alltoallv of the keys; ten rankings. Keys depend on their
 * position alone, so the result does not depend on the number of ranks.
 *
 *     intsort [S|W|A [rankings]]      the default class can be set by -DCLASS
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CLASS
#define CLASS "W"
#endif

#define TOUCHED 1024 /* keys that change from ranking to ranking, twice over */

typedef struct {
    const char *name;
    int log_keys, log_range, log_buckets;
} Class;

static const Class classes[] = {
    {"S", 16, 11, 9},
    {"W", 20, 16, 10},
    {"A", 23, 19, 10},
};

typedef struct {
    int rank, ranks;
    const Class *class;
    long mine, first;      /* how many keys are here, and where they begin */
    int buckets, shift;    /* key >> shift is its bucket */
    int range;             /* keys lie in 0 .. range-1 */
    int *keys;             /* as they came */
    int *packed;           /* in the order of their buckets */
    int *received;         /* those of the buckets of this rank */
    int arrived;           /* how many of them */
    int *here, *everywhere; /* bucket sizes */
    int *send_count, *send_at, *recv_count, *recv_at;
    int *key_rank;         /* where the first key of each value stands */
    int lowest, highest;   /* values this rank ranks: lowest .. highest-1 */
    int64_t before;        /* keys that ranks before this one rank */
} Sorter;

static void *room(size_t n, size_t size)
{
    void *p = calloc(n > 0 ? n : 1, size);

    if (p == NULL)
        MPI_Abort(MPI_COMM_WORLD, 2);
    return p;
}

/* A number without pattern from a counter: two multiplications mix its bits. */
static uint64_t scatter(uint64_t counter)
{
    uint64_t x = (counter + 1) * 0x9E3779B97F4A7C15u;

    x = (x ^ (x >> 29)) * 0xD1342543DE82EF95u;
    return x ^ (x >> 32);
}

/* The mean of four even draws makes the bell. */
static void make_keys(Sorter *s)
{
    for (long i = 0; i < s->mine; i++) {
        uint64_t sum = 0;
        for (int draw = 0; draw < 4; draw++)
            sum += scatter((uint64_t)(s->first + i) * 4 + draw) >> 40;
        s->keys[i] = (int)((sum * s->range) >> 26);
    }
}

static void prepare(Sorter *s, const Class *class)
{
    long total = 1L << class->log_keys;
    int ranks = s->ranks;

    s->class = class;
    s->first = total * s->rank / ranks;
    s->mine = total * (s->rank + 1) / ranks - s->first;
    s->buckets = 1 << class->log_buckets;
    s->shift = class->log_range - class->log_buckets;
    s->range = 1 << class->log_range;
    s->keys = room(s->mine, sizeof(int));
    s->packed = room(s->mine, sizeof(int));
    s->received = room(total, sizeof(int)); /* touched only as far as needed */
    s->here = room(s->buckets, sizeof(int));
    s->everywhere = room(s->buckets, sizeof(int));
    s->send_count = room(ranks, sizeof(int));
    s->send_at = room(ranks, sizeof(int));
    s->recv_count = room(ranks, sizeof(int));
    s->recv_at = room(ranks, sizeof(int));
    s->key_rank = room(s->range, sizeof(int));
}

/* Two keys change before every ranking, so that no two rankings are the same. */
static void change_keys(Sorter *s, int ranking)
{
    if (s->rank == 0) {
        s->keys[ranking % TOUCHED] = ranking % s->range;
        s->keys[TOUCHED + ranking % TOUCHED] = s->range - 1 - ranking % s->range;
    }
}

/* How many keys each bucket gets, from here and from all ranks. */
static void count_buckets(Sorter *s)
{
    const int shift = s->shift;
    int *here = s->here;

    memset(here, 0, sizeof(int) * s->buckets);
    for (long i = 0; i < s->mine; i++)
        here[s->keys[i] >> shift]++;
    MPI_Allreduce(s->here, s->everywhere, s->buckets, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Neighbouring buckets go to one rank, until it has its share of the keys. */
static void assign_buckets(Sorter *s)
{
    int64_t total = (int64_t)1 << s->class->log_keys, sum = 0;
    int rank = 0;

    s->before = 0;
    s->lowest = s->rank == 0 ? 0 : s->range;
    s->highest = s->range;
    memset(s->send_count, 0, sizeof(int) * s->ranks);
    for (int b = 0; b < s->buckets; b++) {
        s->send_count[rank] += s->here[b];
        sum += s->everywhere[b];
        if (rank < s->ranks - 1 && sum * s->ranks >= total * (rank + 1)) {
            if (rank == s->rank)
                s->highest = (b + 1) << s->shift;
            if (++rank == s->rank) {
                s->lowest = (b + 1) << s->shift;
                s->before = sum;
            }
        }
    }
}

/* Keys of one bucket, and so of one rank, come to stand together. */
static void pack_keys(Sorter *s)
{
    int *next = s->here; /* the sizes have been used; now places */
    int sum = 0;

    for (int b = 0; b < s->buckets; b++) {
        int size = s->here[b];
        next[b] = sum;
        sum += size;
    }
    for (long i = 0; i < s->mine; i++)
        s->packed[next[s->keys[i] >> s->shift]++] = s->keys[i];
}

static void exchange_keys(Sorter *s)
{
    MPI_Alltoall(s->send_count, 1, MPI_INT, s->recv_count, 1, MPI_INT, MPI_COMM_WORLD);
    s->send_at[0] = s->recv_at[0] = 0;
    for (int r = 1; r < s->ranks; r++) {
        s->send_at[r] = s->send_at[r - 1] + s->send_count[r - 1];
        s->recv_at[r] = s->recv_at[r - 1] + s->recv_count[r - 1];
    }
    s->arrived = s->recv_at[s->ranks - 1] + s->recv_count[s->ranks - 1];
    MPI_Alltoallv(s->packed, s->send_count, s->send_at, MPI_INT,
                  s->received, s->recv_count, s->recv_at, MPI_INT, MPI_COMM_WORLD);
}

/* How many keys of this rank are smaller than each value. */
static void rank_keys(Sorter *s)
{
    int *count = s->key_rank;
    int sum = 0;

    memset(count, 0, sizeof(int) * s->range);
    for (int i = 0; i < s->arrived; i++)
        count[s->received[i]]++;
    for (int v = s->lowest; v < s->highest; v++) {
        int size = count[v];
        count[v] = sum;
        sum += size;
    }
}

/* Puts the keys in order by their ranks and looks whether they are: no key out
 * of order here, none below what earlier ranks hold, none lost, none made.
 * Returns the number of faults found anywhere. */
static long verify(Sorter *s, uint64_t *checksum)
{
    int *sorted = room(s->arrived, sizeof(int));
    long faults = 0, all = 0;
    int64_t count = s->arrived, total = 0;
    int largest = 0, earlier = 0;
    uint64_t sum = 0;

    for (int i = 0; i < s->arrived; i++)
        sorted[s->key_rank[s->received[i]]++] = s->received[i];
    for (int i = 0; i < s->arrived; i++) {
        faults += sorted[i] < largest;
        largest = sorted[i];
        sum += (uint64_t)(s->before + i + 1) * (uint64_t)sorted[i];
    }
    MPI_Exscan(&largest, &earlier, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    faults += s->arrived > 0 && s->rank > 0 && sorted[0] < earlier;
    MPI_Allreduce(&count, &total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    faults += total != (int64_t)1 << s->class->log_keys;
    MPI_Allreduce(&faults, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(&sum, checksum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    free(sorted);
    return all;
}

int main(int argc, char **argv)
{
    Sorter s = {0};
    const Class *class = NULL;
    const char *name = argc > 1 ? argv[1] : CLASS;
    int rankings = argc > 2 ? atoi(argv[2]) : 10;
    uint64_t checksum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (strcmp(classes[i].name, name) == 0)
            class = &classes[i];
    if (class == NULL || rankings < 1 || s.ranks > 32) {
        if (s.rank == 0)
            fprintf(stderr, "usage: intsort [S|W|A [rankings]], on at most 32 ranks\n");
        MPI_Finalize();
        return 2;
    }
    prepare(&s, class);
    make_keys(&s);

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int ranking = 0; ranking < rankings; ranking++) {
        change_keys(&s, ranking);
        count_buckets(&s);
        assign_buckets(&s);
        pack_keys(&s);
        exchange_keys(&s);
        rank_keys(&s);
    }
    double time = MPI_Wtime() - start;

    long faults = verify(&s, &checksum);
    if (s.rank == 0) {
        printf("intsort: class %s, %ld keys below %d, %d rankings, %d ranks\n", class->name,
               1L << class->log_keys, s.range, rankings, s.ranks);
        printf("faults %ld\n", faults);
        printf("checksum %016llx\n", (unsigned long long)checksum);
        printf("time %.3f s\n", time);
    }
    MPI_Finalize();
    return faults != 0;
}
