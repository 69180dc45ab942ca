// Conjugate gradients.
#ifndef FEM_SOLVE_HPP
#define FEM_SOLVE_HPP
#include "sparse.hpp"

namespace fem {

template <class Vector> auto dot(const Vector &x, const Vector &y)
{
    typename Vector::value_type sum = 0;
    for (std::size_t i = 0; i < x.size(); i++)
        sum += x[i] * y[i];
    return sum;
}

// y = a x + b y
template <class Vector, class Scalar> void combine(Scalar a, const Vector &x, Scalar b, Vector &y)
{
    for (std::size_t i = 0; i < x.size(); i++)
        y[i] = a * x[i] + b * y[i];
}

// Returns the number of iterations; as many as most where it does not get there.
template <class Operator, class Vector> int conjugate_gradients(const Operator &a, const Vector &right, Vector &x, double tolerance, int most)
{
    Vector r = right, p, q(right.size());
    multiply(a, x, q);
    combine(typename Vector::value_type(-1), q, typename Vector::value_type(1), r);
    p = r;
    auto rho = dot(r, r);
    const double small = tolerance * tolerance * double(rho);
    int n = 0;
    for (; n < most && double(rho) > small; n++) {
        multiply(a, p, q);
        const auto alpha = rho / dot(p, q);
        combine(alpha, p, typename Vector::value_type(1), x);
        combine(-alpha, q, typename Vector::value_type(1), r);
        const auto next = dot(r, r);
        combine(typename Vector::value_type(1), r, next / rho, p);
        rho = next;
    }
    return n;
}

} // namespace fem
#endif
