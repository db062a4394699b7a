// Copying a matrix and checking it on the way.
#include <atomic>
#include <cstring>
#include <utility>

#include "matrix.h"
#include "matrix_internal.h"

namespace fista {
namespace {

// Copies n entries (or, if from = to, leaves them where they are) and checks that they are finite, in chunks while these are in
// cache.
template <typename T>
CopyResult copy_finite(const Run& run, const T* from, T* to, size_t n) {
  const Partition parts = partition(n, n);
  size_t bad[kMaxParts];
  std::fill(bad, bad + kMaxParts, kNone);
  parallel(run, parts.parts, [&](size_t p) {
    constexpr size_t kChunk = 2048;
    in_stretches(run, parts.begin(p), parts.end(p), sizeof(T), [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end && bad[p] == kNone; i += kChunk) {
        const size_t k = end - i < kChunk ? end - i : kChunk;
        if (from != to) std::memcpy(to + i, from + i, k * sizeof(T));
        if (!run.table->all_finite[sizeof(T) == sizeof(float)](to + i, k)) bad[p] = i + first_not_finite(to + i, k);
      }
    });
  });
  for (size_t p = 0; p < parts.parts; ++p) {
    if (bad[p] != kNone) return not_finite(bad[p], to[bad[p]]);
  }
  return {};
}

// Copies column indices and checks the copy, a few rows at a time.
template <typename I>
CopyResult copy_index(const Run& run, const uint32_t* start, size_t rows, size_t cols, const uint32_t* from, I* to) {
  constexpr size_t kChunk = 4096;  // entries
  const Partition parts = partition(rows, start[rows]);
  CopyResult found[kMaxParts];
  parallel(run, parts.parts, [&](size_t part) {
    uint32_t room[kChunk];
    Buffer<uint32_t> more;  // for a longer row
    for (size_t i = parts.begin(part), next; i < parts.end(part) && !run.interrupted(); i = next) {
      next = i + 1;
      while (next < parts.end(part) && start[next + 1] - start[i] <= kChunk) ++next;
      const size_t number = start[next] - start[i];
      if (number > kChunk && !more.allocate(number)) {
        found[part] = {CopyResult::out_of_memory};
        return;
      }
      uint32_t* const copy = number > kChunk ? more.data() : room;
      if (number > 0) std::memcpy(copy, from + start[i], number * sizeof(uint32_t));  // `from` may be nullptr where there are none
      found[part] = check_index(run, start, i, next, cols, copy);
      if (found[part].kind != CopyResult::ok) return;
      for (size_t k = 0; k < number; ++k) to[start[i] + k] = static_cast<I>(copy[k]);
    }
  });
  for (size_t part = 0; part < parts.parts; ++part) {
    if (found[part].kind != CopyResult::ok) return found[part];
  }
  clear(to + start[rows]);
  return {};
}

// Whether a test holds for all n entries.
template <typename T, typename Test>
bool all_of(const Run& run, const T* x, size_t n, Test&& test) {
  std::atomic<bool> all{true};
  each_stretch(run, n, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end && all.load(std::memory_order_relaxed); i += 1024) {  // the first one that fails is often near
      bool these = true;
      for (size_t k = i; k < std::min(i + 1024, end); ++k) these &= test(x[k]);
      if (!these) all.store(false, std::memory_order_relaxed);
    }
  });
  return all.load(std::memory_order_relaxed);
}

template <typename T>
bool all_ones(const Run& run, const T* x, size_t n) {
  return all_of(run, x, n, [](T v) { return v == T(1); });
}

bool all_floats(const Run& run, const double* x, size_t n) {
  return all_of(run, x, n, [](double v) { return static_cast<double>(static_cast<float>(v)) == v; });
}

template <typename T>
bool take(const Run& run, const T* from, size_t n, Buffer<T>& to) {
  if (!to.allocate(n)) return false;
  const Partition parts = partition(n, n);
  parallel(run, parts.parts, [&](size_t p) {
    const size_t begin = parts.begin(p), number = parts.end(p) - begin;
    if (number > 0) std::memcpy(to.data() + begin, from + begin, number * sizeof(T));
  });
  return true;
}

}  // namespace

CopyResult check_starts(const uint32_t* start, size_t entries, size_t rows) {
  if (start[0] != 0) return {CopyResult::bad_start, 0, 0, static_cast<double>(start[0]), 0};
  const uint32_t max = entries < UINT32_MAX ? static_cast<uint32_t>(entries) : UINT32_MAX;
  uint32_t wrong = 0;
  for (size_t i = 0; i < rows; ++i) wrong |= uint32_t(start[i + 1] < start[i]) | uint32_t(start[i + 1] > max);
  for (size_t i = 0; i < rows && wrong; ++i) {
    if (start[i + 1] < start[i] || start[i + 1] > entries) {
      return {CopyResult::bad_start, i, i + 1, static_cast<double>(start[i + 1]), static_cast<double>(start[i])};
    }
  }
  return {};
}

CopyResult check_index(const Run& run, const uint32_t* start, size_t from, size_t to, size_t cols, const uint32_t* index) {
  const size_t first = start[from], number = start[to] - first;
  if (number == 0) return {};
  // Indices may descend only from one row to the next. (All descents are counted first: that is a stream, which is prefetched.)
  const size_t descents = run.table->count_descents(index, number, cols);
  size_t allowed = 0, i = from + 1, end = to;
  while (i < end && start[i] == first) ++i;              // nothing is before,
  while (i < end && start[end - 1] == start[to]) --end;  // or behind these
  for (; i < end; ++i) {                                 // without branches: they could not be predicted
    const uint32_t* const at = index + (start[i] - first);
    allowed += (start[i] < start[i + 1]) & (at[0] <= at[-1]);
  }
  if (descents == allowed) return {};
  for (size_t i = from; i < to; ++i) {
    size_t min = 0;
    for (size_t k = start[i]; k < start[i + 1]; ++k) {
      const size_t j = index[k - first];
      if (j >= cols) return {CopyResult::bad_range, i, k, static_cast<double>(j), 0};
      if (j < min) return {CopyResult::bad_order, i, k, static_cast<double>(j), static_cast<double>(min - 1)};
      min = j + 1;
    }
  }
  return {};
}

CopyResult Matrix::copy_dense(const Run& run, Values values, const void* data, size_t rows, size_t cols) {
  Matrix copy;
  return keep_or_drop(run, copy, copy.read_dense(run, values, data, rows, cols));
}

CopyResult Matrix::copy_sparse(const Run& run, const uint32_t* indptr, const uint32_t* index, Values values, const void* data,
                               size_t entries, size_t rows, size_t cols) {
  Matrix copy;
  return keep_or_drop(run, copy, copy.read_sparse(run, indptr, index, values, data, entries, rows, cols));
}

CopyResult Matrix::adopt(const Run& run, RawPoints& points) {
  Matrix copy;
  if (points.sparse) {
    const void* const data = points.values == Values::f64 ? static_cast<const void*>(points.f64.data()) : points.f32.data();
    const CopyResult result = copy.read_sparse(run, points.indptr.data(), points.index.data(), points.values, data, points.entries,
                                               points.rows, points.cols);
    points = RawPoints();
    return keep_or_drop(run, copy, result);
  }
  copy.rows_ = points.rows;
  copy.cols_ = copy.width_ = points.cols;
  copy.stored_ = points.rows * points.cols;
  copy.values_ = points.values;
  copy.f64_ = std::move(points.f64);
  copy.f32_ = std::move(points.f32);
  return keep_or_drop(run, copy,
                      copy.values_ == Values::f64 ? copy_finite(run, copy.f64_.data(), copy.f64_.data(), copy.stored_)
                                                  : copy_finite(run, copy.f32_.data(), copy.f32_.data(), copy.stored_));
}

// Keeps the copy if it is whole.
CopyResult Matrix::keep_or_drop(const Run& run, Matrix& copy, CopyResult result) {
  if (run.interrupted()) result = {CopyResult::interrupted};
  *this = result.kind == CopyResult::ok ? std::move(copy) : Matrix();
  return result;
}

bool RawPoints::take_dense(const Run& run, Values kind, const void* data, size_t row_count, size_t col_count) {
  rows = row_count;
  cols = col_count;
  values = kind;
  return kind == Values::f64 ? take(run, static_cast<const double*>(data), rows * cols, f64)
                             : take(run, static_cast<const float*>(data), rows * cols, f32);
}

bool RawPoints::take_sparse(const Run& run, const uint32_t* starts, const uint32_t* columns, Values kind, const void* data,
                            size_t entry_count, size_t row_count, size_t col_count) {
  sparse = true;
  entries = entry_count;
  rows = row_count;
  cols = col_count;
  values = kind;
  return take(run, starts, rows + 1, indptr) && take(run, columns, entries, index) &&
         (kind == Values::ones || (kind == Values::f64 ? take(run, static_cast<const double*>(data), entries, f64)
                                                       : take(run, static_cast<const float*>(data), entries, f32)));
}

CopyResult Matrix::read_dense(const Run& run, Values values, const void* data, size_t rows, size_t cols) {
  rows_ = rows;
  cols_ = width_ = cols;
  stored_ = rows * cols;
  values_ = values;
  if (values == Values::f64) {
    if (!f64_.allocate(stored_)) return {CopyResult::out_of_memory};
    return copy_finite(run, static_cast<const double*>(data), f64_.data(), stored_);
  }
  if (!f32_.allocate(stored_)) return {CopyResult::out_of_memory};
  return copy_finite(run, static_cast<const float*>(data), f32_.data(), stored_);
}

CopyResult Matrix::read_sparse(const Run& run, const uint32_t* indptr, const uint32_t* index, Values values, const void* data,
                               size_t entries, size_t rows, size_t cols) {
  if (!start_.allocate(rows + 1)) return {CopyResult::out_of_memory};
  std::memcpy(start_.data(), indptr, (rows + 1) * sizeof(uint32_t));
  CopyResult result = check_starts(start_.data(), entries, rows);
  if (result.kind != CopyResult::ok) return result;
  rows_ = rows;
  cols_ = width_ = cols;
  stored_ = start_[rows];
  sparse_ = true;

  if (cols < 65536) {  // one index is left for zero_column
    index_ = Index::u16;
    if (!index16_.allocate(stored_ + kOverrun)) return {CopyResult::out_of_memory};
    result = copy_index(run, start_.data(), rows, cols, index, index16_.data());
  } else {
    index_ = Index::u32;
    if (!index32_.allocate(stored_ + kOverrun)) return {CopyResult::out_of_memory};
    result = copy_index(run, start_.data(), rows, cols, index, index32_.data());
    if (result.kind == CopyResult::ok && !run.interrupted() && drops_columns(stored_, cols)) result = drop_columns(run);
  }
  if (result.kind != CopyResult::ok || run.interrupted()) return result;

  values_ = values;
  const double* f64 = static_cast<const double*>(data);
  const float* f32 = static_cast<const float*>(data);
  if (values == Values::f64) {
    if (all_ones(run, f64, stored_)) {
      values_ = Values::ones;
    } else if (all_floats(run, f64, stored_)) {  // false for NaN, true for infinities
      values_ = Values::f32;
    }
  } else if (values == Values::f32 && all_ones(run, f32, stored_)) {
    values_ = Values::ones;
  }
  if (values_ == Values::f64) {
    if (!f64_.allocate(stored_ + kOverrun)) return {CopyResult::out_of_memory};
    clear(f64_.data() + stored_);
    return copy_finite(run, f64, f64_.data(), stored_);
  }
  if (values_ == Values::f32) {
    if (!f32_.allocate(stored_ + kOverrun)) return {CopyResult::out_of_memory};
    clear(f32_.data() + stored_);
    if (values == Values::f32) return copy_finite(run, f32, f32_.data(), stored_);
    each_stretch(run, stored_, [&](size_t begin, size_t end) {
      for (size_t k = begin; k < end; ++k) f32_[k] = static_cast<float>(f64[k]);
    });
    return copy_finite(run, f32_.data(), f32_.data(), stored_);
  }
  return {};
}

}  // namespace fista
