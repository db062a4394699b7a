// Times the inner loops against a streaming read, plain loops, OpenBLAS and a sort, interleaved in one run. Prints one JSON line
// per measurement: { group, name, unit, best, median, reference, ratio }. Called by bench/run.js, which words the table.
//
//   kernels <simd level> <LIBSVM text file or "-">

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

struct Trial {
  std::string name;
  std::function<void()> run;
  std::vector<double> times = {};
  double best() const { return *std::min_element(times.begin(), times.end()); }
  double median() const {
    std::vector<double> t = times;
    std::nth_element(t.begin(), t.begin() + t.size() / 2, t.end());
    return t[t.size() / 2];
  }
};

// A B C A B C ...: a slow moment of the machine hits all alike.
void interleave(std::vector<Trial>& trials, int rounds) {
  for (Trial& t : trials) t.run();
  for (int r = 0; r < rounds; ++r) {
    for (Trial& t : trials) {
      const double from = seconds();
      t.run();
      t.times.push_back(seconds() - from);
    }
  }
}

// The ratio is reference time / own time, by the best of the rounds and by the median.
void report(const char* group, const std::vector<Trial>& trials, const char* reference, double bytes) {
  const Trial* ref = nullptr;
  for (const Trial& t : trials) {
    if (t.name == reference) ref = &t;
  }
  for (const Trial& t : trials) {
    std::printf(
        "{\"group\":\"%s\",\"name\":\"%s\",\"ms\":%.4f,\"medianMs\":%.4f,\"GBs\":%.2f,\"reference\":\"%s\",\"ratio\":%.3f,"
        "\"medianRatio\":%.3f}\n",
        group, t.name.c_str(), t.best() * 1e3, t.median() * 1e3, bytes / t.best() / 1e9, reference, ref->best() / t.best(),
        ref->median() / t.median());
  }
  std::fflush(stdout);
}

volatile double sink;

// Zero-filled and aligned, as the handles' own arrays are.
Buffer<double> zeros(size_t n, double value = 0) {
  Buffer<double> b;
  if (!b.allocate(n)) std::exit(1);
  std::fill(b.data(), b.data() + n, value);
  return b;
}

using gemv_t = void (*)(int, int, int, int, double, const double*, int, const double*, int, double, double*, int);
using sgemv_t = void (*)(int, int, int, int, float, const float*, int, const float*, int, float, float*, int);

template <typename T>
void dense(const Table* table, size_t rows, size_t cols, void* blas) {
  const Run one = {table, 1}, two = {table, 2};
  std::mt19937_64 random(1);
  std::vector<T> data(rows * cols);
  for (T& x : data) x = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-53 - 0.5);
  Matrix X;
  if (X.copy_dense(one, sizeof(T) == 8 ? Values::f64 : Values::f32, data.data(), rows, cols).kind != CopyResult::ok) std::exit(1);
  Buffer<double> w = zeros(cols + 1, 0.5), q = zeros(rows), u = zeros(rows, 0.25), g = zeros(cols),
                 scratch = zeros(X.scratch_size());
  const double bytes = static_cast<double>(rows * cols * sizeof(T));
  const double* as_doubles = reinterpret_cast<const double*>(data.data());
  const size_t doubles = rows * cols * sizeof(T) / sizeof(double);

  std::vector<Trial> trials;
  trials.push_back({"streaming read", [&] { sink = table->stream(as_doubles, doubles); }});
  trials.push_back({"X.w", [&] { X.multiply(one, nullptr, 0, rows, w.data(), q.data()); }});
  trials.push_back({"X'u", [&] { X.combine(one, nullptr, 0, rows, u.data(), g.data(), scratch.data()); }});
  trials.push_back({"X.w 2 threads", [&] { X.multiply(two, nullptr, 0, rows, w.data(), q.data()); }});
  trials.push_back({"X'u 2 threads", [&] { X.combine(two, nullptr, 0, rows, u.data(), g.data(), scratch.data()); }});
  std::vector<T> wt(cols, T(0.5)), qt(rows), ut(rows, T(0.25)), gt(cols);
  const int n = static_cast<int>(rows), d = static_cast<int>(cols);
  if (blas) {
    // f32: OpenBLAS sums in float, we in double; it is shown for scale.
    if constexpr (sizeof(T) == 8) {
      auto gemv = reinterpret_cast<gemv_t>(dlsym(blas, "cblas_dgemv"));
      trials.push_back({"OpenBLAS X.w", [&, gemv] { gemv(101, 111, n, d, 1, data.data(), d, wt.data(), 1, 0, qt.data(), 1); }});
      trials.push_back({"OpenBLAS X'u", [&, gemv] { gemv(101, 112, n, d, 1, data.data(), d, ut.data(), 1, 0, gt.data(), 1); }});
    } else {
      auto gemv = reinterpret_cast<sgemv_t>(dlsym(blas, "cblas_sgemv"));
      trials.push_back({"OpenBLAS X.w", [&, gemv] { gemv(101, 111, n, d, 1, data.data(), d, wt.data(), 1, 0, qt.data(), 1); }});
      trials.push_back({"OpenBLAS X'u", [&, gemv] { gemv(101, 112, n, d, 1, data.data(), d, ut.data(), 1, 0, gt.data(), 1); }});
    }
  }
  interleave(trials, 9);
  char group[64];
  std::snprintf(group, sizeof group, "dense %s %zu x %zu", sizeof(T) == 8 ? "f64" : "f32", rows, cols);
  report(group, trials, "streaming read", bytes);
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
  Buffer<double> w = zeros(m.cols + 1, 0.5), q = zeros(rows), u = zeros(rows, 0.25), g = zeros(m.cols),
                 scratch = zeros(X.scratch_size());
  w[m.cols] = 0;
  std::vector<Trial> trials;
  // Several passes a measurement: one takes about half a millisecond.
  const auto times = [](auto f) {
    return [f] {
      for (int r = 0; r < 10; ++r) f();
    };
  };
  const double bytes = 10 * static_cast<double>(X.bytes());
  trials.push_back({"plain X.w", times([&] { plain_multiply(m, w.data(), q.data()); })});
  trials.push_back({"X.w", times([&] { X.multiply(one, nullptr, 0, rows, w.data(), q.data()); })});
  trials.push_back({"X.w 2 threads", times([&] { X.multiply(two, nullptr, 0, rows, w.data(), q.data()); })});
  interleave(trials, 25);
  report("CSR X.w", trials, "plain X.w", bytes);
  trials.clear();
  trials.push_back({"plain X'u", times([&] { plain_transposed(m, u.data(), g.data()); })});
  trials.push_back({"X'u", times([&] { X.combine(one, nullptr, 0, rows, u.data(), g.data(), scratch.data()); })});
  trials.push_back({"X'u 2 threads", times([&] { X.combine(two, nullptr, 0, rows, u.data(), g.data(), scratch.data()); })});
  interleave(trials, 25);
  report("CSR X'u", trials, "plain X'u", bytes);
}

// The textbook way: sort the 2n breakpoints, walk along them.
void sort_knapsack(const std::vector<double>& a, const std::vector<int8_t>& y, const std::vector<double>& gamma, double b,
                   std::vector<std::pair<double, double>>& points, std::vector<double>& x) {
  const size_t n = a.size();
  points.clear();
  double phi = 0;
  for (size_t i = 0; i < n; ++i) {
    const double c = y[i] * a[i], low = y[i] > 0 ? 0 : -gamma[i], high = y[i] > 0 ? gamma[i] : 0;
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
  for (size_t i = 0; i < n; ++i) x[i] = std::min(std::max(a[i] - lambda * y[i], 0.0), gamma[i]);
}

void knapsack(const Table* table) {
  const size_t n = 1000000;
  const Run one = {table, 1}, two = {table, 2};
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  std::vector<double> a(n), gamma(n, 1.0), x(n), work(n), moved(n);
  std::vector<int8_t> y(n);
  std::vector<uint32_t> index(n);
  for (size_t i = 0; i < n; ++i) {
    a[i] = normal(random) + 0.3;
    y[i] = random() % 3 ? 1 : -1;
    moved[i] = a[i] + 1e-3 * normal(random);
  }
  const double nan = std::nan("");
  const double warm =
      project_knapsack(one, moved.data(), y.data(), gamma.data(), n, 0, nan, x.data(), work.data(), index.data()).lambda;
  std::vector<std::pair<double, double>> points;
  points.reserve(2 * n);
  std::vector<Trial> trials;
  // One read of a, y and gamma: the yardstick.
  trials.push_back({"sweep", [&] {
                      sink = table->stream(a.data(), n) + table->stream(gamma.data(), n) +
                             table->stream(reinterpret_cast<double*>(y.data()), n / 8);
                    }});
  const auto project = [&](const Run& run, double guess) {
    return [&, run, guess] {
      sink = project_knapsack(run, a.data(), y.data(), gamma.data(), n, 0, guess, x.data(), work.data(), index.data()).lambda;
    };
  };
  trials.push_back({"warm", project(one, warm)});
  trials.push_back({"cold", project(one, nan)});
  trials.push_back({"warm 2 threads", project(two, warm)});
  trials.push_back({"sort", [&] { sort_knapsack(a, y, gamma, 0, points, x); }});
  interleave(trials, 9);
  report("knapsack n = 1e6", trials, "sweep", static_cast<double>(n) * 17);
}

void cones(const Table* table) {
  const Run one = {table, 1}, two = {table, 2};
  for (size_t size : {3, 31, 785}) {
    const size_t blocks = 4000000 / size, n = blocks * size;
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    std::vector<double> x(n), out(n);
    std::vector<uint32_t> start(blocks + 1);
    for (size_t k = 0; k <= blocks; ++k) start[k] = static_cast<uint32_t>(k * size);
    for (size_t i = 0; i < n; ++i) x[i] = normal(random) * (i % size ? 1 : std::sqrt(static_cast<double>(size)));
    std::vector<Trial> trials;
    trials.push_back({"sweep", [&] { sink = table->stream(x.data(), n); }});
    trials.push_back({"copy", [&] { std::memcpy(out.data(), x.data(), n * 8); }});
    trials.push_back({"project", [&] { project_cones(one, x.data(), start.data(), blocks, out.data()); }});
    trials.push_back({"project 2 threads", [&] { project_cones(two, x.data(), start.data(), blocks, out.data()); }});
    interleave(trials, 9);
    char group[64];
    std::snprintf(group, sizeof group, "cones of %zu, n = 4e6", size);
    report(group, trials, "sweep", static_cast<double>(n) * 8);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Table* table = choose_table(argc > 1 ? argv[1] : nullptr);
  retain_pool();
  std::printf("{\"simd\":\"%s\"}\n", table->name);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  void* blas = dlopen("libopenblas.so.0", RTLD_NOW);
  std::printf("{\"openblas\":%s}\n", blas ? "true" : "false");
  for (size_t cols : {30, 100, 123, 784, 2400}) dense<double>(table, (size_t(256) << 20) / 8 / cols, cols, blas);
  for (size_t cols : {30, 100, 123, 784, 2400}) dense<float>(table, (size_t(256) << 20) / 4 / cols, cols, blas);
  if (argc > 2 && std::strcmp(argv[2], "-") != 0) sparse(table, argv[2]);
  knapsack(table);
  cones(table);
  release_pool();
}
