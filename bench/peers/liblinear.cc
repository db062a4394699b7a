// liblinear [--test <problem>] <problem> <weights>: trains by LIBLINEAR as often as asked, with -B 1. A line in: solver C eps; eps
// 0 is the solver's default.
#include <linear.h>

#include "driver.h"

static void quiet(const char*) {}

int main(int argc, char** argv) {
  const Files files(argc, argv);
  set_print_string_function(quiet);
  Problem<feature_node> data = readProblem<feature_node>(files.problem, true);
  Problem<feature_node> test;
  if (files.test) test = readProblem<feature_node>(files.test, true);
  problem p;
  p.l = static_cast<int>(data.rows);
  p.n = static_cast<int>(data.cols + 1);
  p.y = data.labels.data();
  p.x = data.x.data();
  p.bias = 1;
  std::printf("{\"version\": %d}\n", liblinear_version);
  std::fflush(stdout);
  int solver;
  double C, eps;
  while (std::scanf("%d %lf %lf", &solver, &C, &eps) == 3) {
    parameter how{};
    how.solver_type = solver;
    how.C = C;
    how.eps = eps > 0 ? eps : solver == L2R_L2LOSS_SVC ? 0.01 : 0.1;
    how.p = 0.1;
    const char* wrong = check_parameter(&p, &how);
    check(wrong == nullptr, wrong);
    std::srand(1);
    Seconds seconds;
    model* m = train(&p, &how);
    seconds.stop();
    if (m->nr_class == 2 && solver != MCSVM_CS) {
      const double sign = m->label[0] > m->label[1] ? 1 : -1;  // the larger label is positive
      std::vector<double> w(m->w, m->w + data.cols + 1);
      for (double& value : w) value *= sign;
      writeWeights(files.weights, w);
    }
    const double accuracy = accuracyOf(test, [&](const feature_node* row) { return predict(m, row); });
    free_and_destroy_model(&m);
    std::printf("{\"seconds\": %.9f, \"processor\": %.9f, \"accuracy\": %.9f}\n", seconds.wall, seconds.processor, accuracy);
    std::fflush(stdout);
  }
}
