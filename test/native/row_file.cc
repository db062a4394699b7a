// Rows in a file against the same rows in memory: the same bits from every product, for lists, threads and levels; and a file that
// lies, is cut or is changed is a failure, not an access out of bounds.
#include "row_file.h"

#include <cstdio>
#include <string>

#include "check.h"
#include "matrix.h"

using namespace fista;
using namespace check;

namespace {

struct Data {
  bool sparse;
  Values values;
  size_t rows, cols;
  std::vector<uint32_t> start, index;
  std::vector<double> f64;
  std::vector<float> f32;
};

Data make(bool sparse, Values values, size_t rows, size_t cols, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Data d{sparse, values, rows, cols, {0}, {}, {}, {}};
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < cols; ++j) {
      if (sparse && j != 1 && uniform(random) > -0.5) continue;
      const float x = static_cast<float>(j == 1 ? 3 + uniform(random) : uniform(random));  // column 1 can be shifted exactly
      d.index.push_back(static_cast<uint32_t>(j));
      d.f32.push_back(x);
      d.f64.push_back(values == Values::f64 ? static_cast<double>(x) + uniform(random) * 1e-9 : static_cast<double>(x));
    }
    d.start.push_back(static_cast<uint32_t>(d.index.size()));
  }
  return d;
}

const std::string kPath = "row_file_test.fds";

// Indices, values and lengths, one after the other.
FileLayout write(const Data& d) {
  FileLayout layout{d.sparse, d.values, d.cols < 65536 ? Index::u16 : Index::u32, d.rows, d.cols, d.index.size(), 0, 0, 0};
  std::FILE* file = std::fopen(kPath.c_str(), "wb");
  const auto put = [&](const auto* from, size_t n) { CHECK(n == 0 || std::fwrite(from, sizeof *from, n, file) == n); };
  const auto here = [&] { return static_cast<uint64_t>(std::ftell(file)); };
  layout.index_at = here();
  if (d.sparse && layout.index == Index::u16) {
    const std::vector<uint16_t> narrow(d.index.begin(), d.index.end());
    put(narrow.data(), narrow.size());
  } else if (d.sparse) {
    put(d.index.data(), d.index.size());
  }
  layout.values_at = here();
  if (d.values == Values::f64) put(d.f64.data(), d.f64.size());
  if (d.values == Values::f32) put(d.f32.data(), d.f32.size());
  layout.lengths_at = here();
  if (d.sparse) {
    std::vector<uint32_t> lengths;
    for (size_t i = 0; i < d.rows; ++i) lengths.push_back(d.start[i + 1] - d.start[i]);
    put(lengths.data(), lengths.size());
  }
  put("end", 3);
  std::fclose(file);
  return layout;
}

void overwrite(uint64_t at, const void* bytes, size_t n) {
  std::FILE* file = std::fopen(kPath.c_str(), "r+b");
  std::fseek(file, static_cast<long>(at), SEEK_SET);
  CHECK(std::fwrite(bytes, 1, n, file) == n);
  std::fclose(file);
}

Matrix in_memory(const Run& run, const Data& d) {
  Matrix X;
  const void* const data = d.values == Values::f64 ? static_cast<const void*>(d.f64.data()) : d.f32.data();
  const CopyResult result = d.sparse ? X.copy_sparse(run, d.start.data(), d.index.data(), d.values,
                                                     d.values == Values::ones ? nullptr : data, d.index.size(), d.rows, d.cols)
                                     : X.copy_dense(run, d.values, data, d.rows, d.cols);
  CHECK(result.kind == CopyResult::ok);
  return X;
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

void compare(const Run& run, const Matrix& X, const Matrix& F, unsigned seed) {
  const size_t n = X.rows(), d = X.cols();
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> w(d + 1), u(n), factor(d);
  for (size_t j = 0; j < d; ++j) w[j] = uniform(random), factor[j] = uniform(random);
  for (double& value : u) value = uniform(random) > 0 ? uniform(random) : 0;
  // All rows; some, near each other and far apart; a list that is not in order.
  std::vector<uint32_t> some, mixed;
  for (uint32_t i = 0; i < n; ++i) {
    if (uniform(random) > (i < n / 2 ? -0.3 : 0.97)) some.push_back(i);
  }
  mixed = some;
  for (size_t k = 0; k + 1 < mixed.size(); k += 2) std::swap(mixed[k], mixed[k + 1]);
  const std::vector<uint32_t>* const lists[] = {nullptr, &some, &mixed};
  for (const auto* list : lists) {
    const uint32_t* const rows = list ? list->data() : nullptr;
    const size_t count = list ? list->size() : n;
    if (count == 0) continue;
    std::vector<double> a(count), b(count), ca(d), cb(d), scratch(X.scratch_size());
    CHECK(X.multiply(run, rows, 0, count, w.data(), a.data()) == F.multiply(run, rows, 0, count, w.data(), b.data()));
    CHECK(same(a, b));
    CHECK(X.combine(run, rows, 0, count, u.data(), ca.data(), scratch.data()) ==
          F.combine(run, rows, 0, count, u.data(), cb.data(), scratch.data()));
    CHECK(same(ca, cb));
    X.row_norms(run, rows, count, factor.data(), a.data());
    F.row_norms(run, rows, count, factor.data(), b.data());
    CHECK(same(a, b));
    Matrix::ColumnStats sa, sb;
    CHECK(X.column_stats(run, rows, count, u.data(), factor.data(), sa));
    CHECK(F.column_stats(run, rows, count, u.data(), factor.data(), sb));
    for (size_t j = 0; j < d; ++j) {
      CHECK(sa.sum[j] == sb.sum[j] && sa.square[j] == sb.square[j] && sa.max[j] == sb.max[j] && sa.number[j] == sb.number[j]);
    }
  }
  for (size_t k : {1, 3}) {
    std::vector<double> weights(k * d), bias(k, 0.5), a(n * k), b(n * k);
    for (double& value : weights) value = uniform(random);
    size_t bad_a = 0, bad_b = 0;
    CHECK(X.decide(run, {weights.data(), bias.data(), k}, a.data(), &bad_a).kind == CopyResult::ok);
    CHECK(F.decide(run, {weights.data(), bias.data(), k}, b.data(), &bad_b).kind == CopyResult::ok);
    CHECK(same(a, b) && bad_a == n && bad_b == n);
  }
  CHECK(F.failure().kind == CopyResult::ok);
}

void agrees(const Run& run) {
  struct {
    bool sparse;
    Values values;
    size_t rows, cols;
  } const kinds[] = {{false, Values::f64, 3000, 37}, {false, Values::f32, 500, 2000}, {true, Values::f64, 4000, 61},
                     {true, Values::f32, 300, 1000}, {true, Values::ones, 5000, 40},  {true, Values::f32, 2, 70000},
                     {false, Values::f64, 1, 5},     {true, Values::f64, 1, 3}};
  for (const auto& kind : kinds) {
    const Data d = make(kind.sparse, kind.values, kind.rows, kind.cols, 7);
    Matrix X = in_memory(run, d), F;
    CHECK(F.open(run, kPath.c_str(), write(d)).kind == CopyResult::ok);
    at("%s, %d, %zu x %zu, %u threads", kind.sparse ? "sparse" : "dense", int(kind.values), kind.rows, kind.cols, run.threads);
    compare(run, X, F, 3);
    CHECK(X.centre(run));
    const std::shared_ptr<Matrix> centred = F.centred(run);
    CHECK(centred != nullptr && centred == F.centred(run));
    if (!centred) continue;
    CHECK((X.shift() == nullptr) == (centred->shift() == nullptr));
    for (size_t j = 0; X.shift() && j < d.cols; ++j) CHECK(X.shift()[j] == centred->shift()[j]);
    compare(run, X, *centred, 5);
  }
}

// What a product of a file with these bytes at some place ends with.
CopyResult after(const Run& run, const Data& d, uint64_t place, const void* bytes, size_t n) {
  FileLayout layout = write(d);
  overwrite(place, bytes, n);
  Matrix F;
  const CopyResult opened = F.open(run, kPath.c_str(), layout);
  if (opened.kind != CopyResult::ok) return opened;
  std::vector<double> w(d.cols + 1, 1.0), out(d.rows);
  F.multiply(run, w.data(), out.data());
  return F.failure();
}

void hostile(const Run& run) {
  const Data d = make(true, Values::f32, 200, 50, 9);
  const FileLayout layout = write(d);
  const uint16_t wide = 65535, cols = 50;
  at("bad index");
  CopyResult found = after(run, d, layout.index_at + 2 * d.start[120], &wide, 2);
  CHECK(found.kind == CopyResult::bad_range && found.row == 120 && found.at == 0 && found.found == 65535);
  found = after(run, d, layout.index_at + 2 * (d.start[7] - 1), &cols, 2);
  CHECK(found.kind == CopyResult::bad_range && found.row == 6);
  found = after(run, d, layout.index_at + 2 * (d.start[31] + 1), &d.index[d.start[31]], 2);
  CHECK(found.kind == CopyResult::bad_order && found.row == 31);
  at("bad value");
  const float infinite = -std::numeric_limits<float>::infinity();
  found = after(run, d, layout.values_at + 4 * (d.start[199] + 2), &infinite, 4);
  CHECK(found.kind == CopyResult::not_finite && found.row == 199 && found.at == 2);
  at("bad length");
  const uint32_t long_row = 51, huge = 0xffffffff, zero = 0;
  CHECK(after(run, d, layout.lengths_at, &long_row, 4).kind == CopyResult::bad_start);
  CHECK(after(run, d, layout.lengths_at + 4 * 100, &huge, 4).kind == CopyResult::bad_start);
  CHECK(after(run, d, layout.lengths_at + 4 * 100, &zero, 4).kind == CopyResult::bad_start);
  at("bad layout");
  const auto opened = [&](auto&& change) {
    FileLayout other = layout;
    change(other);
    Matrix F;
    const CopyResult result = F.open(run, kPath.c_str(), other);
    if (result.kind != CopyResult::ok) return result;
    std::vector<double> w(other.cols + 1, 1.0), out(other.rows);
    F.multiply(run, w.data(), out.data());
    return F.failure();
  };
  write(d);
  CHECK(opened([](FileLayout&) {}).kind == CopyResult::ok);
  CHECK(opened([](FileLayout& l) { l.rows = size_t(1) << 31; }).kind == CopyResult::unreadable);
  CHECK(opened([](FileLayout& l) { l.values_at += 1000; }).kind != CopyResult::ok);
  CHECK(opened([](FileLayout& l) { l.values_at = uint64_t(1) << 50; }).kind == CopyResult::unreadable);
  CHECK(opened([](FileLayout& l) { l.index_at = uint64_t(1) << 62; }).kind == CopyResult::unreadable);
  CHECK(opened([](FileLayout& l) { l.lengths_at = uint64_t(1) << 62; }).kind == CopyResult::unreadable);
  CHECK(opened([](FileLayout& l) { l.cols = 10; }).kind != CopyResult::ok);
  at("no file");
  Matrix F;
  CHECK(F.open(run, "no such file", layout).kind == CopyResult::unreadable);
#if !defined(_WIN32)
  CHECK(F.open(run, ".", layout).kind == CopyResult::unreadable);
  at("cut");
  CHECK(F.open(run, kPath.c_str(), layout).kind == CopyResult::ok);
  CHECK(truncate(kPath.c_str(), 300) == 0);
  std::vector<double> w(d.cols + 1, 1.0), out(d.rows), sums(d.cols), scratch(F.scratch_size());
  F.multiply(run, w.data(), out.data());
  CHECK(F.failure().kind == CopyResult::unreadable);
  F.combine(run, nullptr, 0, d.rows, out.data(), sums.data(), scratch.data());
  CHECK(F.failure().kind == CopyResult::unreadable);  // for good
  CHECK(F.centred(run) == nullptr);
  at("changed");
  Matrix G;
  CHECK(G.open(run, kPath.c_str(), write(d)).kind == CopyResult::ok);
  overwrite(layout.values_at + 8, "\1", 1);
  CHECK(truncate(kPath.c_str(), static_cast<off_t>(layout.lengths_at + 4 * d.rows + 2)) == 0);
  G.multiply(run, w.data(), out.data());
  CHECK(G.failure().kind == CopyResult::changed);
#endif
}

}  // namespace

int main() {
  retain_pool();
  for (const Table* table : levels()) {
    for (unsigned threads : {1u, 3u}) agrees({table, threads});
    hostile({table, 2});
  }
  std::remove(kPath.c_str());
  release_pool();
  return report();
}
