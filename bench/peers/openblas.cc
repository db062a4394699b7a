// openblas <rows> <cols>: multiplies rows × cols numbers by cols × planes as often as asked, by OpenBLAS's dgemm. A line in: planes
// threads.
#include <cblas.h>

#include "driver.h"

extern "C" void openblas_set_num_threads(int threads);
extern "C" char* openblas_get_config(void);

int main(int argc, char** argv) {
  check(argc == 3, "usage: openblas <rows> <cols>");
  const int rows = std::atoi(argv[1]), cols = std::atoi(argv[2]);
  std::vector<double> x(static_cast<size_t>(rows) * cols);
  uint32_t state = 1;
  const auto next = [&] { return (state = state * 1664525u + 1013904223u) / 4294967296.0 - 0.5; };
  for (double& value : x) value = next();
  std::printf("{\"version\": \"%s\"}\n", openblas_get_config());
  std::fflush(stdout);
  int planes, threads;
  std::vector<double> weights, out;
  while (std::scanf("%d %d", &planes, &threads) == 2) {
    weights.resize(static_cast<size_t>(planes) * cols);
    for (double& value : weights) value = next();
    out.resize(static_cast<size_t>(rows) * planes);  // written before the clock starts: new pages would count
    openblas_set_num_threads(threads);
    Seconds seconds;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, planes, cols, 1, x.data(), cols, weights.data(), cols, 0, out.data(),
                planes);
    seconds.stop();
    std::printf("{\"seconds\": %.9f, \"processor\": %.9f}\n", seconds.wall, seconds.processor);
    std::fflush(stdout);
  }
}
