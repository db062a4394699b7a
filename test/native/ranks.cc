// Kernels over several ranks (ranks.h), which are threads here: the knapsack, the columns' statistics and the SVM's tasks give the
// same bits on all ranks, and what one process computes from all rows, up to rounding.
#include "ranks.h"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "check.h"
#include "knapsack_rules.h"
#include "parallel.h"
#include "svm.h"

using namespace fista;
using namespace check;

namespace {

// Ranks as threads. Sums are made by the tree of native/mpi: ranks from the largest power of two on hand over their values first,
// and sums of groups of ranks are then added in pairs.
class Team {
 public:
  explicit Team(size_t size) : members_(size) {
    for (size_t r = 0; r < size; ++r) members_[r] = {this, static_cast<uint32_t>(r), 0, {}};
    while (2 * group_ <= size) group_ *= 2;
  }

  // Calls body(ranks) on every rank. Ranks that do not make the same calls end the program: they would wait for ever.
  void run(const std::function<void(const Ranks&)>& body) {
    std::vector<std::thread> threads;
    left_ = 0;
    for (Member& member : members_) {
      threads.emplace_back([&] {
        const uint32_t size = static_cast<uint32_t>(members_.size());
        const Ranks ranks = {Ranks::kMagic, member.rank, size, &member, reduce<Add>, reduce<Max>};
        body(ranks);
        const std::lock_guard<std::mutex> lock(mutex_);
        ++left_;
        if (waiting_ > 0) diverged("one ended");
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  struct Add {
    static double of(double a, double b) { return a + b; }
    static constexpr char kName = '+';
  };
  struct Max {
    static double of(double a, double b) { return a > b || a != a ? a : b; }
    static constexpr char kName = '>';
  };
  struct Said {
    char operation = 0;
    std::vector<double> values;
  };
  struct Member {
    Team* team;
    uint32_t rank;
    size_t calls;
    Said said[2];  // by turns: a rank may be one call ahead of another that still reads
  };

  [[noreturn]] static void diverged(const char* how) {
    std::fprintf(stderr, "ranks do not make the same calls: %s [%s]\n", how, place);
    std::_Exit(1);
  }

  void wait_for_all() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (left_ > 0) diverged("one ended");
    const size_t turn = turn_;
    if (++waiting_ == members_.size()) {
      waiting_ = 0;
      ++turn_;
      all_here_.notify_all();
    } else {
      all_here_.wait(lock, [&] { return turn_ != turn; });
    }
  }

  // What a rank of the group has after the steps up to `distance`.
  template <typename Operation>
  double combined(size_t rank, size_t distance, size_t now, size_t k) const {
    const auto said = [&](size_t r) { return members_[r].said[now].values[k]; };
    if (distance == 0) return rank + group_ < members_.size() ? Operation::of(said(rank), said(rank + group_)) : said(rank);
    const size_t before = distance / 2;
    return Operation::of(combined<Operation>(rank, before, now, k), combined<Operation>(rank ^ distance, before, now, k));
  }

  template <typename Operation>
  static void reduce(void* self, double* values, size_t n) {
    Member& member = *static_cast<Member*>(self);
    Team& team = *member.team;
    const size_t now = member.calls++ % 2;
    member.said[now].operation = Operation::kName;
    member.said[now].values.assign(values, values + n);
    team.wait_for_all();
    for (const Member& other : team.members_) {
      const Said& said = other.said[now];
      if (said.operation != Operation::kName || said.values.size() != n) diverged("another operation, or another length");
    }
    const size_t rank = member.rank < team.group_ ? member.rank : member.rank - team.group_;
    for (size_t k = 0; k < n; ++k) values[k] = team.combined<Operation>(rank, team.group_ / 2, now, k);
  }

  std::vector<Member> members_;
  size_t group_ = 1, waiting_ = 0, turn_ = 0, left_ = 0;
  std::mutex mutex_;
  std::condition_variable all_here_;
};

// Where the rows of each rank begin, and the end.
using Cuts = std::vector<size_t>;

Cuts random_cuts(Random& random, size_t n, size_t ranks) {
  Cuts cuts = {0};
  for (size_t r = 1; r < ranks; ++r) cuts.push_back(random.chance(0.2) ? (random.chance(0.5) ? 0 : n) : random.below(n + 1));
  cuts.push_back(n);
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && check::same_bits(a.data(), b.data(), a.size());
}

// ---- The knapsack.

struct Problem {
  std::string name;
  std::vector<double> a, weight;
  std::vector<int8_t> y;
  double gamma, b;
  double guess = kNaN;
  size_t n() const { return a.size(); }
  Knapsack statement() const { return {a.data(), y.data(), weight.data(), gamma, n(), b}; }
};

Problem random_problem(Random& random, const char* name, size_t n) {
  Problem p = {name, std::vector<double>(n), std::vector<double>(n), std::vector<int8_t>(n), 1, 0};
  const double positive = random.chance(0.2) ? 1 : random.uniform(0, 1);
  const bool weighted = random.chance(0.7);
  for (size_t i = 0; i < n; ++i) {
    p.a[i] = 2 * random.uniform();
    p.weight[i] = weighted ? std::pow(10, random.uniform(-3, 3)) : 1;
    p.y[i] = random.chance(positive) ? 1 : -1;
  }
  return p;
}

// b somewhere in reach, at an end or near it, or 0.
void place_b(Random& random, Problem& p) {
  double far = 1;
  for (size_t i = 0; i < p.n(); ++i) far += p.weight[i] * std::fabs(p.a[i]);
  const Knapsack s = p.statement();
  const double min = std::fmax(s.min(), -far), max = std::fmin(s.max(), far);
  const double shares[] = {0, 1e-12, 0.1, 0.5, 0.93, 1, random.uniform(0, 1)};
  const size_t which = random.below(8);
  p.b = which == 7 ? 0 : which == 5 ? max : min + shares[which] * (max - min);
}

Problem hard_problem(Random& random, size_t kind) {
  const size_t n = kind == 0 ? random.below(9) : random.chance(0.9) ? random.below(60) : 500 + random.below(500);
  Problem p = random_problem(random, "ordinary", n);
  const double scale = std::pow(10, random.uniform(-300, 300));
  switch (kind) {
    case 1:
      p.name = "ties";
      for (size_t i = 0; i < n; ++i) {
        p.a[i] = static_cast<double>(random.below(3)) - 1;
        p.weight[i] = static_cast<double>(1 + random.below(3));
      }
      break;
    case 2:
      p.name = "without bounds";
      p.gamma = kInfinity;
      break;
    case 3:
      p.name = "at bounds";  // all but a few rows, over a wide interval of lambda
      for (size_t i = 0; i < n; ++i) p.a[i] = (random.chance(0.5) ? 100 : -100) * p.y[i] - 3;
      break;
    case 4:
      p.name = "scaled";
      for (double& a : p.a) a *= scale;
      p.gamma *= scale;
      break;
    case 5:
      p.name = "mixed magnitudes";
      for (double& a : p.a) a *= std::pow(scale, random.uniform(0, 1));
      p.gamma *= std::pow(scale, random.uniform(0, 1));
      break;
    case 6:
      p.name = "staircase";  // gamma is below the rounding of a
      for (size_t i = 0; i < n; ++i) p.a[i] = -1e200 * p.y[i] * (1 + 0x1p-30 * static_cast<double>(i / 2));
      break;
    case 7:
      p.name = "far from the box";
      for (size_t i = 0; i < n; ++i) p.a[i] += 1e12 * p.y[i];
      break;
    case 8:
      p.name = "gamma 0";
      p.gamma = 0;
      break;
    default:
      break;
  }
  place_b(random, p);
  if (kind == 9) {
    p.name = "out of reach";
    const Knapsack s = p.statement();
    const double beyond = random.chance(0.3) ? 1e300 : 1e-9 * (1 + s.max() - s.min());
    p.b = random.chance(0.5) ? s.max() + beyond : s.min() - beyond;
  }
  if (kind == 10) {
    p.name = "an ulp from the ends";
    const Knapsack s = p.statement();
    p.b = check::ulps(random.chance(0.5) ? s.max() : s.min(), static_cast<int>(random.below(7)) - 3);
  }
  const double root = check::sorted_root(p.statement());
  const double guesses[] = {kNaN, root, root + 1e-3 * (1 + std::fabs(root)), -root - 1, 0, 1e300};
  p.guess = guesses[random.below(6)];
  return p;
}
constexpr size_t kKinds = 11;

double project(const Run& run, const Problem& p, size_t begin, size_t end, std::vector<double>& x) {
  const size_t n = end - begin;
  std::vector<double> work(n);
  std::vector<uint32_t> index(n);
  const KnapsackRows rows = {p.a.data() + begin, p.y.data() + begin, p.weight.data() + begin, p.gamma};
  return project_knapsack(run, rows, n, static_cast<double>(p.n()), p.statement().weight_sum(), p.b, p.guess, x.data() + begin,
                          work.data(), index.data());
}

// A projection over ranks, by its definition and against that of one process.
void knapsacks(const Table* table, size_t ranks, uint64_t seed, size_t number) {
  Random random(seed);
  std::vector<Problem> problems;
  std::vector<Cuts> cuts;
  std::vector<std::vector<double>> x, lambda(ranks);
  for (size_t k = 0; k < number; ++k) {
    problems.push_back(hard_problem(random, k % kKinds));
    cuts.push_back(random_cuts(random, problems.back().n(), ranks));
    x.emplace_back(problems.back().n());
  }
  check::at("%s knapsacks on %zu ranks", table->name, ranks);
  Team(ranks).run([&](const Ranks& seam) {
    const Run run = {table, 1, nullptr, &seam};
    for (size_t k = 0; k < number; ++k) {
      lambda[seam.rank].push_back(project(run, problems[k], cuts[k][seam.rank], cuts[k][seam.rank + 1], x[k]));
    }
  });
  for (size_t k = 0; k < number; ++k) {
    const Problem& p = problems[k];
    const Knapsack s = p.statement();
    check::at("%s %s n = %zu b = %g guess = %g on %zu ranks", table->name, p.name.c_str(), p.n(), p.b, p.guess, ranks);
    for (size_t r = 1; r < ranks; ++r) CHECK(check::same_bits(&lambda[r][k], &lambda[0][k], 1));
    const char* const rule = check::broken_rule(s, lambda[0][k], x[k].data());
    if (!CHECK(rule == nullptr)) std::fprintf(stderr, "violates: %s; lambda = %.17g\n", rule, lambda[0][k]);
    std::vector<double> other(p.n());
    const double alone = project({table, 1}, p, 0, p.n(), other);
    if (!std::isnan(alone) && !std::isnan(lambda[0][k])) CHECK(check::agrees(s, x[k].data(), other.data()));
  }
}

// Sums that overflow, and NaN: all ranks end with the same lambda, and x stays in its bounds.
void overflow(const Table* table, size_t ranks) {
  const double huge = std::numeric_limits<double>::max();
  for (double bad : {huge, -huge, kNaN, kInfinity}) {
    for (double guess : {kNaN, 0.0, 1e300, -huge, huge}) {
      Random random(12);
      Problem p = random_problem(random, "overflow", 60);
      for (size_t i = 0; i < p.n(); i += 3) p.a[i] = bad;
      p.gamma = std::isnan(bad) ? 2 : huge;
      p.guess = guess;
      const Cuts cuts = random_cuts(random, p.n(), ranks);
      std::vector<double> x(p.n()), lambda(ranks);
      check::at("%s overflow %g guess = %g on %zu ranks", table->name, bad, guess, ranks);
      Team(ranks).run([&](const Ranks& seam) {
        lambda[seam.rank] = project({table, 1, nullptr, &seam}, p, cuts[seam.rank], cuts[seam.rank + 1], x);
      });
      for (size_t r = 1; r < ranks; ++r) CHECK(check::same_bits(&lambda[r], &lambda[0], 1));
      if (!std::isfinite(lambda[0]) || std::isnan(bad)) continue;
      for (double each : x) CHECK(each >= 0 && each <= p.gamma);
    }
  }
}

// ---- Columns.

enum class Form { f64, f32, sparse, ones, mixed };
constexpr const char* kForms[] = {"f64", "f32", "sparse", "ones", "sparse and ones"};

struct Data {
  size_t n, d;
  std::vector<double> x;  // dense, row-major
  std::vector<int8_t> y;
  std::vector<double> weight;
};

std::shared_ptr<Matrix> matrix(const Run& run, const Data& data, Form form, size_t begin, size_t end) {
  auto X = std::make_shared<Matrix>();
  const size_t rows = end - begin, d = data.d;
  const double* const x = data.x.data() + begin * d;
  CopyResult result;
  if (form == Form::f64) {
    result = X->copy_dense(run, Values::f64, x, rows, d);
  } else if (form == Form::f32) {
    const std::vector<float> floats(x, x + rows * d);
    result = X->copy_dense(run, Values::f32, floats.data(), rows, d);
  } else {
    std::vector<uint32_t> start = {0}, index;
    std::vector<double> values;
    for (size_t i = 0; i < rows; ++i) {
      for (size_t j = 0; j < d; ++j) {
        if (x[i * d + j] == 0) continue;
        index.push_back(static_cast<uint32_t>(j));
        values.push_back(x[i * d + j]);
      }
      start.push_back(static_cast<uint32_t>(index.size()));
    }
    result = X->copy_sparse(run, start.data(), index.data(), Values::f64, values.data(), index.size(), rows, d);
  }
  if (result.kind != CopyResult::ok || !X->centre(run)) std::abort();
  return X;
}

// What columns of a matrix are measured to be.
struct Columns {
  bool shifted;
  std::vector<double> shift, max, sum, square, largest, number;
};

Columns measure(const Run& run, const Matrix& X, const double* weight) {
  const size_t d = X.cols();
  Columns found = {X.shift() != nullptr, std::vector<double>(d), {}, {}, {}, {}, {}};
  if (X.shift() != nullptr) found.shift.assign(X.shift(), X.shift() + d);
  if (X.max_abs() != nullptr) found.max.assign(X.max_abs(), X.max_abs() + d);
  Matrix::ColumnStats stats;
  const std::vector<double> centre(d, 0.25);
  if (!X.column_stats(run, nullptr, X.rows(), weight, centre.data(), stats)) std::abort();
  const auto list = [&](const Buffer<double>& from) { return std::vector<double>(from.data(), from.data() + d); };
  found.sum = list(stats.sum);
  found.square = list(stats.square);
  found.largest = list(stats.max);
  found.number = list(stats.number);
  return found;
}

bool same_bits(const Columns& a, const Columns& b) {
  return a.shifted == b.shifted && same_bits(a.shift, b.shift) && same_bits(a.max, b.max) && same_bits(a.sum, b.sum) &&
         same_bits(a.square, b.square) && same_bits(a.largest, b.largest) && same_bits(a.number, b.number);
}

// Columns that are hard to centre, one of each kind: constant, constant on the first rank, far away and far away with one sign
// only on the first rank, empty, empty on the first rank, of both signs, a factor of 2 apart, and one row's only.
Data hard_columns(Random& random, size_t n, size_t first) {
  const size_t d = 10;
  Data data = {n, d, std::vector<double>(n * d), std::vector<int8_t>(n, 1), std::vector<double>(n)};
  for (size_t i = 0; i < n; ++i) {
    const double u = random.uniform(0.01, 1);
    const double row[d] = {0.1,
                           i < first ? 3 : 3 + u,
                           1e9 + u,
                           i < first ? 1e9 + u : -1e9 - u,
                           0,
                           i < first ? 0 : u,
                           i % 2 ? u : -u,
                           i % 2 ? 1.0 : 2.0,
                           i % 2 ? 1.0 : 2.0 + u,
                           i == n / 2 ? 5.0 : 0};
    std::copy_n(row, d, data.x.data() + i * d);
    data.weight[i] = random.chance(0.1) ? 0 : random.uniform(0.5, 2);
  }
  return data;
}

void columns(const Table* table, size_t ranks, Form form, Random& random) {
  const size_t n = 70;
  for (size_t kind = 0; kind < 4; ++kind) {
    // Even, random, with the first rank having one row, and one rank without rows.
    Cuts cuts = {0};
    for (size_t r = 1; r <= ranks; ++r) cuts.push_back(n * r / ranks);
    if (kind == 1) cuts = random_cuts(random, n, ranks);
    if (kind == 2 && ranks > 1) cuts[1] = 1;
    if (kind == 3 && ranks > 1) cuts[1] = cuts[2];
    const Data data = hard_columns(random, n, cuts[1]);
    const bool weighted = kind % 2 == 1;
    check::at("%s columns of %s, kind %zu, on %zu ranks", table->name, kForms[size_t(form)], kind, ranks);
    std::vector<Columns> found(ranks);
    Team(ranks).run([&](const Ranks& seam) {
      const Run run = {table, seam.rank % 2 + 1, nullptr, &seam};
      const size_t begin = cuts[seam.rank], end = cuts[seam.rank + 1];
      found[seam.rank] = measure(run, *matrix(run, data, form, begin, end), weighted ? data.weight.data() + begin : nullptr);
    });
    for (size_t r = 1; r < ranks; ++r) CHECK(same_bits(found[0], found[r]));
    const Run alone = {table, 1};
    const Columns one = measure(alone, *matrix(alone, data, form, 0, n), weighted ? data.weight.data() : nullptr);
    if (ranks == 1) CHECK(same_bits(found[0], one));
    // Sparse rows without entries are stored as ones are, from which nothing can be subtracted.
    bool some = true;
    for (size_t r = 0; r < ranks; ++r) some = some && cuts[r] < cuts[r + 1];
    if (form != Form::f64 && (some || form == Form::f32)) {
      CHECK(found[0].shifted == one.shifted && same_bits(found[0].shift, one.shift));  // by extremes, which are exact
      CHECK(one.shift[2] != 0 && one.shift[7] != 0);
    }
    if (form == Form::f64) CHECK(same_bits(found[0].max, one.max));
    for (size_t j = 0; j < data.d; ++j) {
      // What a sum of n terms is off by, and what follows from means that differ as much.
      const double unit = 2 * static_cast<double>(n + 4) * kUnit;
      double magnitude = 0;
      for (size_t i = 0; i < n; ++i) magnitude += std::fabs(data.x[i * data.d + j]);
      const double mean = magnitude / static_cast<double>(n), apart = form == Form::f64 ? unit * mean : 0;
      CHECK_NEAR(found[0].shift[j], one.shift[j], some ? apart : 2 * mean);
      if (form != Form::f64 && found[0].shift[j] != one.shift[j]) continue;
      const double count = one.number[j], spread = std::sqrt(count * one.square[j]);
      CHECK_NEAR(found[0].number[j], count, unit * count);
      CHECK_NEAR(found[0].sum[j], one.sum[j], unit * spread + apart * count);
      CHECK_NEAR(found[0].square[j], one.square[j], unit * one.square[j] + 4 * apart * (spread + apart * count));
      CHECK_NEAR(found[0].largest[j], one.largest[j], 4 * kUnit * one.largest[j] + apart);
    }
  }
}

// ---- The SVM.

// Everything that a drive through the tasks of a problem answers. `scales` say what the error of an answer is relative to.
struct Outcome {
  std::vector<double> values, scales, alpha, weights, inverse;
  std::vector<uint8_t> certified;
  bool shrunk = false;
  double loose = 0;  // the norm by power iterations, whose start depends on the ranks
  void add(double value, double scale) {
    values.push_back(value);
    scales.push_back(scale);
  }
};

// The best offset of the margins as they are, by bisection.
double offset_of(Svm& svm) {
  double low = -20, high = 20;
  for (int k = 0; k < 48; ++k) {
    const double t = (low + high) / 2;
    const Svm::OffsetsAnswer at = svm.offsets(t, t, 0, 0, 0);
    (at.negative_low < at.positive_low ? low : high) = t;
  }
  return (low + high) / 2;
}

void add_gap(Svm& svm, double t, double w_squared, Outcome& out) {
  const Svm::GapAnswer gap = svm.gap(t, std::sqrt(w_squared), 1e-15);
  const double primal = w_squared / 2 + gap.loss;
  for (double each : {gap.fenchel_young, gap.rounding, gap.loss}) out.add(each, primal);
  for (double each : {gap.alpha_sum, gap.balance}) out.add(each, gap.alpha_sum);
  out.add(gap.alpha_radius, gap.alpha_radius);
  out.add(gap.residual_squared, 1 + gap.residual_squared);
  out.add(gap.error_squared, gap.error_squared);
}

// Steps of Newton's method. What a line search decides by must not be all but rounding.
double newton(Svm& svm, int steps, Outcome& out) {
  Svm::GradientAnswer gradient{};
  double first = 0, first_residual = 0, t = 0;
  for (int step = 0; step < steps; ++step) {
    t = offset_of(svm);
    out.add(t, 1 + std::fabs(t));
    if (!svm.gradient(t, step == 0, gradient)) std::abort();
    if (step == 0) first = gradient.squared;
    out.add(gradient.squared, first);
    Svm::ResidualAnswer system{};
    if (!svm.linearize(system)) std::abort();
    if (step == 0) first_residual = system.residual;
    out.add(system.residual, first_residual);
    for (int k = 0; k < 6; ++k) out.add(svm.conjugate().residual, first_residual);
    const Svm::DirectionAnswer way = svm.direction();
    out.add(way.tau, 1 + std::fabs(t));
    for (double each : {way.along, way.squared}) out.add(each, first);
    const auto slope = [&](double length) {
      const Svm::SlopeAnswer at = svm.slope(t, way.tau, length);
      out.add(at.slope, first);
      return way.along + length * way.squared + at.slope;
    };
    double low = 0, high = 1;
    for (int k = 0; k < 6; ++k) (slope((low + high) / 2) < -1e-6 * first ? low : high) = (low + high) / 2;
    svm.move(high);
    t += high * way.tau;
  }
  svm.refresh(true);
  return t;
}

// From a start by way of alpha, which is left and found again; then near to the optimum by Newton's method; then by FISTA, with
// shrinking.
Outcome drive(const Run& run, const std::shared_ptr<const Matrix>& X, Svm::Given given, bool squared) {
  Outcome out;
  Svm svm;
  Svm::BeginAnswer begun{};
  if (squared) {  // measured by another problem
    const auto like = std::make_shared<Svm>();
    if (!like->init(run, X, given) || !like->begin(false, begun)) std::abort();
    given.like = like;
  }
  if (!svm.init(run, X, given) || !svm.begin(true, begun)) std::abort();
  const double n = begun.weight_sum, radius = std::sqrt(begun.radius_squares / n);
  for (double each : {begun.curvature, begun.spread, begun.radius_squares}) out.add(each, begun.radius_squares);
  for (double each : {begun.max_radius, begun.centre_norm}) out.add(each, radius + begun.centre_norm);
  for (double each : {n, begun.max_entries, begun.max_squared_norm, begun.shift_norm, begun.largest_column}) out.add(each, each);
  const double gamma = squared ? kInfinity : 64 / n, mu = squared ? begun.radius_squares / (2 * n) : n / 128;
  svm.regularize(gamma, mu);
  const size_t d = svm.cols();
  std::vector<double> w(d), shift(d);
  out.inverse.resize(d);
  svm.columns(out.inverse.data(), shift.data());

  for (size_t j = 0; j < d; ++j) w[j] = (j % 2 ? -0.1 : 0.2) / static_cast<double>(j + 1);
  svm.warm(w.data(), 0.3, true);
  const double start = svm.refresh(true).w_squared;
  out.add(start, start);
  add_gap(svm, 0.3, start, out);
  svm.warm(w.data(), 0.3, false);
  newton(svm, 2, out);
  svm.settle(true);
  const double back = svm.refresh(false).w_squared;
  out.add(back, start);
  add_gap(svm, 0.3, back, out);
  svm.warm(w.data(), 0.3, false);
  double t = newton(svm, 5, out);

  // ---- FISTA, from there.
  svm.settle(false);
  const double L = mu + begun.radius_squares, taking = svm.unshrink().active;
  for (int iteration = 1; iteration <= 12; ++iteration) {
    const Svm::StepAnswer step = svm.step(L, 0.4);
    for (double each : {step.squared, step.curvature, step.magnitude}) out.add(each, 1);
    svm.accept();
    if (iteration % 3 != 0) continue;
    const Svm::RefreshAnswer fresh = svm.refresh(false);
    out.add(fresh.w_squared, fresh.w_squared);
    out.add(fresh.centre_dot, 1 + std::sqrt(fresh.w_squared) * begun.centre_norm);
    t = offset_of(svm);
    out.add(t, 1 + std::fabs(t));
    const Svm::OffsetsAnswer at = svm.offsets(t - 0.1, t + 0.1, 0.001, std::sqrt(fresh.w_squared), 1e-15);
    for (double each : {at.positive_low, at.negative_low, at.positive_high, at.negative_high}) out.add(each, n);
    for (double each : {at.free_low, at.free_high}) out.add(each, n);
    add_gap(svm, t, fresh.w_squared, out);
    const Svm::CertifyAnswer proved = svm.certify(t - 0.01, t + 0.01, 0.001, std::sqrt(fresh.w_squared), 0, 0.001, true, t, 0, 0);
    for (double each : {proved.agreed, proved.properly_classified, proved.zero, proved.at_bound}) out.add(each, 1);
    const double active = svm.shrink(t, t, 0.05).active;
    out.shrunk = out.shrunk || active < taking;
    out.add(active, 1);
    if (iteration == 9) out.add(svm.unshrink().active, 1);
  }
  out.add(svm.unshrink().active, 1);
  out.certified.resize(svm.rows());
  svm.certified(out.certified.data());
  out.alpha.resize(svm.rows());
  svm.alpha(out.alpha.data());
  out.weights.resize(svm.width());
  const double bias = svm.model(out.weights.data(), t).bias;
  out.add(bias, 1 + std::fabs(bias) + begun.shift_norm);
  Svm::ScoreAnswer score{};
  if (!svm.score(t, score)) std::abort();
  for (double each : {score.positive_right, score.positive, score.negative_right, score.negative}) out.add(each, 1);
  out.add(score.hinge, 1 + score.hinge);
  for (int k = 0; k < 60; ++k) out.loose = svm.power(k == 0).estimate;
  return out;
}

// Rows of which some take no part. The first rank's rows are all of one class, and unlike others'.
Data rows_for(Random& random, size_t n, size_t d, Form form, const Cuts& cuts, bool weighted) {
  Data data = {n, d, std::vector<double>(n * d), std::vector<int8_t>(n), std::vector<double>(n, 1)};
  const bool sparse = form != Form::f64 && form != Form::f32;
  for (size_t i = 0; i < n; ++i) {
    const bool of_first = i < cuts[1] && cuts.size() > 2;
    data.y[i] = of_first || (i + 1 < n && random.chance(0.4)) ? 1 : -1;
    // On the second rank all weights are 1.
    const bool on_second = cuts.size() > 2 && i >= cuts[1] && i < cuts[2];
    if (weighted && !on_second) data.weight[i] = random.chance(0.15) && i + 1 < n ? 0 : random.uniform(0.4, 1.6);
    for (size_t j = 0; j < d; ++j) {
      double& x = data.x[i * d + j];
      x = sparse && random.chance(0.6) ? 0 : random.uniform() + (j < 3 ? 0.4 * data.y[i] : 0);
      if (j == 1 && !sparse) x += 1000;  // to be centred, in f32 too
      if (form == Form::ones || (form == Form::mixed && of_first)) x = x > 0.2 ? 1 : 0;
    }
  }
  return data;
}

// Returns whether rows were shrunk.
bool svms(const Table* table, size_t ranks, Form form, Svm::Scale scale, bool weighted, bool squared, size_t kind, Random& random) {
  const size_t n = 90, d = 7;
  Cuts cuts = {0};
  for (size_t r = 1; r <= ranks; ++r) cuts.push_back(n * r / ranks);
  if (kind == 1) cuts[1] = ranks > 1 ? 1 : n;     // one row
  if (kind == 2 && ranks > 2) cuts[2] = cuts[3];  // one rank without rows
  if (kind == 2 && ranks == 2) cuts[1] = 0;
  Data data = rows_for(random, n, d, form, cuts, weighted);
  // The last rank's rows take no part, but one of them is scored.
  if (kind == 3 && weighted && ranks > 1) {
    for (size_t i = cuts[ranks - 1]; i < n; ++i) data.weight[i] = 0;
    data.y[cuts[1] + 1] = -1;
  }
  check::at("%s svm of %s, scale %d, kind %zu%s%s, on %zu ranks", table->name, kForms[size_t(form)], int(scale), kind,
            weighted ? ", weighted" : "", squared ? ", squared" : "", ranks);
  const double given_scale[d] = {1, 0.5, 2, 1, 0.25, 1, 3};
  // With a list only of the rows that take part, which may be none of a rank's.
  const bool listed = kind == 3 && squared;
  const auto solve = [&](const Run& run, size_t begin, size_t end) {
    Svm::Given given = {data.y.data() + begin, data.weight.data() + (weighted ? begin : 0), weighted, scale};
    given.inverse_scale = given_scale;
    std::vector<uint32_t> rows = {0};
    std::vector<int8_t> y;
    std::vector<double> weight;
    for (size_t i = begin; i < end && listed; ++i) {
      if (data.weight[i] == 0) continue;
      rows.insert(rows.end() - 1, static_cast<uint32_t>(i - begin));
      y.push_back(data.y[i]);
      weight.push_back(data.weight[i]);
    }
    if (listed) {
      given = {y.data(), weight.data(), true, scale, given_scale, rows.data(), y.size()};
    }
    return drive(run, matrix(run, data, form, begin, end), given, squared);
  };
  std::vector<Outcome> found(ranks);
  Team(ranks).run([&](const Ranks& seam) {
    const Run run = {table, seam.rank % 2 + 1, nullptr, &seam};
    found[seam.rank] = solve(run, cuts[seam.rank], cuts[seam.rank + 1]);
  });
  for (size_t r = 1; r < ranks; ++r) {
    CHECK(same_bits(found[0].values, found[r].values));
    CHECK(same_bits(found[0].weights, found[r].weights));
    CHECK(same_bits(found[0].inverse, found[r].inverse));
    CHECK(check::same_bits(&found[0].loose, &found[r].loose, 1));
  }
  const Outcome one = solve({table, 1}, 0, n);
  // FISTA's map is nearly a contraction, and Newton's steps end where they began to be exact, so that errors do not grow: what is
  // off by the rounding of n terms in each of some hundred sums stays below 1e-9.
  const double near = 1e-9;
  CHECK(one.values.size() == found[0].values.size());
  for (size_t k = 0; k < one.values.size(); ++k) {
    if (!CHECK_NEAR(found[0].values[k], one.values[k], near * one.scales[k])) std::fprintf(stderr, "answer %zu\n", k);
  }
  for (size_t j = 0; j < d; ++j) {
    CHECK_NEAR(found[0].inverse[j], one.inverse[j], near * one.inverse[j]);
    CHECK_NEAR(found[0].weights[j], one.weights[j], near * (1 + std::fabs(one.weights[j])));
  }
  CHECK_NEAR(found[0].loose, one.loose, 0.05 * one.loose);
  double largest = 0;
  for (double each : one.alpha) largest = std::fmax(largest, each);
  for (size_t r = 0; r < ranks; ++r) {
    CHECK(found[r].alpha.size() == cuts[r + 1] - cuts[r]);
    for (size_t i = 0; i < found[r].alpha.size(); ++i) {
      CHECK_NEAR(found[r].alpha[i], one.alpha[cuts[r] + i], near * largest);
      CHECK(found[r].certified[i] == one.certified[cuts[r] + i]);
    }
  }
  return one.shrunk;
}

}  // namespace

int main() {
  retain_pool();
  const std::vector<const Table*> levels = check::levels();
  for (const Table* table : {levels.front(), levels.back()}) {
    for (size_t ranks : {1, 2, 3, 5}) {
      knapsacks(table, ranks, 100 + ranks, 25 * kKinds);
      overflow(table, ranks);
      Random random(ranks);
      for (Form form : {Form::f64, Form::f32, Form::sparse}) columns(table, ranks, form, random);
    }
  }
  Random random(9);
  size_t turn = 0, shrunk = 0;
  for (Form form : {Form::f64, Form::f32, Form::sparse, Form::ones, Form::mixed}) {
    for (const auto scale : {Svm::Scale::none, Svm::Scale::standard, Svm::Scale::maxabs, Svm::Scale::given}) {
      for (size_t ranks : {1, 2, 3, 5}) {
        const Table* const table = levels[turn % levels.size()];
        shrunk += svms(table, ranks, form, scale, turn % 3 != 0, turn % 5 > 2, (turn + turn / 16) % 4, random);
        turn++;
      }
    }
  }
  check::at("all svms");
  CHECK(4 * shrunk >= 3 * turn);
  release_pool();
  return check::report();
}
