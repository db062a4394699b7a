// Interrupt: by which JavaScript ends the tasks of a fit early, as it holds it.
#pragma once

#include <memory>

#include "addon_api.h"
#include "interrupt.h"

namespace fista {

class InterruptHandle : public Napi::ObjectWrap<InterruptHandle> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit InterruptHandle(const Napi::CallbackInfo& info);

  // The interrupt of a handle, or none for undefined; throws if it is neither.
  static std::shared_ptr<Interrupt> interrupt_of(const Napi::Value& value);

 private:
  Napi::Value set(const Napi::CallbackInfo& info);
  Napi::Value is_set(const Napi::CallbackInfo& info);

  std::shared_ptr<Interrupt> interrupt_;
};

}  // namespace fista
