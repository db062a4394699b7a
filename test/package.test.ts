import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './child.js';

const text = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const manifest = JSON.parse(text('package.json')) as {
  license: string;
  main: string;
  types: string;
  exports: { '.': { types: string; default: string } };
  engines: { node: string };
  files: string[];
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
};

describe('package.json', () => {
  it('depends on node-gyp-build and node-addon-api and on nothing else', () => {
    expect(Object.keys(manifest.dependencies).sort()).toEqual(['node-addon-api', 'node-gyp-build']);
  });

  it('asks for Node 20 or newer, under the MIT licence', () => {
    expect(manifest.engines).toEqual({ node: '>=20' });
    expect(manifest.license).toBe('MIT');
    expect(text('LICENSE')).toMatch(/^MIT License/);
  });

  it('names files that a build makes, the same by main and by exports', () => {
    expect(manifest.exports['.']).toEqual({ types: `./${manifest.types}`, default: `./${manifest.main}` });
    for (const file of [manifest.main, manifest.types]) expect(existsSync(join(ROOT, file))).toBe(true);
  });

  it('ships no tests, and installs where nothing can be compiled', () => {
    expect(manifest.files.filter((entry) => /test|bench|fixture|data/.test(entry))).toEqual([]);
    expect(manifest.scripts.install).toMatch(/^node-gyp-build \|\| node -e /);
    expect(manifest.scripts).not.toHaveProperty('prebuild'); // npm would run it before every build
  });
});

describe('package-lock.json', () => {
  it('holds no registry address', () => {
    expect(text('package-lock.json')).not.toMatch(/"resolved"|https?:\/\/[^"]*registry/);
  });
});

describe('native builds', () => {
  const native = readdirSync(join(ROOT, 'native'), { recursive: true, encoding: 'utf8' }).map((name) => join('native', name));
  const files = ['binding.gyp', 'CMakeLists.txt', ...native].filter((file) => existsSync(join(ROOT, file)) && /\.\w+$/.test(file));

  it.each(files)('%s sets neither -ffast-math nor -march=native', (file) => {
    // fast-math deletes the checks for NaN; native instructions do not ship.
    expect(text(file)).not.toMatch(
      /-f(fast-math|unsafe-math|finite-math|associative-math)|-Ofast|\/fp:fast|-m(arch|cpu|tune)=native|fast_math/,
    );
  });

  it('sources.gypi is strict JSON, for CMake to read, and lists every source file', () => {
    const { variables } = JSON.parse(text('native/sources.gypi')) as { variables: Record<string, string | string[]> };
    const listed = [variables.addon_sources, variables.kernel_sources, variables.isa_source].flat();
    expect([...listed].sort()).toEqual(
      native
        .filter((name) => name.endsWith('.cc'))
        .map((name) => name.replaceAll('\\', '/'))
        .sort(),
    );
    expect(variables.common_flags).toContain('-ffp-contract=off'); // the same bits from every compiler
  });
});
