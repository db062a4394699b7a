// project_cones on any finite blocks: the result obeys the definition at every level, and in place.
#include "cones.h"

#include "bytes.h"
#include "cones_rules.h"

using namespace fista;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes(data, size);
  std::vector<double> x;
  std::vector<uint32_t> start{0};
  while (!bytes.empty() && x.size() < 4000) {
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
  const size_t blocks = start.size() - 1;
  std::vector<double> out(x.size()), in_place;
  static const std::vector<const Table*> levels = check::levels();
  for (const Table* table : levels) {
    project_cones({table, 1}, x.data(), start.data(), blocks, out.data());
    for (size_t k = 0; k < blocks; ++k) {
      const size_t n = start[k + 1] - start[k];
      const double* block = x.data() + start[k];
      if (const char* rule = check::broken_cone_rule(block, n, out.data() + start[k])) {
        std::fprintf(stderr, "%s, block %zu breaks: %s\n", table->name, k, rule);
        for (size_t i = 0; i < n && i < 80; ++i) std::fprintf(stderr, "%.17g -> %.17g\n", block[i], out[start[k] + i]);
        std::abort();
      }
    }
    in_place = x;
    project_cones({table, 1}, in_place.data(), start.data(), blocks, in_place.data());
    if (!check::same_bits(in_place.data(), out.data(), x.size())) {
      std::fprintf(stderr, "%s differs in place\n", table->name);
      std::abort();
    }
  }
  return 0;
}
