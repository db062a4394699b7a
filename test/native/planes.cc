// Decisions of several planes: the bits of each plane alone, for every form of points, number of planes and cut of the work; the
// same defects as of one plane; and nothing written when something is wrong.
#include <algorithm>

#include "check.h"
#include "matrix.h"
#include "parallel.h"

using namespace fista;
using namespace check;

namespace {

// Points in one of the forms that Matrix reads.
struct Points {
  size_t rows, cols;
  Values kind;
  bool sparse;
  Guarded<uint32_t> start, index;
  Guarded<double> f64;
  Guarded<float> f32;

  const void* data() const {
    return kind == Values::f64 ? static_cast<const void*>(f64.data()) : kind == Values::f32 ? f32.data() : nullptr;
  }
  void set(size_t at, double value) {
    if (kind == Values::f64) f64[at] = value;
    if (kind == Values::f32) f32[at] = static_cast<float>(value);
  }
  size_t entries() const { return sparse ? index.size() : rows * cols; }
  CopyResult decide(const Run& run, const Planes& planes, double* out, size_t* bad) const {
    if (!sparse) return Matrix::decide_dense(run, kind, data(), rows, cols, planes, out, bad);
    return Matrix::decide_sparse(run, start.data(), index.data(), kind, data(), index.size(), rows, cols, planes, out, bad);
  }
  CopyResult copy(const Run& run, Matrix& X) const {
    if (!sparse) return X.copy_dense(run, kind, data(), rows, cols);
    return X.copy_sparse(run, start.data(), index.data(), kind, data(), index.size(), rows, cols);
  }
};

std::vector<double> numbers(Random& random, size_t n) {
  std::vector<double> list(n);
  for (double& x : list) x = random.uniform();
  return list;
}

Points dense(Random& random, size_t rows, size_t cols, Values kind) {
  const std::vector<double> values = numbers(random, rows * cols);
  const std::vector<float> rounded(values.begin(), values.end());
  return {rows, cols, kind, false, Guarded<uint32_t>(0), Guarded<uint32_t>(0), Guarded<double>(values), Guarded<float>(rounded)};
}

// Rows of up to `max` entries, some of them empty, in any of the columns.
Points sparse(Random& random, size_t rows, size_t cols, size_t max, Values kind) {
  std::vector<uint32_t> start = {0}, index;
  for (size_t i = 0; i < rows; ++i) {
    const size_t from = index.size();
    for (size_t k = cols == 0 ? 0 : random.below(std::min(max, cols) + 1); k > 0; --k) {
      index.push_back(static_cast<uint32_t>(random.below(cols)));
    }
    const auto begin = index.begin() + static_cast<std::ptrdiff_t>(from);
    std::sort(begin, index.end());
    index.erase(std::unique(begin, index.end()), index.end());
    start.push_back(static_cast<uint32_t>(index.size()));
  }
  const std::vector<double> values = numbers(random, index.size());
  const std::vector<float> rounded(values.begin(), values.end());
  return {
      rows, cols, kind, true, Guarded<uint32_t>(start), Guarded<uint32_t>(index), Guarded<double>(values), Guarded<float>(rounded)};
}

void agree(const Table* table, Random& random, const Points& x, size_t k) {
  check::at("%s, %zu planes, %s %zu x %zu, values %d", table->name, k, x.sparse ? "sparse" : "dense", x.rows, x.cols, int(x.kind));
  const size_t n = x.rows * k;
  const Guarded<double> w(numbers(random, k * x.cols)), bias(numbers(random, k));
  const Planes planes = {w.data(), bias.data(), k};
  Guarded<double> out(n), again(n), one(x.rows);
  size_t bad = 0;
  CHECK(x.decide({table, 1}, planes, out.data(), &bad).kind == CopyResult::ok && bad == x.rows);
  // As each plane alone.
  for (size_t q = 0; q<k; q += k> 100 ? 97 : 1) {
    CHECK(x.decide({table, 1}, {w.data() + q * x.cols, bias.data() + q, 1}, one.data(), &bad).kind == CopyResult::ok);
    bool same = bad == x.rows;
    for (size_t i = 0; i < x.rows; ++i) same = same && check::same_bits(&out[i * k + q], &one[i], 1);
    CHECK(same);
  }
  // By several threads, and of a copy.
  Matrix X;
  CHECK(x.copy({table, 2}, X).kind == CopyResult::ok);
  for (unsigned threads : check::kThreads) {
    CHECK(x.decide({table, threads}, planes, again.data(), &bad).kind == CopyResult::ok && bad == x.rows);
    CHECK(check::same_bits(again.data(), out.data(), n));
    std::fill(again.begin(), again.end(), kNaN);
    CHECK(X.decide({table, threads}, planes, again.data(), &bad).kind == CopyResult::ok && bad == x.rows);
    CHECK(check::same_bits(again.data(), out.data(), n));
  }
  // Rows from the middle on, by themselves.
  if (!x.sparse && x.rows > 1) {
    const size_t from = x.rows / 2, left = x.rows - from;
    const char* const data = static_cast<const char*>(x.data()) + from * x.cols * (x.kind == Values::f32 ? 4 : 8);
    CHECK(Matrix::decide_dense({table, 1}, x.kind, data, left, x.cols, planes, again.data(), &bad).kind == CopyResult::ok);
    CHECK(check::same_bits(again.data(), out.data() + from * k, left * k));
  }
}

// A value that is not finite, a column that is not there, a sum that overflows: each is found, and out stays as it was.
void refuse(const Run& run, Random& random, Points x, size_t k) {
  check::at("%s, %u threads, %zu planes, %s %zu x %zu, values %d", run.table->name, run.threads, k, x.sparse ? "sparse" : "dense",
            x.rows, x.cols, int(x.kind));
  const Guarded<double> w(numbers(random, k * x.cols));
  Guarded<double> bias(numbers(random, k)), out(x.rows * k);
  std::fill(out.begin(), out.end(), 7.0);
  const Planes planes = {w.data(), bias.data(), k};
  const auto untouched = [&] { return std::all_of(out.begin(), out.end(), [](double v) { return v == 7.0; }); };
  size_t bad = 0;
  for (const size_t at : {x.entries() - 1, x.entries() / 2, size_t(0)}) {
    if (x.kind == Values::ones) break;
    x.set(at, at % 2 ? kNaN : kInfinity);
    const CopyResult result = x.decide(run, planes, out.data(), &bad);
    CHECK(result.kind == CopyResult::not_finite && result.at == at && untouched());
  }
  if (x.sparse) {
    // The structure is wrong before the values are.
    x.index[x.entries() - 1] = static_cast<uint32_t>(x.cols);
    const CopyResult result = x.decide(run, planes, out.data(), &bad);
    CHECK(result.kind == CopyResult::bad_range && result.at == x.entries() - 1 && untouched());
  }
  if (x.sparse || x.kind != Values::f64) return;
  for (size_t at = 0; at < x.entries(); ++at) x.f64[at] = 0.5;
  bias[k - 1] = std::numeric_limits<double>::max();
  for (const size_t row : {x.rows - 1, x.rows / 3}) {
    // Every weight is below 1, so that only the last plane's sums can overflow.
    for (size_t j = 0; j < x.cols; ++j) {
      x.f64[row * x.cols + j] = std::copysign(std::numeric_limits<double>::max() / 2, w[(k - 1) * x.cols + j]) / double(x.cols);
    }
    CHECK(x.decide(run, planes, out.data(), &bad).kind == CopyResult::ok && bad == row && untouched());
  }
}

// Large numbers that do not overflow, and more of them than are kept back; out that is part of the points.
void large(const Run& run, Random& random) {
  check::at("%s, %u threads, large", run.table->name, run.threads);
  const size_t rows = 30000, cols = 40, k = 40;
  Points x = dense(random, rows, cols, Values::f64);
  const Guarded<double> w(numbers(random, k * cols)), bias(k);
  const Planes planes = {w.data(), bias.data(), k};
  Guarded<double> out(rows * k), again(rows * k);
  size_t bad = 0;
  CHECK(x.decide(run, planes, out.data(), &bad).kind == CopyResult::ok && bad == rows);
  const double most = 0x1p1000;  // a power of 2: sums have the same digits
  for (double& value : x.f64) value *= most;
  CHECK(x.decide(run, planes, again.data(), &bad).kind == CopyResult::ok && bad == rows);
  bool same = true;
  for (size_t i = 0; i < rows * k; ++i) same = same && again[i] == out[i] * most;
  CHECK(same);
  CHECK(x.decide(run, planes, x.f64.data(), &bad).kind == CopyResult::ok && bad == rows);
  CHECK(check::same_bits(x.f64.data(), again.data(), rows * k));
}

}  // namespace

int main() {
  retain_pool();
  for (const Table* table : check::levels()) {
    Random random(11);
    // Every remainder of columns, and of planes.
    for (size_t cols = 0; cols <= 70; ++cols) {
      for (Values kind : {Values::f64, Values::f32}) agree(table, random, dense(random, 1 + cols % 20, cols, kind), 2 + cols % 29);
    }
    for (size_t k = 1; k <= 60; ++k) {
      for (Values kind : {Values::f64, Values::f32}) agree(table, random, dense(random, 13, 37, kind), k);
      for (Values kind : {Values::f64, Values::f32, Values::ones}) agree(table, random, sparse(random, 30, 37, 20, kind), k);
    }
    for (Values kind : {Values::f64, Values::f32}) {
      for (size_t cols : {399, 401, 1499, 1500, 1501, 1507, 1600}) agree(table, random, dense(random, 15, cols, kind), 11);
      agree(table, random, dense(random, 0, 5, kind), 3);
      agree(table, random, dense(random, 9000, 70, kind), 13);  // blocks, and prefetching
      agree(table, random, dense(random, 3, 40, kind), 20000);  // weights packed in several goes
    }
    for (Values kind : {Values::f64, Values::f32, Values::ones}) {
      agree(table, random, sparse(random, 0, 5, 3, kind), 3);
      agree(table, random, sparse(random, 5, 0, 3, kind), 3);
      agree(table, random, sparse(random, 4000, 50, 30, kind), 19);
      agree(table, random, sparse(random, 500, 66000, 400, kind), 9);  // 32-bit columns
      agree(table, random, sparse(random, 20, 66000, 30, kind), 9);    // fewer entries than columns
      agree(table, random, sparse(random, 20, 1 << 20, 30, kind), 5);  // columns that are dropped
      agree(table, random, sparse(random, 70, 40, 30, kind), 20000);
    }
    for (unsigned threads : {1u, 3u}) {
      const Run run = {table, threads};
      for (Values kind : {Values::f64, Values::f32, Values::ones}) {
        for (size_t k : {2, 9, 40}) {
          if (kind != Values::ones) refuse(run, random, dense(random, 40, 20, kind), k);
          refuse(run, random, sparse(random, 300, 20, 15, kind), k);
        }
        if (kind != Values::ones) refuse(run, random, dense(random, 28000, 20, kind), 40);
        refuse(run, random, sparse(random, 28000, 20, 15, kind), 40);
      }
      large(run, random);
    }
  }
  release_pool();
  return check::report();
}
