// Mutation testing by Stryker: changes one thing at a time in the modules below and expects one of their tests to fail. Prints what
// survived and a table, and fails where a module's score, or all together, is not above 85 %. Arguments choose modules:
// npm run test:mutation -- bisect input/files
'use strict';
const { spawnSync } = require('node:child_process');
const { readFileSync, renameSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const WANTED = 85;

/** The tests of each module, those first that fail soonest. */
const TESTS = {
  stopping: ['stopping'],
  bisect: ['bisect'],
  certificate: ['certificate'],
  'input/options': ['input', 'svm-errors', 'dataset'],
  'input/points': ['input', 'dataset', 'svm-errors'],
  'input/svm': ['input', 'svm-errors'],
  'input/ellipsoids': ['input', 'esp'],
  'input/files': ['input', 'csv', 'libsvm'],
  'input/validation': ['input', 'validation'],
};

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(TESTS);
const rows = chosen.map((name) => {
  const { status } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/@stryker-mutator/core/bin/stryker.js'), 'run', '--mutate', `lib/${name}.ts`],
    { cwd: root, stdio: 'inherit', env: { ...process.env, MUTATION_TESTS: TESTS[name].join(',') } },
  );
  if (status !== 0) process.exit(1);
  const report = join(root, 'coverage', `mutation-${name.replace('/', '-')}.json`);
  renameSync(join(root, 'coverage/mutation.json'), report);
  const { files } = JSON.parse(readFileSync(report, 'utf8'));
  const count = (...wanted) => files[`lib/${name}.ts`].mutants.filter((mutant) => wanted.includes(mutant.status)).length;
  return { name, found: count('Killed', 'Timeout'), missed: count('Survived', 'NoCoverage'), left: count('Ignored') };
});

const total = (name, list) =>
  list.reduce(
    (sum, { found, missed, left }) => ({ name, found: sum.found + found, missed: sum.missed + missed, left: sum.left + left }),
    {
      found: 0,
      missed: 0,
      left: 0,
    },
  );
const input = rows.filter(({ name }) => name.startsWith('input/'));
const groups = [
  ...rows.filter((row) => !input.includes(row)),
  ...(input.length > 0 ? [total('input', input)] : []),
  total('all', rows),
];
const score = ({ found, missed }) => (100 * found) / (found + missed);
console.table(
  [...rows, ...groups.filter((group) => !rows.includes(group))].map((row) => ({
    module: row.name,
    'score, %': score(row).toFixed(1),
    found: row.found,
    missed: row.missed,
    'left out': row.left,
  })),
);
const low = groups.filter((group) => !(score(group) > WANTED));
for (const { name } of low) console.error(`test-mutation: ${name} is not above ${WANTED} %`);
process.exit(low.length > 0 ? 1 : 0);
