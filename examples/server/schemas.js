// The schemas of requests. A row is a list of all its numbers, or { indices, values } of the nonzero ones (without values, all are 1).
'use strict';
const { METRICS } = require('./gate.js');

/** The limit on columns. A larger number is a mistake or an attack, as a fit holds several numbers for each column. */
const MAX_COLUMNS = 1_000_000;

const fileName = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$' }; // cannot lead out of the folder
const numbers = { type: 'array', items: { type: 'number' } };

// Keywords for arrays do not apply to objects, nor those for objects to arrays, so one schema serves both kinds of rows.
const rows = {
  type: 'array',
  minItems: 1,
  maxItems: 100_000,
  items: {
    type: ['array', 'object'],
    items: { type: 'number' },
    properties: { indices: { type: 'array', items: { type: 'integer', minimum: 0 } }, values: numbers },
    required: ['indices'],
    additionalProperties: false,
  },
};

const predictSchema = {
  type: 'object',
  required: ['rows'],
  additionalProperties: false,
  properties: { rows, certify: { type: 'boolean' } },
};

const trainSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    rows,
    labels: { type: 'array', items: { type: ['number', 'string', 'boolean'] } },
    columns: { type: 'integer', minimum: 1, maximum: MAX_COLUMNS },
    file: fileName,
    options: {
      type: 'object',
      additionalProperties: false,
      properties: {
        gamma: { type: ['number', 'string'], exclusiveMinimum: 0, pattern: '^auto$' },
        probability: { enum: ['sigmoid', 'isotonic'] },
        multiclass: { enum: ['auto', 'pairs', 'rest'] },
        scale: { enum: ['auto', 'none', 'standard', 'maxabs'] },
        classWeight: { const: 'balanced' },
        gap: { type: 'number', exclusiveMinimum: 0 },
        method: { enum: ['auto', 'ascent', 'newton', 'fista'] },
        maxIterations: { type: 'integer', minimum: 1 },
        timeLimit: { type: 'number', exclusiveMinimum: 0 },
      },
    },
    gate: {
      type: ['object', 'boolean'],
      not: { const: true },
      additionalProperties: false,
      properties: {
        file: fileName,
        metric: { enum: METRICS },
        min: { type: 'number', minimum: -1, maximum: 1 },
        max: { type: 'number', minimum: 0 },
        tolerance: { type: 'number', minimum: 0 },
        compare: { type: 'boolean' },
        testShare: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
        seed: { type: 'integer', minimum: 0, maximum: 2 ** 32 - 1 },
      },
    },
  },
  oneOf: [{ required: ['rows', 'labels'] }, { required: ['file'] }],
};

/** Converts the rows of a request to points: dense rows as they are, sparse ones to compressed sparse rows of `cols` columns. */
function toPoints(list, cols) {
  const max = cols ?? MAX_COLUMNS;
  const dense = Array.isArray(list[0]);
  const other = list.findIndex((row) => Array.isArray(row) !== dense);
  if (other >= 0) throw bad(`Expected rows of one kind but rows[0] is ${dense ? 'dense' : 'sparse'} and rows[${other}] is not`);
  if (dense) return list;
  const indptr = new Uint32Array(list.length + 1);
  list.forEach(({ indices, values }, i) => {
    if (values !== undefined && values.length !== indices.length) {
      throw bad(
        `Expected ${indices.length} numbers for rows[${i}].values, as in rows[${i}].indices, but received ${values.length}`,
      );
    }
    const beyond = indices.findIndex((j) => j >= max);
    if (beyond >= 0) throw bad(`Expected a column below ${max} for rows[${i}].indices[${beyond}] but received ${indices[beyond]}`);
    indptr[i + 1] = indptr[i] + indices.length;
  });
  const stored = indptr[list.length];
  const indices = new Uint32Array(stored);
  const values = list.some((row) => row.values !== undefined) ? new Float64Array(stored).fill(1) : undefined;
  list.forEach((row, i) => {
    indices.set(row.indices, indptr[i]);
    if (row.values) values.set(row.values, indptr[i]);
  });
  cols ??= indices.reduce((max, j) => Math.max(max, j + 1), 1);
  return { indptr, indices, ...(values && { values }), rows: list.length, cols };
}

function bad(message) {
  return Object.assign(new RangeError(message), { code: 'ERR_POINTS', statusCode: 400 });
}

module.exports = { predictSchema, trainSchema, toPoints };
