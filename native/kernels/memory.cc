#include "memory.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "sync.h"

#if defined(_WIN32)
#include <malloc.h>
#else
#include <sys/mman.h>
#endif

namespace fista {
namespace {

constexpr size_t kLine = 64;
// From this size on memory comes from the system and goes back to it: in the C library's heap a few small arrays that outlive a
// large one keep its room from being used again, and the process grows.
#if defined(FISTA_FAIL_ALLOCATION)
constexpr size_t kLarge = SIZE_MAX;  // none is large: a sanitizer knows the ends of the C library's arrays alone
#else
constexpr size_t kLarge = size_t(1) << 20;
#endif

constexpr size_t round_up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

#if defined(_WIN32)
void* take_fresh(size_t bytes) { return _aligned_malloc(bytes, kLine); }
void give_away(void* p, size_t) { _aligned_free(p); }
#else
// Pages of 2 MB, where the system grants them, make touching fresh memory several times cheaper. The last one is filled up unless
// that wastes more than a third.
constexpr size_t kHuge = size_t(1) << 21;

size_t mapped(size_t bytes) {
  const size_t up = round_up(bytes, kHuge);
  return up - bytes <= bytes / 3 ? up : round_up(bytes, size_t(1) << 16);  // a multiple of every usual page size
}

void* take_fresh(size_t bytes) {
  void* p = nullptr;
  if (bytes < kLarge) return posix_memalign(&p, kLine, bytes) == 0 ? p : nullptr;
  const size_t size = mapped(bytes), slack = size < kHuge ? 0 : kHuge;
  p = mmap(nullptr, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  if (slack == 0) return p;
  // Keeps only the part that begins at a multiple of 2 MB.
  char* const from = static_cast<char*>(p);
  const size_t before = (kHuge - reinterpret_cast<uintptr_t>(from) % kHuge) % kHuge;
  if (before) munmap(from, before);
  if (slack > before) munmap(from + before + size, slack - before);
#if defined(MADV_HUGEPAGE)
  madvise(from + before, size, MADV_HUGEPAGE);  // a hint: nothing depends on it
#endif
  return from + before;
}

void give_away(void* p, size_t bytes) {
  if (bytes < kLarge) {
    std::free(p);
  } else {
    munmap(p, mapped(bytes));
  }
}
#endif

#if !defined(FISTA_FAIL_ALLOCATION)
// Arrays of these sizes are kept for next time, up to so many bytes in all.
constexpr size_t kMinKept = size_t(1) << 15, kMaxKept = size_t(1) << 22, kKeptInAll = size_t(1) << 23;

bool keepable(size_t bytes) { return bytes >= kMinKept && bytes <= kMaxKept; }

// The bytes that are taken for so many asked for; never 0. Kept arrays have few different sizes, so that the next fit, of a few
// rows more, finds a match.
size_t rounded(size_t bytes) {
  if (!keepable(bytes)) return round_up(bytes + 1, kLine);
  size_t step = kMinKept / 4;
  while (8 * step <= bytes) step *= 2;
  return round_up(bytes, step);
}

// The last arrays that were given back, the oldest first.
class Kept {
 public:
  // The last array of this size that was given back, or nullptr.
  void* take(size_t bytes) {
    Lock lock(mutex_);
    for (size_t k = number_; k-- > 0;) {
      if (blocks_[k].bytes == bytes) return remove(k).p;
    }
    return nullptr;
  }

  void keep(void* p, size_t bytes) {
    Lock lock(mutex_);
    while (number_ == kMax || in_all_ + bytes > kKeptInAll) drop_oldest();
    blocks_[number_++] = {p, bytes};
    in_all_ += bytes;
  }

  void drop_all() {
    Lock lock(mutex_);
    while (number_ > 0) drop_oldest();
  }

#if defined(FISTA_TESTING)
  size_t in_all() {
    Lock lock(mutex_);
    return in_all_;
  }
#endif

 private:
  static constexpr size_t kMax = 32;
  struct Block {
    void* p;
    size_t bytes;
  };

  Block remove(size_t k) {
    const Block block = blocks_[k];
    std::memmove(blocks_ + k, blocks_ + k + 1, (--number_ - k) * sizeof(Block));
    in_all_ -= block.bytes;
    return block;
  }

  void drop_oldest() {
    const Block block = remove(0);
    give_away(block.p, block.bytes);
  }

  Mutex mutex_;
  Block blocks_[kMax];
  size_t number_ = 0, in_all_ = 0;
};

Kept kept;
#endif

}  // namespace

#if defined(FISTA_FAIL_ALLOCATION)

// Test builds neither round up nor keep anything, so that a sanitizer knows the end of every array; and no array begins with zeros
// by luck.
void* take_memory(size_t bytes) {
  if (bytes > SIZE_MAX / 2) return nullptr;
  void* const p = take_fresh(bytes + (bytes == 0));
  if (p != nullptr) std::memset(p, 0xff, bytes);
  return p;
}

void give_back_memory(void* p, size_t bytes) {
  if (p != nullptr) give_away(p, bytes);
}

void release_memory() {}

#if defined(FISTA_TESTING)
size_t kept_memory() { return 0; }
#endif

#else

void* take_memory(size_t bytes) {
  if (bytes > SIZE_MAX / 2) return nullptr;
  void* const p = keepable(bytes) ? kept.take(rounded(bytes)) : nullptr;
  return p != nullptr ? p : take_fresh(rounded(bytes));
}

void give_back_memory(void* p, size_t bytes) {
  if (p == nullptr) return;
  if (keepable(bytes)) {
    kept.keep(p, rounded(bytes));
  } else {
    give_away(p, rounded(bytes));
  }
}

void release_memory() { kept.drop_all(); }

#if defined(FISTA_TESTING)
size_t kept_memory() { return kept.in_all(); }
#endif

#endif

}  // namespace fista
