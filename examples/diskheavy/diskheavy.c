/* A model that keeps its last states on disk, and lets one rank do the writing.
 *
 * A rod of cells cools down step by step, each rank having its share of it.
 * After every step the whole state is gathered on the last rank, which writes
 * it in the place of the oldest one kept, and reads that before; the others
 * only write down a few cells. With --balanced every rank writes its own share.
 *
 * Everybody makes the same number of calls to write and read; they differ in
 * how much goes to disk, and in nothing else.
 *
 *     diskheavy [--balanced] [cells [steps]]
 *
 * The files are made in the current directory and removed at the end.
 */
#include <fcntl.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECES 64 /* calls to write that a record takes */
#define KEPT 4    /* records in the file */

typedef struct {
    int rank, ranks, writer; /* writer is -1 where everybody writes */
    int cells, mine, steps;  /* cells in all, and of this rank */
    double *now, *next;      /* with a cell of the neighbours at both ends */
    double *record, *oldest; /* what this rank writes and reads */
    size_t piece;            /* bytes of a record that go out by one call */
    char name[64];
    int file;
} Model;

static void stop(const Model *m, const char *what)
{
    perror(what);
    unlink(m->name);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static void prepare(Model *m)
{
    size_t length = m->writer == m->rank ? m->cells : m->writer < 0 ? m->mine : PIECES;

    m->piece = length / PIECES * sizeof(double);
    m->now = calloc(m->mine + 2, sizeof(double));
    m->next = calloc(m->mine + 2, sizeof(double));
    m->record = calloc(length, sizeof(double));
    m->oldest = calloc(length, sizeof(double));
    snprintf(m->name, sizeof m->name, "diskheavy.%ld.%d.tmp", (long)getpid(), m->rank);
    m->file = open(m->name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (m->file < 0 || m->now == NULL || m->next == NULL || m->record == NULL ||
        m->oldest == NULL)
        stop(m, m->name);
    for (int i = 1; i <= m->mine; i++) {
        long cell = (long)m->rank * m->mine + i - 1;
        m->now[i] = 1 + (double)(cell * 7919 % 1000) / 1000;
    }
    /* Memory is touched here, and not for the first time in what follows. */
    for (size_t i = 0; i < length; i++)
        m->record[i] = m->oldest[i] = 1;
}

/* Heat flows between neighbours; the ends of the rod lose some. */
static void advance(Model *m)
{
    int left = m->rank > 0 ? m->rank - 1 : MPI_PROC_NULL;
    int right = m->rank < m->ranks - 1 ? m->rank + 1 : MPI_PROC_NULL;
    double *p = m->now, *q = m->next;
    int n = m->mine;

    MPI_Sendrecv(&p[1], 1, MPI_DOUBLE, left, 1, &p[n + 1], 1, MPI_DOUBLE, right, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&p[n], 1, MPI_DOUBLE, right, 2, &p[0], 1, MPI_DOUBLE, left, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i <= n; i++)
        q[i] = p[i] + 0.2 * ((p[i - 1] + p[i + 1]) - 2 * p[i]);
    m->now = q;
    m->next = p;
}

/* The state comes to the rank that writes it. */
static void collect(Model *m)
{
    if (m->writer >= 0)
        MPI_Gather(m->now + 1, m->mine, MPI_DOUBLE, m->record, m->mine, MPI_DOUBLE,
                   m->writer, MPI_COMM_WORLD);
    else
        memcpy(m->record, m->now + 1, sizeof(double) * m->mine);
    if (m->writer >= 0 && m->writer != m->rank)
        for (int i = 0; i < PIECES; i++)
            m->record[i] = m->now[1 + i];
}

/* One record to disk, in PIECES calls. */
static void write_record(Model *m, int step)
{
    const char *from = (const char *)m->record;

    lseek(m->file, (off_t)(step % KEPT * PIECES * m->piece), SEEK_SET);
    for (int i = 0; i < PIECES; i++) {
        ssize_t written = write(m->file, from + i * m->piece, m->piece);
        if (written != (ssize_t)m->piece)
            stop(m, "write");
    }
}

/* The record of a step from disk, likewise. */
static void read_record(Model *m, int step)
{
    char *to = (char *)m->oldest;

    lseek(m->file, (off_t)(step % KEPT * PIECES * m->piece), SEEK_SET);
    for (int i = 0; i < PIECES; i++) {
        ssize_t got = read(m->file, to + i * m->piece, m->piece);
        if (got != (ssize_t)m->piece)
            stop(m, "read");
    }
}

/* The first number of every piece of a record, added up as the bits it has in
 * memory. What was read must add up to what was written. */
static uint64_t add_up(const Model *m, const double *record)
{
    uint64_t sum = 0, bits;

    for (int i = 0; i < PIECES; i++) {
        memcpy(&bits, (const char *)record + i * m->piece, sizeof bits);
        sum += bits;
    }
    return sum;
}

int main(int argc, char **argv)
{
    Model m = {.cells = 1 << 22, .steps = 40};
    uint64_t written = 0, was_read = 0;
    int numbers = 0, bad = 0, balanced = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &m.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &m.ranks);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--balanced") == 0)
            balanced = 1;
        else if (numbers++ == 0)
            m.cells = atoi(argv[i]);
        else
            m.steps = atoi(argv[i]);
    }
    m.mine = m.cells / m.ranks;
    m.writer = balanced ? -1 : m.ranks - 1;
    if (numbers > 2 || m.steps < KEPT || m.mine < PIECES || m.mine % PIECES != 0 || m.cells % m.ranks != 0) {
        if (m.rank == 0)
            fprintf(stderr, "usage: diskheavy [--balanced] [cells [steps]], cells a multiple of %d on every rank, steps at least %d\n",
                    PIECES, KEPT);
        MPI_Finalize();
        return 2;
    }

    double start = MPI_Wtime();
    prepare(&m);
    for (int step = 0; step < m.steps + KEPT; step++) {
        if (step >= KEPT) {
            read_record(&m, step);
            was_read += add_up(&m, m.oldest);
        }
        if (step < m.steps) {
            advance(&m);
            collect(&m);
            written += add_up(&m, m.record);
            write_record(&m, step);
        }
    }
    close(m.file);
    unlink(m.name);

    /* sum[0] of the state in millionths, sum[1] of ranks that did not read
     * what they wrote. */
    long long sum[2] = {0, was_read != written}, all[2] = {0, 0};
    for (int i = 1; i <= m.mine; i++)
        sum[0] += llround(m.now[i] * 1e6);
    MPI_Allreduce(sum, all, 2, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    bad = all[1] != 0;
    if (m.rank == 0) {
        printf("diskheavy: %d cells, %d steps, %d ranks, %s\n", m.cells, m.steps, m.ranks,
               balanced ? "all write" : "the last rank writes");
        printf("checksum %.9e\n", (double)all[0]);
        printf("time %.3f s\n", MPI_Wtime() - start);
        if (bad)
            fprintf(stderr, "diskheavy: verification failed: %lld ranks read other than they wrote\n", all[1]);
    }
    MPI_Finalize();
    return bad;
}
