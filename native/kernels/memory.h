// Memory of arrays: from the C library for small ones, from the system for large ones, and for sizes in between what was given back
// a moment ago. A fresh page costs more than the arithmetic on it: fits of a few thousand rows spent a quarter of their time on
// pages.
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
