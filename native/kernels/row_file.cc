#include "row_file.h"

#include <algorithm>
#include <cstring>

#include "matrix_internal.h"

namespace fista {
namespace {

// So many bytes of rows are read, checked and shifted at a time: they stay in the second-level cache.
constexpr size_t kBlock = size_t(1) << 19;
// Rows further apart than this are read one by one. Nearer ones are read together with what is between them, up to a block.
constexpr uint64_t kGap = 1 << 16;
constexpr size_t kRowsPerBase = 1024;
constexpr size_t kLengthsAtOnce = size_t(1) << 18;

template <typename T>
bool room_for(Buffer<T>& buffer, size_t n) {
  return buffer.size() >= n || buffer.allocate(n);
}

// What is wrong with the column indices of n rows; the first of them is number 0.
CopyResult check_rows(const Run& run, const uint32_t* start, size_t from, size_t to, size_t cols, const uint32_t* index) {
  return check_index(run, start, from, to, cols, index + start[from]);
}

CopyResult check_rows(const Run& run, const uint32_t* start, size_t from, size_t to, size_t cols, const uint16_t* index) {
  const size_t number = start[to] - start[from];
  if (number == 0) return {};
  const size_t descents = run.table->count_descents16(index + start[from], number, cols);
  size_t allowed = 0;
  for (size_t i = from + 1; i < to; ++i) {  // from one row to the next
    if (start[i] > start[from] && start[i] < start[i + 1]) allowed += index[start[i]] <= index[start[i] - 1];
  }
  if (descents == allowed) return {};
  for (size_t i = from; i < to; ++i) {
    for (size_t k = start[i], min = 0; k < start[i + 1]; ++k) {
      const size_t j = index[k];
      if (j >= cols) return {CopyResult::bad_range, i, k, static_cast<double>(j), 0};
      if (j < min) return {CopyResult::bad_order, i, k, static_cast<double>(j), static_cast<double>(min - 1)};
      min = j + 1;
    }
  }
  return {};
}

}  // namespace

// Rows at positions [begin, end) of a list, which are the rows from number `first` on of those that are loaded.
struct RowFile::Part {
  const uint32_t* list;
  size_t begin, end, first;
  size_t row(size_t p) const { return list ? list[p] : p; }
};

DenseRows LoadedRows::dense(const FileLayout& layout, size_t n) const {
  return {layout.values == Values::f64 ? static_cast<const void*>(f64.data()) : f32.data(), layout.cols, nullptr, 0, n};
}

SparseRows LoadedRows::sparse(const FileLayout& layout, size_t n) const {
  const void* const index = layout.index == Index::u16 ? static_cast<const void*>(index16.data()) : index32.data();
  const void* const values = layout.values == Values::f64   ? static_cast<const void*>(f64.data())
                             : layout.values == Values::f32 ? f32.data()
                                                            : nullptr;
  return {start.data(), index, values, layout.cols, nullptr, 0, n};
}

CopyResult RowFile::open(const Run& run, const char* path, const FileLayout& layout) {
  layout_ = layout;
  const size_t length = std::strlen(path) + 1;
  if (!path_.allocate(length)) return {CopyResult::out_of_memory};
  std::memcpy(path_.data(), path, length);
  if (!file_.open(path)) return {CopyResult::unreadable};
  if (!layout.sparse) return {};
  const size_t rows = layout.rows;
  // A claim of more rows than the file has room for must not be paid for in memory.
  if (rows > file_.size() / sizeof(uint32_t)) return {CopyResult::unreadable};
  if (!length_.allocate(rows) || !base_.allocate(rows / kRowsPerBase + 1)) return {CopyResult::out_of_memory};
  uint64_t total = 0;
  for (size_t begin = 0; begin < rows; begin += kLengthsAtOnce) {
    if (run.interrupted()) return {CopyResult::interrupted};
    const size_t n = std::min(kLengthsAtOnce, rows - begin);
    if (!file_.read(0, layout.lengths_at + begin * sizeof(uint32_t), length_.data() + begin, n * sizeof(uint32_t))) {
      return {CopyResult::unreadable};
    }
    for (size_t i = begin; i < begin + n; ++i) {
      if (i % kRowsPerBase == 0) base_[i / kRowsPerBase] = total;
      total += length_[i];
      if (length_[i] > layout.cols || total > layout.entries) {
        return {CopyResult::bad_start, i, i, static_cast<double>(length_[i]), static_cast<double>(total - length_[i])};
      }
    }
  }
  return total == layout.entries
             ? CopyResult{}
             : CopyResult{CopyResult::bad_start, rows, rows, static_cast<double>(total), static_cast<double>(layout.entries)};
}

uint64_t RowFile::data_bytes() const { return layout_.entries * (value_bytes() + (layout_.sparse ? index_bytes() : 0)); }

CopyResult RowFile::failure() const {
  if (!failed_.load(std::memory_order_acquire)) return {};
  Lock lock(mutex_);
  return failure_;
}

bool RowFile::fail(const CopyResult& result) const {
  Lock lock(mutex_);
  if (!failed_.load(std::memory_order_relaxed)) failure_ = result;
  failed_.store(true, std::memory_order_release);
  return false;
}

// The number of entries before this row.
uint64_t RowFile::start(size_t row) const {
  if (!layout_.sparse) return static_cast<uint64_t>(row) * layout_.cols;
  uint64_t at = base_[row / kRowsPerBase];
  for (size_t i = row / kRowsPerBase * kRowsPerBase; i < row; ++i) at += length_[i];
  return at;
}

// Reads items of `item` bytes, of all entries of these rows, to `out`.
bool RowFile::gather(const Part& part, uint64_t section, size_t item, size_t stream, char* out, LoadedRows& room) const {
  const auto read = [&](uint64_t first, uint64_t last, char* to) {
    return file_.read(stream, section + first * item, to, static_cast<size_t>((last - first) * item)) ||
           fail({CopyResult::unreadable});
  };
  for (size_t p = part.begin; p < part.end;) {
    // Rows that follow each other, and then others that are near.
    const size_t from = p;
    const uint64_t first = start(part.row(p));
    uint64_t last = first + length(part.row(p));
    bool whole = true;
    for (++p; p < part.end; ++p) {
      const size_t row = part.row(p), before = part.row(p - 1);
      if (row <= before) break;
      uint64_t at = last;
      if (row > before + 1) {
        at = start(row);
        if ((at - last) * item > kGap || (at + length(row) - first) * item > 2 * kBlock) break;
        whole = false;
      }
      last = at + length(row);
    }
    if (whole) {
      if (!read(first, last, out)) return false;
      out += (last - first) * item;
      continue;
    }
    if (!room_for(room.staged, static_cast<size_t>((last - first) * item))) return fail({CopyResult::out_of_memory});
    if (!read(first, last, room.staged.data())) return false;
    uint64_t at = first;
    for (size_t q = from; q < p; ++q) {
      const size_t row = part.row(q);
      if (q > from && row > part.row(q - 1) + 1) at = start(row);
      std::memcpy(out, room.staged.data() + (at - first) * item, length(row) * item);
      out += length(row) * item;
      at += length(row);
    }
  }
  return true;
}

bool RowFile::make_room(const Part& all, LoadedRows& to) const {
  const size_t rows = all.end - all.begin;
  uint64_t entries = static_cast<uint64_t>(rows) * layout_.cols;
  if (layout_.sparse) {
    if (!room_for(to.start, rows + 1)) return fail({CopyResult::out_of_memory});
    entries = 0;
    for (size_t p = all.begin; p < all.end; ++p) {
      to.start[p - all.begin] = static_cast<uint32_t>(entries);
      entries += length(all.row(p));
      if (entries > UINT32_MAX) return fail({CopyResult::out_of_memory});
    }
    to.start[rows] = static_cast<uint32_t>(entries);
  }
  if (entries > SIZE_MAX / sizeof(double) - kOverrun) return fail({CopyResult::out_of_memory});
  const size_t n = static_cast<size_t>(entries) + kOverrun;
  const bool values = layout_.values == Values::ones  ? true
                      : layout_.values == Values::f64 ? room_for(to.f64, n)
                                                      : room_for(to.f32, n);
  const bool index = !layout_.sparse || (layout_.index == Index::u16 ? room_for(to.index16, n) : room_for(to.index32, n));
  if (!values || !index) return fail({CopyResult::out_of_memory});
  if (layout_.values == Values::f64) clear(to.f64.data() + entries);
  if (layout_.values == Values::f32) clear(to.f32.data() + entries);
  if (layout_.sparse && layout_.index == Index::u16) clear(to.index16.data() + entries);
  if (layout_.sparse && layout_.index == Index::u32) clear(to.index32.data() + entries);
  return true;
}

bool RowFile::load(const Run& run, const uint32_t* list, size_t begin, size_t end, const double* shift, size_t stream,
                   LoadedRows& to) const {
  if (failed_.load(std::memory_order_acquire)) return false;
  if (begin == end) return true;
  if (!make_room({list, begin, end, 0}, to)) return false;
  const size_t vb = value_bytes(), ib = layout_.sparse ? index_bytes() : 0;
  char* const values =
      layout_.values == Values::f64 ? reinterpret_cast<char*>(to.f64.data()) : reinterpret_cast<char*>(to.f32.data());
  char* const index =
      layout_.index == Index::u16 ? reinterpret_cast<char*>(to.index16.data()) : reinterpret_cast<char*>(to.index32.data());
  // Indices and values are streams of their own.
  const size_t of_values = stream == kScattered ? File::kScattered : stream * 2 % File::kScattered;
  const size_t of_index = stream == kScattered ? File::kScattered : of_values + 1;
  for (size_t p = begin, q; p < end; p = q) {
    Part part = {list, p, p, p - begin};
    size_t bytes = 0;
    for (q = p; q < end && (q == p || bytes + length(part.row(q)) * (vb + ib) <= kBlock); ++q)
      bytes += length(part.row(q)) * (vb + ib);
    part.end = q;
    const size_t at = layout_.sparse ? to.start[part.first] : part.first * layout_.cols;
    if (vb > 0 && !gather(part, layout_.values_at, vb, of_values, values + at * vb, to)) return false;
    if (ib > 0 && !gather(part, layout_.index_at, ib, of_index, index + at * ib, to)) return false;
    if (!check(run, part, shift, to)) return false;
  }
  return file_.unchanged() || fail({CopyResult::changed});
}

void RowFile::will_need(size_t begin, size_t end) const {
  const uint64_t first = start(begin), last = start(end - 1) + length(end - 1);
  const auto ask = [&](uint64_t section, size_t item) {
    if (item > 0) file_.will_need(section + first * item, (last - first) * item);
  };
  ask(layout_.values_at, value_bytes());
  if (layout_.sparse) ask(layout_.index_at, index_bytes());
}

// Checks the entries of rows that were just read, and subtracts the shift.
bool RowFile::check(const Run& run, const Part& part, const double* shift, LoadedRows& to) const {
  if (layout_.sparse) {
    const size_t last = part.first + (part.end - part.begin);
    CopyResult found = layout_.index == Index::u16
                           ? check_rows(run, to.start.data(), part.first, last, layout_.cols, to.index16.data())
                           : check_rows(run, to.start.data(), part.first, last, layout_.cols, to.index32.data());
    if (found.kind != CopyResult::ok) {
      found.at -= to.start[found.row];
      found.row = part.row(part.begin + (found.row - part.first));
      return fail(found);
    }
  }
  if (layout_.values == Values::f64) return finish_values(run, part, shift, to, to.f64.data());
  if (layout_.values == Values::f32) return finish_values(run, part, shift, to, to.f32.data());
  return true;
}

template <typename T>
bool RowFile::finish_values(const Run& run, const Part& part, const double* shift, const LoadedRows& rows, T* values) const {
  const size_t count = part.end - part.begin, cols = layout_.cols;
  const size_t from = layout_.sparse ? rows.start[part.first] : part.first * cols;
  const size_t to = layout_.sparse ? rows.start[part.first + count] : from + count * cols;
  if (!run.table->all_finite[sizeof(T) == sizeof(float)](values + from, to - from)) {
    const size_t at = from + first_not_finite(values + from, to - from);
    size_t i = part.first;
    while ((layout_.sparse ? rows.start[i + 1] : (i + 1) * cols) <= at) ++i;
    const size_t begin = layout_.sparse ? rows.start[i] : i * cols;
    return fail({CopyResult::not_finite, part.row(part.begin + (i - part.first)), at - begin, static_cast<double>(values[at]), 0});
  }
  if (shift == nullptr) return true;
  if (!layout_.sparse) {
    for (size_t k = from; k < to; k += cols) {
      for (size_t j = 0; j < cols; ++j) values[k + j] -= static_cast<T>(shift[j]);
    }
  } else if (layout_.index == Index::u16) {
    for (size_t k = from; k < to; ++k) values[k] -= static_cast<T>(shift[rows.index16[k]]);
  } else {
    for (size_t k = from; k < to; ++k) values[k] -= static_cast<T>(shift[rows.index32[k]]);
  }
  return true;
}

}  // namespace fista
