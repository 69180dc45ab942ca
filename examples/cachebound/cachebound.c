/* A matrix times a vector, over and over, with one rank going through its part
 * of the matrix the wrong way.
 *
 * The rows of the matrix are shared evenly. Every rank keeps its rows one after
 * the other, but for the last: its part came, say, from a library that stores
 * columns, and was never turned around. So it takes the same steps and runs the
 * same instructions as the others, and waits for memory at nearly each of them.
 * With --balanced it stores rows like everybody else.
 *
 *     cachebound [--balanced] [size [products]]
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int rank, ranks;
    int size, rows, first;        /* of the matrix, and the rows of this rank */
    size_t row_stride, column_stride;
    uint32_t *matrix;
    uint32_t *vector, *product;   /* whole; the rows of this rank */
} Part;

/* The element at a place is a number without pattern. */
static uint32_t element(int row, int column)
{
    uint32_t x = (uint32_t)row * 0x9E3779B1u ^ (uint32_t)column * 0x85EBCA77u;

    x ^= x >> 15;
    x *= 0xC2B2AE3Du;
    return x ^ (x >> 13);
}

static void fill_matrix(Part *p, int by_columns)
{
    p->row_stride = by_columns ? 1 : p->size;
    p->column_stride = by_columns ? p->rows : 1;
    p->matrix = malloc(sizeof *p->matrix * p->rows * p->size);
    p->vector = malloc(sizeof *p->vector * p->size);
    p->product = malloc(sizeof *p->product * p->rows);
    if (p->matrix == NULL || p->vector == NULL || p->product == NULL)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 0; i < p->rows; i++)
        for (int j = 0; j < p->size; j++)
            p->matrix[i * p->row_stride + j * p->column_stride] = element(p->first + i, j);
    for (int j = 0; j < p->size; j++)
        p->vector[j] = (uint32_t)j;
}

/* Sums wrap around, which makes them exact. */
static void multiply(Part *p)
{
    const size_t stride = p->column_stride;

    for (int i = 0; i < p->rows; i++) {
        const uint32_t *row = p->matrix + i * p->row_stride;
        uint32_t sum = 0;
        for (int j = 0; j < p->size; j++)
            sum += row[j * stride] * p->vector[j];
        p->product[i] = sum;
    }
}

/* The product is the next vector. */
static void share_product(Part *p)
{
    for (int i = 0; i < p->rows; i++)
        p->product[i] = p->product[i] >> 7 | 1;
    MPI_Allgather(p->product, p->rows, MPI_UINT32_T, p->vector, p->rows, MPI_UINT32_T,
                  MPI_COMM_WORLD);
}

/* Two rows of the last product once more, an element at a time and without the
 * stored matrix. Returns how many differ, on any rank. */
static int verify(const Part *p, const uint32_t *before)
{
    int rows[2] = {0, p->rows - 1}, wrong = 0, all = 0;

    for (int k = 0; k < 2; k++) {
        uint32_t sum = 0;
        for (int j = 0; j < p->size; j++)
            sum += element(p->first + rows[k], j) * before[j];
        wrong += p->vector[p->first + rows[k]] != (sum >> 7 | 1);
    }
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    Part p = {.size = 4096};
    int products = 40, numbers = 0, balanced = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p.ranks);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--balanced") == 0)
            balanced = 1;
        else if (numbers++ == 0)
            p.size = atoi(argv[i]);
        else
            products = atoi(argv[i]);
    }
    if (numbers > 2 || products < 1 || p.size < p.ranks || p.size % p.ranks != 0) {
        if (p.rank == 0)
            fprintf(stderr, "usage: cachebound [--balanced] [size [products]], size a multiple of the ranks\n");
        MPI_Finalize();
        return 2;
    }
    p.rows = p.size / p.ranks;
    p.first = p.rank * p.rows;

    double start = MPI_Wtime();
    fill_matrix(&p, !balanced && p.rank == p.ranks - 1);
    uint32_t *before = malloc(sizeof *before * p.size);
    for (int k = 0; k < products; k++) {
        memcpy(before, p.vector, sizeof *before * p.size);
        multiply(&p);
        share_product(&p);
    }

    int wrong = verify(&p, before);
    if (p.rank == 0) {
        uint64_t sum = 0;
        for (int j = 0; j < p.size; j++)
            sum += (uint64_t)p.vector[j] * (uint64_t)(j + 1);
        printf("cachebound: %d x %d, %d products, %d ranks, %s\n", p.size, p.size, products, p.ranks,
               balanced ? "all by rows" : "the last rank by columns");
        printf("checksum %016llx\n", (unsigned long long)sum);
        printf("time %.3f s\n", MPI_Wtime() - start);
        if (wrong)
            fprintf(stderr, "cachebound: verification failed in %d rows\n", wrong);
    }
    MPI_Finalize();
    return wrong != 0;
}
