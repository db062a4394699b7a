// One vector of doubles, W lanes wide, for the instruction set this translation unit is compiled for (FISTA_ISA, set by the
// build). Kernels are written once in these few operations and compiled once per instruction set.
//
// Everything here has internal linkage, and files that include it use no standard templates: an inline function that the
// linker shares between translation units could otherwise carry AVX-512 into a program running on a CPU without it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(FISTA_ISA_AVX512) || defined(FISTA_ISA_AVX2)
#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 calls its own _mm512_undefined_pd() uninitialized (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#elif defined(FISTA_ISA_BASELINE) && (defined(__x86_64__) || defined(_M_X64))
#define FISTA_SSE2
#include <emmintrin.h>
#elif defined(FISTA_ISA_NEON)
#include <arm_neon.h>
#elif defined(FISTA_ISA_WASM128)
#include <wasm_simd128.h>
#endif

namespace {

#if defined(FISTA_ISA_AVX512)

constexpr size_t W = 8;
struct V {
  __m512d v;
};
struct Pair {
  V a, b;
};
using M = __mmask8;

inline V zero() { return {_mm512_setzero_pd()}; }
inline V set1(double x) { return {_mm512_set1_pd(x)}; }
inline V load(const double* p) { return {_mm512_loadu_pd(p)}; }
inline V load(const float* p) { return {_mm512_cvtps_pd(_mm256_loadu_ps(p))}; }
inline V load(const int8_t* p) {
  return {_mm512_cvtepi32_pd(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))))};
}
inline Pair load_pair(const float* p) {
  const __m512 all = _mm512_loadu_ps(p);
  return {{_mm512_cvtps_pd(_mm512_castps512_ps256(all))}, {_mm512_cvtps_pd(_mm512_extractf32x8_ps(all, 1))}};
}
inline M first(size_t k) { return static_cast<M>((1u << k) - 1u); }
inline V load_n(const double* p, size_t k) { return {_mm512_maskz_loadu_pd(first(k), p)}; }
inline V load_n(const float* p, size_t k) { return {_mm512_cvtps_pd(_mm256_maskz_loadu_ps(first(k), p))}; }
inline V load_n(const int8_t* p, size_t k) {
  const __m128i bytes = _mm_maskz_loadu_epi8(static_cast<__mmask16>(first(k)), p);
  return {_mm512_cvtepi32_pd(_mm256_cvtepi8_epi32(bytes))};
}
inline void store(double* p, V a) { _mm512_storeu_pd(p, a.v); }
inline void store_n(double* p, V a, size_t k) { _mm512_mask_storeu_pd(p, first(k), a.v); }
inline V operator+(V a, V b) { return {_mm512_add_pd(a.v, b.v)}; }
inline V operator-(V a, V b) { return {_mm512_sub_pd(a.v, b.v)}; }
inline V operator*(V a, V b) { return {_mm512_mul_pd(a.v, b.v)}; }
inline V operator/(V a, V b) { return {_mm512_div_pd(a.v, b.v)}; }
inline V sqrt(V a) { return {_mm512_sqrt_pd(a.v)}; }
inline V fma(V a, V b, V c) { return {_mm512_fmadd_pd(a.v, b.v, c.v)}; }
inline V min(V a, V b) { return {_mm512_min_pd(a.v, b.v)}; }
inline V max(V a, V b) { return {_mm512_max_pd(a.v, b.v)}; }
inline V abs(V a) { return {_mm512_abs_pd(a.v)}; }
inline M less(V a, V b) { return _mm512_cmp_pd_mask(a.v, b.v, _CMP_LT_OQ); }
inline M both(M a, M b) { return static_cast<M>(a & b); }
inline V where(M m, V a) { return {_mm512_maskz_mov_pd(m, a.v)}; }
inline V select(M m, V a, V b) { return {_mm512_mask_blend_pd(m, b.v, a.v)}; }
inline double sum(V a) {
  const __m256d h = _mm256_add_pd(_mm512_castpd512_pd256(a.v), _mm512_extractf64x4_pd(a.v, 1));
  const __m128d q = _mm_add_pd(_mm256_castpd256_pd128(h), _mm256_extractf128_pd(h, 1));
  return _mm_cvtsd_f64(_mm_add_sd(q, _mm_unpackhi_pd(q, q)));
}

#elif defined(FISTA_ISA_AVX2)

constexpr size_t W = 4;
struct V {
  __m256d v;
};
struct Pair {
  V a, b;
};
using M = __m256d;

inline V zero() { return {_mm256_setzero_pd()}; }
inline V set1(double x) { return {_mm256_set1_pd(x)}; }
inline V load(const double* p) { return {_mm256_loadu_pd(p)}; }
inline V load(const float* p) { return {_mm256_cvtps_pd(_mm_loadu_ps(p))}; }
inline V load(const int8_t* p) {
  int32_t four;
  std::memcpy(&four, p, sizeof four);
  return {_mm256_cvtepi32_pd(_mm_cvtepi8_epi32(_mm_cvtsi32_si128(four)))};
}
inline Pair load_pair(const float* p) {
  const __m256 all = _mm256_loadu_ps(p);
  return {{_mm256_cvtps_pd(_mm256_castps256_ps128(all))}, {_mm256_cvtps_pd(_mm256_extractf128_ps(all, 1))}};
}
inline __m256i first(size_t k) {
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x(static_cast<long long>(k)), _mm256_set_epi64x(3, 2, 1, 0));
}
inline V load_n(const double* p, size_t k) { return {_mm256_maskload_pd(p, first(k))}; }
inline V load_n(const float* p, size_t k) {
  const __m128i lanes = _mm_cmpgt_epi32(_mm_set1_epi32(static_cast<int>(k)), _mm_set_epi32(3, 2, 1, 0));
  return {_mm256_cvtps_pd(_mm_maskload_ps(p, lanes))};
}
inline V load_n(const int8_t* p, size_t k) {
  int8_t four[4] = {0, 0, 0, 0};
  for (size_t i = 0; i < k; ++i) four[i] = p[i];
  return load(four);
}
inline void store(double* p, V a) { _mm256_storeu_pd(p, a.v); }
inline void store_n(double* p, V a, size_t k) { _mm256_maskstore_pd(p, first(k), a.v); }
inline V operator+(V a, V b) { return {_mm256_add_pd(a.v, b.v)}; }
inline V operator-(V a, V b) { return {_mm256_sub_pd(a.v, b.v)}; }
inline V operator*(V a, V b) { return {_mm256_mul_pd(a.v, b.v)}; }
inline V operator/(V a, V b) { return {_mm256_div_pd(a.v, b.v)}; }
inline V sqrt(V a) { return {_mm256_sqrt_pd(a.v)}; }
inline V fma(V a, V b, V c) { return {_mm256_fmadd_pd(a.v, b.v, c.v)}; }
inline V min(V a, V b) { return {_mm256_min_pd(a.v, b.v)}; }
inline V max(V a, V b) { return {_mm256_max_pd(a.v, b.v)}; }
inline V abs(V a) { return {_mm256_andnot_pd(_mm256_set1_pd(-0.0), a.v)}; }
inline M less(V a, V b) { return _mm256_cmp_pd(a.v, b.v, _CMP_LT_OQ); }
inline M both(M a, M b) { return _mm256_and_pd(a, b); }
inline V where(M m, V a) { return {_mm256_and_pd(m, a.v)}; }
inline V select(M m, V a, V b) { return {_mm256_blendv_pd(b.v, a.v, m)}; }
inline double sum(V a) {
  const __m128d q = _mm_add_pd(_mm256_castpd256_pd128(a.v), _mm256_extractf128_pd(a.v, 1));
  return _mm_cvtsd_f64(_mm_add_sd(q, _mm_unpackhi_pd(q, q)));
}

#elif defined(FISTA_SSE2)

constexpr size_t W = 2;
struct V {
  __m128d v;
};
struct Pair {
  V a, b;
};
using M = __m128d;

inline V zero() { return {_mm_setzero_pd()}; }
inline V set1(double x) { return {_mm_set1_pd(x)}; }
inline V load(const double* p) { return {_mm_loadu_pd(p)}; }
inline V load(const float* p) { return {_mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))))}; }
inline Pair load_pair(const float* p) {
  const __m128 all = _mm_loadu_ps(p);
  return {{_mm_cvtps_pd(all)}, {_mm_cvtps_pd(_mm_movehl_ps(all, all))}};
}
inline V load(const int8_t* p) { return {_mm_set_pd(p[1], p[0])}; }
template <typename T>
inline V load_n(const T* p, size_t k) {
  return {_mm_set_sd(k ? static_cast<double>(*p) : 0.0)};
}
inline void store(double* p, V a) { _mm_storeu_pd(p, a.v); }
inline void store_n(double* p, V a, size_t k) {
  if (k) _mm_store_sd(p, a.v);
}
inline V operator+(V a, V b) { return {_mm_add_pd(a.v, b.v)}; }
inline V operator-(V a, V b) { return {_mm_sub_pd(a.v, b.v)}; }
inline V operator*(V a, V b) { return {_mm_mul_pd(a.v, b.v)}; }
inline V operator/(V a, V b) { return {_mm_div_pd(a.v, b.v)}; }
inline V sqrt(V a) { return {_mm_sqrt_pd(a.v)}; }
inline V fma(V a, V b, V c) { return a * b + c; }
inline V min(V a, V b) { return {_mm_min_pd(a.v, b.v)}; }
inline V max(V a, V b) { return {_mm_max_pd(a.v, b.v)}; }
inline V abs(V a) { return {_mm_andnot_pd(_mm_set1_pd(-0.0), a.v)}; }
inline M less(V a, V b) { return _mm_cmplt_pd(a.v, b.v); }
inline M both(M a, M b) { return _mm_and_pd(a, b); }
inline V where(M m, V a) { return {_mm_and_pd(m, a.v)}; }
inline V select(M m, V a, V b) { return {_mm_or_pd(_mm_and_pd(m, a.v), _mm_andnot_pd(m, b.v))}; }
inline double sum(V a) { return _mm_cvtsd_f64(_mm_add_sd(a.v, _mm_unpackhi_pd(a.v, a.v))); }

#elif defined(FISTA_ISA_NEON)

constexpr size_t W = 2;
struct V {
  float64x2_t v;
};
struct Pair {
  V a, b;
};
using M = uint64x2_t;

inline V zero() { return {vdupq_n_f64(0.0)}; }
inline V set1(double x) { return {vdupq_n_f64(x)}; }
inline V load(const double* p) { return {vld1q_f64(p)}; }
inline V load(const float* p) { return {vcvt_f64_f32(vld1_f32(p))}; }
inline Pair load_pair(const float* p) {
  const float32x4_t all = vld1q_f32(p);
  return {{vcvt_f64_f32(vget_low_f32(all))}, {vcvt_high_f64_f32(all)}};
}
inline V load(const int8_t* p) {
  const double two[2] = {static_cast<double>(p[0]), static_cast<double>(p[1])};
  return {vld1q_f64(two)};
}
template <typename T>
inline V load_n(const T* p, size_t k) {
  return {vsetq_lane_f64(k ? static_cast<double>(*p) : 0.0, vdupq_n_f64(0.0), 0)};
}
inline void store(double* p, V a) { vst1q_f64(p, a.v); }
inline void store_n(double* p, V a, size_t k) {
  if (k) vst1q_lane_f64(p, a.v, 0);
}
inline V operator+(V a, V b) { return {vaddq_f64(a.v, b.v)}; }
inline V operator-(V a, V b) { return {vsubq_f64(a.v, b.v)}; }
inline V operator*(V a, V b) { return {vmulq_f64(a.v, b.v)}; }
inline V operator/(V a, V b) { return {vdivq_f64(a.v, b.v)}; }
inline V sqrt(V a) { return {vsqrtq_f64(a.v)}; }
inline V fma(V a, V b, V c) { return {vfmaq_f64(c.v, a.v, b.v)}; }
inline V min(V a, V b) { return {vminq_f64(a.v, b.v)}; }
inline V max(V a, V b) { return {vmaxq_f64(a.v, b.v)}; }
inline V abs(V a) { return {vabsq_f64(a.v)}; }
inline M less(V a, V b) { return vcltq_f64(a.v, b.v); }
inline M both(M a, M b) { return vandq_u64(a, b); }
inline V where(M m, V a) { return {vreinterpretq_f64_u64(vandq_u64(m, vreinterpretq_u64_f64(a.v)))}; }
inline V select(M m, V a, V b) { return {vbslq_f64(m, a.v, b.v)}; }
inline double sum(V a) { return vgetq_lane_f64(a.v, 0) + vgetq_lane_f64(a.v, 1); }

#elif defined(FISTA_ISA_WASM128)

constexpr size_t W = 2;
struct V {
  v128_t v;
};
struct Pair {
  V a, b;
};
using M = v128_t;

inline V zero() { return {wasm_f64x2_const_splat(0.0)}; }
inline V set1(double x) { return {wasm_f64x2_splat(x)}; }
inline V load(const double* p) { return {wasm_v128_load(p)}; }
inline V load(const float* p) { return {wasm_f64x2_promote_low_f32x4(wasm_v128_load64_zero(p))}; }
inline Pair load_pair(const float* p) {
  const v128_t all = wasm_v128_load(p);
  return {{wasm_f64x2_promote_low_f32x4(all)}, {wasm_f64x2_promote_low_f32x4(wasm_i64x2_shuffle(all, all, 1, 1))}};
}
inline V load(const int8_t* p) { return {wasm_f64x2_make(p[0], p[1])}; }
template <typename T>
inline V load_n(const T* p, size_t k) {
  return {wasm_f64x2_make(k ? static_cast<double>(*p) : 0.0, 0.0)};
}
inline void store(double* p, V a) { wasm_v128_store(p, a.v); }
inline void store_n(double* p, V a, size_t k) {
  if (k) wasm_v128_store64_lane(p, a.v, 0);
}
inline V operator+(V a, V b) { return {wasm_f64x2_add(a.v, b.v)}; }
inline V operator-(V a, V b) { return {wasm_f64x2_sub(a.v, b.v)}; }
inline V operator*(V a, V b) { return {wasm_f64x2_mul(a.v, b.v)}; }
inline V operator/(V a, V b) { return {wasm_f64x2_div(a.v, b.v)}; }
inline V sqrt(V a) { return {wasm_f64x2_sqrt(a.v)}; }
inline V fma(V a, V b, V c) { return a * b + c; }
inline V min(V a, V b) { return {wasm_f64x2_pmin(b.v, a.v)}; }  // a < b ? a : b, as the other instruction sets have it
inline V max(V a, V b) { return {wasm_f64x2_pmax(b.v, a.v)}; }
inline V abs(V a) { return {wasm_f64x2_abs(a.v)}; }
inline M less(V a, V b) { return wasm_f64x2_lt(a.v, b.v); }
inline M both(M a, M b) { return wasm_v128_and(a, b); }
inline V where(M m, V a) { return {wasm_v128_and(m, a.v)}; }
inline V select(M m, V a, V b) { return {wasm_v128_bitselect(a.v, b.v, m)}; }
inline double sum(V a) { return wasm_f64x2_extract_lane(a.v, 0) + wasm_f64x2_extract_lane(a.v, 1); }

#else  // one lane, any CPU

constexpr size_t W = 1;
struct V {
  double v;
};
struct Pair {
  V a, b;
};
using M = bool;

inline V zero() { return {0.0}; }
inline V set1(double x) { return {x}; }
template <typename T>
inline V load(const T* p) {
  return {static_cast<double>(*p)};
}
inline Pair load_pair(const float* p) { return {load(p), load(p + 1)}; }
template <typename T>
inline V load_n(const T*, size_t) {
  return {0.0};
}
inline void store(double* p, V a) { *p = a.v; }
inline void store_n(double*, V, size_t) {}
inline V operator+(V a, V b) { return {a.v + b.v}; }
inline V operator-(V a, V b) { return {a.v - b.v}; }
inline V operator*(V a, V b) { return {a.v * b.v}; }
inline V operator/(V a, V b) { return {a.v / b.v}; }
inline V sqrt(V a) { return {std::sqrt(a.v)}; }
inline V fma(V a, V b, V c) { return {a.v * b.v + c.v}; }
inline V min(V a, V b) { return {a.v < b.v ? a.v : b.v}; }
inline V max(V a, V b) { return {a.v > b.v ? a.v : b.v}; }
inline V abs(V a) { return {a.v < 0 ? -a.v : a.v}; }
inline M less(V a, V b) { return a.v < b.v; }
inline M both(M a, M b) { return a && b; }
inline V where(M m, V a) { return {m ? a.v : 0.0}; }
inline V select(M m, V a, V b) { return m ? a : b; }
inline double sum(V a) { return a.v; }

#endif

inline Pair load_pair(const double* p) { return {load(p), load(p + W)}; }

// sweep(n, body) calls body(i, at) for full vectors, then once more for the last n mod W entries; at.load and at.store are plain
// for the former and masked for the latter: a sweep is written once, and a short tail costs one masked step. Lanes past the end
// read as 0.
struct Full {
  template <typename T>
  V load(const T* p) const {
    return ::load(p);
  }
  void store(double* p, V a) const { ::store(p, a); }
};
struct Tail {
  size_t k;
  template <typename T>
  V load(const T* p) const {
    return ::load_n(p, k);
  }
  void store(double* p, V a) const { ::store_n(p, a, k); }
};
template <typename Body>
inline void sweep(size_t n, Body body) {
  size_t i = 0;
  for (; i + W <= n; i += W) body(i, Full{});
  if (i < n) body(i, Tail{n - i});
}

}  // namespace
