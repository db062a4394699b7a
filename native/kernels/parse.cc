#include "parse.h"

#include <cmath>
#include <cstring>

#include "decimal.h"

namespace fista {
namespace {

// Space, newline, tab, carriage return, #.
constexpr uint64_t kEnds =
    uint64_t(1) << ' ' | uint64_t(1) << '\n' | uint64_t(1) << '\t' | uint64_t(1) << '\r' | uint64_t(1) << '#';
inline bool ends_token(uint8_t byte) { return byte < 64 && (kEnds >> byte & 1) != 0; }

inline bool digit(uint8_t byte) { return static_cast<uint8_t>(byte - '0') <= 9; }

const uint8_t* token_end(const uint8_t* p, const uint8_t* end) {
  while (p < end && !ends_token(*p)) ++p;
  return p;
}

// UTF-8 without control characters and colons: a row that begins with index:value has lost its label.
bool is_word(const uint8_t* p, const uint8_t* to) {
  while (p < to) {
    const uint8_t byte = *p++;
    if (byte < 0x80) {
      if (byte < ' ' || byte == ':' || byte == 0x7f) return false;
      continue;
    }
    const int more = byte >= 0xc2 && byte < 0xe0 ? 1 : byte >= 0xe0 && byte < 0xf0 ? 2 : byte >= 0xf0 && byte < 0xf5 ? 3 : 0;
    if (more == 0 || to - p < more) return false;
    // The shortest encoding, no surrogates, nothing beyond U+10FFFF.
    if (byte == 0xe0 && *p < 0xa0) return false;
    if (byte == 0xed && *p >= 0xa0) return false;
    if (byte == 0xf0 && *p < 0x90) return false;
    if (byte == 0xf4 && *p >= 0x90) return false;
    for (int k = 0; k < more; ++k) {
      if ((*p++ & 0xc0) != 0x80) return false;
    }
  }
  return true;
}

}  // namespace

size_t Parser::bytes() const { return starts.bytes() + indices.bytes() + values_.bytes() + labels.bytes() + words.bytes(); }

bool Parser::push(const uint8_t* chunk, size_t n, Decider decider) {
  if (defect_.kind != ParseDefect::none) return false;
  if (n == 0) return true;
  decider_ = decider;
  const uint8_t *p = chunk, *const end = chunk + n;
  if (carried_ > 0) {
    p = token_end(p, end);
    if (!keep(chunk, static_cast<size_t>(p - chunk))) return false;
    if (p == end) {
      offset_ += n;
      return true;
    }
    const size_t length = carried_;
    carried_ = 0;
    carry_[length] = ' ';
    if (!token(carry_, carry_ + length, carried_from_)) return false;
  }
  // Up to `stop` every token has its end, which is what ends the loops over digits.
  const uint8_t* stop = end;
  while (stop > p && !ends_token(stop[-1])) --stop;
  if (!scan(p, stop, chunk, end)) return false;
  if (stop < end && !in_comment_) {
    carried_from_ = offset_ + static_cast<uint64_t>(stop - chunk);
    if (!keep(stop, static_cast<size_t>(end - stop))) return false;
  }
  offset_ += n;
  return true;
}

bool Parser::finish(Decider decider) {
  if (defect_.kind != ParseDefect::none) return false;
  decider_ = decider;
  const size_t length = carried_;
  carried_ = 0;
  carry_[length] = ' ';
  if (length > 0 && !token(carry_, carry_ + length, carried_from_)) return false;
  end_row();
  return rows_ > 0 || refuse(ParseDefect::empty, carry_, carry_, offset_);
}

bool Parser::scan(const uint8_t* p, const uint8_t* stop, const uint8_t* begin, const uint8_t* end) {
  while (p < stop) {
    if (in_comment_) {
      p = static_cast<const uint8_t*>(std::memchr(p, '\n', static_cast<size_t>(stop - p)));
      if (p == nullptr) return true;
      in_comment_ = false;
    }
    if (in_row_ ? quick_entry(p, end) : quick_label(p, end)) continue;
    const uint8_t byte = *p;
    if (byte == '\n') {
      end_row();
      ++line_;
      ++p;
      line_start_ = offset_ + static_cast<uint64_t>(p - begin);
    } else if (byte == '#') {
      in_comment_ = true;
    } else if (ends_token(byte)) {
      ++p;
    } else {
      const uint8_t* const to = token_end(p, end);
      if (!token(p, to, offset_ + static_cast<uint64_t>(p - begin))) return false;
      p = to;
    }
  }
  return true;
}

// Reads the label or entry at p if there is nothing unusual about it: p moves past it and the blank behind. Else nothing changes.
inline bool Parser::quick_label(const uint8_t*& p, const uint8_t* end) {
  if (has_words_ || rows_ >= max_) return false;
  const DecimalResult number = read_decimal(p, end);
  if (number.kind != Decimal::decided || !ends_token(*number.end) || number.end - p > kLongest) return false;
  if (!start_row(number.value)) {
    starved_ = true;
    return false;
  }
  p = number.end + (*number.end == ' ');
  return true;
}

inline bool Parser::quick_entry(const uint8_t*& p, const uint8_t* end) {
  const uint8_t* q = p;
  uint64_t index = 0;
  for (; digit(*q); ++q) index = index * 10 + static_cast<uint64_t>(*q - '0');
  if (*q != ':' || q == p || q - p > 10) return false;
  ++q;
  double value;
  if (digit(q[0]) && ends_token(q[1])) {
    value = *q++ - '0';
  } else {
    const DecimalResult number = read_decimal(q, end);
    if (number.kind != Decimal::decided || !ends_token(*number.end) || number.end - p > kLongest) return false;
    q = number.end;
    value = number.value;
  }
  const int64_t column = static_cast<int64_t>(index) - first_;
  if (column <= last_ || column >= limit_ || index > uint64_t(kHighestIndex) || entries_ >= max_) return false;
  if (!store(column, value)) {
    starved_ = true;
    return false;
  }
  p = q + (*q == ' ');
  return true;
}

bool Parser::token(const uint8_t* from, const uint8_t* to, uint64_t at) {
  if (to - from > kLongest) return refuse(ParseDefect::too_long, from, to, at);
  return in_row_ ? entry(from, to, at) : label(from, to, at);
}

bool Parser::label(const uint8_t* from, const uint8_t* to, uint64_t at) {
  if (rows_ >= max_) return refuse(ParseDefect::rows, from, to, at);
  bool room = true;
  double number = 0;
  if (has_words_) {
    if (!is_word(from, to)) return refuse(ParseDefect::word, from, to, at);
    for (const uint8_t* p = from; p < to; ++p) room = room && words.push(*p);
    room = room && words.push('\n');
  } else if (!decimal(from, to, number)) {
    return refuse(ParseDefect::label, from, to, at);
  }
  return (room && !starved_ && start_row(number)) || refuse(ParseDefect::out_of_memory, from, to, at);
}

inline bool Parser::start_row(double number) {
  if (!has_words_ && !labels.push(number)) return false;
  if (!starts.push(static_cast<uint32_t>(entries_))) return false;
  in_row_ = true;
  last_ = -1;
  return true;
}

bool Parser::entry(const uint8_t* from, const uint8_t* to, uint64_t at) {
  const uint8_t* p = from;
  int64_t index = 0;
  for (; p < to && digit(*p); ++p) {
    index = 10 * index + (*p - '0');
    if (index > kHighestIndex) index = kHighestIndex + 1;
  }
  if (p == from || to - p < 2 || *p != ':') {
    const bool query = to - from >= 4 && std::memcmp(from, "qid:", 4) == 0;
    return refuse(query ? ParseDefect::qid : ParseDefect::entry, from, to, at);
  }
  double value;
  if (!decimal(p + 1, to, value)) return refuse(ParseDefect::value, from, to, at);
  if (index > kHighestIndex) return refuse(ParseDefect::range, from, to, at);
  const int64_t column = index - first_;
  if (column < 0) return refuse(ParseDefect::zero, from, to, at);
  if (column <= last_) return refuse(ParseDefect::order, from, to, at);
  if (column >= limit_) {
    if (!ignore_extra_) return refuse(ParseDefect::extra, from, to, at);
    ++ignored_;
    last_ = column;
    return true;
  }
  if (entries_ >= max_) return refuse(ParseDefect::entries, from, to, at);
  return (!starved_ && store(column, value)) || refuse(ParseDefect::out_of_memory, from, to, at);
}

// A finite number that is all of the token, which a byte follows that is no part of it.
bool Parser::decimal(const uint8_t* from, const uint8_t* to, double& value) {
  const DecimalResult number = read_decimal(from, to);
  if (number.kind == Decimal::malformed || number.end != to) return false;
  value = number.value;
  if (number.kind == Decimal::undecided) {
    value = decider_.decide(decider_.context, reinterpret_cast<const char*>(from), static_cast<size_t>(to - from));
  }
  return std::isfinite(value);
}

inline bool Parser::store(int64_t column, double value) {
  if (value != 1 && !has_values_) {
    has_values_ = true;
    ones_ = static_cast<size_t>(entries_);  // all so far
  }
  if (has_values_ && !values_.push(value)) return false;
  if (!indices.push(static_cast<uint32_t>(column))) return false;
  ++entries_;
  last_ = column;
  if (column >= cols_) cols_ = column + 1;
  return true;
}

void Parser::take_values(double* out, size_t n) {
  const size_t ones = n < ones_ ? n : ones_;
  for (size_t i = 0; i < ones; ++i) out[i] = 1;
  ones_ -= ones;
  values_.take(out + ones, n - ones);
}

// The piece ends within a token.
bool Parser::keep(const uint8_t* from, size_t n) {
  const size_t room = static_cast<size_t>(kLongest) - carried_, kept = n < room ? n : room;
  if (kept > 0) std::memcpy(carry_ + carried_, from, kept);
  carried_ += kept;
  return n <= room || refuse(ParseDefect::too_long, carry_, carry_ + kLongest, carried_from_);
}

bool Parser::refuse(ParseDefect::Kind kind, const uint8_t* from, const uint8_t* to, uint64_t at) {
  defect_.kind = kind;
  defect_.line = line_;
  defect_.column = at - line_start_ + 1;
  defect_.last = last_ + first_;
  const size_t length = static_cast<size_t>(to - from);
  defect_.length = length < sizeof defect_.text ? length : sizeof defect_.text;
  if (defect_.length > 0) std::memcpy(defect_.text, from, defect_.length);
  return false;
}

}  // namespace fista
