/**
 * Models for ONNX runtimes.
 *
 * Given:  a model of two classes or more, with or without probabilities.
 * Wanted: a graph that gives `label`, `decision` and `probabilities` of rows of points: those of `predict`, `decision` and `probability`, in
 *         double precision. (ONNX's own LinearClassifier holds floats, and knows other votes.)
 * So:     one product of matrices gives the planes' values. Everything else is of the size of those, and follows lib/svm/votes.ts and
 *         lib/svm/calibration.ts. Sums may be added up in another order, so numbers agree to rounding, and labels wherever no two classes
 *         and no plane's sides are so near.
 *
 * Names of tensors are those of the values in them; k is the number of classes. A table by class and class has, for classes i and j, what
 * is to be taken of the plane between them: `pair` its number, `sign` 1 if i is its positive side, else -1, and 0 if i = j.
 */
import { coded, show } from '../errors.js';
import type { Calibration } from '../svm/calibration.js';
import { isPairs, sidesOf, type Model } from '../svm/model.js';
import { LARGEST_SUM } from '../svm/votes.js';
import type { Label } from '../types.js';
import { version } from '../version.js';
import { castTo, Graph, modelMessage, typeOf, type Values } from './onnx-graph.js';
import type { Message } from './protobuf.js';

/** Protocol Buffers, and so ONNX files, are limited to so many bytes. */
const MAX_BYTES = 2 ** 31 - 1;

/** The bytes of a model, in pieces, which refer to the model's own memory. */
export function onnxPieces(model: Model): readonly Uint8Array[] {
  return messageOf(model).pieces;
}

/** The bytes of a model. */
export function onnxBytes(model: Model): Uint8Array {
  const { pieces, length } = messageOf(model);
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(length);
  } catch (error) {
    const message = `Expected as much memory as the model takes in ONNX, ${length} bytes, but there is less`;
    throw coded(RangeError, 'ERR_MODEL', message, error);
  }
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function messageOf(model: Model): Message {
  const { labels, planes, table, columns } = model;
  const classes = labels.length;
  const several = classes > 2;
  const pairs = several && isPairs(model);
  // What is certainly too long is refused before its tables are made.
  checkLength(8 * (table.weights.length + table.biases.length + (pairs ? 2 * classes ** 2 : 0)), 'its numbers take');
  const message = modelMessage(graphOf(model), {
    producer: { name: 'fista-classify', version: version() },
    about:
      `A linear SVM of ${classes} classes` +
      (several ? (pairs ? `, with ${planes.length} planes between pairs of them.` : ', each with a plane against the rest.') : '.'),
    metadata: columns ? { columns: jsonOf(columns) } : {},
  });
  checkLength(message.length, 'it takes');
  return message;
}

function checkLength(length: number, taken: string): void {
  if (length <= MAX_BYTES) return;
  const message = `Expected at most ${MAX_BYTES} bytes, the limit of ONNX files, for the model but ${taken} ${length}`;
  throw coded(RangeError, 'ERR_MODEL', message);
}

/** Names that are made into text at a time: all of them may be longer than a string can be. */
const BLOCK = 4096;

function jsonOf(names: readonly string[]): Uint8Array[] {
  const pieces = [Buffer.from('[')];
  for (let begin = 0; begin < names.length; begin += BLOCK) {
    const text = JSON.stringify(names.slice(begin, begin + BLOCK)).slice(1, -1);
    pieces.push(Buffer.from(begin === 0 ? text : `,${text}`));
  }
  pieces.push(Buffer.from(']'));
  return pieces;
}

function graphOf(model: Model): Graph {
  const { labels, planes, table, calibration } = model;
  const { length: classes } = labels;
  const cols = table.weights.length / planes.length;
  const graph = new Graph('linear_svm');
  const points = graph.input('points', 'double', ['N', cols], 'One row a point.');
  const weights = graph.constant('weights', [planes.length, cols], table.weights);
  const biases = graph.constant('biases', [planes.length], table.biases);
  const values = graph.node('Gemm', [points, weights, biases], 'values', { transB: 1 });
  const found = { graph, classes, values };
  const tables = classes > 2 && isPairs(model) ? pairTables(found) : undefined;

  const names = labelValues(labels);
  const winner = tables ? byVotes(found, tables) : classes > 2 ? byValue(found) : bySign(found);
  graph.node('Gather', [graph.constant('labels', [classes], names), winner], 'label');
  graph.output('label', typeOf(names), ['N'], 'The predicted labels.');
  if (classes > 2) graph.output('decision', 'double', ['N', classes], "One value a class; the largest is the label's.");
  else graph.output('decision', 'double', ['N'], `Above 0 the label is ${show(labels[1])}, else ${show(labels[0])}.`);

  if (calibration) {
    const chances = chancesOf(found, calibration);
    if (tables) byCoupling(found, tables, chances);
    else if (classes > 2) byShare(found, chances);
    else ofBoth(found, chances);
    const order = labels.slice(0, 10).map(show).join(', ') + (classes > 10 ? ', …' : '');
    graph.output('probabilities', 'double', ['N', classes], `One a class, in the order ${order}.`);
  }
  return graph;
}

/** Labels as a constant: numbers are integers if all of them are. */
function labelValues(labels: readonly Label[]): Values {
  if (typeof labels[0] === 'boolean') return labels as readonly boolean[];
  if (typeof labels[0] === 'number') {
    const numbers = labels as readonly number[];
    return numbers.every(Number.isSafeInteger) ? BigInt64Array.from(numbers, BigInt) : Float64Array.from(numbers);
  }
  for (const label of labels as readonly string[]) {
    // UTF-8 has no halves of surrogate pairs, so that two such labels could become one.
    if (Buffer.from(label).toString() === label) continue;
    const message = `Expected well-formed Unicode for every label, as ONNX has no other text, but received ${show(label)}`;
    throw coded(RangeError, 'ERR_LABELS', message);
  }
  return labels as readonly string[];
}

/** A graph that has come to the planes' values. */
interface Found {
  readonly graph: Graph;
  /** Their number. */
  readonly classes: number;
  /** Rows × planes. */
  readonly values: string;
}

/** Of two classes: the second above 0. Adds `decision`; gives the number of the label, as the next two do. */
function bySign({ graph, values }: Found): string {
  const decision = graph.node('Squeeze', [values, graph.axis(1)], 'decision');
  const above = graph.node('Greater', [decision, graph.number('zero', 0)], 'is_above');
  return graph.node('Cast', [above], 'winner', castTo('int64'));
}

/** Of planes against the rest: the largest value. */
function byValue({ graph, values }: Found): string {
  return largest(graph, graph.node('Identity', [values], 'decision'));
}

/** The first one of equal ones, as in `predict`. */
function largest(graph: Graph, decision: string): string {
  return graph.node('ArgMax', [decision], 'winner', { axis: 1, keepdims: 0 });
}

/** Tables by class and class. */
interface PairTables {
  readonly pair: string;
  readonly sign: string;
}

function pairTables({ graph, classes }: Found): PairTables {
  const pair = new BigInt64Array(classes ** 2);
  const sign = new Float64Array(classes ** 2);
  sidesOf(classes, 'pairs').forEach(({ positive, negative }, p) => {
    const [above, below] = [positive * classes + negative!, negative! * classes + positive];
    pair[above] = pair[below] = BigInt(p);
    sign[above] = 1;
    sign[below] = -1;
  });
  const shape = [classes, classes];
  return { pair: graph.constant('pair', shape, pair), sign: graph.constant('sign', shape, sign) };
}

/** Numbers of planes by class and class, negated for a negative side: rows × classes × classes. */
function byPair(graph: Graph, { pair, sign }: PairTables, numbers: string): string {
  const gathered = graph.node('Gather', [numbers, pair], `${numbers}_by_pair`, { axis: 1 });
  return graph.node('Mul', [gathered, sign], `${numbers}_by_side`);
}

/** Of pairs: votes, and what decides among equal ones. */
function byVotes({ graph, classes, values }: Found, tables: PairTables): string {
  const sumOf = (numbers: string, name: string) =>
    graph.node('ReduceSum', [byPair(graph, tables, numbers), graph.axis(2)], name, { keepdims: 0 });
  // A plane votes `above` for its positive side and 1 - above for its negative one. The ones are added afterwards: class c is the negative
  // side of k - 1 - c planes.
  const above = graph.node(
    'Cast',
    [graph.node('Greater', [values, graph.number('zero', 0)], 'is_above')],
    'above',
    castTo('double'),
  );
  const negatives = graph.constant(
    'negatives',
    [classes],
    Float64Array.from({ length: classes }, (_, c) => classes - 1 - c),
  );
  const votes = graph.node('Add', [sumOf(above, 'signed_votes'), negatives], 'votes');

  const limits = [graph.number('smallest_sum', -LARGEST_SUM), graph.number('largest_sum', LARGEST_SUM)];
  const sums = graph.node('Clip', [sumOf(values, 'all_sums'), ...limits], 'sums');
  const more = graph.node('Add', [graph.node('Abs', [sums], 'absolute_sums'), graph.number('one', 1)], 'sums_and_one');
  const squashed = graph.node('Div', [sums, graph.node('Mul', [graph.number('three', 3), more], 'divisors')], 'squashed_sums');
  return largest(graph, graph.node('Add', [votes, squashed], 'decision'));
}

/** The probabilities of the planes' positive sides: rows × planes. */
function chancesOf(found: Found, calibration: readonly Calibration[]): string {
  const isSigmoid = calibration.map(({ kind }) => kind === 'sigmoid');
  if (!isSigmoid.includes(false)) return sigmoids(found, calibration);
  if (!isSigmoid.includes(true)) return interpolated(found, calibration);
  const which = found.graph.constant('is_sigmoid', [isSigmoid.length], isSigmoid);
  return found.graph.node('Where', [which, sigmoids(found, calibration), interpolated(found, calibration)], 'chances');
}

/** 1 / (1 + exp(a s + b)). */
function sigmoids({ graph, values }: Found, calibration: readonly Calibration[]): string {
  const [a, b] = (['a', 'b'] as const).map((name) => {
    const numbers = Float64Array.from(calibration, (of) => (of.kind === 'sigmoid' ? of[name] : 0));
    return graph.constant(name, [numbers.length], numbers);
  }) as [string, string];
  const odds = graph.node('Exp', [graph.node('Add', [graph.node('Mul', [values, a], 'a_s'), b], 'a_s_b')], 'odds_against');
  const one = graph.number('one', 1);
  return graph.node('Div', [one, graph.node('Add', [one, odds], 'one_and_odds')], 'sigmoids');
}

/** In place of a plane that is not isotonic, so that all of them have the same form. */
const FLAT = { values: Float64Array.of(0), probabilities: Float64Array.of(0) };

/**
 * Piecewise linear functions. The planes' pieces are in one list, a power of two for each plane. A value finds its piece by halving: the
 * piece's number is that of the knots at or below the value. So memory is that of the values, however many knots there are.
 */
function interpolated({ graph, values }: Found, calibration: readonly Calibration[]): string {
  const planes = calibration.map((of) => (of.kind === 'isotonic' ? of : FLAT));
  const size = 2 ** Math.ceil(Math.log2(1 + planes.reduce((most, { values }) => Math.max(most, values.length), 1)));
  const total = planes.length * size;
  const list = (value: number) => new Float64Array(total).fill(value);
  // Missing knots are beyond any value. Piece 0, before the first knot, is never used, as values below it are raised to it.
  const lists = { knot: list(Infinity), start: list(0), width: list(1), base: list(0), rise: list(0) };
  planes.forEach(({ values: x, probabilities: y }, p) => {
    lists.knot.set(x, p * size);
    for (let k = 0; k < x.length; k++) {
      const piece = p * size + k + 1;
      lists.start[piece] = x[k]!;
      lists.base[piece] = y[k]!;
      if (k + 1 === x.length) continue; // constant from the last knot on
      lists.width[piece] = x[k + 1]! - x[k]!;
      lists.rise[piece] = y[k + 1]! - y[k]!;
    }
  });
  const take = (name: keyof typeof lists, at: string, as: string = name) =>
    graph.node('Gather', [graph.list(`${name}_list`, lists[name]), at], as);

  const first = graph.list(
    'first_knots',
    Float64Array.from(planes, ({ values }) => values[0]!),
  );
  const last = graph.list(
    'last_knots',
    Float64Array.from(planes, ({ values }) => values.at(-1)!),
  );
  const inside = graph.node('Max', [graph.node('Min', [values, last], 'not_above'), first], 'inside');
  let piece = graph.list(
    'first_pieces',
    BigInt64Array.from(planes, (_, p) => BigInt(p * size)),
  );
  for (let step = size / 2; step >= 1; step /= 2) {
    const ahead = graph.node('Add', [piece, graph.list(`before_${step}`, BigInt64Array.of(BigInt(step - 1)))], `ahead_${step}`);
    const beyond = graph.node('GreaterOrEqual', [inside, take('knot', ahead, `knot_${step}`)], `is_beyond_${step}`);
    const taken = graph.node('Cast', [beyond], `beyond_${step}`, castTo('int64'));
    const pieces = graph.node('Mul', [taken, graph.list(`step_${step}`, BigInt64Array.of(BigInt(step)))], `taken_${step}`);
    piece = graph.node('Add', [piece, pieces], `piece_${step}`);
  }
  const share = graph.node('Div', [graph.node('Sub', [inside, take('start', piece)], 'from_start'), take('width', piece)], 'share');
  return graph.node('Add', [take('base', piece), graph.node('Mul', [take('rise', piece), share], 'risen')], 'interpolated');
}

/** Of two classes: the positive side's, and what is left to 1. Adds `probabilities`, as the next two do. */
function ofBoth({ graph }: Found, chances: string): void {
  const others = graph.node('Sub', [graph.number('one', 1), chances], 'others');
  graph.node('Concat', [others, chances], 'probabilities', { axis: 1 });
}

/** Of planes against the rest: each one's, divided by their sum; all alike if that is 0. */
function byShare({ graph, classes }: Found, chances: string): void {
  const sum = graph.node('ReduceSum', [chances, graph.axis(1)], 'chances_sum');
  const none = graph.node('Equal', [sum, graph.number('zero', 0)], 'is_none');
  const shares = graph.node('Div', [chances, sum], 'shares');
  graph.node('Where', [none, graph.number('alike', 1 / classes), shares], 'probabilities');
}

/** Probabilities of pairs are at least so far from 0 and 1. */
const MARGIN = 1e-7;

/**
 * Of pairs: Wu, Lin and Weng's second method. With r_ij the probability of class i against class j, p minimises the sum over all pairs of
 * (r_ji p_i - r_ij p_j)², where the sum of p is 1. With Q_tt = sum over s of r_st² and Q_ts = -r_st r_ts, it is the solution x of
 * (Q + e eᵀ) x = e, divided by its sum. This matrix is positive definite: elimination needs no search for pivots.
 * Source: T.-F. Wu, C.-J. Lin, R. C. Weng, Journal of Machine Learning Research 5, 2004, section 4.2.
 */
function byCoupling({ graph, classes }: Found, tables: PairTables, chances: string): void {
  const shape = [classes, classes];
  const identity = new Float64Array(classes ** 2);
  const isNegative = new Float64Array(classes ** 2);
  for (let i = 0; i < classes; i++) {
    identity[i * classes + i] = 1;
    isNegative.fill(1, i * classes + i + 1, (i + 1) * classes);
  }
  const limits = [graph.number('margin', MARGIN), graph.number('one_less_margin', 1 - MARGIN)];
  const signed = byPair(graph, tables, graph.node('Clip', [chances, ...limits], 'clipped'));
  const r = graph.node('Add', [signed, graph.constant('is_negative', shape, isNegative)], 'r'); // 1 - the chance for a negative side
  const transposed = graph.node('Transpose', [r], 'r_transposed', { perm: [0, 2, 1] });
  const products = graph.node('Mul', [r, transposed], 'products');
  const squares = graph.node('ReduceSum', [graph.node('Mul', [r, r], 'r_squared'), graph.axis(1)], 'sums_of_squares');
  const diagonal = graph.node('Mul', [graph.constant('identity', shape, identity), squares], 'diagonal');
  const minusQ = graph.node('Sub', [products, diagonal], 'minus_q');
  // With a column of zeros for e; subtracted from 1 this is (Q + e eᵀ | e).
  const wider = graph.node('Pad', [minusQ, graph.list('column_more', BigInt64Array.of(0n, 0n, 0n, 0n, 0n, 1n))], 'wider');
  const system = graph.node('Sub', [graph.number('one', 1), wider], 'system');

  const steps = graph.constant('steps', [], BigInt64Array.of(BigInt(classes)));
  const solved = graph.node('Loop', [steps, '', system], 'solved', { body: eliminationOf(classes) });
  const x = graph.node('Gather', [solved, steps], 'x', { axis: 2 });
  graph.node('Div', [x, graph.node('ReduceSum', [x, graph.axis(1)], 'x_sum')], 'probabilities');
}

/**
 * A step of Gauss and Jordan's elimination, of the matrices of all points: divides row t by its pivot, and subtracts multiples of it from the
 * others, so that their column t is 0.
 */
function eliminationOf(classes: number): Graph {
  const body = new Graph('elimination');
  const shape = ['N', classes, classes + 1];
  const t = body.input('t', 'int64', []);
  const goOn = body.input('go_on', 'bool', []);
  const matrix = body.input('matrix', 'double', shape);
  const at = body.node('Unsqueeze', [t, body.axis(0)], 'at');
  const row = body.node('Gather', [matrix, at], 'row', { axis: 1 });
  const column = body.node('Gather', [matrix, at], 'column', { axis: 2 });
  const scaled = body.node('Div', [row, body.node('Gather', [row, at], 'pivot', { axis: 2 })], 'scaled_row');
  const reduced = body.node('Sub', [matrix, body.node('Mul', [column, scaled], 'multiples')], 'reduced');
  const rows = body.constant(
    'rows',
    [classes, 1],
    BigInt64Array.from({ length: classes }, (_, i) => BigInt(i)),
  );
  body.node('Where', [body.node('Equal', [rows, t], 'is_row'), scaled, reduced], 'next_matrix');
  body.node('Identity', [goOn], 'still_go_on');
  body.output('still_go_on', 'bool', []);
  body.output('next_matrix', 'double', shape);
  return body;
}
