// Svm: the JavaScript handle of a training problem.
#include "interrupt_handle.h"
#include "matrix_handle.h"
#include "problem_handle.h"
#include "svm_tasks.h"

namespace fista {

class SvmHandle : public ProblemHandle<SvmHandle, Svm> {
 public:
  static constexpr auto& kTasks = kSvmTasks;

  // new Svm(matrix, y, weight (by row, or one for all), scale: 0 none, 1 standard, 2 maxabs, or 1 / scale by column, threads,
  //         lane = 0, interrupt = none, rows that y and weight are about, ascending = all, like = none, window = 0: Given in svm.h,
  //         ranks = none: the seam of native/mpi, without an interrupt)
  explicit SvmHandle(const Napi::CallbackInfo& info) : ProblemHandle(info) {
    const Napi::Env env = info.Env();
    const std::shared_ptr<const Matrix> X = MatrixHandle::matrix_of(info[0]);
    Svm::Given given{};
    given.count = X->rows();
    if (!info[7].IsUndefined()) {
      const auto rows = array<uint32_t>(info, 7, "rows", 0);
      for (size_t k = 0; k < rows.size; ++k) {
        if (rows.data[k] >= X->rows() || (k > 0 && rows.data[k] <= rows.data[k - 1]))
          refuse(env, "ascending rows", "rows", "others");
      }
      static const uint32_t kNone = 0;
      given.rows = rows.size > 0 ? rows.data : &kNone;  // an empty array may have no address, and null stands for all rows
      given.count = rows.size;
    }
    given.y = array<int8_t>(info, 1, "y", given.count).data;
    const auto weight = array<double>(info, 2, "weight", given.count > 0 ? 1 : 0);
    given.weight = weight.data;
    given.per_row = weight.size != 1;
    if (given.per_row) array<double>(info, 2, "weight", given.count);
    if (info[3].IsNumber()) {
      const size_t scale = count(info, 3, "scale");
      if (scale > 2) refuse(env, "0, 1 or 2", "scale", std::to_string(scale));
      given.scale = static_cast<Svm::Scale>(scale);
    } else {
      given.scale = Svm::Scale::given;
      given.inverse_scale = array<double>(info, 3, "scale", X->cols()).data;
    }
    const size_t lane = info[5].IsUndefined() ? 0 : count(info, 5, "lane");
    if (lane >= Addon::kLanes) refuse(env, "a number below " + std::to_string(Addon::kLanes), "lane", std::to_string(lane));
    if (!info[8].IsUndefined()) given.like = alike(info[8], *X, given);
    given.window = info[9].IsUndefined() ? 0 : count(info, 9, "window");
    auto svm = std::shared_ptr<Svm>(new Svm);
    const Run run = {addon(env).table, threads(info, 4), nullptr, ranks(info, 10)};
    if (!svm->init(run, X, given, InterruptHandle::interrupt_of(info[6]))) out_of_memory(env);
    hold(env, std::move(svm), lane);
  }

  static Napi::Error failure(Napi::Env env, const Svm& svm) {
    return svm.matrix().failure().kind == CopyResult::ok ? Napi::Error() : MatrixHandle::failure(env, svm.matrix());
  }

  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "Svm",
        {InstanceMethod("perform", &SvmHandle::perform), InstanceMethod("later", &SvmHandle::later),
         InstanceMethod("start", &SvmHandle::start), InstanceMethod("take", &SvmHandle::take),
         InstanceMethod("accept", &SvmHandle::accept), InstanceMethod("dispose", &SvmHandle::dispose),
         InstanceMethod("weights", &SvmHandle::weights), InstanceMethod("columns", &SvmHandle::columns),
         InstanceMethod("centre", &SvmHandle::centre), InstanceMethod("alpha", &SvmHandle::alpha),
         InstanceMethod("certified", &SvmHandle::certified), InstanceAccessor<&SvmHandle::read>("read"),
         InstanceAccessor<&SvmHandle::stored>("stored"), StaticValue("tasks", describe_tasks(env), napi_enumerable)});
  }

 private:
  static std::shared_ptr<const Svm> alike(const Napi::Value& value, const Matrix& X, const Svm::Given& given) {
    const Napi::Env env = value.Env();
    if (!value.IsObject() || !value.As<Napi::Object>().InstanceOf(addon(env).svm.Value())) {
      refuse(env, "an Svm", "like", "something else");
    }
    size_t taking = 0;
    for (size_t k = 0; k < given.count; ++k) taking += given.weight[given.per_row ? k : 0] != 0;
    const SvmHandle* const handle = Unwrap(value.As<Napi::Object>());
    if (!handle->problem(env).begun(X, taking)) refuse(env, "a problem that began with the same rows", "like", "another");
    return handle->held();
  }

  Napi::Value weights(const Napi::CallbackInfo& info) { return write(info, problem(info.Env()).cols(), &Svm::weights); }
  Napi::Value centre(const Napi::CallbackInfo& info) { return write(info, problem(info.Env()).cols(), &Svm::centre); }
  Napi::Value alpha(const Napi::CallbackInfo& info) { return write(info, problem(info.Env()).rows(), &Svm::alpha); }

  // columns(inverseScale, shift)
  Napi::Value columns(const Napi::CallbackInfo& info) {
    Svm& s = problem(info.Env());
    s.columns(array<double>(info, 0, "inverseScale", s.cols()).data, array<double>(info, 1, "shift", s.cols()).data);
    return info.Env().Undefined();
  }

  Napi::Value certified(const Napi::CallbackInfo& info) {
    Svm& s = problem(info.Env());
    s.certified(array<uint8_t>(info, 0, "out", s.rows()).data);
    return info.Env().Undefined();
  }

  Napi::Value read(const Napi::CallbackInfo& info) { return Napi::Number::New(info.Env(), problem(info.Env()).read()); }
  Napi::Value stored(const Napi::CallbackInfo& info) { return Napi::Number::New(info.Env(), problem(info.Env()).stored()); }
};

void register_svm(Napi::Env env, Napi::Object exports) {
  const Napi::Function svm = SvmHandle::define(env);
  addon(env).svm = Napi::Persistent(svm);
  exports.Set("Svm", svm);
}

}  // namespace fista
