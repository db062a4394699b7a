import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LinearSvm, type SvmOptions } from '../../lib/index.js';
import { sidesOf } from '../../lib/svm/model.js';
import { Probabilities } from '../../lib/svm/probability.js';
import { names } from '../support/backends.js';
import { normal, random } from '../support/random.js';
import { refusal } from '../support/refusal.js';

/** Calibrated so that a plane's value v has probability 1 / (1 + exp(-v)). */
const plain = { kind: 'sigmoid', a: -1, b: 0 } as const;
const logit = (p: number) => Math.log(p / (1 - p));

/** The probabilities of classes, from those of planes. */
function probabilities(classes: number, way: 'pairs' | 'rest', planes: readonly number[]): Float64Array {
  const sides = sidesOf(classes, way);
  const out = new Float64Array(classes);
  const all = new Probabilities(
    sides,
    sides.map(() => plain),
    classes,
  );
  all.write(Float64Array.from(planes, logit), 1, out);
  return out;
}

describe('Probabilities', () => {
  it("are the plane's and its complement, of two classes", () => {
    expect(Array.from(probabilities(2, 'pairs', [0.8]))).toEqual([expect.closeTo(0.2, 12), expect.closeTo(0.8, 12)]);
  });

  it('are those of planes against the rest, divided by their sum, and equal where all are 0', () => {
    const [a, b, c] = probabilities(3, 'rest', [0.2, 0.6, 0.4]);
    expect([a, b, c]).toEqual([expect.closeTo(1 / 6, 12), expect.closeTo(1 / 2, 12), expect.closeTo(1 / 3, 12)]);
    const steps = { kind: 'isotonic', values: Float64Array.of(0), probabilities: Float64Array.of(0) } as const;
    const out = new Float64Array(3);
    new Probabilities(sidesOf(3, 'rest'), [steps, steps, steps], 3).write(new Float64Array(3), 1, out);
    expect([...out]).toEqual([1 / 3, 1 / 3, 1 / 3]);
  });

  it('give back p where pairs agree: r_ij = p_i / (p_i + p_j)', () => {
    const p = [0.1, 0.2, 0.3, 0.4];
    const pairs = sidesOf(4, 'pairs').map(({ positive, negative }) => p[positive]! / (p[positive]! + p[negative!]!));
    probabilities(4, 'pairs', pairs).forEach((found, c) => expect(found).toBeCloseTo(p[c]!, 10));
  });

  it('are the least of the sum of squares (r_ji p_i - r_ij p_j)² with Σp = 1, however much pairs disagree', () => {
    const one = fc.double({ min: 0.001, max: 0.999, noNaN: true });
    const any = fc.integer({ min: 3, max: 7 }).chain((classes) => {
      const count = (classes * (classes - 1)) / 2;
      return fc.tuple(fc.constant(classes), fc.array(one, { minLength: count, maxLength: count }));
    });
    fc.assert(
      fc.property(any, ([classes, pairs]) => {
        const p = probabilities(classes, 'pairs', pairs);
        expect(p.every((x) => x >= 0)).toBe(true);
        expect(p.reduce((sum, x) => sum + x, 0)).toBeCloseTo(1, 12);
        // All derivatives are equal there.
        const slopes = new Float64Array(classes);
        sidesOf(classes, 'pairs').forEach(({ positive: i, negative }, k) => {
          const [j, r] = [negative!, pairs[k]!];
          const off = (1 - r) * p[i]! - r * p[j]!;
          slopes[i]! += (1 - r) * off;
          slopes[j]! -= r * off;
        });
        expect(Math.max(...slopes) - Math.min(...slopes)).toBeLessThan(1e-10);
      }),
    );
  });

  it('stay numbers where pairs are certain', () => {
    const p = probabilities(
      4,
      'pairs',
      [1, 1, 1, 1, 1, 1].map((x, k) => (k % 2 ? x - 1e-16 : 1e-300)),
    );
    expect(p.every((x) => x >= 0 && x <= 1)).toBe(true);
    expect(p.reduce((sum, x) => sum + x, 0)).toBeCloseTo(1, 12);
  });
});

/** Normal clouds, class c around 2 on axis c. */
function clouds(seed: number, n: number, classes: number, cols = classes) {
  const next = random(seed);
  const numbers = Array.from({ length: n }, (_, i) => i % classes);
  const points = numbers.map((c) => Array.from({ length: cols }, (_, j) => normal(next) + (j === c ? 2 : 0)));
  return { points, labels: numbers };
}

describe.each(names)('LinearSvm.fit(points, labels, { probability }), %s backend', (backend) => {
  const cases = [
    ['two classes', 2, undefined],
    ['pairs', 4, 'pairs'],
    ['the rest', 4, 'rest'],
  ] as const;

  it.each(cases)('estimates how often labels are right, of %s', (_, classes, multiclass) => {
    const { points, labels } = clouds(1, 2000, classes);
    const other = clouds(2, 4000, classes);
    for (const probability of ['sigmoid', 'isotonic'] as const) {
      const model = LinearSvm.fit(points, labels, { backend, probability, ...(multiclass && { multiclass }) });
      expect(model.calibration).toBe(probability);
      const p = model.probability(other.points);
      expect(p.length).toBe(4000 * classes);
      // By class, where about a fraction is promised about that fraction is found.
      for (let c = 0; c < classes; c++) {
        const bins = Array.from({ length: 5 }, () => ({ promised: 0, found: 0, count: 0 }));
        other.labels.forEach((label, i) => {
          const bin = bins[Math.min(4, Math.floor(5 * p[i * classes + c]!))]!;
          bin.promised += p[i * classes + c]!;
          bin.found += Number(label === c);
          bin.count++;
        });
        for (const { promised, found, count } of bins) {
          if (count > 200) expect(Math.abs(promised - found) / count).toBeLessThan(0.15);
        }
      }
      for (let i = 0; i < 100; i++) {
        const row = p.subarray(i * classes, (i + 1) * classes);
        expect(row.reduce((sum, x) => sum + x, 0)).toBeCloseTo(1, 12);
      }
    }
  });

  it.each(cases)(
    'changes nothing else, and does not depend on threads or on the event loop, of %s',
    async (_, classes, multiclass) => {
      const { points, labels } = clouds(3, 300, classes);
      const options: SvmOptions<number> = { backend, ...(multiclass && { multiclass }) };
      const without = LinearSvm.fit(points, labels, options);
      const all = [
        LinearSvm.fit(points, labels, { ...options, probability: 'sigmoid' }),
        LinearSvm.fit(points, labels, { ...options, probability: 'sigmoid', threads: 1 }),
        await LinearSvm.fitAsync(points, labels, { ...options, probability: 'sigmoid', threads: 3 }),
      ];
      for (const model of all) {
        expect(model.planes).toEqual(without.planes);
        expect(model.probability(points)).toEqual(all[0]!.probability(points));
      }
    },
  );

  it('learns from rows held out: values of rows learnt from would promise too much', () => {
    const next = random(5);
    const points = Array.from({ length: 60 }, () => Array.from({ length: 100 }, () => normal(next)));
    const labels = points.map((_, i) => i % 2); // of which the points say nothing
    const model = LinearSvm.fit(points, labels, { backend, probability: 'sigmoid', gamma: 10 });
    expect(model.score(points, labels).accuracy).toBe(1);
    for (const p of model.probability(points)) expect(Math.abs(p - 0.5)).toBeLessThan(0.35);
  });

  it('leaves out rows of weight 0', () => {
    const { points, labels } = clouds(6, 200, 2);
    const more = [...points, [50, -50], [-50, 50]];
    const zero = Array.from(more, (_, i) => Number(i < 200));
    const one = LinearSvm.fit(points, labels, { backend, probability: 'sigmoid' });
    const other = LinearSvm.fit(more, [...labels, 1, 0], { backend, probability: 'sigmoid', sampleWeight: zero });
    const p = one.probability(points);
    other.probability(points).forEach((q, i) => expect(q).toBeCloseTo(p[i]!, 3));
  });

  it('has no probabilities if the time was up, and says so', () => {
    const { points, labels } = clouds(7, 200, 2);
    const model = LinearSvm.fit(points, labels, {
      backend,
      probability: 'sigmoid',
      timeLimit: 50,
      onProgress: ({ elapsed }) => {
        const end = performance.now() + 60 - elapsed;
        while (performance.now() < end);
      },
    });
    expect([model.info.status, model.calibration]).toEqual(['time-limit', undefined]);
    expect(refusal(() => model.probability(points))).toContain('Expected a model trained with the option probability');
  });

  it('ends when it is aborted', async () => {
    const { points, labels } = clouds(8, 200, 2);
    const controller = new AbortController();
    const fit = LinearSvm.fitAsync(points, labels, { backend, probability: 'sigmoid', signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(fit).rejects.toThrow('enough');
  });
});

describe('model.probability(points)', () => {
  const { points, labels } = clouds(9, 200, 3);
  const model = LinearSvm.fit(points, labels, { probability: 'sigmoid' });

  it('writes into an array if there is one', () => {
    const out = new Float64Array(600);
    expect(model.probability(points, out)).toBe(out);
    expect(out).toEqual(model.probability(points));
    expect(refusal(() => model.probability(points, new Float64Array(200)))).toBe(
      'RangeError [ERR_OPTION]: Expected 600 numbers for out, one for each row of points and class, but received 200',
    );
  });

  it('is of no rows for no points', () => {
    expect(model.probability([])).toEqual(new Float64Array(0));
  });

  it('is refused of a model without', () => {
    const without = LinearSvm.fit(points, labels);
    expect(without.calibration).toBe(undefined);
    expect(refusal(() => without.probability(points))).toBe(
      'TypeError [ERR_MODEL]: Expected a model trained with the option probability for model.probability but this one has none',
    );
  });

  it('is the same of a model that was stored', () => {
    for (const probability of ['sigmoid', 'isotonic'] as const) {
      for (const multiclass of ['pairs', 'rest'] as const) {
        const fitted = LinearSvm.fit(points, labels, { probability, multiclass });
        const read = LinearSvm.fromJSON(JSON.parse(JSON.stringify(fitted)));
        expect(read.calibration).toBe(probability);
        expect(read.probability(points)).toEqual(fitted.probability(points));
      }
    }
    const two = labels.map((label) => Math.min(label, 1));
    const fitted = LinearSvm.fit(points, two, { probability: 'sigmoid' });
    expect(LinearSvm.fromJSON(JSON.parse(JSON.stringify(fitted))).probability(points)).toEqual(fitted.probability(points));
  });
});

describe('LinearSvm.fit(points, labels, { probability }) of bad input', () => {
  const { points, labels } = clouds(10, 40, 2);
  it.each<[string, () => unknown, string]>([
    [
      'another word',
      () => LinearSvm.fit(points, labels, { probability: true as never }),
      "TypeError [ERR_OPTION]: Expected 'sigmoid' or 'isotonic' for options.probability but received true",
    ],
    [
      'a class too small for the folds',
      () => LinearSvm.fit(points.slice(0, 10), [0, 0, 0, 0, 1, 1, 1, 1, 1, 1], { probability: 'sigmoid' }),
      'RangeError [ERR_LABELS]: Expected at least 5 rows of class 0, one for each fold of options.probability, but received 4',
    ],
    [
      'points that are all the same',
      () =>
        LinearSvm.fit(
          Array.from({ length: 53 }, () => [1, 2]),
          Array.from({ length: 53 }, (_, i) => Number(i % 5 === 0)),
          { probability: 'sigmoid' },
        ),
      "RangeError [ERR_POINTS]: Expected points that tell the classes apart for probability: 'sigmoid' but the decision values of all rows held out are equal",
    ],
  ])('refuses %s', (_, call, error) => {
    expect(refusal(call)).toBe(error);
  });
});
