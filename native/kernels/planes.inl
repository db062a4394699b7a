// Decisions of several planes at once: X.W' + bias, for dense or CSR rows.
//
// Given:   rows (DenseRows, SparseRows in table.h), and planes (Panel, Planes in table.h).
// Wanted:  out[p * stride + q] = x.w_q + bias_q, with the bits that dense_multiply and sparse_multiply give for plane q alone. So a
//          value depends on its row and its plane only, wherever they stand, and however the work was cut.
//
// A vector holds the sums of W planes, and a number of a row is multiplied by the weights of its column for all of them: no lane is
// wasted on the end of a row, and no lanes are added up. What dense_multiply adds up in lane l of its four sums is what a row has
// in columns l, l + W, l + 2W, …: these are added up here before those of another lane, and then lanes are added in pairs as sum()
// adds them. Measurements: bench/NOTES.md.

// Vectors of planes in a panel.
constexpr size_t kVectors = 3;
// Rows that share the load of N vectors of weights. Their four sums, the weights and a number of a row fit in registers.
template <size_t N>
constexpr size_t kRowsOf = kRegisters > 16 ? 6 / N : 3 / N;

// N vectors, and those of R rows. Members rather than arrays, as compilers keep only these in registers throughout.
template <size_t N>
struct Vectors {
  Vectors<N - 1> before;
  V last;
};
template <>
struct Vectors<0> {};
template <size_t R, size_t N>
struct Block {
  Block<R - 1, N> before;
  Vectors<N> last;
};
template <size_t N>
struct Block<0, N> {};

inline void clear(Vectors<0>&) {}
inline void read(const double*, Vectors<0>&) {}
inline void multiply_add(V, const Vectors<0>&, Vectors<0>&) {}
inline void add_to(Vectors<0>&, const Vectors<0>&) {}
inline void store_planes(const Panel&, const Vectors<0>&, double*) {}
template <size_t N>
inline void clear(Vectors<N>& s) {
  clear(s.before);
  s.last = zero();
}
template <size_t N>
inline void read(const double* w, Vectors<N>& to) {
  read(w, to.before);
  to.last = load(w + (N - 1) * W);
}
template <size_t N>
inline void multiply_add(V x, const Vectors<N>& w, Vectors<N>& s) {
  multiply_add(x, w.before, s.before);
  s.last = fma(x, w.last, s.last);
}
template <size_t N>
inline void add_to(Vectors<N>& s, const Vectors<N>& more) {
  add_to(s.before, more.before);
  s.last = s.last + more.last;
}
template <size_t N>
inline void store_planes(const Panel& panel, const Vectors<N>& s, double* out) {
  store_planes(panel, s.before, out);
  const V value = s.last + load(panel.bias + (N - 1) * W);
  const size_t left = panel.planes - (N - 1) * W;
  if (left >= W) {
    store(out + (N - 1) * W, value);
  } else {
    store_n(out + (N - 1) * W, value, left);
  }
}

template <size_t N>
inline void clear(Block<0, N>&) {}
template <size_t N>
inline void multiply_add(const double*, size_t, const Vectors<N>&, Block<0, N>&) {}
template <size_t N>
inline void add_to(Block<0, N>&, const Block<0, N>&) {}
template <size_t N>
inline void store_planes(const Panel&, const Block<0, N>&, double*, size_t) {}
template <size_t R, size_t N>
inline void clear(Block<R, N>& s) {
  clear(s.before);
  clear(s.last);
}
template <size_t R, size_t N>
inline void multiply_add(const double* x, size_t cols, const Vectors<N>& w, Block<R, N>& s) {
  multiply_add(x, cols, w, s.before);
  multiply_add(set1(x[(R - 1) * cols]), w, s.last);
}
template <size_t R, size_t N>
inline void add_to(Block<R, N>& s, const Block<R, N>& more) {
  add_to(s.before, more.before);
  add_to(s.last, more.last);
}
template <size_t R, size_t N>
inline void store_planes(const Panel& panel, const Block<R, N>& s, double* out, size_t stride) {
  store_planes(panel, s.before, out, stride);
  store_planes(panel, s.last, out + (R - 1) * stride);
}

// s += the products of one column
template <size_t R, size_t N>
inline void add_column(const double* x, size_t cols, const double* w, Block<R, N>& s) {
  Vectors<N> weights;
  read(w, weights);
  multiply_add(x, cols, weights, s);
}

// The lane that is the i-th in the order in which sum() adds pairs: 0, 4, 2, 6, 1, 5, 3, 7 of eight.
inline size_t lane_at(size_t i) {
  size_t lane = 0;
  for (size_t bit = 1; bit < W; bit *= 2, i /= 2) lane = 2 * lane + i % 2;
  return lane;
}

// R rows and N vectors of planes, as dot_short adds them.
template <size_t R, size_t N>
inline void planes_short(const double* x, size_t cols, const Panel& panel, double* out, size_t stride, bool far) {
  // The columns of a lane are no stream, and would come from memory at a quarter of its speed. So each lane first asks for its
  // share of the rows that follow, in their order.
  const char* next = reinterpret_cast<const char*>(x + R * cols);
  const size_t share = far ? (R * cols * sizeof(double) / 64 + W - 1) / W * 64 : 0;
  Block<R, N> waiting[4];  // for their pairs: log2 W at most
  static_assert(W <= 8, "more would wait");
  const size_t whole = cols / (4 * W) * (4 * W), rest = (cols - whole) / W;  // vectors of a row after the last four
  const double* w = panel.w;
  constexpr size_t step = N * W;
  for (size_t i = 0, top = 0;; ++i) {
    const size_t lane = lane_at(i);
    const double* at = x + lane;
    Block<R, N> s0, s1, s2, s3;
    clear(s0);
    clear(s1);
    clear(s2);
    clear(s3);
    for (size_t byte = 0; byte < share; byte += 64) prefetch(next + byte);
    next += share;
    for (const double* const end = at + whole; at < end; at += 4 * W, w += 4 * step) {
      add_column(at, cols, w, s0);
      add_column(at + W, cols, w + step, s1);
      add_column(at + 2 * W, cols, w + 2 * step, s2);
      add_column(at + 3 * W, cols, w + 3 * step, s3);
    }
    if (rest > 0) add_column(at, cols, w, s0);
    if (rest > 1) add_column(at + W, cols, w + step, s1);
    if (rest > 2) add_column(at + 2 * W, cols, w + 2 * step, s2);
    w += rest * step;
    if (whole + rest * W + lane < cols) {
      add_column(at + rest * W, cols, w, s3);
      w += step;
    }
    add_to(s0, s1);
    add_to(s2, s3);
    add_to(s0, s2);
    for (size_t n = i; n % 2; n /= 2) add_to(s0, waiting[--top]);
    if (i + 1 == W) {
      store_planes(panel, s0, out, stride);
      return;
    }
    waiting[top++] = s0;
  }
}

template <size_t R, size_t N>
void planes_rows(const DenseRows& m, size_t p, const Panel& panel, double* out, size_t stride) {
  const double* const x = static_cast<const double*>(m.x);
  for (; p + R <= m.end; p += R) {
    planes_short<R, N>(x + p * m.cols, m.cols, panel, out + (p - m.begin) * stride, stride, m.ahead != 0);
  }
  if constexpr (R > 1) planes_rows<R / 2, N>(m, p, panel, out, stride);
}

// f64 rows of up to kLong columns; list must be null. If `ahead` is not 0, rows are prefetched while those before them are used.
void dense_planes(const DenseRows& m, const Panel& panel, double* out, size_t stride) {
  if (panel.planes > 2 * W) {
    planes_rows<kRowsOf<3>, 3>(m, m.begin, panel, out, stride);
  } else if (panel.planes > W) {
    planes_rows<kRowsOf<2>, 2>(m, m.begin, panel, out, stride);
  } else if (m.cols <= kMiddle) {
    planes_rows<kRowsOf<1>, 1>(m, m.begin, panel, out, stride);
  } else {  // six rows are too long for the first-level cache
    planes_rows<3, 1>(m, m.begin, panel, out, stride);
  }
}

// The vectors of P planes at w, w + cols, …, or of the same column in R rows; times each other, added to s.
template <typename At>
inline void read_planes(At, const double*, size_t, Vectors<0>&) {}
template <typename At, size_t P>
inline void read_planes(At at, const double* w, size_t cols, Vectors<P>& to) {
  read_planes(at, w, cols, to.before);
  to.last = at.load(w + (P - 1) * cols);
}
template <typename At, typename T, size_t P>
inline void multiply_add(At, const T*, size_t, const Vectors<P>&, Block<0, P>&) {}
template <typename At, typename T, size_t R, size_t P>
inline void multiply_add(At at, const T* x, size_t cols, const Vectors<P>& w, Block<R, P>& s) {
  multiply_add(at, x, cols, w, s.before);
  multiply_add(at.load(x + (R - 1) * cols), w, s.last);
}
template <typename At, typename T, size_t R, size_t P>
inline void add_vector(At at, const T* x, const double* w, size_t cols, Block<R, P>& s) {
  Vectors<P> weights;
  read_planes(at, w, cols, weights);
  multiply_add(at, x, cols, weights, s);
}

inline void store_sums(const double*, const Vectors<0>&, double*) {}
template <size_t P>
inline void store_sums(const double* bias, const Vectors<P>& s, double* out) {
  store_sums(bias, s.before, out);
  out[P - 1] = sum(s.last) + bias[P - 1];
}
template <size_t P>
inline void store_sums(const double*, const Block<0, P>&, double*, size_t) {}
template <size_t R, size_t P>
inline void store_sums(const double* bias, const Block<R, P>& s, double* out, size_t stride) {
  store_sums(bias, s.before, out, stride);
  store_sums(bias, s.last, out + (R - 1) * stride);
}

// R rows and P planes as dot_short adds them, by columns: for planes that are too few to fill a vector.
template <size_t R, size_t P, typename T>
inline void planes_few(const T* x, size_t cols, const double* w, const double* bias, double* out, size_t stride) {
  Block<R, P> s0, s1, s2, s3;
  clear(s0);
  clear(s1);
  clear(s2);
  clear(s3);
  size_t j = 0;
  for (; j + 4 * W <= cols; j += 4 * W) {
    add_vector(Full{}, x + j, w + j, cols, s0);
    add_vector(Full{}, x + j + W, w + j + W, cols, s1);
    add_vector(Full{}, x + j + 2 * W, w + j + 2 * W, cols, s2);
    add_vector(Full{}, x + j + 3 * W, w + j + 3 * W, cols, s3);
  }
  const size_t rest = (cols - j) / W;
  if (rest > 0) add_vector(Full{}, x + j, w + j, cols, s0);
  if (rest > 1) add_vector(Full{}, x + j + W, w + j + W, cols, s1);
  if (rest > 2) add_vector(Full{}, x + j + 2 * W, w + j + 2 * W, cols, s2);
  j += rest * W;
  if (j < cols) add_vector(Tail{cols - j}, x + j, w + j, cols, s3);
  add_to(s0, s1);
  add_to(s2, s3);
  add_to(s0, s2);
  store_sums(bias, s0, out, stride);
}

// R rows and all planes from q on.
template <size_t R, size_t P, typename T>
inline void planes_few_from(const T* x, size_t cols, const Planes& planes, size_t q, double* out) {
  for (; q + P <= planes.count; q += P) {
    planes_few<R, P>(x, cols, planes.w + q * cols, planes.bias + q, out + q, planes.count);
  }
  if constexpr (P > 1) planes_few_from<R, P - 1>(x, cols, planes, q, out);
}

template <size_t R, size_t P, typename T>
void planes_few_rows(const DenseRows& m, const Planes& planes, size_t q, double* out) {
  const T* const x = static_cast<const T*>(m.x);
  size_t p = m.begin;
  for (; p + R <= m.end; p += R, out += R * planes.count) {
    if (R == 1) ask_ahead(m, x + p * m.cols);
    planes_few_from<R, P>(x + p * m.cols, m.cols, planes, q, out);
  }
  for (; p < m.end; ++p, out += planes.count) planes_few_from<1, P>(x + p * m.cols, m.cols, planes, q, out);
}

// Rows of up to kLong columns and the planes from q on; list must be null. Rows that are not in cache, as no other planes were
// asked before, are taken one by one, which is one stream (dense.inl).
template <typename T>
void dense_planes_few(const DenseRows& m, const Planes& planes, size_t q, double* out) {
  if (kRegisters == 16) {
    planes_few_rows<1, 3, T>(m, planes, q, out);
  } else if (q == 0) {
    planes_few_rows<1, 4, T>(m, planes, q, out);
  } else {
    planes_few_rows<2, 3, T>(m, planes, q, out);
  }
}

// R rows and P planes, as dot_long adds them: by columns.
template <size_t R, size_t P, typename T>
inline void planes_long(const T* x, size_t cols, const Planes& planes, size_t q, double* out) {
  const double* const w = planes.w + q * cols;
  V s[R * P];
  for (size_t i = 0; i < R * P; ++i) s[i] = zero();
  sweep(cols, [&](size_t j, auto at) {
    V a[P];
    for (size_t k = 0; k < P; ++k) a[k] = at.load(w + k * cols + j);
    for (size_t i = 0; i < R; ++i) {
      const V b = at.load(x + i * cols + j);
      for (size_t k = 0; k < P; ++k) s[i * P + k] = fma(b, a[k], s[i * P + k]);
    }
  });
  for (size_t i = 0; i < R; ++i) {
    for (size_t k = 0; k < P; ++k) out[i * planes.count + q + k] = sum(s[i * P + k]) + planes.bias[q + k];
  }
}

constexpr size_t kLongRows = 4, kLongPlanes = kRegisters > 16 ? 5 : 2;

template <size_t P, typename T>
void planes_long_rows(const DenseRows& m, const Planes& planes, size_t q, double* out) {
  for (; q + P <= planes.count; q += P) {
    const T* x = static_cast<const T*>(m.x) + m.begin * m.cols;
    double* to = out;
    size_t p = m.begin;
    for (; p + kLongRows <= m.end; p += kLongRows, x += kLongRows * m.cols, to += kLongRows * planes.count) {
      planes_long<kLongRows, P>(x, m.cols, planes, q, to);
    }
    for (; p < m.end; ++p, x += m.cols, to += planes.count) planes_long<1, P>(x, m.cols, planes, q, to);
  }
  if constexpr (P > 1) planes_long_rows<P - 1, T>(m, planes, q, out);
}

// Rows of more than kLong columns; list must be null. The stride is planes.count.
template <typename T>
void dense_planes_long(const DenseRows& m, const Planes& planes, double* out) {
  planes_long_rows<kLongPlanes, T>(m, planes, 0, out);
}

inline V times(V a, const Ones*, size_t) { return a; }
template <typename T>
inline V times(V a, const T* values, size_t k) {
  return a * set1(static_cast<double>(values[k]));
}

// s += the products of entry k. They are rounded before they are added, as sparse_dot does it.
template <typename T>
inline void add_entry(const double*, const T*, size_t, Vectors<0>&) {}
template <size_t N, typename T>
inline void add_entry(const double* w, const T* values, size_t k, Vectors<N>& s) {
  add_entry(w, values, k, s.before);
  s.last = s.last + times(load(w + (N - 1) * W), values, k);
}

// One row and N vectors of planes, as sparse_dot adds them: entry k to sum k mod 4.
template <size_t N, typename I, typename T>
inline void sparse_planes_row(const I* index, const T* values, size_t k, size_t end, const Panel& panel, double* out) {
  Vectors<N> s0, s1, s2, s3;
  clear(s0);
  clear(s1);
  clear(s2);
  clear(s3);
  const auto weights = [&](size_t e) { return panel.w + static_cast<size_t>(index[e]) * (N * W); };
  for (; k + 4 <= end; k += 4) {
    add_entry(weights(k), values, k, s0);
    add_entry(weights(k + 1), values, k + 1, s1);
    add_entry(weights(k + 2), values, k + 2, s2);
    add_entry(weights(k + 3), values, k + 3, s3);
  }
  if (k < end) add_entry(weights(k), values, k, s0);
  if (k + 1 < end) add_entry(weights(k + 1), values, k + 1, s1);
  if (k + 2 < end) add_entry(weights(k + 2), values, k + 2, s2);
  add_to(s0, s1);
  add_to(s2, s3);
  add_to(s0, s2);
  store_planes(panel, s0, out);
}

template <size_t N, typename I, typename T>
void sparse_planes_rows(const SparseRows& m, const Panel& panel, double* out, size_t stride) {
  const I* index = static_cast<const I*>(m.index);
  const T* values = static_cast<const T*>(m.values);
  for (size_t p = m.begin, k = m.start[p]; p < m.end; ++p) {
    const size_t end = m.start[p + 1];
    sparse_planes_row<N>(index, values, k, end, panel, out + (p - m.begin) * stride);
    k = end;
  }
}

// list must be null. Reads nothing past the last entry.
template <typename I, typename T>
void sparse_planes(const SparseRows& m, const Panel& panel, double* out, size_t stride) {
  if (panel.planes > 2 * W) {
    sparse_planes_rows<3, I, T>(m, panel, out, stride);
  } else if (panel.planes > W) {
    sparse_planes_rows<2, I, T>(m, panel, out, stride);
  } else {
    sparse_planes_rows<1, I, T>(m, panel, out, stride);
  }
}

// The weights of planes that begin at w, w + cols, …, as a Panel holds them: by column, in their order or as planes_short needs
// them. 0 for the planes that fill the last vector.
void pack_planes(const double* w, size_t planes, size_t cols, bool by_lane, double* to) {
  const size_t wide = (planes + W - 1) / W * W, step = by_lane ? W : 1;
  for (size_t i = 0; i < step; ++i) {
    for (size_t j = by_lane ? lane_at(i) : 0; j < cols; j += step, to += wide) {
      for (size_t q = 0; q < planes; ++q) to[q] = w[q * cols + j];
      for (size_t q = planes; q < wide; ++q) to[q] = 0;
    }
  }
}
