// A potential in a cube by finite elements: all the work is in templates. The
// solution is linear, so trilinear elements have it exactly.
#include "fem/solve.hpp"
#include <cmath>
#include <cstdio>
#include <cstdlib>

template <class Scalar, int Points> static double run(int n, int times)
{
    const fem::Mesh<Scalar> mesh(n);
    const auto known = [](const fem::Point<Scalar> &p) { return p[0] + 2 * p[1] + 3 * p[2]; };
    double worst = 0;
    for (int t = 0; t < times; t++) {
        auto a = fem::pattern(mesh);
        std::vector<Scalar> right(a.rows()), x(a.rows());
        fem::assemble(a, mesh, fem::Hexahedron<Scalar, Points>());
        fem::fix(a, right, mesh, known);
        fem::conjugate_gradients(a, right, x, sizeof(Scalar) > 4 ? 1e-9 : 1e-6, 500);
        for (int i = 0; i < a.rows(); i++)
            worst = std::fmax(worst, std::fabs(double(x[i] - known(mesh.point(i)))));
    }
    return worst;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 40, times = argc > 2 ? std::atoi(argv[2]) : 4;
    if (argc > 3 || n < 2 || times < 1) {
        std::fprintf(stderr, "usage: %s [elements along an edge [times]]\n", argv[0]);
        return 2;
    }
    const double twice = run<double, 2>(n, times), thrice = run<float, 3>(n, times);
    std::printf("elements %d: off by %s and %s\n", n, twice < 1e-4 ? "nothing" : "too much", thrice < 1e-2 ? "nothing" : "too much");
    return twice < 1e-4 && thrice < 1e-2 ? 0 : 1;
}
