// npm start: shows the backend and checks its kernels, then runs the two main tasks on data in test/fixtures, with their certificates: a
// classifier for the breast cancer data, and a plane between uncertain digits. Fails if a kernel and its TypeScript twin differ by more
// than rounding.
'use strict';
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { gunzipSync } = require('node:zlib');
const { backend, LinearSvm, separateEllipsoids } = require('..');
const { parseLibsvm, toDense } = require('../bench/data.js');
const { ellipsoids, readFixture } = require('../bench/digits.js');
const { kernels } = require('../dist/backend/load.js');
const { upward } = require('../dist/report/number-text.js');
const { selfCheck } = require('../dist/backend/self-check.js');

// ---- The backend
console.log(
  `backend   ${backend.name}, ${backend.name === 'native' ? `${backend.simd}, ${backend.threads} threads` : 'the TypeScript kernels'}`,
);
if (backend.loadError) console.log(`\n${backend.loadError.message}\n`);

const text = gunzipSync(readFileSync(join(__dirname, '..', 'test', 'fixtures', 'wdbc.libsvm.gz')));
const { labels: signs, ...sparse } = parseLibsvm(text);
const points = toDense(sparse);
const labels = Array.from(signs, (sign) => (sign > 0 ? 'malignant' : 'benign'));
const checks = selfCheck(kernels(), backend.threads);
for (const { kernel, difference, bound } of checks.filter(({ agrees }) => !agrees)) {
  console.log(
    `          ${kernel} DIFFERS from its twin by ${difference.toExponential(1)}; rounding explains at most ${bound.toExponential(1)}`,
  );
  process.exitCode = 1;
}
const speedups = checks.map(({ time }) => time.twin / time.backend).sort((a, b) => a - b);
const speed = backend.name === 'native' ? `; half of them at least ${speedups[checks.length >> 1].toFixed(1)} times as fast` : '';
console.log(`kernels   ${checks.length} checked against their TypeScript twins${speed}`);

// ---- A classifier
const model = LinearSvm.fit(points, labels);
const { info } = model;
const { accuracy, confusion } = model.score(points, labels);
const percent = (share) => `${(100 * share).toFixed(1)} %`.padStart(8);
const rows = (count, share, meaning) => console.log(`${String(count).padStart(6)}${percent(share)}   ${meaning}`);

console.log(`
data      breast cancer (wdbc): ${points.rows} tumours, ${points.cols} measurements each
trained   in ${info.elapsed.toFixed(1)} ms: ${info.iterations} iterations, worth ${info.passes.toFixed(1)} passes over the data; ended by "${info.status}"
accuracy ${percent(accuracy)} on the training data: ${confusion[0][1]} benign called malignant, ${confusion[1][0]} malignant called benign
gap       ${upward(info.relativeGap).toExponential(1)}: the objective is proved to exceed the optimum by at most this share

Proved, of ${info.rows} training rows (these shares are not accuracies):`);
rows(info.agreed, info.shares.agreed, 'get from this model the label, right or wrong, that every exact optimum would give them');
rows(
  info.properlyClassified,
  info.shares.properlyClassified,
  'are on their own side at the optimum, half the margin or more from the plane',
);
rows(info.zero, info.shares.zero, 'are beyond the margin at the optimum: without them the optimum would be the same');
rows(info.atBound, info.shares.atBound, 'are inside half the margin, or on the wrong side, at the optimum');

// ---- A plane between ellipsoids
// Each digit is an ellipsoid: a clearly black or white pixel is nearly certain, a grey one may have any value between.
const { zeros, ones } = readFixture();
const [first, second] = [ellipsoids(zeros), ellipsoids(ones)];
const any = separateEllipsoids(first, second);
const widest = separateEllipsoids(first, second, { goal: 'widest' });
console.log(`
data      MNIST: ${zeros.length} zeros and ${ones.length} ones, each an ellipsoid of all images that it may stand for, in ${28 * 28} dimensions
first     plane in ${any.elapsed.toFixed(1)} ms: ${any.iterations} iteration${any.iterations === 1 ? '' : 's'}; ended by "${any.status}"
widest    slab in ${widest.elapsed.toFixed(1)} ms: ${widest.iterations} iterations; ended by "${widest.status}"`);
if (widest.status === 'separated') {
  const { lower, upper } = widest.distance;
  console.log(`
Proved: the plane has every possible zero on one side and every possible one on the other. The hulls are between ${lower.toFixed(4)} and
${upper.toFixed(4)} apart, so every image may still move by ${widest.robustness.toFixed(4)}, in any direction, and a plane exists.

Its normal, as a picture: where ink speaks for a one (#, +) and where for a zero (o, .)
${picture(widest.normal)}`);
}

/** 28 × 28 numbers as text, with two characters per pixel. */
function picture(normal) {
  const max = Math.max(...normal.map(Math.abs));
  const sign = (x) => (x > 0.4 ? '##' : x > 0.1 ? '++' : x < -0.4 ? 'oo' : x < -0.1 ? '..' : '  ');
  const lines = Array.from({ length: 28 }, (_, r) => [...normal.slice(28 * r, 28 * (r + 1))].map((x) => sign(x / max)).join(''));
  return lines
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n');
}
