// A task of a problem, as lib/backend/tasks.ts declares it: its name, what it takes and answers, and the kernel that performs it.
// What the addon and the WebAssembly module share of their handles; it knows neither.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace fista {

// The names of a task's arguments, in order.
constexpr size_t kMaxTaken = 10;
struct Takes {
  const char* names[kMaxTaken];
};

// The maximum number of numbers in an answer.
constexpr size_t kResults = 16;

// The names of the numbers in a task's answer, in order. Answer is the kernel's struct of as many doubles.
struct Answers {
  const char* names[kResults];
};
template <typename Answer, typename... Names>
constexpr Answers answers(Names... names) {
  static_assert(sizeof(Answer) == sizeof...(Names) * sizeof(double), "a name for each number");
  return {{names...}};
}

// Copies a kernel's answer to out.
template <typename Answer>
bool put(const Answer& answer, double* out) {
  static_assert(std::is_trivially_copyable_v<Answer> && sizeof(Answer) % sizeof(double) == 0, "doubles only");
  static_assert(sizeof(Answer) <= kResults * sizeof(double), "more than there is room for");
  std::memcpy(out, &answer, sizeof(Answer));
  return true;
}

// The arguments of a task: numbers, and an array if it takes one.
struct Given {
  double numbers[kMaxTaken] = {};
  double* vector = nullptr;
  double operator[](size_t k) const { return numbers[k]; }
  bool flag(size_t k) const { return numbers[k] != 0; }
};

// A task of a problem, as lib/backend/tasks.ts declares it.
template <typename Problem>
struct Task {
  const char* name;
  Takes takes;
  Answers answers;
  bool (*perform)(Problem& problem, const Given& given, double* out);  // false if memory runs out
  // A task that is performed `at_once` answers even if the problem was interrupted; other tasks fail then.
  enum When : uint8_t { until_interrupted, at_once } when = until_interrupted;
  // The first argument may be an array of at least length(problem) entries. It is copied by the call, or written by the task. The
  // caller must not use an array to be written before the task is done.
  enum Vector : uint8_t { none, copied, written } vector = none;
  size_t (*length)(const Problem& problem) = nullptr;
};

}  // namespace fista
