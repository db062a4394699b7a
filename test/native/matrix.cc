// Copying data: every defect and its position, the compact form that is chosen, and no reads past the end.
#include "matrix.h"

#include <cmath>
#include <limits>

#include "check.h"
#include "parallel.h"

using namespace fista;
using namespace check;

namespace {

bool empty(const Matrix& X) { return X.rows() == 0 && X.cols() == 0 && X.stored() == 0 && X.bytes() == 0; }

bool is(const CopyResult& result, CopyResult::Kind kind, size_t row, size_t at) {
  if (result.kind == kind && result.row == row && result.at == at) return true;
  std::fprintf(stderr, "received kind %d, row %zu, at %zu; expected kind %d, row %zu, at %zu\n", int(result.kind), result.row,
               result.at, int(kind), row, at);
  return false;
}

// Entry j of row i, read as X.w with a unit vector.
double entry(const Run& run, const Matrix& X, size_t i, size_t j) {
  Guarded<double> w(X.cols() + 1), out(X.rows());
  w[j] = 1;
  X.multiply(run, w.data(), out.data());
  return out[i];
}

template <typename T>
void dense_not_finite(const Run& run, Values kind) {
  const std::vector<double> wrong = {kNaN, -kNaN, kInfinity, -kInfinity};
  // Small: every position. Large: split among threads and chunks; the first of several is reported, whichever thread finds it.
  for (size_t n = 1; n <= 40; ++n) {
    for (size_t bad = 0; bad < n; ++bad) {
      Guarded<T> data(n);
      data[bad] = static_cast<T>(wrong[bad % 4]);
      Matrix X;
      CHECK(is(X.copy_dense(run, kind, data.data(), 1, n), CopyResult::not_finite, 0, bad));
      CHECK(empty(X));
    }
  }
  Guarded<T> data(120 * 1000);
  for (size_t bad : {119999, 119998, 80001, 32768, 32767, 2048, 2047, 1, 0}) {
    data[bad] = static_cast<T>(wrong[bad % 4]);
    Matrix X;
    CHECK(is(X.copy_dense(run, kind, data.data(), 120, 1000), CopyResult::not_finite, 0, bad));
  }
}

template <typename T>
void dense(const Run& run, Values kind) {
  check::at("%s, %u threads, dense f%zu", run.table->name, run.threads, 8 * sizeof(T));
  dense_not_finite<T>(run, kind);
  {
    Matrix X;
    CHECK(is(X.copy_dense(run, kind, nullptr, SIZE_MAX / 2, 1), CopyResult::out_of_memory, 0, 0));
    CHECK(empty(X));
  }
  // The largest and smallest numbers are accepted; the copy does not change with the original.
  const T max = std::numeric_limits<T>::max(), min = std::numeric_limits<T>::denorm_min();
  Guarded<T> data(6);
  const T values[6] = {max, -max, min, -T(0), 1, -min};
  for (size_t i = 0; i < 6; ++i) data[i] = values[i];
  Matrix X;
  CHECK(is(X.copy_dense(run, kind, data.data(), 2, 3), CopyResult::ok, 0, 0));
  CHECK(X.values() == kind && X.bytes() == 6 * sizeof(T));
  for (T& x : data) x = 7;
  for (size_t i = 0; i < 6; ++i) {
    CHECK(entry(run, X, i / 3, i % 3) == static_cast<double>(values[i]));
  }
  // A second copy, smaller and of the other kind, replaces the first.
  Guarded<float> other(1);
  CHECK(is(X.copy_dense(run, Values::f32, other.data(), 1, 1), CopyResult::ok, 0, 0));
  CHECK(X.rows() == 1 && X.cols() == 1 && X.stored() == 1 && X.bytes() == sizeof(float));
}

struct Csr {
  std::vector<uint32_t> start, index;
  size_t cols;
};

CopyResult copy(const Run& run, Matrix& X, const Csr& m, Values kind, const std::vector<double>& values) {
  const Guarded<uint32_t> start(m.start), index(m.index);
  const Guarded<double> f64(values);
  const std::vector<float> rounded(values.begin(), values.end());
  const Guarded<float> f32(rounded);
  const void* data = kind == Values::f64 ? static_cast<const void*>(f64.data()) : kind == Values::f32 ? f32.data() : nullptr;
  return X.copy_sparse(run, start.data(), index.data(), kind, data, m.index.size(), m.start.size() - 1, m.cols);
}

void structure(const Run& run) {
  check::at("%s, %u threads, structure", run.table->name, run.threads);
  const std::vector<double> ones(5, 1.0);
  const auto expect = [&](const Csr& m, CopyResult::Kind kind, size_t row, size_t at) {
    for (Values values : {Values::f64, Values::f32, Values::ones}) {
      Matrix X;
      CHECK(is(copy(run, X, m, values, ones), kind, row, at));
      if (kind != CopyResult::ok) CHECK(empty(X));
    }
  };
  const std::vector<uint32_t> columns = {0, 2, 5, 1, 3};
  expect({{0, 3, 3, 5}, columns, 6}, CopyResult::ok, 0, 0);
  expect({{0, 3, 3, 4}, columns, 6}, CopyResult::ok, 0, 0);  // one entry more than the rows use
  expect({{0}, {}, 6}, CopyResult::ok, 0, 0);
  expect({{0, 0}, {}, 0}, CopyResult::ok, 0, 0);

  expect({{1, 3, 3, 5}, columns, 6}, CopyResult::bad_start, 0, 0);
  expect({{5}, columns, 6}, CopyResult::bad_start, 0, 0);
  expect({{0, 3, 2, 5}, columns, 6}, CopyResult::bad_start, 1, 2);
  expect({{0, 3, 3, 6}, columns, 6}, CopyResult::bad_start, 2, 3);
  expect({{0, 6, 5, 5}, columns, 6}, CopyResult::bad_start, 0, 1);
  expect({{0, 0xffffffff, 3, 5}, columns, 6}, CopyResult::bad_start, 0, 1);
  expect({{0, 1}, {}, 6}, CopyResult::bad_start, 0, 1);

  expect({{0, 3, 3, 5}, columns, 5}, CopyResult::bad_range, 0, 2);
  expect({{0, 3, 3, 5}, {0, 2, 5, 1, 6}, 6}, CopyResult::bad_range, 2, 4);
  expect({{0, 3, 3, 5}, {0, 0xffffffff, 5, 1, 3}, 6}, CopyResult::bad_range, 0, 1);  // -1
  expect({{0, 3, 3, 5}, {65536, 65537, 65538, 1, 3}, 65535}, CopyResult::bad_range, 0, 0);
  expect({{0, 1}, {0}, 0}, CopyResult::bad_range, 0, 0);

  expect({{0, 3, 3, 5}, {0, 2, 2, 1, 3}, 6}, CopyResult::bad_order, 0, 2);
  expect({{0, 3, 3, 5}, {0, 2, 5, 3, 1}, 6}, CopyResult::bad_order, 2, 4);
  expect({{0, 3, 3, 5}, {2, 0, 9, 1, 3}, 6}, CopyResult::bad_order, 0, 1);  // the first of two defects
}

void sparse_values(const Run& run) {
  check::at("%s, %u threads, sparse values", run.table->name, run.threads);
  const Csr m = {{0, 3, 3, 5}, {0, 2, 5, 1, 3}, 6};
  const auto form = [&](Values given, const std::vector<double>& values, Values wanted) {
    Matrix X;
    CHECK(is(copy(run, X, m, given, values), CopyResult::ok, 0, 0));
    CHECK(X.values() == wanted);
    for (size_t k = 0; k < 5; ++k) CHECK(entry(run, X, k < 3 ? 0 : 2, m.index[k]) == (given == Values::ones ? 1 : values[k]));
    CHECK(entry(run, X, 1, 0) == 0);
  };
  form(Values::ones, {}, Values::ones);
  form(Values::f64, {1, 1, 1, 1, 1}, Values::ones);
  form(Values::f32, {1, 1, 1, 1, 1}, Values::ones);
  form(Values::f64, {1, 1, 1, 1, 0.5}, Values::f32);
  form(Values::f32, {1, 1, 1, 1, 0.5}, Values::f32);
  form(Values::f64, {1, 1, 1, 1, 0.1}, Values::f64);
  form(Values::f64, {1, 1, 1, 1, 1e39}, Values::f64);   // too large for a float
  form(Values::f64, {1, 1, 1, 1, 1e-46}, Values::f64);  // too small for a float
  form(Values::f64, {1, -1, 0, -0.0, 3e38f}, Values::f32);

  for (double wrong : {kNaN, kInfinity, -kInfinity}) {
    for (double neighbour : {1.0, 0.5, 0.1}) {  // one for each compact form
      for (size_t bad = 0; bad < 5; ++bad) {
        std::vector<double> values(5, neighbour);
        values[bad] = wrong;
        for (Values given : {Values::f64, Values::f32}) {
          Matrix X;
          CHECK(is(copy(run, X, m, given, values), CopyResult::not_finite, 0, bad));
          CHECK(empty(X));
        }
      }
    }
  }
  // Entries that no row uses are not checked.
  Matrix X;
  CHECK(is(copy(run, X, {{0, 3, 3, 4}, m.index, 6}, Values::f64, {1, 1, 1, 1, kNaN}), CopyResult::ok, 0, 0));
  CHECK(X.stored() == 4 && X.values() == Values::ones);

  // Many entries, split among threads: the first bad one is reported.
  Random random(3);
  Csr large = {{0}, {}, 1000};
  std::vector<double> values;
  for (size_t i = 0; i < 200; ++i) {
    for (uint32_t j = i % 2; j < 1000; j += 2) {
      large.index.push_back(j);
      values.push_back(random.uniform());
    }
    large.start.push_back(static_cast<uint32_t>(large.index.size()));
  }
  Matrix Y;
  CHECK(is(copy(run, Y, large, Values::f64, values), CopyResult::ok, 0, 0));
  for (size_t bad : {99999, 50000, 2049, 3}) {
    values[bad] = kInfinity;
    CHECK(is(copy(run, Y, large, Values::f64, values), CopyResult::not_finite, 0, bad));
    CHECK(is(copy(run, Y, large, Values::f32, values), CopyResult::not_finite, 0, bad));
  }
}

// X.w of data in place equals that of a copy, and nothing is read past the end of the data.
template <typename T>
void in_place(const Run& run, Values kind) {
  check::at("%s, %u threads, in place, values %d", run.table->name, run.threads, int(kind));
  Random random(9);
  const double zero[1] = {0};
  for (size_t rows : {size_t(1), size_t(2), size_t(5), size_t(130), size_t(1000)}) {
    for (size_t cols : {size_t(1), size_t(3), size_t(40)}) {
      Guarded<uint32_t> start(rows + 1);
      std::vector<uint32_t> columns;
      for (size_t i = 0; i < rows; ++i) {
        for (uint32_t j = 0; j < cols; ++j) {
          if (random.uniform() < 0.3) columns.push_back(j);
        }
        start[i + 1] = static_cast<uint32_t>(columns.size());
      }
      const size_t entries = columns.size();
      Guarded<uint32_t> index(entries);
      Guarded<T> values(entries), dense(rows * cols);
      Guarded<double> w(cols + 1), direct(rows), copied(rows);
      for (size_t k = 0; k < entries; ++k) index[k] = columns[k];
      for (size_t k = 0; k < entries; ++k) values[k] = static_cast<T>(random.uniform() - 0.5);
      for (size_t k = 0; k < rows * cols; ++k) dense[k] = static_cast<T>(random.uniform() - 0.5);
      for (size_t j = 0; j < cols; ++j) w[j] = random.uniform() - 0.5;
      Matrix X;
      size_t bad = 0;
      CHECK(is(Matrix::decide_sparse(run, start.data(), index.data(), kind, values.data(), entries, rows, cols, {w.data(), zero, 1},
                                     direct.data(), &bad),
               CopyResult::ok, 0, 0));
      CHECK(is(X.copy_sparse(run, start.data(), index.data(), kind, values.data(), entries, rows, cols), CopyResult::ok, 0, 0));
      X.multiply(run, w.data(), copied.data());
      CHECK(check::same_bits(direct.data(), copied.data(), rows));
      if (kind == Values::ones) continue;
      CHECK(is(Matrix::decide_dense(run, kind, dense.data(), rows, cols, {w.data(), zero, 1}, direct.data(), &bad), CopyResult::ok,
               0, 0));
      CHECK(is(X.copy_dense(run, kind, dense.data(), rows, cols), CopyResult::ok, 0, 0));
      X.multiply(run, w.data(), copied.data());
      for (size_t i = 0; i < rows; ++i) CHECK(direct[i] == copied[i]);
      if (entries == 0) continue;
      // The first defect is reported, and a bad column index is not used.
      values[entries / 2] = static_cast<T>(kNaN);
      CHECK(is(Matrix::decide_sparse(run, start.data(), index.data(), kind, values.data(), entries, rows, cols, {w.data(), zero, 1},
                                     direct.data(), &bad),
               CopyResult::not_finite, 0, entries / 2));
      index[entries - 1] = 0xffffffffu;
      size_t row = 0;
      while (start[row + 1] < entries) ++row;
      CHECK(is(Matrix::decide_sparse(run, start.data(), index.data(), kind, values.data(), entries, rows, cols, {w.data(), zero, 1},
                                     direct.data(), &bad),
               CopyResult::bad_range, row, entries - 1));
    }
  }
}

// Decisions of a matrix of one column: the first sum that overflows, with the bias or before it, is reported.
void decisions(const Run& run) {
  check::at("%s, %u threads, decisions", run.table->name, run.threads);
  const double max = std::numeric_limits<double>::max(), half = 0.5, w[1] = {1};
  for (size_t n : {size_t(1), size_t(9), size_t(1000), size_t(200000)}) {
    Guarded<double> x(n), out(n);
    for (size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i);
    Matrix X;
    CHECK(is(X.copy_dense(run, Values::f64, x.data(), n, 1), CopyResult::ok, 0, 0));
    size_t found = 0;
    CHECK(X.decide(run, {w, &half, 1}, out.data(), &found).kind == CopyResult::ok && found == n);
    bool right = true;
    for (size_t i = 0; i < n; ++i) right = right && out[i] == static_cast<double>(i) + 0.5;
    CHECK(right);
    for (size_t bad : {n - 1, n / 2, n / 3}) {
      x[bad] = max;
      CHECK(is(Matrix::decide_dense(run, Values::f64, x.data(), n, 1, {w, &max, 1}, out.data(), &found), CopyResult::ok, 0, 0));
      CHECK(found == bad);
      CHECK(is(X.copy_dense(run, Values::f64, x.data(), n, 1), CopyResult::ok, 0, 0));
      CHECK(X.decide(run, {w, &max, 1}, out.data(), &found).kind == CopyResult::ok && found == bad);
    }
  }
}

// Sums by column about a centre, and squared norms of rows, of what is stored.
void statistics(const Run& run, Values kind) {
  const Csr m = {{0, 3, 3, 5}, {0, 2, 4, 1, 2}, 6};
  const std::vector<double> values = kind == Values::ones ? std::vector<double>(5, 1) : std::vector<double>{2, -3, 1, 4, 5};
  Matrix X;
  CHECK(is(copy(run, X, m, kind, values), CopyResult::ok, 0, 0));
  const Guarded<double> centre(std::vector<double>{1, 0, 0.5, 0, 0, 0});
  Matrix::ColumnStats stats;
  CHECK(X.column_stats(run, nullptr, 3, nullptr, centre.data(), stats));
  for (size_t j = 0; j < 6; ++j) {
    double sum = 0, square = 0, max = 0, number = 0;
    for (size_t k = 0; k < 5; ++k) {
      if (m.index[k] != j) continue;
      sum += values[k] - centre[j];
      square += (values[k] - centre[j]) * (values[k] - centre[j]);
      max = std::fmax(max, std::fabs(values[k]));
      number += 1;
    }
    CHECK(stats.sum[j] == sum && stats.square[j] == square && stats.max[j] == max && stats.number[j] == number);
  }
  Guarded<double> norms(3);
  X.row_norms(run, nullptr, 3, nullptr, norms.data());
  for (size_t i = 0; i < 3; ++i) {
    double square = 0;
    for (size_t k = m.start[i]; k < m.start[i + 1]; ++k) square += values[k] * values[k];
    CHECK(norms[i] == square);
  }
}

// Columns of one sign within a factor of 2, and without zeros, are stored minus a number among their entries, exactly; others as
// they are. Column 0 qualifies from above 0, column 1 from below; column 2 has a zero, column 3 both signs, column 4 a factor of 4.
void shifted(const Run& run, Values kind, bool sparse, size_t cols = 5) {
  const std::vector<double> rows = {1e6 + 1, -3, 0, 1,  1,   //
                                    1e6,     -4, 5, -1, 4,   //
                                    1e6 + 7, -5, 5, 1,  2};  //
  Matrix X;
  if (sparse) {
    // The zero of column 2 is not stored.
    const Csr m = {{0, 4, 9, 14}, {0, 1, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4}, cols};
    std::vector<double> values = rows;
    values.erase(values.begin() + 2);
    CHECK(is(copy(run, X, m, kind, values), CopyResult::ok, 0, 0));
  } else {
    const std::vector<float> rounded(rows.begin(), rows.end());
    const Guarded<float> f32(rounded);
    CHECK(is(X.copy_dense(run, kind, f32.data(), 3, 5), CopyResult::ok, 0, 0));
  }
  CHECK(X.centre(run));
  CHECK(X.centre(run));  // once is enough
  const double* const shift = X.shift();
  CHECK(shift != nullptr);
  CHECK(shift[0] >= 1e6 && shift[0] <= 1e6 + 7 && shift[1] >= -5 && shift[1] <= -3);
  CHECK(shift[2] == 0 && shift[3] == 0 && shift[4] == 0);
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 5; ++j) CHECK(entry(run, X, i, j) + shift[j] == rows[5 * i + j]);
  }
}

}  // namespace

int main() {
  retain_pool();
  for (const Table* table : check::levels()) {
    for (unsigned threads : check::kThreads) {
      const Run run = {table, threads};
      dense<double>(run, Values::f64);
      dense<float>(run, Values::f32);
      structure(run);
      sparse_values(run);
      in_place<double>(run, Values::f64);
      in_place<float>(run, Values::f32);
      in_place<double>(run, Values::ones);
      decisions(run);
      for (Values kind : {Values::f64, Values::f32, Values::ones}) statistics(run, kind);
      shifted(run, Values::f32, false);
      shifted(run, Values::f32, true);
      shifted(run, Values::f64, true);
      shifted(run, Values::f64, true, 70000);  // 32-bit indices
    }
  }
  release_pool();
  return check::report();
}
