#include "addon.h"

#include "buffer.h"
#include "cpu.h"

namespace fista {
namespace {

// useSimd(level?): chooses the best inner loops this CPU can run, no better than `level`, for what this environment makes from
// now on. Returns the name of the choice.
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
// failAllocation(k): the k-th allocation of an array from now on fails; 0: none. Returns what was left of the last k, 0 if it was
// reached. Test builds only.
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
