#include "interrupt_handle.h"

#include "addon.h"
#include "arguments.h"

namespace fista {

// new Interrupt(milliseconds from now, or Infinity)
InterruptHandle::InterruptHandle(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<InterruptHandle>(info), interrupt_(new Interrupt(number(info, 0, "milliseconds"))) {}

std::shared_ptr<Interrupt> InterruptHandle::interrupt_of(const Napi::Value& value) {
  if (value.IsUndefined()) return nullptr;
  if (!value.IsObject() || !value.As<Napi::Object>().InstanceOf(addon(value.Env()).interrupt.Value())) {
    refuse(value.Env(), "an Interrupt", "interrupt", "something else");
  }
  return Unwrap(value.As<Napi::Object>())->interrupt_;
}

Napi::Value InterruptHandle::set(const Napi::CallbackInfo& info) {
  interrupt_->set();
  return info.Env().Undefined();
}

Napi::Value InterruptHandle::is_set(const Napi::CallbackInfo& info) { return Napi::Boolean::New(info.Env(), interrupt_->is_set()); }

Napi::Function InterruptHandle::define(Napi::Env env) {
  return DefineClass(env, "Interrupt",
                     {InstanceMethod<&InterruptHandle::set>("set"), InstanceAccessor<&InterruptHandle::is_set>("isSet")});
}

void register_interrupt(Napi::Env env, Napi::Object exports) {
  Napi::Function constructor = InterruptHandle::define(env);
  addon(env).interrupt = Napi::Persistent(constructor);
  exports.Set("Interrupt", constructor);
}

}  // namespace fista
