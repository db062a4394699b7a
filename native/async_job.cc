#include "async_job.h"

#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace fista {
namespace {

void check(Napi::Env env, napi_status status) {
  if (status != napi_ok) throw Napi::Error::New(env);
}

}  // namespace

Runner::Runner(Napi::Env env) : env_(env) {
  napi_value name;
  check(env, napi_create_string_utf8(env, "fista-classify", NAPI_AUTO_LENGTH, &name));
  check(env, napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, nullptr, nullptr, this, finish, &back_));
  // An idle runner does not keep the process alive.
  check(env, napi_unref_threadsafe_function(env, back_));
  // Cleanup hooks run in reverse order: this one stops the thread before the thread-safe function's own hook frees that function.
  check(env, napi_add_env_cleanup_hook(env, stop_hook, this));
  thread_ = std::thread([this] { loop(); });
}

Runner::~Runner() {
  if (!stopping_) {
    napi_remove_env_cleanup_hook(env_, stop_hook, this);
    stop();
  }
}

void Runner::submit(std::unique_ptr<Job> job) {
  if (pending_++ == 0) napi_ref_threadsafe_function(env_, back_);
  Lock lock(mutex_);
  queue_.push_back(std::move(job));
  condition_.notify_all();
}

void Runner::loop() {
#ifdef __linux__
  // The name tells this thread from Node's, in top or to lower its priority. At most 15 characters.
  prctl(PR_SET_NAME, "fista-async");
#endif
  for (;;) {
    std::unique_ptr<Job> job;
    {
      Lock lock(mutex_);
      while (queue_.empty() && !stopping_) condition_.wait(mutex_);
      if (stopping_) return;
      job = std::move(queue_.front());
      queue_.pop_front();
    }
    job->work();
    napi_call_threadsafe_function(back_, job.release(), napi_tsfn_nonblocking);
  }
}

void Runner::stop_hook(void* self) { static_cast<Runner*>(self)->stop(); }

void Runner::stop() {
  {
    Lock lock(mutex_);
    if (stopping_) return;
    stopping_ = true;
    condition_.notify_all();
  }
  thread_.join();
}

void Runner::finish(napi_env env, napi_value, void* context, void* data) {
  std::unique_ptr<Job> job(static_cast<Job*>(data));
  if (env == nullptr) return;  // shutting down
  Runner* self = static_cast<Runner*>(context);
  if (--self->pending_ == 0) napi_unref_threadsafe_function(env, self->back_);
  try {
    Napi::HandleScope scope(env);
    job->done(env);
  } catch (const Napi::Error&) {
    // A worker thread that is being terminated runs no more JavaScript, so no code is left to handle the error.
  }
}

}  // namespace fista
