// Packs the package, installs it without a compiler, and uses it as users do.
//   --no-prebuild      uses the existing prebuilds instead of building this machine's
//   --complete         requires a prebuild for every published platform
//   --qemu <arch>      runs the packed package under qemu-user instead (after npm run prebuildify -- --arch <arch>)
//   --out <folder>     copies the tested tarball there
'use strict';
const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const { tmpdir } = require('node:os');
const { basename, delimiter, dirname, join, resolve } = require('node:path');
const { parseArgs } = require('node:util');
const { examplesIn, matches, printedBy, runExample, runProgram } = require('./examples.js');
const { pack: packInto } = require('./pack.js');
const { root, npm, cross, works } = require('./tools.js');

const { values: args } = parseArgs({
  options: {
    'no-prebuild': { type: 'boolean' },
    complete: { type: 'boolean' },
    qemu: { type: 'string' },
    out: { type: 'string' },
  },
});

const PUBLISHED = [
  'darwin-arm64/fista-classify.node',
  'darwin-x64/fista-classify.node',
  'linux-arm64/fista-classify.glibc.node',
  'linux-arm64/fista-classify.musl.node',
  'linux-x64/fista-classify.glibc.node',
  'linux-x64/fista-classify.musl.node',
  'wasm/fista-classify.wasm',
  'win32-arm64/fista-classify.node',
  'win32-x64/fista-classify.node',
];
const SIZE_LIMIT = 6e6; // eight addons of up to 0.5 MB, WebAssembly twice

const windows = process.platform === 'win32';
const quietly = { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] };
const temporary = fs.mkdtempSync(join(tmpdir(), 'fista-classify-'));

function step(title, body) {
  const start = performance.now();
  console.log(`- ${title}`);
  const done = (result) => {
    console.log(`    ok, ${((performance.now() - start) / 1000).toFixed(1)} s`);
    return result;
  };
  const result = body();
  return result instanceof Promise ? result.then(done) : done(result);
}

/** A PATH with which npm scripts run but nothing can be compiled. */
function barePath() {
  if (windows) return [dirname(process.execPath), join(process.env.SystemRoot, 'System32')].join(delimiter);
  const folder = join(temporary, 'bin');
  fs.mkdirSync(folder);
  fs.symlinkSync(process.execPath, join(folder, 'node'));
  fs.symlinkSync('/bin/sh', join(folder, 'sh'));
  return folder;
}

/** This environment without variables that could change how the package is built or loaded. */
function environment(extra) {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(path|cc|cxx|prebuilds_only|npm_package_.*|npm_lifecycle_.*|fista_classify_.*)$/i.test(name),
  );
  return { ...Object.fromEntries(kept), ...extra };
}

/** The files below a folder, with forward slashes. */
function filesIn(folder) {
  return fs
    .readdirSync(folder, { recursive: true })
    .map(String)
    .filter((file) => fs.statSync(join(folder, file)).isFile())
    .map((file) => file.replaceAll('\\', '/'))
    .sort();
}

/** Packs the package as for publishing, and returns the tarball. */
const pack = () => packInto(join(temporary, 'packed'));

/** Creates a project that depends on the tarball alone; returns its folder and that of the installed package. */
function install(tarball, name, env, ...flags) {
  const consumer = join(temporary, name);
  fs.mkdirSync(consumer);
  fs.cpSync(join(root, 'scripts', 'consumer'), consumer, { recursive: true });
  const scripts = { 'find-compiler': 'node find-compiler.cjs' };
  fs.writeFileSync(join(consumer, 'package.json'), JSON.stringify({ name: 'consumer', private: true, scripts }));
  // By an npm script, which has the environment that an install script would have.
  npm(['run', '--silent', 'find-compiler'], { cwd: consumer, env });
  npm(['install', '--silent', '--no-audit', '--no-fund', ...flags, tarball], { cwd: consumer, env });
  const installed = join(consumer, 'node_modules', 'fista-classify');
  assert.ok(!fs.existsSync(join(installed, 'build')), 'Expected nothing to be compiled');
  return { consumer, installed };
}

/** Loads the installed package by require and by import, and checks the backend, and that it warns only if there is a load error. */
function use(consumer, name, { env = {}, simd = '', loadError = false, node = [process.execPath] } = {}) {
  const [command, ...before] = node;
  for (const words of [
    ['check.cjs', name, ...(simd ? [simd] : [])],
    ['check.mjs', name, ...(loadError ? ['loadError'] : [])],
  ]) {
    const options = { cwd: consumer, env: environment(env), encoding: 'utf8', stdio: ['ignore', 'inherit', 'pipe'] };
    const { status, signal, stderr } = spawnSync(command, [...before, ...words], options);
    assert.equal(signal ?? status, 0, stderr);
    if (loadError) assert.equal(stderr.match(/\[FISTA_CLASSIFY_NOT_NATIVE\] Warning: /g)?.length, 1, stderr);
    else assert.equal(stderr, '');
  }
}

/** Runs the command fista-classify of the installed package. */
function command(consumer, words, env) {
  const file = join(consumer, 'node_modules', '.bin', windows ? 'fista-classify.cmd' : 'fista-classify');
  return spawnSync(file, words, { cwd: consumer, env, encoding: 'utf8', shell: windows });
}

/** Runs a tool of node_modules; shows its output only if it fails, and returns it. */
function tool(path, ...rest) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'node_modules', path), ...rest], { encoding: 'utf8' });
  assert.equal(status, 0, `${basename(path)} found faults:\n${stdout}${stderr}`);
  return stdout;
}

function checkContents(tarball, installed) {
  const bytes = fs.statSync(tarball).size;
  const files = filesIn(installed);
  assert.ok(bytes < SIZE_LIMIT, `Expected less than ${SIZE_LIMIT} bytes for the tarball but it has ${bytes}`);
  for (const file of files) {
    assert.match(
      file,
      /^(bin\/|dist\/|docs\/|prebuilds\/|native\/|package\.json$|LICENSE$|(README|CHANGELOG|CONTRIBUTING|CODE_OF_CONDUCT|SECURITY)\.md$)/,
    );
    assert.doesNotMatch(
      file,
      /test|fixture|bench(?!marks\.md$)|\.(m?ts|svm|csv|map)$(?<!\.d\.m?ts)/i,
      `${file} should not be published`,
    );
  }
  for (const file of [
    'LICENSE',
    'bin/fista-classify.js',
    'dist/index.d.ts',
    'dist/index.d.mts',
    'dist/browser.mjs',
    'dist/browser.d.mts',
    'dist/backend/wasm/node-worker.js',
    'native/binding.gyp',
    'native/addon.cc',
  ])
    assert.ok(files.includes(file), `${file} is missing`);
  // Some package managers run install scripts, or node-gyp for a binding.gyp beside package.json; others warn of them, or fail.
  const { scripts } = JSON.parse(fs.readFileSync(join(installed, 'package.json'), 'utf8'));
  assert.equal(scripts, undefined);
  assert.ok(!files.includes('binding.gyp'));
  const prebuilds = files
    .filter((file) => /^prebuilds\/.*\.(node|wasm)$/.test(file))
    .map((file) => file.slice('prebuilds/'.length));
  for (const name of prebuilds) assert.ok(files.includes(`prebuilds/${name}.sha256`), `${name} has no checksum`);
  if (args.complete) assert.deepEqual(prebuilds, PUBLISHED);
  console.log(
    `    ${basename(tarball)}: ${(bytes / 1000).toFixed(0)} kB packed, ${files.length} files, prebuilds: ${prebuilds.join(', ')}`,
  );
}

/** Runs the examples of the pages in the package, with that package. */
async function runExamples(installed) {
  const pages = filesIn(installed).filter((file) => /^(README\.md|docs\/[\w-]+\.md)$/.test(file));
  let count = 0;
  for (const page of pages) {
    for (const { line, code } of examplesIn(fs.readFileSync(join(installed, page), 'utf8'))) {
      // The readers of Parquet and Arrow need packages that are optional; test/readme.test.ts has these.
      const foreign = [...code.matchAll(/from '([^'.][^']*)'/g)]
        .map((match) => match[1])
        .filter((name) => !/^(fista-classify|node:.*)$/.test(name));
      if (foreign.length > 0) {
        console.log(`    left out: ${page}:${line}, which needs ${foreign.join(', ')}`);
        continue;
      }
      const said = printedBy(code);
      const printed = await runExample(code, installed, { env: environment({}) });
      assert.ok(matches(printed, said), `${page}:${line} says that it prints\n${said.join('\n')}\nand prints\n${printed}`);
      count++;
    }
  }
  assert.ok(count > 20, `Expected more examples than ${count}`);
  console.log(`    ${count} examples of ${pages.join(', ')}`);
}

async function testHere() {
  if (!args['no-prebuild']) step('npm run prebuildify', () => npm(['run', '--silent', 'prebuildify'], quietly));
  const bare = environment({ PATH: barePath() });
  const tarball = step('npm pack', pack);

  const { consumer, installed } = step('npm install of the tarball, no compiler on PATH', () => install(tarball, 'consumer', bare));
  step('has all files that it should, and no others', () => checkContents(tarball, installed));
  step('loads the prebuild by require and import', () => use(consumer, 'native'));
  step('loads the TypeScript kernels on demand', () => use(consumer, 'js', { env: { FISTA_CLASSIFY_BACKEND: 'js' } }));
  step('installs the command fista-classify', () => {
    const { version } = JSON.parse(fs.readFileSync(join(root, 'package.json'), 'utf8'));
    assert.equal(command(consumer, ['--version'], bare).stdout, `${version}\n`);
  });
  await step('runs the examples of its pages as pasted, beside that package alone', () => runExamples(installed));
  await step('runs examples/spam and examples/churn in empty folders', async () => {
    for (const name of ['spam', 'churn']) {
      const printed = await runProgram(join(root, 'examples', name), `${name}.mjs`, installed);
      assert.match(printed, /accuracy .*\b[01]\.\d/);
    }
  });
  step('types compile in a strict ES module and a strict CommonJS one, with the types of the web and without', () => {
    tool('typescript/bin/tsc', '-p', consumer);
    tool('typescript/bin/tsc', '-p', consumer, '--lib', 'es2022');
    tool('typescript/bin/tsc', '-p', join(consumer, 'tsconfig.browser.json'));
  });
  step('publint and attw find no faults', () => {
    assert.match(tool('publint/src/cli.js', 'run', '--strict', tarball), /All good!/); // not even a suggestion
    tool(
      '@arethetypeswrong/cli/dist/index.js',
      '--no-definitely-typed',
      // TypeScript's old resolution, node10, knows no exports, and so no fista-classify/mpi.
      '--profile',
      'node16',
      '--exclude-entrypoints',
      'fista-classify.wasm',
      '--',
      tarball,
    );
  });
  if (process.platform === 'linux' && process.arch === 'x64' && works('qemu-x86_64', '--version')) {
    step('on a CPU without AVX2, which qemu emulates, the prebuild runs on the baseline', () => {
      const node = ['qemu-x86_64', '-cpu', 'Nehalem', process.execPath];
      use(consumer, 'native', { simd: 'baseline', node, env: { PATH: process.env.PATH } });
    });
  }

  const addons = fs.readdirSync(join(installed, 'prebuilds')).filter((name) => name !== 'wasm');
  if (fs.existsSync(join(installed, 'prebuilds', 'wasm'))) {
    step('loads WebAssembly on demand, and where there is no addon', () => {
      use(consumer, 'wasm', { env: { FISTA_CLASSIFY_BACKEND: 'wasm' } });
      for (const name of addons) fs.rmSync(join(installed, 'prebuilds', name), { recursive: true });
      use(consumer, 'wasm', { loadError: true });
    });
  } else {
    console.log('- left out: WebAssembly, which was not built (npm run build:wasm)');
  }
  step('without a prebuild the TypeScript kernels are used, with one warning that names the remedy', () => {
    fs.rmSync(join(installed, 'prebuilds'), { recursive: true });
    use(consumer, 'js', { loadError: true });
  });
  if (!args['no-prebuild']) {
    // The remedy, in a place with a space in its path.
    const spaced = join(temporary, 'a consumer');
    fs.renameSync(consumer, spaced);
    // On Windows node-gyp finds a compiler without PATH.
    if (!windows) {
      step('fista-classify build says without a compiler that there is none', () => {
        const { status, stderr } = command(spaced, ['build'], environment({ PATH: bare.PATH }));
        assert.equal(status, 1, stderr);
        assert.match(stderr, /\[ERR_BUILD\]\n$/);
        use(spaced, 'js', { loadError: true });
      });
    }
    step('fista-classify build compiles the addon, which is then loaded', () => {
      const { status, stderr } = command(spaced, ['build'], environment({ PATH: process.env.PATH }));
      assert.equal(status, 0, stderr);
      use(spaced, 'native');
    });
  }
  return tarball;
}

function testEmulated(arch) {
  const { node, triple, emulator, simd } = cross(arch);
  const bare = environment({ PATH: barePath() });
  const tarball = step('npm pack', pack);
  const { consumer } = step('npm install of the tarball', () => install(tarball, 'consumer', bare, '--ignore-scripts'));
  const path = { PATH: process.env.PATH };
  const emulated = [emulator, '-L', `/usr/${triple}`, node];
  step(`loads the ${arch} prebuild under ${emulator}`, () => use(consumer, 'native', { simd, node: emulated, env: path }));
  step('loads the TypeScript kernels on demand', () =>
    use(consumer, 'js', { node: emulated, env: { ...path, FISTA_CLASSIFY_BACKEND: 'js' } }),
  );
  return tarball;
}

async function main() {
  try {
    const tarball = args.qemu ? testEmulated(args.qemu) : await testHere();
    if (args.out) fs.cpSync(tarball, join(resolve(args.out), basename(tarball)));
    console.log(`The package passed${args.qemu ? ` on ${args.qemu}` : ''}.`);
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true });
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
