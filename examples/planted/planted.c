/* A program with as many faults as its user asks for. Every rank owns cells and
 * takes steps over them: assemble, solve, update, record, and a sum over all
 * ranks at the end of each step. Nothing is uneven about it, unless
 *
 *     planted [--cause work|memory|disk] [--where assemble|solve|update]
 *             [--who one|half|gradient] [--more PERCENT] [steps]
 *
 * plants a cause: more work, work that jumps through memory, or more written to
 * a file; on the last rank, on the upper half of them, or more and more along
 * the ranks. What is planted changes no result: the checksum stays the same,
 * and the exit status is 1 if a rank comes to another one.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CELLS 40000
#define SWEEPS 40       /* of a region in a step */
#define JUMPS (SWEEPS * CELLS / 8)
#define NEAR (1 << 10)  /* words */
#define FAR (1 << 22)   /* words, more than caches hold */

typedef struct {
    int rank, ranks, steps;
    const char *cause, *where;
    double more; /* of this rank, as a share */
    unsigned *cells, *far;
    unsigned sink; /* what planted work comes to */
    FILE *file;
} Run;

/* How many sweeps of a region change nothing, because they are planted. */
static int wasted(const Run *r, const char *region)
{
    if (strcmp(r->cause, "work") != 0 || strcmp(r->where, region) != 0)
        return 0;
    return (int)(r->more * SWEEPS + 0.5);
}

/* How far jumps through memory go: within a cache, unless far ones are planted. */
static unsigned reach(const Run *r, const char *region)
{
    if (strcmp(r->cause, "memory") != 0 || strcmp(r->where, region) != 0 || r->more == 0)
        return NEAR - 1;
    return FAR - 1;
}

static unsigned assemble(Run *r, unsigned step)
{
    unsigned sum = 0, at = 1;
    int all = SWEEPS + wasted(r, "assemble");
    unsigned mask = reach(r, "assemble");

    for (int s = 0; s < all; s++) {
        for (int i = 1; i < CELLS; i++) {
            unsigned v = r->cells[i] * 1664525u + r->cells[i - 1] + step + (unsigned)s;

            r->sink ^= v >> 7;
            if (s < SWEEPS)
                sum += r->cells[i] = v;
        }
    }
    for (int i = 0; i < JUMPS; i++)
        at = at * 1103515245u + r->far[(at >> 8) & mask] + 12345u;
    r->sink += at;
    return sum;
}

static unsigned solve(Run *r, unsigned step)
{
    unsigned sum = 0, at = 1;
    int all = SWEEPS + wasted(r, "solve");
    unsigned mask = reach(r, "solve");

    for (int s = 0; s < all; s++) {
        for (int i = CELLS - 2; i >= 0; i--) {
            unsigned v = r->cells[i] * 22695477u + r->cells[i + 1] + step;

            r->sink ^= v >> 5;
            if (s < SWEEPS)
                sum += r->cells[i] = v;
        }
    }
    for (int i = 0; i < JUMPS; i++)
        at = at * 1103515245u + r->far[(at >> 8) & mask] + 12345u;
    r->sink += at;
    return sum;
}

static unsigned update(Run *r, unsigned step)
{
    unsigned sum = 0, at = 1;
    int all = SWEEPS + wasted(r, "update");
    unsigned mask = reach(r, "update");

    for (int s = 0; s < all; s++) {
        for (int i = 0; i < CELLS; i++) {
            unsigned v = r->cells[i] ^ (r->cells[i] << 5) ^ (step + (unsigned)i);

            r->sink += v >> 9;
            if (s < SWEEPS)
                sum += r->cells[i] = v;
        }
    }
    for (int i = 0; i < JUMPS; i++)
        at = at * 1103515245u + r->far[(at >> 8) & mask] + 12345u;
    r->sink += at;
    return sum;
}

/* Writes some of the cells, or many where the disk is the cause. */
static void record(Run *r)
{
    int times = 1;

    if (strcmp(r->cause, "disk") == 0)
        times += (int)(400 * r->more + 0.5);
    for (int i = 0; i < times; i++) {
        rewind(r->file);
        fwrite(r->cells, sizeof *r->cells, CELLS, r->file);
        fflush(r->file);
    }
}

static int read_options(Run *r, int argc, char **argv)
{
    double percent = 60;
    const char *who = "one";

    for (int i = 1; i < argc; i++) {
        const char **to = strcmp(argv[i], "--cause") == 0 ? &r->cause : strcmp(argv[i], "--where") == 0 ? &r->where : strcmp(argv[i], "--who") == 0 ? &who : NULL;

        if (to != NULL && i + 1 < argc)
            *to = argv[++i];
        else if (strcmp(argv[i], "--more") == 0 && i + 1 < argc)
            percent = atof(argv[++i]);
        else if ((r->steps = atoi(argv[i])) < 1)
            return 0;
    }
    if (*r->cause == '\0')
        return 1;
    if (strcmp(who, "one") == 0)
        r->more = r->rank == r->ranks - 1;
    else if (strcmp(who, "half") == 0)
        r->more = r->rank >= r->ranks / 2;
    else
        r->more = r->ranks > 1 ? (double)r->rank / (r->ranks - 1) : 1;
    r->more *= percent / 100;
    return 1;
}

int main(int argc, char **argv)
{
    Run r = {.steps = 40, .cause = "", .where = "solve"};
    unsigned sum = 0, all = 0;
    int differs;
    char name[64];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r.ranks);
    if (!read_options(&r, argc, argv)) {
        if (r.rank == 0)
            fprintf(stderr, "usage: planted [--cause work|memory|disk] [--where assemble|solve|update] [--who one|half|gradient] [--more PERCENT] [steps]\n");
        MPI_Finalize();
        return 2;
    }
    snprintf(name, sizeof name, "planted-%d-%d.out", (int)getpid(), r.rank);
    r.file = fopen(name, "w+");
    r.cells = calloc(CELLS, sizeof *r.cells);
    r.far = calloc(FAR, sizeof *r.far);
    if (r.file == NULL || r.cells == NULL || r.far == NULL)
        MPI_Abort(MPI_COMM_WORLD, 2);
    remove(name);
    memset(r.far, 1, FAR * sizeof *r.far); /* or it would be one page of zeros */
    for (int step = 0; step < r.steps; step++) {
        sum += assemble(&r, (unsigned)step);
        sum += solve(&r, (unsigned)step);
        sum += update(&r, (unsigned)step);
        record(&r);
        MPI_Allreduce(&sum, &all, 1, MPI_UNSIGNED, MPI_MAX, MPI_COMM_WORLD);
    }
    differs = all != sum;
    MPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (r.rank == 0)
        printf("checksum %u%s\n", all, differs ? ", but ranks differ" : r.sink == 42 ? "." : "");
    fclose(r.file);
    free(r.cells);
    free(r.far);
    MPI_Finalize();
    return differs;
}
