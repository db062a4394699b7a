#include "esp.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "cones.h"

namespace fista {
namespace {

constexpr double kUnit = 0x1p-53;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// What a part of a sweep computes besides its sum.
struct Left {
  double squared = 0, turn = 0, lambda = 0, high = -kInfinity, low = kInfinity;
};

double dot(const double* a, const double* b, size_t n) {
  double s = 0;
  for (size_t i = 0; i < n; ++i) s += a[i] * b[i];
  return s;
}

bool make(Buffer<double>& buffer, size_t n) {
  if (!buffer.allocate(n)) return false;
  std::memset(buffer.data(), 0, n * sizeof(double));
  return true;
}

double value(const Esp::Numbers& numbers, size_t k) {
  return numbers.values == Values::f32 ? static_cast<double>(static_cast<const float*>(numbers.data)[k])
                                       : static_cast<const double*>(numbers.data)[k];
}

void copy_numbers(const Esp::Numbers& from, size_t begin, size_t count, double* to) {
  if (from.values == Values::f64) {
    if (count) std::memcpy(to, static_cast<const double*>(from.data) + begin, count * sizeof(double));
  } else {
    for (size_t k = 0; k < count; ++k) to[k] = static_cast<const float*>(from.data)[begin + k];
  }
}

void widen(Esp::Ranges& ranges, size_t family, double high, double low) {
  double& max = family ? ranges.high2 : ranges.high1;
  double& min = family ? ranges.low2 : ranges.low1;
  max = std::max(max, high);
  min = std::min(min, low);
}

bool plain(double max) { return max > 1e-120 && max < 1e120; }

}  // namespace

Esp::Parts Esp::parts() const {
  const size_t counts[2] = {first_, n_ - first_};
  Parts all{};
  for (size_t f = 0; f < 2; ++f) {
    const size_t begin = f ? first_ : 0, end = begin + counts[f];
    all.family[f] = partition(counts[f], counts[f] * d_ * 2 + (at_[end] - at_[begin]));
  }
  all.first = all.family[0].parts;
  all.total = all.first + all.family[1].parts;
  return all;
}

Esp::Range Esp::range(const Parts& parts, size_t part) const {
  const size_t f = part < parts.first ? 0 : 1, k = part - (f ? parts.first : 0), from = f ? first_ : 0;
  return {f, from + parts.family[f].begin(k), from + parts.family[f].end(k)};
}

// body(part, range, sum, room): sum has d + 1 entries, room 3 (d + 1).
template <typename Body>
void Esp::each_part(Body&& body) {
  const Parts all = parts();
  const size_t stride = 4 * (d_ + 1);
  parallel(run_, all.total, [&](size_t part) {
    double* sum = partial_.data() + part * stride;
    body(part, range(all, part), sum, sum + d_ + 1);
  });
}

Esp::Copied Esp::init(const Run& run, size_t d, const Family& first, const Family& second) {
  run_ = run;
  d_ = d;
  first_ = first.count;
  n_ = first.count + second.count;
  const Family families[2] = {first, second};
  const Copied no_memory{Copied::out_of_memory, 0, 0, 0};
  const size_t n = n_;
  if (!kind_.allocate(n) || !at_.allocate(n + 1) || !p_at_.allocate(n + 1) || !make(norm_, n) || !make(frobenius_, n) ||
      !make(support_, n)) {
    return no_memory;
  }
  at_[0] = p_at_[0] = 0;
  for (size_t i = 0; i < n; ++i) {
    kind_[i] = i < first_ ? first.kinds[i] : second.kinds[i - first_];
    at_[i + 1] = at_[i] + shape_size(kind_[i], d);
    p_at_[i + 1] = p_at_[i] + (kind_[i] == point ? 0 : d);
  }
  for (Buffer<double>* b : {&origin_, &tested_, &best_, &wide_, &zero_}) {
    if (!make(*b, d + 1)) return no_memory;
  }
  for (size_t k = 0; k < 3; ++k) {
    if (!make(l_[k], n) || !make(v_[k], d + 2) || !make(sums_[k], 2 * d) || !p_[k].allocate(p_at_[n])) return no_memory;
    v_[k][0] = v_[k][1] = 1;  // x = 0
  }
  if (!make(power_, d + 2) || !make(vy_, d + 2) || !data_.allocate(n * d + at_[n]) ||
      !make(partial_, parts().total * 4 * (d + 1))) {
    return no_memory;
  }
  return copy(families);
}

Esp::Copied Esp::copy(const Family* families) {
  bool finite[2 * kMaxParts];
  double max[2 * kMaxParts];
  const Table& table = *run_.table;
  each_part([&](size_t part, const Range& r, double*, double*) {
    const size_t from = r.family ? first_ : 0, size = at_[r.end] - at_[r.begin];
    copy_numbers(families[r.family].centers, (r.begin - from) * d_, (r.end - r.begin) * d_, centers() + r.begin * d_);
    copy_numbers(families[r.family].shapes, at_[r.begin] - at_[from], size, shapes() + at_[r.begin]);
    finite[part] = true;
    max[part] = 0;
    for (size_t i = r.begin; i < r.end; ++i) {
      const size_t k = at_[i + 1] - at_[i];
      finite[part] = finite[part] && table.all_finite[0](center(i), d_) && table.all_finite[0](shape(i), k);
      max[part] = std::max({max[part], table.max_abs(center(i), d_), table.max_abs(shape(i), k)});
    }
  });
  const size_t total = parts().total;
  double largest = 0;
  for (size_t part = 0; part < total; ++part) {
    largest = std::max(largest, max[part]);
    if (finite[part]) continue;
    for (size_t f = 0; f < 2; ++f) {
      const Numbers* lists[2] = {&families[f].centers, &families[f].shapes};
      for (size_t k = 0; k < 2; ++k) {
        for (size_t at = 0; at < lists[k]->size; ++at) {
          if (!std::isfinite(value(*lists[k], at))) return {Copied::not_finite, f, k, at};
        }
      }
    }
  }
  // A power of two brings huge or tiny numbers near 1, so that they can be squared and subtracted.
  if (largest != 0 && !(largest > 1e-100 && largest < 1e100)) {
    unit_ = std::ldexp(1.0, std::min(std::max(-std::ilogb(largest), -1000), 1000));
    table.scale(data_.data(), data_.size(), unit_, data_.data());
  }
  each_part([&](size_t, const Range& r, double*, double*) {
    for (size_t i = r.begin; i < r.end; ++i) measure_shape(i);
  });
  return {};
}

// |A| (of a full matrix, the smaller of two upper bounds) and |A|_F; upper bounds where squares overflow or underflow.
void Esp::measure_shape(size_t i) {
  const double* a = shape(i);
  const size_t size = at_[i + 1] - at_[i];
  const double root_d = std::sqrt(static_cast<double>(d_)), max = run_.table->max_abs(a, size);
  if (kind_[i] == ball) {
    norm_[i] = max;
    frobenius_[i] = max * root_d;
    return;
  }
  const double frobenius = plain(max) ? std::sqrt(run_.table->sum_squares(a, size)) : max * std::sqrt(static_cast<double>(size));
  frobenius_[i] = frobenius;
  norm_[i] = max;
  if (kind_[i] != full) return;
  double rows = 0, cols = 0;
  for (size_t r = 0; r < d_; ++r) {
    double in_row = 0, in_col = 0;
    for (size_t j = 0; j < d_; ++j) {
      in_row += std::fabs(a[r * d_ + j]);
      in_col += std::fabs(a[j * d_ + r]);
    }
    rows = std::max(rows, in_row);
    cols = std::max(cols, in_col);
  }
  norm_[i] = std::min(frobenius, std::sqrt(rows) * std::sqrt(cols));
}

size_t Esp::bytes() const {
  size_t total = kind_.bytes() + at_.bytes() + p_at_.bytes();
  for (const Buffer<double>* b :
       {&data_, &norm_, &frobenius_, &origin_, &tested_, &best_, &support_, &power_, &vy_, &wide_, &zero_, &partial_}) {
    total += b->bytes();
  }
  for (size_t k = 0; k < 3; ++k) total += l_[k].bytes() + p_[k].bytes() + v_[k].bytes() + sums_[k].bytes();
  return total;
}

// sums (2 d) = the parts' sums, by family
void Esp::add_up(double* sums) {
  const Parts all = parts();
  const size_t stride = 4 * (d_ + 1);
  run_.table->add_parts(partial_.data(), all.first, stride, d_, sums);
  run_.table->add_parts(partial_.data() + all.first * stride, all.total - all.first, stride, d_, sums + d_);
}

Esp::MeasuresAnswer Esp::begin(bool centred) {
  double* sums = sums_[2].data();
  // Sums are of differences to the very first centre, so that a common offset does not cost digits.
  each_part([&](size_t, const Range& r, double* sum, double*) {
    std::memset(sum, 0, d_ * sizeof(double));
    double ignored[2];
    for (size_t i = r.begin; i < r.end; ++i) {
      run_.table->esp_finish[point]({center(i), center(0), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 0, 0}, d_, 1, 1, 1,
                                    nullptr, sum, ignored);
    }
  });
  add_up(sums);
  const double a = static_cast<double>(first_), b = static_cast<double>(n_ - first_);
  double apart = 0;
  for (size_t j = 0; centred && j < d_; ++j) origin_[j] = data_[j] + (sums[j] / a + sums[d_ + j] / b) / 2;
  MeasuresAnswer answer = measure();
  for (size_t j = 0; j < d_; ++j) {
    const double shift = data_[j] - origin_[j];
    const double difference = ((sums[j] + a * shift) - (sums[d_ + j] + b * shift)) * inverse_;
    apart += difference * difference;
  }
  answer.curvature = (a * a + b * b + apart) / (a + b);
  return answer;
}

// Sets the size for this origin, and makes the answer of begin() with a curvature of 0.
Esp::MeasuresAnswer Esp::measure() {
  struct Sizes {
    double size, reach;
  } sizes[2 * kMaxParts];
  each_part([&](size_t part, const Range& r, double*, double*) {
    Sizes s{0, 0};
    for (size_t i = r.begin; i < r.end; ++i) {
      double of[2];
      run_.table->esp_measure(center(i), origin_.data(), d_, of);
      // An upper bound instead where squares could overflow or underflow.
      const double norm = of[1] == 0 ? 0 : plain(of[1]) ? std::sqrt(of[0]) : of[1] * std::sqrt(static_cast<double>(d_));
      s.size = std::max({s.size, norm, norm_[i]});
      s.reach = std::max(s.reach, norm + frobenius_[i]);
    }
    sizes[part] = s;
  });
  const size_t total = parts().total;
  double size = 0, reach = 0;
  for (size_t p = 0; p < total; ++p) {
    size = std::max(size, sizes[p].size);
    reach = std::max(reach, sizes[p].reach);
  }
  if (size == 0) size = 1;
  inverse_ = 1 / size;
  return {0, size, reach * (1 + static_cast<double>(d_ + 8) * kUnit),
          static_cast<double>(n_) * (1 + (reach / size) * (reach / size))};
}

void Esp::transposed(size_t i, const double* w, double* out) const {
  std::memset(out, 0, (d_ + 1) * sizeof(double));
  run_.table->dense_combine[0]({shape(i), d_, nullptr, 0, d_}, w, out);
}

void Esp::add_product(size_t i, double sign, const double* p, double* room, double* sum) const {
  double *padded = room, *product = room + d_ + 1;
  if (d_) std::memcpy(padded, p, d_ * sizeof(double));
  padded[d_] = 0;
  run_.table->dense_multiply[0]({shape(i), d_, nullptr, 0, d_}, padded, product);
  for (size_t j = 0; j < d_; ++j) sum[j] += sign * product[j];
}

void Esp::support(size_t i, const double* n, double* room, double* out) const {
  if (kind_[i] == full) transposed(i, n, room);
  run_.table->esp_support[kind_[i]]({center(i), origin_.data(), shape(i), nullptr, n, room, nullptr, nullptr, 0, 0}, d_, out);
  out[1] = std::sqrt(out[1]);
}

Esp::SweepAnswer Esp::sweep(double L, double beta, bool testing) {
  const double *v = v_[0].data(), *v_prev = still_ ? v : v_[1].data();
  for (size_t k = 0; k < d_ + 2; ++k) vy_[k] = v[k] + beta * (v[k] - v_prev[k]);
  for (size_t j = 0; j < d_; ++j) wide_[j] = vy_[2 + j] * inverse_;
  SweepAnswer answer{};
  const bool aimed = testing && aim(v, answer.ranges);
  Left left[2 * kMaxParts];
  const double* l_prev = still_ ? l_[0].data() : l_[1].data();
  each_part([&](size_t part, const Range& r, double* sum, double* room) {
    Left& mine = left[part] = Left{};
    std::memset(sum, 0, d_ * sizeof(double));
    const double sign = r.family ? -1 : 1;
    double* an = room + d_ + 1;
    for (size_t i = r.begin; i < r.end; ++i) {
      // From x = 0, where w is 0 as well, p stays 0: only the centres are read, and no p is stored.
      const uint8_t kind = accepted_ > 0 ? kind_[i] : static_cast<uint8_t>(point);
      const double* p = accepted_ > 1 ? p_[0].data() + p_at_[i] : zero_.data();
      const double* p_prev = still_ ? p : accepted_ > 2 ? p_[1].data() + p_at_[i] : zero_.data();
      double* z = p_[2].data() + p_at_[i];
      EspBlock block = {center(i), origin_.data(), shape(i), wide_.data(), tested_.data(), an, p, p_prev, beta, 1 / L};
      if (kind == full) {
        transposed(i, wide_.data(), room);
        block.a = room;
        if (aimed) transposed(i, tested_.data(), an);
      }
      double s[4];
      run_.table->esp_forward[aimed][kind](block, d_, z, s);
      const double l = l_[0][i], y = l + beta * (l - l_prev[i]);
      const double to = y + (vy_[r.family] + sign * s[0]) / L;
      const auto [x, share] = project_cone<true>(*run_.table, to, z, kind == point ? 0 : d_, s[1]);
      l_[2][i] = x;
      double step[2] = {(x - y) * (x - y), (y - x) * (x - l)};
      run_.table->esp_finish[kind](block, d_, share, x, sign, z, sum, step);
      if (kind == full) add_product(i, sign, z, room, sum);
      mine.squared += step[0];
      mine.turn += step[1];
      mine.lambda += x;
      if (aimed) {
        const double half = std::sqrt(s[3]);
        mine.high = std::max(mine.high, s[2] + half);
        mine.low = std::min(mine.low, s[2] - half);
      }
    }
  });
  const Parts all = parts();
  for (size_t part = 0; part < all.total; ++part) {
    const size_t f = part < all.first ? 0 : 1;
    answer.squared += left[part].squared;
    answer.turn += left[part].turn;
    (f ? answer.sum2 : answer.sum1) += left[part].lambda;
    if (aimed) widen(answer.ranges, f, left[part].high, left[part].low);
  }
  add_up(sums_[2].data());
  residual(sums_[2].data(), v_[2].data(), answer);
  for (size_t k = 0; k < d_ + 2; ++k) answer.image += (vy_[k] - v_[2][k]) * (vy_[k] - v_[2][k]);
  return answer;
}

// v = b - Ax, from the sums by family and the sums of lambda in the answer; and what is answered of it.
void Esp::residual(const double* sum, double* v, SweepAnswer& answer) const {
  v[0] = 1 - answer.sum1;
  v[1] = 1 - answer.sum2;
  const double a = inverse_ / answer.sum1, b = inverse_ / answer.sum2;
  double apart = 0, w = 0;
  for (size_t j = 0; j < d_; ++j) {
    v[2 + j] = (sum[d_ + j] - sum[j]) * inverse_;
    w += v[2 + j] * v[2 + j];
    const double between = sum[j] * a - sum[d_ + j] * b;
    apart += between * between;
  }
  answer.residual = v[0] * v[0] + v[1] * v[1] + w;
  answer.apart = std::sqrt(apart) / inverse_;
  answer.s = v[0];
  answer.t = v[1];
  answer.w = std::sqrt(w);
}

// Makes the unit normal along a residual's w the one to test, and the ranges empty; false, and NaN for ranges, if w is 0.
bool Esp::aim(const double* v, Ranges& ranges) {
  const double max = run_.table->max_abs(v + 2, d_);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  ranges = {nan, nan, nan, nan};
  if (!(max > 0)) return false;
  for (size_t j = 0; j < d_; ++j) tested_[j] = v[2 + j] / max;
  const double norm = std::sqrt(dot(tested_.data(), tested_.data(), d_));
  for (size_t j = 0; j < d_; ++j) tested_[j] /= norm;
  ranges = {-kInfinity, kInfinity, -kInfinity, kInfinity};
  return true;
}

Esp::Ranges Esp::test() {
  Ranges ranges{};
  if (!aim(v_[0].data(), ranges)) return ranges;
  Left left[2 * kMaxParts];
  each_part([&](size_t part, const Range& r, double*, double* room) {
    Left& mine = left[part] = Left{};
    for (size_t i = r.begin; i < r.end; ++i) {
      double s[2];
      support(i, tested_.data(), room, s);
      mine.high = std::max(mine.high, s[0] + s[1]);
      mine.low = std::min(mine.low, s[0] - s[1]);
    }
  });
  const Parts all = parts();
  for (size_t part = 0; part < all.total; ++part) {
    widen(ranges, part < all.first ? 0 : 1, left[part].high, left[part].low);
  }
  return ranges;
}

Esp::VerifyAnswer Esp::verify() {
  each_part([&](size_t, const Range& r, double*, double* room) {
    for (size_t i = r.begin; i < r.end; ++i) {
      double s[2];
      support(i, best_.data(), room, s);
      support_[i] = r.family ? s[0] - s[1] : s[0] + s[1];
    }
  });
  VerifyAnswer answer = {-kInfinity, kInfinity};
  for (size_t i = 0; i < first_; ++i) answer.max = std::max(answer.max, support_[i]);
  for (size_t i = first_; i < n_; ++i) answer.min = std::min(answer.min, support_[i]);
  return answer;
}

// The parts' sums of lambda (c - origin) ± A p; p null: all 0.
void Esp::combine(const double* l, const double* p) {
  each_part([&](size_t, const Range& r, double* sum, double* room) {
    std::memset(sum, 0, d_ * sizeof(double));
    const double sign = r.family ? -1 : 1;
    double* copy = room + 2 * (d_ + 1);
    for (size_t i = r.begin; i < r.end; ++i) {
      const double* mine = p ? p + p_at_[i] : zero_.data();
      if (kind_[i] != point) std::memcpy(copy, mine, d_ * sizeof(double));
      double ignored[2] = {0, 0};
      const EspBlock block = {center(i), origin_.data(), shape(i), nullptr, nullptr, nullptr, zero_.data(), zero_.data(), 0, 0};
      run_.table->esp_finish[kind_[i]](block, d_, 1, l[i], sign, copy, sum, ignored);
      if (kind_[i] == full) add_product(i, sign, mine, room, sum);
    }
  });
}

void Esp::apply_a(const double* l, const double* p, double* out) {
  combine(l, p);
  double* sums = sums_[2].data();
  add_up(sums);
  out[0] = out[1] = 0;
  for (size_t i = 0; i < n_; ++i) out[i < first_ ? 0 : 1] += l[i];
  for (size_t j = 0; j < d_; ++j) out[2 + j] = (sums[j] - sums[d_ + j]) * inverse_;
}

void Esp::apply_at(const double* v, double* l, double* p) {
  for (size_t j = 0; j < d_; ++j) wide_[j] = v[2 + j] * inverse_;
  each_part([&](size_t, const Range& r, double*, double* room) {
    for (size_t i = r.begin; i < r.end; ++i) {
      // 0 + A'w / 1, not projected
      EspBlock block = {center(i), origin_.data(), shape(i), wide_.data(), nullptr, nullptr, zero_.data(), zero_.data(), 0, 1};
      if (kind_[i] == full) {
        transposed(i, wide_.data(), room);
        block.a = room;
      }
      double s[4];
      run_.table->esp_forward[0][kind_[i]](block, d_, p + p_at_[i], s);
      l[i] = v[r.family] + (r.family ? -s[0] : s[0]);
    }
  });
}

Esp::MeasuresAnswer Esp::move() {
  double a = 0, b = 0;
  for (size_t i = 0; i < first_; ++i) a += l_[0][i];
  for (size_t i = first_; i < n_; ++i) b += l_[0][i];
  double* sums = sums_[0].data();
  if (a > 0 && b > 0) {
    for (size_t j = 0; j < d_; ++j) origin_[j] += (sums[j] / a + sums[d_ + j] / b) / 2;
  }
  const MeasuresAnswer measures = measure();
  combine(l_[0].data(), accepted_ > 1 ? p_[0].data() : nullptr);
  add_up(sums);
  SweepAnswer answer{};
  answer.sum1 = a;
  answer.sum2 = b;
  residual(sums, v_[0].data(), answer);
  still_ = true;
  return measures;
}

Esp::PowerAnswer Esp::power(bool first) {
  double* v = power_.data();
  if (first) {
    double state = 1;
    for (size_t k = 0; k < d_ + 2; ++k) {
      state = std::fmod(state * 16807, 2147483647);
      v[k] = state / 2147483647 - 0.5;
    }
  }
  const double norm = std::sqrt(dot(v, v, d_ + 2));
  for (size_t k = 0; k < d_ + 2; ++k) v[k] /= norm;
  for (size_t j = 0; j < d_; ++j) wide_[j] = v[2 + j] * inverse_;
  double lambda[2 * kMaxParts];
  each_part([&](size_t part, const Range& r, double* sum, double* room) {
    std::memset(sum, 0, d_ * sizeof(double));
    lambda[part] = 0;
    const double sign = r.family ? -1 : 1;
    double* z = room + 2 * (d_ + 1);
    for (size_t i = r.begin; i < r.end; ++i) {
      // z = 0 + A'w / 1, unprojected
      const uint8_t kind = kind_[i];
      EspBlock block = {center(i), origin_.data(), shape(i), wide_.data(), nullptr, nullptr, zero_.data(), zero_.data(), 0, 1};
      if (kind == full) {
        transposed(i, wide_.data(), room);
        block.a = room;
      }
      double s[4], ignored[2] = {0, 0};
      run_.table->esp_forward[0][kind](block, d_, z, s);
      const double l = v[r.family] + sign * s[0];
      lambda[part] += l;
      run_.table->esp_finish[kind](block, d_, 1, l, sign, z, sum, ignored);
      if (kind == full) add_product(i, sign, z, room, sum);
    }
  });
  const Parts all = parts();
  double* sums = sums_[2].data();
  add_up(sums);
  v[0] = v[1] = 0;
  for (size_t part = 0; part < all.total; ++part) v[part < all.first ? 0 : 1] += lambda[part];
  for (size_t j = 0; j < d_; ++j) v[2 + j] = (sums[j] - sums[d_ + j]) * inverse_;
  return {std::sqrt(dot(v, v, d_ + 2))};
}

void Esp::accept() {
  for (Buffer<double>* list : {l_, p_, v_, sums_}) {
    std::swap(list[1], list[2]);
    std::swap(list[0], list[1]);
  }
  if (accepted_ < 3) ++accepted_;
  still_ = false;
}

void Esp::keep(bool opposite) {
  std::swap(tested_, best_);
  if (!opposite) return;
  for (size_t j = 0; j < d_; ++j) best_[j] = -best_[j];
}

void Esp::normal(double* out) const { std::copy(best_.data(), best_.data() + d_, out); }
void Esp::origin(double* out) const { std::copy(origin_.data(), origin_.data() + d_, out); }
void Esp::supports(double* out) const { std::copy(support_.data(), support_.data() + n_, out); }
void Esp::weights(double* out) const { std::copy(l_[0].data(), l_[0].data() + n_, out); }
void Esp::sums(double* out) const { std::copy(sums_[0].data(), sums_[0].data() + 2 * d_, out); }

}  // namespace fista
