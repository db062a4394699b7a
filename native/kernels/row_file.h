// The rows of a matrix in a file, as `Dataset.write` lays them out, read a stretch at a time into the caller's memory.
//
// Given:    where the parts of the file are said to be. Nothing of that is believed: a read past the end fails, the rows' lengths
//           are checked when the file is opened, and entries whenever they are read, in the buffer that they are then used from. So
//           no access is out of bounds, whatever the file holds or becomes.
// Wanted:   rows by number, in the order of a list, minus what is to be subtracted from each column: the same bits as those of a
//           Matrix in memory.
//
// A failure stays: every later load fails as well, and failure() says what the first one was.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "buffer.h"
#include "copy_result.h"
#include "file.h"
#include "run.h"
#include "sync.h"
#include "table.h"

namespace fista {

// Positions in bytes from the beginning of the file.
struct FileLayout {
  bool sparse;
  Values values;
  Index index;
  size_t rows, cols;
  uint64_t entries;                          // of all rows
  uint64_t values_at, index_at, lengths_at;  // sparse: column indices by entry, and the number of entries by row (32 bits)
};

// Rows that were loaded: memory to be used again for the next ones.
struct LoadedRows {
  Buffer<double> f64;
  Buffer<float> f32;
  Buffer<uint16_t> index16;
  Buffer<uint32_t> index32, start;
  Buffer<char> staged;  // rows of which only some are wanted

  // As rows 0 … n - 1 of a matrix.
  DenseRows dense(const FileLayout& layout, size_t n) const;
  SparseRows sparse(const FileLayout& layout, size_t n) const;
};

class RowFile {
 public:
  // Opens the file, and reads and checks the rows' lengths.
  CopyResult open(const Run& run, const char* path, const FileLayout& layout);

  // Reads the rows at positions [begin, end) of a list (null: rows of these numbers), less `shift` by column (null: 0). False if
  // that fails, now or before. `stream`: a number for who reads in order, kScattered for who does not and says what will_need to be
  // read next.
  static constexpr size_t kScattered = SIZE_MAX;
  [[nodiscard]] bool load(const Run& run, const uint32_t* list, size_t begin, size_t end, const double* shift, size_t stream,
                          LoadedRows& to) const;
  void will_need(size_t begin, size_t end) const;

  const FileLayout& layout() const { return layout_; }
  const char* path() const { return path_.data(); }
  size_t length(size_t row) const { return layout_.sparse ? length_[row] : layout_.cols; }
  size_t bytes() const { return length_.bytes() + base_.bytes(); }  // of memory
  uint64_t data_bytes() const;                                      // of entries in the file

  CopyResult failure() const;
  // Keeps the first failure; false.
  bool fail(const CopyResult& result) const;

 private:
  size_t value_bytes() const { return layout_.values == Values::f64 ? 8 : layout_.values == Values::f32 ? 4 : 0; }
  size_t index_bytes() const { return layout_.index == Index::u16 ? 2 : 4; }
  uint64_t start(size_t row) const;
  struct Part;
  bool make_room(const Part& all, LoadedRows& to) const;
  bool gather(const Part& part, uint64_t section, size_t item, size_t stream, char* out, LoadedRows& room) const;
  bool check(const Run& run, const Part& part, const double* shift, LoadedRows& to) const;
  template <typename T>
  bool finish_values(const Run& run, const Part& part, const double* shift, const LoadedRows& rows, T* values) const;

  Buffer<char> path_;
  FileLayout layout_{};
  File file_;
  Buffer<uint32_t> length_;  // by row, of a sparse matrix
  Buffer<uint64_t> base_;    // by kRowsPerBase rows, where the first of them begins
  mutable std::atomic<bool> failed_{false};
  mutable Mutex mutex_;
  mutable CopyResult failure_;
};

}  // namespace fista
