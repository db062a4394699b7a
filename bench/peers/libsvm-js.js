// node libsvm-js.js <problem> <weights>: libsvm-js (LIBSVM as WebAssembly), linear kernel, as often as asked. The file and the
// conversation are those of driver.h; a line in: C. Times train alone, from the rows of numbers that it takes.
'use strict';
const { writeFileSync } = require('node:fs');
const { createInterface } = require('node:readline');
const { readProblem } = require('./process.js');

async function main() {
  const [, , file, out] = process.argv;
  delete globalThis.fetch; // it would try to fetch its own file by a path, and complain
  const SVM = await require('libsvm-js');
  const { rows, cols, labels, row } = readProblem(file);
  const points = Array.from({ length: rows }, (_, i) => Array.from(row(i)));
  console.log(JSON.stringify({ version: require('libsvm-js/package.json').version }));
  for await (const line of createInterface({ input: process.stdin })) {
    const svm = new SVM({
      type: SVM.SVM_TYPES.C_SVC,
      kernel: SVM.KERNEL_TYPES.LINEAR,
      cost: Number(line),
      cacheSize: 100,
      quiet: true,
    });
    const from = performance.now();
    svm.train(points, Array.from(labels));
    const seconds = (performance.now() - from) / 1000;
    writeFileSync(out, new Uint8Array(linear(svm.serializeModel(), cols).buffer));
    svm.free();
    console.log(JSON.stringify({ seconds }));
  }
}

/** The weights and the bias of the text of a model of two classes with a linear kernel. */
function linear(text, cols) {
  const w = new Float64Array(cols + 1);
  const [head, vectors] = text.split(/^SV$/m);
  const field = (name) => new RegExp(`^${name} (.*)$`, 'm').exec(head)[1].split(' ').map(Number);
  const [first, second] = field('label');
  const sign = first > second ? 1 : -1;
  for (const line of vectors.trim().split('\n')) {
    const [coefficient, ...entries] = line.trim().split(' ');
    for (const entry of entries) {
      const [index, value] = entry.split(':').map(Number);
      w[index - 1] += sign * Number(coefficient) * value;
    }
  }
  w[cols] = -sign * field('rho')[0];
  return w;
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
