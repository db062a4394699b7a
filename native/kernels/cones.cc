#include "cones.h"

#include <cmath>

#include "parallel.h"

namespace fista {
namespace {

// Divided by `unit`, the block can be squared and summed without overflow or underflow.
struct Norm {
  double scaled, unit;  // |p| = scaled * unit
};

Norm norm(const Table& table, const double* p, size_t n) {
  double squares = 0;
  if (n <= 8) {
    for (size_t i = 0; i < n; ++i) squares += p[i] * p[i];
  } else {
    squares = table.sum_squares(p, n);
  }
  // Squares that were lost to underflow are below 1e-307 each: nothing beside 1e-280, even a million of them.
  if (squares > 1e-280 && squares < 1e300) return {std::sqrt(squares), 1};
  const double unit = table.max_abs(p, n);
  if (unit == 0) return {0, 1};
  squares = 0;
  for (size_t i = 0; i < n; ++i) squares += (p[i] / unit) * (p[i] / unit);
  return {std::sqrt(squares), unit};
}

// The three regions without a branch, for in real iterates they alternate at random. With share = (l / |p| + 1) / 2 cut to [0, 1]:
// inside, |p| <= l, share is 1 and the block stays; below, |p| <= -l, it is 0; between, the answer is (share |p|, share p).
void project_cone(const Table& table, const double* x, size_t n, double* out) {
  const Norm p = norm(table, x + 1, n - 1);
  const double l = x[0] / p.unit;
  double share = p.scaled > 0 ? (l / p.scaled + 1) / 2 : 1;
  share = share < 0 ? 0 : share > 1 ? 1 : share;
  const double first = share * p.scaled * p.unit;
  out[0] = first > x[0] ? first : x[0];
  if (n <= 9) {
    for (size_t i = 1; i < n; ++i) out[i] = share * x[i];
  } else {
    table.scale(x + 1, n - 1, share, out + 1);
  }
}

}  // namespace

void project_cones(const Run& run, const double* x, const uint32_t* start, size_t blocks, double* out) {
  const size_t n = blocks ? start[blocks] - start[0] : 0;
  const Partition parts = partition(blocks, 2 * n);
  parallel(parts.parts, run.threads, [&](size_t p) {
    for (size_t k = parts.begin(p); k < parts.end(p); ++k) {
      project_cone(*run.table, x + start[k], start[k + 1] - start[k], out + start[k]);
    }
  });
}

}  // namespace fista
