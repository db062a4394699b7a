// The dual of the linear SVM with smoothed hinge loss (method 1.2), as the loop in TypeScript solves it: data, iterates, and the
// sweeps that a step or a check needs. lib/backend/fallback/svm.ts is the twin, and says what each task computes and answers.
//
// Problem:  max  sum c_i (x_i - mu/2 x_i^2) - 1/2 |H'alpha|^2   subject to  y.alpha = 0,  0 <= x_i <= gamma,
//           where alpha_i = c_i x_i, H has rows y_i x~_i, and x~ = x / scale by column. gamma is infinity for the squared hinge.
// Given:    X, centred before and shared with others; y_i = +-1 and c_i by row; how columns are scaled; then gamma and mu.
// Wanted:   alpha(), by row; weights(), w = H'alpha in scaled space; certified(), what is proved of each row about every optimum;
//           model(), the weights and the bias for data as they were given.
// Source:   M. Hough and S. A. Vavasis, arXiv:2512.03947 (the dual, and FISTA on it); method 1.6 to 1.11 and C1 to C9.
//           svm_ascent.cc and knapsack.h name their own.
//
// Rows are kept in an order of their own, the active ones first: [0, active) take part in steps, [active, n) are shrunk, at a bound
// with their x frozen. Rows of weight 0 take no part: they stand behind the others, from n on, and only score() reads them.
// q = H w.
//
// Several ranks (ranks.h) may each hold some of the rows: sums over rows are then sums over the ranks' sums, and all tasks are
// performed on all ranks, in the same order, with the same arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "buffer.h"
#include "matrix.h"
#include "reduce.h"

namespace fista {

class Svm {
 public:
  // How columns are scaled (method 1.4): not at all, by their standard deviation, by their largest magnitude, as given.
  enum class Scale : uint8_t { none, standard, maxabs, given };

  // What a problem is made of, besides its matrix.
  struct Given {
    const int8_t* y;       // +-1 by row, 0 for one that is not scored either
    const double* weight;  // by row if per_row, else one for all rows; rows of weight 0 take no part
    bool per_row = false;
    Scale scale = Scale::none;
    const double* inverse_scale = nullptr;  // with Scale::given, 1 / scale by column
    // The rows that y and weight are about, ascending; null: all. The others take no part, and cost nothing.
    const uint32_t* rows = nullptr;
    size_t count = 0;
    // A problem with the same rows, weights and scale that has performed begin() and nothing else: what that measured is copied.
    std::shared_ptr<const Svm> like = nullptr;
    // Epochs of coordinate ascent visit rows window by window, of about so many rows each (0: all), in random order within a window
    // (method 1.10). Rows in a file are held a window at a time. Such problems must not shrink: their rows stay in order.
    size_t window = 0;
  };

  // Takes a centred matrix, and copies what is given. All work is left to begin(), which may run on another thread. False if there
  // is no memory.
  [[nodiscard]] bool init(const Run& run, std::shared_ptr<const Matrix> matrix, const Given& given,
                          std::shared_ptr<Interrupt> interrupt = nullptr);

  // Whether another problem of this matrix, with as many rows that take part, may be `like` this one.
  bool begun(const Matrix& matrix, size_t taking) const { return begun_ && X_.get() == &matrix && n_ == taking; }

  // Whether a task was ended early, or the next one will be. Only what keep() kept and what is certified of rows is valid then.
  bool interrupted() const { return run_.interrupted(); }
  // What went wrong with rows in a file. No task's answer is valid then.
  const Matrix& matrix() const { return *X_; }

  // What tasks answer; lib/backend/fallback/svm.ts says what each number is. native/svm_handle.cc names them in this order.
  struct BeginAnswer {
    double curvature, weight_sum, spread, radius_squares, max_radius, centre_norm, max_entries, max_squared_norm, shift_norm,
        largest_column;
  };
  struct AscendAnswer {
    double fenchel_young, loss, w_squared, offset, t;
  };
  struct StepAnswer {
    double squared, curvature, magnitude, lambda;
  };
  struct RefreshAnswer {
    double w_squared, centre_dot;
  };
  struct OffsetsAnswer {
    double positive_low, negative_low, free_low, positive_high, negative_high, free_high;
  };
  struct GapAnswer {
    double fenchel_young, rounding, loss, alpha_sum, balance, alpha_radius, residual_squared, error_squared;
  };
  struct CertifyAnswer {
    double agreed, properly_classified, zero, at_bound;
  };
  struct ActiveAnswer {
    double active;
  };
  struct GradientAnswer {
    double squared;
  };
  struct ResidualAnswer {
    double residual;
  };
  struct DirectionAnswer {
    double tau, along, squared;
  };
  struct SlopeAnswer {
    double slope, curvature;
  };
  struct PowerAnswer {
    double estimate;
  };
  struct ScoreAnswer {
    double positive_right, positive, negative_right, negative, hinge;
  };
  struct ModelAnswer {
    double bias;
  };

  // Tasks. The answer of an interrupted task means nothing. Those that return a bool return false if there is no memory.
  [[nodiscard]] bool begin(bool curvature, BeginAnswer& answer);
  void regularize(double gamma, double mu);
  void warm(const double* w, double t, bool dual);
  AscendAnswer ascend(double offset, double weight, double delta, bool all);
  void settle(bool back);
  StepAnswer step(double L, double beta);
  RefreshAnswer refresh(bool all);
  OffsetsAnswer offsets(double low, double high, double rho, double w_norm, double eta_t);
  GapAnswer gap(double t, double w_norm, double eta_t);
  CertifyAnswer certify(double low, double high, double rho, double w_norm, double eta_t, double delta, bool ball, double t,
                        double guard_r, double guard);
  void forget();
  ActiveAnswer shrink(double low, double high, double delta);
  ActiveAnswer unshrink();
  [[nodiscard]] bool gradient(double t, bool first, GradientAnswer& answer);
  [[nodiscard]] bool linearize(ResidualAnswer& answer);
  ResidualAnswer conjugate();
  DirectionAnswer direction();
  SlopeAnswer slope(double t, double tau, double length);
  void move(double length);
  PowerAnswer power(bool first);
  [[nodiscard]] bool score(double t, ScoreAnswer& answer);
  [[nodiscard]] bool keep(bool alpha);
  void restore();
  ModelAnswer model(double* weights, double t) const;

  void accept();
  void weights(double* out) const;  // by column, in scaled space
  void columns(double* inverse_scale, double* shift) const;
  void centre(double* out) const;      // m, by column, in scaled space
  void alpha(double* out) const;       // by row
  void certified(uint8_t* out) const;  // by row
  double read() const { return static_cast<double>(read_); }
  double stored() const { return static_cast<double>(stored_); }  // entries of the rows that take part
  size_t rows() const { return rows_; }
  size_t cols() const { return d_; }       // that are kept
  size_t width() const { return width_; }  // as they were given
  size_t bytes() const;

 private:
  // A list within by_position_.
  class Slice {
   public:
    Slice() = default;
    explicit Slice(double* data) : data_(data) {}
    double* data() const { return data_; }
    double& operator[](size_t i) const { return data_[i]; }

   private:
    double* data_ = nullptr;
  };

  // How many rows, and their weights.
  struct Share {
    double rows, weight;
  };
  void place_rows();
  [[nodiscard]] bool measure(BeginAnswer& answer);
  void copy_measures();
  [[nodiscard]] bool measure_columns();
  [[nodiscard]] bool spread_by_column(double weight_sum, double& spread);
  struct RowSums {
    double spread, radius_squares;
  };
  RowSums measure_rows();
  Share share_of(size_t n) const;
  double project(double* x, size_t n, const Share& of, double b, double guess);
  // In stored units, where a column without a scale is 0.
  double unscaled(double value, size_t j) const { return inverse_scale_[j] == 0 ? 0 : value / inverse_scale_[j]; }
  void widen(const double* w);
  template <typename Body>
  void each_column(Body&& body) const {
    split(run_, d_, [&](size_t begin, size_t count) {
      for (size_t j = begin; j < begin + count; ++j) body(j);
    });
  }
  bool untrained() const { return restored_ && kept_w_.size() == 0; }
  void margins(const double* w, size_t begin, size_t end, double* q);
  void dot_rows(const double* w, size_t begin, size_t end, double* out);
  void combine(const double* x, size_t begin, size_t end, double* out);
  void add_up(const double* u, size_t begin, size_t end, double* out);
  SvmRows rows_from(size_t p) const;
  bool shrinkable(size_t p, double low, double high, double delta) const;
  bool balance_free();
  void balance_all();
  void restart();
  AscentRow* ascent_rows() { return reinterpret_cast<AscentRow*>(by_position_.data() + 4 * stride()); }
  size_t stride() const { return (n_ + 7) / 8 * 8; }  // each list begins a cache line
  void meet_rows(double offset, double weight, double delta, bool all);
  size_t shuffle(bool all);
  void by_window(size_t visits);
  void swap_rows(size_t a, size_t b);
  void reorder(const uint32_t* positions, size_t n);
  const uint32_t* list() const { return ordered_ ? nullptr : row_.data(); }

  Run run_{};
  std::shared_ptr<Interrupt> interrupt_;
  std::shared_ptr<const Matrix> X_;
  // What init() was given, until begin().
  Buffer<int8_t> given_y_;
  Buffer<double> given_weight_, given_scale_;
  Buffer<uint32_t> given_rows_;
  std::shared_ptr<const Svm> like_;
  Scale scale_ = Scale::none;
  bool begun_ = false;
  BeginAnswer measured_{};  // but for its curvature, which depends on y
  size_t rows_ = 0, n_ = 0, others_ = 0, d_ = 0, width_ = 0, active_ = 0, max_entries_ = 0, read_ = 0,
         stored_ = 0;      // n_ rows take part
  bool weighted_ = false;  // not all weights are 1
  double gamma_ = 0, mu_ = 0, b_shrunk_ = 0, lambda_ = 0, max_norm_ = 0, max_radius_ = 0;
  Share taking_{}, active_share_{};  // of all ranks: the rows that take part, and the active ones
  bool plain_ = true;                // whether all rows of all ranks take part, with weight 1
  bool ones_ = false;                // whether all entries of all ranks are ones
  bool ascending_ = false;           // alpha is in ascent_rows()
  double balance_ = 0;               // y.alpha during the ascent
  uint32_t epoch_ = 0;
  Windows windows_;
  Buffer<uint32_t> window_of_, in_window_;  // by chunk; by window, where it begins in an epoch's order
  Buffer<uint64_t> chunk_hash_;
  bool ordered_ = true;  // row p is at position p

  // By position. row_ and y_ also hold the rows that take no part; index_ holds two lists.
  Buffer<uint32_t> row_, index_;
  Buffer<int8_t> y_;
  Buffer<uint8_t> certified_, returns_, shrunk_;
  Buffer<double> by_position_;
  // During coordinate ascent, which comes before the first step, ascent_rows() takes the place of the last five.
  Slice weight_, slack_, radius_, x_, x_next_, q_next_, x_prev_, q_, q_prev_;
  // By column, in scaled space. wide_ = w / scale, for products with the stored data, and a 0 behind it.
  Buffer<double> inverse_scale_, centre_, w_, w_prev_, w_next_, w_shrunk_, wide_, scratch_;
  // Newton's system, by column in scaled space. Allocated when first wanted.
  struct NewtonSystem {
    Buffer<double> p, residual, v, image, inverse_diagonal;
    Buffer<double> x_before;  // by position: where Newton's method began
    size_t free = 0;
    double weight_sum = 0;  // of the free rows
    double squared = 0;     // the residual's squared norm
  } newton_;
  Buffer<double> kept_w_, kept_alpha_;  // by column, by row: the iterate of the last keep()
  bool restored_ = false;
};

}  // namespace fista
