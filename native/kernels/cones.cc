#include "cones.h"

#include <cmath>

#include "parallel.h"

namespace fista {
namespace {

double squared_norm(const Table& table, const double* p, size_t n) {
  if (n == 2) return p[0] * p[0] + p[1] * p[1];  // ellipses in the plane: no loop
  if (n > 8) return table.sum_squares(p, n);
  double squares = 0;
  for (size_t i = 0; i < n; ++i) squares += p[i] * p[i];
  return squares;
}

// Writes (first, share p).
void write_cone(const Table& table, const double* x, size_t n, double first, double share, double* out) {
  out[0] = first;
  if (n == 3) {
    out[1] = share * x[1];
    out[2] = share * x[2];
  } else if (n > 9) {
    table.scale(x + 1, n - 1, share, out + 1);
  } else {
    for (size_t i = 1; i < n; ++i) out[i] = share * x[i];
  }
}

void project_blocks(const Table& table, const double* x, const uint32_t* start, size_t begin, size_t end, double* out) {
  for (size_t k = begin; k < end; ++k) {
    const size_t at = start[k], n = start[k + 1] - at;
    const double squares = squared_norm(table, x + at + 1, n - 1);
    const ConeProjection to = project_cone<false>(table, x[at], x + at + 1, n - 1, squares);
    write_cone(table, x + at, n, to.l, to.share, out + at);
  }
}

}  // namespace

ConeProjection project_scaled_cone(const Table& table, double l, const double* p, size_t n) {
  const double unit = table.max_abs(p, n);
  double squares = 0;
  if (unit == 0) return {std::max(l, 0.0), 1};
  for (size_t i = 0; i < n; ++i) squares += (p[i] / unit) * (p[i] / unit);
  const double norm = std::sqrt(squares);
  const double share = norm > 0 ? std::min(std::max((l / unit / norm + 1) / 2, 0.0), 1.0) : 1;
  return {std::max(l, share * norm * unit), share};
}

void project_cones(const Run& run, const double* x, const uint32_t* start, size_t blocks, double* out) {
  const size_t n = blocks ? start[blocks] - start[0] : 0;
  const Partition parts = partition(blocks, 2 * n);
  parallel(run, parts.parts, [&](size_t p) { project_blocks(*run.table, x, start, parts.begin(p), parts.end(p), out); });
}

}  // namespace fista
