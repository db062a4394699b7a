// Unwraps arguments from TypeScript. lib/input has checked their values; here only memory safety is checked: that an array is of
// the right kind and long enough.
#pragma once

#include <string>

#include "addon_api.h"
#include "ranks.h"

namespace fista {

template <typename T>
struct ElementType;
template <>
struct ElementType<double> {
  static constexpr napi_typedarray_type type = napi_float64_array;
  static constexpr const char* name = "a Float64Array";
};
template <>
struct ElementType<float> {
  static constexpr napi_typedarray_type type = napi_float32_array;
  static constexpr const char* name = "a Float32Array";
};
template <>
struct ElementType<uint32_t> {
  static constexpr napi_typedarray_type type = napi_uint32_array;
  static constexpr const char* name = "a Uint32Array";
};
template <>
struct ElementType<uint8_t> {
  static constexpr napi_typedarray_type type = napi_uint8_array;
  static constexpr const char* name = "a Uint8Array";
};
template <>
struct ElementType<int8_t> {
  static constexpr napi_typedarray_type type = napi_int8_array;
  static constexpr const char* name = "an Int8Array";
};

template <typename T>
struct Span {
  T* data;
  size_t size;
};

[[noreturn]] inline void refuse(Napi::Env env, const std::string& expected, const std::string& name, const std::string& received) {
  throw Napi::RangeError::New(env, "Expected " + expected + " for " + name + " but received " + received);
}

inline bool is_array(const Napi::Value& value, napi_typedarray_type type) {
  return value.IsTypedArray() && value.As<Napi::TypedArray>().TypedArrayType() == type;
}

// The array's memory, valid until control returns to JavaScript. A detached array has length 0.
template <typename T>
Span<T> array(const Napi::Value& value, const char* name, size_t min) {
  const Napi::Env env = value.Env();
  if (!is_array(value, ElementType<T>::type)) refuse(env, ElementType<T>::name, name, "something else");
  void* data = nullptr;
  size_t length = 0;
  // The C API is called directly: its data pointer is right for SharedArrayBuffers too.
  if (napi_get_typedarray_info(env, value, nullptr, &length, &data, nullptr, nullptr) != napi_ok) throw Napi::Error::New(env);
  if (length < min) refuse(env, std::to_string(min) + " numbers", name, std::to_string(length));
  return {static_cast<T*>(data), length};
}

template <typename T>
Span<T> array(const Napi::CallbackInfo& info, size_t i, const char* name, size_t min) {
  return array<T>(info[i], name, min);
}

// The same for a property of an object.
template <typename T>
Span<T> member(const Napi::Object& object, const char* name, size_t min) {
  return array<T>(object.Get(name), name, min);
}

inline double number(const Napi::CallbackInfo& info, size_t i, const char* name) {
  double value = 0;
  if (napi_get_value_double(info.Env(), info[i], &value) != napi_ok) refuse(info.Env(), "a number", name, "something else");
  return value;
}

inline size_t count(const Napi::CallbackInfo& info, size_t i, const char* name) {
  const double value = number(info, i, name);
  if (!(value >= 0 && value <= 9007199254740991.0) || value != static_cast<double>(static_cast<size_t>(value))) {
    refuse(info.Env(), "a count", name, std::to_string(value));
  }
  return static_cast<size_t>(value);
}

inline bool flag(const Napi::CallbackInfo& info, size_t i, const char* name) {
  if (!info[i].IsBoolean()) refuse(info.Env(), "true or false", name, "something else");
  return info[i].As<Napi::Boolean>().Value();
}

inline unsigned threads(const Napi::CallbackInfo& info, size_t i) {
  const size_t value = count(info, i, "threads");
  return static_cast<unsigned>(value < 1 ? 1 : value > 256 ? 256 : value);
}

// The ranks of a seam (native/mpi); null if there is none, or one rank.
inline const Ranks* ranks(const Napi::CallbackInfo& info, size_t i) {
  if (info[i].IsUndefined()) return nullptr;
  const Ranks* const given = info[i].IsExternal() ? info[i].As<Napi::External<const Ranks>>().Data() : nullptr;
  if (given == nullptr || given->magic != Ranks::kMagic) refuse(info.Env(), "a seam of this version", "ranks", "another");
  return given->size > 1 ? given : nullptr;
}

inline Napi::Error error_of(Napi::Env env, const char* message, const char* code) {
  Napi::Error error = Napi::Error::New(env, message);
  error.Set("code", Napi::String::New(env, code));
  return error;
}

[[noreturn]] inline void fail(Napi::Env env, const char* message, const char* code) { throw error_of(env, message, code); }

// lib/errors.ts recognises the code.
inline Napi::Error interrupted(Napi::Env env) { return error_of(env, "Interrupted", "TASK_ENDED"); }

[[noreturn]] inline void out_of_memory(Napi::Env env) { fail(env, "Out of memory", "ERR_MEMORY"); }

}  // namespace fista
