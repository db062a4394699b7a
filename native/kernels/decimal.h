// Decimal text → the nearest double.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fista {

enum class Decimal : uint8_t {
  decided,    // the number is the nearest double
  undecided,  // a well-formed number that takes more work; it may be too large
  malformed,
};

struct DecimalResult {
  const uint8_t* end;  // past the number, unless malformed
  double value;        // if decided
  Decimal kind;
};

// Reads [+-] digits [. digits] [e [+-] digits], with a digit before or after the point. The text must end with a byte that is no
// part of a number, before or at `end`; at most `end - p` bytes are looked at.
DecimalResult read_decimal(const uint8_t* p, const uint8_t* end);

}  // namespace fista
