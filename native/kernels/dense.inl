// Dense row-major X.w and X'u, for f64 or f32 entries and sums in double.
//
// Given:   rows (DenseRows in table.h), and w by column or u by position.
// Wanted:  out[p] = x.w, or out_j += sum of u[p] x_j; and the number of entries read.
//
// Rows of up to kLong columns are taken one by one: memory is then read as one forward stream, which some CPUs (Zen 4) fetch at
// full speed where interleaved short rows run at half of it. With longer rows, w (or the output) no longer stays in the
// first-level cache beside the stream; kRows of them share each load of it, and each is long enough to be a stream of its own.
// Measurements: bench/NOTES.md.
//
// Floats of rows from kMiddle on are loaded two vectors at a time: out of cache one load per line is up to 1.4 times as fast as
// two; in cache, and with shorter rows, it is a little slower. The sums are the same.

constexpr size_t kMiddle = 400;
constexpr size_t kRows = 12;

#if defined(FISTA_ISA_AVX512) || defined(FISTA_ISA_NEON)
constexpr size_t kRegisters = 32;
#else
constexpr size_t kRegisters = 16;
#endif

// x_i.w depends on the row and on w alone, not on the rows around it: of the two orders of adding below, a matrix uses one for all
// its rows.
template <bool kPairs, typename T>
inline double dot_short(const T* x, const double* w, size_t n) {
  V s[4] = {zero(), zero(), zero(), zero()};
  size_t j = 0;
  for (; j + 4 * W <= n; j += 4 * W) {
    for (size_t r = 0; r < 4; r += 2) {
      const Pair p = kPairs ? load_pair(x + j + r * W) : Pair{load(x + j + r * W), load(x + j + (r + 1) * W)};
      s[r] = fma(p.a, load(w + j + r * W), s[r]);
      s[r + 1] = fma(p.b, load(w + j + (r + 1) * W), s[r + 1]);
    }
  }
  for (size_t r = 0; r < 3 && j + W <= n; ++r, j += W) s[r] = fma(load(x + j), load(w + j), s[r]);
  if (j < n) s[3] = fma(load_n(x + j, n - j), load_n(w + j, n - j), s[3]);
  return sum((s[0] + s[1]) + (s[2] + s[3]));
}

// Pairs need registers.
template <typename T>
constexpr bool kPairsOfLong = sizeof(T) == sizeof(float) && kRegisters > 16;

template <size_t R, typename T>
inline void dot_long(const T* const* x, const double* w, size_t cols, double* out) {
  V s[R];
  for (size_t r = 0; r < R; ++r) s[r] = zero();
  size_t j = 0;
  if constexpr (kPairsOfLong<T>) {
    for (; j + 2 * W <= cols; j += 2 * W) {
      const V a = load(w + j), b = load(w + j + W);
      for (size_t r = 0; r < R; ++r) {
        const Pair p = load_pair(x[r] + j);
        s[r] = fma(p.b, b, fma(p.a, a, s[r]));
      }
    }
  }
  sweep(cols - j, [&](size_t k, auto at) {
    const V a = at.load(w + j + k);
    for (size_t r = 0; r < R; ++r) s[r] = fma(at.load(x[r] + j + k), a, s[r]);
  });
  for (size_t r = 0; r < R; ++r) out[r] = sum(s[r]);
}

// Prefetches as many bytes as a row has, `ahead` bytes further on.
template <typename T>
inline void ask_ahead(const DenseRows& m, const T* row) {
  if (m.ahead == 0) return;
  const char* const from = reinterpret_cast<const char*>(row) + m.ahead;
  for (size_t byte = 0; byte < m.cols * sizeof(T); byte += 64) prefetch(from + byte);
}

template <typename T>
size_t dense_multiply(const DenseRows& m, const double* w, double* out) {
  const T* x = static_cast<const T*>(m.x);
  const size_t cols = m.cols;
  size_t p = m.begin;
  if (cols <= kLong) {
    const bool pairs = sizeof(T) == sizeof(float) && cols >= kMiddle;
    for (; p < m.end; ++p) {
      const T* row = x + m.row(p) * cols;
      ask_ahead(m, row);
      out[p] = pairs ? dot_short<true>(row, w, cols) : dot_short<false>(row, w, cols);
    }
  } else {
    const T* rows[kRows];
    for (; p + kRows <= m.end; p += kRows) {
      for (size_t r = 0; r < kRows; ++r) rows[r] = x + m.row(p + r) * cols;
      dot_long<kRows>(rows, w, cols, out + p);
    }
    for (; p < m.end; ++p) {
      rows[0] = x + m.row(p) * cols;
      dot_long<1>(rows, w, cols, out + p);
    }
  }
  return (m.end - m.begin) * cols;
}

// The output of up to N vectors stays in registers while all rows pass by.
template <size_t N, typename T>
size_t add_narrow(const DenseRows& m, const double* u, double* out) {
  const size_t last = (N - 1) * W, rest = m.cols - last;
  V s[N];
  for (size_t v = 0; v + 1 < N; ++v) s[v] = load(out + v * W);
  double end[W] = {};
  for (size_t j = 0; j < rest; ++j) end[j] = out[last + j];
  s[N - 1] = load(end);
  size_t read = 0;
  for (size_t p = m.begin; p < m.end; ++p) {
    if (u[p] == 0) continue;
    ++read;
    const T* x = static_cast<const T*>(m.x) + m.row(p) * m.cols;
    ask_ahead(m, x);
    const V c = set1(u[p]);
    for (size_t v = 0; v + 1 < N; ++v) s[v] = fma(c, load(x + v * W), s[v]);
    s[N - 1] = fma(c, rest == W ? load(x + last) : load_n(x + last, rest), s[N - 1]);
  }
  for (size_t v = 0; v + 1 < N; ++v) store(out + v * W, s[v]);
  store(end, s[N - 1]);
  for (size_t j = 0; j < rest; ++j) out[last + j] = end[j];
  return read;
}

constexpr size_t kNarrow = kRegisters > 16 ? 16 : 12;

// Finds the N that fits and returns the number of rows read.
template <size_t N, typename T>
size_t add_as_narrow(const DenseRows& m, const double* u, double* out) {
  if constexpr (N == 0) {
    return 0;
  } else {
    return (m.cols + W - 1) / W == N ? add_narrow<N, T>(m, u, out) : add_as_narrow<N - 1, T>(m, u, out);
  }
}

template <typename T>
inline void add_short(const T* x, double u, size_t n, double* out) {
  const V c = set1(u);
  size_t j = 0;
  for (; j + 4 * W <= n; j += 4 * W) {
    V s[4];
    for (size_t r = 0; r < 4; ++r) s[r] = fma(c, load(x + j + r * W), load(out + j + r * W));
    for (size_t r = 0; r < 4; ++r) store(out + j + r * W, s[r]);
  }
  sweep(n - j, [&](size_t k, auto at) { at.store(out + j + k, fma(c, at.load(x + j + k), at.load(out + j + k))); });
}

template <size_t R, typename T>
inline void add_long(const T* const* x, const double* u, size_t cols, double* out) {
  V c[R];
  for (size_t r = 0; r < R; ++r) c[r] = set1(u[r]);
  size_t j = 0;
  if constexpr (kPairsOfLong<T>) {
    for (; j + 2 * W <= cols; j += 2 * W) {
      Pair s = load_pair(out + j);
      for (size_t r = 0; r < R; ++r) {
        const Pair p = load_pair(x[r] + j);
        s.a = fma(c[r], p.a, s.a);
        s.b = fma(c[r], p.b, s.b);
      }
      store(out + j, s.a);
      store(out + j + W, s.b);
    }
  }
  sweep(cols - j, [&](size_t k, auto at) {
    V s = at.load(out + j + k);
    for (size_t r = 0; r < R; ++r) s = fma(c[r], at.load(x[r] + j + k), s);
    at.store(out + j + k, s);
  });
}

template <typename T>
size_t dense_combine(const DenseRows& m, const double* u, double* out) {
  const T* x = static_cast<const T*>(m.x);
  const size_t cols = m.cols;
  if (cols <= kNarrow * W) return add_as_narrow<kNarrow, T>(m, u, out) * cols;
  size_t read = 0;
  if (cols <= kLong) {
    for (size_t p = m.begin; p < m.end; ++p) {
      if (u[p] == 0) continue;
      ask_ahead(m, x + m.row(p) * cols);
      add_short(x + m.row(p) * cols, u[p], cols, out);
      ++read;
    }
    return read * cols;
  }
  const T* waiting[kRows];
  double weight[kRows];
  size_t k = 0;
  for (size_t p = m.begin; p < m.end; ++p) {
    if (u[p] == 0) continue;
    waiting[k] = x + m.row(p) * cols;
    weight[k++] = u[p];
    ++read;
    if (k == kRows) {
      add_long<kRows>(waiting, weight, cols, out);
      k = 0;
    }
  }
  for (size_t r = 0; r < k; ++r) add_long<1>(waiting + r, weight + r, cols, out);
  return read * cols;
}

// What the scale of a column is made of, added to what is there: the sums of x - centre and of its squares, both times the weight
// by position (null: 1), and the largest |x + shift|. For narrow rows the sums of a few columns at a time stay in registers.
template <typename T>
void dense_stats(const DenseRows& m, const double* weight, const double* centre, const double* shift, double* sums, double* squares,
                 double* largest) {
  const auto add = [&](size_t begin, size_t end, size_t j, auto at) {
    const V middle = at.load(centre + j), by = shift ? at.load(shift + j) : zero();
    V s = at.load(sums + j), s2 = at.load(squares + j), top = at.load(largest + j);
    for (size_t p = begin; p < end; ++p) {
      const V value = at.load(static_cast<const T*>(m.x) + m.row(p) * m.cols + j), v = value - middle;
      const V c = set1(weight ? weight[p] : 1.0), weighted = c * v;
      s = s + weighted;
      s2 = fma(weighted, v, s2);
      top = max(top, abs(value + by));
    }
    at.store(sums + j, s);
    at.store(squares + j, s2);
    at.store(largest + j, top);
  };
  const size_t together = m.cols <= 4 * W ? m.end - m.begin : 1;
  for (size_t p = m.begin; p < m.end; p += together) {
    sweep(m.cols, [&](size_t j, auto at) { add(p, p + together, j, at); });
  }
}

// out[p] = sum of (factor_j x_j)^2
template <typename T>
void dense_norms(const DenseRows& m, const double* factor, double* out) {
  for (size_t p = m.begin; p < m.end; ++p) {
    const T* x = static_cast<const T*>(m.x) + m.row(p) * m.cols;
    V s = zero();
    sweep(m.cols, [&](size_t j, auto at) {
      const V v = factor ? at.load(factor + j) * at.load(x + j) : at.load(x + j);
      s = fma(v, v, s);
    });
    out[p] = sum(s);
  }
}
