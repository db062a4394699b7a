// CHECK and what the tests share: the SIMD levels to run at, memory that ends at a guard page, sums in twice the precision.
#pragma once

#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#if !defined(_WIN32)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "cpu.h"

// Prints the place and the condition if it is false, and continues.
#define CHECK(condition) ::check::that(static_cast<bool>(condition), __FILE__, __LINE__, #condition)
// |actual - expected| <= bound; a NaN fails.
#define CHECK_NEAR(actual, expected, bound) ::check::near(actual, expected, bound, __FILE__, __LINE__, #actual)

namespace check {

constexpr double kUnit = 0x1p-53;  // the largest relative error of one rounding
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr unsigned kThreads[] = {1, 2, 3, 7};

inline int failures = 0;
inline char place[256] = "";  // what the following checks are about; set by at()

inline void at(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(place, sizeof place, format, arguments);
  va_end(arguments);
}

inline bool that(bool holds, const char* file, int line, const char* text) {
  if (!holds && ++failures <= 20) std::fprintf(stderr, "%s:%d: %s [%s]\n", file, line, text, place);
  return holds;
}

inline bool near(double actual, double expected, double bound, const char* file, int line, const char* text) {
  const bool holds = std::fabs(actual - expected) <= bound;
  if (!holds && ++failures <= 20) {
    std::fprintf(stderr, "%s:%d: %s is %.17g, expected %.17g within %.3g [%s]\n", file, line, text, actual, expected, bound, place);
  }
  return holds;
}

inline int report() {
  if (failures > 0) std::fprintf(stderr, "%d checks failed\n", failures);
  return failures > 0 ? 1 : 0;
}

// Every SIMD level that this CPU supports, lowest first.
inline std::vector<const fista::Table*> levels() {
  std::vector<const fista::Table*> found;
  for (const char* name : {"baseline", "neon", "avx2", "avx512"}) {
    const fista::Table* table = fista::choose_table(name);
    if (std::strcmp(table->name, name) == 0) found.push_back(table);
  }
  return found;
}

inline bool same_bits(const double* a, const double* b, size_t n) { return n == 0 || std::memcmp(a, b, n * sizeof(double)) == 0; }

// n entries right before a page without access: unlike a sanitizer, it catches reads by vector instructions.
template <typename T>
class Guarded {
 public:
  explicit Guarded(size_t n) : n_(n) {
#if defined(_WIN32)
    begin_ = static_cast<T*>(std::malloc(n * sizeof(T) + 1));
#else
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t used = (n * sizeof(T) + page - 1) / page * page;
    mapped_ = used + page;
    base_ = static_cast<char*>(mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED || mprotect(base_ + used, page, PROT_NONE) != 0) std::abort();
    begin_ = reinterpret_cast<T*>(base_ + used - n * sizeof(T));
#endif
    for (size_t i = 0; i < n; ++i) begin_[i] = T();
  }
  explicit Guarded(const std::vector<T>& from) : Guarded(from.size()) {
    for (size_t i = 0; i < n_; ++i) begin_[i] = from[i];
  }
  ~Guarded() {
#if defined(_WIN32)
    std::free(begin_);
#else
    munmap(base_, mapped_);
#endif
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  T* data() { return begin_; }
  const T* data() const { return begin_; }
  size_t size() const { return n_; }
  T& operator[](size_t i) { return begin_[i]; }
  const T& operator[](size_t i) const { return begin_[i]; }
  T* begin() { return begin_; }
  T* end() { return begin_ + n_; }
  T* last(size_t n) { return end() - n; }  // the last n entries: memory to reuse for shorter arrays

 private:
  size_t n_;
  T* begin_;
#if !defined(_WIN32)
  char* base_;
  size_t mapped_;
#endif
};

// A sum in twice the precision (Dekker, Knuth), the reference for rounding bounds. `magnitude` sums the absolute values.
class Exact {
 public:
  explicit Exact(double start = 0) { add(start); }
  void add(double x) {
    magnitude += std::fabs(x);
    plus(x);
  }
  void add_product(double a, double b) {
    const double p = a * b;
    magnitude += std::fabs(p);
    plus(p);
    low_ += std::fma(a, b, -p);
  }
  double value() const { return high_ + low_; }
  double magnitude = 0;

 private:
  void plus(double x) {
    const double sum = high_ + x, back = sum - high_;
    low_ += (high_ - (sum - back)) + (x - back);
    high_ = sum;
  }
  double high_ = 0, low_ = 0;
};

// The same numbers on every machine: the standard fixes the engine, but not the distributions.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  uint64_t bits() { return engine_(); }
  size_t below(size_t n) { return static_cast<size_t>(engine_() % n); }
  double uniform(double low = -1, double high = 1) { return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53; }
  bool chance(double p) { return uniform(0, 1) < p; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace check
