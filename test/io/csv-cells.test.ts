import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvCells } from '../../lib/io/csv-cells.js';

interface Row {
  cells: string[];
  line: number;
}

/** The records of a text that comes in parts. */
function read(parts: readonly Uint8Array[], delimiter = ','): Row[] {
  const rows: Row[] = [];
  let cells: string[] = [];
  const reader = new CsvCells(delimiter, {
    cell: (bytes, from, to) => cells.push(bytes.toString('utf8', from, to)),
    place: (line, column) => ({ file: 'input', line, column: column + 1 }),
  });
  const readRecords = () => {
    while (reader.read()) {
      rows.push({ cells, line: reader.line });
      cells = [];
    }
  };
  for (const part of parts) {
    reader.push(part);
    readRecords();
  }
  reader.finish();
  readRecords();
  return rows;
}

/** Cuts bytes at the given shares of their length. */
function cut(bytes: Uint8Array, shares: readonly number[]): Uint8Array[] {
  const at = [0, ...shares.map((share) => Math.floor(share * bytes.length)), bytes.length].sort((a, b) => a - b);
  return at.slice(1).map((end, k) => bytes.subarray(at[k], end));
}

/** What `work` returns, or "refused". */
function orRefused<T>(work: () => T): T | 'refused' {
  try {
    return work();
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return 'refused';
  }
}

function byCsvParse(text: string, delimiter: string): Row[] {
  const ends = ['\r\n', '\n', '\r'];
  const rows: unknown = parse(text, {
    delimiter,
    record_delimiter: ends,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
  });
  return (rows as { record: string[]; info: { lines: number } }[]).map(({ record, info }) => ({ cells: record, line: info.lines }));
}

const delimiters = fc.constantFrom(',', ';', '\t', ' ', '||', ';,;', '→', 'aab');
const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 });

describe('CsvCells', () => {
  it('agrees with csv-parse on text of any kind: the same cells and lines, or both refuse', () => {
    const pieces = fc.constantFrom('"', '""', '\n', '\r', '\r\n', 'a', 'aa', 'b', '1.5', ' ', 'é', '→', '𝕏', '|', ';', ',');
    const texts = delimiters.chain((delimiter) =>
      fc.tuple(
        fc.constant(delimiter),
        fc.array(fc.oneof({ weight: 3, arbitrary: pieces }, fc.constant(delimiter)), { maxLength: 30 }).map((all) => all.join('')),
      ),
    );
    let refused = 0;
    fc.assert(
      fc.property(texts, shares, ([delimiter, text], at) => {
        const expected = orRefused(() => byCsvParse(text, delimiter));
        const parts = cut(Buffer.from(text), at);
        const actual = orRefused(() => read(parts, delimiter));
        if (expected === 'refused') refused++;
        // Of a line end \r\n within quotes it makes two.
        const bare = (rows: typeof actual) => (rows === 'refused' ? rows : rows.map(({ cells }) => cells));
        if (/"[^]*\r\n/.test(text)) expect(bare(actual)).toEqual(bare(expected));
        else expect(actual).toEqual(expected);
      }),
      { numRuns: 3000 },
    );
    expect(refused).toBeGreaterThan(300);
    expect(refused).toBeLessThan(2700);
  });

  it('gives back any cells that were written, whatever they have in them and wherever the text is cut', () => {
    const cells = fc.array(
      fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('"', '\r\n', '', '1.5')), { minLength: 1 }),
      {
        minLength: 1,
      },
    );
    fc.assert(
      fc.property(cells, delimiters, fc.constantFrom('\n', '\r', '\r\n'), shares, (rows, delimiter, end, at) => {
        const text = rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter) + end).join('');
        expect(read(cut(Buffer.from(text), at), delimiter).map((row) => row.cells)).toEqual(rows);
      }),
      { numRuns: 500 },
    );
  });

  it('reads one byte at a time as it reads all at once', () => {
    const text = Buffer.from('a,"b ""c""\r\nd",é\r\n\r\n"",\r→,"x"');
    const rows = [
      { cells: ['a', 'b "c"\r\nd', 'é'], line: 2 },
      { cells: ['', ''], line: 4 },
      { cells: ['→', 'x'], line: 5 },
    ];
    expect(read([text])).toEqual(rows);
    expect(read([...text].map((byte) => Uint8Array.of(byte)))).toEqual(rows);
  });

  it('tells an empty line from a record of one empty cell, and ends the last line', () => {
    const cellsOf = (text: string) => read([Buffer.from(text)]).map(({ cells }) => cells);
    expect(cellsOf('')).toEqual([]);
    expect(cellsOf('\n\r\r\n')).toEqual([]);
    expect(cellsOf('""')).toEqual([['']]);
    expect(cellsOf(' \n')).toEqual([[' ']]);
    expect(cellsOf('a,')).toEqual([['a', '']]);
    expect(cellsOf(',\n')).toEqual([['', '']]);
  });

  it.each([
    ['a,b\n1,2"3\n', 'Expected quotes around the whole cell at input:2:2 but received "2\\""'],
    ['a, "b"\n', 'Expected quotes around the whole cell at input:1:2 but received " \\""'],
    ['"a\nb"c\n', 'Expected a delimiter or the end of the line after "a\\nb" in quotes at input:2:1 but received more'],
    ['a,"b\n\nc,d\n', 'Expected a closing quote at input:1:2 but received the end of the text'],
    ['a,"b""', 'Expected a closing quote at input:1:2 but received the end of the text'],
  ])('refuses %j', (text, message) => {
    expect(() => read([Buffer.from(text)])).toThrow(message);
    expect(() => read([...Buffer.from(text)].map((byte) => Uint8Array.of(byte)))).toThrow(message);
  });

  it('takes a line and a record of 16777216 bytes, and none that is longer', { tags: ['slow'] }, () => {
    const limit = 1 << 24;
    const parts = (text: Buffer) =>
      cut(
        text,
        Array.from({ length: 99 }, (_, k) => k / 99),
      );
    const line = (length: number, end: string) =>
      parts(Buffer.concat([Buffer.from('a\n'), Buffer.alloc(length, '1'), Buffer.from(end)]));
    for (const end of ['', '\n', '\r\n', '\r']) expect(read(line(limit, end))[1]!.cells[0]).toHaveLength(limit);
    for (const end of ['', '\n', '\r\n', '\r']) {
      expect(() => read(line(limit + 1, end))).toThrow('Expected a line of at most 16777216 bytes at input:2 but received more');
    }
    const record = (length: number) => parts(Buffer.from(`a\n"${'x\n'.repeat((length - 2) / 2)}"\n`));
    expect(read(record(limit))[1]!.cells[0]).toHaveLength(limit - 2);
    expect(() => read(record(limit + 2))).toThrow('Expected a record of at most 16777216 bytes at input:2 but received more');
  });
});
