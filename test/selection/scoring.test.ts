/** crossValidate(points, labels, { scoring }). */
import { describe, expect, it } from 'vitest';
import {
  crossValidate,
  LinearSvm,
  stop,
  type CrossValidationOptions,
  type HeldOut,
  type Metric,
  type Score,
} from '../../lib/index.js';
import { resolveCrossValidation } from '../../lib/input/resolve-cross-validation.js';
import { METRICS, type Scorer } from '../../lib/metrics/scoring.js';
import { deal } from '../../lib/selection/folds.js';
import { Random } from '../../lib/selection/random.js';
import { Trial } from '../../lib/selection/trial.js';
import { pause, runAsync, type Loop } from '../../lib/solver/drivers.js';
import { TrainingData } from '../../lib/svm/training-data.js';
import { names } from '../support/backends.js';
import { clouds } from '../support/svm-data.js';
import type { BackendName } from '../../lib/types.js';

const { rows } = clouds(7, 150, 3, 1.5);
const two = rows.map(([a, b], i) => (a! + Math.sin(i * i) > 0.8 ? 'yes' : b! > 2 ? 'yes' : 'no'));
const three = rows.map(([a, b], i) => (a! + Math.sin(i) > 0.9 ? 'ant' : b! > 0 ? 'bee' : 'cow'));
const exact = stop.gap(1e-9);

/** What model.score has for a metric. */
const OF_SCORE: Record<Metric, (score: Score) => number | undefined> = {
  accuracy: ({ accuracy }) => accuracy,
  balancedAccuracy: ({ balancedAccuracy }) => balancedAccuracy,
  precision: ({ classes }) => classes[1]!.precision,
  recall: ({ classes }) => classes[1]!.recall,
  f1: ({ classes }) => classes[1]!.f1,
  f1Macro: ({ macro }) => macro.f1,
  f1Weighted: ({ weighted }) => weighted.f1,
  matthews: ({ matthews }) => matthews,
  rocAuc: ({ rocAuc }) => rocAuc,
  averagePrecision: ({ averagePrecision }) => averagePrecision,
  logLoss: ({ logLoss }) => logLoss,
  brier: ({ brier }) => brier,
};

/** The scores, by fold, of models that LinearSvm.fit gives on the other rows. */
function byHand(fold: Int32Array, labels: readonly string[], options: { gamma: number; positive?: string; backend: BackendName }) {
  return [0, 1, 2].map((k) => {
    const part = <T>(list: readonly T[], held: boolean) => list.filter((_, i) => (fold[i] === k) === held);
    const model = LinearSvm.fit(part(rows, false), part(labels, false), { stop: exact, probability: 'sigmoid', ...options });
    return { model, score: model.score(part(rows, true), part(labels, true)) };
  });
}

describe('crossValidate(points, labels, { scoring })', () => {
  const ofTwo: Metric[] = ['precision', 'recall', 'f1'];
  const all = Object.keys(OF_SCORE) as Metric[];

  it.each(names)('has the metric that model.score gives on the rows held out: %s', async (backend) => {
    for (const labels of [two, three]) {
      for (const scoring of all) {
        if (labels === three && ofTwo.includes(scoring)) continue;
        const { table, fold } = await crossValidate(rows, labels, { folds: 3, gammas: [0.3], stop: exact, backend, scoring });
        const [{ score, accuracy, mean }] = table as [(typeof table)[0]];
        const expected = byHand(fold, labels, { gamma: 0.3, backend }).map((one) => one.score);
        expect(accuracy).toEqual(expected.map((one) => one.accuracy));
        // Probabilities follow values, which the gap leaves some room.
        const digits = METRICS[scoring].probabilities ? 4 : 12;
        expected.forEach((one, k) => expect(score[k]).toBeCloseTo(OF_SCORE[scoring](one)!, digits));
        expect(mean).toBeCloseTo(score.reduce((a, b) => a + b) / 3, 14);
      }
    }
  });

  it("scores the positive label, the one that 'positive' says", async () => {
    const options = { folds: 3, gammas: [0.3], stop: exact, scoring: 'recall', positive: 'no', backend: 'js' } as const;
    const { table, fold } = await crossValidate(rows, two, options);
    const models = byHand(fold, two, { gamma: 0.3, positive: 'no', backend: 'js' });
    expect(table[0]!.score).toEqual(models.map(({ score }) => score.classes[1]!.recall));
    expect(models[0]!.score.classes[1]!.label).toBe('no');
  });

  it('has the accuracy as the score without it, balanced where that is asked for', async () => {
    for (const options of [{}, { accuracy: 'balanced' }] as const) {
      const { table } = await crossValidate(rows, two, { folds: 3, gammas: [0.01, 1], ...options });
      for (const { accuracy, score } of table) expect(score).toEqual(accuracy);
    }
  });

  it.each([{ labels: two }, { labels: three }])(
    'calls a function once for each fit, with what was predicted',
    async ({ labels }) => {
      const calls: HeldOut<string>[] = [];
      const scoring = (held: HeldOut<string>) => {
        calls.push(held);
        return held.labels.filter((label, i) => label === held.predicted[i]).length / held.labels.length;
      };
      const result = await crossValidate(rows, labels, {
        folds: 3,
        gammas: [0.01, 0.3],
        scoring,
        stop: exact,
        backend: 'js',
        threads: 1,
      });
      expect(calls).toHaveLength(6);
      for (const { accuracy, score } of result.table) expect(score).toEqual(accuracy);
      const models = byHand(result.fold, labels, { gamma: 0.3, backend: 'js' });
      models.forEach(({ model }, k) => {
        const held = rows.filter((_, i) => result.fold[i] === k);
        const decision = model.decision(held);
        const call = calls.find(
          (one) => one.decision.length === decision.length && Math.abs(one.decision[0]! - decision[0]!) < 1e-4,
        )!;
        expect(call.labels).toEqual(labels.filter((_, i) => result.fold[i] === k));
        expect(call.predicted).toEqual(model.predict(held));
        decision.forEach((value, i) => expect(Math.abs(call.decision[i]! - value)).toBeLessThan(1e-3));
      });
    },
  );

  it('chooses the gamma by it, and goes on where the best is at an end', async () => {
    // Larger with fewer rows predicted 'yes': the opposite of what accuracy prefers.
    const scoring = ({ predicted }: HeldOut<string>) => -predicted.filter((label) => label === 'yes').length;
    const options = { folds: 3, gammas: [1e-4, 0.01, 1] };
    const [plain, odd] = [await crossValidate(rows, two, options), await crossValidate(rows, two, { ...options, scoring })];
    expect(plain.gamma).not.toBe(1e-4);
    expect(odd.gamma).toBe(1e-4);
    expect(odd.best.mean).toBe(Math.max(...odd.table.map(({ mean }) => mean)));
    expect(odd.table.map(({ accuracy }) => accuracy)).toEqual(plain.table.map(({ accuracy }) => accuracy));
    // The smaller the weights, the better.
    const narrow = ({ decision }: HeldOut) => Math.min(...decision) - Math.max(...decision);
    const further = await crossValidate(rows, two, { folds: 3, scoring: narrow });
    expect([further.table.length, further.atEdge]).toEqual([10, true]);
  });

  it('takes the smallest mean of a metric that is a loss as the best', async () => {
    const scorer: Scorer = { ...METRICS.accuracy, isLoss: true };
    const result = await runAsync(trying(scorer));
    const means = result.table.map(({ mean }) => mean);
    expect(result.best.mean).toBe(Math.min(...means));
    expect(result.oneStandardError).toBe(result.table.find(({ mean }) => mean <= result.best.mean + result.best.standardError));
    expect((await runAsync(trying(METRICS.accuracy))).best.mean).toBe(Math.max(...means));
  });

  function* trying(scorer: Scorer): Loop<ReturnType<Trial['result']>> {
    const input = resolveCrossValidation(rows, two, { folds: 3 });
    const data = new TrainingData(input);
    try {
      yield data.copying({ timeLimit: Infinity, signal: undefined });
      const fold = yield* deal(data, undefined, 3, new Random(0), pause());
      const trial = new Trial(data, input.options, fold, { balanced: false, scorer, onProgress: undefined });
      yield* trial.run([1e-4, 0.01, 1]);
      return trial.result();
    } finally {
      data.release();
    }
  }

  it('tells onProgress the score, and its mean so far', async () => {
    const told: number[][] = [];
    const { table } = await crossValidate(rows, two, {
      folds: 3,
      gammas: [0.1],
      scoring: 'rocAuc',
      threads: 1,
      onProgress: ({ score, mean, accuracy }) => told.push([score, mean, accuracy]),
    });
    const [{ score, mean, accuracy }] = table as [(typeof table)[0]];
    expect(told.map(([score]) => score)).toEqual(score);
    expect(told.map(([, , accuracy]) => accuracy)).toEqual(accuracy);
    expect(told.at(-1)![1]).toBe(mean);
  });

  it('gives the same table for any number of threads', async () => {
    const options = { folds: 3, gammas: [0.01, 0.3], scoring: 'averagePrecision' } as const;
    const [one, more] = [
      await crossValidate(rows, three, { ...options, threads: 1 }),
      await crossValidate(rows, three, { ...options, threads: 3 }),
    ];
    expect(more.table).toEqual(one.table);
  });

  it('passes on what the function throws', async () => {
    const error = new Error('mine');
    const scoring = () => {
      throw error;
    };
    await expect(crossValidate(rows, two, { scoring })).rejects.toBe(error);
  });

  const oneClass = two.map((label) => (label === 'yes' ? 2 : 0)).map((fold, i) => (i % 3 === 0 ? 1 : fold));
  // prettier-ignore
  it.each<[object, string]>([
    [{ scoring: 'roc_auc' }, "RangeError [ERR_OPTION]: Expected 'accuracy', 'balancedAccuracy', 'precision', 'recall', 'f1', 'f1Macro', 'f1Weighted', 'matthews', 'rocAuc', 'averagePrecision', 'logLoss', 'brier' or a function for options.scoring but received \"roc_auc\""],
    [{ scoring: 'constructor' }, /^RangeError \[ERR_OPTION\]: Expected 'accuracy', .* for options\.scoring but received "constructor"$/ as never],
    [{ scoring: 1 }, /^TypeError \[ERR_OPTION\]: Expected 'accuracy', .* for options\.scoring but received 1$/ as never],
    [{ scoring: 'f1', probability: 'sigmoid' }, "RangeError [ERR_OPTION]: Expected 'logLoss', 'brier' or a function for options.scoring, as there are probabilities, but received \"f1\""],
    [{ probability: 'sigmoid' }, "RangeError [ERR_OPTION]: Expected 'logLoss', 'brier' or a function for options.scoring, as there are probabilities, but received undefined"],
    [{ scoring: 'f1', accuracy: 'balanced' }, 'RangeError [ERR_OPTION]: Expected one of options.scoring and options.accuracy but received both'],
    [{ scoring: 'f1', labels: three }, 'RangeError [ERR_OPTION]: Expected a metric of several classes for options.scoring, as there are 3 distinct labels, but received "f1"'],
    [{ scoring: () => NaN }, 'RangeError [ERR_OPTION]: Expected a finite number for what options.scoring returns but received NaN'],
    [{ scoring: () => Infinity }, 'RangeError [ERR_OPTION]: Expected a finite number for what options.scoring returns but received Infinity'],
    [{ scoring: () => undefined }, 'TypeError [ERR_OPTION]: Expected a finite number for what options.scoring returns but received undefined'],
    [{ scoring: async () => Promise.resolve(1) }, 'TypeError [ERR_OPTION]: Expected a finite number for what options.scoring returns but received a Promise'],
    [{ scoring: 'rocAuc', folds: oneClass }, 'RangeError [ERR_OPTION]: Expected rows of two classes in every fold, for options.scoring, but every row of fold 0 is of class "no"'],
    [{ metric: 'f1' }, 'TypeError [ERR_OPTION]: Unknown option "metric"; did you mean "scoring"?'],
  ])('refuses %j', async (given, message) => {
    const { labels = two, ...options } = given as CrossValidationOptions<string> & { labels?: string[] };
    const error = await crossValidate(rows, labels, options).then(() => 'none', (thrown: Error) => thrown.stack!.split('\n', 1)[0]);
    if (typeof message === 'string') expect(error).toBe(message);
    else expect(error).toMatch(message);
  });

  it('refuses folds with more decision values than are held', () => {
    const n = 2 ** 16;
    const many = Float64Array.from({ length: 2 * n }, (_, i) => i % (n / 2));
    const points = { data: new Float64Array(2 * n), rows: 2 * n, cols: 1 };
    const options = { folds: 4, scoring: 'rocAuc', multiclass: 'rest' } as const;
    expect(() => resolveCrossValidation(points, many, options)).toThrow(
      'Expected at most 1024 rows for every fold, as options.scoring needs all decision values, but received 32768',
    );
    expect(resolveCrossValidation(points, many, { ...options, scoring: 'f1Macro' }).scorer).toBe(METRICS.f1Macro);
  });

  it('scores folds of one class by metrics of counts', async () => {
    const { table } = await crossValidate(rows, two, { folds: oneClass, gammas: [0.1], scoring: 'balancedAccuracy' });
    expect(table[0]!.score).toEqual(table[0]!.accuracy.map((accuracy, k) => (k === 1 ? (expect.any(Number) as number) : accuracy)));
  });
});

describe('crossValidate(points, labels, { scoring }) of probabilities', () => {
  it('takes the gamma of the smallest loss', async () => {
    for (const scoring of ['logLoss', 'brier'] as const) {
      const { gamma, table } = await crossValidate(rows, three, { scoring, gammas: [1e-4, 0.1, 1], folds: 3 });
      expect(table.find((row) => row.gamma === gamma)!.mean).toBe(Math.min(...table.map(({ mean }) => mean)));
    }
  });

  it('gives probabilities to a function that asks for them, and none to others', async () => {
    const seen: (Float64Array | undefined)[] = [];
    const scoring = ({ probability }: HeldOut) => seen.push(probability);
    await crossValidate(rows, three, { scoring, probability: 'isotonic', gammas: [1], folds: 2 });
    for (const probability of seen) {
      expect(probability).toHaveLength(3 * 75);
      expect(probability!.subarray(0, 3).reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12);
    }
    await crossValidate(rows, two, { scoring, gammas: [1], folds: 2 });
    expect(seen.slice(2)).toEqual([undefined, undefined]);
  });

  it('does not depend on the number of threads', async () => {
    const options = { scoring: 'logLoss', gammas: [0.3, 1], folds: 4 } as const;
    const one = await crossValidate(rows, two, { ...options, threads: 1 });
    expect((await crossValidate(rows, two, { ...options, threads: 3 })).table).toEqual(one.table);
  });

  it('refuses a class that is too small for the folds within', async () => {
    const few = rows.map((_, i) => (i < 6 ? 'rare' : i % 2 ? 'a' : 'b'));
    await expect(crossValidate(rows, few, { scoring: 'logLoss', folds: 3 })).rejects.toMatchObject({
      code: 'ERR_LABELS',
      message:
        'Expected at least 5 rows of class "rare", one for each fold of the probabilities for options.scoring, outside fold 0, but received 4',
    });
  });
});
