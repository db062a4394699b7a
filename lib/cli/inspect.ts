/** fista-classify inspect: shows the contents of a model. */
import { show } from '../errors.js';
import { entriesOf } from '../io/model-checksum.js';
import type { Arguments, Command } from './arguments.js';
import type { Context } from './context.js';
import { fieldLines, ignoredFields, plain } from './field-lines.js';
import { brief, count } from './format.js';
import { readModel } from './read-model.js';
import { TRAINING_FIELDS } from './training-summary.js';

export const inspect: Command = {
  name: 'inspect',
  summary: 'shows the contents of a model',
  usage: '[options] model',
  examples: [['fista-classify inspect model.json', 'labels, bias, fields, the largest weights, and how the training went']],
  files: { min: 1, max: 1 },
  options: [{ names: ['--top'], value: 'N', help: 'the number of largest weights to show (default 10)' }],
  notes: [
    'Columns are numbered from 1, as in LIBSVM text, or named if the model was trained on CSV with a header. Of a model that',
    'takes records the fields are shown, with their kinds and how many columns each of them makes.',
  ],
};

export async function runInspect(args: Arguments, { output, signal }: Context): Promise<number> {
  const top = args.number('top', [0, 1e9]) ?? 10;
  const [file] = args.files as [string];
  const { model, format, training } = await readModel(file, signal);
  const { labels, planes, columns, calibration, encoder } = model;
  const { bias } = planes[0]!;
  // Of several planes, the largest magnitude of each column's weights.
  const weights = planes.length === 1 ? planes[0]!.weights : largestOf(planes.map((plane) => plane.weights));
  const nameOf = (j: number) => columns?.[j] ?? String(j + 1);
  const { indices, values } = entriesOf(weights);
  const used = indices.length;
  const order = Uint32Array.from(indices.keys()).sort((i, j) => Math.abs(values[j]!) - Math.abs(values[i]!) || i - j);
  const largest = Array.from(order.subarray(0, top), (k) => ({ column: nameOf(indices[k]!), weight: values[k]! }));
  // If fewer than `top` weights are nonzero, the first zero weights follow.
  for (let j = 0; j < weights.length && largest.length < top; j++)
    if (weights[j] === 0) largest.push({ column: nameOf(j), weight: 0 });
  const norm = Math.sqrt(values.reduce((sum, w) => sum + w * w, 0));
  const known = TRAINING_FIELDS.map((name) => [name, training?.[name]] as const).filter(([, value]) =>
    /^(number|string)$/.test(typeof value),
  );
  const width = largest.reduce((max, { column }) => Math.max(max, plain(column).length), 0);
  await output.result(
    {
      format,
      labels,
      ...(planes.length === 1 ? { bias } : { planes: planes.length }),
      ...(calibration && { probabilities: calibration }),
      ...(encoder && { fields: encoder.fields, ignored: ignoredFields(encoder) }),
      weights: { count: weights.length, nonzero: used, norm, largest },
      training: Object.fromEntries(known),
    },
    [
      `format    ${format === 'json' ? 'JSON' : 'LIBLINEAR'}`,
      ...(planes.length === 1
        ? [`labels    ${show(labels[0])} below 0, ${show(labels[1])} above`, `bias      ${bias}`]
        : [
            `labels    ${labels.map(show).join(', ')}`,
            `planes    ${count(planes.length)}, ${planes[0]!.negative === undefined ? 'each class against the rest' : 'each pair of classes'}; by column, the largest weight of any`,
          ]),
      `weights   ${count(weights.length)}, of which ${count(used)} are not 0; norm ${brief(norm)}`,
      ...(calibration ? [`probabilities by ${calibration === 'sigmoid' ? 'sigmoid' : 'isotonic regression'}`] : []),
      ...(known.length > 0 ? [`training  ${known.map(([name, value]) => `${name} ${plain(String(value))}`).join(', ')}`] : []),
      ...fieldLines(encoder),
      ...(largest.length > 0 ? ['largest weights'] : []),
      ...largest.map(({ column, weight }) => `  ${plain(column).padEnd(width)}  ${weight}`),
    ],
  );
  return 0;
}

function largestOf(lists: readonly Float64Array[]): Float64Array {
  const largest = lists[0]!.slice();
  for (const list of lists) list.forEach((w, j) => (largest[j] = Math.abs(w) > Math.abs(largest[j]!) ? w : largest[j]!));
  return largest;
}
