// State of one environment (the main thread or a worker thread).
#pragma once

#include <memory>

#include "addon_api.h"
#include "async_job.h"
#include "parallel.h"
#include "table.h"

namespace fista {

struct Addon {
  const Table* table = nullptr;
  Napi::FunctionReference matrix;  // the Matrix class
  // Started when first wanted.
  Runner& runner(Napi::Env env) {
    if (!runner_) runner_ = std::make_unique<Runner>(env);
    return *runner_;
  }
  Addon() { retain_pool(); }
  ~Addon() {
    runner_.reset();  // its thread may be using the pool
    release_pool();
  }
  Addon(const Addon&) = delete;
  Addon& operator=(const Addon&) = delete;

 private:
  std::unique_ptr<Runner> runner_;
};

inline Addon& addon(Napi::Env env) { return *env.GetInstanceData<Addon>(); }

void register_matrix(Napi::Env env, Napi::Object exports);
void register_esp(Napi::Env env, Napi::Object exports);
void register_parser(Napi::Env env, Napi::Object exports);
void register_svm(Napi::Env env, Napi::Object exports);
void register_projections(Napi::Env env, Napi::Object exports);

}  // namespace fista
