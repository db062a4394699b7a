// Processes that each hold some rows of a problem and run the same loop (method 6). What a rank sums over its rows is then added up
// over all ranks; everything by column, and every decision, is the same on all of them. native/mpi connects ranks by MPI.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fista {

#if defined(__wasm__)
constexpr bool kHasRanks = false;
#else
constexpr bool kHasRanks = true;
#endif

// Functions of another library, which fills this in.
struct Ranks {
  static constexpr uint64_t kMagic = 0x66697374616d7069;  // the layout of this struct
  uint64_t magic;
  uint32_t rank, size;
  void* self;
  // values[k] becomes the sum over all ranks, or the largest. All ranks call these in the same order with the same n, and have the
  // same bits afterwards. The order of additions depends on the number of ranks alone.
  void (*add_up)(void* self, double* values, size_t n);
  void (*find_max)(void* self, double* values, size_t n);
};

}  // namespace fista
