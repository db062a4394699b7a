/**
 * LIBLINEAR's model files, in the format of its load_model and save_model: header fields in any order, `w`, and a line of weights for each
 * feature. A positive decision value stands for the first label; a tie stands for the second, negative one, as it does here.
 */
import { decimal } from '../backend/decimal.js';
import { coded, plural, rangeError, show, typeError, Verbatim, type CodedError } from '../errors.js';
import { MAX_COLUMNS } from '../input/index.js';
import type { Model } from '../svm/model.js';
import type { SvmInfo } from '../types.js';
import { position } from './position.js';

/**
 * The text of a model, line by line, with a line for every weight, zeros included. Labels must be integers. A model that does not know its
 * loss is written as one of the hinge: LIBLINEAR predicts the same whichever loss it was.
 */
export function liblinearLines({
  weights,
  bias,
  labels,
  info,
}: Model & { readonly info?: Pick<SvmInfo, 'loss'> | undefined }): Iterable<string> {
  for (const label of labels) {
    if (typeof label !== 'number' || !Number.isInteger(label) || Math.abs(label) > 0x7fffffff) {
      throw rangeError('ERR_LABELS', 'an integer', 'every label, as LIBLINEAR has no others,', label);
    }
  }
  const solver = info?.loss === 'squared-hinge' ? 'L2R_L2LOSS_SVC' : 'L2R_L1LOSS_SVC_DUAL';
  return lines(solver, weights, bias, labels);
}

/** LIBLINEAR gives every row a last feature of value `bias`, unless that is negative. With `bias 1`, its weight is the model's bias. */
function* lines(solver: string, weights: Float64Array, bias: number, [negative, positive]: Model['labels']): Generator<string> {
  yield `solver_type ${solver}\nnr_class 2\nlabel ${String(positive)} ${String(negative)}\n`;
  yield `nr_feature ${weights.length}\nbias 1\nw\n`;
  for (const weight of weights) yield `${weight} \n`;
  yield `${bias} \n`;
}

/** LIBLINEAR's classifiers, each with the number of weights that a model of two classes has per feature. */
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
      throw words.refuse(RangeError, 'a classifier of two classes', at, new Verbatim('rho, which only one-class models have'));
    }
    if (!HEADER.includes(key as Field)) throw words.refuse(SyntaxError, `${HEADER.join(', ')} or w`, at, key);
    const field = key as Field;
    if (fields.has(field)) throw words.refuse(SyntaxError, `one ${field}`, at, new Verbatim('a second'));
    if (field === 'label') {
      // There are nr_class labels. LIBLINEAR writes nr_class first.
      if (!fields.has('nr_class')) throw words.refuse(SyntaxError, 'nr_class before label', at, key);
      labels = [words.integer('a label', 0x7fffffff), words.integer('a second label', 0x7fffffff)];
      if (labels[0] === labels[1]) throw words.refuse(RangeError, 'two distinct labels', at, new Verbatim(`${labels[0]} twice`));
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
  const columns = CLASSIFIERS.get(fields.get('solver_type')!.value)!;
  const lines = count + (B >= 0 ? 1 : 0);
  if (words.left < 2 * columns * lines) {
    throw words.refuse(SyntaxError, plural(columns * lines, 'weight'), words.end, new Verbatim('the end: the file was cut'));
  }
  const weights = new Float64Array(count);
  let bias = 0;
  for (let j = 0; j < lines; j++) {
    const what = `weight ${j + 1} of ${lines}`;
    const w = words.number(what);
    // Crammer and Singer's method has two weights per feature. The second is the negated first; LIBLINEAR ignores it too.
    if (columns === 2) words.number(what);
    if (j < count) weights[j] = w + 0;
    else bias = B * w + 0;
  }
  words.finish();
  if (!Number.isFinite(bias)) throw words.refuse(RangeError, 'a finite product of bias and its weight', words.last, bias);
  const [positive, negative] = labels as [number, number];
  return { weights, bias, labels: [negative, positive] };
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

function checkClasses(words: Words, value: Word): void {
  const classes = words.parse({ value: value.word, at: value.at }, VALUES.nr_class, 0x7fffffff);
  if (classes === 2) return;
  const why = classes > 2 ? `${classes}: a model of several planes, one for each class, is not supported` : String(classes);
  throw words.refuse(RangeError, '2 classes', value.at, new Verbatim(why));
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
