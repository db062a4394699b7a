// One ellipsoid of a sweep: the inner loops of lib/backend/fallback/esp.ts, twice over d entries while its centre, shape and block
// are in cache.
//
// Given:   an ellipsoid and its block of two iterates (EspBlock). Kind: 0 a point, 1 a ball (a = its radius), 2 a diagonal, 3 a
// full
//          matrix (a and an = A'w and A'n, computed before).
// Wanted:  the block's step, projection and share of the next residual; its support along a normal.
// Source:  method 4.3 for esp_forward and esp_finish, method C12 for esp_support.

template <int Kind, typename At>
inline V esp_product(const At& at, const double* a, size_t j, V w) {
  if (Kind == 1) return set1(*a) * w;
  if (Kind == 2) return at.load(a + j) * w;
  return at.load(a + j);
}

// z = y + A'w / L, before the projection. sums: (c - origin).w, |z|^2; with Testing also (c - origin).n, |A'n|^2.
template <int Kind, bool Testing>
void esp_forward(const EspBlock& b, size_t d, double* z, double* sums) {
  const V beta = set1(b.beta), inverse = set1(b.inverse_L);
  V along = zero(), square = zero(), along_n = zero(), square_n = zero();
  sweep(d, [&](size_t j, auto at) {
    const V w = at.load(b.w + j), c = at.load(b.c + j) - at.load(b.origin + j);
    along = fma(c, w, along);
    if (Kind != 0) {
      const V p = at.load(b.p + j);
      const V y = fma(beta, p - at.load(b.p_prev + j), p);
      const V to = fma(esp_product<Kind>(at, b.a, j, w), inverse, y);
      at.store(z + j, to);
      square = fma(to, to, square);
    }
    if (Testing) {
      const V n = at.load(b.n + j);
      along_n = fma(c, n, along_n);
      if (Kind != 0) {
        const V an = esp_product<Kind>(at, Kind == 3 ? b.an : b.a, j, n);
        square_n = fma(an, an, square_n);
      }
    }
  });
  sums[0] = sum(along);
  sums[1] = sum(square);
  sums[2] = sum(along_n);
  sums[3] = sum(square_n);
}

// z becomes x+ = share z, and acc += lambda (c - origin) + sign A x+ (for Kind 3 without A x+). sums += |x+ - y|^2, (y - x+).(x+ -
// x).
template <int Kind>
void esp_finish(const EspBlock& b, size_t d, double share, double lambda, double sign, double* z, double* acc, double* sums) {
  const V beta = set1(b.beta), by = set1(share), l = set1(lambda), sg = set1(sign);
  V squared = zero(), turn = zero();
  sweep(d, [&](size_t j, auto at) {
    V s = fma(l, at.load(b.c + j) - at.load(b.origin + j), at.load(acc + j));
    if (Kind != 0) {
      const V p = at.load(b.p + j), x = by * at.load(z + j);
      const V step = x - fma(beta, p - at.load(b.p_prev + j), p);
      at.store(z + j, x);
      squared = fma(step, step, squared);
      turn = fma(step, p - x, turn);
      if (Kind != 3) s = fma(sg, esp_product<Kind>(at, b.a, j, x), s);
    }
    at.store(acc + j, s);
  });
  sums[0] += sum(squared);
  sums[1] += sum(turn);
}

// out: (c - origin).n, |A'n|^2. For Kind 3, b.an = A'n.
template <int Kind>
void esp_support(const EspBlock& b, size_t d, double* out) {
  V along = zero(), square = zero();
  sweep(d, [&](size_t j, auto at) {
    const V n = at.load(b.n + j);
    along = fma(at.load(b.c + j) - at.load(b.origin + j), n, along);
    if (Kind != 0) {
      const V an = esp_product<Kind>(at, Kind == 3 ? b.an : b.a, j, n);
      square = fma(an, an, square);
    }
  });
  out[0] = sum(along);
  out[1] = sum(square);
}

// out: |c - origin|^2, and the largest magnitude of an entry of c - origin.
void esp_measure(const double* c, const double* origin, size_t d, double* out) {
  V square = zero(), largest = zero();
  sweep(d, [&](size_t j, auto at) {
    const V x = at.load(c + j) - at.load(origin + j);
    square = fma(x, x, square);
    largest = max(largest, abs(x));
  });
  double lanes[W];
  store(lanes, largest);
  out[0] = sum(square);
  out[1] = 0;
  for (size_t r = 0; r < W; ++r) out[1] = lanes[r] > out[1] ? lanes[r] : out[1];
}
