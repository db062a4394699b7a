// Svm: one training problem, as the loop in TypeScript holds it.
#include "interrupt_handle.h"
#include "matrix_handle.h"
#include "problem_handle.h"
#include "svm.h"

namespace fista {

class SvmHandle : public ProblemHandle<SvmHandle, Svm> {
 public:
  static const Task<Svm> kTasks[];

  // ('warm', w, t), and ('model', weights, t), which writes to them: nobody else has them before the task is done.
  struct Extra {
    Buffer<double> w;
    double* weights = nullptr;
    std::shared_ptr<Napi::ObjectReference> held;
    bool run(Svm& svm, const double* a, double* out) const {
      if (weights != nullptr) {
        svm.model(weights, a[0], out);
      } else {
        svm.warm(w.data(), a[0]);
      }
      return true;
    }
    bool at_once() const { return weights != nullptr; }
  };
  static bool parse_extra(Svm& svm, const std::string& name, const Napi::CallbackInfo& info, double* a, Extra* extra) {
    if (name == "model") {
      static double none;
      const auto weights = array<double>(info, 1, "weights", svm.width());
      extra->weights = weights.size > 0 ? weights.data : &none;
      extra->held = std::shared_ptr<Napi::ObjectReference>(new Napi::ObjectReference(Napi::Persistent(info[1].As<Napi::Object>())));
    } else if (name == "warm") {
      const auto w = array<double>(info, 1, "w", svm.cols());
      if (!extra->w.allocate(svm.cols())) out_of_memory(info.Env());
      if (svm.cols()) std::memcpy(extra->w.data(), w.data, svm.cols() * sizeof(double));
    } else {
      return false;
    }
    a[0] = number(info, 2, "t");
    return true;
  }

  // new Svm(matrix, y, gamma (by row, or one for all), mu, scale: 0 none, 1 standard, 2 maxabs, threads, lane = 0,
  // interrupt = none)
  explicit SvmHandle(const Napi::CallbackInfo& info) : ProblemHandle(info) {
    const Napi::Env env = info.Env();
    const std::shared_ptr<Matrix> X = MatrixHandle::matrix_of(info[0]);
    const auto y = array<int8_t>(info, 1, "y", X->rows());
    const auto gamma = array<double>(info, 2, "gamma", 1);
    const bool per_row = gamma.size > 1;
    if (per_row) array<double>(info, 2, "gamma", X->rows());
    const double mu = number(info, 3, "mu");
    const size_t scale = count(info, 4, "scale");
    if (scale > 2) refuse(env, "0, 1 or 2", "scale", std::to_string(scale));
    const size_t lane = info[6].IsUndefined() ? 0 : count(info, 6, "lane");
    if (lane >= Addon::kLanes) refuse(env, "a number below " + std::to_string(Addon::kLanes), "lane", std::to_string(lane));
    auto svm = std::shared_ptr<Svm>(new Svm);
    if (!svm->init({addon(env).table, threads(info, 5)}, X, y.data, gamma.data, per_row, mu, static_cast<Svm::Scale>(scale),
                   InterruptHandle::interrupt_of(info[7]))) {
      out_of_memory(env);
    }
    hold(env, std::move(svm), lane);
  }

  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "Svm",
                       {InstanceMethod("perform", &SvmHandle::perform), InstanceMethod("later", &SvmHandle::later),
                        InstanceMethod("accept", &SvmHandle::accept), InstanceMethod("dispose", &SvmHandle::dispose),
                        InstanceMethod("weights", &SvmHandle::weights), InstanceMethod("columns", &SvmHandle::columns),
                        InstanceMethod("alpha", &SvmHandle::alpha), InstanceMethod("certified", &SvmHandle::certified),
                        InstanceAccessor<&SvmHandle::read>("read"), InstanceAccessor<&SvmHandle::stored>("stored")});
  }

 private:
  Napi::Value weights(const Napi::CallbackInfo& info) { return write(info, problem(info.Env()).cols(), &Svm::weights); }
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

const Task<Svm> SvmHandle::kTasks[] = {
    {"begin", 1, [](Svm& s, const double* a, double* out) { return s.begin(a[0] != 0, out); }},
    {"ascend", 4, [](Svm& s, const double* a, double* out) { return s.ascend(a[0], a[1], a[2], a[3] != 0, out), true; }},
    {"settle", 0, [](Svm& s, const double*, double*) { return s.settle(), true; }},
    {"step", 2, [](Svm& s, const double* a, double* out) { return s.step(a[0], a[1], out), true; }},
    {"refresh", 0, [](Svm& s, const double*, double* out) { return s.look(out), true; }},
    {"offsets", 5, [](Svm& s, const double* a, double* out) { return s.offsets(a[0], a[1], a[2], a[3], a[4], out), true; }},
    {"gap", 3, [](Svm& s, const double* a, double* out) { return s.gap(a[0], a[1], a[2], out), true; }},
    {"certify", 10,
     [](Svm& s, const double* a, double* out) {
       return s.certify(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], out), true;
     },
     true},
    {"forget", 0, [](Svm& s, const double*, double*) { return s.forget(), true; }, true},
    {"keep", 1, [](Svm& s, const double* a, double*) { return s.keep(a[0] != 0); }, true},
    {"restore", 0, [](Svm& s, const double*, double*) { return s.restore(), true; }, true},
    {"shrink", 3, [](Svm& s, const double* a, double* out) { return s.shrink(a[0], a[1], a[2], out), true; }},
    {"unshrink", 0, [](Svm& s, const double*, double* out) { return s.unshrink(out), true; }},
    {"power", 1, [](Svm& s, const double* a, double* out) { return s.power(a[0] != 0, out), true; }},
    {"score", 1, [](Svm& s, const double* a, double* out) { return s.score(a[0], out); }, true},
};

void register_svm(Napi::Env env, Napi::Object exports) { exports.Set("Svm", SvmHandle::define(env)); }

}  // namespace fista
