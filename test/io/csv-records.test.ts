import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { Table } from '../../lib/data/table.js';
import { LinearSvm, readCsv, type CsvRow, type ReadCsvRecordsOptions } from '../../lib/index.js';

const folder = mkdtempSync(join(tmpdir(), 'fista-classify-'));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (text: string | Buffer, options: Omit<ReadCsvRecordsOptions, 'as'> = {}) =>
  readCsv(Buffer.from(text as string), { as: 'records', ...options });

/** The values of a field, row by row. */
const values = (table: Table<CsvRow>, field: string) => Array.from(table, (record) => record[field]);

describe("readCsv({ as: 'records' })", () => {
  it('gives numbers with gaps as doubles, and other columns as strings', async () => {
    const table = await read('age,city,plan\n31,Berlin,pro\n,Paris,\n25.5,,basic\n');
    expect(table).toBeInstanceOf(Table);
    expect([table.rows, table.fields]).toEqual([3, ['age', 'city', 'plan']]);
    expect([...table]).toEqual([
      { age: 31, city: 'Berlin', plan: 'pro' },
      { age: NaN, city: 'Paris', plan: undefined },
      { age: 25.5, city: undefined, plan: 'basic' },
    ]);
    expect(Table.columnOf(table, 'age')).toEqual({ values: Float64Array.of(31, NaN, 25.5) });
    expect(Table.columnOf(table, 'plan')).toEqual({ codes: Int8Array.of(0, -1, 1), dictionary: ['pro', 'basic'] });
  });

  it('gives what fit takes', async () => {
    const rows = Array.from({ length: 20 }, (_, i) => `${i % 2 ? 'Rome' : 'Oslo'},${i % 3 || ''},${i % 2 ? 'yes' : 'no'}`);
    const table = await read(`city,visits,churn\n${rows.join('\n')}\n`);
    const model = LinearSvm.fit(table, 'churn');
    expect(model.predict([{ city: 'Rome', visits: 1 }, { city: 'Oslo' }])).toEqual(['yes', 'no']);
    expect(model.score(table, 'churn').accuracy).toBe(1);
    expect(model.predict(table)).toEqual(values(table, 'churn'));
  });

  it('keeps the text of numbers if a later cell is none', async () => {
    const cells = ['1', '1.50', '', '+2', '1e3', '-0', '0.0000001', 'NA', ' 7 ', '0.1', '12345678901234567890', '.5', 'x', '3'];
    const texts = cells.map((text) => (text === '' ? undefined : text.trim()));
    expect(values(await read(`a,b\n${cells.map((text) => `${text},1\n`).join('')}`), 'a')).toEqual(texts);
  });

  it('keeps any text of any length of numbers before it', async () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.integer().map(String),
      fc.tuple(fc.integer({ min: -9999, max: 9999 }), fc.nat(9999)).map(([whole, part]) => `${whole}.${part}`),
      fc.constantFrom('', 'NA', 'N/A', 'NaN', '1e999', '007', '1_000', '--1', '1.', '.'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(number, { minLength: 1, maxLength: 30 }), async (cells) => {
        const rows = (list: string[]) => `a,b\n${list.map((cell) => `${cell},1\n`).join('')}`;
        const strings = values(await read(rows([...cells, 'end'])), 'a');
        expect(strings).toEqual([...cells.map((cell) => cell || undefined), 'end']);
        const isNumber = (cell: string) =>
          /^[-+]?(?!0\d)(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/.test(cell) && Number.isFinite(Number(cell));
        const isGap = (cell: string) => ['', 'NA', 'N/A', 'NaN'].includes(cell);
        const column = values(await read(rows(cells)), 'a');
        if (cells.every((cell) => isNumber(cell) || isGap(cell)))
          expect(column).toEqual(cells.map((cell) => (isGap(cell) ? NaN : Number(cell))));
        else expect(column).toEqual(cells.map((cell) => cell || undefined));
      }),
    );
  });

  it('takes NA, N/A and NaN for gaps among numbers, and for strings among strings', async () => {
    const table = await read('a,b\n1,x\nNA,NA\nN/A,N/A\nNaN,NaN\nna,\n');
    expect(values(table, 'a')).toEqual(['1', 'NA', 'N/A', 'NaN', 'na']);
    expect(values(await read('a,b\n1,x\nNA,NA\nN/A,N/A\nNaN,NaN\n'), 'a')).toEqual([1, NaN, NaN, NaN]);
    expect(values(table, 'b')).toEqual(['x', 'NA', 'N/A', 'NaN', undefined]);
    expect(values(await read('a,b\n,1\nNA,2\n'), 'a')).toEqual([NaN, NaN]);
  });

  it('takes numbers with a leading 0 for codes', async () => {
    expect(values(await read('zip\n10115\n02139\n'), 'zip')).toEqual(['10115', '02139']);
    expect(values(await read('a\n0\n0.5\n-0.5\n'), 'a')).toEqual([0, 0.5, -0.5]);
    expect(values(await read('a\n-05\n'), 'a')).toEqual(['-05']);
  });

  it('reads the fields of options.strings as strings', async () => {
    const table = await read('zip,n\n10115,1\n1.50,2\n,3\n', { strings: ['zip', 'none of that name'] });
    expect([...table]).toEqual([
      { zip: '10115', n: 1 },
      { zip: '1.50', n: 2 },
      { zip: undefined, n: 3 },
    ]);
  });

  it('trims cells and names, as files with ", " between cells need it', async () => {
    const table = await read('a , b,\tc\n 1, x y ,"  z "\n2 ,  , \n');
    expect(table.fields).toEqual(['a', 'b', 'c']);
    expect([...table]).toEqual([
      { a: 1, b: 'x y', c: 'z' },
      { a: 2, b: undefined, c: undefined },
    ]);
  });

  it('gives the fields of options.columns in their order, and leaves others out', async () => {
    const table = await read('a,b,c\n1,x,2\n', { columns: ['c', 'b'] });
    expect(table.fields).toEqual(['c', 'b']);
    expect(table.record(0)).toEqual({ c: 2, b: 'x' });
    await expect(read('a,b\n1,x\n', { columns: ['c'] })).rejects.toThrow('Expected the column "c" at input:1 but received "a,b"');
    await expect(read('a,b\n1,x\n', { columns: ['a', 'c', 'd'] })).rejects.toThrow('Expected the columns "c", "d" at input:1');
    await expect(read('a,b\n1,x\n', { columns: ['a', 'a'] })).rejects.toThrow(
      'Expected distinct names for options.columns but received "a" twice, as 0 and 1',
    );
    await expect(read('1\n', { columns: ['a'], header: false })).rejects.toThrow('Expected nothing for options.columns');
  });

  it('names fields by their number without a header', async () => {
    const table = await read('1,x\n2,y\n', { header: false });
    expect([...table]).toEqual([
      { 0: 1, 1: 'x' },
      { 0: 2, 1: 'y' },
    ]);
  });

  it('takes any name for a field, __proto__ too', async () => {
    const table = await read('__proto__,constructor,\nx,1,2\n');
    expect(table.fields).toEqual(['__proto__', 'constructor', '']);
    const record = table.record(0);
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
    expect(Object.entries(record)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 1],
      ['', 2],
    ]);
  });

  it('understands quotes, line ends, a byte order mark, delimiters and bytes that are no UTF-8', async () => {
    const table = await read('\ufeff"a;b";c\r\n"x\n""y""";1\r\r\nz;2', { delimiter: ';' });
    expect([...table]).toEqual([
      { 'a;b': 'x\n"y"', c: 1 },
      { 'a;b': 'z', c: 2 },
    ]);
    const odd = await read(Buffer.concat([Buffer.from('a\n'), Buffer.of(0xed, 0xa0, 0x80, 10, 0xff, 10)]));
    expect(values(odd, 'a')).toEqual(['\ufffd\ufffd\ufffd', '\ufffd']);
    expect(values(await read('a\nübermäßig\n日本\n🙂\n'), 'a')).toEqual(['übermäßig', '日本', '🙂']);
  });

  it('reads a path, a stream, gzip, and chunks of any size', async () => {
    const text = `a,b,c\n${Array.from({ length: 3000 }, (_, i) => `${i},"k${i % 300}",${i % 7 ? i / 4 : ''}\n`).join('')}`;
    const [plain, zipped] = [join(folder, 'data.csv'), join(folder, 'data.csv.gz')];
    writeFileSync(plain, text);
    writeFileSync(zipped, gzipSync(text));
    const expected = [...(await read(text))];
    expect(expected[2999]).toEqual({ a: 2999, b: 'k299', c: 2999 / 4 });
    for (const source of [plain, zipped, createReadStream(plain, { highWaterMark: 7 }), gzipSync(text)]) {
      expect([...(await readCsv(source, { as: 'records' }))]).toEqual(expected);
    }
  });

  it('takes as few bytes for codes as they need', async () => {
    for (const [distinct, View] of [
      [127, Int8Array],
      [128, Int16Array],
      [0x7fff, Int16Array],
      [0x8000, Int32Array],
    ] as const) {
      const texts = Array.from({ length: distinct }, (_, k) => `t${k}`);
      const column = Table.columnOf(await read(`a\n${texts.join('\n')}\n`), 'a')!;
      expect(column.codes).toBeInstanceOf(View);
      expect(column).toEqual({ codes: View.from(texts.keys()), dictionary: texts });
    }
  });

  it('lets the event loop turn while it reads', { tags: ['slow'] }, async () => {
    const text = `a,b\n${'1.5,x\n2.50,y\n'.repeat(100_000)}z,z\n`;
    let [turns, handle] = [0, setImmediate(turn)];
    function turn() {
      turns++;
      handle = setImmediate(turn);
    }
    const whole = { [Symbol.asyncIterator]: () => [Buffer.from(text)].values() } as unknown as AsyncIterable<Uint8Array>;
    const table = await readCsv(whole, { as: 'records' });
    clearImmediate(handle);
    expect(turns).toBeGreaterThan(0);
    expect([table.rows, table.record(1), table.record(200_000)]).toEqual([200_001, { a: '2.50', b: 'y' }, { a: 'z', b: 'z' }]);
  });

  it.each<[what: string, text: string, message: string]>([
    ['a field twice in the header', 'a,b, a\n1,2,3\n', 'one column "a" at input:1 but received two'],
    ['a row that is short', 'a,b\n1,2\n\n1\n', '2 cells, as in the first row, at input:4 but received 1'],
    ['a row that is long', 'a,b\n1,2,3\n', '2 cells, as in the first row, at input:2 but received 3'],
    ['a header only', 'a,b\n', 'at least one row below the header at input:1 but received 0'],
    ['an empty file', '', 'at least one row below the header at input:1 but received 0'],
    ['a quote in a cell', 'a,b\n1,x"\n', 'quotes around the whole cell at input:2:2 (column "b") but received "x\\""'],
    ['a quote that is not closed', 'a,b\n1,"x\n', 'a closing quote at input:2:2 (column "b") but received the end of the text'],
    ['too many fields', `${','.repeat(65_536)}\n`, 'at most 65536 fields at input:1 but received 65537'],
  ])('refuses %s', async (_, text, message) => {
    await expect(read(text)).rejects.toMatchObject({ name: 'SyntaxError', code: 'ERR_CSV', message: `Expected ${message}` });
  });

  it('refuses LIBSVM text, lines without end, gzip that was cut, a folder, and too many bytes', { tags: ['slow'] }, async () => {
    await expect(read('1 1:0.5 2:3\n')).rejects.toThrow('this is LIBSVM text, which readLibsvm reads');
    await expect(read(`a,b\n1,"${'x'.repeat(17 << 20)}`)).rejects.toThrow(
      'Expected a line of at most 16777216 bytes at input:2 but received more',
    );
    await expect(read(gzipSync('a,b\n1,x\n').subarray(0, 20))).rejects.toThrow(
      'Expected a whole gzip file for input but received a file that ends in the middle',
    );
    await expect(readCsv(folder, { as: 'records' })).rejects.toMatchObject({ code: 'EISDIR' });
    await expect(read('a,b\n1,x\n', { maxBytes: 7 })).rejects.toThrow('Expected at most 7 bytes of text for input');
    const reason = new Error('enough');
    expect(await read('a\n1\n', { signal: AbortSignal.abort(reason) }).catch((error: unknown) => error)).toBe(reason);
  });

  it('refuses options that make no sense', async () => {
    const refused = (options: object, message: string) => expect(read('a\n1\n', options)).rejects.toThrow(message);
    await refused({ label: 'a' }, 'Unknown option "label"; labels are a field like the others, which fit takes by its name');
    await refused({ labels: 'string' }, 'Unknown option "labels"; labels are a field like the others');
    await refused({ strings: 'a' }, 'Expected an array of names for options.strings but received "a"');
    await refused({ sep: ';' }, 'Unknown option "sep"; did you mean "delimiter"?');
    await refused({ as: 'rows' }, "Expected 'points' or 'records' for options.as but received \"rows\"");
    expect((await readCsv(Buffer.from('a\n1\n'), { as: 'points', label: null })).points.rows).toBe(1);
  });
});
