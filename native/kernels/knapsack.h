// The continuous quadratic knapsack (method 1.8): projection onto { sum c_i y_i x_i = b, 0 <= x_i <= gamma } in the norm that
// weighs entries by c_i.
#pragma once

#include <cstddef>
#include <cstdint>

#include "run.h"
#include "table.h"

namespace fista {

// Problem:  min sum c_i (x_i - a_i)^2  subject to  sum c_i y_i x_i = b,  0 <= x_i <= gamma,  y_i = +-1.
// Given:    a, y, c (n of each, c_i > 0), gamma (which may be infinity), the sum of c, b; a guess for lambda, or NaN; room for n
//           doubles (work) and n indices. Over several ranks n rows are here, and `total` is their number, as the sum of c is, on
//           all. Where sums overflow, or a holds a NaN, x stays in its bounds (but for that entry) and the sum is not b.
// Wanted:   x (may be a), and as the result lambda, with x_i = clamp(a_i - lambda y_i, 0, gamma). The result is NaN, and x is
//           undefined, if b is out of reach or the run was interrupted.
// Source:   P. Brucker, An O(n) algorithm for quadratic knapsack problems, Oper. Res. Lett. 3 (1984) 163-166.
//
// phi(lambda) = sum c_i y_i x_i(lambda) is non-increasing and piecewise linear, with breakpoints y_i a_i and y_i (a_i - gamma).
// From the guess (or the root of a sample) a few Newton steps on all of phi usually reach the root's linear piece. What remains in
// the bracket is searched by Brucker's medians, in time linear in the number of breakpoints left.
double project_knapsack(const Run& run, const KnapsackRows& rows, size_t n, double total, double weight_sum, double b, double guess,
                        double* x, double* work, uint32_t* index);

}  // namespace fista
