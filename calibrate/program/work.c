#include "pingpong.h"

/* Messages of a program come after computation, which leaves nothing of the
 * library and the system in the caches. */
void compute_over(long bytes)
{
    static double *data;

    if (data == NULL && (data = calloc(1, MUCH)) == NULL)
        return;
    for (long i = 0; i < bytes / (long)sizeof *data; i++)
        data[i] += 1;
}

void compute(void) { compute_over(MUCH); }

/* Kernels of one kind of work each: whole numbers, fractions, memory. */

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
void kernels(int me)
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
