#include "decimal.h"

#include <cstring>

#include "powers_of_five.h"

namespace fista {
namespace {

constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

inline bool digit(uint8_t byte) { return static_cast<uint8_t>(byte - '0') <= 9; }

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
inline bool eight_digits(const uint8_t*, uint64_t&) { return false; }
#else
// Eight digits at once: pairs, then fours, then all.
inline bool eight_digits(const uint8_t* p, uint64_t& number) {
  uint64_t v;
  std::memcpy(&v, p, 8);
  if (((v & 0xf0f0f0f0f0f0f0f0) | (((v + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) >> 4)) != 0x3333333333333333) return false;
  v = (v & 0x0f0f0f0f0f0f0f0f) * 2561 >> 8;
  v = (v & 0x00ff00ff00ff00ff) * 6553601 >> 16;
  number = (v & 0x0000ffff0000ffff) * 42949672960001 >> 32;
  return true;
}
#endif

inline void multiply(uint64_t a, uint64_t b, uint64_t& high, uint64_t& low) {
#if defined(__SIZEOF_INT128__)
  __extension__ typedef unsigned __int128 Wide;
  const Wide product = static_cast<Wide>(a) * b;
  high = static_cast<uint64_t>(product >> 64);
  low = static_cast<uint64_t>(product);
#else
  const uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
  const uint64_t middle = p10 + (p00 >> 32) + (p01 & 0xffffffff);
  high = p11 + (middle >> 32) + (p01 >> 32);
  low = (middle << 32) | (p00 & 0xffffffff);
#endif
}

inline int leading_zeros(uint64_t x) {
#if defined(__GNUC__)
  return __builtin_clzll(x);
#else
  int n = 0;
  for (int step = 32; step > 0; step /= 2) {
    if (x >> (64 - step) == 0) {
      n += step;
      x <<= step;
    }
  }
  return n;
#endif
}

// w 10^q for w > 0, where 128 bits of 5^q are enough to round: D. Lemire, Number parsing at a gigabyte per second (2021).
bool by_product(uint64_t w, int q, double& value) {
  if (q < kLowestPower || q > kHighestPower) return false;
  const int shift = leading_zeros(w);
  const uint64_t* power = kPowersOfFive[q - kLowestPower];
  uint64_t high, low;
  multiply(w << shift, power[0], high, low);
  if ((high & 0x1ff) == 0x1ff) {  // the power's lower half could carry into the bits that are kept
    uint64_t more, rest;
    multiply(w << shift, power[1], more, rest);
    low += more;
    if (low < more) ++high;
    if (low == UINT64_MAX) return false;
  }
  // 53 bits and one to round by; below them nothing but zeros is a tie, which only these powers can make.
  const int top = static_cast<int>(high >> 63), cut = top + 9;
  uint64_t mantissa = high >> cut;
  if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << cut == high) mantissa &= ~uint64_t(1);
  mantissa = (mantissa + (mantissa & 1)) >> 1;
  int exponent = ((217706 * q) >> 16) + 63 + top - shift + 1023;  // 217706 / 2^16 = log2 10
  if (mantissa >> 53) {
    mantissa >>= 1;
    ++exponent;
  }
  if (exponent <= 0 || exponent >= 2047) return false;
  const uint64_t bits = (mantissa & ((uint64_t(1) << 52) - 1)) | static_cast<uint64_t>(exponent) << 52;
  std::memcpy(&value, &bits, sizeof value);
  return true;
}

// Takes the digits at p into w; beyond 19 of them w means nothing.
inline const uint8_t* digits(const uint8_t* p, const uint8_t* end, uint64_t& w) {
  uint64_t eight;
  while (end - p >= 8 && eight_digits(p, eight)) {
    w = w * 100000000 + eight;
    p += 8;
  }
  for (; digit(*p); ++p) w = w * 10 + static_cast<uint64_t>(*p - '0');
  return p;
}

}  // namespace

DecimalResult read_decimal(const uint8_t* p, const uint8_t* end) {
  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  const uint8_t* const start = p;
  while (*p == '0') ++p;
  uint64_t w = 0;
  int q = 0;
  const uint8_t* from = p;
  p = digits(p, end, w);
  ptrdiff_t significant = p - from, count = p - start;
  if (*p == '.') {
    from = ++p;
    if (significant == 0) {
      while (*p == '0') ++p;
    }
    const uint8_t* first = p;
    p = digits(p, end, w);
    significant += p - first;
    count += p - from;
    // Beyond any exponent that is decided here, and within an int.
    q = p - from > 100000 ? -100000 : -static_cast<int>(p - from);
  }
  if (count == 0) return {p, 0, Decimal::malformed};
  if ((*p | 0x20) == 'e') {
    ++p;
    const bool down = *p == '-';
    if (down || *p == '+') ++p;
    if (!digit(*p)) return {p, 0, Decimal::malformed};
    int e = 0;
    for (; digit(*p); ++p) {
      if (e < 100000) e = e * 10 + (*p - '0');
    }
    q += down ? -e : e;
  }
  double value;
  if (significant > 19) return {p, 0, Decimal::undecided};
  if (w <= uint64_t(1) << 53 && q >= -22 && q <= 22) {
    // Both are exact, so that one rounding remains (Clinger 1990).
    value = static_cast<double>(w);
    value = q < 0 ? value / kPowersOfTen[-q] : value * kPowersOfTen[q];
  } else if (w == 0) {
    value = 0;
  } else if (!by_product(w, q, value)) {
    return {p, 0, Decimal::undecided};
  }
  return {p, negative ? -value : value, Decimal::decided};
}

}  // namespace fista
