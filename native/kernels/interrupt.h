// By which a long task learns that it is to end before it is done: at once, or from a moment on that was set beforehand.
#pragma once

#include <atomic>
#include <chrono>

namespace fista {

class Interrupt {
 public:
  // Set so many milliseconds from now on; infinity: not by the clock.
  explicit Interrupt(double milliseconds) : timed_(milliseconds < 1e12) {
    if (timed_) end_ = Clock::now() + std::chrono::microseconds(milliseconds > 0 ? static_cast<int64_t>(milliseconds * 1000) : 0);
  }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  void set() { set_.store(true, std::memory_order_relaxed); }

  // Once true, it stays so: who asks after the last part of a task knows whether one was left out.
  bool is_set() const { return set_.load(std::memory_order_relaxed) || (timed_ && Clock::now() >= end_); }

 private:
  using Clock = std::chrono::steady_clock;
  const bool timed_;
  Clock::time_point end_;
  std::atomic<bool> set_{false};
};

}  // namespace fista
