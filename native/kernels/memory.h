// Where arrays come from and go to: the C library for small ones, the system for large ones, and in between what was given back a
// moment ago. A fresh page costs more than the arithmetic on it: fits of a few thousand rows took a quarter of their time to get
// theirs.
#pragma once

#include <cstddef>

namespace fista {

// Aligned to a cache line, contents undefined; nullptr if there is none.
void* take_memory(size_t bytes);
// `bytes` as it was asked for.
void give_back_memory(void* p, size_t bytes);
// Gives back to the system what is kept for next time, which is at most 8 MB.
void release_memory();
#if defined(FISTA_TESTING)
// How much that is, in bytes.
size_t kept_memory();
#endif

}  // namespace fista
