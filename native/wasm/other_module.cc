// The projections on their own, and the parser of LIBSVM text.
#include <cstring>
#include <numeric>

#include "cones.h"
#include "knapsack.h"
#include "module.h"
#include "parse.h"

namespace fista {

// Rounds a number that read_decimal leaves undecided, by JavaScript.
extern "C" __attribute__((import_module("host"), import_name("decimal"))) double host_decimal(const char* text, size_t length);

namespace {

double decide(void*, const char* text, size_t length) { return host_decimal(text, length); }

}  // namespace

// gamma, b and guess come by shared_numbers. Answers lambda, or NaN.
FISTA_EXPORT(projectKnapsack) Ending knapsack(const double* a, const int8_t* y, const double* weight, size_t n, double* x) {
  Buffer<double> work;
  Buffer<uint32_t> index;
  if (!work.allocate(n) || !index.allocate(n)) return out_of_memory;
  const KnapsackRows rows = {a, y, weight, shared_numbers[0]};
  const double sum = std::accumulate(weight, weight + n, 0.0);
  answer(project_knapsack(run_with(), rows, n, static_cast<double>(n), sum, shared_numbers[1], shared_numbers[2], x, work.data(),
                          index.data()));
  return done;
}
FISTA_EXPORT(projectCones) void cones(const double* x, const uint32_t* start, size_t blocks, double* out) {
  project_cones(run_with(), x, start, blocks, out);
}

FISTA_EXPORT(parserNew) Parser* parser_new(bool zero_based, double limit, bool ignore_extra, bool words) {
  return new Parser(zero_based, static_cast<int64_t>(limit), ignore_extra, words);
}
FISTA_EXPORT(parserDelete) void parser_delete(Parser* parser) { delete parser; }
FISTA_EXPORT(parserPush) void parser_push(Parser* parser, const uint8_t* text, size_t length) {
  parser->push(text, length, {decide, nullptr});
}
FISTA_EXPORT(parserFinish) void parser_finish(Parser* parser) { parser->finish({decide, nullptr}); }
FISTA_EXPORT(parserDefect) void parser_defect(const Parser* parser) {
  const ParseDefect& defect = parser->defect();
  answer(defect.kind, defect.line, defect.column, defect.last, address(defect.text), defect.length);
}
FISTA_EXPORT(parserSizes) void parser_sizes(const Parser* parser) {
  answer(parser->rows(), parser->cols(), parser->ignored(), parser->indices.size(), parser->has_values(), parser->words.size());
}
// Moves the next n entries of a list to out: 0 starts, 1 indices, 2 values, 3 labels, 4 words.
FISTA_EXPORT(parserTake) void parser_take(Parser* parser, uint32_t list, void* out, size_t n) {
  switch (list) {
    case 0:
      return parser->starts.take(static_cast<uint32_t*>(out), n);
    case 1:
      return parser->indices.take(static_cast<uint32_t*>(out), n);
    case 2:
      return parser->take_values(static_cast<double*>(out), n);
    case 3:
      return parser->labels.take(static_cast<double*>(out), n);
    default:
      return parser->words.take(static_cast<uint8_t*>(out), n);
  }
}

}  // namespace fista
