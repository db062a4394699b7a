// What native/kernels/memory.cc offers, for WebAssembly: the C library's memory, which only grows; and of the C++ runtime what
// would otherwise be large.
#include <cstdlib>
#include <new>

#include "memory.h"

namespace fista {

void* take_memory(size_t bytes) {
  constexpr size_t kLine = 64;
  if (bytes > SIZE_MAX / 2) return nullptr;
  return std::aligned_alloc(kLine, (bytes + kLine) / kLine * kLine);
}

void give_back_memory(void* p, size_t) { std::free(p); }

}  // namespace fista

// Without exceptions, handles of a few bytes that find no memory end the call by a trap, which JavaScript sees as an error. The
// runtime's own functions would print a message first, by code larger than most kernels.
void* operator new(size_t bytes) {
  void* const p = std::malloc(bytes);
  if (p == nullptr) __builtin_trap();
  return p;
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return std::malloc(bytes); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
extern "C" void __cxa_pure_virtual() { __builtin_trap(); }
_LIBCPP_BEGIN_NAMESPACE_STD
void __libcpp_verbose_abort(const char*, ...) { __builtin_trap(); }
_LIBCPP_END_NAMESPACE_STD
