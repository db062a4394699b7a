// Tells a long task to end before it is done: when it is set, or from a moment on that was given beforehand.
#pragma once

#include <atomic>
#include <chrono>

namespace fista {

class Interrupt {
 public:
  // Is set after so many milliseconds; infinity: never by the clock.
  explicit Interrupt(double milliseconds) : timed_(milliseconds < 1e12) {
    if (timed_) end_ = Clock::now() + std::chrono::microseconds(milliseconds > 0 ? static_cast<int64_t>(milliseconds * 1000) : 0);
  }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  void set() { set_.store(true, std::memory_order_relaxed); }

  // Once true, it stays true: whoever asks after the last part of a task knows whether one was skipped.
  bool is_set() const { return set_.load(std::memory_order_relaxed) || (timed_ && Clock::now() >= end_); }

 private:
  using Clock = std::chrono::steady_clock;
  const bool timed_;
  Clock::time_point end_;
  std::atomic<bool> set_{false};
};

}  // namespace fista
