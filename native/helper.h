// A thread that works beside the caller's: tasks of several problems run at once within one synchronous call. (A Runner's jobs come
// back through the event loop, which does not turn meanwhile.)
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <thread>

#include "sync.h"

namespace fista {

class Helper {
 public:
  class Job {
   public:
    virtual ~Job() = default;
    bool done() const { return state_.load(std::memory_order_acquire) == State::done; }
    // Does the job here if no helper has begun it, or else waits until it is done.
    void finish();

   protected:
    virtual void work() = 0;

   private:
    friend class Helper;
    enum class State : uint8_t { queued, begun, done };
    bool begin();
    std::atomic<State> state_{State::queued};
  };

  Helper();
  // Waits for the job under way; others are dropped.
  ~Helper();
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  void submit(std::shared_ptr<Job> job);

 private:
  void loop();

  Mutex mutex_;
  Condition condition_;
  std::list<std::shared_ptr<Job>> queue_;
  std::atomic<size_t> queued_{0};
  bool asleep_ = false, stopping_ = false;
  std::thread thread_;
};

}  // namespace fista
