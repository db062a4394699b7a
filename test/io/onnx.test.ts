import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { onnxBytes, onnxPieces } from '../../lib/io/onnx.js';
import { writeJSON } from '../../lib/io/model-json.js';
import type { Calibration } from '../../lib/svm/calibration.js';
import { LinearSvm } from '../../lib/svm/linear-svm.js';
import { isPairs, sidesOf, type Model } from '../../lib/svm/model.js';
import type { Label } from '../../lib/types.js';
import { examplesIn, matches, printedBy, runExample } from '../../scripts/examples.js';
import { ROOT } from '../support/child.js';
import { messagesIn, readMessage, runOnnx, textIn } from '../support/onnx.js';
import { normal, random } from '../support/random.js';
import { planesOf, randomModel, valuesOf, votesOf, type Way } from './models.js';

const svmOf = (model: Model) => LinearSvm.fromJSON(writeJSON(model));
const numbered = (classes: number) => Array.from({ length: classes }, (_, k) => 3 * k - 5);

function randomRows(count: number, cols: number, seed = 1): number[][] {
  const uniform = random(seed);
  const rows = Array.from({ length: count }, () => Array.from({ length: cols }, () => normal(uniform)));
  rows[0]!.fill(0);
  rows[1]!.fill(-0);
  return rows;
}

/** The largest difference of two lists of the same length. */
function distance(one: ArrayLike<number>, other: ArrayLike<number>): number {
  expect(one.length).toBe(other.length);
  let largest = 0;
  for (let i = 0; i < one.length; i++) {
    const apart = Math.abs(one[i]! - other[i]!);
    if (!(apart <= largest)) largest = apart; // NaN stays
  }
  return largest;
}

const KINDS: [classes: number, way: Way, cols: number][] = [
  [2, 'pairs', 1],
  [2, 'pairs', 5],
  [3, 'pairs', 4],
  [3, 'rest', 4],
  [7, 'pairs', 3],
  [7, 'rest', 3],
  [26, 'pairs', 16],
  [26, 'rest', 16],
];

describe('onnxruntime with model.toOnnx()', () => {
  it.each(KINDS)('gives the labels and decisions of %i classes, %s, %i columns', async (classes, way, cols) => {
    const model = randomModel(numbered(classes), way, cols, classes);
    const svm = svmOf(model);
    const rows = randomRows(500, cols);
    const { label, decision, kinds } = await runOnnx(svm.toOnnx(), rows);
    expect(label).toEqual(svm.predict(rows));
    expect(distance(decision, svm.decision(rows))).toBeLessThan(1e-12);
    expect(kinds).toEqual({ label: 'int64[500]', decision: classes === 2 ? 'float64[500]' : `float64[500,${classes}]` });
  });

  // Small integers, of which every sum is exact.
  it.each(KINDS)('decides ties of %i classes, %s, %i columns as predict does', async (classes, way, cols) => {
    const uniform = random(classes + cols);
    const few = () => Math.floor(3 * uniform()) - 1;
    let ties = 0;
    for (let round = 0; round < 4; round++) {
      const planes = sidesOf(classes, way).map(() => ({ weights: Array.from({ length: cols }, few), bias: few() }));
      if (round === 1) planes.fill(planes[0]!); // all alike
      if (round === 2) planes.fill({ weights: planes[0]!.weights.map(() => 0), bias: 0 });
      const model = planesOf(numbered(classes), way, planes);
      const svm = svmOf(model);
      const rows = Array.from({ length: 300 }, () => Array.from({ length: cols }, few));
      const { label, decision } = await runOnnx(svm.toOnnx(), rows);
      expect(label).toEqual(svm.predict(rows));
      expect(distance(decision, svm.decision(rows))).toBeLessThan(1e-15);
      for (const row of rows) {
        const values = valuesOf(model, row);
        const scores = classes === 2 ? [0, values[0]!] : way === 'rest' ? [...values] : votesOf(model, row);
        if (scores.indexOf(Math.max(...scores)) !== scores.lastIndexOf(Math.max(...scores))) ties++;
      }
    }
    expect(ties).toBeGreaterThan(classes === 2 ? 300 : 50);
  });

  const labels: [kind: string, type: string, labels: readonly Label[]][] = [
    ['integers', 'int64', [-7, 0, 2 ** 53 - 1]],
    ['fractions', 'float64', [-1.5, 0, 2]],
    ['integers beyond 53 bits', 'float64', [0, 1, 2 ** 53]],
    ['texts', 'string', ['', 'Ärger, "x"\n', '🍵'].toSorted()],
  ];
  it.each(labels)('gives labels that are %s as %s', async (_, type, labels) => {
    const rows = randomRows(50, 2);
    for (const given of [labels, labels.slice(0, 2), labels.slice(0, 2).reverse()]) {
      for (const way of ['pairs', 'rest'] as const) {
        const planes = sidesOf(given.length, way).map((_, p) => ({ weights: [p - 1, 1 - p / 2], bias: 0.1 }));
        const svm = svmOf(planesOf(given, way, planes));
        const { label, kinds } = await runOnnx(svm.toOnnx(), rows);
        expect(label).toEqual(svm.predict(rows));
        expect(new Set(label).size).toBeGreaterThan(1);
        expect(kinds.label).toBe(`${given.every(Number.isSafeInteger) ? 'int64' : type}[50]`);
      }
    }
  });

  it('gives labels that are booleans as bool, either of them positive', async () => {
    const rows = randomRows(20, 1);
    for (const labels of [
      [false, true],
      [true, false],
    ]) {
      const svm = svmOf(planesOf(labels, 'pairs', [{ weights: [1], bias: 0 }]));
      const { label, kinds } = await runOnnx(svm.toOnnx(), rows);
      expect(label).toEqual(svm.predict(rows));
      expect(kinds.label).toBe('bool[20]');
    }
  });

  it.each(KINDS)('takes one row, no rows and no columns, of %i classes, %s', async (classes, way, cols) => {
    const model = { ...randomModel(numbered(classes), way, cols), calibration: calibrationOf(classes, way, 'isotonic') };
    const svm = svmOf(model);
    const bytes = onnxBytes(model);
    const one = randomRows(2, cols).slice(1);
    expect((await runOnnx(bytes, one)).label).toEqual(svm.predict(one));
    const none = await runOnnx(bytes, [], cols);
    const width = classes === 2 ? '' : `,${classes}`;
    expect(none.kinds).toEqual({ label: 'int64[0]', decision: `float64[0${width}]`, probabilities: `float64[0,${classes}]` });
    const empty = randomModel(numbered(classes), way, 0);
    const constant = await runOnnx(onnxBytes(empty), [[], []]);
    expect(constant.label).toEqual(svmOf(empty).predict([[], []]));
  });

  it('keeps to the decisions of predict where sums overflow, or nearly', async () => {
    for (const size of [1e300, 7e307, 1.7e308]) {
      const planes = [1, -1, 1, 1, -1, 1].map((sign) => ({ weights: [sign * size], bias: 0 }));
      const svm = svmOf(planesOf([1, 2, 3, 4], 'pairs', planes));
      const rows = [[1], [-1], [0.5], [1e-308]];
      const { label, decision } = await runOnnx(svm.toOnnx(), rows);
      expect(label).toEqual(svm.predict(rows));
      expect(distance(decision, svm.decision(rows))).toBeLessThan(1e-15);
    }
  });

  it('gives the labels and probabilities of a fit', async () => {
    const rows = randomRows(200, 4, 9);
    const labels = rows.map(([a, b, c]) => (a! + b! > 0.3 ? 'up' : c! > 0 ? 'left' : 'right'));
    for (const multiclass of ['pairs', 'rest'] as const) {
      const svm = LinearSvm.fit(rows, labels, { multiclass, probability: 'sigmoid' });
      const { label, decision, probabilities } = await runOnnx(svm.toOnnx(), rows);
      expect(label).toEqual(svm.predict(rows));
      expect(distance(probabilities!, svm.probability(rows))).toBeLessThan(1e-12);
      expect(distance(decision, svm.decision(rows))).toBeLessThan(1e-12);
    }
  });
});

type CalibrationKind = 'sigmoid' | 'isotonic' | 'steep';

function calibrationOf(classes: number, way: Way, kind: CalibrationKind): Calibration[] {
  const uniform = random(classes);
  return sidesOf(classes, way).map((_, p): Calibration => {
    if (kind === 'steep') return { kind: 'sigmoid', a: -(10 ** (p % 3 === 0 ? 300 : p % 5)), b: normal(uniform) };
    if (kind === 'sigmoid') return { kind: 'sigmoid', a: -3 * uniform(), b: normal(uniform) };
    const knots = 1 + Math.floor(40 * uniform()); // one of them, too
    const ascending = (width: number) => Float64Array.from({ length: knots }, () => width * (uniform() - 0.5)).sort();
    return { kind: 'isotonic', values: ascending(6), probabilities: ascending(1).map((p) => Math.max(0, 2 * p)) };
  });
}

/** The probability of a plane's positive side. */
function chanceOf(calibration: Calibration, s: number): number {
  if (calibration.kind === 'sigmoid') return 1 / (1 + Math.exp(calibration.a * s + calibration.b));
  const { values: x, probabilities: y } = calibration;
  const k = x.findLastIndex((knot) => knot <= s);
  if (k < 0) return y[0]!;
  if (k + 1 === x.length) return y[k]!;
  return y[k]! + ((y[k + 1]! - y[k]!) * (s - x[k]!)) / (x[k + 1]! - x[k]!);
}

/** The probabilities of classes from those of planes, by the formulas. */
function probabilitiesOf(model: Model, point: readonly number[]): number[] {
  const classes = model.labels.length;
  const chances = Array.from(valuesOf(model, point), (s, p) => chanceOf(model.calibration![p]!, s));
  if (classes === 2) return [1 - chances[0]!, chances[0]!];
  if (!isPairs(model)) {
    const sum = chances.reduce((a, b) => a + b);
    return chances.map((p) => (sum === 0 ? 1 / classes : p / sum));
  }
  const r = model.labels.map(() => new Float64Array(classes));
  sidesOf(classes, 'pairs').forEach(({ positive, negative }, p) => {
    const chance = Math.min(Math.max(chances[p]!, 1e-7), 1 - 1e-7);
    r[positive]![negative!] = chance;
    r[negative!]![positive] = 1 - chance;
  });
  // (Q + e eᵀ) x = e, by elimination and back-substitution.
  const M = r.map((_, t) => [...r.map((_, s) => 1 + (s === t ? squares(t) : -r[s]![t]! * r[t]![s]!)), 1]);
  function squares(t: number): number {
    return r.reduce((sum, row) => sum + row[t]! ** 2, 0);
  }
  for (let t = 0; t < classes; t++) {
    for (let i = t + 1; i < classes; i++) {
      const multiple = M[i]![t]! / M[t]![t]!;
      for (let j = t; j <= classes; j++) M[i]![j]! -= multiple * M[t]![j]!;
    }
  }
  const x = new Array<number>(classes).fill(0);
  for (let t = classes - 1; t >= 0; t--) {
    x[t] = M[t]![classes]!;
    for (let j = t + 1; j < classes; j++) x[t]! -= M[t]![j]! * x[j]!;
    x[t]! /= M[t]![t]!;
  }
  const sum = x.reduce((a, b) => a + b);
  return x.map((p) => p / sum);
}

describe('onnxruntime with the probabilities of a model', () => {
  const cases = KINDS.flatMap(([classes, way, cols]) =>
    (['sigmoid', 'isotonic', 'steep'] as const).map((kind) => [classes, way, cols, kind] as const),
  );
  it.each(cases)('gives those of the formulas: %i classes, %s, %i columns, %s', async (classes, way, cols, kind) => {
    const model = { ...randomModel(numbered(classes), way, cols, classes), calibration: calibrationOf(classes, way, kind) };
    const rows = randomRows(200, cols);
    const { probabilities, label, kinds } = await runOnnx(onnxBytes(model), rows);
    expect(kinds.probabilities).toBe(`float64[200,${classes}]`);
    const expected = rows.flatMap((row) => probabilitiesOf(model, row));
    expect(distance(probabilities!, expected)).toBeLessThan(1e-12);
    expect(distance(svmOf(model).probability(rows), expected)).toBeLessThan(1e-12);
    expect(label).toEqual(svmOf(model).predict(rows));
    for (let i = 0; i < rows.length; i++) {
      const own = probabilities!.subarray(i * classes, (i + 1) * classes);
      expect(Math.abs(own.reduce((a, b) => a + b) - 1)).toBeLessThan(1e-12);
      expect(Math.min(...own)).toBeGreaterThan(-1e-12);
    }
  });

  it('divides alike where every plane against the rest says 0', async () => {
    const planes = [0, 1, 2].map(() => ({ weights: [1], bias: 0 }));
    const isotonic = { kind: 'isotonic' as const, values: Float64Array.of(0, 1), probabilities: Float64Array.of(0, 1) };
    const model = { ...planesOf([1, 2, 3], 'rest', planes), calibration: planes.map(() => isotonic) };
    const { probabilities } = await runOnnx(onnxBytes(model), [[-1], [0.5], [0]]);
    expect([...probabilities!]).toEqual(new Array(9).fill(1 / 3));
  });

  it('is exact at the knots of an isotonic plane, and constant outside them', async () => {
    const [values, probabilities] = [Float64Array.of(-1e300, -1, 0, 1e-300, 8), Float64Array.of(0.1, 0.2, 0.2, 0.7, 1)];
    const model = {
      ...planesOf([1, 2], 'pairs', [{ weights: [1], bias: 0 }]),
      calibration: [{ kind: 'isotonic' as const, values, probabilities }],
    };
    const answer = await runOnnx(onnxBytes(model), [[-1.7e308], ...Array.from(values, (s) => [s]), [9], [1.7e308]]);
    expect(answer.probabilities!.filter((_, k) => k % 2 === 1)).toEqual(Float64Array.of(0.1, ...probabilities, 1, 1));
  });
});

describe('the bytes of model.toOnnx()', () => {
  const model = {
    ...planesOf(['a', 'b', 'c'], 'pairs', [
      { weights: [1, 0.1], bias: -1 },
      { weights: [-0, 1e-300], bias: 2 },
      { weights: [3, 4], bias: 5 },
    ]),
    columns: ['höhe', '"\ud800'],
    calibration: calibrationOf(3, 'pairs', 'sigmoid'),
  };
  const file = readMessage(Buffer.from(onnxBytes(model)));
  const graph = messagesIn(file, 7)[0]!;

  it('say who wrote them, for which operators, and the names of columns', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect([textIn(file, 2), textIn(file, 3)]).toEqual(['fista-classify', version]);
    expect(textIn(file, 6)).toBe('A linear SVM of 3 classes, with 3 planes between pairs of them.');
    expect(file.get(1)).toEqual([7n]);
    expect(messagesIn(file, 8).map((opset) => [textIn(opset, 1), opset.get(2)![0]])).toEqual([['', 13n]]);
    const properties = messagesIn(file, 14).map((property) => [textIn(property, 1), textIn(property, 2)]);
    expect(properties).toEqual([['columns', JSON.stringify(model.columns)]]);
    expect(readMessage(Buffer.from(onnxBytes({ ...model, columns: undefined }))).has(14)).toBe(false);
  });

  it('keep every bit of the weights', () => {
    const weights = messagesIn(graph, 5).find((tensor) => textIn(tensor, 8) === 'weights')!;
    expect([weights.get(1), weights.get(2)]).toEqual([[3n, 2n], [11n]]); // [planes, columns], double
    const bytes = weights.get(9)![0] as Buffer;
    const numbers = Float64Array.from({ length: 6 }, (_, k) => bytes.readDoubleLE(8 * k));
    expect(numbers).toEqual(model.table.weights);
  });

  it('name input and outputs, and what is in them', () => {
    const named = (field: number) =>
      messagesIn(graph, field).map((value) => {
        const tensor = messagesIn(messagesIn(value, 2)[0]!, 1)[0]!;
        const lengths = messagesIn(messagesIn(tensor, 2)[0]!, 1).map((dim) =>
          dim.has(1) ? Number(dim.get(1)![0]) : textIn(dim, 2),
        );
        return [textIn(value, 1), Number(tensor.get(1)![0]), lengths, textIn(value, 3)];
      });
    expect(named(11)).toEqual([['points', 11, ['N', 2], 'One row a point.']]);
    expect(named(12)).toEqual([
      ['label', 8, ['N'], 'The predicted labels.'],
      ['decision', 11, ['N', 3], "One value a class; the largest is the label's."],
      ['probabilities', 11, ['N', 3], 'One a class, in the order "a", "b", "c".'],
    ]);
  });

  it('have no two results and no two constants of one name, and no constant that is not used', () => {
    const kinds = KINDS.map(([classes, way]) => ({
      ...randomModel(numbered(classes), way, 2),
      calibration: calibrationOf(classes, way, 'isotonic'),
    }));
    for (const model of [...kinds, ...kinds.map((kind) => ({ ...kind, calibration: undefined }))]) {
      const graph = messagesIn(readMessage(Buffer.from(onnxBytes(model))), 7)[0]!;
      const made = messagesIn(graph, 1).flatMap((node) => node.get(2)!.map(String));
      const constants = messagesIn(graph, 5).map((tensor) => textIn(tensor, 8));
      const used = new Set(messagesIn(graph, 1).flatMap((node) => (node.get(1) ?? []).map(String)));
      expect(new Set([...made, ...constants]).size).toBe(made.length + constants.length);
      expect(constants.filter((name) => !used.has(name))).toEqual([]);
      expect(made.filter((name) => !used.has(name)).length).toBe(messagesIn(graph, 12).length - (used.has('decision') ? 1 : 0));
    }
  });

  it('are the same every time, whole or in pieces', () => {
    expect(onnxBytes(model)).toEqual(onnxBytes(model));
    expect(Buffer.concat(onnxPieces(model)).equals(onnxBytes(model))).toBe(true);
  });

  it('write many names', () => {
    const columns = Array.from({ length: 10_000 }, (_, j) => `column ${j}`);
    const wide = { ...randomModel([1, 2], 'pairs', columns.length), columns };
    const [property] = messagesIn(readMessage(Buffer.from(onnxBytes(wide))), 14);
    expect(JSON.parse(textIn(property!, 2))).toEqual(columns);
  });
});

describe('model.toOnnx() refuses', () => {
  it('a model beyond 2 GiB, before it is made', () => {
    const { labels, planes } = randomModel([1, 2], 'pairs', 1);
    const table = { weights: { length: 2 ** 28 } as Float64Array, biases: new Float64Array(1) };
    expect(() => onnxBytes({ labels, planes, table, proofs: undefined })).toThrow(
      expect.objectContaining({
        name: 'RangeError',
        code: 'ERR_MODEL',
        message: 'Expected at most 2147483647 bytes, the limit of ONNX files, for the model but its numbers take 2147483656',
      }) as Error,
    );
  });

  it('labels that are not Unicode', () => {
    const model = planesOf(['a', '\ud800'], 'pairs', [{ weights: [1], bias: 0 }]);
    expect(() => svmOf(model).toOnnx()).toThrow(
      expect.objectContaining({
        name: 'RangeError',
        code: 'ERR_LABELS',
        message: 'Expected well-formed Unicode for every label, as ONNX has no other text, but received "\\ud800"',
      }) as Error,
    );
  });
});

it('the example of model.toOnnx() in docs/api.md prints what it says', async () => {
  const page = readFileSync(join(ROOT, 'docs', 'api.md'), 'utf8');
  const section = page.slice(page.indexOf('### model.toOnnx()')).replace('```javascript', '```js');
  const { code } = examplesIn(section)[0]!;
  expect(code).toContain('onnxruntime-web');
  const printed = await runExample(code, ROOT, { beside: ['onnxruntime-web'] });
  expect(printedBy(code).length).toBeGreaterThan(0);
  if (!matches(printed, printedBy(code))) expect(printed).toBe(`${printedBy(code).join('\n')}\n`);
});
