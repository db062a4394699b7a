import { describe, expect, it } from 'vitest';
import { firstOf, stillHolds, stop } from '../../lib/svm/stopping.js';
import { LinearSvm } from '../../lib/svm/linear-svm.js';
import type { StopRule, SvmCheck, SvmOptions, SvmProgress } from '../../lib/types.js';
import { names } from '../support/backends.js';
import { normal, random } from '../support/random.js';

const check = (known: Partial<SvmCheck>): SvmCheck => ({
  iteration: 1,
  elapsed: 0,
  rows: 1000,
  gap: 1,
  relativeGap: 1,
  agreed: 0,
  properlyClassified: 0,
  zero: 0,
  atBound: 0,
  ...known,
});

/** The answers of a rule to a run with these numbers of certified rows, one for each iteration. */
function answers(rule: StopRule, certified: readonly number[], rows = 1000) {
  const running = rule.start();
  return certified.map((properlyClassified) => running(check({ properlyClassified, rows })));
}

describe('stop.agreement(share)', () => {
  it("answers 'agreement' from that share of agreed rows on", () => {
    const rule = stop.agreement(0.99).start();
    expect(rule(check({ agreed: 989 }))).toBeUndefined();
    expect(rule(check({ agreed: 990 }))).toBe('agreement');
    expect(rule(check({ agreed: 1000 }))).toBe('agreement');
  });

  it('counts only agreed rows', () => {
    expect(stop.agreement(0.5).start()(check({ properlyClassified: 1000, zero: 1000, atBound: 1000 }))).toBeUndefined();
  });

  it('takes 1 for all rows and 0 for none', () => {
    expect(stop.agreement(1).start()(check({ agreed: 999 }))).toBeUndefined();
    expect(stop.agreement(1).start()(check({ agreed: 1000 }))).toBe('agreement');
    expect(stop.agreement(0).start()(check({}))).toBe('agreement');
  });
});

describe('stop.gap(relative)', () => {
  it("answers 'gap' once the relative gap is at most relative", () => {
    const rule = stop.gap(1e-3).start();
    expect(rule(check({ relativeGap: 1.001e-3, gap: 0 }))).toBeUndefined();
    expect(rule(check({ relativeGap: 1e-3 }))).toBe('gap');
    expect(rule(check({ relativeGap: 0 }))).toBe('gap');
  });

  it('does not answer to a relative gap of NaN', () => {
    expect(stop.gap(1).start()(check({ relativeGap: NaN }))).toBeUndefined();
  });
});

describe('stop.stale()', () => {
  it('counts iterations from the first certified row on', () => {
    expect(answers(stop.stale(), [0, 0, 0, 0, 0, 0, 0])).toEqual(new Array(7).fill(undefined));
    expect(answers(stop.stale(), [0, 0, 0, 10, 10, 10]).at(-1)).toBe('stale');
    expect(answers(stop.stale(), [0, 0, 0, 10, 10]).at(-1)).toBeUndefined();
  });

  it("answers 'stale' after patience iterations without growth by more than deltaMin", () => {
    // 1000 rows: deltaMin 1e-4 is a tenth of a row.
    expect(answers(stop.stale(), [1, 1, 2, 2, 3, 3, 3])).toEqual([...new Array<undefined>(6).fill(undefined), 'stale']);
    expect(answers(stop.stale({ deltaMin: 0.01 }), [10.5, 20, 21, 21, 21])).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'stale',
    ]);
    expect(answers(stop.stale({ patience: 1 }), [5, 6, 6])).toEqual([undefined, undefined, 'stale']);
    expect(answers(stop.stale({ patience: 4 }), [5, 5, 5, 5, 5])).toEqual([undefined, undefined, undefined, undefined, 'stale']);
  });

  it('does not count growth by exactly deltaMin, a share of the rows', () => {
    expect(answers(stop.stale({ deltaMin: 0.25, patience: 1 }), [1], 4)).toEqual(['stale']);
    expect(answers(stop.stale({ deltaMin: 0.01 }), [20, 25, 28])).toEqual([undefined, undefined, 'stale']);
  });

  it('measures growth from the best share so far, not from the last', () => {
    // Each step alone is below deltaMin; the first that exceeds it in sum resets the count.
    expect(answers(stop.stale({ deltaMin: 0.0025, patience: 3 }), [10, 12, 13, 14, 15])).toEqual(new Array(5).fill(undefined));
  });

  it('asks for every iteration, and starts anew with every run', () => {
    const rule = stop.stale();
    expect(rule.everyIteration).toBe(true);
    expect(stop.gap(1).everyIteration || stop.agreement(1).everyIteration).toBe(false);
    expect(answers(rule, [10, 10, 10]).at(-1)).toBe('stale');
    expect(answers(rule, [10, 10]).at(-1)).toBeUndefined();
  });
});

describe('the rules of stop', () => {
  it('have a name, and say whether they need certificates', () => {
    expect(stop.agreement(1)).toMatchObject({ name: 'agreement', proofs: true });
    expect(stop.gap(1)).toMatchObject({ name: 'gap', proofs: false });
    expect(stop.stale()).toMatchObject({ name: 'stale', proofs: true });
  });

  it('holds(check) tells whether a check still meets the rule', () => {
    expect([989, 990].map((agreed) => stop.agreement(0.99).holds!(check({ agreed })))).toEqual([false, true]);
    expect([1.001e-3, 1e-3].map((relativeGap) => stop.gap(1e-3).holds!(check({ relativeGap })))).toEqual([false, true]);
    expect(stop.stale().holds!(check({}))).toBe(true);
  });
});

describe('firstOf(rules)', () => {
  it('answers with the first rule that answers', () => {
    const both = firstOf([stop.agreement(0.5), stop.gap(0.1)]);
    expect(both(check({}))).toBeUndefined();
    expect(both(check({ agreed: 500, relativeGap: 0 }))).toBe('agreement');
    expect(both(check({ relativeGap: 0 }))).toBe('gap');
  });
});

/** A rule ends a run before the final search for the offset; it must also hold for the model after that search. */
describe.each(names)('the rule that ends LinearSvm.fit, %s', (backend) => {
  const problems = Array.from({ length: 150 }, (_, seed) => {
    const next = random(seed);
    const [n, d] = [2 + Math.floor(30 * next()), 1 + Math.floor(3 * next())];
    const rows = Array.from({ length: n }, () => Array.from({ length: d }, () => normal(next)));
    const labels = rows.map(([x], i) => (i === 0 || (i > 1 && x! + 0.5 * normal(next) > 0) ? 1 : -1));
    const options: SvmOptions<number> = {
      gamma: 10 ** (4 * next() - 2),
      scale: 'none',
      solver: { checkEvery: 1 },
      maxIterations: 300,
      backend,
    };
    const fit = (rule: SvmOptions['stop']) => {
      const seen: SvmProgress[] = [];
      const { info } = LinearSvm.fit(rows, labels, { ...options, stop: rule!, onProgress: (progress) => seen.push(progress) });
      return { info, seen };
    };
    /** A random element. */
    const some = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
    return { fit, some };
  });

  it("holds for the returned model, 'gap'", () => {
    for (const { fit, some } of problems) {
      const { relativeGap } = some(fit(stop.gap(1e-9)).seen);
      const { info } = fit(stop.gap(relativeGap)); // exactly the gap of that check
      expect(info.status).toBe('gap');
      expect(info.relativeGap).toBeLessThanOrEqual(relativeGap);
    }
  });

  it("holds for the returned model, 'agreement'", () => {
    for (const { fit, some } of problems) {
      const { shares } = some(fit([stop.agreement(1), stop.gap(1e-9)]).seen);
      const { info } = fit([stop.agreement(shares.agreed)]);
      expect(info.status).toBe('agreement');
      expect(info.shares.agreed).toBeGreaterThanOrEqual(shares.agreed);
    }
  });

  it('has seen the numbers of the returned info, if it has no holds()', () => {
    const fifth: StopRule = {
      name: 'fifth',
      everyIteration: true,
      start: () => (check) => (check.iteration === 5 ? 'agreement' : undefined),
    };
    for (const { fit } of problems) {
      const { info, seen } = fit(fifth);
      if (info.status !== 'agreement') continue;
      const { primal, dual, gap, agreed } = seen.at(-1)!;
      expect(info).toMatchObject({ primal, dual, gap });
      expect(info.agreed).toBeGreaterThanOrEqual(agreed);
    }
  });

  it('holds for the model with the exact offset, which is returned then', () => {
    const agreement = { ...stop.agreement(0), name: 'agreement' };
    for (const { fit } of problems) {
      const { info, seen } = fit(agreement);
      const { primal } = fit({ ...agreement, holds: () => false }).info;
      expect(primal).toBe(seen.at(-1)!.primal);
      expect(info.primal).toBeLessThanOrEqual(primal * (1 + 1e-12));
    }
    const best = problems.map(({ fit }) => fit(agreement)).filter(({ info, seen }) => info.primal < seen.at(-1)!.primal);
    expect(best.length).toBeGreaterThan(problems.length / 2);
  });
});

describe('stillHolds(rules, status, check)', () => {
  const both = () => [stop.agreement(0.99), stop.gap(1e-3)];

  it('asks the rule of that name, and no other', () => {
    expect(stillHolds(both(), 'gap', check({ relativeGap: 1e-3 }))).toBe(true);
    expect(stillHolds(both(), 'gap', check({ relativeGap: 2e-3, agreed: 1000 }))).toBe(false);
    expect(stillHolds(both(), 'agreement', check({ relativeGap: 0, agreed: 989 }))).toBe(false);
    expect(stillHolds(both(), 'stale', check({ relativeGap: 0, agreed: 1000 }))).toBe(false);
  });

  it('is true of stop.stale(), which is about the run', () => {
    expect(stillHolds([stop.stale()], 'stale', check({}))).toBe(true);
  });

  it('is false of a rule that cannot be asked again', () => {
    expect(stillHolds([{ name: 'mine', everyIteration: true, start: () => () => undefined }], 'mine', check({}))).toBe(false);
  });
});

describe('stop refuses bad arguments:', () => {
  it.each([
    [() => stop.agreement(99), RangeError, 'Expected a number from 0 to 1 for the share of stop.agreement but received 99'],
    [() => stop.agreement(NaN), RangeError, 'Expected a number from 0 to 1 for the share of stop.agreement but received NaN'],
    [
      () => stop.agreement('1' as never),
      TypeError,
      'Expected a number from 0 to 1 for the share of stop.agreement but received "1"',
    ],
    [() => stop.gap(-1), RangeError, 'Expected a number of 0 or more for the relative gap of stop.gap but received -1'],
    [
      () => stop.gap(undefined as never),
      TypeError,
      'Expected a number of 0 or more for the relative gap of stop.gap but received undefined',
    ],
    [() => stop.stale({ deltaMin: -1 }), RangeError, 'Expected a number from 0 to 1 for deltaMin of stop.stale but received -1'],
    [() => stop.stale({ patience: 0 }), RangeError, 'Expected a number of 1 or more for patience of stop.stale but received 0'],
    [() => stop.stale(null as never), TypeError, 'Expected an object for the options of stop.stale but received null'],
    [() => stop.stale({ delta: 1 } as never), TypeError, 'Unknown option "delta" of stop.stale; did you mean "deltaMin"?'],
  ])('%s', (call, Kind, message) => {
    expect(call).toThrow(expect.objectContaining({ message, code: 'ERR_OPTION' }));
    expect(call).toThrow(Kind);
  });
});
