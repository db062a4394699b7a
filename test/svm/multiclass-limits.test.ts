/** Limits of a fit of several classes whose planes take more than one run each, to reach an agreement of labels. */
import { describe, expect, test } from 'vitest';
import { LinearSvm } from '../../lib/svm/linear-svm.js';
import { stop } from '../../lib/svm/stopping.js';
import type { StopRule, SvmOptions } from '../../lib/types.js';
import { names } from '../support/backends.js';
import { normal, random } from '../support/random.js';

const next = random(3);
const labels = Array.from({ length: 300 }, (_, i) => i % 4);
const centres = Array.from({ length: 4 }, () => Array.from({ length: 3 }, () => normal(next)));
const points = labels.map((label) => centres[label]!.map((c) => c + 0.8 * normal(next)));

describe.each(names)('a fit of several classes, %s backend', (backend) => {
  const options = { backend, multiclass: 'pairs', stop: stop.agreement(0.97) } satisfies SvmOptions<number>;

  test('keeps the planes of the first runs if the time is up before the first check of the others', () => {
    const { info } = LinearSvm.fit(points, labels, options);
    let slept = 0;
    const late = LinearSvm.fit(points, labels, {
      ...options,
      timeLimit: 2000,
      // The last plane's last check: what follows are the second runs.
      onProgress: ({ agreed, rows, plane }) => {
        if (slept > 0 || plane!.done < plane!.total - 1 || agreed < 0.97 * rows) return;
        const end = performance.now() + 2100;
        while (performance.now() < end) slept++;
      },
    });
    expect(slept).toBeGreaterThan(0);
    expect(info.status).toBe('agreement');
    expect(late.info.status).toBe('time-limit');
    expect(late.info.agreed).toBeGreaterThan(0);
    expect(late.score(points, labels).accuracy).toBeGreaterThan(0.8);
    for (const { weights } of late.planes) expect(Math.hypot(...weights)).toBeGreaterThan(0.1);
  });

  test('counts the iterations of all runs of a plane', () => {
    for (const maxIterations of [1, 2, 3, 5, 7, 9, 12, 20]) {
      const { info } = LinearSvm.fit(points, labels, { ...options, stop: stop.agreement(1), maxIterations });
      for (const { iterations } of info.planes!) expect(iterations).toBeLessThanOrEqual(maxIterations);
      expect(info.agreed === info.rows).toBe(info.status === 'agreement');
    }
  });
});

describe('a fit of several classes with a rule of the caller', () => {
  /** Ends each plane at its first check. */
  const atOnce: StopRule = { name: 'agreement', everyIteration: false, start: () => () => 'agreement' };

  test('ends planes by themselves if the rule has no `holds`', () => {
    const { info } = LinearSvm.fit(points, labels, { stop: atOnce });
    const { info: gap } = LinearSvm.fit(points, labels, { stop: stop.gap(1e-3) });
    expect(info.status).toBe('agreement');
    expect(info.iterations).toBeLessThan(gap.iterations);
  });

  test('keeps what is certified of labels if the time is up and no plane has changed since', () => {
    const [classes, cols, timeLimit] = [64, 400, 4000]; // so large that labels are not certified again when the time is up
    const many = Array.from({ length: 6 * classes }, (_, i) => i % classes);
    const rows = many.map((label) => Array.from({ length: cols }, (_, j) => (j === label ? 50 : 0) + normal(next)));
    let [asked, found] = [0, 0];
    const slow: StopRule = {
      ...atOnce,
      start: () => (check) => (check.relativeGap <= 1e-4 ? 'agreement' : undefined),
      holds({ agreed, elapsed }) {
        if (++asked <= classes) return true; // for each plane
        found = agreed;
        const end = performance.now() + timeLimit - elapsed;
        while (performance.now() <= end);
        return false;
      },
    };
    const { info } = LinearSvm.fit(rows, many, { multiclass: 'rest', scale: 'none', stop: slow, timeLimit });
    expect(info.status).toBe('time-limit');
    expect(found).toBeGreaterThan(0);
    expect(info.agreed).toBe(found);
  });
});
