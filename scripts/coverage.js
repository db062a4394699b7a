// Measures test coverage: lines and branches of lib, lines of native/kernels. Prints a table of files, and fails if one of the three is
// below 95 %. Needs cmake, clang++ and LLVM's tools (Debian: clang-14, llvm-14). Arguments are passed to vitest.
'use strict';
const { execFileSync } = require('node:child_process');
const { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync } = require('node:fs');
const { join, relative } = require('node:path');
const { fail, jobs, root, run, works } = require('./tools.js');

const out = join(root, 'coverage');
const WANTED = 95;

/** Tests that assert resident memory, which the instrumentation multiplies. */
const LEFT_OUT = ['test/backend/memory.test.ts', 'test/backend/memory-group.test.ts'];

const node = (script, args, environment) => run(process.execPath, [join(root, 'node_modules', script), ...args], environment);
const read = (path) => JSON.parse(readFileSync(join(out, path), 'utf8'));

/**
 * Counts lines and branches of lib, by file. Tests import lib itself, and start processes that run the compiled package: the command
 * line, and choices made when the package is loaded. The overlap of a file's two counts is not known, so the larger one is used.
 */
function coverLib(vitestArguments) {
  const raw = join(out, 'processes');
  rmSync(raw, { recursive: true, force: true });
  mkdirSync(raw, { recursive: true });
  chmodSync(raw, 0o777); // a test starts processes as another user
  node('typescript/bin/tsc', ['-p', 'tsconfig.json', '--sourceMap']);
  process.on('exit', removeMaps);
  const flags = ['--coverage.enabled', '--coverage.include=lib/**', '--coverage.reporter=json-summary'];
  const folder = `--coverage.reportsDirectory=${join(out, 'lib')}`;
  const exclude = LEFT_OUT.map((name) => `--exclude=${name}`);
  const vitest = ['run', ...flags, folder, ...exclude, '--testTimeout=300000', ...vitestArguments];
  node('vitest/vitest.mjs', vitest, { COVERAGE_OF_PROCESSES: raw });
  const merge = ['--temp-directory', raw, '--reports-dir', join(out, 'dist'), '--reporter', 'json-summary'];
  node('c8/bin/c8.js', ['report', ...merge, '--exclude-after-remap', '--include', 'lib/**']);
  const files = new Map();
  for (const summary of [read('lib/coverage-summary.json'), read('dist/coverage-summary.json')]) {
    for (const [path, counts] of Object.entries(summary)) {
      if (path === 'total') continue;
      const name = relative(root, path);
      const best = files.get(name) ?? {};
      for (const what of ['lines', 'branches']) {
        const { covered, total } = counts[what];
        if (!best[what] || share(best[what]) < share({ covered, total })) best[what] = { covered, total };
      }
      files.set(name, best);
    }
  }
  return files;
}

/** Restores dist as npm run build leaves it, without source maps and references to them. */
function removeMaps() {
  const dist = join(root, 'dist');
  for (const name of readdirSync(dist, { recursive: true })) if (name.endsWith('.map')) rmSync(join(dist, name));
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tsconfig.json')]);
}

/** Counts lines of native/kernels that test/native runs, by file. */
function coverKernels() {
  const folder = 'build-coverage';
  const tool = (name) => [`${name}-14`, name].find((command) => works(command, '--version')) ?? name;
  const flags = '-fprofile-instr-generate -fcoverage-mapping';
  run('cmake', ['-S', '.', '-B', folder, `-DCMAKE_CXX_COMPILER=${tool('clang++')}`, `-DCMAKE_CXX_FLAGS=${flags}`, '-Wno-dev']);
  run('cmake', ['--build', folder, '--parallel', jobs]);
  const profiles = join(out, 'kernels');
  rmSync(profiles, { recursive: true, force: true });
  run('ctest', ['--test-dir', folder, '--output-on-failure', '--no-tests=error'], {
    LLVM_PROFILE_FILE: join(profiles, '%p.profraw'),
  });
  const merged = join(profiles, 'all.profdata');
  const parts = readdirSync(profiles).map((name) => join(profiles, name));
  run(tool('llvm-profdata'), ['merge', '-sparse', ...parts, '-o', merged]);
  const programs = readdirSync(join(root, folder)).filter((name) => /^test_[a-z]+$/.test(name));
  const [first, ...others] = programs.map((name) => join(root, folder, name));
  const objects = [first, ...others.flatMap((path) => ['-object', path])];
  const asked = ['export', ...objects, '-summary-only', '-instr-profile', merged, join(root, 'native/kernels')];
  const { data } = JSON.parse(execFileSync(tool('llvm-cov'), asked, { encoding: 'utf8', maxBuffer: 2 ** 28 }));
  return new Map(
    data[0].files.map(({ filename, summary: { lines } }) => [
      relative(root, filename),
      { lines: { covered: lines.covered, total: lines.count } },
    ]),
  );
}

const share = ({ covered, total }) => (total === 0 ? 100 : (100 * covered) / total);

const failed = [];

function print(title, files, kinds) {
  const rows = [...files].filter(([, counts]) => counts.lines.total > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  const all = {};
  for (const kind of kinds) {
    const add = (side) => rows.reduce((sum, [, counts]) => sum + counts[kind][side], 0);
    all[kind] = { covered: add('covered'), total: add('total') };
    if (!(share(all[kind]) >= WANTED)) failed.push(`${kind} of ${title}`);
  }
  const table = [...rows, [`all of ${title}`, all]].map(([name, counts]) => [
    name,
    Object.fromEntries(kinds.map((kind) => [`${kind}, %`, share(counts[kind]).toFixed(1)])),
  ]);
  console.table(Object.fromEntries(table));
}

const lib = coverLib(process.argv.slice(2));
const kernels = coverKernels();
print('lib', lib, ['lines', 'branches']);
print('native/kernels', kernels, ['lines']);
if (failed.length > 0) fail(`below ${WANTED} %: ${failed.join(', ')}`);
