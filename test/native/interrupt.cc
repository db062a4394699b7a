// Another thread interrupts tasks at any moment: nothing is read or written out of bounds, and the kept state stays unchanged.
#include "interrupt.h"

#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <thread>

#include "check.h"
#include "parallel.h"
#include "svm.h"

using namespace fista;
using namespace check;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

struct Data {
  size_t rows, cols;
  std::vector<double> x;
  std::vector<uint32_t> start, index;
  std::vector<double> values;
  std::vector<int8_t> y;
};

Data make(Random& random, size_t rows, size_t cols, double share) {
  Data data = {rows, cols, std::vector<double>(rows * cols), {0}, {}, {}, std::vector<int8_t>(rows)};
  for (size_t i = 0; i < rows; ++i) {
    data.y[i] = i % 2 ? 1 : -1;
    for (size_t j = 0; j < cols; ++j) {
      if (!random.chance(share)) continue;
      data.x[i * cols + j] = random.uniform() + 0.3 * data.y[i];
      data.index.push_back(static_cast<uint32_t>(j));
      data.values.push_back(data.x[i * cols + j]);
    }
    data.start.push_back(static_cast<uint32_t>(data.index.size()));
  }
  return data;
}

CopyResult copy(const Run& run, const Data& data, bool sparse, Matrix& X) {
  return sparse ? X.copy_sparse(run, data.start.data(), data.index.data(), Values::f64, data.values.data(), data.index.size(),
                                data.rows, data.cols)
                : X.copy_dense(run, Values::f64, data.x.data(), data.rows, data.cols);
}

// Sets the interrupt after so many microseconds.
std::thread after(Interrupt& interrupt, size_t microseconds) {
  return std::thread([&interrupt, microseconds] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
    while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
    interrupt.set();
  });
}

void by_clock() {
  CHECK(!Interrupt(kNever).is_set());
  CHECK(!Interrupt(1e6).is_set());
  CHECK(Interrupt(0).is_set());
  CHECK(Interrupt(-1e300).is_set());
  Interrupt set(kNever);
  set.set();
  CHECK(set.is_set());
}

void copies(Random& random, const Table* table, const Data& data) {
  for (int k = 0; k < 40; ++k) {
    Interrupt interrupt(kNever);
    const Run run = {table, k % 2 ? 2u : 1u, &interrupt};
    std::thread other = after(interrupt, random.below(400));
    Matrix X;
    const CopyResult result = copy(run, data, k % 4 < 2, X);
    other.join();
    CHECK(result.kind == CopyResult::ok || result.kind == CopyResult::interrupted);
    CHECK(X.rows() == (result.kind == CopyResult::ok ? data.rows : 0));
    // A matrix whose centring is interrupted becomes empty.
    Interrupt again(kNever);
    std::thread another = after(again, random.below(200));
    const size_t rows = X.rows();
    CHECK(X.centre({table, run.threads, &again}));
    another.join();
    CHECK(X.rows() == rows || X.rows() == 0);
  }
}

void fits(Random& random, const Table* table, const Data& data, bool sparse) {
  const double weight = 1, gamma = 4, mu = 1.0 / 8;
  for (int k = 0; k < 30; ++k) {
    const Run run = {table, k % 2 ? 2u : 1u};
    auto X = std::make_shared<Matrix>();
    CHECK(copy(run, data, sparse, *X).kind == CopyResult::ok && X->centre(run));
    auto interrupt = std::make_shared<Interrupt>(kNever);
    Svm svm;
    CHECK(svm.init(run, X, {data.y.data(), &weight, false, Svm::Scale::standard}, interrupt));
    Svm::BeginAnswer begun{};
    Svm::ScoreAnswer score{};
    std::vector<double> kept(data.cols), alpha(data.rows), w(data.cols), a(data.rows);
    bool is_kept = false;
    std::thread other = after(*interrupt, random.below(4000));
    CHECK(svm.begin(true, begun));
    svm.regularize(gamma, mu);
    for (int epoch = 0; epoch < 2 && !svm.interrupted(); ++epoch) svm.ascend(0, 1, 0.1, true);
    if (!svm.interrupted()) svm.settle(false);
    for (int step = 0; step < 20 && !svm.interrupted(); ++step) {
      svm.step(1000, 0.3);
      if (svm.interrupted()) break;
      svm.accept();
      svm.refresh(false);
      svm.gap(0, 1, 0);
      svm.offsets(0, 0, 0, 0, 0);
      if (step % 4 == 0) {
        Svm::GradientAnswer gradient{};
        Svm::ResidualAnswer residual{};
        svm.unshrink();
        if (!svm.interrupted()) CHECK(svm.gradient(0, true, gradient));
        if (!svm.interrupted()) CHECK(svm.linearize(residual));
        if (!svm.interrupted()) svm.conjugate();
        if (!svm.interrupted()) svm.direction();
        if (!svm.interrupted()) svm.slope(0, 0, 1);
        if (!svm.interrupted()) svm.settle(true);
        if (svm.interrupted()) break;
      }
      svm.shrink(0, 0, 0.05);
      if (svm.interrupted()) break;
      // Read before keep(): restore() must give exactly this state.
      svm.weights(w.data());
      svm.alpha(a.data());
      CHECK(svm.keep(true));
      kept = w;
      alpha = a;
      is_kept = true;
    }
    other.join();
    CHECK(svm.interrupted());
    svm.certify(0, 0, 1, 1, 0, 1, true, 0, 0, 0);
    svm.restore();
    svm.alpha(a.data());
    CHECK(a == (is_kept ? alpha : std::vector<double>(data.rows)));
    std::vector<double> weights(data.cols);
    const double bias = svm.model(weights.data(), 0.5).bias;
    if (is_kept) {
      svm.weights(w.data());
      CHECK(w == kept);
    } else {
      CHECK(weights == std::vector<double>(data.cols));
      CHECK(bias == 0.5);
    }
    CHECK(svm.score(0, score));
  }
}

}  // namespace

int main() {
  retain_pool();
  by_clock();
  Random random(11);
  const Data tall = make(random, 6000, 30, 0.5), wide = make(random, 60, 40000, 0.1);
  for (const Table* table : levels()) {
    for (const Data* data : {&tall, &wide}) {
      copies(random, table, *data);
      for (const bool sparse : {false, true}) fits(random, table, *data, sparse);
    }
  }
  release_pool();
  return report();
}
