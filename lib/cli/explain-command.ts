/** fista-classify explain: shows why a model classifies one record as it does. */
import { coded, show } from '../errors.js';
import type { Explanation, FieldShare, Label } from '../types.js';
import type { Arguments, Command } from './arguments.js';
import type { Context } from './context.js';
import { plain } from './field-lines.js';
import { brief, count } from './format.js';
import { DATA_OPTIONS } from './read-data.js';
import { readModel } from './read-model.js';
import { FORMAT_OPTIONS, readRecordsFor } from './read-records.js';

/** Of a field, at most so many columns are named: a text has one for each of its words. */
const MAX_COLUMNS = 5;

export const explain: Command = {
  name: 'explain',
  summary: 'shows why a model classifies one record as it does',
  usage: '[options] model data',
  examples: [
    ['fista-classify explain model.json customers.csv', "each field's share of the decision value of the first row, largest first"],
    ['fista-classify explain --row 17 --top 5 model.json customers.csv', 'the five largest shares of the 17th row'],
  ],
  files: { min: 2, max: 2 },
  options: [
    { names: ['--row'], value: 'N', help: 'the row, from 1; a header is not counted (default 1)' },
    { names: ['--top'], value: 'N', help: 'the number of fields to show (default: all)' },
    { names: ['--no-label'], help: 'the file has no field of labels' },
    ...DATA_OPTIONS.filter(({ names: [name] }) => name !== '--zero-based'),
    ...FORMAT_OPTIONS,
  ],
  notes: [
    'Shares are relative to the mean training row, whose decision value is the base: the base and all shares add up to the',
    'value. Of three labels or more it is that of the predicted label against the runner-up. The model must have been',
    'trained on records: CSV with categories or gaps, or JSON lines.',
  ],
};

export async function runExplain(args: Arguments, { output, signal }: Context): Promise<number> {
  const [file, data] = args.files as [string, string];
  const row = args.number('row', [1, Number.MAX_SAFE_INTEGER]) ?? 1;
  const top = args.number('top', [0, 1e9]) ?? Infinity;
  const { model, training } = await readModel(file, signal);
  if (!model.encoder) {
    throw coded(TypeError, 'ERR_MODEL', `Expected a model trained on records for ${file} but this one was trained on points`);
  }
  const { points: table, labels } = await readRecordsFor(model, data, args, { training, extraColumns: 'ignore', signal, output });
  if (row > table.rows) {
    throw coded(RangeError, 'ERR_RECORDS', `Expected a row of ${data}, which has ${table.rows}, for --row but received ${row}`);
  }
  const record = table.record(row - 1);
  const explanation = model.explain(record);
  const actual = labels[row - 1];
  await output.result(
    { row, ...(actual !== undefined && { actual }), ...explanation },
    lines(explanation, record, { row, data, actual, top }),
  );
  return 0;
}

interface About {
  readonly row: number;
  readonly data: string;
  readonly actual: Label | undefined;
  readonly top: number;
}

function lines(
  { label, positive, negative, value, base, fields }: Explanation,
  record: Readonly<Record<string, unknown>>,
  { row, data, actual, top }: About,
): string[] {
  const truth =
    actual === undefined || actual === '' ? '' : actual === label ? ', as in the file' : `; the file has ${show(actual)}`;
  const shown = fields.slice(0, top);
  const cells = [
    ['base', signed(base), 'the mean training row'],
    ...shown.map((field) => [plain(field.name), signed(field.share), about(field, record)]),
    ...(fields.length > shown.length ? [[`${fields.length - shown.length} more`, signed(rest(fields, shown.length)), '']] : []),
    ['value', signed(value), `above 0 is ${show(positive)}, below 0 ${show(negative)}`],
  ] as const;
  const [name, number] = [0, 1].map((k) => Math.max(...cells.map((line) => line[k]!.length))) as [number, number];
  return [
    `row ${count(row)} of ${data}: ${show(label)}${truth}`,
    ...cells.map(([first, share, text]) => `  ${first.padEnd(name)}  ${share.padStart(number)}  ${text}`.trimEnd()),
  ];
}

function rest(fields: readonly FieldShare[], begin: number): number {
  return fields.slice(begin).reduce((sum, { share }) => sum + share, 0);
}

/** The value of a field; of one with several columns, such as a text, its largest shares. */
function about({ name, columns }: FieldShare, record: Readonly<Record<string, unknown>>): string {
  const value = Object.hasOwn(record, name) ? record[name] : undefined;
  if (value === undefined || value === null || Number.isNaN(value)) return 'missing';
  if (columns.length > 1) {
    const some = columns.slice(0, MAX_COLUMNS).map((column) => `${plain(column.name)} ${signed(column.share)}`);
    return some.join(', ') + (columns.length > MAX_COLUMNS ? ', …' : '');
  }
  return show(value);
}

function signed(value: number): string {
  const text = brief(value);
  return value > 0 ? `+${text}` : text;
}
