// The inner loops, as one table of functions per instruction set. Each is sequential and works on one contiguous part; the
// files that own an algorithm (matrix, knapsack, svm, esp) split the work and add the parts in a fixed order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fista {

// How the entries of a matrix are stored. Sums are always in double.
enum class Values : uint8_t { f64, f32, ones };
enum class Index : uint8_t { u16, u32 };

// Rows of a row-major matrix: those at positions [begin, end), where position p holds row list[p], or row p if list is null. Loops
// that read them one by one ask for what is `ahead` bytes further on, unless that is 0.
struct DenseRows {
  const void* x;
  size_t cols;
  const uint32_t* list;
  size_t begin, end, ahead = 0;
  size_t row(size_t p) const { return list ? list[p] : p; }
};

// The same of a compressed sparse row matrix; column numbers ascend within a row. values is null for Values::ones.
struct SparseRows {
  const uint32_t* start;
  const void* index;
  const void* values;
  size_t zero_column;  // one past the last column: w is 0 there, and sums there are not used
  const uint32_t* list;
  size_t begin, end;
  size_t row(size_t p) const { return list ? list[p] : p; }
};

// Dense rows of more columns than this are added up in another order (dense.inl).
constexpr size_t kLong = 1500;

// Planes w_q.x + bias_q = 0: the weights row-major, count x columns.
struct Planes {
  const double *w, *bias;
  size_t count;
};

// The same of up to panel_planes planes, their weights column by column as pack_planes writes them. Those of a column, and bias,
// fill whole vectors; what fills the last one is 0.
struct Panel {
  const double *w, *bias;
  size_t planes;
};

// The rows of a knapsack, from some row on.
struct KnapsackRows {
  const double* a;
  const int8_t* y;
  const double* weight;  // c
  double gamma;          // or infinity
};

// phi(lambda) = sum c_i y_i clamp(a_i - lambda y_i, 0, gamma) (method 1.8): its value; the weight of the terms strictly inside
// their bounds, which is minus the slope; and the sum of the terms' magnitudes, for the rounding of the value.
struct Phi {
  double value, inside, magnitude;
};

// A state of FISTA (method 1.6): the last two iterates, their q = HH'x, and the momentum of y = x + beta (x - x_prev),
// q(y) = q + beta (q - q_prev).
struct State {
  const double *x, *x_prev, *q, *q_prev;
  double beta;
};

// The SVM's rows, by position.
struct SvmRows {
  const int8_t* y;
  const double *weight, *slack, *radius, *x, *q;
  double gamma, mu;  // gamma may be infinity
};

// |m|, the most that an entry's square loses to underflow, and 4 (d + 5) u (method 1.4).
struct SvmMeasure {
  double m, smallest, safely;
};

// How far decision values may be off: shift_i = rho r_i + eta_i, eta_i = slack_i w_norm + eta_t (method C4).
struct SvmShift {
  double rho, w_norm, eta_t;
};

// What rows are certified with: the bracket of every optimal offset (method C4), the shift of a decision value, the distance from
// the optimal x (method C6; infinity: it proves nothing), what theta* must exceed for a row to be proper (infinity: theta proves
// nothing) and fall short of for a row to be at its bound, and the model's own offset with the rounding of its predictions (method
// C8).
struct SvmBounds {
  double low, high;
  SvmShift shift;
  double delta, proper, bound, t, guard_r, guard;
};

// What is certified of a row (method C5, C8). It holds for good, except `agreed`, which is about the offset of the last check, and
// `above` and `below`, which say where the model's own decision is, beyond its rounding.
struct SvmCertified {
  enum : uint8_t { proper = 1, zero = 2, at_bound = 4, positive = 8, negative = 16, agreed = 32, above = 64, below = 128 };
};

// A row's squared norm, and the rounding of its squared distance from a centre: safe (norm + centre square) + lost.
struct LabelRounding {
  double norm, safe, lost;
};

// By plane: the exact value is within low and high of the model's, give or take slope times the distance, and spare.
struct LabelProofs {
  const double *slope, *low, *high, *spare;
};

// One row of an epoch of coordinate ascent. Of a dense matrix `from` is the row's number; of a sparse one its entries are
// [from, to).
struct AscentRow {
  double x;        // y times its x
  double inverse;  // c / the curvature along it
  double along;    // x~.m, m the centre
  double weight;   // y c
  uint32_t from, to;
};

// An epoch of coordinate ascent (method 1.10), or a part of one: it visits the positions order[0, visits), in this order. A row's
// decision value is (x~ - m).(w - balance m) + offset + weight balance, where balance = y.alpha and w = H'alpha.
struct Ascent {
  AscentRow* rows;  // by position
  uint8_t* shrunk;  // by position: whether the row sat at a bound, with delta to spare, at its last visit
  const uint32_t* order;
  size_t visits, known;         // order goes on to `known`, for prefetching
  double* wide;                 // w / scale, with a 0 behind, in whole vectors
  const double* inverse_scale;  // or null: all 1
  double gamma, mu, inverse_mu, weight, offset, centre_squared, delta;
  double balance, along;   // along = w.m
  double fy = 0, psi = 0;  // sums of the rows' terms as they were met
};

// One ellipsoid in a sweep: centre and shape, the direction w of the step and the normal n of the test, and its block of the last
// two iterates. For a full matrix a = A'w and an = A'n, computed before.
struct EspBlock {
  const double *c, *origin, *a, *w, *n, *an, *p, *p_prev;
  double beta, inverse_L;
};

struct Table {
  const char* name;
  size_t lanes;  // doubles in a vector

  // out[p] = x.w for the row at each position; returns the number of entries read. w has one entry more than there are columns,
  // and it is 0. Dense: [f64, f32]; sparse: [u16, u32][f64, f32, ones].
  size_t (*dense_multiply[2])(const DenseRows& rows, const double* w, double* out);
  size_t (*sparse_multiply[2][3])(const SparseRows& rows, const double* w, double* out);
  // out[(p - begin) * stride + q] = x.w_q + bias_q, the same bits as by the two above, for rows without a list. Dense rows of up to
  // kLong columns, longer ones (where the stride is planes.count), and sparse ones, read up to their last entry only.
  size_t panel_planes;
  // The weights of a Panel: columns in their order for sparse rows, by lane for dense ones.
  void (*pack_planes)(const double* w, size_t planes, size_t cols, bool by_lane, double* to);
  void (*dense_planes)(const DenseRows& rows, const Panel& panel, double* out, size_t stride);  // f64
  void (*dense_planes_few[2])(const DenseRows& rows, const Planes& planes, size_t from, double* out);
  void (*dense_planes_long[2])(const DenseRows& rows, const Planes& planes, double* out);
  void (*sparse_planes[2][3])(const SparseRows& rows, const Panel& panel, double* out, size_t stride);
  // out_j += sum over positions of u[p] x_j; out too has an entry more, which means nothing. Rows with u[p] = 0 are not read, and
  // not counted in the entries returned.
  size_t (*dense_combine[2])(const DenseRows& rows, const double* u, double* out);
  size_t (*sparse_combine[2][3])(const SparseRows& rows, const double* u, double* out);

  // One epoch; the number of entries read
  size_t (*dense_ascend[2])(const DenseRows& rows, Ascent& ascent);
  size_t (*sparse_ascend[2][3])(const SparseRows& rows, Ascent& ascent);

  // What columns and rows are measured by (dense.inl says what they compute); [f64, f32]
  void (*dense_stats[2])(const DenseRows& rows, const double* weight, const double* centre, const double* shift, double* sums,
                         double* squares, double* largest);
  void (*dense_norms[2])(const DenseRows& rows, const double* factor, double* out);
  // true if all n entries are finite; [f64, f32]
  bool (*all_finite[2])(const void* x, size_t n);
  size_t (*count_descents)(const uint32_t* x, size_t n, size_t cols);
  size_t (*count_descents16)(const uint16_t* x, size_t n, size_t cols);
  // out_j = sum over parts of partial[p * n + j], in the order of the parts
  void (*add_parts)(const double* partial, size_t parts, size_t stride, size_t n, double* out);

  Phi (*knapsack_phi)(const KnapsackRows& rows, size_t n, double lambda);
  // x_i = clamp(a_i - lambda y_i, 0, gamma); x may be a
  void (*knapsack_write)(const KnapsackRows& rows, size_t n, double lambda, double* x);

  double (*sum_squares)(const double* x, size_t n);
  double (*max_abs)(const double* x, size_t n);
  // out = factor * x; out may be x
  void (*scale)(const double* x, size_t n, double factor, double* out);

  // What rows are measured by (svm.inl says what it computes)
  void (*svm_measure)(const double* entries, const double* weight, size_t n, const SvmMeasure& by, double* slack, double* radius,
                      double* sums);
  // a = y + (1 - q(y) - mu y) / L
  void (*svm_forward)(const State& state, size_t n, double mu, double inverse_L, double* a);
  // The sweeps of the SVM (svm.h says what they compute), over n positions; sums are added to `sums`.
  void (*svm_finish)(const State& state, const int8_t* y, const double* weight, const double* x_next, double* q_next, size_t n,
                     double* sums);
  void (*svm_offsets)(const SvmRows& rows, size_t n, const SvmShift& shift, double low, double high, double* sums);
  void (*svm_gap)(const SvmRows& rows, size_t n, const SvmShift& shift, double t, double* sums);
  // found[p] = what these bounds alone prove of a row, without `agreed`
  void (*svm_certify)(const SvmRows& rows, size_t n, const SvmBounds& bounds, double* found);
  void (*svm_slopes)(const SvmRows& rows, size_t n, double t, double* x);
  void (*svm_along)(const SvmRows& rows, size_t n, const double* q_along, double t, double tau, double length, double* sums);
  // out = a * y, for labels y
  void (*svm_sign)(const double* a, const int8_t* y, size_t n, double* out);
  // out = y c x
  void (*svm_share)(const double* x, const int8_t* y, const double* weight, size_t n, double* out);
  // The certificate of a row's label (labels.inl says what they compute)
  void (*label_distances)(const double* product, const double* squares, size_t n, const LabelRounding& by, double* out);
  void (*label_bounds)(const double* value, const double* distance, const LabelProofs& proofs, size_t n, double* low, double* high);
  void (*label_votes)(const double* value, size_t classes, double* own);
  void (*label_limits)(const double* low, const double* high, size_t classes, double* least, double* most);
  void (*label_open)(const double* low, const double* high, const double* matters, size_t classes, double* in_the_way);
  // The sweep of the ellipsoids (esp.inl says what they compute), over one of d entries: [with the test][kind], [kind].
  void (*esp_forward[2][4])(const EspBlock& block, size_t d, double* z, double* sums);
  void (*esp_finish[4])(const EspBlock& block, size_t d, double share, double lambda, double sign, double* z, double* acc,
                        double* sums);
  void (*esp_support[4])(const EspBlock& block, size_t d, double* out);
  void (*esp_measure)(const double* c, const double* origin, size_t d, double* out);
};

// Null where this build has no such level.
const Table* table_baseline();
const Table* table_avx2();
const Table* table_avx512();
const Table* table_neon();
const Table* table_wasm128();

}  // namespace fista
