import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './support/child.js';

// Which layer may use which other.

function filesIn(folder: string, extensions: string[]): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name).replaceAll('\\', '/'))
    .filter((name) => extensions.some((extension) => name.endsWith(extension)))
    .sort();
}

/** The text of a source file without its comments. */
function code(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8').replace(/\/\*[^]*?\*\/|(?<!:)\/\/.*/g, '');
}

/** The headers that a C++ file includes, each with its quotes or brackets. */
function includes(file: string): string[] {
  return [...code(file).matchAll(/^\s*#\s*include\s*(<[^>]+>|"[^"]+")/gm)].map((match) => match[1]!);
}

interface Import {
  from: string;
  typeOnly: boolean;
}

/** The modules that a TypeScript file imports, re-exports or requires. */
function imports(file: string): Import[] {
  const text = code(file);
  const statements = [...text.matchAll(/^(?:import|export)\s+(type\s)?([^;]*?\sfrom\s+)?'([^']+)';/gm)];
  const calls = [...text.matchAll(/\b(?:require|import)\(\s*([^)]*)\)/g)];
  return [
    ...statements.map((match) => ({ from: match[3]!, typeOnly: match[1] !== undefined || onlyTypes(match[2] ?? '') })),
    ...calls.map((match) => ({ from: match[1]!.replace(/^'(.*)'$/, '$1'), typeOnly: false })),
  ];
}

/** Whether an import clause has the form { type A, type B } from. */
const onlyTypes = (clause: string) => /^\{(\s*type\s+[^,}]+,?)+\s*\}\s+from/.test(clause.trim());

const kernelFiles = filesIn('native/kernels', ['.h', '.cc', '.inl']);
const libFiles = filesIn('lib', ['.ts']);

describe('native/kernels', () => {
  it('contains the kernels that the tests below read', () => {
    expect(kernelFiles.map((file) => basename(file))).toEqual(
      expect.arrayContaining([
        'knapsack.cc',
        'cones.cc',
        'matrix.cc',
        'parallel.cc',
        'isa.cc',
        'simd.h',
        'dense.inl',
        'sparse.inl',
      ]),
    );
  });

  it.each(kernelFiles)('%s uses nothing of N-API, Node or the addon', (file) => {
    const own = new Set(kernelFiles.map((name) => `"${basename(name)}"`));
    for (const included of includes(file)) {
      expect(included).not.toMatch(/napi|node|uv\.h|v8/i);
      if (included.startsWith('"')) expect(own).toContain(included);
    }
    expect(code(file)).not.toMatch(/\bNapi::|\bnapi_|\bnode::|\bv8::/);
  });

  it.each(kernelFiles)('%s does not print, abort or throw', (file) => {
    for (const included of includes(file))
      expect(included).not.toMatch(/<(iostream|ostream|fstream|cstdio|stdio\.h|stdexcept|cassert)>/);
    expect(code(file)).not.toMatch(/\b(printf|fprintf|puts|abort|terminate|_?exit|assert)\s*\(|\bthrow\b|\bstd::c(out|err|log)\b/);
  });

  it.each(kernelFiles)('%s has no mutable globals but the thread pool and the kept memory', (file) => {
    // Lines that are not indented and define something other than a constant, a type or a function.
    const variables = code(file)
      .split('\n')
      .filter((line) => /^(static |inline |thread_local )*[\w:<>*]+ [\w:]+(\{.*\}| = .*)?;$/.test(line))
      .filter((line) => !/^(constexpr|const|using|struct|class|enum|template|typedef|return|extern|namespace)\b/.test(line));
    const pool = ['Mutex owners_mutex;', 'size_t owners = 0;', 'std::atomic<Pool*> the_pool{nullptr};'];
    // In test builds: the countdown to the allocation that fails.
    const countdown = ['inline std::atomic<long> allocations_to_failure{0};'];
    const allowed: Record<string, string[]> = { 'parallel.cc': pool, 'memory.cc': ['Kept kept;'], 'buffer.h': countdown };
    expect(variables).toEqual(allowed[basename(file)] ?? []);
  });

  // These files are compiled once per instruction set: the linker could pick a standard template instantiated there for the whole
  // addon, with instructions that this CPU lacks.
  it.each(
    kernelFiles.filter((file) => file.endsWith('.inl') || ['isa.cc', 'simd.h', 'table.h', 'hints.h'].includes(basename(file))),
  )('%s, compiled for each instruction set, includes no standard templates', (file) => {
    const allowed = [
      '<cmath>',
      '<cstddef>',
      '<cstdint>',
      '<cstring>',
      '<immintrin.h>',
      '<emmintrin.h>',
      '<arm_neon.h>',
      '<wasm_simd128.h>',
    ];
    const fragments = [
      '"hints.h"',
      '"simd.h"',
      '"table.h"',
      '"dense.inl"',
      '"sparse.inl"',
      '"sweeps.inl"',
      '"svm.inl"',
      '"svm_ascent.inl"',
      '"esp.inl"',
      '"labels.inl"',
      '"planes.inl"',
    ];
    for (const included of includes(file)) expect([...allowed, ...fragments]).toContain(included);
    for (const [used] of code(file).matchAll(/\bstd::\w+/g)) expect(['std::memcpy', 'std::sqrt']).toContain(used);
  });
});

describe('native', () => {
  it('includes node-addon-api only in native/addon_api.h', () => {
    const addonFiles = filesIn('native', ['.h', '.cc']).filter((file) => !file.startsWith('native/kernels/'));
    expect(addonFiles.filter((file) => includes(file).includes('<napi.h>'))).toEqual(['native/addon_api.h']);
  });
});

describe('lib', () => {
  const runtime = (file: string) => imports(file).filter(({ typeOnly }) => !typeOnly);

  it.each(libFiles.filter((file) => file.startsWith('lib/backend/fallback/')))(
    '%s imports only its siblings, encodings, decimal, errors, types and the platform',
    (file) => {
      for (const { from, typeOnly } of imports(file)) {
        if (typeOnly)
          expect(from).toMatch(
            /^(\.\/[\w-]+\.js|\.\.\/(interface|encodings|tasks|decimal)\.js|\.\.\/\.\.\/(types|errors|platform\/host)\.js)$/,
          );
        else expect(from).toMatch(/^(\.\/[\w-]+\.js|\.\.\/(encodings|tasks|decimal)\.js|\.\.\/\.\.\/(errors|platform\/host)\.js)$/);
      }
    },
  );

  it('loads addons only in lib/backend/load.ts, lib/mpi and the check of lib/cli/build.ts, and optional packages only in lib/io/peers.ts, when they are asked for', () => {
    const loaders = libFiles.filter((file) => {
      return (
        runtime(file).some(({ from }) => from === 'node-gyp-build' || !/^(\.|node:)/.test(from)) ||
        /\bprocess\.dlopen\b|\bcreateRequire\b/.test(code(file))
      );
    });
    expect(loaders).toEqual(['lib/backend/load.ts', 'lib/cli/build.ts', 'lib/io/peers.ts', 'lib/mpi/communicator.ts']);
    expect(runtime('lib/io/peers.ts').map(({ from }) => from)).toEqual([
      '../errors.js',
      'hyparquet',
      '@uwdata/flechette',
      'hyparquet-compressors',
    ]);
    expect(code('lib/io/peers.ts')).not.toMatch(/\brequire\b/);
    expect(imports('lib/backend/load.ts').map(({ from }) => from)).toContain('node-gyp-build');
  });

  it('imports the fallback only in lib/backend/load.ts and its twin for browsers', () => {
    const users = libFiles.filter(
      (file) => !file.startsWith('lib/backend/fallback/') && runtime(file).some(({ from }) => from.includes('fallback')),
    );
    expect(users).toEqual(['lib/backend/load-browser.ts', 'lib/backend/load.ts']);
  });

  const control = [
    ...libFiles.filter((file) => file.startsWith('lib/solver/')),
    ...['solve', 'check', 'ascent', 'fista', 'certificate', 'stopping'].map((name) => `lib/svm/${name}.ts`),
    'lib/ellipsoids/cone-fista.ts',
  ];
  it('does not import a backend in methods, stopping and bisection', () => {
    for (const file of control) {
      for (const { from, typeOnly } of imports(file)) {
        expect([file, from]).not.toEqual([file, expect.stringMatching(/fallback|node:|node-gyp-build/)]);
        if (!typeOnly) expect([file, from]).not.toEqual([file, expect.stringMatching(/backend\/load/)]);
      }
    }
  });

  it('computes metrics without models, backends or data sets', () => {
    for (const file of libFiles.filter((name) => name.startsWith('lib/metrics/'))) {
      for (const { from } of imports(file))
        expect([file, from]).toEqual([file, expect.stringMatching(/^(\.|\.\.\/input|\.\.)\/[\w-]+\.js$/)]);
    }
  });

  it('creates errors about arguments only in lib/input, in the readers of models, and in lib/svm/stopping.ts', () => {
    const makers = libFiles.filter((file) => /\b(typeError|rangeError)\s*\(|\bnew (Type|Range)Error\s*\(/.test(code(file)));
    const allowed = [
      'lib/errors.ts',
      ...['calibration-json', 'encoder-json', 'json-values', 'liblinear', 'model-json'].map((name) => `lib/io/${name}.ts`),
      'lib/svm/model.ts',
      'lib/svm/stopping.ts',
    ];
    expect(makers.filter((file) => !file.startsWith('lib/input/') && !allowed.includes(file))).toEqual([]);
    // Everywhere else an error has a code.
    const bare = libFiles.filter((file) => file !== 'lib/errors.ts' && /\bthrow new \w*Error\b/.test(code(file)));
    expect(bare).toEqual(['lib/backend/load-browser.ts', 'lib/backend/load.ts']); // which word what they catch
  });

  it('has only re-exports in lib/index.ts', () => {
    const lines = code('lib/index.ts')
      .split('\n')
      .filter((line) => line.trim() !== '');
    for (const line of lines) expect(line).toMatch(/^export (type )?(\*|\{ [\w, ]+ \}) from '\.\/([\w-]+\/)?[\w-]+\.js';$/);
  });

  it('has no two files of one name, except index.ts and lib/backend/fallback', () => {
    const named = libFiles.filter((file) => !file.startsWith('lib/backend/fallback/')).map((file) => basename(file));
    expect(named.filter((name, k) => name !== 'index.ts' && named.indexOf(name) !== k)).toEqual([]);
  });

  it('prints only in lib/cli/output.ts', () => {
    expect(libFiles.filter((file) => /\bconsole\.|process\.(stdout|stderr)/.test(code(file)))).toEqual(['lib/cli/output.ts']);
  });

  it('imports lib/cli only there, and ends the process or handles signals only in lib/cli/main.ts', () => {
    const users = libFiles.filter(
      (file) => !file.startsWith('lib/cli/') && imports(file).some(({ from }) => /(^|\/)cli\//.test(from)),
    );
    expect(users).toEqual([]);
    expect(libFiles.filter((file) => /\bprocess\.(exit|on)\b|process\.exitCode/.test(code(file)))).toEqual(['lib/cli/main.ts']);
  });

  it('asks Node.js only in lib/platform, lib/io, lib/cli and lib/report, the loaders and the worker, and for the version', () => {
    const users = libFiles.filter((file) => runtime(file).some(({ from }) => from.startsWith('node:')));
    expect(users.filter((file) => !/^lib\/(platform|io|cli|report)\//.test(file))).toEqual([
      'lib/backend/load.ts',
      'lib/backend/wasm/node-port.ts',
      'lib/backend/wasm/node-worker.ts',
      'lib/mpi/communicator.ts',
      'lib/version.ts',
    ]);
  });

  it('has a twin for browsers that exports the same, and more only where it is said', () => {
    const exported = (file: string) =>
      [...code(file).matchAll(/^export (?:async )?(?:function\*?|const|class|interface|type) (?:\{ )?(\w+)/gm)].map(
        (match) => match[1]!,
      );
    const twins = libFiles.filter((file) => file.endsWith('-browser.ts') && !file.endsWith('bytes-browser.ts'));
    expect(twins.length).toBeGreaterThanOrEqual(4);
    for (const twin of twins) {
      const missing = exported(twin).filter((name) => !exported(twin.replace('-browser.ts', '.ts')).includes(name));
      expect([twin, missing]).toEqual([twin, twin.endsWith('load-browser.ts') ? ['useWasm'] : []]);
    }
  });

  it('has no import cycles', () => {
    const graph = new Map(
      libFiles.map((file) => [
        file,
        runtime(file)
          .filter(({ from }) => from.startsWith('.'))
          .map(({ from }) => relative('.', join(file, '..', from.replace(/\.js$/, '.ts'))).replaceAll('\\', '/')),
      ]),
    );
    const done = new Set<string>(); // files whose imports were all visited
    const visit = (file: string, path: string[]): void => {
      expect(path).not.toContain(file);
      if (done.has(file)) return;
      for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of libFiles) visit(file, []);
  });
});
