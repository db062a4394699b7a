// Problems: they perform tasks by number, in the order of lib/backend/tasks.ts.
#include <new>

#include "esp_tasks.h"
#include "module.h"
#include "svm_tasks.h"

namespace fista {
namespace {

// The numbers a task takes come from shared_numbers, and its answer goes there. A task that takes an array has it as its first
// argument.
template <typename Problem>
Ending perform(Problem& problem, const Task<Problem>& task, double* vector) {
  Given given;
  for (size_t k = 0; k < kMaxTaken; ++k) given.numbers[k] = shared_numbers[k];
  given.vector = vector;
  double out[kResults] = {};
  if (!task.perform(problem, given, out)) return out_of_memory;
  for (size_t k = 0; k < kResults; ++k) shared_numbers[k] = out[k];
  return problem.interrupted() && task.when != Task<Problem>::at_once ? interrupted : done;
}

using SvmRef = std::shared_ptr<Svm>;

}  // namespace

// What a training problem is made of: see Svm::Given.
struct SvmGiven {
  const int8_t* y;
  const double* weight;
  uint32_t per_row, scale;
  const double* inverse_scale;
  const uint32_t* rows;
  size_t count;
  const SvmRef* like;
  size_t window;
};
FISTA_EXPORT(svmNew) SvmRef* svm_new(const MatrixRef* matrix, const SvmGiven* from, const InterruptRef* interrupt) {
  Svm::Given given{};
  given.y = from->y;
  given.weight = from->weight;
  given.per_row = from->per_row != 0;
  given.scale = static_cast<Svm::Scale>(from->scale);
  given.inverse_scale = from->inverse_scale;
  given.rows = from->rows;
  given.count = from->count;
  given.window = from->window;
  if (from->like != nullptr) given.like = *from->like;
  auto svm = std::make_shared<Svm>();
  return svm->init(run_with(), *matrix, given, share(interrupt)) ? new SvmRef(std::move(svm)) : nullptr;
}
FISTA_EXPORT(svmDelete) void svm_delete(SvmRef* svm) { delete svm; }
FISTA_EXPORT(svmPerform) Ending svm_perform(SvmRef* svm, size_t task, double* vector) {
  return perform(**svm, kSvmTasks[task], vector);
}
FISTA_EXPORT(svmAccept) void svm_accept(SvmRef* svm) { (*svm)->accept(); }
FISTA_EXPORT(svmRead) double svm_read(const SvmRef* svm) { return (*svm)->read(); }
FISTA_EXPORT(svmStored) double svm_stored(const SvmRef* svm) { return (*svm)->stored(); }
FISTA_EXPORT(svmWeights) void svm_weights(const SvmRef* svm, double* out) { (*svm)->weights(out); }
FISTA_EXPORT(svmColumns) void svm_columns(const SvmRef* svm, double* inverse_scale, double* shift) {
  (*svm)->columns(inverse_scale, shift);
}
FISTA_EXPORT(svmCentre) void svm_centre(const SvmRef* svm, double* out) { (*svm)->centre(out); }
FISTA_EXPORT(svmAlpha) void svm_alpha(const SvmRef* svm, double* out) { (*svm)->alpha(out); }
FISTA_EXPORT(svmCertified) void svm_certified(const SvmRef* svm, uint8_t* out) { (*svm)->certified(out); }

// A family of ellipsoids: see Esp::Family. Centres and shapes are f64.
struct EspFamily {
  size_t count;
  const uint8_t* kinds;
  const double* centers;
  size_t shape_entries;
  const double* shapes;
};
// Answers Esp::Copied; 0 unless it is ok.
FISTA_EXPORT(espNew) Esp* esp_new(size_t cols, const EspFamily* families) {
  const auto family = [&](const EspFamily& f) {
    return Esp::Family{f.count, f.kinds, {Values::f64, f.centers, f.count * cols}, {Values::f64, f.shapes, f.shape_entries}};
  };
  auto esp = std::make_unique<Esp>();
  const Esp::Copied copied = esp->init(run_with(), cols, family(families[0]), family(families[1]));
  answer(copied.kind, copied.family, copied.part, copied.at, esp->count(), copied.kind == Esp::Copied::ok ? esp->p_size() : 0);
  return copied.kind == Esp::Copied::ok ? esp.release() : nullptr;
}
FISTA_EXPORT(espDelete) void esp_delete(Esp* esp) { delete esp; }
FISTA_EXPORT(espPerform) Ending esp_perform(Esp* esp, size_t task, double* vector) {
  return perform(*esp, kEspTasks[task], vector);
}
FISTA_EXPORT(espAccept) void esp_accept(Esp* esp) { esp->accept(); }
FISTA_EXPORT(espKeep) void esp_keep(Esp* esp, bool opposite) { esp->keep(opposite); }
FISTA_EXPORT(espUnit) double esp_unit(const Esp* esp) { return esp->unit(); }
FISTA_EXPORT(espNormal) void esp_normal(const Esp* esp, double* out) { esp->normal(out); }
FISTA_EXPORT(espOrigin) void esp_origin(const Esp* esp, double* out) { esp->origin(out); }
FISTA_EXPORT(espSupports) void esp_supports(const Esp* esp, double* out) { esp->supports(out); }
FISTA_EXPORT(espWeights) void esp_weights(const Esp* esp, double* out) { esp->weights(out); }
FISTA_EXPORT(espSums) void esp_sums(const Esp* esp, double* out) { esp->sums(out); }
FISTA_EXPORT(espApplyA) void esp_apply_a(Esp* esp, const double* l, const double* p, double* out) { esp->apply_a(l, p, out); }
FISTA_EXPORT(espApplyAT) void esp_apply_at(Esp* esp, const double* v, double* l, double* p) { esp->apply_at(v, l, p); }

}  // namespace fista
