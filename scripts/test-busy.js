// Runs the vitest suite beside busy processes: node scripts/test-busy.js [runs, 5] [busy processes, 4]. A test that waits for a fixed
// time, and not for the event that it needs, fails here sooner or later. Prints the failures and the longest tests of each run. Needs
// the compiled package (npm run build). Fails if any test failed.
'use strict';
const { spawn } = require('node:child_process');
const { mkdtempSync, readFileSync, rmSync } = require('node:fs');
const { availableParallelism, tmpdir } = require('node:os');
const { join, relative } = require('node:path');
const { fail, root } = require('./tools.js');

const [runs, busy] = [5, 4].map((otherwise, k) => Number(process.argv[2 + k] ?? otherwise));
if (!(Number.isInteger(runs) && runs > 0 && Number.isInteger(busy) && busy >= 0)) fail('expected whole numbers');
const folder = mkdtempSync(join(tmpdir(), 'fista-busy-'));
const results = join(folder, 'results.json');

const others = Array.from({ length: busy }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
process.on('exit', () => {
  for (const child of others) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** Runs the suite once. Returns its time and its tests, the longest first. */
async function run() {
  const began = performance.now();
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=json', `--outputFile=${results}`];
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'ignore' });
  const code = await new Promise((done) => child.on('close', done));
  const { testResults } = JSON.parse(readFileSync(results, 'utf8'));
  const tests = testResults.flatMap(({ name, status, message, assertionResults }) => [
    ...(status === 'failed' && message ? [{ file: relative(root, name), title: message, failed: true, seconds: 0 }] : []),
    ...assertionResults.map(({ fullName, status, duration, failureMessages }) => ({
      file: relative(root, name),
      title: status === 'failed' ? `${fullName}\n${failureMessages.join('\n')}` : fullName,
      failed: status === 'failed',
      seconds: (duration ?? 0) / 1000,
    })),
  ]);
  return { code, tests: tests.sort((a, b) => b.seconds - a.seconds), seconds: (performance.now() - began) / 1000 };
}

(async () => {
  console.log(`${runs} runs on ${availableParallelism()} cores beside ${busy} busy processes`);
  for (let k = 1; k <= runs; k++) {
    const { code, tests, seconds } = await run();
    const failed = tests.filter((test) => test.failed);
    console.log(
      `\nrun ${k}: ${tests.length} tests in ${seconds.toFixed(0)} s, ${failed.length} failed, exit code ${code}; the longest:`,
    );
    for (const { file, title, seconds } of tests.slice(0, 3))
      console.log(`  ${seconds.toFixed(1)} s  ${file}  ${title.split('\n')[0]}`);
    for (const { file, title } of failed) console.log(`FAILED ${file}  ${title}`);
    if (code !== 0) process.exitCode = 1;
  }
  process.exit(); // ends the busy processes too
})();
