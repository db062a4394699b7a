import { createReadStream, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { types } from 'node:util';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Backend, Parser, ParseDefect } from '../../lib/backend/interface.js';
import { Dataset, LinearSvm, readLibsvm, writeLibsvm, type ReadLibsvmOptions } from '../../lib/index.js';
import { chunks } from '../../lib/io/source.js';
import { js, kernelsInC, names, natives } from '../support/backends.js';
import { ROOT } from '../support/child.js';

const folder = mkdtempSync(join(tmpdir(), 'fista-classify-'));
afterAll(() => rmSync(folder, { recursive: true }));

const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));

/** A stream of chunks of `size` bytes. */
function inChunks(all: Uint8Array, size: number): Readable {
  return Readable.from(
    (function* () {
      for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
    })(),
    { objectMode: true },
  );
}

/** Counts the turns of the event loop until the returned function is called. */
function counted(): () => number {
  let turns = 0;
  let handle: NodeJS.Immediate;
  const turn = () => {
    turns++;
    handle = setImmediate(turn);
  };
  handle = setImmediate(turn);
  return () => {
    clearImmediate(handle);
    return turns;
  };
}

const SIZES = [1, 2, 7, 64, 1 << 20];

/** The result of reading a text; both backends and all chunk sizes must agree. */
async function everyWay(text: string, options: ReadLibsvmOptions = {}): Promise<unknown> {
  const outcomes = new Map<string, unknown>();
  for (const backend of names) {
    for (const size of SIZES) {
      const outcome = await readLibsvm(inChunks(bytes(text), size), { ...options, backend }).catch((error: Error) => String(error));
      outcomes.set(`${backend}, chunks of ${size}`, outcome);
    }
    const outcome = await readLibsvm(bytes(text), { ...options, backend }).catch((error: Error) => String(error));
    outcomes.set(`${backend}, bytes`, outcome);
  }
  const [first] = outcomes.values();
  for (const [way, outcome] of outcomes) expect(outcome, way).toEqual(first);
  return first;
}

/** Rows as [label, { index: value }], as in the table below. */
function rowsOf({ points, labels }: Awaited<ReturnType<typeof readLibsvm>>): [number | string, Record<number, number>][] {
  return Array.from({ length: points.rows }, (_, i) => {
    const [from, to] = [points.indptr[i]!, points.indptr[i + 1]!];
    const entries = Array.from(points.indices.subarray(from, to), (j, k) => [j, points.values?.[from + k] ?? 1] as const);
    return [labels[i]!, Object.fromEntries(entries)];
  });
}

describe('readLibsvm(source, options)', () => {
  const good: [what: string, text: string, rows: [number | string, Record<number, number>][], options?: ReadLibsvmOptions][] = [
    ['labels +1 and -1', '+1 1:1 3:1\n-1 2:1\n', [[1, { 0: 1, 2: 1 }], [-1, { 1: 1 }]]], // prettier-ignore
    ['labels 0, 1 and 2', '0 1:1\n1 1:1\n2 1:1\n', [[0, { 0: 1 }], [1, { 0: 1 }], [2, { 0: 1 }]]], // prettier-ignore
    ['labels that are fractions', '-0.5 1:2\n1e3 1:2', [[-0.5, { 0: 2 }], [1000, { 0: 2 }]]], // prettier-ignore
    ['labels that are words', 'spam 1:1\nn\xc3\xb6+1 2:1\nspam\n', [['spam', { 0: 1 }], ['nö+1', { 1: 1 }], ['spam', {}]], { labels: 'string' }], // prettier-ignore
    ["numbers with labels: 'string'", '+1 1:1\n01 2:1\n', [['+1', { 0: 1 }], ['01', { 1: 1 }]], { labels: 'string' }], // prettier-ignore
    ['empty rows', '1\n2 \n3', [[1, {}], [2, {}], [3, {}]]], // prettier-ignore
    ['comments', '# all\n1 1:2# two\n   # three\n2 3:4 #\n#', [[1, { 0: 2 }], [2, { 2: 4 }]]], // prettier-ignore
    ['line ends with carriage returns', '1 1:1\r\n\r\n2 2:2\r\n', [[1, { 0: 1 }], [2, { 1: 2 }]]], // prettier-ignore
    ['leading and trailing tabs and blanks', ' \t1\t1:1  2:2\t \n  2 1:3 \t\r\n', [[1, { 0: 1, 1: 2 }], [2, { 0: 3 }]]], // prettier-ignore
    ['blank lines', '\n\n1 1:1\n \n\t\n2\n\n', [[1, { 0: 1 }], [2, {}]]], // prettier-ignore
    ['a file without a final newline', '1 1:1\n2 10:10', [[1, { 0: 1 }], [2, { 9: 10 }]]], // prettier-ignore
    ['numbers in every notation', '1 1:1. 2:.5 3:+5 4:-0 5:1E2 6:1e+2 7:25e-1 8:007 9:0.0', [[1, { 0: 1, 1: 0.5, 2: 5, 3: -0, 4: 100, 5: 100, 6: 2.5, 7: 7, 8: 0 }]]], // prettier-ignore
    ['indices with leading zeros', '1 01:2 0000000000002:3', [[1, { 0: 2, 1: 3 }]]],
    ['the highest index', '1 2147483647:1', [[1, { 2147483646: 1 }]]],
    ['indices from 0', '1 0:1 2147483647:2', [[1, { 0: 1, 2147483647: 2 }]], { zeroBased: true }],
    ['values that underflow to 0', '1 1:1e-999 2:-1e-400', [[1, { 0: 0, 1: -0 }]]],
    ['the largest number', '1 1:1.7976931348623157e308', [[1, { 0: Number.MAX_VALUE }]]],
    ['a byte order mark', '\xef\xbb\xbf1 1:2\n', [[1, { 0: 2 }]]],
    ['fewer columns than options.cols', '1 2:3', [[1, { 1: 3 }]], { cols: 5 }],
    ['a token of 1000 bytes', `1 1:${'0'.repeat(997)}5 2:3`, [[1, { 0: 5, 1: 3 }]]],
    ['a long comment', `1 1:2 #${'x'.repeat(5000)}\n2`, [[1, { 0: 2 }], [2, {}]]], // prettier-ignore
  ];

  it.each(good)('reads %s', async (_, text, rows, options) => {
    const data = (await everyWay(text, options)) as Awaited<ReturnType<typeof readLibsvm>>;
    expect(typeof data === 'string' ? data : rowsOf(data)).toEqual(rows);
    expect(data.ignored).toBe(0);
  });

  const NUL = '"\\u0000\\u0001\ufffd"';
  const bad: [what: string, text: string, message: string, options?: ReadLibsvmOptions][] = [
    ['an empty file', '', 'at least one row at input:1:1 but received none'],
    ['a file of comments', '# 1\n\n#2', 'at least one row at input:3:3 but received none'],
    ['an index without value', '1 2:1\n1 3:', 'index:value at input:2:3 but received "3:"'],
    ['an index without colon', '1 1:1 3\n', 'index:value at input:1:7 but received "3"'],
    ['a value without index', '1 :3\n', 'index:value at input:1:3 but received ":3"'],
    ['an index that is not a number', '1 x:3 4', 'index:value at input:1:3 but received "x:3"'],
    ['a negative index', '1 -1:3', 'index:value at input:1:3 but received "-1:3"'],
    ['an index with a fraction', '1 1.5:3', 'index:value at input:1:3 but received "1.5:3"'],
    ['a query id', '1 qid:3 1:1', 'index:value at input:1:3 but received "qid:3"; query ids, for ranking, are not supported'],
    ['the index 0', '1 0:1', 'an index from 1 at input:1:3 but received "0:1"; for a file that counts from 0 set zeroBased: true'],
    ['an index twice', '1 3:1 3:2', 'each index once in a row at input:1:7 but received "3:2"'],
    ['index 0 twice', '1 0:1 0:2', 'each index once in a row at input:1:7 but received "0:2"', { zeroBased: true }],
    ['indices that descend', '1 30:1 4:2', 'an index above 30, as indices ascend in a row, at input:1:8 but received "4:2"'],
    ['an index of 2^31', '1 2147483648:1', 'an index of at most 2147483647 at input:1:3 but received "2147483648:1"'],
    ['an index of 2^64 + 1', '1 18446744073709551617:1', 'an index of at most 2147483647 at input:1:3 but received "18446744073709551617:1"'],
    ['an index beyond the columns', '1 4:1 5:1', 'an index of at most 4, as options.cols is 4, at input:1:7 but received "5:1"', { cols: 4 }],
    ['an index beyond the columns with zeroBased: true', '1 3:1 4:1', 'an index of at most 3, as options.cols is 4, at input:1:7 but received "4:1"', { cols: 4, zeroBased: true }],
    ...['1e999', '-1e400', '1.7976931348623159e308', 'nan', 'NaN', 'inf', '-Infinity', '0x10', '1e', '1e+', '.', '-', '1,5', '1:2', '1.2.3', '1_000', '١'].map(
      (value): [string, string, string] => [
        `the value ${value}`,
        `1 1:1 2:${Buffer.from(value).toString('latin1')} 3:1`,
        `index:value with a finite number at input:1:7 but received ${JSON.stringify(`2:${value}`)}`,
      ],
    ),
    ['a label that is not a number', '1\nx 1:1', `a finite number, the label, at input:2:1 but received "x"; for labels that are words set labels: 'string'`],
    ['the label nan', 'nan 1:1', `a finite number, the label, at input:1:1 but received "nan"; for labels that are words set labels: 'string'`],
    ['the label 1e999', '1e999', `a finite number, the label, at input:1:1 but received "1e999"; for labels that are words set labels: 'string'`],
    ['a row without label', '1:1 2:1', 'a finite number, the label, at input:1:1 but received "1:1"'],
    ['a row without label that is a word', 'a 1:1\n 1:1 2:1', 'a label in UTF-8 without ":" at input:2:2 but received "1:1"', { labels: 'string' }],
    ['binary data', '\0\x01\xff \x02', `a finite number, the label, at input:1:1 but received ${NUL}; for labels that are words set labels: 'string'`],
    ["binary data with labels: 'string'", '\0\x01\xff \x02', `a label in UTF-8 without ":" at input:1:1 but received ${NUL}`, { labels: 'string' }],
    ['labels that are not UTF-8', 'a\nb\xe4 1:1', 'a label in UTF-8 without ":" at input:2:1 but received "b\ufffd"', { labels: 'string' }],
    ['a label of 1001 bytes', `\n\n  ${'1'.repeat(1001)}`, `a label or index:value of at most 1000 bytes at input:3:3 but received "${'1'.repeat(40)}…"`],
    ['an entry of 1001 bytes', `1 1:${'0'.repeat(999)}`, `a label or index:value of at most 1000 bytes at input:1:3 but received "1:${'0'.repeat(38)}…"`],
    ['an index of 3000 digits', `1 ${'7'.repeat(3000)}:1`, `a label or index:value of at most 1000 bytes at input:1:3 but received "${'7'.repeat(40)}…"`],
    ['a file that ends in a label', '1 1:1\n-', `a finite number, the label, at input:2:1 but received "-"; for labels that are words set labels: 'string'`],
    ['line ends of only a carriage return', '1 1:1\r2 1:1\r', 'index:value at input:1:7 but received "2"'],
    ['the first of two defects', '1 1:1 a:1\nb 1:1', 'index:value at input:1:7 but received "a:1"'],
  ]; // prettier-ignore

  it.each(bad)('refuses %s', async (_, text, message, options) => {
    expect(await everyWay(text, options)).toBe(`SyntaxError: Expected ${message}`);
  });

  it('rejects with a code, which the stack shows as in Node', async () => {
    const error = await readLibsvm(bytes('1 3:')).catch((e: Error) => e);
    expect(error).toMatchObject({ name: 'SyntaxError', code: 'ERR_LIBSVM' });
    expect((error as Error).stack).toMatch(/^SyntaxError \[ERR_LIBSVM\]: Expected index:value at input:1:3 but received "3:"/);
  });

  it('gives typed arrays, and options.cols or the largest index as cols', async () => {
    for (const backend of names) {
      const one = await readLibsvm(bytes('1 1:1 2:1\n-1 3:1\n'), { backend });
      expect(one.points).toEqual({ indptr: Uint32Array.of(0, 2, 3), indices: Uint32Array.of(0, 1, 2), rows: 2, cols: 3 });
      expect(one.labels).toEqual(Float64Array.of(1, -1));
      const given = await readLibsvm(bytes('1 1:1'), { backend, cols: 123 });
      expect(given.points.cols).toBe(123);
      const none = await readLibsvm(bytes('1\n'), { backend, cols: 0 });
      expect(none.points).toMatchObject({ rows: 1, cols: 0 });
    }
  });

  it("with extra: 'ignore' counts the entries beyond cols, and still checks them", async () => {
    const options = { cols: 2, extra: 'ignore' } as const;
    const data = (await everyWay('1 1:1 2:1 3:5 9:nonsense\n', options)) as string;
    expect(data).toMatch(/at input:1:15 but received "9:nonsense"$/);
    expect(await everyWay('1 1:1 3:5 2:7\n', options)).toMatch(/an index above 3/);
    const kept = (await everyWay('1 1:1 2:1 3:5 9:1\n-1 3:1\n', options)) as Awaited<ReturnType<typeof readLibsvm>>;
    expect(kept).toMatchObject({ ignored: 3, points: { rows: 2, cols: 2, indptr: Uint32Array.of(0, 2, 2) } });
    expect(kept.points).not.toHaveProperty('values');
  });

  it('gives no values if all of them are 1', { tags: ['slow'] }, async () => {
    for (const backend of names) {
      const ones = Array.from({ length: 300_000 }, (_, i) => `1 ${i + 1}:1\n`).join('');
      const { points } = await readLibsvm(bytes(ones), { backend });
      expect(points).not.toHaveProperty('values');
      const { values } = (await readLibsvm(bytes(`${ones}1 7:2 8:1`), { backend })).points;
      expect(values!.length).toBe(300_002);
      expect(values!.findIndex((v) => v !== 1)).toBe(300_000);
      expect(values![300_000]).toBe(2);
    }
  });

  it('reads numbers as JavaScript does, bit for bit', { tags: ['slow'] }, async () => {
    const digits = (min: number, max: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max });
    const written = fc
      .tuple(fc.constantFrom('', '-', '+'), digits(1, 22), fc.option(digits(0, 25)), fc.option(fc.integer({ min: -345, max: 320 })))
      .map(
        ([sign, whole, fraction, exponent]) =>
          `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
      )
      .filter((text) => Number.isFinite(Number(text)));
    // Exactly between two doubles, or next to that: the hardest cases of rounding.
    const halfway = fc
      .tuple(fc.bigInt({ min: 2n ** 52n, max: 2n ** 53n - 1n }), fc.integer({ min: 0, max: 9 }), fc.integer({ min: -1, max: 1 }))
      .map(([mantissa, up, off]) => String(((2n * mantissa + 1n) << BigInt(up)) + BigInt(off)));
    const doubles = fc.double({ noNaN: true, noDefaultInfinity: true }).map(String);
    const small = fc.double({ noNaN: true, min: -1000, max: 1000 }).map((v) => v.toPrecision(9));
    const hard = ['9007199254740993', '9007199254740993.0000000000000000001', '2.2250738585072011e-308', '5e-324', '2.4703282292062327e-324', '2.4703282292062328e-324', '1.7976931348623158e308', '8.98846567431158e307', '123456789012345678', '1e22', '1e23', '0.1e-22', '3.2e-23']; // prettier-ignore
    const check = async (texts: string[]) => {
      const row = `1 ${texts.map((text, k) => `${k + 1}:${text}`).join(' ')}`;
      for (const backend of names) {
        for (const size of [16, 1 << 20]) {
          const { points } = await readLibsvm(inChunks(bytes(row), size), { backend });
          const values = points.values ?? new Float64Array(texts.length).fill(1);
          texts.forEach((text, k) => {
            if (!Object.is(values[k], Number(text))) expect.fail(`${backend}: ${text} was read as ${values[k]}`);
          });
        }
      }
    };
    await check(hard);
    const texts = fc.array(fc.oneof(written, halfway, doubles, small), { minLength: 20, maxLength: 60 });
    await fc.assert(fc.asyncProperty(texts, check), { seed: 3, numRuns: 60 });
  });

  it('reads a path, a stream and bytes, and names the file in errors', async () => {
    const path = join(folder, 'data.svm');
    writeFileSync(path, '1 1:2\n');
    const expected = await readLibsvm(bytes('1 1:2\n'));
    expect(await readLibsvm(path)).toEqual(expected);
    expect(await readLibsvm(createReadStream(path))).toEqual(expected);
    expect(await readLibsvm(createReadStream(path, 'utf8'))).toEqual(expected);
    const foreign = runInNewContext('Uint8Array.of(49, 32, 49, 58, 50)') as Uint8Array; // of another realm
    expect(await readLibsvm(foreign)).toEqual(expected);
    expect(await readLibsvm(new Blob(['1 1:2\n']).stream() as unknown as Readable)).toEqual(expected);
    writeFileSync(path, '1 1:2\n1 2:x');
    await expect(readLibsvm(path)).rejects.toThrow(`at ${path}:2:3 but`);
    await expect(readLibsvm(createReadStream(path))).rejects.toThrow(`at ${path}:2:3 but`);
    await expect(readLibsvm(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(readLibsvm(folder)).rejects.toMatchObject({ code: 'EISDIR' });
  });

  it('passes no shared memory to the parser', async () => {
    const all = bytes('-1 1:2 3:4\n+1 2:5\n');
    const shared = new Uint8Array(new SharedArrayBuffer(all.length));
    shared.set(all);
    for (const source of [shared, Buffer.from(shared.buffer), inChunks(shared, 5)]) {
      const seen: Uint8Array[] = [];
      for await (const chunk of chunks(source, 'input', { code: 'ERR_LIBSVM', maxBytes: Infinity, signal: undefined })) {
        expect(types.isSharedArrayBuffer(chunk.buffer)).toBe(false);
        seen.push(Uint8Array.from(chunk));
      }
      expect(Buffer.concat(seen)).toEqual(Buffer.from(all));
    }
    expect(await readLibsvm(shared)).toEqual(await readLibsvm(all));
  });

  it('reads chunks whose memory is reused for the next one', async () => {
    for (const size of [1, 2, 3]) {
      const all = bytes('-1 1:2 3:4\n+1 2:5\n');
      const reused = async function* () {
        const chunk = new Uint8Array(size);
        for (let at = 0; at < all.length; at += size) {
          chunk.set(all.subarray(at, at + size));
          yield await Promise.resolve(chunk.subarray(0, all.length - at));
        }
      };
      expect(await readLibsvm(reused())).toEqual(await readLibsvm(all));
    }
  });

  it('reads files of several chunks, with and without gzip', { tags: ['slow'] }, async () => {
    const rows = Array.from(
      { length: 40_000 },
      (_, i) => `${i % 2 ? '+1' : '-1'} ${1 + (i % 7)}:${i / 8} ${100 + (i % 1000)}:1 5000:${i}\n`,
    );
    const text = Buffer.from(rows.join(''));
    expect(text.length).toBeGreaterThan(1 << 20);
    const [plain, zipped] = [join(folder, 'long'), join(folder, 'long.gz')];
    writeFileSync(plain, text);
    writeFileSync(zipped, gzipSync(text));
    for (const backend of names) {
      const expected = await readLibsvm(text, { backend });
      expect(expected.points).toMatchObject({ rows: 40_000, cols: 5000 });
      for (const source of [plain, zipped, createReadStream(zipped), gzipSync(text)]) {
        const data = await readLibsvm(source, { backend });
        expect(Buffer.compare(Buffer.from(data.points.values!.buffer), Buffer.from(expected.points.values!.buffer))).toBe(0);
        expect(Buffer.compare(Buffer.from(data.points.indices.buffer), Buffer.from(expected.points.indices.buffer))).toBe(0);
        expect(data.points.indptr.at(-1)).toBe(120_000);
      }
    }
  });

  it('reads gzip in chunks of any size, and of several members', async () => {
    const zipped = Buffer.concat([gzipSync('1 1:2\n2 '), gzipSync('3:4\n'), gzipSync('')]);
    for (const size of SIZES) {
      const data = await readLibsvm(inChunks(zipped, size));
      expect(rowsOf(data)).toEqual([[1, { 0: 2 }], [2, { 2: 4 }]]); // prettier-ignore
    }
  });

  it('refuses truncated or damaged gzip', async () => {
    const whole = gzipSync('1 1:2\n'.repeat(100));
    const path = join(folder, 'cut.gz');
    for (const length of [2, 5, 10, 12, whole.length - 9, whole.length - 1]) {
      writeFileSync(path, whole.subarray(0, length));
      const expected = `Expected a whole gzip file for ${path} but received a file that ends in the middle`;
      await expect(readLibsvm(path), String(length)).rejects.toMatchObject({ code: 'ERR_LIBSVM', message: expected });
    }
    const damaged = Uint8Array.from(whole);
    damaged[whole.length - 6]! ^= 1;
    const message = 'Expected a whole gzip file for input but received something else (incorrect data check)';
    await expect(readLibsvm(damaged)).rejects.toMatchObject({ code: 'ERR_LIBSVM', message });
  });

  it('rejects with the error of the stream unchanged, with and without gzip', async () => {
    for (const beginning of [Buffer.from('1 1:1\n'), gzipSync('1 1:1\n').subarray(0, 20)]) {
      const mine = new Error('mine');
      const failing = Readable.from(
        (function* () {
          yield beginning;
          throw mine;
        })(),
      );
      expect(await readLibsvm(failing).catch((error: unknown) => error)).toBe(mine);
    }
  });

  it('rejects with the reason of a signal aborted before, between or while waiting for chunks, and destroys the stream', async () => {
    const reason = new Error('enough');
    const options = { signal: AbortSignal.abort(reason) };
    expect(await readLibsvm(bytes('1 1:1'), options).catch((error: unknown) => error)).toBe(reason);

    const controller = new AbortController();
    let given = 0;
    const endless = Readable.from(
      (async function* () {
        for (;;) {
          if (++given === 5) controller.abort(reason);
          yield await Promise.resolve(Buffer.from('1 1:1\n'));
        }
      })(),
    );
    expect(await readLibsvm(endless, { signal: controller.signal }).catch((error: unknown) => error)).toBe(reason);
    await new Promise(setImmediate);
    expect(endless.destroyed).toBe(true);

    const later = new AbortController();
    const silent = new Readable({ read() {} });
    const waiting = readLibsvm(silent, { signal: later.signal }).catch((error: unknown) => error);
    setImmediate(() => later.abort(reason));
    expect(await waiting).toBe(reason);
    silent.destroy();
  });

  it('stops reading at the first error', async () => {
    let given = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) {
          given++;
          yield Buffer.from('1 x\n');
        }
      })(),
    );
    await expect(readLibsvm(endless)).rejects.toThrow('index:value at input:1:3');
    expect(given).toBeLessThan(40);
    expect(endless.destroyed).toBe(true);
  });

  it.each(names)('reads a line of 300 MB in bounded memory (%s)', { tags: ['slow'] }, async (backend) => {
    const blank = Buffer.alloc(1 << 20, ' ');
    const comment = Buffer.alloc(1 << 20, 'x');
    const line = Readable.from(
      (function* () {
        yield '1 1:1';
        for (let k = 0; k < 150; k++) yield blank;
        yield '2:1 #';
        for (let k = 0; k < 150; k++) yield comment;
        yield '\n2 1:1';
      })(),
    );
    await readLibsvm(bytes('1 1:1'), { backend });
    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    const data = await readLibsvm(line, { backend });
    const grown = process.memoryUsage().rss - before;
    expect(rowsOf(data)).toEqual([[1, { 0: 1, 1: 1 }], [2, { 0: 1 }]]); // prettier-ignore
    expect(grown).toBeLessThan(60e6);
  });

  it('refuses an endless token in bounded memory', async () => {
    for (const backend of names) {
      let given = 0;
      const digits = Buffer.alloc(1 << 16, '1');
      const endless = Readable.from(
        (function* () {
          yield '1 1:1 ';
          for (;;) {
            given++;
            yield digits;
          }
        })(),
      );
      await expect(readLibsvm(endless, { backend })).rejects.toThrow('of at most 1000 bytes at input:1:7 but');
      expect(given).toBeLessThan(40);
    }
  });

  it('refuses bad sources and options', async () => {
    const refused = async (source: unknown, options: unknown, message: string) =>
      expect(readLibsvm(source as string, options as object)).rejects.toThrow(message);
    await refused(5, {}, 'Expected a path, a stream or a Uint8Array for source but received 5');
    await refused(undefined, {}, 'Expected a path, a stream or a Uint8Array for source but received undefined');
    await refused(Readable.from([5]), {}, 'Expected bytes or text for a chunk of the stream but received 5');
    await refused('x', { colls: 1 }, 'Unknown option "colls"; did you mean "cols"?');
    await refused('x', { cols: -1 }, 'Expected an integer from 0 to 2147483648 for options.cols but received -1');
    await refused('x', { zeroBased: 1 }, 'Expected true or false for options.zeroBased but received 1');
    await refused('x', { labels: 'word' }, `Expected 'number' or 'string' for options.labels but received "word"`);
    await refused('x', { extra: true }, `Expected 'error' or 'ignore' for options.extra but received true`);
    await refused('x', { signal: {} }, 'Expected an AbortSignal for options.signal but received an object');
    await refused('x', { backend: 'gpu' }, `Expected 'auto', 'native', 'wasm' or 'js' for options.backend but received "gpu"`);
  });

  it('rejects if the bytes are detached while it reads', async () => {
    const long = bytes('1 1:1\n'.repeat(400_000));
    const reading = readLibsvm(long);
    setImmediate(() => structuredClone(long, { transfer: [long.buffer] }));
    await expect(reading).rejects.toThrow('Expected bytes that stay where they are for source');
  });

  it.each(names)('lets the event loop turn while it parses and copies one large chunk, %s', { tags: ['slow'] }, async (backend) => {
    const row = ` ${Array.from({ length: 50 }, (_, j) => `${j + 1}:0.5`).join(' ')}\n`;
    const text = bytes(Array.from({ length: 100_000 }, (_, i) => (i % 2 ? 'ham' : 'spam') + row).join(''));
    // One chunk: only the reader itself can yield to the event loop.
    const whole = { [Symbol.asyncIterator]: () => [text].values() } as unknown as AsyncIterable<Uint8Array>;
    const turns = counted();
    const { labels, points } = await readLibsvm(whole, { labels: 'string', backend });
    expect(turns()).toBeGreaterThan(0);
    expect([labels.length, labels[0], labels[99_999], points.indices.length]).toEqual([100_000, 'spam', 'ham', 5_000_000]);
  });

  it('rejects with the reason of a signal aborted while one large chunk is parsed', { tags: ['slow'] }, async () => {
    const text = bytes('1 1:0.5 2:0.25 3:0.125 4:7\n'.repeat(1_000_000));
    const whole = { [Symbol.asyncIterator]: () => [text].values() } as unknown as AsyncIterable<Uint8Array>;
    const controller = new AbortController();
    const reason = new Error('enough');
    setImmediate(() => controller.abort(reason));
    expect(await readLibsvm(whole, { signal: controller.signal }).catch((error: unknown) => error)).toBe(reason);
  });

  it('gives points and labels that LinearSvm.fit and Dataset.from accept', async () => {
    const { points, labels } = await readLibsvm(join(ROOT, 'test/fixtures/wdbc.libsvm.gz'));
    expect(points).toMatchObject({ rows: 569, cols: 30 });
    expect(Dataset.from(points).nnz).toBe(points.indices.length);
    expect(LinearSvm.fit(points, labels).score(points, labels).accuracy).toBeGreaterThan(0.95);
  });
});

/** Everything a parser has read, taken in steps of so many entries. */
function takeAll(parser: Parser, step: number) {
  const sizes = parser.sizes();
  const { rows, entries, hasValues, words } = sizes;
  const all = <T extends Uint32Array | Float64Array | Uint8Array>(out: T, take: (out: T) => void): T => {
    for (let at = 0; at < out.length; at += step) take(out.subarray(at, at + step) as T);
    return out;
  };
  return {
    ...sizes,
    starts: all(new Uint32Array(rows), (out) => parser.takeStarts(out)),
    indices: all(new Uint32Array(entries), (out) => parser.takeIndices(out)),
    values: hasValues ? all(new Float64Array(entries), (out) => parser.takeValues(out)) : undefined,
    labels: words === 0 ? all(new Float64Array(rows), (out) => parser.takeLabels(out)) : undefined,
    words: all(new Uint8Array(words), (out) => parser.takeWords(out)),
  };
}
type Taken = ReturnType<typeof takeAll>;

describe('Parser', () => {
  const text = bytes('1 1:1 2:0.25 # x\n-1 3:1e5\n\n2 2:123456789.123456789123\n');

  it('gives the same result on every backend for a text cut in two at any position', () => {
    const read = (Parser: typeof js.Parser, cut: number): Taken | ParseDefect => {
      const parser = new Parser(false, 1000, false, false);
      return (
        parser.push(text.subarray(0, cut)) ?? parser.push(text.subarray(cut)) ?? parser.finish() ?? takeAll(parser, 1 + (cut % 3))
      );
    };
    const expected = read(js.Parser, 0);
    for (let cut = 0; cut <= text.length; cut++) {
      for (const { Parser } of [js, ...kernelsInC]) expect(read(Parser, cut)).toEqual(expected);
    }
  });

  it.each(['label', 'index:value', 'word'] as const)(
    'gives the same result for any bytes in a row (%s) on both backends and for any chunk size',
    { tags: ['slow'] },
    (what) => {
      const alphabet = fc.constantFrom(...'0123456789.:+-eE \t\n\r#qidnax', '\xe4', '\xc3', '\xa4', '\0');
      const soup = fc.array(fc.oneof(alphabet, fc.constantFrom('1:1 ', '2:0.5 ', '3:1e-3\n', '\n1 ', 'qid:1')), { maxLength: 60 });
      const outcome = ({ Parser }: Backend, all: Uint8Array, size: number): Taken | ParseDefect => {
        const parser = new Parser(true, 1000, true, what === 'word');
        let defect: ParseDefect | undefined;
        for (let at = 0; at < all.length && !defect; at += size) defect = parser.push(all.subarray(at, at + size));
        defect ??= parser.finish();
        // Also after a defect: a parser that keeps its megabytes makes the garbage collector run at almost every new one.
        const taken = takeAll(parser, size);
        return defect ?? taken;
      };
      fc.assert(
        fc.property(soup, (list) => {
          const all = bytes((what === 'index:value' ? '1 ' : '') + list.join(''));
          const expected = outcome(js, all, 1);
          for (const backend of [js, ...kernelsInC.slice(0, 2)]) {
            for (const size of SIZES.slice(1)) expect(outcome(backend, all, size)).toEqual(expected);
          }
        }),
        { seed: 5, numRuns: 300 },
      );
    },
  );

  it('take…(out) copies lists of several blocks in steps of any size', () => {
    // The values before the first that is not 1 are not stored.
    const rows = Array.from({ length: 150_000 }, (_, i) => `${i} ${i + 1}:1 400000:${i < 70_000 ? 1 : i}\n`);
    const text = bytes(rows.join(''));
    for (const { Parser } of [js, ...kernelsInC.slice(0, 2)]) {
      const outcomes = [1000, 65_536, 262_144, 1 << 20].map((step) => {
        const parser = new Parser(false, 400_000, false, false);
        expect(parser.push(text) ?? parser.finish()).toBeUndefined();
        return takeAll(parser, step);
      });
      // Compared as bytes: expect takes seconds for lists of this length.
      const same = (list: ArrayBufferView | undefined, expected: ArrayBufferView) =>
        expect(Buffer.compare(Buffer.from(list!.buffer), Buffer.from(expected.buffer))).toBe(0);
      for (const { values, starts, indices, labels } of outcomes) {
        same(
          values,
          Float64Array.from({ length: 300_000 }, (_, k) => (k % 2 === 0 || k < 140_000 ? 1 : k >> 1)),
        );
        same(
          starts,
          Uint32Array.from({ length: 150_000 }, (_, i) => 2 * i),
        );
        same(
          indices,
          Uint32Array.from({ length: 300_000 }, (_, k) => (k % 2 ? 399_999 : k >> 1)),
        );
        same(
          labels,
          Float64Array.from({ length: 150_000 }, (_, i) => i),
        );
      }
    }
  });

  it.skipIf(natives.length === 0)('take…(out) refuses an out longer than what is left', () => {
    const parser = new natives[0]!.Parser(false, 1000, false, false);
    parser.push(bytes('1 1:2\n'));
    parser.finish();
    expect(() => parser.takeIndices(new Uint32Array(2))).toThrow('Expected at most 1 entries for out but received 2');
    expect(() => parser.takeValues(new Float64Array(2))).toThrow('Expected at most 1 entries for out but received 2');
    expect(() => parser.takeWords(new Uint8Array(1))).toThrow('Expected at most 0 entries for out but received 1');
    expect(() => parser.takeStarts(new Float64Array(1) as never)).toThrow('Expected a Uint32Array for out');
  });

  it('push(chunk) returns the same defect again after the first, and accepts empty chunks', () => {
    for (const { Parser } of [js, ...kernelsInC.slice(0, 2)]) {
      const parser = new Parser(false, 1000, false, false);
      expect(parser.push(new Uint8Array(0))).toBeUndefined();
      const defect = parser.push(bytes('1 x\n'));
      expect(defect).toMatchObject({ defect: 'entry', line: 1, column: 3 });
      expect(parser.push(bytes('1 1:1\n'))).toEqual(defect);
      expect(parser.finish()).toEqual(defect);
    }
  });
});

describe('writeLibsvm(target, points, labels)', () => {
  const path = join(folder, 'written.svm');
  const written = async (...args: Parameters<typeof writeLibsvm> extends [unknown, ...infer Rest] ? Rest : never) => {
    await writeLibsvm(path, ...args);
    return readFileSync(path, 'utf8');
  };

  it('writes rows, dense and sparse points, with indices from 1', async () => {
    expect(await written([[0, 1.5], [-2, 0]], [1, -1])).toBe('1 2:1.5\n-1 1:-2\n'); // prettier-ignore
    expect(await written({ data: Float32Array.of(0, 0.1, 0, 0), rows: 2, cols: 2 }, ['a', 'b'])).toBe(
      'a 2:0.10000000149011612\nb\n',
    );
    const sparse = { indptr: [0, 2, 2, 3], indices: [0, 40, 7], values: [0.5, 0, 1e-7], rows: 3, cols: 100 };
    expect(await written(sparse, [0, 1, 2.5])).toBe('0 1:0.5 41:0\n1\n2.5 8:1e-7\n');
    expect(await written({ indptr: [0, 1], indices: [2], rows: 1, cols: 3 }, [1])).toBe('1 3:1\n');
  });

  it('writes what readLibsvm reads back, bit for bit', { tags: ['slow'] }, async () => {
    const value = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: -3, max: 3 }), fc.constant(1));
    const row = fc.uniqueArray(fc.integer({ min: 0, max: 300 }), { maxLength: 12 }).map((list) => list.sort((a, b) => a - b));
    const label = fc.oneof(
      fc.array(
        fc.double({ noNaN: true, noDefaultInfinity: true }).filter((v) => !Object.is(v, -0)),
        { minLength: 20, maxLength: 20 },
      ),
      fc.array(fc.constantFrom('spam', 'ham', 'höchst', '1', '+1'), { minLength: 20, maxLength: 20 }),
    );
    const data = fc.tuple(
      fc.array(row, { minLength: 1, maxLength: 20 }),
      fc.array(value, { minLength: 240, maxLength: 240 }),
      label,
    );
    await fc.assert(
      fc.asyncProperty(data, async ([rows, numbers, all]) => {
        const indices = Uint32Array.from(rows.flat());
        const indptr = Uint32Array.from([0, ...rows.map((_, i) => rows.slice(0, i + 1).flat().length)]);
        const values = Float64Array.from(numbers.slice(0, indices.length));
        const labels = all.slice(0, rows.length);
        await writeLibsvm(path, { indptr, indices, values, rows: rows.length, cols: 301 }, labels);
        for (const backend of names) {
          const kind = typeof labels[0] === 'string' ? 'string' : 'number';
          const again = await readLibsvm(path, { cols: 301, labels: kind, backend });
          expect(again.points).toEqual({
            indptr,
            indices,
            rows: rows.length,
            cols: 301,
            ...(values.some((v) => v !== 1) && { values }),
          });
          expect([...again.labels]).toEqual(labels);
        }
      }),
      { seed: 7, numRuns: 30 },
    );
  });

  it('writes to a slow stream, and ends it', async () => {
    const slow: string[] = [];
    const target = new Writable({
      highWaterMark: 1000,
      write(chunk: Buffer, _, done) {
        slow.push(chunk.toString());
        setImmediate(done);
      },
    });
    const points = { data: new Float64Array(60_000).map((_, i) => i / 7), rows: 20_000, cols: 3 };
    await writeLibsvm(target, points, new Float64Array(20_000).fill(1));
    expect(target.writableFinished).toBe(true);
    expect(slow.length).toBeGreaterThan(5);
    const again = await readLibsvm(bytes(slow.join('')));
    expect(again.points.values!.length).toBe(59_999); // the first is 0
    expect(again.points.values!.at(-1)).toBe(59_999 / 7);
  });

  it('rejects with the error of the stream or the reason of the signal, and keeps the old file', async () => {
    const mine = new Error('full');
    const broken = new Writable({ write: (_, __, done) => done(mine) });
    expect(await writeLibsvm(broken, [[1]], [1]).catch((error: unknown) => error)).toBe(mine);
    writeFileSync(path, 'old');
    const reason = new Error('enough');
    const aborted = writeLibsvm(path, [[1]], [1], { signal: AbortSignal.abort(reason) }).catch((error: unknown) => error);
    expect(await aborted).toBe(reason);
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('refuses points and labels that could not be read back', async () => {
    const refused = async (points: unknown, labels: unknown, message: string) =>
      expect(writeLibsvm(path, points as number[][], labels as number[])).rejects.toThrow(message);
    await refused([[1]], [1, 2], 'Expected 1 label, one for each row of points, but received 2');
    await refused([[NaN]], [1], 'Expected a finite number for points[0][0] but received NaN');
    await refused([[1]], [NaN], 'Expected a finite number for labels[0] but received NaN');
    await refused([[1]], [true], 'Expected a number or string for labels[0] but received true');
    await refused(
      Dataset.from([[1]]),
      [1],
      'Expected rows of numbers, { data, rows, cols } or { indptr, indices, rows, cols } for points',
    );
    for (const label of ['', 'a b', 'a:b', '#', 'a\n', '\ud800', 'x'.repeat(1001)]) {
      await refused([[1]], [label], 'Expected a word of at most 1000 bytes without blanks, ":" and "#" for labels[0]');
    }
    await expect(writeLibsvm(5 as never, [[1]], [1])).rejects.toThrow('Expected a path or a Writable for target but received 5');
    await expect(writeLibsvm(path, [[1]], [1], { sginal: 1 } as never)).rejects.toThrow('did you mean "signal"?');
  });
});
