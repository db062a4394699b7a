#include "labels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "buffer.h"
#include "parallel.h"

namespace fista {
namespace {

constexpr double kUnit = 0x1p-53;

// Judges one row at a time.
class Judge {
 public:
  [[nodiscard]] bool allocate(const LabelPlanes& planes) {
    planes_ = &planes;
    return distance_.allocate(planes.centres) && low_.allocate(planes.planes) && high_.allocate(planes.planes) &&
           votes_.allocate(3 * planes.classes) && in_the_way_.allocate(planes.planes) &&
           (std::fill_n(in_the_way_.data(), planes.planes, 0u), true);
  }
  const uint32_t* in_the_way() const { return in_the_way_.data(); }

  bool judge(const double* value, const double* product, double norm) {
    const LabelPlanes& L = *planes_;
    constexpr double inf = std::numeric_limits<double>::infinity();
    for (size_t k = 0; k < L.centres; ++k) {
      const double apart = norm - 2 * product[k] + L.centre_squares[k];
      // A product that overflows would make a row look near that is far away.
      const double near = std::isfinite(apart) ? std::max(0.0, apart) : inf;
      distance_[k] = std::sqrt(near + L.safe * (norm + L.centre_squares[k]) + L.lost) * (1 + L.safe);
    }
    for (size_t p = 0; p < L.planes; ++p) {
      const double reach = L.slope[p] * distance_[L.centre_of[p]];
      const double round = 8 * kUnit * (std::fabs(value[p]) + std::fabs(L.low[p]) + std::fabs(L.high[p]) + reach) + L.spare[p];
      const bool known = L.slope[p] < inf;
      low_[p] = known ? value[p] + L.low[p] - reach - round : -inf;
      high_[p] = known ? value[p] + L.high[p] + reach + round : inf;
    }
    return L.negative ? pairs(value) : rest(value);
  }

 private:
  bool rest(const double* value) {
    const size_t n = planes_->classes;
    const size_t best = static_cast<size_t>(std::max_element(value, value + n) - value);
    bool certain = true;
    for (size_t c = 0; c < n; ++c) {
      const bool open = c != best && !(low_[best] > high_[c]);
      certain &= !open;
      in_the_way_[c] += open;
    }
    in_the_way_[best] += !certain;
    return certain;
  }

  // A label is certain if it has more votes for sure than any other may have: the sums that break ties add less than one.
  bool pairs(const double* value) {
    const LabelPlanes& L = *planes_;
    const size_t n = L.classes;
    uint32_t *const least = votes_.data(), *const most = least + n, *const own = most + n;
    std::fill_n(least, 3 * n, 0u);
    for (size_t p = 0; p < L.planes; ++p) {
      const uint32_t up = L.positive[p], down = L.negative[p];
      const bool above = low_[p] > 0, below = high_[p] < 0;
      own[value[p] > 0 ? up : down]++;
      least[up] += above;
      most[up] += !below;
      least[down] += below;
      most[down] += !above;
    }
    const size_t best = static_cast<size_t>(std::max_element(own, own + n) - own);
    const uint32_t enough = least[best];
    bool certain = true;
    for (size_t c = 0; c < n; ++c) certain &= c == best || enough > most[c];
    if (certain) return true;
    for (size_t p = 0; p < L.planes; ++p) {
      if (low_[p] > 0 || high_[p] < 0) continue;
      const uint32_t up = L.positive[p], down = L.negative[p];
      in_the_way_[p] += up == best || down == best || most[up] >= enough || most[down] >= enough;
    }
    return false;
  }

  const LabelPlanes* planes_ = nullptr;
  Buffer<double> distance_, low_, high_;
  Buffer<uint32_t> votes_, in_the_way_;
};

}  // namespace

bool certify_labels(const Run& run, const LabelPlanes& planes, const LabelRows& rows, uint8_t* certain, uint32_t* in_the_way) {
  const Partition parts = partition(rows.rows, rows.rows * (planes.planes + planes.centres));
  Judge judges[kMaxParts];
  for (size_t p = 0; p < parts.parts; ++p) {
    if (!judges[p].allocate(planes)) return false;
  }
  parallel(run, parts.parts, [&](size_t part) {
    for (size_t i = parts.begin(part); i < parts.end(part); ++i) {
      certain[i] = judges[part].judge(rows.values + i * planes.planes, rows.products + i * planes.centres, rows.norms[i]);
    }
  });
  for (size_t p = 0; p < parts.parts; ++p) {
    for (size_t k = 0; k < planes.planes; ++k) in_the_way[k] += judges[p].in_the_way()[k];
  }
  return true;
}

}  // namespace fista
