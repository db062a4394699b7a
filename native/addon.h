// The state of one environment (the main thread or a worker thread).
#pragma once

#include <memory>

#include "addon_api.h"
#include "async_job.h"
#include "helper.h"
#include "memory.h"
#include "parallel.h"
#include "table.h"

namespace fista {

struct Addon {
  const Table* table = nullptr;
  Napi::FunctionReference matrix, interrupt, svm;  // the constructors
  // Jobs of one lane take turns; jobs of different lanes run in parallel. A lane's runner is started when it is first needed.
  static constexpr size_t kLanes = 256;
  Runner& runner(Napi::Env env, size_t lane = 0) {
    std::unique_ptr<Runner>& runner = runners_[lane];
    if (!runner) runner = std::make_unique<Runner>(env);
    return *runner;
  }
  // Threads that work beside this one in a synchronous call, each started when it is first needed.
  Helper& helper(size_t k) {
    if (!helpers_[k]) helpers_[k] = std::make_unique<Helper>();
    return *helpers_[k];
  }
  Addon() { retain_pool(); }
  ~Addon() {
    for (std::unique_ptr<Helper>& helper : helpers_) helper.reset();
    for (std::unique_ptr<Runner>& runner : runners_) runner.reset();  // its thread may be using the pool
    release_pool();
    release_memory();
  }
  Addon(const Addon&) = delete;
  Addon& operator=(const Addon&) = delete;

 private:
  std::unique_ptr<Runner> runners_[kLanes];
  std::unique_ptr<Helper> helpers_[kLanes];
};

inline Addon& addon(Napi::Env env) { return *env.GetInstanceData<Addon>(); }

// Frees a large object on a runner's thread: the system takes tens of milliseconds to reclaim a gigabyte.
template <typename T>
void free_later(Napi::Env env, std::shared_ptr<T> held) {
  constexpr size_t kLarge = size_t(1) << 27;
  if (held->bytes() < kLarge) return;
  auto job = std::make_unique<Runner::Job>();
  job->work = [held = std::move(held)]() mutable { held.reset(); };
  job->done = [](Napi::Env) {};
  addon(env).runner(env).submit(std::move(job));
}

void register_interrupt(Napi::Env env, Napi::Object exports);
void register_matrix(Napi::Env env, Napi::Object exports);
void register_esp(Napi::Env env, Napi::Object exports);
void register_parser(Napi::Env env, Napi::Object exports);
void register_svm(Napi::Env env, Napi::Object exports);
void register_projections(Napi::Env env, Napi::Object exports);

}  // namespace fista
