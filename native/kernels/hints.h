// Hints to the processor, which change nothing but the time. (Static, as some files are compiled for other processors than the
// rest.)
#pragma once

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace fista {

// The memory at p will be read soon.
[[maybe_unused]] static inline void prefetch(const void* p) {
#if defined(__GNUC__)
  __builtin_prefetch(p);
#elif defined(_M_X64)
  _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0);
#else
  (void)p;
#endif
}

// This thread is waiting in a loop.
[[maybe_unused]] static inline void pause() {
#if defined(__x86_64__) || defined(_M_X64)
  _mm_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
  asm volatile("yield");
#endif
}

}  // namespace fista
