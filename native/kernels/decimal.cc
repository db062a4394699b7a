#include "decimal.h"

#include <cstring>

#include "powers_of_five.h"

namespace fista {
namespace {

constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

inline bool digit(uint8_t byte) { return static_cast<uint8_t>(byte - '0') <= 9; }

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
// How many of the eight bytes at p are digits, up to the first that is not, and the number they make. No branches: the lengths of
// fractions cannot be predicted.
inline int eight(const uint8_t* p, uint64_t& number) {
  uint64_t v;
  std::memcpy(&v, p, 8);
  v ^= 0x3030303030303030;  // a digit is its value now, anything else is above 9
  const uint64_t others = (((v & 0x7f7f7f7f7f7f7f7f) + 0x7676767676767676) | v) & 0x8080808080808080;
  const int n = others == 0 ? 8 : __builtin_ctzll(others) >> 3;
  // Zeros in front make eight of them; pairs, then fours, then all.
  v = n == 0 ? 0 : v << (64 - 8 * n);
  v = (v * 10 + (v >> 8)) & 0x00ff00ff00ff00ff;
  v = (v * 100 + (v >> 16)) & 0x0000ffff0000ffff;
  number = (v * 10000 + (v >> 32)) & 0xffffffff;
  return n;
}
constexpr uint64_t kShift[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
#define FISTA_EIGHT_DIGITS
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

// Appends the digits at p to w; after more than 19 digits, without leading zeros, w means nothing.
inline const uint8_t* fraction(const uint8_t* p, const uint8_t* end, uint64_t& w) {
#if defined(FISTA_EIGHT_DIGITS)
  while (end - p >= 8) {
    uint64_t number;
    const int n = eight(p, number);
    w = w * kShift[n] + number;
    p += n;
    if (n < 8) return p;
  }
#else
  (void)end;
#endif
  for (; digit(*p); ++p) w = w * 10 + static_cast<uint64_t>(*p - '0');
  return p;
}

}  // namespace

DecimalResult read_decimal(const uint8_t* p, const uint8_t* end) {
  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  const uint8_t* const start = p;
  uint64_t w = 0;
  int q = 0;
  for (; digit(*p); ++p) w = w * 10 + static_cast<uint64_t>(*p - '0');
  ptrdiff_t count = p - start;
  if (*p == '.') {
    const uint8_t* const from = ++p;
    p = fraction(p, end, w);
    count += p - from;
    // Beyond any exponent that is decided here, and within an int.
    q = p - from > 100000 ? -100000 : -static_cast<int>(p - from);
  }
  if (count == 0) return {p, 0, Decimal::malformed};
  if (count > 19) {
    for (const uint8_t* z = start; *z == '0' || *z == '.'; ++z) count -= *z == '0';
  }
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
  if (count > 19) return {p, 0, Decimal::undecided};
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
