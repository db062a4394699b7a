#include "knapsack.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "parallel.h"

namespace fista {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kUnit = 0x1p-53;

struct Items : KnapsackRows {
  size_t n;
};

// The term weight clamp(centre - lambda, low, high) of one row: constant below `leaves` and above `arrives`, linear between.
struct Term {
  double weight, centre, low, high;
  Term(const Items& items, size_t i) {
    weight = items.weight[i];
    centre = items.y[i] * items.a[i];
    low = items.y[i] < 0 ? -items.gamma : 0;
    high = items.y[i] > 0 ? items.gamma : 0;
  }
  double leaves() const { return centre - high; }
  double arrives() const { return centre - low; }
  double at(double lambda) const { return weight * std::min(std::max(centre - lambda, low), high); }
};

// phi over all rows: parts run in parallel, and are added in order.
template <typename Body>
Phi sum_parts(const Run& run, size_t n, Body&& body) {
  const Partition parts = partition(n, 2 * n);
  Phi partial[kMaxParts] = {};
  parallel(run, parts.parts, [&](size_t p) { partial[p] = body(parts.begin(p), parts.end(p) - parts.begin(p)); });
  Phi total = {0, 0, 0};
  for (size_t p = 0; p < parts.parts; ++p) {
    total.value += partial[p].value;
    total.inside += partial[p].inside;
    total.magnitude += partial[p].magnitude;
  }
  double sums[] = {total.value, total.inside, total.magnitude};
  sum_ranks(run, sums, 3);
  return {sums[0], sums[1], sums[2]};
}

KnapsackRows from(const KnapsackRows& rows, size_t i) { return {rows.a + i, rows.y + i, rows.weight + i, rows.gamma}; }

Phi phi_at(const Run& run, const Items& s, double lambda) {
  return sum_parts(run, s.n, [&](size_t i, size_t k) { return run.table->knapsack_phi(from(s, i), k, lambda); });
}

// phi(low) >= b >= phi(high): the root lies between. phi was evaluated at finite ends.
struct Bracket {
  double low = -kInfinity, high = kInfinity;
  bool holds(double lambda) const { return low < lambda && lambda < high; }
};

// Sums over the rows without a breakpoint strictly inside the bracket: of constant terms and of their magnitudes (fixed,
// magnitude); and of the linear terms, linear - slope lambda.
struct Settled {
  double fixed = 0, magnitude = 0, linear = 0, slope = 0;
  void add(const Term& term, const Bracket& bracket) {
    if (term.arrives() <= bracket.low) {
      fixed += term.weight * term.low;
      magnitude -= term.weight * term.low;
    } else if (term.leaves() >= bracket.high) {
      fixed += term.weight * term.high;
      magnitude += term.weight * term.high;
    } else {
      linear += term.weight * term.centre;
      slope += term.weight;
    }
  }
};

// The root on the linear piece that is left of the bracket.
double end_of_search(const Bracket& bracket, const Settled& sums, double b, double unit) {
  const auto& [fixed, magnitude, linear, slope] = sums;
  if (slope > 0) return std::min(std::max((fixed + linear - b) / slope, bracket.low), bracket.high);
  // It is flat and not at b: phi jumps past b at one of its ends, where the two breakpoints of a row were rounded into one.
  const double slack = unit * (magnitude + std::fabs(b));
  if (fixed > b + slack && std::isfinite(bracket.high)) return bracket.high;
  if (fixed < b - slack && std::isfinite(bracket.low)) return bracket.low;
  // It is flat and at b: the projection is the same everywhere but at its ends, where a row may be half way if gamma is within
  // rounding of a_i. So take its middle or, if only one end is finite, a little past that end.
  const double middle = bracket.low / 2 + bracket.high / 2;
  if (std::isfinite(middle)) return middle;
  const double end = middle < 0 ? bracket.high : bracket.low, past = std::fabs(end) * 0x1p-51;
  return !std::isfinite(end) ? 0 : middle < 0 ? end - past : end + past;
}

// Brucker's search among the rows index[0 .. m), which include every row with a breakpoint strictly inside the bracket. `sums` are
// those of the other rows, and `unit` is the relative rounding of sums.
double search(const Items& items, uint32_t* index, size_t m, double* work, Bracket bracket, Settled& sums, double b, double unit) {
  const auto& [fixed, magnitude, linear, slope] = sums;
  size_t before = SIZE_MAX;
  for (;;) {
    // Settle the rows that no longer have a breakpoint inside. Each of the others proposes one.
    size_t kept = 0;
    for (size_t k = 0; k < m; ++k) {
      const Term term(items, index[k]);
      const double leaves = term.leaves(), arrives = term.arrives();
      const bool first = bracket.holds(leaves), second = bracket.holds(arrives);
      if (first || second) {
        // Alternate where both are inside, so that neither kind of breakpoint is neglected.
        work[kept] = first && (!second || (index[k] & 1)) ? leaves : arrives;
        index[kept++] = index[k];
      } else {
        sums.add(term, bracket);
      }
    }
    if (kept == 0) break;
    // A sampled median is good enough while it drops an eighth of the rows; the exact one (introselect) keeps the worst case
    // linear.
    const bool exact = kept <= 32 || kept > before - before / 8;
    before = m = kept;

    double pivot;
    if (exact) {
      std::nth_element(work, work + m / 2, work + m);
      pivot = work[m / 2];
    } else {
      double sample[31];
      for (size_t k = 0; k < 31; ++k) sample[k] = work[(2 * k + 1) * m / 62];
      std::nth_element(sample, sample + 15, sample + 31);
      pivot = sample[15];
    }
    double phi = fixed + (linear - slope * pivot);
    for (size_t k = 0; k < m; ++k) phi += Term(items, index[k]).at(pivot);
    if (phi > b) {
      bracket.low = pivot;
    } else if (phi < b) {
      bracket.high = pivot;
    } else {
      return pivot;  // equal; or the sums overflowed to NaN, and going on is useless
    }
  }
  return end_of_search(bracket, sums, b, unit);
}

// The same over all ranks, which have rows of their own each. Medians would take a round of messages for every halving, so each
// round evaluates phi at kPlaces places of the bracket, until no row anywhere has a breakpoint inside, or its ends are neighbours.
constexpr size_t kPlaces = 32;
double search_ranks(const Run& run, const Items& items, uint32_t* index, size_t m, Bracket bracket, Settled& sums, double b,
                    double unit) {
  if (!std::isfinite(bracket.low) || !std::isfinite(bracket.high)) {
    // From here on the ends are finite: a little beyond all finite breakpoints.
    double ends[] = {-kInfinity, -kInfinity};
    for (size_t k = 0; k < m; ++k) {
      const Term term(items, index[k]);
      for (const double at : {term.leaves(), term.arrives()}) {
        if (!std::isfinite(at)) continue;
        ends[0] = std::max(ends[0], -at);
        ends[1] = std::max(ends[1], at);
      }
    }
    max_ranks(run, ends, 2);
    const double spare = 1 + std::fabs(ends[0]) + std::fabs(ends[1]);
    if (std::isfinite(spare)) {
      bracket.low = std::max(bracket.low, -ends[0] - spare);
      bracket.high = std::min(bracket.high, ends[1] + spare);
    }
  }
  for (;;) {
    size_t kept = 0;
    for (size_t k = 0; k < m; ++k) {
      const Term term(items, index[k]);
      if (bracket.holds(term.leaves()) || bracket.holds(term.arrives())) {
        index[kept++] = index[k];
      } else {
        sums.add(term, bracket);
      }
    }
    m = kept;
    const double width = bracket.high - bracket.low;
    double places[kPlaces], found[kPlaces + 1] = {};
    for (size_t k = 0; k < kPlaces; ++k) places[k] = bracket.low + width * (static_cast<double>(k + 1) / (kPlaces + 1));
    for (size_t k = 0; k < kPlaces; ++k) {
      double phi = sums.fixed + (sums.linear - sums.slope * places[k]);
      for (size_t i = 0; i < m; ++i) phi += Term(items, index[i]).at(places[k]);
      found[k] = phi;
    }
    found[kPlaces] = static_cast<double>(m);
    sum_ranks(run, found, kPlaces + 1);
    if (found[kPlaces] == 0 || !std::isfinite(width)) break;
    const Bracket before = bracket;
    for (size_t k = 0; k < kPlaces; ++k) {
      if (found[k] == b) {
        sums.slope = 0;  // that of the rows here says nothing
        return places[k];
      }
      if (found[k] > b && places[k] < bracket.high) bracket.low = std::max(bracket.low, places[k]);
      if (found[k] < b && places[k] > bracket.low) bracket.high = std::min(bracket.high, places[k]);
    }
    if (bracket.low == before.low && bracket.high == before.high) break;  // no double is between, or sums are not numbers
  }
  // Rows that still have a breakpoint inside have it between neighbouring doubles.
  for (size_t k = 0; k < m; ++k) sums.add(Term(items, index[k]), bracket);
  double total[] = {sums.fixed, sums.magnitude, sums.linear, sums.slope};
  sum_ranks(run, total, 4);
  sums = {total[0], total[1], total[2], total[3]};
  return end_of_search(bracket, sums, b, unit);
}

// The root of the knapsack of a sample of rows, with b in proportion: the guess when none is given.
double sample_root(const Items& items, double b, uint32_t* index, double* work) {
  constexpr size_t kSample = 512;
  const size_t m = std::min(items.n, kSample);
  for (size_t k = 0; k < m; ++k) {
    // One row at random of each stratum, so that a pattern in the order of rows (sorted, alternating) does not bias the sample.
    const size_t stratum = items.n * k / m, width = items.n * (k + 1) / m - stratum;
    index[k] = static_cast<uint32_t>(stratum + (k * 2654435761u >> 7) % width);
  }
  Settled sums;
  return search(items, index, m, work, Bracket(), sums, b * static_cast<double>(m) / static_cast<double>(items.n), 0);
}

// The double whose phi is nearest to b. The running sums of the search cancel; where gamma is hardly more than the rounding of
// a_i, the search may miss pieces as narrow as their error. From such a lambda this goes towards the root in steps that double
// until phi is past b, and then bisects.
double nearest(const Run& run, const Items& items, double b, double lambda, double excess) {
  const double towards = excess > 0 ? 1 : -1;
  const auto short_of_b = [&](double by) { return by * towards > 0; };
  double near = lambda, far = lambda, beyond = excess;
  for (double step = std::fabs(lambda) * 0x1p-52; short_of_b(beyond) && !run.interrupted(); step *= 2) {
    near = far;
    excess = beyond;
    far = lambda + towards * step;
    if (far == near || !std::isfinite(far)) return near;  // lambda is 0, or b is only just within reach
    beyond = phi_at(run, items, far).value - b;
  }
  for (double middle = near / 2 + far / 2; middle != near && middle != far; middle = near / 2 + far / 2) {
    if (run.interrupted()) break;
    const double there = phi_at(run, items, middle).value - b;
    (short_of_b(there) ? near : far) = middle;
    (short_of_b(there) ? excess : beyond) = there;
  }
  return std::fabs(beyond) < std::fabs(excess) ? far : near;
}

}  // namespace

double project_knapsack(const Run& run, const KnapsackRows& rows, size_t n, double total, double weight_sum, double b, double guess,
                        double* x, double* work, uint32_t* index) {
  if (!std::isfinite(b)) return kNaN;
  const Items items = {rows, n};
  const double scale = total * kUnit;
  const bool sampled = n > 0 && !run.over_ranks();  // a sample here says nothing of rows elsewhere
  double lambda = std::isfinite(guess) ? guess : sampled ? sample_root(items, b, index, work) : 0;
  Bracket bracket;
  Phi phi = {0, 0, 0};
  bool settled = false;
  double piece = 0;  // the slope of the linear piece that the search ended on

  // Newton steps on all of phi, until the root is on the current piece; after four, medians do the rest.
  for (int probe = 0; probe < 4; ++probe) {
    phi = phi_at(run, items, lambda);
    if (run.interrupted()) return kNaN;
    const double excess = phi.value - b;
    if (!std::isfinite(excess)) break;  // sums overflow, which says nothing of the root
    settled = std::fabs(excess) <= 0.5 * scale * (phi.magnitude + std::fabs(b));
    if (settled) break;
    (excess > 0 ? bracket.low : bracket.high) = lambda;
    if (phi.inside == 0) break;
    const double next = lambda + excess / phi.inside;
    if (!bracket.holds(next)) break;
    lambda = next;
  }

  if (!settled) {
    size_t m = 0;
    double min = 0, max = 0;
    Settled sums;
    for (size_t i = 0; i < n; ++i) {
      const Term term(items, i);
      min += term.weight * term.low;
      max += term.weight * term.high;
      if (bracket.holds(term.leaves()) || bracket.holds(term.arrives())) {
        index[m++] = static_cast<uint32_t>(i);
      } else {
        sums.add(term, bracket);
      }
    }
    double ends[] = {min, max};
    sum_ranks(run, ends, 2);
    min = ends[0];
    max = ends[1];
    const auto finite = [](double end) { return std::isfinite(end) ? end : 0; };
    const double slack = 2 * scale * (finite(max) - finite(min) + std::fabs(b));
    if (!(b <= max + slack && b >= min - slack)) return kNaN;
    lambda = run.over_ranks() ? search_ranks(run, items, index, m, bracket, sums, b, scale)
                              : search(items, index, m, work, bracket, sums, b, scale);
    phi = phi_at(run, items, lambda);
    piece = sums.slope;
  }
  // One more Newton step: "settled" is as loose as the rounding of n terms, and the running sums of the search cancel. Beyond a
  // breakpoint more rows may move than are inside now, so unless a quarter of all rows is inside, the step is taken only if it
  // brings phi nearer to b. Rounding may have left lambda just off the piece, with no row inside; the piece's own slope then leads
  // back.
  const double inside = phi.inside > 0 ? phi.inside : piece;
  double excess = phi.value - b;
  if (inside > 0) {
    const double next = lambda + excess / inside;
    if (settled && 4 * phi.inside >= weight_sum) {
      lambda = next;
    } else if (next != lambda && std::isfinite(next)) {
      const Phi there = phi_at(run, items, next);
      if (std::fabs(there.value - b) < std::fabs(excess)) {
        lambda = next;
        phi = there;
        excess = phi.value - b;
      }
    }
  }
  if (!settled && std::fabs(excess) > 2 * scale * (phi.magnitude + std::fabs(b))) {
    lambda = nearest(run, items, b, lambda, excess);
  }
  const Partition parts = partition(n, 2 * n);
  parallel(run, parts.parts, [&](size_t p) {
    const size_t i = parts.begin(p);
    run.table->knapsack_write(from(rows, i), parts.end(p) - i, lambda, x + i);
  });
  return lambda;
}

}  // namespace fista
