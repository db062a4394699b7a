// What the handles of a training and of a separation have in common: a problem that performs tasks by name, on the caller's thread
// or on a runner's, one at a time.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "addon.h"
#include "arguments.h"

namespace fista {

// A task's name, how many numbers it takes, and what it does; false if there is no memory. Results go to out. One that is done
// `at_once` answers even if the problem was interrupted; the others fail then.
template <typename Problem>
struct Task {
  const char* name;
  size_t arguments;
  bool (*perform)(Problem& problem, const double* a, double* out);
  bool at_once = false;
};

// Problem has kResults, bytes(), accept() and interrupted(). Self has `static const Task<Problem> kTasks[]`, and may hide Extra and
// parse_extra for tasks that take more than numbers.
template <typename Self, typename Problem>
class ProblemHandle : public Napi::ObjectWrap<Self> {
 public:
  explicit ProblemHandle(const Napi::CallbackInfo& info) : Napi::ObjectWrap<Self>(info) {}
  ~ProblemHandle() override { release(this->Env()); }

 protected:
  static constexpr size_t kMaxArguments = 10;

  // A task that takes more than numbers.
  struct Extra {
    bool run(Problem&, const double*, double*) const { return false; }
    bool at_once() const { return false; }
  };
  static bool parse_extra(Problem&, const std::string&, const Napi::CallbackInfo&, double*, Extra*) { return false; }

  // Takes a problem over, which does its later tasks on that lane.
  void hold(Napi::Env env, std::shared_ptr<Problem> problem, size_t lane = 0) {
    problem_ = std::move(problem);
    lane_ = lane;
    result_ = Napi::Persistent(Napi::Float64Array::New(env, Problem::kResults).template As<Napi::Object>());
    reported_ = static_cast<int64_t>(problem_->bytes());
    Napi::MemoryManagement::AdjustExternalMemory(env, reported_);
  }

  // A handle that is busy on another thread, or was disposed of, refuses.
  Problem& problem(Napi::Env env) const {
    if (busy_) fail(env, "Expected one task at a time but one is still under way", "ERR_BUSY");
    if (!problem_) fail(env, "Expected a live problem but it was disposed of", "ERR_DISPOSED");
    return *problem_;
  }

  // (name, ...numbers)
  Napi::Value perform(const Napi::CallbackInfo& info) {
    Problem& p = problem(info.Env());
    const Call call = parse(info);
    double out[Problem::kResults] = {};
    if (!call.run(p, out)) out_of_memory(info.Env());
    if (call.cut_short(p)) throw interrupted(info.Env());
    return answer(out);
  }

  Napi::Value later(const Napi::CallbackInfo& info) {
    problem(info.Env());
    struct State {
      Call call;
      std::shared_ptr<Problem> problem;
      double out[Problem::kResults];
      bool ok;
      Napi::Promise::Deferred deferred;
      Napi::ObjectReference self;  // keeps the handle alive
      ProblemHandle* handle;
    };
    auto state = std::shared_ptr<State>(new State{
        parse(info), problem_, {}, false, Napi::Promise::Deferred::New(info.Env()), Napi::Persistent(this->Value()), this});
    auto job = std::make_unique<Runner::Job>();
    job->work = [state] { state->ok = state->call.run(*state->problem, state->out); };
    job->done = [state](Napi::Env env) {
      state->handle->busy_ = false;
      if (!state->ok) {
        state->deferred.Reject(error_of(env, "Out of memory", "ERR_MEMORY").Value());
      } else if (state->call.cut_short(*state->problem)) {
        state->deferred.Reject(interrupted(env).Value());
      } else {
        state->deferred.Resolve(state->handle->answer(state->out));
      }
      state->self.Reset();
    };
    addon(info.Env()).runner(info.Env(), lane_).submit(std::move(job));
    busy_ = true;
    return state->deferred.Promise();
  }

  Napi::Value accept(const Napi::CallbackInfo& info) {
    problem(info.Env()).accept();
    return info.Env().Undefined();
  }

  // Writes to a Float64Array that is long enough.
  Napi::Value write(const Napi::CallbackInfo& info, size_t length, void (Problem::*what)(double*) const) const {
    const Problem& p = problem(info.Env());
    (p.*what)(array<double>(info, 0, "out", length).data);
    return info.Env().Undefined();
  }

  Napi::Value dispose(const Napi::CallbackInfo& info) {
    if (busy_) problem(info.Env());
    std::shared_ptr<Problem> held = problem_;
    release(info.Env());
    if (held) free_later(info.Env(), std::move(held));
    return info.Env().Undefined();
  }

 private:
  struct Call {
    const Task<Problem>* task = nullptr;  // null: the extra one
    double a[kMaxArguments] = {};
    typename Self::Extra extra;
    bool run(Problem& problem, double* out) const { return task ? task->perform(problem, a, out) : extra.run(problem, a, out); }
    bool cut_short(const Problem& problem) const { return problem.interrupted() && !(task ? task->at_once : extra.at_once()); }
  };

  Call parse(const Napi::CallbackInfo& info) const {
    Call call;
    const std::string name = info[0].IsString() ? info[0].As<Napi::String>().Utf8Value() : "";
    if (Self::parse_extra(*problem_, name, info, call.a, &call.extra)) return call;
    for (const Task<Problem>& task : Self::kTasks) {
      if (name != task.name) continue;
      call.task = &task;
      break;
    }
    if (call.task == nullptr) refuse(info.Env(), "a task's name", "name", name);
    for (size_t k = 0; k < call.task->arguments; ++k) call.a[k] = number(info, k + 1, call.task->name);
    return call;
  }

  Napi::Value answer(const double* out) {
    const Napi::Object result = result_.Value();
    std::memcpy(result.As<Napi::Float64Array>().Data(), out, Problem::kResults * sizeof(double));
    return result;
  }

  void release(Napi::Env env) {
    if (!problem_) return;
    problem_.reset();
    Napi::MemoryManagement::AdjustExternalMemory(env, -reported_);
  }

  std::shared_ptr<Problem> problem_;
  Napi::ObjectReference result_;
  int64_t reported_ = 0;  // bytes the garbage collector was told of
  size_t lane_ = 0;
  bool busy_ = false;
};

}  // namespace fista
