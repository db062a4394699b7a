// The conditions that define a projection onto { sum c_i y_i x_i = b, 0 <= x_i <= gamma } (method 1.8), and a slow projection by
// sorting.
#pragma once

#include <algorithm>
#include <limits>

#include "check.h"
#include "knapsack.h"

namespace check {

struct Knapsack {
  const double* a;
  const int8_t* y;
  const double* weight;  // c
  double gamma;          // or infinity
  size_t n;
  double b;

  fista::KnapsackRows rows() const { return {a, y, weight, gamma}; }
  double weight_sum() const {
    Exact sum;
    for (size_t i = 0; i < n; ++i) sum.add(weight[i]);
    return sum.value();
  }
  double x(size_t i, double lambda) const {
    const double free = a[i] - lambda * y[i];
    return free > gamma ? gamma : free > 0 ? free : 0;
  }
  // The sum of c y x.
  Exact sum(const double* x) const {
    Exact sum;
    for (size_t i = 0; i < n; ++i) sum.add_product(y[i] * weight[i], x[i]);
    return sum;
  }
  Exact phi(double lambda) const {
    Exact sum;
    for (size_t i = 0; i < n; ++i) sum.add_product(y[i] * weight[i], x(i, lambda));
    return sum;
  }
  double min() const { return reach(-1); }
  double max() const { return reach(1); }
  // A sum of n rounded products errs by at most r = n + 2 units of their magnitudes. The kernel stops when its own sum is within r
  // of b, so that the true one is within 2r; its last step may then move up to four times the weight that it assumes: 4r. Products
  // that underflow lose less than the smallest number each.
  double rounding(double magnitude) const {
    return 4 * static_cast<double>(n + 2) * (kUnit * (magnitude + std::fabs(b)) + std::numeric_limits<double>::denorm_min());
  }

 private:
  double reach(int side) const {
    Exact sum;
    for (size_t i = 0; i < n; ++i) {
      if (y[i] == side) sum.add(weight[i]);
    }
    return sum.value() > 0 ? side * sum.value() * gamma : 0;
  }
};

inline double ulps(double x, int count) {
  const double towards = count > 0 ? kInfinity : -kInfinity;
  for (int k = 0; k < std::abs(count); ++k) x = std::nextafter(x, towards);
  return x;
}

// The last double lambda with phi(lambda) > b, or >= b, by bisection over all doubles: slow and exact.
inline double last_above(const Knapsack& s, bool or_equal) {
  // Maps doubles to integers in the same order.
  const auto number = [](int64_t key) {
    const int64_t bits = key < 0 ? INT64_MIN - key : key;
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  };
  const double largest = std::numeric_limits<double>::max();
  int64_t high;
  std::memcpy(&high, &largest, sizeof high);
  int64_t low = -high;
  while (low < high) {
    const int64_t middle = low + static_cast<int64_t>((static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1) / 2);
    const double phi = s.phi(number(middle)).value();
    if (phi > s.b || (or_equal && phi == s.b)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return number(low);
}

// The first condition that the result violates, or null. (x, lambda) is the solution if and only if x_i = clamp(a_i - lambda y_i,
// 0, gamma) and sum c_i y_i x_i = b. The first holds exactly. The second holds up to rounding, including that of lambda: if a_i is
// much larger than gamma, neighbouring doubles lambda give sums on both sides of b.
inline const char* broken_rule(const Knapsack& s, double lambda, const double* x) {
  const double min = s.min(), max = s.max();
  const double slack = s.rounding((std::isfinite(max) ? max : 0) - (std::isfinite(min) ? min : 0));
  const double beyond = s.b > max ? s.b - max : s.b < min ? min - s.b : 0;
  if (std::isnan(lambda)) return beyond > 0 ? nullptr : "a reachable b has a lambda";
  if (beyond > slack) return "NaN is returned for a b that cannot be reached";
  if (!std::isfinite(lambda)) return "lambda is finite";
  for (size_t i = 0; i < s.n; ++i) {
    if (!(x[i] >= 0 && x[i] <= s.gamma)) return "0 <= x_i <= gamma";
    if (x[i] != s.x(i, lambda)) return "x_i = clamp(a_i - lambda y_i, 0, gamma)";
  }
  const Exact sum = s.sum(x);
  const double rounding = s.rounding(sum.magnitude) + beyond;
  if (std::fabs(sum.value() - s.b) <= rounding) return nullptr;
  // Otherwise the error is at most that of two steps of lambda away from the interval of roots.
  if (sum.value() > s.b && sum.value() > s.phi(ulps(last_above(s, false), -1)).value() + rounding) return "the sum is not above b";
  if (sum.value() < s.b && sum.value() < s.phi(ulps(last_above(s, true), 2)).value() - rounding) return "the sum is not below b";
  return nullptr;
}

// Sorts the 2n breakpoints, finds the two that enclose the root by evaluating phi, and solves the line between them.
inline double sorted_root(const Knapsack& s) {
  std::vector<double> points;
  for (size_t i = 0; i < s.n; ++i) {
    for (double point : {s.y[i] * s.a[i], s.y[i] * (s.a[i] - s.gamma)}) {
      if (std::isfinite(point)) points.push_back(point);
    }
  }
  if (points.empty()) return 0;
  std::sort(points.begin(), points.end());
  const auto after = std::partition_point(points.begin(), points.end(), [&](double point) { return s.phi(point).value() > s.b; });
  const double low = after == points.begin() ? -kInfinity : *(after - 1), high = after == points.end() ? kInfinity : *after;
  const double end = std::isfinite(low) ? low : high;
  Exact line(-s.b), slope;  // line - slope lambda = phi - b between low and high
  for (size_t i = 0; i < s.n; ++i) {
    const double first = std::min(s.y[i] * s.a[i], s.y[i] * (s.a[i] - s.gamma));
    const double last = std::max(s.y[i] * s.a[i], s.y[i] * (s.a[i] - s.gamma));
    if (first <= low && last >= high && first < last) {
      line.add_product(s.y[i] * s.weight[i], s.a[i]);
      slope.add(s.weight[i]);
    } else {
      line.add_product(s.y[i] * s.weight[i], s.x(i, end));
    }
  }
  if (slope.value() > 0) return std::min(std::max(line.value() / slope.value(), low), high);
  return std::isfinite(high) ? high : low;
}

// No c_i y_i x_i increases with lambda, so two solutions differ in no term by more than their sums differ.
inline bool agrees(const Knapsack& s, const double* x, const double* other) {
  const Exact one = s.sum(x), two = s.sum(other);
  const double bound =
      std::fabs(one.value() - s.b) + std::fabs(two.value() - s.b) + 2 * kUnit * (one.magnitude + two.magnitude + std::fabs(s.b));
  for (size_t i = 0; i < s.n; ++i) {
    if (!(s.weight[i] * std::fabs(x[i] - other[i]) <= bound + std::numeric_limits<double>::denorm_min())) return false;
  }
  return true;
}

}  // namespace check
