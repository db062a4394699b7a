import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { LinearSvm, readCsv, type ReadCsvOptions } from '../../lib/index.js';

const folder = mkdtempSync(join(tmpdir(), 'fista-classify-'));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (text: string, options: ReadCsvOptions) => readCsv(Buffer.from(text), options);

describe('readCsv', () => {
  it('reads numbers, labels and the names of columns', async () => {
    expect(await read('age,kind,height\n1,tea,2.5\n-3e2,coffee,.5\n', { label: 'kind' })).toEqual({
      points: { data: Float64Array.of(1, 2.5, -300, 0.5), rows: 2, cols: 2, columns: ['age', 'height'] },
      labels: ['tea', 'coffee'],
      columns: ['age', 'height'],
      ignored: [],
    });
  });

  it('tells LIBSVM text, whose rows have no commas, from a table', async () => {
    const message =
      'Expected comma-separated values at input:1 but received "1 1:0.5 2:-3e2"; this is LIBSVM text, which readLibsvm reads';
    const text = '1 1:0.5 2:-3e2\n-1 2:1\n';
    const forms: ReadCsvOptions[] = [
      { label: 'y' },
      { label: -1 },
      { label: 0, header: false },
      { label: null },
      { label: 0, delimiter: ' ', header: false },
    ];
    for (const options of forms) await expect(read(text, options)).rejects.toMatchObject({ code: 'ERR_CSV', message });
    // A column of times is none.
    const times = await read('when 12:30\n1\n2\n', { label: null });
    expect(times.columns).toEqual(['when 12:30']);
    await expect(read('1,12:30\n', { label: 0, header: false })).rejects.toThrow('Expected a finite number at input:1:2');
    await expect(read('spam 1:1 2:3\n', { label: 0 })).rejects.toThrow('this is LIBSVM text, which readLibsvm reads');
  });

  it('takes the label column by number, from either end, with and without a header', async () => {
    const first = await read('y,a\n1,2\n', { label: 0 });
    expect(first).toMatchObject({ labels: Float64Array.of(1), columns: ['a'], points: { data: Float64Array.of(2) } });
    const last = await read('1,2,3\n4,5,6', { label: -1, header: false });
    expect(last).toMatchObject({ labels: Float64Array.of(3, 6), columns: ['0', '1'], points: { rows: 2, cols: 2 } });
  });

  it('reads a file without labels with label: null', async () => {
    const data = await read('a,b\n1,2\n3,4', { label: null });
    expect(data).toMatchObject({ columns: ['a', 'b'], points: { data: Float64Array.of(1, 2, 3, 4), rows: 2, cols: 2 } });
    expect(data.labels).toHaveLength(0);
    expect((await read('5', { label: null, header: false })).points).toEqual({ data: Float64Array.of(5), rows: 1, cols: 1 });
    await expect(read('a,b\n1,x', { label: null })).rejects.toThrow('at input:2:2 (column "b") but received "x"');
  });

  it('gives columns by name in the order asked for, and leaves others out unread', async () => {
    const columns = ['age', 'h'];
    const expected = { points: { data: Float64Array.of(1, 2, 3, 4), rows: 2, cols: 2, columns }, labels: ['x', 'y'], columns };
    expect(await read('age,h,label\n1,2,x\n3,4,y', { label: 'label', columns })).toEqual({ ...expected, ignored: [] });
    expect(await read('h,label,age\n2,x,1\n4,y,3', { label: 'label', columns })).toEqual({ ...expected, ignored: [] });
    expect(await read('id,h,label,age,note\n#7,2,x,1,\n#8,4,y,3,late', { label: 'label', columns })).toEqual({
      ...expected,
      ignored: ['id', 'note'],
    });
    expect((await read('h,age\n2,1', { label: null, columns })).points.data).toEqual(Float64Array.of(1, 2));
    expect((await read('h,label\n2,x', { label: 'label', columns: [] })).points).toMatchObject({ rows: 1, cols: 0 });
  });

  it('refuses columns that are missing, or that a name does not tell apart', async () => {
    const refused = (text: string, columns: unknown, message: string) =>
      expect(read(text, { label: 'y', columns: columns as string[] })).rejects.toThrow(message);
    await refused('a,y\n1,0', ['a', 'b', 'c'], 'Expected the columns "b", "c" at input:1 but received "a,y"');
    await refused('a,y\n1,0', ['b'], 'Expected the column "b" at input:1 but received "a,y"');
    await refused('a,y\n1,0', ['a', 'y'], 'Expected the column "y" at input:1 but received "a,y"');
    const many = Array.from({ length: 12 }, (_, j) => `x${j}`);
    await refused('a,y\n1,0', many, '"x8", "x9" and 2 more at input:1');
    await refused('a,a,y\n1,2,0', ['a'], 'Expected one column "a" at input:1 but received two');
    await refused(
      'b,a,y\n1,2,0',
      ['a', 'b', 'a'],
      'Expected the columns in their order, as two are called "a", at input:1 but received "b,a,y"',
    );
    // Nothing is to be told apart where all are there in their order.
    expect((await read('a,y,a\n1,0,2', { label: 'y', columns: ['a', 'a'] })).points.data).toEqual(Float64Array.of(1, 2));
    await refused('a,y\n1,0', 'a', 'Expected an array of names for options.columns but received "a"');
    await refused('a,y\n1,0', ['a', 7], 'Expected a name for options.columns[1] but received 7');
    await expect(read('1,0', { label: 0, header: false, columns: ['a'] })).rejects.toThrow(
      'Expected nothing for options.columns, as there is no header, but received an array of length 1',
    );
  });

  it('gives the points the names of the header, if these are distinct', async () => {
    const named = await read('b,y,__proto__\n1,0,2', { label: 'y' });
    expect(named.points.columns).toBe(named.columns);
    expect(named.columns).toEqual(['b', '__proto__']);
    const twice = await read('a,y,a\n1,0,2\n2,1,1', { label: 'y' });
    expect(twice.columns).toEqual(['a', 'a']);
    expect(twice.points).toEqual({ data: Float64Array.of(1, 2, 2, 1), rows: 2, cols: 2 });
    expect(LinearSvm.fit(twice.points, twice.labels).columns).toBeUndefined();
    expect((await read('1,2\n', { label: 0, header: false })).points).not.toHaveProperty('columns');
    const wide = [...Array.from({ length: 20_000 }, (_, j) => `n${j}`), 'n7'];
    const many = await read(`${wide.join(',')}\n${wide.map(() => 1).join(',')}\n`, { label: null });
    expect(many.columns).toEqual(wide);
    expect(many.points.columns).toBeUndefined();
  });

  it('takes every kind of line end, and several in one file', async () => {
    const text = 'y,a\r\none,1\ntwo,2\rtwo,3\r\n\r\none,4';
    const data = await read(text, { label: 'y' });
    expect(data).toMatchObject({ labels: ['one', 'two', 'two', 'one'], points: { data: Float64Array.of(1, 2, 3, 4) } });
    await expect(read('y,a\r\n1,2\r\n1,x\r\n', { label: 'y' })).rejects.toThrow('at input:3:2 (column "a")');
  });

  it('lets the event loop turn while it reads rows, and a row of a million cells', { tags: ['slow'] }, async () => {
    const turns = async (text: string, options: ReadCsvOptions) => {
      let count = 0;
      let handle: NodeJS.Immediate;
      const turn = () => {
        count++;
        handle = setImmediate(turn);
      };
      handle = setImmediate(turn);
      // One chunk: nothing but the reader itself can let the others have their turns.
      const whole = { [Symbol.asyncIterator]: () => [Buffer.from(text)].values() } as unknown as AsyncIterable<Uint8Array>;
      const { points, labels } = await readCsv(whole, options);
      clearImmediate(handle);
      expect(count).toBeGreaterThan(0);
      return { points, labels };
    };
    const { points, labels } = await turns(`y,a,b\n${'x,1.5,-2\ny,0.25,7\n'.repeat(200_000)}`, { label: 'y' });
    expect(points).toMatchObject({ rows: 400_000, cols: 2 });
    expect([...points.data.subarray(-4)]).toEqual([1.5, -2, 0.25, 7]);
    expect([labels.length, labels[0], labels[399_999]]).toEqual([400_000, 'x', 'y']);
    const wide = await turns(`${'0.5,'.repeat(1_000_000)}7`, { label: -1, header: false });
    expect(wide.points).toMatchObject({ rows: 1, cols: 1_000_000 });
    expect(wide.points.data.every((value) => value === 0.5)).toBe(true);
    expect(wide.labels).toEqual(Float64Array.of(7));
  });

  it('gives labels as numbers if all are, or as asked', async () => {
    expect((await read('y,a\n1,2\n-1,3', { label: 'y' })).labels).toEqual(Float64Array.of(1, -1));
    expect((await read('y,a\n1,2\nx,3', { label: 'y' })).labels).toEqual(['1', 'x']);
    expect((await read('y,a\n1,2\n01,3', { label: 'y', labels: 'string' })).labels).toEqual(['1', '01']);
    await expect(read('y,a\n1,2\nx,3', { label: 'y', labels: 'number' })).rejects.toThrow(
      'Expected a finite number, the label, at input:3:1 (column "y") but received "x"',
    );
  });

  it('understands quotes, delimiters, line ends, blank lines and a byte order mark', async () => {
    const text = '\ufeff"the ""label""";"a;b"\r\n"x\ny"; 1 \r\n\r\nz;"2"\r\n';
    const data = await read(text, { label: 'the "label"', delimiter: ';' });
    expect(data).toMatchObject({ labels: ['x\ny', 'z'], columns: ['a;b'], points: { data: Float64Array.of(1, 2) } });
  });

  it('reads a path, a stream, gzip, and chunks of any size', { tags: ['slow'] }, async () => {
    const text = `y,a,b\n${Array.from({ length: 3000 }, (_, i) => `${i % 2},${i},"${i / 4}"\n`).join('')}`;
    const [plain, zipped] = [join(folder, 'data.csv'), join(folder, 'data.csv.gz')];
    writeFileSync(plain, text);
    writeFileSync(zipped, gzipSync(text));
    const expected = await read(text, { label: 'y' });
    expect(expected.points).toMatchObject({ rows: 3000, cols: 2 });
    expect(expected.points.data.slice(-2)).toEqual(Float64Array.of(2999, 2999 / 4));
    for (const source of [plain, zipped, createReadStream(plain, { highWaterMark: 7 }), gzipSync(text)]) {
      expect(await readCsv(source, { label: 'y' })).toEqual(expected);
    }
  });

  it.each<[what: string, text: string, options: ReadCsvOptions, message: string]>([
    ['a cell that is no number', 'a,y\n1,0\n2x,1\n', { label: 'y' }, 'a finite number at input:3:1 (column "a") but received "2x"'],
    ['an empty cell', 'y,a,b\n0,1,\n', { label: 'y' }, 'a finite number at input:2:3 (column "b") but received ""'],
    ['an infinite number', '1,1e999\n', { label: 0, header: false }, 'a finite number at input:1:2 but received "1e999"'],
    ['nan', '1,nan\n', { label: 0, header: false }, 'a finite number at input:1:2 but received "nan"'],
    ['hexadecimal', '1,0x10\n', { label: 0, header: false }, 'a finite number at input:1:2 but received "0x10"'],
    ['an empty label', 'y,a\n"",1\n', { label: 'y' }, 'a label at input:2:1 (column "y") but received ""'],
    ['a row that is short', 'y,a,b\n0,1,2\n\n1,2\n', { label: 'y' }, '3 cells, as in the first row, at input:4 but received 2'],
    ['a row that is long', 'y,a\n0,1\n1,2,3\n', { label: 'y' }, '2 cells, as in the first row, at input:3 but received 3'],
    [
      'a column that is not there',
      'a,b\n1,2\n',
      { label: 'y' },
      'a column "y", as options.label says, at input:1 but received "a,b"',
    ],
    [
      'a number beyond the columns',
      'a,b\n1,2\n',
      { label: 2 },
      'a column 2, as options.label says, at input:1 but received "2 columns"',
    ],
    [
      'a number before them',
      'a,b\n1,2\n',
      { label: -3 },
      'a column -3, as options.label says, at input:1 but received "2 columns"',
    ],
    ['a header only', 'a,y\n', { label: 'y' }, 'at least one row below the header at input:1 but received 0'],
    ['an empty file', '', { label: 0, header: false }, 'at least one row at input:1 but received 0'],
    ['a file of blank lines', '\n\n', { label: 'y' }, 'at least one row below the header at input:1 but received 0'],
  ])('refuses %s', async (_, text, options, message) => {
    await expect(read(text, options)).rejects.toMatchObject({
      name: 'SyntaxError',
      code: 'ERR_CSV',
      message: `Expected ${message}`,
    });
  });

  it('speaks of the record first, then of its first cell that is wrong, on its last line', async () => {
    const refused = (text: string, message: string) => expect(read(text, { label: 'y' })).rejects.toThrow(message);
    await refused('a,y,b\nx,,x\n', 'a finite number at input:2:1 (column "a") but received "x"');
    await refused('a,y,b\n1,,x\n', 'a label at input:2:2 (column "y") but received ""');
    await refused('a,y,b\nx,,x,1\n', '3 cells, as in the first row, at input:2 but received 4');
    await refused('a,y,b\nx,0,"\n1\n"\n', 'a finite number at input:4:1 (column "a") but received "x"');
    await refused('a,y,b\nx,0,1"\n', 'quotes around the whole cell at input:2:3 (column "b") but received "1\\""');
  });

  it('reads numbers with blanks around them, as text.trim() has it', async () => {
    const text = 'a,y\n  1.5 ,0\n"\t\n2\r",0\n\u00a03\ufeff,0\n 1e3,0\n';
    expect((await read(text, { label: 'y' })).points.data).toEqual(Float64Array.of(1.5, 2, 3, 1000));
    await expect(read('a,y\n1 2,0\n', { label: 'y' })).rejects.toThrow('a finite number at input:2:1');
  });

  it('reads tables of more columns than names are made of at once', async () => {
    const width = 20_000;
    const names = Array.from({ length: width }, (_, j) => `n${j}`);
    const row = names.map((_, j) => j / 4).join(',');
    const bare = await read(`${row}\n${row}`, { label: -1, header: false });
    expect(bare).toMatchObject({ labels: Float64Array.of((width - 1) / 4, (width - 1) / 4), ignored: [] });
    expect(bare.points).toMatchObject({ rows: 2, cols: width - 1 });
    expect(bare.points.data.every((value, k) => value === (k % (width - 1)) / 4)).toBe(true);
    expect(bare.columns).toEqual(names.slice(0, -1).map((_, j) => String(j)));
    expect(bare.columns).toBe(bare.columns);
    expect(bare.points.columns).toBeUndefined();
    const columns = ['n19999', 'n0', 'n7'];
    const some = await read(`${names.join(',')}\n${row}\n`, { label: 'n1', columns });
    expect(some.points).toEqual({ data: Float64Array.of(19999 / 4, 0, 7 / 4), rows: 1, cols: 3, columns });
    expect({ ...some }).toMatchObject({ columns, ignored: names.filter((name) => name !== 'n1' && !columns.includes(name)) });
    expect((await read(`${names.join(',')}\n${row}\n`, { label: null, columns: names })).points.cols).toBe(width);
  });

  it('names the file and the line of a quote that is not closed, or out of place', { tags: ['slow'] }, async () => {
    const path = join(folder, 'quote.csv');
    writeFileSync(path, 'a,y\n1,2\n3,"x\n4,5\n');
    await expect(readCsv(path, { label: 'y' })).rejects.toMatchObject({
      code: 'ERR_CSV',
      message: `Expected a closing quote at ${path}:3:2 (column "y") but received the end of the text`,
    });
    await expect(read('a,y\n1,2\n3"4,1\n', { label: 'y' })).rejects.toThrow(
      'Expected quotes around the whole cell at input:3:1 (column "a") but received "3\\""',
    );
    await expect(read('a,y\n1,2\n"3"4,1\n', { label: 'y' })).rejects.toThrow(
      'Expected a delimiter or the end of the line after "3" in quotes at input:3:1 (column "a") but received more',
    );
    await expect(read('a,y\n1,2,3"\n', { label: 'y' })).rejects.toThrow('Expected quotes around the whole cell at input:2:3 but');
    await expect(read(`a,y\n1,2\n3,"${'x\n'.repeat(9 << 20)}`, { label: 'y' })).rejects.toThrow(
      'Expected a record of at most 16777216 bytes at input:3 but received more',
    );
    await expect(readCsv(join(folder, 'none'), { label: 'y' })).rejects.toMatchObject({ code: 'ENOENT' });
    writeFileSync(path, gzipSync('a,y\n1,2\n').subarray(0, 20));
    await expect(readCsv(path, { label: 'y' })).rejects.toThrow(
      `Expected a whole gzip file for ${path} but received a file that ends`,
    );
  });

  it('refuses a line without end with bounded work, be it only commas', { tags: ['slow'] }, async () => {
    let chunks = 0;
    const commas = Readable.from(
      (function* () {
        yield 'a,label\n1,x\n';
        for (; chunks < 1000; chunks++) yield Buffer.alloc(1 << 20, ',');
      })(),
    );
    await expect(readCsv(commas, { label: 'label' })).rejects.toMatchObject({
      code: 'ERR_CSV',
      message: 'Expected a line of at most 16777216 bytes at input:3 but received more',
    });
    expect(chunks).toBeLessThan(40);
  });

  it('hands on the errors of a stream and the reason of a signal unchanged', async () => {
    const mine = new Error('mine');
    const failing = Readable.from(
      (function* () {
        yield 'y,a\n1,2\n';
        throw mine;
      })(),
    );
    expect(await readCsv(failing, { label: 'y' }).catch((error: unknown) => error)).toBe(mine);
    const reason = new Error('enough');
    const options = { label: 'y', signal: AbortSignal.abort(reason) };
    expect(await read('y,a\n1,2\n', options).catch((error: unknown) => error)).toBe(reason);
    const later = new AbortController();
    const silent = new Readable({ read() {} });
    const waiting = readCsv(silent, { label: 'y', signal: later.signal }).catch((error: unknown) => error);
    setImmediate(() => later.abort(reason));
    expect(await waiting).toBe(reason);
    silent.destroy();
  });

  it('refuses options that make no sense', async () => {
    const refused = async (options: unknown, message: string) =>
      expect(read('y,a\n1,2\n', options as ReadCsvOptions)).rejects.toThrow(message);
    await refused(undefined, 'Expected an object with the label column for options but received undefined');
    await refused({}, `Expected a column's name or number for options.label but received undefined`);
    await refused({ label: 1.5 }, `Expected a column's name or number for options.label but received 1.5`);
    await refused(
      { label: 'y', header: false },
      `Expected a column's number for options.label, as there is no header, but received "y"`,
    );
    await refused({ label: 'y', delimiter: '"' }, 'Expected a character that is no quote or line end for options.delimiter');
    await refused({ label: 'y', seperator: ';' }, 'Unknown option "seperator"');
  });

  it('gives what fit takes', async () => {
    const { points, labels } = await readCsv(Buffer.from('y,a,b\ntea,1,9\ntea,2,7\ncoffee,7,3\ncoffee,8,1'), {
      label: 'y',
      labels: 'string',
    });
    expect(LinearSvm.fit(points, labels).predict([[9, 2]])).toEqual(['coffee']);
  });
});
