// Projection onto a product of second-order cones { (l, p) : |p| <= l }.
#pragma once

#include <cstddef>
#include <cstdint>

#include "matrix.h"

namespace fista {

// Given:   x, cut into `blocks` blocks (l, p): block k is x[start[k] .. start[k + 1]), of length 1 or more.
// Result:  out (may be x) with each block replaced by the nearest point of its cone.
// The norm is safe against overflow and underflow.
void project_cones(const Run& run, const double* x, const uint32_t* start, size_t blocks, double* out);

}  // namespace fista
