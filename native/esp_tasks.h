// The tasks of esp.h's problem.
#pragma once

#include "esp.h"
#include "task.h"

namespace fista {

// In the order of ESP_TASKS in lib/backend/tasks.ts.
constexpr Answers kMeasures = answers<Esp::MeasuresAnswer>("curvature", "size", "reach", "cap");
constexpr Task<Esp> kEspTasks[] = {
    {"begin", {{"centred"}}, kMeasures, [](Esp& e, const Given& a, double* out) { return put(e.begin(a.flag(0)), out); }},
    {"sweep",
     {{"L", "beta", "testing"}},
     answers<Esp::SweepAnswer>("squared", "image", "turn", "sum1", "sum2", "residual", "apart", "s", "t", "w", "high1", "low1",
                               "high2", "low2"),
     [](Esp& e, const Given& a, double* out) { return put(e.sweep(a[0], a[1], a.flag(2)), out); }},
    {"test",
     {},
     answers<Esp::Ranges>("high1", "low1", "high2", "low2"),
     [](Esp& e, const Given&, double* out) { return put(e.test(), out); }},
    {"verify",
     {},
     answers<Esp::VerifyAnswer>("max", "min"),
     [](Esp& e, const Given&, double* out) { return put(e.verify(), out); }},
    {"move", {}, kMeasures, [](Esp& e, const Given&, double* out) { return put(e.move(), out); }},
    {"power",
     {{"first"}},
     answers<Esp::PowerAnswer>("estimate"),
     [](Esp& e, const Given& a, double* out) { return put(e.power(a.flag(0)), out); }},
};

}  // namespace fista
