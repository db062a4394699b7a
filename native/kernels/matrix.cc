#include "matrix.h"

#include <cstring>
#include <utility>

#include "parallel.h"

namespace fista {
namespace {

constexpr size_t kNone = SIZE_MAX;

// Sparse loops may read this many entries past the last one.
constexpr size_t kOverrun = 4;
template <typename T>
void clear(T* end) {
  for (size_t k = 0; k < kOverrun; ++k) end[k] = 0;
}

// The position of the first entry that is not finite, or kNone.
template <typename T>
size_t first_not_finite(const T* x, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (!(x[i] - x[i] == 0)) return i;
  }
  return kNone;
}

// Copies n finite entries in chunks that are checked while in cache.
template <typename T>
CopyResult copy_finite(const Run& run, const T* from, T* to, size_t n) {
  const Partition parts = partition(n, n);
  size_t bad[kMostParts];
  parallel(parts.parts, run.threads, [&](size_t p) {
    constexpr size_t kChunk = 2048;
    bad[p] = kNone;
    for (size_t i = parts.begin(p); i < parts.end(p); i += kChunk) {
      const size_t k = parts.end(p) - i < kChunk ? parts.end(p) - i : kChunk;
      std::memcpy(to + i, from + i, k * sizeof(T));
      if (!run.table->all_finite[sizeof(T) == sizeof(float)](to + i, k)) {
        bad[p] = i + first_not_finite(to + i, k);
        return;
      }
    }
  });
  for (size_t p = 0; p < parts.parts; ++p) {
    if (bad[p] != kNone) return {CopyResult::not_finite, 0, bad[p]};
  }
  return {};
}

// Structure is checked on our own copy, or on what is being copied: another thread may write to the caller's arrays meanwhile, if
// they are views of shared memory.
CopyResult check_starts(const uint32_t* start, size_t entries, size_t rows) {
  if (start[0] != 0) return {CopyResult::bad_start, 0, 0};
  for (size_t i = 0; i < rows; ++i) {
    if (start[i + 1] < start[i] || start[i + 1] > entries) return {CopyResult::bad_start, i, i + 1};
  }
  return {};
}

template <typename I>
CopyResult copy_index(const uint32_t* start, size_t rows, size_t cols, const uint32_t* from, I* to) {
  for (size_t i = 0; i < rows; ++i) {
    size_t least = 0;
    for (size_t k = start[i]; k < start[i + 1]; ++k) {
      const uint32_t j = from[k];
      if (j >= cols) return {CopyResult::bad_range, i, k};
      if (j < least) return {CopyResult::bad_order, i, k};
      to[k] = static_cast<I>(j);
      least = size_t(j) + 1;
    }
  }
  clear(to + start[rows]);
  return {};
}

template <typename T>
bool all_ones(const T* x, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (x[i] != T(1)) return false;
  }
  return true;
}

bool all_floats(const double* x, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (static_cast<double>(static_cast<float>(x[i])) != x[i]) return false;
  }
  return true;
}

}  // namespace

CopyResult Matrix::copy_dense(const Run& run, Values values, const void* data, size_t rows, size_t cols) {
  Matrix copy;
  const CopyResult result = copy.read_dense(run, values, data, rows, cols);
  *this = result.kind == CopyResult::ok ? std::move(copy) : Matrix();
  return result;
}

CopyResult Matrix::copy_sparse(const Run& run, const uint32_t* indptr, const uint32_t* index, Values values, const void* data,
                               size_t entries, size_t rows, size_t cols) {
  Matrix copy;
  const CopyResult result = copy.read_sparse(run, indptr, index, values, data, entries, rows, cols);
  *this = result.kind == CopyResult::ok ? std::move(copy) : Matrix();
  return result;
}

CopyResult Matrix::read_dense(const Run& run, Values values, const void* data, size_t rows, size_t cols) {
  rows_ = rows;
  cols_ = cols;
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
  cols_ = cols;
  stored_ = start_[rows];
  sparse_ = true;

  if (cols < 65536) {  // and one number to spare, for zero_column
    index_ = Index::u16;
    if (!index16_.allocate(stored_ + kOverrun)) return {CopyResult::out_of_memory};
    result = copy_index(start_.data(), rows, cols, index, index16_.data());
  } else {
    index_ = Index::u32;
    if (!index32_.allocate(stored_ + kOverrun)) return {CopyResult::out_of_memory};
    result = copy_index(start_.data(), rows, cols, index, index32_.data());
  }
  if (result.kind != CopyResult::ok) return result;

  values_ = values;
  const double* f64 = static_cast<const double*>(data);
  const float* f32 = static_cast<const float*>(data);
  if (values == Values::f64) {
    if (all_ones(f64, stored_)) {
      values_ = Values::ones;
    } else if (all_floats(f64, stored_)) {  // false for NaN, true for infinities
      values_ = Values::f32;
    }
  } else if (values == Values::f32 && all_ones(f32, stored_)) {
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
    for (size_t k = 0; k < stored_; ++k) f32_[k] = static_cast<float>(f64[k]);
    const size_t bad = first_not_finite(f32_.data(), stored_);
    if (bad != kNone) return {CopyResult::not_finite, 0, bad};
  }
  return {};
}

size_t Matrix::bytes() const { return f64_.bytes() + f32_.bytes() + start_.bytes() + index16_.bytes() + index32_.bytes(); }

SparseRows Matrix::rows_of(size_t begin, size_t end) const {
  const void* index = index_ == Index::u16 ? static_cast<const void*>(index16_.data()) : index32_.data();
  const void* values = values_ == Values::f64   ? static_cast<const void*>(f64_.data())
                       : values_ == Values::f32 ? static_cast<const void*>(f32_.data())
                                                : nullptr;
  return {start_.data(), index, values, cols_, begin, end};
}

// Parts hold about equally many entries (an empty row counts as one).
size_t Matrix::row_begin(size_t part, size_t parts) const {
  if (!sparse_) return Partition{rows_, parts}.begin(part);
  if (part >= parts) return rows_;
  const double wanted = static_cast<double>(stored_ + rows_) * static_cast<double>(part) / static_cast<double>(parts);
  size_t low = 0, high = rows_;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (static_cast<double>(start_[middle] + middle) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void Matrix::multiply(const Run& run, const double* w, double* out) const {
  const size_t parts = partition(rows_, stored_ + rows_).parts;
  parallel(parts, run.threads, [&](size_t p) {
    const size_t begin = row_begin(p, parts), end = row_begin(p + 1, parts);
    if (sparse_) {
      run.table->sparse_multiply[size_t(index_)][size_t(values_)](rows_of(begin, end), w, out + begin);
    } else if (values_ == Values::f64) {
      run.table->dense_multiply[0](f64_.data() + begin * cols_, end - begin, cols_, w, out + begin);
    } else {
      run.table->dense_multiply[1](f32_.data() + begin * cols_, end - begin, cols_, w, out + begin);
    }
  });
}

size_t Matrix::transposed_parts() const {
  // At most 16 parts, each with eight times as many entries as the sum it makes.
  const size_t most = stored_ / (8 * (cols_ + 1));
  return partition(rows_, stored_ + rows_, most < 1 ? 1 : most > 16 ? 16 : most).parts;
}

// Parts' sums start on their own cache lines, so that threads do not share one.
static size_t padded(size_t n) { return (n + 7) / 8 * 8; }

size_t Matrix::scratch_size() const { return transposed_parts() * padded(cols_); }

void Matrix::multiply_transposed(const Run& run, const double* u, double* out, double* scratch) const {
  const size_t parts = transposed_parts(), stride = padded(cols_);
  parallel(parts, run.threads, [&](size_t p) {
    const size_t begin = row_begin(p, parts), end = row_begin(p + 1, parts);
    double* sum = scratch + p * stride;
    std::memset(sum, 0, cols_ * sizeof(double));
    if (sparse_) {
      run.table->sparse_transposed[size_t(index_)][size_t(values_)](rows_of(begin, end), u + begin, sum);
    } else if (values_ == Values::f64) {
      run.table->dense_transposed[0](f64_.data() + begin * cols_, end - begin, cols_, u + begin, sum);
    } else {
      run.table->dense_transposed[1](f32_.data() + begin * cols_, end - begin, cols_, u + begin, sum);
    }
  });
  run.table->add_parts(scratch, parts, stride, cols_, out);
}

}  // namespace fista
