// Compiles native/kernels and native/wasm to prebuilds/wasm/fista-classify.wasm, by clang for wasm32-wasi and binaryen.
//   npm run build:wasm                    fails where a tool is missing, and says which packages have it
//   node scripts/build-wasm.js --if-able  says so and succeeds: npm install does without WebAssembly
'use strict';
const { spawn } = require('node:child_process');
const { mkdirSync, readFileSync, rmSync, statSync } = require('node:fs');
const { basename, dirname, join } = require('node:path');
const { fail, jobs, root, works } = require('./tools.js');

const PACKAGES = 'clang-19 lld-19 wasi-libc libc++-19-dev-wasm32 libc++abi-19-dev-wasm32 libclang-rt-19-dev-wasm32 binaryen';
const TARGET = '--target=wasm32-wasi';
const OUT = join(root, 'prebuilds', 'wasm', 'fista-classify.wasm');
const MAX_BYTES = 250_000;

/** A clang that compiles for wasm32-wasi, or undefined. */
function findCompiler() {
  return ['clang++-19', 'clang++'].find((name) => works(name, TARGET, '-fsyntax-only', '-x', 'c++', '-include', 'vector', '/dev/null'));
}

/** Runs a command, and prints what it says if it fails. */
function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit' });
    child.on('error', (error) => fail(error.message));
    child.on('exit', (code) => (code === 0 ? resolve() : fail(`${command} ended with ${code}: ${args.join(' ')}`)));
  });
}

async function main() {
  const compiler = findCompiler();
  const missing = compiler ? (works('wasm-opt', '--version') ? undefined : 'wasm-opt') : 'clang with wasm32-wasi';
  if (missing) {
    const message = `${missing} is missing: WebAssembly was not built. On Debian and Ubuntu: apt-get install ${PACKAGES}`;
    if (!process.argv.includes('--if-able')) fail(message);
    console.log(message);
    return;
  }
  const { variables } = JSON.parse(readFileSync(join(root, 'native', 'sources.gypi'), 'utf8'));
  const { kernel_sources, not_in_wasm, wasm_sources, wasm_flags, isa_source, wasm_isa_flags } = variables;
  const folder = join(root, 'build-wasm');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const includes = ['native/kernels', 'native', 'native/wasm'].map((path) => `-I${path}`);
  const work = [
    { source: isa_source, more: wasm_isa_flags },
    ...[...kernel_sources.filter((name) => !not_in_wasm.includes(name)), ...wasm_sources].map((source) => ({ source, more: [] })),
  ].map(({ source, more }) => ({ source, more, object: join(folder, `${basename(source, '.cc')}.o`) }));
  const rest = [...work];
  const compile = async () => {
    for (let next = rest.shift(); next; next = rest.shift()) {
      await run(compiler, [TARGET, ...wasm_flags, ...next.more, ...includes, '-c', next.source, '-o', next.object]);
    }
  };
  await Promise.all(Array.from({ length: Number(jobs) }, compile));
  const linked = join(folder, 'linked.wasm');
  // A reactor: its constructors run once, in _initialize.
  const linking = ['-mexec-model=reactor', '-Wl,--gc-sections', '-Wl,--strip-all', `-Wl,--max-memory=${2 ** 32}`];
  await run(compiler, [TARGET, ...linking, ...work.map(({ object }) => object), '-o', linked]);
  mkdirSync(dirname(OUT), { recursive: true });
  const features = ['simd', 'sign-ext', 'mutable-globals', 'bulk-memory', 'nontrapping-float-to-int'].map((name) => `--enable-${name}`);
  await run('wasm-opt', [...features, '-O2', linked, '-o', OUT]);
  const { size } = statSync(OUT);
  console.log(`prebuilds/wasm/fista-classify.wasm: ${(size / 1000).toFixed(0)} kB`);
  if (size > MAX_BYTES) fail(`more than ${MAX_BYTES / 1000} kB`);
}

main();
