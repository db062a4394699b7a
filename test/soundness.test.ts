/** No claim may be false: every one is held against the exact optimum. FISTA_CLASSIFY_RUNS and _SEED make it a long run. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { examine, type Count } from './examine.js';
import { build, instances } from './instances.js';

const RUNS = Number(process.env['FISTA_CLASSIFY_RUNS'] ?? 1500);
const SEED = Number(process.env['FISTA_CLASSIFY_SEED'] ?? 20260101);

for (const backend of ['native', 'js'] as const) {
  test(`LinearSvm.fit claims nothing that is false, ${backend} backend`, { timeout: 3_600_000 }, () => {
    const total = { instances: 0, checks: 0, claims: 0, agreed: 0, unsure: 0, intervals: 0 };
    fc.assert(
      fc.property(instances, (parameters) => {
        const count: Count = examine(build(parameters), backend);
        total.instances++;
        total.checks += count.checks;
        total.claims += count.claims;
        total.agreed += count.agreed;
        total.unsure += Number(count.unsure);
        total.intervals += count.intervals;
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: process.env['FISTA_CLASSIFY_SHRINK'] === '0' },
    );
    if (process.env['FISTA_CLASSIFY_RUNS']) process.stdout.write(`${backend} ${JSON.stringify(total)}\n`);
    // The tests would prove nothing if the optimum were often unknown, or the offsets never an interval.
    expect(total.unsure).toBeLessThan(0.02 * total.instances);
    expect(total.intervals).toBeGreaterThan(0.02 * total.instances);
    expect(total.claims).toBeGreaterThan(10 * total.instances);
  });
}
