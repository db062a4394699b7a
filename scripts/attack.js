// Runs the soundness tests for long: draws new instances, and checks every certificate (method C2 to C11) against the exact optimum. The
// first instances with a false certificate are printed with the parameters that reproduce them. Needs a built addon (npm run
// build:native), or FISTA_CLASSIFY_BACKEND=js or wasm: all instances then run on that backend; else every third one
// runs on the TypeScript kernels and, where it was built, every third one in WebAssembly.
//
//   node scripts/attack.js [--uncentred | --classes] [--files] [--instances 20000 | --minutes 15] [--seed 1]
//
// --uncentred: only f32 and sparse data, with columns up to 1e9 away from 0, where rounding errors are largest.
// --files: points stay in a file, and are read from there in small windows; on the native backend alone.
// --classes: two to six classes, and the labels of rows and of new points (method C11).
'use strict';
const { execFileSync } = require('node:child_process');
const { cpSync, existsSync, readdirSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { parseArgs } = require('node:util');

const { values: options } = parseArgs({
  options: {
    uncentred: { type: 'boolean', default: false },
    classes: { type: 'boolean', default: false },
    files: { type: 'boolean', default: false },
    instances: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string' },
  },
});
const max = Number(options.instances ?? Infinity);
const minutes = Number(options.minutes ?? (max === Infinity ? 15 : Infinity));
const seed = Number(options.seed ?? Date.now() % 1e9);

const root = join(__dirname, '..');
const built = join(root, 'build-attack');
const tsc = require.resolve('typescript/bin/tsc');
const compile = [tsc, '-p', join(root, 'test/tsconfig.json'), '--noEmit', 'false', '--outDir', built];
execFileSync(process.execPath, compile, { stdio: 'inherit' });
const wasm = 'prebuilds/wasm/fista-classify.wasm';
if (existsSync(join(root, wasm))) cpSync(join(root, wasm), join(built, wasm));
const only = ['js', 'wasm'].find((name) => name === process.env.FISTA_CLASSIFY_BACKEND);
const backends = only ? [only] : ['js', 'native', existsSync(join(root, wasm)) ? 'wasm' : 'native'];
if (!only) {
  const release = join(root, 'build/Release');
  process.env.FISTA_CLASSIFY_BINARY ??= join(
    release,
    readdirSync(release).find((name) => name.endsWith('.node')),
  );
}

const fc = require('fast-check');
const { examine } = require(join(built, 'test/support/examine.js'));
const { examineClasses } = require(join(built, 'test/support/examine-classes.js'));
const { build, instances, uncentred } = require(join(built, 'test/support/instances.js'));
const { buildClasses, classInstances } = require(join(built, 'test/support/class-instances.js'));

const drawn = options.classes ? classInstances : options.uncentred ? uncentred : instances;
const attack = options.classes
  ? (p, backend) => examineClasses(buildClasses(p), backend)
  : (p, backend) => examine(build(p), backend, undefined, options.files ? file : undefined);
const file = join(tmpdir(), `attack-${process.pid}.fds`);
const total = { instances: 0, violations: 0 };
const statuses = {};
const end = Date.now() + minutes * 60_000;
const done = () => total.instances >= max || Date.now() >= end;
for (let round = 0; !done(); round++) {
  for (const parameters of fc.sample(drawn, { numRuns: 200, seed: seed + round })) {
    if (done()) break;
    const backend = options.files ? 'native' : backends[total.instances % backends.length];
    total.instances++;
    try {
      const { status, ...counts } = attack(parameters, backend);
      for (const name in counts) total[name] = (total[name] ?? 0) + Number(counts[name]);
      statuses[status] = (statuses[status] ?? 0) + 1;
    } catch (error) {
      total.violations++;
      if (total.violations <= 20) console.log(`${backend}: ${error.message}\n  ${JSON.stringify(parameters)}`);
    }
  }
  if (round % 20 === 19) console.log(JSON.stringify(total));
}
console.log(`seed ${seed}: ${JSON.stringify(total)}, ended by ${JSON.stringify(statuses)}`);
rmSync(file, { force: true });
process.exitCode = total.violations > 0 || total.instances === 0 ? 1 : 0;
