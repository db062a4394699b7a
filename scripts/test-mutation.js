// Mutation testing by Stryker: changes one thing at a time in the modules below, and expects one of their tests to fail. Prints the
// mutants that survived and a table. Fails unless the score of each module, of lib/input and of all together is above 85 %. Arguments
// choose modules: npm run test:mutation -- solver/bisection input/file-options
'use strict';
const { readFileSync, renameSync } = require('node:fs');
const { join } = require('node:path');
const { fail, root, run } = require('./tools.js');

const WANTED = 85;

/** The tests of each module. Those that fail soonest come first. */
const TESTS = {
  'svm/stopping': ['svm/stopping'],
  'solver/bisection': ['solver/bisection'],
  'svm/certificate': ['svm/certificate'],
  'svm/taking-part': ['svm/taking-part', 'input/input', 'selection/cross-validation'],
  'input/capacity': ['input/capacity'],
  'input/covariance': ['input/input', 'ellipsoids/separate'],
  'input/resolve-cross-validation': ['input/input', 'selection/cross-validation'],
  'input/resolve-dataset': ['input/input', 'data/dataset'],
  'input/resolve-decisions': ['input/input', 'input/resolve-decisions', 'svm/errors'],
  'input/ellipsoid-families': ['input/input', 'input/keys', 'ellipsoids/separate', 'input/intrinsics'],
  'input/file-errors': ['input/input', 'input/file-errors', 'io/csv', 'io/libsvm'],
  'input/file-options': ['input/input', 'input/file-options', 'io/csv', 'io/libsvm'],
  'input/resolve-fit': ['input/input', 'input/resolve-fit', 'svm/errors'],
  'input/fold-options': ['input/input', 'input/fold-options', 'selection/cross-validation'],
  'input/labels': ['input/input', 'input/labels', 'svm/errors'],
  'input/lists': ['input/input', 'input/lists', 'svm/errors'],
  'input/options': ['input/input', 'input/options', 'svm/errors', 'data/dataset'],
  'input/point-source': ['input/input', 'data/dataset'],
  'input/points': ['input/input', 'input/points', 'data/dataset', 'svm/errors'],
  'input/resolve-separation': ['input/input', 'ellipsoids/separate'],
  'input/solver-options': ['input/input', 'input/solver-options', 'svm/errors'],
  'input/resolve-split': ['input/input', 'selection/cross-validation'],
  'input/weights': ['input/input', 'input/weights', 'svm/errors'],
};

/** Counts the mutants of a module that the tests found and missed. */
function mutate(name) {
  const stryker = join(root, 'node_modules/@stryker-mutator/core/bin/stryker.js');
  run(process.execPath, [stryker, 'run', '--mutate', `lib/${name}.ts`], { MUTATION_TESTS: TESTS[name].join(',') });
  const report = join(root, 'coverage', `mutation-${name.replace('/', '-')}.json`);
  renameSync(join(root, 'coverage/mutation.json'), report);
  const { mutants } = JSON.parse(readFileSync(report, 'utf8')).files[`lib/${name}.ts`];
  const count = (...wanted) => mutants.filter(({ status }) => wanted.includes(status)).length;
  return { name, found: count('Killed', 'Timeout'), missed: count('Survived', 'NoCoverage') };
}

function total(name, rows) {
  const sum = (what) => rows.reduce((count, row) => count + row[what], 0);
  return { name, found: sum('found'), missed: sum('missed') };
}

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(TESTS);
const unknown = chosen.find((name) => !(name in TESTS));
if (unknown) fail(`expected one of ${Object.keys(TESTS).join(', ')} but received ${unknown}`);
const rows = chosen.map(mutate);
const input = rows.filter(({ name }) => name.startsWith('input/'));
rows.push(...(input.length > 0 ? [total('input', input)] : []), total('all', rows));
const score = ({ found, missed }) => (100 * found) / (found + missed);
console.table(rows.map((row) => ({ module: row.name, found: row.found, missed: row.missed, 'score, %': score(row).toFixed(1) })));
const low = rows.filter((row) => score(row) <= WANTED).map(({ name }) => name);
if (low.length > 0) fail(`not above ${WANTED} %: ${low.join(', ')}`);
