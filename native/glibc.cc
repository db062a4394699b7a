// std::shared_ptr, as newer compilers inline it, reads this variable of glibc 2.32 to count without atomics in programs of one
// thread. Ours has several, and must load on glibc 2.28: with a variable of its own, always false, it asks for none.
#include <cstdlib>

#if defined(__GLIBC__)
extern "C" {
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;
}
#endif
