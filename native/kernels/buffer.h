// An owned array of plain numbers, aligned to a cache line. Allocation reports failure instead of throwing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

#if defined(_WIN32)
#include <malloc.h>
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
  ~Buffer() { free(data_); }

  // Makes room for n entries, their values undefined; the old ones are gone. False, and empty, if there is no memory.
  [[nodiscard]] bool allocate(size_t n) {
    free(data_);
    data_ = nullptr;
    size_ = 0;
    if (n > (SIZE_MAX - kLine) / sizeof(T)) return false;
    const size_t bytes = (n * sizeof(T) + kLine) / kLine * kLine;  // never 0
#if defined(_WIN32)
    data_ = static_cast<T*>(_aligned_malloc(bytes, kLine));
#else
    void* p = nullptr;
    data_ = posix_memalign(&p, kLine, bytes) == 0 ? static_cast<T*>(p) : nullptr;
#endif
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
  static void free(T* p) {
#if defined(_WIN32)
    _aligned_free(p);
#else
    std::free(p);
#endif
  }
  T* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace fista
