// Matrix: a data matrix copied from the user's arrays, as JavaScript holds it.
#pragma once

#include "addon_api.h"
#include "matrix.h"

namespace fista {

class MatrixHandle : public Napi::ObjectWrap<MatrixHandle> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit MatrixHandle(const Napi::CallbackInfo& info);
  ~MatrixHandle() override;

 private:
  Napi::Value multiply(const Napi::CallbackInfo& info);
  Napi::Value multiply_transposed(const Napi::CallbackInfo& info);
  Napi::Value dispose(const Napi::CallbackInfo& info);
  Napi::Value describe(const Napi::CallbackInfo& info);
  const Matrix& matrix(Napi::Env env) const;
  void release(Napi::Env env);

  Matrix matrix_;
  bool alive_ = false;
  int64_t reported_ = 0;  // bytes the garbage collector was told of
  const Table* table_ = nullptr;
};

}  // namespace fista
