// How much of the code the tests run: lines and branches of lib, lines of native/kernels. Prints a table of files and fails where one of
// the three is below 95 %. Needs cmake, clang++ and LLVM's tools (Debian: clang-14, llvm-14); arguments go on to vitest.
'use strict';
const { spawnSync } = require('node:child_process');
const { mkdirSync, readFileSync, rmSync, readdirSync } = require('node:fs');
const { availableParallelism } = require('node:os');
const { join, relative } = require('node:path');

const root = join(__dirname, '..');
const out = join(root, 'coverage');
const WANTED = 95;

/** Asserts resident memory, which counting multiplies. */
const LEFT_OUT = ['test/memory.test.ts'];

function run(command, args, options = {}) {
  const { status, signal, error, stdout } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    ...options,
    env: { ...process.env, ...options.env },
  });
  if (status === 0) return stdout;
  throw new Error(`"${command} ${args.join(' ')}" ended with ${error?.message ?? signal ?? status}`);
}

const node = (script, args, options) => run(process.execPath, [join(root, 'node_modules', script), ...args], options);
const read = (path) => JSON.parse(readFileSync(join(out, path), 'utf8'));

/**
 * By file, lines and branches of lib. Tests import lib itself, and start processes that run what it was compiled to: the command line,
 * and what is decided when the package is loaded. What a file's two counts have in common is not known, so the larger one stands.
 */
function coverLib(vitestArguments) {
  const raw = join(out, 'processes');
  mkdirSync(raw, { recursive: true });
  try {
    node('typescript/bin/tsc', ['-p', 'tsconfig.json', '--sourceMap']);
    const flags = ['--coverage.enabled', '--coverage.include=lib/**', '--coverage.reporter=json-summary'];
    const folder = `--coverage.reportsDirectory=${join(out, 'lib')}`;
    const exclude = LEFT_OUT.map((name) => `--exclude=${name}`);
    const env = { COVERAGE_OF_PROCESSES: raw };
    node('vitest/vitest.mjs', ['run', ...flags, folder, ...exclude, '--testTimeout=300000', ...vitestArguments], { env });
    const merge = ['--temp-directory', raw, '--reports-dir', join(out, 'dist'), '--reporter', 'json-summary'];
    node('c8/bin/c8.js', ['report', ...merge, '--exclude-after-remap', '--include', 'lib/**']);
  } finally {
    for (const name of readdirSync(join(root, 'dist'), { recursive: true })) {
      if (name.endsWith('.map')) rmSync(join(root, 'dist', name));
    }
    node('typescript/bin/tsc', ['-p', 'tsconfig.json']); // without mentions of the maps
  }
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

/** By file, lines of native/kernels that test/native runs. */
function coverKernels() {
  const folder = 'build-coverage';
  const tool = (name) => [`${name}-14`, name].find((command) => spawnSync(command, ['--version']).status === 0) ?? name;
  const flags = '-fprofile-instr-generate -fcoverage-mapping';
  run('cmake', ['-S', '.', '-B', folder, `-DCMAKE_CXX_COMPILER=${tool('clang++')}`, `-DCMAKE_CXX_FLAGS=${flags}`, '-Wno-dev']);
  run('cmake', ['--build', folder, '--parallel', String(Math.min(availableParallelism(), 8))]);
  const profiles = join(out, 'kernels');
  rmSync(profiles, { recursive: true, force: true });
  run('ctest', ['--test-dir', folder, '--output-on-failure', '--no-tests=error'], {
    env: { LLVM_PROFILE_FILE: join(profiles, '%p.profraw') },
  });
  const merged = join(profiles, 'all.profdata');
  const parts = readdirSync(profiles).map((name) => join(profiles, name));
  run(tool('llvm-profdata'), ['merge', '-sparse', ...parts, '-o', merged]);
  const programs = readdirSync(join(root, folder)).filter((name) => /^test_[a-z]+$/.test(name));
  const [first, ...others] = programs.map((name) => join(root, folder, name));
  const objects = [first, ...others.flatMap((path) => ['-object', path])];
  const asked = ['export', ...objects, '-summary-only', '-instr-profile', merged, join(root, 'native/kernels')];
  const { data } = JSON.parse(run(tool('llvm-cov'), asked, { stdio: ['ignore', 'pipe', 'inherit'] }));
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

rmSync(join(out, 'processes'), { recursive: true, force: true });
const lib = coverLib(process.argv.slice(2));
const kernels = coverKernels();
print('lib', lib, ['lines', 'branches']);
print('native/kernels', kernels, ['lines']);
for (const what of failed) console.error(`coverage: below ${WANTED} %: ${what}`);
process.exit(failed.length > 0 ? 1 : 0);
