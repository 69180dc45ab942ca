/* A seismic survey in two dimensions: shots are fired at the surface, the
 * acoustic wave runs through layered rock, a borehole of receivers records it.
 *
 * The rows of the grid (depth) are shared among the ranks in equal numbers,
 * which looks fair and is not: how many sub-steps the attenuation of a rock
 * needs depends on the rock, and so on depth. On 8 ranks there are five kinds
 * of ranks, {0} {1,2} {3} {4,6} {5,7}, and `attenuate` is where they differ.
 * With --balanced the rows are shared in proportion to their cost; every value
 * computed, and so the checksum, stays the same.
 *
 *     seismic [--balanced] [size [steps [shots]]]
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAYERS 8       /* of rock, all of the same thickness */
#define SPONGE 16      /* columns at either side that swallow the wave */
#define BANDS 240      /* dominant frequencies a trace is searched for */
#define STENCIL_COST 2 /* of a cell without attenuation, in sub-steps */

/* Sub-steps of the attenuation in each layer, from the surface down: sea water
 * asks for little, fractured rock for much. */
static const int layer_substeps[LAYERS] = {8, 16, 16, 24, 36, 48, 36, 48};
static const double layer_speed[LAYERS] = {1500, 1700, 1850, 2200, 2600, 2400, 3000, 3300};

typedef struct {
    int size, steps, shots, balanced;
} Options;

typedef struct {
    int rank, ranks;
    int columns, depth;   /* of the whole grid */
    int first, rows;      /* the rows of this rank */
    int *substeps;        /* of every row of the whole grid */
    double *factor;       /* (speed * dt / dx)^2 of every row of this rank */
    double *taper;        /* of every column */
    double *now, *before; /* pressure, with a halo row above and below */
    double *memory;       /* of the attenuation */
    double *illumination; /* energy that passed a cell, over all shots */
    double *traces;       /* depth x steps, as recorded */
    double *wavelet;      /* of the source */
    double *bank;         /* BANDS x steps: wavelets to look for */
} Survey;

static double *reals(size_t n)
{
    double *p = calloc(n, sizeof *p);

    if (p == NULL)
        MPI_Abort(MPI_COMM_WORLD, 2);
    return p;
}

/* Region 1: the command line. */
static int read_options(int argc, char **argv, Options *o)
{
    int *number[3] = {&o->size, &o->steps, &o->shots};
    int next = 0;

    *o = (Options){.size = 512, .steps = 100, .shots = 2};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--balanced") == 0)
            o->balanced = 1;
        else if (next < 3 && (*number[next] = atoi(argv[i])) > 0)
            next++;
        else
            return 0;
    }
    return o->size >= 4 * SPONGE && o->size % LAYERS == 0;
}

/* Region 2: which rows are whose: equal numbers, or equal cost. */
static void share_rows(Survey *s, int balanced)
{
    long total = 0, sum = 0;
    int begin = s->depth, end = 0;

    for (int z = 0; z < s->depth; z++)
        total += balanced ? STENCIL_COST + s->substeps[z] : 1;
    for (int z = 0; z < s->depth; z++) {
        long cost = balanced ? STENCIL_COST + s->substeps[z] : 1;
        /* A row goes to the rank its middle falls to. */
        if ((2 * sum + cost) * s->ranks / (2 * total) == s->rank) {
            if (z < begin)
                begin = z;
            end = z + 1;
        }
        sum += cost;
    }
    s->first = begin;
    s->rows = end > begin ? end - begin : 0;
}

/* Region 3: rock, and everything that depends on it. */
static void build_model(Survey *s, const Options *o)
{
    s->columns = s->depth = o->size;
    s->substeps = malloc(sizeof *s->substeps * s->depth);
    for (int z = 0; z < s->depth; z++)
        s->substeps[z] = layer_substeps[z * LAYERS / s->depth];
    share_rows(s, o->balanced);

    size_t cells = (size_t)(s->rows + 2) * s->columns;
    s->now = reals(cells);
    s->before = reals(cells);
    s->memory = reals(cells);
    s->illumination = reals(cells);
    s->traces = reals((size_t)s->depth * o->steps);
    s->factor = reals(s->rows);
    for (int i = 0; i < s->rows; i++) {
        double courant = layer_speed[(s->first + i) * LAYERS / s->depth] / 5000;
        s->factor[i] = courant * courant;
    }
    s->taper = reals(s->columns);
    for (int x = 0; x < s->columns; x++) {
        int edge = x < s->columns - 1 - x ? x : s->columns - 1 - x;
        double inside = edge < SPONGE ? (double)(SPONGE - edge) / SPONGE : 0;
        s->taper[x] = 1 - 0.08 * inside * inside;
    }
}

/* Region 4: the source's wavelet and those that traces are searched for, all
 * Ricker wavelets. */
static void make_wavelet(Survey *s, int steps)
{
    const double pi = 3.14159265358979;

    s->wavelet = reals(steps);
    s->bank = reals((size_t)BANDS * steps);
    for (int b = -1; b < BANDS; b++) {
        double *out = b < 0 ? s->wavelet : s->bank + (size_t)b * steps;
        double frequency = b < 0 ? 0.04 : 0.01 + 0.08 * b / BANDS;
        for (int t = 0; t < steps; t++) {
            double a = pi * frequency * t - 1.5;
            out[t] = (1 - 2 * a * a) * exp(-a * a);
        }
    }
}

/* Region 5: back to rest, but for the noise there always is. Without it the
 * numbers ahead of the wave would sink below what processors are quick at, and
 * time would depend on more than work. */
static void start_shot(Survey *s, int steps)
{
    for (int i = 0; i < s->rows + 2; i++) {
        int z = s->first + i - 1;
        for (int x = 0; x < s->columns; x++) {
            size_t c = (size_t)i * s->columns + x;
            double noise = 1e-6 * ((z * 31 + x * 17) % 64 - 31.5);
            s->now[c] = s->before[c] = s->memory[c] = z < 0 || z >= s->depth ? 0 : noise;
        }
    }
    memset(s->traces, 0, sizeof *s->traces * s->depth * steps);
}

/* Region 6: one row to and from the ranks above and below. */
static void exchange_halo(Survey *s)
{
    int above = s->rank > 0 ? s->rank - 1 : MPI_PROC_NULL;
    int below = s->rank < s->ranks - 1 ? s->rank + 1 : MPI_PROC_NULL;
    double *p = s->now;
    size_t last = (size_t)s->rows * s->columns;
    MPI_Request request[4];
    MPI_Status status[4];

    MPI_Irecv(p, s->columns, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(p + last + s->columns, s->columns, MPI_DOUBLE, below, 2, MPI_COMM_WORLD, &request[1]);
    MPI_Isend(p + s->columns, s->columns, MPI_DOUBLE, above, 2, MPI_COMM_WORLD, &request[2]);
    MPI_Isend(p + last, s->columns, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, &request[3]);
    MPI_Waitall(4, request, status);
}

/* Region 7: the shot, just below the surface. */
static void inject_source(Survey *s, int shot, int shots, int step)
{
    int z = s->depth / 16;
    int x = (int)((long)s->columns * (shot + 1) / (shots + 1));

    if (z < s->first || z >= s->first + s->rows)
        return;
    double *p = s->now + (size_t)(z - s->first + 1) * s->columns;
    p[x] += s->wavelet[step];
}

/* Region 8: the wave equation, second order in time and space. On entry next
 * holds the pressure before now. */
static void step_pressure(Survey *s, double *next)
{
    const int columns = s->columns;

    for (int i = 1; i <= s->rows; i++) {
        const double *p = s->now + (size_t)i * columns;
        double *q = next + (size_t)i * columns;
        double f = s->factor[i - 1];
        for (int x = 1; x < columns - 1; x++) {
            double bend = (p[x - 1] + p[x + 1]) + (p[x - columns] + p[x + columns]) - 4 * p[x];
            q[x] = 2 * p[x] - q[x] + f * bend;
        }
    }
}

/* Region 9: nothing comes back from the sides. */
static void absorb_edges(Survey *s)
{
    for (int i = 1; i <= s->rows; i++) {
        double *p = s->now + (size_t)i * s->columns;
        double *q = s->before + (size_t)i * s->columns;
        for (int x = 0; x < SPONGE; x++) {
            int y = s->columns - 1 - x;
            p[x] *= s->taper[x];
            q[x] *= s->taper[x];
            p[y] *= s->taper[y];
            q[y] *= s->taper[y];
        }
    }
}

/* Region 10: how well each cell was lit. */
static void accumulate_energy(Survey *s)
{
    for (int i = 1; i <= s->rows; i++) {
        const double *p = s->now + (size_t)i * s->columns;
        double *e = s->illumination + (size_t)i * s->columns;
        for (int x = 0; x < s->columns; x++) {
            double pressure = p[x];
            e[x] += pressure * pressure;
        }
    }
}

/* Region 11: what the rock swallows. The strain of a cell follows its pressure
 * along a stiff equation, and the number of sub-steps that takes is the
 * rock's: this is where the ranks are not alike. */
static void attenuate(Survey *s)
{
    const int columns = s->columns;

    for (int i = 1; i <= s->rows; i++) {
        double *p = s->now + (size_t)i * columns;
        double *m = s->memory + (size_t)i * columns;
        int substeps = s->substeps[s->first + i - 1];
        double dt = 1.0 / substeps;
        for (int k = 0; k < substeps; k++)
            for (int x = 0; x < columns; x++)
                m[x] += dt * (p[x] - m[x]) / (1 + m[x] * m[x]);
        for (int x = 0; x < columns; x++)
            p[x] -= 0.005 * (p[x] - m[x]);
    }
}

/* Region 12: the receivers, one at every depth of the borehole. */
static void record_traces(Survey *s, int step, int steps)
{
    int borehole = s->columns * 3 / 4;

    for (int i = 1; i <= s->rows; i++) {
        const double *p = s->now + (size_t)i * s->columns;
        double *trace = s->traces + (size_t)(s->first + i - 1) * steps;
        trace[step] = p[borehole];
    }
}

/* Region 13: search every trace for wavelets of all frequencies; the best match
 * of each is added up. Traces are dealt out evenly, whoever recorded them. */
static long long filter_traces(Survey *s, int steps)
{
    long long found = 0;

    MPI_Allreduce(MPI_IN_PLACE, s->traces, s->depth * steps, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int z = s->rank; z < s->depth; z += s->ranks) {
        const double *trace = s->traces + (size_t)z * steps;
        double best = 0;
        for (int b = 0; b < BANDS; b++) {
            const double *wavelet = s->bank + (size_t)b * steps;
            for (int delay = 0; delay < steps; delay++) {
                double match = 0;
                for (int t = delay; t < steps; t++)
                    match += trace[t] * wavelet[t - delay];
                best = fabs(match) > best ? fabs(match) : best;
            }
        }
        found += llround(best * 1e9);
    }
    return found;
}

/* Region 14: one step of the wave. */
static void propagate(Survey *s, int shot, int shots, int step)
{
    double *next = s->before; /* the oldest pressure makes room for the next */

    step_pressure(s, next);
    s->before = s->now;
    s->now = next;
    inject_source(s, shot, shots, step);
    absorb_edges(s);
    attenuate(s);
    accumulate_energy(s);
}

int main(int argc, char **argv)
{
    Survey s = {0};
    Options o;
    int status = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
    if (!read_options(argc, argv, &o)) {
        if (s.rank == 0)
            fprintf(stderr, "usage: seismic [--balanced] [size [steps [shots]]], size at least %d and a multiple of %d\n",
                    4 * SPONGE, LAYERS);
        MPI_Finalize();
        return 2;
    }
    double start = MPI_Wtime();
    build_model(&s, &o);
    if (s.rows == 0) {
        fprintf(stderr, "seismic: no row left for rank %d; use fewer ranks or a larger size\n", s.rank);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    make_wavelet(&s, o.steps);

    /* sum[0] of what was found in the traces, sum[1] of illumination, sum[2] of
     * rows; whole numbers, so that their order does not matter. */
    long long sum[3] = {0, 0, s.rows}, all[3];
    for (int shot = 0; shot < o.shots; shot++) {
        start_shot(&s, o.steps);
        for (int step = 0; step < o.steps; step++) {
            exchange_halo(&s);
            propagate(&s, shot, o.shots, step);
            record_traces(&s, step, o.steps);
        }
        sum[0] += filter_traces(&s, o.steps);
    }
    for (int i = 1; i <= s.rows; i++)
        for (int x = 0; x < s.columns; x++)
            sum[1] += llround(s.illumination[(size_t)i * s.columns + x] * 1e6);
    MPI_Reduce(sum, all, 3, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);

    if (s.rank == 0) {
        printf("seismic: %d x %d cells, %d steps, %d shots, %d ranks, rows by %s\n", s.columns, s.depth,
               o.steps, o.shots, s.ranks, o.balanced ? "cost" : "number");
        printf("checksum %.7e %.7e\n", (double)all[0], (double)all[1]);
        printf("time %.3f s\n", MPI_Wtime() - start);
        /* Every row has one owner, and the energy of the wave is neither lost
         * nor without bounds. */
        if (all[2] != s.depth || all[0] <= 0 || all[1] <= 0 || all[1] > 1000000LL * s.columns * s.depth) {
            fprintf(stderr, "seismic: verification failed\n");
            status = 1;
        }
    }
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return status;
}
