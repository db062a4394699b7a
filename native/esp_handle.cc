// Esp: one separation problem, as the loop in TypeScript holds it.
#include <cstring>

#include "addon.h"
#include "arguments.h"
#include "esp.h"

namespace fista {
namespace {

// A task's name, how many numbers it takes, and what it does. Results go to out.
struct Task {
  const char* name;
  size_t arguments;
  void (*perform)(Esp& esp, const double* a, double* out);
};

const Task kTasks[] = {
    {"begin", 1, [](Esp& e, const double* a, double* out) { e.begin(a[0] != 0, out); }},
    {"sweep", 3, [](Esp& e, const double* a, double* out) { e.sweep(a[0], a[1], a[2] != 0, out); }},
    {"test", 0, [](Esp& e, const double*, double* out) { e.test(out); }},
    {"verify", 0, [](Esp& e, const double*, double* out) { e.verify(out); }},
    {"move", 0, [](Esp& e, const double*, double* out) { e.move(out); }},
    {"power", 1, [](Esp& e, const double* a, double* out) { e.power(a[0] != 0, out); }},
};
constexpr size_t kMostArguments = 3;
constexpr size_t kMostSide = size_t{1} << (sizeof(size_t) > 4 ? 20 : 14);
// More numbers than any array holds, few enough that sums and squares of counts do not overflow.
constexpr size_t kMostEntries = size_t{1} << (sizeof(size_t) > 4 ? 40 : 28);

Esp::Numbers numbers(const Napi::CallbackInfo& info, size_t i, const char* name, size_t least) {
  if (is_array(info[i], napi_float32_array)) return {Values::f32, array<float>(info, i, name, least).data, least};
  return {Values::f64, array<double>(info, i, name, least).data, least};
}

// (centers, kinds, shapes), from argument i on
Esp::Family family(const Napi::CallbackInfo& info, size_t i, size_t cols) {
  const auto kinds = array<uint8_t>(info, i + 1, "kinds", 1);
  size_t entries = 0;
  for (size_t k = 0; k < kinds.size; ++k) {
    if (kinds.data[k] >= Esp::kKinds) refuse(info.Env(), "a kind below 4", "kinds", std::to_string(kinds.data[k]));
    if (kinds.data[k] == Esp::full && cols > kMostSide) refuse(info.Env(), "shapes that fit", "shapes", "more");
    entries += Esp::shape_size(kinds.data[k], cols);
    if (cols > kMostEntries || entries > kMostEntries) refuse(info.Env(), "shapes that fit", "shapes", "more");
  }
  if (cols != 0 && kinds.size > kMostEntries / cols) refuse(info.Env(), "centres that fit", "centers", "more");
  return {kinds.size, kinds.data, numbers(info, i, "centers", kinds.size * cols), numbers(info, i + 2, "shapes", entries)};
}

}  // namespace

class EspHandle : public Napi::ObjectWrap<EspHandle> {
 public:
  // new Esp(onProblem, threads, cols, centers, kinds, shapes, centers, kinds, shapes)
  // An entry that is not finite is handed to onProblem, which throws.
  explicit EspHandle(const Napi::CallbackInfo& info) : Napi::ObjectWrap<EspHandle>(info) {
    const Napi::Env env = info.Env();
    const size_t cols = count(info, 2, "cols");
    const Esp::Family first = family(info, 3, cols), second = family(info, 6, cols);
    auto esp = std::shared_ptr<Esp>(new Esp);
    const Esp::Copied copied = esp->init({addon(env).table, threads(info, 1)}, cols, first, second);
    if (copied.kind == Esp::Copied::out_of_memory) out_of_memory(env);
    if (copied.kind == Esp::Copied::not_finite) {
      info[0].As<Napi::Function>().Call({Napi::Number::New(env, static_cast<double>(copied.family)),
                                         Napi::Number::New(env, static_cast<double>(copied.part)),
                                         Napi::Number::New(env, static_cast<double>(copied.at))});
      return;
    }
    esp_ = std::move(esp);
    result_ = Napi::Persistent(Napi::Float64Array::New(env, Esp::kResults).As<Napi::Object>());
    reported_ = static_cast<int64_t>(esp_->bytes());
    Napi::MemoryManagement::AdjustExternalMemory(env, reported_);
  }

  ~EspHandle() override { release(Env()); }

  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "Esp",
                       {InstanceMethod<&EspHandle::perform>("perform"), InstanceMethod<&EspHandle::later>("later"),
                        InstanceMethod<&EspHandle::accept>("accept"), InstanceMethod<&EspHandle::keep>("keep"),
                        InstanceMethod<&EspHandle::normal>("normal"), InstanceMethod<&EspHandle::origin>("origin"),
                        InstanceMethod<&EspHandle::supports>("supports"), InstanceMethod<&EspHandle::weights>("weights"),
                        InstanceMethod<&EspHandle::sums>("sums"), InstanceMethod<&EspHandle::dispose>("dispose"),
                        InstanceMethod<&EspHandle::apply_a>("applyA"), InstanceMethod<&EspHandle::apply_at>("applyAT"),
                        InstanceAccessor<&EspHandle::unit>("unit")});
  }

 private:
  // A handle that is busy on another thread, or was disposed of, refuses.
  Esp& esp(Napi::Env env) {
    if (busy_) fail(env, "Expected one task at a time but one is still under way", "ERR_BUSY");
    if (!esp_) fail(env, "Expected a live problem but it was disposed of", "ERR_DISPOSED");
    return *esp_;
  }

  struct Call {
    const Task* task = nullptr;
    double a[kMostArguments] = {};
    double out[Esp::kResults] = {};
    void run(Esp& esp) { task->perform(esp, a, out); }
  };

  // (name, ...numbers)
  static Call parse(const Napi::CallbackInfo& info) {
    Call call;
    const std::string name = info[0].IsString() ? info[0].As<Napi::String>().Utf8Value() : "";
    for (const Task& task : kTasks) {
      if (name == task.name) call.task = &task;
    }
    if (call.task == nullptr) refuse(info.Env(), "a task's name", "name", name);
    for (size_t k = 0; k < call.task->arguments; ++k) call.a[k] = number(info, k + 1, call.task->name);
    return call;
  }

  Napi::Value answer(const double* out) {
    const Napi::Object result = result_.Value();
    std::memcpy(result.As<Napi::Float64Array>().Data(), out, Esp::kResults * sizeof(double));
    return result;
  }

  Napi::Value perform(const Napi::CallbackInfo& info) {
    Esp& e = esp(info.Env());
    Call call = parse(info);
    call.run(e);
    return answer(call.out);
  }

  Napi::Value later(const Napi::CallbackInfo& info) {
    esp(info.Env());
    struct State {
      Call call;
      std::shared_ptr<Esp> esp;
      Napi::Promise::Deferred deferred;
      Napi::ObjectReference self;  // keeps the handle alive
      EspHandle* handle;
    };
    auto state = std::shared_ptr<State>(
        new State{parse(info), esp_, Napi::Promise::Deferred::New(info.Env()), Napi::Persistent(Value()), this});
    auto job = std::make_unique<Runner::Job>();
    job->work = [state] { state->call.run(*state->esp); };
    job->done = [state](Napi::Env) {
      state->handle->busy_ = false;
      state->deferred.Resolve(state->handle->answer(state->call.out));
      state->self.Reset();
    };
    addon(info.Env()).runner(info.Env()).submit(std::move(job));
    busy_ = true;
    return state->deferred.Promise();
  }

  Napi::Value accept(const Napi::CallbackInfo& info) {
    esp(info.Env()).accept();
    return info.Env().Undefined();
  }

  Napi::Value keep(const Napi::CallbackInfo& info) {
    esp(info.Env()).keep(info[0].ToBoolean());
    return info.Env().Undefined();
  }

  // Each writes to a Float64Array that is long enough.
  Napi::Value write(const Napi::CallbackInfo& info, size_t length, void (Esp::*what)(double*) const) {
    Esp& e = esp(info.Env());
    (e.*what)(array<double>(info, 0, "out", length).data);
    return info.Env().Undefined();
  }
  Napi::Value normal(const Napi::CallbackInfo& info) { return write(info, esp(info.Env()).cols(), &Esp::normal); }
  Napi::Value origin(const Napi::CallbackInfo& info) { return write(info, esp(info.Env()).cols(), &Esp::origin); }
  Napi::Value supports(const Napi::CallbackInfo& info) { return write(info, esp(info.Env()).count(), &Esp::supports); }
  Napi::Value weights(const Napi::CallbackInfo& info) { return write(info, esp(info.Env()).count(), &Esp::weights); }
  Napi::Value sums(const Napi::CallbackInfo& info) { return write(info, 2 * esp(info.Env()).cols(), &Esp::sums); }

  // applyA(l, p, out)
  Napi::Value apply_a(const Napi::CallbackInfo& info) {
    Esp& e = esp(info.Env());
    e.apply_a(array<double>(info, 0, "l", e.count()).data, array<double>(info, 1, "p", e.p_size()).data,
              array<double>(info, 2, "out", e.cols() + 2).data);
    return info.Env().Undefined();
  }

  // applyAT(v, l, p)
  Napi::Value apply_at(const Napi::CallbackInfo& info) {
    Esp& e = esp(info.Env());
    e.apply_at(array<double>(info, 0, "v", e.cols() + 2).data, array<double>(info, 1, "l", e.count()).data,
               array<double>(info, 2, "p", e.p_size()).data);
    return info.Env().Undefined();
  }

  Napi::Value unit(const Napi::CallbackInfo& info) { return Napi::Number::New(info.Env(), esp(info.Env()).unit()); }

  Napi::Value dispose(const Napi::CallbackInfo& info) {
    if (busy_) esp(info.Env());
    release(info.Env());
    return info.Env().Undefined();
  }

  void release(Napi::Env env) {
    if (!esp_) return;
    esp_.reset();
    Napi::MemoryManagement::AdjustExternalMemory(env, -reported_);
  }

  std::shared_ptr<Esp> esp_;
  Napi::ObjectReference result_;
  int64_t reported_ = 0;  // bytes the garbage collector was told of
  bool busy_ = false;
};

void register_esp(Napi::Env env, Napi::Object exports) { exports.Set("Esp", EspHandle::define(env)); }

}  // namespace fista
