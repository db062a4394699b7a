// Fuzzes the kernels: node scripts/fuzz.js [seconds a target, 10] [--required]. Needs cmake and clang with libFuzzer; without clang
// it says so and, unless --required is given, that is no failure.
'use strict';
const { spawnSync } = require('node:child_process');
const { existsSync, mkdirSync, readdirSync } = require('node:fs');
const { join } = require('node:path');
const { fail, jobs, root, run, works } = require('./tools.js');

const build = join(root, 'build-fuzz');
const required = process.argv.includes('--required');
const seconds = Number(process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? 10);
if (!(Number.isInteger(seconds) && seconds > 0)) fail('expected a whole number of seconds');

function leaveOut(reason) {
  console.log(`fuzz: left out, ${reason}`);
  process.exit(required ? 1 : 0);
}

// A clang that can also link libFuzzer, which some systems package apart.
const empty = 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }';
const links = (name) =>
  spawnSync(name, ['-fsanitize=fuzzer,address,undefined', '-x', 'c++', '-', '-o', '/dev/null'], { input: empty }).status === 0;
const clang = ['clang++', ...Array.from({ length: 20 }, (_, k) => `clang++-${30 - k}`)].find(links);
if (!clang) leaveOut('no clang++ with libFuzzer was found (on Debian 12: apt-get install clang-14 libclang-rt-14-dev)');
if (!works('cmake', '--version')) leaveOut('no cmake was found');

run('cmake', [
  ...['-S', '.', '-B', 'build-fuzz', '-Wno-dev', `-DCMAKE_CXX_COMPILER=${clang}`, '-DCMAKE_BUILD_TYPE=None'],
  ...['-DFISTA_FUZZ=ON', '-DFISTA_SANITIZE=address;undefined'],
]);
run('cmake', ['--build', 'build-fuzz', '--parallel', jobs]);

for (const target of readdirSync(join(root, 'test', 'fuzz')).filter((file) => file.endsWith('.cc'))) {
  const name = target.replace('.cc', '');
  // What is found goes to the first folder; the seeds are only read.
  const corpus = join(build, `corpus-${name}`);
  const seeds = join(root, 'test', 'fuzz', `seeds-${name}`);
  mkdirSync(corpus, { recursive: true });
  console.log(`fuzz: ${name}, ${seconds} s`);
  run(join(build, `fuzz_${name}`), [
    ...[corpus, ...(existsSync(seeds) ? [seeds] : [])],
    ...['-seed=1', `-max_total_time=${seconds}`, '-max_len=600', '-timeout=20', '-print_final_stats=1', '-verbosity=0'],
    `-artifact_prefix=${build}/${name}-`,
  ]);
}
