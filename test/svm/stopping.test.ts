import { describe, expect, it } from 'vitest';
import { firstOf, stop } from '../../lib/svm/stopping.js';
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

/** What a rule answers to a run in which so many rows are certified at each iteration. */
function answers(rule: StopRule, certified: readonly number[], rows = 1000) {
  const running = rule.start();
  return certified.map((properlyClassified) => running(check({ properlyClassified, rows })));
}

describe('stop.agreement(share)', () => {
  it('says agreement from that share of the rows on', () => {
    const rule = stop.agreement(0.99).start();
    expect(rule(check({ agreed: 989 }))).toBeUndefined();
    expect(rule(check({ agreed: 990 }))).toBe('agreement');
    expect(rule(check({ agreed: 1000 }))).toBe('agreement');
  });

  it('counts no other rows', () => {
    expect(stop.agreement(0.5).start()(check({ properlyClassified: 1000, zero: 1000, atBound: 1000 }))).toBeUndefined();
  });

  it('can ask for all rows, or none', () => {
    expect(stop.agreement(1).start()(check({ agreed: 999 }))).toBeUndefined();
    expect(stop.agreement(1).start()(check({ agreed: 1000 }))).toBe('agreement');
    expect(stop.agreement(0).start()(check({}))).toBe('agreement');
  });
});

describe('stop.gap(relative)', () => {
  it('says gap when the relative gap has come down to it', () => {
    const rule = stop.gap(1e-3).start();
    expect(rule(check({ relativeGap: 1.001e-3, gap: 0 }))).toBeUndefined();
    expect(rule(check({ relativeGap: 1e-3 }))).toBe('gap');
    expect(rule(check({ relativeGap: 0 }))).toBe('gap');
  });

  it('does not take NaN for small', () => {
    expect(stop.gap(1).start()(check({ relativeGap: NaN }))).toBeUndefined();
  });
});

describe('stop.stale()', () => {
  it('counts from the first certified row on', () => {
    expect(answers(stop.stale(), [0, 0, 0, 0, 0, 0, 0])).toEqual(new Array(7).fill(undefined));
    expect(answers(stop.stale(), [0, 0, 0, 10, 10, 10]).at(-1)).toBe('stale');
    expect(answers(stop.stale(), [0, 0, 0, 10, 10]).at(-1)).toBeUndefined();
  });

  it('wants growth by more than deltaMin, and forgives patience - 1 failures in a row', () => {
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

  it('takes growth by deltaMin itself for none, and counts it in shares', () => {
    expect(answers(stop.stale({ deltaMin: 0.25, patience: 1 }), [1], 4)).toEqual(['stale']);
    expect(answers(stop.stale({ deltaMin: 0.01 }), [20, 25, 28])).toEqual([undefined, undefined, 'stale']);
  });

  it('measures growth from the best share so far, not from the last', () => {
    // Each step alone is below deltaMin; the first that exceeds it in sum resets the count.
    expect(answers(stop.stale({ deltaMin: 0.0025, patience: 3 }), [10, 12, 13, 14, 15])).toEqual(new Array(5).fill(undefined));
  });

  it('sees every iteration, and starts afresh with every run', () => {
    const rule = stop.stale();
    expect(rule.everyIteration).toBe(true);
    expect(stop.gap(1).everyIteration || stop.agreement(1).everyIteration).toBe(false);
    expect(answers(rule, [10, 10, 10]).at(-1)).toBe('stale');
    expect(answers(rule, [10, 10]).at(-1)).toBeUndefined();
  });
});

describe('stop', () => {
  it('tells of each rule its name, and whether it is about proofs', () => {
    expect(stop.agreement(1)).toMatchObject({ name: 'agreement', proofs: true });
    expect(stop.gap(1)).toMatchObject({ name: 'gap', proofs: false });
    expect(stop.stale()).toMatchObject({ name: 'stale', proofs: true });
  });

  it('tells of each rule whether a check keeps what it says', () => {
    expect([989, 990].map((agreed) => stop.agreement(0.99).holds!(check({ agreed })))).toEqual([false, true]);
    expect([1.001e-3, 1e-3].map((relativeGap) => stop.gap(1e-3).holds!(check({ relativeGap })))).toEqual([false, true]);
    expect(stop.stale().holds!(check({}))).toBe(true);
  });
});

describe('firstOf(rules)', () => {
  it('lets the first rule that answers decide', () => {
    const both = firstOf([stop.agreement(0.5), stop.gap(0.1)]);
    expect(both(check({}))).toBeUndefined();
    expect(both(check({ agreed: 500, relativeGap: 0 }))).toBe('agreement');
    expect(both(check({ relativeGap: 0 }))).toBe('gap');
  });
});

/** What ends a run is judged before the last search for the offset; it must hold for what comes of that. */
describe.each(names)('the rule that ends a fit, %s backend', (backend) => {
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
    /** One of the checks of a run. */
    const some = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
    return { fit, some };
  });

  it("holds for the model that is returned: 'gap'", () => {
    for (const { fit, some } of problems) {
      const { relativeGap } = some(fit(stop.gap(1e-9)).seen);
      const { info } = fit(stop.gap(relativeGap)); // no last bit to spare
      expect(info.status).toBe('gap');
      expect(info.relativeGap).toBeLessThanOrEqual(relativeGap);
    }
  });

  it("holds for the model that is returned: 'agreement'", () => {
    for (const { fit, some } of problems) {
      const { shares } = some(fit([stop.agreement(1), stop.gap(1e-9)]).seen);
      const { info } = fit([stop.agreement(shares.agreed)]);
      expect(info.status).toBe('agreement');
      expect(info.shares.agreed).toBeGreaterThanOrEqual(shares.agreed);
    }
  });

  it('has seen the numbers that are returned, if it cannot be asked again', () => {
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

  it('leaves the offset to the last bit where that holds, too', () => {
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

describe('stop is strict', () => {
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
    [() => stop.stale({ delta: 1 } as never), TypeError, 'Unknown option "delta" of stop.stale; did you mean "deltaMin"?'],
  ])('%s', (call, Kind, message) => {
    expect(call).toThrow(expect.objectContaining({ message, code: 'ERR_OPTION' }));
    expect(call).toThrow(Kind);
  });
});
