/* The obstacle problem, as in the papers on P2PDC: the shape u of a membrane
 * over the unit cube, fixed at 0 on its border, pushed down by a load and held up
 * by an obstacle,
 *
 *     u >= psi,  -laplace(u) >= f,  (u - psi) (-laplace(u) - f) = 0,
 *
 * by projected Jacobi iterations on n^3 points. Each peer has a slab of planes.
 *
 *     obstacle [n [tolerance [limit [check [checkpoint [relax]]]]]]
 *
 * With check 1 the first peer compares with the answer of one process. With
 * checkpoint k the state is left with the neighbours every k iterations. */
#include <math.h>
#include <p2psap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UP = 1, DOWN = 2, ANSWER = 3 };
static int n;

static double psi(int i, int j, int k)
{
    double x = (i + 1.0) / (n + 1), y = (j + 1.0) / (n + 1), z = (k + 1.0) / (n + 1);
    double d = (x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5) + (z - 0.5) * (z - 0.5);
    return 0.3 - 4 * d;
}

/* One iteration over planes lo .. hi-1; u has a plane more on either side. */
static double relax(const double *u, double *v, int lo, int hi)
{
    double h2f = -2.0 / ((n + 1.0) * (n + 1)), change = 0;
    long plane = (long)n * n;
    for (int k = lo; k < hi; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                const double *c = u + (k - lo + 1) * plane + (long)j * n + i;
                double s = c[-plane] + c[plane] + (i > 0 ? c[-1] : 0) + (i < n - 1 ? c[1] : 0) + (j > 0 ? c[-n] : 0) + (j < n - 1 ? c[n] : 0);
                double new = fmax(psi(i, j, k), (s + h2f) / 6);
                change = fmax(change, fabs(new - *c));
                v[(k - lo + 1) * plane + (long)j * n + i] = new;
            }
    return change;
}

static double *planes(int count)
{
    double *u = calloc((size_t)(count + 2) * n * n, sizeof *u);
    if (!u)
        exit(1);
    return u;
}

static double sequential(double *answer, double tolerance, long limit, long *steps)
{
    double *v = planes(n), change = 1;
    for (*steps = 0; *steps < limit && change > tolerance; ++*steps) {
        change = relax(answer, v, 0, n);
        memcpy(answer + (long)n * n, v + (long)n * n, (size_t)n * n * n * sizeof *v);
    }
    free(v);
    return change;
}

static int told(const char *what, long error)
{
    fprintf(stderr, "peer %d: %s: %s\n", P2P_Rank(), what, P2P_Error((int)error));
    return 1;
}

int main(int argc, char **argv)
{
    n = argc > 1 ? atoi(argv[1]) : 24;
    double tolerance = argc > 2 ? atof(argv[2]) : 1e-6;
    long limit = argc > 3 ? atol(argv[3]) : 1000000, steps = 0;
    int check = argc > 4 && atoi(argv[4]), every = argc > 5 ? atoi(argv[5]) : 0, inner = argc > 6 ? atoi(argv[6]) : 1;
    int error = P2P_Init();
    if (error)
        return told("P2P_Init", error);
    int me = P2P_Rank(), peers = P2P_Peers();
    int lo = (int)((long)n * me / peers), hi = (int)((long)n * (me + 1) / peers);
    long plane = (long)n * n;
    size_t border = (size_t)plane * sizeof(double), all = (size_t)(hi - lo + 2) * border;
    double *u = planes(hi - lo), *v = planes(hi - lo);
    char *saved = malloc(sizeof steps + all);
    long restored = P2P_Restore(saved, sizeof steps + all);
    if (restored < 0)
        return told("P2P_Restore", restored);
    if (restored > 0) {
        memcpy(&steps, saved, sizeof steps);
        memcpy(u, saved + sizeof steps, all);
    }
    int done = 0;
    while (!done && steps < limit) {
        long got = 0;
        if (steps > 0 && me > 0 && got >= 0)
            got = P2P_Receive(me - 1, u, border, UP);
        if (steps > 0 && me < peers - 1 && got >= 0)
            got = P2P_Receive(me + 1, u + (hi - lo + 1) * plane, border, DOWN);
        if (got < 0)
            return told("P2P_Receive", got);
        double change = 0;
        for (int r = 0; r < inner; r++) {
            change = fmax(change, relax(u, v, lo, hi));
            memcpy(u + plane, v + plane, (size_t)(hi - lo) * border);
        }
        steps++;
        if (me > 0 && (error = P2P_Send(me - 1, u + plane, border, DOWN)))
            return told("P2P_Send", error);
        if (me < peers - 1 && (error = P2P_Send(me + 1, u + (hi - lo) * plane, border, UP)))
            return told("P2P_Send", error);
        if ((done = P2P_Converged(change <= tolerance)) < 0)
            return told("P2P_Converged", done);
        if (every && steps % every == 0) {
            memcpy(saved, &steps, sizeof steps);
            memcpy(saved + sizeof steps, u, all);
            P2P_Checkpoint(saved, sizeof steps + all);
        }
    }
    /* The answer goes to the first peer, whatever the scheme was, in order. */
    struct P2P_Counts counts;
    P2P_Count(&counts);
    int scheme = P2P_Scheme(P2P_ASK);
    P2P_Scheme(P2P_SYNCHRONOUS);
    if (me > 0 && check && (error = P2P_Send(0, u + plane, (size_t)(hi - lo) * border, ANSWER)))
        return told("P2P_Send", error);
    if (me == 0) {
        printf("scheme %d converged %d steps %ld waiting %.3f s overtaken %lu lost %lu refused %lu restarts %lu\n",
            scheme, done, steps, counts.waiting, counts.overtaken, counts.lost, counts.refused, counts.restarts);
        if (check) {
            double *whole = planes(n), *alone = planes(n), worst = 0;
            long alone_steps;
            memcpy(whole + plane, u + plane, (size_t)(hi - lo) * border);
            for (int p = 1; p < peers; p++) {
                int from = (int)((long)n * p / peers), to = (int)((long)n * (p + 1) / peers);
                long got = P2P_Receive(p, whole + (from + 1) * plane, (size_t)(to - from) * border, ANSWER);
                if (got != (long)((size_t)(to - from) * border))
                    return told("the answer", got);
            }
            sequential(alone, tolerance, limit, &alone_steps);
            for (long i = 0; i < (n + 2) * plane; i++)
                worst = fmax(worst, fabs(whole[i] - alone[i]));
            printf("alone %ld steps, difference %.3g\n", alone_steps, worst);
        }
    }
    P2P_Finish();
    return done ? 0 : 3;
}
