import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { natives, wasm } from '../support/backends.js';
import { node, ROOT, type Environment } from '../support/child.js';

interface Diagnosis {
  backend: string;
  simd: string;
  threads: number;
  version: string;
  node: string;
  platform: string;
  notNative?: string;
  agrees: boolean;
  kernels: { kernel: string; agrees: boolean; difference: number; bound: number; speedup?: number }[];
}

const BIN = join(ROOT, 'bin', 'fista-classify.js');

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'fista-doctor-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const doctor = (words: string[], env: Environment = {}) => node([BIN, 'doctor', ...words], env);

async function diagnosis(env: Environment = {}): Promise<Diagnosis & { code: number | string | null }> {
  const { code, stdout, stderr } = await doctor(['--json'], env);
  expect(stderr).toBe('');
  return { code, ...(JSON.parse(stdout) as Diagnosis) };
}

/** An addon whose projectCones is off by 1e-9. */
const wrongAddon = () =>
  file(
    'wrong.js',
    `const binary = ${JSON.stringify(process.env.FISTA_CLASSIFY_BINARY ?? null)};
    const addon = binary ? require(binary) : require(${JSON.stringify(join(ROOT, 'node_modules', 'node-gyp-build'))})(${JSON.stringify(ROOT)});
    const projectCones = (x, start, out, threads) => {
      addon.kernels.projectCones(x, start, out, threads);
      out[0] += 1e-9;
    };
    module.exports = { ...addon, kernels: { ...addon.kernels, projectCones } };`,
  );

describe('fista-classify doctor', () => {
  it.skipIf(natives.length === 0)('prints the backend, the versions, and that every kernel agrees', async () => {
    const { code, stdout, stderr } = await doctor([], { FISTA_CLASSIFY_THREADS: '2' });
    expect([code, stderr]).toEqual([0, '']);
    const [system, by, kernels, ...lines] = stdout.trimEnd().split('\n');
    expect(system).toBe(
      `fista-classify ${(await diagnosis()).version}, Node ${process.version}, ${process.platform}-${process.arch}`,
    );
    expect(by).toMatch(/^backend {2}native, \w+, 2 threads$/);
    expect(kernels).toBe(
      `kernels  ${lines.length} of ${lines.length} agree with their TypeScript twins (speed native : TypeScript)`,
    );
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines) expect(line).toMatch(/^ {2}(X·[wW]|Xᵀu|knapsack|cones|certified labels),? .* agrees +\d+\.\d : 1$/);
  });

  it.skipIf(natives.length === 0)('--json prints the same as one object', async () => {
    const { code, kernels, ...rest } = await diagnosis({ FISTA_CLASSIFY_THREADS: '1' });
    expect(code).toBe(0);
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(rest).toEqual({
      backend: 'native',
      simd: expect.stringMatching(/^(baseline|avx2|avx512|neon)$/) as string,
      threads: 1,
      version,
      node: process.version,
      platform: `${process.platform}-${process.arch}`,
      agrees: true,
    });
    for (const { agrees, difference, bound, speedup } of kernels) {
      expect(agrees && difference <= bound).toBe(true);
      expect(speedup).toBeGreaterThan(0);
    }
  });

  it('says with FISTA_CLASSIFY_BACKEND=js that the addon was switched off', async () => {
    const env: Environment = { FISTA_CLASSIFY_BACKEND: 'js' };
    const { code, stdout } = await doctor([], env);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^backend {2}js, the TypeScript kernels, on one thread$/m);
    expect(stdout).toMatch(/^The native addon was switched off by FISTA_CLASSIFY_BACKEND=js$/m);
    expect(stdout).toMatch(/^kernels {2}\d+ run; there are no native ones to compare them with$/m);
    const { notNative, kernels, agrees } = await diagnosis(env);
    expect(notNative).toBe('The native addon was switched off by FISTA_CLASSIFY_BACKEND=js');
    expect(agrees).toBe(true);
    expect(kernels.filter(({ speedup }) => speedup !== undefined)).toEqual([]);
  });

  it('says why a file that is not the addon did not load, and what to do', async () => {
    for (const [name, text, reason] of [
      ['text.node', 'no addon\n', /did not load: .*(text\.node|invalid|not a valid)/],
      ['other.js', 'module.exports = {};', /did not load: the file loaded is not the fista-classify addon$/m],
    ] as const) {
      const env: Environment = { FISTA_CLASSIFY_BINARY: file(name, text) };
      const { code, stdout, stderr } = await doctor([], env);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(wasm ? /^backend {2}wasm, /m : /^backend {2}js, /m);
      expect(stdout).toMatch(reason);
      expect(stdout).toMatch(/^To use it, set FISTA_CLASSIFY_BINARY to the path of a built addon/m);
      expect((await diagnosis(env)).notNative).toMatch(reason);
    }
  });

  it.skipIf(natives.length === 0)('names a wrong kernel, with exit code 1', async () => {
    const env: Environment = { FISTA_CLASSIFY_BINARY: wrongAddon() };
    const { code, stdout } = await doctor([], env);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^kernels {2}21 of 23 agree/m);
    expect(stdout).toMatch(/^ {2}cones, of 3 entries DISAGREES: differs by \S+e-10; rounding explains at most \S+e-1\d$/m);
    const quiet = await doctor(['-q'], env);
    expect(quiet.code).toBe(1);
    expect(quiet.stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(await diagnosis(env)).toMatchObject({ code: 1, agrees: false });
  });

  it('refuses file names with exit code 2', async () => {
    const { code, stderr } = await doctor(['x']);
    expect(code).toBe(2);
    expect(stderr).toContain('Expected 0 file names for doctor but received 1');
  });
});
