/** The paper's experiment on the digits in test/fixtures: iterations to the first separator, over 20 draws. */
import { describe, expect, it } from 'vitest';
import { draw, ellipsoids, random, readFixture, spread } from '../../bench/digits.js';
import { separateEllipsoids, type EspOptions, type Separation } from '../../lib/index.js';
import { violation } from '../support/ellipsoids.js';

const { zeros, ones } = readFixture();

function draws(n: number, m: number, options: EspOptions, count = 20): Separation[] {
  return Array.from({ length: count }, (_, k) => {
    const next = random(k + 1);
    return separateEllipsoids(ellipsoids(draw(zeros, n, next)), ellipsoids(draw(ones, m, next)), options);
  });
}

const iterations = (list: Separation[]) => spread(list.map((s) => (expect(s.status).toBe('separated'), s.iterations)));

describe('separateEllipsoids(zeros, ones)', () => {
  it.each([[1, 1], [5, 5], [10, 10], [25, 25], [50, 50], [75, 75], [100, 100], [125, 125], [5, 25], [25, 5], [10, 100], [100, 10], [1, 125], [125, 1]])('separates %d zeros from %d ones in a median of one iteration', (n, m) => {
    const { median, max } = iterations(draws(n, m, {}));
    expect(median).toBe(1);
    expect(max).toBeLessThanOrEqual(15);
  }); // prettier-ignore

  // Around the medians of independent prototypes of the paper's algorithm (method 4.3, 5); balanced draws vary more: from their min to
  // their max.
  it.each([[1, 1, 1, 1], [5, 5, 1, 2], [10, 10, 1, 2], [25, 25, 1, 9], [50, 50, 1, 15], [75, 75, 2, 18], [100, 100, 2, 39], [125, 125, 2, 44], [5, 25, 4, 6], [25, 5, 5, 7], [10, 100, 8, 10], [100, 10, 9, 11], [1, 125, 22, 24], [125, 1, 33, 35]])("takes as many iterations as the prototypes with test: 'paper', stepSize: 'paper': %d zeros, %d ones", (n, m, min, max) => {
    const { median } = iterations(draws(n, m, { test: 'paper', stepSize: 'paper' }));
    expect(median).toBeGreaterThanOrEqual(min);
    expect(median).toBeLessThanOrEqual(max);
  }); // prettier-ignore

  it("with goal: 'converged' takes at most 210 iterations for 25 + 25 images, and 280 for 125 + 125", () => {
    expect(iterations(draws(25, 25, { goal: 'converged' })).median).toBeLessThanOrEqual(210);
    expect(iterations(draws(125, 125, { goal: 'converged' }, 1)).median).toBeLessThanOrEqual(280);
  });

  it("with goal: 'widest' closes the bracket to 1e-4 within 256 iterations for 25 + 25 images", () => {
    const all = draws(25, 25, { goal: 'widest' });
    expect(iterations(all).max).toBeLessThanOrEqual(256);
    for (const s of all) {
      expect(s.status === 'separated' && s.goalReached).toBe(true);
      expect(s.distance.lower / s.distance.upper).toBeGreaterThanOrEqual(1 - 1e-4);
    }
  });

  it('gives a plane that separates in double-double arithmetic, on both backends', () => {
    const list = (images: Uint8Array[]) => {
      const { centers, shapes } = ellipsoids(images);
      return images.map((_, i) => ({
        center: centers.data.slice(784 * i, 784 * (i + 1)),
        shape: shapes.data.slice(784 * i, 784 * (i + 1)),
      }));
    };
    for (const backend of ['auto', 'js'] as const) {
      const s = separateEllipsoids(list(zeros), list(ones), { backend });
      expect(s.status === 'separated' && violation(list(zeros), list(ones), s.normal, s.offset)).toBeLessThan(0);
    }
  });
});
