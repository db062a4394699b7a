// Esp: the JavaScript handle of a separation problem.
#include "esp_tasks.h"
#include "problem_handle.h"

namespace fista {
namespace {

// The limit on the side of a full matrix, whose square does not overflow.
constexpr size_t kMaxSide = size_t{1} << (sizeof(size_t) > 4 ? 20 : 14);
// The limit on numbers: more than any array holds, yet sums of counts do not overflow.
constexpr size_t kMaxEntries = size_t{1} << (sizeof(size_t) > 4 ? 40 : 28);

Esp::Numbers numbers(const Napi::CallbackInfo& info, size_t i, const char* name, size_t min) {
  if (is_array(info[i], napi_float32_array)) return {Values::f32, array<float>(info, i, name, min).data, min};
  return {Values::f64, array<double>(info, i, name, min).data, min};
}

// Reads a family from three arguments, the first of them i: (centers, kinds, shapes)
Esp::Family family(const Napi::CallbackInfo& info, size_t i, size_t cols) {
  const auto kinds = array<uint8_t>(info, i + 1, "kinds", 1);
  size_t entries = 0;
  for (size_t k = 0; k < kinds.size; ++k) {
    if (kinds.data[k] >= Esp::kKinds) refuse(info.Env(), "a kind below 4", "kinds", std::to_string(kinds.data[k]));
    if (kinds.data[k] == Esp::full && cols > kMaxSide) refuse(info.Env(), "shapes that fit", "shapes", "more");
    entries += Esp::shape_size(kinds.data[k], cols);
    if (cols > kMaxEntries || entries > kMaxEntries) refuse(info.Env(), "shapes that fit", "shapes", "more");
  }
  if (cols != 0 && kinds.size > kMaxEntries / cols) refuse(info.Env(), "centres that fit", "centers", "more");
  return {kinds.size, kinds.data, numbers(info, i, "centers", kinds.size * cols), numbers(info, i + 2, "shapes", entries)};
}

}  // namespace

class EspHandle : public ProblemHandle<EspHandle, Esp> {
 public:
  static constexpr auto& kTasks = kEspTasks;

  // new Esp(onDefect, threads, cols, centers, kinds, shapes, centers, kinds, shapes)
  // If a number is not finite, onDefect(family, part, at) is called, and throws.
  explicit EspHandle(const Napi::CallbackInfo& info) : ProblemHandle(info) {
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
    hold(env, std::move(esp));
  }

  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "Esp",
                       {InstanceMethod("perform", &EspHandle::perform), InstanceMethod("later", &EspHandle::later),
                        InstanceMethod("accept", &EspHandle::accept), InstanceMethod("dispose", &EspHandle::dispose),
                        InstanceMethod("keep", &EspHandle::keep), InstanceMethod("normal", &EspHandle::normal),
                        InstanceMethod("origin", &EspHandle::origin), InstanceMethod("supports", &EspHandle::supports),
                        InstanceMethod("weights", &EspHandle::weights), InstanceMethod("sums", &EspHandle::sums),
                        InstanceMethod("applyA", &EspHandle::apply_a), InstanceMethod("applyAT", &EspHandle::apply_at),
                        InstanceAccessor<&EspHandle::unit>("unit"), StaticValue("tasks", describe_tasks(env), napi_enumerable)});
  }

 private:
  Napi::Value keep(const Napi::CallbackInfo& info) {
    problem(info.Env()).keep(info[0].ToBoolean());
    return info.Env().Undefined();
  }

  Napi::Value normal(const Napi::CallbackInfo& info) { return write(info, problem(info.Env()).cols(), &Esp::normal); }
  Napi::Value origin(const Napi::CallbackInfo& info) { return write(info, problem(info.Env()).cols(), &Esp::origin); }
  Napi::Value supports(const Napi::CallbackInfo& info) { return write(info, problem(info.Env()).count(), &Esp::supports); }
  Napi::Value weights(const Napi::CallbackInfo& info) { return write(info, problem(info.Env()).count(), &Esp::weights); }
  Napi::Value sums(const Napi::CallbackInfo& info) { return write(info, 2 * problem(info.Env()).cols(), &Esp::sums); }

  // applyA(l, p, out)
  Napi::Value apply_a(const Napi::CallbackInfo& info) {
    Esp& e = problem(info.Env());
    e.apply_a(array<double>(info, 0, "l", e.count()).data, array<double>(info, 1, "p", e.p_size()).data,
              array<double>(info, 2, "out", e.cols() + 2).data);
    return info.Env().Undefined();
  }

  // applyAT(v, l, p)
  Napi::Value apply_at(const Napi::CallbackInfo& info) {
    Esp& e = problem(info.Env());
    e.apply_at(array<double>(info, 0, "v", e.cols() + 2).data, array<double>(info, 1, "l", e.count()).data,
               array<double>(info, 2, "p", e.p_size()).data);
    return info.Env().Undefined();
  }

  Napi::Value unit(const Napi::CallbackInfo& info) { return Napi::Number::New(info.Env(), problem(info.Env()).unit()); }
};

void register_esp(Napi::Env env, Napi::Object exports) { exports.Set("Esp", EspHandle::define(env)); }

}  // namespace fista
