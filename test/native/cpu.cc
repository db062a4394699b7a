// choose_table(name) lowers the SIMD level and never raises it.
#include "cpu.h"

#include <string>

#include "check.h"

using namespace fista;

namespace {

const std::vector<std::string> kOrder = {"baseline", "neon", "avx2", "avx512"};

size_t rank(const Table* table) {
  for (size_t r = 0; r < kOrder.size(); ++r) {
    if (kOrder[r] == table->name) return r;
  }
  CHECK(!"a table with a known name");
  return 0;
}

}  // namespace

int main() {
  const Table* best = choose_table(nullptr);
  CHECK(best != nullptr);
  CHECK(choose_table(nullptr) == best);
  std::printf("best: %s\n", best->name);

  CHECK(choose_table("baseline") == table_baseline());
  for (const char* name : {"", "sse9", "AVX2", "avx51", "avx5123"}) {
    check::at("unknown \"%s\"", name);
    CHECK(choose_table(name) == best);
  }

#if defined(__x86_64__) || defined(_M_X64)
  const std::vector<const char*> ours = {"baseline", "avx2", "avx512"};
#elif defined(__aarch64__) || defined(_M_ARM64)
  const std::vector<const char*> ours = {"baseline", "neon"};
#else
  const std::vector<const char*> ours = {"baseline"};
#endif
  size_t before = 0;
  for (const char* name : ours) {
    check::at("at most %s", name);
    const Table* table = choose_table(name);
    size_t asked = 0;
    while (kOrder[asked] != name) ++asked;
    CHECK(rank(table) <= asked);
    CHECK(rank(table) <= rank(best));
    CHECK(rank(table) == (asked < rank(best) ? asked : rank(best)));
    CHECK(rank(table) >= before);
    before = rank(table);
  }
  CHECK(!check::levels().empty() && check::levels().back() == best);
  return check::report();
}
