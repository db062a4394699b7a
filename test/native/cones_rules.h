// The conditions that define a projection onto the second-order cone { (l, p) : |p| <= l } (method 4.3).
#pragma once

#include "check.h"
#include "cones.h"

namespace check {

// |p| in twice the precision; p must be neither huge nor tiny.
inline double exact_norm(const std::vector<double>& p) {
  Exact squares;
  for (double v : p) squares.add_product(v, v);
  return std::sqrt(squares.value());
}

// Whether project_cone gives the same bits with branches, as used by ellipsoid separation, and without.
inline bool same_if_settled(const fista::Table& table, const double* x, size_t n) {
  const double squares = table.sum_squares(x + 1, n - 1);
  const auto with = fista::project_cone<true>(table, x[0], x + 1, n - 1, squares);
  const auto without = fista::project_cone<false>(table, x[0], x + 1, n - 1, squares);
  return with.l == without.l && with.share == without.share;
}

// The first condition that `out` violates as the projection of the block x[0 .. n), or null.
inline const char* broken_cone_rule(const double* x, size_t n, const double* out) {
  // All numbers are scaled by a power of two, about the inverse of the largest entry: that is exact and leaves the cone unchanged.
  // Entries that vanish are far below rounding.
  double max = 0;
  for (size_t i = 0; i < n; ++i) max = std::fmax(max, std::fabs(x[i]));
  for (size_t i = 0; i < n; ++i) {
    if (std::isnan(out[i])) return "no NaN";
    if (max == 0 && out[i] != 0) return "0 stays 0";
  }
  if (max == 0) return nullptr;
  const int power = -std::ilogb(max);
  const double l = std::ldexp(x[0], power);
  // Kept between calls: fuzzers make millions of them, and allocations are slow under a sanitizer.
  thread_local std::vector<double> p, q, rest;
  p.clear();
  q.clear();
  rest.clear();
  for (size_t i = 1; i < n; ++i) p.push_back(std::ldexp(x[i], power));
  const double norm = exact_norm(p), tiny = std::ldexp(std::numeric_limits<double>::denorm_min(), power);
  // |p| is the root of a sum of n squares, so its error is at most n / 2 + 2 units; that of the share, in [0, 1], 3 more; the
  // products add one each. With l and |p| below 2 sqrt(n) in these units:
  const double rounding = (static_cast<double>(n) + 8) * kUnit * (norm + std::fabs(l)) + tiny;

  // (l + |p|) / 2 may exceed the largest double; out[0] is infinite then.
  const double first = l >= norm ? l : l <= -norm ? 0 : (l + norm) / 2;
  if (std::isinf(out[0]))
    return first >= std::ldexp(std::numeric_limits<double>::max(), power) * (1 - 1e-9) && out[0] > 0 ? nullptr : "finite";
  const double first_out = std::ldexp(out[0], power);
  if (!(std::fabs(first_out - first) <= rounding)) return "out_0 = (l + |p|) / 2, l inside, 0 below";
  const double share = l >= norm ? 1 : l <= -norm ? 0 : (l / norm + 1) / 2;
  Exact product;  // <x - out, out>
  product.add_product(l - first_out, first_out);
  for (size_t i = 1; i < n; ++i) {
    q.push_back(std::ldexp(out[i], power));
    rest.push_back(q.back() - p[i - 1]);
    if (!(std::fabs(q.back() - share * p[i - 1]) <= rounding)) return "out_i = (l / |p| + 1) / 2 x_i, x_i inside, 0 below";
    product.add_product(-rest.back(), q.back());
  }
  // Each entry may have one rounding of a subnormal number.
  const double together = 2 * rounding + static_cast<double>(n) * tiny;
  // Moreau: out is in the cone, out - x is in its dual, which is the same cone, and the two are orthogonal.
  if (!(exact_norm(q) <= first_out + together)) return "out is in the cone";
  if (!(exact_norm(rest) <= first_out - l + together)) return "out - x is in the dual cone";
  if (!(std::fabs(product.value()) <= 2 * together * (norm + std::fabs(l)))) return "out and out - x are orthogonal";
  // A point inside by more than rounding keeps its bits.
  if (l > norm + rounding) {
    for (size_t i = 0; i < n; ++i) {
      if (out[i] != x[i]) return "a point inside keeps its bits";
    }
  }
  return nullptr;
}

}  // namespace check
