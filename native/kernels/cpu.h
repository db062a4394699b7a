// Which inner loops this CPU can run.
#pragma once

#include "table.h"

namespace fista {

// The best table for this CPU, no better than the level named by `at_most` ("baseline", "avx2", "avx512", "neon"); null or an
// unknown name does not limit. Never null: there is always a baseline.
const Table* choose_table(const char* at_most);

}  // namespace fista
