// Sums over, and loops over, the positions of a vector on the threads of a run. Parts do not depend on the number of threads, and
// are added in order.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "parallel.h"
#include "run.h"

namespace fista {

inline double dot(const double* a, const double* b, size_t n) {
  double s = 0;
  for (size_t i = 0; i < n; ++i) s += a[i] * b[i];
  return s;
}

// Sums over n positions: parts run in parallel, and are added in order. Sums is a double or a struct of doubles; body(begin, count,
// sums) adds to them, in the order of the members.
template <typename Sums, typename Body>
Sums reduce(const Run& run, size_t n, Body&& body) {
  constexpr size_t N = sizeof(Sums) / sizeof(double);
  static_assert(std::is_trivially_copyable_v<Sums> && sizeof(Sums) == N * sizeof(double), "doubles only");
  const Partition parts = partition(n, 4 * n);
  double partial[kMaxParts][N] = {};
  parallel(run, parts.parts, [&](size_t p) { body(parts.begin(p), parts.end(p) - parts.begin(p), partial[p]); });
  double total[N] = {};
  for (size_t k = 0; k < N; ++k) {
    for (size_t p = 0; p < parts.parts; ++p) total[k] += partial[p][k];
  }
  Sums sums;
  std::memcpy(&sums, total, sizeof(Sums));
  return sums;
}

// The same over the rows of all ranks, of which n are here.
template <typename Sums, typename Body>
Sums reduce_rows(const Run& run, size_t n, Body&& body) {
  Sums sums = reduce<Sums>(run, n, std::forward<Body>(body));
  if (run.over_ranks()) {
    double values[sizeof(Sums) / sizeof(double)];
    std::memcpy(values, &sums, sizeof(Sums));
    sum_ranks(run, values, sizeof(Sums) / sizeof(double));
    std::memcpy(&sums, values, sizeof(Sums));
  }
  return sums;
}

// Runs body(begin, count) over parts of n positions.
template <typename Body>
void split(const Run& run, size_t n, Body&& body) {
  const Partition parts = partition(n, 4 * n);
  parallel(run, parts.parts, [&](size_t p) { body(parts.begin(p), parts.end(p) - parts.begin(p)); });
}

inline double dot(const Run& run, const double* a, const double* b, size_t n) {
  return reduce<double>(run, n, [&](size_t begin, size_t count, double* s) { *s = dot(a + begin, b + begin, count); });
}

// to = from, or 0
inline void copy(const Run& run, double* to, const double* from, size_t n) {
  split(run, n, [&](size_t begin, size_t count) {
    if (from != nullptr) {
      std::memcpy(to + begin, from + begin, count * sizeof(double));
    } else {
      std::memset(to + begin, 0, count * sizeof(double));
    }
  });
}

}  // namespace fista
