// Statistics by column and by row; centring (method 1.4); dropping empty columns.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "columns.h"
#include "matrix.h"
#include "matrix_internal.h"

namespace fista {

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

bool Matrix::column_stats(const Run& run, const uint32_t* list, size_t n, const double* weight, const double* centre,
                          ColumnStats& out) const {
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
    // Entries of sparse rows are added to columns far apart, which takes ten times as long as for dense rows.
    const auto stretches = [&](auto&& body) {
      in_stretches(run, parts.begin(p), parts.end(p), row_bytes(), body, size_t(1) << 22, 1);
    };
    if (!sparse_) {
      stretches([&](size_t from, size_t to) {
        run.table->dense_stats[size_t(values_)](dense_rows(list, from, to), weight, centre, shift, s, s2, m);
      });
      double number = weight ? 0 : static_cast<double>(parts.end(p) - parts.begin(p));
      for (size_t i = parts.begin(p); i < parts.end(p) && weight; ++i) number += weight[i];
      std::fill(c, c + cols_, number);
      return;
    }
    if (values_ == Values::ones) {  // counting is enough
      stretches([&](size_t from, size_t to) {
        each(list, from, to, [&](size_t i, size_t j, double) { c[j] += weight ? weight[i] : 1; });
      });
      for (size_t j = 0; j < cols_; ++j) {
        const double v = 1 - centre[j];
        s[j] = c[j] * v;
        s2[j] = c[j] * v * v;
        m[j] = c[j] > 0;
      }
      return;
    }
    stretches([&](size_t from, size_t to) {
      each(list, from, to, [&](size_t i, size_t j, double x) {
        const double v = x - centre[j], a = std::fabs(shift ? x + shift[j] : x), by = weight ? weight[i] : 1;
        s[j] += by * v;
        s2[j] += by * v * v;
        m[j] = a > m[j] ? a : m[j];
        c[j] += by;
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

// Renumbers the columns, without empty ones.
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
  if (run.interrupted()) *this = Matrix();  // some rows may be shifted and others not
  return done;
}

bool Matrix::subtract_means(const Run& run) {
  ColumnStats stats;
  Buffer<double> zeros, shift;
  if (!zeros.allocate(cols_) || !shift.allocate(cols_)) return false;
  std::memset(zeros.data(), 0, cols_ * sizeof(double));
  if (!column_stats(run, nullptr, rows_, nullptr, zeros.data(), stats)) return false;
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

// column(i, k): the column of entry k, which is in row i
template <typename T, typename ColumnOf>
bool Matrix::subtract_exactly(const Run& run, T* values, const ColumnOf& column) {
  if (rows_ == 0) return true;
  struct Column {
    size_t number;
    T low, high;
  };
  const auto begin = [&](size_t i) { return sparse_ ? size_t(start_[i]) : i * cols_; };
  // The columns that qualify by the rows seen so far. Few data have any: the search ends when none is left.
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
