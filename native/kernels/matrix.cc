// The forms of a matrix, and its products X.w and X'u.
#include "matrix.h"

#include <cstring>
#include <utility>

#include "matrix_internal.h"

namespace fista {

CopyResult Matrix::open(const Run& run, const char* path, const FileLayout& layout) {
  if (!kHasFiles) return {CopyResult::unreadable};
  auto file = std::shared_ptr<RowFile>(new RowFile);
  const CopyResult result = file->open(run, path, layout);
  *this = Matrix();
  if (result.kind != CopyResult::ok) return result;
  rows_ = layout.rows;
  cols_ = width_ = layout.cols;
  stored_ = static_cast<size_t>(layout.entries);
  sparse_ = layout.sparse;
  values_ = layout.values;
  index_ = layout.index;
  file_ = std::move(file);
  centred_file_ = std::shared_ptr<Centred>(new Centred);
  return {};
}

// The bytes of a row, on average.
size_t Matrix::row_bytes() const { return rows_ ? stored_bytes() / rows_ : 0; }

// Of entries, wherever they are.
size_t Matrix::stored_bytes() const { return in_file() ? static_cast<size_t>(file_->data_bytes()) : bytes(); }

// How many rows of average length take so many bytes; at least one.
size_t Matrix::rows_in(size_t bytes) const { return 1 + bytes / (1 + row_bytes()); }

size_t Matrix::bytes() const {
  if (in_file()) return file_->bytes();
  return f64_.bytes() + f32_.bytes() + start_.bytes() + index16_.bytes() + index32_.bytes() + used_.bytes();
}

const void* Matrix::data() const {
  if (values_ == Values::ones) return nullptr;
  return values_ == Values::f64 ? static_cast<const void*>(f64_.data()) : f32_.data();
}

DenseRows Matrix::dense_rows(const uint32_t* list, size_t begin, size_t end) const {
  return {data(), cols_, list, begin, end, list ? 0 : ahead_of(bytes())};
}

SparseRows Matrix::sparse_rows(const uint32_t* list, size_t begin, size_t end) const {
  const void* index = index_ == Index::u16 ? static_cast<const void*>(index16_.data()) : index32_.data();
  return {start_.data(), index, data(), cols_, list, begin, end};
}

// The entries of so many rows, on average; an empty row counts as one.
double Matrix::work(size_t rows) const {
  return rows_ ? static_cast<double>(stored_ + rows_) * (static_cast<double>(rows) / static_cast<double>(rows_)) : 0;
}

size_t Matrix::multiply(const Run& run, const uint32_t* list, size_t begin, size_t end, const double* w, double* out) const {
  const Partition parts = partition(end - begin, static_cast<size_t>(work(end - begin)));
  size_t read[kMaxParts] = {};
  parallel(run, parts.parts, [&](size_t k) {
    LoadedRows room;
    in_row_stretches(run, list, begin + parts.begin(k), begin + parts.end(k), [&](size_t from, size_t to) {
      with_rows(
          run, room, list, from, to, k,
          [&](const DenseRows& rows, size_t first) { read[k] += run.table->dense_multiply[size_t(values_)](rows, w, out + first); },
          [&](const SparseRows& rows, size_t first) {
            read[k] += run.table->sparse_multiply[size_t(index_)][size_t(values_)](rows, w, out + first);
          });
    });
  });
  size_t total = 0;
  for (size_t k = 0; k < parts.parts; ++k) total += read[k];
  return total;
}

constexpr size_t kMaxSums = 16;

size_t Matrix::combine_parts(size_t rows) const {
  // Each part holds eight times as many entries as the sum it makes.
  const double entries = work(rows), max = entries / (8.0 * static_cast<double>(cols_ + 1));
  return partition(rows, static_cast<size_t>(entries), max < 1 ? 1 : max > kMaxSums ? kMaxSums : static_cast<size_t>(max)).parts;
}

// Parts' sums start on their own cache lines, so that threads do not share one.
static size_t padded(size_t n) { return (n + 7) / 8 * 8; }

// One entry more than there are columns, for the sparse loops.
size_t Matrix::scratch_size() const { return combine_parts(rows_) * padded(cols_ + 1); }

size_t Matrix::combine(const Run& run, const uint32_t* list, size_t begin, size_t end, const double* u, double* out,
                       double* scratch) const {
  const Partition parts = {end - begin, combine_parts(end - begin)};
  const size_t stride = padded(cols_ + 1);
  size_t read[kMaxSums] = {};
  parallel(run, parts.parts, [&](size_t k) {
    double* sum = scratch + k * stride;
    in_stretches(run, 0, cols_ + 1, sizeof(double),
                 [&](size_t from, size_t to) { std::memset(sum + from, 0, (to - from) * sizeof(double)); });
    LoadedRows room;
    in_row_stretches(run, list, begin + parts.begin(k), begin + parts.end(k), [&](size_t from, size_t to) {
      with_rows(
          run, room, list, from, to, k,
          [&](const DenseRows& rows, size_t first) { read[k] += run.table->dense_combine[size_t(values_)](rows, u + first, sum); },
          [&](const SparseRows& rows, size_t first) {
            read[k] += run.table->sparse_combine[size_t(index_)][size_t(values_)](rows, u + first, sum);
          });
    });
  });
  if (run.interrupted()) return 0;
  run.table->add_parts(scratch, parts.parts, stride, cols_, out);
  size_t total = 0;
  for (size_t k = 0; k < parts.parts; ++k) total += read[k];
  return total;
}

bool Matrix::resume(const State& state, const size_t* bytes) {
  rows_ = state.rows;
  cols_ = state.cols;
  width_ = state.width;
  stored_ = state.stored;
  sparse_ = state.sparse;
  all_kept_ = state.all_kept;
  centred_ = state.centred;
  values_ = state.values;
  index_ = state.index;
  const auto room = [&](auto& array) {
    const size_t size = *bytes++ / sizeof(array[0]);
    return size == 0 || array.allocate(size);
  };
  return room(f64_) && room(f32_) && room(start_) && room(index16_) && room(index32_) && room(used_) && room(shift_) && room(max_);
}

}  // namespace fista
