// Runs a short program under Valgrind: no error may have a frame of the addon. Errors in node and V8 alone, which compiles code at run
// time, are counted and ignored. Needs valgrind and the built addon; takes minutes.
'use strict';
const { spawnSync } = require('node:child_process');
const { join } = require('node:path');
const { fail, works } = require('./tools.js');

const PROGRAM = `
const { LinearSvm, Dataset, crossValidate, readLibsvm, separateEllipsoids, stop } = require(${JSON.stringify(join(__dirname, '..'))});
(async () => {
  const { points, labels } = await readLibsvm(${JSON.stringify(join(__dirname, '..', 'test', 'fixtures', 'wdbc.libsvm.gz'))});
  for (const ascent of [true, false]) {
    const model = LinearSvm.fit(points, labels, { solver: { ascent }, stop: stop.gap(1e-4) });
    const again = await LinearSvm.fitAsync(points, labels, { solver: { ascent }, stop: stop.gap(1e-4), threads: 2 });
    if (model.bias !== again.bias) throw new Error('the same fit gave another model');
    model.predict(points);
    model.decision(Dataset.from(points));
  }
  await LinearSvm.fitAsync(points, labels, { signal: AbortSignal.abort('stop') }).catch(() => {});
  await crossValidate(points, labels, { gammas: [0.01, 0.1], folds: 2 });
  separateEllipsoids([{ center: [0, 0], shape: 0.5 }], [{ center: [3, 1], shape: [1, 0.5] }]);
  try {
    LinearSvm.fit([[1, NaN], [2, 3]], [0, 1]);
  } catch {}
  console.log('the program ran to its end');
})();
`;

if (!works('valgrind', '--version')) fail('missing valgrind; on Debian: apt-get install valgrind');
const { status, stdout, stderr } = spawnSync(
  'valgrind',
  [
    ...['--smc-check=all-non-file', '--num-callers=40', '--error-limit=no', '--leak-check=no', '--trace-children=no'],
    ...[process.execPath, '-e', PROGRAM],
  ],
  // Valgrind does not support AVX-512.
  { encoding: 'utf8', maxBuffer: 2 ** 30, env: { ...process.env, FISTA_CLASSIFY_BACKEND: 'native', FISTA_CLASSIFY_SIMD: 'avx2' } },
);
if (status !== 0 || !stdout.includes('ran to its end')) fail(`the program ended with ${status}:\n${stdout}${stderr.slice(-3000)}`);
const blocks = stderr.split(/^==\d+== *\n/m);
const errors = blocks.filter((block) => /^==\d+== +at 0x/m.test(block));
const ours = errors.filter((block) => /fista/.test(block));
console.log(`${stdout.trim()}; ${errors.length} errors by Valgrind, ${ours.length} with a frame of the addon`);
if (ours.length > 0) fail(ours.join('\n'));
