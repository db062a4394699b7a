import { spawnSync } from 'node:child_process';
import { cpSync, createReadStream, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { Table } from '../../lib/data/table.js';
import { LinearSvm, readArrow, readParquet, type FileRow } from '../../lib/index.js';
import { ROOT } from '../support/child.js';

// Parquet and Arrow, in files that other packages write.

const folder = mkdtempSync(join(tmpdir(), 'fista-classify-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A column of a Parquet file, as hyparquet-writer takes it. */
interface Written {
  name: string;
  data: unknown[];
  type?: string;
  encoding?: string;
}

async function parquet(columnData: Written[], options: object = {}): Promise<Uint8Array> {
  const { parquetWriteBuffer } = await import('hyparquet-writer');
  return new Uint8Array(parquetWriteBuffer({ columnData, ...options } as Parameters<typeof parquetWriteBuffer>[0]));
}

const DAY = new Date('2026-02-03T00:00:00Z');
const COLUMNS: Written[] = [
  { name: 'age', data: [31, null, 2.5, 7], type: 'DOUBLE' },
  { name: 'city', data: ['Berlin', 'Paris', null, 'Berlin'], type: 'STRING' },
  { name: 'count', data: [1n, 2n, null, 4n], type: 'INT64' },
  { name: 'small', data: [1, 2, 3, 4], type: 'INT32' },
  { name: 'when', data: [DAY, null, DAY, DAY], type: 'TIMESTAMP' },
  { name: 'vip', data: [true, false, null, true], type: 'BOOLEAN' },
];
const RECORDS: FileRow[] = [
  { age: 31, city: 'Berlin', count: 1, small: 1, when: DAY, vip: true },
  { age: NaN, city: 'Paris', count: 2, small: 2, when: null, vip: false },
  { age: 2.5, city: undefined, count: NaN, small: 3, when: DAY, vip: null },
  { age: 7, city: 'Berlin', count: 4, small: 4, when: DAY, vip: true },
];

describe('readParquet', () => {
  it('gives numbers as doubles, strings as a dictionary, and other values as they are', async () => {
    const table = await readParquet(await parquet(COLUMNS));
    expect(table.fields).toEqual(COLUMNS.map(({ name }) => name));
    expect([...table]).toEqual(RECORDS);
    expect(Table.columnOf(table, 'age')).toEqual({ values: Float64Array.of(31, NaN, 2.5, 7) });
    expect(Table.columnOf(table, 'count')).toEqual({ values: Float64Array.of(1, 2, NaN, 4) });
    expect(Table.columnOf(table, 'city')).toEqual({ codes: Int8Array.of(0, 1, -1, 0), dictionary: ['Berlin', 'Paris'] });
  });

  it('reads a path, a stream and bytes, several groups of rows, and every encoding of strings', async () => {
    const rows = 5000;
    const texts = Array.from({ length: rows }, (_, i) => (i % 11 === 0 ? null : `text ${i % 300} ä`));
    const distinct = Array.from({ length: rows }, (_, i) => `${i}`);
    for (const encoding of ['PLAIN', 'RLE_DICTIONARY', 'DELTA_BYTE_ARRAY', 'DELTA_LENGTH_BYTE_ARRAY']) {
      const bytes = await parquet(
        [
          { name: 'text', data: texts, type: 'STRING', encoding },
          { name: 'key', data: distinct, type: 'STRING', encoding },
          { name: 'x', data: texts.map((_, i) => i / 4), type: 'DOUBLE' },
        ],
        { rowGroupSize: 700 },
      );
      const path = join(folder, `${encoding}.parquet`);
      writeFileSync(path, bytes);
      for (const source of [path, createReadStream(path, { highWaterMark: 1000 }), bytes]) {
        const table = await readParquet(source);
        expect(table.rows).toBe(rows);
        expect(Array.from(table, ({ text }) => text ?? null)).toEqual(texts);
        expect(Array.from(table, ({ key }) => key)).toEqual(distinct);
        expect(table.record(4999).x).toBe(4999 / 4);
      }
      expect(Table.columnOf(await readParquet(path), 'text')).toMatchObject({ dictionary: { length: 300 } });
    }
  });

  it('reads gzip, brotli, snappy and uncompressed pages; others with hyparquet-compressors', async () => {
    const compressors = { GZIP: (bytes: Uint8Array) => gzipSync(bytes), BROTLI: (bytes: Uint8Array) => brotliCompressSync(bytes) };
    for (const codec of ['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'BROTLI'])
      expect([...(await readParquet(await parquet(COLUMNS, { codec, compressors })))]).toEqual(RECORDS);
    // A zstd frame with one block that is stored as it is.
    const zstd = (bytes: Uint8Array) => {
      const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0, 0, 0, 0]);
      head.writeUInt32LE(bytes.length, 5);
      head.writeUIntLE((bytes.length << 3) | 1, 9, 3);
      return Buffer.concat([head, bytes]);
    };
    expect([...(await readParquet(await parquet(COLUMNS, { codec: 'ZSTD', compressors: { ZSTD: zstd } })))]).toEqual(RECORDS);
  });

  it('keeps integers that are no doubles, lists, and fields of any name', async () => {
    const big = 2n ** 60n + 1n;
    const table = await readParquet(
      await parquet([
        { name: '__proto__', data: [1n, big], type: 'INT64' },
        { name: 'tags', data: [['a', 'b'], []] },
      ]),
    );
    expect(table.fields).toEqual(['__proto__', 'tags']);
    expect(Table.columnOf(table, '__proto__')).toEqual({ values: [1, big] });
    expect(table.record(0).tags).toEqual(['a', 'b']);
  });

  it('gives what fit takes, dates too', async () => {
    const rows = Array.from({ length: 30 }, (_, i) => i);
    const bytes = await parquet([
      { name: 'city', data: rows.map((i) => (i % 2 ? 'Rome' : 'Oslo')), type: 'STRING' },
      { name: 'when', data: rows.map((i) => new Date(i * 1e9)), type: 'TIMESTAMP' },
      { name: 'n', data: rows.map((i) => BigInt(i % 5)), type: 'INT64' },
      { name: 'churn', data: rows.map((i) => i % 2 === 1), type: 'BOOLEAN' },
    ]);
    const model = LinearSvm.fit(await readParquet(bytes), 'churn');
    expect(model.encoder!.fields.map(({ kind }) => kind)).toEqual(['category', 'date', 'number']);
    expect(model.predictOne({ city: 'Rome', when: new Date(), n: 3 })).toBe(true);
  });

  it('gives the fields of options.fields in their order', async () => {
    const table = await readParquet(await parquet(COLUMNS), { fields: ['small', 'city'] });
    expect(table.record(1)).toEqual({ small: 2, city: 'Paris' });
    await expect(readParquet(await parquet(COLUMNS), { fields: ['town'] })).rejects.toMatchObject({
      code: 'ERR_PARQUET',
      message: 'Expected a field "town", as options.fields says, in input but none of 4 records has it',
    });
  });

  it('refuses other files, files that were cut or damaged, and too many bytes', async () => {
    const good = await parquet(COLUMNS);
    const path = join(folder, 'bad.parquet');
    const refused = async (bytes: Uint8Array, message: RegExp) => {
      writeFileSync(path, bytes);
      await expect(readParquet(path)).rejects.toMatchObject({ name: 'SyntaxError', code: 'ERR_PARQUET', message: expect.stringMatching(message) as string }); // prettier-ignore
    };
    await refused(Buffer.from('age,city\n1,x\n'), /^Expected a Parquet file for .*bad\.parquet but received something else \(/);
    await refused(good.subarray(0, good.length - 5), /received something else/);
    await refused(Buffer.alloc(0), /received something else/);
    await refused(await parquet([{ name: 'a', data: [], type: 'DOUBLE' }]), /^Expected at least one row for .* but received none$/);
    const lz4 = await parquet(COLUMNS, { codec: 'LZO', compressors: { LZO: (bytes: Uint8Array) => bytes } });
    await refused(lz4, /unsupported compression codec.*npm install hyparquet-compressors$/);
    // A page whose bytes are not what the header says.
    const gzip = (bytes: Uint8Array) => gzipSync(bytes).fill(0, 12);
    await refused(await parquet(COLUMNS, { codec: 'GZIP', compressors: { GZIP: gzip } }), /received something else \(/);
    for (let length = 0; length < good.length; length += 7) await refused(good.subarray(0, length), /received something else/);
    await expect(readParquet(folder)).rejects.toMatchObject({ code: 'EISDIR' });
    await expect(readParquet(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
    for (const source of [good, path])
      await expect(readParquet(source, { maxBytes: 50 })).rejects.toThrow('Expected at most 50 bytes');
    const reason = new Error('enough');
    expect(await readParquet(good, { signal: AbortSignal.abort(reason) }).catch((error: unknown) => error)).toBe(reason);
    expect(await readParquet(path, { signal: AbortSignal.abort(reason) }).catch((error: unknown) => error)).toBe(reason);
  });
});

async function arrow(format: 'file' | 'stream' = 'file'): Promise<Uint8Array> {
  const { bool, dictionary, float64, int32, int64, tableFromArrays, tableToIPC, timestamp, utf8 } =
    await import('@uwdata/flechette');
  const types = {
    age: float64(),
    city: dictionary(utf8()),
    count: int64(),
    small: int32(),
    when: timestamp(),
    vip: bool(),
  };
  const columns = Object.fromEntries(COLUMNS.map(({ name, data }) => [name, data]));
  return tableToIPC(tableFromArrays(columns as never, { types, useBigInt: true }), { format })!;
}

describe('readArrow', () => {
  it('gives numbers as doubles, dictionaries as they are, and other values as they are', async () => {
    for (const format of ['file', 'stream'] as const) {
      const table = await readArrow(await arrow(format));
      expect([...table]).toEqual(RECORDS);
      expect(Table.columnOf(table, 'age')).toEqual({ values: Float64Array.of(31, NaN, 2.5, 7) });
      expect(Table.columnOf(table, 'city')).toEqual({ codes: Int32Array.of(0, 1, -1, 0), dictionary: ['Berlin', 'Paris'] });
    }
  });

  it('makes a dictionary of strings, short and long, and keeps lists and large integers', async () => {
    const { int64, largeUtf8, list, tableFromArrays, tableToIPC, utf8 } = await import('@uwdata/flechette');
    const texts = ['ä', null, 'b', 'ä', ''];
    const types = { short: utf8(), long: largeUtf8(), tags: list(utf8()), big: int64() };
    const big = [1n, 2n, null, 2n ** 60n + 1n, 5n];
    const columns = { short: texts, long: texts, tags: [['a', 'b'], [], null, ['c'], ['d']], big };
    const table = await readArrow(tableToIPC(tableFromArrays(columns as never, { types }), { format: 'file' })!);
    for (const name of ['short', 'long'])
      expect(Table.columnOf(table, name)).toEqual({ codes: Int8Array.of(0, -1, 1, 0, 2), dictionary: ['ä', 'b', ''] });
    expect(table.record(0).tags).toEqual(['a', 'b']);
    expect(Table.columnOf(table, 'big')).toEqual({ values: [1, 2, undefined, 2n ** 60n + 1n, 5] });
  });

  it('reads several batches, each with its dictionary', async () => {
    const { columnFromArray, dictionary, tableFromColumns, tableToIPC, utf8 } = await import('@uwdata/flechette');
    const texts = Array.from({ length: 100 }, (_, i) => (i % 9 === 0 ? null : `k${i % 7}`));
    const options = { maxBatchRows: 30 };
    const plain = columnFromArray(texts, utf8(), options);
    const coded = columnFromArray(texts, dictionary(utf8()), options);
    const bytes = tableToIPC(tableFromColumns({ plain, coded } as never), { format: 'stream' })!;
    const table = await readArrow(bytes);
    expect(Array.from(table, ({ plain }) => plain ?? null)).toEqual(texts);
    expect(Array.from(table, ({ coded }) => coded ?? null)).toEqual(texts);
  });

  it('reads a path, a stream of bytes and gzip, and the fields of options.fields', async () => {
    const bytes = await arrow();
    const path = join(folder, 'data.arrow');
    writeFileSync(path, bytes);
    for (const source of [path, createReadStream(path, { highWaterMark: 100 }), gzipSync(bytes)])
      expect([...(await readArrow(source))]).toEqual(RECORDS);
    expect((await readArrow(bytes, { fields: ['vip', 'age'] })).record(0)).toEqual({ vip: true, age: 31 });
    await expect(readArrow(bytes, { fields: ['town'] })).rejects.toMatchObject({ code: 'ERR_ARROW', option: 'fields' });
  });

  it('gives what fit takes', async () => {
    const table = await readArrow(await arrow());
    const model = LinearSvm.fit(table, ['a', 'b', 'a', 'b'], { encoder: { city: 'category', age: 'number', when: 'date' } });
    expect(model.predict(table)).toHaveLength(4);
  });

  it('refuses other files, files that were cut or damaged, and too many bytes', async () => {
    const good = await arrow();
    const refused = (bytes: Uint8Array, message: string) =>
      expect(readArrow(bytes)).rejects.toMatchObject({ name: 'SyntaxError', code: 'ERR_ARROW', message: expect.stringContaining(message) as string }); // prettier-ignore
    await refused(Buffer.from('age,city\n1,x\n'), 'Expected an Arrow file or stream for input but received something else (');
    await refused(Buffer.alloc(0), 'Expected at least one row for input but received none');
    for (let length = 8; length < good.length; length += 97) {
      const result = await readArrow(good.slice(0, length)).catch((error: unknown) => error);
      if (!(result instanceof Table)) expect(result).toMatchObject({ code: 'ERR_ARROW' });
    }
    await expect(readArrow(folder)).rejects.toMatchObject({ code: 'EISDIR' });
    await expect(readArrow(good, { maxBytes: 50 })).rejects.toThrow('Expected at most 50 bytes');
  });
});

describe('without the optional packages', () => {
  it('readParquet and readArrow say what to install, and everything else works', () => {
    const home = join(folder, 'bare');
    mkdirSync(join(home, 'node_modules'), { recursive: true });
    cpSync(join(ROOT, 'dist'), join(home, 'dist'), { recursive: true });
    cpSync(join(ROOT, 'package.json'), join(home, 'package.json'));
    symlinkSync(join(ROOT, 'node_modules', 'node-gyp-build'), join(home, 'node_modules', 'node-gyp-build'));
    const program = `
      const { readArrow, readCsv, readParquet } = require('./dist');
      const show = (promise) => promise.catch(({ code, message }) => console.log(code, message));
      (async () => {
        await show(readParquet(new Uint8Array(9)));
        await show(readArrow(new Uint8Array(9)));
        console.log((await readCsv(Buffer.from('a\\nx\\n'), { as: 'records' })).record(0));
      })();`;
    const env = { ...process.env, FISTA_CLASSIFY_BACKEND: 'js' };
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', program], { cwd: home, env, encoding: 'utf8' });
    expect([stdout.split('\n'), stderr]).toEqual([
      [
        'ERR_SOURCE Expected the package hyparquet, which reads Parquet, but it is not installed; npm install hyparquet',
        'ERR_SOURCE Expected the package @uwdata/flechette, which reads Arrow, but it is not installed; npm install @uwdata/flechette',
        "{ a: 'x' }",
        '',
      ],
      '',
    ]);
  });
});
