// What the WebAssembly module exports: functions of numbers and addresses, for lib/backend/wasm to make handles of. They do no
// arithmetic, and trust their arguments: the TypeScript side checks what the addon's handles check.
//
// A handle is an address. Answers of several numbers go to numbers(), and arguments of tasks come from there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cpu.h"
#include "interrupt.h"
#include "matrix.h"
#include "run.h"

#define FISTA_EXPORT(name) extern "C" __attribute__((export_name(#name), used))

namespace fista {

constexpr size_t kNumbers = 32;
extern double shared_numbers[kNumbers];

// How a call ended.
enum Ending : uint32_t { done, out_of_memory, interrupted };

using MatrixRef = std::shared_ptr<Matrix>;
using InterruptRef = std::shared_ptr<Interrupt>;

// What may be null.
inline InterruptRef share(const InterruptRef* interrupt) { return interrupt != nullptr ? *interrupt : nullptr; }
inline Run run_with(const InterruptRef* interrupt = nullptr) {
  return {choose_table(nullptr), 1, interrupt != nullptr ? interrupt->get() : nullptr};
}

// Writes numbers to shared_numbers.
template <typename... Numbers>
void answer(Numbers... numbers) {
  static_assert(sizeof...(Numbers) <= kNumbers, "more than there is room for");
  size_t k = 0;
  ((shared_numbers[k++] = static_cast<double>(numbers)), ...);
}

inline double address(const void* p) { return static_cast<double>(reinterpret_cast<uintptr_t>(p)); }

}  // namespace fista
