// project_cones on any finite blocks: the result satisfies the definition at every SIMD level, and is the same in place.
#include "cones.h"

#include "bytes.h"
#include "cones_rules.h"

using namespace fista;

namespace {

// Blocks are added while there are fewer entries than this; the last block has at most 134.
constexpr size_t kMax = 400, kRoom = kMax + 134;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<const Table*> levels = check::levels();
  static check::Guarded<double> given(kRoom), projected(kRoom), in_place(kRoom);
  static std::vector<double> x;
  static std::vector<uint32_t> start;
  x.clear();
  start.assign(1, 0);
  Bytes bytes(data, size);
  const Table* table = levels[bytes.byte() % levels.size()];
  while (!bytes.empty() && x.size() < kMax) {
    // Blocks of 1 to 64 entries, or longer ones of a repeated entry; l may be given as a multiple of |p|.
    const uint8_t shape = bytes.byte();
    const size_t n = 1 + (shape & 63), first = x.size();
    for (size_t i = 0; i < n; ++i) x.push_back(bytes.number(1.7976931348623157e308));
    if (shape & 64) x.insert(x.end(), 70, x.back());
    if (shape & 128) {
      double squares = 0;
      for (size_t i = first + 1; i < x.size(); ++i) squares += x[i] * x[i];
      const double l = x[first] * std::sqrt(squares);
      if (std::isfinite(l)) x[first] = l;
    }
    start.push_back(static_cast<uint32_t>(x.size()));
  }
  const size_t blocks = start.size() - 1, all = x.size();
  double *const from = given.last(all), *const out = projected.last(all), *const same = in_place.last(all);
  for (size_t i = 0; i < all; ++i) from[i] = same[i] = x[i];
  project_cones({table, 1}, from, start.data(), blocks, out);
  for (size_t k = 0; k < blocks; ++k) {
    const size_t n = start[k + 1] - start[k];
    const double* block = x.data() + start[k];
    if (const char* rule = check::broken_cone_rule(block, n, out + start[k])) {
      std::fprintf(stderr, "%s, block %zu violates: %s\n", table->name, k, rule);
      for (size_t i = 0; i < n && i < 80; ++i) std::fprintf(stderr, "%.17g -> %.17g\n", block[i], out[start[k] + i]);
      std::abort();
    }
    if (!check::same_if_settled(*table, block, n)) {
      std::fprintf(stderr, "%s, block %zu differs with branches\n", table->name, k);
      std::abort();
    }
  }
  project_cones({table, 1}, same, start.data(), blocks, same);
  if (!check::same_bits(same, out, all)) {
    std::fprintf(stderr, "%s differs in place\n", table->name);
    std::abort();
  }
  return 0;
}
