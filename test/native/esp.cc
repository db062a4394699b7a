// The tasks of ellipsoid separation, with every kind of shape and dimensions around the vector widths: A and A' are adjoint, the
// bits do not depend on the number of threads, and a plane is found.
#include "esp.h"

#include "check.h"
#include "parallel.h"

using namespace fista;

namespace {

struct Data {
  std::vector<uint8_t> kinds;
  std::vector<double> centers, shapes;
  Esp::Family family() const {
    return {kinds.size(), kinds.data(), {Values::f64, centers.data(), centers.size()}, {Values::f64, shapes.data(), shapes.size()}};
  }
};

Data make(std::mt19937& random, size_t n, size_t d, double shift) {
  std::uniform_real_distribution<double> number(-1, 1);
  Data data;
  for (size_t i = 0; i < n; ++i) {
    data.kinds.push_back(static_cast<uint8_t>(i % Esp::kKinds));
    for (size_t j = 0; j < d; ++j) data.centers.push_back(number(random) + (j == 0 ? shift : 0));
    const size_t size = Esp::shape_size(data.kinds.back(), d);
    for (size_t k = 0; k < size; ++k) data.shapes.push_back(number(random) / static_cast<double>(d + 1));
  }
  return data;
}

// Runs some iterations with all tasks; returns their answers.
std::vector<double> run(Esp& esp) {
  std::vector<double> answers;
  const auto add = [&](const auto& answer) {
    double numbers[sizeof(answer) / sizeof(double)];
    std::memcpy(numbers, &answer, sizeof(answer));
    for (double number : numbers) answers.push_back(number);
  };
  add(esp.begin(true));
  for (int k = 0; k < 6; ++k) {
    add(esp.sweep(static_cast<double>(2 * esp.count()), k == 0 ? 0 : 0.4, k > 1));
    esp.accept();
    if (k == 3) add(esp.move());
  }
  add(esp.test());
  esp.keep(false);
  add(esp.verify());
  esp.power(true);
  add(esp.power(false));
  return answers;
}

void one(const Table* table, size_t n, size_t m, size_t d) {
  check::at("%s, %zu and %zu ellipsoids, %zu dimensions", table->name, n, m, d);
  std::mt19937 random(static_cast<unsigned>(n * 1000 + d));
  const Data first = make(random, n, d, 0), second = make(random, m, d, 9);
  std::vector<double> expected;
  for (unsigned threads : check::kThreads) {
    Esp esp;
    if (!CHECK(esp.init({table, threads}, d, first.family(), second.family()).kind == Esp::Copied::ok)) return;
    const std::vector<double> answers = run(esp);
    if (expected.empty()) expected = answers;
    CHECK(answers.size() == expected.size() && std::memcmp(answers.data(), expected.data(), answers.size() * sizeof(double)) == 0);
    // Along the first coordinate the families are 9 apart and at most 2 wide.
    const double max = answers[answers.size() - 3], min = answers[answers.size() - 2];
    if (d > 0 && d < 4) CHECK(max < min);
  }
  Esp esp;
  if (!CHECK(esp.init({table, 1}, d, first.family(), second.family()).kind == Esp::Copied::ok)) return;
  esp.begin(true);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> l(n + m), p(esp.p_size()), v(d + 2), ax(d + 2), atl(n + m), atp(esp.p_size());
  for (auto* list : {&l, &p, &v}) {
    for (double& x : *list) x = number(random);
  }
  esp.apply_a(l.data(), p.data(), ax.data());
  esp.apply_at(v.data(), atl.data(), atp.data());
  double left = 0, right = 0;
  for (size_t k = 0; k < d + 2; ++k) left += ax[k] * v[k];
  for (size_t i = 0; i < n + m; ++i) right += l[i] * atl[i];
  for (size_t k = 0; k < p.size(); ++k) right += p[k] * atp[k];
  CHECK_NEAR(left, right, 1e-12 * static_cast<double>(1 + p.size() + n + m));
}

void not_finite() {
  check::at("not finite");
  std::mt19937 random(1);
  const Data good = make(random, 5, 3, 0);
  for (const size_t at : {size_t{0}, size_t{7}}) {
    Data bad = good;
    bad.shapes[at] = check::kNaN;
    Esp esp;
    const Esp::Copied copied = esp.init({check::levels().front(), 2}, 3, good.family(), bad.family());
    CHECK(copied.kind == Esp::Copied::not_finite && copied.family == 1 && copied.part == 1 && copied.at == at);
  }
}

}  // namespace

int main() {
  retain_pool();
  for (const Table* table : check::levels()) {
    for (const size_t d : {0, 1, 2, 3, 5, 8, 9, 17, 33}) {
      for (const size_t n : {1, 2, 5, 9}) one(table, n, 10 - n, d);
    }
    one(table, 700, 300, 40);
  }
  not_finite();
  release_pool();
  return check::report();
}
