/** From the text of a CSV table to points. What is wrong throws an Error whose message is for the reader. */
import { readCsv } from 'fista-classify';
import { MOST_CLASSES } from '../palette.js';
import type { Domain, Scene, Spot } from './scene.js';

/** Far more than so many rows need. */
export const MOST_CHARACTERS = 1_000_000;
export const MOST_ROWS = 2000;
/** Beyond, differences of numbers may be no numbers. */
const LARGEST = 1e100;

/** A table that was read, with the columns that serve as what. */
export interface CsvTable {
  readonly rows: number;
  readonly columns: readonly Column[];
}

export interface Column {
  readonly name: string;
  /** Numbers or texts, one a row. */
  readonly values: readonly (number | string | undefined)[];
  readonly isNumeric: boolean;
}

/** By number of the column. */
export interface Roles {
  readonly x: number;
  readonly y: number;
  readonly label: number;
}

/** The cells of the first row. Between quotes, delimiters and ends of lines are text. */
function firstRow(text: string, delimiter: string): string[] {
  const cells = [''];
  let quoted = false;
  for (const sign of text) {
    if (sign === '"') quoted = !quoted;
    else if (!quoted && (sign === '\n' || sign === '\r')) break;
    else if (!quoted && sign === delimiter) cells.push('');
    else cells[cells.length - 1] += sign;
  }
  return cells;
}

/** The first row's most frequent one of the usual delimiters. */
export function delimiterOf(text: string): string {
  const count = (sign: string) => firstRow(text, sign).length;
  return [',', ';', '\t'].reduce((best, sign) => (count(sign) > count(best) ? sign : best));
}

/** Whether the first row looks like names: no cell of it is a number. */
export function seemsHeader(text: string): boolean {
  return firstRow(text, delimiterOf(text)).every((cell) => cell.trim() === '' || Number.isNaN(Number(cell)));
}

export function tooLong(text: string): Error {
  const [most, came] = [MOST_CHARACTERS, text.length].map((length) => length.toLocaleString('en')) as [string, string];
  return new Error(`Expected a table of at most ${most} characters but received ${came}`);
}

export async function readTable(text: string, header: boolean): Promise<CsvTable> {
  if (text.length > MOST_CHARACTERS) throw tooLong(text);
  if (text.trim() === '') throw new Error('Expected a table but received no text');
  const bytes = new TextEncoder().encode(text);
  const table = await readCsv(bytes, { as: 'records', header, delimiter: delimiterOf(text) });
  if (table.rows > MOST_ROWS) {
    throw new Error(
      `Expected at most ${MOST_ROWS.toLocaleString('en')} rows, which this page can draw, but received ${table.rows.toLocaleString('en')}`,
    );
  }
  const records = Array.from({ length: table.rows }, (_, row) => table.record(row) as Record<string, number | string | undefined>);
  const columns = table.fields.map((field): Column => {
    const values = records.map((record) => (Object.hasOwn(record, field) ? record[field] : undefined));
    return {
      name: header ? field : `column ${Number(field) + 1}`,
      values,
      isNumeric: values.every((value) => typeof value === 'number'),
    };
  });
  return { rows: table.rows, columns };
}

/** The label is the last column of texts, or of few distinct numbers; x and y are the first numeric columns beside it. */
export function rolesOf({ columns }: CsvTable): Roles {
  const numeric = columns.flatMap(({ isNumeric }, j) => (isNumeric ? [j] : []));
  const few = (j: number) => new Set(columns[j]!.values).size <= MOST_CLASSES;
  const texts = columns.flatMap(({ isNumeric }, j) => (isNumeric ? [] : [j]));
  const label = texts.findLast(few) ?? texts.at(-1) ?? numeric.findLast(few) ?? columns.length - 1;
  const [x, y] = numeric.filter((j) => j !== label);
  if (x === undefined || y === undefined) {
    throw new Error(`Expected two columns of numbers and one of labels but received ${describe(columns)}`);
  }
  return { x, y, label };
}

function describe(columns: readonly Column[]): string {
  const numbers = columns.filter(({ isNumeric }) => isNumeric).length;
  return `${numbers} of numbers and ${columns.length - numbers} of text`;
}

/** The points of a table. */
export function sceneOf({ columns, rows }: CsvTable, { x, y, label }: Roles): Scene {
  const [across, up, labels] = [columns[x]!, columns[y]!, columns[label]!];
  const names = [...new Set(labels.values.map((value) => (value === undefined ? '' : String(value))))];
  if (names.includes('') || names.includes('NaN'))
    throw new Error(`Expected a label in every row of column "${labels.name}" but some have none`);
  if (names.length < 2) throw new Error(`Expected two classes or more in column "${labels.name}" but every label is "${names[0]}"`);
  if (names.length > MOST_CLASSES) {
    throw new Error(
      `Expected at most ${MOST_CLASSES} classes in column "${labels.name}" but received ${names.length.toLocaleString('en')}`,
    );
  }
  names.sort((a, b) => (labels.isNumeric ? Number(a) - Number(b) : a < b ? -1 : 1));
  const spots = Array.from({ length: rows }, (_, row): Spot => ({
    x: numberIn(across, row),
    y: numberIn(up, row),
    k: names.indexOf(String(labels.values[row])),
  }));
  return { spots, classes: names.length, names, axes: [across.name, up.name], domain: domainOf(spots) };
}

function numberIn({ name, values }: Column, row: number): number {
  const value = values[row];
  if (typeof value !== 'number' || !(Math.abs(value) <= LARGEST)) {
    const came = value === undefined || Number.isNaN(value) ? 'a gap' : `${value}`;
    throw new Error(`Expected a number of at most 1e100 in column "${name}", row ${row + 1}, but received ${came}`);
  }
  return value;
}

/** What holds all points, with some room. */
export function domainOf(spots: readonly Spot[]): Domain {
  const range = (values: readonly number[]): readonly [number, number] => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const room = high > low ? 0.08 * (high - low) : Math.abs(high) / 2 || 1;
    return [low - room, high + room];
  };
  return { x: range(spots.map(({ x }) => x)), y: range(spots.map(({ y }) => y)), equal: false };
}
