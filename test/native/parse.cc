// LIBSVM text: rows, defects and their positions, for any split into chunks; decimal numbers against strtod.
#include "parse.h"

#include "check.h"
#include "decimal.h"
#include "parse_rules.h"

using namespace fista;
using namespace check;

namespace {

Reading read(const std::string& text, size_t piece, const Options& options = {}) {
  return check::read(reinterpret_cast<const uint8_t*>(text.data()), text.size(), options, [=] { return piece; });
}

// Expects the same reading for every split of the text.
Reading cut(const std::string& text, const Options& options = {}) {
  check::at("%.100s", text.c_str());
  const Reading whole = read(text, SIZE_MAX, options);
  for (size_t piece : {1, 2, 3, 7, 8, 9, 64}) CHECK(check::same(read(text, piece, options), whole));
  const char* rule = check::broken_parse_rule(whole, options);
  if (rule != nullptr) std::fprintf(stderr, "violates: %s\n", rule);
  CHECK(rule == nullptr);
  return whole;
}

void rows() {
  const Reading r = cut("+1 1:1 3:0.5 # c\r\n\n# x\n-1 2:-2e3\t10:7 \n 0.25");
  CHECK(r.defect.kind == ParseDefect::none);
  CHECK((r.starts == std::vector<uint32_t>{0, 2, 4}));
  CHECK((r.indices == std::vector<uint32_t>{0, 2, 1, 9}));
  CHECK((r.values == std::vector<double>{1, 0.5, -2000, 7}));
  CHECK((r.labels == std::vector<double>{1, -1, 0.25}));
  CHECK(r.rows == 3 && r.cols == 10 && r.ignored == 0);

  const Reading ones = cut("1 1:1 2:1\n2 3:1.0\n");
  CHECK(!ones.has_values && ones.indices.size() == 3);

  Options options;
  options.words = true;
  const Reading words = cut("a 1:2\nb\xc3\xa4\n", options);
  CHECK(std::string(words.words.begin(), words.words.end()) == "a\nb\xc3\xa4\n");

  options = {};
  options.limit = 2;
  options.ignore_extra = true;
  const Reading less = cut("1 1:1 2:2 3:3 4:4\n1 4:4", options);
  CHECK(less.ignored == 3 && less.cols == 2 && less.indices.size() == 2 && less.rows == 2);

  options = {};
  options.zero_based = true;
  CHECK(cut("1 0:1 2147483647:1", options).cols == uint64_t(1) << 31);
}

void expect(const std::string& text, ParseDefect::Kind kind, uint64_t line, uint64_t column, const Options& options = {}) {
  const Reading r = cut(text, options);
  CHECK(r.defect.kind == kind);
  CHECK(r.defect.line == line);
  CHECK(r.defect.column == column);
}

void defects() {
  using P = ParseDefect;
  expect("", P::empty, 1, 1);
  expect("\n # x\n", P::empty, 3, 1);
  expect("x 1:1", P::label, 1, 1);
  expect("1\n  1e999 1:1", P::label, 2, 3);
  expect("1:1 2:1", P::label, 1, 1);
  expect("1 2:1\n1 3:", P::entry, 2, 3);
  expect("1 1:1 3\n", P::entry, 1, 7);
  expect("1 qid:1", P::qid, 1, 3);
  expect("1 1:nan", P::value, 1, 3);
  expect("1 1:1e400", P::value, 1, 3);
  expect("1 1:1.7976931348623159e308", P::value, 1, 3);
  expect("1 0:1", P::zero, 1, 3);
  expect("1 2:1 2:1", P::order, 1, 7);
  expect("1 2147483648:1", P::range, 1, 3);
  expect("1 99999999999999999999999:1", P::range, 1, 3);
  expect("1 1:" + std::string(999, '0'), P::too_long, 1, 3);
  expect("1 " + std::string(5000, '1'), P::too_long, 1, 3);
  Options options;
  options.limit = 4;
  expect("1 4:1 5:1", P::extra, 1, 7, options);
  options = {};
  options.words = true;
  expect("a\nb\xe4 1:1", P::word, 2, 1, options);
  expect("a\n1:1", P::word, 2, 1, options);
  // Too many rows and entries, with lower limits than usual.
  options = {};
  options.max = 3;
  expect("1\n2\n3\n4", P::rows, 4, 1, options);
  expect("1 1:1 2:1\n2 1:1 2:1", P::entries, 2, 7, options);
}

// Values before the first that is not 1 are not stored, but returned.
void ones() {
  const Reading r = read("1 1:1 2:1\n1 1:1 2:0.5 3:1\n", 100);
  check::at("ones");
  CHECK((r.values == std::vector<double>{1, 1, 1, 0.5, 1}));
}

// Rows that span several blocks of every list.
void blocks() {
  std::string text;
  std::vector<double> values;
  Random random(1);
  for (size_t i = 0; i < 300000; ++i) {
    const size_t v = random.below(1000);
    values.push_back(static_cast<double>(v) / 8);
    text += "1 " + std::to_string(1 + i % 100) + ":" + std::to_string(v / 8) + "." + std::to_string(v % 8 * 125 + 1000).substr(1) +
            "\n";
  }
  const Reading r = read(text, 100000);
  check::at("blocks");
  CHECK(r.rows == values.size() && r.values == values && r.starts.size() == values.size() && r.cols == 100);
}

// read_decimal decides most numbers, and gives the same bits as strtod.
void decimals() {
  Random random(2);
  int undecided = 0;  // of the numbers of kind 1
  constexpr int kCount = 300000;
  check::Guarded<uint8_t> room(128);
  for (int k = 0; k < kCount; ++k) {
    std::string text;
    const size_t kind = random.below(4);
    switch (kind) {
      case 0: {  // any double, written in full
        double x;
        do {
          const uint64_t bits = random.bits();
          std::memcpy(&x, &bits, sizeof x);
        } while (!std::isfinite(x));
        char buffer[40];
        std::snprintf(buffer, sizeof buffer, "%.*g", 15 + static_cast<int>(random.below(4)), x);
        text = buffer;
        break;
      }
      case 1: {  // an ordinary number
        char buffer[40];
        std::snprintf(buffer, sizeof buffer, "%.17g", random.uniform(-1000, 1000));
        text = buffer;
        break;
      }
      case 2: {  // exactly halfway between two doubles, or next to it
        const uint64_t w = ((uint64_t(1) << 53) + 2 * (random.bits() >> 12) + 1) << random.below(10);
        text = std::to_string(w + random.below(3) - 1) + (random.chance(0.5) ? "" : ".0") + (random.chance(0.5) ? "" : "e-3");
        break;
      }
      default:
        for (size_t n = 1 + random.below(20); n > 0; --n) text += static_cast<char>('0' + random.below(10));
        if (random.chance(0.7)) text.insert(random.below(text.size()), ".");
        if (random.chance(0.5)) text += "e" + std::to_string(static_cast<int>(random.below(130)) - 65);
        if (random.chance(0.3)) text.insert(0, random.chance(0.5) ? "-" : "+");
    }
    check::at("%s", text.c_str());
    uint8_t* const p = room.end() - text.size() - 1;
    std::memcpy(p, text.data(), text.size());
    room.end()[-1] = ' ';
    const DecimalResult r = read_decimal(p, room.end());
    CHECK(r.kind != Decimal::malformed && r.end == p + text.size());
    if (r.kind == Decimal::undecided) {
      undecided += kind == 1;
    } else {
      const double expected = std::strtod(text.c_str(), nullptr);
      CHECK(check::same_bits(&r.value, &expected, 1));
    }
  }
  CHECK(undecided == 0);
  for (const char* text : {"", ".", "-", "+", "e5", "1e", "1e+", "-.e1", "x", "--1", ":"}) {
    const std::string all = std::string(text) + ' ';
    const auto* p = reinterpret_cast<const uint8_t*>(all.data());
    check::at("%s", text);
    CHECK(read_decimal(p, p + all.size()).kind == Decimal::malformed);
  }
}

}  // namespace

int main() {
  rows();
  defects();
  ones();
  blocks();
  decimals();
  return check::report();
}
