/** Objects that misreport themselves: own properties length or buffer, getters whose value changes, revoked proxies. */
import { describe, expect, it } from 'vitest';
import {
  crossValidate,
  Dataset,
  ellipsoidFromCovariance,
  LinearSvm,
  readCsv,
  readLibsvm,
  separateEllipsoids,
  stop,
  trainTestSplit,
  writeLibsvm,
} from '../../lib/index.js';
import { isShared, plainView, zerosLike } from '../../lib/input/intrinsics.js';
import { lengthOf } from '../../lib/input/lists.js';
import { run } from '../support/child.js';
import { names, natives } from '../support/backends.js';

const rows = [[0, 0], [1, 0], [0, 1], [1, 1]]; // prettier-ignore
const labels = [-1, -1, 1, 1];
const model = LinearSvm.fit(rows, labels);
const json = () => JSON.parse(JSON.stringify(model)) as Record<string, unknown>;

/** A typed array with own properties that hide the true ones. */
function lying<T extends object>(view: T, properties: Record<string, unknown>): T {
  for (const [name, value] of Object.entries(properties)) Object.defineProperty(view, name, { value });
  return view;
}

function revoked(target: object = {}): never {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy as never;
}

async function refusal(call: () => unknown): Promise<string> {
  try {
    return JSON.stringify(await call());
  } catch (error) {
    const { name, code, message } = error as Error & { code?: string };
    return `${name} [${code}] ${message}`;
  }
}

describe('typed arrays with own properties that hide the true ones', () => {
  it('isShared, lengthOf, plainView and zerosLike see the true memory', () => {
    const view = lying(new Float64Array(new SharedArrayBuffer(24), 8, 2).fill(7), {
      buffer: new ArrayBuffer(8),
      length: 9,
      byteOffset: 0,
    });
    expect(isShared(view)).toBe(true);
    expect(lengthOf(view)).toBe(2);
    const plain = plainView(view);
    expect([plain.length, plain.byteOffset, ...plain]).toEqual([2, 8, 7, 7]);
    plain[0] = 1;
    expect(view[0]).toBe(1);
    class Odd extends Float64Array {
      override get length() {
        return 5;
      }
    }
    expect(lengthOf(new Odd(3))).toBe(3);
    expect(plainView(new Odd(3)).constructor).toBe(Float64Array);
    expect(zerosLike(lying(new Int16Array(3), { constructor: Array }), 2)).toEqual(new Int16Array(2));
    const gone = new Float64Array(4);
    structuredClone(gone, { transfer: [gone.buffer] });
    expect(plainView(gone)).toEqual(new Float64Array(0));
  });

  it.each(names)('Dataset.from and readLibsvm read the true memory (%s)', async (backend) => {
    const Data = (data: Float64Array) => () => Dataset.from({ data, rows: 4, cols: 2 }, { backend });
    const short = 'RangeError [ERR_POINTS] Expected rows × cols = 8 numbers for points.data but received 2';
    expect(await refusal(Data(lying(new Float64Array(2), { length: 8 })))).toBe(short);
    expect(Data(lying(new Float64Array(8), { length: 2, buffer: null, byteOffset: -1, subarray: null }))().nnz).toBe(8);
    const csr = (change: object) => () => Dataset.from({ indptr: [0, 1], indices: [0], rows: 1, cols: 2, ...change }, { backend });
    expect(await refusal(csr({ indptr: lying(new Uint32Array(1), { length: 2 }) }))).toMatch(
      /rows \+ 1 = 2 offsets .* received 1$/,
    );
    expect(await refusal(csr({ values: lying(new Float64Array(0), { length: 1 }) }))).toMatch(
      /Expected 1 number for points\.values/,
    );
    const signed = lying(Int32Array.of(0, 1), { buffer: new ArrayBuffer(0), byteOffset: 9, length: 7 });
    expect(csr({ indptr: signed })().nnz).toBe(1);
    const bytes = (properties: Record<string, unknown>) => readLibsvm(lying(Buffer.from('1 1:1\n'), properties), { backend });
    for (const properties of [{ length: 1e9 }, { buffer: 5, subarray: 7 }, { length: 0 }]) {
      expect((await bytes(properties)).points.rows).toBe(1);
    }
  });

  it('model.decision(points, out) writes to the true memory of out', async () => {
    const short = 'RangeError [ERR_OPTION] Expected 4 numbers for out, one for each row of points, but received 2';
    expect(await refusal(() => model.decision(rows, lying(new Float64Array(2), { length: 4 })))).toBe(short);
    const out = lying(new Float64Array(4), { length: 2, set: undefined });
    expect(model.decision(rows, out)).toBe(out);
    expect([0, 1, 2, 3].map((i) => out[i])).toEqual([...model.decision(rows)]);
    for (const fake of [Object.create(Float64Array.prototype), new Proxy(new Float64Array(4), {}), new Float32Array(4)]) {
      expect(await refusal(() => model.decision(rows, fake as never))).toMatch(
        /^TypeError \[ERR_OPTION\] Expected a Float64Array for out/,
      );
    }
  });

  it('fit, score and trainTestSplit count the true numbers of labels and weights', async () => {
    const two = 'RangeError [ERR_LABELS] Expected 4 labels, one for each row of points, but received 2';
    expect(await refusal(() => LinearSvm.fit(rows, lying(new Float64Array(2), { length: 4 })))).toBe(two);
    expect(await refusal(() => model.score(rows, lying(new Float64Array(2), { length: 4 })))).toBe(two);
    expect(await refusal(() => trainTestSplit(rows, lying(new Float64Array(2), { length: 4 })))).toBe(two);
    const warmStart = { weights: lying(new Float64Array(1), { length: 2 }), bias: 0 };
    expect(await refusal(() => LinearSvm.fit(rows, labels, { warmStart }))).toMatch(/Expected 2 numbers .* but received 1$/);
  });

  it('decision, fit and crossValidate refuse an object that only looks like a Dataset', async () => {
    const message = /^TypeError \[ERR_POINTS\] Expected rows of numbers, .* or a Dataset for points but received/;
    for (const fake of [Object.create(Dataset.prototype), new Proxy(Dataset.from(rows), {})] as never[]) {
      expect(await refusal(() => model.decision(fake))).toMatch(message);
      expect(await refusal(() => LinearSvm.fit(fake, labels))).toMatch(message);
      expect(await refusal(() => crossValidate(fake, labels))).toMatch(message);
    }
  });
});

describe('a list with a huge length and no entries', () => {
  const long = (length: number) => Object.assign([] as never[], { length });
  const calls: [string, () => unknown][] = [
    ['rows', () => LinearSvm.fit(long(4e9), labels)],
    ['indices', () => model.decision({ indptr: [0, 1], indices: long(4e9), rows: 1, cols: 2 })],
    ['values', () => model.decision({ indptr: [0, 1], indices: [0], values: long(4e9), rows: 1, cols: 2 })],
    ['ellipsoids', () => separateEllipsoids(long(4e9), [])],
    ['a center', () => separateEllipsoids([{ center: { length: 2 ** 40 } }], [])],
    ['a shape', () => separateEllipsoids([{ center: [1], shape: { length: 2 ** 40 } }], [])],
    ['a mean', () => ellipsoidFromCovariance({ length: 2 ** 40 }, [])],
    ['gammas', () => crossValidate(rows, labels, { folds: 2, gammas: { length: 2 ** 40 } })],
    ['rules', () => LinearSvm.fit(rows, labels, { stop: long(4e9) })],
    ['weights', () => LinearSvm.fromJSON({ ...json(), checksum: undefined, weights: long(2 ** 28) })],
    ['rows to be split', () => trainTestSplit(long(4e9), { length: 4e9 })],
  ];
  it.each(calls)('is refused at its first missing entry, or for its length: %s', async (_, call) => {
    expect(await refusal(call)).toMatch(/^(Type|Range)Error \[ERR_\w+\] Expected .* but received (undefined|1099511627776)$/);
  });
});

describe('a revoked proxy', () => {
  const calls: [string, () => unknown][] = [
    ['points', () => LinearSvm.fit(revoked(), labels)],
    ['points, later', () => LinearSvm.fitAsync(revoked([]), labels)],
    ['a row', () => Dataset.from([revoked([])])],
    ['data', () => Dataset.from({ data: revoked(), rows: 1, cols: 1 })],
    ['indptr', () => model.decision({ indptr: revoked([]), indices: [], rows: 1, cols: 2 })],
    ['values', () => model.decision({ indptr: [0, 1], indices: [0], values: revoked([]), rows: 1, cols: 2 })],
    ['out', () => model.decision(rows, revoked())],
    ['points to predict', () => model.predict(revoked())],
    ['a point', () => model.predictOne(revoked())],
    ['indices of a point', () => model.predictOne({ indices: revoked() })],
    ['values of a point', () => model.predictOne({ indices: [0], values: revoked() })],
    ['labels', () => LinearSvm.fit(rows, revoked([]))],
    ['a label', () => LinearSvm.fit(rows, [revoked(), 1, 2, 2])],
    ['labels to score', () => model.score(rows, revoked([]))],
    ['options', () => LinearSvm.fit(rows, labels, revoked())],
    ['gamma', () => LinearSvm.fit(rows, labels, { gamma: revoked() })],
    ['classWeight', () => LinearSvm.fit(rows, labels, { classWeight: revoked() })],
    ['sampleWeight', () => LinearSvm.fit(rows, labels, { sampleWeight: revoked() })],
    ['stop', () => LinearSvm.fit(rows, labels, { stop: revoked() })],
    ['a rule', () => LinearSvm.fit(rows, labels, { stop: [revoked()] })],
    ['signal', () => LinearSvm.fit(rows, labels, { signal: revoked() })],
    ['onProgress', () => LinearSvm.fit(rows, labels, { onProgress: revoked(() => undefined) })],
    ['warmStart', () => LinearSvm.fit(rows, labels, { warmStart: revoked() })],
    ["warmStart's weights", () => LinearSvm.fit(rows, labels, { warmStart: { weights: revoked(), bias: 0 } })],
    ['folds', () => crossValidate(rows, labels, { folds: revoked() })],
    ['gammas', () => crossValidate(rows, labels, { folds: 2, gammas: revoked() })],
    ['points to validate', () => crossValidate(revoked(), labels)],
    ['points to split', () => trainTestSplit(revoked(), labels)],
    ['labels to split', () => trainTestSplit(rows, revoked())],
    ['a family', () => separateEllipsoids(revoked(), [])],
    ['an ellipsoid', () => separateEllipsoids([revoked()], [])],
    ['a center', () => separateEllipsoids([{ center: revoked() }], [])],
    ['a shape', () => separateEllipsoids([{ center: [1], shape: revoked() }], [])],
    ["a shape's row", () => separateEllipsoids([{ center: [1], shape: [revoked()] }], [])],
    ['centers', () => separateEllipsoids({ centers: revoked(), shapes: revoked() }, [])],
    ['a mean', () => ellipsoidFromCovariance(revoked(), [])],
    ['a covariance', () => ellipsoidFromCovariance([1], revoked())],
    ["a covariance's row", () => ellipsoidFromCovariance([1], [revoked()])],
    ['JSON', () => LinearSvm.fromJSON(revoked())],
    ['JSON weights', () => LinearSvm.fromJSON({ ...json(), weights: revoked([]) })],
    ['JSON labels', () => LinearSvm.fromJSON({ ...json(), labels: revoked([]) })],
    ['text', () => LinearSvm.fromLiblinear(revoked())],
    ['a source', () => readLibsvm(revoked())],
    ['a source of CSV', () => readCsv(revoked(), { label: 0 })],
    ['a label column', () => readCsv('nothing', { label: revoked() })],
    ['a target', () => writeLibsvm(revoked(), rows, labels)],
    ['points to write', () => writeLibsvm('nothing', revoked(), labels)],
    ['labels to write', () => writeLibsvm('nothing', rows, revoked())],
    ['options of a rule', () => stop.stale(revoked())],
    ['a gap', () => stop.gap(revoked())],
  ];
  it.each(calls)('is refused with a code as %s', async (_, call) => {
    expect(await refusal(call)).toMatch(/^(Type|Range)Error \[ERR_\w+\] Expected .* but received (a revoked proxy|an object)$/);
  });
});

describe('a property whose value changes between two reads', () => {
  /** A proxy whose properties and list entries are NaN from the second read on. */
  function once(value: object, asked: string[] = [], path = ''): object {
    const seen = new Set<string | symbol>();
    return new Proxy(value, {
      get: (target, name) => {
        if (name === 'length' || typeof name === 'symbol') return Reflect.get(target, name) as unknown;
        asked.push(`${path}${name}`);
        if (seen.has(name)) return NaN;
        seen.add(name);
        const found: unknown = Reflect.get(target, name);
        return typeof found === 'object' && found !== null ? once(found, asked, `${path}${name}.`) : found;
      },
    });
  }

  it('does not get an unchecked value into LinearSvm.fromJSON', () => {
    const asked: string[] = [];
    const read = LinearSvm.fromJSON(once(json(), asked));
    expect(read.weights).toEqual(model.weights);
    expect([read.bias, read.labels]).toEqual([model.bias, model.labels]);
    expect(asked).toEqual(expect.arrayContaining(['format', 'weights', 'weights.0', 'labels.1']));
    expect(new Set(asked).size).toBe(asked.length);
    // An own iterator of a list is not used either.
    const odd = (list: unknown) => Object.assign([...(list as unknown[])], { *[Symbol.iterator]() { yield NaN; } }); // prettier-ignore
    const { weights, labels: two, ...rest } = json();
    expect(LinearSvm.fromJSON({ ...rest, weights: odd(weights), labels: odd(two) }).weights).toEqual(model.weights);
  });

  it('does not get an unchecked value into fit, Dataset.from, separateEllipsoids or ellipsoidFromCovariance', () => {
    const csr = { indptr: [0, 0, 1, 2, 4], indices: [0, 1, 0, 1], values: [1, 1, 1, 1], rows: 4, cols: 2 };
    const expected = LinearSvm.fit(csr, labels, { scale: 'none' });
    const options = { scale: 'none', warmStart: { weights: [0, 0], bias: 0 }, sampleWeight: [1, 1, 1, 1] };
    const fitted = LinearSvm.fit(once(csr) as typeof csr, labels, once(options));
    expect(fitted.info.status).toBe(expected.info.status);
    expect(Dataset.from(once(csr) as typeof csr).nnz).toBe(4);
    const shape = [[1, 0], [0, 1]]; // prettier-ignore
    const separated = separateEllipsoids(once([{ center: [0, 0], shape }]) as never, [{ center: [9, 9], radius: 1 }]);
    expect(separated.status).toBe('separated');
    expect(ellipsoidFromCovariance(once([0, 0]) as number[], once(shape) as number[][])).toEqual(
      ellipsoidFromCovariance([0, 0], shape),
    );
  });
});

describe('model.decision(points) in shared memory', () => {
  it.skipIf(natives.length === 0)(
    'copies the points before it checks them, even if an array hides that it is shared',
    { tags: ['slow'] },
    async () => {
      // The writer repeatedly makes column indices invalid for a moment. If they were checked in place and then used, the process
      // would crash within a few hundred decisions; a copy is either refused or sound.
      const body = `
      const { Worker } = require('node:worker_threads');
      const n = 200_000;
      const indices = new Uint32Array(new SharedArrayBuffer(4 * n));
      const good = Uint32Array.from({ length: n }, (_, k) => k);
      indices.set(good);
      const writer = new Worker(\`
        const { indices, good, n } = require('node:worker_threads').workerData;
        for (let at = n - 1; ; at = at > n / 2 ? at - 1 : n - 1) {
          for (let k = 0; k < 64; k++) indices[at - k] = 0xfffffff0;
          for (let k = 0; k < 64; k++) indices[at - k] = good[at - k];
          for (let s = 0; s < 30000; s++);
        }
      \`, { eval: true, workerData: { indices, good, n } });
      await new Promise((ok) => writer.on('online', ok));
      const model = fista.LinearSvm.fromJSON({ format: 'fista-classify/linear-svm', version: 1, labels: [0, 1], bias: 0, weights: Array(n).fill(1) });
      const hidden = Object.defineProperty(indices, 'buffer', { value: new ArrayBuffer(8) });
      const points = { indptr: [0, n], indices: hidden, rows: 1, cols: n };
      let done = 0;
      for (; done < 2000; done++) {
        try { if (model.decision(points)[0] !== n) throw new Error('a wrong sum'); } catch (error) { if (error.code !== 'ERR_POINTS') throw error; }
      }
      await writer.terminate();
      return done;`;
      expect(await run(body)).toBe(2000);
    },
  );
});
