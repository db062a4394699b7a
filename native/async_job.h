// Runs work off the main thread. A runner is a thread that takes jobs in turn; libuv's pool is not used, as file reads must not
// wait for a fit. A finished job comes back through a thread-safe function. An environment has one runner for each lane in use
// (addon.h): fits of one lane take turns step by step, fits of different lanes run in parallel. Each step may use the compute pool
// (parallel.h).
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <thread>

#include "addon_api.h"
#include "sync.h"

namespace fista {

class Runner {
 public:
  // work() runs on the runner's thread, then done(env) on the environment's thread, unless the environment is shutting down.
  struct Job {
    std::function<void()> work;
    std::function<void(Napi::Env)> done;
  };

  explicit Runner(Napi::Env env);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  void submit(std::unique_ptr<Job> job);

 private:
  void loop();
  void stop();
  static void stop_hook(void* self);
  static void finish(napi_env env, napi_value, void* context, void* data);

  Napi::Env env_;
  napi_threadsafe_function back_ = nullptr;
  size_t pending_ = 0;  // used on the environment's thread only
  Mutex mutex_;
  Condition condition_;
  std::list<std::unique_ptr<Job>> queue_;  // std::deque and std::make_shared need a newer libstdc++
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace fista
