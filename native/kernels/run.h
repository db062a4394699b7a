// How a kernel runs: which inner loops, how many threads, and who may end it early.
#pragma once

#include <utility>

#include "interrupt.h"
#include "parallel.h"

namespace fista {

struct Table;

struct Run {
  const Table* table;
  unsigned threads;
  const Interrupt* interrupt = nullptr;

  // What a kernel computed must not be used then, except what it says is kept.
  bool interrupted() const { return interrupt != nullptr && interrupt->is_set(); }
};

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
