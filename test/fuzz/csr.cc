// Matrix on any CSR arrays, copied and in place: the first defect is reported and no bad index is used; the products of valid
// arrays equal those of a plain loop.
#include "bytes.h"
#include "check.h"
#include "matrix.h"

using namespace fista;

namespace {

constexpr size_t kRows = 400, kEntries = 2000, kCols = 70000;

struct Arrays {
  std::vector<uint32_t> start, index;
  std::vector<double> values;
  size_t cols, entries;
};

uint32_t any(Bytes& bytes) {
  uint32_t bits = 0;
  for (int k = 0; k < 4; ++k) bits = bits << 8 | bytes.byte();
  return bits;
}

size_t columns(Bytes& bytes) {
  const uint8_t kind = bytes.byte(), more = bytes.byte();
  switch (kind & 7) {
    case 0:
      return 0;
    case 1:
      return 65534 + more % 4;  // around the limit of 16-bit indices
    case 2:
      return kCols - more;
    case 3:
      return any(bytes) % UINT32_MAX;
    default:
      return 1 + more;
  }
}

double value(Bytes& bytes) {
  const uint8_t kind = bytes.byte();
  if (kind == 255) return check::kNaN;
  if (kind >= 253) return (kind == 254 ? 1 : -1) * check::kInfinity;
  return kind < 64 ? 1 : bytes.number(1.7976931348623157e308);
}

// Mostly valid, with an occasional defect of any kind.
void read(Bytes& bytes, Arrays& m) {
  m.start.assign(1, 0);
  m.index.clear();
  m.values.clear();
  m.cols = columns(bytes);
  const uint8_t cut = bytes.byte();
  const uint32_t stride = cut & 1 ? 1 : static_cast<uint32_t>(1 + m.cols / 8);
  while (!bytes.empty() && m.start.size() <= kRows - 160 && m.index.size() <= kEntries - 160) {
    const uint8_t kind = bytes.byte();
    if (kind >= 250) {
      m.start.back() = any(bytes);
    } else if (kind >= 240) {  // empty rows
      m.start.insert(m.start.end(), 16 * size_t(kind - 239), static_cast<uint32_t>(m.index.size()));
    } else if (kind >= 230) {  // a long row
      const double x = value(bytes);
      for (uint32_t j = 0; j < 16 * uint32_t(kind - 229); ++j) {
        m.index.push_back(j);
        m.values.push_back(x);
      }
      m.start.push_back(static_cast<uint32_t>(m.index.size()));
    } else {
      uint32_t next = 0;
      for (int left = kind % 24; left > 0; --left) {
        const uint8_t step = bytes.byte();
        uint32_t j = next + step % 4 * stride;
        if (step >= 250) j = any(bytes);
        if (step >= 245 && step < 250) j = static_cast<uint32_t>(m.cols - 1);
        if (step >= 240 && step < 245) j = next - 1;
        m.index.push_back(j);
        m.values.push_back(value(bytes));
        next = j + 1;
      }
      m.start.push_back(static_cast<uint32_t>(m.index.size()));
    }
  }
  // Sometimes more entries than the rows use, or fewer.
  if (cut >= 224 && !m.index.empty()) m.index.resize(m.index.size() - 1 - cut % m.index.size());
  if (cut >= 192 && cut < 224) m.index.resize(m.index.size() + cut % 8, 0xffffffff);
  m.entries = m.index.size();
  m.values.resize(m.entries, check::kNaN);
}

// The first defect, by the definition of CSR.
template <typename T>
CopyResult expected(const Arrays& m, const T* values) {
  const size_t rows = m.start.size() - 1;
  if (m.start[0] != 0) return {CopyResult::bad_start, 0, 0};
  for (size_t i = 0; i < rows; ++i) {
    if (m.start[i + 1] < m.start[i] || m.start[i + 1] > m.entries) return {CopyResult::bad_start, i, i + 1};
  }
  for (size_t i = 0; i < rows; ++i) {
    for (size_t k = m.start[i]; k < m.start[i + 1]; ++k) {
      if (m.index[k] >= m.cols) return {CopyResult::bad_range, i, k};
      if (k > m.start[i] && m.index[k] <= m.index[k - 1]) return {CopyResult::bad_order, i, k};
    }
  }
  for (size_t k = 0; values != nullptr && k < m.start[rows]; ++k) {
    if (!std::isfinite(values[k])) return {CopyResult::not_finite, 0, k};
  }
  return {};
}

[[noreturn]] void complain(const Table& table, const char* rule, size_t at) {
  std::fprintf(stderr, "%s violates: %s, at %zu\n", table.name, rule, at);
  std::abort();
}

void check_same(const Table& table, const char* rule, const CopyResult& a, const CopyResult& b) {
  if (a.kind == b.kind && a.row == b.row && a.at == b.at) return;
  std::fprintf(stderr, "kind %d row %zu at %zu, expected %d %zu %zu\n", a.kind, a.row, a.at, b.kind, b.row, b.at);
  complain(table, rule, a.at);
}

// Checks a sum of n products without overflow, in any order and fused or not.
void check_sum(const Table& table, const char* rule, size_t at, double sum, const check::Exact& exact, size_t n) {
  if (!(exact.magnitude < 1e307)) return;
  const double terms = static_cast<double>(n + 2);
  const double bound = terms * (check::kUnit * exact.magnitude + std::numeric_limits<double>::denorm_min());
  if (!(std::fabs(sum - exact.value()) <= bound)) complain(table, rule, at);
}

template <typename T>
void run(const Table& table, const Arrays& m, Values kind, const T* values) {
  // w is the last cols + 1 of these numbers, which are computed only once.
  static check::Guarded<double> room_w(kCols + 1), room_out(kRows), room_copied(kRows), room_some(kRows), room_all(3 * kRows);
  static check::Guarded<uint32_t> room_start(kRows + 1), room_index(kEntries);
  static const bool once = [] {
    for (size_t j = 0; j < kCols; ++j) room_w[j] = static_cast<double>(j * 2654435761 % 1999) / 999.0 - 1;
    return true;
  }();
  static_cast<void>(once);
  const Run how = {&table, 1};
  const size_t rows = m.start.size() - 1;
  uint32_t *const start = room_start.last(rows + 1), *const index = room_index.last(m.entries);
  std::copy(m.start.begin(), m.start.end(), start);
  std::copy(m.index.begin(), m.index.end(), index);
  double *const out = room_out.last(rows), *const copied = room_copied.last(rows), *const some = room_some.last(rows);

  const CopyResult wanted = expected(m, values);
  Matrix X;
  check_same(table, "copy_sparse", X.copy_sparse(how, start, index, kind, values, m.entries, rows, m.cols), wanted);
  const bool well = wanted.kind == CopyResult::ok;
  if (X.rows() != (well ? rows : 0) || X.width() != (well ? m.cols : 0) || X.stored() != (well ? start[rows] : 0)) {
    complain(table, "the size, or nothing", X.rows());
  }
  if (m.cols > kCols) return;
  const double* const w = room_w.last(m.cols + 1);
  constexpr double kBias = -0.75;
  size_t bad = 0;
  const auto decide = [&](const Planes& planes, double* to) {
    const CopyResult decided = Matrix::decide_sparse(how, start, index, kind, values, m.entries, rows, m.cols, planes, to, &bad);
    check_same(table, "decide_sparse", decided, wanted);
  };
  // Three planes, the same three times.
  static std::vector<double> weights;
  weights.clear();
  for (size_t q = 0; q < 3; ++q) weights.insert(weights.end(), w, w + m.cols);
  const double biases[3] = {kBias, kBias, kBias};
  double* const all = room_all.last(3 * rows);
  decide({weights.data(), biases, 3}, all);
  const size_t bad_of_all = bad;
  decide({w, biases, 1}, out);
  if (!well) return;
  X.multiply(how, w, copied);
  size_t first = 0;
  while (first < rows && std::isfinite(copied[first] + kBias)) ++first;
  if (bad != first || bad_of_all != first) complain(table, "the first decision that is not finite", bad);
  for (size_t i = 0; i < rows && first == rows; ++i) {
    if (out[i] != copied[i] + kBias) complain(table, "the decision of the copy", i);
    for (size_t q = 0; q < 3; ++q) {
      if (all[3 * i + q] != out[i]) complain(table, "the decision of one plane", i);
    }
  }

  for (size_t i = 0; i < rows; ++i) {
    check::Exact sum;
    for (size_t k = start[i]; k < start[i + 1]; ++k) sum.add_product(w[index[k]], values ? static_cast<double>(values[k]) : 1.0);
    check_sum(table, "the sum of the copy", i, copied[i], sum, start[i + 1] - start[i]);
  }
  // Every second row, by a list.
  static std::vector<uint32_t> list;
  list.clear();
  for (uint32_t i = 1; i < rows; i += 2) list.push_back(i);
  X.multiply(how, list.data(), 0, list.size(), w, some);
  for (size_t p = 0; p < list.size(); ++p) {
    if (std::isfinite(copied[list[p]]) && some[p] != copied[list[p]]) complain(table, "the same for some of the rows", p);
  }
  // X'u, only for few columns: its cost grows with them.
  if (m.cols > 256) return;
  static std::vector<double> sums, scratch;
  static std::vector<check::Exact> exact;
  static std::vector<size_t> number;
  sums.resize(m.cols);
  scratch.resize(X.scratch_size());
  exact.assign(m.cols, check::Exact());
  number.assign(m.cols, 0);
  for (size_t i = 0; i < rows; ++i) out[i] = static_cast<double>(i * 37 % 17) - 8;
  X.multiply_transposed(how, out, sums.data(), scratch.data());
  for (size_t i = 0; i < rows; ++i) {
    for (size_t k = start[i]; k < start[i + 1]; ++k) {
      exact[index[k]].add_product(out[i], values ? static_cast<double>(values[k]) : 1.0);
      ++number[index[k]];
    }
  }
  for (size_t j = 0; j < m.cols; ++j) check_sum(table, "the sum of a column", j, sums[j], exact[j], number[j]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<const Table*> levels = check::levels();
  static check::Guarded<double> room_f64(kEntries);
  static check::Guarded<float> room_f32(kEntries);
  static Arrays m;
  Bytes bytes(data, size);
  const Table& table = *levels[bytes.byte() % levels.size()];
  const uint8_t kind = bytes.byte() % 3;
  read(bytes, m);
  if (kind == 0) {
    double* const values = room_f64.last(m.entries);
    std::copy(m.values.begin(), m.values.end(), values);
    run(table, m, Values::f64, values);
  } else if (kind == 1) {
    float* const values = room_f32.last(m.entries);
    for (size_t k = 0; k < m.entries; ++k) values[k] = static_cast<float>(m.values[k]);
    run(table, m, Values::f32, values);
  } else {
    run<double>(table, m, Values::ones, nullptr);
  }
  return 0;
}
