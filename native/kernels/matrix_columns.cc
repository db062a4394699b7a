// Statistics by column and by row; centring (method 1.4); dropping empty columns.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "columns.h"
#include "matrix.h"
#include "matrix_internal.h"

namespace fista {

// Calls body(position, column, value) for every stored entry of sparse rows.
template <typename Body>
void Matrix::each(const SparseRows& rows, Body&& body) const {
  const auto visit = [&](auto value) {
    const auto visit_columns = [&](const auto* index) {
      for (size_t p = rows.begin; p < rows.end; ++p) {
        const size_t i = rows.row(p);
        for (size_t k = rows.start[i]; k < rows.start[i + 1]; ++k) body(p, size_t(index[k]), value(k));
      }
    };
    if (index_ == Index::u16) {
      visit_columns(static_cast<const uint16_t*>(rows.index));
    } else {
      visit_columns(static_cast<const uint32_t*>(rows.index));
    }
  };
  if (values_ == Values::f64) {
    visit([data = static_cast<const double*>(rows.values)](size_t k) { return data[k]; });
  } else if (values_ == Values::f32) {
    visit([data = static_cast<const float*>(rows.values)](size_t k) { return static_cast<double>(data[k]); });
  } else {
    visit([](size_t) { return 1.0; });
  }
}

void Matrix::row_norms(const Run& run, const uint32_t* list, size_t n, const double* factor, double* out) const {
  const Partition parts = partition(n, static_cast<size_t>(work(n)));
  parallel(run, parts.parts, [&](size_t p) {
    if (sparse_ && factor == nullptr && values_ == Values::ones) {
      for (size_t i = parts.begin(p); i < parts.end(p); ++i) out[i] = static_cast<double>(entries(list ? list[i] : i));
      return;
    }
    LoadedRows room;
    in_row_stretches(run, list, parts.begin(p), parts.end(p), [&](size_t from, size_t to) {
      with_rows(
          run, room, list, from, to, p,
          [&](const DenseRows& rows, size_t first) { run.table->dense_norms[size_t(values_)](rows, factor, out + first); },
          [&](const SparseRows& rows, size_t first) {
            for (size_t i = from; i < to; ++i) out[i] = 0;
            size_t row = rows.begin;
            double sum = 0;
            each(rows, [&](size_t i, size_t j, double x) {
              if (i != row) {
                out[row + first] = sum;
                row = i;
                sum = 0;
              }
              const double v = factor ? factor[j] * x : x;
              sum += v * v;
            });
            if (from < to) out[row + first] = sum;
          });
    });
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
    LoadedRows room;
    const auto ignore = [](const auto&, size_t) {};
    const auto stretches = [&](auto&& dense, auto&& sparse) {
      const auto one = [&](size_t from, size_t to) { with_rows(run, room, list, from, to, p, dense, sparse); };
      in_row_stretches(run, list, parts.begin(p), parts.end(p), one, kStretch, 1);
    };
    if (!sparse_) {
      stretches(
          [&](const DenseRows& rows, size_t first) {
            run.table->dense_stats[size_t(values_)](rows, weight ? weight + first : nullptr, centre, shift, s, s2, m);
          },
          ignore);
      double number = weight ? 0 : static_cast<double>(parts.end(p) - parts.begin(p));
      for (size_t i = parts.begin(p); i < parts.end(p) && weight; ++i) number += weight[i];
      std::fill(c, c + cols_, number);
      return;
    }
    if (values_ == Values::ones) {  // counting is enough
      stretches(ignore, [&](const SparseRows& rows, size_t first) {
        each(rows, [&](size_t i, size_t j, double) { c[j] += weight ? weight[i + first] : 1; });
      });
      for (size_t j = 0; j < cols_; ++j) {
        const double v = 1 - centre[j];
        s[j] = c[j] * v;
        s2[j] = c[j] * v * v;
        m[j] = c[j] > 0;
      }
      return;
    }
    stretches(ignore, [&](const SparseRows& rows, size_t first) {
      each(rows, [&](size_t i, size_t j, double x) {
        const double v = x - centre[j], a = std::fabs(shift ? x + shift[j] : x), by = weight ? weight[i + first] : 1;
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
  for (Buffer<double>* sums : {&out.sum, &out.square, &out.number}) sum_ranks(run, sums->data(), cols_);
  max_ranks(run, out.max.data(), cols_);
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
  // Each kind of values has its own way. Where ranks have different ones, all of them leave their columns as they are.
  double kinds[] = {0, 0, 0};
  kinds[size_t(values_)] = 1;
  max_ranks(run, kinds, 3);
  if (values_ == Values::ones || kinds[0] + kinds[1] + kinds[2] > 1) {
    centred_ = true;
  } else if (values_ == Values::f64 && !sparse_) {
    centred_ = subtract_means(run);
  } else {
    centred_ = values_ == Values::f64 ? subtract_exactly<double>(run) : subtract_exactly<float>(run);
  }
  const bool done = centred_;
  if (run.interrupted()) *this = Matrix();  // some rows may be shifted and others not
  return done;
}

std::shared_ptr<Matrix> Matrix::centred(const Run& run) const {
  Lock lock(centred_file_->mutex);  // others wait for the first
  if (centred_file_->matrix && !run.over_ranks()) return centred_file_->matrix;
  auto matrix = std::shared_ptr<Matrix>(new Matrix);
  const CopyResult before = failure();
  matrix->rows_ = rows_;
  matrix->cols_ = matrix->width_ = cols_;
  matrix->stored_ = stored_;
  matrix->sparse_ = sparse_;
  matrix->values_ = values_;
  matrix->index_ = index_;
  matrix->file_ = file_;
  if (before.kind != CopyResult::ok || !matrix->centre(run) || run.interrupted() || failure().kind != CopyResult::ok)
    return nullptr;
  if (run.over_ranks()) return matrix;  // what is subtracted depends on the other ranks' rows
  return centred_file_->matrix = std::move(matrix);
}

bool Matrix::subtract_means(const Run& run) {
  ColumnStats stats;
  Buffer<double> zeros, shift;
  if (!zeros.allocate(cols_) || !shift.allocate(cols_)) return false;
  std::memset(zeros.data(), 0, cols_ * sizeof(double));
  if (!column_stats(run, nullptr, rows_, nullptr, zeros.data(), stats)) return false;
  if (run.interrupted()) return true;
  const double rows = sum_ranks(run, static_cast<double>(rows_));
  for (size_t j = 0; j < cols_; ++j) {
    // A sum that overflows leaves its column where it is.
    const double mean = stats.sum[j] / rows;
    shift[j] = mean - mean == 0 ? mean : 0;
  }
  const Partition parts = partition(rows_, stored_);
  parallel(run, in_file() ? 0 : parts.parts, [&](size_t p) {  // those of a file are shifted as they are read
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
bool Matrix::subtract_exactly(const Run& run) {
  if (rows_ == 0 && !run.over_ranks()) return true;
  struct Column {
    size_t number;
    T low, high;
  };
  // The columns that qualify by the rows seen so far. Few data have any: the search ends when none is left.
  size_t number = 0;
  Buffer<Column> found;
  if (!found.allocate(rows_ > 0 ? entries(0) : 0)) return false;
  // column(i, k): the column of entry k, which is in row i; begin(i): its first entry
  const auto search = [&](const T* values, size_t first, size_t end, size_t numbered, const auto& begin, const auto& column) {
    if (first + numbered == 0) {
      for (size_t k = begin(0); k < begin(0) + entries(0); ++k) {
        if (values[k] != 0) found[number++] = {column(0, k), values[k], values[k]};
      }
    }
    for (size_t i = first; i < end && number > 0; ++i) {
      if (i % 1024 == 0 && run.interrupted()) return;
      const size_t last = begin(i) + entries(i + numbered);
      size_t kept = 0;
      for (size_t c = 0, k = begin(i); c < number; ++c) {
        Column& at = found[c];
        while (k < last && column(i, k) < at.number) ++k;
        if (k == last) break;
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
  };
  // Calls body(values, begin, column) for rows of one form or another.
  const auto in_form = [&](const auto& rows, const auto& body) {
    if constexpr (std::is_same_v<std::decay_t<decltype(rows)>, DenseRows>) {
      const size_t cols = rows.cols;
      body(
          static_cast<const T*>(rows.x), [cols](size_t i) { return i * cols; },
          [cols](size_t i, size_t k) { return k - i * cols; });
    } else {
      const auto begin = [start = rows.start](size_t i) { return size_t(start[i]); };
      const auto by = [&](const auto* index) {
        body(static_cast<const T*>(rows.values), begin, [index](size_t, size_t k) { return size_t(index[k]); });
      };
      index_ == Index::u16 ? by(static_cast<const uint16_t*>(rows.index)) : by(static_cast<const uint32_t*>(rows.index));
    }
  };
  LoadedRows room;
  bool seen = true;
  in_row_stretches(run, nullptr, 0, rows_, [&](size_t from, size_t to) {
    if (from > 0 && number == 0) return;
    seen = false;
    const auto look = [&](const auto& rows, size_t first) {
      seen = true;
      in_form(rows, [&](const T* values, const auto& begin, const auto& column) {
        search(values, from - first, to - first, first, begin, column);
      });
    };
    with_rows(run, room, nullptr, from, to, 0, look, look);
  });
  if (run.over_ranks()) {
    // Of each column the largest -low and high of all ranks; infinite where it does not qualify. A rank without rows has no say.
    constexpr double inf = std::numeric_limits<double>::infinity();
    const double none = rows_ > 0 ? inf : -inf;
    Buffer<double> ends;
    if (!ends.allocate(2 * cols_)) return false;
    std::fill_n(ends.data(), 2 * cols_, none);
    for (size_t c = 0; c < number; ++c) {
      ends[found[c].number] = -static_cast<double>(found[c].low);
      ends[found[c].number + cols_] = static_cast<double>(found[c].high);
    }
    max_ranks(run, ends.data(), 2 * cols_);
    number = 0;
    if (!found.allocate(cols_)) return false;
    for (size_t j = 0; j < cols_; ++j) {
      const double low = -ends[j], high = ends[j + cols_];
      if (!std::isfinite(low) || !std::isfinite(high)) continue;
      if (low > 0 ? high / 2 <= low : high < 0 && low / 2 >= high) found[number++] = {j, static_cast<T>(low), static_cast<T>(high)};
    }
    seen = true;
  }
  if (number == 0 || !seen || run.interrupted()) return true;
  Buffer<double> shift;
  if (!shift.allocate(cols_)) return false;
  std::memset(shift.data(), 0, cols_ * sizeof(double));
  for (size_t c = 0; c < number; ++c) {
    const Column& at = found[c];
    shift[at.number] = std::min(std::max(static_cast<T>(at.low / 2 + at.high / 2), at.low), at.high);
  }
  const auto subtract = [&](const auto& rows, size_t) {
    in_form(rows, [&](const T* stored, const auto& begin, const auto& column) {
      T* const values = const_cast<T*>(stored);  // they are ours
      const Partition parts = partition(rows_, stored_);
      parallel(run, parts.parts, [&](size_t p) {
        const double* const by = shift.data();
        for (size_t i = parts.begin(p); i < parts.end(p); ++i) {
          const size_t end = begin(i) + entries(i);
          for (size_t k = begin(i); k < end; ++k) values[k] -= static_cast<T>(by[column(i, k)]);
        }
      });
    });
  };
  if (!in_file()) with_rows(run, room, nullptr, 0, rows_, 0, subtract, subtract);  // those of a file are shifted as they are read
  shift_ = std::move(shift);
  return true;
}

}  // namespace fista
