/** Installed packages whose addon is missing, damaged or for another system, and the warning that they give. */
import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { natives } from '../support/backends.js';
import { HANG } from '../support/child.js';
import { addon, Installed, nobody, PREBUILD } from '../support/installed.js';

let installed: Installed;
beforeAll(() => void (installed = new Installed()));
beforeEach(() => installed.clear());
afterAll(() => installed.remove());

interface Look {
  name: string;
  simd: string;
  loadError?: string;
  labels: string[];
}

const START = `const fista = require(process.argv[1]); const { backend, Dataset, LinearSvm } = fista;`;
const LOOK = `${START}
  const labels = LinearSvm.fit([[1], [2], [8], [9]], ['a', 'a', 'b', 'b']).predict([[0], [10]]);
  console.log(JSON.stringify({ name: backend.name, simd: backend.simd, loadError: backend.loadError?.message, labels }));`;

/** Runs code with the installed package, without the variables that would change what is loaded or said. */
function use(code: string, env: NodeJS.ProcessEnv = {}, flags: string[] = [], user = {}) {
  const clean = Object.entries(process.env).filter(
    ([name]) => !/^(FISTA_CLASSIFY_\w+|NODE_OPTIONS|PREBUILDS_ONLY|LIBC)$/.test(name),
  );
  return spawnSync(process.execPath, [...flags, '-e', code, installed.root], {
    env: { ...Object.fromEntries(clean), ...env },
    encoding: 'utf8',
    timeout: HANG,
    ...user,
  });
}

/** Expects the answers of the TypeScript kernels, the reason, one remedy and one warning. */
function expectFallback(reason: RegExp, env: NodeJS.ProcessEnv = {}): void {
  const { status, signal, stdout, stderr } = use(LOOK, env);
  expect([status, signal]).toEqual([0, null]);
  const { loadError, ...rest } = JSON.parse(stdout) as Look;
  expect(rest).toEqual({ name: 'js', simd: 'none', labels: ['a', 'b'] });
  expect(loadError).toMatch(/^The native addon did not load: /);
  expect(loadError).toMatch(reason);
  const remedies = loadError!.split('\n').filter((line) => line.startsWith('To '));
  expect(remedies).toEqual([
    'To build it from source, install a C++17 compiler, make and Python 3, and run "npx fista-classify build".',
  ]);
  expect(stderr.match(/Warning: /g)).toHaveLength(1);
  expect(stderr).toContain(loadError); // the warning has the reason and the remedy, too
}

describe('an installed package whose addon does not load falls back and says why', () => {
  it('without a prebuild for this platform', () => {
    expectFallback(/No native build was found for platform=\w+ arch=\w+/);
    installed.write('prebuilds/plan9-x64/fista-classify.node', 'elsewhere');
    expectFallback(/No native build was found for platform=\w+ arch=\w+/);
  });

  it('and fista-classify doctor says it, with the remedy', () => {
    const code = `process.argv.splice(1, 1, 'fista-classify', 'doctor'); require(${JSON.stringify(join(installed.root, 'bin', 'fista-classify.js'))});`;
    const { status, stdout, stderr } = use(code);
    expect([status, stderr]).toEqual([0, '']); // no warning beside it
    expect(stdout).toMatch(/^backend {2}js, /m);
    expect(stdout).toMatch(/^The native addon did not load: No native build was found for .*$/m);
    expect(stdout).toMatch(/^To build it from source, .* run "npx fista-classify build"\.$/m);
  });

  it('with a checksum, and its addon missing', () => {
    installed.write(`${PREBUILD}.sha256`, `${'0'.repeat(64)}  fista-classify.node\n`);
    expectFallback(/No native build was found/);
  });

  it('with a prebuild that is empty or a text, with or without a checksum', () => {
    for (const content of ['', 'no addon\n']) {
      installed.write(PREBUILD, content);
      expectFallback(/fista-classify\.node/);
      installed.prebuild(Buffer.from(content), Buffer.from('an addon'));
      expectFallback(/fista-classify\.node is damaged: its checksum is not the one in /);
    }
  });

  it('with a checksum that cannot be read', () => {
    installed.write(PREBUILD, '');
    installed.write(join(`${PREBUILD}.sha256`, 'folder'), '');
    expectFallback(/EISDIR/);
  });
});

describe.skipIf(natives.length === 0)('an installed package with an addon', () => {
  const best = natives.at(-1)?.simd;

  it('loads its prebuild from a path with spaces, and warns of nothing', () => {
    installed.prebuild(addon());
    const { status, stdout, stderr } = use(LOOK);
    expect([status, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual({ name: 'native', simd: best, labels: ['a', 'b'] });
  });

  it('loads an addon that was compiled there before the prebuild, without a checksum', () => {
    installed.prebuild(Buffer.from('damaged'), addon());
    installed.write('build/Release/fista_classify.node', addon());
    expect(JSON.parse(use(LOOK).stdout)).toMatchObject({ name: 'native' });
  });

  it('is used from a folder that cannot be written to, and changes nothing in it', () => {
    installed.prebuild(addon());
    const before = readdirSync(installed.root, { recursive: true });
    chmodSync(installed.root, 0o555);
    try {
      const { status, stdout, stderr } = use(LOOK, {}, [], nobody);
      expect([status, stderr]).toEqual([0, '']);
      expect(JSON.parse(stdout)).toMatchObject({ name: 'native' });
      expect(readdirSync(installed.root, { recursive: true })).toEqual(before);
    } finally {
      chmodSync(installed.root, 0o755);
    }
  });

  it('falls back where addons are not permitted, and says how to permit them', () => {
    installed.prebuild(addon());
    const permission = Number(process.versions.node.split('.')[0]) < 22 ? '--experimental-permission' : '--permission';
    for (const [flags, reason] of [
      [['--no-addons'], 'Cannot load native addon because loading addons is disabled'],
      [[permission, '--allow-fs-read=*'], 'Cannot load native addon because loading addons is disabled'],
      [[permission, `--allow-fs-read=${join(installed.root, '..', '..')}`], 'Access to this API has been restricted'],
    ] as const) {
      const { status, stdout } = use(LOOK, {}, [...flags]);
      expect(status).toBe(0);
      const { name, loadError } = JSON.parse(stdout) as Look;
      expect(name).toBe('js');
      expect(loadError).toContain(`did not load: ${reason}`);
      expect(loadError!.split('\n').filter((line) => line.startsWith('To '))).toEqual([
        'To use it, permit it: node by --allow-addons and --allow-fs-read=*, and without --no-addons; deno by --allow-ffi.',
      ]);
    }
  });

  // The system's loader maps a library that was cut off, and the process ends by SIGBUS when it reads beyond the end.
  it('falls back if the prebuild was cut off, anywhere, or one of its bits has changed', () => {
    const whole = addon();
    for (const share of [0.1, 0.5, 0.9, 0.999]) {
      installed.prebuild(whole.subarray(0, Math.floor(share * whole.length)), whole);
      expectFallback(/is damaged: its checksum is not the one in /);
    }
    const changed = Buffer.from(whole);
    changed[changed.length >> 1]! ^= 1;
    installed.prebuild(changed, whole);
    expectFallback(/is damaged/);
  });

  it.skipIf(process.platform !== 'linux')('falls back if the only prebuild is for another libc', () => {
    installed.write(PREBUILD.replace(/node$/, 'glibc.node'), addon());
    expectFallback(/No native build was found for .* libc=musl/, { LIBC: 'musl' });
    // A musl that is not recognised: the prebuild is taken, and asks for a C library that is not there.
    const other = Buffer.from(addon().toString('latin1').replaceAll('libc.so.6\0', 'libmusl.6\0'), 'latin1');
    installed.clear();
    installed.prebuild(other);
    expectFallback(/libmusl\.6: cannot open shared object file/);
  });
});

describe('the warning that the TypeScript kernels are in use', () => {
  const warning = /^\(node:\d+\) \[FISTA_CLASSIFY_NOT_NATIVE\] Warning: fista-classify computes on its TypeScript kernels, .*$/gm;

  it('comes once, at the first use, with its code', () => {
    const { stderr } = use(`${LOOK} ${LOOK.replace(START, '').replaceAll('const', 'var').replaceAll('labels', 'again')}`);
    expect(stderr.match(warning)).toHaveLength(1);
    expect(stderr).toContain('npx fista-classify build');
  });

  it('does not come by loading the package alone, nor by stopping rules and other calls without kernels', () => {
    expect(use(`${START} fista.stop.gap(1e-3); backend.loadError.message;`)).toMatchObject({ status: 0, stderr: '' });
  });

  it('does not come if the TypeScript kernels were asked for, by the environment or by an option', () => {
    expect(use(LOOK, { FISTA_CLASSIFY_BACKEND: 'js' })).toMatchObject({ status: 0, stderr: '' });
    // The model predicts on the same kernels, and has no option to ask for them.
    const code = `${START} LinearSvm.fit([[1], [2]], ['a', 'b'], { backend: 'js' }).predict([[1]]);`;
    expect(use(code)).toMatchObject({ status: 0, stderr: '' });
  });

  it('is silenced by its code, and can be listened to', () => {
    expect(use(LOOK, {}, ['--disable-warning=FISTA_CLASSIFY_NOT_NATIVE'])).toMatchObject({ status: 0, stderr: '' });
    const code = `process.on('warning', ({ code, detail }) => console.log(code, detail.includes(backend.loadError.message))); ${START} Dataset.from([[1]]);`;
    expect(use(code, {}, ['--no-warnings']).stdout).toBe('FISTA_CLASSIFY_NOT_NATIVE true\n');
  });
});
