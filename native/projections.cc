// kernels: the projections on their own, with arrays of the caller's. Problems call the kernels directly.
#include <numeric>

#include "addon.h"
#include "arguments.h"
#include "buffer.h"
#include "cones.h"
#include "knapsack.h"

namespace fista {
namespace {

Run run_with(const Napi::CallbackInfo& info, size_t i) { return {addon(info.Env()).table, threads(info, i)}; }

// projectKnapsack(a, y, weight, gamma, b, guess, x, threads): writes the projection to x; returns lambda, or NaN if b is out of
// reach
Napi::Value knapsack(const Napi::CallbackInfo& info) {
  const auto a = array<double>(info, 0, "a", 0);
  const size_t n = a.size;
  if (n >= UINT32_MAX) refuse(info.Env(), "fewer than 2^32 numbers", "a", std::to_string(n));
  const auto y = array<int8_t>(info, 1, "y", n);
  const auto weight = array<double>(info, 2, "weight", n);
  const auto x = array<double>(info, 6, "x", n);
  Buffer<double> work;
  Buffer<uint32_t> index;
  if (!work.allocate(n) || !index.allocate(n)) out_of_memory(info.Env());
  const KnapsackRows rows = {a.data, y.data, weight.data, number(info, 3, "gamma")};
  const double sum = std::accumulate(weight.data, weight.data + n, 0.0);
  const double lambda = project_knapsack(run_with(info, 7), rows, n, static_cast<double>(n), sum, number(info, 4, "b"),
                                         number(info, 5, "guess"), x.data, work.data(), index.data());
  return Napi::Number::New(info.Env(), lambda);
}

// projectCones(x, start, out, threads)
Napi::Value cones(const Napi::CallbackInfo& info) {
  const auto x = array<double>(info, 0, "x", 0);
  const auto start = array<uint32_t>(info, 1, "start", 1);
  const auto out = array<double>(info, 2, "out", x.size);
  for (size_t k = 0; k + 1 < start.size; ++k) {
    if (start.data[k + 1] <= start.data[k]) refuse(info.Env(), "ascending offsets", "start", "others");
  }
  if (start.data[start.size - 1] > x.size) refuse(info.Env(), "offsets within x", "start", "others");
  project_cones(run_with(info, 3), x.data, start.data, start.size - 1, out.data);
  return info.Env().Undefined();
}

}  // namespace

void register_projections(Napi::Env env, Napi::Object exports) {
  Napi::Object kernels = Napi::Object::New(env);
  kernels.Set("projectKnapsack", Napi::Function::New(env, knapsack, "projectKnapsack"));
  kernels.Set("projectCones", Napi::Function::New(env, cones, "projectCones"));
  exports.Set("kernels", kernels);
}

}  // namespace fista
