// Models in ONNX: whether onnx.checker of Debian's python3-onnx finds them well-formed, and how near onnxruntime-web comes to predict and
// decision. Weights and points are small integers, of which sums are exact and many are equal, or any numbers.
'use strict';
const { execFileSync } = require('node:child_process');
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { LinearSvm } = require('../../dist/index.js');
const { writeJSON } = require('../../dist/io/model-json.js');
const { onnxBytes } = require('../../dist/io/onnx.js');
const { modelOf, sidesOf } = require('../../dist/svm/model.js');
const { findPython } = require('../peers/process.js');

const LABELS = {
  integers: (k) => k - 1,
  fractions: (k) => k / 2,
  texts: (k) => `class ${String(k).padStart(3, '0')}`,
  booleans: (k) => k === 1,
};

const sigmoid = (p) => ({ kind: 'sigmoid', a: -1 - (p % 3), b: 0.1 });
const isotonic = (p) => ({ kind: 'isotonic', values: Float64Array.of(-2, -1, 0, 3 + p), probabilities: Float64Array.of(0, 0.2, 0.2, 0.9) }); // prettier-ignore
const CALIBRATIONS = { none: undefined, sigmoid, isotonic };

/** Every kind of model: classes, planes, columns, labels, probabilities. */
const KINDS = [
  [2, 'pairs', 30, 'integers'],
  [2, 'pairs', 30, 'booleans'],
  [2, 'pairs', 0, 'texts'],
  [3, 'pairs', 4, 'texts'],
  [10, 'pairs', 784, 'integers'],
  [26, 'pairs', 16, 'fractions'],
  [3, 'rest', 4, 'texts'],
  [10, 'rest', 784, 'integers'],
  [100, 'rest', 200, 'fractions'],
].flatMap(([classes, way, cols, labels]) =>
  Object.keys(CALIBRATIONS).map((calibration) => ({ classes, way, cols, labels, calibration })),
);

function makeModel({ classes, way, cols, labels, calibration }, number) {
  const sides = sidesOf(classes, way);
  const table = {
    weights: Float64Array.from({ length: sides.length * cols }, number),
    biases: Float64Array.from(sides, number),
  };
  const columns = Array.from({ length: cols }, (_, j) => `x${j + 1}`);
  const names = Array.from({ length: classes }, (_, k) => LABELS[labels](k));
  const made = modelOf(names, sides, table, { proofs: undefined, columns });
  return { ...made, calibration: CALIBRATIONS[calibration] && sides.map((_, p) => CALIBRATIONS[calibration](p)) };
}

/** What onnx.checker says of each model; undefined without it. */
function check(files) {
  const python = findPython('onnx');
  if (!python) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'fista-onnx-'));
  try {
    const paths = files.map((bytes, k) => {
      const path = join(folder, `${k}.onnx`);
      writeFileSync(path, bytes);
      return path;
    });
    return JSON.parse(execFileSync(python, [join(__dirname, '..', 'onnx-check.py'), ...paths], { encoding: 'utf8' }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const ROWS = 200;

/** How the answers of onnxruntime-web differ from this package's. */
async function compare(ort, model, bytes, number) {
  const cols = model.columns.length;
  const data = Float64Array.from({ length: ROWS * cols }, number);
  const session = await ort.InferenceSession.create(bytes);
  const { label, decision } = await session.run({ points: new ort.Tensor('float64', data, [ROWS, cols]) });
  await session.release();
  const svm = LinearSvm.fromJSON(writeJSON({ ...model, calibration: undefined }));
  const points = { data, rows: ROWS, cols };
  const theirs = Array.from(label.data, (it) => (label.type === 'bool' ? it === 1 : typeof it === 'bigint' ? Number(it) : it));
  const differ = svm.predict(points).filter((it, i) => it !== theirs[i]).length;
  const apart = svm.decision(points).reduce((most, value, i) => Math.max(most, Math.abs(value - decision.data[i])), 0);
  return { differ, apart };
}

async function run({ print }) {
  const ort = require('onnxruntime-web');
  ort.env.wasm.numThreads = 1;
  let seed = 1;
  const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const numbers = { integers: () => Math.floor(3 * random()) - 1, any: () => random() + random() + random() - 1.5 };
  const models = KINDS.map((kind) => ({ kind, made: Object.entries(numbers).map(([name, number]) => ({ name, number, model: makeModel(kind, number) })) })); // prettier-ignore
  const files = models.map(({ made }) => onnxBytes(made[1].model));
  const checked = check(files);
  if (!checked) print('Left out: onnx.checker: apt-get install python3-onnx, or name a Python that has it by PYTHON.');
  const rows = [];
  for (const [k, { kind, made }] of models.entries()) {
    const found = {};
    for (const { name, number, model } of made) found[name] = await compare(ort, model, onnxBytes(model), number);
    const { error = 'not checked', nodes = null } = checked?.files[k] ?? {};
    rows.push({ ...kind, bytes: files[k].length, nodes, error, ...found });
    const what = `${kind.classes} classes, ${kind.way}, ${kind.cols} columns, ${kind.labels}, probabilities ${kind.calibration}`;
    print(`${what.padEnd(66)} ${error ?? 'valid'}; labels that differ: ${found.integers.differ} and ${found.any.differ} of ${ROWS}; decisions by ${found.any.apart.toExponential(0)}`); // prettier-ignore
  }
  if (rows.some(({ error, integers, any }) => (checked && error !== null) || integers.differ + any.differ > 0))
    process.exitCode = 1;
  return {
    versions: { 'onnxruntime-web': ort.env.versions.web, ...(checked && { onnx: checked.version }) },
    kinds: rows,
    tables: [
      {
        columns: ['classes', 'planes', 'columns', 'labels', 'probabilities', 'bytes', 'operators', 'onnx.checker', 'labels that differ', 'decisions by'], // prettier-ignore
        rows: rows.map(({ classes, way, cols, labels, calibration, bytes, nodes, error, integers, any }) => [
          ...[classes, way, cols, labels, calibration, bytes, nodes],
          { value: error ?? 'valid', met: error === null },
          { value: integers.differ + any.differ, met: integers.differ + any.differ === 0 },
          Math.max(integers.apart, any.apart).toExponential(0),
        ]),
        notes: `onnx.checker with full_check; onnxruntime-web's labels of ${ROWS} points of small integers, with ties, and of ${ROWS} others, against predict`,
      },
    ],
  };
}

module.exports = { name: 'onnx', describe: 'models in ONNX, checked by onnx and run by onnxruntime-web', run };
