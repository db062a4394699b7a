// The sweeps over vectors against plain loops, for every length up to 70: every remainder of every vector width.
#include <limits>

#include "check.h"
#include "table.h"

using namespace fista;
using namespace check;

namespace {

constexpr double kMax = std::numeric_limits<double>::max();

template <typename T>
void finite(const Table& table, size_t n) {
  Guarded<T> x(n);
  for (T& v : x) v = std::numeric_limits<T>::max();
  CHECK(table.all_finite[sizeof(T) == sizeof(float)](x.data(), n));
  for (size_t i = 0; i < n; ++i) {
    for (double wrong : {kNaN, kInfinity, -kInfinity}) {
      x[i] = static_cast<T>(wrong);
      CHECK(!table.all_finite[sizeof(T) == sizeof(float)](x.data(), n));
    }
    x[i] = -std::numeric_limits<T>::denorm_min();
  }
}

void vectors(const Table& table, Random& random, size_t n) {
  Guarded<double> x(n), out(n);
  for (double& v : x) v = random.uniform();

  Exact squares;
  double max = 0;
  for (double v : x) {
    squares.add_product(v, v);
    max = std::fmax(max, std::fabs(v));
  }
  CHECK_NEAR(table.sum_squares(x.data(), n), squares.value(), static_cast<double>(n + 1) * kUnit * squares.magnitude);
  CHECK(table.max_abs(x.data(), n) == max);
  if (n > 0) {
    x[random.below(n)] = -kMax;
    CHECK(table.max_abs(x.data(), n) == kMax);
  }
  table.scale(x.data(), n, 0.3, out.data());
  for (size_t i = 0; i < n; ++i) CHECK(out[i] == x[i] * 0.3);
  table.scale(x.data(), n, 0.3, x.data());
  CHECK(check::same_bits(x.data(), out.data(), n));

  // Partial sums are added in order, so the bits are those of the plain loop.
  for (size_t parts : {1, 2, 5, 16}) {
    const size_t stride = n + 3;
    Guarded<double> partial((parts - 1) * stride + n);
    for (double& v : partial) v = random.uniform();
    table.add_parts(partial.data(), parts, stride, n, out.data());
    for (size_t j = 0; j < n; ++j) {
      double sum = partial[j];
      for (size_t p = 1; p < parts; ++p) sum += partial[p * stride + j];
      CHECK(out[j] == sum);
    }
  }
}

void knapsack(const Table& table, Random& random, size_t n) {
  Guarded<double> a(n), weight(n), x(n);
  Guarded<int8_t> y(n);
  for (size_t i = 0; i < n; ++i) {
    a[i] = random.uniform(-2, 2);
    weight[i] = random.chance(0.2) ? 1 : random.uniform(0, 2);
    y[i] = random.chance(0.5) ? 1 : -1;
  }
  const double inf = std::numeric_limits<double>::infinity();
  for (double lambda : {0.0, 0.4, -1.3, 1e100, -1e100, n ? a[0] : 0, n ? a[0] - 0.7 : 0}) {
    for (double gamma : {0.7, inf}) {
      const KnapsackRows rows = {a.data(), y.data(), weight.data(), gamma};
      const Phi phi = table.knapsack_phi(rows, n, lambda);
      Exact value;
      Exact inside;
      std::vector<double> expected(n);
      for (size_t i = 0; i < n; ++i) {
        const double free = a[i] - lambda * y[i];
        expected[i] = free <= 0 ? 0 : free >= gamma ? gamma : free;
        if (0 < free && free < gamma) inside.add(weight[i]);
        value.add_product(y[i] * weight[i], expected[i]);
      }
      CHECK_NEAR(phi.inside, inside.value(), static_cast<double>(n) * kUnit * inside.value());
      const double bound = static_cast<double>(n + 2) * kUnit * value.magnitude;
      CHECK_NEAR(phi.value, value.value(), bound);
      CHECK_NEAR(phi.magnitude, value.magnitude, bound);
      table.knapsack_write(rows, n, lambda, x.data());
      for (size_t i = 0; i < n; ++i) CHECK(x[i] == expected[i] && !std::signbit(x[i]));
    }
  }
  // In place.
  const std::vector<double> before(a.begin(), a.end());
  const KnapsackRows rows = {a.data(), y.data(), weight.data(), 0.7};
  table.knapsack_write(rows, n, 0.4, x.data());
  table.knapsack_write(rows, n, 0.4, a.data());
  CHECK(check::same_bits(a.data(), x.data(), n));
}

void svm(const Table& table, Random& random, size_t n) {
  Guarded<double> x(n), x_prev(n), q(n), q_prev(n), x_next(n), q_next(n), a(n);
  for (auto* v : {&x, &x_prev, &q, &q_prev, &x_next, &q_next}) {
    for (double& e : *v) e = random.uniform();
  }
  Guarded<double> weight(n);
  for (double& c : weight) c = random.uniform(0.5, 2);
  Guarded<int8_t> labels(n);
  for (int8_t& y : labels) y = random.chance(0.5) ? 1 : -1;
  for (double beta : {0.0, 0.6, 1.0}) {
    const State state = {x.data(), x_prev.data(), q.data(), q_prev.data(), beta};
    const double mu = 0.7, inverse_L = 0.3;
    table.svm_forward(state, n, mu, inverse_L, a.data());
    Guarded<double> finished(n);
    for (size_t i = 0; i < n; ++i) finished[i] = labels[i] * q_next[i];  // x.w, before the factor y
    double step[3] = {0, 0, 0};
    table.svm_finish(state, labels.data(), weight.data(), x_next.data(), finished.data(), n, step);
    CHECK(check::same_bits(finished.data(), q_next.data(), n));
    Exact squared, curvature;
    double magnitude = 0;
    for (size_t i = 0; i < n; ++i) {
      const double y = x[i] + beta * (x[i] - x_prev[i]), qy = q[i] + beta * (q[i] - q_prev[i]);
      // All numbers are below 3: three roundings for y, three for q(y) and five more, and as many in the plain loop.
      CHECK_NEAR(a[i], y + (1 - qy - mu * y) * inverse_L, 22 * 3 * kUnit);
      const double s = x_next[i] - y, rise = q_next[i] - qy;
      squared.add_product(weight[i] * s, s);
      curvature.add_product(weight[i] * s, rise);
      magnitude += std::fabs(weight[i] * s * rise);
    }
    // s and the rise are below 4 and err by 4 roundings of 4 each, in both computations: 2 * 4 * (2 * 16) units a term, times a
    // weight of at most 2, with a rounding of its own; then the sum.
    const double terms = static_cast<double>(n);
    const double bound = 2 * (terms * (256 + 32) + (terms + 1) * 16 * terms) * kUnit;
    CHECK_NEAR(step[0], squared.value(), bound);
    CHECK_NEAR(step[1], curvature.value(), bound);
    CHECK_NEAR(step[2], magnitude, bound);
    table.svm_share(x.data(), labels.data(), weight.data(), n, a.data());
    for (size_t i = 0; i < n; ++i) CHECK(a[i] == labels[i] * (weight[i] * x[i]));
  }
}

}  // namespace

int main() {
  for (const Table* table : check::levels()) {
    Random random(5);
    for (size_t n = 0; n <= 70; ++n) {
      check::at("%s, n = %zu", table->name, n);
      finite<double>(*table, n);
      finite<float>(*table, n);
      vectors(*table, random, n);
      knapsack(*table, random, n);
      svm(*table, random, n);
    }
  }
  return check::report();
}
