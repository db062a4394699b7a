// The thread pool runs every part exactly once, whatever other callers there are. Also run under ThreadSanitizer.
#include "parallel.h"

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "check.h"
#include "sync.h"

using namespace fista;

namespace {

// Runs `parts` parts and checks that each was called once and that no more than `threads` threads took part.
void each_once(size_t parts, unsigned threads) {
  std::vector<std::atomic<int>> calls(parts);
  for (auto& c : calls) c.store(0, std::memory_order_relaxed);
  Mutex mutex;
  std::set<std::thread::id> seen;
  std::vector<double> result(parts);  // written without a lock: the caller must see every write
  parallel(parts, threads, [&](size_t p) {
    calls[p].fetch_add(1, std::memory_order_relaxed);
    result[p] = static_cast<double>(p) + 1;
    Lock lock(mutex);
    seen.insert(std::this_thread::get_id());
  });
  bool once = true, written = true;
  for (size_t p = 0; p < parts; ++p) {
    once = once && calls[p].load(std::memory_order_relaxed) == 1;
    written = written && result[p] == static_cast<double>(p) + 1;
  }
  CHECK(once);
  CHECK(written);
  CHECK(seen.size() <= threads);
}

void many_jobs() {
  // Numbers of threads in both directions: helpers of a larger job must stay out of a smaller one.
  for (unsigned threads : {1, 2, 3, 7, 2, 7, 3, 1}) {
    for (size_t parts : {0, 1, 2, 3, 7, 64, 1000}) {
      check::at("%u threads, %zu parts", threads, parts);
      for (int r = 0; r < 20; ++r) each_once(parts, threads);
    }
  }
  // Short jobs in sequence, with pauses in which helpers go to sleep.
  for (unsigned threads : {2, 3, 7}) {
    check::at("%u threads, short jobs", threads);
    size_t sum = 0, expected = 0;
    for (size_t job = 0; job < 5000; ++job) {
      const size_t parts = 2 + job % 9;
      size_t taken[16] = {};
      parallel(parts, threads, [&](size_t p) { taken[p] += job + p; });
      for (size_t p = 0; p < parts; ++p) {
        sum += taken[p];
        expected += job + p;
      }
      if (job % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    CHECK(sum == expected);
  }
}

// The work is shared: every part waits until the requested number of threads are at work, and no other thread joins them, although
// the pool has more from an earlier job.
void shared() {
  for (unsigned threads : {7, 3, 2}) {
    check::at("shared by %u threads", threads);
    Mutex mutex;
    std::set<std::thread::id> seen;
    const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(480);
    parallel(64, threads, [&](size_t) {
      for (size_t present = 0; present < threads && std::chrono::steady_clock::now() < late;) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        Lock lock(mutex);
        seen.insert(std::this_thread::get_id());
        present = seen.size();
      }
    });
    CHECK(seen.size() == threads);
  }
}

// A part that calls parallel() does all of the inner job itself.
void nested() {
  for (unsigned threads : check::kThreads) {
    check::at("nested, %u threads", threads);
    std::atomic<int> calls{0}, elsewhere{0};
    parallel(9, threads, [&](size_t) {
      const auto self = std::this_thread::get_id();
      size_t next = 0;
      parallel(11, threads, [&](size_t p) {
        calls.fetch_add(1, std::memory_order_relaxed);
        if (threads > 1 && (std::this_thread::get_id() != self || p != next++)) elsewhere.fetch_add(1, std::memory_order_relaxed);
      });
    });
    CHECK(calls.load() == 9 * 11);
    CHECK(elsewhere.load() == 0);
  }
}

// While the job of one caller holds the pool, that of another runs on its own thread, in order.
void busy() {
  check::at("busy");
  std::atomic<bool> inside{false}, finished{false};
  std::atomic<int> held{0};
  std::thread first([&] {
    parallel(2, 2, [&](size_t) {
      inside.store(true);
      while (!finished.load()) std::this_thread::yield();
      held.fetch_add(1);
    });
  });
  while (!inside.load()) std::this_thread::yield();
  std::vector<size_t> order;
  bool here = true;
  parallel(100, 3, [&](size_t p) {
    here = here && std::this_thread::get_id() != first.get_id();
    order.push_back(p);  // no lock: there is only one thread
  });
  finished.store(true);
  first.join();
  CHECK(here && held.load() == 2);
  CHECK(order.size() == 100);
  for (size_t p = 0; p < order.size(); ++p) CHECK(order[p] == p);
}

void two_callers() {
  check::at("two callers");
  std::atomic<int> wrong{0};
  const auto caller = [&](size_t seed) {
    for (size_t job = 0; job < 3000; ++job) {
      const size_t parts = 2 + (job + seed) % 7;
      size_t taken[16] = {};
      parallel(parts, 3, [&](size_t p) { taken[p] += 1; });
      for (size_t p = 0; p < parts; ++p) wrong += taken[p] != 1;
    }
  };
  std::thread other(caller, 4);
  caller(0);
  other.join();
  CHECK(wrong.load() == 0);
}

void owners() {
  check::at("owners");
  // The pool ends with its last owner, whether helpers spin or sleep, and starts again.
  for (int cycle = 0; cycle < 60; ++cycle) {
    retain_pool();
    retain_pool();
    release_pool();
    for (int job = 0; job < cycle % 4; ++job) each_once(16, 3);
    if (cycle % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    release_pool();
    each_once(16, 3);  // without a pool the caller runs every part
  }
  // Owners on other threads, like the environments of worker threads.
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([] {
      for (int cycle = 0; cycle < 30; ++cycle) {
        retain_pool();
        size_t taken[8] = {};
        parallel(8, 2, [&](size_t p) { taken[p] += 1; });
        for (size_t n : taken) CHECK(n == 1);
        release_pool();
      }
    });
  }
  for (std::thread& t : threads) t.join();
}

void partitions() {
  for (size_t items : {0, 1, 2, 63, 64, 65, 1000, 1000003}) {
    for (size_t work : {size_t(0), items, 40 * items, size_t(1) << 40}) {
      for (size_t max : {1, 16, 64}) {
        check::at("partition(%zu, %zu, %zu)", items, work, max);
        const Partition p = partition(items, work, max);
        CHECK(p.parts >= 1 && p.parts <= max && (p.parts <= items || p.parts == 1));
        CHECK(p.begin(0) == 0 && p.end(p.parts - 1) == items);
        for (size_t k = 0; k < p.parts; ++k) {
          CHECK(p.begin(k) <= p.end(k) && (k + 1 == p.parts || p.end(k) == p.begin(k + 1)));
          CHECK(p.end(k) - p.begin(k) <= items / p.parts + 1);
        }
      }
    }
  }
}

}  // namespace

int main() {
  partitions();
  each_once(10, 4);  // before the pool has an owner
  retain_pool();
  many_jobs();
  shared();
  nested();
  busy();
  two_callers();
  release_pool();
  owners();
  return check::report();
}
