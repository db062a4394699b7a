// Separation of two families of ellipsoids { c + A z : |z| <= 1 } by a hyperplane (method 4), as FISTA's loop in TypeScript solves
// it: data, two iterates, and the sweeps that a step or a test needs. lib/backend/fallback/esp.ts is the twin, and says what each
// task computes and answers.
//
// Problem:  min 1/2 |Ax - b|^2,  b = (1, 1, 0),  x = a cone block (lambda_i, p_i), |p_i| <= lambda_i, for each ellipsoid, where
//             Ax        = ( sum lambda_i, sum mu_i, sum (lambda_i c_i + A_i p_i) - sum (mu_i d_i - B_i q_i) )
//             A'(s,t,w) = blocks ( s + c_i.w, A_i'w ) and ( t - d_i.w, B_i'w )
// Given:    centres and shapes of both families, as points, balls, diagonals or full matrices.
// Wanted:   normal(), of the hyperplane that was kept, with supports() along it, by ellipsoid; or, where the families touch,
//           weights() and sums(), which make nearly a common point of the two hulls.
// Source:   M. Hough and S. A. Vavasis, arXiv:2512.03947; method 4.2 to 4.4 and C12 to C15. The projection is cones.h's.
//
// Data stay as they were given; origin and size are applied on the fly.
#pragma once

#include <cstddef>
#include <cstdint>

#include "buffer.h"
#include "matrix.h"
#include "parallel.h"

namespace fista {

class Esp {
 public:
  // How a shape is stored: nothing, a radius, a diagonal, a whole matrix by rows.
  enum Kind : uint8_t { point, ball, diagonal, full };
  static constexpr size_t kKinds = 4;
  static size_t shape_size(uint8_t kind, size_t d) { return kind == point ? 0 : kind == ball ? 1 : kind == diagonal ? d : d * d; }

  // f64 or f32 numbers.
  struct Numbers {
    Values values;
    const void* data;
    size_t size;
  };
  struct Family {
    size_t count;
    const uint8_t* kinds;
    Numbers centers, shapes;  // count * d, and the sum of the shapes' sizes
  };
  // What was found wrong while copying, and where.
  struct Copied {
    enum Kind : uint8_t { ok, out_of_memory, not_finite } kind = ok;
    size_t family = 0, part = 0, at = 0;  // part 1: the shapes
  };
  Copied init(const Run& run, size_t d, const Family& first, const Family& second);

  bool interrupted() const { return run_.interrupted(); }

  // What tasks answer; lib/backend/fallback/esp.ts says what each number is. native/esp_handle.cc names them in this order.
  struct MeasuresAnswer {
    double curvature, size, reach, cap;
  };
  // The max and the min of n.(z - origin) over each family (method C12). NaN if w = 0 gives no normal.
  struct Ranges {
    double high1, low1, high2, low2;
  };
  struct SweepAnswer {
    double squared, image, turn, sum1, sum2, residual, apart, s, t, w;
    Ranges ranges;
  };
  struct VerifyAnswer {
    double max, min;
  };
  struct PowerAnswer {
    double estimate;
  };

  // Tasks
  MeasuresAnswer begin(bool centred);
  SweepAnswer sweep(double L, double beta, bool testing);
  Ranges test();
  VerifyAnswer verify();
  MeasuresAnswer move();
  PowerAnswer power(bool first);

  void accept();
  // out (d + 2) = Ax; and l, p = A'v. l by ellipsoid, p of d entries for each that is not a point.
  void apply_a(const double* l, const double* p, double* out);
  void apply_at(const double* v, double* l, double* p);
  void keep(bool opposite);
  double unit() const { return unit_; }
  void normal(double* out) const;    // d
  void origin(double* out) const;    // d
  void supports(double* out) const;  // by ellipsoid
  void weights(double* out) const;   // by ellipsoid
  void sums(double* out) const;      // 2 d
  size_t cols() const { return d_; }
  size_t count() const { return n_; }
  size_t p_size() const { return p_at_[n_]; }
  size_t bytes() const;

 private:
  // The ellipsoids of a family are cut into parts, which never depend on the number of threads.
  struct Parts {
    Partition family[2];
    size_t first, total;
  };
  struct Range {
    size_t family, begin, end;
  };
  Parts parts() const;
  Range range(const Parts& parts, size_t part) const;
  template <typename Body>
  void each_part(Body&& body);

  Copied copy(const Family* families);
  void measure_shape(size_t i);
  MeasuresAnswer measure();
  void combine(const double* l, const double* p);
  void residual(const double* sum, double* v, SweepAnswer& answer) const;
  bool aim(const double* v, Ranges& ranges);
  double* centers() { return data_.data(); }
  double* shapes() { return data_.data() + n_ * d_; }
  const double* shape(size_t i) const { return data_.data() + n_ * d_ + at_[i]; }
  const double* center(size_t i) const { return data_.data() + i * d_; }
  void transposed(size_t i, const double* w, double* out) const;                              // out (d + 1) = A_i'w
  void add_product(size_t i, double sign, const double* p, double* room, double* sum) const;  // sum += sign A_i p, A_i full
  void support(size_t i, const double* n, double* room, double* out) const;                   // [c.n, |A_i'n|]
  void add_up(double* sums);                                                                  // the parts' sums, by family

  Run run_{};
  size_t d_ = 0, n_ = 0, first_ = 0;
  double unit_ = 1, inverse_ = 1;
  size_t accepted_ = 0;  // counts to 3; p of the first two iterates is 0, and not stored
  bool still_ = false;   // the last iterate and the one before are the same
  Buffer<uint8_t> kind_;
  Buffer<double> data_;  // all centres, then all shapes
  Buffer<double> norm_, frobenius_, origin_;
  Buffer<size_t> at_, p_at_;
  Buffer<double> l_[3], p_[3], v_[3], sums_[3];  // iterate, the one before, candidate
  Buffer<double> tested_, best_, support_, power_, vy_, wide_, zero_;
  Buffer<double> partial_;  // by part: sums of d + 1, then room for three vectors of d + 1
};

}  // namespace fista
