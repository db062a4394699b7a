// Memory for arrays: aligned, of the size asked for, and never in use twice. Also run under ThreadSanitizer, where (unlike under
// AddressSanitizer) freed arrays are kept for reuse.
#include "memory.h"

#include <cstdint>
#include <thread>
#include <utility>

#include "check.h"

using namespace fista;

namespace {

struct Block {
  unsigned char* p;
  size_t bytes;
  unsigned char mark;
};

// Whether an array is as it was written, by samples.
bool intact(const Block& b) {
  for (size_t i = 0; i < b.bytes; i += i + 997 < b.bytes || i + 1 == b.bytes ? 997 : b.bytes - 1 - i) {
    if (b.p[i] != b.mark) return false;
  }
  return true;
}

// Takes and returns arrays at random; each is written completely, and must be unchanged when it is returned.
void mix(uint32_t seed, unsigned char mark) {
  const auto random = [&](uint32_t below) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
  };
  std::vector<Block> held;
  bool aligned = true, kept = true;
  for (int k = 0; k < 600; ++k) {
    if (held.size() < 6 && random(2) == 0) {
      const size_t bytes = random(5) == 0 ? random(100) : (size_t(1) << (12 + random(11))) + random(5000);
      auto* const p = static_cast<unsigned char*>(take_memory(bytes));
      CHECK(p != nullptr);
      aligned = aligned && reinterpret_cast<uintptr_t>(p) % 64 == 0;
      std::memset(p, mark, bytes);
      held.push_back({p, bytes, mark});
    } else if (!held.empty()) {
      std::swap(held[random(static_cast<uint32_t>(held.size()))], held.back());
      const Block b = held.back();
      held.pop_back();
      kept = kept && intact(b);
      give_back_memory(b.p, b.bytes);
    }
    mark = static_cast<unsigned char>(mark + 8);
    if (k % 200 == 199) release_memory();
  }
  for (const Block& b : held) give_back_memory(b.p, b.bytes);
  CHECK(aligned);
  CHECK(kept);
}

}  // namespace

int main() {
  check::at("one thread");
  mix(1, 0);
  check::at("nothing, and too much");
  give_back_memory(nullptr, 100);
  CHECK(take_memory(SIZE_MAX - 10) == nullptr);
  void* const none = take_memory(0);
  CHECK(none != nullptr);
  give_back_memory(none, 0);
  check::at("what is kept");
  std::vector<void*> many;
  for (size_t k = 0; k < 100; ++k) many.push_back(take_memory(300000 + 8000 * k));
  for (size_t k = 0; k < 100; ++k) give_back_memory(many[k], 300000 + 8000 * k);
  CHECK(kept_memory() <= size_t(8) << 20);
#if !defined(FISTA_FAIL_ALLOCATION)
  CHECK(kept_memory() > size_t(6) << 20);
  void* const again = take_memory(300000 + 8000 * 99 - 100);  // the array returned last is reused for a slightly smaller one
  CHECK(again == many[99]);
  give_back_memory(again, 300000 + 8000 * 99 - 100);
#endif
  for (size_t k = 0; k < 100; ++k) give_back_memory(take_memory(40000), 40000);
  for (size_t k = 0; k < 100; ++k) many[k] = take_memory(40000);
  for (size_t k = 0; k < 100; ++k) give_back_memory(many[k], 40000);
  CHECK(kept_memory() <= size_t(8) << 20);
  release_memory();
  CHECK(kept_memory() == 0);
  check::at("several threads");
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) threads.emplace_back([t] { mix(10 + t, static_cast<unsigned char>(t)); });
  for (std::thread& t : threads) t.join();
  release_memory();
  return check::report();
}
