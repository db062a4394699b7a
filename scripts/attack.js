// The soundness tests as a long run: node scripts/attack.js [minutes] [seed]. Every instance is drawn afresh; the first ones that show a
// false claim are printed with what is needed to run them again. Needs a built addon (npm run build:native).
'use strict';
const { execFileSync } = require('node:child_process');
const { readdirSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const built = join(root, 'build-attack');
const minutes = Number(process.argv[2] ?? 15);
const seed = Number(process.argv[3] ?? Date.now() % 1e9);

const tsc = require.resolve('typescript/bin/tsc');
const compile = [tsc, '-p', join(root, 'test/tsconfig.json'), '--noEmit', 'false', '--outDir', built];
execFileSync(process.execPath, compile, { stdio: 'inherit' });
const release = join(root, 'build/Release');
process.env.FISTA_CLASSIFY_BINARY ??= join(
  release,
  readdirSync(release).find((name) => name.endsWith('.node')),
);

const fc = require('fast-check');
const { examine } = require(join(built, 'test/examine.js'));
const { build, instances } = require(join(built, 'test/instances.js'));

const total = { instances: 0, checks: 0, claims: 0, agreed: 0, unsure: 0, intervals: 0, violations: 0 };
const end = Date.now() + minutes * 60_000;
for (let round = 0; Date.now() < end; round++) {
  for (const parameters of fc.sample(instances, { numRuns: 200, seed: seed + round })) {
    if (Date.now() >= end) break;
    const backend = total.instances % 3 === 0 ? 'js' : 'native';
    total.instances++;
    try {
      const count = examine(build(parameters), backend);
      for (const name of ['checks', 'claims', 'agreed', 'unsure', 'intervals']) total[name] += Number(count[name]);
    } catch (error) {
      total.violations++;
      if (total.violations <= 20) console.log(`${backend}: ${error.message}\n  ${JSON.stringify(parameters)}`);
    }
  }
  if (round % 20 === 19) console.log(JSON.stringify(total));
}
console.log(`seed ${seed}: ${JSON.stringify(total)}`);
process.exitCode = total.violations > 0 ? 1 : 0;
