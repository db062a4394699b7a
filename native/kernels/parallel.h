// Runs the parts of a job on several threads. What the parts are never depends on the number of threads, so neither do results.
#pragma once

#include <cstddef>
#include <type_traits>

namespace fista {

// One pool for the process. Threads start when first wanted and end when the last owner lets go: an environment (the main
// thread or a worker) retains the pool while it lives, so that no thread of ours outlives the library's code in memory.
void retain_pool();
void release_pool();

using Part = void (*)(void* context, size_t part);

// Calls part(context, 0 .. parts - 1), each once, on up to `threads` threads, the caller's among them, and returns when all are
// done. If the pool is busy with another caller's job, or no thread can be started, the caller does all the work itself.
void run_parts(size_t parts, unsigned threads, Part part, void* context);

// The same for anything callable with a size_t.
template <typename Body>
void parallel(size_t parts, unsigned threads, Body&& body) {
#if defined(__wasm__)  // one thread
  (void)threads;
  for (size_t p = 0; p < parts; ++p) body(p);
#else
  if (threads <= 1 || parts <= 1) {
    for (size_t p = 0; p < parts; ++p) body(p);
    return;
  }
  using Callable = std::remove_reference_t<Body>;
  run_parts(
      parts, threads, [](void* context, size_t part) { (*static_cast<Callable*>(context))(part); }, &body);
#endif
}

// Rows are cut into parts of about this much work (in entries touched), so that a part is long enough to be worth handing over
// (tens of microseconds) and there are enough parts to share out. Depends on the problem only.
constexpr size_t kWorkPerPart = 1 << 15;
constexpr size_t kMaxParts = 64;

struct Partition {
  size_t items, parts;
  size_t begin(size_t part) const { return items / parts * part + (part < items % parts ? part : items % parts); }
  size_t end(size_t part) const { return begin(part + 1); }
};

inline Partition partition(size_t items, size_t work, size_t max = kMaxParts) {
  size_t parts = work / kWorkPerPart;
  if (parts > max) parts = max;
  if (parts > items) parts = items;
  return {items, parts ? parts : 1};
}

}  // namespace fista
