// An owned array of plain numbers, aligned to a cache line. Allocation reports failure instead of throwing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

#if defined(_WIN32)
#include <malloc.h>
#else
#include <sys/mman.h>
#endif

#if defined(FISTA_FAIL_ALLOCATION)
#include <atomic>
#endif

namespace fista {

#if defined(FISTA_FAIL_ALLOCATION)
// Test builds only: the allocation that counts this down from 1 to 0 fails; 0 and below let all succeed.
inline std::atomic<long> allocations_to_failure{0};

inline bool allocation_fails() {
  return allocations_to_failure.load(std::memory_order_relaxed) > 0 && allocations_to_failure.fetch_sub(1) == 1;
}
#endif

template <typename T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept : data_(other.data_), size_(other.size_) {
    other.data_ = nullptr;
    other.size_ = 0;
  }
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { give_back(data_, size_); }

  // Makes room for n entries, their values undefined; the old ones are gone. False, and empty, if there is no memory.
  [[nodiscard]] bool allocate(size_t n) {
    give_back(data_, size_);
    data_ = nullptr;
    size_ = 0;
#if defined(FISTA_FAIL_ALLOCATION)
    if (allocation_fails()) return false;
#endif
    if (n > (SIZE_MAX - kLine) / sizeof(T)) return false;
    data_ = static_cast<T*>(take(bytes_for(n)));
    if (data_ == nullptr) return false;
    size_ = n;
    return true;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  size_t bytes() const { return size_ * sizeof(T); }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }

 private:
  static constexpr size_t kLine = 64;
  // From this size on memory comes from the system and goes back to it at once: in the C library's heap a few small arrays that
  // outlive a large one keep its room from being used again, and the process grows.
  static constexpr size_t kLarge = size_t(1) << 20;

  static size_t bytes_for(size_t n) { return (n * sizeof(T) + kLine) / kLine * kLine; }  // never 0

#if defined(_WIN32)
  static void* take(size_t bytes) { return _aligned_malloc(bytes, kLine); }
  static void give_back(T* p, size_t) { _aligned_free(p); }
#else
  // Pages of 2 MB, where the system grants them, make touching fresh memory several times cheaper. The last one is filled up unless
  // that wastes more than a third.
  static constexpr size_t kHuge = size_t(1) << 21;

  static size_t round_up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

  static size_t mapped(size_t bytes) {
    const size_t up = round_up(bytes, kHuge);
    return up - bytes <= bytes / 3 ? up : round_up(bytes, size_t(1) << 16);  // a multiple of every usual page size
  }

  static void* take(size_t bytes) {
    void* p = nullptr;
    if (bytes < kLarge) return posix_memalign(&p, kLine, bytes) == 0 ? p : nullptr;
    if (bytes > SIZE_MAX / 2) return nullptr;
    const size_t size = mapped(bytes), slack = size < kHuge ? 0 : kHuge;
    p = mmap(nullptr, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return nullptr;
    if (slack == 0) return p;
    // Only what begins at a multiple of 2 MB is kept of it.
    char* const from = static_cast<char*>(p);
    const size_t before = (kHuge - reinterpret_cast<uintptr_t>(from) % kHuge) % kHuge;
    if (before) munmap(from, before);
    if (slack > before) munmap(from + before + size, slack - before);
#if defined(MADV_HUGEPAGE)
    madvise(from + before, size, MADV_HUGEPAGE);  // a wish: nothing depends on it
#endif
    return from + before;
  }

  static void give_back(T* p, size_t n) {
    if (p == nullptr) return;
    const size_t bytes = bytes_for(n);
    if (bytes < kLarge) {
      std::free(p);
    } else {
      munmap(static_cast<void*>(p), mapped(bytes));
    }
  }
#endif

  T* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace fista
