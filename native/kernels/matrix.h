// A data matrix X: its copy, its products, its columns' statistics. Copied once and kept in the smallest form that loses nothing:
// f32 stays f32; sparse rows keep 16-bit column numbers where they fit, no values when all are 1, and f32 values where every f64
// value is one; and where a million columns or more outnumber the entries, only columns that hold one.
//
// Problem:  X.w and X'u at the speed of memory, the same bits for any number of threads.
// Given:    the caller's rows, dense or CSR, checked on the way: nothing is kept of a matrix with a defect, and CopyResult says
//           where it is. Or rows in a file (row_file.h), which are read anew in every product, a stretch at a time.
// Wanted:   products in the caller's `out`; rows are cut into parts that do not depend on the threads, and sums over parts are
//           added in order. So it makes no difference to the bits whether rows are in memory or in a file.
// Files:    matrix_copy.cc copies and checks, matrix_columns.cc measures, centres and drops columns, matrix.cc multiplies,
//           matrix_decide.cc predicts, matrix_ascend.cc visits rows for coordinate ascent (svm_ascent.cc).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "buffer.h"
#include "copy_result.h"
#include "row_file.h"
#include "run.h"
#include "table.h"

namespace fista {

// A plain, unchecked copy of a caller's arrays, by arguments as below: it is made at the speed of memory before the call returns,
// after which the caller may change them.
struct RawPoints {
  [[nodiscard]] bool take_dense(const Run& run, Values values, const void* data, size_t rows, size_t cols);
  [[nodiscard]] bool take_sparse(const Run& run, const uint32_t* indptr, const uint32_t* index, Values values, const void* data,
                                 size_t entries, size_t rows, size_t cols);

  bool sparse = false;
  Values values = Values::f64;
  size_t entries = 0, rows = 0, cols = 0;
  Buffer<uint32_t> indptr, index;
  Buffer<double> f64;
  Buffer<float> f32;
};

// Rows are taken in stretches of some 4 MB, of a multiple of 64 rows.
constexpr size_t kStretch = size_t(1) << 22, kTogether = 64;

// How an epoch of coordinate ascent is divided (method 1.10): into chunks of `rows` rows that follow each other, so that a file is
// read at its speed, and windows of kChunks of them from anywhere.
constexpr size_t kChunks = 16;
struct Windows {
  size_t rows = 0, chunks = 0;          // 0 chunks: all rows are one window
  const uint32_t* window_of = nullptr;  // by chunk
};

class Matrix {
 public:
  // Row-major rows x cols, f64 or f32.
  CopyResult copy_dense(const Run& run, Values values, const void* data, size_t rows, size_t cols);

  // CSR. indptr has rows + 1 entries; index and values have `entries` each; indices are at most 32 bits wide, read as unsigned
  // (a negative one is then out of range). values is null with Values::ones.
  CopyResult copy_sparse(const Run& run, const uint32_t* indptr, const uint32_t* index, Values values, const void* data,
                         size_t entries, size_t rows, size_t cols);

  // The same from a copy that was taken before. Its memory is used where possible, and given back.
  CopyResult adopt(const Run& run, RawPoints& points);

  // Rows that stay in a file. Only its structure is checked; entries are whenever they are read, and failure() then says what was
  // wrong. What a product computed must not be used if there is a failure.
  CopyResult open(const Run& run, const char* path, const FileLayout& layout);
  bool in_file() const { return kHasFiles && file_ != nullptr; }
  CopyResult failure() const { return in_file() ? file_->failure() : CopyResult{}; }
  const char* path() const { return in_file() ? file_->path() : ""; }
  // The same rows in the file, centred (below): what is subtracted from columns is subtracted as they are read. Found once for the
  // file. Null if there is no memory, the run is interrupted, or reading fails.
  std::shared_ptr<Matrix> centred(const Run& run) const;
  bool is_centred() const { return centred_; }

  // out[i * k + q] = x_i.w_q + bias_q for k planes (one or more) and a matrix that is read where it is, by arguments as above. The
  // planes have a weight for each column. A value has the same bits whatever the other rows and planes are. bad: the first row
  // where a value is not finite, or rows. out is written only if nothing is wrong. Entries must not change meanwhile.
  static CopyResult decide_dense(const Run& run, Values values, const void* data, size_t rows, size_t cols, const Planes& planes,
                                 double* out, size_t* bad);
  static CopyResult decide_sparse(const Run& run, const uint32_t* indptr, const uint32_t* index, Values values, const void* data,
                                  size_t entries, size_t rows, size_t cols, const Planes& planes, double* out, size_t* bad);
  // The same for the rows from begin to end of this matrix, the first of them at out, with a weight for each of its width()
  // columns; writes out in any case. bad: the first such row, or end. Fails for lack of memory only.
  CopyResult decide(const Run& run, const Planes& planes, size_t begin, size_t end, double* out, size_t* bad) const;
  CopyResult decide(const Run& run, const Planes& planes, double* out, size_t* bad) const {
    return decide(run, planes, 0, rows_, out, bad);
  }
  struct Points;

  // out[p] = x.w for the rows at positions [begin, end) of a list (null: all rows in their order). w has cols() + 1 entries, the
  // last of them 0. Returns the number of entries read.
  size_t multiply(const Run& run, const uint32_t* list, size_t begin, size_t end, const double* w, double* out) const;

  // out_j = sum of u[p] x_j over the same. Rows with u[p] = 0 are not read. Needs scratch_size() doubles.
  size_t combine(const Run& run, const uint32_t* list, size_t begin, size_t end, const double* u, double* out,
                 double* scratch) const;
  size_t scratch_size() const;

  // One epoch of coordinate ascent over rows that entry() describes; returns the number of entries read. Rows of a file are held a
  // window at a time; `row` says which is at each position. The epoch's order must go through the windows one by one.
  size_t ascend(const Run& run, Ascent& ascent, const uint32_t* row, const Windows& windows) const;
  // Where an AscentRow of row i begins and ends; in a file, that is known once the row is loaded.
  void entry(size_t i, AscentRow& row) const {
    if (in_file()) {
      row.from = row.to = 0;
      return;
    }
    row.from = sparse_ ? start_[i] : static_cast<uint32_t>(i);
    row.to = sparse_ ? start_[i + 1] : row.from;
  }

  // Both for all rows in their order.
  void multiply(const Run& run, const double* w, double* out) const { multiply(run, nullptr, 0, rows_, w, out); }
  void multiply_transposed(const Run& run, const double* u, double* out, double* scratch) const {
    combine(run, nullptr, 0, rows_, u, out, scratch);
  }

  // out[p] = sum_j (factor_j x_ij)^2 for the rows i at positions [0, n) of a list (null: all rows in their order); factor null:
  // all 1.
  void row_norms(const Run& run, const uint32_t* list, size_t n, const double* factor, double* out) const;
  // By column, over the stored entries of such rows, each counted as often as its weight by position says (null: once): the sum of
  // x - centre_j, the sum of its squares, the number of entries; and max |x| (before anything was subtracted).
  struct ColumnStats {
    Buffer<double> sum, square, max, number;
  };
  [[nodiscard]] bool column_stats(const Run& run, const uint32_t* list, size_t n, const double* weight, const double* centre,
                                  ColumnStats& out) const;

  // Subtracts a number from each column for good (method 1.4): a mean of 1e8 would cost x.w all its digits. From dense f64 columns
  // it subtracts the mean. From others, if they have no 0 and their entries have one sign and lie within a factor of 2, a number
  // between them: such differences are exact, in f32 too. Data already centred stay as they are. False if there is no memory. A run
  // that is interrupted leaves an empty matrix.
  [[nodiscard]] bool centre(const Run& run);
  const double* shift() const { return shift_.data(); }  // what was subtracted from each column, or null
  const double* max_abs() const { return max_.data(); }  // if these are the means, max |x| by column before that; or null
  // Stored entries of row i.
  size_t entries(size_t i) const { return !sparse_ ? cols_ : in_file() ? file_->length(i) : start_[i + 1] - start_[i]; }

  size_t rows() const { return rows_; }
  size_t cols() const { return cols_; }    // that are kept
  size_t width() const { return width_; }  // as they were given
  // The columns that are kept, ascending, of a matrix that does not keep all; else null.
  const uint32_t* used() const { return all_kept_ ? nullptr : used_.data(); }
  bool all_kept() const { return all_kept_; }
  // Whether empty columns are dropped: of a million columns or more, and more columns than entries. (Fewer cost little.)
  static bool drops_columns(size_t entries, size_t cols) { return cols >= size_t(1) << 20 && cols > entries; }
  size_t stored() const { return stored_; }  // entries a pass reads
  size_t bytes() const;                      // of memory
  bool sparse() const { return sparse_; }
  Values values() const { return values_; }
  Index index() const { return index_; }

  // A matrix as it is, for a copy in another memory: what it is but for its arrays, and each of these, in a fixed order.
  struct State {
    size_t rows, cols, width, stored;
    bool sparse, all_kept, centred;
    Values values;
    Index index;
  };
  static constexpr size_t kArrays = 8;
  State state() const { return {rows_, cols_, width_, stored_, sparse_, all_kept_, centred_, values_, index_}; }
  // visit(address, bytes)
  template <typename Visit>
  void each_array(Visit&& visit) const {
    visit(f64_.data(), f64_.bytes());
    visit(f32_.data(), f32_.bytes());
    visit(start_.data(), start_.bytes());
    visit(index16_.data(), index16_.bytes());
    visit(index32_.data(), index32_.bytes());
    visit(used_.data(), used_.bytes());
    visit(shift_.data(), shift_.bytes());
    visit(max_.data(), max_.bytes());
  }
  // Becomes a matrix of that state, with room for arrays of so many bytes, which the caller fills. False if there is no memory.
  [[nodiscard]] bool resume(const State& state, const size_t* bytes);

 private:
  // What copy_dense and copy_sparse do, on a fresh matrix.
  CopyResult read_dense(const Run& run, Values values, const void* data, size_t rows, size_t cols);
  CopyResult read_sparse(const Run& run, const uint32_t* indptr, const uint32_t* index, Values values, const void* data,
                         size_t entries, size_t rows, size_t cols);

  CopyResult drop_columns(const Run& run);
  CopyResult keep_or_drop(const Run& run, Matrix& copy, CopyResult result);

  // The number of parts of `rows` rows over which the sums of X'u are taken, to be added in order. So few that the parts' sums are
  // small beside the matrix.
  size_t combine_parts(size_t rows) const;
  double work(size_t rows) const;
  Points points() const;
  DenseRows dense_rows(const uint32_t* list, size_t begin, size_t end) const;
  SparseRows sparse_rows(const uint32_t* list, size_t begin, size_t end) const;
  // Calls body(rows, first): DenseRows or SparseRows of positions [from, to) of a list, where position p is number p - first of the
  // rows. Rows of a file are loaded to `room` before, as part of a stream; if that fails,
  // body is not called.
  template <typename Dense, typename Sparse>
  void with_rows(const Run& run, LoadedRows& room, const uint32_t* list, size_t from, size_t to, size_t stream, Dense&& dense,
                 Sparse&& sparse) const {
    if (in_file() && !file_->load(run, list, from, to, shift_.data(), stream, room)) return;
    if (sparse_) {
      in_file() ? sparse(room.sparse(file_->layout(), to - from), from) : sparse(sparse_rows(list, from, to), size_t(0));
    } else {
      in_file() ? dense(room.dense(file_->layout(), to - from), from) : dense(dense_rows(list, from, to), size_t(0));
    }
  }
  size_t stored_bytes() const;
  const void* data() const;
  size_t row_bytes() const;
  // in_stretches (matrix_internal.h) of the rows at positions [from, to) of a list. Some rows may be far longer than others: a
  // stretch of those in a file, which is held in memory, has at most twice `bytes`, or `together` rows.
  template <typename Body>
  void in_row_stretches(const Run& run, const uint32_t* list, size_t from, size_t to, Body&& body, size_t bytes = kStretch,
                        size_t together = kTogether) const;
  size_t rows_in(size_t bytes) const;
  void look_ahead(const Ascent& plan, const std::atomic<size_t>& at) const;
  size_t ascend_file(const Run& run, Ascent& ascent, const uint32_t* row, const Windows& windows) const;
  CopyResult decide_file(const Run& run, const Planes& planes, size_t begin, size_t end, double* out, size_t* bad) const;
  template <typename Body>
  void each(const SparseRows& rows, Body&& body) const;
  [[nodiscard]] bool subtract_means(const Run& run);
  template <typename T>
  [[nodiscard]] bool subtract_exactly(const Run& run);

  size_t rows_ = 0, cols_ = 0, width_ = 0, stored_ = 0;
  bool sparse_ = false, all_kept_ = true;
  Values values_ = Values::f64;
  Index index_ = Index::u32;
  Buffer<double> f64_;
  Buffer<float> f32_;
  Buffer<uint32_t> start_;
  Buffer<uint16_t> index16_;
  Buffer<uint32_t> index32_, used_;
  Buffer<double> shift_, max_;
  bool centred_ = false;
  std::shared_ptr<const RowFile> file_;
  struct Centred;
  std::shared_ptr<Centred> centred_file_;  // what is known of centring the file
};

}  // namespace fista
