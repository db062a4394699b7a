// Matrices, and what is computed of points by planes.
#include <cstring>
#include <new>

#include "labels.h"
#include "module.h"

namespace fista {
namespace {

void answer_copy(const CopyResult& result) { answer(result.kind, result.row, result.at, result.found, result.before); }

}  // namespace

// Room for points, which the caller fills: see pointsArrays. 0 if there is no memory.
FISTA_EXPORT(pointsNew) RawPoints* points_new(bool sparse, uint32_t values, size_t entries, size_t rows, size_t cols) {
  auto points = std::unique_ptr<RawPoints>(new RawPoints);
  points->sparse = sparse;
  points->values = static_cast<Values>(values);
  points->entries = entries;
  points->rows = rows;
  points->cols = cols;
  if (sparse && (!points->indptr.allocate(rows + 1) || !points->index.allocate(entries))) return nullptr;
  if (points->values == Values::f64 && !points->f64.allocate(entries)) return nullptr;
  if (points->values == Values::f32 && !points->f32.allocate(entries)) return nullptr;
  return points.release();
}
// Answers where the values, the row starts and the column indices go.
FISTA_EXPORT(pointsArrays) void points_arrays(RawPoints* points) {
  const void* values = points->values == Values::f32 ? static_cast<void*>(points->f32.data()) : points->f64.data();
  answer(address(values), address(points->indptr.data()), address(points->index.data()));
}
FISTA_EXPORT(pointsDelete) void points_delete(RawPoints* points) { delete points; }

// A matrix of points, which are given up. Answers the CopyResult; 0 unless it is ok.
FISTA_EXPORT(matrixAdopt) MatrixRef* matrix_adopt(RawPoints* given, const InterruptRef* interrupt) {
  const std::unique_ptr<RawPoints> points(given);
  auto matrix = std::make_shared<Matrix>();
  const CopyResult result = matrix->adopt(run_with(interrupt), *points);
  answer_copy(result);
  return result.kind == CopyResult::ok ? new MatrixRef(std::move(matrix)) : nullptr;
}
FISTA_EXPORT(matrixShare) MatrixRef* matrix_share(const MatrixRef* matrix) { return new MatrixRef(*matrix); }
FISTA_EXPORT(matrixDelete) void matrix_delete(MatrixRef* matrix) { delete matrix; }

FISTA_EXPORT(matrixDescribe) void matrix_describe(const MatrixRef* matrix) {
  const Matrix& X = **matrix;
  answer(X.rows(), X.width(), X.cols(), X.stored(), X.bytes(), X.sparse(), static_cast<int>(X.values()),
         static_cast<int>(X.index()), address(X.used()), address(X.shift()));
}

// Copies of a matrix in another memory: the state, and the bytes of each array. matrixLike makes room for the same arrays.
FISTA_EXPORT(matrixArrays) void matrix_arrays(const MatrixRef* matrix) {
  size_t k = 0;
  (*matrix)->each_array([&](const void* data, size_t bytes) {
    shared_numbers[k++] = address(data);
    shared_numbers[k++] = static_cast<double>(bytes);
  });
}
FISTA_EXPORT(matrixState) void matrix_state(const MatrixRef* matrix, Matrix::State* out) { *out = (*matrix)->state(); }
FISTA_EXPORT(matrixStateSize) size_t matrix_state_size() { return sizeof(Matrix::State); }
FISTA_EXPORT(matrixLike) MatrixRef* matrix_like(const Matrix::State* state, const size_t* bytes) {
  auto matrix = std::make_shared<Matrix>();
  return matrix->resume(*state, bytes) ? new MatrixRef(std::move(matrix)) : nullptr;
}

// w has a 0 behind its entries by column that is kept.
FISTA_EXPORT(matrixMultiply) void matrix_multiply(const MatrixRef* matrix, const double* w, double* out) {
  (*matrix)->multiply(run_with(), w, out);
}
FISTA_EXPORT(matrixMultiplyTransposed) Ending matrix_multiply_transposed(const MatrixRef* matrix, const double* u, double* out) {
  Buffer<double> scratch;
  if (!scratch.allocate((*matrix)->scratch_size())) return out_of_memory;
  (*matrix)->multiply_transposed(run_with(), u, out, scratch.data());
  return done;
}
// Answers the CopyResult, and then the first row where a value is not finite.
FISTA_EXPORT(matrixDecide)
void matrix_decide(const MatrixRef* matrix, const double* weights, const double* biases, size_t planes, size_t begin, size_t end,
                   double* out) {
  size_t bad = 0;
  answer_copy((*matrix)->decide(run_with(), {weights, biases, planes}, begin, end, out, &bad));
  shared_numbers[5] = static_cast<double>(bad);
}
FISTA_EXPORT(matrixNorms) void matrix_norms(const MatrixRef* matrix, const double* factor, double* out) {
  (*matrix)->row_norms(run_with(), nullptr, (*matrix)->rows(), factor, out);
}
FISTA_EXPORT(matrixCentre) Ending matrix_centre(MatrixRef* matrix, const InterruptRef* interrupt) {
  const Run run = run_with(interrupt);
  const bool enough = (*matrix)->centre(run);
  return run.interrupted() ? interrupted : enough ? done : out_of_memory;
}

// As matrixDecide, for points that are read where they are.
FISTA_EXPORT(decidePoints)
void decide_points(const RawPoints* points, const double* weights, const double* biases, size_t planes, double* out) {
  size_t bad = 0;
  const Planes all = {weights, biases, planes};
  const void* data = points->values == Values::f32 ? static_cast<const void*>(points->f32.data()) : points->f64.data();
  answer_copy(points->sparse ? Matrix::decide_sparse(run_with(), points->indptr.data(), points->index.data(), points->values, data,
                                                     points->entries, points->rows, points->cols, all, out, &bad)
                             : Matrix::decide_dense(run_with(), points->values, data, points->rows, points->cols, all, out, &bad));
  shared_numbers[5] = static_cast<double>(bad);
}

// The planes' lists by their addresses: see LabelPlanes and LabelRows. `safe` and `lost` come by shared_numbers.
struct LabelLists {
  size_t planes, centres, classes;
  const uint32_t *positive, *negative, *centre_of;
  const double *slope, *low, *high, *spare, *centre_squares;
  size_t rows;
  const double *values, *products, *norms;
  uint8_t* certain;
  uint32_t* in_the_way;
};
FISTA_EXPORT(certifyLabels) Ending certify(const LabelLists* given) {
  LabelPlanes planes{};
  planes.planes = given->planes;
  planes.centres = given->centres;
  planes.classes = given->classes;
  planes.positive = given->positive;
  planes.negative = given->negative;
  planes.centre_of = given->centre_of;
  planes.proofs.slope = given->slope;
  planes.proofs.low = given->low;
  planes.proofs.high = given->high;
  planes.proofs.spare = given->spare;
  planes.centre_squares = given->centre_squares;
  planes.safe = shared_numbers[0];
  planes.lost = shared_numbers[1];
  const LabelRows rows = {given->rows, given->values, given->products, given->norms};
  return certify_labels(run_with(), planes, rows, given->certain, given->in_the_way) ? done : out_of_memory;
}

}  // namespace fista
