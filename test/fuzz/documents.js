// Structural fuzzing of the readers of documents: models as JSON and as LIBLINEAR text, CSV, and files of rows (.fds).
//
//   node test/fuzz/documents.js json [--seed=1] [--executions=n | --seconds=8] [--hang=60]
//   node test/fuzz/documents.js json --seed=1 --only=1234        only that execution, and its document
//
// Each execution makes a valid document, changes its structure a few times, and reads it. Seed and number determine the document on
// every machine. The reader must give a valid result or throw an error with a code of the package, change no prototype, and end: it
// runs in a worker thread, and one that hangs is reported.
'use strict';
const { writeFileSync, mkdirSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { parseArgs, inspect, isDeepStrictEqual } = require('node:util');
const { isMainThread, parentPort, threadId, Worker, workerData } = require('node:worker_threads');
const package_ = require('../..');
const { beginning, checksum, END, endOf, layoutOf } = require('../../dist/io/dataset-format.js');
const { writeJSON } = require('../../dist/io/model-json.js');
const { modelOf, sidesOf } = require('../../dist/svm/model.js');
const { Random } = require('../../dist/selection/random.js');

// ---- Chance

class Chance extends Random {
  of(list) {
    return list[this.below(list.length)];
  }

  /** True once in n times, on average. */
  once(n) {
    return this.below(n) === 0;
  }

  number() {
    const x = (this.next() / 2 ** 31 - 1) * this.of([1, 1, 10, 1e-3, 1e6]);
    return this.once(20) ? this.of(NUMBERS) : this.once(3) ? Math.round(x) : x;
  }

  /** Any position in a text. */
  place(text) {
    return this.below(text.length + 1);
  }
}

const NUMBERS = [0, -0, 1, -1, 5e-324, 2.2250738585072014e-308, 1e-300, 1e154, 1e300, -1e300, Number.MAX_VALUE, 2 ** 53, 0.1];
const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'length', 'then', 'toJSON', 'code', '0', '-1', ''];

// ---- Changes to a text

const PIECES = [
  ...[
    '\0',
    '\n',
    '\r',
    '\r\n',
    ' ',
    '\t',
    '"',
    '""',
    "'",
    ',',
    ';',
    ':',
    '{',
    '}',
    '[',
    ']',
    '\\',
    '\\u',
    '#',
    '/',
    '//',
    '\ufeff',
  ],
  ...[
    '\ud800',
    '\u00e9',
    '\u2028',
    '\u00a0',
    '\uff11',
    '-',
    '+',
    '.',
    'e',
    'E9',
    'e400',
    '1e999',
    'NaN',
    'Infinity',
    'null',
    'true',
  ],
  ...['0x10', '1_0', '00', '-0', '1.', '.5', '9'.repeat(30), '0.'.concat('0'.repeat(400), '1'), 'w', 'rho', ...NAMES],
];

const TEXT = [
  (text, chance) => text.slice(0, chance.place(text)),
  (text, chance) => text.slice(chance.place(text)),
  (text, chance) => {
    const [from, to] = [chance.place(text), chance.place(text)];
    return text.slice(0, from) + text.slice(to); // removes a part, or repeats one
  },
  (text, chance) => {
    const at = chance.place(text);
    return text.slice(0, at) + chance.of(PIECES) + text.slice(at + chance.below(3));
  },
  (text, chance) => {
    const at = chance.place(text);
    return text.slice(0, at) + chance.of(PIECES).repeat(chance.below(chance.once(200) ? 3000 : 5)) + text.slice(at);
  },
  (text, chance) => {
    if (text === '') return text;
    const at = chance.below(text.length);
    return (
      text.slice(0, at) +
      String.fromCharCode(text.charCodeAt(at) ^ (1 << chance.below(chance.once(9) ? 16 : 7))) +
      text.slice(at + 1)
    );
  },
];

/** `other` makes another document; parts of both may be joined. */
function changeText(text, chance, other) {
  for (let left = chance.below(4); left > 0; left--) {
    if (chance.once(8)) {
      const second = other();
      text = text.slice(0, chance.place(text)) + second.slice(chance.place(second));
    } else {
      text = chance.of(TEXT)(text, chance);
    }
    if (text.length > 1e5) text = text.slice(0, 1e5);
  }
  return text;
}

// ---- What must hold

function demand(holds, what) {
  if (!holds) throw new Finding(what);
}

class Finding extends Error {}

/** The result of `body`, or undefined if it throws an allowed error: with one of these codes and a short message. */
async function attempt(codes, body) {
  try {
    return await body();
  } catch (error) {
    if (error instanceof Finding) throw error;
    const ours = error instanceof Error && codes.includes(error.code) && /^Expected .{5,}/s.test(error.message);
    if (!ours) throw new Finding(`an error of ours (${codes.join(', ')})`, { cause: error });
    demand(error.message.length < 1000, 'a message to be read');
    return undefined;
  }
}

const isLabel = (label) => (typeof label === 'number' ? Number.isFinite(label) : ['string', 'boolean'].includes(typeof label));

function sameModel(a, b) {
  const samePlane = (p, q) =>
    p.bias === q.bias &&
    p.positive === q.positive &&
    p.negative === q.negative &&
    p.weights.length === q.weights.length &&
    p.weights.every((w, j) => w === q.weights[j]);
  return (
    a.labels.length === b.labels.length &&
    a.labels.every((label, k) => label === b.labels[k]) &&
    a.planes.length === b.planes.length &&
    a.planes.every((plane, p) => samePlane(plane, b.planes[p]))
  );
}

/** Demands that a model of records takes any records, or says what is wrong with them. */
async function checkRecords(model, chance) {
  const record = Object.fromEntries(
    Object.entries(model.encoder.plan).map(([name, { kind }]) => [
      chance.once(9) ? chance.of(NAMES) : name,
      makeValue(chance, kind),
    ]),
  );
  const label = await attempt(['ERR_RECORDS', 'ERR_POINTS'], () => model.predictOne(record)); // a sum may overflow
  demand(label === undefined || model.labels.includes(label), 'one of the labels for a record');
  const all = await attempt(['ERR_RECORDS', 'ERR_POINTS'], () => model.predict([record]));
  demand((all === undefined) === (label === undefined), 'a label from predict as from predictOne');
  const why = await attempt(['ERR_RECORDS', 'ERR_POINTS'], () => model.explain(record));
  demand((why === undefined) === (label === undefined), 'an explanation where there is a label');
}

/** Demands that a model predicts, and that reading what it writes gives it back. */
async function checkModel(model, chance, { LinearSvm }) {
  const { labels, planes } = model;
  const d = planes[0].weights.length;
  for (const { weights, bias } of planes) {
    demand(weights instanceof Float64Array && weights.every(Number.isFinite) && Number.isFinite(bias), 'finite weights and bias');
    demand(weights.length === d, 'as many weights in every plane');
  }
  demand(labels.length >= 2 && labels.every(isLabel) && new Set(labels).size === labels.length, 'labels');
  demand(sameModel(LinearSvm.fromJSON(JSON.parse(JSON.stringify(model))), model), 'the same model from its JSON');
  const proved = model.toJSON({ proofs: true });
  demand(sameModel(LinearSvm.fromJSON(JSON.parse(JSON.stringify(proved))), model), 'the same model from its JSON with proofs');
  if (model.encoder) await checkRecords(model, chance);
  if (d > 1e6) return; // a few digits can give a length that is too long for an array
  const origin = await attempt(['ERR_POINTS'], () => model.predictOne(new Float64Array(d)));
  demand(origin !== undefined && labels.includes(origin), 'a label at the origin');
  if (model.isBinary()) demand(origin === labels[model.bias > 0 ? 1 : 0], 'the label at the origin');
  const point = Array.from({ length: d }, () => chance.number());
  const label = await attempt(['ERR_POINTS'], () => model.predictOne(point)); // a sum may overflow
  demand(label === undefined || labels.includes(label), 'one of the labels');
  if (d > 0 && chance.once(8)) {
    const data = Float64Array.from([...new Float64Array(d), ...point]);
    const both = await attempt(['ERR_POINTS'], () => model.predict({ data, rows: 2, cols: d }));
    demand(both === undefined || (both.length === 2 && both[0] === origin && labels.includes(both[1])), 'labels');
  }
  const integers = labels.every((label) => Number.isInteger(label) && Math.abs(label) <= 0x7fffffff);
  const pairs = planes.length > 1 && planes[0].negative !== undefined;
  const text = await attempt(['ERR_LABELS', 'ERR_MODEL'], () => model.toLiblinear());
  demand((text !== undefined) === (integers && !pairs), "LIBLINEAR's text where labels are integers, but not of pairs");
  if (text !== undefined) demand(sameModel(LinearSvm.fromLiblinear(text), model), "the same model from LIBLINEAR's text");
  const rest = planes[0].negative === undefined;
  const libsvm = await attempt(['ERR_LABELS', 'ERR_MODEL'], () => model.toLibsvm());
  demand((libsvm !== undefined) === (integers && !rest), "LIBSVM's text where labels are integers, but not against the rest");
  const unicode = labels.every((label) => typeof label !== 'string' || Buffer.from(label).toString() === label);
  const onnx = await attempt(['ERR_LABELS'], () => model.toOnnx());
  demand((onnx !== undefined) === unicode, 'ONNX where labels are Unicode');
}

// ---- Models as JSON

const KINDS = ['number', 'category', 'categories', 'boolean', 'date', 'text', package_.text({ hash: 5 }), 'ignore'];

/** A value for a field of some kind, or of another. */
function makeValue(chance, kind) {
  if (chance.once(6)) return chance.of([null, undefined, NaN, '', 'NA', 5, 'x', {}, [], true, Infinity, new Map(), '\ud800']);
  const word = () => chance.of([...NAMES, 'red', 'blue', 'é', '😀']);
  if (kind === 'number') return chance.number();
  if (kind === 'category') return word();
  if (kind === 'categories') return [word(), word()];
  if (kind === 'boolean') return chance.once(2);
  if (kind === 'date') return new Date(chance.below(2 ** 31) * 1000);
  return `${word()} ${word()} ${word()}`;
}

/** An encoder of a few random records, or none. */
function makeEncoder(chance) {
  const plan = Object.fromEntries(Array.from({ length: 1 + chance.below(4) }, () => [chance.of(NAMES), chance.of(KINDS)]));
  const records = Array.from({ length: 1 + chance.below(6) }, () =>
    Object.fromEntries(Object.entries(plan).map(([name, kind]) => [name, makeValue(chance, kind.kind ?? kind)])),
  );
  try {
    return package_.Encoder.fit(records, plan);
  } catch (error) {
    demand(error.code === 'ERR_RECORDS', 'an error about the records');
    return undefined;
  }
}

function makeJSON(chance) {
  const few = chance.once(4); // weights that are not 0
  const encoder = chance.once(4) ? makeEncoder(chance) : undefined;
  const length = encoder?.cols ?? chance.below(few || chance.once(100) ? 200 : 9);
  const labels = chance.of([
    () => [1, 2, 3],
    () => ['ant', 'bee', 'cow', 'dog'],
    () => [-1, 1],
    () => ['ham', 'spam'],
    () => [false, true],
    () => [chance.number(), 1e9 + 1],
    () => ['', 'é\n'],
  ])();
  const columns = chance.once(8) && !encoder ? Array.from({ length }, (_, j) => `x${j}`) : undefined;
  const sides = sidesOf(labels.length, chance.of(['pairs', 'rest']));
  const number = () => (few && !chance.once(20) ? 0 : chance.number());
  const table = {
    weights: Float64Array.from({ length: sides.length * length }, number),
    biases: Float64Array.from(sides, () => chance.number()),
  };
  const inverseScale = Float64Array.from({ length }, () => Math.abs(chance.number()));
  const centre = Float64Array.from({ length }, number);
  const proofs = sides.map(() => ({ slope: 0.5, low: -1, high: 2, norm: 3, inverseScale, centre }));
  const writing = chance.once(3) ? { proofs: chance.once(2), precision: chance.of(['f64', 'f32']) } : {};
  if (writing.precision === 'f32') table.weights.forEach((w, k) => (table.weights[k] = Math.max(-3e38, Math.min(w, 3e38))));
  const { checksum, ...json } = writeJSON(
    modelOf(labels, sides, table, { columns, proofs, encoder, means: encoder && centre }),
    writing,
  );
  if (chance.once(4)) json.checksum = checksum;
  if (chance.once(4)) json.training = { rows: 12, info: { status: 'gap', gap: 1e-4, shares: { agreed: 1 } } };
  return json;
}

/** Values of JSON, as text. */
const PLAIN =
  'null true "" "1" "\\ud800" [] {} [[]] ["a","b"] [1,2] [1,1] [0,-0] [true,1] {"length":2,"0":1,"1":2} 2 -1 0 -0 0.1 1e21 1e300 -1e300 1e999 5e-324'.split(
    ' ',
  );

/** Values that JSON does not have. */
const ODD = [
  () => NaN,
  () => Infinity,
  () => undefined,
  () => 10n,
  () => Symbol('s'),
  () => () => 1,
  () => 'x'.repeat(5000),
  () => new String('a'),
  () => new Number(1),
  () => new Date(0),
  () => /x/,
  () => new Map(),
  () => new Proxy([], {}),
  () => new (class Odd {})(),
  () => Object.create(null),
  () => new Float64Array(3),
  () => new Uint8Array(new SharedArrayBuffer(2)),
  () => new Array(3),
  () => new (class extends Array {})(2),
  ...[0, 2, 2 ** 28, 2 ** 28 + 1, 2 ** 32 - 1].map((length) => () => Object.assign([1, 2], { length })),
];

function put(node, key, value) {
  // An own property of any name, as by JSON.parse.
  Object.defineProperty(node, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Every [node, key] of a tree. */
function places(node, found = []) {
  for (const key of Object.keys(node)) {
    found.push([node, key]);
    if (isTree(node[key])) places(node[key], found);
  }
  return found;
}

const isTree = (value) =>
  Array.isArray(value)
    ? value.length < 1000
    : typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

function deep(value, depth, chance) {
  for (; depth > 0; depth--) value = chance.once(2) ? [value] : { weights: value };
  return value;
}

const TREE = [
  (node, key) => delete node[key],
  (node, key) => Array.isArray(node) && node.splice(key, 1),
  (node, key, chance) => Array.isArray(node) && node.splice(key, 0, ...Array(chance.below(4)).fill(node[key])),
  (node, key, chance) => {
    const other = chance.of(Object.keys(node));
    const value = node[other];
    put(node, other, node[key]);
    put(node, key, value);
  },
  (node, key, chance) => put(node, key, JSON.parse(chance.of(PLAIN))),
  (node, key) => ['number', 'boolean'].includes(typeof node[key]) && put(node, key, String(node[key])),
  (node, key) => typeof node[key] === 'string' && put(node, key, Number(node[key])),
  (node, key, chance) => put(node, key, deep(node[key], chance.once(20) ? 500 : 1 + chance.below(3), chance)),
  (node, key, chance) =>
    !Array.isArray(node) &&
    put(
      node,
      chance.of([
        ...NAMES,
        'format',
        'version',
        'labels',
        'bias',
        'weights',
        'columns',
        'checksum',
        'planes',
        'proofs',
        'multiclass',
        'precision',
        'centre',
      ]),
      node[key],
    ),
  (node, key, chance) => !Array.isArray(node) && put(node, '__proto__', { polluted: 1, [key]: node[key], [chance.of(NAMES)]: 1 }),
  (node, key) =>
    isTree(node[key]) &&
    put(
      node,
      key,
      Float64Array.from(Object.values(node[key]), (x) => (typeof x === 'number' ? x : 0)),
    ),
  (node, key, chance) => Array.isArray(node[key]) && (node[key].length = chance.below(6)),
];

/** `odd`: also into values that JSON does not have. */
function changeTree(json, chance, odd) {
  for (let left = chance.below(4); left > 0; left--) {
    const all = places(json);
    if (all.length === 0) break;
    const [node, key] = chance.of(all);
    if (odd && chance.once(4)) put(node, key, chance.of(ODD)());
    else chance.of(TREE)(node, key, chance);
  }
  if (!odd) return json;
  // Properties of a prototype are not part of the document.
  if (chance.once(20)) Object.setPrototypeOf(json, makeJSON(chance));
  return chance.once(50) ? chance.of(ODD)() : json;
}

async function readModelJSON(chance, fista, keep) {
  const odd = chance.once(3);
  let json = changeTree(makeJSON(chance), chance, odd);
  if (!odd) {
    const text = changeText(JSON.stringify(json), chance, () => JSON.stringify(makeJSON(chance)));
    json = text;
    try {
      json = JSON.parse(text);
    } catch {
      // Text that is not JSON is passed as a string, as by a program that does not parse it.
    }
    keep(text);
  } else {
    keep(json);
  }
  const model = await attempt(['ERR_MODEL'], () => fista.LinearSvm.fromJSON(json));
  if (model !== undefined) await checkModel(model, chance, fista);
  return model !== undefined;
}

// ---- Models as LIBLINEAR's text

const SOLVERS = ['L2R_LR', 'L2R_L2LOSS_SVC_DUAL', 'L2R_L1LOSS_SVC_DUAL', 'MCSVM_CS', 'L1R_LR', 'L2R_LR_DUAL'];

/** The lines of a model, as lists of words. */
function makeLiblinear(chance) {
  const [solver, count, bias] = [
    chance.of(SOLVERS),
    chance.below(chance.once(100) ? 200 : 7),
    chance.of([-1, 0, 1, 0.5, chance.number()]),
  ];
  const columns = solver === 'MCSVM_CS' ? 2 : 1;
  const label = chance.below(9);
  const head = [
    ['nr_class', '2'],
    ['label', String(label), String(label - 1 - chance.below(5))],
    ['solver_type', solver],
    ['nr_feature', String(count)],
    ['bias', String(bias)],
  ];
  if (chance.once(2)) head.unshift(...head.splice(2, 1));
  if (chance.once(4)) head.push(...head.splice(1, 1));
  const rows = Array.from({ length: count + (bias >= 0 ? 1 : 0) }, () =>
    Array.from({ length: columns }, () => String(chance.number())),
  );
  return [...head, ['w'], ...rows];
}

const joined = (lines) => lines.map((words) => `${words.join(' ')} \n`).join('');

const WORDS = [...SOLVERS, 'ONECLASS_SVM', 'solver_type', 'nr_class', 'nr_feature', 'label', 'bias', ...NAMES];
const COUNTS = [...NUMBERS, NaN, Infinity, 1e21, 2 ** 31, 2 ** 28, 2 ** 28 + 1, 2 ** 32, -1, 3].map(String);

const LINES = [
  (lines, at) => lines.splice(at, 1),
  (lines, at) => lines.splice(at, 0, lines[at]),
  (lines, at, chance) => lines.push(...lines.splice(at, 1 + chance.below(3))),
  (lines, at, chance) => lines[at].splice(chance.below(lines[at].length + 1), chance.below(2), chance.of(PIECES)),
  (lines, at, chance) => (lines[at] = [lines[at][0], chance.of(COUNTS)]),
  (lines, at, chance) => (lines[at] = [chance.of(WORDS), ...lines[at].slice(1)]),
  (lines, at) => (lines[at] = [...lines[at]].reverse()),
  (lines, at, chance) => lines.splice(at, 0, ...Array(chance.below(chance.once(200) ? 2000 : 4)).fill([String(chance.number())])),
];

async function readModelText(chance, fista, keep) {
  const lines = makeLiblinear(chance);
  for (let left = chance.below(4); left > 0 && lines.length > 0; left--) {
    chance.of(LINES)(lines, chance.below(lines.length), chance);
  }
  let text = joined(lines);
  if (chance.once(2)) text = changeText(text, chance, () => joined(makeLiblinear(chance)));
  keep(text);
  const model = await attempt(['ERR_MODEL'], () => fista.LinearSvm.fromLiblinear(chance.once(500) ? chance.of(ODD)() : text));
  if (model !== undefined) await checkModel(model, chance, fista);
  return model !== undefined;
}

// ---- CSV

function makeCsv(chance) {
  const [cols, delimiter] = [1 + chance.below(5), chance.of([',', ',', ';', '\t', '||', ' → '])];
  const quote = (cell) => (chance.once(8) ? `"${cell.replaceAll('"', '""')}"` : cell);
  const end = chance.of(['\n', '\n', '\r\n', '\r']);
  const line = (cells) => cells.map(quote).join(delimiter) + end;
  const rows = Array.from({ length: chance.below(6) }, () =>
    line([
      chance.of(['tea', 'coffee', '1', 'a "b"', 'crème\n']),
      ...Array.from({ length: cols - 1 }, () => String(chance.number())),
    ]),
  );
  return { text: line(['label', ...Array.from({ length: cols - 1 }, (_, j) => `x${j}`)]) + rows.join(''), delimiter };
}

async function readTable(chance, fista, keep) {
  const { text, delimiter } = makeCsv(chance);
  const bytes = Buffer.from(changeText(text, chance, () => makeCsv(chance).text));
  const header = !chance.once(4);
  const options = { header, delimiter, label: header ? chance.of(['label', 0, -1, null, 3]) : chance.of([0, -1, null, 7]) };
  if (chance.once(3)) options.labels = chance.of(['auto', 'number', 'string']);
  keep({ text: bytes.toString('latin1'), options });
  const cuts = Array.from({ length: 1 + chance.below(4) }, () => chance.below(bytes.length + 1)).sort((a, b) => a - b);
  const pieces = (async function* () {
    for (const [k, at] of [0, ...cuts].entries()) yield bytes.subarray(at, cuts[k]);
  })();
  const told = [];
  const tell = (error) => {
    told.push(error.message);
    throw error;
  };
  const read = (source) => attempt(['ERR_CSV'], () => fista.readCsv(source, options).catch(tell));
  const data = await read(bytes);
  demand(isDeepStrictEqual(await read(pieces), data) && told[0] === told[1], 'the same in pieces as in one');
  if (data === undefined) return false;
  const { points, labels, columns } = data;
  demand(points.rows > 0 && points.data.length === points.rows * points.cols && columns.length === points.cols, 'a table');
  demand(points.data.every(Number.isFinite), 'finite numbers');
  demand(labels.length === (options.label === null ? 0 : points.rows), 'a label for each row');
  demand(
    Array.prototype.every.call(labels, (label) => label !== '' && isLabel(label)),
    'labels',
  );
  return true;
}

// ---- Files of rows

const bytesOf = (list) => Buffer.from(list.buffer, list.byteOffset, list.byteLength);

/** A whole file, laid out and summed as Dataset.write does. `change` may alter what it says of itself before it is summed. */
function layOut(contents, sections, change = () => undefined) {
  const layout = { ...layoutOf({ ...contents, texts: sections.texts.length }) };
  const bytes = Buffer.alloc(layout.bytes);
  bytes.set(beginning());
  for (const [name, list] of Object.entries(sections)) bytes.set(bytesOf(list), layout[`${name}At`]);
  change(layout);
  const sum = checksum();
  const { lengthsAt, labelsAt, textsAt, rows, texts, sparse, labels } = layout;
  const part = (at, length) => bytes.subarray(Math.min(at, bytes.length), Math.min(at + length, bytes.length));
  sum.update(part(lengthsAt, sparse ? 4 * rows : 0));
  sum.update(part(labelsAt, rows * [0, 8, 4][labels]));
  sum.update(part(textsAt, texts));
  bytes.set(endOf(layout, sum), Math.max(0, bytes.length - END));
  return bytes;
}

function makeFile(chance) {
  const [rows, cols] = [1 + chance.below(30), 1 + chance.below(12)];
  const sparse = chance.once(2);
  const values = chance.below(sparse ? 3 : 2);
  const labels = chance.below(3);
  const [lengths, index] = [[], []];
  for (let i = 0; i < rows; i++) {
    const before = index.length;
    for (let j = 0; j < cols; j++) if (chance.once(2)) index.push(j);
    lengths.push(index.length - before);
  }
  const entries = sparse ? index.length : rows * cols;
  const width = sparse ? chance.of([2, 4]) : 0;
  const numbers = Array.from({ length: entries }, () => chance.next() / 2 ** 31 - 1);
  const words = { ...(chance.once(3) && { columns: Array.from({ length: cols }, (_, j) => `c${j}`) }), labels: ['a', 'b'] };
  const sections = {
    index: width === 0 ? new Uint8Array(0) : width === 2 ? Uint16Array.from(index) : Uint32Array.from(index),
    values: values === 2 ? new Uint8Array(0) : values === 1 ? Float32Array.from(numbers) : Float64Array.from(numbers),
    lengths: sparse ? Uint32Array.from(lengths) : new Uint8Array(0),
    labels: [
      new Uint8Array(0),
      Float64Array.from(lengths, () => chance.below(2)),
      Uint32Array.from(lengths, () => chance.below(2)),
    ][labels],
    texts: Buffer.from(JSON.stringify(words)),
  };
  return { contents: { sparse, values, index: width, labels, rows, cols, entries }, sections };
}

const CLAIMS = [0, 1, 2, 3, 7, 255, 65535, 65536, 2 ** 31, 2 ** 32 - 2, 2 ** 32, 2 ** 40, 2 ** 53 - 1];
const FIELDS = ['sparse', 'values', 'index', 'labels', 'rows', 'cols', 'entries', 'texts'];
const PLACES = ['valuesAt', 'indexAt', 'lengthsAt', 'labelsAt', 'textsAt', 'bytes'];

/** Lies: about counts and places, in entries, lengths, labels and names, with a checksum that fits; or damage, with one that does not. */
function changeFile({ contents, sections }, chance) {
  const lies = chance.below(3);
  for (let k = 0; k < lies; k++) {
    const list = sections[chance.of(Object.keys(sections))];
    if (list.length > 0) bytesOf(list)[chance.below(list.byteLength)] = chance.once(2) ? 255 : chance.below(256);
  }
  let bytes = layOut(contents, sections, (layout) => {
    if (!chance.once(2)) return;
    const name = chance.of([...FIELDS, ...PLACES]);
    layout[name] =
      name === 'sparse' ? !layout.sparse : chance.once(2) ? chance.of(CLAIMS) : Math.max(0, layout[name] + chance.below(5) - 2);
  });
  if (chance.once(4)) bytes[chance.below(bytes.length)] ^= 1 << chance.below(8);
  if (chance.once(6)) bytes = bytes.subarray(0, chance.below(bytes.length + 1));
  if (chance.once(8)) bytes = Buffer.concat([bytes, bytes.subarray(chance.below(bytes.length + 1))]);
  return bytes;
}

const FILE = join(tmpdir(), `fuzz-${process.pid}-${threadId}.fds`);

async function readRows(chance, fista, keep) {
  const bytes = changeFile(makeFile(chance), chance);
  keep(bytes.toString('latin1'));
  writeFileSync(FILE, bytes);
  const backend = chance.once(3) ? 'js' : 'auto';
  const codes = ['ERR_DATASET', 'ERR_POINTS', 'ERR_LABELS', 'ERR_DISPOSED'];
  try {
    const dataset = await attempt(codes, () => fista.Dataset.open(FILE, { backend }));
    if (dataset === undefined) return false;
    demand(dataset.rows > 0 && dataset.nnz <= bytes.length, 'sizes that the file has room for');
    await attempt(codes, () => dataset.labels);
    const y = Float64Array.from({ length: dataset.rows }, (_, i) => i % 2);
    const model = await attempt(codes, () =>
      fista.LinearSvm.fit(dataset, y, { maxIterations: 5, solver: { window: 1 + chance.below(40) } }),
    );
    if (model === undefined) return false;
    const values = await attempt(['ERR_POINTS'], () => model.decision(dataset)); // a sum may overflow
    if (values !== undefined) demand(values.every(Number.isFinite), 'finite decisions');
    return true;
  } finally {
    rmSync(FILE, { force: true });
  }
}

// ---- Executions

const READERS = { json: readModelJSON, liblinear: readModelText, csv: readTable, fds: readRows };

const known = [Object.prototype, Array.prototype].map((object) => [
  object,
  Object.setPrototypeOf(Object.getOwnPropertyDescriptors(object), null),
]);

/** Demands that no property of the prototypes was added or replaced. `thoroughly` includes those that are not enumerable. */
function checkPrototypes(thoroughly) {
  let touched;
  for (const key in []) touched = key;
  if (thoroughly) {
    for (const [object, before] of known) {
      const changed = (key) => before[key]?.value !== object[key] && before[key]?.get === undefined;
      touched ??= Reflect.ownKeys(object).find(changed);
    }
  }
  if (touched === undefined) return;
  for (const [object, before] of known) if (!(touched in before)) delete object[touched];
  throw new Finding(`prototypes as they were, without ${String(touched)}`);
}

/**
 * One execution. Returns whether the document was read rather than refused. Throws an error with the document if it finds a defect.
 * `fista` is the package or a substitute for it.
 */
async function execute(name, seed, number, fista = package_) {
  let document;
  try {
    const read = await READERS[name](new Chance(seed * 2 ** 32 + number), fista, (value) => (document = value));
    checkPrototypes(number % 64 === 0);
    return read;
  } catch (error) {
    error.document = typeof document === 'string' ? document : inspect(document, { depth: 8, maxStringLength: 1000 });
    throw error;
  }
}

module.exports = { execute };

// ---- The program

async function work({ name, seed, executions, seconds, progress }) {
  const end = Date.now() + seconds * 1000;
  Error.stackTraceLimit = 0; // --only shows the stack
  let read = 0;
  let number = 0;
  // Several executions between two readings of the clock.
  while (number < executions && (number % 64 !== 0 || Date.now() < end)) {
    progress[0] = number;
    try {
      if (await execute(name, seed, number)) read++;
    } catch (error) {
      return { number, document: error.document, found: inspect(error) };
    }
    number++;
  }
  return { number, read };
}

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: '1' },
      executions: { type: 'string' },
      seconds: { type: 'string' },
      hang: { type: 'string', default: '60' },
      only: { type: 'string' },
    },
  });
  const [name] = positionals;
  const seed = Number(values.seed);
  if (!(name in READERS)) throw new Error(`expected ${Object.keys(READERS).join(', ')} but received ${name}`);
  if (values.only !== undefined) {
    return execute(name, seed, Number(values.only)).then(
      (read) => console.log(read ? 'read' : 'refused'),
      (error) => {
        console.error(error.document);
        throw error;
      },
    );
  }
  const progress = new Float64Array(new SharedArrayBuffer(8));
  const executions = Number(values.executions ?? (values.seconds === undefined ? 1e5 : Infinity));
  const worker = new Worker(__filename, {
    workerData: { name, seed, executions, seconds: Number(values.seconds ?? Infinity), progress },
  });
  const finish = (number, found, document) => {
    const again = `node test/fuzz/documents.js ${name} --seed=${seed} --only=${number}`;
    console.error(`${found}\n${again}`);
    if (document !== undefined) {
      mkdirSync('build-fuzz', { recursive: true });
      writeFileSync(join('build-fuzz', `${name}-${seed}-${number}`), document);
    }
    process.exit(1);
  };
  let [last, since] = [-1, Date.now()];
  const watch = setInterval(() => {
    if (progress[0] !== last) [last, since] = [progress[0], Date.now()];
    else if (Date.now() - since > Number(values.hang) * 1000) finish(last, `no end after ${values.hang} s`);
  }, 500);
  worker.on('error', (error) => finish(progress[0], inspect(error)));
  worker.on('message', ({ number, read, found, document }) => {
    clearInterval(watch);
    if (found !== undefined) finish(number, found, document);
    console.log(`${read} of ${number} documents were read, the others refused`);
    console.log(`stat::number_of_executed_units: ${number}`); // in the format of libFuzzer
  });
}

if (!isMainThread && workerData?.progress) {
  void work(workerData).then((result) => parentPort.postMessage(result));
} else if (require.main === module) {
  void main();
}
