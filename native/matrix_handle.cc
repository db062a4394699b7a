#include "matrix_handle.h"

#include <algorithm>
#include <cstring>

#include "addon.h"
#include "arguments.h"
#include "interrupt_handle.h"
#include "labels.h"

namespace fista {
namespace {

// By CopyResult::Kind.
const char* const kDefects[] = {"", "", "", "not-finite", "bad-start", "bad-range", "bad-order", "", ""};

size_t product(const Napi::CallbackInfo& info, size_t rows, size_t cols) {
  if (cols != 0 && rows > SIZE_MAX / sizeof(double) / cols) refuse(info.Env(), "a matrix that fits", "rows * cols", "more");
  return rows * cols;
}

// The defect found while copying, of which lib/input makes a message; or undefined.
Napi::Value defect(Napi::Env env, const CopyResult& result) {
  if (result.kind == CopyResult::ok) return env.Undefined();
  if (result.kind == CopyResult::interrupted) throw interrupted(env);
  if (result.kind == CopyResult::out_of_memory) out_of_memory(env);
  Napi::Object o = Napi::Object::New(env);
  o.Set("defect", kDefects[result.kind]);
  o.Set("row", static_cast<double>(result.row));
  o.Set("at", static_cast<double>(result.at));
  o.Set("found", result.found);
  o.Set("before", result.before);
  return o;
}

// Points as arguments from i on: (data, rows, cols) or (indptr, indices, values | undefined, rows, cols). One argument may follow.
bool are_dense(const Napi::CallbackInfo& info, size_t i) { return info.Length() <= i + 4; }

template <typename Dense, typename Sparse>
auto with_points(const Napi::CallbackInfo& info, size_t i, Dense&& dense, Sparse&& sparse) {
  if (are_dense(info, i)) {
    const size_t rows = count(info, i + 1, "rows"), cols = count(info, i + 2, "cols");
    const size_t min = product(info, rows, cols);
    if (is_array(info[i], napi_float32_array)) return dense(Values::f32, array<float>(info, i, "data", min).data, rows, cols);
    return dense(Values::f64, array<double>(info, i, "data", min).data, rows, cols);
  }
  const size_t rows = count(info, i + 3, "rows"), cols = count(info, i + 4, "cols");
  if (rows >= UINT32_MAX || cols >= UINT32_MAX) refuse(info.Env(), "fewer than 2^32 rows and columns", "points", "more");
  const auto indptr = array<uint32_t>(info, i, "indptr", rows + 1);
  const auto indices = array<uint32_t>(info, i + 1, "indices", 0);
  Values values = Values::ones;
  const void* data = nullptr;
  if (is_array(info[i + 2], napi_float32_array)) {
    values = Values::f32;
    data = array<float>(info, i + 2, "values", indices.size).data;
  } else if (!info[i + 2].IsUndefined()) {
    values = Values::f64;
    data = array<double>(info, i + 2, "values", indices.size).data;
  }
  return sparse(indptr.data, indices.data, values, data, indices.size, rows, cols);
}

// A copy of the weights of the columns that X keeps, followed by the 0 that the loops read.
Buffer<double> padded(const Napi::CallbackInfo& info, size_t i, const Matrix& X) {
  const auto w = array<double>(info, i, "w", X.width());
  Buffer<double> copy;
  if (!copy.allocate(X.cols() + 1)) out_of_memory(info.Env());
  if (!X.all_kept()) {
    for (size_t j = 0; j < X.cols(); ++j) copy[j] = w.data[X.used()[j]];
  } else if (X.cols()) {
    std::memcpy(copy.data(), w.data, X.cols() * sizeof(double));
  }
  copy[X.cols()] = 0;
  return copy;
}

// Planes as arguments from i on: (weights, biases).
Planes planes_of(const Napi::CallbackInfo& info, size_t i, size_t cols) {
  const auto biases = array<double>(info, i + 1, "biases", 1);
  return {array<double>(info, i, "weights", product(info, biases.size, cols)).data, biases.data, biases.size};
}

// decidePoints(onDefect, threads, weights, biases, out, ...points): writes the decision values and returns the number of rows. If a
// value is not finite, returns its row and writes nothing. If the points have a defect, onDefect is called, and throws.
Napi::Value decide_points(const Napi::CallbackInfo& info) {
  const Run run = {addon(info.Env()).table, threads(info, 1)};
  size_t bad = 0;
  const auto room = [&](size_t rows, const Planes& planes) {
    return array<double>(info, 4, "out", product(info, rows, planes.count)).data;
  };
  const CopyResult result = with_points(
      info, 5,
      [&](Values kind, const void* data, size_t rows, size_t cols) {
        const Planes planes = planes_of(info, 2, cols);
        return Matrix::decide_dense(run, kind, data, rows, cols, planes, room(rows, planes), &bad);
      },
      [&](const uint32_t* indptr, const uint32_t* index, Values kind, const void* data, size_t entries, size_t rows, size_t cols) {
        const Planes planes = planes_of(info, 2, cols);
        return Matrix::decide_sparse(run, indptr, index, kind, data, entries, rows, cols, planes, room(rows, planes), &bad);
      });
  const Napi::Value wrong = defect(info.Env(), result);
  if (!wrong.IsUndefined()) info[0].As<Napi::Function>().Call({wrong});
  return Napi::Number::New(info.Env(), static_cast<double>(bad));
}

// certifyLabels(values, products, norms, planes: { positive, negative | undefined, centreOf, slope, low, high, spare,
// centreSquares, safe, lost }, classes, certain, inTheWay, threads)
Napi::Value certify_rows(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto norms = array<double>(info, 2, "norms", 0);
  if (!info[3].IsObject()) refuse(env, "an object", "planes", "something else");
  const Napi::Object given = info[3].As<Napi::Object>();
  LabelPlanes planes{};
  const auto in_the_way = array<uint32_t>(info, 6, "inTheWay", 1);
  planes.planes = in_the_way.size;
  planes.classes = count(info, 4, "classes");
  const auto squares = member<double>(given, "centreSquares", 1);
  planes.centres = squares.size;
  planes.centre_squares = squares.data;
  const auto classes_of = [&](const char* name) {
    const auto list = member<uint32_t>(given, name, planes.planes);
    for (size_t p = 0; p < planes.planes; ++p) {
      if (list.data[p] >= planes.classes) refuse(env, "numbers of classes", name, "others");
    }
    return list.data;
  };
  planes.positive = classes_of("positive");
  planes.negative = given.Get("negative").IsUndefined() ? nullptr : classes_of("negative");
  if (!planes.negative && planes.classes != planes.planes) refuse(env, "a plane a class", "planes", "others");
  if (planes.negative && !planes.are_pairs()) refuse(env, "a plane a pair", "planes", "others");
  planes.centre_of = member<uint32_t>(given, "centreOf", planes.planes).data;
  for (size_t p = 0; p < planes.planes; ++p) {
    if (planes.centre_of[p] >= planes.centres) refuse(env, "numbers of centres", "centreOf", "others");
  }
  planes.proofs.slope = member<double>(given, "slope", planes.planes).data;
  planes.proofs.low = member<double>(given, "low", planes.planes).data;
  planes.proofs.high = member<double>(given, "high", planes.planes).data;
  planes.proofs.spare = member<double>(given, "spare", planes.planes).data;
  planes.safe = given.Get("safe").ToNumber().DoubleValue();
  planes.lost = given.Get("lost").ToNumber().DoubleValue();
  const LabelRows rows = {norms.size, array<double>(info, 0, "values", product(info, norms.size, planes.planes)).data,
                          array<double>(info, 1, "products", product(info, norms.size, planes.centres)).data, norms.data};
  const auto certain = array<uint8_t>(info, 5, "certain", norms.size);
  const Run run = {addon(env).table, threads(info, 7)};
  if (!certify_labels(run, planes, rows, certain.data, in_the_way.data)) out_of_memory(env);
  return env.Undefined();
}

// copyPoints(threads, interrupt | undefined, ...points): a promise of a Matrix, or of the points' defect. The points are copied
// before the call returns, and checked on a runner.
Napi::Value copy_points(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  struct State {
    Run run;
    std::shared_ptr<Interrupt> interrupt;
    RawPoints given;
    std::shared_ptr<Matrix> matrix;
    CopyResult result;
    Napi::Promise::Deferred deferred;
  };
  const std::shared_ptr<Interrupt> interrupt = InterruptHandle::interrupt_of(info[1]);
  auto state = std::shared_ptr<State>(new State{{addon(env).table, threads(info, 0), interrupt.get()},
                                                interrupt,
                                                {},
                                                std::shared_ptr<Matrix>(new Matrix),
                                                {},
                                                Napi::Promise::Deferred::New(env)});
  // The caller waits for this copy, so a second thread helps even if one thread is to compute.
  const Run taking = {state->run.table, std::max(state->run.threads, 2u), state->run.interrupt};
  const bool taken = with_points(
      info, 2, [&](auto... points) { return state->given.take_dense(taking, points...); },
      [&](auto... points) { return state->given.take_sparse(taking, points...); });
  if (!taken) out_of_memory(env);
  auto job = std::make_unique<Runner::Job>();
  job->work = [state] {
    state->result = state->matrix->adopt(state->run, state->given);
    if (state->result.kind == CopyResult::ok && !state->matrix->centre(state->run)) state->result = {CopyResult::out_of_memory};
    if (state->run.interrupted()) state->result = {CopyResult::interrupted};
  };
  job->done = [state](Napi::Env env) {
    if (state->result.kind == CopyResult::ok) {
      state->deferred.Resolve(MatrixHandle::wrap(env, std::move(state->matrix)));
    } else if (state->result.kind == CopyResult::out_of_memory) {
      state->deferred.Reject(error_of(env, "Out of memory", "ERR_MEMORY").Value());
    } else if (state->result.kind == CopyResult::interrupted) {
      state->deferred.Reject(interrupted(env).Value());
    } else {
      state->deferred.Resolve(defect(env, state->result));
    }
  };
  addon(env).runner(env).submit(std::move(job));
  return state->deferred.Promise();
}

// openPoints(path, layout: { sparse, values: 0 f64, 1 f32, 2 ones, index: bytes, rows, cols, entries, valuesAt, indexAt, lengthsAt
// }): a Matrix of rows that stay in a file
Napi::Value open_points(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!info[0].IsString() || !info[1].IsObject()) refuse(env, "a path and a layout", "openPoints", "something else");
  const std::string path = info[0].As<Napi::String>().Utf8Value();
  const Napi::Object given = info[1].As<Napi::Object>();
  const auto number = [&](const char* name) {
    const double value = given.Get(name).ToNumber().DoubleValue();
    if (!(value >= 0 && value <= 9007199254740991.0)) refuse(env, "a count", name, std::to_string(value));
    return static_cast<uint64_t>(value);
  };
  const uint64_t values = number("values"), index = number("index"), rows = number("rows"), cols = number("cols");
  FileLayout layout{};
  layout.sparse = given.Get("sparse").ToBoolean().Value();
  if (values > (layout.sparse ? 2 : 1)) refuse(env, "a kind of values", "values", std::to_string(values));
  layout.values = static_cast<Values>(values);
  layout.index = index == 2 ? Index::u16 : Index::u32;
  layout.entries = number("entries");
  if (rows >= UINT32_MAX || cols >= UINT32_MAX) refuse(env, "fewer than 2^32 rows and columns", "layout", "more");
  layout.rows = static_cast<size_t>(rows);
  layout.cols = static_cast<size_t>(cols);
  // One 16-bit index is left for the zero that loops read past a row's end.
  if (layout.sparse && layout.index == Index::u16 && cols > 65535) refuse(env, "wider indices", "index", "2");
  if (!layout.sparse && layout.entries != rows * cols) refuse(env, "rows * cols", "entries", std::to_string(layout.entries));
  if (layout.entries > SIZE_MAX / sizeof(double)) refuse(env, "a matrix that can be counted", "entries", "more");
  layout.values_at = number("valuesAt");
  layout.index_at = number("indexAt");
  layout.lengths_at = number("lengthsAt");
  auto matrix = std::shared_ptr<Matrix>(new Matrix);
  const CopyResult result = matrix->open({addon(env).table, 1}, path.c_str(), layout);
  if (result.kind != CopyResult::ok) throw MatrixHandle::failure(env, result, path, layout.cols);
  return MatrixHandle::wrap(env, std::move(matrix));
}

// Why there is no centred matrix of a file.
Napi::Error not_centred(Napi::Env env, const Matrix& X, const Run& run) {
  if (X.failure().kind != CopyResult::ok) return MatrixHandle::failure(env, X);
  return run.interrupted() ? interrupted(env) : error_of(env, "Out of memory", "ERR_MEMORY");
}

// centrePoints(matrix, threads, interrupt | undefined): a promise of the centred matrix of a file. It is read on a runner.
Napi::Value centre_points(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  struct State {
    Run run;
    std::shared_ptr<Interrupt> interrupt;
    std::shared_ptr<Matrix> matrix, centred;
    Napi::Promise::Deferred deferred;
  };
  const std::shared_ptr<Matrix> matrix = MatrixHandle::matrix_of(info[0]);
  if (!matrix->in_file()) refuse(env, "a matrix in a file", "matrix", "another");
  const std::shared_ptr<Interrupt> interrupt = InterruptHandle::interrupt_of(info[2]);
  auto state = std::shared_ptr<State>(new State{
      {addon(env).table, threads(info, 1), interrupt.get()}, interrupt, matrix, nullptr, Napi::Promise::Deferred::New(env)});
  auto job = std::make_unique<Runner::Job>();
  job->work = [state] { state->centred = state->matrix->is_centred() ? state->matrix : state->matrix->centred(state->run); };
  job->done = [state](Napi::Env env) {
    if (state->centred) {
      state->deferred.Resolve(MatrixHandle::wrap(env, std::move(state->centred)));
    } else {
      state->deferred.Reject(not_centred(env, *state->matrix, state->run).Value());
    }
  };
  addon(env).runner(env).submit(std::move(job));
  return state->deferred.Promise();
}

}  // namespace

Napi::Error MatrixHandle::failure(Napi::Env env, const Matrix& matrix) {
  return failure(env, matrix.failure(), matrix.path(), matrix.cols());
}

Napi::Error MatrixHandle::failure(Napi::Env env, const CopyResult& result, const std::string& path, size_t cols) {
  const auto count = [](double value) { return std::to_string(static_cast<uint64_t>(value)); };
  const std::string row = "row " + std::to_string(result.row) + " of " + path,
                    entry = "entry " + std::to_string(result.at) + " of " + row;
  std::string message;
  switch (result.kind) {
    case CopyResult::interrupted:
      return interrupted(env);
    case CopyResult::out_of_memory:
      return error_of(env, "Out of memory", "ERR_MEMORY");
    case CopyResult::not_finite:
      message = "Expected a finite number for " + entry + " but received " +
                (result.found != result.found ? "NaN"
                 : result.found > 0           ? "Infinity"
                                              : "-Infinity");
      break;
    case CopyResult::bad_range:
      message = "Expected a column below " + std::to_string(cols) + " for " + entry + " but received " + count(result.found);
      break;
    case CopyResult::bad_order:
      message = "Expected ascending columns for " + row + " but received " + count(result.found) + " after " + count(result.before);
      break;
    case CopyResult::bad_start:
      message = "Expected lengths of rows that add up for " + path + " but received " + count(result.found) + " for row " +
                std::to_string(result.row);
      break;
    case CopyResult::changed:
      message = "Expected " + path + " to stay as it is while in use but it was changed";
      break;
    default:
      message = "Expected " + path + " to stay as long as it was but it could not be read to its end";
  }
  return error_of(env, message.c_str(), "ERR_DATASET");
}

// Throws if reading a file failed.
void MatrixHandle::check(Napi::Env env) const {
  if (matrix_->failure().kind != CopyResult::ok) throw failure(env, *matrix_);
}

// new Matrix(onDefect, threads, ...points, interrupt = none) copies points; if they have a defect, onDefect is called, and throws.
// new Matrix(undefined, 1, matrix) shares the data of another handle, which has reported their memory to the garbage collector.
// new Matrix(external) takes over a matrix made by copyPoints.
MatrixHandle::MatrixHandle(const Napi::CallbackInfo& info) : Napi::ObjectWrap<MatrixHandle>(info) {
  const Napi::Env env = info.Env();
  table_ = addon(env).table;
  if (info.Length() == 1) {
    take_over(env, *info[0].As<Napi::External<std::shared_ptr<Matrix>>>().Data());
    return;
  }
  if (info.Length() == 3) {
    matrix_ = matrix_of(info[2]);
    return;
  }
  auto matrix = std::shared_ptr<Matrix>(new Matrix);
  const std::shared_ptr<Interrupt> interrupt = InterruptHandle::interrupt_of(info[are_dense(info, 2) ? 5 : 7]);
  const Run run = {table_, threads(info, 1), interrupt.get()};
  const CopyResult result = with_points(
      info, 2, [&](auto... points) { return matrix->copy_dense(run, points...); },
      [&](auto... points) { return matrix->copy_sparse(run, points...); });
  const Napi::Value wrong = defect(env, result);
  if (!wrong.IsUndefined()) {
    info[0].As<Napi::Function>().Call({wrong});
    return;
  }
  take_over(env, std::move(matrix));
}

constexpr int64_t kFileBytes = 1 << 20;

void MatrixHandle::take_over(Napi::Env env, std::shared_ptr<Matrix> matrix) {
  matrix_ = std::move(matrix);
  // A process may have a few hundred files open: what holds some is to be collected long before its bytes ask for it.
  reported_ = static_cast<int64_t>(matrix_->bytes()) + (matrix_->in_file() ? kFileBytes : 0);
  Napi::MemoryManagement::AdjustExternalMemory(env, reported_);
}

Napi::Object MatrixHandle::wrap(Napi::Env env, std::shared_ptr<Matrix> matrix) {
  return addon(env).matrix.New({Napi::External<std::shared_ptr<Matrix>>::New(env, &matrix)});
}

MatrixHandle::~MatrixHandle() { release(Env()); }

void MatrixHandle::release(Napi::Env env) {
  if (!matrix_) return;
  matrix_.reset();
  Napi::MemoryManagement::AdjustExternalMemory(env, -reported_);
}

Matrix& MatrixHandle::matrix(Napi::Env env) const {
  if (!matrix_) fail(env, "Expected a live matrix but it was disposed of", "ERR_DISPOSED");
  return *matrix_;
}

std::shared_ptr<Matrix> MatrixHandle::matrix_of(const Napi::Value& value) {
  if (!value.IsObject() || !value.As<Napi::Object>().InstanceOf(addon(value.Env()).matrix.Value())) {
    refuse(value.Env(), "a Matrix", "matrix", "something else");
  }
  const MatrixHandle* handle = Unwrap(value.As<Napi::Object>());
  handle->matrix(value.Env());
  return handle->matrix_;
}

// multiply(w, out, threads): out = X w
Napi::Value MatrixHandle::multiply(const Napi::CallbackInfo& info) {
  const Matrix& X = matrix(info.Env());
  const Buffer<double> w = padded(info, 0, X);
  X.multiply({table_, threads(info, 2)}, w.data(), array<double>(info, 1, "out", X.rows()).data);
  check(info.Env());
  return info.Env().Undefined();
}

// decide(weights, biases, out, threads, begin = 0, end = rows): as decidePoints, but writes out in any case
Napi::Value MatrixHandle::decide(const Napi::CallbackInfo& info) {
  const Matrix& X = matrix(info.Env());
  const Planes planes = planes_of(info, 0, X.width());
  const size_t begin = info[4].IsUndefined() ? 0 : count(info, 4, "begin");
  const size_t end = info[5].IsUndefined() ? X.rows() : count(info, 5, "end");
  if (end > X.rows() || begin > end) refuse(info.Env(), "rows of the matrix", "begin and end", "others");
  const auto out = array<double>(info, 2, "out", product(info, end - begin, planes.count));
  size_t bad = 0;
  const CopyResult result = X.decide({table_, threads(info, 3)}, planes, begin, end, out.data, &bad);
  check(info.Env());
  defect(info.Env(), result);
  return Napi::Number::New(info.Env(), static_cast<double>(bad));
}

// norms(factor, out, threads): out_i = sum of (factor_j x_ij)^2 over the columns that are kept
Napi::Value MatrixHandle::norms(const Napi::CallbackInfo& info) {
  const Matrix& X = matrix(info.Env());
  const auto factor = array<double>(info, 0, "factor", X.cols());
  X.row_norms({table_, threads(info, 2)}, nullptr, X.rows(), factor.data, array<double>(info, 1, "out", X.rows()).data);
  check(info.Env());
  return info.Env().Undefined();
}

// multiplyTransposed(u, out, threads): out = X^T u
Napi::Value MatrixHandle::multiply_transposed(const Napi::CallbackInfo& info) {
  const Matrix& X = matrix(info.Env());
  const auto u = array<double>(info, 0, "u", X.rows());
  const auto out = array<double>(info, 1, "out", X.width());
  Buffer<double> scratch, kept;
  if (!scratch.allocate(X.scratch_size()) || (!X.all_kept() && !kept.allocate(X.cols()))) out_of_memory(info.Env());
  X.multiply_transposed({table_, threads(info, 2)}, u.data, X.all_kept() ? out.data : kept.data(), scratch.data());
  check(info.Env());
  if (!X.all_kept()) {
    std::memset(out.data, 0, X.width() * sizeof(double));
    for (size_t j = 0; j < X.cols(); ++j) out.data[X.used()[j]] = kept[j];
  }
  return info.Env().Undefined();
}

// centre(threads, interrupt = none, ranks = none): centres the columns; returns whether any was shifted. An interrupted call
// disposes of the matrix, unless its rows are in a file: this handle is then of the centred matrix from now on, and others stay as
// they are.
Napi::Value MatrixHandle::centre(const Napi::CallbackInfo& info) {
  Matrix& X = matrix(info.Env());
  if (X.in_file()) {
    const std::shared_ptr<Interrupt> interrupt = InterruptHandle::interrupt_of(info[1]);
    const Run run = {table_, threads(info, 0), interrupt.get(), ranks(info, 2)};
    const std::shared_ptr<Matrix> centred = X.is_centred() ? matrix_ : X.centred(run);
    if (!centred) throw not_centred(info.Env(), X, run);
    matrix_ = centred;
    return Napi::Boolean::New(info.Env(), centred->shift() != nullptr);
  }
  if (matrix_.use_count() > 1) fail(info.Env(), "Expected a matrix that nothing else uses", "ERR_BUSY");
  const std::shared_ptr<Interrupt> interrupt = InterruptHandle::interrupt_of(info[1]);
  const Run run = {table_, threads(info, 0), interrupt.get(), ranks(info, 2)};
  if (!X.centre(run)) out_of_memory(info.Env());
  if (run.interrupted()) {
    release(info.Env());
    throw interrupted(info.Env());
  }
  return Napi::Boolean::New(info.Env(), X.shift() != nullptr);
}

// shift(out): writes what was subtracted from each column
Napi::Value MatrixHandle::shift(const Napi::CallbackInfo& info) {
  const Matrix& X = matrix(info.Env());
  const auto out = array<double>(info, 0, "out", X.cols());
  for (size_t j = 0; j < X.cols(); ++j) out.data[j] = X.shift() ? X.shift()[j] : 0;
  return info.Env().Undefined();
}

// share(): another handle of the same data, which may outlive this one
Napi::Value MatrixHandle::share(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  return addon(env).matrix.New({env.Undefined(), Napi::Number::New(env, 1), info.This()});
}

Napi::Value MatrixHandle::dispose(const Napi::CallbackInfo& info) {
  std::shared_ptr<Matrix> held = matrix_;
  release(info.Env());
  if (held) free_later(info.Env(), std::move(held));
  return info.Env().Undefined();
}

// used(): the columns that are kept; undefined if all are
Napi::Value MatrixHandle::used(const Napi::CallbackInfo& info) {
  const Matrix& X = matrix(info.Env());
  if (X.all_kept()) return info.Env().Undefined();
  Napi::Uint32Array list = Napi::Uint32Array::New(info.Env(), X.cols());
  if (X.cols()) std::memcpy(list.Data(), X.used(), X.cols() * sizeof(uint32_t));
  return list;
}

// describe(): { rows, cols, kept, stored, bytes, sparse, form }
Napi::Value MatrixHandle::describe(const Napi::CallbackInfo& info) {
  const Matrix& X = matrix(info.Env());
  static const char* const values[] = {"f64", "f32", "ones"};
  Napi::Object o = Napi::Object::New(info.Env());
  o.Set("rows", static_cast<double>(X.rows()));
  o.Set("cols", static_cast<double>(X.width()));
  o.Set("kept", static_cast<double>(X.cols()));
  o.Set("stored", static_cast<double>(X.stored()));
  o.Set("bytes", static_cast<double>(X.bytes()));
  o.Set("sparse", X.sparse());
  const std::string kind = !X.sparse() ? "dense " : X.index() == Index::u16 ? "sparse u16 " : "sparse u32 ";
  o.Set("form", kind + values[size_t(X.values())]);
  return o;
}

Napi::Function MatrixHandle::define(Napi::Env env) {
  return DefineClass(
      env, "Matrix",
      {InstanceMethod<&MatrixHandle::multiply>("multiply"), InstanceMethod<&MatrixHandle::decide>("decide"),
       InstanceMethod<&MatrixHandle::norms>("norms"), InstanceMethod<&MatrixHandle::multiply_transposed>("multiplyTransposed"),
       InstanceMethod<&MatrixHandle::centre>("centre"), InstanceMethod<&MatrixHandle::shift>("shift"),
       InstanceMethod<&MatrixHandle::describe>("describe"), InstanceMethod<&MatrixHandle::used>("used"),
       InstanceMethod<&MatrixHandle::share>("share"), InstanceMethod<&MatrixHandle::dispose>("dispose")});
}

void register_matrix(Napi::Env env, Napi::Object exports) {
  Napi::Function constructor = MatrixHandle::define(env);
  addon(env).matrix = Napi::Persistent(constructor);
  exports.Set("Matrix", constructor);
  exports.Set("copyPoints", Napi::Function::New(env, copy_points, "copyPoints"));
  exports.Set("openPoints", Napi::Function::New(env, open_points, "openPoints"));
  exports.Set("centrePoints", Napi::Function::New(env, centre_points, "centrePoints"));
  exports.Set("decidePoints", Napi::Function::New(env, decide_points, "decidePoints"));
  exports.Set("certifyLabels", Napi::Function::New(env, certify_rows, "certifyLabels"));
}

}  // namespace fista
