// State of one environment (the main thread or a worker thread).
#pragma once

#include "addon_api.h"
#include "parallel.h"
#include "table.h"

namespace fista {

struct Addon {
  const Table* table = nullptr;
  Napi::FunctionReference matrix;  // the Matrix class
  Addon() { retain_pool(); }
  ~Addon() { release_pool(); }
  Addon(const Addon&) = delete;
  Addon& operator=(const Addon&) = delete;
};

inline Addon& addon(Napi::Env env) { return *env.GetInstanceData<Addon>(); }

void register_matrix(Napi::Env env, Napi::Object exports);
void register_projections(Napi::Env env, Napi::Object exports);

}  // namespace fista
