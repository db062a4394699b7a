// project_cones and project_cone by their definition: three regions, mixed sizes, any magnitude, in place, any number of threads.
#include "cones.h"

#include <limits>
#include <string>

#include "check.h"
#include "cones_rules.h"
#include "parallel.h"

using namespace fista;
using namespace check;

namespace {

using Blocks = std::vector<std::vector<double>>;

// Projects all blocks at every SIMD level, into another array and in place.
void project(const char* name, const Blocks& blocks) {
  std::vector<uint32_t> offsets{0};
  std::vector<double> all;
  for (const auto& block : blocks) {
    all.insert(all.end(), block.begin(), block.end());
    offsets.push_back(static_cast<uint32_t>(all.size()));
  }
  const Guarded<uint32_t> start(offsets);
  const Guarded<double> x(all);
  Guarded<double> out(all.size());
  for (const Table* table : check::levels()) {
    check::at("%s %s", table->name, name);
    project_cones({table, 1}, x.data(), start.data(), blocks.size(), out.data());
    for (size_t k = 0; k < blocks.size(); ++k) {
      const char* rule = check::broken_cone_rule(x.data() + start[k], start[k + 1] - start[k], out.data() + start[k]);
      if (rule != nullptr) std::fprintf(stderr, "block %zu of %zu entries violates: %s\n", k, blocks[k].size(), rule);
      CHECK(rule == nullptr);
      CHECK(check::same_if_settled(*table, x.data() + start[k], start[k + 1] - start[k]));
    }
    for (unsigned threads : check::kThreads) {
      Guarded<double> in_place(all);
      project_cones({table, threads}, in_place.data(), start.data(), blocks.size(), in_place.data());
      CHECK(check::same_bits(in_place.data(), out.data(), all.size()));
    }
  }
}

// A block of n entries with |p| about 1 and l = share |p|, times scale.
std::vector<double> block(Random& random, size_t n, double share, double scale) {
  std::vector<double> b(n);
  double squares = 0;
  for (size_t i = 1; i < n; ++i) {
    b[i] = random.uniform();
    squares += b[i] * b[i];
  }
  const double norm = squares > 0 ? std::sqrt(squares) : 1;
  b[0] = share * scale;
  for (size_t i = 1; i < n; ++i) b[i] *= scale / norm;
  return b;
}

const double kShares[] = {-3, -1.0000001, -1, -0.9999999, -0.5, -1e-9, 0, 1e-9, 0.5, 0.9999999, 1, 1.0000001, 3};

void regions() {
  Random random(1);
  Blocks blocks;
  // Sizes 1 to 80: every remainder of every vector width, and sizes around the limit of short blocks; then long ones.
  for (size_t n = 1; n <= 80; ++n) {
    for (double share : kShares) blocks.push_back(block(random, n, share, 1));
  }
  for (size_t n : {785, 3001}) {
    for (double share : kShares) blocks.push_back(block(random, n, share, 1));
  }
  project("three regions", blocks);
  project("no blocks", {});
  project("one block", {{-1, 3, 4}});
}

void magnitudes() {
  Random random(2);
  for (double scale : {1e-323, 1e-310, 1e-200, 1e-162, 1e-155, 1e-140, 1e-100, 1e100, 1e149, 1e150, 1e155, 1e200, 1e307}) {
    Blocks blocks;
    for (size_t n : {1, 2, 3, 8, 9, 10, 33, 500}) {
      for (double share : kShares) blocks.push_back(block(random, n, share, scale));
      // Different magnitudes within a block: of p and l, and of one entry of p and the others.
      for (double other : {1e-300, 1e-200, 1.0, 1e200, 1e300}) {
        std::vector<double> b = block(random, n, 0.5, scale);
        b[0] = other;
        blocks.push_back(b);
        b[0] = -other;
        blocks.push_back(b);
        b[n - 1] = other;
        blocks.push_back(b);
      }
    }
    project(("magnitude " + std::to_string(std::log10(scale))).c_str(), blocks);
  }
}

void extremes() {
  const double max = std::numeric_limits<double>::max(), min = std::numeric_limits<double>::denorm_min();
  const double values[] = {0.0, -0.0, 1.0, -1.0, 1e200, -1e200, 1e-200, -1e-200, 1e308, -1e308, max, -max, min, -min};
  Blocks blocks;
  for (double l : values) {
    blocks.push_back({l});
    for (double p : values) {
      blocks.push_back({l, p});
      for (double q : values) {
        blocks.push_back({l, p, q});
        std::vector<double> longer(12, p);
        longer[0] = l;
        longer[7] = q;
        blocks.push_back(longer);
      }
    }
  }
  project("extremes", blocks);
  for (const Table* table : check::levels()) {
    check::at("%s zeros", table->name);
    for (size_t n : {1, 2, 9, 10, 40}) {
      std::vector<double> x(n), out(n, 5.0);
      const uint32_t start[] = {0, static_cast<uint32_t>(n)};
      for (double l : {0.0, -0.0, -2.0}) {
        x[0] = l;
        project_cones({table, 1}, x.data(), start, 1, out.data());
        for (double v : out) CHECK(v == 0);
      }
      x[0] = 2;
      project_cones({table, 1}, x.data(), start, 1, out.data());
      CHECK(check::same_bits(x.data(), out.data(), n));
    }
  }
}

// So many blocks that they are split among threads, at any position. Then an array that starts before the first block and ends
// after the last: what lies outside stays unchanged.
void many() {
  Random random(3);
  Blocks blocks;
  for (size_t k = 0; k < 40000; ++k) blocks.push_back(block(random, 1 + random.below(12), random.uniform(-2, 2), 1));
  blocks.push_back(block(random, 60000, 0.3, 1));
  project("many blocks", blocks);

  const uint32_t start[] = {2, 5, 6};
  for (const Table* table : check::levels()) {
    double x[] = {7, 7, 0, 3, 4, -1, 7};
    project_cones({table, 2}, x, start, 2, x);
    const double expected[] = {7, 7, 2.5, 1.5, 2, 0, 7};
    for (size_t i = 0; i < 7; ++i) CHECK(x[i] == expected[i]);
  }
}

}  // namespace

int main() {
  retain_pool();
  regions();
  magnitudes();
  extremes();
  many();
  release_pool();
  return check::report();
}
