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

namespace fista {

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

  static void* take(size_t bytes) {
#if defined(_WIN32)
    return _aligned_malloc(bytes, kLine);
#else
    void* p = nullptr;
    if (bytes < kLarge) return posix_memalign(&p, kLine, bytes) == 0 ? p : nullptr;
    p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? nullptr : p;
#endif
  }

  static void give_back(T* p, size_t n) {
    if (p == nullptr) return;
#if defined(_WIN32)
    _aligned_free(p);
#else
    if (bytes_for(n) < kLarge) {
      std::free(p);
    } else {
      munmap(static_cast<void*>(p), bytes_for(n));
    }
#endif
  }

  T* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace fista
