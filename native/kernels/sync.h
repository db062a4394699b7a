// A mutex and a condition variable. std::condition_variable::wait as compiled by newer compilers asks for a libstdc++ that older
// distributions lack, so these wrap what the system offers.
#pragma once

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#elif !defined(__wasm__)
#include <pthread.h>
#endif

namespace fista {

#if defined(_WIN32)

class Mutex {
 public:
  void lock() { AcquireSRWLockExclusive(&lock_); }
  void unlock() { ReleaseSRWLockExclusive(&lock_); }

 private:
  friend class Condition;
  SRWLOCK lock_ = SRWLOCK_INIT;
};

class Condition {
 public:
  void wait(Mutex& m) { SleepConditionVariableSRW(&condition_, &m.lock_, INFINITE, 0); }
  void notify_all() { WakeAllConditionVariable(&condition_); }

 private:
  CONDITION_VARIABLE condition_ = CONDITION_VARIABLE_INIT;
};

#elif defined(__wasm__)  // one thread

class Mutex {
 public:
  void lock() {}
  void unlock() {}
};

#else

class Mutex {
 public:
  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  friend class Condition;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

class Condition {
 public:
  void wait(Mutex& m) { pthread_cond_wait(&condition_, &m.mutex_); }
  void notify_all() { pthread_cond_broadcast(&condition_); }

 private:
  pthread_cond_t condition_ = PTHREAD_COND_INITIALIZER;
};

#endif

class Lock {
 public:
  explicit Lock(Mutex& m) : mutex_(m) { mutex_.lock(); }
  ~Lock() { mutex_.unlock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace fista
