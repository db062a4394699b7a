// Parser on any text: random chunks give the same result as one, and the result satisfies its conditions.
#include "parse.h"

#include "bytes.h"
#include "parse_rules.h"

using namespace fista;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes(data, size < 4 ? size : 4);
  const uint8_t way = bytes.byte(), seed = bytes.byte(), limit = bytes.byte(), max = bytes.byte();
  data += size < 4 ? size : 4;
  size -= size < 4 ? size : 4;
  check::Options options;
  options.zero_based = way & 1;
  options.ignore_extra = way & 2;
  options.words = way & 4;
  if (way & 8) options.limit = limit;
  if (way & 16) options.max = max;
  // Sometimes a part of the text is repeated often: long tokens, lines and comments.
  std::vector<uint8_t> text(data, data + size);
  if ((way & 224) == 224) {
    for (int k = 0; k < 30; ++k) text.insert(text.end(), data, data + size);
  }
  const check::Reading whole = check::read(text.data(), text.size(), options, [] { return SIZE_MAX; });
  const char* rule = check::broken_parse_rule(whole, options);
  check::Random random(seed);
  const size_t longest = 1 + random.below(40);
  const check::Reading pieces = check::read(text.data(), text.size(), options, [&] { return 1 + random.below(longest); });
  if (rule == nullptr && !check::same(whole, pieces)) rule = "the same in chunks";
  if (rule != nullptr) {
    std::fprintf(stderr, "violates: %s; defects %d at %zu:%zu, %d at %zu:%zu\n", rule, whole.defect.kind,
                 static_cast<size_t>(whole.defect.line), static_cast<size_t>(whole.defect.column), pieces.defect.kind,
                 static_cast<size_t>(pieces.defect.line), static_cast<size_t>(pieces.defect.column));
    std::abort();
  }
  return 0;
}
