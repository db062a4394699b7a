// Which inner loops this CPU can run.
#pragma once

#include <cstddef>

#include "table.h"

namespace fista {

// The best table for this CPU, no better than the level named by `at_most` ("baseline", "avx2", "avx512", "neon"); null or an
// unknown name does not limit. Never null: there is always a baseline.
const Table* choose_table(const char* at_most);

// How far ahead a loop that reads memory from one end to the other should ask for it; 0: not at all. Intel's own prefetching ends
// with a page, and is a quarter slower alone; AMD's is slower with it (bench/NOTES.md).
size_t stream_ahead();

}  // namespace fista
