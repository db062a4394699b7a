// The continuous quadratic knapsack (method 1.8): projection onto { y.x = b, 0 <= x_i <= gamma_i }.
#pragma once

#include <cstddef>
#include <cstdint>

#include "run.h"
#include "table.h"

namespace fista {

// Problem:  min |x - a|^2  subject to  y.x = b,  0 <= x_i <= gamma_i,  y_i = +-1.
// Given:    a, y, gamma (n of each, gamma_i >= 0, their sums finite), b; a guess for lambda, or NaN; room for n doubles (work) and
// n
//           indices. Where sums overflow, or a holds a NaN, x stays in its bounds (but for that entry) and y.x = b is lost.
// Wanted:   x (may be a), and as the result lambda, with x_i = clamp(a_i - lambda y_i, 0, gamma_i). The result is NaN, and x is
//           undefined, if b is out of reach or the run was interrupted.
// Source:   P. Brucker, An O(n) algorithm for quadratic knapsack problems, Oper. Res. Lett. 3 (1984) 163-166.
//
// phi(lambda) = y.x(lambda) is non-increasing and piecewise linear, with breakpoints y_i a_i and y_i (a_i - gamma_i). From the
// guess (or the root of a sample) a few Newton steps on all of phi usually reach the root's linear piece. What remains in the
// bracket is searched by Brucker's medians, in time linear in the number of breakpoints left.
double project_knapsack(const Run& run, const double* a, const int8_t* y, const double* gamma, size_t n, double b, double guess,
                        double* x, double* work, uint32_t* index);

}  // namespace fista
