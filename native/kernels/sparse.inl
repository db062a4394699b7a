// CSR X.w and X'u. Values may be f64, f32, or absent (all ones: one-hot data). Rows of such data are short (14 entries in a9a), so
// what costs is the row's end: entries are taken four at a time without a branch on how many are left.
//
// Given:   rows (SparseRows in table.h), and w by column or u by position.
// Wanted:  out[p] = x.w, or out_j += sum of u[p] x_j; and the number of entries read.
//
// Reads up to four entries past the end of `index` and `values`: buffers are that much longer.

struct Ones {};
template <typename T>
inline double times(double a, const T* values, size_t k) {
  return a * static_cast<double>(values[k]);
}
inline double times(double a, const Ones*, size_t) { return a; }
template <typename T>
inline void prefetch_values(const T* values, size_t k) {
  prefetch(values + k);
}
inline void prefetch_values(const Ones*, size_t) {}

// The first r < 4 of the column indices at p, and `other` for the rest.
struct Tail3 {
  size_t j[3];
  Tail3(const uint32_t* p, size_t r, size_t other) : j{r > 0 ? p[0] : other, r > 1 ? p[1] : other, r > 2 ? p[2] : other} {}
  Tail3(const uint16_t* p, size_t r, size_t other) {
    uint64_t word;
    std::memcpy(&word, p, sizeof word);  // little-endian, as all our targets are
    const uint64_t mask = (uint64_t(1) << (16 * r)) - 1;
    word = (word & mask) | (other * 0x0001000100010001u & ~mask);
    for (size_t q = 0; q < 3; ++q) j[q] = static_cast<size_t>(word >> (16 * q) & 0xffff);
  }
};

// x.w for entries [k, end). w has one entry more than the matrix has columns, and it is 0: entries past the row's end are sent
// there. It stands at `other`.
template <typename I, typename T>
inline double sparse_dot(const I* index, const T* values, size_t k, size_t end, const double* w, size_t other) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (; k + 4 <= end; k += 4) {
    s0 += times(w[index[k]], values, k);
    s1 += times(w[index[k + 1]], values, k + 1);
    s2 += times(w[index[k + 2]], values, k + 2);
    s3 += times(w[index[k + 3]], values, k + 3);
  }
  const Tail3 tail(index + k, end - k, other);
  s0 += times(w[tail.j[0]], values, k);
  s1 += times(w[tail.j[1]], values, k + 1);
  s2 += times(w[tail.j[2]], values, k + 2);
  return (s0 + s1) + (s2 + s3);
}

// out += c x for entries [k, end). Their columns differ, so four sums can be read before any is written, and do not wait for each
// other. out has an entry at `other` too; what is added there means nothing.
template <typename I, typename T>
inline void sparse_add(const I* index, const T* values, size_t k, size_t end, double c, double* out, size_t other) {
  for (; k + 4 <= end; k += 4) {
    const size_t j0 = index[k], j1 = index[k + 1], j2 = index[k + 2], j3 = index[k + 3];
    const double a0 = out[j0] + times(c, values, k), a1 = out[j1] + times(c, values, k + 1);
    const double a2 = out[j2] + times(c, values, k + 2), a3 = out[j3] + times(c, values, k + 3);
    out[j0] = a0;
    out[j1] = a1;
    out[j2] = a2;
    out[j3] = a3;
  }
  const Tail3 tail(index + k, end - k, other);
  const double a0 = out[tail.j[0]] + times(c, values, k), a1 = out[tail.j[1]] + times(c, values, k + 1);
  const double a2 = out[tail.j[2]] + times(c, values, k + 2);
  out[tail.j[0]] = a0;
  out[tail.j[1]] = a1;
  out[tail.j[2]] = a2;
}

// In both loops k is carried on from row to row where rows follow each other, so that a row's loads need not wait for its start to
// be read.

template <typename I, typename T>
size_t sparse_multiply(const SparseRows& m, const double* w, double* out) {
  const I* index = static_cast<const I*>(m.index);
  const T* values = static_cast<const T*>(m.values);
  size_t k = m.list ? 0 : m.start[m.begin], read = 0;
  for (size_t p = m.begin; p < m.end; ++p) {
    if (m.list) k = m.start[m.list[p]];
    const size_t end = m.start[m.row(p) + 1];
    read += end - k;
    out[p] = sparse_dot(index, values, k, end, w, m.zero_column);
    k = end;
  }
  return read;
}

template <typename I, typename T>
size_t sparse_combine(const SparseRows& m, const double* u, double* out) {
  const I* index = static_cast<const I*>(m.index);
  const T* values = static_cast<const T*>(m.values);
  size_t k = m.list ? 0 : m.start[m.begin], read = 0;
  for (size_t p = m.begin; p < m.end; ++p) {
    if (m.list) k = m.start[m.list[p]];
    const size_t end = m.start[m.row(p) + 1];
    if (u[p] != 0) {
      read += end - k;
      sparse_add(index, values, k, end, u[p], out, m.zero_column);
    }
    k = end;
  }
  return read;
}
