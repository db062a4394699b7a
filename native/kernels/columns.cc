#include "columns.h"

#include <cstring>
#include <utility>

namespace fista {

bool UsedColumns::init(size_t cols) {
  if (!page_of_.allocate((cols >> kBits) + 1)) return false;
  std::memset(page_of_.data(), 0, page_of_.bytes());
  opened_ = 0;
  return true;
}

bool UsedColumns::add(uint32_t column) {
  const size_t at = column >> kBits;
  if (page_of_[at] == 0 && !open_page(at)) return false;
  pages_[page_of_[at] - 1].bits[(column & (kColumns - 1)) >> 6] |= uint64_t(1) << (column & 63);
  return true;
}

bool UsedColumns::open_page(size_t at) {
  if (opened_ == pages_.size()) {
    Buffer<Page> more;
    if (!more.allocate(opened_ ? 2 * opened_ : 4)) return false;
    if (opened_) std::memcpy(more.data(), pages_.data(), opened_ * sizeof(Page));
    pages_ = std::move(more);
  }
  std::memset(&pages_[opened_], 0, sizeof(Page));
  page_of_[at] = static_cast<uint32_t>(++opened_);
  return true;
}

size_t UsedColumns::number() {
  uint32_t number = 0;
  for (size_t at = 0; at < page_of_.size(); ++at) {
    if (page_of_[at] == 0) continue;
    Page& page = pages_[page_of_[at] - 1];
    for (uint32_t word = 0; word < kWords; ++word) {
      page.before[word] = number;
      number += count(page.bits[word]);
    }
  }
  return number;
}

void UsedColumns::list(uint32_t* out) const {
  for (size_t at = 0; at < page_of_.size(); ++at) {
    if (page_of_[at] == 0) continue;
    const Page& page = pages_[page_of_[at] - 1];
    for (uint32_t word = 0; word < kWords; ++word) {
      uint32_t column = static_cast<uint32_t>(at) * kColumns + word * 64;
      for (uint64_t bits = page.bits[word]; bits != 0; bits >>= 1, ++column) {
        if (bits & 1) *out++ = column;
      }
    }
  }
}

}  // namespace fista
