// Predictions: X.w + bias, of a copy or of the caller's own arrays.
#include <algorithm>

#include "matrix.h"
#include "matrix_internal.h"

namespace fista {
namespace {

// The first value that is not finite; called if a decision is not, which every such value causes.
CopyResult check_values(Values values, const void* data, size_t entries) {
  if (values == Values::ones) return {};
  const auto first_in = [&](const auto* x) {
    const size_t bad = first_not_finite(x, entries);
    return bad == kNone ? CopyResult{} : not_finite(bad, x[bad]);
  };
  return values == Values::f64 ? first_in(static_cast<const double*>(data)) : first_in(static_cast<const float*>(data));
}

// Adds the bias to decisions and checks that they are finite, while they are in cache.
bool add_bias(const Run& run, double bias, double* out, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] += bias;
  return run.table->all_finite[0](out, n);
}

// The first row whose decision is not finite, if a part has one; or the number of rows.
size_t first_bad(const Partition& parts, const bool* finite, const double* out) {
  for (size_t k = 0; k < parts.parts; ++k) {
    if (!finite[k]) return parts.begin(k) + first_not_finite(out + parts.begin(k), parts.end(k) - parts.begin(k));
  }
  return parts.items;
}

}  // namespace

CopyResult Matrix::decide_dense(const Run& run, Values values, const void* data, size_t rows, size_t cols, const double* w,
                                double bias, double* out, size_t* bad) {
  const Partition parts = partition(rows, rows * (cols + 1));
  const size_t ahead = ahead_of(rows * cols * (values == Values::f32 ? sizeof(float) : sizeof(double)));
  bool finite[kMaxParts];
  parallel(run, parts.parts, [&](size_t k) {
    const size_t from = parts.begin(k), to = parts.end(k);
    run.table->dense_multiply[size_t(values)]({data, cols, nullptr, from, to, ahead}, w, out);
    finite[k] = add_bias(run, bias, out + from, to - from);
  });
  *bad = first_bad(parts, finite, out);
  return *bad < rows ? check_values(values, data, rows * cols) : CopyResult{};
}

CopyResult Matrix::decide_sparse(const Run& run, const uint32_t* indptr, const uint32_t* index, Values values, const void* data,
                                 size_t entries, size_t rows, size_t cols, const double* w, double bias, double* out, size_t* bad) {
  const CopyResult starts = check_starts(indptr, entries, rows);
  if (starts.kind != CopyResult::ok) return starts;
  const Partition parts = partition(rows, size_t(indptr[rows]) + rows);
  CopyResult found[kMaxParts];
  bool finite[kMaxParts];
  parallel(run, parts.parts, [&](size_t k) {
    finite[k] = true;
    constexpr size_t kChunk = 128;  // rows that are checked and then summed while in cache
    for (size_t from = parts.begin(k); from < parts.end(k); from += kChunk) {
      const size_t to = std::min(from + kChunk, parts.end(k));
      found[k] = check_index(run, indptr, from, to, cols, index + indptr[from]);
      if (found[k].kind != CopyResult::ok) return;
      // The loops read a little past a row's end, which the last rows do not have.
      size_t safe = to;
      while (safe > from && size_t(indptr[safe]) + kOverrun > indptr[rows]) --safe;
      const auto sum = run.table->sparse_multiply[size_t(Index::u32)][size_t(values)];
      sum({indptr, index, data, cols, nullptr, from, safe}, w, out);
      for (size_t i = safe; i < to; ++i) {
        double s = 0;
        for (size_t e = indptr[i]; e < indptr[i + 1]; ++e) {
          s += w[index[e]] * (values == Values::ones  ? 1.0
                              : values == Values::f64 ? static_cast<const double*>(data)[e]
                                                      : static_cast<double>(static_cast<const float*>(data)[e]));
        }
        out[i] = s;
      }
      finite[k] &= add_bias(run, bias, out + from, to - from);
    }
  });
  for (size_t k = 0; k < parts.parts; ++k) {
    if (found[k].kind != CopyResult::ok) return found[k];
  }
  *bad = first_bad(parts, finite, out);
  return *bad < rows ? check_values(values, data, indptr[rows]) : CopyResult{};
}

size_t Matrix::decide(const Run& run, const double* w, double bias, double* out) const {
  const Partition parts = partition(rows_, static_cast<size_t>(work(rows_)));
  bool finite[kMaxParts];
  parallel(run, parts.parts, [&](size_t k) {
    const size_t from = parts.begin(k), to = parts.end(k);
    multiply({run.table, 1}, nullptr, from, to, w, out);
    finite[k] = add_bias(run, bias, out + from, to - from);
  });
  return first_bad(parts, finite, out);
}

}  // namespace fista
