/** Tables: records in columns. */
import { notMade } from '../input/options.js';
import { resolveTable } from '../input/resolve-table.js';

/** The values of a field: one a row; or a dictionary, and the place in it of each row's value (-1: missing). */
export type TableColumn = { readonly values: ArrayLike<unknown>; readonly codes?: undefined } | DictionaryColumn;

export interface DictionaryColumn {
  readonly codes: ArrayLike<number>;
  readonly dictionary: readonly unknown[];
}

/** Private to this file, so that only this file can construct a Table. */
const MADE = Symbol('made');

/** Records in columns, as files have them: far smaller than an array of objects. A record is made when it is asked for. */
export class Table<R extends object = Record<string, unknown>> implements Iterable<R> {
  readonly rows: number;
  /** The names of the fields. */
  readonly fields: readonly string[];
  readonly #columns: ReadonlyMap<string, TableColumn>;

  private constructor(made: typeof MADE, rows: number, columns: ReadonlyMap<string, TableColumn>) {
    if (made !== MADE) throw notMade('Table', 'Table.from({ field: values, … })');
    this.rows = rows;
    this.fields = Object.freeze([...columns.keys()]);
    this.#columns = columns;
  }

  /** A table of arrays, one a field. The arrays are not copied. */
  static from<C extends Readonly<Record<string, ArrayLike<unknown>>>>(columns: C): Table<{ [K in keyof C]: C[K][number] }> {
    const { rows, lists } = resolveTable(columns);
    return new Table(MADE, rows, new Map(Array.from(lists, ([name, values]) => [name, { values }])));
  }

  /** A table of columns of one length, which are not checked. @internal */
  static of<R extends object>(rows: number, columns: ReadonlyMap<string, TableColumn>): Table<R> {
    return new Table<R>(MADE, rows, columns);
  }

  /** Whether a value is a Table made here. @internal */
  static is(value: unknown): value is Table<object> {
    return typeof value === 'object' && value !== null && #columns in value;
  }

  /** The column of a field. @internal */
  static columnOf(table: Table<object>, field: string): TableColumn | undefined {
    return table.#columns.get(field);
  }

  /** These rows, in their order. @internal */
  static select<R extends object>(table: Table<R>, rows: Uint32Array): Table<R> {
    const columns = new Map<string, TableColumn>();
    for (const [name, column] of table.#columns) {
      if (column.codes) columns.set(name, { ...column, codes: Int32Array.from(rows, (i) => column.codes[i]!) });
      else columns.set(name, { values: pickFrom(column.values, rows) });
    }
    return new Table<R>(MADE, rows.length, columns);
  }

  /** The record of a row. */
  record(row: number): R {
    // By entries, so that a field may have any name: assigning to __proto__ would change the record's prototype.
    return Object.fromEntries(Array.from(this.#columns, ([name, column]) => [name, valueIn(column, row)])) as R;
  }

  *[Symbol.iterator](): Iterator<R> {
    for (let row = 0; row < this.rows; row++) yield this.record(row);
  }
}

/** Some values, in an array of the same kind. */
function pickFrom(values: ArrayLike<unknown>, rows: Uint32Array): ArrayLike<unknown> {
  if (values instanceof Float64Array) return Float64Array.from(rows, (i) => values[i]!);
  return Array.from(rows, (i) => values[i]);
}

/** The value of a row; undefined if it is missing. */
export function valueIn(column: TableColumn, row: number): unknown {
  return column.codes ? column.dictionary[column.codes[row]!] : column.values[row];
}

/** An array for the codes of so many rows, with as few bytes as a dictionary of this size needs. */
export function codesOf(rows: number, distinct: number): Int8Array | Int16Array | Int32Array {
  return new (distinct <= 0x7f ? Int8Array : distinct <= 0x7fff ? Int16Array : Int32Array)(rows);
}
