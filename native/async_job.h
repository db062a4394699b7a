// Work off the main thread. A runner is a thread of our own that takes jobs in turn (never libuv's pool: file reads must not wait
// for a fit), and a finished job comes back through a thread-safe function. An environment has one for each lane in use (addon.h):
// fits of one lane share it step by step, those of different lanes run side by side. Each step may use the compute pool
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
  // work() runs on the runner's thread; then done(env) on the main thread, unless the environment is gone.
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
  size_t pending_ = 0;  // main thread only
  Mutex mutex_;
  Condition condition_;
  std::list<std::unique_ptr<Job>> queue_;  // std::deque and std::make_shared ask for a newer libstdc++
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace fista
