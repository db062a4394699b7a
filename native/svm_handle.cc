// Svm: the JavaScript handle of a training problem.
#include "interrupt_handle.h"
#include "matrix_handle.h"
#include "problem_handle.h"
#include "svm.h"

namespace fista {

namespace {

// In the order of SVM_TASKS in lib/backend/tasks.ts.
constexpr Task<Svm> kSvmTasks[] = {
    {"begin",
     {{"curvature"}},
     answers<Svm::BeginAnswer>("curvature", "weightSum", "spread", "radiusSquares", "maxRadius", "centreNorm", "maxEntries",
                               "maxSquaredNorm", "shiftNorm", "largestColumn"),
     [](Svm& s, const Given& a, double* out) {
       Svm::BeginAnswer answer{};
       return s.begin(a.flag(0), answer) && put(answer, out);
     }},
    {"regularize", {{"gamma", "mu"}}, {}, [](Svm& s, const Given& a, double*) { return s.regularize(a[0], a[1]), true; }},
    {"warm",
     {{"w", "t", "dual"}},
     {},
     [](Svm& s, const Given& a, double*) { return s.warm(a.vector, a[1], a.flag(2)), true; },
     Task<Svm>::until_interrupted,
     Task<Svm>::copied,
     [](const Svm& s) { return s.cols(); }},
    {"ascend",
     {{"offset", "weight", "delta", "all"}},
     answers<Svm::AscendAnswer>("fenchelYoung", "loss", "wSquared", "offset", "t"),
     [](Svm& s, const Given& a, double* out) { return put(s.ascend(a[0], a[1], a[2], a.flag(3)), out); }},
    {"settle", {{"back"}}, {}, [](Svm& s, const Given& a, double*) { return s.settle(a.flag(0)), true; }},
    {"step",
     {{"L", "beta"}},
     answers<Svm::StepAnswer>("squared", "curvature", "magnitude", "lambda"),
     [](Svm& s, const Given& a, double* out) { return put(s.step(a[0], a[1]), out); }},
    {"refresh",
     {{"all"}},
     answers<Svm::RefreshAnswer>("wSquared", "centreDot"),
     [](Svm& s, const Given& a, double* out) { return put(s.refresh(a.flag(0)), out); }},
    {"offsets",
     {{"low", "high", "rho", "wNorm", "etaT"}},
     answers<Svm::OffsetsAnswer>("positiveLow", "negativeLow", "freeLow", "positiveHigh", "negativeHigh", "freeHigh"),
     [](Svm& s, const Given& a, double* out) { return put(s.offsets(a[0], a[1], a[2], a[3], a[4]), out); }},
    {"gap",
     {{"t", "wNorm", "etaT"}},
     answers<Svm::GapAnswer>("fenchelYoung", "rounding", "loss", "alphaSum", "balance", "alphaRadius", "residualSquared",
                             "errorSquared"),
     [](Svm& s, const Given& a, double* out) { return put(s.gap(a[0], a[1], a[2]), out); }},
    {"certify",
     {{"low", "high", "rho", "wNorm", "etaT", "delta", "ball", "t", "guardR", "guard"}},
     answers<Svm::CertifyAnswer>("agreed", "properlyClassified", "zero", "atBound"),
     [](Svm& s, const Given& a, double* out) {
       return put(s.certify(a[0], a[1], a[2], a[3], a[4], a[5], a.flag(6), a[7], a[8], a[9]), out);
     },
     Task<Svm>::at_once},
    {"forget", {}, {}, [](Svm& s, const Given&, double*) { return s.forget(), true; }, Task<Svm>::at_once},
    {"shrink",
     {{"low", "high", "delta"}},
     answers<Svm::ActiveAnswer>("active"),
     [](Svm& s, const Given& a, double* out) { return put(s.shrink(a[0], a[1], a[2]), out); }},
    {"unshrink",
     {},
     answers<Svm::ActiveAnswer>("active"),
     [](Svm& s, const Given&, double* out) { return put(s.unshrink(), out); }},
    {"gradient",
     {{"t", "first"}},
     answers<Svm::GradientAnswer>("squared"),
     [](Svm& s, const Given& a, double* out) {
       Svm::GradientAnswer answer{};
       return s.gradient(a[0], a.flag(1), answer) && put(answer, out);
     }},
    {"linearize",
     {},
     answers<Svm::ResidualAnswer>("residual"),
     [](Svm& s, const Given&, double* out) {
       Svm::ResidualAnswer answer{};
       return s.linearize(answer) && put(answer, out);
     }},
    {"conjugate",
     {},
     answers<Svm::ResidualAnswer>("residual"),
     [](Svm& s, const Given&, double* out) { return put(s.conjugate(), out); }},
    {"direction",
     {},
     answers<Svm::DirectionAnswer>("tau", "along", "squared"),
     [](Svm& s, const Given&, double* out) { return put(s.direction(), out); }},
    {"slope",
     {{"t", "tau", "length"}},
     answers<Svm::SlopeAnswer>("slope", "curvature"),
     [](Svm& s, const Given& a, double* out) { return put(s.slope(a[0], a[1], a[2]), out); }},
    {"move", {{"length"}}, {}, [](Svm& s, const Given& a, double*) { return s.move(a[0]), true; }},
    {"power",
     {{"first"}},
     answers<Svm::PowerAnswer>("estimate"),
     [](Svm& s, const Given& a, double* out) { return put(s.power(a.flag(0)), out); }},
    {"score",
     {{"t"}},
     answers<Svm::ScoreAnswer>("positiveRight", "positive", "negativeRight", "negative", "hinge"),
     [](Svm& s, const Given& a, double* out) {
       Svm::ScoreAnswer answer{};
       return s.score(a[0], answer) && put(answer, out);
     },
     Task<Svm>::at_once},
    {"keep", {{"alpha"}}, {}, [](Svm& s, const Given& a, double*) { return s.keep(a.flag(0)); }, Task<Svm>::at_once},
    {"restore", {}, {}, [](Svm& s, const Given&, double*) { return s.restore(), true; }, Task<Svm>::at_once},
    {"model",
     {{"weights", "t"}},
     answers<Svm::ModelAnswer>("bias"),
     [](Svm& s, const Given& a, double* out) { return put(s.model(a.vector, a[1]), out); },
     Task<Svm>::at_once,
     Task<Svm>::written,
     [](const Svm& s) { return s.width(); }},
};

}  // namespace

class SvmHandle : public ProblemHandle<SvmHandle, Svm> {
 public:
  static constexpr auto& kTasks = kSvmTasks;

  // new Svm(matrix, y, weight (by row, or one for all), scale: 0 none, 1 standard, 2 maxabs, or 1 / scale by column, threads,
  //         lane = 0, interrupt = none, rows that y and weight are about, ascending = all, like = none: Given in svm.h)
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
      given.rows = rows.data;
      given.count = rows.size;
    }
    given.y = array<int8_t>(info, 1, "y", given.count).data;
    const auto weight = array<double>(info, 2, "weight", 1);
    given.weight = weight.data;
    given.per_row = weight.size > 1;
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
    auto svm = std::shared_ptr<Svm>(new Svm);
    if (!svm->init({addon(env).table, threads(info, 4)}, X, given, InterruptHandle::interrupt_of(info[6]))) out_of_memory(env);
    hold(env, std::move(svm), lane);
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
