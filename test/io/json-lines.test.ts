import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { Table } from '../../lib/data/table.js';
import { LinearSvm, readJsonLines, type ReadTableOptions } from '../../lib/index.js';

const folder = mkdtempSync(join(tmpdir(), 'fista-classify-'));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (text: string | Buffer, options?: ReadTableOptions) => readJsonLines(Buffer.from(text as string), options);
const lines = (...records: readonly unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

describe('readJsonLines', () => {
  it('gives numbers as doubles, strings as a dictionary, and other values as they are', async () => {
    const table = await read(
      lines(
        { age: 31, city: 'Berlin', tags: ['a'], vip: true },
        { age: null, city: 'Paris', tags: [], vip: false },
        { city: 'Berlin', tags: null, age: 2.5, extra: 'x' },
      ),
    );
    expect(table).toBeInstanceOf(Table);
    expect([table.rows, table.fields]).toEqual([3, ['age', 'city', 'tags', 'vip', 'extra']]);
    expect(Table.columnOf(table, 'age')).toEqual({ values: Float64Array.of(31, NaN, 2.5) });
    expect(Table.columnOf(table, 'city')).toEqual({ codes: Int8Array.of(0, 1, 0), dictionary: ['Berlin', 'Paris'] });
    expect(Table.columnOf(table, 'tags')).toEqual({ values: [['a'], [], null] });
    expect(Table.columnOf(table, 'vip')).toEqual({ values: [true, false, undefined] });
    expect(Table.columnOf(table, 'extra')).toEqual({ codes: Int8Array.of(-1, -1, 0), dictionary: ['x'] });
    expect(table.record(2)).toEqual({ age: 2.5, city: 'Berlin', tags: null, vip: undefined, extra: 'x' });
  });

  it('gives what fit takes', async () => {
    const records = Array.from({ length: 20 }, (_, i) => ({ city: i % 2 ? 'Rome' : 'Oslo', tags: ['t'], churn: i % 2 === 1 }));
    const table = await read(lines(...records));
    const model = LinearSvm.fit(table, 'churn');
    expect(model.labels).toEqual([false, true]);
    expect(model.predict(records)).toEqual(records.map(({ churn }) => churn));
    expect(model.predict(table)).toEqual(records.map(({ churn }) => churn));
  });

  it('gives the values of JSON, whatever they are', async () => {
    const value = fc.oneof(
      { weight: 3, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0) },
      { weight: 3, arbitrary: fc.string({ unit: 'binary' }) },
      fc.constantFrom(null, undefined, true, '\ud800', '', 'NaN'),
      fc.array(fc.string()),
    );
    const record = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'length'), value);
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 20 }), async (records) => {
        const read = await readJsonLines(Buffer.from(lines(...records)));
        const plain = records.map((one) => JSON.parse(JSON.stringify(one)) as Record<string, unknown>);
        // A number or string that is missing has no value, null or not.
        const present = (list: object[]) =>
          list.map((one) =>
            Object.entries(one)
              .filter(([, cell]) => cell !== null && cell !== undefined && !Number.isNaN(cell))
              .sort(),
          );
        expect(present([...read])).toEqual(present(plain));
      }),
    );
  });

  it('keeps values of several types in one field', async () => {
    const table = await read(lines({}, { a: null }, { a: 1 }, { a: 'x' }, { a: [2] }, { a: 3 }, {}));
    expect(Table.columnOf(table, 'a')).toEqual({ values: [undefined, undefined, 1, 'x', [2], 3, undefined] });
    const texts = await read(lines({ a: 'x' }, {}, { a: 'y' }, { a: true }, { a: 'x' }));
    expect(Table.columnOf(texts, 'a')).toEqual({ values: ['x', undefined, 'y', true, 'x'] });
    expect(Table.columnOf(await read(lines({}, { a: true })), 'a')).toEqual({ values: [undefined, true] });
    expect(Table.columnOf(await read(lines({ a: null }, {})), 'a')).toEqual({ values: Float64Array.of(NaN, NaN) });
  });

  it('takes __proto__ for a field like others', async () => {
    const table = await read('{"__proto__": {"polluted": 1}, "constructor": 2}\n{"__proto__": "x"}\n');
    expect(table.fields).toEqual(['__proto__', 'constructor']);
    const record = table.record(0);
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
    expect(Object.hasOwn(record, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('gives the fields of options.fields in their order, and leaves others out', async () => {
    const table = await read(lines({ a: 1, b: 2, c: 3 }, { c: 4 }), { fields: ['c', 'a'] });
    expect([table.fields, ...table]).toEqual([['c', 'a'], { c: 3, a: 1 }, { c: 4, a: NaN }]);
    await expect(read(lines({ a: 1 }, {}), { fields: ['b'] })).rejects.toMatchObject({
      code: 'ERR_JSON',
      option: 'fields',
      message: 'Expected a field "b", as options.fields says, in input but none of 2 records has it',
    });
  });

  it('understands blank lines, line ends, a byte order mark, escapes and lone surrogates', async () => {
    const table = await read('\ufeff{"a": "\\ud800\\u00e4ä"}\r\n\n  \t\r\n{"a": "🙂"}');
    expect([...table]).toEqual([{ a: '\ud800ää' }, { a: '🙂' }]);
    expect([...(await read('{"a": 1}\n'))]).toEqual([{ a: 1 }]);
  });

  it('reads a path, a stream, gzip, and chunks of any size', async () => {
    const records = Array.from({ length: 2000 }, (_, i) => ({ i, text: `ü${i % 50}`, gap: i % 3 ? i : null }));
    const [plain, zipped] = [join(folder, 'data.jsonl'), join(folder, 'data.jsonl.gz')];
    writeFileSync(plain, lines(...records));
    writeFileSync(zipped, gzipSync(lines(...records)));
    const expected = records.map((record) => ({ ...record, gap: record.gap ?? NaN }));
    for (const source of [plain, zipped, createReadStream(plain, { highWaterMark: 7 }), gzipSync(lines(...records))]) {
      expect([...(await readJsonLines(source))]).toEqual(expected);
    }
  });

  it.each<[what: string, text: string, message: string]>([
    ['a line that is no JSON', '{"a": 1}\n\n{"a": 1,}\n', 'JSON at input:3:9 but received "}"'],
    ['a line that was cut', '{"a": 1}\n{"a": [1', 'JSON at input:2:9 but received the end'],
    ['a line of text', '{"a": 1}\nage,city\n', 'JSON at input:2 but received "a" where no value can begin'],
    ['an array', '[{"a": 1}]\n', 'an object at input:1 but received an array of length 1'],
    ['null', '{}\n null\n', 'an object at input:2 but received null'],
    ['a number', '7\n', 'an object at input:1 but received 7'],
    ['a string', '"{}"\n', 'an object at input:1 but received "{}"'],
    ['two objects in a line', '{"a": 1} {"a": 2}\n', 'JSON at input:1:10 but received "{\\"a\\": 2}"'],
    ['an object over several lines', '{\n"a": 1\n}\n', 'JSON at input:1:2 but received the end'],
    ['an empty file', '', 'at least one object at input:1 but received none'],
    ['a file of blank lines', '\n\n', 'at least one object at input:2 but received none'],
    [
      'too many fields',
      lines(Object.fromEntries(Array.from({ length: 65_537 }, (_, k) => [`f${k}`, 1]))),
      'at most 65536 fields at input:1 but received more',
    ],
  ])('refuses %s', async (_, text, message) => {
    await expect(read(text)).rejects.toMatchObject({ name: 'SyntaxError', code: 'ERR_JSON', message: `Expected ${message}` });
  });

  it('refuses a line without end with bounded work', { tags: ['slow'] }, async () => {
    let chunks = 0;
    const endless = Readable.from(
      (function* () {
        yield '{"a": 1}\n{"a": "';
        for (; chunks < 1000; chunks++) yield Buffer.alloc(1 << 20, 'x');
      })(),
    );
    await expect(readJsonLines(endless)).rejects.toThrow('Expected a line of at most 16777216 bytes at input:2 but received more');
    expect(chunks).toBeLessThan(40);
    await expect(read(`{"a": "${'x'.repeat(17 << 20)}"}\n`)).rejects.toThrow(
      'Expected a line of at most 16777216 bytes at input:1',
    );
  });

  it('takes lists nested deeply', async () => {
    const depth = 100_000;
    const table = await read(`{"a": ${'['.repeat(depth)}${']'.repeat(depth)}}\n`);
    expect(table.rows).toBe(1);
  });

  it('refuses records that share no fields, instead of a table of gaps', { tags: ['slow'] }, async () => {
    const each = Array.from({ length: 20_000 }, (_, k) => `{"f${k}": 1}\n`).join('');
    await expect(read(each)).rejects.toThrow(/Expected records that share their fields at input:\d+ but received \d+ fields, most/);
  });

  it('refuses gzip that was cut, a folder, a missing file and too many bytes', async () => {
    await expect(read(gzipSync(lines({ a: 1 })).subarray(0, 20))).rejects.toMatchObject({
      code: 'ERR_JSON',
      message: 'Expected a whole gzip file for input but received a file that ends in the middle',
    });
    await expect(readJsonLines(folder)).rejects.toMatchObject({ code: 'EISDIR' });
    await expect(readJsonLines(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(read(lines({ a: 1 }), { maxBytes: 5 })).rejects.toMatchObject({
      code: 'ERR_JSON',
      message: 'Expected at most 5 bytes of text for input, as options.maxBytes says, but received more',
    });
    await expect(readJsonLines(7 as never)).rejects.toThrow('Expected a path, a stream or a Uint8Array for source');
  });

  it('hands on the reason of a signal, and lets the event loop turn', async () => {
    const reason = new Error('enough');
    expect(await read(lines({ a: 1 }), { signal: AbortSignal.abort(reason) }).catch((error: unknown) => error)).toBe(reason);
    let turns = 0;
    let handle = setImmediate(turn);
    function turn() {
      turns++;
      handle = setImmediate(turn);
    }
    const whole = { [Symbol.asyncIterator]: () => [Buffer.from('{"a": 1, "b": "x"}\n'.repeat(50_000))].values() };
    const table = await readJsonLines(whole as unknown as AsyncIterable<Uint8Array>);
    clearImmediate(handle);
    expect([table.rows, turns > 0]).toEqual([50_000, true]);
  });

  it('refuses options that make no sense', async () => {
    const refused = (options: object, message: string) => expect(read('{}\n', options)).rejects.toThrow(message);
    await refused({ fields: 'a' }, 'Expected an array of names for options.fields but received "a"');
    await refused({ fields: ['a', 'a'] }, 'Expected distinct names for options.fields but received "a" twice');
    await refused({ columns: [] }, 'Unknown option "columns"; did you mean "fields"?');
    await refused({ maxBytes: -1 }, 'for options.maxBytes but received -1');
  });
});
