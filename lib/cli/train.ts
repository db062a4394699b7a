/** fista-classify train: trains a model on a file of data. */
import { basename } from 'node:path';
import { decimal } from '../backend/decimal.js';
import { coded, messageOf, show, type CodedError, type Term } from '../errors.js';
import { modelLines } from '../io/model-file.js';
import { upward } from '../report/number-text.js';
import { stop } from '../svm/stopping.js';
import { LinearSvm, type Fitted } from '../svm/linear-svm.js';
import type { Label, Loss, StopRule, SvmInfo, SvmOptions, SvmProgress } from '../types.js';
import { toNumber, usageError, type Arguments, type Command } from './arguments.js';
import { fieldLines, ignoredFields } from './field-lines.js';
import { DATA_OPTIONS } from './read-data.js';
import { FIELD_OPTIONS, FORMAT_OPTIONS, isRecordData, kindsOf, planOf, readTrainingData } from './read-records.js';
import type { Context } from './context.js';
import { brief, count, duration, percent, short } from './format.js';
import { progressLine, TimeLeft } from './progress.js';
import { checkPage, trainingPage } from './report-options.js';
import { BACKEND_OPTION, LIMIT_OPTIONS, runOptions } from './run.js';
import { connectRanks, MPI_OPTION, readPart } from './rank-data.js';
import { totals, type Communicator } from '../mpi/ranks.js';
import { merge, SCORING_OPTION, scoresProbabilities, scoringOf, validate } from './cross-validate.js';
import { SHARD_OPTIONS, shardOf } from './shards.js';
import { trainingSummary } from './training-summary.js';
import { checkWritable, writeFile } from './write-file.js';

export const train: Command = {
  name: 'train',
  summary: 'trains a linear SVM on a file of labelled rows',
  usage: '[options] data [model]',
  examples: [
    ['fista-classify train data.svm model.json', 'LIBSVM text (or .csv, either one gzipped) in, a model out'],
    ['fista-classify train --label churn customers.csv model.json', 'CSV with categories and gaps, as it is, or JSON lines'],
    ['fista-classify train -c 0.5 -w1 2 -v 5 data.svm', '5-fold cross-validation with gamma 0.5 and class 1 weighted double'],
    [
      'fista-classify train -c 0.1,1,10 -v 5 --shard 2/5 --json data.svm',
      'one of five jobs of a cross-validation; --merge ends it',
    ],
    [
      "mpirun -n 8 fista-classify train --mpi 'part-*.fds' model.json",
      'by eight processes, on one machine or on many, each on its own rows',
    ],
    ['fista-classify train --gamma auto --report fit.html data.csv', 'chooses gamma, trains, and writes a page on the training'],
  ],
  files: { min: 1, max: 2 },
  options: [
    {
      names: ['-c', '--gamma'],
      value: 'NUMBER|auto',
      help: "the weight of a row's loss against a wide margin; LIBLINEAR's C (default: 1 / mean\nsquared distance of a row from the centre, after scaling); auto: chosen by cross-validation\n(-C does the same); with -v also several, separated by commas",
    },
    { names: ['-C'], help: 'the same as --gamma auto' },
    { names: ['-w<label>'], value: 'NUMBER', help: 'multiply the loss by this for the rows of a label: -w1 2, -w-1 0.5, -wspam 3' },
    { names: ['--loss'], value: 'KIND', help: 'the loss of a row: hinge or squared-hinge (default: hinge)' },
    {
      names: ['--method'],
      value: 'NAME',
      help: 'auto, ascent, newton, fista or paper (default: auto); the optimum is the same',
    },
    { names: ['--balanced'], help: 'weight rows so that all classes have the same total weight' },
    { names: ['-v'], value: 'FOLDS', help: 'cross-validate: print the accuracy, write no model' },
    SCORING_OPTION,
    ...SHARD_OPTIONS,
    MPI_OPTION,
    { names: ['-e'], value: 'NUMBER', help: 'stop at this relative gap only; the same as --stop gap:NUMBER' },
    {
      names: ['--stop'],
      value: 'RULES',
      help: 'stop when the first of these rules holds: agreement:SHARE, gap:NUMBER, stale\n(default: agreement:0.99,gap:1e-4)',
    },
    ...LIMIT_OPTIONS,
    {
      names: ['--scale'],
      value: 'KIND',
      help: 'the scaling of columns: auto, none, standard or maxabs (default: auto, which is standard\nfor CSV and maxabs for LIBSVM text); folded into the model, which takes raw data',
    },
    { names: ['--positive'], value: 'LABEL', help: 'of two labels, that of positive decision values (default: the larger one)' },
    {
      names: ['--multiclass'],
      value: 'KIND',
      help: 'three labels or more: pairs (a plane a pair of classes, with votes), rest (one a class\nagainst the rest) or auto (default: auto, which is pairs where columns are few)',
    },
    {
      names: ['-b', '--probability'],
      value: 'KIND',
      help: 'learn probabilities from rows held out, by five more fits: sigmoid (or 1), or isotonic\n(default: 0, none)',
    },
    { names: ['--seed'], value: 'N', help: 'the seed for dealing rows to folds (default 0)' },
    { names: ['--format'], value: 'json|liblinear', help: 'the format of the model (default: json)' },
    {
      names: ['--report'],
      value: 'FILE.html',
      help: 'write a page on the model and the training rows: scores, curves, weights, proofs',
    },
    { names: ['--threads'], value: 'N', help: 'the number of threads (default: all cores); results do not depend on it' },
    BACKEND_OPTION,
    { names: ['--cols'], value: 'N', help: 'LIBSVM text: the number of columns (default: as many as the file uses)' },
    ...DATA_OPTIONS,
    ...FORMAT_OPTIONS,
    ...FIELD_OPTIONS,
    {
      names: ['-s'],
      value: 'TYPE',
      help: "LIBLINEAR's type: 3 is --loss hinge, 1 and 2 are --loss squared-hinge; no others are trained",
    },
    { names: ['-B'], value: 'NUMBER', help: 'only 0 or more is accepted: a bias is always trained, and not regularised' },
  ],
  notes: [
    'CSV whose cells are not all numbers, and JSON lines, are records: what each field is is inferred, unless --field says',
    'it, and shown. The model then takes records.',
    'Without a model name the model is written to the current folder, named after the data with .model.json (liblinear:',
    '.model) added. - is stdin or stdout. If a limit ends the training (exit code 3) the model is still written; after',
    'Ctrl-C it is not.',
  ],
};

export async function runTrain(args: Arguments, context: Context): Promise<number> {
  if (args.has('merge')) return merge(args, context);
  const ranks = connectRanks(args);
  if (!ranks) return runHere(args, context, undefined);
  context.output.rank = ranks.rank;
  const code = await runHere(args, context, ranks);
  ranks.exchange(''); // a rank that ends ends all others, and rank 0 may still write
  ranks.finish();
  return code;
}

async function runHere(args: Arguments, context: Context, ranks: Communicator | undefined): Promise<number> {
  const { output, signal } = context;
  const first = !ranks?.rank;
  const [data, given] = args.files as [string, string?];
  const format = args.oneOf('format', ['json', 'liblinear']) ?? 'json';
  const path = given ?? `${data === '-' ? 'stdin' : basename(data).replace(/\.gz$/, '')}.model${format === 'json' ? '.json' : ''}`;
  const page = args.text('report');
  const folds = args.number('v', [2, 1_000_000]);
  const scoring = scoringOf(args);
  const gammas = gammasOf(args);
  const shard = shardOf(args, folds);
  const settings = { ...fitOptions(args), signal, ...(ranks && { ranks }) };
  if (folds === undefined) {
    await checkPage(page, path, "the model's");
    const read = ranks ? [] : [data];
    for (const file of [path, ...(page === undefined ? [] : [page])]) if (first) await checkWritable(file, output, ...read);
  } else if (given !== undefined || page !== undefined) {
    throw usageError(
      `Expected neither a model name nor --report with -v, which writes no model, but received ${given ?? '--report'}`,
    );
  }

  const cols = args.number('cols', [0, 2 ** 31]);
  const file = ranks ? readPart(ranks, data, args) : await readTrainingData(data, args, { cols, signal, output });
  const records = isRecordData(file) ? file : undefined;
  const { points, labels } = file;
  const width = isRecordData(file) ? count(file.points.fields.length, 'field') : count(file.points.cols, 'column');
  const [rows] = totals(ranks, [points.rows]) as [number];
  output.say(`${data}: ${count(rows, 'row')}, ${width}${ranks ? ` (${count(ranks.size, 'rank')}, ${ranks.library})` : ''}`);
  if (records && format !== 'json') {
    throw usageError(
      `Expected --format json but received ${format}: LIBLINEAR's models have no place for how the fields of ${data} become numbers`,
    );
  }
  const encoder = records && planOf(data, records, kindsOf(args));
  const weighted = { ...settings, ...classOptions(args, labels) };
  if (folds !== undefined) {
    const asked = { folds, seed: args.number('seed', [0, 2 ** 32 - 1]), scoring, gammas, shard, ranks };
    return naming(data, () => validate(file, asked, { ...weighted, ...(encoder && { encoder }) }, args, context));
  }

  const history: SvmProgress[] = [];
  const left = new TimeLeft(gapGoal(args), weighted.timeLimit ?? Infinity);
  const onProgress = (progress: SvmProgress) => {
    if (page !== undefined) history.push(progress);
    left.see(progress);
    output.progress(() => progressLine(progress, left.tell()));
  };
  const model = await naming(data, (): Promise<Fitted<Label, object>> => {
    const options = { ...weighted, onProgress };
    return isRecordData(file)
      ? LinearSvm.fitAsync(file.points, file.label!, { ...options, encoder: encoder! })
      : LinearSvm.fitAsync<Label>(file.points, file.labels, options);
  });
  output.clear();
  signal.throwIfAborted();
  const { info } = model;
  if (info.iterations === 0) {
    throw usageError(
      `Expected more time for --time-limit but ${args.text('time-limit')} was up before the first check: nothing was written`,
    );
  }
  const written = modelLines({ ...LinearSvm.modelOf(model), info }, format, {
    columns: !isRecordData(file) && file.named ? file.columns : undefined,
    training: { ...trainingSummary(info), ...(records && { label: records.label }) },
  });
  if (first) await writeFile(path, written, output, signal);
  const predicted = model.predict(points);
  const [correct] = totals(ranks, [predicted.filter((label, i) => label === labels[i]).length]) as [number];
  // Ctrl-C no longer aborts here: the model has been written, so "nothing was written" would not be true.
  if (page !== undefined) await writeFile(page, [trainingPage(model, { data, file, args }, history)], output);

  const limit = info.status === 'max-iterations' || info.status === 'time-limit' || info.status === 'precision';
  const files = [path, ...(page === undefined ? [] : [page])].filter((name) => name !== '-');
  const lines = output.quiet
    ? []
    : [
        `${MEANING[info.status]} after ${count(info.iterations, 'iteration')}, ${duration(info.elapsed)}`,
        `training accuracy ${percent(correct / rows)}: ${count(correct)} of ${count(rows, 'row')} get their own label`,
        ...heldOut(info),
        `proved: ${count(info.agreed)} of ${count(info.rows, 'row')} (${percent(info.shares.agreed)}) get the label, right or wrong, that the exact optimum gives them`,
        'The proof says how near the model is to the optimum of its problem, not how often it is right.',
        ...(info.planes
          ? [
              `${count(info.planes.length, 'plane')}, ${model.planes[0]!.negative === undefined ? 'each class against the rest' : 'each pair of classes'}`,
            ]
          : []),
        ...fieldLines(model.encoder),
        `relative gap ${short(upward(info.relativeGap))}, ${info.loss} loss, gamma ${brief(info.gamma)}, scale ${info.scale}, ${info.backend} backend`,
        ...files.map((name) => `wrote ${name}`),
      ];
  // The model went to stdout, so the summary goes to stderr.
  if (path === '-') lines.forEach((line) => output.say(line));
  else
    await output.result(
      {
        info,
        trainingAccuracy: correct / rows,
        labels: model.labels,
        columns: model.planes[0]!.weights.length,
        ...(model.encoder && { fields: model.encoder.fields, ignored: ignoredFields(model.encoder) }),
        files,
      },
      lines,
    );
  return limit ? 3 : 0;
}

/** With --gamma auto: the accuracy on rows that were held out when gamma was chosen. */
function heldOut({ gamma, validation }: SvmInfo): string[] {
  const score = validation?.table.find((row) => row.gamma === gamma);
  if (!validation || !score) return [];
  const edge = validation.atEdge ? '; gamma is at the edge of what was tried' : '';
  const how = `${validation.folds} folds of ${count(validation.rows, 'row')}`;
  return [`accuracy on held-out rows ${percent(score.mean)} ± ${percent(score.standardError)} (${how}${edge})`];
}

const MEANING = {
  agreement: 'Done (agreement)',
  gap: 'Done (gap)',
  stale: 'Done (stale)',
  precision: 'Stopped at the limit of rounding',
  'max-iterations': 'Stopped at the limit of iterations',
  'time-limit': 'Stopped at the time limit',
} as const;

/** The options that do not depend on the data. They are checked before the data are read. */
function fitOptions(args: Arguments): SvmOptions {
  const loss = lossOf(args);
  const method = args.oneOf('method', ['auto', 'ascent', 'newton', 'fista', 'paper']);
  if (method && args.has('v')) throw usageError('Expected one of --method and -v but received both');
  const B = args.number('B', 'finite');
  if (B !== undefined && B < 0) {
    throw usageError(
      `Expected a number of 0 or more for -B but received ${B}: a bias is always trained here, and is not regularised`,
    );
  }
  const gamma = args.has('C') ? 'auto' : gammasOf(args) ? undefined : args.text('gamma');
  const e = args.number('e', 'positive');
  if (e !== undefined && args.has('stop')) throw usageError('Expected one of -e and --stop but received both');
  const words = args.text('stop');
  const rules = e !== undefined ? [stop.gap(e)] : words !== undefined ? stopRules(words) : undefined;
  const scale = args.oneOf('scale', ['auto', 'none', 'standard', 'maxabs']);
  const multiclass = args.oneOf('multiclass', ['auto', 'pairs', 'rest']);
  const probability = probabilityOf(args);
  for (const [label, weight] of args.suffixed) toNumber(weight, `-w${label}`, 'finite');
  if (args.has('balanced') && args.suffixed.size > 0)
    throw usageError('Expected one of --balanced and -w<label> but received both');
  return {
    ...(loss && { loss }),
    ...(method && { method }),
    ...(gamma !== undefined && { gamma: gamma === 'auto' ? 'auto' : toNumber(gamma, '--gamma', 'positive') }),
    ...(rules && { stop: rules }),
    ...(scale && { scale }),
    ...(multiclass && { multiclass }),
    ...(probability && { probability }),
    ...runOptions(args),
  };
}

/** Several gammas to compare, in ascending order. */
function gammasOf(args: Arguments): readonly number[] | undefined {
  const text = args.text('gamma');
  if (!text?.includes(',')) return undefined;
  if (!args.has('v')) throw usageError(`Expected one number or auto for --gamma without -v but received ${show(text)}`);
  return text.split(',').map((one) => toNumber(one, '--gamma', 'positive'));
}

/** What -b asks for: LIBSVM's 0 or 1, or a word. */
function probabilityOf(args: Arguments): SvmOptions['probability'] {
  const asked = args.oneOf('probability', ['0', '1', 'sigmoid', 'isotonic']) ?? '0';
  if (asked === '0') return undefined;
  if (args.has('v') && !scoresProbabilities(args))
    throw usageError('Expected one of -b and -v, which writes no model, but received both');
  if (args.text('format') === 'liblinear') {
    throw usageError("Expected --format json with -b but received liblinear: LIBLINEAR's models of SVMs have no probabilities");
  }
  return asked === '1' ? 'sigmoid' : asked;
}

/** Names the file in errors about its labels, with what can be done about them on the command line. */
async function naming<T>(data: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if ((error as CodedError | undefined)?.code !== 'ERR_LABELS') throw error;
    const { message } = error as Error;
    const named = messageOf(error as Error, ({ name, text }: Term) => {
      return name === 'labels' ? ` in ${data === '-' ? 'stdin' : data}` : text;
    });
    throw named === message ? error : coded(RangeError, 'ERR_LABELS', named, error);
  }
}

/** LIBLINEAR's types that are trained here, by their losses. All of them are L2-regularised SVMs. */
const TYPES: Readonly<Record<string, Loss>> = { 1: 'squared-hinge', 2: 'squared-hinge', 3: 'hinge' };

/** The loss, by its name or by LIBLINEAR's type. */
function lossOf(args: Arguments): Loss | undefined {
  const named = args.oneOf('loss', ['hinge', 'squared-hinge']);
  const type = args.text('s');
  if (type === undefined) return named;
  const loss = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (loss === undefined) {
    throw usageError(
      `Expected 1, 2 or 3 for -s but received ${show(type)}: only LIBLINEAR's L2-regularised SVMs are trained here, 3 with the hinge loss (slightly smoothed), 1 and 2 with its square`,
    );
  }
  if (named !== undefined && named !== loss) throw usageError(`Expected one loss but received -s ${type} and --loss ${named}`);
  return loss;
}

/** The options that name labels: as numbers or as strings, like the labels of the data. */
function classOptions(args: Arguments, labels: ArrayLike<Label>): Pick<SvmOptions, 'classWeight' | 'positive'> {
  const named = (text: string): Label => {
    if (typeof labels[0] === 'number') return toNumber(text, 'a label', 'finite');
    return typeof labels[0] === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : text;
  };
  const positive = args.text('positive');
  const weights = new Map([...args.suffixed].map(([label, weight]) => [named(label), toNumber(weight, `-w${label}`, 'finite')]));
  return {
    ...(weights.size > 0 && { classWeight: weights }),
    ...(args.has('balanced') && { classWeight: 'balanced' as const }),
    ...(positive !== undefined && { positive: named(positive) }),
  };
}

/** Parses rules such as agreement:0.99,gap:1e-4,stale. */
function stopRules(text: string): StopRule[] {
  return text.split(',').map((rule) => {
    const [name, value] = rule.split(':') as [string, string?];
    if (name === 'stale' && value === undefined) return stop.stale();
    if ((name !== 'agreement' && name !== 'gap') || !value) {
      throw usageError(`Expected agreement:SHARE, gap:NUMBER or stale for --stop but received ${show(rule)}`);
    }
    return stop[name](toNumber(value, `--stop ${name}`, 'finite'));
  });
}

/** The relative gap that ends the fit at the latest; NaN without a rule on the gap. */
function gapGoal(args: Arguments): number {
  const rules = args.has('e') ? `gap:${args.text('e')}` : (args.text('stop') ?? 'gap:1e-4');
  return decimal(/(?:^|,)gap:([^,]*)/.exec(rules)?.[1]?.trim() ?? '');
}
