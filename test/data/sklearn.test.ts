/**
 * Columns and values as scikit-learn 1.2.1 (Debian's python3-sklearn) makes them. The cases and its answers are in
 * test/fixtures/sklearn-encoders.json; `python3 bench/sklearn-encoders.py < test/fixtures/sklearn-encoders.json` makes the answers anew, and
 * `npm run bench -- encode` compares larger texts and tables with the scikit-learn at hand.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashedColumn } from '../../lib/data/fields/text-field.js';
import { murmur } from '../../lib/data/murmur.js';
import { Encoder } from '../../lib/index.js';
import type { DenseMatrix, FieldPlan, SparseMatrix } from '../../lib/index.js';
import { ROOT } from '../support/child.js';

interface Encoded {
  readonly columns: number;
  readonly names: readonly string[] | null;
  readonly indptr: readonly number[];
  readonly indices: readonly number[];
  readonly values: readonly number[];
}

interface Case {
  readonly make: string;
  readonly options: object;
  readonly plan: FieldPlan;
  readonly fit: readonly (string | number | null)[];
  readonly transform?: readonly (string | number | null)[];
  readonly answer: Encoded;
}

const { cases } = JSON.parse(readFileSync(join(ROOT, 'test', 'fixtures', 'sklearn-encoders.json'), 'utf8')) as { cases: Case[] };
const encoders = cases.filter(({ make }) => make !== 'murmurhash3_32');
const hashes = cases.find(({ make }) => make === 'murmurhash3_32') as unknown as { fit: string[]; answer: number[] };

/** By row, its entries that are not 0. */
function entries(matrix: DenseMatrix | SparseMatrix): [column: number, value: number][][] {
  return Array.from({ length: matrix.rows }, (_, i) => {
    if ('data' in matrix) {
      const row = [...matrix.data.subarray(i * matrix.cols, (i + 1) * matrix.cols)];
      return row.flatMap((value, j): [number, number][] => (value === 0 ? [] : [[j, value]]));
    }
    const { indptr, indices, values } = matrix;
    const own = Array.from({ length: indptr[i + 1]! - indptr[i]! }, (_, k) => indptr[i]! + k);
    return own.map((k): [number, number] => [indices[k]!, values ? values[k]! : 1]);
  });
}

function theirs({ columns, indptr, indices, values }: Encoded): SparseMatrix {
  return { indptr, indices, values: Float64Array.from(values), rows: indptr.length - 1, cols: columns };
}

/** Our name of a column that has this name in scikit-learn. */
function ourName(make: string, name: string): string {
  if (make !== 'OneHotEncoder') return `v: ${name}`;
  if (name === 'x0_None') return 'v (missing)';
  return name === 'x0_infrequent_sklearn' ? 'v (other)' : name.replace('x0_', 'v=');
}

const record = (v: unknown) => ({ v });

describe('Encoder makes the columns and values of scikit-learn', () => {
  it.each(encoders.map((one) => [`${one.make}(${JSON.stringify(one.options)})`, one] as const))('%s', (_, one) => {
    const { make, plan, fit, transform = fit, answer } = one;
    const encoder = Encoder.fit(fit.map(record), { v: plan });
    expect(encoder.cols).toBe(answer.columns);
    if (answer.names) expect(encoder.columns).toEqual(answer.names.map((name) => ourName(make, name)));
    const [made, wanted] = [entries(encoder.encode(transform.map(record))), entries(theirs(answer))];
    expect(made.map((row) => row.map(([column]) => column))).toEqual(wanted.map((row) => row.map(([column]) => column)));
    made.forEach((row, i) =>
      row.forEach(([, value], k) => expect(Math.abs(value - wanted[i]![k]![1])).toBeLessThanOrEqual(4e-15 * Math.abs(value))),
    );
  });
});

describe('murmur(bytes, begin, end)', () => {
  it.each(hashes.fit.map((text, k) => [text.slice(0, 12), text, hashes.answer[k]!] as const))('of %j', (_, text, hash) => {
    const bytes = Buffer.from(`ab${text}c`);
    expect(murmur(bytes, 2, bytes.length - 1)).toBe(hash);
  });
});

describe('hashedColumn(hash, columns)', () => {
  it('takes -2^31 as a magnitude of 2^31, which is no 32-bit number', () => {
    for (const columns of [1, 2, 3, 7, 1000, 1_000_003, 2 ** 18, 2 ** 30, 2 ** 31 - 1]) {
      expect(hashedColumn(-(2 ** 31), columns)).toBe(2 ** 31 % columns);
      expect(hashedColumn(-(2 ** 31) + 1, columns)).toBe((2 ** 31 - 1) % columns);
      expect(hashedColumn(2 ** 31 - 1, columns)).toBe((2 ** 31 - 1) % columns);
    }
  });
});
