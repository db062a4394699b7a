#include "module.h"

#include <cstring>

#include "memory.h"

namespace fista {

double shared_numbers[kNumbers];

FISTA_EXPORT(numbers) double* numbers() { return shared_numbers; }
FISTA_EXPORT(take) void* take(size_t bytes) { return take_memory(bytes); }
FISTA_EXPORT(giveBack) void give_back(void* p) { give_back_memory(p, 0); }
FISTA_EXPORT(simd) const char* simd() { return choose_table(nullptr)->name; }

FISTA_EXPORT(interruptNew) InterruptRef* interrupt_new(double milliseconds) {
  return new InterruptRef(std::make_shared<Interrupt>(milliseconds));
}
FISTA_EXPORT(interruptSet) void interrupt_set(InterruptRef* interrupt) { (*interrupt)->set(); }
FISTA_EXPORT(interruptIsSet) bool interrupt_is_set(const InterruptRef* interrupt) { return (*interrupt)->is_set(); }
FISTA_EXPORT(interruptDelete) void interrupt_delete(InterruptRef* interrupt) { delete interrupt; }

}  // namespace fista
