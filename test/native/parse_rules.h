// Reading text with fista::Parser in chunks, and the conditions on its result.
#pragma once

#include <cstdlib>
#include <string>

#include "check.h"
#include "parse.h"

namespace check {

// strtod needs the locale "C", which these programs have.
inline double decide(void* calls, const char* text, size_t length) {
  if (calls != nullptr) ++*static_cast<int*>(calls);
  return std::strtod(std::string(text, length).c_str(), nullptr);
}

struct Options {
  bool zero_based = false;
  int64_t limit = int64_t(1) << 31;
  bool ignore_extra = false;
  bool words = false;
  uint64_t max = 4294967294;
};

struct Reading {
  fista::ParseDefect defect;
  uint64_t rows = 0, cols = 0, ignored = 0;
  bool has_values = false;
  std::vector<uint32_t> starts, indices;
  std::vector<double> values, labels;
  std::vector<uint8_t> words;

  std::string text() const { return std::string(reinterpret_cast<const char*>(defect.text), defect.length); }
};

template <typename T>
std::vector<T> taken(fista::Blocks<T>& blocks) {
  std::vector<T> all(blocks.size());
  // In steps that end inside blocks and at their ends.
  for (size_t at = 0; at < all.size();) {
    const size_t left = all.size() - at, step = at % 3 == 0 ? 7 : 16, n = step < left ? step : left;
    blocks.take(all.data() + at, n);
    at += n;
    CHECK(blocks.size() == all.size() - at);
  }
  return all;
}

// next() is the size of the next chunk in bytes.
template <typename Next>
Reading read(const uint8_t* text, size_t size, const Options& o, Next next) {
  fista::Parser parser(o.zero_based, o.limit, o.ignore_extra, o.words, o.max);
  const fista::Parser::Decider decider = {decide, nullptr};
  bool well = true;
  for (size_t at = 0; well && at < size;) {
    const size_t left = size - at, wanted = next(), n = wanted < left ? wanted : left;
    const std::vector<uint8_t> piece(text + at, text + at + n);  // a copy: a sanitizer catches reads past its end
    well = parser.push(piece.data(), n, decider);
    at += n;
  }
  well = well && parser.finish(decider);
  Reading r;
  r.defect = parser.defect();
  if (!well) return r;
  r.rows = parser.rows();
  r.cols = parser.cols();
  r.ignored = parser.ignored();
  r.has_values = parser.has_values();
  r.starts = taken(parser.starts);
  r.indices = taken(parser.indices);
  r.values.resize(parser.values_left());
  const size_t half = r.values.size() / 2;
  parser.take_values(r.values.data(), half);
  parser.take_values(r.values.data() + half, r.values.size() - half);
  r.labels = taken(parser.labels);
  r.words = taken(parser.words);
  return r;
}

inline bool same(const Reading& a, const Reading& b) {
  const auto &p = a.defect, &q = b.defect;
  return p.kind == q.kind && p.line == q.line && p.column == q.column && p.last == q.last && a.text() == b.text() &&
         a.rows == b.rows && a.cols == b.cols && a.ignored == b.ignored && a.has_values == b.has_values && a.starts == b.starts &&
         a.indices == b.indices && a.words == b.words && a.values.size() == b.values.size() &&
         same_bits(a.values.data(), b.values.data(), a.values.size()) && a.labels.size() == b.labels.size() &&
         same_bits(a.labels.data(), b.labels.data(), a.labels.size());
}

// The first condition that a reading violates, or null.
inline const char* broken_parse_rule(const Reading& r, const Options& o) {
  using fista::ParseDefect;
  if (r.defect.kind != ParseDefect::none) {
    if (r.defect.line < 1 || r.defect.column < 1) return "a position from 1:1 on";
    if (r.defect.kind != ParseDefect::empty && r.defect.length == 0) return "the text of a defect";
    return nullptr;
  }
  if (r.rows == 0 || r.starts.size() != r.rows) return "rows";
  if (!o.words && r.labels.size() != r.rows) return "labels";
  size_t newlines = 0;
  for (uint8_t byte : r.words) newlines += byte == '\n';
  if (newlines != (o.words ? r.rows : 0)) return "words";
  if (r.values.size() != (r.has_values ? r.indices.size() : 0)) return "values";
  for (double v : r.labels) {
    if (!std::isfinite(v)) return "finite labels";
  }
  bool ones = true;
  for (double v : r.values) {
    if (!std::isfinite(v)) return "finite values";
    ones = ones && v == 1;
  }
  if (r.has_values && ones) return "no values if all are 1";
  if (r.cols > static_cast<uint64_t>(o.limit)) return "columns below the limit";
  for (size_t i = 0; i < r.rows; ++i) {
    const size_t from = r.starts[i], to = i + 1 < r.rows ? r.starts[i + 1] : r.indices.size();
    if (from > to || to > r.indices.size()) return "ascending starts";
    for (size_t k = from; k < to; ++k) {
      if (r.indices[k] >= r.cols || (k > from && r.indices[k] <= r.indices[k - 1])) return "ascending indices";
    }
  }
  return nullptr;
}

}  // namespace check
