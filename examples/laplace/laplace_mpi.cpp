// Laplace's equation on a square plate by Jacobi's method, over MPI.
//
// The same problem and the same arithmetic as laplace.c, so the same checksum:
// the rows are shared among the ranks, and before every sweep neighbours
// exchange the rows along their border. The number of sweeps is fixed, and what
// must come out after it is known.
//
//     laplace_mpi [n [sweeps]]      n: inner points along an edge; sweeps: even

// The C interface alone: the one for C++ is no longer part of MPI.
#define MPICH_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace {

const double pi = 3.14159265358979323846;

// Starts and ends MPI, however the program leaves.
class Session {
public:
    Session(int *argc, char ***argv)
    {
        MPI_Init(argc, argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    }
    ~Session() { MPI_Finalize(); }
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    int rank = 0, ranks = 1;
};

// What the plate is made of: u(i, j) = across[j] * (solved[i] + error * bump[i]).
struct Shape {
    std::vector<double> across, solved, bump;
    double factor; // of the error, per sweep

    // The discrete solution is sin(pi x) sinh(k y) / sinh(k), where
    // cos(pi h) + cosh(k h) = 2: the five-point formula has it exactly.
    explicit Shape(int n) : across(n + 2), solved(n + 2), bump(n + 2)
    {
        double h = 1.0 / (n + 1);
        double k = std::acosh(2 - std::cos(pi * h)) / h;
        for (int i = 0; i < n + 2; i++) {
            across[i] = std::sin(pi * i * h);
            solved[i] = std::sinh(k * i * h) / std::sinh(k);
            bump[i] = std::sin(pi * i * h);
        }
        across[0] = across[n + 1] = 0;
        bump[0] = bump[n + 1] = 0;
        factor = std::cos(pi * h);
    }
};

// The rows of one rank, with a halo row above and below.
class Plate {
public:
    Plate(const Shape &shape, int n, const Session &mpi)
        : width(n + 2), first(1 + share(n, mpi.rank, mpi.ranks)),
          rows(share(n, mpi.rank + 1, mpi.ranks) - share(n, mpi.rank, mpi.ranks)),
          above(mpi.rank > 0 ? mpi.rank - 1 : MPI_PROC_NULL),
          below(mpi.rank < mpi.ranks - 1 ? mpi.rank + 1 : MPI_PROC_NULL)
    {
        if (n < mpi.ranks)
            throw std::invalid_argument("fewer rows than ranks");
        cells.resize(static_cast<std::size_t>(rows + 2) * width);
        for (int i = 0; i < rows + 2; i++)
            for (int j = 0; j < width; j++)
                at(i, j) = shape.across[j] * (shape.solved[row(i)] + shape.bump[row(i)]);
    }

    // The border rows of the neighbours come into the halo.
    void exchange()
    {
        MPI_Sendrecv(&at(1, 0), width, MPI_DOUBLE, above, 1,
                     &at(rows + 1, 0), width, MPI_DOUBLE, below, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&at(rows, 0), width, MPI_DOUBLE, below, 2,
                     &at(0, 0), width, MPI_DOUBLE, above, 2,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }

    // Every inner point becomes the mean of its neighbours in the other plate.
    void sweep(const Plate &other)
    {
        const double *from = other.cells.data();
        double *to = cells.data();
        for (int i = 1; i <= rows; i++) {
            for (int j = 1; j < width - 1; j++) {
                std::size_t c = static_cast<std::size_t>(i) * width + j;
                to[c] = 0.25 * ((from[c - width] + from[c + width]) + (from[c - 1] + from[c + 1]));
            }
        }
    }

    double &at(int i, int j) { return cells[static_cast<std::size_t>(i) * width + j]; }
    int row(int i) const { return first + i - 1; } // in the whole plate
    int height() const { return rows; }

private:
    static int share(int n, int rank, int ranks)
    {
        return static_cast<int>(static_cast<long>(n) * rank / ranks);
    }

    int width, first, rows, above, below;
    std::vector<double> cells;
};

int solve(const Session &mpi, int n, int sweeps)
{
    Shape shape(n);
    Plate u(shape, n, mpi), v(shape, n, mpi);

    for (int k = 0; k < sweeps; k += 2) {
        u.exchange();
        v.sweep(u);
        v.exchange();
        u.sweep(v);
    }

    double left = std::pow(shape.factor, sweeps), wrong = 0, worst = 0;
    long long sum = 0, total = 0;
    for (int i = 1; i <= u.height(); i++) {
        for (int j = 1; j <= n; j++) {
            double should = shape.across[j] * (shape.solved[u.row(i)] + left * shape.bump[u.row(i)]);
            wrong = std::fmax(wrong, std::fabs(u.at(i, j) - should));
            sum += std::llround(u.at(i, j) * 1e6);
        }
    }
    MPI_Allreduce(&wrong, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Reduce(&sum, &total, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (mpi.rank == 0) {
        std::printf("laplace: %d x %d points, %d sweeps, %d ranks\n", n, n, sweeps, mpi.ranks);
        std::printf("largest error %.1e\n", worst);
        std::printf("checksum %.7e\n", static_cast<double>(total));
    }
    return !(worst < 1e-9);
}

} // namespace

int main(int argc, char **argv)
{
    Session mpi(&argc, &argv);
    int n = argc > 1 ? std::atoi(argv[1]) : 1000;
    int sweeps = argc > 2 ? std::atoi(argv[2]) : 1000;

    try {
        if (argc > 3 || n < 1 || sweeps < 0 || sweeps % 2 != 0)
            throw std::invalid_argument("usage: laplace_mpi [n [sweeps]], an even number of sweeps");
        return solve(mpi, n, sweeps);
    } catch (const std::exception &e) {
        if (mpi.rank == 0)
            std::fprintf(stderr, "laplace_mpi: %s\n", e.what());
        return 2;
    }
}
