#include "labels.h"

#include <algorithm>

#include "buffer.h"
#include "parallel.h"

namespace fista {
namespace {

// Judges one row at a time.
class Judge {
 public:
  [[nodiscard]] bool allocate(const Table& table, const LabelPlanes& planes) {
    table_ = &table;
    planes_ = &planes;
    for (size_t p = 0; p < planes.planes; ++p) own_centres_ &= planes.centre_of[p] == p;
    return by_centre_.allocate(planes.centres) && by_plane_.allocate(planes.planes) && low_.allocate(planes.planes) &&
           high_.allocate(planes.planes) && votes_.allocate(4 * planes.classes) && in_the_way_.allocate(planes.planes) &&
           (std::fill_n(in_the_way_.data(), planes.planes, 0.0), true);
  }
  const double* in_the_way() const { return in_the_way_.data(); }

  bool judge(const double* value, const double* product, double norm) {
    const LabelPlanes& L = *planes_;
    table_->label_distances(product, L.centre_squares, L.centres, {norm, L.safe, L.lost}, by_centre_.data());
    if (!own_centres_) {
      for (size_t p = 0; p < L.planes; ++p) by_plane_[p] = by_centre_[L.centre_of[p]];
    }
    const double* const distance = own_centres_ ? by_centre_.data() : by_plane_.data();
    table_->label_bounds(value, distance, L.proofs, L.planes, low_.data(), high_.data());
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
    const size_t n = planes_->classes;
    double *const own = votes_.data(), *const least = own + n, *const most = least + n, *const matters = most + n;
    table_->label_votes(value, n, own);
    const size_t best = static_cast<size_t>(std::max_element(own, own + n) - own);
    if (own[best] == static_cast<double>(n - 1) && wins(best)) return true;  // most of those that are certain
    table_->label_limits(low_.data(), high_.data(), n, least, most);
    bool certain = true;
    for (size_t c = 0; c < n; ++c) {
      const bool rival = c == best || most[c] >= least[best];
      certain &= c == best || !rival;
      matters[c] = rival;
    }
    if (!certain) table_->label_open(low_.data(), high_.data(), matters, n, in_the_way_.data());
    return certain;
  }

  // Whether all planes of a class are on its side for sure: it then has more votes than any other.
  bool wins(size_t c) const {
    bool all = true;
    for (size_t other = 0; other < c; ++other) all &= low_[planes_->between(other, c)] > 0;
    for (size_t other = c + 1; other < planes_->classes; ++other) all &= high_[planes_->between(c, other)] < 0;
    return all;
  }

  const Table* table_ = nullptr;
  const LabelPlanes* planes_ = nullptr;
  bool own_centres_ = true;  // plane p has centre p
  Buffer<double> by_centre_, by_plane_, low_, high_, votes_, in_the_way_;
};

}  // namespace

bool LabelPlanes::are_pairs() const {
  if (planes != classes * (classes - 1) / 2) return false;
  for (uint32_t a = 0; a < classes; ++a) {
    for (uint32_t b = a + 1; b < classes; ++b) {
      const size_t p = between(a, b);
      if (negative[p] != a || positive[p] != b) return false;
    }
  }
  return true;
}

bool certify_labels(const Run& run, const LabelPlanes& planes, const LabelRows& rows, uint8_t* certain, uint32_t* in_the_way) {
  const Partition parts = partition(rows.rows, rows.rows * (planes.planes + planes.centres));
  Judge judges[kMaxParts];
  for (size_t p = 0; p < parts.parts; ++p) {
    if (!judges[p].allocate(*run.table, planes)) return false;
  }
  parallel(run, parts.parts, [&](size_t part) {
    for (size_t i = parts.begin(part); i < parts.end(part); ++i) {
      certain[i] = judges[part].judge(rows.values + i * planes.planes, rows.products + i * planes.centres, rows.norms[i]);
    }
  });
  for (size_t p = 0; p < parts.parts; ++p) {
    for (size_t k = 0; k < planes.planes; ++k) in_the_way[k] += static_cast<uint32_t>(judges[p].in_the_way()[k]);
  }
  return true;
}

}  // namespace fista
