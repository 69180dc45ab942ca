// A cube cut into n × n × n hexahedra.
#ifndef FEM_MESH_HPP
#define FEM_MESH_HPP
#include <array>
#include <vector>

namespace fem {

template <class Scalar> struct Point {
    std::array<Scalar, 3> x;
    Scalar operator[](int i) const { return x[i]; }
};

template <class Scalar> class Mesh {
public:
    explicit Mesh(int n) : n_(n) {}
    int nodes() const { return (n_ + 1) * (n_ + 1) * (n_ + 1); }
    int elements() const { return n_ * n_ * n_; }
    Point<Scalar> point(int node) const
    {
        const int m = n_ + 1;
        const Scalar h = Scalar(1) / Scalar(n_);
        return {{{Scalar(node % m) * h, Scalar(node / m % m) * h, Scalar(node / m / m) * h}}};
    }
    bool boundary(int node) const
    {
        const int m = n_ + 1, i = node % m, j = node / m % m, k = node / m / m;
        return i == 0 || j == 0 || k == 0 || i == n_ || j == n_ || k == n_;
    }
    std::array<int, 8> corners(int element) const
    {
        const int m = n_ + 1, i = element % n_, j = element / n_ % n_, k = element / n_ / n_;
        const int first = (k * m + j) * m + i;
        return {{first, first + 1, first + m, first + m + 1,
                 first + m * m, first + m * m + 1, first + m * m + m, first + m * m + m + 1}};
    }
    // The nodes that share an element with a node, itself included, in order.
    std::vector<int> neighbours(int node) const
    {
        const int m = n_ + 1, i = node % m, j = node / m % m, k = node / m / m;
        std::vector<int> list;
        for (int c = k > 0 ? k - 1 : 0; c <= k + 1 && c < m; c++)
            for (int b = j > 0 ? j - 1 : 0; b <= j + 1 && b < m; b++)
                for (int a = i > 0 ? i - 1 : 0; a <= i + 1 && a < m; a++)
                    list.push_back((c * m + b) * m + a);
        return list;
    }

private:
    int n_;
};

} // namespace fem
#endif
