// The tasks of svm.h's problem.
#pragma once

#include "svm.h"
#include "task.h"

namespace fista {

// In the order of SVM_TASKS in lib/backend/tasks.ts.
constexpr Task<Svm> kSvmTasks[] = {
    {"begin",
     {{"curvature"}},
     answers<Svm::BeginAnswer>("curvature", "weightSum", "spread", "radiusSquares", "maxRadius", "centreNorm", "maxEntries",
                               "maxSquaredNorm", "shiftNorm", "largestColumn"),
     [](Svm& s, const Given& a, double* out) {
       Svm::BeginAnswer answer{};
       return s.begin(a.flag(0), answer) && put(answer, out);
     }},
    {"regularize", {{"gamma", "mu"}}, {}, [](Svm& s, const Given& a, double*) { return s.regularize(a[0], a[1]), true; }},
    {"warm",
     {{"w", "t", "dual"}},
     {},
     [](Svm& s, const Given& a, double*) { return s.warm(a.vector, a[1], a.flag(2)), true; },
     Task<Svm>::until_interrupted,
     Task<Svm>::copied,
     [](const Svm& s) { return s.cols(); }},
    {"ascend",
     {{"offset", "weight", "delta", "all"}},
     answers<Svm::AscendAnswer>("fenchelYoung", "loss", "wSquared", "offset", "t"),
     [](Svm& s, const Given& a, double* out) { return put(s.ascend(a[0], a[1], a[2], a.flag(3)), out); }},
    {"settle", {{"back"}}, {}, [](Svm& s, const Given& a, double*) { return s.settle(a.flag(0)), true; }},
    {"step",
     {{"L", "beta"}},
     answers<Svm::StepAnswer>("squared", "curvature", "magnitude", "lambda"),
     [](Svm& s, const Given& a, double* out) { return put(s.step(a[0], a[1]), out); }},
    {"refresh",
     {{"all"}},
     answers<Svm::RefreshAnswer>("wSquared", "centreDot"),
     [](Svm& s, const Given& a, double* out) { return put(s.refresh(a.flag(0)), out); }},
    {"offsets",
     {{"low", "high", "rho", "wNorm", "etaT"}},
     answers<Svm::OffsetsAnswer>("positiveLow", "negativeLow", "freeLow", "positiveHigh", "negativeHigh", "freeHigh"),
     [](Svm& s, const Given& a, double* out) { return put(s.offsets(a[0], a[1], a[2], a[3], a[4]), out); }},
    {"gap",
     {{"t", "wNorm", "etaT"}},
     answers<Svm::GapAnswer>("fenchelYoung", "rounding", "loss", "alphaSum", "balance", "alphaRadius", "residualSquared",
                             "errorSquared"),
     [](Svm& s, const Given& a, double* out) { return put(s.gap(a[0], a[1], a[2]), out); }},
    {"certify",
     {{"low", "high", "rho", "wNorm", "etaT", "delta", "ball", "t", "guardR", "guard"}},
     answers<Svm::CertifyAnswer>("agreed", "properlyClassified", "zero", "atBound"),
     [](Svm& s, const Given& a, double* out) {
       return put(s.certify(a[0], a[1], a[2], a[3], a[4], a[5], a.flag(6), a[7], a[8], a[9]), out);
     },
     Task<Svm>::at_once},
    {"forget", {}, {}, [](Svm& s, const Given&, double*) { return s.forget(), true; }, Task<Svm>::at_once},
    {"shrink",
     {{"low", "high", "delta"}},
     answers<Svm::ActiveAnswer>("active"),
     [](Svm& s, const Given& a, double* out) { return put(s.shrink(a[0], a[1], a[2]), out); }},
    {"unshrink",
     {},
     answers<Svm::ActiveAnswer>("active"),
     [](Svm& s, const Given&, double* out) { return put(s.unshrink(), out); }},
    {"gradient",
     {{"t", "first"}},
     answers<Svm::GradientAnswer>("squared"),
     [](Svm& s, const Given& a, double* out) {
       Svm::GradientAnswer answer{};
       return s.gradient(a[0], a.flag(1), answer) && put(answer, out);
     }},
    {"linearize",
     {},
     answers<Svm::ResidualAnswer>("residual"),
     [](Svm& s, const Given&, double* out) {
       Svm::ResidualAnswer answer{};
       return s.linearize(answer) && put(answer, out);
     }},
    {"conjugate",
     {},
     answers<Svm::ResidualAnswer>("residual"),
     [](Svm& s, const Given&, double* out) { return put(s.conjugate(), out); }},
    {"direction",
     {},
     answers<Svm::DirectionAnswer>("tau", "along", "squared"),
     [](Svm& s, const Given&, double* out) { return put(s.direction(), out); }},
    {"slope",
     {{"t", "tau", "length"}},
     answers<Svm::SlopeAnswer>("slope", "curvature"),
     [](Svm& s, const Given& a, double* out) { return put(s.slope(a[0], a[1], a[2]), out); }},
    {"move", {{"length"}}, {}, [](Svm& s, const Given& a, double*) { return s.move(a[0]), true; }},
    {"power",
     {{"first"}},
     answers<Svm::PowerAnswer>("estimate"),
     [](Svm& s, const Given& a, double* out) { return put(s.power(a.flag(0)), out); }},
    {"score",
     {{"t"}},
     answers<Svm::ScoreAnswer>("positiveRight", "positive", "negativeRight", "negative", "hinge"),
     [](Svm& s, const Given& a, double* out) {
       Svm::ScoreAnswer answer{};
       return s.score(a[0], answer) && put(answer, out);
     },
     Task<Svm>::at_once},
    {"keep", {{"alpha"}}, {}, [](Svm& s, const Given& a, double*) { return s.keep(a.flag(0)); }, Task<Svm>::at_once},
    {"restore", {}, {}, [](Svm& s, const Given&, double*) { return s.restore(), true; }, Task<Svm>::at_once},
    {"model",
     {{"weights", "t"}},
     answers<Svm::ModelAnswer>("bias"),
     [](Svm& s, const Given& a, double* out) { return put(s.model(a.vector, a[1]), out); },
     Task<Svm>::at_once,
     Task<Svm>::written,
     [](const Svm& s) { return s.width(); }},
};

}  // namespace fista
