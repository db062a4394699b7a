// One epoch of coordinate ascent on the SVM's dual (method 1.10): rows one after the other, each to the maximum along its own
// alpha.
//
// Given:   an epoch, or a part of one (Ascent in table.h), and the rows of a matrix.
// Wanted:  alpha, w, y.alpha and the sums of FY and psi in the Ascent; the number of entries read.
// Source:  svm_ascent.cc names it.

// Takes value = x.w of a row; returns by how much y alpha = y c x changes. The next row waits for the result, so everything that
// does not depend on value is computed before it.
inline double visit(Ascent& a, AscentRow& row, uint8_t* shrunk, double value) {
  const double y = ::copysign(1.0, row.weight), old = row.x;  // no branch: labels cannot be predicted
  const double low = y < 0 ? -a.gamma : 0, high = y > 0 ? a.gamma : 0;
  const double shift = (a.offset + a.weight * a.balance) - a.along - a.balance * (row.along - a.centre_squared);
  const double still = (old - old * (a.mu * row.inverse)) + (y - shift) * row.inverse;
  const double wanted = still - value * row.inverse;
  const double raised = wanted > low ? wanted : low;
  const double x = raised < high ? raised : high;
  const double c = y * row.weight, u = c * (x - old);
  row.x = x;
  a.balance += u;
  a.along += u * row.along;

  const double before = y * old;
  const double below = 1 - y * (value + shift), free = below * a.inverse_mu;
  const double some = free > 0 ? free : 0, slope = some < a.gamma ? some : a.gamma;
  const double psi = slope * (below - 0.5 * a.mu * slope);
  a.psi += c * psi;
  a.fy += c * (psi + before * (0.5 * a.mu * before - below));
  *shrunk = static_cast<uint8_t>(((x == 0) & (below < -a.delta)) | ((y * x == a.gamma) & (below > a.mu * a.gamma + a.delta)));
  return u;
}

// Rows are visited in an order that no processor can predict, so what they need is prefetched some visits before.
constexpr size_t kAhead = 16, kSoon = 8;

template <typename Ask>
inline AscentRow& arrive(const Ascent& a, size_t k, Ask&& ask) {
  if (k + kAhead < a.known) prefetch(a.rows + a.order[k + kAhead]);
  if (k + kSoon < a.known) ask(a.rows[a.order[k + kSoon]]);
  return a.rows[a.order[k]];
}

// x.w and w += u x (with x times inverse^2, if given), for a w that is allocated in whole vectors: w is read soon after it was
// written, and a load that follows a masked store waits until that is in the cache.
template <typename T>
inline double dot_whole(const T* x, const double* w, size_t n) {
  V s[4] = {zero(), zero(), zero(), zero()};
  size_t j = 0;
  for (; j + 4 * W <= n; j += 4 * W) {
    for (size_t r = 0; r < 4; ++r) s[r] = fma(load(x + j + r * W), load(w + j + r * W), s[r]);
  }
  for (size_t r = 0; r < 3 && j + W <= n; ++r, j += W) s[r] = fma(load(x + j), load(w + j), s[r]);
  if (j < n) s[3] = fma(load_n(x + j, n - j), load(w + j), s[3]);
  return sum((s[0] + s[1]) + (s[2] + s[3]));
}

template <typename T>
inline void add_whole(const T* x, const double* inverse, double u, size_t n, double* w) {
  const V c = set1(u);
  size_t j = 0;
  if (inverse == nullptr) {
    for (; j + W <= n; j += W) store(w + j, fma(c, load(x + j), load(w + j)));
    if (j < n) store(w + j, fma(c, load_n(x + j, n - j), load(w + j)));
    return;
  }
  for (; j + W <= n; j += W) {  // (in this order: the square of inverse may overflow, and so may its product with u)
    const V by = load(inverse + j);
    store(w + j, fma(c, by * (by * load(x + j)), load(w + j)));
  }
  if (j < n) {
    const V by = load_n(inverse + j, n - j);
    store(w + j, fma(c, by * (by * load_n(x + j, n - j)), load(w + j)));
  }
}

// A w of up to N vectors stays in registers, so that a row need not wait for the last one's w to be written and read.
template <size_t N, typename T>
size_t ascend_narrow(const DenseRows& m, Ascent& ascent) {
  Ascent a = ascent;
  const T* const x = static_cast<const T*>(m.x);
  const size_t cols = m.cols, last = (N - 1) * W, rest = cols - last;
  // load_n loads less than a whole vector.
  const auto load_v = [&](const auto* from, size_t v) {
    return v + 1 < N || rest == W ? load(from + v * W) : load_n(from + last, rest);
  };
  V w[N], inverse[N];
  for (size_t v = 0; v < N; ++v) {
    w[v] = load(a.wide + v * W);
    inverse[v] = a.inverse_scale ? load_v(a.inverse_scale, v) : set1(1.0);
  }
  size_t read = 0;
  for (size_t k = 0; k < a.visits; ++k) {
    AscentRow& row = arrive(a, k, [&](const AscentRow& soon) { prefetch(x + soon.from * cols); });
    V scaled[N], s = zero();
    for (size_t v = 0; v < N; ++v) {
      const V mine = load_v(x + row.from * cols, v);
      s = fma(mine, w[v], s);
      scaled[v] = inverse[v] * (inverse[v] * mine);
    }
    const double u = visit(a, row, a.shrunk + a.order[k], sum(s));
    read += u == 0 ? cols : 2 * cols;  // again no branch
    const V c = set1(u);
    for (size_t v = 0; v < N; ++v) w[v] = fma(c, scaled[v], w[v]);
  }
  for (size_t v = 0; v < N; ++v) store(a.wide + v * W, w[v]);
  ascent = a;
  return read;
}

template <typename T>
size_t dense_ascend(const DenseRows& m, Ascent& ascent) {
  if (m.cols <= W) return ascend_narrow<1, T>(m, ascent);
  if (m.cols <= 2 * W) return ascend_narrow<2, T>(m, ascent);
  if (m.cols <= 3 * W) return ascend_narrow<3, T>(m, ascent);
  if (m.cols <= 4 * W) return ascend_narrow<4, T>(m, ascent);
  Ascent a = ascent;  // a copy: no store in this loop aliases it
  const T* const x = static_cast<const T*>(m.x);
  const size_t cols = m.cols;
  size_t read = 0;
  for (size_t k = 0; k < a.visits; ++k) {
    AscentRow& row = arrive(a, k, [&](const AscentRow& soon) {
      for (size_t line = 0; line < 4; ++line) prefetch(reinterpret_cast<const char*>(x + soon.from * cols) + 64 * line);
    });
    const T* const mine = x + row.from * cols;
    const double u = visit(a, row, a.shrunk + a.order[k], dot_whole(mine, a.wide, cols));
    read += cols;
    if (u == 0) continue;
    read += cols;
    add_whole(mine, a.inverse_scale, u, cols, a.wide);
  }
  ascent = a;
  return read;
}

template <typename I, typename T>
size_t sparse_ascend(const SparseRows& m, Ascent& ascent) {
  Ascent a = ascent;
  const I* const index = static_cast<const I*>(m.index);
  const T* const values = static_cast<const T*>(m.values);
  double* const w = a.wide;
  size_t read = 0;
  for (size_t k = 0; k < a.visits; ++k) {
    AscentRow& row = arrive(a, k, [&](const AscentRow& soon) {
      prefetch(index + soon.from);
      prefetch(reinterpret_cast<const char*>(index + soon.from) + 64);
      prefetch_values(values, soon.from);
    });
    const double u = visit(a, row, a.shrunk + a.order[k], sparse_dot(index, values, row.from, row.to, w, m.zero_column));
    read += row.to - row.from;
    if (u == 0) continue;
    read += row.to - row.from;
    if (a.inverse_scale == nullptr) {
      sparse_add(index, values, row.from, row.to, u, w, m.zero_column);
      w[m.zero_column] = 0;  // entries past the row's end were added there
    } else {
      for (size_t e = row.from; e < row.to; ++e) {
        const double inverse = a.inverse_scale[index[e]];
        w[index[e]] += u * (inverse * times(inverse, values, e));
      }
    }
  }
  ascent = a;
  return read;
}
