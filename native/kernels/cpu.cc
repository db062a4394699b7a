#include "cpu.h"

#include <cstring>

#if defined(__x86_64__) || defined(_M_X64)
#define FISTA_X86
#if defined(_MSC_VER)
#include <intrin.h>
#else
#include <cpuid.h>
#endif
#endif

namespace fista {
namespace {

#if defined(FISTA_X86)

struct Registers {
  unsigned a, b, c, d;
};

Registers cpuid(unsigned leaf) {
  Registers r = {0, 0, 0, 0};
#if defined(_MSC_VER)
  int out[4];
  __cpuidex(out, 0, 0);
  if (static_cast<unsigned>(out[0]) < leaf) return r;
  __cpuidex(out, static_cast<int>(leaf), 0);
  r = {static_cast<unsigned>(out[0]), static_cast<unsigned>(out[1]), static_cast<unsigned>(out[2]), static_cast<unsigned>(out[3])};
#else
  __get_cpuid_count(leaf, 0, &r.a, &r.b, &r.c, &r.d);
#endif
  return r;
}

// The registers the operating system saves: a CPU may have AVX-512 under a system that does not know of it.
unsigned saved_registers() {
#if defined(_MSC_VER)
  return static_cast<unsigned>(_xgetbv(0));
#else
  unsigned low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
#endif
}

constexpr unsigned bit(unsigned n) { return 1u << n; }
constexpr bool has(unsigned word, unsigned bits) { return (word & bits) == bits; }

struct Features {
  bool avx2 = false, avx512 = false;
  Features() {
    const unsigned fma = bit(12), osxsave = bit(27), avx = bit(28);
    if (!has(cpuid(1).c, fma | osxsave | avx)) return;
    const unsigned saved = saved_registers(), leaf7 = cpuid(7).b;
    const unsigned ymm = bit(1) | bit(2), zmm = ymm | bit(5) | bit(6) | bit(7);
    avx2 = has(saved, ymm) && has(leaf7, bit(5));
    const unsigned f = bit(16), dq = bit(17), bw = bit(30), vl = bit(31);
    avx512 = avx2 && has(saved, zmm) && has(leaf7, f | dq | bw | vl);
  }
};

bool by_intel() {
  const Registers r = cpuid(0);
  return r.b == 0x756e6547 && r.d == 0x49656e69 && r.c == 0x6c65746e;  // "GenuineIntel"
}

#endif

}  // namespace

size_t stream_ahead() {
#if defined(FISTA_X86)
  static const size_t ahead = by_intel() ? 4096 : 0;
  return ahead;
#else
  return 0;
#endif
}

const Table* choose_table(const char* at_most) {
#if defined(__wasm__)
  (void)at_most;
  return table_wasm128();  // a module is compiled for one level
#else
  const Table* levels[3] = {table_baseline(), nullptr, nullptr};  // worst first
#if defined(FISTA_X86)
  const Features features;
  if (features.avx2) levels[1] = table_avx2();
  if (features.avx512) levels[2] = table_avx512();
#elif defined(__aarch64__) || defined(_M_ARM64)
  levels[1] = table_neon();
#endif
  const Table* best = levels[0];
  for (const Table* level : levels) {
    if (level == nullptr) continue;
    best = level;
    if (at_most != nullptr && std::strcmp(at_most, level->name) == 0) break;
  }
  return best;
#endif
}

}  // namespace fista
