// Numbers from the bytes of a fuzzer. Past the end every byte is 0.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  bool empty() const { return size_ == 0; }

  uint8_t byte() {
    if (size_ == 0) return 0;
    --size_;
    return *data_++;
  }

  // A finite number of magnitude at most `max`: one byte for special values and small steps (ties), nine bytes for any other.
  double number(double max) {
    static const double kUsual[] = {0.0,    -0.0,   1.0,   -1.0,   0.5,    2.0,    3.0,     1e-8,     1e8,
                                    1e15,   1e16,   1e-16, 1e100,  -1e100, 1e-100, 1e155,   1e-155,   1e200,
                                    -1e200, 1e-200, 1e300, -1e300, 1e-300, 5e-324, -5e-324, 2.2e-308, -2.2e-308};
    constexpr size_t kCount = sizeof kUsual / sizeof *kUsual;
    const uint8_t kind = byte();
    double x;
    if (kind < kCount) {
      x = kUsual[kind];
    } else if (kind < 192) {
      x = (static_cast<int>(kind) - 108) / 16.0;
    } else if (kind < 224) {  // 1 plus a few units in the last place
      x = 1 + (static_cast<int>(kind) - 208) * 0x1p-52;
    } else {
      uint64_t bits = 0;
      for (int k = 0; k < 8; ++k) bits = bits << 8 | byte();
      std::memcpy(&x, &bits, sizeof x);
    }
    if (!std::isfinite(x)) return 0;
    return x > max ? max : x < -max ? -max : x;
  }

 private:
  const uint8_t* data_;
  size_t size_;
};
