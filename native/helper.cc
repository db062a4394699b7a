#include "helper.h"

#include <utility>

#include "hints.h"

namespace fista {
namespace {

// As in parallel.cc: waking a thread costs as much as a small task, so one that has just worked looks for more work for a while.
constexpr int kSpins = 1500;

}  // namespace

// Whoever gets true does the job.
bool Helper::Job::begin() {
  State state = State::queued;
  return state_.compare_exchange_strong(state, State::begun, std::memory_order_acq_rel);
}

void Helper::Job::finish() {
  if (begin()) {
    work();
    state_.store(State::done, std::memory_order_release);
    return;
  }
  for (int spins = 0; !done(); ++spins) {
    if (spins < kSpins) {
      pause();
    } else {
      std::this_thread::yield();
    }
  }
}

Helper::Helper() : thread_([this] { loop(); }) {}

Helper::~Helper() {
  {
    Lock lock(mutex_);
    stopping_ = true;
    condition_.notify_all();
  }
  thread_.join();
}

void Helper::submit(std::shared_ptr<Job> job) {
  Lock lock(mutex_);
  queue_.push_back(std::move(job));
  queued_.fetch_add(1, std::memory_order_release);
  if (asleep_) condition_.notify_all();
}

void Helper::loop() {
  for (;;) {
    for (int spins = 0; spins < kSpins && queued_.load(std::memory_order_acquire) == 0; ++spins) pause();
    std::shared_ptr<Job> job;
    {
      Lock lock(mutex_);
      asleep_ = true;
      while (queue_.empty() && !stopping_) condition_.wait(mutex_);
      asleep_ = false;
      if (stopping_) return;
      job = std::move(queue_.front());
      queue_.pop_front();
    }
    queued_.fetch_sub(1, std::memory_order_relaxed);
    if (!job->begin()) continue;
    job->work();
    job->state_.store(Job::State::done, std::memory_order_release);
  }
}

}  // namespace fista
