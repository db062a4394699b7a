// Which rows get their label from every exact optimum, too (method C11).
//
// Problem:  the exact planes are not known, but the value of each at a row is known to lie in an interval.
// Given:    the model's values of all planes by row, and what is proved of each plane; the rows' squared norms and their products
//           with the planes' centres, from which their distances follow.
// Wanted:   by row, whether the intervals leave no other label than the model's; by plane, at how many rows whose label is not
//           certain it is one of those that leave it open.
// Source:   method C11. The twin is lib/backend/fallback/labels.ts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "run.h"
#include "table.h"

namespace fista {

struct LabelPlanes {
  size_t planes, centres, classes;
  const uint32_t* positive;  // by plane, the classes that it is between
  const uint32_t* negative;  // null: planes are against the rest, and plane p is that of class p
  const uint32_t* centre_of;
  LabelProofs proofs;
  const double* centre_squares;
  double safe, lost;  // of LabelRounding

  // Of pairs, the plane between classes a < b: those of class 0 come first, then those of 1 and larger ones ...
  size_t between(size_t a, size_t b) const { return a * classes - a * (a + 1) / 2 + (b - a - 1); }
  // Whether planes are all the pairs, in this order, the larger class positive.
  bool are_pairs() const;
};

struct LabelRows {
  size_t rows;
  const double* values;    // rows x planes
  const double* products;  // rows x centres
  const double* norms;     // squared
};

// Writes certain, 0 or 1 by row, and adds to in_the_way. False if there is no memory.
[[nodiscard]] bool certify_labels(const Run& run, const LabelPlanes& planes, const LabelRows& rows, uint8_t* certain,
                                  uint32_t* in_the_way);

}  // namespace fista
