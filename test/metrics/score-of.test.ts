import { describe, expect, it } from 'vitest';
import { LinearSvm, rocCurve } from '../../lib/index.js';
import { scoreOf } from '../../lib/metrics/score-of.js';
import { winner } from '../../lib/svm/votes.js';
import { clouds } from '../support/svm-data.js';
import { expectNear } from './near.js';
import { PREDICTED, PROBABILITIES, THREE_CLASSES } from './sklearn.js';

const codes = (list: readonly number[]) => Uint16Array.from(list);

describe('scoreOf(predictions)', () => {
  it.each(PREDICTED)("has scikit-learn's metrics of labels: $name", ({ classes, y, predicted, ...expected }) => {
    const labels = ['a', 'b', 'c', 'd'].slice(0, classes) as ['a', 'b'];
    const score = scoreOf({ labels, actual: codes(y), predicted: codes(predicted), values: undefined });
    const { accuracy, balancedAccuracy, matthews, macro, weighted, confusion } = score;
    expectNear([accuracy, balancedAccuracy, matthews], [expected.accuracy, expected.balancedAccuracy, expected.matthews]);
    expectNear([macro.f1, weighted.f1], [expected.macro.f1, expected.weighted.f1]);
    expect(score.classes.map(({ label }) => label)).toEqual(labels);
    expect(score.classes.map(({ support }) => support)).toEqual(expected.support);
    expect(confusion.map((row) => row.reduce((a, b) => a + b))).toEqual(expected.support);
    y.forEach((is, i) => expect(confusion[is]![predicted[i]!]).toBeGreaterThan(0));
    expect([score.rocAuc, score.averagePrecision, score.classes[0]!.rocAuc]).toEqual([undefined, undefined, undefined]);
    expect('logLoss' in score || 'brier' in score).toBe(false);
  });

  const three = (extra = 0) => {
    const { y, values } = THREE_CLASSES;
    return scoreOf({
      labels: [1, 2, 3, ...Array.from({ length: extra }, (_, k) => 4 + k)],
      actual: codes(y),
      predicted: codes(values.map((row) => winner(Float64Array.from(row), 0, 3))),
      values: Float64Array.from(values.flatMap((row) => [...row, ...Array<number>(extra).fill(-9)])),
    });
  };

  it("has scikit-learn's areas of each class against the rest, and their mean", () => {
    const { classes, rocAuc, averagePrecision } = three();
    expectNear(classes.map((one) => one.rocAuc!), THREE_CLASSES.rocAucs); // prettier-ignore
    expectNear(classes.map((one) => one.averagePrecision!), THREE_CLASSES.averagePrecisions); // prettier-ignore
    expectNear([rocAuc!, averagePrecision!], [THREE_CLASSES.rocAuc, THREE_CLASSES.averagePrecision]);
  });

  it('leaves classes without rows out of these means', () => {
    const { classes, rocAuc, averagePrecision } = three(2);
    expect(classes.slice(3).map((one) => [one.rocAuc, one.averagePrecision, one.support])).toEqual([
      [undefined, undefined, 0],
      [undefined, undefined, 0],
    ]);
    expectNear([rocAuc!, averagePrecision!], [THREE_CLASSES.rocAuc, THREE_CLASSES.averagePrecision]);
  });

  it('has no areas if all rows are of one class', () => {
    const one = codes([2, 2]);
    const { rocAuc, averagePrecision } = scoreOf({ labels: [0, 1, 2], actual: one, predicted: one, values: new Float64Array(6) });
    expect([rocAuc, averagePrecision]).toEqual([undefined, undefined]);
  });

  it.each(PROBABILITIES)("has scikit-learn's losses where there are probabilities: $name", ({ classes, y, p, logLoss, brier }) => {
    const labels = [5, 6, 7].slice(0, classes) as [number, number];
    const probabilities = Float64Array.from(p.flat());
    const score = scoreOf({ labels, actual: codes(y), predicted: codes(y), values: undefined, probabilities });
    expectNear([score.logLoss!, score.brier!], [logLoss, brier]);
  });
});

describe('model.score(points, labels) of three labels or more', () => {
  const { rows } = clouds(5, 120, 3);
  const labels = rows.map(([a, b], i) => (a! > 0.3 ? 'ant' : b! + Math.sin(i) > 0 ? 'bee' : 'cow'));

  it.each(['pairs', 'rest'] as const)('agrees with predict, and with the curves of decision: %s', (multiclass) => {
    const model = LinearSvm.fit(rows, labels, { multiclass });
    const { confusion, accuracy, classes, rocAuc } = model.score(rows, labels);
    const [predicted, values] = [model.predict(rows), model.decision(rows)];
    expect(accuracy).toBe(labels.filter((label, i) => label === predicted[i]).length / labels.length);
    model.labels.forEach((is, k) => {
      model.labels.forEach((as, j) => {
        expect(confusion[k]![j]).toBe(labels.filter((label, i) => label === is && predicted[i] === as).length);
      });
      const own = values.filter((_, at) => at % 3 === k);
      expect(classes[k]!.rocAuc).toBe(rocCurve(own, labels, { positive: is }).auc);
    });
    expect(rocAuc).toBeCloseTo(
      classes.reduce((sum, one) => sum + one.rocAuc! / 3, 0),
      12,
    );
  });

  it.each([{ given: labels }, { given: labels.map((label) => (label === 'ant' ? label : 'bee')) }])(
    'has the losses of the probabilities, where the model gives any: %#',
    ({ given }) => {
      const model = LinearSvm.fit(rows, given, { probability: 'sigmoid' });
      const { logLoss, brier } = model.score(rows, given);
      const p = model.probability(rows);
      const k = model.labels.length;
      const own = given.map((label, i) => p[i * k + model.labels.indexOf(label)]!);
      expect(logLoss).toBeCloseTo(-own.reduce((sum, q) => sum + Math.log(q), 0) / rows.length, 12);
      const squares = p.map((q, at) => (q - Number(given[Math.floor(at / k)] === model.labels[at % k])) ** 2);
      expect(brier).toBeCloseTo(squares.reduce((a, b) => a + b) / rows.length / (k === 2 ? 2 : 1), 12);
      expect(LinearSvm.fit(rows, given).score(rows, given)).not.toHaveProperty('logLoss');
    },
  );

  it('has no areas above 2^25 decision values', () => {
    const count = 1024;
    const planes = Array.from({ length: count }, (_, k) => ({ bias: -k, weights: [1] }));
    const json = { format: 'fista-classify/linear-svm', version: 2, labels: planes.map((_, k) => k), multiclass: 'rest', planes };
    const model = LinearSvm.fromJSON<number>(json);
    const score = (n: number) =>
      model.score(
        { data: new Float64Array(n), rows: n, cols: 1 },
        Float64Array.from({ length: n }, (_, i) => i % 2),
      );
    expect(score(8)).toMatchObject({ accuracy: 0.5, rocAuc: 0.5 });
    expect(score(2 ** 15 + 1)).toMatchObject({ rocAuc: undefined, averagePrecision: undefined, balancedAccuracy: 0.5 });
  });
});
