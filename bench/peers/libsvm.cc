// libsvm [--test <problem>] <problem> <weights>: trains by LIBSVM (-s 0 -t 0) as often as asked. A line in: C cache-in-MB eps.
#include <libsvm/svm.h>

#include "driver.h"

static void quiet(const char*) {}

int main(int argc, char** argv) {
  const Files files(argc, argv);
  svm_set_print_string_function(quiet);
  Problem<svm_node> data = readProblem<svm_node>(files.problem, false);
  Problem<svm_node> test;
  if (files.test) test = readProblem<svm_node>(files.test, false);
  svm_problem p;
  p.l = static_cast<int>(data.rows);
  p.y = data.labels.data();
  p.x = data.x.data();
  std::printf("{\"version\": %d}\n", libsvm_version);
  std::fflush(stdout);
  double C, cache, eps;
  while (std::scanf("%lf %lf %lf", &C, &cache, &eps) == 3) {
    svm_parameter how{};
    how.svm_type = C_SVC;
    how.kernel_type = LINEAR;
    how.C = C;
    how.cache_size = cache;
    how.eps = eps;
    how.shrinking = 1;
    const char* wrong = svm_check_parameter(&p, &how);
    check(wrong == nullptr, wrong);
    std::srand(1);
    Seconds seconds;
    svm_model* m = svm_train(&p, &how);
    seconds.stop();
    if (m->nr_class == 2) {
      const double sign = m->label[0] > m->label[1] ? 1 : -1;  // the larger label is positive
      std::vector<double> w(data.cols + 1, 0);
      for (int k = 0; k < m->l; k++)
        for (const svm_node* node = m->SV[k]; node->index != -1; node++)
          w[node->index - 1] += sign * m->sv_coef[0][k] * node->value;
      w[data.cols] = -sign * m->rho[0];
      writeWeights(files.weights, w);
    }
    const double accuracy = accuracyOf(test, [&](const svm_node* row) { return svm_predict(m, row); });
    std::printf("{\"seconds\": %.9f, \"processor\": %.9f, \"vectors\": %d, \"accuracy\": %.9f}\n", seconds.wall, seconds.processor,
                m->l, accuracy);
    std::fflush(stdout);
    svm_free_and_destroy_model(&m);
  }
}
