// The trilinear hexahedron: shape functions, and the stiffness of -Δu by Gauss's
// rule of Points points in each direction.
#ifndef FEM_ELEMENT_HPP
#define FEM_ELEMENT_HPP
#include "mesh.hpp"
#include <array>
#include <cmath>

namespace fem {

template <class Scalar, int Points> struct Gauss;
template <class Scalar> struct Gauss<Scalar, 2> {
    static Scalar at(int i) { return (i == 0 ? Scalar(-1) : Scalar(1)) / std::sqrt(Scalar(3)); }
    static Scalar weight(int) { return Scalar(1); }
};
template <class Scalar> struct Gauss<Scalar, 3> {
    static Scalar at(int i) { return Scalar(i - 1) * std::sqrt(Scalar(0.6)); }
    static Scalar weight(int i) { return i == 1 ? Scalar(8) / 9 : Scalar(5) / 9; }
};

template <class Scalar, int Points> class Hexahedron {
public:
    using Matrix = std::array<std::array<Scalar, 8>, 8>;
    using Corners = std::array<Point<Scalar>, 8>;

    Matrix stiffness(const Corners &corner) const
    {
        Matrix k = {};
        for (int a = 0; a < Points; a++)
            for (int b = 0; b < Points; b++)
                for (int c = 0; c < Points; c++)
                    add(k, corner, Rule::at(a), Rule::at(b), Rule::at(c),
                        Rule::weight(a) * Rule::weight(b) * Rule::weight(c));
        return k;
    }

private:
    using Rule = Gauss<Scalar, Points>;

    static std::array<std::array<Scalar, 3>, 8> slopes(Scalar r, Scalar s, Scalar t)
    {
        std::array<std::array<Scalar, 3>, 8> d;
        for (int i = 0; i < 8; i++) {
            const Scalar a = i & 1 ? 1 : -1, b = i & 2 ? 1 : -1, c = i & 4 ? 1 : -1;
            d[i] = {{a * (1 + b * s) * (1 + c * t) / 8, b * (1 + a * r) * (1 + c * t) / 8, c * (1 + a * r) * (1 + b * s) / 8}};
        }
        return d;
    }

    static void add(Matrix &k, const Corners &corner, Scalar r, Scalar s, Scalar t, Scalar weight)
    {
        const auto d = slopes(r, s, t);
        Scalar j[3][3] = {}, inverse[3][3];
        for (int i = 0; i < 8; i++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    j[a][b] += d[i][a] * corner[i][b];
        const Scalar volume = invert(j, inverse);
        Scalar g[8][3] = {};
        for (int i = 0; i < 8; i++)
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    g[i][a] += inverse[a][b] * d[i][b];
        for (int i = 0; i < 8; i++)
            for (int l = 0; l < 8; l++)
                k[i][l] += weight * volume * (g[i][0] * g[l][0] + g[i][1] * g[l][1] + g[i][2] * g[l][2]);
    }

    static Scalar invert(const Scalar (&m)[3][3], Scalar (&out)[3][3])
    {
        for (int i = 0; i < 3; i++)
            for (int l = 0; l < 3; l++) {
                const int a = (l + 1) % 3, b = (l + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
                out[i][l] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
            }
        const Scalar det = m[0][0] * out[0][0] + m[0][1] * out[1][0] + m[0][2] * out[2][0];
        for (auto &row : out)
            for (Scalar &v : row)
                v /= det;
        return det;
    }
};

} // namespace fem
#endif
