// Matrix: the JavaScript handle of a data matrix, copied from the user's arrays.
#pragma once

#include <memory>
#include <string>

#include "addon_api.h"
#include "matrix.h"

namespace fista {

class MatrixHandle : public Napi::ObjectWrap<MatrixHandle> {
 public:
  static Napi::Function define(Napi::Env env);
  explicit MatrixHandle(const Napi::CallbackInfo& info);
  ~MatrixHandle() override;

  // Creates a handle of an existing matrix.
  static Napi::Object wrap(Napi::Env env, std::shared_ptr<Matrix> matrix);

  // The error of a matrix whose file could not be read, or held what it must not.
  static Napi::Error failure(Napi::Env env, const Matrix& matrix);
  static Napi::Error failure(Napi::Env env, const CopyResult& result, const std::string& path, size_t cols);

  // The matrix of a live handle; throws for other values.
  static std::shared_ptr<Matrix> matrix_of(const Napi::Value& value);

 private:
  Napi::Value multiply(const Napi::CallbackInfo& info);
  Napi::Value decide(const Napi::CallbackInfo& info);
  Napi::Value norms(const Napi::CallbackInfo& info);
  Napi::Value multiply_transposed(const Napi::CallbackInfo& info);
  Napi::Value centre(const Napi::CallbackInfo& info);
  Napi::Value shift(const Napi::CallbackInfo& info);
  Napi::Value share(const Napi::CallbackInfo& info);
  Napi::Value dispose(const Napi::CallbackInfo& info);
  Napi::Value describe(const Napi::CallbackInfo& info);
  Napi::Value used(const Napi::CallbackInfo& info);
  void take_over(Napi::Env env, std::shared_ptr<Matrix> matrix);
  Matrix& matrix(Napi::Env env) const;
  void check(Napi::Env env) const;
  void release(Napi::Env env);

  std::shared_ptr<Matrix> matrix_;  // null: disposed of
  int64_t reported_ = 0;            // bytes the garbage collector was told of
  const Table* table_ = nullptr;
};

}  // namespace fista
