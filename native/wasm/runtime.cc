// What native/kernels/memory.cc offers, for WebAssembly: the C library's memory, which only grows; and of the C++ runtime what
// would otherwise be large.
#include <cstdlib>
#include <new>

#include "memory.h"

namespace fista {

namespace {

// Handles of a few bytes come from here when the memory is full: their owners then ask for arrays, and are told that there are
// none.
constexpr size_t kReserve = size_t{1} << 16;
void* reserve = nullptr;

}  // namespace

void* take_memory(size_t bytes) {
  constexpr size_t kLine = 64;
  if (bytes > SIZE_MAX / 2) return nullptr;
  if (reserve == nullptr && (reserve = std::malloc(kReserve)) == nullptr) return nullptr;
  return std::aligned_alloc(kLine, (bytes + kLine) / kLine * kLine);
}

void give_back_memory(void* p, size_t) { std::free(p); }

}  // namespace fista

// Throws in JavaScript: there are no exceptions here. What the calls on the way hold is lost.
extern "C" __attribute__((import_module("host"), import_name("outOfMemory"), noreturn)) void host_out_of_memory();

// The runtime's own functions would print a message first, by code larger than most kernels.
void* operator new(size_t bytes) {
  void* p = std::malloc(bytes);
  if (p == nullptr && fista::reserve != nullptr) {
    std::free(fista::reserve);
    fista::reserve = nullptr;
    p = std::malloc(bytes);
  }
  if (p == nullptr) host_out_of_memory();
  return p;
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return std::malloc(bytes); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
extern "C" void __cxa_pure_virtual() { __builtin_trap(); }
_LIBCPP_BEGIN_NAMESPACE_STD
void __libcpp_verbose_abort(const char*, ...) { __builtin_trap(); }
_LIBCPP_END_NAMESPACE_STD
