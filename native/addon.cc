#include "addon.h"

#include "buffer.h"
#include "cpu.h"

namespace fista {
namespace {

// useSimd(level?): selects the fastest inner loops that this CPU can run, up to `level`, for objects that this environment creates
// from now on. Returns the name of the level selected.
Napi::Value use_simd(const Napi::CallbackInfo& info) {
  Addon& here = addon(info.Env());
  if (info[0].IsString()) {
    here.table = choose_table(info[0].As<Napi::String>().Utf8Value().c_str());
  } else {
    here.table = choose_table(nullptr);
  }
  return Napi::String::New(info.Env(), here.table->name);
}

#if defined(FISTA_FAIL_ALLOCATION)
// failAllocation(k): makes the k-th allocation of an array from now on fail; 0 stops that. Returns how many allocations were left
// before the failure set earlier, 0 if it has happened. Test builds only.
Napi::Value fail_allocation(const Napi::CallbackInfo& info) {
  const long left = allocations_to_failure.exchange(info[0].As<Napi::Number>().Int32Value());
  return Napi::Number::New(info.Env(), static_cast<double>(left));
}
#endif

Napi::Object init(Napi::Env env, Napi::Object exports) {
  env.SetInstanceData(new Addon);
  addon(env).table = choose_table(nullptr);
  exports.Set("useSimd", Napi::Function::New(env, use_simd, "useSimd"));
#if defined(FISTA_FAIL_ALLOCATION)
  exports.Set("failAllocation", Napi::Function::New(env, fail_allocation, "failAllocation"));
#endif
  register_interrupt(env, exports);
  register_matrix(env, exports);
  register_esp(env, exports);
  register_parser(env, exports);
  register_svm(env, exports);
  register_projections(env, exports);
  return exports;
}

}  // namespace

NODE_API_MODULE(fista_classify, init)

}  // namespace fista
