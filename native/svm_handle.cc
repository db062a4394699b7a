// Svm: one training problem, as the loop in TypeScript holds it.
#include <cstring>

#include "addon.h"
#include "arguments.h"
#include "matrix_handle.h"
#include "svm.h"

namespace fista {
namespace {

// A task's name, how many numbers it takes, and what it does. Results go to out.
struct Task {
  const char* name;
  size_t arguments;
  bool (*perform)(Svm& svm, const double* a, double* out);  // false: no memory
};

const Task kTasks[] = {
    {"begin", 1, [](Svm& s, const double* a, double* out) { return s.begin(a[0] != 0, out); }},
    {"step", 2, [](Svm& s, const double* a, double* out) { return s.step(a[0], a[1], out), true; }},
    {"look", 0, [](Svm& s, const double*, double* out) { return s.look(out), true; }},
    {"offsets", 5, [](Svm& s, const double* a, double* out) { return s.offsets(a[0], a[1], a[2], a[3], a[4], out), true; }},
    {"gap", 3, [](Svm& s, const double* a, double* out) { return s.gap(a[0], a[1], a[2], out), true; }},
    {"claim", 10,
     [](Svm& s, const double* a, double* out) {
       return s.claim(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], out), true;
     }},
    {"forget", 0, [](Svm& s, const double*, double*) { return s.forget(), true; }},
    {"rest", 3, [](Svm& s, const double* a, double* out) { return s.rest(a[0], a[1], a[2], out), true; }},
    {"wake", 0, [](Svm& s, const double*, double* out) { return s.wake(out), true; }},
    {"power", 1, [](Svm& s, const double* a, double* out) { return s.power(a[0] != 0, out), true; }},
    {"score", 1, [](Svm& s, const double* a, double* out) { return s.score(a[0], out); }},
};
constexpr size_t kMostArguments = 10;

}  // namespace

class SvmHandle : public Napi::ObjectWrap<SvmHandle> {
 public:
  // new Svm(matrix, y, gamma (by row, or one for all), mu, scale: 0 none, 1 standard, 2 maxabs, threads, lane = 0)
  explicit SvmHandle(const Napi::CallbackInfo& info) : Napi::ObjectWrap<SvmHandle>(info) {
    const Napi::Env env = info.Env();
    const std::shared_ptr<Matrix> X = MatrixHandle::matrix_of(info[0]);
    const auto y = array<int8_t>(info, 1, "y", X->rows());
    const auto gamma = array<double>(info, 2, "gamma", 1);
    const bool per_row = gamma.size > 1;
    if (per_row) array<double>(info, 2, "gamma", X->rows());
    const double mu = number(info, 3, "mu");
    const size_t scale = count(info, 4, "scale");
    if (scale > 2) refuse(env, "0, 1 or 2", "scale", std::to_string(scale));
    if (!info[6].IsUndefined()) lane_ = count(info, 6, "lane");
    if (lane_ >= Addon::kLanes) refuse(env, "a number below " + std::to_string(Addon::kLanes), "lane", std::to_string(lane_));
    svm_ = std::shared_ptr<Svm>(new Svm);
    if (!svm_->init({addon(env).table, threads(info, 5)}, X, y.data, gamma.data, per_row, mu, static_cast<Svm::Scale>(scale))) {
      svm_.reset();
      out_of_memory(env);
    }
    result_ = Napi::Persistent(Napi::Float64Array::New(env, Svm::kResults).As<Napi::Object>());
    reported_ = static_cast<int64_t>(svm_->bytes());
    Napi::MemoryManagement::AdjustExternalMemory(env, reported_);
  }

  ~SvmHandle() override { release(Env()); }

  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "Svm",
                       {InstanceMethod<&SvmHandle::perform>("perform"), InstanceMethod<&SvmHandle::later>("later"),
                        InstanceMethod<&SvmHandle::accept>("accept"), InstanceMethod<&SvmHandle::weights>("weights"),
                        InstanceMethod<&SvmHandle::columns>("columns"), InstanceMethod<&SvmHandle::alpha>("alpha"),
                        InstanceMethod<&SvmHandle::facts>("facts"), InstanceMethod<&SvmHandle::dispose>("dispose"),
                        InstanceAccessor<&SvmHandle::read>("read"), InstanceAccessor<&SvmHandle::stored>("stored")});
  }

 private:
  // A handle that is busy on another thread, or was disposed of, refuses.
  Svm& svm(Napi::Env env) {
    if (busy_) fail(env, "Expected one task at a time but one is still under way", "ERR_BUSY");
    if (!svm_) fail(env, "Expected a live problem but it was disposed of", "ERR_DISPOSED");
    return *svm_;
  }

  struct Call {
    const Task* task = nullptr;  // null: warm
    double a[kMostArguments] = {};
    Buffer<double> w;
    bool run(Svm& svm, double* out) const {
      if (task) return task->perform(svm, a, out);
      svm.warm(w.data(), a[0]);
      return true;
    }
  };

  // (name, ...numbers); or ('warm', w, t)
  Call parse(const Napi::CallbackInfo& info) {
    Call call;
    const std::string name = info[0].IsString() ? info[0].As<Napi::String>().Utf8Value() : "";
    if (name == "warm") {
      const auto w = array<double>(info, 1, "w", svm_->cols());
      if (!call.w.allocate(svm_->cols())) out_of_memory(info.Env());
      if (svm_->cols()) std::memcpy(call.w.data(), w.data, svm_->cols() * sizeof(double));
      call.a[0] = number(info, 2, "t");
      return call;
    }
    for (const Task& task : kTasks) {
      if (name == task.name) call.task = &task;
    }
    if (call.task == nullptr) refuse(info.Env(), "a task's name", "name", name);
    for (size_t k = 0; k < call.task->arguments; ++k) call.a[k] = number(info, k + 1, call.task->name);
    return call;
  }

  Napi::Value answer(const double* out) {
    const Napi::Object result = result_.Value();
    std::memcpy(result.As<Napi::Float64Array>().Data(), out, Svm::kResults * sizeof(double));
    return result;
  }

  Napi::Value perform(const Napi::CallbackInfo& info) {
    Svm& s = svm(info.Env());
    const Call call = parse(info);
    double out[Svm::kResults] = {};
    if (!call.run(s, out)) out_of_memory(info.Env());
    return answer(out);
  }

  Napi::Value later(const Napi::CallbackInfo& info) {
    svm(info.Env());
    struct State {
      Call call;
      std::shared_ptr<Svm> svm;
      double out[Svm::kResults];
      bool ok;
      Napi::Promise::Deferred deferred;
      Napi::ObjectReference self;  // keeps the handle alive
      SvmHandle* handle;
    };
    auto state = std::shared_ptr<State>(
        new State{parse(info), svm_, {}, false, Napi::Promise::Deferred::New(info.Env()), Napi::Persistent(Value()), this});
    auto job = std::make_unique<Runner::Job>();
    job->work = [state] { state->ok = state->call.run(*state->svm, state->out); };
    job->done = [state](Napi::Env env) {
      state->handle->busy_ = false;
      if (state->ok) {
        state->deferred.Resolve(state->handle->answer(state->out));
      } else {
        state->deferred.Reject(error_of(env, "Out of memory", "ERR_MEMORY").Value());
      }
      state->self.Reset();
    };
    addon(info.Env()).runner(info.Env(), lane_).submit(std::move(job));
    busy_ = true;
    return state->deferred.Promise();
  }

  Napi::Value accept(const Napi::CallbackInfo& info) {
    svm(info.Env()).accept();
    return info.Env().Undefined();
  }

  Napi::Value weights(const Napi::CallbackInfo& info) {
    Svm& s = svm(info.Env());
    s.weights(array<double>(info, 0, "out", s.cols()).data);
    return info.Env().Undefined();
  }

  // columns(inverseScale, shift)
  Napi::Value columns(const Napi::CallbackInfo& info) {
    Svm& s = svm(info.Env());
    s.columns(array<double>(info, 0, "inverseScale", s.cols()).data, array<double>(info, 1, "shift", s.cols()).data);
    return info.Env().Undefined();
  }

  Napi::Value alpha(const Napi::CallbackInfo& info) {
    Svm& s = svm(info.Env());
    s.alpha(array<double>(info, 0, "out", s.rows()).data);
    return info.Env().Undefined();
  }

  Napi::Value facts(const Napi::CallbackInfo& info) {
    Svm& s = svm(info.Env());
    s.facts(array<uint8_t>(info, 0, "out", s.rows()).data);
    return info.Env().Undefined();
  }

  Napi::Value read(const Napi::CallbackInfo& info) { return Napi::Number::New(info.Env(), svm(info.Env()).read()); }

  Napi::Value stored(const Napi::CallbackInfo& info) { return Napi::Number::New(info.Env(), svm(info.Env()).stored()); }

  Napi::Value dispose(const Napi::CallbackInfo& info) {
    if (busy_) svm(info.Env());
    release(info.Env());
    return info.Env().Undefined();
  }

  void release(Napi::Env env) {
    if (!svm_) return;
    svm_.reset();
    Napi::MemoryManagement::AdjustExternalMemory(env, -reported_);
  }

  std::shared_ptr<Svm> svm_;
  Napi::ObjectReference result_;
  int64_t reported_ = 0;  // bytes the garbage collector was told of
  size_t lane_ = 0;
  bool busy_ = false;
};

void register_svm(Napi::Env env, Napi::Object exports) { exports.Set("Svm", SvmHandle::define(env)); }

}  // namespace fista
