#include "matrix.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <utility>

#include "columns.h"
#include "cpu.h"
#include "hints.h"
#include "parallel.h"

namespace fista {
namespace {

constexpr size_t kNone = SIZE_MAX;

// Matrices from this size on are not in the cache of one core; a thread that looks ahead is ahead by this much.
constexpr size_t kFar = size_t(1) << 22, kLead = size_t(1) << 17;

// What is in cache need not be asked for.
size_t ahead_of(size_t bytes) { return bytes < kFar ? 0 : stream_ahead(); }

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

template <typename T>
CopyResult not_finite(size_t at, T found) {
  return {CopyResult::not_finite, 0, at, static_cast<double>(found), 0};
}

// Calls body(begin, end) for one stretch after the other of some 4 MB (or fewer bytes), until the run is interrupted. Stretches
// are of a multiple of so many rows, so that loops which take several at once take the same ones together.
template <typename Body>
void in_stretches(const Run& run, size_t from, size_t to, size_t row_bytes, Body&& body, size_t bytes = size_t(1) << 22,
                  size_t together = 64) {
  const size_t rows = (bytes / (row_bytes + 1) / together + 1) * together;
  for (size_t begin = from; begin < to && !run.interrupted(); begin += rows) body(begin, std::min(begin + rows, to));
}

// Copies n finite entries (or looks at them where they are: from = to) in chunks that are checked while in cache.
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

// Structure is checked on our own copy, or on what is being copied: another thread may write to the caller's arrays meanwhile, if
// they are views of shared memory.
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

// What is wrong with the column numbers of rows [from, to), which begin at index.
CopyResult check_index(const Run& run, const uint32_t* start, size_t from, size_t to, size_t cols, const uint32_t* index) {
  const size_t first = start[from], number = start[to] - first;
  if (number == 0) return {};
  // Numbers may descend from a row to the next alone. (All of them first: that is a stream, which is fetched ahead.)
  const size_t descents = run.table->count_descents(index, number, cols);
  size_t allowed = 0, i = from + 1, end = to;
  while (i < end && start[i] == first) ++i;              // nothing is before,
  while (i < end && start[end - 1] == start[to]) --end;  // or behind these
  for (; i < end; ++i) {                                 // without branches: they could not be guessed
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

// The first value that is not finite, if a decision is not: every such value makes its row's decision so.
CopyResult check_values(Values values, const void* data, size_t entries) {
  if (values == Values::ones) return {};
  const auto first_in = [&](const auto* x) {
    const size_t bad = first_not_finite(x, entries);
    return bad == kNone ? CopyResult{} : not_finite(bad, x[bad]);
  };
  return values == Values::f64 ? first_in(static_cast<const double*>(data)) : first_in(static_cast<const float*>(data));
}

// Adds to decisions and looks at them, while they are in cache.
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

// Copies column numbers and checks what was copied, a few rows at a time.
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

// Calls body(begin, end) for parts of n items, a stretch at a time.
template <typename Body>
void each_stretch(const Run& run, size_t n, Body&& body) {
  const Partition parts = partition(n, n);
  parallel(run, parts.parts, [&](size_t p) { in_stretches(run, parts.begin(p), parts.end(p), sizeof(double), body); });
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

// What is not whole is not kept.
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

  if (cols < 65536) {  // and one number to spare, for zero_column
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

// Numbers the columns anew, without those that hold no entry.
CopyResult Matrix::drop_columns(const Run& run) {
  UsedColumns used;
  if (!used.init(cols_)) return {CopyResult::out_of_memory};
  for (size_t k = 0; k < stored_; ++k) {
    if (k % (size_t(1) << 20) == 0 && run.interrupted()) return {};
    if (!used.add(index32_[k])) return {CopyResult::out_of_memory};
  }
  all_kept_ = false;
  cols_ = used.number();
  if (!used_.allocate(cols_)) return {CopyResult::out_of_memory};
  used.list(used_.data());
  if (cols_ < 65536) {
    index_ = Index::u16;
    if (!index16_.allocate(stored_ + kOverrun)) return {CopyResult::out_of_memory};
    each_stretch(run, stored_, [&](size_t begin, size_t end) {
      for (size_t k = begin; k < end; ++k) index16_[k] = static_cast<uint16_t>(used.number_of(index32_[k]));
    });
    clear(index16_.data() + stored_);
    index32_ = Buffer<uint32_t>();
  } else {
    each_stretch(run, stored_, [&](size_t begin, size_t end) {
      for (size_t k = begin; k < end; ++k) index32_[k] = used.number_of(index32_[k]);
    });
  }
  return {};
}

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
    constexpr size_t kChunk = 128;  // rows that are checked and then summed up while in cache
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

// A row's, on average.
size_t Matrix::row_bytes() const { return rows_ ? bytes() / rows_ : 0; }

// So many rows, of the usual length, take so many bytes; at least one.
size_t Matrix::rows_in(size_t bytes) const { return 1 + bytes / (1 + row_bytes()); }

size_t Matrix::bytes() const {
  return f64_.bytes() + f32_.bytes() + start_.bytes() + index16_.bytes() + index32_.bytes() + used_.bytes();
}

const void* Matrix::data() const {
  if (values_ == Values::ones) return nullptr;
  return values_ == Values::f64 ? static_cast<const void*>(f64_.data()) : f32_.data();
}

DenseRows Matrix::dense_rows(const uint32_t* list, size_t begin, size_t end) const {
  return {data(), cols_, list, begin, end, list ? 0 : ahead_of(bytes())};
}

SparseRows Matrix::sparse_rows(const uint32_t* list, size_t begin, size_t end) const {
  const void* index = index_ == Index::u16 ? static_cast<const void*>(index16_.data()) : index32_.data();
  return {start_.data(), index, data(), cols_, list, begin, end};
}

// Entries that so many rows hold on average; an empty row counts as one.
double Matrix::work(size_t rows) const {
  return rows_ ? static_cast<double>(stored_ + rows_) * (static_cast<double>(rows) / static_cast<double>(rows_)) : 0;
}

size_t Matrix::multiply(const Run& run, const uint32_t* list, size_t begin, size_t end, const double* w, double* out) const {
  const Partition parts = partition(end - begin, static_cast<size_t>(work(end - begin)));
  size_t read[kMaxParts] = {};
  parallel(run, parts.parts, [&](size_t k) {
    in_stretches(run, begin + parts.begin(k), begin + parts.end(k), row_bytes(), [&](size_t from, size_t to) {
      if (sparse_) {
        read[k] += run.table->sparse_multiply[size_t(index_)][size_t(values_)](sparse_rows(list, from, to), w, out);
      } else {
        read[k] += run.table->dense_multiply[size_t(values_)](dense_rows(list, from, to), w, out);
      }
    });
  });
  size_t total = 0;
  for (size_t k = 0; k < parts.parts; ++k) total += read[k];
  return total;
}

constexpr size_t kMaxSums = 16;

size_t Matrix::combine_parts(size_t rows) const {
  // Each part holds eight times as many entries as the sum it makes.
  const double entries = work(rows), max = entries / (8.0 * static_cast<double>(cols_ + 1));
  return partition(rows, static_cast<size_t>(entries), max < 1 ? 1 : max > kMaxSums ? kMaxSums : static_cast<size_t>(max)).parts;
}

// Parts' sums start on their own cache lines, so that threads do not share one.
static size_t padded(size_t n) { return (n + 7) / 8 * 8; }

// One entry more than there are columns, for the sparse loops.
size_t Matrix::scratch_size() const { return combine_parts(rows_) * padded(cols_ + 1); }

size_t Matrix::combine(const Run& run, const uint32_t* list, size_t begin, size_t end, const double* u, double* out,
                       double* scratch) const {
  const Partition parts = {end - begin, combine_parts(end - begin)};
  const size_t stride = padded(cols_ + 1);
  size_t read[kMaxSums] = {};
  parallel(run, parts.parts, [&](size_t k) {
    double* sum = scratch + k * stride;
    in_stretches(run, 0, cols_ + 1, sizeof(double),
                 [&](size_t from, size_t to) { std::memset(sum + from, 0, (to - from) * sizeof(double)); });
    in_stretches(run, begin + parts.begin(k), begin + parts.end(k), row_bytes(), [&](size_t from, size_t to) {
      if (sparse_) {
        read[k] += run.table->sparse_combine[size_t(index_)][size_t(values_)](sparse_rows(list, from, to), u, sum);
      } else {
        read[k] += run.table->dense_combine[size_t(values_)](dense_rows(list, from, to), u, sum);
      }
    });
  });
  if (run.interrupted()) return 0;
  run.table->add_parts(scratch, parts.parts, stride, cols_, out);
  size_t total = 0;
  for (size_t k = 0; k < parts.parts; ++k) total += read[k];
  return total;
}

size_t Matrix::ascend(const Run& run, Ascent& ascent) const {
  const auto visit = [&] {
    return sparse_ ? run.table->sparse_ascend[size_t(index_)][size_t(values_)](sparse_rows(nullptr, 0, rows_), ascent)
                   : run.table->dense_ascend[size_t(values_)](dense_rows(nullptr, 0, rows_), ascent);
  };
  if (bytes() < kFar) return visit();
  const Ascent plan = ascent;
  std::atomic<size_t> at{0};  // how many visits are over
  size_t read = 0;
  const auto visit_all = [&](size_t some) {
    const size_t often = rows_in(kFar) / some + 1;  // asking for the time takes as long as a few rows
    for (size_t k = 0, asked = 0; k < plan.visits; k += some, ++asked) {
      if (asked % often == 0 && run.interrupted()) break;
      ascent.order = plan.order + k;
      ascent.known = plan.visits - k;
      ascent.visits = std::min(some, ascent.known);
      read += visit();
      at.store(k + ascent.visits, std::memory_order_relaxed);
    }
    at.store(plan.visits, std::memory_order_relaxed);
  };
  if (run.threads < 2) {
    visit_all(rows_in(kFar));
    return read;
  }
  // Rows follow one another, but a second thread can look ahead: what is out of cache then comes from the other core's.
  parallel(2, 2, [&](size_t part) { part == 0 ? visit_all(rows_in(kLead / 8)) : look_ahead(plan, at); });
  return read;
}

// Asks for the rows that are visited next, until all were visited. If one thread does both parts, they were.
void Matrix::look_ahead(const Ascent& plan, const std::atomic<size_t>& at) const {
  const auto ask = [](const void* x, size_t size, size_t from, size_t to) {
    for (size_t byte = from * size; byte < to * size; byte += 64) prefetch(static_cast<const char*>(x) + byte);
  };
  const size_t lead = rows_in(kLead);
  for (size_t next = 0; next < plan.visits;) {
    const size_t now = at.load(std::memory_order_relaxed);
    if (next < now) next = now;
    if (next >= plan.visits) return;
    if (next >= now + lead) {
      pause();
      continue;
    }
    const AscentRow& row = plan.rows[plan.order[next++]];
    const size_t from = sparse_ ? row.from : row.from * cols_, to = sparse_ ? row.to : from + cols_;
    if (sparse_ && index_ == Index::u16) ask(index16_.data(), sizeof(uint16_t), from, to);
    if (sparse_ && index_ == Index::u32) ask(index32_.data(), sizeof(uint32_t), from, to);
    if (values_ == Values::f64) ask(f64_.data(), sizeof(double), from, to);
    if (values_ == Values::f32) ask(f32_.data(), sizeof(float), from, to);
  }
}

// Sparse: calls body(position, column, value) for every stored entry of the rows at positions [from, to) of a list.
template <typename Body>
void Matrix::each(const uint32_t* list, size_t from, size_t to, Body&& body) const {
  const auto visit = [&](auto value) {
    for (size_t p = from; p < to; ++p) {
      const size_t i = list ? list[p] : p;
      if (index_ == Index::u16) {
        for (size_t k = start_[i]; k < start_[i + 1]; ++k) body(p, size_t(index16_[k]), value(k));
      } else {
        for (size_t k = start_[i]; k < start_[i + 1]; ++k) body(p, size_t(index32_[k]), value(k));
      }
    }
  };
  if (values_ == Values::f64) {
    visit([data = f64_.data()](size_t k) { return data[k]; });
  } else if (values_ == Values::f32) {
    visit([data = f32_.data()](size_t k) { return static_cast<double>(data[k]); });
  } else {
    visit([](size_t) { return 1.0; });
  }
}

void Matrix::row_norms(const Run& run, const uint32_t* list, size_t n, const double* factor, double* out) const {
  const Partition parts = partition(n, static_cast<size_t>(work(n)));
  parallel(run, parts.parts, [&](size_t p) {
    const size_t from = parts.begin(p), to = parts.end(p);
    if (!sparse_) return run.table->dense_norms[size_t(values_)](dense_rows(list, from, to), factor, out);
    if (factor == nullptr && values_ == Values::ones) {
      for (size_t i = from; i < to; ++i) out[i] = static_cast<double>(entries(list ? list[i] : i));
      return;
    }
    for (size_t i = from; i < to; ++i) out[i] = 0;
    size_t row = from;
    double sum = 0;
    each(list, from, to, [&](size_t i, size_t j, double x) {
      if (i != row) {
        out[row] = sum;
        row = i;
        sum = 0;
      }
      const double v = factor ? factor[j] * x : x;
      sum += v * v;
    });
    if (from < to) out[row] = sum;
  });
}

bool Matrix::column_stats(const Run& run, const uint32_t* list, size_t n, const double* centre, ColumnStats& out) const {
  const Partition parts = {n, combine_parts(n)};
  const double* const shift = shift_.data();
  Buffer<double> scratch;
  if (!scratch.allocate(4 * parts.parts * cols_) || !out.sum.allocate(cols_) || !out.square.allocate(cols_) ||
      !out.max.allocate(cols_) || !out.number.allocate(cols_)) {
    return false;
  }
  parallel(run, parts.parts, [&](size_t p) {
    double* s = scratch.data() + 4 * p * cols_;
    double *s2 = s + cols_, *m = s2 + cols_, *c = m + cols_;
    in_stretches(run, 0, 4 * cols_, sizeof(double),
                 [&](size_t from, size_t to) { std::memset(s + from, 0, (to - from) * sizeof(double)); });
    if (run.interrupted()) return;
    // Entries of sparse rows are added to columns far apart, and take ten times as long as those of dense ones.
    const auto stretches = [&](auto&& body) {
      in_stretches(run, parts.begin(p), parts.end(p), row_bytes(), body, size_t(1) << 22, 1);
    };
    if (!sparse_) {
      stretches([&](size_t from, size_t to) {
        run.table->dense_stats[size_t(values_)](dense_rows(list, from, to), centre, shift, s, s2, m);
      });
      std::fill(c, c + cols_, static_cast<double>(parts.end(p) - parts.begin(p)));
      return;
    }
    if (values_ == Values::ones) {  // counting them is enough
      stretches([&](size_t from, size_t to) { each(list, from, to, [&](size_t, size_t j, double) { c[j] += 1; }); });
      for (size_t j = 0; j < cols_; ++j) {
        const double v = 1 - centre[j];
        s[j] = c[j] * v;
        s2[j] = c[j] * v * v;
        m[j] = c[j] > 0;
      }
      return;
    }
    stretches([&](size_t from, size_t to) {
      each(list, from, to, [&](size_t, size_t j, double x) {
        const double v = x - centre[j], a = std::fabs(shift ? x + shift[j] : x);
        s[j] += v;
        s2[j] += v * v;
        m[j] = a > m[j] ? a : m[j];
        c[j] += 1;
      });
    });
  });
  if (run.interrupted()) return true;
  each_stretch(run, cols_, [&](size_t begin, size_t end) {
    for (size_t j = begin; j < end; ++j) {
      double sum = 0, square = 0, max = 0, number = 0;
      for (size_t p = 0; p < parts.parts; ++p) {
        const double* s = scratch.data() + 4 * p * cols_ + j;
        sum += s[0];
        square += s[cols_];
        max = s[2 * cols_] > max ? s[2 * cols_] : max;
        number += s[3 * cols_];
      }
      out.sum[j] = sum;
      out.square[j] = square;
      out.max[j] = max;
      out.number[j] = number;
    }
  });
  return true;
}

bool Matrix::centre(const Run& run) {
  if (centred_) return true;
  if (values_ == Values::f32) {
    centred_ = subtract_exactly(run, f32_.data());
  } else if (values_ == Values::f64) {
    centred_ = sparse_ ? subtract_exactly(run, f64_.data()) : subtract_means(run);
  } else {
    centred_ = true;
  }
  const bool done = centred_;
  if (run.interrupted()) *this = Matrix();  // it may be in some rows only
  return done;
}

bool Matrix::subtract_means(const Run& run) {
  ColumnStats stats;
  Buffer<double> zeros, shift;
  if (!zeros.allocate(cols_) || !shift.allocate(cols_)) return false;
  std::memset(zeros.data(), 0, cols_ * sizeof(double));
  if (!column_stats(run, nullptr, rows_, zeros.data(), stats)) return false;
  if (run.interrupted()) return true;
  for (size_t j = 0; j < cols_; ++j) {
    // A sum that overflows leaves its column where it is.
    const double mean = stats.sum[j] / static_cast<double>(rows_);
    shift[j] = mean - mean == 0 ? mean : 0;
  }
  const Partition parts = partition(rows_, stored_);
  parallel(run, parts.parts, [&](size_t p) {
    for (size_t i = parts.begin(p); i < parts.end(p); ++i) {
      double* row = f64_.data() + i * cols_;
      for (size_t j = 0; j < cols_; ++j) row[j] -= shift[j];
    }
  });
  shift_ = std::move(shift);
  max_ = std::move(stats.max);
  return true;
}

template <typename T>
bool Matrix::subtract_exactly(const Run& run, T* values) {
  if (!sparse_) return subtract_exactly(run, values, [cols = cols_](size_t i, size_t k) { return k - i * cols; });
  if (index_ == Index::u16) {
    return subtract_exactly(run, values, [index = index16_.data()](size_t, size_t k) { return size_t(index[k]); });
  }
  return subtract_exactly(run, values, [index = index32_.data()](size_t, size_t k) { return size_t(index[k]); });
}

// column(i, k): that of entry k, which is in row i
template <typename T, typename ColumnOf>
bool Matrix::subtract_exactly(const Run& run, T* values, const ColumnOf& column) {
  if (rows_ == 0) return true;
  struct Column {
    size_t number;
    T low, high;
  };
  const auto begin = [&](size_t i) { return sparse_ ? size_t(start_[i]) : i * cols_; };
  // The columns that qualify by the rows so far. Few data have one: the search ends with the last of them.
  size_t number = 0;
  Buffer<Column> found;
  if (!found.allocate(entries(0))) return false;
  for (size_t k = begin(0); k < begin(0) + entries(0); ++k) {
    if (values[k] != 0) found[number++] = {column(0, k), values[k], values[k]};
  }
  for (size_t i = 0; i < rows_ && number > 0; ++i) {
    if (i % 1024 == 0 && run.interrupted()) return true;
    const size_t end = begin(i) + entries(i);
    size_t kept = 0;
    for (size_t c = 0, k = begin(i); c < number; ++c) {
      Column& at = found[c];
      while (k < end && column(i, k) < at.number) ++k;
      if (k == end) break;
      if (column(i, k) != at.number) continue;
      const T value = values[k];
      if (value < at.low || value > at.high) {
        at.low = std::min(at.low, value);
        at.high = std::max(at.high, value);
        if (!(at.low > 0 ? at.high / 2 <= at.low : at.high < 0 && at.low / 2 >= at.high)) continue;
      }
      if (kept != c) found[kept] = at;
      ++kept;
    }
    number = kept;
  }
  if (number == 0) return true;
  Buffer<double> shift;
  if (!shift.allocate(cols_)) return false;
  std::memset(shift.data(), 0, cols_ * sizeof(double));
  for (size_t c = 0; c < number; ++c) {
    const Column& at = found[c];
    shift[at.number] = std::min(std::max(static_cast<T>(at.low / 2 + at.high / 2), at.low), at.high);
  }
  const Partition parts = partition(rows_, stored_);
  parallel(run, parts.parts, [&](size_t p) {
    const double* const by = shift.data();
    for (size_t i = parts.begin(p); i < parts.end(p); ++i) {
      const size_t end = begin(i) + entries(i);
      for (size_t k = begin(i); k < end; ++k) values[k] -= static_cast<T>(by[column(i, k)]);
    }
  });
  shift_ = std::move(shift);
  return true;
}

}  // namespace fista
