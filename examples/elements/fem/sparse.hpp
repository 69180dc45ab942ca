// Sparse matrices, row by row, and how elements are added up into one.
#ifndef FEM_SPARSE_HPP
#define FEM_SPARSE_HPP
#include "element.hpp"
#include <algorithm>
#include <vector>

namespace fem {

template <class Scalar> struct Sparse {
    std::vector<int> start, column;
    std::vector<Scalar> value;
    int rows() const { return int(start.size()) - 1; }
    Scalar &at(int row, int col)
    {
        auto first = column.begin() + start[row], last = column.begin() + start[row + 1];
        return value[std::lower_bound(first, last, col) - column.begin()];
    }
};

template <class Scalar, class Vector> void multiply(const Sparse<Scalar> &a, const Vector &x, Vector &y)
{
    for (int i = 0; i < a.rows(); i++) {
        Scalar sum = 0;
        for (int k = a.start[i]; k < a.start[i + 1]; k++)
            sum += a.value[k] * x[a.column[k]];
        y[i] = sum;
    }
}

template <class Scalar> Sparse<Scalar> pattern(const Mesh<Scalar> &mesh)
{
    Sparse<Scalar> a;
    a.start.push_back(0);
    for (int node = 0; node < mesh.nodes(); node++) {
        for (int other : mesh.neighbours(node))
            a.column.push_back(other);
        a.start.push_back(int(a.column.size()));
    }
    a.value.assign(a.column.size(), Scalar(0));
    return a;
}

template <class Scalar, class Element> void assemble(Sparse<Scalar> &a, const Mesh<Scalar> &mesh, const Element &element)
{
    for (int e = 0; e < mesh.elements(); e++) {
        const auto node = mesh.corners(e);
        typename Element::Corners corner;
        for (int i = 0; i < 8; i++)
            corner[i] = mesh.point(node[i]);
        const auto k = element.stiffness(corner);
        for (int i = 0; i < 8; i++)
            for (int l = 0; l < 8; l++)
                a.at(node[i], node[l]) += k[i][l];
    }
}

// Gives the boundary the values of a function.
template <class Scalar, class Vector, class Function>
void fix(Sparse<Scalar> &a, Vector &right, const Mesh<Scalar> &mesh, Function known)
{
    for (int i = 0; i < a.rows(); i++) {
        const bool here = mesh.boundary(i);
        if (here)
            right[i] = known(mesh.point(i));
        for (int k = a.start[i]; k < a.start[i + 1]; k++) {
            const int other = a.column[k];
            if (here) {
                a.value[k] = other == i;
            } else if (mesh.boundary(other)) {
                right[i] -= a.value[k] * known(mesh.point(other));
                a.value[k] = 0;
            }
        }
    }
}

} // namespace fem
#endif
