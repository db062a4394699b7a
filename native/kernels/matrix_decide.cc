// Predictions: X.W' + bias for one plane or many, of a copy or of the caller's own arrays.
#include <algorithm>
#include <cfloat>
#include <cstring>

#include "matrix.h"
#include "matrix_internal.h"

namespace fista {

// Rows to decide about, wherever they are.
struct Matrix::Points {
  size_t rows, cols, entries;
  Values values;
  const void* data;
  const uint32_t* start = nullptr;  // null: dense
  const void* column = nullptr;
  Index index = Index::u32;
  bool checked = false;  // whether column indices are known to be good
  bool padded = false;   // whether loops may read a little past the last entry
  size_t entry_bytes() const { return values == Values::f32 ? sizeof(float) : values == Values::f64 ? sizeof(double) : 0; }
};

namespace {

using Points = Matrix::Points;

// The weights of so many bytes of planes, or of one panel, are packed at a time.
constexpr size_t kPackedBytes = size_t(1) << 22;
// A block of dense rows, whose entries stay in the second-level cache while the planes pass by; and a block of sparse ones, whose
// indices are checked and then used.
constexpr size_t kBlockBytes = size_t(1) << 17, kBlockRows = 512, kSparseRows = 128;
// So many decisions by several planes are kept back until all are known to be finite. If there are more, the points are read
// first, and then so many at a time are computed twice unless no decision can overflow.
constexpr size_t kFileBlock = size_t(1) << 24;  // bytes of rows in a file that are held at a time
constexpr size_t kKeptBack = size_t(1) << 20, kKeptRows = 64;

// Calls f(the values).
template <typename F>
auto with_values(const Points& x, F&& f) {
  return x.values == Values::f32 ? f(static_cast<const float*>(x.data)) : f(static_cast<const double*>(x.data));
}

// The first value that is not finite; called if a decision is not, which every such value causes.
CopyResult check_values(const Points& x) {
  if (x.values == Values::ones) return {};
  return with_values(x, [&](const auto* values) {
    const size_t bad = first_not_finite(values, x.entries);
    return bad == kNone ? CopyResult{} : not_finite(bad, values[bad]);
  });
}

// x_i.w in the order of sparse_dot (sparse.inl), but reads nothing past the row's end.
double dot(const Points& x, size_t i, const double* w) {
  return with_values(x, [&](const auto* values) {
    const auto sum = [&](const auto* column) {
      double s[4] = {0, 0, 0, 0};
      for (size_t k = x.start[i], r = 0; k < x.start[i + 1]; ++k, r = (r + 1) % 4) {
        s[r] += x.values == Values::ones ? w[column[k]] : w[column[k]] * static_cast<double>(values[k]);
      }
      return (s[0] + s[1]) + (s[2] + s[3]);
    };
    return x.index == Index::u16 ? sum(static_cast<const uint16_t*>(x.column)) : sum(static_cast<const uint32_t*>(x.column));
  });
}

DenseRows dense_rows(const Points& x, size_t begin, size_t end, size_t ahead) {
  return {x.data, x.cols, nullptr, begin, end, ahead};
}

SparseRows sparse_rows(const Points& x, size_t begin, size_t end) {
  return {x.start, x.column, x.data, x.cols, nullptr, begin, end};
}

// Decides by all planes about some rows at a time. What is packed is kept for the next rows.
class Decider {
 public:
  Decider(const Run& run, const Points& x, const Planes& planes) : run_(run), x_(x), planes_(planes) {
    const size_t k = planes.count, lanes = run.table->lanes, panel = run.table->panel_planes;
    far_ = ahead_of(x.entries * x.entry_bytes());
    if (k == 1) {
      way_ = Way::one;
    } else if (!x.start && x.cols > kLong) {
      way_ = Way::unpacked;
    } else if (x.start && x.entries < x.cols) {  // packing would take longer than deciding
      way_ = Way::unpacked;
    } else {
      way_ = Way::packed;
      // Of dense rows, planes that would leave half of a vector empty are faster by themselves.
      const size_t rest = k % lanes;
      packed_ = k - (!x.start && rest <= lanes / 2 ? rest : 0);
      const size_t panels = std::max(kPackedBytes / sizeof(double) / (panel * (x.cols + 1)), size_t(1));
      together_ = std::min(panels * panel, packed_);
    }
  }

  [[nodiscard]] bool allocate() {
    if (together_ == 0) return true;
    const size_t lanes = run_.table->lanes, wide = (together_ + lanes - 1) / lanes * lanes;
    return w_.allocate(wide * x_.cols) && bias_.allocate(wide);
  }

  // Decides about rows [begin, end); out is of row begin on. A defect, if one of the column indices has one; else bad is the first
  // row where a decision is not finite, or end.
  CopyResult decide(size_t begin, size_t end, double* out, size_t* bad) {
    const size_t k = planes_.count, rows = end - begin;
    const size_t entries = x_.start ? x_.start[end] - x_.start[begin] : rows * x_.cols;
    const Partition parts = partition(rows, (entries + rows) * k);
    size_t broken[kMaxParts];  // the first block of a part with a defect
    bool finite[kMaxParts];
    std::fill(broken, broken + parts.parts, kNone);
    std::fill(finite, finite + parts.parts, true);
    bool last = false;
    for (size_t from = 0, to; !last; from = to) {
      to = std::min(from + together_, packed_);
      last = to == packed_;
      if (way_ == Way::packed && !(from_ == from && to_ == to)) pack(from, to);
      parallel(run_, parts.parts, [&](size_t part) {
        Buffer<double> wide;  // f32 rows as f64
        if (broken[part] != kNone) return;
        const size_t block = rows_at_once(parts.end(part) - parts.begin(part));
        for (size_t i = parts.begin(part); i < parts.end(part); i += block) {
          const size_t n = std::min(block, parts.end(part) - i);
          if (x_.start && !x_.checked && from == 0 && check(begin + i, n).kind != CopyResult::ok) {
            broken[part] = i;
            return;
          }
          if (way_ == Way::one) {
            one(begin + i, begin + i + n, out);
          } else if (way_ == Way::unpacked) {
            unpacked(begin + i, begin + i + n, out + i * k);
          } else {
            several(begin + i, begin + i + n, wide, last, out + i * k);
          }
          if (last) finite[part] &= run_.table->all_finite[0](out + i * k, n * k);  // while they are in cache
        }
      });
    }
    *bad = end;
    for (size_t part = 0; part < parts.parts; ++part) {
      if (broken[part] != kNone) return check(begin + broken[part], std::min(kSparseRows, rows - broken[part]));
    }
    for (size_t part = 0; part < parts.parts; ++part) {
      if (finite[part]) continue;
      const size_t first = parts.begin(part), n = parts.end(part) - first;
      *bad = begin + first + first_not_finite(out + first * k, n * k) / k;
      break;
    }
    return {};
  }

 private:
  enum class Way : uint8_t { one, packed, unpacked };

  size_t rows_at_once(size_t rows) const {
    if (x_.start) return way_ == Way::one && x_.checked ? rows : kSparseRows;
    if (way_ == Way::one) return rows;
    return std::min((kBlockBytes / (x_.cols * sizeof(double) + 1) / 8 + 1) * 8, kBlockRows);
  }

  // The column indices of n rows.
  CopyResult check(size_t begin, size_t n) const {
    const uint32_t* const column = static_cast<const uint32_t*>(x_.column) + x_.start[begin];
    return check_index(run_, x_.start, begin, begin + n, x_.cols, column);
  }

  void pack(size_t from, size_t to) {
    from_ = from;
    to_ = to;
    std::fill(bias_.data(), bias_.data() + bias_.size(), 0.0);
    std::copy(planes_.bias + from, planes_.bias + to, bias_.data());
    const size_t panel = run_.table->panel_planes, cols = x_.cols;
    parallel(run_, (to - from + panel - 1) / panel, [&](size_t k) {
      const size_t first = k * panel, n = std::min(panel, to - from - first);
      run_.table->pack_planes(planes_.w + (from + first) * cols, n, cols, !x_.start, w_.data() + first * cols);
    });
  }

  // The loops of one plane; out is of row 0 on.
  void one(size_t begin, size_t end, double* out) const {
    if (!x_.start) {
      run_.table->dense_multiply[size_t(x_.values)](dense_rows(x_, begin, end, far_), planes_.w, out);
    } else {
      // They read a little past a row's end, which the last rows of the caller's arrays do not have.
      size_t safe = end;
      while (!x_.padded && safe > begin && size_t(x_.start[safe]) + kOverrun > x_.start[x_.rows]) --safe;
      run_.table->sparse_multiply[size_t(x_.index)][size_t(x_.values)](sparse_rows(x_, begin, safe), planes_.w, out);
      for (size_t i = safe; i < end; ++i) out[i] = dot(x_, i, planes_.w);
    }
    const double bias = planes_.bias[0];
    for (size_t i = begin; i < end; ++i) out[i] += bias;
  }

  void unpacked(size_t begin, size_t end, double* out) const {
    if (!x_.start) {
      run_.table->dense_planes_long[size_t(x_.values)](dense_rows(x_, begin, end, far_), planes_, out);
      return;
    }
    for (size_t i = begin; i < end; ++i, out += planes_.count) {
      for (size_t q = 0; q < planes_.count; ++q) out[q] = dot(x_, i, planes_.w + q * x_.cols) + planes_.bias[q];
    }
  }

  // The planes that are packed and, with the last of these, those that never are.
  void several(size_t begin, size_t end, Buffer<double>& wide, bool last, double* out) const {
    const size_t k = planes_.count, cols = x_.cols, n = end - begin;
    DenseRows rows = dense_rows(x_, begin, end, x_.entries * x_.entry_bytes() < kFar ? 0 : 1);
    if (!x_.start && x_.values == Values::f32 && to_ > from_) {
      if (wide.size() < n * cols && !wide.allocate(n * cols)) {
        run_.table->dense_planes_few[size_t(x_.values)](rows, planes_, 0, out);  // slower, and needs no memory
        return;
      }
      const float* const data = static_cast<const float*>(x_.data) + begin * cols;
      for (size_t j = 0; j < n * cols; ++j) wide[j] = static_cast<double>(data[j]);
      rows = {wide.data(), cols, nullptr, 0, n};
    }
    const size_t panel = run_.table->panel_planes;
    for (size_t q = 0; q < to_ - from_; q += panel) {
      const Panel these = {w_.data() + q * cols, bias_.data() + q, std::min(panel, to_ - from_ - q)};
      if (x_.start) {
        run_.table->sparse_planes[size_t(x_.index)][size_t(x_.values)](sparse_rows(x_, begin, end), these, out + from_ + q, k);
      } else {
        run_.table->dense_planes(rows, these, out + from_ + q, k);
        rows.ahead = 0;
      }
    }
    if (packed_ < k && last) {
      run_.table->dense_planes_few[size_t(x_.values)](dense_rows(x_, begin, end, far_), planes_, packed_, out);
    }
  }

  const Run& run_;
  const Points& x_;
  const Planes& planes_;
  Way way_ = Way::one;
  size_t far_ = 0;
  size_t packed_ = 0, together_ = 0;  // planes to be packed, and at a time
  size_t from_ = 0, to_ = 0;          // planes that are packed
  Buffer<double> w_, bias_;
};

bool overlap(const void* a, size_t a_bytes, const void* b, size_t b_bytes) {
  const uintptr_t from_a = reinterpret_cast<uintptr_t>(a), from_b = reinterpret_cast<uintptr_t>(b);
  return a_bytes > 0 && b_bytes > 0 && from_a < from_b + b_bytes && from_b < from_a + a_bytes;
}

// Whether out is part of what is read.
bool overlaps(const Points& x, const Planes& planes, const double* out) {
  const size_t k = planes.count, bytes = x.rows * k * sizeof(double);
  return overlap(out, bytes, planes.w, x.cols * k * sizeof(double)) || overlap(out, bytes, planes.bias, k * sizeof(double)) ||
         overlap(out, bytes, x.data, x.entries * x.entry_bytes()) ||
         (x.start && (overlap(out, bytes, x.start, (x.rows + 1) * sizeof(uint32_t)) ||
                      overlap(out, bytes, x.column, x.entries * sizeof(uint32_t))));
}

// Whether the values are finite, and so small that no decision overflows.
bool cannot_overflow(const Run& run, const Points& x, const Planes& planes) {
  const size_t weights = x.cols * planes.count;
  if (!run.table->all_finite[0](planes.w, weights) || !run.table->all_finite[0](planes.bias, planes.count)) return false;
  const Partition parts = partition(x.entries, x.entries);
  bool finite[kMaxParts];
  double largest[kMaxParts];
  const double any = x.values == Values::ones ? 1.0 : static_cast<double>(FLT_MAX);
  parallel(run, parts.parts, [&](size_t part) {
    constexpr size_t kChunk = 2048;
    finite[part] = true;
    largest[part] = x.values == Values::f64 ? 0.0 : any;
    for (size_t i = parts.begin(part); x.values != Values::ones && i < parts.end(part); i += kChunk) {
      const size_t n = std::min(kChunk, parts.end(part) - i);
      finite[part] &= run.table->all_finite[size_t(x.values)](static_cast<const char*>(x.data) + i * x.entry_bytes(), n);
      if (x.values != Values::f64) continue;
      largest[part] = std::max(largest[part], run.table->max_abs(static_cast<const double*>(x.data) + i, n));
    }
  });
  const double entry = *std::max_element(largest, largest + parts.parts), weight = run.table->max_abs(planes.w, weights);
  const double bias = run.table->max_abs(planes.bias, planes.count);
  return std::all_of(finite, finite + parts.parts, [](bool f) { return f; }) &&
         entry * weight * static_cast<double>(x.cols + 1) + bias < 1e300;
}

CopyResult check_all(const Run& run, const Points& x) {
  const Partition parts = partition(x.rows, x.entries + x.rows);
  CopyResult found[kMaxParts];
  parallel(run, parts.parts, [&](size_t k) {
    const size_t begin = parts.begin(k);
    found[k] = check_index(run, x.start, begin, parts.end(k), x.cols, static_cast<const uint32_t*>(x.column) + x.start[begin]);
  });
  for (size_t k = 0; k < parts.parts; ++k) {
    if (found[k].kind != CopyResult::ok) return found[k];
  }
  return {};
}

// Decides about all rows and writes out if nothing is wrong.
CopyResult decide_safely(const Run& run, Points& x, const Planes& planes, double* out, size_t* bad) {
  const size_t k = planes.count;
  Decider decider(run, x, planes);
  *bad = x.rows;
  if (!decider.allocate()) return {CopyResult::out_of_memory};
  size_t block = x.rows;
  if (k > 1 && x.rows > kKeptBack / k && !overlaps(x, planes, out)) {
    if (x.start && !x.checked) {
      const CopyResult result = check_all(run, x);
      if (result.kind != CopyResult::ok) return result;
      x.checked = true;
    }
    if (cannot_overflow(run, x, planes)) return decider.decide(0, x.rows, out, bad);
    block = std::min(std::max(kKeptBack / k, kKeptRows), x.rows);
  }
  Buffer<double> values;
  if (!values.allocate(block * k)) return {CopyResult::out_of_memory};
  for (bool write : {block == x.rows, true}) {
    for (size_t begin = 0; begin < x.rows; begin += block) {
      const size_t end = std::min(begin + block, x.rows);
      size_t first = 0;
      const CopyResult result = decider.decide(begin, end, values.data(), &first);
      if (result.kind != CopyResult::ok) return result;
      if (first < end) {
        *bad = first;
        return check_values(x);
      }
      if (write) std::memcpy(out + begin * k, values.data(), (end - begin) * k * sizeof(double));
    }
    if (write) break;
  }
  return {};
}

// The planes' weights of some of the columns, or of all if used is null, and a 0 behind them for the loops of one plane.
[[nodiscard]] bool gather(const Planes& planes, size_t width, size_t cols, const uint32_t* used, Buffer<double>& to) {
  if (!to.allocate(planes.count * cols + 1)) return false;
  for (size_t q = 0; q < planes.count; ++q) {
    const double* const w = planes.w + q * width;
    if (used) {
      for (size_t j = 0; j < cols; ++j) to[q * cols + j] = w[used[j]];
    } else if (cols) {
      std::memcpy(to.data() + q * cols, w, cols * sizeof(double));
    }
  }
  to[planes.count * cols] = 0;
  return true;
}

}  // namespace

CopyResult Matrix::decide_dense(const Run& run, Values values, const void* data, size_t rows, size_t cols, const Planes& planes,
                                double* out, size_t* bad) {
  Points x = {rows, cols, rows * cols, values, data};
  return decide_safely(run, x, planes, out, bad);
}

CopyResult Matrix::decide_sparse(const Run& run, const uint32_t* indptr, const uint32_t* index, Values values, const void* data,
                                 size_t entries, size_t rows, size_t cols, const Planes& planes, double* out, size_t* bad) {
  Buffer<double> w;
  if (drops_columns(entries, cols)) {  // only the weights of columns with entries are read
    Matrix X;
    const CopyResult result = X.copy_sparse(run, indptr, index, values, data, entries, rows, cols);
    if (result.kind != CopyResult::ok) return result;
    Points x = X.points();
    if (!gather(planes, cols, x.cols, X.used(), w)) return {CopyResult::out_of_memory};
    return decide_safely(run, x, {w.data(), planes.bias, planes.count}, out, bad);
  }
  const CopyResult starts = check_starts(indptr, entries, rows);
  if (starts.kind != CopyResult::ok) return starts;
  if (planes.count == 1 && !gather(planes, cols, cols, nullptr, w)) return {CopyResult::out_of_memory};
  Points x = {rows, cols, indptr[rows], values, data, indptr, index};
  return decide_safely(run, x, {w.data() ? w.data() : planes.w, planes.bias, planes.count}, out, bad);
}

Matrix::Points Matrix::points() const {
  if (!sparse_) return {rows_, cols_, stored_, values_, data()};
  const void* column = index_ == Index::u16 ? static_cast<const void*>(index16_.data()) : index32_.data();
  return {rows_, cols_, stored_, values_, data(), start_.data(), column, index_, true, true};
}

// Block by block; what the planes are packed to is packed for each.
CopyResult Matrix::decide_file(const Run& run, const Planes& planes, size_t begin, size_t end, double* out, size_t* bad) const {
  const size_t k = planes.count;
  LoadedRows room;
  Buffer<double> w;
  if (!gather(planes, width_, cols_, nullptr, w)) return {CopyResult::out_of_memory};
  const Planes own = {w.data(), planes.bias, k};
  *bad = end;
  CopyResult result;
  in_row_stretches(
      run, nullptr, begin, end,
      [&](size_t from, size_t to) {
        const size_t n = to - from;
        const auto decide = [&](Points x) {
          Decider decider(run, x, own);
          size_t first = n;
          const CopyResult now =
              decider.allocate() ? decider.decide(0, n, out + (from - begin) * k, &first) : CopyResult{CopyResult::out_of_memory};
          if (result.kind == CopyResult::ok) result = now;
          if (first < n && *bad == end) *bad = from + first;
        };
        with_rows(
            run, room, nullptr, from, to, 0,
            [&](const DenseRows& r, size_t) {
              decide({n, cols_, n * cols_, values_, r.x});
            },
            [&](const SparseRows& r, size_t) {
              decide({n, cols_, r.start[n], values_, r.values, r.start, r.index, index_, true, true});
            });
      },
      kFileBlock);
  return result.kind == CopyResult::ok ? failure() : result;
}

CopyResult Matrix::decide(const Run& run, const Planes& planes, size_t begin, size_t end, double* out, size_t* bad) const {
  if (in_file()) return decide_file(run, planes, begin, end, out, bad);
  Points x = points();
  Buffer<double> w;
  const bool copied = !all_kept_ || (sparse_ && planes.count == 1) || overlaps(x, planes, out);
  if (copied && !gather(planes, width_, cols_, used(), w)) return {CopyResult::out_of_memory};
  const Planes own = {copied ? w.data() : planes.w, planes.bias, planes.count};
  // The loops of one plane write by the row's number, so these rows are to be numbers 0, 1, …
  x.rows = end - begin;
  if (x.start) {
    x.start += begin;
  } else if (begin > 0) {
    x.data = static_cast<const char*>(x.data) + begin * cols_ * x.entry_bytes();
  }
  Decider decider(run, x, own);
  if (!decider.allocate()) return {CopyResult::out_of_memory};
  const CopyResult result = decider.decide(0, x.rows, out, bad);
  *bad += begin;
  return result;
}

}  // namespace fista
