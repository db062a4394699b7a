// The part of Svm that Newton's method on the primal asks for (method 1.13): gradients, directions by conjugate gradients, slopes
// along them. lib/backend/fallback/svm.ts and newton-system.ts are the twins.
//
// Problem:  H p = -g,  H v = v + sum c_i (x~_i - mean) (x~_i - mean).v / mu  over the free rows, strictly between their bounds,
//           where mean is theirs, weighted: the best offset is eliminated.
// Given:    w and its margins q, all rows active; the offset t.
// Wanted:   x and H'alpha at t; p, an iteration at a time; the primal's slope along p; w and q further on.
// Source:   S. S. Keerthi and D. DeCoste, JMLR 6, 2005; C.-J. Lin, R. C. Weng and S. S. Keerthi, JMLR 9, 2008.
//
// From linearize() to the last conjugate() index_ lists the free rows and x_next_ their weights. From direction() to move() q_prev_
// holds the margins of p.
#include <algorithm>
#include <cmath>

#include "svm.h"

namespace fista {

bool Svm::gradient(double t, bool first, GradientAnswer& answer) {
  if (first) {
    if (newton_.x_before.size() == 0 && !newton_.x_before.allocate(n_)) return false;
    copy(run_, newton_.x_before.data(), x_.data(), n_);
  }
  split(run_, n_, [&](size_t from, size_t k) { run_.table->svm_slopes(rows_from(from), k, t, x_.data() + from); });
  balance_all();
  if (run_.interrupted()) return true;
  combine(x_.data(), 0, n_, w_next_.data());
  if (run_.interrupted()) return true;
  answer.squared = reduce<double>(run_, d_, [&](size_t begin, size_t count, double* s) {
    for (size_t j = begin; j < begin + count; ++j) *s += (w_[j] - w_next_[j]) * (w_[j] - w_next_[j]);
  });
  return true;
}

bool Svm::linearize(ResidualAnswer& answer) {
  for (Buffer<double>* b : {&newton_.p, &newton_.residual, &newton_.v, &newton_.image, &newton_.inverse_diagonal}) {
    if (b->size() == 0 && !b->allocate(w_.size())) return false;
  }
  size_t free = 0;
  double weight_sum = 0;
  for (size_t p = 0; p < n_; ++p) {
    const bool between = (x_[p] > 0) & (x_[p] < gamma_);
    index_[free] = row_[p];
    x_next_[free] = weight_[p];
    free += between;
    weight_sum += static_cast<double>(between) * weight_[p];
  }
  weight_sum = sum_ranks(run_, weight_sum);
  newton_.free = free;
  newton_.weight_sum = weight_sum;
  // The diagonal of H, from the sums and the sums of squares of the free rows' columns. Where all entries are 1 these are the same.
  double* const inverse = newton_.inverse_diagonal.data();
  const auto diagonal = [&](size_t j, double sum, double square) {
    const double apart = weight_sum > 0 ? std::max(square - sum * sum / weight_sum, 0.0) : 0;
    const double curvature = inverse_scale_[j] * (inverse_scale_[j] * apart) / mu_;
    inverse[j] = std::isfinite(curvature) ? 1 / (1 + curvature) : 1;  // any positive number will do where squares overflow
  };
  if (ones_) {
    read_ += X_->combine(run_, index_.data(), 0, free, x_next_.data(), newton_.v.data(), scratch_.data());
    if (run_.interrupted()) return true;
    sum_ranks(run_, newton_.v.data(), d_);
    each_column([&](size_t j) { diagonal(j, newton_.v[j], newton_.v[j]); });
  } else {
    Matrix::ColumnStats stats;
    copy(run_, newton_.v.data(), nullptr, d_);
    if (!X_->column_stats(run_, index_.data(), free, weighted_ ? x_next_.data() : nullptr, newton_.v.data(), stats)) return false;
    if (run_.interrupted()) return true;
    for (size_t k = 0; k < free; ++k) read_ += X_->entries(index_[k]);
    each_column([&](size_t j) { diagonal(j, stats.sum[j], stats.square[j]); });
  }
  each_column([&](size_t j) {
    newton_.p[j] = 0;
    newton_.residual[j] = w_next_[j] - w_[j];
    newton_.v[j] = newton_.residual[j] * inverse[j];
  });
  newton_.squared = answer.residual = dot(run_, newton_.residual.data(), newton_.v.data(), d_);
  return true;
}

Svm::ResidualAnswer Svm::conjugate() {
  double *const v = newton_.v.data(), *const image = newton_.image.data(), *const u = q_next_.data();
  const double* const weight = x_next_.data();
  widen(v);
  read_ += X_->multiply(run_, index_.data(), 0, newton_.free, wide_.data(), u);
  if (run_.interrupted()) return {};
  const double sum = sum_ranks(run_, newton_.free == 0 ? 0 : dot(run_, weight, u, newton_.free));
  const double mean = newton_.weight_sum > 0 ? sum / newton_.weight_sum : 0, inverse_mu = 1 / mu_;
  split(run_, newton_.free, [&](size_t begin, size_t count) {
    for (size_t k = begin; k < begin + count; ++k) u[k] = weight[k] * (u[k] - mean) * inverse_mu;
  });
  read_ += X_->combine(run_, index_.data(), 0, newton_.free, u, image, scratch_.data());
  if (run_.interrupted()) return {};
  sum_ranks(run_, image, d_);
  each_column([&](size_t j) { image[j] = v[j] + image[j] * inverse_scale_[j]; });
  const double length = newton_.squared / dot(run_, v, image, d_);
  if (!std::isfinite(length)) return {newton_.squared};  // 0 / 0: there is nothing left
  const double squared = reduce<double>(run_, d_, [&](size_t begin, size_t count, double* s) {
    for (size_t j = begin; j < begin + count; ++j) {
      newton_.p[j] += length * v[j];
      double& r = newton_.residual[j];
      r -= length * image[j];
      *s += r * r * newton_.inverse_diagonal[j];
    }
  });
  const double beta = squared / newton_.squared;
  each_column([&](size_t j) { v[j] = newton_.residual[j] * newton_.inverse_diagonal[j] + beta * v[j]; });
  newton_.squared = squared;
  return {squared};
}

Svm::DirectionAnswer Svm::direction() {
  margins(newton_.p.data(), 0, n_, q_prev_.data());
  if (run_.interrupted()) return {};
  const double sum = reduce_rows<double>(run_, n_, [&](size_t begin, size_t count, double* s) {
    // Without branches: whether a row is free is hard to predict.
    for (size_t p = begin; p < begin + count; ++p) {
      *s += static_cast<double>((x_[p] > 0) & (x_[p] < gamma_)) * (weight_[p] * y_[p] * q_prev_[p]);
    }
  });
  const double along = reduce<double>(run_, d_, [&](size_t begin, size_t count, double* s) {
    for (size_t j = begin; j < begin + count; ++j) *s += (w_[j] - w_next_[j]) * newton_.p[j];
  });
  return {newton_.weight_sum > 0 ? -sum / newton_.weight_sum : 0, along, dot(run_, newton_.p.data(), newton_.p.data(), d_)};
}

Svm::SlopeAnswer Svm::slope(double t, double tau, double length) {
  return reduce_rows<SlopeAnswer>(run_, n_, [&](size_t p, size_t k, double* s) {
    run_.table->svm_along(rows_from(p), k, q_prev_.data() + p, t, tau, length, s);
  });
}

void Svm::move(double length) {
  each_column([&](size_t j) { w_[j] += length * newton_.p[j]; });
  split(run_, n_, [&](size_t begin, size_t count) {
    for (size_t p = begin; p < begin + count; ++p) q_[p] += length * q_prev_[p];
  });
}

}  // namespace fista
