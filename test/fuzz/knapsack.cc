// project_knapsack on any finite problem: the result satisfies the definition at every SIMD level and from any guess, also in
// place.
#include "bytes.h"
#include "knapsack_rules.h"

using namespace fista;

namespace {

// More rows than the samples of the kernel have. Sums of so many numbers of this magnitude do not overflow.
constexpr size_t kMax = 700;
constexpr double kLargest = 1e300;

[[noreturn]] void complain(const check::Knapsack& s, const Table& table, double guess, double lambda, const char* rule) {
  std::fprintf(stderr, "%s, guess %.17g: lambda %.17g violates: %s\ngamma = %.17g, b = %.17g, n = %zu\n", table.name, guess, lambda,
               rule, s.gamma, s.b, s.n);
  for (size_t i = 0; i < s.n && i < 40; ++i) std::fprintf(stderr, "a %.17g y %d weight %.17g\n", s.a[i], s.y[i], s.weight[i]);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<const Table*> levels = check::levels();
  static check::Guarded<double> room_a(kMax), room_weight(kMax), room_x(kMax), room_work(kMax), room_same(kMax);
  static check::Guarded<int8_t> room_y(kMax);
  static check::Guarded<uint32_t> room_index(kMax);
  static std::vector<double> a, weight, twin;
  static std::vector<int8_t> y;
  a.clear();
  weight.clear();
  y.clear();

  Bytes bytes(data, size);
  const Table* table = levels[bytes.byte() % levels.size()];
  // A pattern of rows, repeated, sometimes often: many ties, and more rows than bytes.
  const uint8_t shape = bytes.byte(), way = bytes.byte();
  const double share = bytes.number(2), other = bytes.number(kLargest), shift = bytes.number(kLargest / 4);
  // The bound: 1 for most, any number, or none.
  const double bound = !(way & 4) ? 1 : shape & 1 ? check::kInfinity : std::fabs(other);
  while (!bytes.empty() && a.size() < kMax) {
    const uint8_t label = bytes.byte();
    y.push_back(label & 1 ? 1 : -1);
    a.push_back(bytes.number(kLargest / 4) + (way & 8 ? shift * y.back() : 0));
    // Weights over twelve decades, as certificates are tested with.
    const double drawn = label & 2 ? 1 : std::fabs(bytes.number(1e6));
    weight.push_back(drawn > 1e-6 ? drawn : 1e-6);
  }
  const size_t pattern = a.size(), repeats = shape < 252 ? shape / 63 : 700;
  for (size_t repeat = 0; repeat < repeats && a.size() + pattern <= kMax; ++repeat) {
    for (size_t i = 0; i < pattern; ++i) {
      a.push_back(a[i] + (way & 16 ? 0x1p-30 * static_cast<double>(repeat) * a[i] : 0));
      weight.push_back(weight[i]);
      y.push_back(y[i]);
    }
  }
  const size_t n = a.size();
  check::Knapsack s = {room_a.last(n), room_y.last(n), room_weight.last(n), bound, n, 0};
  double* const x = room_x.last(n);
  std::copy(a.begin(), a.end(), room_a.last(n));
  std::copy(y.begin(), y.end(), room_y.last(n));
  std::copy(weight.begin(), weight.end(), room_weight.last(n));
  const double far = std::isfinite(bound) ? check::kInfinity : 1e200;
  const double min = std::fmax(s.min(), -far), max = std::fmin(s.max(), far), sum = s.weight_sum();
  switch (way & 3) {
    case 0:
      s.b = 0;
      break;
    case 1:
      s.b = min + share * (max - min);
      break;
    case 2:
      s.b = share < 1 ? min : max;
      break;
    default:
      s.b = other;
  }

  const double root = check::sorted_root(s), nan = check::kNaN;
  const double guesses[] = {root, root + 1e-6 * root, other, 1e300, nan, nan, nan, nan};  // 1e300 is of no help to the search
  const double guess = guesses[way >> 5];
  const auto project = [&](const double* from, double* to) {
    const KnapsackRows rows = {from, s.y, s.weight, s.gamma};
    return project_knapsack({table, 1}, rows, n, static_cast<double>(n), sum, s.b, guess, to, room_work.last(n),
                            room_index.last(n));
  };
  const double lambda = project(s.a, x);
  const char* rule = check::broken_rule(s, lambda, x);
  if (rule == nullptr && !std::isnan(lambda)) {
    twin.resize(n);
    for (size_t i = 0; i < n; ++i) twin[i] = s.x(i, root);
    if (s.b >= min && s.b <= max && !check::agrees(s, x, twin.data())) rule = "equal to the projection by sorting";
    double* const same = room_same.last(n);
    std::copy(a.begin(), a.end(), same);
    project(same, same);
    if (!check::same_bits(same, x, n)) rule = "the same in place";
  }
  if (rule != nullptr) complain(s, *table, guess, lambda, rule);
  return 0;
}
