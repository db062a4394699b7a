// What the files of Matrix (matrix.cc, matrix_*.cc) share and nobody else needs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cpu.h"
#include "matrix.h"
#include "parallel.h"
#include "sync.h"

namespace fista {

// The centred matrix of a file.
struct Matrix::Centred {
  Mutex mutex;
  std::shared_ptr<Matrix> matrix;  // null: not yet known
};

constexpr size_t kNone = SIZE_MAX;

// Matrices from this size on are not in the cache of one core.
constexpr size_t kFar = size_t(1) << 22;

// What is in cache needs no prefetching.
inline size_t ahead_of(size_t bytes) { return bytes < kFar ? 0 : stream_ahead(); }

// Sparse loops may read this many entries past the last one.
constexpr size_t kOverrun = 4;
template <typename T>
void clear(T* end) {
  for (size_t k = 0; k < kOverrun; ++k) end[k] = 0;
}

// The position of the first entry that is not finite, or kNone.
template <typename T>
size_t first_not_finite(const T* x, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (!(x[i] - x[i] == 0)) return i;
  }
  return kNone;
}

template <typename T>
CopyResult not_finite(size_t at, T found) {
  return {CopyResult::not_finite, 0, at, static_cast<double>(found), 0};
}

// Calls body(begin, end) for one stretch after the other of some 4 MB (or `bytes`), until the run is interrupted. A stretch has a
// multiple of `together` rows, so that loops which take several rows at once always take the same ones together.
template <typename Body>
void in_stretches(const Run& run, size_t from, size_t to, size_t row_bytes, Body&& body, size_t bytes = kStretch,
                  size_t together = kTogether) {
  const size_t rows = (bytes / (row_bytes + 1) / together + 1) * together;
  for (size_t begin = from; begin < to && !run.interrupted(); begin += rows) body(begin, std::min(begin + rows, to));
}

template <typename Body>
void Matrix::in_row_stretches(const Run& run, const uint32_t* list, size_t from, size_t to, Body&& body, size_t bytes,
                              size_t together) const {
  const auto cut = [&](size_t begin, size_t end) {
    if (!in_file() || !sparse_) return body(begin, end);
    const size_t max = stored_ > 0 ? 2 * bytes / (stored_bytes() / stored_) : 0;  // entries
    for (size_t p = begin, q = begin; p < end && !run.interrupted(); p = q) {
      for (size_t held = 0; q < end;) {
        const size_t next = std::min(q + together, end);
        for (size_t i = q; i < next; ++i) held += entries(list ? list[i] : i);
        if (q > p && held > max) break;
        q = next;
      }
      body(p, q);
    }
  };
  in_stretches(run, from, to, row_bytes(), cut, bytes, together);
}

// Calls body(begin, end) for parts of n items, a stretch at a time.
template <typename Body>
void each_stretch(const Run& run, size_t n, Body&& body) {
  const Partition parts = partition(n, n);
  parallel(run, parts.parts, [&](size_t p) { in_stretches(run, parts.begin(p), parts.end(p), sizeof(double), body); });
}

// What is wrong with the rows' starts. The structure is checked on our own copy, or on what is being copied: another thread may
// write to the caller's arrays meanwhile if they are views of shared memory.
CopyResult check_starts(const uint32_t* start, size_t entries, size_t rows);

// What is wrong with the column indices of rows [from, to), the first of which is at index[0].
CopyResult check_index(const Run& run, const uint32_t* start, size_t from, size_t to, size_t cols, const uint32_t* index);

}  // namespace fista
