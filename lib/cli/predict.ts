/** fista-classify predict: predicts labels for data by a model. */
import { coded, printable, show } from '../errors.js';
import type { Label } from '../types.js';
import { usageError, type Arguments, type Command } from './arguments.js';
import type { Context } from './context.js';
import { brief, count } from './format.js';
import { metricsLines, metricsOf } from './metrics-table.js';
import { DATA_OPTIONS, isStored, openData, readData, type Data } from './read-data.js';
import { FORMAT_OPTIONS, isRecordData, readRecordsFor, type RecordData } from './read-records.js';
import { readModel } from './read-model.js';
import { checkPage, predictionPage } from './report-options.js';
import { checkWritable, writeFile } from './write-file.js';

export const predict: Command = {
  name: 'predict',
  summary: 'predicts the label of every row of a file',
  usage: '[options] data model [out]',
  examples: [
    ['fista-classify predict test.svm model.json out.txt', 'one label per line in out.txt, and the accuracy on the terminal'],
    ['fista-classify predict --report test.html test.svm model.json', 'a page with confusion table, curves and weights as well'],
    [
      'fista-classify predict --decision-values test.csv liblinear.model',
      'labels and decision values on the terminal, by a model of liblinear-train',
    ],
    ['fista-classify predict --metrics test.svm model.json out.txt', 'also precision, recall, ROC AUC and the confusion matrix'],
  ],
  files: { min: 2, max: 3 },
  options: [
    {
      names: ['--decision-values'],
      help: "print the decision value after each label; above 0 stands for the model's second label\n(three labels or more: one value a label, the largest is the label's)",
    },
    {
      names: ['-b'],
      value: '0|1',
      help: "1: print probabilities after each label, one a label, below a line with the labels' names,\nas LIBSVM does; the model must have been trained with -b",
    },
    {
      names: ['--extra-columns'],
      value: 'ignore|refuse',
      help: 'what to do with columns that the model does not have (default: ignore, with one warning)',
    },
    {
      names: ['--metrics'],
      help: 'print, beside the accuracy, precision, recall and F1 by label, the confusion matrix,\nROC AUC, and more (log loss and Brier score of a model trained with -b)',
    },
    {
      names: ['--report'],
      value: 'FILE.html',
      help: 'write a page on how well the model predicts the rows of the file that have labels',
    },
    { names: ['--no-label'], help: 'CSV: the file has no column of labels' },
    ...DATA_OPTIONS,
    ...FORMAT_OPTIONS,
  ],
  notes: [
    'Both formats of models are read, whatever the file name. Columns of CSV are matched by name, in any order, with',
    'those that the model was trained on; if the file or the model has no names, by position. Without out (or with -)',
    'labels go to stdout and the accuracy to stderr; with --json labels are written only if out is given. A model trained on',
    'records finds their fields by name, whatever the format; labels, if the file has any, are in the field of the training.',
  ],
};

export async function runPredict(args: Arguments, { output, signal }: Context): Promise<number> {
  const [data, file, asked] = args.files as [string, string, string?];
  const out = asked ?? '-';
  const probable = args.number('b', [0, 1]) === 1;
  const extraColumns = args.oneOf('extra-columns', ['ignore', 'refuse']) ?? 'ignore';
  if (probable && args.has('decision-values')) throw usageError('Expected one of -b and --decision-values but received both');
  if (args.has('metrics') && args.has('no-label')) throw usageError('Expected one of --metrics and --no-label but received both');
  if (asked !== undefined || !output.json) await checkWritable(out, output, data, file);
  const page = args.text('report');
  await checkPage(page, out, 'that of the labels');
  if (page !== undefined) await checkWritable(page, output, data, file);
  const { model, training } = await readModel(file, signal);
  // Labels are printed one per line, so none may contain a line end, nor any other control character.
  const odd = model.labels.find((label) => printable(String(label)) !== String(label));
  if (odd !== undefined) {
    throw coded(RangeError, 'ERR_MODEL', `Expected labels without control characters for ${file} but received ${show(odd)}`);
  }
  if (probable && !model.calibration) {
    throw coded(RangeError, 'ERR_MODEL', `Expected a model trained with -b for ${file} but it has no probabilities`);
  }
  const cols = model.planes[0]!.weights.length;
  const word = typeof model.labels[0] === 'string';
  const read: Data | RecordData = model.encoder
    ? await readRecordsFor(model, data, args, { training, extraColumns, signal, output })
    : isStored(data)
      ? openData(data, args)
      : await readData(data, args, {
          cols,
          extraColumns,
          columns: model.columns,
          labelled: true,
          labels: word ? 'string' : undefined,
          signal,
          output,
        });
  const { points, labels } = read;
  const { ignored, columns, named }: Pick<Data, 'ignored' | 'columns' | 'named'> = isRecordData(read) ? { ignored: 0 } : read;
  if (columns && columns.length !== cols) {
    const hint = columns.length === cols - 1 && labels.length > 0 ? '; use --no-label if no column has labels' : '';
    throw coded(
      RangeError,
      'ERR_CSV',
      `Expected ${cols} columns beside labels for ${data}, one for each weight of ${file}, but received ${columns.length}${hint}`,
    );
  }
  if (named && !model.columns) output.warn(`${file} has no column names: the columns of ${data} are taken in order`);
  if (ignored > 0 && !columns)
    output.warn(`${data} has columns beyond the ${cols} of the model: ${count(ignored)} of its entries were ignored`);

  const metrics = args.has('metrics') ? metricsOf(model, { points, labels }) : undefined;
  if (args.has('metrics') && !metrics) {
    const names = model.labels.slice(0, 10).map(show).join(', ') + (model.labels.length > 10 ? ', …' : '');
    throw coded(RangeError, 'ERR_LABELS', `Expected rows with a label of the model (${names}) for --metrics but ${data} has none`);
  }
  const predicted = model.predict(points);
  const values = probable ? model.probability(points) : args.has('decision-values') ? model.decision(points) : undefined;
  const each = values ? values.length / predicted.length : 0;
  const rowLines = function* () {
    if (probable) yield `labels ${model.labels.map(String).join(' ')}\n`;
    for (const [i, label] of predicted.entries()) {
      yield [label, ...(values?.subarray(i * each, (i + 1) * each) ?? [])].map(String).join(' ') + '\n';
    }
  };
  const html = page === undefined ? undefined : predictionPage(model, { data, file: read, args }); // before anything is written
  if (out !== '-' || !output.json) await writeFile(out, rowLines(), output, signal);
  if (page !== undefined) await writeFile(page, [html!], output);

  const rows = predicted.length;
  const counts = new Map<Label, number>();
  for (const label of predicted) counts.set(label, (counts.get(label) ?? 0) + 1);
  // Files often give a placeholder, such as 0, to rows whose true label is not known.
  const known = new Set<Label>(model.labels);
  const others = Array.from<Label>(labels).filter((label) => !known.has(label));
  const labelled = others.length < labels.length;
  if (labelled && others.length > 0) {
    const names = [...new Set(others)];
    const some = names.slice(0, 3).map(show).join(', ') + (names.length > 3 ? ', …' : '');
    const which = `${count(others.length, 'row')} of ${data} ${others.length === 1 ? 'has a label' : 'have labels'}`;
    output.warn(`${which} that the model does not know (${some}); ${others.length === 1 ? 'it counts' : 'they count'} as wrong`);
  }
  const correct = labelled ? predicted.filter((label, i) => label === labels[i]).length : undefined;
  const accuracy = correct === undefined ? undefined : correct / rows;
  const line =
    accuracy === undefined
      ? `No accuracy: no row has a label of the model (${model.labels.map(show).join(', ')})`
      : `Accuracy = ${brief(100 * accuracy)}% (${correct}/${rows})`;
  const json = {
    rows,
    ...(labelled && { accuracy, correct, unknown: others.length }),
    counts: model.labels.map((label) => ({ label, rows: counts.get(label) ?? 0 })),
    ...(metrics && { metrics }),
    ignored,
  };
  const lines = [line, ...(metrics ? metricsLines(metrics, others.length) : [])];
  const files = { ...(out !== '-' && { file: out }), ...(page !== undefined && { report: page }) };
  if (out === '-' && !output.json) for (const one of lines) output.say(one);
  else await output.result({ ...json, ...files }, output.quiet ? [] : lines);
  return 0;
}
