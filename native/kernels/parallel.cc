#include "parallel.h"

#include <atomic>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

#include "hints.h"
#include "sync.h"

namespace fista {
namespace {

// A worker that has just worked looks for more work this many times, for about 20 to 60 microseconds, before it sleeps: waking a
// thread costs as much as a small kernel.
constexpr int kSpins = 1500;

class Pool {
 public:
  void run(size_t parts, unsigned threads, Part part, void* context) {
    const uint32_t helpers = ensure(threads - 1);
    // The high half of state_ counts jobs, the low half is the next part to take. Closing the old job first means that a worker
    // that is late for it cannot take a part of it with the new job's parameters: its compare-and-swap fails.
    const uint64_t job = ((state_.load(std::memory_order_relaxed) >> 32) + 1) << 32;
    state_.store(job | kClosed, std::memory_order_seq_cst);
    // Released, so that a worker that sees a parameter of the new job sees the old one closed.
    part_.store(part, std::memory_order_release);
    context_.store(context, std::memory_order_release);
    parts_.store(static_cast<uint32_t>(parts), std::memory_order_release);
    helpers_.store(helpers < threads - 1 ? helpers : threads - 1, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
    state_.store(job, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) > 0) {
      Lock lock(mutex_);
      condition_.notify_all();
    }
    work(job);
    for (int spins = 0; done_.load(std::memory_order_acquire) < parts; ++spins) {
      if (spins < kSpins) {
        pause();
      } else {
        std::this_thread::yield();
      }
    }
  }

  // Whoever gets true runs its job and then calls leave().
  bool enter() { return !busy_.exchange(true, std::memory_order_acquire); }
  void leave() { busy_.store(false, std::memory_order_release); }

  ~Pool() {
    stop_.store(true, std::memory_order_seq_cst);
    {
      Lock lock(mutex_);
      condition_.notify_all();
    }
    for (std::thread& t : threads_) t.join();
  }

 private:
  static constexpr uint64_t kClosed = 0xffffffffu;

  // Starts threads until there are `wanted` (called only between enter and leave); returns how many there are.
  uint32_t ensure(size_t wanted) {
    while (threads_.size() < wanted) {
      try {
        threads_.reserve(wanted);
        const uint32_t id = static_cast<uint32_t>(threads_.size());
        threads_.emplace_back([this, id] { loop(id); });
      } catch (const std::exception&) {
        break;  // the existing threads do the work
      }
    }
    return static_cast<uint32_t>(threads_.size());
  }

  // Takes parts of `job` until none is left.
  void work(uint64_t job) {
    uint64_t state = state_.load(std::memory_order_acquire);
    for (;;) {
      if ((state >> 32) != (job >> 32)) return;
      const Part part = part_.load(std::memory_order_acquire);
      void* const context = context_.load(std::memory_order_acquire);
      const uint32_t parts = parts_.load(std::memory_order_acquire);
      const uint64_t next = state & 0xffffffffu;
      if (next >= parts) return;
      if (!state_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
      part(context, static_cast<size_t>(next));
      done_.fetch_add(1, std::memory_order_release);
      state = state_.load(std::memory_order_acquire);
    }
  }

  void loop(uint32_t id) {
    uint64_t seen = 0;
    for (;;) {
      uint64_t state = state_.load(std::memory_order_acquire);
      for (int spins = 0; spins < kSpins && (state >> 32) == seen && !stop_.load(std::memory_order_relaxed); ++spins) {
        pause();
        state = state_.load(std::memory_order_acquire);
      }
      if ((state >> 32) == seen) {
        Lock lock(mutex_);
        sleepers_.fetch_add(1, std::memory_order_seq_cst);
        while (((state = state_.load(std::memory_order_seq_cst)) >> 32) == seen && !stop_.load(std::memory_order_seq_cst)) {
          condition_.wait(mutex_);
        }
        sleepers_.fetch_sub(1, std::memory_order_seq_cst);
      }
      if (stop_.load(std::memory_order_seq_cst)) return;
      seen = state >> 32;
      if ((state & 0xffffffffu) == kClosed) {  // being set up: look again in a moment
        seen -= 1;
        pause();
        continue;
      }
      if (id < helpers_.load(std::memory_order_relaxed)) work(state);
    }
  }

  std::atomic<uint64_t> state_{kClosed};
  std::atomic<Part> part_{nullptr};
  std::atomic<void*> context_{nullptr};
  std::atomic<uint32_t> parts_{0}, helpers_{0}, sleepers_{0};
  std::atomic<size_t> done_{0};
  std::atomic<bool> busy_{false}, stop_{false};
  Mutex mutex_;
  Condition condition_;
  std::vector<std::thread> threads_;
};

Mutex owners_mutex;
size_t owners = 0;
std::atomic<Pool*> the_pool{nullptr};

}  // namespace

void retain_pool() {
  Lock lock(owners_mutex);
  if (owners++ == 0) the_pool.store(new (std::nothrow) Pool, std::memory_order_release);
}

void release_pool() {
  Lock lock(owners_mutex);
  if (--owners == 0) delete the_pool.exchange(nullptr, std::memory_order_acq_rel);
}

void run_parts(size_t parts, unsigned threads, Part part, void* context) {
  Pool* const pool = the_pool.load(std::memory_order_acquire);
  if (pool != nullptr && threads > 1 && parts > 1 && parts < 0xffffffffu && pool->enter()) {
    pool->run(parts, threads, part, context);
    pool->leave();
    return;
  }
  for (size_t p = 0; p < parts; ++p) part(context, p);
}

}  // namespace fista
