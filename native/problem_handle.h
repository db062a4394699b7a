// The base of SvmHandle and EspHandle: a problem that performs tasks by name, one at a time, on the caller's thread or on a
// runner's.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "addon.h"
#include "arguments.h"
#include "buffer.h"
#include "task.h"

namespace fista {

// Problem has bytes(), accept() and interrupted(). Self has kTasks, an array of Task<Problem>.
template <typename Self, typename Problem>
class ProblemHandle : public Napi::ObjectWrap<Self> {
 public:
  explicit ProblemHandle(const Napi::CallbackInfo& info) : Napi::ObjectWrap<Self>(info) {}
  // The error of data that could not be read during a task; an empty one if all could. Self may have its own.
  static Napi::Error failure(Napi::Env, const Problem&) { return {}; }
  ~ProblemHandle() override { release(this->Env()); }

 protected:
  // [{ name, takes, answers }], in the order of the table
  static Napi::Array describe_tasks(Napi::Env env) {
    const auto list = [&](const char* const* names, size_t max) {
      Napi::Array array = Napi::Array::New(env);
      for (uint32_t k = 0; k < max && names[k] != nullptr; ++k) array.Set(k, names[k]);
      return array;
    };
    Napi::Array tasks = Napi::Array::New(env);
    for (const Task<Problem>& task : Self::kTasks) {
      Napi::Object object = Napi::Object::New(env);
      object.Set("name", task.name);
      object.Set("takes", list(task.takes.names, kMaxTaken));
      object.Set("answers", list(task.answers.names, kResults));
      tasks.Set(tasks.Length(), object);
    }
    return tasks;
  }

  // Takes over a problem, whose asynchronous tasks run on that lane.
  void hold(Napi::Env env, std::shared_ptr<Problem> problem, size_t lane = 0) {
    problem_ = std::move(problem);
    lane_ = lane;
    result_ = Napi::Persistent(Napi::Float64Array::New(env, kResults).template As<Napi::Object>());
    reported_ = static_cast<int64_t>(problem_->bytes());
    Napi::MemoryManagement::AdjustExternalMemory(env, reported_);
  }

  // Throws if a task is under way on another thread, or the handle was disposed of.
  Problem& problem(Napi::Env env) const {
    if (busy_) fail(env, "Expected one task at a time but one is still under way", "ERR_BUSY");
    if (!problem_) fail(env, "Expected a live problem but it was disposed of", "ERR_DISPOSED");
    return *problem_;
  }

  std::shared_ptr<const Problem> held() const { return problem_; }

  // perform(name, ...arguments): the task's answer
  Napi::Value perform(const Napi::CallbackInfo& info) {
    Problem& p = problem(info.Env());
    const Call call = parse(info);
    double out[kResults] = {};
    const bool ok = call.run(p, out);
    throw_failure(info.Env(), p);
    if (!ok) out_of_memory(info.Env());
    if (call.cut_short(p)) throw interrupted(info.Env());
    return answer(out);
  }

  // later(name, ...arguments): a promise of the answer, computed on a runner
  Napi::Value later(const Napi::CallbackInfo& info) {
    problem(info.Env());
    struct State {
      Call call;
      std::shared_ptr<Problem> problem;
      double out[kResults];
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
      const Napi::Error failure = Self::failure(env, *state->problem);
      if (!failure.IsEmpty()) {
        state->deferred.Reject(failure.Value());
      } else if (!state->ok) {
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

  // start(helper, name, ...arguments): begins a task on a helper's thread, for take() to end
  Napi::Value start(const Napi::CallbackInfo& info) {
    problem(info.Env());
    const size_t helper = count(info, 0, "helper");
    if (helper >= Addon::kLanes)
      refuse(info.Env(), "a number below " + std::to_string(Addon::kLanes), "helper", std::to_string(helper));
    Call call = parse(info, 1);
    // A reference to an array must not be released by another thread.
    if (call.held) refuse(info.Env(), "a task that writes no array", "name", call.task->name);
    started_ = std::shared_ptr<Started>(new Started(std::move(call), problem_));
    addon(info.Env()).helper(helper).submit(started_);
    busy_ = true;
    return info.Env().Undefined();
  }

  // take(wait): the answer of the task that was begun, or undefined if it is not done and `wait` is false
  Napi::Value take(const Napi::CallbackInfo& info) {
    if (!started_) fail(info.Env(), "Expected a task that was begun but there is none", "ERR_BUSY");
    if (!started_->done()) {
      if (!flag(info, 0, "wait")) return info.Env().Undefined();
      started_->finish();
    }
    const std::shared_ptr<Started> started = std::move(started_);
    busy_ = false;
    throw_failure(info.Env(), *problem_);
    if (!started->ok) out_of_memory(info.Env());
    if (started->call.cut_short(*problem_)) throw interrupted(info.Env());
    return answer(started->out);
  }

  Napi::Value accept(const Napi::CallbackInfo& info) {
    problem(info.Env()).accept();
    return info.Env().Undefined();
  }

  // Has the problem write `length` numbers to a Float64Array, the first argument.
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
    const Task<Problem>* task = nullptr;
    Given given;
    Buffer<double> copy;                          // a copy of its array,
    std::shared_ptr<Napi::ObjectReference> held;  // or a reference to it
    bool run(Problem& problem, double* out) const { return task->perform(problem, given, out); }
    bool cut_short(const Problem& problem) const { return problem.interrupted() && task->when != Task<Problem>::at_once; }
  };

  // A task on a helper's thread.
  struct Started : Helper::Job {
    Started(Call given, std::shared_ptr<Problem> of) : call(std::move(given)), problem(std::move(of)) {}
    void work() override { ok = call.run(*problem, out); }
    Call call;
    std::shared_ptr<Problem> problem;
    double out[kResults] = {};
    bool ok = false;
  };

  // The name is argument number `at`, and what the task takes follows.
  Call parse(const Napi::CallbackInfo& info, size_t at = 0) const {
    Call call;
    char name[32] = "";  // a longer name is cut, and matches no task
    napi_get_value_string_utf8(info.Env(), info[at], name, sizeof name, nullptr);
    for (const Task<Problem>& task : Self::kTasks) {
      if (std::strcmp(name, task.name) != 0) continue;
      call.task = &task;
      break;
    }
    if (call.task == nullptr) refuse(info.Env(), "a task's name", "name", name);
    const Task<Problem>& task = *call.task;
    size_t k = 0;
    if (task.vector != Task<Problem>::none) take_vector(info[at + 1], task, call), ++k;
    for (; k < kMaxTaken && task.takes.names[k] != nullptr; ++k) {
      call.given.numbers[k] = number(info, at + k + 1, task.takes.names[k]);
    }
    return call;
  }

  void take_vector(const Napi::Value& given, const Task<Problem>& task, Call& call) const {
    const size_t length = task.length(*problem_);
    const auto vector = array<double>(given, task.takes.names[0], length);
    if (task.vector == Task<Problem>::written) {
      call.given.vector = vector.data;
      call.held = std::shared_ptr<Napi::ObjectReference>(new Napi::ObjectReference(Napi::Persistent(given.As<Napi::Object>())));
      return;
    }
    if (!call.copy.allocate(length)) out_of_memory(given.Env());
    if (length) std::memcpy(call.copy.data(), vector.data, length * sizeof(double));
    call.given.vector = call.copy.data();
  }

  Napi::Value answer(const double* out) {
    const Napi::Object result = result_.Value();
    std::memcpy(result.As<Napi::Float64Array>().Data(), out, kResults * sizeof(double));
    return result;
  }

  static void throw_failure(Napi::Env env, const Problem& problem) {
    const Napi::Error failure = Self::failure(env, problem);
    if (!failure.IsEmpty()) throw failure;
  }

  void release(Napi::Env env) {
    if (!problem_) return;
    problem_.reset();
    Napi::MemoryManagement::AdjustExternalMemory(env, -reported_);
  }

  std::shared_ptr<Problem> problem_;
  Napi::ObjectReference result_;
  std::shared_ptr<Started> started_;
  int64_t reported_ = 0;  // bytes the garbage collector was told of
  size_t lane_ = 0;
  bool busy_ = false;
};

}  // namespace fista
