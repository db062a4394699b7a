// The SVM's sweeps over rows: the inner loops of the tasks in lib/backend/fallback/svm.ts.
//
// Given:   rows by position (SvmRows, State), n of them. Lanes past the end read as y = weight = slack = 0.
// Wanted:  vectors in the caller's arrays, and sums that are added to the caller's.
// Source:  method 1.6 and 1.7 for svm_forward and svm_finish, method 1.9 and C4 for svm_offsets, method C1, C2 and C6 for svm_gap,
//          method C5, C6 and C8 for svm_certify.

// a = y + (1 - q(y) - mu y) / L, the gradient step from the extrapolated y (method 1.6).
void svm_forward(const State& s, size_t n, double mu, double inverse_L, double* a) {
  const V beta = set1(s.beta), one = set1(1.0), m = set1(mu), inverse = set1(inverse_L);
  sweep(n, [&](size_t i, auto at) {
    const V x = at.load(s.x + i), q = at.load(s.q + i);
    const V y = fma(beta, x - at.load(s.x_prev + i), x);
    const V qy = fma(beta, q - at.load(s.q_prev + i), q);
    at.store(a + i, fma((one - qy) - m * y, inverse, y));
  });
}

// On entry slack is |x~|^2 and radius x~.m; on return slack is 2 (entries + 4) u |x~| and radius is r, both as upper bounds
// (method 1.4, 2). sums: c |x~ - m|^2 as computed, c r^2.
void svm_measure(const double* entries, const double* weight, size_t n, const SvmMeasure& by, double* slack, double* radius,
                 double* sums) {
  V spread = zero(), squares = zero();
  const V one = set1(1.0), two = set1(2.0), four = set1(4.0), unit = set1(0x1p-53), smallest = set1(by.smallest);
  const V m = set1(by.m), m2 = set1(by.m * by.m), safely = set1(by.safely);
  sweep(n, [&](size_t i, auto at) {
    const V number = at.load(entries + i), rounding = (number + four) * unit;
    const V lost = number * smallest;  // squares and products that underflowed
    const V norm = sqrt(at.load(slack + i) + lost) * (one + rounding);
    at.store(slack + i, two * rounding * norm);
    const V apart = max(norm * norm - two * at.load(radius + i) + m2, zero());
    const V r = sqrt(apart + safely * (norm + m) * (norm + m) + lost), c = at.load(weight + i);
    at.store(radius + i, r);
    spread = fma(c, apart, spread);
    squares = fma(c * r, r, squares);
  });
  sums[0] += sum(spread);
  sums[1] += sum(squares);
}

void svm_sign(const double* a, const int8_t* y, size_t n, double* out) {
  sweep(n, [&](size_t i, auto at) { at.store(out + i, at.load(a + i) * at.load(y + i)); });
}

void svm_share(const double* x, const int8_t* y, const double* weight, size_t n, double* out) {
  sweep(n, [&](size_t i, auto at) { at.store(out + i, at.load(y + i) * (at.load(weight + i) * at.load(x + i))); });
}

// On entry q_next is x~.w, on return y x~.w. sums: for the step s = x+ - y, c s^2, c s (q+ - q(y)), and the sum of the latter's
// magnitudes (method 1.7).
void svm_finish(const State& s, const int8_t* y, const double* weight, const double* x_next, double* q_next, size_t n,
                double* sums) {
  const V beta = set1(s.beta);
  V squared = zero(), curvature = zero(), magnitude = zero();
  sweep(n, [&](size_t i, auto at) {
    const V x = at.load(s.x + i), q = at.load(s.q + i), q_plus = at.load(y + i) * at.load(q_next + i);
    at.store(q_next + i, q_plus);
    const V step = at.load(x_next + i) - fma(beta, x - at.load(s.x_prev + i), x);
    const V rise = q_plus - fma(beta, q - at.load(s.q_prev + i), q);
    const V weighted = at.load(weight + i) * step;
    squared = fma(weighted, step, squared);
    curvature = fma(weighted, rise, curvature);
    magnitude = magnitude + abs(weighted * rise);
  });
  sums[0] += sum(squared);
  sums[1] += sum(curvature);
  sums[2] += sum(magnitude);
}

// x = -psi'(theta) at offset t.
void svm_slopes(const SvmRows& r, size_t n, double t, double* x) {
  const V one = set1(1.0), inverse_mu = set1(1 / r.mu), gamma = set1(r.gamma), offset = set1(t);
  sweep(n, [&](size_t i, auto at) {
    const V free = (one - fma(at.load(r.y + i), offset, at.load(r.q + i))) * inverse_mu;
    at.store(x + i, min(max(free, zero()), gamma));
  });
}

// sums: c (x + psi') s and c psi'' s^2, at offset t and `length` along a direction with margins q_along and offset tau; s is what
// the direction adds to theta (method 1.13).
void svm_along(const SvmRows& r, size_t n, const double* q_along, double t, double tau, double length, double* sums) {
  const V one = set1(1.0), inverse_mu = set1(1 / r.mu), gamma = set1(r.gamma), offset = set1(t), change = set1(tau);
  const V far = set1(length);
  V slope = zero(), curvature = zero();
  sweep(n, [&](size_t i, auto at) {
    const V y = at.load(r.y + i), c = at.load(r.weight + i), s = fma(y, change, at.load(q_along + i));
    const V free = (one - fma(far, s, fma(y, offset, at.load(r.q + i)))) * inverse_mu;
    const V weighted = c * s;
    slope = fma(weighted, at.load(r.x + i) - min(max(free, zero()), gamma), slope);
    curvature = curvature + where(both(less(zero(), free), less(free, gamma)), weighted * s);
  });
  sums[0] += sum(slope);
  sums[1] += sum(curvature) / r.mu;
}

struct OffsetSums {
  V positive = zero(), negative = zero(), quadratic = zero();
  // Adds -c psi'(theta) to the sum of its class, and c to the third if theta is on the quadratic piece.
  inline void add(V theta, V y, V c, V gamma, V inverse_mu) {
    const V free = (set1(1.0) - theta) * inverse_mu;
    const V slope = c * min(max(free, zero()), gamma);
    positive = positive + where(less(zero(), y), slope);
    negative = negative + where(less(y, zero()), slope);
    quadratic = quadratic + where(both(less(zero(), free), less(free, gamma)), c);
  }
  void total(double* sums) const {
    sums[0] += sum(positive);
    sums[1] += sum(negative);
    sums[2] += sum(quadratic);
  }
};

// sums: S+, S- and the number of rows on the quadratic piece, at offset low with values raised by their shifts, then at offset high
// with values lowered (method 1.9, C4).
void svm_offsets(const SvmRows& r, size_t n, const SvmShift& by, double low, double high, double* sums) {
  const V rho = set1(by.rho), norm = set1(by.w_norm), eta_t = set1(by.eta_t), inverse_mu = set1(1 / r.mu);
  const V t_low = set1(low), t_high = set1(high), gamma = set1(r.gamma);
  OffsetSums first, second;
  sweep(n, [&](size_t i, auto at) {
    const V y = at.load(r.y + i), c = at.load(r.weight + i), q = at.load(r.q + i);
    const V shift = fma(rho, at.load(r.radius + i), fma(norm, at.load(r.slack + i), eta_t));
    first.add(fma(y, t_low + shift, q), y, c, gamma, inverse_mu);
    second.add(fma(y, t_high - shift, q), y, c, gamma, inverse_mu);
  });
  first.total(sums);
  second.total(sums + 3);
}

// sums, each term times c: FY (method C1), its rounding (method C2), psi, x, y x, x r, res^2, err^2 (method C6). Where gamma is
// infinity the piece beyond it is never selected.
void svm_gap(const SvmRows& r, size_t n, const SvmShift& by, double t, double* sums) {
  const V one = set1(1.0), half = set1(0.5), mu = set1(r.mu), inverse_mu = set1(1 / r.mu), norm = set1(by.w_norm);
  const V eta_t = set1(by.eta_t), offset = set1(t), four_u = set1(4 * 0x1p-53), gamma = set1(r.gamma);
  V fy_sum = zero(), rounding = zero(), psi_sum = zero(), alpha_sum = zero();
  V balance = zero(), by_radius = zero(), residual = zero(), error = zero();
  sweep(n, [&](size_t i, auto at) {
    const V y = at.load(r.y + i), c = at.load(r.weight + i), x = at.load(r.x + i), alpha = c * x;
    const V theta = fma(y, offset, at.load(r.q + i));
    const V eta = fma(norm, at.load(r.slack + i), eta_t);
    const V below = one - theta, free = below * inverse_mu;
    const M lossy = less(zero(), free), quadratic = less(free, gamma);
    const V slope = min(max(free, zero()), gamma);
    const V difference = x - free;
    const V fy_zero = x * (half * mu * x - below);
    const V fy_middle = half * mu * difference * difference;
    const V fy_bound = (gamma - x) * (below - half * mu * (gamma + x));
    fy_sum = fma(c, max(select(lossy, select(quadratic, fy_middle, fy_bound), fy_zero), zero()), fy_sum);
    const V err = fma(four_u, one + abs(theta) + mu * x, eta);
    rounding = fma(c, fma(abs(x - slope), err, half * inverse_mu * err * err), rounding);
    const V psi_bound = gamma * (below - half * mu * gamma);
    psi_sum = fma(c, where(lossy, select(quadratic, half * free * below, psi_bound)), psi_sum);
    alpha_sum = alpha_sum + alpha;
    balance = fma(y, alpha, balance);
    by_radius = fma(alpha, at.load(r.radius + i), by_radius);
    V res = below - mu * x;
    res = select(less(zero(), x), res, max(res, zero()));
    res = select(less(x, gamma), res, min(res, zero()));
    residual = fma(c * res, res, residual);
    error = fma(c * err, err, error);
  });
  const V all[8] = {fy_sum, rounding, psi_sum, alpha_sum, balance, by_radius, residual, error};
  for (size_t k = 0; k < 8; ++k) sums[k] += sum(all[k]);
}

// found: the bits of SvmCertified that these bounds prove of each row (method C5, C6), and `above` or `below` if the model's own
// decision is so beyond its rounding (method C8).
void svm_certify(const SvmRows& r, size_t n, const SvmBounds& by, double* found) {
  const V one = set1(1.0), gamma = set1(r.gamma), low = set1(by.low), high = set1(by.high);
  const V far = abs(low), further = abs(high), eight_u = set1(8 * 0x1p-53);
  const V rho = set1(by.shift.rho), norm = set1(by.shift.w_norm), eta_t = set1(by.shift.eta_t), t = set1(by.t);
  const V delta = set1(by.delta), guard_r = set1(by.guard_r), guard = set1(by.guard);
  const V proper = set1(by.proper), bound = set1(by.bound);
  const auto certified = [](M holds, unsigned bit) { return where(holds, set1(static_cast<double>(bit))); };
  sweep(n, [&](size_t i, auto at) {
    const V y = at.load(r.y + i), radius = at.load(r.radius + i), value = y * at.load(r.q + i);
    const V shift = rho * radius + at.load(r.slack + i) * norm + eta_t;
    const V outward = eight_u * (abs(value) + shift + far + further);
    const V lo = value - shift + low - outward, hi = value + shift + high + outward;
    const M up = less(zero(), y);
    const V min_theta_star = select(up, lo, zero() - hi), max_theta_star = select(up, hi, zero() - lo);  // of theta*
    const V by_ball = certified(less(proper, min_theta_star), SvmCertified::proper);
    const V away = sqrt(at.load(r.weight + i)) * (gamma - at.load(r.x + i));  // from its bound
    const V by_alpha = certified(less(delta, away), SvmCertified::proper);
    const V margin = guard_r * radius + guard, own = value + t;
    const V proved = max(by_ball, by_alpha) + certified(less(one, min_theta_star), SvmCertified::zero) +
                     certified(less(max_theta_star, bound), SvmCertified::at_bound);
    const V sides = certified(less(zero(), lo), SvmCertified::positive) + certified(less(hi, zero()), SvmCertified::negative);
    at.store(found + i, proved + sides + certified(less(margin, own), SvmCertified::above) +
                            certified(less(own, zero() - margin), SvmCertified::below));
  });
}
