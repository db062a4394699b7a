// Fuzzes the kernels with libFuzzer (test/fuzz/*.cc), and the readers of text with test/fuzz/documents.js.
//
//   node scripts/fuzz.js [seconds per target, 8]      short: in CI
//   node scripts/fuzz.js --executions 100e6           long: this many in total, shared among the targets, in rounds
//     --only cones,csr                                only these targets
//     --seed 5                                        the seed of the first round (default 1); each round adds 1
//     --required                                      fail if a tool is missing
//
// Needs the compiled package and, for the kernels, cmake and clang with libFuzzer; without these the kernels are left out, with a
// message. Findings are in build-fuzz; the message tells how to reproduce them.
'use strict';
const { execFile, spawnSync } = require('node:child_process');
const { existsSync, mkdirSync } = require('node:fs');
const { join } = require('node:path');
const { parseArgs } = require('node:util');
const { fail, jobs, root, run, works } = require('./tools.js');

// The share of a long run's executions by target: about as many as it makes in its share of the time.
const KERNELS = { cones: 0.38, csr: 0.33, knapsack: 0.03, parse: 0.19 };
const DOCUMENTS = { json: 0.034, liblinear: 0.033, csv: 0.003, fds: 0.003 };

/** The number of executions of a target in a round. */
const ROUND = 2e6;

/**
 * Every 16th round has long inputs, guided by how often code is reached; the others have short ones, guided by what is reached, and are
 * twice as fast.
 */
const LONG = ['-max_len=600'];
const SHORT = ['-max_len=100', '-entropic=0', '-reduce_inputs=0', '-use_counters=0'];

/** The limit on one execution, in seconds, on a machine that may be busy. */
const HANG = 60;

const build = join(root, 'build-fuzz');

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    executions: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    required: { type: 'boolean', default: false },
  },
});
const seconds = Number(positionals[0] ?? 8);
const executions = options.executions === undefined ? undefined : Number(options.executions);
if (!(Number.isInteger(seconds) && seconds > 0)) fail('expected a whole number of seconds');
if (executions !== undefined && !(Number.isInteger(executions) && executions > 0)) fail('expected a whole number of executions');
const chosen = options.only?.split(',') ?? [...Object.keys(KERNELS), ...Object.keys(DOCUMENTS)];
const unknown = chosen.find((name) => !(name in KERNELS || name in DOCUMENTS));
if (unknown !== undefined) fail(`expected ${Object.keys({ ...KERNELS, ...DOCUMENTS }).join(', ')} but received ${unknown}`);

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill()));

/** Runs a fuzzer and returns its output, which is printed only if it fails. */
function runQuietly(command, args) {
  // Faster settings: short stacks for allocations, and a small quarantine of freed blocks.
  const env = { ASAN_OPTIONS: 'malloc_context_size=1:quarantine_size_mb=8', ...process.env };
  return new Promise((done) => {
    const child = execFile(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28, env }, (error, stdout, stderr) => {
      running.delete(child);
      if (!error) return done(stdout + stderr);
      console.error(stdout + stderr);
      return fail(`"${command} ${args.join(' ')}" ended with ${error.signal ?? error.code}`);
    });
    running.add(child);
  });
}

/** Builds the fuzzers of the kernels. Returns the reason if that is not possible here. */
function buildKernels() {
  // Finds a clang that can link libFuzzer, which some systems package separately.
  const empty = 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }';
  const links = (name) =>
    spawnSync(name, ['-fsanitize=fuzzer,address,undefined', '-x', 'c++', '-', '-o', '/dev/null'], { input: empty }).status === 0;
  const clang = ['clang++', ...Array.from({ length: 20 }, (_, k) => `clang++-${30 - k}`)].find(links);
  if (!clang) return 'no clang++ with libFuzzer was found (on Debian 12: apt-get install clang-14 libclang-rt-14-dev)';
  if (!works('cmake', '--version')) return 'no cmake was found';
  run('cmake', [
    ...['-S', '.', '-B', 'build-fuzz', '-Wno-dev', `-DCMAKE_CXX_COMPILER=${clang}`, '-DCMAKE_BUILD_TYPE=None'],
    ...['-DFISTA_FUZZ=ON', '-DFISTA_SANITIZE=address;undefined'],
  ]);
  run('cmake', ['--build', 'build-fuzz', '--parallel', jobs]);
  return undefined;
}

/** Runs a target for `max` executions or, without `max`, for a time. Returns the number of executions. */
async function fuzz(name, round, max) {
  let printed;
  if (name in DOCUMENTS) {
    const end = max === undefined ? `--seconds=${seconds}` : `--executions=${max}`;
    printed = await runQuietly(process.execPath, ['test/fuzz/documents.js', name, `--seed=${round}`, end, `--hang=${HANG}`]);
  } else {
    // New inputs are written to the first folder; the others are only read.
    const corpus = join(build, `corpus-${name}`);
    mkdirSync(corpus, { recursive: true });
    const kept = ['seeds', 'found'].map((kind) => join(root, 'test', 'fuzz', `${kind}-${name}`)).filter(existsSync);
    printed = await runQuietly(join(build, `fuzz_${name}`), [
      ...[corpus, ...kept],
      ...[`-seed=${round}`, max === undefined ? `-max_total_time=${seconds}` : `-runs=${max}`],
      ...(round % 16 === 1 ? LONG : SHORT),
      ...[`-timeout=${HANG}`, '-print_final_stats=1', '-verbosity=0', `-artifact_prefix=${build}/${name}-`],
    ]);
  }
  return Number(/^stat::number_of_executed_units: (\d+)$/m.exec(printed)[1]);
}

let targets = chosen;
if (chosen.some((name) => name in KERNELS)) {
  const reason = buildKernels();
  if (reason !== undefined) {
    console.log(`fuzz: the kernels are left out: ${reason}`);
    if (options.required) process.exit(1);
    targets = chosen.filter((name) => name in DOCUMENTS);
  }
}

const shares = { ...KERNELS, ...DOCUMENTS };
const whole = targets.reduce((sum, name) => sum + shares[name], 0);
const made = new Map(targets.map((name) => [name, 0]));

/** Runs a round of a target. Returns whether more are needed. */
async function turn(name, round) {
  const wanted = executions === undefined ? undefined : Math.ceil((executions * shares[name]) / whole) - made.get(name);
  const began = Date.now();
  const count = await fuzz(name, round, wanted && Math.min(wanted, ROUND));
  made.set(name, made.get(name) + count);
  const time = (Date.now() - began) / 1000;
  console.log(`fuzz: ${name}, ${count} executions in ${time.toFixed(0)} s; ${made.get(name)} so far`);
  return wanted !== undefined && wanted > count;
}

/** Runs all targets, round by round, in as many processes as there are cores. */
async function fuzzAll() {
  for (let round = Number(options.seed), left = targets; left.length > 0; round++) {
    const waiting = [...left];
    const more = new Set();
    const one = async () => {
      for (let name; (name = waiting.shift()) !== undefined;) if (await turn(name, round)) more.add(name);
    };
    await Promise.all(Array.from({ length: Number(jobs) }, one));
    left = left.filter((name) => more.has(name));
  }
  const total = [...made.values()].reduce((sum, count) => sum + count, 0);
  console.log(`fuzz: ${total} executions, nothing found: ${[...made].map(([name, count]) => `${name} ${count}`).join(', ')}`);
}

fuzzAll().catch((error) => fail(error.stack));
