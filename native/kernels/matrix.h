// A data matrix X, copied once and kept in the smallest form that loses nothing: f32 stays f32; sparse rows keep 16-bit column
// numbers where they fit, no values when all are 1, and f32 values where every f64 value is one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "buffer.h"
#include "table.h"

namespace fista {

// Which inner loops to use, and how many threads.
struct Run {
  const Table* table;
  unsigned threads;
};

// What was found wrong while copying, and where. The matrix is empty then.
struct CopyResult {
  enum Kind : uint8_t {
    ok,
    out_of_memory,
    not_finite,  // at: position in the data or values
    bad_start,   // row: whose indptr[row + 1] is below indptr[row] or beyond the entries; at: row + 1 (0 if indptr[0] != 0)
    bad_range,   // row, at: column index beyond the number of columns (or negative)
    bad_order,   // row, at: column index not above the one before it
  };
  Kind kind = ok;
  size_t row = 0, at = 0;
};

class Matrix {
 public:
  // Row-major rows x cols, f64 or f32.
  CopyResult copy_dense(const Run& run, Values values, const void* data, size_t rows, size_t cols);

  // CSR. indptr has rows + 1 entries; index and values have `entries` each; indices are at most 32 bits wide, read as unsigned
  // (a negative one is then out of range). values is null with Values::ones.
  CopyResult copy_sparse(const Run& run, const uint32_t* indptr, const uint32_t* index, Values values, const void* data,
                         size_t entries, size_t rows, size_t cols);

  // out_i = x_i.w, for all rows. w has cols() + 1 entries, the last of them 0.
  void multiply(const Run& run, const double* w, double* out) const;

  // out_j = sum_i u_i x_ij. Rows with u_i = 0 are not read. Needs scratch_size() doubles.
  void multiply_transposed(const Run& run, const double* u, double* out, double* scratch) const;
  size_t scratch_size() const;

  size_t rows() const { return rows_; }
  size_t cols() const { return cols_; }
  size_t stored() const { return stored_; }  // entries a pass reads
  size_t bytes() const;
  bool sparse() const { return sparse_; }
  Values values() const { return values_; }
  Index index() const { return index_; }

 private:
  // What copy_dense and copy_sparse do, on a fresh matrix.
  CopyResult read_dense(const Run& run, Values values, const void* data, size_t rows, size_t cols);
  CopyResult read_sparse(const Run& run, const uint32_t* indptr, const uint32_t* index, Values values, const void* data,
                         size_t entries, size_t rows, size_t cols);

  // The sums of X'u are taken over these parts of the rows and then added in order. Few enough that the parts' sums weigh little
  // beside the matrix itself.
  size_t transposed_parts() const;
  size_t row_begin(size_t part, size_t parts) const;
  SparseRows rows_of(size_t begin, size_t end) const;

  size_t rows_ = 0, cols_ = 0, stored_ = 0;
  bool sparse_ = false;
  Values values_ = Values::f64;
  Index index_ = Index::u32;
  Buffer<double> f64_;
  Buffer<float> f32_;
  Buffer<uint32_t> start_;
  Buffer<uint16_t> index16_;
  Buffer<uint32_t> index32_;
};

}  // namespace fista
