// How copying or reading a matrix ended.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fista {

// What was found wrong while copying or reading, and where. Nothing is kept of it then.
struct CopyResult {
  enum Kind : uint8_t {
    ok,
    out_of_memory,
    interrupted,
    not_finite,  // at: position in the data or values
    bad_start,   // row: whose indptr[row + 1] is below indptr[row] or beyond the entries; at: row + 1 (0 if indptr[0] != 0)
    bad_range,   // row, at: column index beyond the number of columns (or negative)
    bad_order,   // row, at: column index not above the one before it
    unreadable,  // a file that cannot be opened or read as far as it is said to go
    changed,     // a file that is no longer what it was when it was opened
  };
  Kind kind = ok;
  size_t row = 0, at = 0;
  double found = 0, before = 0;  // what stood there, and (bad_start, bad_order) just before it
};

}  // namespace fista
