// How a kernel runs: which inner loops, how many threads, who may end it early, and which other processes hold rows too.
#pragma once

#include <utility>

#include "interrupt.h"
#include "parallel.h"
#include "ranks.h"

namespace fista {

struct Table;

struct Run {
  const Table* table;
  unsigned threads;
  const Interrupt* interrupt = nullptr;
  const Ranks* ranks = nullptr;  // null: this process has all rows. A run over several ranks cannot be interrupted.

  // What a kernel computed must not be used then, except what it says is kept.
  bool interrupted() const { return interrupt != nullptr && interrupt->is_set(); }
  // The same without an end but its own.
  Run whole() const { return {table, threads, nullptr, ranks}; }
  bool over_ranks() const { return kHasRanks && ranks != nullptr; }
};

// The sum, or the largest, over all ranks of each value, in place. Nothing if there is only one.
inline void sum_ranks(const Run& run, double* values, size_t n) {
  if (run.over_ranks()) run.ranks->add_up(run.ranks->self, values, n);
}
inline void max_ranks(const Run& run, double* values, size_t n) {
  if (run.over_ranks()) run.ranks->find_max(run.ranks->self, values, n);
}
inline double sum_ranks(const Run& run, double value) {
  sum_ranks(run, &value, 1);
  return value;
}
inline double max_ranks(const Run& run, double value) {
  max_ranks(run, &value, 1);
  return value;
}

// parallel() with the threads of a run. Parts that would begin after an interruption are skipped.
template <typename Body>
void parallel(const Run& run, size_t parts, Body&& body) {
#if !defined(__wasm__)  // where a second copy of each body counts for more than a branch a part
  if (run.interrupt == nullptr) return parallel(parts, run.threads, std::forward<Body>(body));
#endif
  parallel(parts, run.threads, [&](size_t part) {
    if (!run.interrupted()) body(part);
  });
}

}  // namespace fista
