// FISTA for ellipsoid separation (method 4.3) as one would first write it: plain loops, one thread, diagonal shapes. The yardstick
// of bench/tables/esp.js. plain-esp n m d: prints the median milliseconds of an iteration with its test.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  if (argc < 4) return 1;
  const size_t n = std::strtoul(argv[1], nullptr, 10), m = std::strtoul(argv[2], nullptr, 10),
               d = std::strtoul(argv[3], nullptr, 10);
  const size_t all = n + m;
  std::vector<double> c(all * d), a(all * d), x(all * (d + 1)), x_prev(x), y(x), g(x), v(d + 2), w(d);
  unsigned state = 1;
  const auto next = [&] { return (state = state * 1664525u + 1013904223u) / 4294967296.0; };
  for (size_t k = 0; k < all * d; ++k) {
    c[k] = (next() + (k / d < n ? 0 : 0.05)) / 20;
    a[k] = next() / 20;
  }
  const double L = 2.0 * static_cast<double>(all);
  double theta = 1, kept = 0;
  std::vector<double> times;
  for (int k = 0; k < 60; ++k) {
    const auto from = std::chrono::steady_clock::now();
    // v = b - A y
    std::fill(v.begin(), v.end(), 0.0);
    v[0] = v[1] = 1;
    for (size_t i = 0; i < all; ++i) {
      const double* block = &y[i * (d + 1)];
      v[i < n ? 0 : 1] -= block[0];
      const double l = i < n ? block[0] : -block[0];
      for (size_t j = 0; j < d; ++j) v[2 + j] -= l * c[i * d + j] + a[i * d + j] * block[1 + j];
    }
    // g = A'v
    for (size_t i = 0; i < all; ++i) {
      double dot = 0;
      for (size_t j = 0; j < d; ++j) {
        dot += c[i * d + j] * v[2 + j];
        g[i * (d + 1) + 1 + j] = a[i * d + j] * v[2 + j];
      }
      g[i * (d + 1)] = i < n ? v[0] + dot : v[1] - dot;
    }
    // x = proj(y + g / L)
    std::swap(x, x_prev);
    for (size_t i = 0; i < all; ++i) {
      double* to = &x[i * (d + 1)];
      double square = 0;
      for (size_t j = 0; j <= d; ++j) to[j] = y[i * (d + 1) + j] + g[i * (d + 1) + j] / L;
      for (size_t j = 1; j <= d; ++j) square += to[j] * to[j];
      const double norm = std::sqrt(square);
      if (norm <= to[0]) continue;
      const double share = norm <= -to[0] ? 0 : (to[0] / norm + 1) / 2;
      to[0] = share * norm;
      for (size_t j = 1; j <= d; ++j) to[j] *= share;
    }
    // y = x + beta (x - x_prev)
    const double theta_next = (1 + std::sqrt(1 + 4 * theta * theta)) / 2, beta = (theta - 1) / theta_next;
    theta = theta_next;
    for (size_t j = 0; j < x.size(); ++j) y[j] = x[j] + beta * (x[j] - x_prev[j]);
    // the residual's w, and its test
    std::fill(w.begin(), w.end(), 0.0);
    for (size_t i = 0; i < all; ++i) {
      const double* block = &x[i * (d + 1)];
      const double l = i < n ? block[0] : -block[0];
      for (size_t j = 0; j < d; ++j) w[j] -= l * c[i * d + j] + a[i * d + j] * block[1 + j];
    }
    double high = -1e300, low = 1e300;
    for (size_t i = 0; i < all; ++i) {
      double dot = 0, square = 0;
      for (size_t j = 0; j < d; ++j) {
        dot += c[i * d + j] * w[j];
        square += a[i * d + j] * w[j] * a[i * d + j] * w[j];
      }
      if (i < n)
        high = std::max(high, dot + std::sqrt(square));
      else
        low = std::min(low, dot - std::sqrt(square));
    }
    kept += low - high;
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - from).count());
  }
  std::sort(times.begin(), times.end());
  std::printf("%.6f %g\n", times[times.size() / 2], kept);
}
