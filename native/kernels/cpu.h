// Which inner loops this CPU can run.
#pragma once

#include <cstddef>

#include "table.h"

namespace fista {

// The best table for this CPU, no better than the level named by `at_most` ("baseline", "avx2", "avx512", "neon"); null or an
// unknown name does not limit. Never null: there is always a baseline.
const Table* choose_table(const char* at_most);

// How many bytes ahead a loop that streams through memory should prefetch; 0: not at all. On Intel's processors, whose own
// prefetching ends with a page, it is a quarter faster; on AMD's it is slower (bench/NOTES.md).
size_t stream_ahead();

}  // namespace fista
