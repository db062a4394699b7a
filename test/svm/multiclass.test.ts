import { describe, expect, it } from 'vitest';
import { crossValidate, LinearSvm, stop, type Points, type SvmOptions, type SvmProgress } from '../../lib/index.js';
import { names } from '../support/backends.js';
import { normal, random } from '../support/random.js';
import { refusal } from '../support/refusal.js';
import { dense, sparse } from '../support/svm-data.js';

/** Normal clouds around the corners of a regular polygon, more or less far apart. */
function rings(seed: number, n: number, classes: number, apart: number, d = 4) {
  const next = random(seed);
  const numbers = Array.from({ length: n }, (_, i) => i % classes);
  const rows = numbers.map((c) =>
    Array.from({ length: d }, (_, j) => {
      const angle = (2 * Math.PI * c) / classes;
      return normal(next) + (j === 0 ? apart * Math.cos(angle) : j === 1 ? apart * Math.sin(angle) : 0);
    }),
  );
  return { rows, labels: numbers.map((c) => ['ant', 'bee', 'cow', 'dog', 'eel', 'fox'][c]!), numbers };
}

// Large enough for planes to be trained side by side by a synchronous fit.
describe('LinearSvm.fit(points, labels) of several large planes', () => {
  const { rows, labels } = rings(7, 3000, 4, 3, 50);
  const large = rows.map((row) => row.map((x) => 1e200 * x));

  it.each(['rest', 'pairs'] as const)('is the same by one thread, by two, and by fitAsync: %s', async (multiclass) => {
    // Two copies of each row, as a pair has half of them.
    const [points, given] =
      multiclass === 'rest'
        ? [rows, labels]
        : [
            [...rows, ...rows],
            [...labels, ...labels],
          ];
    const options = { multiclass, stop: stop.gap(1e-2) };
    const one = LinearSvm.fit(points, given, { ...options, threads: 1 });
    const others = [LinearSvm.fit(points, given, { ...options, threads: 2 }), await LinearSvm.fitAsync(points, given, options)];
    for (const model of others) {
      expect(model.planes).toEqual(one.planes);
      expect(model.info.agreed).toBe(one.info.agreed);
      expect(model.info.passes).toBe(one.info.passes);
    }
  });

  it('throws the error of a plane, and goes on with the next fit', () => {
    expect(() => LinearSvm.fit(large, labels, { multiclass: 'rest', scale: 'none', threads: 2 })).toThrow(/overflow/);
    expect(LinearSvm.fit(rows, labels, { multiclass: 'rest', threads: 2, stop: stop.gap(0.1) }).info.status).toBe('gap');
  });

  it('ends at its time limit, and when a signal is aborted before', () => {
    const { info } = LinearSvm.fit(rows, labels, { multiclass: 'rest', threads: 2, timeLimit: 1, stop: stop.gap(1e-12) });
    expect(info.status).toBe('time-limit');
    const signal = AbortSignal.abort(new Error('enough'));
    expect(() => LinearSvm.fit(rows, labels, { multiclass: 'rest', threads: 2, signal })).toThrow('enough');
  });
});

describe.each(names)('LinearSvm.fit(points, labels) of three labels or more, %s backend', (backend) => {
  const { rows, labels, numbers } = rings(1, 240, 3, 4);
  const fit = <L extends string | number>(points: Points, given: ArrayLike<L>, options?: SvmOptions<L>) =>
    LinearSvm.fit<L>(points, given, { backend, ...options });

  it('has all labels, ascending, and a plane a pair or a class', () => {
    const pairs = fit(rows, labels, { multiclass: 'pairs' });
    expect(pairs.labels).toEqual(['ant', 'bee', 'cow']);
    expect(pairs.planes.map(({ positive, negative }) => [negative, positive])).toEqual([
      ['ant', 'bee'],
      ['ant', 'cow'],
      ['bee', 'cow'],
    ]);
    const rest = fit(rows, labels, { multiclass: 'rest' });
    expect(rest.planes.map(({ positive, negative }) => [negative, positive])).toEqual([
      [undefined, 'ant'],
      [undefined, 'bee'],
      [undefined, 'cow'],
    ]);
    for (const model of [pairs, rest]) {
      expect(model.isBinary()).toBe(false);
      expect(refusal(() => model.weights)).toBe(
        'TypeError [ERR_MODEL]: Expected a model of two classes for model.weights but it has 3; model.planes has the weights of each plane',
      );
      expect(refusal(() => model.bias)).toMatch(/ERR_MODEL/);
      expect(model.score(rows, labels).accuracy).toBeGreaterThan(0.95);
    }
  });

  it('keeps two labels as they are', () => {
    const two = fit(
      rows,
      numbers.map((c) => (c === 0 ? 'a' : 'b')),
    );
    expect(two.isBinary()).toBe(true);
    expect(two.planes).toHaveLength(1);
    expect(two.planes[0]).toEqual({ positive: 'b', negative: 'a', weights: two.weights, bias: two.bias });
    expect(two.info.planes).toBeUndefined();
    expect(Object.keys(two)).toContain('weights');
  });

  it.each(['dense', 'f32', 'sparse'] as const)('trains each plane as a fit of its two sides would, %s', (form) => {
    const make = form === 'sparse' ? sparse : (list: number[][]) => dense(list, form === 'f32' ? Float32Array : Float64Array);
    const common = { gamma: 0.3, scale: 'none', stop: stop.gap(1e-9) } as const;
    const pairs = fit(make(rows), labels, { ...common, multiclass: 'pairs' });
    for (const { positive, negative, weights, bias } of pairs.planes) {
      const some = labels.flatMap((label, i) => (label === positive || label === negative ? [i] : []));
      const alone = fit(
        make(some.map((i) => rows[i]!)),
        some.map((i) => labels[i]!),
        common,
      );
      weights.forEach((w, j) => expect(w).toBeCloseTo(alone.weights[j]!, 4));
      expect(bias).toBeCloseTo(alone.bias, 4);
    }
    const rest = fit(make(rows), labels, { ...common, multiclass: 'rest' });
    for (const { positive, weights, bias } of rest.planes) {
      const alone = fit(
        make(rows),
        labels.map((label) => Number(label === positive)),
        common,
      );
      weights.forEach((w, j) => expect(w).toBeCloseTo(alone.weights[j]!, 4));
      expect(bias).toBeCloseTo(alone.bias, 4);
    }
  });

  it('decides by votes, or by the largest value; predict and predictOne are its argmax', () => {
    for (const multiclass of ['pairs', 'rest'] as const) {
      const model = fit(rows, labels, { multiclass });
      const values = model.decision(rows);
      expect(values).toHaveLength(3 * rows.length);
      const out = new Float64Array(3 * rows.length);
      expect(model.decision(rows, out)).toBe(out);
      expect(out).toEqual(values);
      const predicted = model.predict(rows);
      rows.forEach((row, i) => {
        const byPlane = model.planes.map(({ weights, bias }) => weights.reduce((sum, w, j) => sum + w * row[j]!, bias));
        const own = Array.from(values.subarray(3 * i, 3 * i + 3));
        expect(predicted[i]).toBe(model.labels[own.indexOf(Math.max(...own))]);
        expect(model.predictOne(row)).toBe(predicted[i]);
        model.labels.forEach((label, c) => {
          if (multiclass === 'rest') {
            expect(own[c]).toBeCloseTo(byPlane[c]!, 10);
            return;
          }
          let [votes, sum] = [0, 0];
          model.planes.forEach(({ positive, negative }, p) => {
            if (label !== positive && label !== negative) return;
            const towards = label === positive ? byPlane[p]! : -byPlane[p]!;
            votes += Number(label === positive ? byPlane[p]! > 0 : !(byPlane[p]! > 0));
            sum += towards;
          });
          expect(own[c]).toBeCloseTo(votes + sum / (3 * (Math.abs(sum) + 1)), 10);
        });
      });
    }
  });

  it('chooses pairs where columns are fewer than the rows of an average pair, else the rest', () => {
    expect(fit(rows, labels).planes[0]).toHaveProperty('negative');
    const wide = rings(2, 30, 3, 4, 25);
    expect(fit(wide.rows, wide.labels).planes[0]).not.toHaveProperty('negative');
  });

  it('is the same by fitAsync, and for any number of threads', async () => {
    for (const multiclass of ['pairs', 'rest'] as const) {
      const models = [
        fit(rows, labels, { multiclass, threads: 1 }),
        fit(rows, labels, { multiclass, threads: 2 }),
        await LinearSvm.fitAsync(rows, labels, { multiclass, backend, threads: 2 }),
        await LinearSvm.fitAsync(rows, labels, { multiclass, backend, threads: 1 }),
      ];
      for (const model of models) {
        expect(model.planes).toEqual(models[0]!.planes);
        expect({ ...model.info, elapsed: 0, threads: 0, planes: 0 }).toEqual({
          ...models[0]!.info,
          elapsed: 0,
          threads: 0,
          planes: 0,
        });
      }
    }
  });

  it('goes on until the asked share of labels is agreed, with the planes in the way', () => {
    const hard = rings(3, 300, 4, 1.5);
    for (const multiclass of ['pairs', 'rest'] as const) {
      const { info } = fit(hard.rows, hard.labels, { multiclass, stop: stop.agreement(0.9) });
      expect(info.status).toBe('agreement');
      expect(info.agreed).toBeGreaterThanOrEqual(0.9 * 300);
      expect(info.shares.agreed).toBe(info.agreed / 300);
      const loose = fit(hard.rows, hard.labels, { multiclass, stop: stop.gap(0.1) }).info;
      expect(loose.status).toBe('gap');
      expect(loose.agreed).toBeLessThan(info.agreed);
      expect(loose.planes!.every(({ relativeGap }) => relativeGap <= 0.1)).toBe(true);
      expect(loose.relativeGap).toBe(Math.max(...loose.planes!.map(({ relativeGap }) => relativeGap)));
      // Not within reach: then every plane has the gap.
      const both = fit(hard.rows, hard.labels, { multiclass, stop: [stop.agreement(1), stop.gap(1e-3)] }).info;
      expect(both.status).toBe('gap');
      expect(both.relativeGap).toBeLessThanOrEqual(1e-3);
    }
  });

  it('adds up what its planes say', () => {
    const { info } = fit(rows, labels, { multiclass: 'pairs', stop: stop.gap(1e-3), keepSets: true });
    const planes = info.planes!;
    expect(planes.map(({ rows: n }) => n)).toEqual([160, 160, 160]);
    expect(info.rows).toBe(240);
    expect(info.primal).toBeCloseTo(
      planes.reduce((sum, { primal }) => sum + primal, 0),
      9,
    );
    expect(info.dual).toBeLessThanOrEqual(info.primal);
    expect(info.zero).toBe(planes.reduce((sum, { zero }) => sum + zero, 0));
    expect(info.stages.reduce((sum, { passes }) => sum + passes, 0)).toBeLessThanOrEqual(info.passes * (1 + 1e-9));
    expect(info.iterations).toBe(planes.reduce((sum, { iterations }) => sum + iterations, 0));
    expect(planes[1]).toMatchObject({ positive: 'cow', negative: 'ant', gamma: info.gamma, mu: info.mu });
    expect(planes[1]!.sets!.zero.every((i) => labels[i] !== 'bee')).toBe(true);
  });

  it('certifies labels of training rows and of new points', () => {
    for (const multiclass of ['pairs', 'rest'] as const) {
      const { rows: far, labels: names } = rings(5, 90, 3, 30);
      const model = fit(far, names, { multiclass, stop: stop.gap(1e-6) });
      const certain = model.certify(far);
      expect(certain).toHaveLength(90);
      expect(certain.filter(Boolean).length).toBe(model.info.agreed);
      expect(model.info.agreed).toBe(90);
      expect(fit(far, names, { multiclass, stop: stop.gap(0.5) }).certify([[0, 0, 0, 0]])).toEqual([false]);
      expect(model.certify([])).toEqual([]);
      expect(model.certify(sparse(far))).toEqual(certain);
    }
    const two = fit(
      rows,
      numbers.map((c) => Number(c > 0)),
      { stop: stop.gap(1e-6) },
    );
    const certain = two.certify(rows);
    expect(certain.filter(Boolean).length).toBeGreaterThan(0.9 * two.info.agreed);
    // On the plane itself nothing is certain.
    const { weights, bias } = two;
    const on = Array.from(weights, (w) => (-bias * w) / weights.reduce((sum, x) => sum + x * x, 0));
    expect(two.certify([on])).toEqual([false]);
  });

  it('certifies points whatever they have in a column that was 0 in all rows', () => {
    const wide = rows.map((row) => [...row, 0, 0]);
    const still = numbers.map((_, i) => Number(i % 4 > 0 || i < 12)); // in rows of weight 0 the last column is not 0
    const idle = wide.map((row, i) => [...row.slice(0, -1), still[i] === 0 ? 3 : 0]);
    for (const multiclass of ['pairs', 'rest'] as const) {
      for (const scale of ['none', 'standard', 'maxabs'] as const) {
        for (const form of [(list: number[][]) => list, sparse]) {
          const options = { multiclass, scale, stop: stop.gap(1e-6) };
          const model = fit(form(wide), labels, options);
          const expected = model.certify(form(wide));
          expect(expected.filter(Boolean).length).toBe(model.info.agreed);
          expect(model.info.agreed).toBeGreaterThan(200);
          for (const size of [1, 255, -1e6]) {
            const points = form(rows.map((row) => [...row, size, size / 3]));
            expect(model.certify(points)).toEqual(expected);
            const read = LinearSvm.fromJSON(JSON.parse(JSON.stringify(model.toJSON({ proofs: true }))));
            expect(read.certify(points)).toEqual(expected);
          }
          // A start from elsewhere leaves nothing in these columns.
          const planes = model.planes.map((plane) => ({ ...plane, weights: plane.weights.map((w) => w || 3) }));
          for (const method of ['newton', 'fista', 'auto'] as const) {
            const warm = fit(form(wide), labels, { ...options, method, warmStart: { planes } });
            expect(warm.planes.every(({ weights }) => weights[4] === 0 && weights[5] === 0)).toBe(true);
            expect(warm.certify(form(rows.map((row) => [...row, 255, 1e6])))).toEqual(warm.certify(form(wide)));
          }
          // Only sparse rows still show that a column was 0 in all rows that take part: dense ones are stored minus their mean.
          const some = fit(form(idle), labels, { ...options, sampleWeight: still });
          const certain = (size: number) => some.certify(form(rows.map((row) => [...row, 0, size]))).filter(Boolean).length;
          if (form === sparse) expect(certain(1e6)).toBe(certain(0));
          else expect(certain(1e12)).toBe(0);
        }
      }
    }
  });

  it('takes weights: three copies of a row are a row of weight 3, and a class weight is one for all its rows', () => {
    for (const multiclass of ['pairs', 'rest'] as const) {
      const common = { multiclass, gamma: 0.2, stop: stop.gap(1e-10), scale: 'none' } as const;
      const copies = [0, 1, 2, 0, 0, 2, 2];
      const weighted = fit(rows, labels, {
        ...common,
        sampleWeight: labels.map((_, i) => (copies.includes(i) ? copies.filter((k) => k === i).length + 1 : 1)),
      });
      const copied = fit([...rows, ...copies.map((i) => rows[i]!)], [...labels, ...copies.map((i) => labels[i]!)], common);
      const byClass = fit(rows, labels, { ...common, classWeight: { ant: 2, cow: 0.5 } });
      const byRow = fit(rows, labels, { ...common, sampleWeight: labels.map((label) => ({ ant: 2, bee: 1, cow: 0.5 })[label]!) });
      for (const [a, b] of [
        [weighted, copied],
        [byClass, byRow],
      ] as const) {
        a.planes.forEach(({ weights, bias }, p) => {
          weights.forEach((w, j) => expect(w).toBeCloseTo(b.planes[p]!.weights[j]!, 4));
          expect(bias).toBeCloseTo(b.planes[p]!.bias, 4);
        });
      }
    }
    // Labels that are numbers are keys too, and balanced gives classes the same weight.
    const few = numbers.map((c, i) => (c === 2 && i > 60 ? 1 : c));
    expect(fit(rows, few, { classWeight: 'balanced' }).labels).toEqual([0, 1, 2]);
    expect(fit(rows, few, { classWeight: { 2: 5 } }).labels).toEqual([0, 1, 2]);
  });

  it('starts from a model with the same planes', () => {
    for (const multiclass of ['pairs', 'rest'] as const) {
      const options = { multiclass, stop: stop.gap(1e-6) } as const;
      const model = fit(rows, labels, options);
      const again = fit(rows, labels, { ...options, warmStart: model });
      expect(again.info.status).toBe('gap');
      expect(again.info.iterations).toBeLessThan(model.info.iterations);
      expect(refusal(() => fit(rows, numbers, { ...options, warmStart: model }))).toMatch(
        /RangeError \[ERR_OPTION\]: Expected .* for options\.warmStart\.planes\[0\]\.positive, as in labels, but received "/,
      );
    }
    const two = fit(
      rows,
      numbers.map((c) => Number(c > 0)),
    );
    expect(refusal(() => fit(rows, labels, { multiclass: 'pairs', warmStart: two }))).toMatch(
      /TypeError \[ERR_OPTION\]: Expected a model with 3 planes for options\.warmStart but received /,
    );
  });

  it('tells which plane progress is about', () => {
    const seen: SvmProgress[] = [];
    fit(rows, labels, { multiclass: 'rest', stop: stop.gap(1e-4), onProgress: (progress) => seen.push(progress) });
    expect(new Set(seen.map(({ plane }) => plane!.positive))).toEqual(new Set(['ant', 'bee', 'cow']));
    expect(seen.every(({ plane }) => plane!.total === 3 && plane!.done < 3 && plane!.negative === undefined)).toBe(true);
    expect(seen.at(-1)!.plane!.done).toBe(2);
  });

  it('ends with the error of onProgress, the reason of a signal, or at the time limit', async () => {
    const thrown = new Error('enough');
    const onProgress = () => {
      throw thrown;
    };
    expect(() => fit(rows, labels, { onProgress })).toThrow(thrown);
    await expect(LinearSvm.fitAsync(rows, labels, { backend, onProgress })).rejects.toBe(thrown);
    const signal = AbortSignal.abort('no');
    expect(() => fit(rows, labels, { signal })).toThrow('no');
    await expect(LinearSvm.fitAsync(rows, labels, { backend, signal })).rejects.toBe('no');
    const late = fit(rows, labels, { timeLimit: 1e-9, stop: stop.gap(1e-12) });
    expect(late.info.status).toBe('time-limit');
    expect(late.planes).toHaveLength(3);
    expect(late.predict(rows)).toHaveLength(240);
    expect(late.certify(rows)).toEqual(rows.map(() => false));
    expect(fit(rows, labels, { maxIterations: 1, stop: stop.gap(1e-12) }).info.status).toBe('max-iterations');
  });

  it("cross-validates labels, and chooses gamma: 'auto'", async () => {
    const hard = rings(7, 150, 3, 2);
    for (const multiclass of ['pairs', 'rest'] as const) {
      const options = { multiclass, folds: 3, gammas: [0.01, 0.1, 1], backend } as const;
      const result = await crossValidate(hard.rows, hard.labels, options);
      expect(result.table).toHaveLength(3);
      expect(result.best.mean).toBeGreaterThan(0.6);
      const single = await crossValidate(hard.rows, hard.labels, { ...options, threads: 1 });
      expect(single.table).toEqual(result.table);
      const balanced = await crossValidate(hard.rows, hard.labels, { ...options, accuracy: 'balanced' });
      expect(balanced.best.mean).toBeGreaterThan(0.6);
      // By hand, for the first fold and gamma.
      const kept = hard.rows.flatMap((_, i) => (result.fold[i] === 0 ? [] : [i]));
      const held = hard.rows.flatMap((_, i) => (result.fold[i] === 0 ? [i] : []));
      const model = fit(
        kept.map((i) => hard.rows[i]!),
        kept.map((i) => hard.labels[i]!),
        { multiclass, gamma: 0.01, stop: stop.gap(1e-3) },
      );
      const { accuracy } = model.score(
        held.map((i) => hard.rows[i]!),
        held.map((i) => hard.labels[i]!),
      );
      expect(Math.abs(accuracy - result.table[0]!.accuracy[0]!)).toBeLessThan(0.05);
      const auto = fit(hard.rows, hard.labels, { multiclass, gamma: 'auto' });
      expect(auto.info.validation!.table.some(({ gamma }) => gamma === auto.info.gamma)).toBe(true);
      const later = await LinearSvm.fitAsync(hard.rows, hard.labels, { multiclass, gamma: 'auto', backend });
      expect(later.planes).toEqual(auto.planes);
    }
  });

  it('cross-validates with a time limit, which is one of each fit', async () => {
    const hard = rings(7, 300, 4, 1);
    const options = { multiclass: 'rest', folds: 3, gammas: [0.1, 1, 10], backend, stop: stop.gap(0) } as const;
    const { table } = await crossValidate(hard.rows, hard.labels, { ...options, timeLimit: 1e-9 });
    expect(table.map(({ unfinished }) => unfinished)).toEqual([3, 3, 3]);
  });

  it('refuses what it cannot do', () => {
    expect(refusal(() => fit(rows, labels, { positive: 'ant' }))).toBe(
      'RangeError [ERR_OPTION]: Expected nothing for options.positive, as there are 3 distinct labels, but received "ant"',
    );
    expect(refusal(() => fit(rows, labels, { multiclass: 'ovr' as never }))).toBe(
      "RangeError [ERR_OPTION]: Expected 'auto', 'pairs' or 'rest' for options.multiclass but received \"ovr\"",
    );
    expect(refusal(() => fit(rows, labels.map((label, i) => (i === 7 ? 3 : label)) as string[]))).toBe(
      'TypeError [ERR_LABELS]: Expected a string for labels[7], as in labels[0], but received 3',
    );
    expect(
      refusal(() =>
        fit(
          rows,
          numbers.map((c, i) => (i === 9 ? NaN : c)),
        ),
      ),
    ).toBe('RangeError [ERR_LABELS]: Expected a finite number for labels[9] but received NaN');
    const model = fit(rows, labels);
    expect(refusal(() => model.score(rows.slice(0, 2), ['ant', 'gnu']))).toBe(
      'RangeError [ERR_LABELS]: Expected "ant", "bee" or "cow" for labels[1] but received "gnu"',
    );
    expect(refusal(() => model.decision(rows, new Float64Array(5)))).toBe(
      'RangeError [ERR_OPTION]: Expected 720 numbers for out, one for each row of points and class, but received 5',
    );
    expect(refusal(() => fit(rows, labels, { classWeight: { ant: 1, gnu: 2 } }))).toBe(
      'RangeError [ERR_OPTION]: Expected "ant", "bee" or "cow" for a key of options.classWeight, as in labels, but received "gnu"',
    );
    expect(refusal(() => fit(rows, labels, { sampleWeight: labels.map((label) => Number(label !== 'bee')) }))).toMatch(
      /Expected a positive weight for some row of class "bee", by options\.sampleWeight, but all of them are 0/,
    );
    const rare = labels.map((label, i) => (i === 0 ? 'gnu' : label));
    expect(refusal(() => fit(rows, rare, { gamma: 'auto' }))).toMatch(/Expected at least 3 rows of class "gnu"/);
  });

  it('refuses more pairs than it can hold', () => {
    const many = Array.from({ length: 2000 }, (_, i) => i);
    expect(
      refusal(() =>
        fit(
          many.map((i) => [i]),
          many,
          { multiclass: 'pairs' },
        ),
      ),
    ).toBe(
      'RangeError [ERR_OPTION]: Expected at most 1048576 planes for options.multiclass, with 2000 labels and 1 columns, but received 1999000',
    );
  });

  it('lets TypeScript tell two classes from more', () => {
    const model = fit(rows, labels);
    const [first, second]: readonly [string, string, ...string[]] = model.labels;
    expect([first, second]).toEqual(['ant', 'bee']);
    if (model.isBinary()) {
      const both: readonly [string, string] = model.labels;
      expect(both).toHaveLength(2);
    }
    const { confusion } = model.score(rows, labels);
    const right: number = confusion[0][0] + confusion[1][1];
    expect(right).toBeGreaterThan(0);
  });

  it('refuses more than 2^16 labels', () => {
    const many = Array.from({ length: 2 ** 16 + 1 }, (_, i) => i);
    expect(
      refusal(() =>
        fit(
          many.map((i) => [i]),
          many,
        ),
      ),
    ).toBe('RangeError [ERR_LABELS]: Expected at most 65536 distinct labels but received 65536 besides so many');
  });
});
