/* Loops in shapes that numerical libraries have. Behind each loop stands the
 * verdict found by reading it, and what the reason must name. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

typedef int Int;
typedef double Real;

typedef struct {
    Int size, stride;
    Real *data;
} Vector;

static Real *restrict x, *restrict y, *restrict z;
static Int calls;

/* Memory bandwidth: restrict pointers of the file. */
void triad(Int n, Real s)
{
    for (Int j = 0; j < n; j++) /* independent */
        z[j] = x[j] + s * y[j];
}

void fill(Vector *v, Real value)
{
    Real *data = v->data;
    Int n = v->size;
    for (Int i = 0; i < n; i++) /* independent */
        data[i] = value;
}

/* Two vectors of a caller may be one. */
void axpy(Real alpha, const Vector *from, Vector *to)
{
    const Real *p = from->data;
    Real *q = to->data;
    Int n = to->size;
    for (Int i = 0; i < n; i++) /* carried: may be the same memory */
        q[i] += alpha * p[i];
}

/* Numbers of another kind cannot be. */
void by_mark(Int n, const Int *mark, Real *q)
{
    for (Int i = 0; i < n; i++) /* independent */
        if (mark[i] == 1)
            q[i] = 0.5 * q[i];
}

Real inner(Int n, const Real *p, const Real *q)
{
    Real result = 0;
    for (Int i = 0; i < n; i++) /* reduction: +: result */
        result += p[i] * q[i];
    return result;
}

/* Errors are counted and the largest kept. */
Int faults(Int n, const Real *p, Real right, Real *worst)
{
    Int wrong = 0, any = 0;
    Real most = 0;
    for (Int i = 0; i < n; i++) { /* reduction: +: wrong, max: most and set: any */
        Real off = fabs(p[i] / right - 1);
        if (off > 1e-8)
            wrong++;
        if (off > most)
            most = off;
        if (off > 1)
            any = 1;
    }
    *worst = most;
    return any ? -wrong : wrong;
}

/* What the benchmark's values must be, one after the other. */
Real expected(Int times)
{
    Real a = 1, b = 2, c = 0;
    for (Int k = 0; k < times; k++) { /* carried: a is read */
        c = a;
        b = 3 * c;
        c = a + b;
        a = b + 3 * c;
    }
    return a + b + c;
}

/* A row's place is the sum of those before it. */
void row_starts(Int n, const Int *restrict length, Int *restrict start)
{
    start[0] = 0;
    for (Int i = 0; i < n; i++) /* carried: start */
        start[i + 1] = start[i] + length[i];
}

/* Sparse matrix by vector, several right sides at once. */
void multiply(Int n, const Int *restrict begin, const Int *restrict column,
              const Real *restrict value, const Real *restrict from, Real *restrict to)
{
    Int i, jj;
    for (i = 0; i < n; i++) { /* independent: jj is written anew */
        Real sum[2] = {0, 0};
        for (jj = begin[i]; jj < begin[i + 1]; jj++) { /* reduction: +: sum */
            sum[0] += value[jj] * from[column[jj]];
            sum[1] += value[jj] * from[column[jj] + n];
        }
        to[i] = sum[0];
        to[i + n] = sum[1];
    }
}

/* The same by columns: several may add to one row. */
void multiply_transposed(Int n, const Int *restrict begin, const Int *restrict column,
                         const Real *restrict value, const Real *restrict from, Real *restrict to)
{
    for (Int i = 0; i < n; i++) /* reduction: +: to */
        for (Int jj = begin[i]; jj < begin[i + 1]; jj++) /* reduction: +: to */
            to[column[jj]] += value[jj] * from[i];
}

/* Where a column goes is found by what was counted so far. */
void by_column(Int n, const Int *restrict column, Int *restrict next, Int *restrict order)
{
    for (Int i = 0; i < n; i++) /* carried: order */
        order[next[column[i]]++] = i;
}

/* A block of rows, stored one after the other, and a second counter. */
void pack(Int rows, Int width, const Real *restrict from, Real *restrict to)
{
    Int at = 0;
    for (Int i = 0; i < rows; i++) { /* independent: at can be told from i */
        for (Int j = 0; j < width; j++) /* independent */
            to[at + j] = from[i * width + j];
        at += width;
    }
    for (Int i = 0; i < rows; i++) /* independent */
        for (Int j = 0; j < width; j++) /* independent */
            to[i * width + j] = from[j * rows + i];
}

static Real counted(Real v)
{
    calls++;
    return v * v;
}

void squares(Int n, Real *p)
{
    for (Int i = 0; i < n; i++) /* carried: writes calls */
        p[i] = counted(p[i]);
}

void print(Int n, const Real *p)
{
    for (Int i = 0; i < n; i++) /* carried: acts outside */
        printf("%g\n", p[i]);
}

void random_values(Int n, Real *p)
{
    for (Int i = 0; i < n; i++) /* unknown: library_random */
        p[i] = 2 * library_random() - 1;
}

void timed(Int times, Real *seconds)
{
    for (Int k = 0; k < times; k++) { /* carried: MPI_Barrier */
        MPI_Barrier(MPI_COMM_WORLD);
        seconds[k] = MPI_Wtime();
        triad(1000, 0.4);
    }
}
