// npm start: what computes here, and does it compute right? Every kernel in use runs beside its TypeScript twin on the breast
// cancer data in test/fixtures; ends with an error if two differ by more than rounding explains.
'use strict';
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { gunzipSync } = require('node:zlib');
const { backend, Dataset } = require('..');
const { kernels } = require('../dist/backend.js');
const { selfCheck } = require('../dist/selfcheck.js');

/** LIBSVM text, "label index:value ...", as dense rows. */
function read(file, cols) {
  const lines = gunzipSync(readFileSync(file)).toString().trim().split('\n');
  const data = new Float64Array(lines.length * cols);
  const labels = Int8Array.from(lines, (line, i) => {
    const [label, ...entries] = line.split(' ');
    for (const entry of entries) {
      const [index, value] = entry.split(':');
      data[i * cols + Number(index) - 1] = Number(value);
    }
    return Number(label);
  });
  return { points: { data, rows: lines.length, cols }, labels };
}

console.log(`backend  ${backend.name}\nSIMD     ${backend.simd}\nthreads  ${backend.threads}`);
if (backend.loadError) console.log(`\n${backend.loadError.message}`);
else if (backend.name === 'js')
  console.log('\nThe TypeScript kernels were asked for (FISTA_CLASSIFY_BACKEND=js): below they are checked against themselves.');

const { points, labels } = read(join(__dirname, '..', 'test', 'fixtures', 'wdbc.libsvm.gz'), 30);
const dataset = Dataset.from(points);
console.log(`data     breast cancer (wdbc): ${dataset.rows} rows, ${dataset.cols} columns, ${dataset.bytes} bytes\n`);

const micro = (time) => time.toFixed(1).padStart(9);
console.log(`${''.padEnd(32)}${backend.name.padStart(7)} µs   TypeScript µs    faster   difference   allowed`);
const checks = selfCheck(points, labels, kernels(), backend.threads);
for (const { kernel, time, difference, bound, agrees } of checks) {
  const faster = `${(time.twin / time.backend).toFixed(1)}x`;
  const numbers = `${difference.toExponential(1).padStart(13)} ${bound.toExponential(1).padStart(9)}`;
  console.log(
    `${kernel.padEnd(32)} ${micro(time.backend)} ${micro(time.twin).padStart(15)} ${faster.padStart(9)}${numbers}${agrees ? '' : '  DIFFERS'}`,
  );
}

const wrong = checks.filter(({ agrees }) => !agrees).length;
console.log(
  wrong === 0
    ? `\nAll ${checks.length} checks agree to rounding.`
    : `\n${wrong} of ${checks.length} checks differ by more than rounding explains.`,
);
process.exitCode = wrong === 0 ? 0 : 1;
