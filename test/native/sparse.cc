// CSR X.w and X'u, with 16- and 32-bit column indices and f64, f32 or no values, against sums in twice the precision.
#include <string>

#include "check.h"
#include "matrix.h"
#include "parallel.h"

using namespace fista;
using namespace check;

namespace {

struct Rows {
  std::vector<uint32_t> start{0}, index;
  std::vector<double> values;
  size_t cols;
  size_t rows() const { return start.size() - 1; }
};

// Row i has length(i) distinct ascending columns, and values that are f64, f32 or ones.
template <typename Length>
Rows random_rows(Random& random, size_t rows, size_t cols, Values kind, Length length) {
  Rows m;
  m.cols = cols;
  for (size_t i = 0; i < rows; ++i) {
    const size_t wanted = length(i);
    size_t j = 0;
    for (size_t left = wanted; left > 0; --left, ++j) {
      j += random.below((cols - j - left) / left + 1);
      m.index.push_back(static_cast<uint32_t>(j));
      const double v = random.uniform();
      m.values.push_back(kind == Values::ones ? 1 : kind == Values::f32 ? static_cast<float>(v) : v);
    }
    m.start.push_back(static_cast<uint32_t>(m.index.size()));
  }
  return m;
}

double bound(size_t m, const Exact& sum) { return static_cast<double>(m + 1) * kUnit * sum.magnitude; }

// The inner loops, on arrays that end four entries past the last, as table.h requires.
template <typename I>
void loops(const Table& table, Random& random, Index index_kind, Values kind, const Rows& m) {
  const size_t stored = m.index.size(), rows = m.rows();
  Guarded<I> index(stored + 4);
  Guarded<double> f64(stored + 4), w(m.cols + 1), u(rows), out(rows), sums(m.cols + 1);
  Guarded<float> f32(stored + 4);
  for (size_t k = 0; k < stored; ++k) {
    index[k] = static_cast<I>(m.index[k]);
    f64[k] = m.values[k];
    f32[k] = static_cast<float>(m.values[k]);
  }
  for (size_t j = 0; j < m.cols; ++j) w[j] = random.uniform();
  for (size_t i = 0; i < rows; ++i) u[i] = random.chance(0.2) ? 0 : random.uniform();
  for (double& s : sums) s = random.uniform();
  const void* values = kind == Values::f64 ? static_cast<const void*>(f64.data()) : kind == Values::f32 ? f32.data() : nullptr;

  std::vector<Exact> columns;
  for (size_t j = 0; j < m.cols; ++j) columns.emplace_back(sums[j]);
  // All rows, and the same rows in two parts.
  for (size_t middle : {rows, rows / 2}) {
    const SparseRows first = {m.start.data(), index.data(), values, m.cols, nullptr, 0, middle};
    const SparseRows second = {m.start.data(), index.data(), values, m.cols, nullptr, middle, rows};
    table.sparse_multiply[size_t(index_kind)][size_t(kind)](first, w.data(), out.data());
    table.sparse_multiply[size_t(index_kind)][size_t(kind)](second, w.data(), out.data());
    for (size_t i = 0; i < rows; ++i) {
      Exact sum;
      for (size_t k = m.start[i]; k < m.start[i + 1]; ++k) sum.add_product(m.values[k], w[m.index[k]]);
      CHECK_NEAR(out[i], sum.value(), bound(m.start[i + 1] - m.start[i] + 4, sum));
    }
  }
  const SparseRows all = {m.start.data(), index.data(), values, m.cols, nullptr, 0, rows};
  table.sparse_combine[size_t(index_kind)][size_t(kind)](all, u.data(), sums.data());
  for (size_t i = 0; i < rows; ++i) {
    for (size_t k = m.start[i]; k < m.start[i + 1]; ++k) columns[m.index[k]].add_product(m.values[k], u[i]);
  }
  for (size_t j = 0; j < m.cols; ++j) CHECK_NEAR(sums[j], columns[j].value(), bound(rows + 1, columns[j]));
}

// Through Matrix, split among threads: right, and the same bits for every number of threads.
void parts(const Table& table, Random& random, Values kind, const Rows& m) {
  const size_t rows = m.rows();
  Guarded<uint32_t> start(m.start), index(m.index);
  Guarded<double> values(m.values);
  Matrix X;
  CHECK(X.copy_sparse({&table, 2}, start.data(), index.data(), Values::f64, values.data(), index.size(), rows, m.cols).kind ==
        CopyResult::ok);
  CHECK(X.sparse() && X.rows() == rows && X.cols() == m.cols && X.stored() == m.index.size());
  if (!m.index.empty()) CHECK(X.values() == kind);
  CHECK(X.index() == (m.cols < 65536 ? Index::u16 : Index::u32));
  Guarded<double> w(m.cols + 1), u(rows), Xw(rows), Xu(m.cols), scratch(X.scratch_size()), again(rows > m.cols ? rows : m.cols);
  for (double& x : w) x = random.uniform();
  for (double& x : u) x = random.chance(0.2) ? 0 : random.uniform();
  w[m.cols] = 0;
  X.multiply({&table, 1}, w.data(), Xw.data());
  X.multiply_transposed({&table, 1}, u.data(), Xu.data(), scratch.data());
  std::vector<Exact> columns(m.cols);
  for (size_t i = 0; i < rows; ++i) {
    Exact row;
    for (size_t k = m.start[i]; k < m.start[i + 1]; ++k) {
      row.add_product(m.values[k], w[m.index[k]]);
      columns[m.index[k]].add_product(m.values[k], u[i]);
    }
    CHECK_NEAR(Xw[i], row.value(), bound(m.start[i + 1] - m.start[i] + 4, row));
  }
  for (size_t j = 0; j < m.cols; ++j) CHECK_NEAR(Xu[j], columns[j].value(), bound(rows + 16, columns[j]));
  for (unsigned threads : check::kThreads) {
    for (double& s : scratch) s = kNaN;
    X.multiply({&table, threads}, w.data(), again.data());
    CHECK(check::same_bits(again.data(), Xw.data(), rows));
    X.multiply_transposed({&table, threads}, u.data(), again.data(), scratch.data());
    CHECK(check::same_bits(again.data(), Xu.data(), m.cols));
  }
}

}  // namespace

int main() {
  retain_pool();
  for (const Table* table : check::levels()) {
    Random random(11);
    for (Values kind : {Values::f64, Values::f32, Values::ones}) {
      const auto run = [&](const char* what, const Rows& m) {
        check::at("%s %s, %zu x %zu, values %d", table->name, what, m.rows(), m.cols, int(kind));
        if (m.cols < 65536) loops<uint16_t>(*table, random, Index::u16, kind, m);
        loops<uint32_t>(*table, random, Index::u32, kind, m);
        parts(*table, random, kind, m);
      };
      const auto shape = [&](size_t rows, size_t cols, auto length) { return random_rows(random, rows, cols, kind, length); };
      run("no rows", shape(0, 7, [](size_t) { return 0; }));
      run("no columns", shape(9, 0, [](size_t) { return 0; }));
      run("empty rows", shape(9, 3, [](size_t) { return 0; }));
      run("one entry", shape(1, 1, [](size_t) { return 1; }));
      run("every length to 21", shape(22, 40, [](size_t i) { return i; }));
      run("every length from 21", shape(22, 40, [](size_t i) { return 21 - i; }));
      run("full rows", shape(13, 31, [](size_t) { return 31; }));
      // The largest number of columns with 16-bit indices (one index is reserved for the zero past the end), and one more.
      run("last of 16 bits", shape(50, 65535, [](size_t i) { return i % 9; }));
      run("first of 32 bits", shape(50, 65536, [](size_t i) { return i % 9; }));
      run("many columns", shape(300, 100003, [&](size_t) { return random.below(900); }));
      run("many rows", shape(20000, 97, [&](size_t) { return random.below(14); }));
      run("uneven rows", shape(3000, 400, [&](size_t i) { return i % 500 ? i % 3 : 400; }));
    }
  }
  release_pool();
  return check::report();
}
