// CSR X.w and X'u. Values may be f64, f32, or absent (all ones: one-hot data). Rows of such data are short (14 entries in a9a), so
// what costs is the row's end: entries are taken four at a time without a branch on how many are left.
//
// Reads up to four entries past the end of `index` and `values`: buffers are that much longer.

struct Ones {};
template <typename T>
inline double times(double a, const T* values, size_t k) {
  return a * static_cast<double>(values[k]);
}
inline double times(double a, const Ones*, size_t) { return a; }

// Four consecutive column numbers.
struct Four {
  size_t j[4];
  explicit Four(const uint32_t* p) : j{p[0], p[1], p[2], p[3]} {}
  explicit Four(const uint16_t* p) : Four(word(p)) {}
  // The first r of them, and `other` for the rest.
  Four(const uint32_t* p, size_t r, size_t other) : j{r > 0 ? p[0] : other, r > 1 ? p[1] : other, r > 2 ? p[2] : other, other} {}
  Four(const uint16_t* p, size_t r, size_t other) : Four(keep(word(p), r, other)) {}

 private:
  // One load and shifts are faster than four loads: CPUs have fewer load ports than adders.
  explicit Four(uint64_t w)
      : j{static_cast<size_t>(w & 0xffff), static_cast<size_t>(w >> 16 & 0xffff), static_cast<size_t>(w >> 32 & 0xffff),
          static_cast<size_t>(w >> 48)} {}
  static uint64_t word(const uint16_t* p) {
    uint64_t w;
    std::memcpy(&w, p, sizeof w);
    return w;  // little-endian, as all our targets are
  }
  static uint64_t keep(uint64_t w, size_t r, size_t other) {
    const uint64_t mask = (uint64_t(1) << (16 * r)) - 1;
    return (w & mask) | (other * 0x0001000100010001u & ~mask);
  }
};

// w has one entry more than the matrix has columns, and it is 0: entries past a row's end are sent there. It stands at
// m.zero_column.
template <typename I, typename T>
size_t sparse_multiply(const SparseRows& m, const double* w, double* out) {
  const I* index = static_cast<const I*>(m.index);
  const T* values = static_cast<const T*>(m.values);
  size_t read = 0;
  for (size_t p = m.begin; p < m.end; ++p) {
    const size_t i = m.row(p);
    size_t k = m.start[i];
    read += m.start[i + 1] - k;
    const size_t end = m.start[i + 1];
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    const auto add = [&](const Four& f) {
      s0 += times(w[f.j[0]], values, k);
      s1 += times(w[f.j[1]], values, k + 1);
      s2 += times(w[f.j[2]], values, k + 2);
      s3 += times(w[f.j[3]], values, k + 3);
    };
    for (; k + 4 <= end; k += 4) add(Four(index + k));
    add(Four(index + k, end - k, m.zero_column));
    out[p] = (s0 + s1) + (s2 + s3);
  }
  return read;
}

// The column numbers of a row differ, so four sums can be read before any is written: they do not wait for each other.
template <typename I, typename T>
size_t sparse_combine(const SparseRows& m, const double* u, double* out) {
  const I* index = static_cast<const I*>(m.index);
  const T* values = static_cast<const T*>(m.values);
  size_t read = 0;
  for (size_t p = m.begin; p < m.end; ++p) {
    const double c = u[p];
    if (c == 0) continue;
    const size_t i = m.row(p);
    size_t k = m.start[i];
    read += m.start[i + 1] - k;
    const size_t end = m.start[i + 1];
    for (; k + 4 <= end; k += 4) {
      const Four f(index + k);
      const double a0 = out[f.j[0]] + times(c, values, k), a1 = out[f.j[1]] + times(c, values, k + 1);
      const double a2 = out[f.j[2]] + times(c, values, k + 2), a3 = out[f.j[3]] + times(c, values, k + 3);
      out[f.j[0]] = a0;
      out[f.j[1]] = a1;
      out[f.j[2]] = a2;
      out[f.j[3]] = a3;
    }
    for (; k < end; ++k) out[index[k]] += times(c, values, k);
  }
  return read;
}
