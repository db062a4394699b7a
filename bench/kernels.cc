// Times the kernels beside a streaming read, plain loops, OpenBLAS and a sort, interleaved in one run. Prints one JSON line per
// trial, { group, name, bytes, seconds: [one per round] }; bench/tables/kernels.js makes ratios and tables of them.
//
//   kernels                 prints the SIMD levels of this CPU, worst first
//   kernels <simd level> <LIBSVM text file or "-"> [only groups that begin so]
//   kernels <simd level> stream <megabytes>   reads them by as many threads as each line of input says, and answers the seconds

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "cones.h"
#include "cpu.h"
#include "knapsack.h"
#include "matrix.h"
#include "parallel.h"

using namespace fista;

namespace {

double seconds() {
  using clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(clock::now().time_since_epoch()).count();
}

std::string only;
bool wanted(const std::string& group) { return group.compare(0, only.size(), only) == 0; }

struct Trial {
  std::string name;
  std::function<void()> run;
  std::vector<double> times = {};
};

// A B C A B C ...: a slow moment of the machine hits all alike, and a ratio taken within a round hardly feels it. A trial that is
// over in less than `least` seconds is repeated within its round.
void interleave(const std::string& group, std::vector<Trial>& trials, double bytes, int rounds = 15, double min = 1e-3) {
  std::vector<int> repeats;
  for (Trial& t : trials) {
    t.run();
    const double from = seconds();
    t.run();
    repeats.push_back(1 + static_cast<int>(min / (seconds() - from)));
  }
  for (int r = 0; r < rounds; ++r) {
    for (size_t k = 0; k < trials.size(); ++k) {
      // What fits in a cache must be there: the trial before may have filled it with other data.
      for (int i = 1; i < repeats[k]; ++i) trials[k].run();
      const double from = seconds();
      for (int i = 0; i < repeats[k]; ++i) trials[k].run();
      trials[k].times.push_back((seconds() - from) / repeats[k]);
    }
  }
  for (const Trial& t : trials) {
    std::printf("{\"group\":\"%s\",\"name\":\"%s\",\"bytes\":%.0f,\"seconds\":[", group.c_str(), t.name.c_str(), bytes);
    for (size_t r = 0; r < t.times.size(); ++r) std::printf("%s%.4g", r ? "," : "", t.times[r]);
    std::printf("]}\n");
  }
  std::fflush(stdout);
}

// What is compared must give the same answer: the largest difference, relative to the largest entry.
void agree(const std::string& group, const double* a, const double* b, size_t n) {
  double difference = 0, size = 0;
  for (size_t i = 0; i < n; ++i) {
    difference = std::max(difference, std::fabs(a[i] - b[i]));
    size = std::max(size, std::fabs(a[i]));
  }
  std::printf("{\"group\":\"%s\",\"difference\":%.2g}\n", group.c_str(), difference / size);
  if (!(difference <= 1e-12 * size)) std::exit(2);
}

volatile double sink;

// Aligned, as the handles' own arrays are.
Buffer<double> filled(size_t n, double value = 0) {
  Buffer<double> b;
  if (!b.allocate(n)) std::exit(1);
  std::fill(b.data(), b.data() + n, value);
  return b;
}

using gemm_t = void (*)(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*, int);

template <typename T>
using gemv_t = void (*)(int, int, int, int, T, const T*, int, const T*, int, T, T*, int);

// The yardstick: the sum of n doubles, read as fast as the memory allows, by the widest vectors of this CPU.
using Wide [[gnu::vector_size(64), gnu::aligned(8), gnu::may_alias]] = double;
#if defined(__x86_64__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
double
stream(const double* x, size_t n) {
  constexpr size_t W = sizeof(Wide) / sizeof(double);
  Wide s[8] = {};
  size_t i = 0;
  for (; i + 8 * W <= n; i += 8 * W) {
    for (size_t r = 0; r < 8; ++r) s[r] += *reinterpret_cast<const Wide*>(x + i + r * W);
  }
  double total = 0;
  for (; i < n; ++i) total += x[i];
  for (const Wide& sum : s) {
    for (size_t k = 0; k < W; ++k) total += sum[k];
  }
  return total;
}

// The yardstick on several threads: all bytes once, cut and handed out as the kernels' own work is.
double stream(const Run& run, const double* x, size_t n) {
  const Partition parts = partition(n, n);
  double sums[kMaxParts];
  parallel(parts.parts, run.threads, [&](size_t p) { sums[p] = stream(x + parts.begin(p), parts.end(p) - parts.begin(p)); });
  double total = 0;
  for (size_t p = 0; p < parts.parts; ++p) total += sums[p];
  return total;
}

template <typename T>
void dense(const Table* table, const std::string& where, size_t megabytes, size_t cols, void* blas) {
  const std::string group = "dense " + where + (sizeof(T) == 8 ? " f64 " : " f32 ") + std::to_string(cols);
  if (!wanted(group)) return;
  const size_t rows = (megabytes << 20) / sizeof(T) / cols;
  const Run one = {table, 1}, two = {table, 2};
  std::vector<T> data(rows * cols);
  uint64_t random = 1;
  for (T& x : data) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    x = static_cast<T>(static_cast<double>(random >> 11) * 0x1p-53 - 0.5);
  }
  Matrix X;
  if (X.copy_dense(one, sizeof(T) == 8 ? Values::f64 : Values::f32, data.data(), rows, cols).kind != CopyResult::ok) std::exit(1);
  Buffer<double> w = filled(cols + 1, 0.5), q = filled(rows), u = filled(rows, 0.25), g = filled(cols),
                 scratch = filled(X.scratch_size());
  const double* as_doubles = reinterpret_cast<const double*>(data.data());
  const size_t doubles = rows * cols * sizeof(T) / sizeof(double);

  std::vector<Trial> trials;
  trials.push_back({"read", [&] { sink = stream(one, as_doubles, doubles); }});
  trials.push_back({"X·w", [&] { X.multiply(one, w.data(), q.data()); }});
  trials.push_back({"Xᵀu", [&] { X.multiply_transposed(one, u.data(), g.data(), scratch.data()); }});
  trials.push_back({"read, 2 threads", [&] { sink = stream(two, as_doubles, doubles); }});
  trials.push_back({"X·w, 2 threads", [&] { X.multiply(two, w.data(), q.data()); }});
  trials.push_back({"Xᵀu, 2 threads", [&] { X.multiply_transposed(two, u.data(), g.data(), scratch.data()); }});
  // In f32 OpenBLAS sums in float, we in double.
  std::vector<T> wt(cols, T(0.5)), qt(rows), ut(rows, T(0.25)), gt(cols);
  const int n = static_cast<int>(rows), d = static_cast<int>(cols);
  const gemv_t<T> gemv = blas ? reinterpret_cast<gemv_t<T>>(dlsym(blas, sizeof(T) == 8 ? "cblas_dgemv" : "cblas_sgemv")) : nullptr;
  if (gemv) {
    trials.push_back({"OpenBLAS X·w", [&] { gemv(101, 111, n, d, 1, data.data(), d, wt.data(), 1, 0, qt.data(), 1); }});
    trials.push_back({"OpenBLAS Xᵀu", [&] { gemv(101, 112, n, d, 1, data.data(), d, ut.data(), 1, 0, gt.data(), 1); }});
  }
  interleave(group, trials, static_cast<double>(rows * cols * sizeof(T)));
}

// Decisions of several planes beside those of one, and beside OpenBLAS.
void planes(const Table* table, size_t megabytes, size_t cols, void* blas) {
  const std::string group = "planes " + std::to_string(cols);
  if (!wanted(group)) return;
  const size_t rows = (megabytes << 20) / sizeof(double) / cols, most = 45;
  std::vector<double> data(rows * cols), w(most * cols), bias(most), other(rows * most);
  uint64_t random = 1;
  for (std::vector<double>* list : {&data, &w}) {
    for (double& x : *list) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      x = static_cast<double>(random >> 11) * 0x1p-53 - 0.5;
    }
  }
  Matrix X;
  if (X.copy_dense({table, 1}, Values::f64, data.data(), rows, cols).kind != CopyResult::ok) std::exit(1);
  Buffer<double> out = filled(rows * most);
  const gemm_t gemm = blas ? reinterpret_cast<gemm_t>(dlsym(blas, "cblas_dgemm")) : nullptr;
  const auto blas_threads = blas ? reinterpret_cast<void (*)(int)>(dlsym(blas, "openblas_set_num_threads")) : nullptr;
  std::vector<Trial> trials;
  for (unsigned threads : {1u, 2u}) {
    const std::string by = threads == 1 ? "" : ", 2 threads";
    for (size_t k : {size_t(1), size_t(10), most}) {
      trials.push_back({std::to_string(k) + by, [&, threads, k] {
                          size_t bad = 0;
                          if (X.decide({table, threads}, {w.data(), bias.data(), k}, out.data(), &bad).kind != CopyResult::ok)
                            std::exit(1);
                        }});
      if (k == 1 || !gemm || !blas_threads) continue;
      trials.push_back({"OpenBLAS " + std::to_string(k) + by, [&, threads, k] {
                          const int n = static_cast<int>(rows), d = static_cast<int>(cols), m = static_cast<int>(k);
                          blas_threads(static_cast<int>(threads));
                          gemm(101, 111, 112, n, m, d, 1, data.data(), d, w.data(), d, 0, other.data(), m);
                          blas_threads(1);
                        }});
    }
  }
  interleave(group, trials, static_cast<double>(rows * cols * sizeof(double)), 9);
  if (gemm && blas_threads) agree(group, other.data(), out.data(), rows * most);
}

struct Csr {
  std::vector<uint32_t> start{0}, index;
  std::vector<double> values;
  size_t cols = 0;
};

Csr read_libsvm(const char* path) {
  Csr m;
  FILE* f = std::fopen(path, "r");
  if (!f) std::exit(1);
  std::vector<char> line(1 << 20);
  while (std::fgets(line.data(), static_cast<int>(line.size()), f)) {
    char* p = std::strchr(line.data(), ' ');
    while (p) {
      char* end;
      const unsigned long j = std::strtoul(p, &end, 10);
      if (end == p || *end != ':') break;
      m.index.push_back(static_cast<uint32_t>(j - 1));
      m.values.push_back(std::strtod(end + 1, &p));
      m.cols = std::max<size_t>(m.cols, j);
    }
    m.start.push_back(static_cast<uint32_t>(m.index.size()));
  }
  std::fclose(f);
  return m;
}

// What anyone would write first; f64 values, 32-bit indices, compiled with -O3.
__attribute__((noinline)) void plain_multiply(const Csr& m, const double* w, double* out) {
  for (size_t i = 0; i + 1 < m.start.size(); ++i) {
    double s = 0;
    for (size_t k = m.start[i]; k < m.start[i + 1]; ++k) s += m.values[k] * w[m.index[k]];
    out[i] = s;
  }
}

__attribute__((noinline)) void plain_transposed(const Csr& m, const double* u, double* out) {
  std::fill(out, out + m.cols, 0.0);
  for (size_t i = 0; i + 1 < m.start.size(); ++i) {
    for (size_t k = m.start[i]; k < m.start[i + 1]; ++k) out[m.index[k]] += m.values[k] * u[i];
  }
}

void sparse(const Table* table, const char* path) {
  const Csr m = read_libsvm(path);
  const size_t rows = m.start.size() - 1;
  const Run one = {table, 1}, two = {table, 2};
  Matrix X;
  if (X.copy_sparse(one, m.start.data(), m.index.data(), Values::f64, m.values.data(), m.index.size(), rows, m.cols).kind) {
    std::exit(1);
  }
  Buffer<double> w = filled(m.cols + 1, 0.5), q = filled(rows), u = filled(rows, 0.25), g = filled(m.cols),
                 scratch = filled(X.scratch_size());
  w[m.cols] = 0;
  std::vector<double> other(rows + m.cols);
  X.multiply(one, w.data(), q.data());
  plain_multiply(m, w.data(), other.data());
  agree("CSR X·w", other.data(), q.data(), rows);
  X.multiply_transposed(one, u.data(), g.data(), scratch.data());
  plain_transposed(m, u.data(), other.data());
  agree("CSR Xᵀu", other.data(), g.data(), m.cols);

  const double bytes = static_cast<double>(X.bytes());
  std::vector<Trial> trials;
  trials.push_back({"plain loop", [&] { plain_multiply(m, w.data(), q.data()); }});
  trials.push_back({"X·w", [&] { X.multiply(one, w.data(), q.data()); }});
  trials.push_back({"X·w, 2 threads", [&] { X.multiply(two, w.data(), q.data()); }});
  interleave("CSR X·w", trials, bytes, 25, 5e-3);
  trials.clear();
  trials.push_back({"plain loop", [&] { plain_transposed(m, u.data(), g.data()); }});
  trials.push_back({"Xᵀu", [&] { X.multiply_transposed(one, u.data(), g.data(), scratch.data()); }});
  trials.push_back({"Xᵀu, 2 threads", [&] { X.multiply_transposed(two, u.data(), g.data(), scratch.data()); }});
  interleave("CSR Xᵀu", trials, bytes, 25, 5e-3);

  const size_t most = 45;
  Buffer<double> weights = filled(most * m.cols, 0.5), bias = filled(most), out = filled(rows * most);
  trials.clear();
  for (size_t k : {size_t(1), size_t(10), most}) {
    trials.push_back({std::to_string(k), [&, k] {
                        size_t bad = 0;
                        if (X.decide(one, {weights.data(), bias.data(), k}, out.data(), &bad).kind != CopyResult::ok) std::exit(1);
                      }});
  }
  interleave("planes CSR", trials, bytes, 25, 5e-3);
}

// The textbook way: sort the 2n breakpoints, walk along them.
void sort_knapsack(const std::vector<double>& a, const std::vector<int8_t>& y, double gamma, double b,
                   std::vector<std::pair<double, double>>& points, std::vector<double>& x) {
  const size_t n = a.size();
  points.clear();
  double phi = 0;
  for (size_t i = 0; i < n; ++i) {
    const double c = y[i] * a[i], low = y[i] > 0 ? 0 : -gamma, high = y[i] > 0 ? gamma : 0;
    points.push_back({c - high, -1.0});
    points.push_back({c - low, 1.0});
    phi += high;
  }
  std::sort(points.begin(), points.end());
  double slope = 0, lambda = points[0].first;
  for (const auto& [at, change] : points) {
    const double next = phi + slope * (at - lambda);
    if (next <= b) break;
    phi = next;
    lambda = at;
    slope += change;
  }
  if (slope < 0) lambda += (b - phi) / slope;
  for (size_t i = 0; i < n; ++i) x[i] = std::min(std::max(a[i] - lambda * y[i], 0.0), gamma);
}

void knapsack(const Table* table) {
  const size_t n = 1000000;
  const Run one = {table, 1}, two = {table, 2};
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  const double gamma = 1, sum = static_cast<double>(n);
  std::vector<double> a(n), weight(n, 1.0), x(n), work(n), moved(n);
  std::vector<int8_t> y(n);
  std::vector<uint32_t> index(n);
  for (size_t i = 0; i < n; ++i) {
    a[i] = normal(random) + 0.3;
    y[i] = random() % 3 ? 1 : -1;
    moved[i] = a[i] + 1e-3 * normal(random);
  }
  const double nan = std::nan("");
  const KnapsackRows rows = {a.data(), y.data(), weight.data(), gamma}, near = {moved.data(), y.data(), weight.data(), gamma};
  const double warm = project_knapsack(one, near, n, static_cast<double>(n), sum, 0, nan, x.data(), work.data(), index.data());
  std::vector<std::pair<double, double>> points;
  points.reserve(2 * n);
  std::vector<double> other(n);
  sort_knapsack(a, y, gamma, 0, points, other);
  project_knapsack(one, rows, n, static_cast<double>(n), sum, 0, nan, x.data(), work.data(), index.data());
  agree("knapsack", other.data(), x.data(), n);

  std::vector<Trial> trials;
  trials.push_back({"sweep", [&] {
                      sink = stream(a.data(), n) + stream(weight.data(), n) + stream(reinterpret_cast<double*>(y.data()), n / 8);
                    }});
  const auto project = [&](const Run& run, double guess) {
    return [&, run, guess] {
      sink = project_knapsack(run, rows, n, static_cast<double>(n), sum, 0, guess, x.data(), work.data(), index.data());
    };
  };
  trials.push_back({"warm", project(one, warm)});
  trials.push_back({"cold", project(one, nan)});
  trials.push_back({"warm, 2 threads", project(two, warm)});
  trials.push_back({"cold, 2 threads", project(two, nan)});
  trials.push_back({"sort", [&] { sort_knapsack(a, y, gamma, 0, points, other); }});
  interleave("knapsack", trials, static_cast<double>(n) * 17);
}

// In memory (128 MB): in a cache that the copy of x also fits in, a sweep costs next to nothing.
void cones(const Table* table) {
  const Run one = {table, 1}, two = {table, 2};
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> numbers(100003);
  for (double& x : numbers) x = normal(random);
  for (size_t size : {3, 11, 31, 101, 785}) {
    const std::string group = "cones of " + std::to_string(size);
    if (!wanted(group)) continue;
    const size_t blocks = 16000000 / size, n = blocks * size;
    std::vector<double> x(n), out(n);
    std::vector<uint32_t> start(blocks + 1);
    for (size_t k = 0; k <= blocks; ++k) start[k] = static_cast<uint32_t>(k * size);
    // A third of the blocks is inside its cone or below it, the rest between.
    for (size_t i = 0; i < n; ++i) x[i] = numbers[i % numbers.size()] * (i % size ? 1 : std::sqrt(static_cast<double>(size)));
    std::vector<Trial> trials;
    trials.push_back({"sweep", [&] { sink = stream(x.data(), n); }});
    trials.push_back({"copy", [&] { std::memcpy(out.data(), x.data(), n * 8); }});
    trials.push_back({"project", [&] { project_cones(one, x.data(), start.data(), blocks, out.data()); }});
    trials.push_back({"project, 2 threads", [&] { project_cones(two, x.data(), start.data(), blocks, out.data()); }});
    interleave(group, trials, static_cast<double>(n) * 8);
  }
}

void answer_reads(const Table* table, size_t megabytes) {
  const size_t n = (megabytes << 20) / sizeof(double);
  const Buffer<double> data = filled(n, 0.5);
  std::puts("{}");
  std::fflush(stdout);
  for (unsigned threads; std::scanf("%u", &threads) == 1;) {
    const double from = seconds();
    sink = stream({table, threads}, data.data(), n);
    std::printf("{\"seconds\":%.9f}\n", seconds() - from);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    for (const char* level : {"baseline", "avx2", "avx512", "neon"}) {
      if (std::strcmp(choose_table(level)->name, level) == 0) std::puts(level);
    }
    return 0;
  }
  const Table* table = choose_table(argv[1]);
  if (argc > 3) only = argv[3];
  retain_pool();
  if (argc > 3 && std::strcmp(argv[2], "stream") == 0) {
    answer_reads(table, std::strtoul(argv[3], nullptr, 10));
    release_pool();
    return 0;
  }
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  void* blas = dlopen("libopenblas.so.0", RTLD_NOW);
  const auto core = blas ? reinterpret_cast<const char* (*)()>(dlsym(blas, "openblas_get_corename")) : nullptr;
  std::printf("{\"simd\":\"%s\",\"openblas\":\"%s\"}\n", table->name, core ? core() : blas ? "unknown" : "");
  for (size_t cols : {30, 100, 123, 784, 2400}) dense<double>(table, "memory", 256, cols, blas);
  for (size_t cols : {30, 100, 123, 784, 2400}) dense<float>(table, "memory", 256, cols, blas);
  for (size_t cols : {30, 123, 784}) dense<double>(table, "L3", 8, cols, blas);
  for (size_t cols : {30, 123, 784}) dense<double>(table, "L2", 1, cols, blas);
  for (size_t cols : {30, 100, 784, 2400}) planes(table, 160, cols, blas);
  if (argc > 2 && std::strcmp(argv[2], "-") != 0 && wanted("CSR")) sparse(table, argv[2]);
  if (wanted("knapsack")) knapsack(table);
  cones(table);
  release_pool();
}
