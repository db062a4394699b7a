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

// Squares that were lost to underflow are below 1e-307 each: nothing beside 1e-280, even a million of them.
bool safe(double squares) { return squares > 1e-280 && squares < 1e300; }

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

// A block whose squared norm is zero, overflows or underflows: divided by its largest entry it can be squared and summed.
void project_unsafe(const Table& table, const double* x, size_t n, double* out) {
  double unit = table.max_abs(x + 1, n - 1), squares = 0;
  if (unit == 0) unit = 1;
  for (size_t i = 1; i < n; ++i) squares += (x[i] / unit) * (x[i] / unit);
  const double norm = std::sqrt(squares);
  double share = norm > 0 ? (x[0] / unit / norm + 1) / 2 : 1;
  share = share < 0 ? 0 : share > 1 ? 1 : share;
  const double first = share * norm * unit;
  write_cone(table, x, n, first > x[0] ? first : x[0], share, out);
}

// Blocks are taken in batches that stay in the first-level cache: norms, then all square roots and divisions at once, then the
// results. The three regions need no branch, for in real iterates they alternate at random. With share = (l / |p| + 1) / 2 cut to
// [0, 1]: inside, |p| <= l, share is 1 and the block stays; below, |p| <= -l, it is 0; between, the answer is (share |p|, share p).
void project_blocks(const Table& table, const double* x, const uint32_t* start, size_t begin, size_t end, double* out) {
  constexpr size_t kBlocks = 64, kEntries = 1024;
  double squares[kBlocks], first[kBlocks], share[kBlocks];
  while (begin < end) {
    size_t m = 0;
    const size_t stop = start[begin] + kEntries;
    for (; m < kBlocks && begin + m < end && (m == 0 || start[begin + m + 1] <= stop); ++m) {
      const double* block = x + start[begin + m];
      first[m] = block[0];
      squares[m] = squared_norm(table, block + 1, start[begin + m + 1] - start[begin + m] - 1);
    }
    table.cone_shares(first, squares, m, share, first);
    for (size_t k = 0; k < m; ++k) {
      const size_t at = start[begin + k], n = start[begin + k + 1] - at;
      if (safe(squares[k])) {
        write_cone(table, x + at, n, first[k], share[k], out + at);
      } else {
        project_unsafe(table, x + at, n, out + at);
      }
    }
    begin += m;
  }
}

}  // namespace

void project_cones(const Run& run, const double* x, const uint32_t* start, size_t blocks, double* out) {
  const size_t n = blocks ? start[blocks] - start[0] : 0;
  const Partition parts = partition(blocks, 2 * n);
  parallel(run, parts.parts, [&](size_t p) { project_blocks(*run.table, x, start, parts.begin(p), parts.end(p), out); });
}

}  // namespace fista
