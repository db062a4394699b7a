// LIBSVM text → compressed sparse rows. The text comes in pieces that may end anywhere, and is not kept: memory holds what was
// read, and one token.
//
//   row = label { blank index ':' value } [ '#' comment ]
//
// Blanks are space, tab and carriage return; a line of blanks or a comment alone is not a row. Positions count bytes, from 1.
// Specification and twin: lib/backend/fallback/parse.ts.
#pragma once

#include <cstdint>
#include <new>

#include "buffer.h"

namespace fista {

// A list that grows block by block. Nothing is copied until it is taken, in steps; each block is freed once it was copied.
template <typename T>
class Blocks {
 public:
  Blocks() = default;
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks() {
    while (first_ != nullptr) drop();
  }

  size_t size() const { return last_ == nullptr ? 0 : full_ * kBlock + kBlock - static_cast<size_t>(end_ - at_) - taken_; }
  size_t bytes() const { return (full_ + (last_ != nullptr)) * kBlock * sizeof(T); }

  // False if there is no memory.
  [[nodiscard]] bool push(T value) {
    if (at_ == end_ && !grow()) return false;
    *at_++ = value;
    return true;
  }

  // Moves the first n entries, of size() at most, to `out`.
  void take(T* out, size_t n) {
    while (n > 0) {
      const size_t here = first_ == last_ ? size() : kBlock - taken_;
      const size_t some = n < here ? n : here;
      const T* const from = first_->entries.data() + taken_;
      for (size_t i = 0; i < some; ++i) out[i] = from[i];
      out += some;
      n -= some;
      taken_ += some;
      if (some == here) drop();
    }
  }

 private:
#if defined(FISTA_FUZZ)
  static constexpr size_t kBlock = 16;  // a short text fills several
#else
  static constexpr size_t kBlock = size_t(1) << 18;
#endif
  struct Block {
    Buffer<T> entries;
    Block* next = nullptr;
  };

  bool grow() {
    Block* block = new (std::nothrow) Block;
    if (block == nullptr || !block->entries.allocate(kBlock)) {
      delete block;
      return false;
    }
    if (last_ == nullptr) {
      first_ = block;
    } else {
      last_->next = block;
      ++full_;
    }
    last_ = block;
    at_ = block->entries.data();
    end_ = at_ + kBlock;
    return true;
  }

  void drop() {
    Block* next = first_->next;
    delete first_;
    first_ = next;
    taken_ = 0;
    if (next != nullptr) {
      --full_;
    } else {
      last_ = nullptr;
      at_ = end_ = nullptr;
    }
  }

  Block *first_ = nullptr, *last_ = nullptr;
  T *at_ = nullptr, *end_ = nullptr;
  size_t full_ = 0;   // blocks before the last
  size_t taken_ = 0;  // entries of the first
};

struct ParseDefect {
  enum Kind : uint8_t {
    none,
    out_of_memory,
    label,
    word,
    entry,
    qid,
    value,
    range,
    zero,
    order,
    extra,
    too_long,
    rows,
    entries,
    empty,
  };
  Kind kind = none;
  uint64_t line = 0, column = 0;
  int64_t last = 0;        // the index before, in its row
  uint8_t text[200] = {};  // the token's beginning
  size_t length = 0;
};

class Parser {
 public:
  // Rounds the well-formed numbers that read_decimal leaves undecided. The text ends with a byte that is no part of it.
  struct Decider {
    double (*decide)(void* context, const char* text, size_t length);
    void* context;
  };

  // Columns from `limit` on are refused, or ignored. `words`: labels are text.
  Parser(bool zero_based, int64_t limit, bool ignore_extra, bool words, uint64_t max = 4294967294)
      : first_(zero_based ? 0 : 1), limit_(limit), ignore_extra_(ignore_extra), has_words_(words), max_(max) {}

  // Reads the next piece. False if it has a defect: see defect(). Nothing more can be read then.
  bool push(const uint8_t* chunk, size_t n, Decider decider);
  // The text has ended.
  bool finish(Decider decider);
  const ParseDefect& defect() const { return defect_; }

  uint64_t rows() const { return rows_; }
  uint64_t cols() const { return static_cast<uint64_t>(cols_); }
  uint64_t ignored() const { return ignored_; }
  bool has_words() const { return has_words_; }
  bool has_values() const { return has_values_; }
  size_t bytes() const;

  // The values that were not taken yet; none if all are 1.
  size_t values_left() const { return ones_ + values_.size(); }
  // Moves the first n of them to `out`.
  void take_values(double* out, size_t n);

  // What was read. `starts` lacks the last one, which is the number of indices.
  Blocks<uint32_t> starts, indices;
  Blocks<double> labels;
  Blocks<uint8_t> words;  // each with a newline after it

 private:
  static constexpr ptrdiff_t kLongest = 1000;
  static constexpr int64_t kHighestIndex = 2147483647;

  bool scan(const uint8_t* p, const uint8_t* stop, const uint8_t* begin, const uint8_t* end);
  bool quick_label(const uint8_t*& p, const uint8_t* end);
  bool quick_entry(const uint8_t*& p, const uint8_t* end);
  bool token(const uint8_t* from, const uint8_t* to, uint64_t at);
  bool label(const uint8_t* from, const uint8_t* to, uint64_t at);
  bool entry(const uint8_t* from, const uint8_t* to, uint64_t at);
  bool decimal(const uint8_t* from, const uint8_t* to, double& value);
  bool start_row(double label);
  bool store(int64_t column, double value);
  bool keep(const uint8_t* from, size_t n);
  bool refuse(ParseDefect::Kind kind, const uint8_t* from, const uint8_t* to, uint64_t at);
  void end_row() {
    rows_ += in_row_;
    in_row_ = false;
  }

  const int64_t first_, limit_;
  const bool ignore_extra_, has_words_;
  const uint64_t max_;    // of rows, and of entries
  bool starved_ = false;  // no memory, in the midst of a row: what was half stored must not be stored again
  bool has_values_ = false, in_row_ = false, in_comment_ = false;
  uint64_t rows_ = 0, ignored_ = 0, entries_ = 0;
  size_t ones_ = 0;  // values before those that are stored
  Blocks<double> values_;
  int64_t cols_ = 0, last_ = -1;
  uint64_t line_ = 1, line_start_ = 0;
  uint64_t offset_ = 0;  // of the piece in the text
  uint8_t carry_[kLongest + 1];
  size_t carried_ = 0;
  uint64_t carried_from_ = 0;
  Decider decider_ = {};
  ParseDefect defect_;
};

}  // namespace fista
