// Interrupt: the JavaScript handle that ends the tasks of a fit early.
#pragma once

#include <memory>

#include "addon_api.h"
#include "interrupt.h"

namespace fista {

class InterruptHandle : public Napi::ObjectWrap<InterruptHandle> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit InterruptHandle(const Napi::CallbackInfo& info);

  // The interrupt of a handle, or null for undefined; throws for other values.
  static std::shared_ptr<Interrupt> interrupt_of(const Napi::Value& value);

 private:
  Napi::Value set(const Napi::CallbackInfo& info);
  Napi::Value is_set(const Napi::CallbackInfo& info);

  std::shared_ptr<Interrupt> interrupt_;
};

}  // namespace fista
