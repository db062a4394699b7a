// The part of Svm that starts a fit: epochs of coordinate ascent on the dual (method 1.10), before FISTA's first step.
//
// Problem:  svm.h's, with y.alpha = 0 left to a multiplier (offset) and a penalty (weight).
// Given:    alpha, the multiplier, the penalty; delta, by which a row at a bound must clear its margin to be left out.
// Wanted:   alpha and w after one visit of each row; the answer of ascend(), as lib/backend/fallback/svm.ts describes it.
// Source:   C.-J. Hsieh et al., ICML 2008; S. Shalev-Shwartz and T. Zhang, JMLR 14, 2013.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "svm.h"

namespace fista {
namespace {

constexpr double kUnit = 0x1p-53;
constexpr uint32_t kBucketBits = 12;
constexpr size_t kBuckets = size_t(1) << kBucketBits;

// Its leading bits are its best.
uint32_t hash_of(uint32_t p, uint32_t key) {
  const uint32_t h = (p ^ key) * 0x85ebca6bu;
  return (h ^ (h >> 15)) * 0xc2b2ae35u;
}

uint32_t bucket_of(uint32_t p, uint32_t key) { return hash_of(p, key) >> (32 - kBucketBits); }

}  // namespace

// Writes what a visit needs of each row. x~.m is not stored, but follows accurately enough from r_i^2 = |x~|^2 - 2 x~.m + |m|^2.
void Svm::meet_rows(double offset, double weight, double delta, bool all) {
  const double m2 = dot(centre_.data(), centre_.data(), d_), t = offset - dot(centre_.data(), w_.data(), d_);
  const Partition parts = partition(n_, 8 * n_);
  if (!all) {  // before the rows are written over q
    parallel(run_, parts.parts, [&](size_t part) {
      for (size_t p = parts.begin(part); p < parts.end(part); ++p) shrunk_[p] = shrinkable(p, t, t, delta);
    });
  }
  AscentRow* const rows = ascent_rows();
  parallel(run_, parts.parts, [&](size_t part) {
    for (size_t p = parts.begin(part); p < parts.end(part); ++p) {
      const double r2 = radius_[p] * radius_[p];
      AscentRow& row = rows[p];
      row.x = y_[p] * x_[p];
      row.inverse = 1 / (mu_ + weight_[p] * (r2 + weight));
      row.along = 0;
      if (m2 > 0) {
        const double norm = slack_[p] / (2 * static_cast<double>(X_->entries(row_[p]) + 4) * kUnit);
        row.along = 0.5 * (norm * norm + m2 - r2);
      }
      row.weight = y_[p] * weight_[p];
      X_->entry(row_[p], row);
    }
  });
  balance_ = 0;
  ascending_ = true;
}

// Puts all positions, or those that are not shrunk, into index_, ordered by the leading bits of a hash that is new in every epoch.
// The place of a position does not depend on which others take part. Returns their number.
size_t Svm::shuffle(bool all) {
  uint32_t* const taking = index_.data() + n_;
  size_t visits = 0;
  for (size_t p = 0; p < n_; ++p) {
    taking[visits] = static_cast<uint32_t>(p);
    visits += all | !shrunk_[p];
  }
  if (run_.interrupted()) return 0;
  uint32_t start[kBuckets + 1] = {};
  const uint32_t key = ++epoch_ * 0x9e3779b9u;
  for (size_t k = 0; k < visits; ++k) ++start[bucket_of(taking[k], key) + 1];
  for (size_t b = 0; b < kBuckets; ++b) start[b + 1] += start[b];
  for (size_t k = 0; k < visits; ++k) index_[start[bucket_of(taking[k], key)]++] = taking[k];
  if (windows_.chunks > 0) by_window(visits);
  return visits;
}

// Chooses the chunks of each window anew, by a hash, and puts the positions in index_ in order of their windows. Those of a window
// stay in theirs.
void Svm::by_window(size_t visits) {
  const size_t chunks = windows_.chunks;
  const uint32_t key = epoch_ * 0x9e3779b9u;
  for (size_t c = 0; c < chunks; ++c) chunk_hash_[c] = uint64_t(hash_of(static_cast<uint32_t>(c), key)) << 32 | c;
  std::sort(chunk_hash_.data(), chunk_hash_.data() + chunks);
  for (size_t k = 0; k < chunks; ++k) window_of_[chunk_hash_[k] & 0xffffffff] = static_cast<uint32_t>(k / kChunks);
  uint32_t* const from = index_.data() + n_;
  std::memcpy(from, index_.data(), visits * sizeof(uint32_t));
  uint32_t* const start = in_window_.data();
  std::memset(start, 0, in_window_.bytes());
  const auto window = [&](uint32_t p) { return window_of_[row_[p] / windows_.rows]; };
  for (size_t k = 0; k < visits; ++k) ++start[window(from[k]) + 1];
  for (size_t b = 1; b < in_window_.size(); ++b) start[b] += start[b - 1];
  for (size_t k = 0; k < visits; ++k) index_[start[window(from[k])]++] = from[k];
}

Svm::AscendAnswer Svm::ascend(double offset, double weight, double delta, bool all) {
  if (!ascending_) meet_rows(offset, weight, delta, all);
  if (run_.interrupted()) return {};
  widen(w_.data());
  Ascent a{};
  a.rows = ascent_rows();
  a.shrunk = shrunk_.data();
  a.order = index_.data();
  a.visits = a.known = shuffle(all);
  a.wide = wide_.data();
  a.inverse_scale = scale_ == Scale::none ? nullptr : inverse_scale_.data();
  a.gamma = gamma_;
  a.mu = mu_;
  a.inverse_mu = 1 / mu_;
  a.weight = weight;
  a.offset = offset;
  a.centre_squared = dot(centre_.data(), centre_.data(), d_);
  a.delta = delta;
  a.balance = balance_;
  a.along = dot(centre_.data(), w_.data(), d_);
  read_ += X_->ascend(run_, a, row_.data(), windows_);
  if (run_.interrupted()) return {};
  balance_ = a.balance;
  const Partition columns = partition(d_, 4 * d_);
  parallel(run_, columns.parts, [&](size_t part) {
    for (size_t j = columns.begin(part); j < columns.end(part); ++j) w_[j] = unscaled(wide_[j], j);
  });
  const double next = offset + weight * a.balance;
  return {a.fy, a.psi, dot(w_.data(), w_.data(), d_), next, next - a.along + a.balance * a.centre_squared};
}

void Svm::settle(bool back) {
  if (back) copy(run_, x_.data(), newton_.x_before.data(), n_);
  const AscentRow* const rows = ascent_rows();
  for (size_t p = 0; p < n_ && ascending_; ++p) x_[p] = std::fabs(rows[p].x);
  ascending_ = false;
  restart();
}

}  // namespace fista
