// One epoch of coordinate ascent on the SVM's dual (svm_ascent.cc): rows one after the other, each to the maximum along its own
// alpha.

// Takes x.w of a row; returns by how much y alpha changes.
inline double visit(Ascent& a, AscentRow& row, uint8_t* idle, double value) {
  const double y = row.bound > 0 ? 1.0 : -1.0, gamma = y * row.bound, alpha = row.x;
  const double decision = (value - a.along) - a.balance * (row.along - a.centre_squared) + (a.offset + a.weight * a.balance);
  const double below = 1 - y * decision;
  const double wanted = alpha + (below - a.mu * alpha) * row.inverse;
  const double x = wanted < 0 ? 0 : wanted > gamma ? gamma : wanted;
  const double free = below * a.inverse_mu;
  const double slope = free < 0 ? 0 : free > gamma ? gamma : free;
  const double psi = slope * (below - 0.5 * a.mu * slope);
  a.psi += psi;
  a.fy += psi + alpha * (0.5 * a.mu * alpha - below);
  *idle = static_cast<uint8_t>(((x == 0) & (below < -a.delta)) | ((x == gamma) & (below > a.mu * gamma + a.delta)));
  row.x = x;
  const double u = y * (x - alpha);
  a.balance += u;
  a.along += u * row.along;
  return u;
}

// Rows are visited in no order that a processor could guess: what they need is asked for some visits before.
constexpr size_t kAhead = 16, kSoon = 8;

template <typename Ask>
inline AscentRow& arrive(const Ascent& a, size_t k, Ask&& ask) {
  if (k + kAhead < a.visits) prefetch(a.rows + a.order[k + kAhead]);
  if (k + kSoon < a.visits) ask(a.rows[a.order[k + kSoon]]);
  return a.rows[a.order[k]];
}

template <typename T>
size_t dense_ascend(const DenseRows& m, Ascent& a) {
  const T* const x = static_cast<const T*>(m.x);
  const size_t cols = m.cols;
  size_t read = 0;
  for (size_t k = 0; k < a.visits; ++k) {
    AscentRow& row = arrive(a, k, [&](const AscentRow& soon) {
      for (size_t line = 0; line < 4; ++line) prefetch(reinterpret_cast<const char*>(x + soon.from * cols) + 64 * line);
    });
    const T* const mine = x + row.from * cols;
    const double u = visit(a, row, a.idle + a.order[k], dot_short<false>(mine, a.wide, cols));
    read += cols;
    if (u == 0) continue;
    read += cols;
    if (a.inverse_scale == nullptr) {
      add_short(mine, u, cols, a.wide);
    } else {
      const V c = set1(u);
      sweep(cols, [&](size_t j, auto at) {
        const V inverse = at.load(a.inverse_scale + j);  // its square may overflow
        at.store(a.wide + j, fma(c * inverse, inverse * at.load(mine + j), at.load(a.wide + j)));
      });
    }
  }
  return read;
}

template <typename I, typename T>
size_t sparse_ascend(const SparseRows& m, Ascent& a) {
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
    const double u = visit(a, row, a.idle + a.order[k], sparse_dot(index, values, row.from, row.to, w, m.zero_column));
    read += row.to - row.from;
    if (u == 0) continue;
    read += row.to - row.from;
    if (a.inverse_scale == nullptr) {
      sparse_add(index, values, row.from, row.to, u, w, m.zero_column);
      w[m.zero_column] = 0;  // where what is past the row's end went
    } else {
      for (size_t e = row.from; e < row.to; ++e) {
        const double inverse = a.inverse_scale[index[e]];
        w[index[e]] += (u * inverse) * times(inverse, values, e);
      }
    }
  }
  return read;
}
