/**
 * LIBLINEAR's model files, in the format of its load_model and save_model: header fields in any order, `w`, and a line of weights for each
 * feature. Of two classes, a positive decision value stands for the first label; a tie stands for the second, negative one, as it does here.
 * Of more, each has a weight in every line, and the largest value decides. LIBLINEAR gives a tie to the label that comes first in the file,
 * which is the one that train saw first; here it goes to the smallest label, so the two differ on ties of a model that was read. A model that
 * is written has its labels in ascending order, and ties alike.
 */
import { decimal } from '../backend/decimal.js';
import { coded, plural, rangeError, show, typeError, Verbatim, type CodedError } from '../errors.js';
import { MAX_COLUMNS } from '../input/index.js';
import { MAX_CLASSES, type ClassLabels } from '../input/labels.js';
import { isPairs, modelOf, sidesOf, type Model } from '../svm/model.js';
import type { Label, SvmInfo } from '../types.js';
import { position } from './position.js';

/** A model that may know its loss. */
export type LiblinearModel = Model & { readonly info?: Pick<SvmInfo, 'loss'> | undefined };

/**
 * The text of a model, line by line, with a line for every weight, zeros included. Labels must be integers, and planes of several classes
 * each against the rest. A model that does not know its loss is written as one of the hinge: LIBLINEAR predicts the same whichever loss it
 * was.
 */
export function liblinearLines(model: LiblinearModel): Iterable<string> {
  const { labels, planes, info } = model;
  checkIntegers(labels, 'LIBLINEAR');
  const several = labels.length > 2;
  if (several && isPairs(model)) {
    const what = "planes against the rest, as a fit with multiclass: 'rest' makes them,";
    throw rangeError(
      'ERR_MODEL',
      what,
      "LIBLINEAR's text",
      new Verbatim(`${plural(planes.length, 'plane')} between pairs of classes`),
    );
  }
  const solver = info?.loss === 'squared-hinge' ? 'L2R_L2LOSS_SVC' : 'L2R_L1LOSS_SVC_DUAL';
  return lines(solver, planes, several ? labels : [labels[1], labels[0]]);
}

/** Checks labels for a program that has no others than integers of 32 bits. */
export function checkIntegers(labels: readonly Label[], program: string): asserts labels is readonly number[] {
  for (const label of labels) {
    if (typeof label !== 'number' || !Number.isInteger(label) || Math.abs(label) > 0x7fffffff) {
      throw rangeError('ERR_LABELS', 'an integer', `every label, as ${program} has no others,`, label);
    }
  }
}

/** LIBLINEAR gives every row a last feature of value `bias`, unless that is negative. With `bias 1`, its weight is the model's bias. */
function* lines(solver: string, planes: Model['planes'], labels: readonly Label[]): Generator<string> {
  const cols = planes[0]!.weights.length;
  yield `solver_type ${solver}\nnr_class ${labels.length}\nlabel ${labels.join(' ')}\n`;
  yield `nr_feature ${cols}\nbias 1\nw\n`;
  for (let j = 0; j < cols; j++) {
    let line = '';
    for (const { weights } of planes) line += `${weights[j]} `;
    yield `${line}\n`;
  }
  yield `${planes.map(({ bias }) => bias).join(' ')} \n`;
}

/** LIBLINEAR's classifiers, each with the number of weights that a model of two classes has per feature; of k > 2 classes it is k. */
const CLASSIFIERS = new Map([
  ['L2R_LR', 1],
  ['L2R_L2LOSS_SVC_DUAL', 1],
  ['L2R_L2LOSS_SVC', 1],
  ['L2R_L1LOSS_SVC_DUAL', 1],
  ['MCSVM_CS', 2],
  ['L1R_L2LOSS_SVC', 1],
  ['L1R_LR', 1],
  ['L2R_LR_DUAL', 1],
]);

const OTHERS = new Map([
  ['L2R_L2LOSS_SVR', 'which is for regression'],
  ['L2R_L2LOSS_SVR_DUAL', 'which is for regression'],
  ['L2R_L1LOSS_SVR_DUAL', 'which is for regression'],
  ['ONECLASS_SVM', 'which knows one class only'],
]);

const HEADER = ['solver_type', 'nr_class', 'label', 'nr_feature', 'bias'] as const;
type Field = (typeof HEADER)[number];

/**
 * Reads a model from a file that may be truncated, edited or forged. Memory stays within a small multiple of the text's: a length in the
 * header is accepted only if the text is long enough for it. `name` stands for the text in messages.
 */
export function readLiblinear(text: unknown, name = 'text'): Model<number> {
  if (typeof text !== 'string') throw typeError('ERR_MODEL', 'the text of a LIBLINEAR model, as a string,', name, text);
  const words = new Words(text, name);
  const fields = new Map<Field, { value: string; at: number }>();
  let labels: number[] = [];
  for (;;) {
    const { word: key, at } = words.next('solver_type');
    if (key === 'w') break;
    if (key === 'rho') {
      throw words.refuse(
        RangeError,
        'a classifier of two classes or more',
        at,
        new Verbatim('rho, which only one-class models have'),
      );
    }
    if (!HEADER.includes(key as Field)) throw words.refuse(SyntaxError, `${HEADER.join(', ')} or w`, at, key);
    const field = key as Field;
    if (fields.has(field)) throw words.refuse(SyntaxError, `one ${field}`, at, new Verbatim('a second'));
    if (field === 'label') {
      // There are nr_class labels. LIBLINEAR writes nr_class first.
      const classes = fields.get('nr_class');
      if (!classes) throw words.refuse(SyntaxError, 'nr_class before label', at, key);
      labels = readLabels(words, words.parse(classes, VALUES.nr_class), at);
      fields.set(field, { value: '', at });
      continue;
    }
    const value = words.next(VALUES[field]);
    fields.set(field, { value: value.word, at: value.at });
    if (field === 'nr_class') checkClasses(words, value);
    if (field === 'solver_type') checkSolver(words, value);
  }
  const missing = HEADER.find((field) => !fields.has(field));
  if (missing !== undefined) throw words.refuse(SyntaxError, `${missing} before w`, words.last, 'w');

  const count = words.parse(fields.get('nr_feature')!, VALUES.nr_feature, MAX_COLUMNS);
  const B = words.parse(fields.get('bias')!, VALUES.bias);
  const classes = labels.length;
  const planes = classes === 2 ? 1 : classes;
  // Of two classes, Crammer and Singer's method has two weights per feature. The second is the negated first; LIBLINEAR ignores it too.
  const columns = classes === 2 ? CLASSIFIERS.get(fields.get('solver_type')!.value)! : classes;
  const lines = count + (B >= 0 ? 1 : 0);
  if (words.left < 2 * columns * lines) {
    throw words.refuse(SyntaxError, plural(columns * lines, 'weight'), words.end, new Verbatim('the end: the file was cut'));
  }
  const ordered = classes === 2 ? [labels[1]!, labels[0]!] : labels.toSorted((a, b) => a - b);
  const ranks = new Map(ordered.map((label, rank) => [label, rank]));
  const places = labels.map((label) => (planes === 1 ? 0 : ranks.get(label)!)); // of the planes in the table
  const table = { weights: new Float64Array(planes * count), biases: new Float64Array(planes) };
  for (let j = 0; j < lines; j++) {
    const what = `weight ${j + 1} of ${lines}`;
    for (let k = 0; k < columns; k++) {
      const w = words.number(planes === 1 ? what : `${what} of label ${labels[k]}`);
      if (k >= planes) continue;
      const p = places[k]!;
      if (j < count) {
        table.weights[p * count + j] = w + 0;
      } else {
        const bias = B * w + 0;
        if (!Number.isFinite(bias)) throw words.refuse(RangeError, 'a finite product of bias and its weight', words.last, bias);
        table.biases[p] = bias;
      }
    }
  }
  words.finish();
  return modelOf(ordered as unknown as ClassLabels<number>, sidesOf(classes, 'rest'), table, { proofs: undefined });
}

/** Reads distinct labels. */
function readLabels(words: Words, count: number, at: number): number[] {
  const labels = new Set<number>();
  for (let k = 0; k < count; k++) {
    const label = words.integer(`label ${k + 1} of ${count}`, 0x7fffffff);
    if (labels.has(label)) throw words.refuse(RangeError, `${count} distinct labels`, at, new Verbatim(`${label} twice`));
    labels.add(label);
  }
  return [...labels];
}

const VALUES = {
  solver_type: `a classifier (${[...CLASSIFIERS.keys()].join(', ')})`,
  nr_class: 'the number of classes',
  nr_feature: `an integer from 0 to ${MAX_COLUMNS}`,
  bias: 'a finite number',
};

interface Word {
  word: string;
  at: number;
}

function checkSolver(words: Words, { word, at }: Word): void {
  if (CLASSIFIERS.has(word)) return;
  const reason = OTHERS.get(word);
  const received = reason === undefined ? word : new Verbatim(`${word}, ${reason}`);
  throw words.refuse(RangeError, VALUES.solver_type, at, received);
}

function checkClasses(words: Words, { word, at }: Word): void {
  const classes = words.parse({ value: word, at }, VALUES.nr_class, 0x7fffffff);
  if (classes >= 2 && classes <= MAX_CLASSES) return;
  throw words.refuse(RangeError, `2 to ${MAX_CLASSES} classes`, at, classes);
}

/** The maximum length of a word, longer than any number. A longer word is cut there. */
const MAX_WORD = 400;

/** Reads the words of a text, separated by white space, with their offsets. */
class Words {
  readonly #text: string;
  readonly #name: string;
  #at = 0;
  /** The offset of the last word. */
  last = 0;

  constructor(text: string, name: string) {
    this.#text = text;
    this.#name = name;
  }

  get left(): number {
    return this.#text.length - this.#at;
  }

  get end(): number {
    return this.#text.length;
  }

  next(what: string): Word {
    const text = this.#text;
    let at = this.#at;
    while (at < text.length && isSpace(text.charCodeAt(at))) at++;
    if (at === text.length) throw this.refuse(SyntaxError, what, at, new Verbatim('the end: the file was cut'));
    let end = at;
    while (end < text.length && end - at < MAX_WORD && !isSpace(text.charCodeAt(end))) end++;
    this.#at = end;
    this.last = at;
    return { word: text.slice(at, end), at };
  }

  number(what: string): number {
    const { word, at } = this.next(what);
    return this.parse({ value: word, at }, `a finite number, ${what},`);
  }

  integer(what: string, max: number): number {
    const { word, at } = this.next(what);
    const number = decimal(word);
    if (!Number.isInteger(number) || Math.abs(number) > max) throw this.refuse(SyntaxError, `an integer, ${what},`, at, word);
    return number + 0;
  }

  /** Parses a finite number, or with `max` an integer from 0 to max. */
  parse({ value, at }: { value: string; at: number }, what: string, max?: number): number {
    const number = decimal(value);
    const fine = max === undefined ? Number.isFinite(number) : Number.isInteger(number) && number >= 0 && number <= max;
    if (!fine) throw this.refuse(SyntaxError, what, at, value);
    return number;
  }

  /** Checks that nothing follows, and that white space ends the last word: in a truncated file 0.12 may be the beginning of 0.1234. */
  finish(): void {
    if (this.left === 0) throw this.refuse(SyntaxError, 'a line end', this.end, new Verbatim('the end: the file was cut'));
    while (this.left > 0 && isSpace(this.#text.charCodeAt(this.#at))) this.#at++;
    if (this.left > 0) throw this.refuse(SyntaxError, 'the end', this.#at, this.next('').word);
  }

  refuse(Kind: typeof SyntaxError | typeof RangeError, what: string, at: number, received: unknown): CodedError {
    const where = `${this.#name}:${position(this.#text, at)}`;
    return coded(Kind, 'ERR_MODEL', `Expected ${what} at ${where} but received ${show(received)}`);
  }
}

/** White space as in C's isspace. */
function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}
