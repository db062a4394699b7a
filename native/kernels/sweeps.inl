// Sweeps over vectors: each reads its arrays once. knapsack_phi and knapsack_write are those of the projection (method 1.8).

template <typename T>
bool all_finite(const void* data, size_t n) {
  // 0 * x is 0 for a finite x, and NaN otherwise.
  const T* x = static_cast<const T*>(data);
  V s = zero();
  sweep(n, [&](size_t i, auto at) { s = fma(at.load(x + i), zero(), s); });
  return sum(s) == 0;
}

void add_parts(const double* partial, size_t parts, size_t stride, size_t n, double* out) {
  sweep(n, [&](size_t j, auto at) {
    V s = at.load(partial + j);
    for (size_t p = 1; p < parts; ++p) s = s + at.load(partial + p * stride + j);
    at.store(out + j, s);
  });
}

// With z_i = y_i x_i the term is c_i clamp(y_i a_i - lambda, low, high), where [low, high] is [0, gamma] or [-gamma, 0]: no branch
// on the label.
struct KnapsackTerm {
  V low, high, free, z;
  inline KnapsackTerm(V a, V y, V gamma, V lambda) {
    low = where(less(y, zero()), zero() - gamma);
    high = where(less(zero(), y), gamma);
    free = y * a - lambda;
    z = min(max(free, low), high);
  }
};

Phi knapsack_phi(const KnapsackRows& rows, size_t n, double lambda) {
  V value = zero(), inside = zero(), magnitude = zero();
  const V at_lambda = set1(lambda), gamma = set1(rows.gamma);
  // Lanes past the end have y = c = 0: nothing is strictly inside, and the term is 0.
  sweep(n, [&](size_t i, auto at) {
    const KnapsackTerm term(at.load(rows.a + i), at.load(rows.y + i), gamma, at_lambda);
    const V c = at.load(rows.weight + i), z = c * term.z;
    value = value + z;
    magnitude = magnitude + abs(z);
    inside = inside + where(both(less(term.low, term.free), less(term.free, term.high)), c);
  });
  return {sum(value), sum(inside), sum(magnitude)};
}

void knapsack_write(const KnapsackRows& rows, size_t n, double lambda, double* x) {
  const V at_lambda = set1(lambda), gamma = set1(rows.gamma);
  sweep(n, [&](size_t i, auto at) {
    // |z| rather than y z: no -0 among the results.
    at.store(x + i, abs(KnapsackTerm(at.load(rows.a + i), at.load(rows.y + i), gamma, at_lambda).z));
  });
}

double sum_squares(const double* x, size_t n) {
  V s[4] = {zero(), zero(), zero(), zero()};
  size_t i = 0;
  for (; i + 4 * W <= n; i += 4 * W) {
    for (size_t r = 0; r < 4; ++r) {
      const V a = load(x + i + r * W);
      s[r] = fma(a, a, s[r]);
    }
  }
  sweep(n - i, [&](size_t j, auto at) {
    const V a = at.load(x + i + j);
    s[0] = fma(a, a, s[0]);
  });
  return sum((s[0] + s[1]) + (s[2] + s[3]));
}

double max_abs(const double* x, size_t n) {
  V m = zero();
  sweep(n, [&](size_t i, auto at) { m = max(m, abs(at.load(x + i))); });
  double lanes[W], largest = 0;
  store(lanes, m);
  for (size_t r = 0; r < W; ++r) largest = lanes[r] > largest ? lanes[r] : largest;
  return largest;
}

void scale(const double* x, size_t n, double factor, double* out) {
  const V f = set1(factor);
  sweep(n, [&](size_t i, auto at) { at.store(out + i, at.load(x + i) * f); });
}

// The number of column indices, of n, that are not above the one before; SIZE_MAX if an index is not below cols.
template <typename I>
size_t count_descents(const I* x, size_t n, size_t cols) {
  if (n == 0) return 0;
  I largest = x[0];
  size_t total = 0;
  for (size_t from = 1; from < n; from += 1u << 20) {
    const size_t to = n - from < (1u << 20) ? n : from + (1u << 20);
    uint32_t descents = 0;  // of a chunk
    for (size_t i = from; i < to; ++i) {
      largest = x[i] > largest ? x[i] : largest;
      descents += x[i] <= x[i - 1];
    }
    total += descents;
  }
  return largest >= cols ? SIZE_MAX : total;
}
