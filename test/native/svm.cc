// The SVM problem, driven as in lib/svm/solve.ts: its invariants hold at every step, with shrinking and unshrinking, for every
// storage form and SIMD level, and the bits do not depend on the number of threads.
#include "svm.h"

#include <cmath>
#include <memory>

#include "check.h"
#include "parallel.h"

using namespace fista;
using namespace check;

namespace {

struct Data {
  size_t n, d;
  std::vector<double> x;  // dense, row-major
  std::vector<int8_t> y;
  std::vector<double> weight;
};

Data make(Random& random, size_t n, size_t d, double share) {
  Data data = {n, d, std::vector<double>(n * d), std::vector<int8_t>(n), std::vector<double>(n)};
  for (size_t i = 0; i < n; ++i) {
    data.y[i] = i == 0 || (i > 1 && random.chance(0.4)) ? 1 : -1;
    data.weight[i] = random.chance(0.05) && i > 1 ? 0 : 1 + random.uniform() * 0.6;
    for (size_t j = 0; j < d; ++j) {
      data.x[i * d + j] = random.chance(share) ? random.uniform() + (j < 3 ? 0.4 * data.y[i] : 0) : 0;
    }
  }
  return data;
}

std::shared_ptr<Matrix> matrix(const Run& run, const Data& data, int form) {
  auto X = std::make_shared<Matrix>();
  CopyResult result;
  if (form == 0) {
    result = X->copy_dense(run, Values::f64, data.x.data(), data.n, data.d);
  } else if (form == 1) {
    const std::vector<float> floats(data.x.begin(), data.x.end());
    result = X->copy_dense(run, Values::f32, floats.data(), data.n, data.d);
  } else {
    std::vector<uint32_t> start = {0}, index;
    std::vector<double> values;
    for (size_t i = 0; i < data.n; ++i) {
      for (size_t j = 0; j < data.d; ++j) {
        if (data.x[i * data.d + j] == 0) continue;
        index.push_back(static_cast<uint32_t>(j));
        values.push_back(data.x[i * data.d + j]);
      }
      start.push_back(static_cast<uint32_t>(index.size()));
    }
    result = X->copy_sparse(run, start.data(), index.data(), Values::f64, values.data(), index.size(), data.n, data.d);
  }
  CHECK(result.kind == CopyResult::ok);
  CHECK(X->centre(run));
  return X;
}

// The result of a run, to be compared bit by bit.
struct Outcome {
  std::vector<double> w, alpha, numbers;
  std::vector<uint8_t> certified;
};

// The best offset of the margins as they are, by bisection.
double offset_of(Svm& svm) {
  double low = -100, high = 100;
  for (int k = 0; k < 70; ++k) {
    const double t = (low + high) / 2;
    const Svm::OffsetsAnswer at = svm.offsets(t, t, 0, 0, 0);
    (at.negative_low < at.positive_low ? low : high) = t;
  }
  return (low + high) / 2;
}

// Steps of Newton's method until the gradient is all but 0. Margins follow the steps, and are what they are when computed afresh.
void newton(Svm& svm, double t, std::vector<double>& numbers) {
  Svm::GradientAnswer gradient{};
  double first = 0;
  for (int step = 0; step < 12; ++step) {
    t = offset_of(svm);
    CHECK(svm.gradient(t, step == 0, gradient));
    if (step == 0) first = gradient.squared;
    numbers.push_back(gradient.squared);
    // Of the gap only |g|^2 / 2 is left, as alpha is made of the margins.
    CHECK(svm.gap(t, 1, 0).fenchel_young <= 1e-9 * (1 + first));
    Svm::ResidualAnswer system{};
    CHECK(svm.linearize(system));
    double residual = system.residual;
    for (int k = 0; k < 60 && residual > 1e-20 * system.residual; ++k) residual = svm.conjugate().residual;
    CHECK(residual <= 1e-12 * system.residual);
    const Svm::DirectionAnswer way = svm.direction();
    const auto slope = [&](double length) { return way.along + length * way.squared + svm.slope(t, way.tau, length).slope; };
    CHECK(slope(0) <= 1e-9 * (1 + first));  // downhill
    double low = 0, high = 1;
    for (; slope(high) < 0 && high < 100;) high *= 2;
    for (int k = 0; k < 40; ++k) (slope((low + high) / 2) < 0 ? low : high) = (low + high) / 2;
    svm.move(low);
    numbers.push_back(low);
  }
  CHECK(svm.gradient(t = offset_of(svm), false, gradient));
  CHECK(gradient.squared <= 1e-12 * first || gradient.squared < 1e-16);
  const double before = gradient.squared;
  svm.refresh(true);
  CHECK(svm.gradient(t, false, gradient));
  CHECK_NEAR(std::sqrt(gradient.squared), std::sqrt(before), 1e-10 * (1 + std::sqrt(first)));
}

// With the paper's gamma; or, `squared`, the squared hinge with about its default.
Outcome drive(const Run& run, const Data& data, int form, Svm::Scale scale, bool squared = false) {
  Svm svm;
  Svm::BeginAnswer begun{};
  CHECK(svm.init(run, matrix(run, data, form), {data.y.data(), data.weight.data(), true, scale}));
  CHECK(svm.begin(true, begun));
  const double n = static_cast<double>(data.n), gamma = squared ? kInfinity : 64 / n;
  const double mu = squared ? begun.radius_squares / (2 * begun.weight_sum) : n / 128;
  svm.regularize(gamma, mu);
  double L = mu + 1.5 * begun.curvature;
  const double cap = mu + begun.radius_squares;
  Outcome end = {std::vector<double>(data.d), std::vector<double>(data.n), {}, std::vector<uint8_t>(data.n)};
  double t = 0, first_gap = 0, gap = 0;
  size_t taking = 0;
  for (double weight : data.weight) taking += weight > 0;
  size_t min = taking;
  for (int iteration = 1; iteration <= 60; ++iteration) {
    const double beta = (std::sqrt(L / mu) - 1) / (std::sqrt(L / mu) + 1);
    for (;;) {
      const Svm::StepAnswer step = svm.step(L, beta);
      const double c = mu + step.curvature / step.squared;
      if (!(step.curvature > 0)) break;
      if (c <= L * (1 + 1e-6) || L >= cap) {
        L = std::max(c, 0.9 * L);
        break;
      }
      L = std::min(1.5 * c, cap);
    }
    svm.accept();
    if (iteration % 5 != 0) continue;
    const double w2 = svm.refresh(false).w_squared;
    // The offset by bisection.
    double low = -100, high = 100;
    for (int k = 0; k < 60; ++k) {
      t = (low + high) / 2;
      const Svm::OffsetsAnswer at = svm.offsets(t, t, 0, 0, 0);
      // Without a shift both sides are equal.
      CHECK(at.positive_low == at.positive_high && at.negative_low == at.negative_high && at.free_low == at.free_high);
      (at.negative_low < at.positive_low ? low : high) = t;
    }
    const Svm::GapAnswer found = svm.gap(t, std::sqrt(w2), 0);
    gap = found.fenchel_young;
    if (iteration == 5) first_gap = gap;
    CHECK(gap >= 0);

    // alpha is in its box and balanced, w = H'alpha, and the sums of the dual are right.
    svm.alpha(end.alpha.data());
    svm.weights(end.w.data());
    std::vector<double> inverse(data.d), shift(data.d);
    svm.columns(inverse.data(), shift.data());
    double balance = 0, total = 0, size = 0;
    std::vector<double> w(data.d);
    for (size_t i = 0; i < data.n; ++i) {
      CHECK(end.alpha[i] >= 0 && (data.weight[i] > 0 ? end.alpha[i] <= data.weight[i] * gamma : end.alpha[i] == 0));
      balance += data.y[i] * end.alpha[i];
      total += end.alpha[i];
      for (size_t j = 0; j < data.d; ++j) {
        const double x = form == 1 ? static_cast<float>(data.x[i * data.d + j]) : data.x[i * data.d + j];
        w[j] += data.y[i] * end.alpha[i] * (x - shift[j]) * inverse[j];
      }
    }
    for (double v : w) size += v * v;
    const double slack = 1e-12 * (1 + total);
    CHECK_NEAR(balance, 0, slack);
    CHECK_NEAR(found.alpha_sum, total, slack);
    CHECK_NEAR(found.balance, balance, slack);
    CHECK_NEAR(w2, size, 1e-10 * (1 + size));
    for (size_t j = 0; j < data.d; ++j) CHECK_NEAR(end.w[j], w[j], 1e-11 * (1 + std::sqrt(size)));

    const Svm::CertifyAnswer proved = svm.certify(t - 0.01, t + 0.01, 0.001, std::sqrt(w2), 0, 0.001, true, t, 0, 0);
    for (double number : {proved.agreed, proved.properly_classified, proved.zero, proved.at_bound}) end.numbers.push_back(number);
    min = std::min(min, static_cast<size_t>(svm.shrink(t, t, 0.05).active));
    if (iteration == 40) CHECK(svm.unshrink().active == static_cast<double>(taking));
    end.numbers.push_back(L);
    end.numbers.push_back(gap);
  }
  CHECK(gap < 1e-2 * first_gap);
  CHECK(min < taking);  // some rows were shrunk
  svm.certified(end.certified.data());
  end.numbers.push_back(svm.read());

  // The score of the rows of weight 0 is that of the model.
  std::vector<double> inverse(data.d), shift(data.d);
  svm.columns(inverse.data(), shift.data());
  double right[4] = {}, entries = 0, hinge = 0;
  bool clear = true;
  for (size_t i = 0; i < data.n; ++i) {
    double value = t;
    for (size_t j = 0; j < data.d; ++j) {
      const double x = form == 1 ? static_cast<float>(data.x[i * data.d + j]) : data.x[i * data.d + j];
      value += end.w[j] * (x - shift[j]) * inverse[j];
      entries += data.weight[i] > 0 && (form != 2 || x != 0);
    }
    if (data.weight[i] > 0) continue;
    hinge += std::fmax(0, 1 - data.y[i] * value);
    clear = clear && std::fabs(value) > 1e-9;
    const int side = data.y[i] > 0 ? 0 : 2;
    right[side] += (value > 0) == (side == 0);
    right[side + 1] += 1;
  }
  Svm::ScoreAnswer score{};
  const double read = svm.read();
  svm.weights(end.w.data());
  CHECK(svm.score(t, score));
  CHECK(!clear || (score.positive_right == right[0] && score.negative_right == right[2]));
  CHECK(score.positive == right[1] && score.negative == right[3]);
  CHECK_NEAR(score.hinge, hinge, 1e-10 * (1 + hinge));
  CHECK(right[1] + right[3] == static_cast<double>(data.n - taking));
  CHECK(svm.read() == read && svm.stored() == entries);

  // Power iterations grow, up to the norm.
  svm.unshrink();
  double estimate = 0;
  for (int k = 0; k < 30; ++k) {
    const double next = svm.power(k == 0).estimate;
    CHECK(next >= estimate * (1 - 1e-12));
    estimate = next;
  }
  CHECK(estimate <= cap - mu);

  // A warm start from the solution gives nearly the solution.
  Svm again;
  CHECK(again.init(run, matrix(run, data, form), {data.y.data(), data.weight.data(), true, scale}));
  CHECK(again.begin(true, begun));
  again.regularize(gamma, mu);
  again.warm(end.w.data(), t, true);
  CHECK(again.gap(t, std::sqrt(again.refresh(false).w_squared), 0).fenchel_young < 0.1 * first_gap);

  // Epochs of coordinate ascent reach a small gap, from 0 and from a settled state.
  Svm risen;
  CHECK(risen.init(run, matrix(run, data, form), {data.y.data(), data.weight.data(), true, scale}));
  CHECK(risen.begin(false, begun));
  risen.regularize(gamma, mu);
  const double weight = 0.3 * begun.radius_squares / begun.weight_sum;
  double offset = 0;
  for (int epoch = 1; epoch <= 20; ++epoch) {
    const Svm::AscendAnswer met = risen.ascend(offset, weight, 0.1, epoch < 3);
    offset = met.offset;
    for (double number : {met.fenchel_young, met.loss, met.w_squared, met.offset, met.t}) end.numbers.push_back(number);
    if (epoch % 5 != 0) continue;
    risen.settle(false);
    const Svm::GapAnswer settled = risen.gap(met.t, std::sqrt(risen.refresh(false).w_squared), 0);
    gap = settled.fenchel_young;
    end.numbers.push_back(gap);
    CHECK_NEAR(settled.balance, 0, 1e-12 * (1 + settled.alpha_sum));
  }
  CHECK(gap < 0.1 * first_gap);
  std::vector<double> alpha(data.n);
  risen.alpha(alpha.data());
  for (size_t i = 0; i < data.n; ++i)
    CHECK(alpha[i] >= 0 && (data.weight[i] > 0 ? alpha[i] <= data.weight[i] * gamma : alpha[i] == 0));

  // Newton's method goes on from there to the same optimum, and it can be undone.
  risen.settle(false);
  risen.alpha(alpha.data());
  newton(risen, t, end.numbers);
  std::vector<double> solution(data.d);
  risen.weights(solution.data());
  double squares = 0, apart = 0;
  for (size_t j = 0; j < data.d; ++j) {
    squares += end.w[j] * end.w[j];
    apart += (solution[j] - end.w[j]) * (solution[j] - end.w[j]);
  }
  CHECK(apart <= 4 * first_gap && apart <= 0.05 * squares);
  risen.settle(true);
  std::vector<double> back(data.n);
  risen.alpha(back.data());
  for (size_t i = 0; i < data.n; ++i) CHECK_NEAR(back[i], alpha[i], 1e-9 * (1 + alpha[i]));
  return end;
}

// For data larger than the cache of a core, a second thread prefetches for an epoch, and changes no bits.
void look_ahead(const Table* table, Random& random, int form) {
  const Data data = make(random, 1300, 1000, form == 2 ? 0.4 : 1);
  std::vector<double> results[2];
  for (unsigned threads : {1u, 2u}) {
    const Run run = {table, threads};
    const auto X = matrix(run, data, form);
    CHECK(X->bytes() > size_t(1) << 22);
    Svm svm;
    Svm::BeginAnswer begun{};
    CHECK(svm.init(run, X, {data.y.data(), data.weight.data(), true, Svm::Scale::none}));
    CHECK(svm.begin(false, begun));
    svm.regularize(64.0 / 1300, 10);
    for (int epoch = 1; epoch <= 5; ++epoch) {
      const Svm::AscendAnswer met = svm.ascend(0.1 * epoch, 1, 0.1, epoch < 4);
      for (double number : {met.fenchel_young, met.loss, met.w_squared, met.offset, met.t}) results[threads - 1].push_back(number);
    }
  }
  CHECK(check::same_bits(results[0].data(), results[1].data(), results[0].size()));
}

}  // namespace

int main() {
  retain_pool();
  Random random(7);
  for (int form : {0, 1, 2}) {
    check::at("looking ahead, form %d", form);
    look_ahead(check::levels().back(), random, form);
  }
  for (const Table* table : check::levels()) {
    for (int form : {0, 1, 2}) {
      for (const auto scale : {Svm::Scale::none, Svm::Scale::standard, Svm::Scale::maxabs}) {
        const Data data = make(random, 150, 17, form == 2 ? 0.3 : 1);
        check::at("%s form %d scale %d", table->name, form, static_cast<int>(scale));
        for (bool squared : {false, true}) drive({table, 1}, data, form, scale, squared);
      }
      // Large enough to be split among threads.
      const Data data = make(random, 20000, 5, 0.8);
      const Outcome one = drive({table, 1}, data, form, Svm::Scale::standard);
      for (unsigned threads : {2u, 7u}) {
        check::at("%s form %d threads %u", table->name, form, threads);
        const Outcome other = drive({table, threads}, data, form, Svm::Scale::standard);
        CHECK(check::same_bits(one.w.data(), other.w.data(), one.w.size()));
        CHECK(check::same_bits(one.alpha.data(), other.alpha.data(), one.alpha.size()));
        CHECK(check::same_bits(one.numbers.data(), other.numbers.data(), one.numbers.size()));
        CHECK(one.certified == other.certified);
      }
    }
  }
  release_pool();
  return check::report();
}
