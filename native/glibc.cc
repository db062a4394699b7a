// Newer compilers inline code of std::shared_ptr that reads this variable of glibc 2.32, to count without atomics in programs with
// one thread. The addon has several threads and must load on glibc 2.28, so it defines the variable itself, as always false.
#include <cstdlib>

#if defined(__GLIBC__)
extern "C" {
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;
}
#endif
