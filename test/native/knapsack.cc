// project_knapsack by its definition, and against a projection by sorting, on ordinary, degenerate and adversarial problems.
#include "knapsack.h"

#include <ctime>
#include <string>

#include "check.h"
#include "knapsack_rules.h"
#include "parallel.h"

using namespace fista;
using namespace check;

namespace {

struct Problem {
  std::string name;
  std::vector<double> a, weight;
  std::vector<int8_t> y;
  double b;
  double gamma = 1;
  size_t n() const { return a.size(); }
};

Problem problem(const std::string& name, size_t n) {
  return {name, std::vector<double>(n), std::vector<double>(n, 1.0), std::vector<int8_t>(n, 1), 0};
}

// The arrays of the kernel, each right before a guard page.
class Solver {
 public:
  explicit Solver(const Problem& p)
      : a_(p.a),
        weight_(p.weight),
        x_(p.n()),
        work_(p.n()),
        y_(p.y),
        index_(p.n()),
        statement_{a_.data(), y_.data(), weight_.data(), p.gamma, p.n(), p.b},
        weight_sum_(statement_.weight_sum()) {}
  double solve(const Run& run, double guess) {
    return project_knapsack(run, statement_.rows(), a_.size(), static_cast<double>(a_.size()), weight_sum_, statement_.b, guess,
                            x_.data(), work_.data(), index_.data());
  }
  // With x = a, as in the FISTA loop.
  double solve_in_place(const Run& run, double guess, const Problem& p) {
    std::copy(p.a.begin(), p.a.end(), x_.begin());
    const KnapsackRows rows = {x_.data(), y_.data(), weight_.data(), statement_.gamma};
    return project_knapsack(run, rows, a_.size(), static_cast<double>(a_.size()), weight_sum_, statement_.b, guess, x_.data(),
                            work_.data(), index_.data());
  }
  const Knapsack& statement() const { return statement_; }
  const double* x() const { return x_.data(); }

 private:
  Guarded<double> a_, weight_, x_, work_;
  Guarded<int8_t> y_;
  Guarded<uint32_t> index_;
  Knapsack statement_;
  double weight_sum_;
};

void obey(const Knapsack& s, double lambda, const double* x) {
  const char* rule = check::broken_rule(s, lambda, x);
  if (rule != nullptr) {
    const check::Exact sum = s.sum(x);
    std::fprintf(stderr, "violates: %s; lambda %.17g, the sum - b = %.3g, rounding %.3g\n", rule, lambda, sum.value() - s.b,
                 s.rounding(sum.magnitude));
  }
  CHECK(rule == nullptr);
}

// sum c_i (a - x)_i (z - x)_i <= 0 for every feasible z. With x_i = clamp(a_i - lambda y_i) the left side is at most lambda times
// the difference of the sums of z and x, which rounding leaves near 0, plus the rounding of a_i - lambda y_i itself.
void variational(const Knapsack& s, const double* x, double lambda, Random& random) {
  // Scaled by powers of two, so that products of numbers near 1e300 or 1e-300 neither overflow nor underflow.
  double max = std::fabs(lambda);
  for (size_t i = 0; i < s.n; ++i) max = std::fmax(max, std::fabs(s.a[i]));
  const double bound = std::isfinite(s.gamma) ? s.gamma : max;
  const auto power = [](double largest) { return largest > 0 ? -std::ilogb(largest) : 0; };
  const int of_a = power(std::fmax(max, bound)), of_x = power(bound);

  std::vector<double> from(s.n);
  for (int trial = 0; trial < 5; ++trial) {
    for (size_t i = 0; i < s.n; ++i) from[i] = bound * random.uniform(-0.5, 1.5);
    const Knapsack other = {from.data(), s.y, s.weight, s.gamma, s.n, s.b};
    const double root = check::sorted_root(other);
    check::Exact product, apart;
    double rounding = 0;
    for (size_t i = 0; i < s.n; ++i) {
      const double z = other.x(i, root);
      const double across = s.weight[i] * std::ldexp(z - x[i], of_x);
      product.add_product(std::ldexp(s.a[i] - x[i], of_a), across);
      apart.add_product(s.y[i] * s.weight[i], std::ldexp(z, of_x));
      apart.add_product(-s.y[i] * s.weight[i], std::ldexp(x[i], of_x));
      rounding += 4 * kUnit * std::ldexp(std::fabs(s.a[i]) + std::fabs(lambda) + x[i], of_a) * std::fabs(across);
    }
    // Sums in twice the precision have a rounding, too, which shows where z and x are nearly the same.
    rounding += 4 * static_cast<double>(s.n + 2) * kUnit * kUnit * apart.magnitude * std::ldexp(std::fabs(lambda), of_a);
    CHECK(product.value() <= std::ldexp(lambda, of_a) * apart.value() + rounding);
  }
}

void solve(const Problem& p) {
  Solver solver(p);
  const Knapsack& s = solver.statement();
  const double root = check::sorted_root(s);
  const bool reachable = p.b >= s.min() && p.b <= s.max();
  Random random(1);
  std::vector<double> twin(p.n());
  for (size_t i = 0; i < p.n(); ++i) twin[i] = s.x(i, root);

  for (const Table* table : check::levels()) {
    const double guesses[] = {kNaN, root, root + 1e-3 * (1 + std::fabs(root)), -root - 1, 0, 1e300, -1e300, kInfinity};
    for (double guess : guesses) {
      check::at("%s %s n = %zu b = %g guess = %g", table->name, p.name.c_str(), p.n(), p.b, guess);
      const double lambda = solver.solve({table, 1}, guess);
      obey(s, lambda, solver.x());
      if (std::isnan(lambda)) continue;
      if (reachable) CHECK(check::agrees(s, solver.x(), twin.data()));
      if (reachable && p.n() <= 2000 && (std::isnan(guess) || guess == 1e300)) variational(s, solver.x(), lambda, random);
      // In place: the same bits.
      const std::vector<double> x(solver.x(), solver.x() + p.n());
      const double in_place = solver.solve_in_place({table, 1}, guess, p);
      CHECK(check::same_bits(&in_place, &lambda, 1));
      CHECK(check::same_bits(x.data(), solver.x(), p.n()));
    }
  }
}

// The same bits for every number of threads.
void threads(const Problem& p) {
  Solver solver(p);
  for (const Table* table : check::levels()) {
    for (double guess : {kNaN, 0.1, 1e300}) {
      check::at("%s %s n = %zu guess = %g threads", table->name, p.name.c_str(), p.n(), guess);
      const double first = solver.solve({table, 1}, guess);
      obey(solver.statement(), first, solver.x());
      const std::vector<double> x(solver.x(), solver.x() + p.n());
      for (unsigned count : check::kThreads) {
        const double again = solver.solve({table, count}, guess);
        CHECK(check::same_bits(&again, &first, 1));
        CHECK(check::same_bits(x.data(), solver.x(), p.n()));
      }
    }
  }
}

// b at several shares of the reachable interval, at its ends, and 0.
template <typename Each>
void for_each_b(Problem p, Each each) {
  const Knapsack s = {p.a.data(), p.y.data(), p.weight.data(), p.gamma, p.n(), 0};
  double far = 1;
  for (size_t i = 0; i < p.n(); ++i) far += p.weight[i] * std::fabs(p.a[i]);
  const double min = std::fmax(s.min(), -far), max = std::fmin(s.max(), far);  // as far as a is, where there is no bound
  for (double share : {0.0, 1e-12, 0.1, 0.5, 0.93, 1.0}) {
    p.b = min + share * (max - min);
    if (share == 1) p.b = max;
    each(p);
  }
  p.b = 0;
  each(p);
}

Problem random_problem(Random& random, size_t n, double spread, double positive) {
  Problem p = problem("random", n);
  for (size_t i = 0; i < n; ++i) {
    p.a[i] = spread * random.uniform();
    p.weight[i] = random.chance(0.1) ? 1 : std::pow(10, random.uniform(-3, 3));
    p.y[i] = random.chance(positive) ? 1 : -1;
  }
  return p;
}

void ordinary() {
  Random random(2);
  // Every remainder of every vector width, then sizes around the limits of the sampled median and of the sample.
  for (size_t n = 0; n <= 40; ++n) {
    for (double positive : {0.5, 0.0, 1.0}) {
      Problem p = random_problem(random, n, 2, positive);
      for_each_b(p, solve);
      p.name = "without bounds";
      p.gamma = kInfinity;
      for_each_b(p, solve);
    }
  }
  for (size_t n : {64, 511, 512, 513, 1500}) for_each_b(random_problem(random, n, 2, 0.4), solve);
}

void ties() {
  Random random(3);
  for (size_t n : {2, 5, 33, 100, 700}) {
    Problem p = problem("all equal", n);
    std::fill(p.a.begin(), p.a.end(), 0.75);
    for_each_b(p, solve);
    for (size_t i = 0; i < n; i += 2) p.y[i] = -1;
    p.name = "all equal, both labels";
    for_each_b(p, solve);
    p.name = "few values";
    for (size_t i = 0; i < n; ++i) {
      p.a[i] = static_cast<double>(random.below(3)) - 1;
      p.weight[i] = static_cast<double>(1 + random.below(3));
      p.y[i] = random.chance(0.5) ? 1 : -1;
    }
    for_each_b(p, solve);
  }
}

void clamped() {
  // phi is flat at the root: every term is at a bound over an interval of lambda.
  for (size_t n : {2, 6, 50, 600}) {
    Problem p = problem("flat piece", n);
    for (size_t i = 0; i < n; ++i) p.a[i] = i < n / 2 ? 100.0 + static_cast<double>(i) : -100.0 - static_cast<double>(i);
    p.b = static_cast<double>(n / 2);
    solve(p);
    for (size_t i = 0; i < n; ++i) p.y[i] = i % 2 ? 1 : -1;
    p.name = "flat piece, both labels";
    for_each_b(p, solve);
    p.name = "gamma 0";
    p.gamma = 0;
    p.b = 0;
    solve(p);
  }
}

void out_of_reach() {
  Random random(4);
  for (size_t n : {0, 1, 7, 300}) {
    Problem p = random_problem(random, n, 2, 0.5);
    p.name = "out of reach";
    const Knapsack s = {p.a.data(), p.y.data(), p.weight.data(), p.gamma, n, 0};
    const double min = s.min(), max = s.max();
    for (double beyond : {1e-9 * (1 + max - min), 0.5, 1e10, 1e300}) {
      for (double b : {max + beyond, min - beyond}) {
        p.b = b;
        Solver solver(p);
        for (const Table* table : check::levels()) {
          for (double guess : {kNaN, 0.0, 1e300, -1e300}) {
            check::at("%s out of reach n = %zu b = %g guess = %g", table->name, n, b, guess);
            CHECK(std::isnan(solver.solve({table, 1}, guess)));
          }
        }
      }
    }
    // Within rounding of the ends both answers are right; broken_rule accepts either.
    for (int steps : {-3, -1, 1, 3}) {
      p.b = check::ulps(max, steps);
      solve(p);
      p.b = check::ulps(min, steps);
      solve(p);
    }
  }
}

// A kink at the guess: phi is b up to rounding there, but a step with the slope of the few rows inside would overshoot by far.
void kink() {
  for (size_t n : {1000, 100000}) {
    Problem p = problem("kink", n);
    for (size_t i = 0; i < n; ++i) p.a[i] = 1;  // these rows leave their upper bound at lambda = 0
    p.a[0] = 0.5;                               // inside at lambda = 0
    const double max = static_cast<double>(n - 1) + 0.5;
    p.b = max - 0.4 * static_cast<double>(n) * kUnit * 2 * max;
    Solver solver(p);
    for (const Table* table : check::levels()) {
      for (double guess : {0.0, kNaN, 1e300}) {
        check::at("%s kink n = %zu guess = %g", table->name, n, guess);
        const double lambda = solver.solve({table, 1}, guess);
        obey(solver.statement(), lambda, solver.x());
      }
    }
  }
}

// gamma is below the rounding of a_i: both breakpoints of a row are the same double, and phi is a staircase.
void staircase() {
  for (size_t n : {2, 42, 1000}) {
    Problem p = problem("staircase", n);
    for (size_t i = 0; i < n; ++i) {
      p.y[i] = i % 2 ? -1 : 1;
      p.a[i] = -1e200 * p.y[i] * (1 + 0x1p-30 * static_cast<double>(i / 2));
      p.weight[i] = i % 2 ? 1 : 0.875;
    }
    p.b = 0.875;
    solve(p);
    for_each_b(p, solve);
    // One step for all rows, with b at the end of the reachable interval: x must be at its bounds in spite of rounding.
    p = problem("one step", n);
    std::fill(p.a.begin(), p.a.end(), -1e200);
    p.b = static_cast<double>(n);
    solve(p);
    Solver solver(p);
    for (const Table* table : check::levels()) {
      for (double guess : {kNaN, -1e200, 0.0, 1e300}) {
        check::at("%s one step n = %zu guess = %g", table->name, n, guess);
        solver.solve({table, 1}, guess);
        for (size_t i = 0; i < n; ++i) CHECK(solver.x()[i] == p.gamma);
      }
    }
  }
}

// Numbers whose sums overflow, and NaN: the sum is meaningless, but the search ends and x stays in its bounds.
void overflow() {
  const double huge = std::numeric_limits<double>::max();
  for (double bad : {huge, -huge, kNaN}) {
    Problem p = problem("overflow", 100);
    for (size_t i = 0; i < p.n(); ++i) {
      p.a[i] = i % 3 ? bad : static_cast<double>(i);
      p.weight[i] = i % 5 ? 1 : 2;
      p.y[i] = i % 7 ? 1 : -1;
    }
    p.gamma = std::isnan(bad) ? 2 : huge;
    Solver solver(p);
    for (const Table* table : check::levels()) {
      for (double guess : {kNaN, 0.0, 1e300, -huge, huge}) {
        check::at("%s overflow %g guess = %g", table->name, bad, guess);
        const double lambda = solver.solve({table, 1}, guess);
        if (!std::isfinite(lambda) || std::isnan(bad)) continue;
        for (size_t i = 0; i < p.n(); ++i) CHECK(solver.x()[i] >= 0 && solver.x()[i] <= p.gamma);
      }
    }
  }
}

void magnitudes() {
  Random random(5);
  for (double scale : {1e-320, 1e-300, 1e-150, 1e-12, 1e12, 1e150, 1e300}) {
    for (size_t n : {1, 2, 9, 70}) {
      Problem p = random_problem(random, n, 2, 0.5);
      p.name = "scaled by " + std::to_string(std::log10(scale));
      for (double& v : p.a) v *= scale;
      p.gamma *= scale;
      for_each_b(p, solve);
      // a far from the box: lambda is much larger than gamma.
      Problem far = random_problem(random, n, 2, 0.5);
      far.name = "far by " + std::to_string(std::log10(scale));
      for (size_t i = 0; i < n; ++i) far.a[i] += scale * far.y[i];
      for_each_b(far, solve);
      // All magnitudes at once.
      Problem mixed = random_problem(random, n, 2, 0.5);
      mixed.name = "mixed up to " + std::to_string(std::log10(scale));
      for (size_t i = 0; i < n; ++i) {
        mixed.a[i] *= std::pow(scale, random.uniform(0, 1));
      }
      mixed.gamma *= std::pow(scale, random.uniform(0, 1));
      for_each_b(mixed, solve);
    }
  }
}

// Orders of rows that are hard for a search by medians: sorted, geometric, alternating. A guess of 1e300 is of no help to the
// search.
void orders() {
  const size_t n = 80000;
  Problem sorted = problem("sorted", n), steps = problem("geometric", n), saw = problem("alternating", n);
  for (size_t i = 0; i < n; ++i) {
    sorted.a[i] = static_cast<double>(i) / static_cast<double>(n);
    steps.a[i] = std::pow(2.0, static_cast<double>(i % 1200) / 2 - 300);
    steps.weight[i] = 1 + static_cast<double>(i % 3);
    saw.a[i] = i % 2 ? 1e6 : -1e6;
    saw.y[i] = i % 4 < 2 ? 1 : -1;
  }
  for (Problem* each : {&sorted, &steps, &saw}) {
    const Knapsack s = {each->a.data(), each->y.data(), each->weight.data(), each->gamma, n, 0};
    each->b = s.min() + 0.3 * (s.max() - s.min());
    threads(*each);
  }
}

// An order against the sampled median: its 31 samples are the smallest remaining rows, so each round would drop 31 rows, and the
// search would take n / 31 rounds. The exact median in between must keep the time linear: about that of random rows.
void hostile() {
  const size_t n = 100000;
  Random random(6);
  Problem easy = problem("easy", n), hard = problem("hostile", n);
  std::vector<size_t> left(n);
  for (size_t i = 0; i < n; ++i) {
    left[i] = i;
    easy.a[i] = random.uniform(0, 1);
  }
  easy.gamma = hard.gamma = 0x1p-40;  // both breakpoints of a row are nearly equal
  for (double value = 0; left.size() > 62; value += 1e-5) {
    const size_t m = left.size();
    for (size_t k = 31; k-- > 0;) {
      const auto at = left.begin() + static_cast<ptrdiff_t>((2 * k + 1) * m / 62);
      hard.a[*at] = value;
      left.erase(at);
    }
  }
  // The remaining rows are the largest, and the root is among them.
  for (size_t i : left) {
    hard.a[i] = easy.a[i] = 2;
  }
  easy.b = hard.b = 20.5 * easy.gamma;
  const auto seconds = [](const Problem& p) {
    Solver solver(p);
    const Run run = {choose_table(nullptr), 1};
    const std::clock_t from = std::clock();
    for (int r = 0; r < 5; ++r) obey(solver.statement(), solver.solve(run, 1e300), solver.x());
    return static_cast<double>(std::clock() - from) / CLOCKS_PER_SEC;
  };
  check::at("hostile order");
  const double usual = seconds(easy), worst = seconds(hard);
  if (!CHECK(worst <= 10 * usual)) std::fprintf(stderr, "%g s instead of %g s\n", worst, usual);
}

}  // namespace

int main() {
  retain_pool();
  ordinary();
  ties();
  clamped();
  out_of_reach();
  kink();
  staircase();
  overflow();
  magnitudes();
  orders();
  hostile();
  Random random(8);
  for (size_t n : {40000, 100001}) threads(random_problem(random, n, 2, 0.3));
  release_pool();
  return check::report();
}
