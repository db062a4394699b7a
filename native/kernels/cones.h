// Projection onto second-order cones { (l, p) : |p| <= l }, of one block and of a product of them (method 4.3).
//
// Problem:  min (l' - l)^2 + |p' - p|^2  subject to  |p'| <= l'.
// Given:    one block (project_cone), or many one after the other (project_cones); |p|^2 may overflow or underflow.
// Wanted:   the nearest point of the cone to each block.
// Source:   N. Parikh and S. Boyd, Proximal algorithms, Found. Trends Optim. 1 (2014) 127-239, section 6.3.2.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "run.h"
#include "table.h"

namespace fista {

// The nearest point of the cone to (l, p) is (l, share p) with this l.
struct ConeProjection {
  double l, share;
};

// For a block whose |p|^2 is 0, overflows or underflows: divided by its largest entry, p can be squared and summed.
ConeProjection project_scaled_cone(const Table& table, double l, const double* p, size_t n);

// Given:   l; p, of n entries; and squares = |p|^2, which the caller sums while p is in cache.
// Wanted:  the new l, and the share by which the caller multiplies p in its next sweep over p.
//
// kSettled says that blocks mostly stay in one region from call to call, as a solver's do: a branch is then predicted, and hides
// the square root and the division (0.91 of the time for a sweep of diagonals in 10 dimensions). Where regions alternate at random,
// mispredictions cost more than they hide (blocks of 3 take 4 times as long). The results are the same bits.
template <bool kSettled>
inline ConeProjection project_cone(const Table& table, double l, const double* p, size_t n, double squares) {
  if (n == 0) return {std::max(l, 0.0), 1};
  // Squares lost to underflow are below 1e-307 each: even a million of them are nothing beside 1e-280.
  if (!(squares > 1e-280 && squares < 1e300)) return project_scaled_cone(table, l, p, n);
  const double norm = std::sqrt(squares);
  if (kSettled && norm <= l) return {l, 1};   // inside the cone the block stays
  if (kSettled && norm <= -l) return {0, 0};  // in the polar cone it becomes 0
  // Between them it becomes (share |p|, share p). With l cut to [-|p|, |p|] the same formula serves in all three regions.
  const double share = (std::min(std::max(l, -norm), norm) / norm + 1) / 2;
  return {std::max(share * norm, l), share};
}

// Given:   x, cut into `blocks` blocks (l, p): block k is x[start[k] .. start[k + 1]), of length 1 or more.
// Wanted:  out (may be x), with each block replaced by the nearest point of its cone.
void project_cones(const Run& run, const double* x, const uint32_t* start, size_t blocks, double* out);

}  // namespace fista
