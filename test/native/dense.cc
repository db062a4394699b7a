// Dense X.w and X'u, f64 and f32, against sums in twice the precision.
#include "check.h"
#include "matrix.h"
#include "parallel.h"

using namespace fista;
using namespace check;

namespace {

template <typename T>
constexpr size_t kKind = sizeof(T) == sizeof(float);

// A sum of m products, each rounded at most once, errs by at most m units of the sum of magnitudes, in any order of addition.
double bound(size_t m, const Exact& sum) { return static_cast<double>(m + 1) * kUnit * sum.magnitude; }

template <typename T>
void fill(Random& random, Guarded<T>& to) {
  for (T& x : to) x = static_cast<T>(random.uniform());
}

template <typename T>
void multiply(const Table& table, Random& random, size_t rows, size_t cols) {
  check::at("%s multiply f%zu, %zu x %zu", table.name, 8 * sizeof(T), rows, cols);
  Guarded<T> x(rows * cols);
  Guarded<double> w(cols), out(rows), alone(1);
  fill(random, x);
  fill(random, w);
  CHECK(table.dense_multiply[kKind<T>]({x.data(), cols, nullptr, 0, rows}, w.data(), out.data()) == rows * cols);
  for (size_t i = 0; i < rows; ++i) {
    Exact sum;
    for (size_t j = 0; j < cols; ++j) sum.add_product(x[i * cols + j], w[j]);
    CHECK_NEAR(out[i], sum.value(), bound(cols, sum));
    // The same row alone gives the same bits: rows may be split anywhere.
    table.dense_multiply[kKind<T>]({x.data() + i * cols, cols, nullptr, 0, 1}, w.data(), alone.data());
    CHECK(check::same_bits(&out[i], alone.data(), 1));
  }
}

template <typename T>
void transposed(const Table& table, Random& random, size_t rows, size_t cols, double zeros) {
  check::at("%s transposed f%zu, %zu x %zu, zeros %g", table.name, 8 * sizeof(T), rows, cols, zeros);
  Guarded<T> x(rows * cols);
  Guarded<double> u(rows), out(cols);
  fill(random, x);
  fill(random, u);
  fill(random, out);
  for (size_t i = 0; i < rows; ++i) {
    if (!random.chance(zeros)) continue;
    u[i] = i % 2 ? 0.0 : -0.0;
    for (size_t j = 0; j < cols; ++j) x[i * cols + j] = static_cast<T>(kNaN);  // must not be read
  }
  std::vector<Exact> sums;
  for (size_t j = 0; j < cols; ++j) {
    sums.emplace_back(out[j]);
    for (size_t i = 0; i < rows; ++i) {
      if (u[i] != 0) sums[j].add_product(u[i], x[i * cols + j]);
    }
  }
  table.dense_combine[kKind<T>]({x.data(), cols, nullptr, 0, rows}, u.data(), out.data());
  for (size_t j = 0; j < cols; ++j) CHECK_NEAR(out[j], sums[j].value(), bound(rows + 1, sums[j]));
}

// Through Matrix, split among threads: right, and the same bits for every number of threads.
template <typename T>
void parts(const Table& table, Random& random, size_t rows, size_t cols) {
  check::at("%s Matrix f%zu, %zu x %zu", table.name, 8 * sizeof(T), rows, cols);
  Guarded<T> x(rows * cols);
  fill(random, x);
  Matrix X;
  CHECK(X.copy_dense({&table, 1}, kKind<T> ? Values::f32 : Values::f64, x.data(), rows, cols).kind == CopyResult::ok);
  CHECK(X.rows() == rows && X.cols() == cols && X.stored() == rows * cols && !X.sparse());
  Guarded<double> w(cols + 1), u(rows), Xw(rows), Xu(cols), scratch(X.scratch_size()), again(rows > cols ? rows : cols);
  fill(random, w);
  fill(random, u);
  w[cols] = 0;
  for (size_t i = 0; i < rows; i += 5) u[i] = 0;
  X.multiply({&table, 1}, w.data(), Xw.data());
  X.multiply_transposed({&table, 1}, u.data(), Xu.data(), scratch.data());

  std::vector<Exact> columns(cols);
  Exact one, other;  // <Xw, u> = <w, X'u>
  for (size_t i = 0; i < rows; ++i) {
    Exact row;
    for (size_t j = 0; j < cols; ++j) {
      row.add_product(x[i * cols + j], w[j]);
      columns[j].add_product(x[i * cols + j], u[i]);
    }
    CHECK_NEAR(Xw[i], row.value(), bound(cols, row));
    one.add_product(Xw[i], u[i]);
  }
  double magnitude = 0;
  for (size_t j = 0; j < cols; ++j) {
    CHECK_NEAR(Xu[j], columns[j].value(), bound(rows, columns[j]));
    other.add_product(Xu[j], w[j]);
    magnitude += columns[j].magnitude * std::fabs(w[j]);
  }
  CHECK_NEAR(one.value(), other.value(), static_cast<double>(rows + cols + 2) * kUnit * magnitude);

  for (unsigned threads : check::kThreads) {
    for (double& s : scratch) s = kNaN;
    X.multiply({&table, threads}, w.data(), again.data());
    CHECK(check::same_bits(again.data(), Xw.data(), rows));
    X.multiply_transposed({&table, threads}, u.data(), again.data(), scratch.data());
    CHECK(check::same_bits(again.data(), Xu.data(), cols));
  }
}

template <typename T>
void all(const Table& table) {
  Random random(7);
  // Up to 140 columns: every remainder, and widths around 12 and 16 vectors of 2, 4 and 8, where X'u no longer stays in registers.
  for (size_t cols = 0; cols <= 140; ++cols) {
    for (size_t rows : {0, 1, 3, 12}) {
      multiply<T>(table, random, rows, cols);
      transposed<T>(table, random, rows, cols, rows == 3 ? 0.5 : 0);
    }
  }
  // From about 1500 columns on, rows are processed 12 at a time.
  for (size_t cols : {1490, 1496, 1499, 1500, 1501, 1502, 1503, 1504, 1505, 1507, 1512, 1600}) {
    for (size_t rows : {0, 1, 2, 11, 12, 13, 24, 25}) {
      multiply<T>(table, random, rows, cols);
      transposed<T>(table, random, rows, cols, 0);
      transposed<T>(table, random, rows, cols, 0.4);
    }
  }
  for (size_t rows : {1, 11, 12, 13}) transposed<T>(table, random, rows, 1501, 1);  // nothing to add
  parts<T>(table, random, 0, 0);
  parts<T>(table, random, 0, 5);
  parts<T>(table, random, 5, 0);
  parts<T>(table, random, 1, 1);
  parts<T>(table, random, 70001, 3);
  parts<T>(table, random, 701, 301);
  parts<T>(table, random, 130, 1601);
  parts<T>(table, random, 2, 80000);
}

}  // namespace

int main() {
  retain_pool();
  for (const Table* table : check::levels()) {
    all<double>(*table);
    all<float>(*table);
  }
  release_pool();
  return check::report();
}
