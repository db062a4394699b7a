// Which columns of a sparse matrix hold an entry, where most hold none: memory and time depend on the entries, not on the columns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "buffer.h"

namespace fista {

class UsedColumns {
 public:
  // For column indices below cols. False if there is no memory, here and below.
  [[nodiscard]] bool init(size_t cols);
  [[nodiscard]] bool add(uint32_t column);
  // Once all were added: numbers them in ascending order, and returns how many there are.
  size_t number();

  // The number of a column that was added.
  uint32_t number_of(uint32_t column) const {
    const Page& page = pages_[page_of_[column >> kBits] - 1];
    const uint32_t word = (column & (kColumns - 1)) >> 6, bit = column & 63;
    return page.before[word] + count(page.bits[word] & ((uint64_t(1) << bit) - 1));
  }
  // All of them, in ascending order.
  void list(uint32_t* out) const;

 private:
  static constexpr uint32_t kBits = 12, kColumns = 1u << kBits, kWords = kColumns / 64;
  struct Page {
    uint64_t bits[kWords];
    uint32_t before[kWords];  // columns added below each word's first
  };
  static uint32_t count(uint64_t bits) {
    bits -= (bits >> 1) & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + ((bits >> 2) & 0x3333333333333333u);
    return static_cast<uint32_t>((((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u) >> 56);
  }
  [[nodiscard]] bool open_page(size_t at);

  Buffer<uint32_t> page_of_;  // its number, from 1; 0: no column of it was added
  Buffer<Page> pages_;
  size_t opened_ = 0;
};

}  // namespace fista
