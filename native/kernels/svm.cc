#include "svm.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "knapsack.h"

namespace fista {
namespace {

constexpr double kUnit = 0x1p-53;
constexpr double kSmallest = 0x1p-1021;  // products below this lose digits to underflow
constexpr uint8_t kMaxReturns = 3;       // a row that returned so often shrinks no more (method 1.11)
constexpr double kHuge = 1e200;          // squared norms from here on may overflow in sums
constexpr size_t kFew = 32;              // fewer rows than one in so many are few
constexpr size_t kShort = 1024;          // shorter lists are not worth another thread

using Certified = SvmCertified;

// Sums over the numbers of a column: of their weights, of differences to about the mean, and of the squares of these, both
// weighted.
struct ColumnSums {
  double count, weight, sum, square;

  // The weighted sum of squared differences from the mean; 0 if the numbers are all the same, so that it is nothing but rounding.
  double deviations() const {
    const double found = square - sum * sum / weight;
    return found > 4 * count * kUnit * square ? found : 0;
  }
  // The standard deviation. It is the largest |x| instead if that is 0, or if the numbers are too large or too small to be squared.
  double standard(double max) const {
    if (max > 1e120 || max < 1e-120) return max;
    const double found = std::sqrt(deviations() / weight);
    return found > 0 ? found : max;
  }
};

// Rows are measured by column where their distances are so much smaller than their distance from the origin, or known so badly.
constexpr double kClose = 1e-6, kLoose = 1e-6;

double clamp(double value, double low, double high) { return std::min(std::max(value, low), high); }

}  // namespace

bool Svm::init(const Run& run, std::shared_ptr<const Matrix> matrix, const Given& given, std::shared_ptr<Interrupt> interrupt) {
  run_ = run;
  interrupt_ = std::move(interrupt);
  run_.interrupt = interrupt_.get();
  scale_ = given.scale;
  like_ = given.like;
  X_ = std::move(matrix);
  if (given.window > 0 && given.window < X_->rows()) {
    windows_.rows = (given.window - 1) / kChunks + 1;
    windows_.chunks = (X_->rows() - 1) / windows_.rows + 1;
    if (!window_of_.allocate(windows_.chunks) || !in_window_.allocate((windows_.chunks - 1) / kChunks + 2) ||
        !chunk_hash_.allocate(windows_.chunks)) {
      return false;
    }
    windows_.window_of = window_of_.data();
  }
  d_ = X_->cols();
  width_ = X_->width();
  rows_ = X_->rows();
  const size_t count = given.rows ? given.count : rows_;
  for (size_t k = 0; k < count; ++k) {
    const double weight = given.weight[given.per_row ? k : 0];
    if (weight != 0) {
      ++n_;
      weighted_ |= weight != 1;
    } else if (given.y[k] != 0) {
      ++others_;
    }
  }
  active_ = n_;
  ordered_ = n_ == rows_;
  lambda_ = std::numeric_limits<double>::quiet_NaN();
  // All in one allocation, so that it may be on large pages.
  Slice* const lists[] = {&weight_, &slack_, &radius_, &x_, &x_next_, &q_next_, &x_prev_, &q_, &q_prev_};
  if (!by_position_.allocate(9 * stride())) return false;
  for (size_t k = 0; k < 9; ++k) *lists[k] = Slice(by_position_.data() + k * stride());
  for (Buffer<double>* b : {&inverse_scale_, &centre_, &w_, &w_prev_, &w_next_, &w_shrunk_, &wide_}) {
    if (!b->allocate((d_ + 8) / 8 * 8)) return false;  // whole vectors, and at least one entry more
  }
  if (!row_.allocate(n_ + others_) || !index_.allocate(2 * n_) || !y_.allocate(n_ + others_) || !certified_.allocate(n_) ||
      !returns_.allocate(n_) || !shrunk_.allocate(n_) || !scratch_.allocate(X_->scratch_size()) || !given_y_.allocate(count) ||
      !given_weight_.allocate(given.per_row ? count : 1) || !given_rows_.allocate(given.rows ? count : 0) ||
      !given_scale_.allocate(given.scale == Scale::given ? d_ : 0)) {
    return false;
  }
  std::copy_n(given.y, count, given_y_.data());
  std::copy_n(given.weight, given_weight_.size(), given_weight_.data());
  if (given.rows) std::copy_n(given.rows, count, given_rows_.data());
  if (given.scale == Scale::given) std::copy_n(given.inverse_scale, d_, given_scale_.data());
  return true;
}

// Puts rows in their places, and sets everything else to 0.
void Svm::place_rows() {
  std::memset(certified_.data(), 0, n_);
  std::memset(returns_.data(), 0, n_);
  std::memset(shrunk_.data(), 0, n_);
  const bool per_row = given_weight_.size() > 1, listed = given_rows_.size() > 0;
  for (size_t k = 0, taking = 0, other = n_; k < given_y_.size(); ++k) {
    const double weight = given_weight_[per_row ? k : 0];
    const int8_t y = given_y_[k];
    if (weight == 0 && y == 0) continue;
    const size_t p = weight != 0 ? taking++ : other++;
    row_[p] = listed ? given_rows_[k] : static_cast<uint32_t>(k);
    y_[p] = y;
    if (p < n_) weight_[p] = weight;
  }
  given_y_ = Buffer<int8_t>();
  given_weight_ = Buffer<double>();
  given_rows_ = Buffer<uint32_t>();
  copy(run_, radius_.data(), nullptr, 2 * stride());
  copy(run_, x_prev_.data(), nullptr, 3 * stride());
  for (Buffer<double>* b : {&inverse_scale_, &centre_, &w_, &w_prev_, &w_next_, &w_shrunk_, &wide_}) {
    copy(run_, b->data(), nullptr, b->size());
  }
}

// The scales, and the centre m of x~ = stored / scale (method 1.4). Any centre is valid; 0 serves for data that are centred up to
// rounding. A column that is 0 in all rows that take part has 1 / scale = 0: it is no part of the problem.
bool Svm::measure_columns() {
  const double n = taking_.weight;
  const double* const weight = weighted_ ? weight_.data() : nullptr;
  const auto inverse = [](double size) { return size > 0 && std::isfinite(1 / size) ? 1 / size : 1; };
  Matrix::ColumnStats stats;
  // From a column with a shift something was subtracted, and it no longer shows whether that was 0.
  const double* const shift = X_->shift();
  const auto is_empty = [&](size_t j, double max) { return max == 0 && (shift == nullptr || shift[j] == 0); };
  const auto drop_empty = [&](const double* max) {
    each_column([&](size_t j) { inverse_scale_[j] = is_empty(j, max[j]) ? 0 : inverse_scale_[j]; });
  };
  each_column([&](size_t j) {
    inverse_scale_[j] = scale_ == Scale::given ? given_scale_[j] : 1;
    centre_[j] = 0;
  });
  given_scale_ = Buffer<double>();
  if (X_->max_abs() != nullptr && plain_) {
    if (scale_ == Scale::standard && !X_->column_stats(run_, list(), n_, weight, centre_.data(), stats)) return false;
    if (run_.interrupted()) return true;
    each_column([&](size_t j) {
      if (scale_ == Scale::standard) {
        inverse_scale_[j] = inverse(ColumnSums{n, n, stats.sum[j], stats.square[j]}.standard(X_->max_abs()[j]));
      }
      if (scale_ == Scale::maxabs) inverse_scale_[j] = inverse(X_->max_abs()[j]);
    });
    if (scale_ != Scale::given) drop_empty(X_->max_abs());
    return true;
  }
  // A column of ones has the largest magnitude 1, or is empty.
  if (scale_ == Scale::none || scale_ == Scale::given || (scale_ == Scale::maxabs && ones_)) {
    X_->combine(run_, list(), 0, n_, weight_.data(), centre_.data(), scratch_.data());
    if (run_.interrupted()) return true;
    sum_ranks(run_, centre_.data(), d_);
    bool seems_empty = false;  // a column whose entries add up to 0; they need not be 0, unless they are ones
    for (size_t j = 0; j < d_ && scale_ != Scale::given; ++j) seems_empty |= is_empty(j, centre_[j]);
    if (seems_empty && ones_) {
      drop_empty(centre_.data());
    } else if (seems_empty) {
      if (!X_->column_stats(run_, list(), n_, weight, w_shrunk_.data(), stats)) return false;  // about 0
      if (run_.interrupted()) return true;
      drop_empty(stats.max.data());
    }
    each_column([&](size_t j) { centre_[j] = centre_[j] / n * inverse_scale_[j]; });
    return true;
  }
  if (!X_->column_stats(run_, list(), n_, weight, centre_.data(), stats)) return false;
  if (run_.interrupted()) return true;
  each_column([&](size_t j) { centre_[j] = stats.sum[j] / n; });
  if (scale_ == Scale::maxabs) {
    each_column([&](size_t j) { inverse_scale_[j] = inverse(stats.max[j]); });
  }
  if (scale_ == Scale::standard) {
    if (!X_->column_stats(run_, list(), n_, weight, centre_.data(), stats)) return false;
    if (run_.interrupted()) return true;
    each_column([&](size_t j) {
      const double absent = n - stats.number[j], m = centre_[j], count = taking_.rows;
      const ColumnSums sums = {count, n, stats.sum[j] - absent * m, stats.square[j] + absent * m * m};
      inverse_scale_[j] = inverse(sums.standard(stats.max[j]));
    });
  }
  drop_empty(stats.max.data());
  each_column([&](size_t j) { centre_[j] *= inverse_scale_[j]; });
  return true;
}

// sum c |x~ - m|^2 by column: the mean is subtracted before anything is squared. wide_ holds it meanwhile, in stored units.
bool Svm::spread_by_column(double weight_sum, double& spread) {
  Matrix::ColumnStats stats;
  each_column([&](size_t j) { wide_[j] = unscaled(centre_[j], j); });
  if (!X_->column_stats(run_, list(), n_, weighted_ ? weight_.data() : nullptr, wide_.data(), stats)) return false;
  if (run_.interrupted()) return true;
  spread = 0;
  for (size_t j = 0; j < d_; ++j) {
    const double absent = weight_sum - stats.number[j], m = wide_[j];
    const ColumnSums sums = {taking_.rows, weight_sum, stats.sum[j] - absent * m, stats.square[j] + absent * m * m};
    // In this order: the square of 1 / scale may overflow, where there is no deviation too.
    spread += sums.deviations() * inverse_scale_[j] * inverse_scale_[j];
  }
  return true;
}

size_t Svm::bytes() const {
  size_t total = row_.bytes() + index_.bytes() + window_of_.bytes() + in_window_.bytes() + chunk_hash_.bytes() + y_.bytes() +
                 certified_.bytes() + returns_.bytes() + shrunk_.bytes();
  for (const Buffer<double>* b :
       {&by_position_, &inverse_scale_, &centre_, &w_, &w_prev_, &w_next_, &w_shrunk_, &wide_, &scratch_, &newton_.p,
        &newton_.residual, &newton_.v, &newton_.image, &newton_.inverse_diagonal, &newton_.x_before}) {
    total += b->bytes();
  }
  return total;
}

// Also sums c |x~ - m|^2 as it is, and c r^2.
Svm::RowSums Svm::measure_rows() {
  const double m2 = dot(run_, centre_.data(), centre_.data(), d_), m = std::sqrt(m2);
  X_->row_norms(run_, list(), n_, scale_ == Scale::none ? nullptr : inverse_scale_.data(), slack_.data());
  const size_t read = read_;
  if (m2 > 0) dot_rows(centre_.data(), 0, n_, radius_.data());  // else the products are 0, as radius_ is
  read_ = read;                                                 // not part of the solve
  double* const entries = q_next_.data();
  const SvmMeasure by = {m, kSmallest, 4 * static_cast<double>(d_ + 5) * kUnit};
  struct Sums {
    double stored;
    RowSums rows;
  };
  max_norm_ = run_.table->max_abs(slack_.data(), n_);  // of squares, before they become slacks
  const Sums sums = reduce_rows<Sums>(run_, n_, [&](size_t begin, size_t count, double* s) {
    for (size_t p = begin; p < begin + count; ++p) *s += entries[p] = static_cast<double>(X_->entries(row_[p]));
    run_.table->svm_measure(entries + begin, weight_.data() + begin, count, by, slack_.data() + begin, radius_.data() + begin,
                            s + 1);
  });
  stored_ = static_cast<size_t>(run_.over_ranks() ? std::accumulate(entries, entries + n_, 0.0) : sums.stored);
  double max[] = {max_norm_, run_.table->max_abs(entries, n_), run_.table->max_abs(radius_.data(), n_)};
  max_ranks(run_, max, 3);
  max_norm_ = max[0];
  max_entries_ = static_cast<size_t>(max[1]);
  max_radius_ = max[2];
  return sums.rows;
}

// Of the first n rows here, and of as many on other ranks as they ask for.
Svm::Share Svm::share_of(size_t n) const {
  const double rows = static_cast<double>(n);
  double sums[] = {rows, rows};
  if (weighted_) {
    sums[1] = reduce<double>({run_.table, run_.threads}, n, [&](size_t begin, size_t count, double* s) {
      for (size_t p = begin; p < begin + count; ++p) *s += weight_[p];
    });
  }
  sum_ranks(run_, sums, 2);
  return {sums[0], sums[1]};
}

// Onto the box and sum c y x = b, in place, for the first n rows; lambda, or NaN.
double Svm::project(double* x, size_t n, const Share& of, double b, double guess) {
  const KnapsackRows rows = {x, y_.data(), weight_.data(), gamma_};
  return project_knapsack(run_, rows, n, of.rows, of.weight, b, guess, x, q_next_.data(), index_.data());
}

void Svm::widen(const double* w) {
  each_column([&](size_t j) { wide_[j] = w[j] * inverse_scale_[j]; });
}

void Svm::dot_rows(const double* w, size_t begin, size_t end, double* out) {
  widen(w);
  read_ += X_->multiply(run_, list(), begin, end, wide_.data(), out);
}

void Svm::margins(const double* w, size_t begin, size_t end, double* q) {
  dot_rows(w, begin, end, q);
  split(run_, end - begin,
        [&](size_t p, size_t k) { run_.table->svm_sign(q + begin + p, y_.data() + begin + p, k, q + begin + p); });
}

// out = H'alpha where u = y alpha
void Svm::add_up(const double* u, size_t begin, size_t end, double* out) {
  read_ += X_->combine(run_, list(), begin, end, u, out, scratch_.data());
  sum_ranks(run_, out, d_);
  each_column([&](size_t j) { out[j] *= inverse_scale_[j]; });
}

void Svm::combine(const double* x, size_t begin, size_t end, double* out) {
  double* u = q_next_.data();  // free until the next margins are known
  split(run_, end - begin, [&](size_t p, size_t k) {
    run_.table->svm_share(x + begin + p, y_.data() + begin + p, weight_.data() + begin + p, k, u + begin + p);
  });
  add_up(u, begin, end, out);
}

SvmRows Svm::rows_from(size_t p) const {
  return {y_.data() + p, weight_.data() + p, slack_.data() + p, radius_.data() + p, x_.data() + p, q_.data() + p, gamma_, mu_};
}

bool Svm::begin(bool curvature, BeginAnswer& answer) {
  place_rows();
  // All ranks must take the same way through what follows.
  double others[] = {weighted_ || n_ != X_->rows() ? 1.0 : 0.0, X_->values() != Values::ones ? 1.0 : 0.0};
  max_ranks(run_, others, 2);
  plain_ = others[0] == 0;
  ones_ = others[1] == 0;
  taking_ = active_share_ = share_of(n_);
  if (like_ != nullptr) {
    copy_measures();
  } else if (!measure(measured_)) {
    return false;
  }
  if (run_.interrupted()) return true;
  begun_ = true;
  answer = measured_;
  if (curvature) {
    double number[2] = {0, 0};
    for (size_t p = 0; p < n_; ++p) number[y_[p] > 0] += weight_[p];
    sum_ranks(run_, number, 2);
    const double share[2] = {1 / number[0], 1 / number[1]};
    for (size_t p = 0; p < n_; ++p) x_next_[p] = share[y_[p] > 0];
    combine(x_next_.data(), 0, n_, w_next_.data());
    answer.curvature = dot(run_, w_next_.data(), w_next_.data(), d_) / (share[0] + share[1]);
  }
  return true;
}

void Svm::copy_measures() {
  const Svm& from = *like_;
  copy(run_, inverse_scale_.data(), from.inverse_scale_.data(), d_);
  copy(run_, centre_.data(), from.centre_.data(), d_);
  copy(run_, slack_.data(), from.slack_.data(), n_);
  copy(run_, radius_.data(), from.radius_.data(), n_);
  measured_ = from.measured_;
  stored_ = from.stored_;
  max_norm_ = from.max_norm_;
  max_entries_ = from.max_entries_;
  max_radius_ = from.max_radius_;
  like_ = nullptr;
}

bool Svm::measure(BeginAnswer& answer) {
  if (!measure_columns()) return false;
  if (run_.interrupted()) return true;
  const RowSums sums = measure_rows();
  if (run_.interrupted()) return true;
  answer = BeginAnswer{};
  answer.weight_sum = taking_.weight;
  answer.spread = sums.spread;
  answer.radius_squares = sums.radius_squares;
  answer.max_radius = max_radius_;
  answer.centre_norm = std::sqrt(dot(run_, centre_.data(), centre_.data(), d_));
  answer.max_entries = static_cast<double>(max_entries_);
  answer.max_squared_norm = max_norm_;
  if (X_->shift() != nullptr) {
    double squares = 0;
    for (size_t j = 0; j < d_; ++j) squares += (X_->shift()[j] * inverse_scale_[j]) * (X_->shift()[j] * inverse_scale_[j]);
    answer.shift_norm = std::sqrt(squares);
  }
  // By row, rounding may show where rows are much nearer to each other than to the origin.
  const double away = kClose * (answer.centre_norm + answer.shift_norm), loose = answer.radius_squares - answer.spread;
  const bool near = answer.spread <= away * away * answer.weight_sum;
  if (near || loose > kLoose * answer.spread) {
    if (!spread_by_column(answer.weight_sum, answer.spread)) return false;
    if (run_.interrupted()) return true;
  }
  if (!(max_norm_ < kHuge)) {
    Matrix::ColumnStats stats;
    if (!X_->column_stats(run_, list(), n_, nullptr, w_shrunk_.data(), stats)) return false;  // about 0
    size_t largest = 0;
    for (size_t j = 1; j < d_; ++j) {
      if (stats.max[j] * inverse_scale_[j] > stats.max[largest] * inverse_scale_[largest]) largest = j;
    }
    answer.largest_column = static_cast<double>(X_->used() && d_ ? X_->used()[largest] : largest);
  }
  return true;
}

void Svm::regularize(double gamma, double mu) {
  gamma_ = gamma;
  mu_ = mu;
}

void Svm::warm(const double* w, double t, bool dual) {
  margins(w, 0, n_, q_.data());
  if (!dual) {
    copy(run_, w_.data(), w, d_);
    return;
  }
  for (size_t p = 0; p < n_; ++p) x_[p] = clamp((1 - (q_[p] + y_[p] * t)) / mu_, 0, gamma_);
  restart();
}

// Balances x by moving free rows, strictly between their bounds, if these suffice. The others stay: rows at 0 need not be read
// later.
bool Svm::balance_free() {
  double *const x = x_next_.data(), *const weight = q_prev_.data();
  auto* const from = reinterpret_cast<uint32_t*>(x_prev_.data());
  auto* const y = reinterpret_cast<int8_t*>(from + n_);  // five of a position's eight bytes are used
  size_t number = 0;
  double rest = 0, sum = 0;
  for (size_t p = 0; p < n_; ++p) {
    const bool between = (x_[p] > 0) & (x_[p] < gamma_);
    from[number] = static_cast<uint32_t>(p);
    x[number] = x_[p];
    y[number] = y_[p];
    weight[number] = weight_[p];
    number += between;
    sum += static_cast<double>(between) * weight_[p];
    rest += static_cast<double>(!between) * (y_[p] * (weight_[p] * x_[p]));
  }
  double sums[] = {static_cast<double>(number), sum, rest};
  sum_ranks(run_, sums, 3);
  if (sums[0] == 0) return false;
  const double lambda =
      project_knapsack(run_, {x, y, weight, gamma_}, number, sums[0], sums[1], -sums[2], 0, x, q_next_.data(), index_.data());
  if (std::isnan(lambda)) return false;
  for (size_t k = 0; k < number; ++k) x_[from[k]] = x[k];
  return true;
}

void Svm::balance_all() {
  if (!balance_free()) project(x_.data(), n_, taking_, 0, 0);
}

// Balances x, and makes w, q and both iterates from it.
void Svm::restart() {
  balance_all();
  if (run_.interrupted()) return;
  combine(x_.data(), 0, n_, w_.data());
  if (run_.interrupted()) return;
  margins(w_.data(), 0, n_, q_.data());
  std::memcpy(x_prev_.data(), x_.data(), n_ * sizeof(double));
  std::memcpy(q_prev_.data(), q_.data(), n_ * sizeof(double));
  copy(run_, w_prev_.data(), w_.data(), d_);
}

Svm::StepAnswer Svm::step(double L, double beta) {
  const size_t n = active_;
  const auto state = [&](size_t p) { return State{x_.data() + p, x_prev_.data() + p, q_.data() + p, q_prev_.data() + p, beta}; };
  split(run_, n, [&](size_t p, size_t k) { run_.table->svm_forward(state(p), k, mu_, 1 / L, x_next_.data() + p); });
  const double lambda = project(x_next_.data(), n, active_share_, -b_shrunk_, lambda_);
  if (!std::isnan(lambda)) {
    lambda_ = lambda;
  } else {
    // Rounding put the shrunk rows' share out of reach. Take the nearest end, as certificates need every x in its box.
    for (size_t p = 0; p < n; ++p) x_next_[p] = (y_[p] < 0) == (b_shrunk_ > 0) ? gamma_ : 0;
  }
  if (run_.interrupted()) return {};
  combine(x_next_.data(), 0, n, w_next_.data());
  if (run_.interrupted()) return {};
  each_column([&](size_t j) { w_next_[j] += w_shrunk_[j]; });
  dot_rows(w_next_.data(), 0, n, q_next_.data());
  struct Sums {
    double squared, curvature, magnitude;
  };
  const Sums sums = reduce_rows<Sums>(run_, n, [&](size_t p, size_t k, double* s) {
    run_.table->svm_finish(state(p), y_.data() + p, weight_.data() + p, x_next_.data() + p, q_next_.data() + p, k, s);
  });
  return {sums.squared, sums.curvature, sums.magnitude, lambda};
}

// The x of shrunk rows is in all three buffers; refresh() computes their q.
void Svm::accept() {
  std::swap(x_prev_, x_next_);
  std::swap(x_, x_prev_);
  std::swap(q_prev_, q_next_);
  std::swap(q_, q_prev_);
  std::swap(w_prev_, w_next_);
  std::swap(w_, w_prev_);
}

Svm::RefreshAnswer Svm::refresh(bool all) {
  const size_t from = all ? 0 : active_;
  if (from < n_) margins(w_.data(), from, n_, q_.data());
  return {dot(run_, w_.data(), w_.data(), d_), dot(run_, centre_.data(), w_.data(), d_)};
}

Svm::OffsetsAnswer Svm::offsets(double low, double high, double rho, double w_norm, double eta_t) {
  return reduce_rows<OffsetsAnswer>(run_, n_, [&](size_t p, size_t k, double* s) {
    run_.table->svm_offsets(rows_from(p), k, {rho, w_norm, eta_t}, low, high, s);
  });
}

Svm::GapAnswer Svm::gap(double t, double w_norm, double eta_t) {
  return reduce_rows<GapAnswer>(run_, n_, [&](size_t p, size_t k, double* s) {
    run_.table->svm_gap(rows_from(p), k, {0, w_norm, eta_t}, t, s);
  });
}

Svm::CertifyAnswer Svm::certify(double low, double high, double rho, double w_norm, double eta_t, double delta, bool ball, double t,
                                double guard_r, double guard) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  // The squared hinge has no upper bound on x: a row is properly classified if theta* > 0, and none is at its bound.
  const bool bounded = std::isfinite(gamma_);
  const double kink = 1 - mu_ * gamma_, round = 4 * kUnit * (1 + mu_ * gamma_), proper = bounded ? kink + round : 0;
  const SvmBounds by = {
      low,     high, {rho, w_norm, eta_t}, bounded ? delta : inf, ball ? proper : inf, bounded ? kink - round : -inf, t,
      guard_r, guard};
  // Never ended early: a run that is ended early returns with these certificates and their counts.
  return reduce_rows<CertifyAnswer>(run_.whole(), n_, [&](size_t begin, size_t count, double* s) {
    double* const found = q_next_.data() + begin;  // free until the next margins are known
    run_.table->svm_certify(rows_from(begin), count, by, found);
    size_t number[4] = {};
    for (size_t k = 0; k < count; ++k) {
      const unsigned now = static_cast<unsigned>(found[k]);
      const auto all = [](unsigned certified, unsigned wanted) { return unsigned((certified & wanted) == wanted); };
      unsigned certified = (certified_[begin + k] & ~unsigned(Certified::agreed)) | now;  // for good, except above and below
      certified |= Certified::agreed * (all(certified, Certified::positive | Certified::above) |
                                        all(certified, Certified::negative | Certified::below));
      certified &= ~unsigned(Certified::above | Certified::below);
      certified_[begin + k] = static_cast<uint8_t>(certified);
      number[0] += all(certified, Certified::agreed);
      number[1] += all(certified, Certified::proper);
      number[2] += all(certified, Certified::zero);
      number[3] += all(certified, Certified::at_bound);
    }
    for (size_t k = 0; k < 4; ++k) s[k] = static_cast<double>(number[k]);
  });
}

void Svm::forget() { std::memset(certified_.data(), 0, n_); }

// Without branches: whether a row is at 0 is hard to predict.
bool Svm::shrinkable(size_t p, double low, double high, double delta) const {
  const double a = y_[p] * low, b = y_[p] * high;
  const double min = q_[p] + std::min(a, b), max = q_[p] + std::max(a, b);  // of theta
  const bool zero = x_[p] == 0, bound = x_[p] == gamma_;
  return (zero & (min > 1 + delta)) | (!zero & bound & (max < 1 - mu_ * gamma_ - delta));
}

Svm::ActiveAnswer Svm::shrink(double low, double high, double delta) {
  split(run_, n_, [&](size_t from, size_t k) {
    for (size_t p = from; p < from + k; ++p) shrunk_[p] = shrinkable(p, low, high, delta);
  });
  // Rows that return: the pair (x, x_prev), with q of both, is then an exact state of FISTA on the whole problem (method 1.11).
  const size_t before = active_;
  bool changed = false;
  for (size_t p = before; p < n_; ++p) {
    if (shrunk_[p]) continue;
    changed = changed || x_[p] != 0;
    ++returns_[p];
    swap_rows(p, active_);
    x_next_[p] = x_[p];
    shrunk_[p] = 1;
    shrunk_[active_++] = 0;
  }
  if (active_ > before) margins(w_prev_.data(), before, active_, q_prev_.data());
  // Rows that shrink move behind the others, which keep their order. If they are few they swap places with the last ones, which is
  // cheaper.
  size_t active = 0, shrinking = 0;
  uint32_t* moved = reinterpret_cast<uint32_t*>(q_next_.data());
  for (size_t p = 0; p < active_; ++p) {
    const bool shrinks = shrunk_[p] && returns_[p] < kMaxReturns && x_[p] == x_prev_[p];
    index_[active] = moved[shrinking] = static_cast<uint32_t>(p);
    active += !shrinks;
    shrinking += shrinks;
  }
  if (shrinking * kFew >= active_) {
    std::memcpy(index_.data() + active, moved, shrinking * sizeof(uint32_t));
    reorder(index_.data(), active_);
  } else {
    for (size_t k = shrinking; k-- > 0;) swap_rows(moved[k], active + k);
  }
  // The x of a shrunk row is in all three lists.
  for (size_t p = active; p < active_; ++p) {
    changed = changed || x_[p] != 0;
    x_prev_[p] = x_next_[p] = x_[p];
  }
  active_ = active;
  // Where no row moved here, rows elsewhere may have.
  if (run_.over_ranks()) changed = max_ranks(run_, changed ? 1.0 : 0.0) > 0;
  active_share_ = share_of(active_);
  if (changed) {
    combine(x_.data(), active_, n_, w_shrunk_.data());
    b_shrunk_ = reduce_rows<double>(run_, n_ - active_, [&](size_t from, size_t k, double* s) {
      for (size_t p = active_ + from; p < active_ + from + k; ++p) *s += y_[p] * (weight_[p] * x_[p]);
    });
  }
  return {active_share_.rows};
}

Svm::ActiveAnswer Svm::unshrink() {
  if (active_ < n_ || run_.over_ranks()) {
    margins(w_prev_.data(), active_, n_, q_prev_.data());
    active_ = n_;
    active_share_ = taking_;
    std::memset(w_shrunk_.data(), 0, d_ * sizeof(double));
    b_shrunk_ = 0;
  }
  return {active_share_.rows};
}

Svm::PowerAnswer Svm::power(bool first) {
  double* z = x_next_.data();
  if (first) {
    uint64_t state = 1 + (run_.over_ranks() ? run_.ranks->rank : 0);
    for (size_t p = 0; p < n_; ++p) {
      state = state * 16807 % 2147483647;
      z[p] = static_cast<double>(state) / 2147483647.0 - 0.5;
    }
  }
  double along = 0, squares = 0;
  for (size_t p = 0; p < n_; ++p) along += y_[p] * (weight_[p] * z[p]);
  along = sum_ranks(run_, along);
  for (size_t p = 0; p < n_; ++p) z[p] -= y_[p] * along / taking_.weight;
  for (size_t p = 0; p < n_; ++p) squares += weight_[p] * z[p] * z[p];
  squares = sum_ranks(run_, squares);
  const double length = squares > 0 ? std::sqrt(squares) : 1;  // 0 if X on that subspace is 0
  for (size_t p = 0; p < n_; ++p) z[p] /= length;
  combine(z, 0, n_, w_next_.data());
  const double estimate = dot(run_, w_next_.data(), w_next_.data(), d_);
  margins(w_next_.data(), 0, n_, z);
  return {estimate};
}

bool Svm::score(double t, ScoreAnswer& answer) {
  const size_t end = n_ + others_;
  Buffer<double> values;
  if (!values.allocate(end)) return false;
  answer = ScoreAnswer{};
  // Never ended early: every fit has its score, however it ended.
  const Run whole = run_.whole();
  if (untrained()) {
    copy(whole, values.data(), nullptr, end);
  } else {
    split(whole, d_, [&](size_t begin, size_t count) {
      for (size_t j = begin; j < begin + count; ++j) wide_[j] = w_[j] * inverse_scale_[j];
    });
    X_->multiply(whole, row_.data(), n_, end, wide_.data(), values.data());
  }
  for (size_t p = n_; p < end; ++p) {
    const double value = values[p] + t;
    answer.hinge += std::max(1 - y_[p] * value, 0.0);
    if (y_[p] > 0) {
      answer.positive_right += value > 0;
      answer.positive += 1;
    } else {
      answer.negative_right += value <= 0;
      answer.negative += 1;
    }
  }
  if (run_.over_ranks()) {
    double sums[] = {answer.positive_right, answer.positive, answer.negative_right, answer.negative, answer.hinge};
    sum_ranks(run_, sums, 5);
    answer = {sums[0], sums[1], sums[2], sums[3], sums[4]};
  }
  return true;
}

// Keeps the iterate that was checked, in case a later task is interrupted.
bool Svm::keep(bool alpha) {
  if (kept_w_.size() == 0 && !kept_w_.allocate(d_ + 1)) return false;
  copy({run_.table, run_.threads}, kept_w_.data(), w_.data(), d_);
  if (!alpha) return true;
  if (kept_alpha_.size() == 0 && !kept_alpha_.allocate(rows_)) return false;
  std::memset(kept_alpha_.data(), 0, kept_alpha_.bytes());
  for (size_t p = 0; p < n_; ++p) kept_alpha_[row_[p]] = weight_[p] * x_[p];
  return true;
}

// Goes back to the iterate that was kept: w and alpha are its own from now on. They are 0 if none was kept.
void Svm::restore() {
  if (kept_w_.size() > 0) copy({run_.table, run_.threads}, w_.data(), kept_w_.data(), d_);
  restored_ = true;
}

// Writes the weights of raw data, by column as given (method 1.4); those of columns that are not kept stay as they are. Answers the
// bias.
Svm::ModelAnswer Svm::model(double* weights, double t) const {
  const uint32_t* const used = X_->used();
  const double* const shift = X_->shift();
  if (!untrained()) {
    split({run_.table, run_.threads}, d_, [&](size_t begin, size_t count) {
      // + 0.0: no -0, which JSON does not keep
      for (size_t j = begin; j < begin + count; ++j) weights[used ? used[j] : j] = w_[j] * inverse_scale_[j] + 0.0;
    });
    for (size_t j = 0; j < d_ && shift; ++j) t -= shift[j] * weights[used ? used[j] : j];
  }
  return {t + 0.0};
}

void Svm::weights(double* out) const {
  if (d_) std::memcpy(out, w_.data(), d_ * sizeof(double));
}

void Svm::centre(double* out) const { std::copy_n(centre_.data(), d_, out); }

void Svm::columns(double* inverse_scale, double* shift) const {
  for (size_t j = 0; j < d_; ++j) {
    inverse_scale[j] = inverse_scale_[j];
    shift[j] = X_->shift() ? X_->shift()[j] : 0;
  }
}

void Svm::alpha(double* out) const {
  std::fill_n(out, rows(), 0.0);  // out may be null where there are none
  if (restored_) {
    if (kept_alpha_.size() > 0) std::memcpy(out, kept_alpha_.data(), kept_alpha_.bytes());
    return;
  }
  for (size_t p = 0; p < n_; ++p) out[row_[p]] = weight_[p] * x_[p];
}

void Svm::certified(uint8_t* out) const {
  std::fill_n(out, rows(), uint8_t{0});
  for (size_t p = 0; p < n_; ++p) out[row_[p]] = certified_[p];
}

void Svm::swap_rows(size_t a, size_t b) {
  if (a == b) return;
  ordered_ = false;
  std::swap(row_[a], row_[b]);
  std::swap(y_[a], y_[b]);
  std::swap(certified_[a], certified_[b]);
  std::swap(returns_[a], returns_[b]);
  for (const Slice& list : {weight_, slack_, radius_, x_, x_prev_, q_, q_prev_}) std::swap(list[a], list[b]);
}

// Moves the row at positions[p] to position p. x_next and q_next of these rows are lost.
void Svm::reorder(const uint32_t* positions, size_t n) {
  ordered_ = false;
  const auto move = [&](auto* list, double* room) {
    using T = std::remove_pointer_t<decltype(list)>;
    T* const old = reinterpret_cast<T*>(room);
    std::memcpy(old, list, n * sizeof(T));
    for (size_t p = 0; p < n; ++p) list[p] = old[positions[p]];
  };
  // Two halves of the lists, each with its own room.
  parallel(2, n < kShort ? 1 : run_.threads, [&](size_t share) {
    if (share == 0) {
      for (const Slice& list : {weight_, slack_, radius_, x_}) move(list.data(), q_next_.data());
      return;
    }
    double* const room = x_next_.data();
    for (const Slice& list : {x_prev_, q_, q_prev_}) move(list.data(), room);
    move(row_.data(), room);
    move(y_.data(), room);
    move(certified_.data(), room);
    move(returns_.data(), room);
  });
}

}  // namespace fista
