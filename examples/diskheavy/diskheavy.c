/* A model that keeps its last states on disk, and has one rank keep far more
 * than it should.
 *
 * A rod of cells cools down step by step, each rank having its share of it.
 * After every step each rank writes what lies in a row of windows along its
 * share, in the place of the oldest record, and reads that before it goes. The
 * windows are narrow, but on the last rank, where somebody left the output of
 * everything switched on. With --balanced its windows are like the others'.
 *
 * Everybody makes the same number of calls to write and to read; ranks differ
 * in how much goes to disk, and in nothing else.
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

#define WINDOWS 64 /* along the share of a rank */
#define NARROW 64  /* what lies between windows, in widths of a window */
#define KEPT 4     /* records in the file */

typedef struct {
    int rank, ranks;
    int cells, mine, steps; /* cells in all, and of this rank */
    double *now, *next;     /* with a cell of the neighbours at both ends */
    double *oldest;         /* the record that was read */
    int apart, width;       /* of the windows, in cells */
    char name[64];
    int file;
} Model;

static void stop(const Model *m, const char *what)
{
    perror(what);
    unlink(m->name);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static void prepare(Model *m, int everything)
{
    m->apart = m->mine / WINDOWS;
    m->width = everything ? m->apart : (m->apart + NARROW - 1) / NARROW;
    m->now = calloc(m->mine + 2, sizeof(double));
    m->next = calloc(m->mine + 2, sizeof(double));
    m->oldest = calloc(m->mine, sizeof(double));
    snprintf(m->name, sizeof m->name, "diskheavy.%ld.%d.tmp", (long)getpid(), m->rank);
    m->file = open(m->name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (m->file < 0 || m->now == NULL || m->next == NULL || m->oldest == NULL)
        stop(m, m->name);
    for (int i = 1; i <= m->mine; i++) {
        long cell = (long)m->rank * m->mine + i - 1;
        m->now[i] = 1 + (double)(cell * 7919 % 1000) / 1000;
        /* Memory is touched here, not for the first time in what follows. */
        m->next[i] = m->oldest[i - 1] = 1;
    }
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

static void seek_record(const Model *m, int step)
{
    off_t record = (off_t)WINDOWS * m->width * sizeof(double);

    if (lseek(m->file, step % KEPT * record, SEEK_SET) < 0)
        stop(m, "lseek");
}

/* One record to disk, a call for every window. */
static void write_record(const Model *m, int step)
{
    ssize_t bytes = m->width * sizeof(double);

    seek_record(m, step);
    for (int i = 0; i < WINDOWS; i++) {
        const double *window = m->now + 1 + i * m->apart;
        if (write(m->file, window, bytes) != bytes)
            stop(m, "write");
    }
}

/* The record of a step from disk, likewise. */
static void read_record(Model *m, int step)
{
    ssize_t bytes = m->width * sizeof(double);

    seek_record(m, step);
    for (int i = 0; i < WINDOWS; i++) {
        double *window = m->oldest + i * m->apart;
        if (read(m->file, window, bytes) != bytes)
            stop(m, "read");
    }
}

/* The first and last cell of every window added up, as the bits they have in
 * memory. What was read must add up to what was written. */
static uint64_t add_up(const Model *m, const double *cells)
{
    uint64_t sum = 0, bits[2];

    for (int i = 0; i < WINDOWS; i++) {
        memcpy(&bits[0], &cells[i * m->apart], sizeof bits[0]);
        memcpy(&bits[1], &cells[i * m->apart + m->width - 1], sizeof bits[1]);
        sum += bits[0] + 3 * bits[1];
    }
    return sum;
}

int main(int argc, char **argv)
{
    Model m = {.cells = 1 << 23, .steps = 80};
    uint64_t written = 0, was_read = 0;
    int numbers = 0, balanced = 0;

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
    if (numbers > 2 || m.mine < WINDOWS || m.cells % (m.ranks * WINDOWS) != 0 || m.steps < KEPT) {
        if (m.rank == 0)
            fprintf(stderr, "usage: diskheavy [--balanced] [cells [steps]], a multiple of %d cells a rank and %d steps or more\n",
                    WINDOWS, KEPT);
        MPI_Finalize();
        return 2;
    }

    double start = MPI_Wtime();
    prepare(&m, !balanced && m.rank == m.ranks - 1);
    for (int step = 0; step < m.steps + KEPT; step++) {
        if (step >= KEPT) {
            read_record(&m, step);
            was_read += add_up(&m, m.oldest);
        }
        if (step < m.steps) {
            advance(&m);
            write_record(&m, step);
            written += add_up(&m, m.now + 1);
        }
    }
    close(m.file);
    unlink(m.name);

    /* sum[0] of the cells in millionths, sum[1] of ranks that did not read what
     * they wrote. */
    long long sum[2] = {0, was_read != written}, all[2] = {0, 0};
    for (int i = 1; i <= m.mine; i++)
        sum[0] += llround(m.now[i] * 1e6);
    MPI_Allreduce(sum, all, 2, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (m.rank == 0) {
        printf("diskheavy: %d cells, %d steps, %d ranks, %s\n", m.cells, m.steps, m.ranks,
               balanced ? "all write little" : "the last writes everything");
        printf("checksum %.9e\n", (double)all[0]);
        printf("time %.3f s\n", MPI_Wtime() - start);
        if (all[1] != 0)
            fprintf(stderr, "diskheavy: verification failed: %lld ranks read other than they wrote\n", all[1]);
    }
    MPI_Finalize();
    return all[1] != 0;
}
