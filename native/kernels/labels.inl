// The sweeps that certify the label of one row (method C11), over centres, planes and classes.
//
// Given:   of a row, its values and products; what is proved of planes. Pairs are in the order of LabelPlanes::between, so the
//          planes of class a and larger ones, and these classes, follow each other.
// Wanted:  vectors in the caller's arrays. Votes are counts in doubles. Lanes past the end read as 0 and count nothing.
// Source:  method C11. The twin is lib/backend/fallback/labels.ts.

// Upper bounds of the row's distances from the centres.
void label_distances(const double* product, const double* squares, size_t n, const LabelRounding& by, double* out) {
  const V norm = set1(by.norm), two = set1(2.0), safe = set1(by.safe), lost = set1(by.lost), grown = set1(1 + by.safe);
  const V inf = set1(HUGE_VAL);
  sweep(n, [&](size_t k, auto at) {
    const V square = at.load(squares + k), apart = norm - two * at.load(product + k) + square;
    // A product that overflows would make a row look near that is far away.
    const V near = select(less(abs(apart), inf), max(apart, zero()), inf);
    at.store(out + k, sqrt(near + safe * (norm + square) + lost) * grown);
  });
}

// The intervals of the planes' exact values; `distance` is by plane.
void label_bounds(const double* value, const double* distance, const LabelProofs& proofs, size_t n, double* low, double* high) {
  const V unit = set1(8 * 0x1p-53), inf = set1(HUGE_VAL);
  sweep(n, [&](size_t p, auto at) {
    const V slope = at.load(proofs.slope + p), reach = slope * at.load(distance + p), v = at.load(value + p);
    const V below = at.load(proofs.low + p), above = at.load(proofs.high + p);
    const V round = unit * (abs(v) + abs(below) + abs(above) + reach) + at.load(proofs.spare + p);
    const auto known = less(slope, inf);
    at.store(low + p, select(known, v + below - reach - round, zero() - inf));
    at.store(high + p, select(known, v + above + reach + round, inf));
  });
}

// By class, the votes of these planes' values.
void label_votes(const double* value, size_t classes, double* own) {
  const V one = set1(1.0);
  for (size_t a = 0; a < classes; ++a) own[a] = 0;
  for (size_t a = 0, p = 0; a + 1 < classes; p += classes - ++a) {
    const size_t n = classes - 1 - a;
    V ups = zero();
    sweep(n, [&](size_t k, auto at) {
      const V up = where(less(zero(), at.load(value + p + k)), one);
      ups = ups + up;
      at.store(own + a + 1 + k, at.load(own + a + 1 + k) + up);
    });
    own[a] += static_cast<double>(n) - sum(ups);
  }
}

// By class, the votes that are certain, and those that are possible.
void label_limits(const double* low, const double* high, size_t classes, double* least, double* most) {
  const V one = set1(1.0);
  for (size_t a = 0; a < classes; ++a) least[a] = most[a] = 0;
  for (size_t a = 0, p = 0; a + 1 < classes; p += classes - ++a) {
    const size_t n = classes - 1 - a;
    V ups = zero(), downs = zero();
    sweep(n, [&](size_t k, auto at) {
      const V up = where(less(zero(), at.load(low + p + k)), one), down = where(less(at.load(high + p + k), zero()), one);
      ups = ups + up;
      downs = downs + down;
      at.store(least + a + 1 + k, at.load(least + a + 1 + k) + up);
      at.store(most + a + 1 + k, at.load(most + a + 1 + k) + (one - down));
    });
    least[a] += sum(downs);
    most[a] += static_cast<double>(n) - sum(ups);
  }
}

// Adds 1 for each plane whose sign is open, of a class that `matters` (1; others 0).
void label_open(const double* low, const double* high, const double* matters, size_t classes, double* in_the_way) {
  const V one = set1(1.0);
  for (size_t a = 0, p = 0; a + 1 < classes; p += classes - ++a) {
    const V first = set1(matters[a]);
    sweep(classes - 1 - a, [&](size_t k, auto at) {
      const V up = where(less(zero(), at.load(low + p + k)), one), down = where(less(at.load(high + p + k), zero()), one);
      const V open = (one - up) * (one - down) * max(first, at.load(matters + a + 1 + k));
      at.store(in_the_way + p + k, at.load(in_the_way + p + k) + open);
    });
  }
}
