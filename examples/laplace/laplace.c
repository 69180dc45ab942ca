/* Laplace's equation on a square plate by Jacobi's method, on one processor.
 *
 * Three edges are kept at 0, the fourth at sin(pi x). The start is the solution
 * plus an error of one known shape, sin(pi x) sin(pi y). Every sweep multiplies
 * that shape by the same factor, so what must come out after any number of
 * sweeps is known exactly, and the number of sweeps can be fixed beforehand.
 *
 *     laplace [n [sweeps]]      n: inner points along an edge; sweeps: even
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* What the plate is made of: u(i, j) = across[j] * (solved[i] + error * bump[i]). */
typedef struct {
    double *across, *solved, *bump;
    double factor; /* of the error, per sweep */
} Shape;

static double *line(int n)
{
    double *p = malloc(sizeof *p * (n + 2));

    if (p == NULL)
        exit(2);
    return p;
}

/* The discrete solution is sin(pi x) sinh(k y) / sinh(k), where
 * cos(pi h) + cosh(k h) = 2: the five-point formula has it exactly. */
static Shape make_shape(int n)
{
    Shape s = {line(n), line(n), line(n), 0};
    double h = 1.0 / (n + 1);
    double k = acosh(2 - cos(pi * h)) / h;

    for (int i = 0; i < n + 2; i++) {
        s.across[i] = sin(pi * i * h);
        s.solved[i] = sinh(k * i * h) / sinh(k);
        s.bump[i] = sin(pi * i * h);
    }
    s.across[0] = s.across[n + 1] = 0;
    s.bump[0] = s.bump[n + 1] = 0;
    s.factor = cos(pi * h);
    return s;
}

static double *start(const Shape *s, int n)
{
    double *u = malloc(sizeof *u * (n + 2) * (n + 2));

    if (u == NULL)
        exit(2);
    for (int i = 0; i < n + 2; i++)
        for (int j = 0; j < n + 2; j++)
            u[(size_t)i * (n + 2) + j] = s->across[j] * (s->solved[i] + s->bump[i]);
    return u;
}

/* Every inner point becomes the mean of its neighbours. */
static void sweep(const double *from, double *to, int n)
{
    int width = n + 2;

    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= n; j++) {
            size_t c = (size_t)i * width + j;
            to[c] = 0.25 * ((from[c - width] + from[c + width]) + (from[c - 1] + from[c + 1]));
        }
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 500;
    int sweeps = argc > 2 ? atoi(argv[2]) : 2000;

    if (argc > 3 || n < 1 || sweeps < 0 || sweeps % 2 != 0) {
        fprintf(stderr, "usage: laplace [n [sweeps]], an even number of sweeps\n");
        return 2;
    }
    Shape s = make_shape(n);
    double *u = start(&s, n);
    double *v = start(&s, n);

    for (int k = 0; k < sweeps; k += 2) {
        sweep(u, v, n);
        sweep(v, u, n);
    }

    double left = pow(s.factor, sweeps), wrong = 0;
    long long sum = 0;
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= n; j++) {
            double is = u[(size_t)i * (n + 2) + j];
            double should = s.across[j] * (s.solved[i] + left * s.bump[i]);
            wrong = fmax(wrong, fabs(is - should));
            sum += llround(is * 1e6);
        }
    }
    printf("laplace: %d x %d points, %d sweeps\n", n, n, sweeps);
    printf("largest error %.1e\n", wrong);
    printf("checksum %.7e\n", (double)sum);
    return !(wrong < 1e-9);
}
