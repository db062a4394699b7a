/** Rows that stay in a file: the same bits as in memory, and an error for whatever a file may be or become. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backend, crossValidate, Dataset, LinearSvm, readLibsvm, stop, type DatasetRow, type SvmOptions } from '../../lib/index.js';
import { BEGINNING, END } from '../../lib/io/dataset-format.js';
import { openFile } from '../../lib/io/dataset-reader.js';
import { Random } from '../../lib/selection/random.js';
import { ROOT } from '../support/child.js';

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'fista-fds-'))));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const fresh = () => join(folder, `${files++}.fds`);
const native = backend.name === 'native';

type Kind = 'dense f64' | 'dense f32' | 'sparse f64' | 'sparse f32' | 'sparse ones' | 'sparse wide';
const KINDS: readonly Kind[] = ['dense f64', 'dense f32', 'sparse f64', 'sparse f32', 'sparse ones', 'sparse wide'];

/** Rows of two classes, as Dataset.write takes them and as Dataset.from does. */
function made(kind: Kind, rows: number, cols: number, seed = 1, far = 0) {
  const random = new Random(seed);
  const next = () => random.next() / 2 ** 31 - 1;
  const labels: number[] = [];
  const items: { label: number; point: Extract<DatasetRow, { label: unknown }>['point'] }[] = [];
  const data = kind === 'dense f32' ? new Float32Array(rows * cols) : new Float64Array(rows * cols);
  const [indptr, indices, values] = [[0], [] as number[], [] as number[]];
  const spread = kind === 'sparse wide' ? 70_000 / cols : 1;
  for (let i = 0; i < rows; i++) {
    const label = next() > 0 ? 1 : -1;
    labels.push(label);
    if (kind.startsWith('dense')) {
      const row = data.subarray(i * cols, (i + 1) * cols);
      for (let j = 0; j < cols; j++) row[j] = next() + (j < 3 ? 0.4 * label : 0) + far * (j + 1);
      items.push({ label, point: row });
      continue;
    }
    const [at, is]: [number[], number[]] = [[], []];
    for (let j = 0; j < cols; j++) {
      if (next() > (j < 3 ? -0.2 * label : -0.5)) continue;
      at.push(Math.floor(j * spread));
      is.push(kind === 'sparse ones' ? 1 : kind === 'sparse f64' ? next() : Math.fround(next()));
    }
    // A column that is in every row, as exact shifts want it.
    if (kind !== 'sparse ones') {
      at.push(Math.floor(cols * spread));
      is.push(kind === 'sparse f64' ? 5 + next() : Math.fround(5 + next()));
    }
    items.push({ label, point: { indices: at, ...(kind !== 'sparse ones' && { values: is }) } });
    indices.push(...at);
    values.push(...is);
    indptr.push(indices.length);
  }
  const width = kind === 'sparse ones' ? cols : Math.floor(cols * spread) + 1;
  const points = kind.startsWith('dense')
    ? { data, rows, cols }
    : {
        indptr: Uint32Array.from(indptr),
        indices: Uint32Array.from(indices),
        ...(kind !== 'sparse ones' && { values: Float64Array.from(values) }),
        rows,
        cols: width,
      };
  return { items, points, labels, cols: width };
}

async function stored(kind: Kind, rows: number, cols: number, seed = 1, far = 0) {
  const one = made(kind, rows, cols, seed, far);
  const path = fresh();
  const written = await Dataset.write(path, one.items, kind.startsWith('sparse') ? { cols: one.cols } : {});
  return { ...one, path, written, dataset: Dataset.open(path) };
}

/** The bits of a fit. */
function bits(model: LinearSvm): string {
  const hash = createHash('sha256');
  for (const { weights, bias } of model.planes) hash.update(Float64Array.of(...weights, bias));
  const { sets, alpha, ...info } = model.info!;
  hash.update(JSON.stringify({ ...info, elapsed: 0, planes: undefined }));
  if (alpha) hash.update(alpha);
  for (const list of Object.values(sets ?? {})) hash.update(list);
  return hash.digest('hex');
}

const FITS: readonly SvmOptions[] = [
  { solver: { window: 100 }, keepSets: true },
  { solver: { window: 64 }, method: 'newton', stop: stop.gap(1e-6) },
  { solver: { window: 64 }, method: 'fista', stop: stop.gap(1e-3) },
  { solver: { window: 500 }, method: 'ascent', scale: 'none', stop: stop.gap(1e-2) },
  { solver: { window: 333 }, loss: 'squared-hinge', classWeight: 'balanced' },
  { solver: { window: 50 }, gamma: 100, stop: stop.gap(1e-8), maxIterations: 200 },
];

describe.each(KINDS)('rows in a file, %s', (kind) => {
  it('are those that were written', async () => {
    const { dataset, points, labels, written, path } = await stored(kind, 300, 9);
    expect(dataset.rows).toBe(300);
    expect(dataset.cols).toBe(points.cols);
    expect(Array.from(dataset.labels!)).toEqual(labels);
    expect(written).toEqual({ rows: 300, cols: points.cols, nnz: dataset.nnz, bytes: statSync(path).size });
    const { form } = Dataset.dataOf(dataset).matrix.describe();
    expect(form).toBe(Dataset.dataOf(Dataset.from(points)).matrix.describe().form);
    const model = LinearSvm.fit(points, labels, { stop: stop.gap(0.1) });
    // Raw values, as predictions take them.
    const apart = model.decision(dataset).map((value, i) => Math.abs(value - model.decision(points)[i]!));
    expect(Math.max(...apart)).toBeLessThan(native ? Number.MIN_VALUE : 1e-12);
    expect(model.predict(dataset)).toEqual(model.predict(points));
    expect(model.score(dataset, dataset.labels as Float64Array).accuracy).toBe(model.score(points, labels).accuracy);
    expect(model.certify(dataset)).toEqual(model.certify(Dataset.from(points)));
  });

  it('train to the bits of a fit in memory, alone and at once, on one thread and more', async () => {
    const { dataset, points, labels } = await stored(kind, 700, 12);
    for (const [k, options] of FITS.entries()) {
      const wanted = bits(LinearSvm.fit(points, labels, options));
      expect([k, bits(LinearSvm.fit(dataset, labels, options))]).toEqual([k, wanted]);
      expect([k, bits(LinearSvm.fit(dataset, labels, { ...options, threads: 1 }))]).toEqual([
        k,
        bits(LinearSvm.fit(points, labels, { ...options, threads: 1 })),
      ]);
    }
    const two = await Promise.all(FITS.slice(0, 3).map((options) => LinearSvm.fitAsync(dataset, labels, options)));
    expect(two.map(bits)).toEqual(FITS.slice(0, 3).map((options) => bits(LinearSvm.fit(points, labels, options))));
  });

  it('train to the same bits where some rows take no part, and in several classes', async () => {
    const { dataset, points, labels } = await stored(kind, 500, 8, 3);
    const sampleWeight = labels.map((_, i) => (i % 7 === 3 ? 0 : i % 5 === 0 ? 2.5 : 1));
    const options = { solver: { window: 70 }, sampleWeight };
    expect(bits(LinearSvm.fit(dataset, labels, options))).toBe(bits(LinearSvm.fit(points, labels, options)));
    const three = labels.map((label, i) => (i % 3 === 0 ? 'other' : String(label)));
    for (const multiclass of ['pairs', 'rest'] as const) {
      const both = [dataset, points].map((one) => LinearSvm.fit(one, three, { multiclass, solver: { window: 70 } }));
      expect(bits(both[0]!)).toBe(bits(both[1]!));
    }
    const scores = await Promise.all([dataset, points].map((one) => crossValidate(one, labels, { folds: 3, gammas: [0.1, 1] })));
    scores[0]!.table.forEach(({ mean }, k) => expect(Math.abs(mean - scores[1]!.table[k]!.mean)).toBeLessThan(0.02));
  });
});

it('far from the origin, files train to the bits of memory, and certificates hold', async () => {
  const { dataset, points, labels } = await stored('dense f64', 400, 6, 5, 1e8);
  const options = { solver: { window: 90 }, keepSets: true, stop: stop.gap(1e-4) };
  const [one, other] = [LinearSvm.fit(dataset, labels, options), LinearSvm.fit(points, labels, options)];
  expect(bits(one)).toBe(bits(other));
  expect(one.info.agreed).toBeGreaterThan(100);
  // What is certified holds for an optimum that is known better.
  const best = LinearSvm.fit(points, labels, { stop: stop.gap(1e-10), maxIterations: 100_000 });
  const sides = best.predict(points);
  for (const i of one.info.sets!.agreed) expect(one.predict(dataset)[i]).toBe(sides[i]);
});

describe.each(KINDS)('a part of the rows in a file, %s', (kind) => {
  it('is that of its number, and all parts are the whole', async () => {
    const { path, dataset, labels } = await stored(kind, 103, 7);
    const model = LinearSvm.fit(dataset, labels, { stop: stop.gap(1e-3) });
    for (const of of [1, 2, 5, 103]) {
      const parts = Array.from({ length: of }, (_, index) => Dataset.open(path, { part: { index, of } }));
      expect(Math.max(...parts.map((part) => part.rows)) - Math.min(...parts.map((part) => part.rows))).toBeLessThanOrEqual(1);
      expect(parts.flatMap((part) => Array.from(part.labels as Float64Array))).toEqual(labels);
      expect(parts.reduce((sum, { nnz }) => sum + nnz, 0)).toBe(dataset.nnz);
      const [found, whole] = [parts.flatMap((part) => Array.from(model.decision(part))), Array.from(model.decision(dataset))];
      // Backends that read the file to memory centre each part by itself.
      if (backend.name === 'native') expect(found).toEqual(whole);
      else found.forEach((value, i) => expect(value).toBeCloseTo(whole[i]!, 9));
    }
  });

  it('trains to the bits of these rows in a file of their own', async () => {
    const { path, items, labels, cols } = await stored(kind, 400, 7);
    const part = Dataset.open(path, { part: { index: 1, of: 3 } });
    const own = fresh();
    await Dataset.write(own, items.slice(133, 266), kind.startsWith('sparse') ? { cols } : {});
    expect(Array.from(part.labels as Float64Array)).toEqual(labels.slice(133, 266));
    const fit = (data: Dataset) => bits(LinearSvm.fit(data, labels.slice(133, 266), { keepSets: true }));
    expect(fit(part)).toBe(fit(Dataset.open(own)));
  });
});

describe('Dataset.open refuses a part', () => {
  it.each([
    ['that is no object', 3, 'Expected { index, of } for options.part but received 3'],
    ['without its number', { of: 2 }, 'Expected an integer from 0 to 1 for options.part.index but received undefined'],
    ['beyond the last', { index: 2, of: 2 }, 'Expected an integer from 0 to 1 for options.part.index but received 2'],
    ['of none', { index: 0, of: 0 }, 'Expected an integer from 1 to 2147483648 for options.part.of but received 0'],
  ])('%s', async (_, part, message) => {
    const { path } = await stored('dense f64', 5, 3);
    expect(() => Dataset.open(path, { part } as never)).toThrow(message);
  });

  it('of more parts than rows', async () => {
    const { path } = await stored('sparse f64', 5, 3);
    expect(() => Dataset.open(path, { part: { index: 0, of: 6 } })).toThrow(
      `Expected at least 6 rows, one for each part, for ${path} but received 5`,
    );
  });
});

describe('windows', () => {
  it('as large as the data are the default of memory, and do not change what is optimal', () => {
    const { points, labels } = made('dense f64', 400, 5);
    const fit = (window?: number) => LinearSvm.fit(points, labels, { solver: { shrinking: false, ...(window && { window }) } });
    expect(bits(fit(400))).toBe(bits(fit()));
    expect(bits(fit(20))).not.toBe(bits(fit()));
    expect(fit(20).info.primal).toBeCloseTo(fit().info.primal, 2);
  });

  it('do as well as one on rows sorted by label', () => {
    const { points, labels } = made('dense f64', 2000, 10, 4);
    const order = Array.from(labels.keys()).sort((a, b) => labels[a]! - labels[b]!);
    const { data } = points as { data: Float64Array };
    const sorted = order.map((i) => data.subarray(10 * i, 10 * i + 10));
    const epochs = (window: number) =>
      LinearSvm.fit(
        sorted,
        order.map((i) => labels[i]!),
        { method: 'ascent', stop: stop.gap(1e-2), solver: { window } },
      ).info.iterations;
    expect(epochs(125)).toBeLessThanOrEqual(2 * epochs(2000));
  });

  it('are refused where rows would not stay in their places', async () => {
    const { points, labels, dataset } = await stored('dense f32', 20, 2);
    expect(() => LinearSvm.fit(points, labels, { solver: { window: 5, shrinking: true } })).toThrow(
      'Expected false for options.solver.shrinking with a window, whose rows stay in order, but received true',
    );
    expect(() => LinearSvm.fit(dataset, labels, { solver: { shrinking: true } })).toThrow('with points in a file');
    expect(() => LinearSvm.fit(points, labels, { solver: { window: 0 } })).toThrow('options.solver.window');
  });
});

describe('Dataset.write', () => {
  const text = '1 1:0.5 3:2\n-1 2:1\n\n# nothing\n1 3:1 4:7\n';

  it.each([
    ['a path', () => (writeFileSync(join(folder, 'a.svm'), text), join(folder, 'a.svm'))],
    ['gzip', () => (writeFileSync(join(folder, 'a.svm.gz'), gzipSync(text)), join(folder, 'a.svm.gz'))],
    ['bytes', () => Buffer.from(text)],
    ['a stream that divides lines', () => Readable.from(Array.from(text, (c) => Buffer.from(c)))],
  ])('reads LIBSVM text from %s', async (_, source) => {
    const path = fresh();
    await Dataset.write(path, source() as never);
    const { points, labels } = await readLibsvm(Buffer.from(text));
    const dataset = Dataset.open(path);
    expect(dataset.labels).toEqual(labels);
    const model = LinearSvm.fit(points, labels);
    expect(model.decision(dataset)).toEqual(model.decision(points));
  });

  it('names the line of a defect, though text is parsed in pieces', async () => {
    const lines = Array.from({ length: 60_000 }, (_, i) => `${i % 2} 1:${i} 7:0.25`);
    lines[50_000] = '1 3:x';
    const path = fresh();
    await expect(Dataset.write(path, Buffer.from(lines.join('\n')))).rejects.toMatchObject({
      code: 'ERR_LIBSVM',
      message: expect.stringContaining('input:50001:3') as string,
    });
    expect(readdirSync(folder).some((name) => name.includes('.tmp') || path === join(folder, name))).toBe(false);
  });

  it('widens what no longer fits, and is then as if it had been wide at once', async () => {
    const rows = (last: DatasetRow[]): DatasetRow[] => [
      ...Array.from({ length: 3000 }, (_, i) => ({ label: i % 2, point: { indices: [i % 50, 60 + (i % 7)] } })),
      ...last,
    ];
    const forms = [];
    for (const last of [
      [],
      [{ label: 1, point: { indices: [3], values: [0.5] } }],
      [
        { label: 1, point: { indices: [3], values: [0.5] } },
        { label: 1, point: { indices: [3], values: [0.1] } },
      ],
      [{ label: 1, point: { indices: [65_534] } }],
      [{ label: 1, point: { indices: [65_535], values: [0.1] } }],
    ]) {
      const path = fresh();
      const { nnz } = await Dataset.write(path, rows(last));
      const dataset = Dataset.open(path);
      expect(dataset.nnz).toBe(nnz);
      forms.push(Dataset.dataOf(dataset).matrix.describe().form);
      const ones = new Float64Array(dataset.cols).fill(1);
      const sums = new Float64Array(dataset.rows);
      Dataset.dataOf(dataset).matrix.multiply(ones, sums, 1);
      expect(Array.from(sums.subarray(0, 3000)).every((sum) => sum === 2)).toBe(true);
      expect(Array.from(sums.subarray(3000))).toEqual(
        last.map(({ point }) => ((point as { values?: number[] }).values ?? [1]).reduce((a, b) => a + b, 0)),
      );
    }
    expect(forms).toEqual(['sparse u16 ones', 'sparse u16 f32', 'sparse u16 f64', 'sparse u16 ones', 'sparse u32 f64']);
  });

  it('reads CSV and JSON lines, with names and labels of any kind', async () => {
    const csv = join(folder, 'a.csv');
    writeFileSync(csv, 'u,label,v\n1,yes,2\n-1,no,0.5\n3,yes,-0\n');
    const one = fresh();
    await Dataset.write(one, csv);
    expect(Dataset.open(one).labels).toEqual(['yes', 'no', 'yes']);
    expect(Dataset.open(one).columns).toEqual(['u', 'v']);
    const model = LinearSvm.fit(Dataset.open(one), Dataset.open(one).labels as string[]);
    expect(model.columns).toEqual(['u', 'v']);
    const jsonl = join(folder, 'a.jsonl');
    writeFileSync(jsonl, '{"u":1,"v":2,"label":true}\n\n{"v":0.5,"u":-1,"label":false}\n');
    const two = fresh();
    await Dataset.write(two, jsonl);
    expect(Dataset.open(two).labels).toEqual([true, false]);
    expect(Dataset.open(two).columns).toEqual(['u', 'v']);
    const three = fresh();
    await Dataset.write(three, Buffer.from('{"label":1,"indices":[0,5]}\n{"label":2,"indices":[2],"values":[3]}'), {
      format: 'jsonl',
    });
    expect(Dataset.open(three).cols).toBe(6);
    expect(Dataset.open(three).labels).toEqual(Float64Array.of(1, 2));
    await expect(Dataset.write(fresh(), Buffer.from('{"u":"x","label":1}'), { format: 'jsonl' })).rejects.toThrow(
      'Expected a number for "u" at input:1 but received "x"',
    );
  });

  it('reads many CSV rows piece by piece', async () => {
    const rows = Array.from({ length: 40_000 }, (_, i) => `${i},${i / 3},${i % 2 ? 'b' : 'a'},${-i}`);
    const path = fresh();
    await Dataset.write(path, Buffer.from(`x,y,label,z\n${rows.join('\n')}\n`), { format: 'csv' });
    const dataset = Dataset.open(path);
    expect([dataset.rows, dataset.cols]).toEqual([40_000, 3]);
    const out = new Float64Array(40_000);
    Dataset.dataOf(dataset)
      .matrix.share()
      .decide(Float64Array.of(1, 3, 1000), Float64Array.of(0), out, 1);
    expect(Math.max(...out.map((value, i) => Math.abs(value - out[0]! + 998 * i)))).toBeLessThan(1e-6);
    expect((dataset.labels as string[]).filter((label) => label === 'a')).toHaveLength(20_000);
  });

  it('rounds to f32 if asked, and refuses what f32 does not hold', async () => {
    const path = fresh();
    await Dataset.write(path, [[0.1], [2]], { values: 'f32' });
    expect(Dataset.dataOf(Dataset.open(path)).matrix.describe().form).toBe('dense f32');
    await expect(Dataset.write(fresh(), [[1e300]], { values: 'f32' })).rejects.toMatchObject({ code: 'ERR_DATASET' });
    await expect(Dataset.write(fresh(), [Float32Array.of(1), Float64Array.of(0.1)])).rejects.toThrow('numbers that f32 holds');
  });

  it.each<[string, unknown, string]>([
    ['no rows', [], 'Expected at least one row for input but received none'],
    ['empty text', Buffer.from(''), 'Expected at least one row'],
    ['NaN', [[1], [NaN]], 'Expected a finite number for number 0 of row 1 but received NaN'],
    ['a longer row', [[1], [1, 2]], 'Expected 1 numbers, as in the first row, for row 1 but received 2'],
    ['another form', [[1], { indices: [0] }], 'as before'],
    ['a missing label', [{ label: 1, point: [1] }, [2]], 'Expected { label, point } for row 1, as before, but received'],
    ['descending columns', [{ indices: [3, 2] }], 'Expected ascending column indices in row 0 but received 2 after 3'],
    ['a number', 5, 'Expected a path, a Readable, a Uint8Array, or rows for source but received 5'],
  ])('refuses %s, and leaves nothing behind', async (_, source, message) => {
    const path = fresh();
    writeFileSync(path, 'old');
    await expect(Dataset.write(path, source as never)).rejects.toThrow(message);
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder).filter((name) => name.includes('.tmp'))).toEqual([]);
  });

  it('ends when it is told to, and when the source fails', async () => {
    const controller = new AbortController();
    const path = fresh();
    const source = function* () {
      for (let i = 0; ; i++) {
        if (i === 50_000) controller.abort(new Error('enough'));
        yield [i, 1, 2, 3, 4, 5, 6, 7];
      }
    };
    await expect(Dataset.write(path, source(), { signal: controller.signal })).rejects.toThrow('enough');
    const failing = function* () {
      yield [1];
      throw new Error('lost');
    };
    await expect(Dataset.write(path, failing())).rejects.toThrow('lost');
    expect(readdirSync(folder).filter((name) => path === join(folder, name) || name.includes('.tmp'))).toEqual([]);
  });
});

describe('Dataset.write of a text', () => {
  it('rounds LIBSVM values to f32 if asked', async () => {
    const text = Buffer.from('1 1:0.1 3:2.7\n-1 2:1e-3\n');
    const [exact, rounded] = [fresh(), fresh()];
    await Dataset.write(exact, text);
    await Dataset.write(rounded, text, { values: 'f32' });
    const value = (path: string) => LinearSvm.fit(Dataset.open(path), [0, 1], { scale: 'none' }).decision([[0, 1, 0]])[0];
    expect(value(rounded)).not.toBe(value(exact));
    const too = Dataset.write(fresh(), Buffer.from('1 1:1e300\n'), { values: 'f32' });
    await expect(too).rejects.toThrow('Expected numbers that f32 can hold for input but received 1e+300');
  });

  it('takes the labels of JSON lines by the name of their field, in every form of rows', async () => {
    const lines = (...rows: object[]) => Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
    const read = async (text: Buffer, label: string | null) => {
      const path = fresh();
      const { cols } = await Dataset.write(path, text, { format: 'jsonl', label });
      return [cols, Dataset.open(path).labels];
    };
    const [a, b] = [7, 8];
    expect(await read(lines({ y: a, point: [1, 2] }, { y: b, point: [3, 4] }), 'y')).toEqual([2, Float64Array.of(a, b)]);
    expect(await read(lines({ point: [1, 2], label: a }), null)).toEqual([2, undefined]);
    expect(await read(lines({ 2015: a, indices: [0], values: [2] }), '2015')).toEqual([1, Float64Array.of(a)]);
    expect(await read(lines({ 2015: a, x: 1, z: 2 }), '2015')).toEqual([2, Float64Array.of(a)]);
    await expect(read(lines({ point: [1, 2] }), 'y')).rejects.toThrow('Expected a field "y", the label,');
    await expect(Dataset.write(fresh(), lines({ x: 1 }), { format: 'jsonl', label: 3 })).rejects.toThrow(
      'Expected the name of a field, or null for options.label of JSON lines but received 3',
    );
  });

  it('keeps the names of many columns, and refuses options that do not fit the text', async () => {
    const names = Array.from({ length: 20_000 }, (_, j) => `c${j}`);
    const csv = Buffer.from(`label,${names.join()}\n1,${names.map((_, j) => j).join()}\n`);
    const path = fresh();
    await Dataset.write(path, csv, { format: 'csv' });
    expect(Dataset.open(path).columns).toEqual(names);
    const small = Buffer.from('label,a,b\n1,2,3\n');
    await expect(Dataset.write(fresh(), small, { format: 'csv', columns: ['a', 'c'] })).rejects.toThrow(
      'Expected "c" for column 1, as in options.columns, for input but received "b"',
    );
    await expect(Dataset.write(fresh(), small, { format: 'csv', cols: 3 })).rejects.toThrow(
      'Expected 3 columns for input but received 2',
    );
  });

  it('takes no time that grows with the square of a line, or of the number of fields', async () => {
    // A minute and more with the square, tenths of a second without.
    const line = Buffer.alloc(1 << 27, '1');
    await expect(Dataset.write(fresh(), line)).rejects.toThrow('Expected a label or index:value of at most');
    const record = JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, j) => [`c${j}`, j])));
    await Dataset.write(fresh(), Buffer.from(`${record}\n`.repeat(30)), { format: 'jsonl', label: null });
  });
});

describe('Dataset.write with a signal', () => {
  const hung = async function* (first: number) {
    for (let i = 0; i < first; i++) yield [i, 1];
    await new Promise(() => undefined);
  };

  it('reads nothing once it is aborted', async () => {
    let asked = 0;
    const rows = function* () {
      for (;;) yield [asked++, 1];
    };
    await expect(Dataset.write(fresh(), rows(), { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
    expect(asked).toBe(0);
  });

  it.each([0, 1, 5])('ends at once, though the source does not answer after %d rows', async (first) => {
    const controller = new AbortController();
    const writing = Dataset.write(fresh(), hung(first), { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 20);
    await expect(writing).rejects.toThrow('enough');
  });

  it('lets the event loop turn, and ends, while rows come that never end', async () => {
    const controller = new AbortController();
    const rows = function* () {
      for (let i = 0; ; i++) yield [i, 1];
    };
    setTimeout(() => controller.abort(new Error('enough')), 20);
    await expect(Dataset.write(fresh(), rows(), { signal: controller.signal })).rejects.toThrow('enough');
  });

  it('closes the source if the target cannot be written', async () => {
    let closed = 0;
    const rows = function* () {
      try {
        for (;;) yield [1, 2];
      } finally {
        closed++;
      }
    };
    await expect(Dataset.write(join(folder, 'none', 'rows.fds'), rows())).rejects.toMatchObject({ code: 'ENOENT' });
    await new Promise((done) => setImmediate(done));
    expect(closed).toBe(1);
  });
});

it('windows hold about as many bytes where long rows are together', async () => {
  const rows = function* () {
    for (let i = 0; i < 40_000; i++) yield { indices: [0], values: [1] };
    const long = { indices: Array.from({ length: 20_000 }, (_, j) => j), values: new Array<number>(20_000).fill(0.5) };
    for (let i = 0; i < 1500; i++) yield long;
  };
  const path = fresh();
  await Dataset.write(path, rows());
  const { window } = openFile(path);
  expect(window * 20_000 * 6).toBeLessThan(3 * 2 ** 26); // if all of it are long rows
  expect(window).toBeGreaterThan(200);
});

describe('Dataset.open', () => {
  it.runIf(native && process.platform === 'linux')('leaves few files open that nobody refers to', async () => {
    const { path } = await stored('dense f32', 20, 3);
    for (let k = 0; k < 3000; k++) {
      Dataset.open(path);
      if (k % 20 === 19) await new Promise((done) => setImmediate(done)); // finalizers run in between
    }
    expect(readdirSync('/proc/self/fd', { encoding: 'utf8' }).length).toBeLessThan(1000);
  });

  it('reads labels later, wherever the process has gone', async () => {
    const { path, labels } = await stored('dense f32', 20, 3);
    const code = `process.chdir(${JSON.stringify(folder)});
      const data = require(${JSON.stringify(ROOT)}).Dataset.open(${JSON.stringify(basename(path))});
      process.chdir('/');
      console.log(JSON.stringify([...data.labels]));`;
    expect(execFileSync(process.execPath, ['-e', code], { encoding: 'utf8' }).trim()).toBe(JSON.stringify(labels));
  });

  it('refuses a file in which something is where nothing should be', async () => {
    const { path } = await stored('dense f32', 20, 3);
    const bytes = readFileSync(path);
    for (const at of [16, BEGINNING - 1, bytes.length - END + 128, bytes.length - 9]) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      const other = fresh();
      writeFileSync(other, changed);
      expect(() => Dataset.open(other)).toThrow('one that has more in it than this version knows of');
    }
  });

  const damaged = async (change: (bytes: Buffer) => Buffer, kind: Kind = 'sparse f32') => {
    const { path } = await stored(kind, 100, 6);
    writeFileSync(path, change(readFileSync(path)));
    return path;
  };
  /** Replaces numbers of the end, and the checksum with them. */
  const claims = (at: number, value: bigint) => (bytes: Buffer) => {
    const end = bytes.length - END;
    bytes.writeBigUInt64LE(value, end + at);
    return bytes;
  };

  it.each<[string, (bytes: Buffer) => Buffer, string]>([
    ['a cut file', (bytes) => bytes.subarray(0, bytes.length - 1), 'one without its end'],
    ['half a file', (bytes) => bytes.subarray(0, bytes.length / 2), 'one without its end'],
    ['a beginning', (bytes) => bytes.subarray(0, 20), 'one without its end'],
    ['nothing', () => Buffer.alloc(0), 'an empty one'],
    ['text', () => Buffer.from('1 1:1\n'), 'something else'],
    ['a longer file', (bytes) => Buffer.concat([bytes, bytes.subarray(-END)]), 'bytes'],
    ['version 2', (bytes) => (bytes.writeUInt32LE(2, 8), bytes), "Expected a dataset's file (.fds) of version 1 for"],
    ['another byte order', (bytes) => (bytes.subarray(8, 16).swap32(), bytes), 'one written on a machine of the other byte order'],
    ['line ends of text', (bytes) => Buffer.concat([bytes.subarray(0, 4), bytes.subarray(5)]), 'changed in transfer, as text'],
    ['2^60 rows', claims(16, 2n ** 60n), 'one that claims 1152921504606847000 rows'],
    ['no rows', claims(16, 0n), 'Expected at least one row'],
    ['2^60 columns', claims(24, 2n ** 60n), 'one that claims 1152921504606847000 columns'],
    ['2^60 entries', claims(32, 2n ** 60n), 'entries'],
    ['more rows', claims(16, 5000n), 'sections are not where its counts put them'],
    ['sections elsewhere', claims(48, 0n), 'sections are not where its counts put them'],
    ['another kind', (bytes) => (bytes.writeUInt32LE(7, bytes.length - END + 4), bytes), 'an unknown kind of rows'],
    ['a changed label', (bytes) => ((bytes[bytes.length - END - 100]! ^= 1), bytes), 'checksum differs'],
    ['a changed count', claims(24, 8n), 'checksum differs'],
    ['a changed checksum', (bytes) => ((bytes[bytes.length - END + 100]! ^= 1), bytes), 'checksum differs'],
  ])('refuses %s', async (_, change, message) => {
    const path = await damaged(change);
    expect(() => Dataset.open(path)).toThrow(expect.objectContaining({ code: 'ERR_DATASET' }) as Error);
    expect(() => Dataset.open(path)).toThrow(message);
  });

  it('refuses a directory, a device, and a path that is none', () => {
    const path = fresh();
    mkdirSync(path);
    expect(() => Dataset.open(path)).toThrow(`Expected a regular file for ${path} but received a directory`);
    expect(() => Dataset.open(5 as never)).toThrow('Expected a path for path but received 5');
    expect(() => Dataset.open(join(folder, 'none'))).toThrow('ENOENT');
    expect(() => Dataset.open(path, { threads: 1 } as object)).toThrow('threads');
    if (process.platform === 'win32') return;
    expect(() => Dataset.open('/dev/null')).toThrow('Expected a regular file for /dev/null but received a device or a pipe');
  });

  const mkfifo = ['/usr/bin/mkfifo', '/bin/mkfifo'].find(existsSync);
  it.skipIf(!mkfifo)('refuses a FIFO, and does not wait for it', () => {
    const fifo = fresh();
    execFileSync(mkfifo!, [fifo]);
    expect(() => Dataset.open(fifo)).toThrow(`Expected a regular file for ${fifo} but received a device or a pipe`);
  });

  it('finds entries that lie, whenever they are read', async () => {
    const change = async (kind: Kind, work: (bytes: Buffer) => void, message: string | RegExp) => {
      const path = await damaged((bytes) => (work(bytes), bytes), kind);
      const use = () => {
        const dataset = Dataset.open(path);
        return LinearSvm.fit(dataset, dataset.labels!);
      };
      expect(use).toThrow(expect.objectContaining({ code: 'ERR_DATASET' }) as Error);
      expect(use).toThrow(message);
      const dataset = native ? Dataset.open(path) : undefined;
      const predict = () =>
        LinearSvm.fromJSON(
          LinearSvm.fit([Array<number>(dataset!.cols).fill(1), Array<number>(dataset!.cols).fill(-1)], [1, 0]).toJSON(),
        ).predict(dataset!);
      if (native) expect(predict).toThrow(message);
    };
    await change('sparse f32', (bytes) => bytes.writeUInt16LE(60_000, BEGINNING), /column/);
    await change('sparse f32', (bytes) => bytes.subarray(BEGINNING, BEGINNING + 400).reverse(), /column/); // shuffled
    await change('sparse wide', (bytes) => bytes.writeUInt32LE(0xffffffff, BEGINNING), /column/);
    await change('dense f64', (bytes) => bytes.writeDoubleLE(NaN, BEGINNING + 8 * 6 * 50), /finite number/);
    await change('dense f32', (bytes) => bytes.writeFloatLE(-Infinity, BEGINNING + 4), /finite number/);
  });

  it.runIf(native)('says which row of which file', async () => {
    const path = await damaged((bytes) => (bytes.writeDoubleLE(NaN, BEGINNING + 8 * (6 * 50 + 2)), bytes), 'dense f64');
    const dataset = Dataset.open(path);
    expect(() => LinearSvm.fit(dataset, dataset.labels!)).toThrow(
      `Expected a finite number for entry 2 of row 50 of ${path} but received NaN`,
    );
  });

  it('gives labels that are words back, and refuses numbers of none', async () => {
    const path = fresh();
    await Dataset.write(path, [
      { label: 'a', point: [1] },
      { label: 'ü', point: [2] },
    ]);
    expect(Dataset.open(path).labels).toEqual(['a', 'ü']);
    const unlabelled = fresh();
    await Dataset.write(unlabelled, [[1], [2]]);
    expect(Dataset.open(unlabelled).labels).toBeUndefined();
    expect(Dataset.from([[1]]).labels).toBeUndefined();
  });

  it('can be disposed of, also during a fit', async () => {
    const { dataset, labels } = await stored('sparse f64', 3000, 20);
    const fit = LinearSvm.fitAsync(dataset, labels, { solver: { window: 500 } });
    dataset.dispose();
    expect((await fit).info.rows).toBe(3000);
    expect(() => LinearSvm.fit(dataset, labels)).toThrow('it was disposed of');
  });

  it('ends at the time limit and by a signal', async () => {
    const { dataset, labels } = await stored('dense f64', 5000, 40);
    const short = LinearSvm.fit(dataset, labels, { timeLimit: 1e-3 });
    expect(short.info.status).toBe('time-limit');
    const signal = AbortSignal.timeout(1);
    const fit = LinearSvm.fitAsync(dataset, labels, { signal, stop: stop.gap(1e-15), gamma: 1e5 });
    await expect(fit.catch((error: unknown) => error === signal.reason)).resolves.toBe(true);
    expect(LinearSvm.fit(dataset, labels).info.status).not.toBe('time-limit');
  });
});

describe.runIf(native)('a file that changes while it is in use', () => {
  it.each<[string, (path: string) => void]>([
    ['is cut', (path) => truncateSync(path, statSync(path).size / 2)],
    ['is emptied', (path) => truncateSync(path, 0)],
    ['is appended to', (path) => appendFileSync(path, 'x')],
    ['is written over', (path) => writeFileSync(path, Buffer.alloc(statSync(path).size))],
    ['has another time', (path) => utimesSync(path, 1, 1)],
  ])('is an error where it %s', async (_, change) => {
    const { dataset, labels, path, points } = await stored('sparse f64', 4000, 30);
    const model = LinearSvm.fit(points, labels);
    let checks = 0;
    const options: SvmOptions = {
      stop: stop.gap(1e-14),
      gamma: 1e4,
      onProgress: () => {
        if (++checks === 2) change(path);
      },
    };
    const wanted = expect.objectContaining({ code: 'ERR_DATASET', message: expect.stringContaining(path) as string }) as Error;
    expect(() => LinearSvm.fit(dataset, labels, options)).toThrow(wanted);
    // For good: what was found of the file before no longer says what it holds.
    await expect(LinearSvm.fitAsync(dataset, labels)).rejects.toThrow(wanted);
    expect(() => model.predict(dataset)).toThrow(wanted);
    expect(() => model.certify(dataset)).toThrow(wanted);
  });

  it('is an error before the first fit, too', async () => {
    const { dataset, labels, path } = await stored('dense f64', 2000, 30);
    truncateSync(path, 5000);
    expect(() => LinearSvm.fit(dataset, labels)).toThrow(expect.objectContaining({ code: 'ERR_DATASET' }) as Error);
    await expect(LinearSvm.fitAsync(dataset, labels)).rejects.toMatchObject({ code: 'ERR_DATASET' });
  });

  it('is not the same file once another took its name', async () => {
    const { dataset, labels, path } = await stored('dense f64', 300, 5, 1);
    const before = bits(LinearSvm.fit(dataset, labels));
    await Dataset.write(path, made('dense f64', 300, 5, 2).items);
    expect(bits(LinearSvm.fit(dataset, labels))).toBe(before);
    expect(bits(LinearSvm.fit(Dataset.open(path), labels))).not.toBe(before);
  });
});

describe.runIf(native)('the TypeScript kernels', () => {
  it('read a file to memory, and train to the same optimum', async () => {
    const { path, labels } = await stored('sparse f32', 400, 9);
    const [one, other] = (['native', 'js'] as const).map((name) =>
      LinearSvm.fit(Dataset.open(path, { backend: name }), labels, { solver: { window: 80 }, stop: stop.gap(1e-6) }),
    );
    expect(other!.info.backend).toBe('js');
    expect(other!.info.iterations).toBe(one!.info.iterations);
    expect(other!.info.primal).toBeCloseTo(one!.info.primal, 8);
  });
});

it('holds little memory, whatever the size of the file', () => {
  const path = fresh();
  const script = `
    const { Dataset, LinearSvm } = require(${JSON.stringify(join(__dirname, '../..'))});
    const row = new Float32Array(1000);
    const rows = function* () { for (let i = 0; i < 100_000; i++) { row[i % 1000] = i % 17; yield { label: i % 2, point: row }; } };
    Dataset.write(process.argv[1], rows()).then(({ bytes }) => {
      global.gc();
      console.log(bytes, process.resourceUsage().maxRSS * 1024);
    });`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', '-e', script, path], { encoding: 'utf8' });
  expect(stderr).toBe('');
  const [bytes, used] = stdout.split(' ').map(Number) as [number, number];
  expect(bytes).toBeGreaterThan(400e6);
  expect(used).toBeLessThan(250e6);
}, 120_000);
