// project_knapsack on any finite problem: the result obeys the definition at every level, cold and from any guess.
#include "bytes.h"
#include "knapsack_rules.h"

using namespace fista;

namespace {

// More rows than the sampled median and the sample root look at. Sums of so many numbers of this magnitude do not overflow.
constexpr size_t kMost = 700;
constexpr double kLargest = 1e300;

[[noreturn]] void complain(const check::Knapsack& s, const Table& table, double guess, const KnapsackResult& result,
                           const char* rule) {
  std::fprintf(stderr, "%s, guess %.17g: lambda %.17g, imbalance %.17g breaks: %s\nb = %.17g, n = %zu\n", table.name, guess,
               result.lambda, result.imbalance, rule, s.b, s.n);
  for (size_t i = 0; i < s.n && i < 40; ++i) std::fprintf(stderr, "a %.17g y %d gamma %.17g\n", s.a[i], s.y[i], s.gamma[i]);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes(data, size);
  // A pattern of rows, repeated, now and then often: ties in any number, and more rows than bytes.
  const uint8_t shape = bytes.byte(), way = bytes.byte();
  const double share = bytes.number(2), other = bytes.number(kLargest), shift = bytes.number(kLargest / 4);
  std::vector<double> a, gamma;
  std::vector<int8_t> y;
  while (!bytes.empty() && a.size() < kMost) {
    const uint8_t label = bytes.byte();
    y.push_back(label & 1 ? 1 : -1);
    a.push_back(bytes.number(kLargest / 4) + (way & 8 ? shift * y.back() : 0));
    gamma.push_back(label & 2 ? 1 : std::fabs(bytes.number(kLargest)));
  }
  const size_t pattern = a.size(), repeats = shape < 252 ? shape / 63 : 700;
  for (size_t repeat = 0; repeat < repeats && a.size() + pattern <= kMost; ++repeat) {
    for (size_t i = 0; i < pattern; ++i) {
      a.push_back(a[i] + (way & 16 ? 0x1p-30 * static_cast<double>(repeat) * a[i] : 0));
      gamma.push_back(gamma[i]);
      y.push_back(y[i]);
    }
  }
  const size_t n = a.size();
  check::Knapsack s = {a.data(), y.data(), gamma.data(), n, 0};
  const double least = s.least(), most = s.most();
  switch (way & 3) {
    case 0:
      s.b = 0;
      break;
    case 1:
      s.b = least + share * (most - least);
      break;
    case 2:
      s.b = share < 1 ? least : most;
      break;
    default:
      s.b = other;
  }

  std::vector<double> x(n), work(n), in_place, twin(n);
  std::vector<uint32_t> index(n);
  const double root = check::sorted_root(s), nan = std::numeric_limits<double>::quiet_NaN();
  const double guesses[] = {root, root + 1e-6 * root, other, 1e300};  // the last leaves all to the search
  for (size_t i = 0; i < n; ++i) twin[i] = s.x(i, root);
  static const std::vector<const Table*> levels = check::levels();
  for (const Table* table : levels) {
    for (double guess : {nan, guesses[way >> 5 & 3]}) {
      const KnapsackResult result =
          project_knapsack({table, 1}, s.a, s.y, s.gamma, n, s.b, guess, x.data(), work.data(), index.data());
      const char* rule = check::broken_rule(s, result, x.data());
      if (rule == nullptr && !std::isnan(result.lambda)) {
        if (s.b >= least && s.b <= most && !check::agrees(s, x.data(), twin.data())) rule = "as the sorting twin";
        in_place = a;
        project_knapsack({table, 1}, in_place.data(), s.y, s.gamma, n, s.b, guess, in_place.data(), work.data(), index.data());
        if (!check::same_bits(in_place.data(), x.data(), n)) rule = "the same in place";
      }
      if (rule != nullptr) complain(s, *table, guess, result, rule);
    }
  }
  return 0;
}
