// An owned array of plain numbers, aligned to a cache line. Allocation reports failure instead of throwing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "memory.h"

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
  ~Buffer() { give_back_memory(data_, bytes()); }

  // Makes room for n entries, their values undefined; the old ones are gone. False, and empty, if there is no memory.
  [[nodiscard]] bool allocate(size_t n) {
    give_back_memory(data_, bytes());
    data_ = nullptr;
    size_ = 0;
#if defined(FISTA_FAIL_ALLOCATION)
    if (allocation_fails()) return false;
#endif
    if (n > SIZE_MAX / sizeof(T)) return false;
    data_ = static_cast<T*>(take_memory(n * sizeof(T)));
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
  T* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace fista
