/** fista-classify build, but for the compiling: npm run test:package compiles. Here a script stands in for node-gyp, and fails in its ways. */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { natives } from '../support/backends.js';
import { HANG } from '../support/child.js';
import { addon, Installed, nobody } from '../support/installed.js';

let installed: Installed;
let folder = '';
beforeAll(() => void (installed = new Installed()));
beforeEach(() => {
  installed.clear();
  folder = mkdtempSync(join(tmpdir(), 'fista-build-'));
  chmodSync(folder, 0o777);
  for (const name of ['bin', 'tmp']) mkdirSync(join(folder, name));
  chmodSync(join(folder, 'tmp'), 0o777);
});
afterEach(() => rmSync(folder, { recursive: true }));
afterAll(() => installed.remove());

const target = () => join(installed.root, 'build', 'Release', 'fista_classify.node');

/** Puts a program on PATH. It runs `body` as a shell script. */
function onPath(name: string, body: string): string {
  const file = join(folder, 'bin', name);
  writeFileSync(file, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return file;
}

/** Runs the command with nothing on PATH but what the test has put there, and the system's programs if `system`. */
function build(words: string[] = [], { node = process.execPath, env = {}, user = {}, system = true } = {}) {
  const path = [join(folder, 'bin'), ...(system ? ['/bin', '/usr/bin'] : [])].join(':');
  const clean = Object.entries(process.env).filter(([name]) => !/^(FISTA_CLASSIFY_|npm_)/.test(name));
  const { status, stdout, stderr } = spawnSync(node, [join(installed.root, 'bin', 'fista-classify.js'), 'build', ...words], {
    cwd: folder,
    env: { ...Object.fromEntries(clean), PATH: path, TMPDIR: join(folder, 'tmp'), ...env },
    encoding: 'utf8',
    timeout: HANG,
    ...user,
  });
  // Whatever happens, the folder that it works in is removed.
  expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
  return { status, stdout, stderr };
}

/** A node with no npm beside it. */
function lonelyNode(): string {
  const file = join(folder, 'lonely', 'node');
  cpSync(process.execPath, file);
  return file;
}

describe.skipIf(process.platform === 'win32')('fista-classify build', () => {
  it('runs node-gyp rebuild in a folder without spaces, with the sources, binding.gyp and the headers of node-addon-api', () => {
    const log = join(folder, 'log');
    onPath('node-gyp', `{ echo "$@"; pwd; ls; ls native/addon.cc node_modules/node-addon-api/napi.h; } > ${log}; exit 3`);
    const { status, stdout, stderr } = build(['--nodedir', '/headers']);
    const [words, where, ...files] = readFileSync(log, 'utf8').trimEnd().split('\n');
    expect(words).toMatch(/^rebuild --jobs \d+ --nodedir=\/headers$/);
    expect(where).toMatch(/^\S+$/);
    expect(files).toEqual(['binding.gyp', 'native', 'node_modules', 'native/addon.cc', 'node_modules/node-addon-api/napi.h']);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain(
      'fista-classify: node-gyp ended with exit code 3, for the reason above. It needs a C++17 compiler, make and Python 3, ' +
        "and Node's headers: from the network, or from --nodedir FOLDER [ERR_BUILD]\n",
    );
    expect(existsSync(target())).toBe(false);
  });

  it.skipIf(natives.length === 0)('puts the addon where the package looks for it, once its kernels were checked', () => {
    const built = join(folder, 'built.node');
    writeFileSync(built, addon());
    const command = onPath('node-gyp', `echo noise; mkdir -p build/Release && cp ${built} build/Release/fista_classify.node`);
    const { status, stdout, stderr } = build(['--json']);
    expect([status, stderr]).toEqual([0, 'noise\n']);
    const simd = natives.at(-1)!.simd;
    expect(JSON.parse(stdout)).toEqual({ addon: target(), simd, kernels: 23, nodeGyp: command });
    const code = `console.log(require(process.argv[1]).backend.name)`;
    const env = { ...process.env, FISTA_CLASSIFY_BACKEND: '', FISTA_CLASSIFY_BINARY: '' };
    expect(spawnSync(process.execPath, ['-e', code, installed.root], { env, encoding: 'utf8' }).stdout).toBe('native\n');
  });

  it.skipIf(natives.length === 0)('--out writes the addon elsewhere and says how to load it; -q hides what node-gyp prints', () => {
    const built = join(folder, 'built.node');
    writeFileSync(built, addon());
    onPath('node-gyp', `echo noise; mkdir -p build/Release && cp ${built} build/Release/fista_classify.node`);
    const out = join(installed.root, 'my addon.node');
    const { status, stdout, stderr } = build(['-q', '--out', out], { env: { FISTA_CLASSIFY_BACKEND: 'native' } });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')[2]).toBe(`FISTA_CLASSIFY_BINARY=${out} makes the package load it`);
    expect(readFileSync(out).equals(addon())).toBe(true);
    expect(existsSync(target())).toBe(false);
    rmSync(out);
  });

  it('keeps the addon that is there if the new one does not work', () => {
    installed.write('build/Release/fista_classify.node', 'old');
    onPath('node-gyp', 'mkdir -p build/Release && echo wrong > build/Release/fista_classify.node');
    expect(build().stderr).toMatch(
      /fista-classify: The addon was compiled, and does not work: The native addon did not load: [^]*\[ERR_BUILD\]\n$/,
    );
    expect(readFileSync(target(), 'utf8')).toBe('old');
  });

  it('says so if node-gyp makes nothing, or cannot be run', () => {
    onPath('node-gyp', 'exit 0');
    expect(build().stderr).toMatch(/node-gyp ended without an error, and without the addon \[ERR_BUILD\]\n$/);
    chmodSync(onPath('node-gyp', 'exit 0'), 0o644);
    expect(build().stderr).toMatch(/fista-classify: Cannot run \S+\/node-gyp: spawn \S+ EACCES \[ERR_BUILD\]\n$/);
  });

  it("takes npm's own node-gyp if none is on PATH", () => {
    const own = join(folder, 'npm', 'node_modules', 'node-gyp', 'bin', 'node-gyp.js');
    mkdirSync(join(own, '..'), { recursive: true });
    writeFileSync(own, 'process.exit(4)');
    const npm = join(folder, 'npm', 'bin', 'npm-cli.js');
    const { stderr } = build([], { node: lonelyNode(), system: false, env: { npm_execpath: npm } });
    expect(stderr).toContain(`compiling with ${own}\n`);
    expect(stderr).toContain('exit code 4');
  });

  it('lets npx fetch node-gyp if there is no npm', () => {
    const command = onPath('npx', 'echo "$@" >&2; exit 5');
    const { stderr } = build([], { node: lonelyNode(), system: false });
    expect(stderr).toContain(`compiling with ${command} node-gyp\n`);
    expect(stderr).toMatch(/^--yes node-gyp rebuild --jobs \d+/m);
    expect(stderr).toContain('exit code 5');
  });

  it('says what is missing if there is neither node-gyp nor npm', () => {
    const { status, stderr } = build([], { node: lonelyNode(), system: false });
    expect(status).toBe(1);
    expect(stderr).toBe(
      'fista-classify: Found no node-gyp: it is not on PATH, and there is no npm to bring it. Install npm, or node-gyp [ERR_BUILD]\n',
    );
  });

  it('refuses a package folder that cannot be written to before it compiles, and names the way out', () => {
    const log = join(folder, 'log');
    onPath('node-gyp', `echo ran > ${log}`);
    chmodSync(installed.root, 0o555);
    try {
      const { status, stderr } = build([], { user: nobody });
      expect(status).toBe(1);
      expect(stderr).toMatch(
        /^fista-classify: Cannot write to .*build.Release: permission denied\. Use --out FILE, and set FISTA_CLASSIFY_BINARY to that file where the package is used \[ERR_BUILD\]\n$/,
      );
      expect(existsSync(log)).toBe(false);
    } finally {
      chmodSync(installed.root, 0o755);
    }
  });

  it('refuses a temporary folder with spaces', () => {
    onPath('node-gyp', 'exit 0');
    mkdirSync(join(folder, 'a b'));
    const { status, stderr } = build([], { env: { TMPDIR: join(folder, 'a b') } });
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /Expected a temporary folder without spaces, which make does not support, but received ".*"; set TMPDIR \[ERR_BUILD\]\n$/,
    );
  });
});
