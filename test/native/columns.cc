// UsedColumns against a sorted set, and a matrix with many empty columns against the same matrix without them.
#include "columns.h"

#include <cmath>
#include <set>

#include "check.h"
#include "matrix.h"

using namespace fista;
using namespace check;

namespace {

void numbers(Random& random, size_t cols, size_t entries) {
  UsedColumns used;
  CHECK(used.init(cols));
  std::set<uint32_t> expected;
  for (size_t k = 0; k < entries; ++k) {
    // Close together, far apart, and at the ends.
    const uint32_t column = static_cast<uint32_t>(random.chance(0.1)   ? (random.chance(0.5) ? 0 : cols - 1)
                                                  : random.chance(0.5) ? random.below(cols < 300 ? cols : 300)
                                                                       : random.below(cols));
    CHECK(used.add(column));
    expected.insert(column);
  }
  CHECK(used.number() == expected.size());
  std::vector<uint32_t> list(expected.size());
  used.list(list.data());
  CHECK(list == std::vector<uint32_t>(expected.begin(), expected.end()));
  for (size_t j = 0; j < list.size(); ++j) CHECK(used.number_of(list[j]) == j);
}

// The products of rows whose columns are `apart` from each other equal those of the same rows with apart = 1.
void products(Random& random, const Run& run, uint32_t apart) {
  const size_t rows = 300, cols = 40;
  std::vector<uint32_t> start = {0}, narrow, wide;
  std::vector<double> values;
  for (size_t i = 0; i < rows; ++i) {
    for (uint32_t j = 0; j < cols; ++j) {
      if (j % 7 == 3 || random.chance(0.8)) continue;
      narrow.push_back(j);
      wide.push_back(j * apart);
      values.push_back(random.uniform());
    }
    start.push_back(static_cast<uint32_t>(narrow.size()));
  }
  Matrix N, W, R;
  CHECK(N.copy_sparse(run, start.data(), narrow.data(), Values::f64, values.data(), narrow.size(), rows, cols).kind ==
        CopyResult::ok);
  CHECK(W.copy_sparse(run, start.data(), wide.data(), Values::f64, values.data(), wide.size(), rows, cols * apart).kind ==
        CopyResult::ok);
  RawPoints raw;
  CHECK(raw.take_sparse(run, start.data(), wide.data(), Values::f64, values.data(), wide.size(), rows, cols * apart));
  CHECK(R.adopt(run, raw).kind == CopyResult::ok);
  CHECK(N.all_kept() && N.used() == nullptr && N.cols() == cols);
  CHECK(!W.all_kept() && W.cols() == cols - 6 && W.width() == cols * apart && W.index() == Index::u16);
  CHECK(R.cols() == W.cols() && R.width() == W.width() && R.bytes() == W.bytes());
  std::vector<double> w(cols + 1), kept(W.cols() + 1), a(rows), b(rows), c(rows);
  for (size_t j = 0; j < cols; ++j) w[j] = random.uniform();
  for (size_t j = 0; j < W.cols(); ++j) kept[j] = w[W.used()[j] / apart];
  N.multiply(run, w.data(), a.data());
  W.multiply(run, kept.data(), b.data());
  R.multiply(run, kept.data(), c.data());
  CHECK(b == c);
  for (size_t i = 0; i < rows; ++i) CHECK(std::fabs(a[i] - b[i]) <= 1e-14 * (1 + std::fabs(a[i])));
}

}  // namespace

int main() {
  Random random(5);
  for (const size_t cols : {1u, 64u, 4095u, 4096u, 4097u, 1000000u, 4294967295u}) {
    for (const size_t entries : {0u, 1u, 20u, 5000u}) numbers(random, cols, entries);
  }
  for (const Table* table : levels()) {
    for (const unsigned threads : {1u, 2u}) products(random, {table, threads}, 100003);
  }
  return report();
}
