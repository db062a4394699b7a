import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { publishedManifest } from '../scripts/pack.js';
import { ROOT } from './support/child.js';

const text = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** Conditions of runtimes without files and addons. */
const BROWSERS = ['browser', 'workerd', 'edge-light'] as const;

const manifest = JSON.parse(text('package.json')) as {
  name: string;
  license: string;
  main: string;
  types: string;
  exports: { '.': Record<(typeof BROWSERS)[number] | 'import' | 'require' | 'default', { types: string; default: string }> };
  keywords: string[];
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

  it('names files that a build makes, with types for import, for require and for any other condition', () => {
    const commonjs = { types: `./${manifest.types}`, default: `./${manifest.main}` };
    const { import: module, require, default: other } = manifest.exports['.'];
    expect(Object.keys(manifest.exports['.'])).toEqual([...BROWSERS, 'import', 'require', 'default']); // the last matches always
    const bundle = { types: './dist/browser.d.mts', default: './dist/browser.mjs' };
    for (const name of BROWSERS) expect(manifest.exports['.'][name]).toEqual(bundle);
    expect([require, other]).toEqual([commonjs, commonjs]);
    expect(module).toEqual({ types: './dist/index.d.mts', default: './dist/index.mjs' });
    for (const file of [...Object.values(module), ...Object.values(require)])
      expect([file, existsSync(join(ROOT, file))]).toEqual([file, true]);
    // Types come first, as TypeScript takes the first condition that matches.
    for (const files of [module, require, other]) expect(Object.keys(files)).toEqual(['types', 'default']);
  });

  it('lets bundlers drop what is not used, has keywords and asks for no money', () => {
    expect(manifest).toHaveProperty('sideEffects', false);
    expect(manifest.keywords).toEqual(expect.arrayContaining(['svm', 'classifier', 'machine-learning', 'native']));
    expect(new Set(manifest.keywords).size).toBe(manifest.keywords.length);
    expect(manifest).not.toHaveProperty('funding');
  });

  it('installs where nothing can be compiled', () => {
    expect(manifest.scripts.install).toMatch(/^node-gyp-build \|\| node -e /);
    expect(manifest.scripts).not.toHaveProperty('prebuild'); // npm would run it before every build
  });
});

describe('the published package', () => {
  const published = publishedManifest(manifest);

  it('has no scripts, and nothing else that serves the repository alone', () => {
    expect(Object.keys(published)).toEqual([
      ...[
        'name',
        'version',
        'description',
        'keywords',
        'license',
        'author',
        'type',
        'main',
        'types',
        'exports',
        'unpkg',
        'jsdelivr',
      ],
      ...['sideEffects', 'bin', 'files', 'engines', 'dependencies', 'peerDependencies', 'peerDependenciesMeta'],
    ]);
  });

  it('has no tests, and the sources without a binding.gyp beside package.json', () => {
    expect(manifest.files.filter((entry) => /test|bench|fixture|data|gyp/.test(entry))).toEqual([]);
    expect(manifest.files).toEqual(expect.arrayContaining(['native', 'prebuilds', 'dist', 'bin']));
  });

  it('is the only one that can be published: the repository is private', () => {
    expect(manifest).toHaveProperty('private', true);
    expect(published).not.toHaveProperty('private');
    expect(text('.github/workflows/release.yml')).toContain('./release/*.tgz');
  });
});

describe('scripts/set-addresses.js', () => {
  const set = (env: Record<string, string>) => {
    const folder = mkdtempSync(join(tmpdir(), 'fista-addresses-'));
    try {
      cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
      const script = [join(ROOT, 'scripts', 'set-addresses.js'), join(folder, 'package.json')];
      const { status, stderr } = spawnSync(process.execPath, script, { encoding: 'utf8', env: { PATH: process.env.PATH, ...env } });
      return { status, stderr, manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object };
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  it('names the repository that a release is made in, and changes nothing else', () => {
    const { status, manifest: filled } = set({ GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'someone/somewhere' });
    expect(status).toBe(0);
    expect(filled).toEqual({
      ...manifest,
      author: { name: 'fista-classify contributors', url: 'https://github.com/someone/somewhere/graphs/contributors' },
      homepage: 'https://github.com/someone/somewhere#readme',
      bugs: { url: 'https://github.com/someone/somewhere/issues' },
      repository: { type: 'git', url: 'git+https://github.com/someone/somewhere.git' },
    });
  });

  it('refuses what is no repository, and leaves package.json as it is', () => {
    for (const env of [{}, { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'nobody' }]) {
      const { status, stderr, manifest: left } = set(env);
      expect([status, stderr]).toEqual([1, expect.stringMatching(/^set-addresses: expected .* for GITHUB_/)]);
      expect(left).toEqual(manifest);
    }
  });

  it('is what the release does, as package.json has no address before', () => {
    expect(text('.github/workflows/release.yml')).toContain('run: node scripts/set-addresses.js\n');
    expect(text('package.json')).not.toMatch(/https?:|"(repository|bugs|homepage)"/);
    expect(text('LICENSE')).toContain('fista-classify contributors');
  });
});

describe('README.md', () => {
  it('has badges of this very package, each of which leads to npm or to a file that is packed', () => {
    const { name } = manifest;
    const badges = [...text('README.md').matchAll(/^\[!\[([^\]]+)\]\(([^)]+)\)\]\(([^)]+)\)$/gm)].map(
      ([, , image, to]) => [image, to!] as const,
    );
    expect(badges.length).toBeGreaterThan(2);
    for (const [image, to] of badges) {
      expect(image).toMatch(new RegExp(`^https://img\\.shields\\.io/(npm|node)/\\w+/${name}$`));
      if (to.startsWith('https:')) expect(to).toBe(`https://www.npmjs.com/package/${name}`);
      else expect(existsSync(join(ROOT, to))).toBe(true);
    }
  });
});

describe('.github', () => {
  const workflow = (name: string) => text(`.github/workflows/${name}.yml`);

  it('builds an addon for every platform that the package is said to bring', () => {
    const [, list] = /const PUBLISHED = \[([^\]]+)\]/.exec(text('scripts/test-package.js'))!;
    const published = [...list!.matchAll(/'([\w-]+)\/[^']*\.node'/g)].map(([, platform]) => platform!);
    expect(list).toContain("'wasm/fista-classify.wasm'");
    expect(new Set(published)).toEqual(
      new Set(['linux', 'darwin', 'win32'].flatMap((system) => ['x64', 'arm64'].map((arch) => `${system}-${arch}`))),
    );
    const release = workflow('release');
    expect(release).toMatch(/arch: \[x64, arm64\]\n +libc: \[glibc, musl\]/);
    for (const name of published.filter((platform) => !platform.startsWith('linux')))
      expect(release).toContain(`{ name: ${name}, `);
  });

  it('publishes the tested tarball with provenance and a bill of materials, and the site', () => {
    expect(workflow('release')).toMatch(/npm sbom [^]*npm publish --provenance --access public \.\/release\/\*\.tgz/);
    expect(workflow('docs')).toMatch(/npm run site\n[^]*deploy-pages/);
  });

  it('has updates of packages and of actions', () => {
    expect([...text('.github/dependabot.yml').matchAll(/package-ecosystem: ([\w-]+)/g)].map(([, name]) => name)).toEqual([
      'npm',
      'github-actions',
    ]);
  });
});

describe('package-lock.json', () => {
  interface Locked {
    version: string;
    integrity?: string;
    dev?: boolean;
    hasInstallScript?: boolean;
    dependencies?: Record<string, string>;
  }
  const { '': root, ...packages } = (JSON.parse(text('package-lock.json')) as { packages: Record<string, Locked> }).packages;

  it('pins every package by its hash', () => {
    expect(root!.dependencies).toEqual(manifest.dependencies);
    const loose = Object.entries(packages).filter(([, { integrity, version }]) => !/^sha512-/.test(integrity ?? '') || !version);
    expect(loose).toEqual([]);
    expect(Object.keys(packages).length).toBeGreaterThan(100);
  });

  it('has no package with an install script but this one, whose script is node-gyp-build', () => {
    const used = Object.entries(packages).filter(([, { dev }]) => !dev);
    expect(used.map(([name]) => name)).toEqual(['node_modules/node-addon-api', 'node_modules/node-gyp-build']);
    expect(used.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
    // What each says of itself, too: the lockfile may be older.
    for (const [name] of used) {
      const { scripts = {} } = JSON.parse(text(`${name}/package.json`)) as { scripts?: Record<string, string> };
      expect(Object.keys(scripts).filter((script) => /^(pre|post)?install$/.test(script))).toEqual([]);
    }
    expect(Object.keys(manifest.scripts).filter((script) => /install/.test(script))).toEqual(['install']);
    expect(manifest.scripts.install).toMatch(/^node-gyp-build \|\| node -e "console\.warn\('[^'"]*'\)"$/); // in the repository
  });

  it('holds no registry address', () => {
    expect(text('package-lock.json')).not.toMatch(/"resolved"|https?:\/\/[^"]*registry/);
  });
});

describe('SECURITY.md', () => {
  const page = text('SECURITY.md');

  it('is part of the package and names no address but GitHub’s reporting', () => {
    expect(manifest.files).toContain('SECURITY.md');
    expect(page).toContain('private vulnerability reporting');
    expect(page).not.toMatch(/\S@\S+\.\w/);
  });

  it('names the limits that the sources have', () => {
    const constant = (file: string, name: string) => {
      const source = new RegExp(`\\b${name} = ([\\d_ *<-]+);`).exec(text(file))?.[1];
      return String((0, eval)(source!) as number);
    };
    for (const [file, name] of [
      ['lib/backend/fallback/parse.ts', 'LONGEST'],
      ['lib/backend/fallback/parse.ts', 'HIGHEST_INDEX'],
      ['lib/backend/fallback/parse.ts', 'MAX_COUNT'],
      ['lib/io/csv-cells.ts', 'MAX_BYTES'],
      ['lib/io/csv.ts', 'MAX_LABEL'],
      ['lib/input/file-errors.ts', 'MAX_DISTINCT'],
      ['lib/input/file-errors.ts', 'MAX_WORDS'],
      ['lib/input/points.ts', 'MAX_COUNT'],
      ['lib/input/capacity.ts', 'BYTES_PER_COLUMN'],
      ['lib/input/capacity.ts', 'MAX_COLUMNS'],
      ['lib/io/text.ts', 'MAX_BYTES'],
      ['lib/io/text.ts', 'HEAP_PER_CHARACTER'],
      ['lib/io/text.ts', 'HEAP_PER_LIST'],
      ['lib/cli/convert.ts', 'MAX_NAMES'],
      ['examples/server/schemas.js', 'MAX_COLUMNS'],
    ] as const) {
      expect([file, name, page.split(/\D+/)]).toEqual([file, name, expect.arrayContaining([constant(file, name)])]);
    }
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
    const listed = [variables.addon_sources, variables.kernel_sources, variables.wasm_sources, variables.isa_source].flat();
    expect([...listed].sort()).toEqual(
      native
        .map((name) => name.replaceAll('\\', '/'))
        .filter((name) => name.endsWith('.cc') && !name.startsWith('native/mpi/')) // an addon of its own, in native/mpi/binding.gyp
        .sort(),
    );
    expect(variables.common_flags).toContain('-ffp-contract=off'); // the same bits from every compiler
  });
});
