// Each allocation on the way to a result fails in turn: the call is refused, its object stays unchanged, the next attempt succeeds,
// and (as the leak sanitizer checks) no memory is lost.
#include <memory>
#include <new>
#include <string>

#include "check.h"
#include "esp.h"
#include "matrix.h"
#include "parse.h"
#include "svm.h"

using namespace fista;

// The only other way in which kernels allocate. Like the default, it returns memory that the plain operator delete may free.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  if (allocation_fails()) return nullptr;
  try {
    return ::operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

namespace {

// attempt() returns whether it succeeded. It must make at least `min` allocations.
template <typename Attempt>
void fail_each(const char* what, const Table* table, long min, Attempt&& attempt) {
  long k = 1;
  for (;; ++k) {
    check::at("%s, %s, allocation %ld", what, table->name, k);
    allocations_to_failure = k;
    const bool succeeded = attempt();
    const bool reached = allocations_to_failure == 0;
    allocations_to_failure = 0;
    CHECK(succeeded == !reached);
    if (!reached || k > 1000) break;
    CHECK(attempt());
  }
  CHECK(k > min && k <= 1000);
}

constexpr size_t kRows = 70, kCols = 9;

struct Sparse {
  std::vector<uint32_t> start = {0}, index;
  std::vector<double> values;
};

// Every second entry of x, with columns `apart` from each other.
Sparse sparse_of(const std::vector<double>& x, uint32_t apart) {
  Sparse s;
  for (size_t i = 0; i < kRows; ++i) {
    for (size_t j = i % 2; j < kCols; j += 2) {
      s.index.push_back(static_cast<uint32_t>(j) * apart);
      s.values.push_back(x[i * kCols + j]);
    }
    s.start.push_back(static_cast<uint32_t>(s.index.size()));
  }
  return s;
}

std::vector<double> product(const Run& run, const Matrix& X) {
  std::vector<double> w(X.cols() + 1, 0.75), out(X.rows());
  w[X.cols()] = 0;
  X.multiply(run, w.data(), out.data());
  return out;
}

void matrices(const Run& run, const std::vector<double>& x) {
  const Table* table = run.table;
  const std::vector<float> floats(x.begin(), x.end());
  // The same matrix every time: it is filled again after each failure and success.
  Matrix X;
  fail_each("copy_dense f64", table, 1,
            [&] { return X.copy_dense(run, Values::f64, x.data(), kRows, kCols).kind == CopyResult::ok; });
  fail_each("copy_dense f32", table, 1,
            [&] { return X.copy_dense(run, Values::f32, floats.data(), kRows, kCols).kind == CopyResult::ok; });
  for (const uint32_t apart : {1u, 100000u}) {
    const Sparse s = sparse_of(x, apart);
    const std::vector<float> narrow(s.values.begin(), s.values.end());
    const std::vector<double> ones(s.index.size(), 1);
    const auto copy = [&](Values values, const void* data) {
      return X.copy_sparse(run, s.start.data(), s.index.data(), values, data, s.index.size(), kRows, kCols * apart).kind ==
             CopyResult::ok;
    };
    fail_each("copy_sparse f64", table, 3, [&] { return copy(Values::f64, s.values.data()); });
    fail_each("copy_sparse f32", table, 3, [&] { return copy(Values::f32, narrow.data()); });
    fail_each("copy_sparse of ones", table, 2, [&] { return copy(Values::f64, ones.data()); });
    fail_each("copy_sparse without values", table, 2, [&] { return copy(Values::ones, nullptr); });

    RawPoints given;
    fail_each("take_sparse and adopt", table, 6, [&] {
      return given.take_sparse(run, s.start.data(), s.index.data(), Values::f64, s.values.data(), s.index.size(), kRows,
                               kCols * apart) &&
             X.adopt(run, given).kind == CopyResult::ok;
    });

    // Decisions in place and of a copy, by one plane and by several, of all columns or of those with entries.
    const size_t many = apart == 1 ? 20 : 2;
    const std::vector<double> weights(kCols * apart * many, 0.5), biases(many);
    std::vector<double> decisions(kRows * many);
    for (const size_t planes : {size_t(1), many}) {
      size_t bad = 0;
      fail_each("decide_sparse", table, 1, [&] {
        return Matrix::decide_sparse(run, s.start.data(), s.index.data(), Values::f64, s.values.data(), s.index.size(), kRows,
                                     kCols * apart, {weights.data(), biases.data(), planes}, decisions.data(), &bad)
                   .kind == CopyResult::ok;
      });
      CHECK(copy(Values::f64, s.values.data()));
      // Two planes and fewer entries than columns: nothing is copied or packed.
      fail_each("decide", table, planes == 2 ? 0 : 1, [&] {
        return X.decide(run, {weights.data(), biases.data(), planes}, decisions.data(), &bad).kind == CopyResult::ok;
      });
    }

    CHECK(copy(Values::f64, s.values.data()));
    Matrix::ColumnStats stats;
    const std::vector<double> zeros(X.cols());
    fail_each("column_stats", table, 5, [&] { return X.column_stats(run, nullptr, kRows, nullptr, zeros.data(), stats); });
  }
  CHECK(X.copy_dense(run, Values::f64, x.data(), kRows, kCols).kind == CopyResult::ok);
  const std::vector<double> before = product(run, X);
  bool same = true;
  fail_each("centre", table, 2, [&] {
    Matrix Y;
    const long planned = allocations_to_failure;
    allocations_to_failure = 0;
    CHECK(Y.copy_dense(run, Values::f64, x.data(), kRows, kCols).kind == CopyResult::ok);
    allocations_to_failure = planned;
    if (Y.centre(run)) return Y.shift() != nullptr;
    same = same && Y.shift() == nullptr && product(run, Y) == before;
    return false;
  });
  CHECK(same);
}

void svms(const Run& run, const std::vector<double>& x) {
  std::vector<int8_t> y(kRows);
  std::vector<double> weight(kRows);
  for (size_t i = 0; i < kRows; ++i) {
    y[i] = i % 3 == 0 ? 1 : -1;
    weight[i] = i % 10 == 9 ? 0 : 1;  // rows of weight 0 are scored
  }
  const Sparse s = sparse_of(x, 1);
  for (const bool sparse : {false, true}) {
    for (const auto scale : {Svm::Scale::none, Svm::Scale::standard, Svm::Scale::maxabs}) {
      std::vector<double> first;  // the result of the first success; every other must equal it
      fail_each(sparse ? "Svm, sparse" : "Svm, dense", run.table, 15, [&] {
        std::shared_ptr<Matrix> X(new Matrix);
        const CopyResult copied =
            sparse ? X->copy_sparse(run, s.start.data(), s.index.data(), Values::f64, s.values.data(), s.index.size(), kRows, kCols)
                   : X->copy_dense(run, Values::f64, x.data(), kRows, kCols);
        if (copied.kind != CopyResult::ok) return copied.kind != CopyResult::out_of_memory;
        if (!X->centre(run)) return false;
        Svm svm;
        Svm::BeginAnswer begun{};
        if (!svm.init(run, X, {y.data(), weight.data(), true, scale}) || !svm.begin(true, begun)) return false;
        svm.regularize(1, 0.5);
        const double L = 0.5 + 1.5 * begun.curvature;
        for (int k = 0; k < 3; ++k) {
          svm.step(L, 0.2);
          svm.accept();
        }
        Svm::ScoreAnswer score{};
        if (!svm.score(0.1, score) || !svm.keep(true)) return false;
        Svm::GradientAnswer gradient{};
        Svm::ResidualAnswer residual{};
        if (!svm.gradient(0, true, gradient) || !svm.linearize(residual)) return false;
        std::vector<double> w(kCols);
        svm.weights(w.data());
        if (first.empty()) first = w;
        CHECK(w == first);
        return true;
      });
    }
  }
}

void esps(const Run& run, const std::vector<double>& x) {
  const size_t n = 8, d = 3;
  std::vector<uint8_t> kinds;
  std::vector<double> shapes;
  for (size_t i = 0; i < n; ++i) {
    kinds.push_back(static_cast<uint8_t>(i % Esp::kKinds));
    shapes.resize(shapes.size() + Esp::shape_size(kinds.back(), d), 0.1);
  }
  const Esp::Family family = {n, kinds.data(), {Values::f64, x.data(), n * d}, {Values::f64, shapes.data(), shapes.size()}};
  const Esp::Family other = {n, kinds.data(), {Values::f64, x.data() + n * d, n * d}, {Values::f64, shapes.data(), shapes.size()}};
  fail_each("Esp", run.table, 20, [&] {
    Esp esp;
    const Esp::Copied copied = esp.init(run, d, family, other);
    if (copied.kind != Esp::Copied::ok) return copied.kind != Esp::Copied::out_of_memory;
    esp.begin(true);
    esp.sweep(100, 0, true);
    esp.accept();
    return true;
  });
}

void parsers(const Table* table) {
  // More entries than one block of a list holds.
  std::string text;
  for (int i = 0; i < 90000; ++i) text += "1 1:2.5 2:1 7:-3\n";
  for (const bool words : {false, true}) {
    fail_each(words ? "Parser, words" : "Parser", table, 6, [&] {
      Parser parser(false, 10, false, words);
      const Parser::Decider none = {};
      const bool read = parser.push(reinterpret_cast<const uint8_t*>(text.data()), text.size(), none) && parser.finish(none);
      if (!read) CHECK(parser.defect().kind == ParseDefect::out_of_memory);
      if (read) CHECK(parser.rows() == 90000 && parser.indices.size() == 270000);
      return read;
    });
  }
}

}  // namespace

int main() {
  check::Random random(7);
  std::vector<double> x(kRows * kCols);
  for (double& value : x) value = random.uniform();
  for (const Table* table : check::levels()) {
    const Run run = {table, 1};
    matrices(run, x);
    svms(run, x);
    esps(run, x);
  }
  parsers(check::levels().front());
  return check::report();
}
